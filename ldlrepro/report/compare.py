"""Methods against each other: paired tests over folds, ranks over data sets, claims."""

from functools import cache
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scikit_posthocs

from ldlrepro.metrics import MEASURES
from ldlrepro.protocols import rounding, stats

LEVEL = 0.05
#: A claim on many cells is reproduced from this share of them on, partly from the second on.
REPRODUCED, PARTLY = 0.95, 0.5


def head_to_head(records, first, second, names, measure="kl_divergence"):
    """Two methods on each data set: means, difference, paired and corrected t-test.

    Returns
    -------
    DataFrame, one row a data set; p-values are two-sided
    """
    rows = []
    order = [d for d in names if d in set(records.dataset)]
    pairs = {pair.dataset: pair for pair in _pairs(records, first, second, measure)}
    for dataset in (d for d in order if d in pairs):
        pair = pairs[dataset]
        a, b = pair.first, pair.second
        rows.append(
            {
                "data set": names[dataset],
                first: _mean_and_spread(a),
                second: _mean_and_spread(b),
                "difference": f"{a.mean() - b.mean():+.4f} ({a.mean() / b.mean() - 1:+.1%})",
                "p, paired t": _shown(_p(pair, corrected=False)),
                "p, corrected": _shown(_p(pair)),
                "better": _winner(first, second, pair, measure),
            }
        )
    return pd.DataFrame(rows)


class Pair(NamedTuple):
    """Two methods on the folds of a data set that both have; ``floor`` is what rounding moves."""

    dataset: str
    first: np.ndarray
    second: np.ndarray
    sizes: tuple
    floor: float

    @property
    def difference(self):
        """Difference of the means, 0 where rounding alone makes as much."""
        away = self.first.mean() - self.second.mean()
        return away if abs(away) > self.floor else 0.0


def _pairs(records, first, second, measure):
    for dataset, mine in records.groupby("dataset", sort=False):
        wide = mine.pivot_table(index="fold", columns="method", values=measure)
        if first in wide and second in wide:
            both = wide[[first, second]].dropna()
            sizes = mine.n_train.mean(), mine.n_test.mean()
            if len(both):
                a, b = both[first].to_numpy(), both[second].to_numpy()
                floor = max(
                    abs(values.mean()) * spread_of_rounding(mine, dataset, method, measure)
                    for method, values in ((first, a), (second, b))
                )
                yield Pair(dataset, a, b, sizes, floor)


def spread_of_rounding(records, dataset, method, measure):
    """Relative spread of a measure under other kernels and row orders, 0 where none is stated."""
    paper = records.paper.iloc[0] if "paper" in records else None
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


def _p(pair, corrected=True):
    """p-value of the paired t-test; NaN for a single split, 1 where rounding makes as much."""
    if len(pair.first) < 2:
        return float("nan")
    if pair.difference == 0:
        return 1.0
    if corrected:
        return stats.corrected_t(pair.first, pair.second, *pair.sizes)
    return stats.paired_t(pair.first, pair.second)


def _shown(p):
    return "–" if np.isnan(p) else f"{p:.4f}"


def _mean_and_spread(a):
    return f"{a.mean():.4f}±{a.std(ddof=1):.4f}" if len(a) > 1 else f"{a.mean():.4f}"


def _winner(first, second, pair, measure):
    p = _p(pair)
    if np.isnan(p):
        return "one split: no test"
    if p >= LEVEL:
        return "no difference shown"
    return first if (pair.difference > 0) == MEASURES[measure].greater_is_better else second


def tally(records, pairs, measures):
    """For each pair of methods: cells (data set x measure) in which one is better.

    "shown" counts differences with p below 5%, in the corrected and (in brackets) the paired test.
    """
    rows = []
    for first, second in pairs:
        fought = duels(records, first, [second], measures)
        row = {"first": first, "second": second, "cells": len(fought)}
        row["first better"] = int((fought.gain > 0).sum())
        for side, ahead in (("first", fought.gain > 0), ("second", fought.gain < 0)):
            corrected = (ahead & (fought.p_corrected < LEVEL)).sum()
            row[f"{side} better, shown"] = f"{corrected} ({(ahead & (fought.p < LEVEL)).sum()})"
        rows.append(row)
    return pd.DataFrame(rows)


def wins(records, pairs, measures, level=LEVEL):
    """Cells in which the first of a pair is better, and shown better or worse (corrected test).

    Returns
    -------
    (better, cells, shown better, shown worse)
    """
    fought = pd.concat([duels(records, first, [second], measures) for first, second in pairs])
    shown = fought.p_corrected < level
    gain = fought.gain
    counts = (gain > 0, gain == gain, (gain > 0) & shown, (gain < 0) & shown)
    return tuple(int(count.sum()) for count in counts)


def duels(records, first, rivals, measures):
    """One method against each of several in every cell they share.

    Returns
    -------
    DataFrame, one row a data set, measure and rival: gain (of the means, positive where ``first``
    is better, 0 where rounding alone makes as much), level (mean of ``first``), p (paired t-test)
    and p_corrected, NaN for one split
    """
    rows = []
    for rival in rivals:
        for measure in measures:
            sign = 1 if MEASURES[measure].greater_is_better else -1
            for pair in _pairs(records, first, rival, measure):
                tests = _p(pair, corrected=False), _p(pair)
                gain, level = sign * pair.difference, pair.first.mean()
                rows.append((pair.dataset, measure, rival, gain, level, *tests))
    columns = ["dataset", "measure", "rival", "gain", "level", "p", "p_corrected"]
    return pd.DataFrame(rows, columns=columns)


def critical_difference(records, methods, measure, title):
    """Average ranks over data sets; bars join methods that Nemenyi's test does not separate."""
    mean = records.pivot_table(index="dataset", columns="method", values=measure, sort=False)
    mean = mean[list(methods)].dropna()
    if len(mean) < 3:
        return plt.figure(figsize=(8, 0.2))
    sign = -1 if MEASURES[measure].greater_is_better else 1
    p = scikit_posthocs.posthoc_nemenyi_friedman((sign * mean).to_numpy())
    p.index = p.columns = mean.columns
    ranks = pd.Series(
        stats.ranks(mean.to_numpy(), MEASURES[measure].greater_is_better).mean(axis=0),
        index=mean.columns,
    )
    figure, axis = plt.subplots(figsize=(8, 1 + 0.4 * len(methods)))
    scikit_posthocs.critical_difference_diagram(ranks, p, ax=axis)
    axis.set_title(title)
    return figure


def verdict(share):
    """Word for a claim that holds in a share of its cells (NaN: nothing was run)."""
    if np.isnan(share):
        return "not run"
    if share >= REPRODUCED:
        return "reproduced"
    return "partly" if share >= PARTLY else "not"


def order_claim(records, better, worse, measures):
    """Evidence that one method is better than another in every cell: (share, text)."""
    (row,) = tally(records, [(better, worse)], measures).to_dict("records")
    share = row["first better"] / row["cells"] if row["cells"] else float("nan")
    text = (
        f"{better} better than {worse} in {row['first better']} of {row['cells']} cells, shown in "
        f"{row['first better, shown']}; the reverse shown in {row['second better, shown']}"
    )
    return share, text


def spread_claim(summary, method, rivals, measures):
    """Evidence that a method has the lowest standard deviation over folds: (share, text)."""
    wide = summary[summary.measure.isin(measures)]
    wide = wide.pivot_table(index=["dataset", "measure"], columns="method", values="std")
    wide = wide[[method, *rivals]].dropna()
    lowest = (wide[method] <= wide[list(rivals)].min(axis=1)).sum()
    share = lowest / len(wide) if len(wide) else float("nan")
    return share, f"{method} has the lowest of the four in {lowest} of {len(wide)} cells"


def same_claim(records, first, second, measures, share_of_mean=0.01):
    """Evidence that two methods do not differ: cells whose means differ by at most a share."""
    near = total = shown = shown_paired = 0
    for measure in measures:
        for pair in _pairs(records, first, second, measure):
            total += 1
            near += abs(pair.difference) <= share_of_mean * abs(pair.second.mean())
            shown += _p(pair) < LEVEL
            shown_paired += _p(pair, corrected=False) < LEVEL
    text = (
        f"means within {share_of_mean:.0%} in {near} of {total} cells; a difference is shown in "
        f"{shown} ({shown_paired})"
    )
    return (near / total if total else float("nan")), text


def ratios(records, base, names, printed):
    """Training seconds as ratios to one method's, printed and ours, one row a data set and method.

    Parameters
    ----------
    printed : cells of the paper with the measures fit_seconds and predict_seconds
    """
    ours = records.groupby(["dataset", "method"], sort=False)[
        ["fit_seconds", "predict_seconds"]
    ].median()
    theirs, theirs_test = (
        printed[printed.measure == m].set_index(["dataset", "method"])["mean"]
        for m in ("fit_seconds", "predict_seconds")
    )
    real = set(records[records.source != "synthetic"].dataset)
    rows = []
    for (dataset, method), seconds in ours.iterrows():
        known = dataset in real and (dataset, method) in theirs.index
        p = theirs[dataset, method] / theirs[dataset, base] if known else np.nan
        rows.append(
            {
                "data set": names[dataset],
                "method": method,
                "training s, printed": f"{theirs[dataset, method]:g}" if known else "–",
                "ours": f"{seconds.fit_seconds:.3f}",
                f"ratio to {base}, printed": f"{p:.3f}" if known else "–",
                "ratio, ours": f"{seconds.fit_seconds / ours.fit_seconds[dataset, base]:.3f}",
                "test s, printed": f"{theirs_test[dataset, method]:g}" if known else "–",
                "ours ": f"{seconds.predict_seconds:.4f}",
            }
        )
    return pd.DataFrame(rows)
