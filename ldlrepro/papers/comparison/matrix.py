"""Every method on every data set: skill, ranks, tests, time. The chapter's and the user's alike."""

from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.model_selection import ParameterGrid

from ldlrepro import datasets as data
from ldlrepro import parameters, protocols, stats
from ldlrepro.declare import reseeded
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.mldf.tables import own_measures
from ldlrepro.report import chapter, provenance
from ldlrepro.report.compare import count_significant, duels, family, wins
from ldlrepro.report.plots import heat_map, in_short, nothing, plain
from ldlrepro.report.values import Share, Spread

#: Baseline at skill 0, by task.
NULLS = {"ldl": "MeanPredictor", "multilabel": "Label frequencies"}
#: Skill below this is drawn as this: some methods lose many times the mean predictor's loss.
LEAST = -0.5
#: Region of practical equivalence: a hundredth of the baseline's loss. Probability above
#: which a comparison is decided.
REGION, SURE = 0.01, 0.95
#: A loss of the baseline below this is rounding: there is nothing to remove a share of.
NO_LOSS = 1e-12
#: The last column of `against`.
REMOVED = "rival's loss removed"


def open_matrix(
    paper, experiment, profile="paper", datasets=None, n_jobs=1, recompute=False, seed=None
):
    """Records of an experiment, with those that it borrows.

    Unlike a chapter it runs nothing by itself but the quick profile and other seeds: the whole
    takes half a day. `ldlrepro run comparison` does, or ``recompute``.

    Parameters
    ----------
    paper : Paper; experiment : name
    profile, datasets, n_jobs, recompute, seed : parameters of the notebook

    Returns
    -------
    records of the pairs of which every fold was run, names (dict, data set -> name in tables)
    """
    paper = reseeded(paper, parameters.seed(seed))
    declared = paper.experiment(experiment)
    wanted = chapter.chosen(paper, datasets, profile)
    if wanted is not None:
        there = protocols.state.datasets_of(paper, declared, profile)
        wanted = [d for d in wanted if d in there]
    if profile == "quick" or recompute or paper.seed:
        n_jobs = parameters.processes(n_jobs)
        options = {"profile": profile, "n_jobs": n_jobs, "recompute": recompute}
        protocols.run(paper, wanted, experiments=[experiment], progress=False, **options)
    records = protocols.read(paper, declared, profile, wanted)
    folds = len(protocols.state.folds_of(declared, profile))
    run = records.groupby(["method", "dataset"]).fold.transform("nunique")
    records = records[run == folds].reset_index(drop=True)
    there = [d for d in declared.datasets if d in set(records.dataset)]
    return records, provenance.display_names(records, there, data.list().drop_duplicates("name"))


def open_multilabel(paper, *options):
    """`open_matrix` of the multi-label methods, each measure of MLDF from what was grown for it."""
    records, names = open_matrix(paper, "multilabel", *options)
    return own_measures(records), names


def over_limit(records, experiment):
    """(method, data set) pairs of data sets shown that an experiment leaves out."""
    shown = set(records.dataset)
    return [(method, dataset) for method, dataset, _ in experiment.without if dataset in shown]


def filled(records, experiment, null):
    """Records in which a pair that is left out has those of the baseline, without times.

    Who gets no prediction within the time limit knows what the baseline knows. For ranks:
    else one data set would take a method from all of them.
    """
    of_null = records[records.method == null].assign(fit_seconds=np.nan, predict_seconds=np.nan)
    pairs = over_limit(records, experiment)
    stand_ins = [of_null[of_null.dataset == d].assign(method=m) for m, d in pairs]
    return pd.concat([records, *stand_ins], ignore_index=True)


def in_time(records, experiment):
    """Records of the data sets from which the time limit takes no method."""
    slow = {dataset for _, dataset in over_limit(records, experiment)}
    return records[~records.dataset.isin(slow)].reset_index(drop=True)


def means(records, measure):
    """Means over the folds: a row a method, a column a data set, in the order of the records."""
    return records.pivot_table(index="method", columns="dataset", values=measure, sort=False)


def spreads(records, measure):
    """Means and standard deviations over the folds, as `means`."""
    grouped = records.groupby(["method", "dataset"], sort=False)[measure].agg(["mean", "std"])
    cells = [Spread(*row) for row in grouped.itertuples(index=False)]
    return pd.Series(cells, index=grouped.index).unstack()


def skill(records, null, measure):
    """Share of the baseline's loss that is removed: 1 is perfect, 0 learns nothing.

    The loss of a similarity is its distance from 1.

    Returns
    -------
    DataFrame, a row a method, a column a data set on which the baseline has a loss; methods
    that have every data set first, by falling mean over the groups of related data sets
    """
    loss = means(records, measure)
    if null not in loss.index:
        return loss.iloc[:0, :0]
    if MEASURES[measure].greater_is_better:
        loss = 1 - loss
    table = (1 - loss / loss.loc[null]).loc[:, loss.loc[null] > NO_LOSS]
    order = pd.DataFrame(
        {"holes": table.isna().sum(axis=1), "mean": by_families(table).mean(axis=1)}
    )
    return table.loc[order.sort_values(["holes", "mean"], ascending=[True, False]).index]


def ranks(records, measure):
    """Average rank of each method over groups of related data sets, 1 the best.

    Only methods that have every data set are ranked; a group counts once.

    Returns
    -------
    Series, the best first
    """
    table = means(records, measure).dropna()
    ranked = stats.ranks(table.to_numpy().T, MEASURES[measure].greater_is_better).T
    by_family = by_families(pd.DataFrame(ranked, index=table.index, columns=table.columns))
    return by_family.mean(axis=1).sort_values()


def ranks_and_limits(records, experiment, null, measure, names):
    """`ranks` of `filled` records, and beside them what the time limit has to do with them.

    Parameters
    ----------
    names : dict, data set -> name

    Returns
    -------
    DataFrame, a row a method, the best first: average rank, the rank over the data sets of
    `in_time`, the data sets on which the method is over the limit
    """
    over = pd.DataFrame(over_limit(records, experiment), columns=["method", "dataset"])
    over["dataset"] = over.dataset.map(names)
    table = pd.DataFrame(
        {
            "average rank": ranks(filled(records, experiment, null), measure),
            "where all end in time": ranks(in_time(records, experiment), measure),
            "over the limit on": over.groupby("method").dataset.agg(", ".join),
        }
    )
    table = table[table["average rank"].notna()].sort_values("average rank", kind="stable")
    return table.fillna({"over the limit on": ""}).rename_axis("method")


def ranks_by_measure(records, measures):
    """`ranks` by each of some measures: a row a method, the best on average first."""
    table = pd.DataFrame({MEASURES[m].label: ranks(records, m) for m in measures})
    return table.loc[table.mean(axis=1).sort_values().index].rename_axis("method")


def leaders(records, measure, number):
    """Names of the methods with the best average ranks."""
    return list(ranks(records, measure).index[:number])


def against(records, mine, measure):
    """One method against each of the others on the data sets that both have.

    The corrected test; Holm and BH look at all tests of the table together.

    Returns
    -------
    DataFrame, a row a rival, the hardest first: better (`Share` of the data sets), on how many it
    is significantly better and significantly worse (`Held`), rival's loss removed (its share, by
    the geometric mean)
    """
    table = means(records, measure)
    loss = 1 - table if MEASURES[measure].greater_is_better else table
    fought = duels(records, mine, list(table.index.drop(mine)), [measure])
    tested = fought[fought.testable.astype(bool)]
    rows = []
    for rival, cells in fought.groupby("rival", sort=False):
        ahead = [
            count_significant(
                tested.p_corrected, (tested.rival == rival) & (sign * tested.gain > 0)
            )
            for sign in (1, -1)
        ]
        gain = 1 - np.exp(np.log(loss.loc[mine] / loss.loc[rival]).mean())
        rows.append((rival, Share(int((cells.gain > 0).sum()), len(cells)), *ahead, gain))
    columns = ["against", "better on", "significantly better", "significantly worse", REMOVED]
    return pd.DataFrame(rows, columns=columns).sort_values(REMOVED, ignore_index=True)


def grid_sizes(experiment):
    """How many points the grids of an experiment have: points, methods."""
    sizes = {m.name: len(ParameterGrid(m.grid)) for m in experiment.methods}
    frame = pd.DataFrame({"method": list(sizes), "points": list(sizes.values())})
    methods = frame.groupby("points").method.agg("; ".join)
    return methods.rename("methods").reset_index()


def worth_of_grids(large, small, null, measure):
    """What a large grid is worth to a method, on the data sets that were run with both.

    Parameters
    ----------
    large, small : records of the same methods and folds, with choice from grids of two sizes

    Returns
    -------
    DataFrame, a row a method of ``small``: data sets, skill with the large and the small grid
    (means over groups of related data sets), on how many the large one is better (`Share`),
    significantly better and significantly worse (corrected test; `Held`)
    """
    rows = []
    for method in small.method.unique():
        mine = small[small.method == method]
        both = large[large.dataset.isin(mine.dataset)]
        other = f"{method}, few points"
        both = pd.concat([both, mine.assign(method=other)], ignore_index=True)
        table = skill(both, null, measure).loc[[method, other]].dropna(axis=1)
        skills = by_families(table).mean(axis=1)
        found = wins(both, [(method, other)], [measure])
        share = Share(found.better, found.cells)
        rows.append((method, table.shape[1], *skills, share, found.shown, found.worse))
    heads = ["method", "data sets", "gain, large grid", "gain, small grid"]
    heads += ["large better", "significantly better", "significantly worse"]
    return pd.DataFrame(rows, columns=heads)


def complete(records):
    """Methods that were run on every data set, in the order of the records."""
    table = records.groupby(["method", "dataset"], sort=False).size().unstack()
    return list(table.index[table.notna().all(axis=1)])


def coverage(records, experiment):
    """Text on how much of an experiment is there, and of which methods ranks can speak."""
    sets = [d for d in experiment.datasets if d in set(records.dataset)]
    pairs = {(m.name, d) for d in experiment.datasets for m in experiment.methods_on(d)}
    run = pairs & set(zip(records.method, records.dataset, strict=True))
    over = over_limit(records, experiment)
    text = f"{len(run)} of {len(pairs) + len(over)} pairs of a method and a data set have records."
    if over:
        slow = [dataset for _, dataset in over]
        text += (
            f" {len(over)} are over the time limit, on {', '.join(dict.fromkeys(slow))}. In ranks "
            "and mean gains they count as the mean predictor. Seconds leave such a data set out."
        )
    if run < pairs:
        ranked = complete(filled(records, experiment, NULLS["ldl"]))
        text += (
            f" Ranks below are of the {len(ranked)} methods that have every other one of the "
            f"{len(sets)} data sets here. With more pairs others may lead."
        )
    return text


def holes(records, experiment, names):
    """Pairs that have no record: method, data sets, why.

    Parameters
    ----------
    experiment : Experiment, which says what is left out; names : dict, data set -> name
    """
    there = set(zip(records.method, records.dataset, strict=True))
    why = {(method, dataset): text for method, dataset, text in experiment.without}
    rows = [
        (method.name, why.get((method.name, dataset), "not run yet"), names[dataset])
        for method in experiment.methods
        for dataset in experiment.datasets
        if (method.name, dataset) not in there and dataset in names
    ]
    frame = pd.DataFrame(rows, columns=["method", "why", "data sets"])
    return frame.groupby(["method", "why"], sort=False)["data sets"].agg(", ".join).reset_index()


def left_out(first_folds):
    """Text on the pairs that the time limit leaves out, from the study of their first folds."""
    (limit,) = first_folds.limit.unique()
    ended = first_folds.seconds.isna()
    text = (
        f"A method has {limit} seconds of the processor for its first fold of a data set, choice "
        f"of parameters included. At that limit {ended.sum()} pairs were stopped."
    )
    for near in first_folds[~ended].itertuples():
        text += f" {near.method} on {near.dataset} ends after {near.seconds:.3g} seconds."
    return text


def practical(records, methods, null, measure):
    """Bayesian comparison of some methods, pair by pair (correlated t-test of each data set).

    What is compared are shares of the baseline's loss; differences within the region of
    practical equivalence count as none. A data set is decided where one of the three has a
    posterior probability above `SURE`.

    Returns
    -------
    DataFrame, a row a pair: first, second, numbers of data sets with the first better, with no
    practical difference, with the second better, and undecided
    """
    heads = ["first", "second", "first better", "no difference", "second better", "undecided"]
    if null not in set(records.method):
        return pd.DataFrame(columns=heads)
    by_fold = records.pivot_table(index=["dataset", "fold"], columns="method", values=measure)
    loss = 1 - by_fold if MEASURES[measure].greater_is_better else by_fold
    share = loss.div(loss[null].groupby("dataset").transform("mean"), axis=0)
    rows = []
    for first, second in combinations(methods, 2):
        found = [0, 0, 0, 0]
        for _, folds in share[[first, second]].dropna().groupby("dataset"):
            if len(folds) > 1:
                # Of losses the lower is better: the first is where the second's is higher.
                p = stats.correlated_posterior(folds[second] - folds[first], REGION)
                sure = [i for i in range(3) if p[i] > SURE]
                found[sure[0] if sure else 3] += 1
        rows.append((first, second, *found))
    return pd.DataFrame(rows, columns=heads)


def places(records, measure):
    """Place of each method on a data set, the mean over related ones.

    Returns
    -------
    DataFrame, a row a method, a column a group of related data sets
    """
    return by_families(
        means(records, measure).rank(ascending=not MEASURES[measure].greater_is_better)
    )


def standing(records, methods, measure):
    """`places` of some methods among all that were run there, as text.

    Returns
    -------
    DataFrame, a row a method, a column a group of related data sets: "3 of 42", or "3.4 of 42" for
    several data sets
    """
    place = places(records, measure)
    number = by_families(means(records, measure).notna().sum().to_frame("n").T)
    rows = {
        method: [
            ""
            if pd.isna(place.at[method, f])
            else f"{place.at[method, f]:g} of {number.at['n', f]:g}"
            for f in place
        ]
        for method in methods
        if method in place.index
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(place)).rename_axis("method")


def by_partition(partitions, methods, null, measure):
    """Skill of some methods under each of several partitions of the rows into folds.

    Of the data sets and methods that every partition has, means over groups of related sets.

    Parameters
    ----------
    partitions : dict, name -> records

    Returns
    -------
    DataFrame, a row a method, the best of the first partition first: its skill by partition, and
    its average rank among these methods, "rank, <name>"
    """
    tables = _of_partitions(partitions, methods, null, measure)
    if not tables:
        return pd.DataFrame(columns=[*partitions]).rename_axis("method")
    table = pd.DataFrame({name: by_families(t).mean(axis=1) for name, t in tables.items()})
    for name, skills in tables.items():
        ranked = by_families(skills.rank(ascending=False))
        table[f"rank, {name}"] = ranked.mean(axis=1)
    return table.sort_values(table.columns[0], ascending=False).rename_axis("method")


def steady(partitions, methods, null, measure):
    """Text on how often two methods come in the same order under every partition into folds.

    Of all comparisons of two methods on a data set, and of those within `REGION` in the first.
    """
    tables = [t.to_numpy() for t in _of_partitions(partitions, methods, null, measure).values()]
    count = len(tables[0]) if tables else 0
    if count < 2 or len(tables) < 2:
        return "No two methods were run on several partitions yet."
    first, second = np.triu_indices(count, 1)
    better = np.array([t[first] > t[second] for t in tables])
    same = (better == better[0]).all(axis=0)
    gap = np.abs(tables[0][first] - tables[0][second])
    close = gap <= REGION
    text = (
        f"Two methods keep their order under all {len(tables)} divisions in "
        f"{Share(same.sum(), same.size)} comparisons. Where their gains differ by at most "
        f"{REGION:g}, they keep it in {Share(same[close].sum(), close.sum())}."
    )
    if same.all():
        return text
    return (
        f"{text} The median difference in gain is {np.median(gap[~same]):.2g} where the order "
        f"turns, and {np.median(gap[same]):.2g} where it stays."
    )


def _of_partitions(partitions, methods, null, measure):
    """`skill` by partition that was run, rows and columns that all have: {name: DataFrame}."""
    run = {n: records for n, records in partitions.items() if null in set(records.method)}
    tables = {n: skill(records, null, measure) for n, records in run.items()}
    sets = [d for d in next(iter(tables.values()), ()) if all(d in t for t in tables.values())]
    there = [m for m in methods if all(m in t.index for t in tables.values())]
    there = [m for m in there if all(t.loc[m, sets].notna().all() for t in tables.values())]
    return {n: t.loc[there, sets] for n, t in tables.items()}


def skill_picture(table, names, mine=(), title="", groups=None):
    """`skill` as a heat map: green removes loss, purple adds some; rows of ``mine`` are marked.

    Parameters
    ----------
    names : dict, data set -> name
    groups : dict, head -> methods that stand together below it, in the order of the table; None
        for rows without heads
    """
    if table.empty:
        return nothing("No records.")
    if groups is not None:
        table = _grouped(table, groups)
    labels = [f"{'▶ ' * (m in mine)}{in_short(m, table.index)}" for m in table.index]
    colours = np.clip(table.to_numpy(float) / abs(LEAST), -1, 1)
    texts = table.map(lambda v: "" if pd.isna(v) else _short(v)).to_numpy()
    columns = [in_short(names.get(d, d)).replace(" (", "\n(") for d in table]
    return heat_map(colours, texts, labels, columns, plain(title), "PRGn", groups or ())


def _grouped(table, groups):
    """A table with an empty row for each head, and the head's methods below it."""
    parts = []
    for head, methods in groups.items():
        mine = table[table.index.isin(methods)]
        if len(mine):
            empty = pd.DataFrame(np.nan, index=[head], columns=table.columns)
            parts.append(pd.concat([empty, mine]))
    return pd.concat(parts) if parts else table


def by_families(table):
    """Means over each group of related data sets, the columns of a table."""
    # As an array: names in a list may be taken for those of methods.
    families = np.array([family(d) for d in table], dtype=object)
    return table.T.groupby(families, sort=False).mean().T


def _short(value):
    return f"{round(value, 2) + 0.0:.2f}" if value > -9.995 else f"{value:.0f}"
