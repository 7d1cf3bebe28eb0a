"""Methods against each other: paired tests over folds, ranks over data sets."""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, studentized_range

from ldlrepro import stats
from ldlrepro.metrics import MEASURES
from ldlrepro.protocols import rounding
from ldlrepro.report.plots import nothing, plain, plt
from ldlrepro.report.tables import show
from ldlrepro.report.values import Beside, Difference, Held, Shown, Spread, Wins

LEVEL = 0.05


def head_to_head(records, first, second, names, measure="kl_divergence"):
    """Two methods on each data set: means, difference, paired and corrected t-test.

    Returns
    -------
    DataFrame
        One row a data set; p-values are two-sided, NaN for one split.
    """
    rows = []
    pairs = {pair.dataset: pair for pair in pairs_of(records, first, second, measure)}
    for dataset in (d for d in names if d in pairs):
        pair = pairs[dataset]
        a, b = pair.first, pair.second
        rows.append(
            {
                "data set": names[dataset],
                first: _spread(a),
                second: _spread(b),
                "difference": Difference(a.mean() - b.mean(), a.mean() / b.mean() - 1),
                "p, paired t": p_value(pair, corrected=False),
                "p, corrected": p_value(pair),
                "better": _winner(first, second, pair, measure),
            }
        )
    return pd.DataFrame(rows)


def show_head_to_head(records, first, second, names, measure="kl_divergence"):
    """``head_to_head`` as an HTML table.

    Parameters
    ----------
    records : DataFrame
        Records of an experiment.
    first, second : str
        Names of two methods.
    names : dict of str
        Names of the data sets in tables.
    measure : str
        Name of the measure.

    Returns
    -------
    HTML
        A row a data set.

    See Also
    --------
    tally : Over all data sets and measures.
    """
    table = head_to_head(records, first, second, names, measure)
    caption = f"{MEASURES[measure].label}: {first} and {second}"
    found = wins(records[records.dataset.isin(list(names))], [(first, second)], [measure])
    caption += f" ({first} significantly better on {found.shown}, {second} on {found.worse} of "
    caption += f"{found.cells - found.untested} sets tested)"
    return show(table, caption, False, form="{:.4f}")


class Pair(NamedTuple):
    """Two methods on the folds of a data set that both have; ``floor`` is what rounding moves."""

    dataset: str
    first: np.ndarray
    second: np.ndarray
    sizes: tuple
    floor: float

    @property
    def testable(self):
        """Whether there is more than one split, and more of a difference than rounding makes."""
        return len(self.first) > 1 and not self.within_rounding

    @property
    def within_rounding(self):
        """Whether rounding alone makes as large a difference."""
        return abs(self.first.mean() - self.second.mean()) <= self.floor != 0

    @property
    def difference(self):
        """Difference of the means, 0 where rounding alone makes as much."""
        return 0.0 if self.within_rounding else self.first.mean() - self.second.mean()


def pairs_of(records, first, second, measure):
    """Yield a `Pair` for each data set on which two methods share a fold."""
    for _, _, pair in _pairs(records, [(first, second)], [measure]):
        yield pair


def _pairs(records, pairs, measures):
    """Yield (second, measure, `Pair`) for each pair of names, data sets as in the records."""
    sizes = records.groupby("dataset", sort=False)[["n_train", "n_test"]].mean()
    records = records[records.method.isin({method for pair in pairs for method in pair})]
    named = _named(records)
    wide = records.pivot_table(
        index=["dataset", "fold"], columns="method", values=list(dict.fromkeys(measures))
    )
    at = wide.index.get_level_values("dataset")
    rows = {dataset: np.flatnonzero(at == dataset) for dataset in sizes.index}
    columns = {column: wide[column].to_numpy() for column in wide}
    for (first, second), measure in product(pairs, measures):
        if (measure, first) not in columns or (measure, second) not in columns:
            continue
        one, other = columns[measure, first], columns[measure, second]
        both = ~(np.isnan(one) | np.isnan(other))
        for dataset, n_train, n_test in sizes.itertuples():
            shared = rows[dataset][both[rows[dataset]]]
            if len(shared):
                a, b = one[shared], other[shared]
                floor = max(
                    abs(mine.mean()) * _spread_of(*named[dataset, method], dataset, measure)
                    for method, mine in ((first, a), (second, b))
                )
                yield second, measure, Pair(dataset, a, b, (n_train, n_test), floor)


def _named(records):
    """{(dataset, method): (paper, method)}, as the records of rounding name them."""
    one = records.drop_duplicates(["dataset", "method"])
    papers = one.paper if "paper" in one else [None] * len(one)
    declared = one.declared if "declared" in one else one.method
    keys = zip(one.dataset, one.method, strict=True)
    return dict(zip(keys, zip(papers, declared, strict=True), strict=True))


def _spread_of(paper, method, dataset, measure):
    """Relative spread of a measure under other kernels and row orders, 0 where none is stated."""
    return _stated().get((paper, dataset, method, measure), 0.0)


@cache
def _stated():
    table = rounding.spreads()
    largest = table[["kernels", "orders"]].max(axis=1).astype(float)
    keys = zip(table.paper, table.dataset, table.method, table.measure, strict=True)
    stated = {}
    for key, value in zip(keys, largest, strict=True):
        stated[key] = max(value, stated.get(key, 0.0))
    return stated


def p_value(pair, corrected=True):
    """p-value of the paired t-test; NaN for a single split, 1 where rounding makes as much."""
    if len(pair.first) < 2:
        return float("nan")
    if pair.difference == 0:
        return 1.0
    if corrected:
        return stats.corrected_t(pair.first, pair.second, *pair.sizes)
    return stats.paired_t(pair.first, pair.second)


def _spread(a):
    return Spread(a.mean(), a.std(ddof=1) if len(a) > 1 else float("nan"))


def _winner(first, second, pair, measure):
    p = p_value(pair)
    if np.isnan(p):
        return "one split: no test"
    if p >= LEVEL:
        return "no significant difference"
    return first if (pair.difference > 0) == MEASURES[measure].greater_is_better else second


def tally(records, pairs, measures, level=LEVEL):
    """For each pair of methods: comparisons (data set x measure) in which one is better.

    "significant" counts differences with p below the level, in the corrected and (in brackets) the
    paired test. "Holm / BH" counts those of the corrected test that are left in view of all
    comparisons. What cannot be tested is said at ``Wins``.

    Parameters
    ----------
    records : DataFrame
        Records of an experiment.
    pairs : list of (first, second)
        Names of methods.
    measures : list of str
        Names of measures.
    level : float
        Of the tests.

    Returns
    -------
    DataFrame
        A row a pair of methods.

    See Also
    --------
    show_head_to_head : Two methods, set by set.
    """
    rows = []
    for first, second in pairs:
        fought = duels(records, first, [second], measures)
        found = wins(records, [(first, second)], measures, level)
        row = {"first": first, "second": second, "comparisons": found.cells}
        row["first better"] = found.better
        for side, ahead in (("first", fought.gain > 0), ("second", fought.gain < 0)):
            held = found.shown if side == "first" else found.worse
            paired = int((ahead & (fought.p < level)).sum())
            row[f"{side} better, significant"] = Shown(held.plain, paired)
            row[f"{side} better, Holm / BH"] = Beside(held.holm, held.bh)
        row["cannot be tested"] = found.untested + found.lacking
        rows.append(row)
    return pd.DataFrame(rows)


def wins(records, pairs, measures, level=LEVEL):
    """``Wins`` of the first of each pair: all their cells are one family of corrected tests.

    Parameters
    ----------
    pairs : list of (first, second)
        Names of two methods each.
    level : float
        Level of the tests.
    """
    fought = _duels(records, pairs, measures)
    tested = fought[fought.testable.astype(bool)]
    return Wins(
        int((fought.gain > 0).sum()),
        len(fought),
        count_significant(tested.p_corrected, tested.gain > 0, level),
        count_significant(tested.p_corrected, tested.gain < 0, level),
        len(fought) - len(tested),
        sum(_lacking(records, *pair) for pair in pairs) * len(measures),
    )


def count_significant(p, ahead, level=LEVEL):
    """`Held` of some tests: those of them with a p below a level, as it is and adjusted.

    Parameters
    ----------
    p : (m,)
        Values of the whole family.
    ahead : (m,) bool
        The tests that count.
    """
    if not len(p):
        return Held(0, 0, 0)
    p, ahead = np.asarray(p, float), np.asarray(ahead, bool)
    return Held(
        *(int((ahead & (q < level)).sum()) for q in (p, stats.holm(p), false_discovery_control(p)))
    )


def _lacking(records, first, second):
    """Number of data sets on which one of two methods was run without the other."""
    one, other = (set(records.dataset[records.method == m]) for m in (first, second))
    return len(one ^ other)


def duels(records, first, rivals, measures):
    """One method against each of several in every cell they share.

    Returns
    -------
    DataFrame
        One row a data set, measure and rival: gain (of the means, positive where ``first`` is
        better, 0 where rounding alone makes as much), level (mean of ``first``), p (paired t-test)
        and p_corrected, NaN for one split, and testable (see ``Wins``).
    """
    return _duels(records, [(first, rival) for rival in rivals], measures)


def _duels(records, pairs, measures):
    rows = []
    for rival, measure, pair in _pairs(records, pairs, measures):
        sign = 1 if MEASURES[measure].greater_is_better else -1
        tests = p_value(pair, corrected=False), p_value(pair)
        gain, level = sign * pair.difference, pair.first.mean()
        rows.append((pair.dataset, measure, rival, gain, level, *tests, pair.testable))
    columns = ["dataset", "measure", "rival", "gain", "level", "p", "p_corrected", "testable"]
    return pd.DataFrame(rows, columns=columns)


#: Data sets that share rows and features are one family: ten label matrices for one table of genes,
#: two halves of one collection of images. The others stand for themselves.
FAMILIES = {"Yeast_": "Yeast", "corel16k": "corel16k"}


def family(dataset):
    """Name of the family that a data set belongs to: its own where it has none."""
    return next((name for start, name in FAMILIES.items() if dataset.startswith(start)), dataset)


def family_ranks(records, methods, measure):
    """Average ranks of methods within each family of data sets, 1 the best.

    Sets that lack one of the methods do not count.

    Returns
    -------
    DataFrame
        A row a family, a column a method; and how many sets there are.
    """
    mean = records.pivot_table(index="dataset", columns="method", values=measure, sort=False)
    mean = mean.reindex(columns=list(methods)).dropna()
    ranks = pd.DataFrame(
        stats.ranks(mean.to_numpy(), MEASURES[measure].greater_is_better),
        index=mean.index,
        columns=mean.columns,
    )
    return ranks.groupby(ranks.index.map(family), sort=False).mean(), len(mean)


def critical_difference(records, methods, measure, title):
    """Average ranks over groups of related data sets, a row a method, the best first.

    A bar beside the rows joins methods of which no two are separated by Nemenyi's test at 5%. The
    test takes the ranks that are drawn, averages over a family's sets: as if each family were one
    set, so it errs on the side of joining.
    """
    ranks, sets = family_ranks(records, methods, measure)
    if len(ranks) < 3:
        return nothing("Ranks are compared over three groups of related data sets or more.")
    average = ranks.mean().sort_values(kind="stable")
    figure, axis = plt.subplots(figsize=(8, 1.1 + 0.27 * len(average)))
    rows = np.arange(len(average))
    axis.hlines(rows, 1, average, color="0.85", linewidth=1)
    axis.plot(average, rows, "o")
    groups = _joined(average, len(ranks))
    for group, (first, last) in enumerate(groups):
        at = average.max() + 0.4 + 0.25 * group
        axis.vlines(at, first - 0.25, last + 0.25, linewidth=3, color="0.35")
    axis.set_yticks(rows, [plain(name) for name in average.index])
    axis.set_ylim(len(average) + 0.6, -0.6)
    if groups == [(0, len(average) - 1)]:  # as `none_differ` says
        words = f"no two of these {len(average)} differ significantly (bar at the right)"
    else:
        words = "no two beside a bar differ significantly" if groups else "all differ significantly"
    axis.set_xlabel(f"average rank over {len(ranks)} groups of related data sets ({sets} sets)")
    axis.set_title(f"{title}: {words}", fontsize=10)
    figure.tight_layout()
    return figure


def none_differ(records, methods, measure):
    """Whether Nemenyi's test at 5% separates no two of some methods, by `family_ranks`."""
    average = (ranks := family_ranks(records, methods, measure)[0]).mean().sort_values()
    return _joined(average, len(ranks)) == [(0, len(average) - 1)]


def _joined(average, n):
    return _groups(nemenyi(average.to_numpy(), n))


def nemenyi(average, n):
    """p-values of Nemenyi's test, (k, k), for average ranks (k,) over ``n`` sets."""
    k = len(average)
    gaps = np.abs(np.subtract.outer(average, average))
    return studentized_range.sf(gaps / np.sqrt(k * (k + 1) / (12 * n)), k, np.inf)


def _groups(p):
    """(first, last) row of each largest group of neighbours of which no two differ at 5%."""
    lasts = [int(np.flatnonzero(row >= LEVEL).max()) for row in p]
    pairs = enumerate(lasts)
    return [(i, last) for i, last in pairs if last > i and last not in lasts[:i]]


def firsts(means):
    """Which rows hold the best mean of their cell, ties included.

    Parameters
    ----------
    means : DataFrame
        It has dataset, measure, mean, a row a method.

    Returns
    -------
    Series of bool
        With the index of ``means``.
    """
    sign = means.measure.map(lambda m: 1 if MEASURES[m].greater_is_better else -1)
    signed = sign * means["mean"]
    return signed == signed.groupby([means.dataset, means.measure]).transform("max")
