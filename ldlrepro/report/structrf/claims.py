"""The claims of the StructRF paper, each with its verdict and evidence."""

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.metrics import MEASURES
from ldlrepro.report.claims import (
    NOT_RUN,
    Ours,
    claims_table,
    not_run,
    order_claim,
    same_claim,
    share_claim,
    spread_claim,
    wins_claim,
)
from ldlrepro.report.compare import firsts
from ldlrepro.report.tables import summary

CHAIN = ("StructRF", "SA-BFGS", "SA-IIS", "RF")
#: Times of like size differ by less than this factor, and trees in a forest of the paper.
ALIKE, TREES = 2, 50


def claims(tables, boosting, grid, times, steps, study, measures, measures_19):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    tables : records of Tables 4-18 that count; boosting : those of Table 19, StructRF's included
    grid : result of `grid_of_figure_4`; times : records of Table 3
    steps : records of the iterations, with settings
    study : tables of the study of the adaptive step
    """
    movie = boosting[boosting.dataset == "Movie"]
    boosters = [("StructRF", "LDLogitBoost"), ("StructRF", "AOSO-LDLogitBoost")]
    entropy = [("StructRF", "SA-IIS"), ("StructRF", "SA-BFGS")]
    forests = [("RF", "SA-IIS"), ("RF", "SA-BFGS"), *entropy]
    spread = summary(tables, measures=measures)
    random = steps[steps.setting == "SA-IIS, random start, 200 steps"]
    random = random[random.dataset.isin(tables.dataset)].assign(method="SA-IIS, random start")
    evidence = {
        "most-accurate": wins_claim(tables, entropy, measures),
        "trains-faster": _faster(times, entropy),
        "lowest-deviation": spread_claim(spread, "StructRF", CHAIN[1:], measures),
        "step-faster": _faster(times, [("StructRF*", "StructRF")]),
        "step-other-forests": _faster(times, [("RF*", "RF")]),
        "step-no-loss": same_claim(tables, "StructRF*", "StructRF", measures),
        "smooth-gain": not_run("gains of neighbouring thresholds are not recorded"),
        "bfgs-faster-than-iis": _faster(times, [("SA-BFGS", "SA-IIS")]),
        "same-test-time": _alike(times, "SA-IIS", "SA-BFGS"),
        "forests-quicker": _faster(times, forests),
        "rf-much-faster": _faster(times, [("RF", "StructRF")]),
        "slow-on-human-gene": not_run("needs Human Gene's file"),
        "slow-to-test": _faster(times, [pair[::-1] for pair in entropy], "predict_seconds"),
        "one-tree-test-time": _one_tree(times),
        "parallel": not_run("all records are of one thread"),
        "unoptimised": _than_printed(times),
        "order-structrf-bfgs": order_claim(tables, *CHAIN[:2], measures),
        "order-bfgs-iis": order_claim(tables, *CHAIN[1:3], measures),
        "order-iis-rf": order_claim(tables, *CHAIN[2:], measures),
        "whole-distribution": not_run("needs a forest that predicts each label by itself"),
        "strong-by-clark-canberra": wins_claim(
            tables, entropy, ["clark", "canberra"], significantly=True
        ),
        "fewer-near-zero": not_run("the records hold measures, not predictions"),
        "any-size": _first_on_each(spread),
        "trees-against-overfitting": not_run("errors on training rows are not recorded"),
        "close-to-boosting": same_claim(movie, "StructRF", "LDLogitBoost", measures_19, 0.05),
        "behind-boosting": order_claim(movie, "LDLogitBoost", "StructRF", measures_19),
        "behind-by-kl-euclidean": wins_claim(
            movie, [pair[::-1] for pair in boosters], ["kl_divergence", "euclidean"]
        ),
        "boosting-fits-six-times": not_run("boosting is fitted here by K-L alone"),
        Ours(
            "SA-BFGS > SA-IIS, with the random start that comes nearer to the printed SA-IIS"
        ): order_claim(pd.concat([tables, random]), "SA-BFGS", "SA-IIS, random start", measures),
    }
    evidence |= _of_gains(_gains(spread)) | _of_figure_4(grid, measures)
    evidence |= _of_steps(study["searches"], study["visits"])
    return claims_table(published.claims("structrf"), evidence)


def _seconds(times, column):
    return times.pivot_table(index="dataset", columns="method", values=column, aggfunc="median")


def _faster(times, pairs, column="fit_seconds"):
    """Evidence that the first of each pair takes fewer seconds, by medians over the folds."""
    seconds = _seconds(times, column)
    ratio = {f"{a} / {b}": seconds[a] / seconds[b] for a, b in pairs if {a, b} <= set(seconds)}
    text = "; ".join(f"{of}: {r.min():.2f} to {r.max():.2f}" for of, r in ratio.items())
    holds = [one < 1 for r in ratio.values() for one in r]
    return share_claim(holds, f"seconds {text}; below 1 in", " (methods x sets)")


def _alike(times, first, second):
    seconds = _seconds(times, "predict_seconds")
    if not {first, second} <= set(seconds):
        return NOT_RUN
    ratio = seconds[first] / seconds[second]
    text = f"seconds {first} / {second}: {ratio.min():.2f} to {ratio.max():.2f}; within a factor of"
    return share_claim((ratio < ALIKE) & (ratio > 1 / ALIKE), f"{text} {ALIKE} on", " sets")


def _one_tree(times):
    seconds = _seconds(times, "predict_seconds")
    rivals = ["SA-IIS", "SA-BFGS"]
    if not {"StructRF", *rivals} <= set(seconds):
        return NOT_RUN
    ratio = seconds["StructRF"] / TREES / seconds[rivals].max(axis=1)
    text = f"a {TREES}th of StructRF's seconds is {ratio.min():.2f} to {ratio.max():.2f} of theirs"
    return share_claim(ratio <= 1, f"{text}; no more on", " sets")


def _than_printed(times):
    """Sets on which StructRF trains here in fewer seconds than printed: other code and machines."""
    printed = published.load("structrf").query(
        "table == 3 and method == 'StructRF' and measure == 'fit_seconds'"
    )
    seconds = _seconds(times[times.source != "synthetic"], "fit_seconds")
    if "StructRF" not in seconds:
        return NOT_RUN
    ratio = (seconds["StructRF"] / printed.set_index("dataset")["mean"]).dropna()
    text = f"seconds here / printed, on another machine: {ratio.min():.4f} to {ratio.max():.4f}"
    return share_claim(ratio < 1, f"{text}; below 1 on", " sets")


def _first_on_each(means):
    there = means[means.method.isin(CHAIN)]
    first = there[firsts(there)].query("method == 'StructRF'").groupby("dataset").size()
    number = there.groupby("dataset").measure.nunique()
    won = first.reindex(number.index, fill_value=0)
    most = "; ".join(f"{d} {won[d]}" for d in won.index[won < number])
    return share_claim(won == number, "first by every measure on", f" sets; by fewer: {most}")


def _gains(means):
    """Share of SA-BFGS's loss that StructRF takes off: a row a data set, a column a measure."""
    wide = means.pivot_table(index=["dataset", "measure"], columns="method", values="mean")
    if not {"StructRF", "SA-BFGS"} <= set(wide):
        return pd.DataFrame()
    up = np.array([MEASURES[m].greater_is_better for m in wide.index.get_level_values("measure")])
    wide[up] = 1 - wide[up]  # what similarities lack
    return (1 - wide["StructRF"] / wide["SA-BFGS"]).unstack()


def _of_gains(gains):
    """The two claims on where StructRF gains most and least, against SA-BFGS."""
    if "SJAFFE" not in gains.index:
        return dict.fromkeys(("weak-by-chebyshev", "most-on-jaffe"), NOT_RUN)
    others = gains.drop(columns="chebyshev").mean(axis=1)
    mean = gains.mean(axis=1).sort_values(ascending=False)
    order = ", ".join(f"{d} {gain:+.1%}" for d, gain in mean.items())
    text = (
        f"share of SA-BFGS's loss removed: Chebyshev {gains.chebyshev.mean():+.1%}, the others "
        f"{others.mean():+.1%}; less by Chebyshev on"
    )
    return {
        "weak-by-chebyshev": share_claim(gains.chebyshev < others, text, " sets"),
        "most-on-jaffe": (
            float(mean.index[0] == "SJAFFE"),
            f"share of SA-BFGS's loss removed, mean of the measures, largest first: {order}",
        ),
    }


def _of_figure_4(grid, measures):
    """The claims on depth, sampling ratio and number of trees."""
    grid = grid.assign(method=[f"{t} trees, {r}, {d}" for t, r, d in _settings(grid)])
    deep = grid[(grid.depth == 20) & (grid.ratio == 0.8)]
    deep = deep.assign(method=deep.trees.astype(str) + " trees")
    mean = grid[grid.trees == 20].groupby(["ratio", "depth"])["chebyshev"].mean().unstack()
    mean = mean.loc[mean.index <= 0.8, mean.columns <= 20]
    falls = [step < 0 for line in (mean, mean.T) for step in line.diff().stack()]
    further = [
        ("20 trees, 0.8, 25", "20 trees, 0.8, 20"),
        ("20 trees, 1.0, 20", "20 trees, 0.8, 20"),
    ]
    share, text = wins_claim(grid, further, ["chebyshev"], significantly=True)
    shallow = [(f"{t} trees, 0.8, 20", f"{t} trees, 0.8, 5") for t in sorted(set(grid.trees))]
    return {
        "depth-and-ratio": share_claim(falls, "Chebyshev falls in", " steps up to these"),
        "depth-and-ratio-saturate": (1 - share, f"beyond: {text}"),
        "trees-alike": same_claim(deep, "20 trees", "100 trees", ["chebyshev"], 0.05),
        "saturated-at-50": same_claim(deep, "50 trees", "100 trees", measures),
        "shallow-is-poor": wins_claim(grid, shallow, ["chebyshev"]),
    }


def _settings(grid):
    return zip(grid.trees, grid.ratio, grid.depth, strict=True)


def _of_steps(searches, visits):
    """The claims on the search with the variable step, on the largest number of rows searched."""
    full = searches[searches.n == searches.n.max()]
    wide = full.pivot(index=["counts", "fold"], columns="step")
    milliseconds = wide["milliseconds"]["all"] / wide["milliseconds"]["adaptive"]
    evaluations = wide["evaluations"].loc["running"]
    gain = (wide["gain"]["adaptive"] / wide["gain"]["all"]).loc["running"]
    by = ", ".join(f"{v:.1f} ({c})" for c, v in milliseconds.groupby(level=0).mean().items())
    left = evaluations.mean()
    where = f"{left['adaptive']:.0f} of {left['all']:.0f} on {full.dataset.iloc[0]}"
    printed = published.load("structrf").query("table == 20 and measure == 'information_gain'")
    close = printed["mean"].min() / printed["mean"].max()
    mine = visits[visits.step == "adaptive"].sort_values(["feature", "position"])
    mine = mine.assign(length=-mine.groupby("feature").position.diff(-1)).dropna()
    high = mine.gain > mine.groupby("feature").gain.transform("max") / 2
    length = mine.groupby(["feature", high]).length.mean().unstack().dropna()
    best = visits.feature.iloc[visits.gain.argmax()]
    by_feature = mine.groupby("feature").length.mean()
    return {
        "few-evaluations": share_claim(
            evaluations.adaptive < evaluations["all"] / 2,
            f"evaluations: {where}; fewer than half in",
            " searches",
        ),
        "evaluations-447": not_run(f"needs Human Gene's file; {where}"),
        "ten-times-faster": share_claim(
            milliseconds >= 10, f"times faster by how gains are counted: {by}; ten or more in"
        ),
        "gain-very-close": share_claim(
            gain >= close,
            f"share of the largest gain found: {gain.mean():.1%} (printed {close:.1%}); as much in",
            " searches",
        ),
        "dense-at-peaks": share_claim(
            length[True] < length[False],
            "mean step is shorter above half of a feature's best gain than below for",
            " features with both",
        ),
        "long-at-lower-peaks": share_claim(
            by_feature[by_feature.index > best] > by_feature[best],
            "mean step is longer than on the feature of the best gain for",
            " later features",
        ),
    }
