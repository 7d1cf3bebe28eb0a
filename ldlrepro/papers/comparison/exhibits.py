"""What the notebook on all methods shows, by name."""

from functools import cached_property
from itertools import combinations

from ldlrepro import parameters, protocols
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison import across, choice, matrix, persons
from ldlrepro.papers.comparison.experiments import (
    MULTILABEL,
    OTHER_FOLDS,
    PAPER,
    TABLES,
    WINNERS,
)
from ldlrepro.report.causes import states_of
from ldlrepro.report.chapter import Exhibits, show_given
from ldlrepro.report.compare import critical_difference, family, none_differ, tally
from ldlrepro.report.plots import style
from ldlrepro.report.provenance import show_provenance
from ldlrepro.report.tables import show
from ldlrepro.report.values import Share

KL, NULL = "kl_divergence", matrix.NULLS["ldl"]
RANKING, FREQUENCIES = "ranking_loss", matrix.NULLS["multilabel"]
#: How many methods stand in the picture of ranks, and how many are compared pair by pair.
LEADERS, PAIRS = 10, 6
_ENSEMBLES = [m.name for m in TABLES.methods if m.name.endswith((", boosted", ", bagged"))]
_OWN = ("StructRF", "StructRF*", "sLDLF", "MSLP")
_BASELINES = (NULL, "UniformPredictor")
_OTHERS = [m.name for m in TABLES.methods if m.name not in (*_ENSEMBLES, *_OWN, *_BASELINES)]
#: Rows of the matrix, by head.
GROUPS = {
    "The papers' own": _OWN,
    "Other methods": _OTHERS,
    "Adaboost-LDL's ensembles": _ENSEMBLES,
    "Baselines": _BASELINES,
}


class AllMethods(Exhibits):
    """Every method of the papers on every data set at hand.

    Parameters
    ----------
    profile, datasets, n_jobs, recompute, seed : parameters of the notebook

    Attributes
    ----------
    tables : records of the pairs of a method and a data set of which every fold was run
    names : dict, data set -> name in tables
    wanted : as ``datasets``

    See Also
    --------
    open_comparison : Opens it as its notebook does.
    """

    title = "The comparison"

    def __init__(self, profile="paper", datasets=None, n_jobs=1, recompute=False, seed=None):
        self.profile, self.wanted = profile, datasets
        self.is_partial = bool(datasets or seed)
        self._options = profile, datasets, n_jobs, recompute, seed
        self.tables, self.names = self.records_of("tables")

    def records_of(self, experiment):
        """Records of an experiment, and names of its data sets."""
        return matrix.open_matrix(PAPER, experiment, *self._options)

    @cached_property
    def in_time(self):
        """Records of the data sets on which every method ends in time."""
        return matrix.in_time(self.tables, TABLES)

    @cached_property
    def ranked(self):
        """Records in which the baseline stands in for a method that is over the time limit."""
        return matrix.filled(self.tables, TABLES, NULL)

    @cached_property
    def front(self):
        """`choice.front`; gains as in `ranked`, seconds of the sets on which all end in time."""
        records = self.ranked if len(self.in_time) else self.in_time
        return choice.front(records, NULL, KL, self.in_time)

    @cached_property
    def leaders(self):
        """The methods with the best average ranks."""
        return matrix.leaders(self.ranked, KL, LEADERS)

    @cached_property
    def partitions(self):
        """Records by division of the rows into folds."""
        others = [self.records_of(experiment.name)[0] for experiment in OTHER_FOLDS]
        return {f"folds {i}": r for i, r in enumerate([self.in_time, *others], 1)}

    @cached_property
    def small_grids(self):
        """Records of choice from small grids."""
        return self.records_of("small_grids")[0]

    @cached_property
    def multilabel(self):
        """Records of the multi-label methods, and names of their data sets."""
        return matrix.open_multilabel(PAPER, *self._options)

    @cached_property
    def advice(self):
        """`choice.advice` on label distributions."""
        return choice.advice(self.tables, NULL, KL, self.names)


def open_comparison(*, profile="paper", datasets=None, n_jobs=1, recompute=False, seed=None):
    """Open the comparison as its notebook does.

    Parameters
    ----------
    profile, datasets, n_jobs, recompute, seed : as for `ldlrepro.papers.open_chapter`

    See Also
    --------
    ldlrepro.papers.comparison.matrix.open_matrix : What it runs by itself.
    """
    style()
    show_given(profile=profile, datasets=datasets, seed=seed, recompute=recompute)
    parameters.seed(seed)
    return AllMethods(profile, datasets, n_jobs, recompute, seed)


def answer(here):
    """What came out, in one sentence."""
    firsts, groups = here.advice.best.nunique(), len(here.advice)
    lead = here.leaders[0]
    if firsts == 1:
        return f"**{lead} is the best method on all {groups} kinds of data.**"
    forms = here.advice.best.drop_duplicates().map(lambda best: best.rstrip("*"))
    twice = [f"{(forms == m).sum()} of them forms of {m}" for m in forms[forms.duplicated()]]
    return (
        f"**{lead} has the best average rank, but no method is best everywhere. On {groups} kinds "
        f"of data {firsts} methods come first{''.join(f', {two}' for two in twice)}.**"
    )


def picture(here):
    """The matrix."""
    table = matrix.skill(here.tables, NULL, KL)
    title = (
        "Share of the mean predictor's K-L that a method removes: 1 is perfect, 0 learns nothing"
    )
    return matrix.skill_picture(table, here.names, title=title, groups=GROUPS)


def leaders_in_words(here):
    """Who has the best average ranks, with which gain, and whether leaders differ."""
    average, gain = matrix.ranks(here.ranked, KL), here.front.skill
    first, second = here.leaders[:2]
    level = none_differ(here.ranked, here.leaders, KL)
    return (
        f"{first} and {second} have the best average ranks, {average[first]:.1f} and "
        f"{average[second]:.1f} among {len(average)} methods. On average {first} removes "
        f"{gain[first]:.0%} of the mean predictor's K-L, and {second} {gain[second]:.0%}. "
        f"By Nemenyi's test {'no' if level else 'some'} two of the {len(here.leaders)} methods "
        "with the best ranks differ significantly."
    )


def persons_in_words(here):
    """What the faces of one person in both parts of FG-Net change."""
    said = [
        persons.in_words(NULL),
        persons.not_apart(here.tables, NULL),
        persons.without(here.ranked, here.in_time, NULL),
    ]
    return " ".join(one for one in said if one)


def own_in_words(here):
    """How often the papers' own methods are among the ten best."""
    best = matrix.places(here.tables, KL).stack().dropna() <= 10
    boosted = [m.name for m in TABLES.methods if m.settings.get("form") == "boosted"]
    forest, soft, embedding = (Share.of(best[m]) for m in ("StructRF", "sLDLF", "MSLP"))
    return (
        f"Of the papers' own methods, sLDLF is among the ten best on {soft} kinds of data. "
        f"StructRF is so on {forest}, and MSLP on {embedding}. Boosted ensembles are among the ten "
        f"best in {Share.of(best[boosted])} cases."
    )


def other_folds_in_words(here):
    """How often the order of two methods stays under other folds."""
    return matrix.steady(here.partitions, WINNERS, NULL, KL)


def worth(here, without=()):
    """`matrix.worth_of_grids` of the embeddings, without the data sets of some families."""
    small = here.small_grids[~here.small_grids.dataset.map(family).isin(without)]
    return matrix.worth_of_grids(here.tables, small, NULL, KL)


def grids_in_words(here):
    """How often a large grid is better."""
    found, elsewhere = worth(here), worth(here, without=["Yeast"])
    worse = sum(held.plain for held in found["significantly worse"])
    every, others = found["significantly better"], elsewhere["significantly better"]
    better, far = sum(held.plain for held in every), sum(held.plain for held in others)
    sets, apart = found["data sets"].sum(), elsewhere["data sets"].sum()
    holm = sum(held.holm for held in others)
    rise = found["gain, large grid"] - found["gain, small grid"]
    higher = rise[rise > 0]
    return (
        f"On Yeast it is not: the large grid is significantly better in "
        f"{Share(better - far, sets - apart)} comparisons. On the other data it is "
        f"so in {Share(far, apart)}, and in {holm or 'none'} with Holm's correction. On "
        f"all data it is significantly worse in {worse}, by single tests. The mean gain rises for "
        f"{Share(len(higher), len(rise))} methods, by {higher.min():.2f} to {higher.max():.2f}."
    )


def time_in_words(here):
    """What the best method removes, and the fastest one with three quarters of that."""
    found = here.front
    best = found.loc[found.skill.idxmax()]
    quick = found[found.skill >= 0.75 * best.skill].iloc[0]
    return (
        f"A little. {quick.name} removes {quick.skill:.0%} of the mean predictor's K-L, and a fit "
        f"takes {quick.seconds:.2g} seconds. {best.name} removes {best.skill:.0%}, and a fit takes "
        f"{best.seconds:.2g} seconds."
    )


def across_in_words(_):
    """How far papers are apart that print the same thing."""
    ratio = across.spread(across.printed_by_several())[KL].dropna()
    return (
        f"Often not the same number. For {len(ratio)} pairs of a method and a data set, several "
        f"papers print the K-L. In {(ratio > 1.1).sum()} of them the largest number exceeds the "
        f"smallest by more than a tenth, and in {(ratio > 2).sum()} it is more than twice as large."
    )


def labels_in_words(here):
    """Who leads among multi-label methods."""
    average = matrix.ranks_by_measure(here.multilabel[0], MULTILABEL.measures)
    return (
        f"{average.index[0]} has the best average rank over {average.shape[1]} measures, and "
        f"{average.index[1]} the next best."
    )


def labels_picture(here):
    """The matrix of the multi-label methods."""
    records, names = here.multilabel
    title = "Share of the label frequencies' ranking loss that a method removes"
    return matrix.skill_picture(matrix.skill(records, FREQUENCIES, RANKING), names, title=title)


def show_skill(here):
    """The matrix in numbers by every measure, the sets of Yeast in tables of their own."""
    for measure in (KL, *(m for m in TABLES.measures if m != KL)):
        table = matrix.skill(here.tables, NULL, measure)
        yeast = [d for d in table if d.startswith("Yeast")]
        for some, which in ((yeast, "Yeast"), (table.columns.drop(yeast), "other data")):
            if len(some):
                caption = f"Gain by {MEASURES[measure].label}, {which}"
                frame = table[list(some)].rename(columns=here.names).rename_axis("method")
                yield show(frame, caption, form="{:.3f}", folded=True)


def show_left_out(here):
    """What was not run, and why."""
    yield matrix.coverage(here.tables, TABLES)
    folds = protocols.study(PAPER, "time_limit", here.profile, here._options[3])["first_folds"]
    yield matrix.left_out(folds)
    every = here.names if here.wanted else {d: d for d in TABLES.datasets} | here.names
    yield show(matrix.holes(here.tables, TABLES, every), "Pairs without a record", False)
    yield show(matrix.grid_sizes(TABLES), "Points of the grids; 1: no choice", False)


def show_ranks(here):
    """Average ranks of all methods."""
    found = matrix.ranks_and_limits(here.tables, TABLES, NULL, KL, here.names)
    return show(found.reset_index(), "Average ranks by K-L", False, form="{:.2f}")


def show_pairs(here):
    """The leaders, pair by pair: two tests."""
    some = here.leaders[:PAIRS]
    found = matrix.practical(here.tables, some, NULL, KL)
    caption = f"Data sets on which the posterior of one of the three is above {matrix.SURE:.0%}"
    yield show(found, caption, False)
    fought = tally(here.tables, combinations(some, 2), [KL])
    caption = "Data sets on which one of two is better by K-L, and significantly so"
    heads = {h: h.replace(" better, significant", ", p < 5%") for h in fought}
    heads |= {h: h.replace(" better, Holm", ", Holm") for h in fought if "Holm" in h}
    heads |= {"comparisons": "sets", "cannot be tested": "not tested"}
    yield show(fought.rename(columns=heads), caption, False)


def show_own(here):
    """Places of the papers' own methods."""
    placed = matrix.standing(here.tables, WINNERS, KL).rename(columns=here.names)
    return show(placed, "Place by K-L, means over related data sets", folded=True)


def show_other_folds(here):
    """Gain and rank under each division into folds."""
    found = matrix.by_partition(here.partitions, WINNERS, NULL, KL)
    ranks = [c for c in found if c.startswith("rank, ")]
    form = {c: "{:.1f}" if c in ranks else "{:.3f}" for c in found}
    return show(found, "Gain by K-L under three divisions into folds", form=form, folded=False)


def show_grids(here):
    """Large grids beside small ones."""
    return show(worth(here), "Chosen from large and small grids, by K-L", False, form="{:.3f}")


def show_time(here):
    """Seconds and gain of every method."""
    found = here.front.rename(columns={"skill": "gain"})
    found = found.assign(front=found.front.map({True: "yes", False: ""})).rename_axis("method")
    form = {"seconds": "{:.2g}", "gain": "{:.3f}"}
    return show(found, "Seconds of a fit and gain", form=form)


def show_advice(here):
    """What is as good as the best method of each kind of data, and what is not worse."""
    records, names = here.multilabel
    found = choice.advice(records, FREQUENCIES, RANKING, names)
    for frame, what in ((here.advice, "label distributions"), (found, "sets of labels")):
        table = frame[["data", "best", "gain", "as good", "further off, not significantly worse"]]
        yield show(table, f"The best method and its equals, {what}", False, "{:.3f}", folded=True)


def show_across(_):
    """What several papers print, K-L first."""
    found = across.printed_by_several()
    for measure in sorted(set(found.measure), key=[KL, *MEASURES].index):
        caption = f"{MEASURES[measure].label} as printed by several papers, and ours"
        beside = across.side_by_side(found, measure, across.names())
        yield show(beside, caption, False, folded=True)


def show_widest(here):
    """Where papers are furthest apart, and what became of each printed row.

    All of it is of stored records of the papers, so the quick profile leaves it out.
    """
    if here.profile == "quick":
        return
    states = {name: states_of(chapter()) for name, chapter in across.chapters().items()}
    caption = "Where the papers are furthest apart by K-L"
    yield show(across.widest(across.printed_by_several(), KL, states), caption, False, folded=True)


def show_labels(here):
    """The multi-label methods in numbers."""
    records, names = here.multilabel
    table = matrix.skill(records, FREQUENCIES, RANKING)
    table = table.rename(columns=names).rename_axis("method")
    yield show(table, "Gain by ranking loss", form="{:.3f}", folded=True)
    ranked = matrix.ranks_by_measure(records, MULTILABEL.measures)
    yield show(ranked, "Average ranks over the data sets", form="{:.1f}", folded=True)


def show_origin(here):
    """Machines, versions and seconds of all records."""
    return show_provenance({"multilabel": here.multilabel[0], **here.partitions})


def _said(text):
    return lambda here: here.in_words(lambda: text(here))


AllMethods.exhibits = {
    "answer": _said(answer),
    "matrix": picture,
    "leaders": _said(leaders_in_words),
    "persons": _said(persons_in_words),
    "ranks, drawn": lambda here: critical_difference(
        here.ranked, here.leaders, KL, f"{len(here.leaders)} methods, K-L"
    ),
    "own, in words": _said(own_in_words),
    "own": show_own,
    "other folds, in words": _said(other_folds_in_words),
    "other folds": show_other_folds,
    "grids, in words": _said(grids_in_words),
    "grids": show_grids,
    "time, in words": _said(time_in_words),
    "time, drawn": lambda here: choice.show_front(here.front, KL, ("StructRF", "MSLP")),
    "time": show_time,
    "several papers, in words": _said(across_in_words),
    "several papers": show_across,
    "furthest apart": show_widest,
    "labels, in words": _said(labels_in_words),
    "labels, drawn": labels_picture,
    "labels": show_labels,
    "skill": show_skill,
    "ranks": show_ranks,
    "pairs": show_pairs,
    "advice": show_advice,
    "left out": show_left_out,
    "provenance": show_origin,
}
