"""The claims of the Adaboost-LDL paper, each with its verdict and evidence."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import gmean

from ldlrepro import published
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.papers.adaboost_ldl.tables import (
    AGAINST_BAGGING,
    AVERAGED,
    boosted,
    in_print,
    left_by_boosting,
    ratios_to_plain,
    with_public_settings,
)
from ldlrepro.report.claims import (
    NEAR,
    NOT_RUN,
    Ours,
    claims_table,
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
    listed, tables = published.claims("adaboost_ldl"), chapter.counted
    numbers = printed_numbers(listed)
    ours, printed = chapter.ratios, chapter.printed_ratios
    public = ratios_to_plain(summary(with_public_settings(chapter), measures=chapter.measures))
    # Averages are over the cells that the paper prints too.
    sides = [in_print(ours, printed), in_print(public, printed), printed]
    pairs = [(boosted(name), name) for name in LEARNERS]
    loss, kl = (left_by_boosting(ours, measure) for measure in AVERAGED)
    poor = [left_by_boosting(s[s.method.isin(POOR)], "kl_divergence") for s in sides[:2]]
    seconds = chapter.study("warm_start")["seconds"]
    evidence = {
        "improves-all": wins_claim(tables, pairs, ["sort_loss"], significantly=True),
        "sortloss-falls": wins_claim(tables, pairs, ["sort_loss"]),
        "sortloss-41": _average(sides, "sort_loss", numbers["sortloss-41"]),
        "kl-68": _average(sides, "kl_divergence", numbers["kl-68"]),
        "kl-uneven": _uneven(sides),
        "kl-unchanged": _unchanged(tables, chapter.printed),
        "poor-learners-gain": _gains(poor[0], MUCH, poor[1]),
        "fails-on-faces": _on_faces(chapter.study("on_faces")["works"]),
        "sortloss-range": share_claim(tables.sort_loss.between(0, 1), "in", " records"),
        "warm-start-faster": _warm_start(seconds, chapter.study("warm_stop")["steps"]),
        "measures-alike": _alike(tables),
        Ours("Boosting lowers SortLoss everywhere"): _gains(loss, 1.0),
        Ours("No learner is harmed in K-L"): _gains(kl, 1 + NO_HARM),
        Ours("The order of labels gets better, by Spearman"): _order(chapter.matched),
        Ours("Boosting is better than bagging, by K-L"): wins_claim(
            tables, AGAINST_BAGGING, ["kl_divergence"]
        ),
        Ours("Boosting is better than bagging, by Spearman"): wins_claim(
            tables, AGAINST_BAGGING, ["spearman"]
        ),
    }
    return claims_table(listed, evidence)


def _average(sides, measure, said):
    """Whether one of three averages of what is left comes to the number in the text.

    Parameters
    ----------
    sides : `ratios_to_plain` of the tables, with the settings of public code, and printed
    """
    tables, public, printed = (left_by_boosting(ratios, measure) for ratios in sides)
    if tables.empty:
        return NOT_RUN
    three = {"mean": np.mean, "geometric mean": gmean, "median": np.median}
    text = ", ".join(
        f"{name} {average(tables):.1%} (settings of public code {average(public):.1%}, printed "
        f"cells {average(printed):.1%})"
        for name, average in three.items()
    )
    found = [number_claim(average(tables), said, "")[0] for average in three.values()]
    return max(found), f"left over {len(tables)} cells: {text}"


def _uneven(sides):
    """Some learners keep less than `MUCH` of their K-L, and others do not: "differs greatly"."""
    means = [left_by_boosting(s, "kl_divergence").groupby(level=0).mean() for s in sides]
    if any(mean.empty for mean in means):
        return NOT_RUN
    names = ("means by learner", "with the settings of public code", "printed")
    text = "; ".join(
        f"{name} from {mean.min():.0%} to {mean.max():.0%}"
        for name, mean in zip(names, means, strict=True)
    )
    return float(means[0].min() < MUCH <= means[0].max()), text


def _gains(ratio, most, public=None):
    """Share of cells of which boosting leaves less than ``most`` times the plain value.

    Parameters
    ----------
    public : the same with the settings of public code, for the text
    """
    if ratio.empty:
        return NOT_RUN
    more = f" cells; from {ratio.min():.1%} to {ratio.max():.1%}"
    if public is not None:
        more += (
            f"; with the settings of public code in {Share.of(public < most)}, from "
            f"{public.min():.1%} to {public.max():.1%}"
        )
    return share_claim(ratio < most, f"less than {most:.0%} left in", more)


def _within_deviation(cells):
    """Cells of K-L in which the boosted mean is within a deviation of the plain row: Series."""
    cells = cells[cells.measure == "kl_divergence"].set_index(["dataset", "method"])
    both = [*CLOSE_TO_DISTANCE, *map(boosted, CLOSE_TO_DISTANCE)]
    mean, std = (cells[column].unstack().reindex(columns=both) for column in ("mean", "std"))
    room = {m: (std[m] - (mean[boosted(m)] - mean[m]).abs()).dropna() for m in CLOSE_TO_DISTANCE}
    return pd.concat({m: left >= 0 for m, left in room.items()})


def _unchanged(tables, printed):
    """Cells whose boosted mean is within a deviation of the plain one: the paper runs no test."""
    ours = _within_deviation(summary(tables, measures=["kl_divergence"]))
    if ours.empty:
        return NOT_RUN
    pairs = [(boosted(name), name) for name in CLOSE_TO_DISTANCE]
    found = wins(tables, pairs, ["kl_divergence"])
    by = ", ".join(f"{m} {Share.of(n)}" for m, n in ours.groupby(level=0, sort=False))
    as_printed = Share.of(_within_deviation(printed))
    return share_claim(
        ours,
        f"within one standard deviation of the plain row: {by} (printed {as_printed}), in all",
        f" cells; by the corrected test lower in {found.shown}, higher in {found.worse}",
    )


def _warm_start(seconds, steps):
    """Sets on which the warm start saves more than `NEAR` of BFGS-LDL's steps, where it may stop.

    Beside it what it saves of the seconds with the tolerance of the tables.
    """
    if (seconds.source == "synthetic").all():
        return not_run("times of synthetic data mean nothing")
    seconds = seconds.groupby(["dataset", "learner"])[["with_start", "without_start"]].median()
    ratio = seconds.with_start / seconds.without_start
    saved = Share.of(ratio < 1 - NEAR)
    by = steps.groupby(["tolerance", "dataset"])[["steps_with", "steps_without"]].sum()
    left = (by.steps_with / by.steps_without).unstack("tolerance")
    tolerance = left.columns.max()
    loose, tight = left[tolerance], left[left.columns.min()]
    return share_claim(
        loose < 1 - NEAR,
        f"with the tables' tolerance, seconds with / without, fitted in turn: {ratio.min():.2f} to "
        f"{ratio.max():.2f}, median {ratio.median():.2f}; more than {NEAR:.0%} saved in {saved} "
        f"(sets x learners); steps of BFGS-LDL with / without {tight.min():.2f} to "
        f"{tight.max():.2f}. With a tolerance of {tolerance:g}, steps {loose.min():.2f} to "
        f"{loose.max():.2f}; more than {NEAR:.0%} saved on",
        " sets",
    )


def _on_faces(works):
    """Learners and sets of faces on which our version of public code fails in every hold-out."""
    fails = works.groupby(["learner", "dataset"], sort=False).works.max() == 0
    by = fails.groupby(level=0, sort=False)
    text = ", ".join(f"{learner} on {Share.of(failed)} sets" for learner, failed in by)
    return share_claim(
        fails,
        "our versions, PT-Bayes with drawn labels and full covariances, SA-IIS from the identity, "
        f"cannot be fitted: {text} (with the package's 1e-14 on the diagonal and its floor, "
        "PT-Bayes predicts the uniform distribution); in all",
        " (learners x sets)",
    )


def _alike(tables):
    """Data sets and pairs of the usual measures that put the methods in nearly one order."""
    found = []
    for _, mine in tables.groupby("dataset"):
        means = mine.groupby("method")[list(USUAL)].mean()
        order = means.corr("spearman").abs()
        found += [order.loc[pair] for pair in combinations(USUAL, 2)]
    found = [one for one in found if not np.isnan(one)]
    if not found:
        return NOT_RUN
    text = f"rank correlation over the methods {min(found):.2f} to 1, median {np.median(found):.2f}"
    return share_claim(
        [one >= ALIKE for one in found], f"{text}; {ALIKE} or more in", " sets x pairs of measures"
    )


def _order(matched):
    if matched.empty:
        return NOT_RUN
    p, up = matched.spearman_p, matched.spearman > 0
    more = (
        f" cells, shown in {count_significant(p, up, LEVEL)}; lower shown in "
        f"{count_significant(p, ~up, LEVEL)}; at equal "
        f"flatness {matched.by_order.mean():.1%} of SortLoss is left"
    )
    return share_claim(up, "higher in", more)
