"""The claims of the Adaboost-LDL paper, each with its verdict and evidence."""

from itertools import combinations

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.papers.adaboost_ldl import tables
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.papers.adaboost_ldl.tables import (
    AGAINST_BAGGING,
    AVERAGED,
    boosted,
    left_by_boosting,
)
from ldlrepro.report.claims import (
    NEAR,
    NOT_RUN,
    Ours,
    claims_table,
    near_means,
    not_run,
    number_claim,
    printed_numbers,
    share_claim,
    wins_claim,
)
from ldlrepro.report.compare import LEVEL, count_significant, wins
from ldlrepro.report.tables import summary
from ldlrepro.report.values import Share

#: A boosted mean up to this share worse than the plain one counts as no harm.
NO_HARM = 0.01
#: Measures say much the same where they put methods in an order with this rank correlation.
ALIKE = 0.9
USUAL = ("chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection")
#: Learners whose K-L is said not to change: they fit a distance.
CLOSE_TO_DISTANCE = ("BFGS-LDL", "CPNN", "LC-LDL")
#: Boosting is said to gain much where less than this share is left.
MUCH = 0.9
#: Learners said to gain most.
POOR = ("PT-Bayes", "SA-IIS")


def claims(chapter):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    chapter : AdaBoostLDL
    """
    listed, records = published.claims("adaboost_ldl"), chapter.counted
    numbers, sides = printed_numbers(listed), tables.sides(chapter)
    every = tables.ratios_to_plain(chapter.printed)
    public = tables.with_public_settings(chapter)
    loss, kl = (left_by_boosting(chapter.ratios, measure) for measure in AVERAGED)
    poor = [left_by_boosting(s[s.method.isin(POOR)], "kl_divergence") for s in sides[:2]]
    seconds = chapter.study("warm_start")["seconds"]
    evidence = {
        "improves-all": _for_every_learner(records),
        "sortloss-falls": _by_learner(loss),
        "sortloss-41": _average(sides, every, "sort_loss", numbers["sortloss-41"]),
        "kl-68": _average(sides, every, "kl_divergence", numbers["kl-68"]),
        "kl-uneven": _uneven(sides),
        "kl-unchanged": _unchanged(records, public, chapter.printed_and_counted),
        "poor-learners-gain": _gains(poor[0], MUCH, poor[1]),
        "fails-on-faces": _on_faces(chapter.study("on_faces")["works"]),
        "sortloss-range": share_claim(records.sort_loss.between(0, 1), "in", " fits"),
        "warm-start-faster": _warm_start(seconds, chapter.study("warm_stop")["steps"]),
        "measures-alike": _alike(records),
        Ours("Boosting lowers SortLoss for nearly every learner and data set"): _gains(loss, 1.0),
        Ours("Boosting harms no learner's K-L"): _gains(kl, 1 + NO_HARM),
        Ours("Boosting puts the labels in a better order, by Spearman"): _order(chapter.matched),
        Ours("Boosting is better than bagging by K-L"): wins_claim(
            records, AGAINST_BAGGING, ["kl_divergence"]
        ),
        Ours("Boosting is better than bagging by Spearman"): wins_claim(
            records, AGAINST_BAGGING, ["spearman"]
        ),
    }
    return claims_table(listed, evidence)


def pairs():
    """Each learner boosted and plain."""
    return [(boosted(name), name) for name in LEARNERS]


def _for_every_learner(records):
    """Whether boosting lowers SortLoss significantly, and on how many data sets by learner."""
    share, text = wins_claim(records, pairs(), ["sort_loss"], significantly=True)
    by = {name: wins(records, [(boosted(name), name)], ["sort_loss"]) for name in LEARNERS}
    by = (f"{name} {Share(found.shown.plain, found.cells)}" for name, found in by.items())
    return share, text if np.isnan(share) else f"{text}; significantly by learner: {', '.join(by)}"


def _by_learner(left):
    """Learners of whose SortLoss boosting leaves less than all, on average over the data sets."""
    mean = left.groupby(level=0).mean()
    return share_claim(
        mean < 1,
        "mean over the data sets below the plain learner's for",
        f" learners, {mean.min():.1%} to {mean.max():.1%} left; from the same records as the test "
        "of significance",
    )


def _average(sides, every, measure, said):
    """Whether one of three averages of what is left comes to the number in the text.

    Parameters
    ----------
    sides : result of `tables.sides`
    every : all printed ratios, Natural Scene among them, which the paper averages
    """
    if left_by_boosting(sides[0], measure).empty:
        return NOT_RUN
    ours, public, printed = (tables.three_averages(side, measure) for side in sides)
    text = "; ".join(
        f"{name} {value:.1%} (with the settings of public code {public[name]:.1%}, in print "
        f"{printed[name]:.1%})"
        for name, value in ours.items()
    )
    found = [number_claim(value, said, "")[0] for value in ours.values()]
    number = len(left_by_boosting(sides[0], measure))
    whole = tables.three_averages(every, measure)
    whole = ", ".join(f"{name} {value:.1%}" for name, value in whole.items())
    return max(found), (
        f"left in {number} comparisons, without Natural Scene: {text}; all "
        f"{len(left_by_boosting(every, measure))} printed ratios: {whole}"
    )


def _uneven(sides):
    """Some learners keep less than `MUCH` of their K-L, and others do not: "differs greatly"."""
    means = [left_by_boosting(s, "kl_divergence").groupby(level=0).mean() for s in sides]
    if any(mean.empty for mean in means):
        return NOT_RUN
    names = ("means by learner", "with the settings of public code", "in print")
    text = "; ".join(
        f"{name} {mean.min():.0%} to {mean.max():.0%}"
        for name, mean in zip(names, means, strict=True)
    )
    return float(means[0].min() < MUCH <= means[0].max()), text


def _gains(ratio, most, public=None):
    """Share of comparisons in which boosting leaves less than ``most`` times the plain value.

    Parameters
    ----------
    public : the same with the settings of public code, for the text
    """
    if ratio.empty:
        return NOT_RUN
    more = f" comparisons; left from {ratio.min():.1%} to {ratio.max():.1%}"
    if public is not None:
        more += (
            f"; with the settings of public code in {Share.of(public < most)}, left from "
            f"{public.min():.1%} to {public.max():.1%}"
        )
    return share_claim(ratio < most, f"less than {most:.0%} left in", more)


def _within_deviation(cells):
    """Whether the boosted mean of K-L is within a deviation of the plain row: Series."""
    cells = cells[cells.measure == "kl_divergence"].set_index(["dataset", "method"])
    both = [*CLOSE_TO_DISTANCE, *map(boosted, CLOSE_TO_DISTANCE)]
    mean, std = (cells[column].unstack().reindex(columns=both) for column in ("mean", "std"))
    room = {m: (std[m] - (mean[boosted(m)] - mean[m]).abs()).dropna() for m in CLOSE_TO_DISTANCE}
    return pd.concat({m: left >= 0 for m, left in room.items()})


def _near(records):
    """Whether the boosted mean of K-L is within `NEAR` of the plain row: Series."""
    near = {
        m: pd.Series(near_means(records, boosted(m), m, ["kl_divergence"], NEAR), dtype=bool)
        for m in CLOSE_TO_DISTANCE
    }
    return pd.concat(near)


def _unchanged(records, public, printed):
    """Boosted means of K-L within `NEAR` of the plain ones.

    Beside them stand those within a deviation of the plain row, and what is significant: a
    difference that is not is no sign of no change.

    Parameters
    ----------
    public : records with the settings of public code
    """
    near = _near(records)
    if near.empty:
        return NOT_RUN
    wide = printed[printed.measure == "kl_divergence"].pivot(
        index="dataset", columns="method", values="mean"
    )
    as_printed = [
        abs(row[boosted(m)] - row[m]) <= NEAR * row[m]
        for m in CLOSE_TO_DISTANCE
        for _, row in wide.reindex(columns=[m, boosted(m)]).dropna().iterrows()
    ]
    of_means = (summary(some, measures=["kl_divergence"]) for some in (records, public))
    deviation = [Share.of(_within_deviation(some)) for some in (*of_means, printed)]
    found = wins(records, [(boosted(name), name) for name in CLOSE_TO_DISTANCE], ["kl_divergence"])
    by = ", ".join(f"{m} {Share.of(n)}" for m, n in near.groupby(level=0, sort=False))
    return share_claim(
        near,
        f"means within {NEAR:.0%} of the plain row in",
        f" comparisons ({by}; with the settings of public code {Share.of(_near(public))}, in print "
        f"{Share.of(as_printed)}); within one standard deviation of it in {deviation[0]} (with the "
        f"settings of public code {deviation[1]}, in print {deviation[2]}); significantly lower in "
        f"{found.shown}, significantly higher in {found.worse}",
    )


def _warm_start(seconds, steps):
    """Sets on which the warm start saves more than `NEAR` of BFGS-LDL's steps, where it may stop.

    Beside it what it saves of the seconds with the tolerance of the tables.
    """
    if (seconds.source == "synthetic").all():
        return not_run("times of synthetic data mean nothing")
    ratio = times_with_warm_start(seconds)
    saved = Share.of(ratio < 1 - NEAR)
    by = steps.groupby(["tolerance", "dataset"])[["steps_with", "steps_without"]].sum()
    left = (by.steps_with / by.steps_without).unstack("tolerance")
    tolerance = left.columns.max()
    loose, tight = left[tolerance], left[left.columns.min()]
    return share_claim(
        loose < 1 - NEAR,
        f"seconds with the warm start over seconds without, tolerance of the tables: "
        f"{ratio.min():.2f} to {ratio.max():.2f}, median {ratio.median():.2f}; more than "
        f"{NEAR:.0%} saved in {saved} comparisons; steps of BFGS-LDL with over without: "
        f"{tight.min():.2f} to {tight.max():.2f}. With a tolerance of {tolerance:g}, steps: "
        f"{loose.min():.2f} to {loose.max():.2f}; more than {NEAR:.0%} saved on",
        " sets",
    )


def times_with_warm_start(seconds):
    """Seconds with the warm start over seconds without, medians of a data set and learner."""
    seconds = seconds.groupby(["dataset", "learner"])[["with_start", "without_start"]].median()
    return seconds.with_start / seconds.without_start


def _on_faces(works):
    """Learners and sets of faces on which our version of public code fails in every hold-out."""
    fails = works.groupby(["learner", "dataset"], sort=False).works.max() == 0
    by = fails.groupby(level=0, sort=False)
    text = ", ".join(f"{learner} fails on {Share.of(failed)} sets" for learner, failed in by)
    return share_claim(
        fails,
        f"our versions of public code: {text} (PT-Bayes with drawn labels and full covariances, "
        "SA-IIS from the identity; with the package's 1e-14 on the diagonal and its floor, "
        "PT-Bayes predicts the uniform distribution). The claim holds in",
        " comparisons",
    )


def _alike(records):
    """Data sets and pairs of the usual measures that put the methods in nearly one order."""
    found = []
    for _, mine in records.groupby("dataset"):
        means = mine.groupby("method")[list(USUAL)].mean()
        order = means.corr("spearman").abs()
        found += [order.loc[pair] for pair in combinations(USUAL, 2)]
    found = [one for one in found if not np.isnan(one)]
    if not found:
        return NOT_RUN
    text = f"rank correlation over the methods {min(found):.2f} to 1, median {np.median(found):.2f}"
    return share_claim(
        [one >= ALIKE for one in found],
        f"{text}; {ALIKE} or more in",
        " comparisons (data set and pair of measures)",
    )


def _order(matched):
    if matched.empty:
        return NOT_RUN
    p, up = matched.spearman_p, matched.spearman > 0
    more = (
        f" comparisons, significantly in {count_significant(p, up, LEVEL)}; significantly lower "
        f"in {count_significant(p, ~up, LEVEL)}; boosted SortLoss over that of plain predictions "
        f"made as flat: {matched.by_order.mean():.1%}"
    )
    return share_claim(up, "higher in", more)
