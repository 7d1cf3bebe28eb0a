"""The claims of the Adaboost-LDL paper, each with its verdict and evidence."""

from itertools import combinations

import numpy as np

from ldlrepro import published
from ldlrepro.metrics import sort_loss
from ldlrepro.report.adaboost_ldl.tables import against_bagging, boosted, geometric_mean
from ldlrepro.report.claims import (
    NOT_RUN,
    Ours,
    claims_table,
    not_run,
    number_claim,
    printed_numbers,
    share_claim,
    wins_claim,
)
from ldlrepro.report.compare import LEVEL, held, wins

#: A boosted mean up to this share worse than the plain one counts as no harm.
NO_HARM = 0.01
#: Measures say much the same where they put methods in an order with this rank correlation.
ALIKE = 0.9
USUAL = ("chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection")
#: The worked example of section 2.1: true and predicted degrees.
EXAMPLE = np.array([[0.2, 0.3, 0.4, 0.1]]), np.array([[0.1, 0.4, 0.3, 0.2]])


def claims(ours, theirs, tables, terms, matching, learners):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    ours, theirs : results of `ratios_to_plain` for SortLoss, K-L and Intersection
    tables, terms : records that count; matching : result of `matched`
    """
    listed = published.claims("adaboost_ldl")
    said = printed_numbers(listed)
    ratio = {m: _boosted(ours, m) for m in ("sort_loss", "kl_divergence")}
    printed = {m: _boosted(theirs, m) for m in ratio}
    pairs = [(boosted(name), name) for name in learners]
    against = against_bagging(learners)
    poor = ours[ours.method.isin(["PT-Bayes", "SA-IIS"])]
    evidence = {
        "improves-all": wins_claim(
            tables, pairs, ["sort_loss", "kl_divergence", "intersection"], significantly=True
        ),
        "sortloss-falls": wins_claim(tables, pairs, ["sort_loss"]),
        "sortloss-41": _average(ratio["sort_loss"], printed["sort_loss"], said["sortloss-41"]),
        "kl-falls": wins_claim(tables, pairs, ["kl_divergence"]),
        "kl-68": _average(ratio["kl_divergence"], printed["kl_divergence"], said["kl-68"]),
        "kl-uneven": _uneven(ours, theirs),
        "kl-unchanged": _unchanged(tables, ("BFGS-LDL", "CPNN", "LC-LDL"), "kl_divergence"),
        "poor-learners-gain": _gains(_boosted(poor, "kl_divergence"), 0.9),
        "fails-on-faces": not_run("needs that code"),
        "worked-example": number_claim(
            sort_loss(*EXAMPLE), said["worked-example"], "the formula gives"
        ),
        "sortloss-range": share_claim(tables.sort_loss.between(0, 1), "in", " records"),
        "warm-start-faster": _warm_start(tables, terms, learners),
        "measures-alike": _alike(tables),
        Ours("Boosting lowers SortLoss everywhere"): _gains(ratio["sort_loss"], 1.0),
        Ours("No learner is harmed in K-L"): _gains(ratio["kl_divergence"], 1 + NO_HARM),
        Ours("The order of labels gets better, by Spearman"): _order(matching),
        Ours("Boosting is better than bagging, by K-L"): wins_claim(
            tables, against, ["kl_divergence"]
        ),
        Ours("Boosting is better than bagging, by Spearman"): wins_claim(
            tables, against, ["spearman"]
        ),
    }
    return claims_table(listed, evidence)


def _boosted(ratios, measure):
    mine = ratios[(ratios.measure == measure) & (ratios.kind == "boosted")]
    return mine.set_index("method").ratio


def _average(ours, theirs, said):
    """Whether one of three averages of what is left comes to the number in the text."""
    if ours.empty:
        return NOT_RUN
    three = {
        "mean": np.mean,
        "geometric mean": geometric_mean,
        "median": np.median,
    }
    text = ", ".join(
        f"{name} {average(ours):.1%} (of the printed cells {average(theirs):.1%})"
        for name, average in three.items()
    )
    found = [number_claim(average(ours), said, "")[0] for average in three.values()]
    return max(found), f"left over {len(ours)} cells: {text}"


def _uneven(ours, theirs):
    """How far learners differ in what is left of K-L, as a share of how far they do in print."""
    spans = []
    for ratios in (ours, theirs):
        left = _boosted(ratios, "kl_divergence").groupby(level=0).mean()
        spans.append((left.min(), left.max()))
    (low, high), (least, most) = spans
    if np.isnan(low) or np.isnan(least):
        return NOT_RUN
    text = f"means by learner from {low:.0%} to {high:.0%}; printed from {least:.0%} to {most:.0%}"
    return min(1.0, (high - low) / (most - least)), text


def _gains(ratio, most):
    """Share of cells of which boosting leaves less than ``most`` times the plain value."""
    if ratio.empty:
        return NOT_RUN
    more = f" cells; from {ratio.min():.1%} to {ratio.max():.1%}"
    return share_claim(ratio < most, f"less than {most:.0%} left in", more)


def _unchanged(tables, learners, measure):
    """Cells, of those that can be tested, in which the corrected test shows no change at 5%."""
    found = wins(tables, [(boosted(name), name) for name in learners], [measure])
    tested = found.cells - found.untested
    if not tested:
        return NOT_RUN
    same = tested - found.shown.plain - found.worse.plain
    return same / tested, (
        f"no change shown in {same} of {tested} cells; lower in {found.shown}, higher in "
        f"{found.worse}"
    )


def _warm_start(tables, terms, learners):
    """Sets and learners on which boosting takes fewer seconds than without the warm start."""
    both = (tables, terms)
    seconds = [r.groupby(["dataset", "method"]).fit_seconds.median().unstack() for r in both]
    ratio = [
        one
        for name in learners
        if f"{name}, no warm start" in seconds[1]
        for one in (seconds[0][boosted(name)] / seconds[1][f"{name}, no warm start"]).dropna()
    ]
    if not ratio:
        return NOT_RUN
    text = f"seconds with / without: {min(ratio):.2f} to {max(ratio):.2f}, median"
    return share_claim(
        [one < 1 for one in ratio],
        f"{text} {np.median(ratio):.2f} (runs at different times); below 1 in",
        " (sets x learners)",
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


def _order(matching):
    if matching.empty:
        return NOT_RUN
    p, up = matching.spearman_p, matching.spearman > 0
    more = (
        f" cells, shown in {held(p, up, LEVEL)}; lower shown in {held(p, ~up, LEVEL)}; at equal "
        f"flatness {matching.by_order.mean():.1%} of SortLoss is left"
    )
    return share_claim(up, "higher in", more)
