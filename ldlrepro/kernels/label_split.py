"""Cuts of multi-label rows by the variance or by the entropy of their labels.

Shapes used throughout: n rows, c labels; k rows of a node. Rows and labels are unsigned numbers: a
signed one costs a check for the end of the array it counts from. ``work`` is the Work of a tree
(see `labels`).
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel, part
from ldlrepro.kernels.columns import row_of, same_value


class Labels(NamedTuple):
    """Labels of n rows: row i has label[start[i]:end[i]]."""

    start: np.ndarray  # (n,) uint64
    end: np.ndarray  # (n,) uint64
    label: np.ndarray  # uint32


class Node(NamedTuple):
    """Counts of a node; rows count as often as they were drawn."""

    total: int  # rows
    squares: int  # sum over labels of the squared number of rows with the label
    n_active: int  # labels that some row has


# No side is empty where these divide; a check for it would make the loop count references.
@kernel(forceinline=True, error_model="numpy")
def variance_quality(left2, cross, squares, n_side, n_all):
    """Quality of a cut by variance: sum of squared label counts over rows, of either side.

    left2, squares : sums of squares of the counts of one side and of the node; cross : the sum of
    their products; n_side, n_all : rows of both. Rows times the variance left is minus the quality,
    up to a constant of the node.
    """
    return left2 / n_side + (squares - 2 * cross + left2) / (n_all - n_side)


@kernel(forceinline=True, error_model="numpy")
def side_variance(n_side, node, work):
    """`variance_quality` of a side of n_side rows, with the label counts ``side`` of the Work."""
    side, counts, active = work.side, work.counts, work.active
    left2 = np.int64(0)
    cross = np.int64(0)
    for i in range(node.n_active):
        j = active[i]
        left2 += np.int64(side[j]) * side[j]
        cross += np.int64(side[j]) * counts[j]
    return variance_quality(left2, cross, node.squares, n_side, node.total)


@part
def side_entropy(n_side, node, work):
    """As `side_variance`, by the label entropies: rows times the entropy left is its negative."""
    t, side, counts, active = work.t, work.side, work.counts, work.active
    n_other = node.total - n_side
    s = -node.n_active * (t[n_side] + t[n_other])
    for i in range(node.n_active):
        j = active[i]
        a = side[j]
        b = counts[j] - a
        s += (
            t[np.uint64(a)] + t[np.uint64(n_side - a)] + t[np.uint64(b)] + t[np.uint64(n_other - b)]
        )
    return s


@part
def between(low, high):
    """A cut in the middle of two values: low <= cut < high."""
    cut = low + 0.5 * (high - low)
    return cut if cut < high else low  # neighbouring floats have nothing between them


@kernel(forceinline=True, error_model="numpy")
def scan_variance(k, numeric, f, weight, labels, node, work, best):
    """Best cut of one numeric feature over all its thresholds, by variance.

    Parameters
    ----------
    k : int, rows of the node, whose entries the Work lists in the order of the feature
    numeric, labels, node, work : Numeric, Labels, Node and Work
    f : int, the feature
    weight : (n,) int32, how often each row was drawn
    best : float, quality to beat

    Returns
    -------
    quality, cut : ``best`` itself and no cut where none beats it
    """
    start, end, label = labels
    ordered, dots, side, active = work.ordered, work.dots, work.side, work.active
    for i in range(node.n_active):
        side[active[i]] = 0
    low = last = ordered[0]
    high = last
    n_side = np.int64(0)
    left2 = np.int64(0)
    cross = np.int64(0)
    for i in range(k):
        entry = ordered[i]
        r = row_of(entry)
        if not same_value(entry, last):
            g = variance_quality(left2, cross, node.squares, n_side, node.total)
            if g > best:
                best = g
                low = last
                high = entry
        last = entry
        w = np.int64(weight[r])
        before = np.int64(0)
        for e in range(start[r], end[r]):
            a = side[label[e]]
            before += a
            side[label[e]] = a + w
        left2 += w * (2 * before + w * np.int64(end[r] - start[r]))
        cross += w * dots[r]
        n_side += w
    return best, between(numeric.values[f, row_of(low)], numeric.values[f, row_of(high)])


@part
def scan_entropy(k, numeric, f, weight, labels, node, work, best):
    """As `scan_variance`, by the entropies."""
    start, end, label = labels
    ordered, t = work.ordered, work.t
    side, counts, active = work.side, work.counts, work.active
    n_all = node.total
    low = last = ordered[0]
    high = last
    n_side = np.int64(0)
    with_label = 0.0
    for i in range(node.n_active):
        side[active[i]] = 0
        with_label += t[counts[active[i]]]
    for i in range(k):
        entry = ordered[i]
        r = row_of(entry)
        if not same_value(entry, last):
            n_other = n_all - n_side
            g = with_label - node.n_active * (t[n_side] + t[n_other])
            for h in range(node.n_active):
                j = active[h]
                a = side[j]
                g += t[np.uint64(n_side - a)] + t[np.uint64(n_other - counts[j] + a)]
            if g > best:
                best = g
                low = last
                high = entry
        last = entry
        w = weight[r]
        for e in range(start[r], end[r]):
            j = label[e]
            a = side[j]
            b = counts[j] - a
            with_label += (
                t[np.uint64(a + w)] - t[np.uint64(a)] + t[np.uint64(b - w)] - t[np.uint64(b)]
            )
            side[j] = a + w
        n_side += w
    return best, between(numeric.values[f, row_of(low)], numeric.values[f, row_of(high)])
