"""The claims of the LDLF paper, each with its verdict and evidence."""

from ldlrepro.report.claims import NOT_RUN, Ours, claims_table, order_claim
from ldlrepro.report.ldlf.tables import PROTOCOLS
from ldlrepro.report.settings import declared


def claims(records, cells, grid, printed, measures):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    records : records of Table 1's methods that count
    cells : result of `protocol_cells`; grid : of `grid_of_figure_4`
    printed : K-L of sLDLF printed for Movie
    """
    evidence = {}
    movie = records[records.dataset == "Movie"]
    for rival in ("AOSO-LDLogitBoost", "LDLogitBoost", "LDSVR", "BFGS-LDL", "IIS-LDL"):
        evidence[f"sLDLF is better than {rival} on Movie (Table 1)"] = order_claim(
            movie, "sLDLF", rival, measures
        )
    for rival in ("StructRF", "AOSO-LDLogitBoost", "BFGS-LDL"):
        evidence[Ours(f"sLDLF is better than {rival} on every set")] = order_claim(
            records, "sLDLF", rival, measures
        )
    evidence[f"K-L of {printed:.3f} on Movie (Table 1)"] = printed_claim(cells, printed)
    trees = grid[grid.trees.notna()].groupby(["strategy", "trees"])["kl_divergence"].mean()
    evidence["More trees make sLDLF better (Figure 4a)"] = _more(trees, "sLDLF", down=True)
    for strategy in ("sNDF-LDL", "sNDF-LDL, each its own iterations"):
        evidence[f"More trees make {strategy} worse than one (Figure 4a)"] = _more(
            trees, strategy, down=False
        )
    evidence["K-L falls with depth, then rises (Figure 4b)"] = _turns(grid)
    return claims_table(evidence)


def lowest_on_movie(cells):
    """Lowest K-L of any sLDLF on Movie, for each kind of rows: Series; empty where none was run."""
    mine = cells[(cells.dataset == "Movie") & (declared(cells, "learner") == "sLDLF")]
    by = mine.groupby(["method", "rows", "kept"])["kl_divergence"].mean()
    return by.groupby(level="rows").min()


def printed_claim(cells, printed):
    """Evidence that some sLDLF, on distinct rows, comes as low on Movie as a printed K-L."""
    low = lowest_on_movie(cells)
    if low.empty:
        return NOT_RUN
    clean, drawn = (low[PROTOCOLS[name]] for name in ("distinct_rows", "drawn_rows"))
    text = (
        f"lowest of the models tried: {clean:.4f} with distinct rows, even if the iteration is "
        f"picked on the test rows; {drawn:.4f} with rows drawn with replacement"
    )
    return float(clean <= printed * 1.03), text


def _more(trees, strategy, down):
    if strategy not in trees.index.get_level_values(0):
        return NOT_RUN
    line = trees[strategy]
    text = ", ".join(f"{int(k)}: {v:.4f}" for k, v in line.items())
    better = line.iloc[-1] < line.iloc[0]
    if down:  # partly where further trees first help and then do harm
        share = better * (1.0 if line.iloc[-1] <= 1.01 * line.min() else 0.5)
    else:
        share = float(not better)
    return share, f"K-L by trees {text}"


def _turns(grid):
    line = grid[grid.depth.notna()].groupby("depth")["kl_divergence"].mean()
    if line.empty:
        return NOT_RUN
    text = ", ".join(f"{int(h)}: {v:.4f}" for h, v in line.items())
    lowest = line.idxmin()
    # Partly where it falls up to the deepest that was run.
    share = 1.0 if line.index[0] < lowest < line.index[-1] else 0.5 * (lowest == line.index[-1])
    return share, f"K-L by depth {text}; lowest at {int(lowest)} of at most {int(line.index[-1])}"
