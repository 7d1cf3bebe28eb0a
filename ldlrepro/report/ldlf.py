"""What only the chapter on LDL forests shows: protocols, Figures 1, 2 and 4, claims."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldlrepro.report.compare import order_claim, verdict
from ldlrepro.report.plots import nothing
from ldlrepro.report.tables import declared

#: How the two papers name the same method.
PAPER_NAMES = {"SA-BFGS": "BFGS-LDL", "SA-IIS": "IIS-LDL"}
PROTOCOLS = {"distinct_rows": "distinct rows", "drawn_rows": "drawn rows"}


def protocol_cells(records):
    """K-L of every method under the four protocols, and the fold values behind it.

    Parameters
    ----------
    records : dict, "distinct_rows" and "drawn_rows" -> records; staged ones have a stage

    Returns
    -------
    DataFrame: dataset, method, settings, rows, kept ("last" or "lowest on test"), fold,
    kl_divergence; what is not staged has one number for both
    """
    parts = []
    for name, frame in records.items():
        frame = frame.reset_index(drop=True)  # joined records may repeat row numbers
        frame = frame.assign(stage=[p.get("stage", 0) for p in frame.parameters])
        groups = frame.groupby(["dataset", "method", "fold"], sort=False)
        last = frame.loc[groups["stage"].idxmax()].assign(kept="last")
        lowest = frame.loc[groups["kl_divergence"].idxmin()].assign(kept="lowest on test")
        parts += [f.assign(rows=PROTOCOLS[name]) for f in (last, lowest)]
    columns = ["dataset", "method", "settings", "rows", "kept", "fold", "kl_divergence"]
    return pd.concat(parts)[columns]


def protocol_table(cells, dataset, order, printed=None):
    """One data set: a row a method, a column a protocol; cells near a printed K-L marked."""
    mine = cells[cells.dataset == dataset]
    mean = mine.groupby(["method", "rows", "kept"])["kl_divergence"].agg(["mean", "std"])
    columns = [(r, k) for r in PROTOCOLS.values() for k in ("last", "lowest on test")]
    table = {}
    for method in (m for m in order if m in set(mine.method)):
        table[method] = {}
        for rows, kept in columns:
            if (method, rows, kept) not in mean.index:
                table[method][f"{rows}, {kept}"] = "not run"
                continue
            m, s = mean.loc[(method, rows, kept)]
            near = printed is not None and abs(m - printed) <= 0.03 * printed
            table[method][f"{rows}, {kept}"] = f"{m:.4f}±{s:.4f}" + (" ← printed" if near else "")
    return pd.DataFrame(table).T.rename_axis("method")


def copied(experiment, n, folds, partition):
    """Share of test rows of which a copy is among the training rows, mean over the folds."""
    return np.mean(
        [
            np.isin(test, np.concatenate([train, validation])).mean()
            for train, validation, test in partition(experiment, n, folds)
        ]
    )


def iterations(records, names, printed):
    """K-L against iterations, distinct rows in full lines and drawn ones in dashed lines.

    Parameters
    ----------
    records : dict as for `protocol_cells`
    printed : dict, data set -> printed K-L of sLDLF
    """
    frames = []
    for name, frame in records.items():
        stage = [p.get("stage", np.nan) for p in frame.parameters]
        frame = frame.assign(stage=stage, rows=name).dropna(subset="stage")
        frames.append(frame[declared(frame, "learner") == "sLDLF"])
    long = pd.concat(frames)
    there = [d for d in names if d in set(long.dataset)]
    if not there:
        return nothing("No records of this experiment.")
    mean = long.groupby(["dataset", "method", "rows", "stage"], sort=False)["kl_divergence"].mean()
    mean = mean.reset_index()
    columns = 3
    rows = -(-len(there) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(10, 2.8 * rows), squeeze=False)
    colours = {m: f"C{i}" for i, m in enumerate(mean.method.unique())}
    for axis, dataset in zip(axes.flat, there, strict=False):
        mine = mean[mean.dataset == dataset]
        for (method, kind), line in mine.groupby(["method", "rows"], sort=False):
            style = ".-" if kind == "distinct_rows" else ".--"
            label = f"{method}, {PROTOCOLS[kind]}"
            axis.plot(line.stage, line.kl_divergence, style, color=colours[method], label=label)
        if dataset in printed:
            axis.axhline(printed[dataset], color="black", linestyle=":", linewidth=1)
        axis.set(xscale="log", title=names[dataset], xlabel="iterations")
        low = mine.kl_divergence.min()
        axis.set_ylim(0.9 * low, min(mine.kl_divergence.max() * 1.05, 5 * low))
    for axis in axes.flat[len(there) :]:
        axis.set_visible(False)
    for axis in axes[:, 0]:
        axis.set_ylabel("K-L")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=2, fontsize=7)
    figure.tight_layout(rect=(0, 0.17 if rows > 1 else 0.3, 1, 1))
    return figure


def grid_of_figure_4(records):
    """Records of Figure 4 with columns strategy, trees and depth (NaN where fixed)."""
    trees, depth = (declared(records, key).astype(float) for key in ("trees", "depth"))
    stage = pd.Series([p.get("stage", np.nan) for p in records.parameters], index=records.index)
    # A stage is a number of trees.
    return records.assign(
        trees=trees.fillna(stage), depth=depth, strategy=declared(records, "strategy")
    )


def figure_4(grid):
    """K-L on Movie against the number of trees, and against their depth."""
    if grid.empty:
        return nothing("No records of this experiment.")
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.5))
    for axis, x, part in (
        (axes[0], "trees", grid[grid.trees.notna()]),
        (axes[1], "depth", grid[grid.depth.notna()]),
    ):
        for strategy, mine in part.groupby("strategy", sort=False):
            line = mine.groupby(x)["kl_divergence"].agg(["mean", "std"])
            axis.errorbar(
                line.index, line["mean"], line["std"], fmt=".-", capsize=2, label=strategy
            )
        axis.set(xlabel=x, ylabel="K-L")
        axis.legend(fontsize=7)
    axes[0].set_xscale("log")
    axes[0].set_title("(a) number of trees")
    axes[1].set_title("(b) depth")
    figure.tight_layout()
    return figure


def times(grid):
    """Training seconds against split nodes x trees; labels are 5 throughout (section 4.3)."""
    if grid.empty:
        return nothing("No records of this experiment.")
    mine = grid[grid.strategy.isin(["sLDLF", "sLDLF, one tree"])]
    work = mine.trees.fillna(1) * (2 ** (mine.depth.fillna(7) - 1) - 1)
    seconds = (
        mine.assign(work=work).groupby(["strategy", "work"], sort=False)["fit_seconds"].median()
    )
    figure, axis = plt.subplots(figsize=(6, 3.2))
    for strategy, line in seconds.groupby(level=0, sort=False):
        line = line.droplevel(0).sort_index()
        axis.plot(line.index, line, ".-", label=strategy)
    axis.set(xscale="log", yscale="log", xlabel="split nodes D x trees K", ylabel="seconds")
    axis.set_title("Training, 1000 iterations of 1000 rows on Movie")
    axis.legend()
    figure.tight_layout()
    return figure


def figure_1(bunches):
    """Figure 1: distributions with one mode and with several, the rows with fewest and most."""
    figure, axes = plt.subplots(1, len(bunches), figsize=(4.5 * len(bunches), 2.8))
    for axis, (bunch, most) in zip(axes, bunches, strict=True):
        D = bunch.D
        padded = np.pad(D, ((0, 0), (1, 1)), constant_values=-1)
        modes = ((D > padded[:, :-2] + 1e-3) & (D > padded[:, 2:] + 1e-3)).sum(axis=1)
        row = int(modes.argmax() if most else modes.argmin())
        axis.bar(range(D.shape[1]), D[row])
        axis.set_title(f"{bunch.display}, row {row}", fontsize=9)
        axis.set(xlabel="label", ylabel="description degree")
    figure.tight_layout()
    return figure


def figure_2(seed=3, depth=3, outputs=5):
    """Figure 2: two trees whose split nodes draw their outputs of f, some of them the same."""
    rng = np.random.default_rng(seed)
    figure, axis = plt.subplots(figsize=(9, 4))
    at = np.linspace(0.2, 0.8, outputs)
    axis.scatter(at, np.full(outputs, 1.0), s=420, color="C1", zorder=3)
    for i, x in enumerate(at):
        axis.text(x, 1.0, f"$f_{i + 1}$", ha="center", va="center", zorder=4)
    splits = 2 ** (depth - 1) - 1
    for tree in range(2):
        left, width = 0.52 * tree, 0.48
        drawn = rng.permutation(outputs)[:splits]
        places = []
        for node in range(2**depth - 1):
            level = int(np.log2(node + 1))
            x = left + width * (node - 2**level + 1.5) / 2**level
            y = 0.75 - 0.24 * level
            places.append((x, y))
            if node:
                axis.plot(*zip(places[(node - 1) // 2], (x, y), strict=True), color="0.5", zorder=1)
            if node < splits:
                axis.scatter(x, y, s=320, color="C0", zorder=3)
                axis.text(
                    x,
                    y,
                    rf"$\varphi_{tree + 1}$={drawn[node] + 1}",
                    ha="center",
                    va="center",
                    fontsize=6,
                    color="white",
                    zorder=4,
                )
                axis.plot([x, at[drawn[node]]], [y, 1.0], "k--", linewidth=0.6, alpha=0.5, zorder=0)
            else:
                q = rng.dirichlet(np.ones(4))
                for j, height in enumerate(q):
                    axis.add_patch(
                        plt.Rectangle(
                            (x - 0.04 + 0.02 * j, y - 0.1), 0.018, 0.14 * height, color="C2"
                        )
                    )
    axis.set(xlim=(-0.02, 1.02), ylim=(0.08, 1.08))
    axis.axis("off")
    axis.set_title("Two trees share the outputs of f; leaves hold distributions (schematic)")
    figure.tight_layout()
    return figure


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
        evidence[f"sLDLF is better than {rival} on every set (not claimed)"] = order_claim(
            records, "sLDLF", rival, measures
        )
    evidence[f"K-L of {printed:.3f} on Movie (Table 1)"] = _printed(cells, printed)
    trees = grid[grid.trees.notna()].groupby(["strategy", "trees"])["kl_divergence"].mean()
    evidence["More trees make sLDLF better (Figure 4a)"] = _more(trees, "sLDLF", down=True)
    for strategy in ("sNDF-LDL", "sNDF-LDL, each its own iterations"):
        evidence[f"More trees make {strategy} worse than one (Figure 4a)"] = _more(
            trees, strategy, down=False
        )
    evidence["K-L falls with depth, then rises (Figure 4b)"] = _turns(grid)
    rows = [(claim, verdict(share), text) for claim, (share, text) in evidence.items()]
    return pd.DataFrame(rows, columns=["claim", "verdict", "evidence"])


def _printed(cells, printed):
    mine = cells[(cells.dataset == "Movie") & (declared(cells, "learner") == "sLDLF")]
    if mine.empty:
        return float("nan"), "not run"
    by = mine.groupby(["method", "rows", "kept"])["kl_divergence"].mean()
    clean = by.xs(PROTOCOLS["distinct_rows"], level="rows")
    drawn = by.xs(PROTOCOLS["drawn_rows"], level="rows")
    text = (
        f"lowest of the models tried: {clean.min():.4f} with distinct rows, even if the iteration "
        f"is picked on the test rows; {drawn.min():.4f} with rows drawn with replacement"
    )
    return float(clean.min() <= printed * 1.03), text


def _more(trees, strategy, down):
    if strategy not in trees.index.get_level_values(0):
        return float("nan"), "not run"
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
        return float("nan"), "not run"
    text = ", ".join(f"{int(h)}: {v:.4f}" for h, v in line.items())
    lowest = line.idxmin()
    # Partly where it falls up to the deepest that was run.
    share = 1.0 if line.index[0] < lowest < line.index[-1] else 0.5 * (lowest == line.index[-1])
    return share, f"K-L by depth {text}; lowest at {int(lowest)} of at most {int(line.index[-1])}"
