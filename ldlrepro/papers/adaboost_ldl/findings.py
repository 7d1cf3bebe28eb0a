"""What was found on the headline claims of the Adaboost-LDL paper, in words."""

from ldlrepro import published
from ldlrepro.datasets import registry
from ldlrepro.papers.adaboost_ldl import tables
from ldlrepro.papers.adaboost_ldl.claims import MUCH, POOR, pairs, times_with_warm_start
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.report.claims import NEAR, printed_numbers
from ldlrepro.report.compare import wins
from ldlrepro.report.values import Share, in_text


def findings(chapter):
    """A short paragraph for each headline claim: {id of the claim: text}."""
    return {
        "improves-all": _sort_loss(chapter),
        "sortloss-41": _average(chapter),
        "kl-68": _kl(chapter),
        "poor-learners-gain": _poor_learners(chapter),
        "warm-start-faster": _warm_start(chapter),
    }


def _sort_loss(chapter):
    found = wins(chapter.counted, pairs(), ["sort_loss"])
    by_order = chapter.matched.by_order.mean()
    verb = "do as well" if by_order >= 1 - NEAR else "do less well"
    return (
        f"We compare {len(LEARNERS)} learners on {found.cells // len(LEARNERS)} data sets. "
        f"SortLoss falls significantly in {found.shown.plain} of {found.cells} comparisons"
        f"{_others(chapter)}. "
        "But boosting also flattens predictions, and SortLoss rewards that: the uniform prediction "
        f"scores a perfect 0. Plain predictions made as flat {verb}: boosted SortLoss is "
        f"{by_order:.0%} of theirs on average, without a test. {_exception(chapter)}"
    )


def _others(chapter):
    """Where boosting does not lower SortLoss significantly for every learner."""
    names = []
    for dataset, records in chapter.counted.groupby("dataset", sort=False, observed=True):
        found = wins(records, pairs(), ["sort_loss"])
        if found.shown.plain < found.cells:
            names.append(registry.with_display_names(dataset))
    if not names:
        return ""
    where = in_text(names) if len(names) < 3 else f"{len(names)} data sets"
    return f", and the others are on {where}"


def _exception(chapter):
    """The learner, and the kind of data, for which boosting does most beyond flattening."""
    kinds = {k: some for k, some in tables.by_kind(chapter.matched).items() if len(some)}
    means = {kind: some.groupby("learner").by_order.mean() for kind, some in kinds.items()}
    kind = min(means, key=lambda kind: means[kind].min())
    learner = means[kind].idxmin()
    return f"The share is lowest for {learner} on the sets of {kind}, {means[kind].min():.0%}."


def _average(chapter):
    return f"{_on_average(chapter, 'sort_loss')} {_beside_print(chapter)}"


def _on_average(chapter, measure):
    """What is left, and which averages of all printed ratios come near the number in the text."""
    ours, _, printed = (tables.three_averages(s, measure) for s in tables.sides(chapter))
    said = printed_numbers(published.claims("adaboost_ldl"))
    said = said[dict(zip(tables.AVERAGED, tables.CLAIMED, strict=True))[measure]]
    every = tables.three_averages(tables.ratios_to_plain(chapter.printed), measure)
    near = [f"{k} of {v:.0%}" for k, v in every.items() if abs(v - said) <= NEAR * said]
    come = "comes" if len(near) == 1 else "come"
    found = f"only their {in_text(near)} {come} near the text" if near else "no average comes near"
    far = _where_it_harms(chapter, measure)
    return (
        f"Here {ours['mean']:.0%} is left on average, and {printed['mean']:.0%} in print. "
        f"With Natural Scene, as in the paper, the printed tables average {every['mean']:.0%}. "
        f"So counted, {found}.{far}"
    )


def _where_it_harms(chapter, measure):
    """The learner to which boosting more than doubles the loss on sets that only print counts."""
    printed = chapter.printed[chapter.printed.dataset.isin(chapter.excluded_datasets)]
    left = tables.left_by_boosting(tables.ratios_to_plain(printed), measure)
    if not (left > 2).any():
        return ""
    return f" On Natural Scene, printed boosting leaves {left.idxmax()} {left.max():.0%}."


def _beside_print(chapter):
    """The learners to which boosting leaves more SortLoss than printed, and the others."""
    left = tables.left_by_learner(chapter, "sort_loss").drop(tables.EVERY)
    extra = left.ours - left.published
    more, found = extra > NEAR, []
    if more.any():
        found.append(f"Boosting leaves clearly more than printed for {in_text(left.index[more])}")
    if not more.all():
        over = 100 * extra[~more].max()
        rest = f"at most {over:.1f} points more" if over > 0 else "no more"
        found.append(f"for the others {rest}" if found else f"Boosting leaves {rest} than printed")
    return f"{', and '.join(found)}."


def _kl(chapter):
    printed = tables.ratios_to_plain(chapter.printed)
    rest = tables.left_by_boosting(printed[~printed.method.isin(POOR)], "kl_divergence")
    return (
        f"{_on_average(chapter, 'kl_divergence')} Nearly all of the printed fall comes from "
        f"{' and '.join(POOR)}: the other five learners keep {rest.mean():.0%} in print."
    )


def _poor_learners(chapter):
    ours, public, _ = tables.sides(chapter)
    left = tables.left_by_boosting(ours[ours.method.isin(POOR)], "kl_divergence") < MUCH
    theirs = tables.left_by_boosting(public[public.method.isin(POOR)], "kl_divergence") < MUCH
    first, second = (f"{Share.of(left[name])}" for name in POOR)
    yeast = ours.dataset[ours.method.isin(POOR)].str.startswith("Yeast").all()
    sets = "Yeast sets" if yeast else "data sets"
    return (
        f"K-L falls by more than a tenth on {first} {sets} for {POOR[0]}, and on {second} for "
        f"{POOR[1]}. Our plain SA-IIS is far better than the printed "
        "one, and has little to gain. With the settings of public code, K-L falls that much in "
        f"{Share.of(theirs)} comparisons."
    )


def _warm_start(chapter):
    ratio = times_with_warm_start(chapter.study("warm_start")["seconds"])
    saved = (ratio < 1 - NEAR).sum()
    learners = in_text(ratio.index.unique("learner"))
    able = sum("init" in learner.get_params() for learner in LEARNERS.values())
    return (
        f"We timed {learners}; {able} of the {len(LEARNERS)} learners can start warm. The median "
        f"time with the warm start is {ratio.median():.0%} of that without. It saves more than "
        f"{NEAR:.0%} in {saved} of {len(ratio)} comparisons."
    )
