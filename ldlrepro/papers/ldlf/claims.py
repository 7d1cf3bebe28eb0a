"""The claims of the LDLF paper, each with its verdict and evidence."""

from itertools import pairwise

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.metrics import MEASURES
from ldlrepro.papers import get_paper
from ldlrepro.papers.ldlf.figures import DRAWN
from ldlrepro.papers.ldlf.tables import PROTOCOLS
from ldlrepro.report.chapter import read
from ldlrepro.report.claims import (
    NEAR,
    NOT_RUN,
    Ours,
    claims_table,
    not_run,
    number_claim,
    order_claim,
    printed_numbers,
    same_claim,
    share_claim,
    wins_claim,
)
from ldlrepro.report.compare import firsts
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import published_cells, summary
from ldlrepro.report.values import Share

#: Rivals on Movie, by the ids of the claims.
RIVALS = {
    "aoso": "AOSO-LDLogitBoost",
    "ldlogitboost": "LDLogitBoost",
    "ldsvr": "LDSVR",
    "bfgs": "BFGS-LDL",
    "iis": "IIS-LDL",
}
OWN_ITERATIONS = "sNDF-LDL, each its own iterations"
#: Lines of sLDLF by number of trees: at one rate, rate chosen, and so on drawn rows.
OWN_LINES = ("sLDLF", "sLDLF, rate chosen", f"sLDLF, rate chosen{DRAWN}")
#: Claims about the deep forest, and those of them that the page on photographs looks at.
ON_MORPH = ("any-form",)
ON_PHOTOGRAPHS = (
    "dldlf-best-on-morph",
    "dldlf-beats-dldl",
    "deep-beats-shallow",
    "dldlf-every-ratio",
    "trees-on-morph",
    "depth-on-morph",
)


def claims(records, cells, grid, leaves, modes, printed, measures):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    records : records of Table 1's methods that count
    cells : result of `protocol_cells`; grid : of `figures.grid_of`
    leaves, modes : tables of the studies "leaf_updates" and "modes"
    printed : K-L of sLDLF printed for Movie
    """
    listed = published.claims("ldlf")
    movie = records[records.dataset == "Movie"]
    pairs = [("sLDLF", rival) for rival in RIVALS.values()]
    evidence = {
        f"better-than-{key}": order_claim(movie, "sLDLF", rival, measures)
        for key, rival in RIVALS.items()
    }
    evidence |= {
        "best-on-movie": _best(movie, measures),
        "best-on-human-gene": not_run(f"needs Human Gene's file; {_printed_firsts('Human_Gene')}"),
        "best-on-natural-scene": not_run(
            f"needs the original file of Natural Scene; {_printed_firsts('Natural_Scene')}"
        ),
        "kl-on-movie": printed_claim(cells, printed),
        "significant": wins_claim(movie, pairs, measures, significantly=True),
        "any-division": _of_divisions(records),
        "random-outputs": not_run(
            "the paper does not say beside what: with the same outputs in the same nodes all trees "
            "would be one"
        ),
        "maxent-mixtures": _of_modes(modes),
    }
    needs = "needs MORPH's images"
    evidence |= dict.fromkeys(ON_MORPH, not_run(needs))
    elsewhere = f"{needs}; on other data: the page on photographs"
    evidence |= dict.fromkeys(ON_PHOTOGRAPHS, not_run(elsewhere))
    evidence |= _of_seconds(records)
    evidence |= _of_leaves(leaves)
    said = printed_numbers(listed)
    evidence |= _of_trees(grid, said) | _of_depth(grid, said)
    for rival in ("StructRF", "AOSO-LDLogitBoost", "BFGS-LDL"):
        evidence[Ours(f"sLDLF is better than {rival} on every set")] = order_claim(
            records, "sLDLF", rival, measures
        )
    return claims_table(listed, evidence)


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
        f"lowest of any sLDLF tried: {clean:.4f} with distinct rows, even if the iteration is "
        f"picked on the test rows; {drawn:.4f} with rows drawn with replacement"
    )
    return float(clean <= printed * (1 + NEAR)), text


def _best(movie, measures):
    """Cells of Movie in which sLDLF is the best of the paper's methods."""
    means = summary(movie[movie.method.isin(["sLDLF", *RIVALS.values()])], measures=measures)
    first = means[firsts(means)]
    best = ", ".join(sorted(set(first.method)))
    by = first.groupby("measure").method.agg(set)
    return share_claim(["sLDLF" in some for some in by], "first by", f" measures; first: {best}")


def _printed_firsts(dataset):
    printed = published_cells("ldlf", [1], MEASURES)
    printed = printed[printed.dataset == dataset]
    first = printed[firsts(printed)]
    by = first[first.method == "sLDLF"].measure.nunique()
    return f"printed: first by {Share(by, printed.measure.nunique())} measures"


def _of_trees(grid, said):
    """The claims on numbers of trees: K-L on Movie against one tree, and from each to the next."""
    trees = grid[grid.trees.notna()]
    trees = trees.assign(method=[_named(s, k) for s, k in _forests(trees)])
    lines = trees.groupby(["strategy", "trees"])["kl_divergence"].mean()

    def against_one(strategy, more_is_better):
        line = lines[lines.index.get_level_values(0) == strategy].droplevel(0)
        if len(line) < 2:
            return NOT_RUN
        pairs = [(_named(strategy, k), _named(strategy, line.index[0])) for k in line.index[1:]]
        pairs = pairs if more_is_better else [pair[::-1] for pair in pairs]
        share, text = wins_claim(trees, pairs, ["kl_divergence"])
        values = _line(line)
        which = "more trees" if more_is_better else "one tree"
        return share, f"K-L by trees {values}; {which} {text}"

    one_rate, chosen, drawn = (
        lines[lines.index.get_level_values(0) == name].droplevel(0) for name in OWN_LINES
    )
    less = [0 < now < before for before, now in pairwise(-np.diff(chosen))]
    # At one rate more trees learn more slowly: the line with the rate chosen for each size counts.
    shown = [
        f"{what} {_line(line)}"
        for what, line in (("at one rate", one_rate), ("on drawn rows, rate chosen,", drawn))
        if len(line)
    ]

    def at(trees):
        values = [
            f"{what} {line[trees]:.4f}"
            for what, line in (("at one rate", one_rate), ("on drawn rows", drawn))
            if trees in line
        ]
        share, text = number_claim(
            chosen.get(trees), said[f"kl-at-{trees}-trees"], "K-L, rate chosen,", ".4f"
        )
        return share, "; ".join([text, *values])

    return {
        "trees-help": against_one("sLDLF", True),
        "trees-help-less": share_claim(
            less,
            f"K-L by trees, rate chosen for each size, {_line(chosen)}; {'; '.join(shown)}; with "
            "the rate chosen falls, by less than before, in",
        ),
        "kl-at-100-trees": at(100),
        "kl-at-20-trees": at(20),
        "saturated-at-20": same_claim(
            trees, _named("sLDLF", 100), _named("sLDLF", 20), ["kl_divergence"]
        ),
        "ndf-worse": against_one("sNDF-LDL", False),
        "ndf-worse-own-iterations": against_one(OWN_ITERATIONS, False),
        "cost-is-linear": _cost(grid),
    }


def _line(line):
    return ", ".join(f"{int(k)}: {v:.4f}" for k, v in line.items())


def _forests(trees):
    return zip(trees.strategy, trees.trees, strict=True)


def _named(strategy, trees):
    return f"{strategy}, {trees:.0f} trees"


def _of_leaves(leaves):
    """The claims on Eq. 12: steps that do not raise the loss, and how fast it converges."""
    losses = leaves.pivot_table(index=["dataset", "fold", "update"], columns="step", values="loss")
    falls = np.diff(losses, axis=1) <= 1e-12
    share = (losses[0] - losses[5]) / (losses[0] - losses[losses.columns[-1]])
    left = ((losses[5] - losses[losses.columns[-1]]) / losses[losses.columns[-1]]).mean()
    first = losses.index.get_level_values("update") == 1
    fast = (
        "no standard in the paper, and no other update was run; five steps bring "
        f"{share.mean():.0%} of the fall of twenty on average, and the loss is then {left:.2%} "
        f"above that after twenty; {int((~first).sum())} of {len(first)} updates start from fitted "
        "leaves"
    )
    return {
        "leaf-update-falls": share_claim(falls.ravel(), "the loss falls or stays in", " steps"),
        "leaf-update-fast": not_run(fast),
    }


def _of_divisions(records):
    """Sets on which the mean K-L of sLDLF over ten folds hardly moves with the division."""
    if (records.source == "synthetic").any():
        return NOT_RUN
    paper, sets = get_paper("comparison"), sorted(set(records.dataset))
    names = [e.name for e in paper.experiments if e.name.startswith("other_folds")]
    every = [records, *(read(paper, name, "paper", sets) for name in names)]
    means = pd.DataFrame(
        {
            number: some[some.method == "sLDLF"].groupby("dataset")["kl_divergence"].mean()
            for number, some in enumerate(every)
        }
    ).dropna()
    if means.empty:
        return NOT_RUN
    range_ = means.max(axis=1) / means.min(axis=1) - 1
    return share_claim(
        range_ <= NEAR,
        f"mean K-L of sLDLF over ten folds, {len(every)} divisions: largest over smallest from "
        f"{range_.min():+.1%} to {range_.max():+.1%} ({range_.idxmax()}); within {NEAR:.0%} on",
        " sets",
    )


def _of_modes(modes):
    """Folds and rivals to which BFGS-LDL loses more on rows with several modes than with one."""
    wide = modes.pivot_table(
        index=["dataset", "fold"], columns=["method", "modes"], values="kl_divergence"
    )
    if not {("BFGS-LDL", "one"), ("BFGS-LDL", "several")} <= set(wide):
        return NOT_RUN
    holds, parts = [], []
    for rival in ("sLDLF", "StructRF"):
        ratio = (wide["BFGS-LDL"] / wide[rival]).dropna()
        holds += list(ratio["several"] > ratio["one"])
        means = ratio.groupby("dataset").mean()
        by = ", ".join(f"{d} {m.several:.2f} and {m.one:.2f}" for d, m in means.iterrows())
        parts.append(f"{rival} {by}")
    return share_claim(
        holds,
        "K-L of BFGS-LDL as a multiple of a forest's, rows with several modes and with one: "
        f"{'; '.join(parts)}; larger with several in",
        " (folds x forests)",
    )


def _of_seconds(records):
    """The claims on seconds on MORPH, with those of the deep forest on photographs beside them."""
    names = {"train-5250s": "fit_seconds", "test-8s": "predict_seconds"}
    deep = read(get_paper("images"), "images_realigned", "paper", ["Natural_Scene"])
    deep = deep[deep.method == "dLDLF"]
    if deep.empty or (records.source == "synthetic").any():
        return dict.fromkeys(names, not_run("needs MORPH's images"))
    found = {}
    for name, column in names.items():
        rows = int(deep["n_train" if column == "fit_seconds" else "n_test"].median())
        found[name] = not_run(
            f"needs MORPH's images; on {rows} photographs of natural scenes, on a processor, our "
            f"deep forest takes {deep[column].median():.3g} s"
        )
    return found


def _of_depth(grid, said):
    """The claims on the depth of one tree; "falls, then rises" is two of them."""
    lines = grid[grid.depth.notna()].groupby(["strategy", "depth"])["kl_divergence"].mean()
    if lines.empty:
        names = "depth-falls", "depth-rises", "kl-at-depth-9", "kl-at-depth-18"
        return dict.fromkeys(names, NOT_RUN)
    at_9 = number_claim(lines.get(("sLDLF, one tree", 9)), said["kl-at-depth-9"], "K-L")
    # The line that goes deepest; on one hold-out, where that is it.
    line = lines[max(lines.index, key=lambda pair: pair[1])[0]]
    deepest = int(line.index[-1])
    text = (
        f"one fit a point, which is weak: K-L by depth {_line(line)}; lowest at "
        f"{int(line.idxmin())}, deepest run {deepest}"
    )
    at_18 = number_claim(line.get(18), said["kl-at-depth-18"], "one fit, which is weak: K-L")
    # A line of one fit a point goes to and fro: a rise is one that exceeds those on the way down.
    down = line[: line.idxmin()]
    rise, swing = line.iloc[-1] - line.min(), (down - down.cummin()).max()
    rises = f"from there up by {rise:.4f}, on the way down by up to {swing:.4f}"
    return {
        "depth-falls": (float(line.iloc[0] > line.min()), text),
        "depth-rises": (
            (float(rise > swing), f"{text}; {rises}")
            if 18 in line
            else not_run(f"the deepest tree run is {deepest}, the paper's 18")
        ),
        "kl-at-depth-9": at_9,
        "kl-at-depth-18": at_18 if 18 in line else not_run(f"the deepest tree run is {deepest}"),
    }


def _cost(grid):
    """Steps to the next larger forest in which seconds grow about as slowly as nodes, or slower."""
    mine = grid[grid.strategy.isin(["sLDLF", "sLDLF, one tree"])]
    nodes = mine.trees.fillna(1) * (2 ** (mine.depth.fillna(7) - 1) - 1)
    seconds = mine.assign(nodes=nodes).groupby(["strategy", "nodes"]).fit_seconds.median()
    holds, spans = [], []
    for _, line in seconds.groupby(level=0):
        time, work = line.to_numpy(), line.index.get_level_values("nodes").to_numpy(float)
        holds += list(time[1:] / time[:-1] <= (1 + NEAR) * work[1:] / work[:-1])
        spans.append(f"{time[-1] / time[0]:.1f} times the seconds for {work[-1] / work[0]:.0f}")
    return share_claim(
        holds,
        f"{' and '.join(spans)} times the nodes; growth at most {NEAR:.0%} faster in",
        " steps",
    )
