"""The claims of the Adaboost-LDL paper, each with its verdict and evidence."""

from ldlrepro.protocols import stats
from ldlrepro.report.adaboost_ldl.tables import against_bagging, boosted, geometric_mean
from ldlrepro.report.claims import NOT_RUN, Ours, claims_table, wins_claim
from ldlrepro.report.compare import LEVEL

#: A boosted mean up to this share worse than the plain one counts as no harm.
NO_HARM = 0.01


def claims(ours, theirs, tables, matching, learners):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    ours, theirs : results of `ratios_to_plain` for SortLoss, K-L and Intersection
    tables : records that count; matching : result of `matched`
    """
    evidence = {
        "SortLoss falls on average (section 3.4: to 41.2%)": _falls(ours, theirs, "sort_loss"),
        "K-L falls on average (section 3.4: to 68.5%)": _falls(ours, theirs, "kl_divergence"),
        "K-L of BFGS-LDL, CPNN and LC-LDL does not change significantly (section 3.4)": (
            _unchanged(tables, ("BFGS-LDL", "CPNN", "LC-LDL"), "kl_divergence")
        ),
        "K-L of PT-Bayes and SA-IIS gets much better (section 3.4)": _gains(
            ours[ours.method.isin(["PT-Bayes", "SA-IIS"])], "kl_divergence", 0.9
        ),
        Ours("Boosting lowers SortLoss everywhere"): _gains(ours, "sort_loss", 1.0),
        Ours("No learner is harmed in K-L"): _gains(ours, "kl_divergence", 1 + NO_HARM),
        Ours("The order of labels gets better, by Spearman"): _order(matching),
        Ours("Boosting is better than bagging, by K-L"): wins_claim(
            tables, against_bagging(learners), ["kl_divergence"]
        ),
        Ours("Boosting is better than bagging, by Spearman"): wins_claim(
            tables, against_bagging(learners), ["spearman"]
        ),
    }
    return claims_table(evidence)


def _falls(ours, theirs, measure):
    mine = ours[(ours.measure == measure) & (ours.kind == "boosted")].ratio
    printed = theirs[(theirs.measure == measure) & (theirs.kind == "boosted")].ratio
    if mine.empty:
        return NOT_RUN
    text = (
        f"to {mine.mean():.1%} on average over {len(mine)} cells (geometric mean "
        f"{geometric_mean(mine):.1%}, median {mine.median():.1%}); the printed cells give "
        f"{printed.mean():.1%} ({geometric_mean(printed):.1%}, {printed.median():.1%})"
    )
    return (mine < 1).mean(), f"lower in {(mine < 1).sum()} of {len(mine)} cells; {text}"


def _gains(ours, measure, most):
    """Share of cells of which boosting leaves less than ``most`` times the plain value."""
    mine = ours[(ours.measure == measure) & (ours.kind == "boosted")].ratio
    if mine.empty:
        return NOT_RUN
    fine = (mine < most).sum()
    return fine / len(mine), (
        f"less than {most:.0%} left in {fine} of {len(mine)} cells; "
        f"from {mine.min():.1%} to {mine.max():.1%}"
    )


def _unchanged(tables, learners, measure):
    """Cells in which the corrected test shows no change at 5%."""
    same = total = up = 0
    for _, mine in tables.groupby("dataset"):
        wide = mine.pivot(index="fold", columns="method", values=measure)
        for name in (n for n in learners if boosted(n) in wide):
            a, b = wide[boosted(name)], wide[name]
            shown = stats.corrected_t(a, b, mine.n_train.mean(), mine.n_test.mean()) < LEVEL
            total += 1
            same += not shown
            up += shown and a.mean() > b.mean()
    text = f"no change shown in {same} of {total} cells; higher shown in {up}, lower in "
    return (same / total if total else float("nan")), text + str(total - same - up)


def _order(matching):
    if matching.empty:
        return NOT_RUN
    better = (matching.spearman > 0).sum()
    shown = (matching.spearman_p < LEVEL) & (matching.spearman > 0)
    worse = (matching.spearman_p < LEVEL) & (matching.spearman < 0)
    text = (
        f"higher in {better} of {len(matching)} cells, shown in {shown.sum()}; lower shown in "
        f"{worse.sum()}; at equal flatness {matching.by_order.mean():.1%} of SortLoss is left"
    )
    return better / len(matching), text
