"""Best cut of one feature by information gain: about two clusters, or about given classes.

A gain is counted by its "purity", sums of k ln k over the counts k of either side, which a table
holds: the entropy left in the two sides times the node's rows is minus the purity.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel
from ldlrepro.kernels.columns import row_of, same_value

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
CLUSTER1 = 1 << 32  # a row's weight in the low half of a word, its weight in cluster 1 in the high


class Node(NamedTuple):
    """Counts of a node; rows count as often as they were drawn."""

    total: int  # rows
    ones: int  # those in cluster 1
    base: float  # purity without a cut, below 0: gain = (purity - base) / total


class Classes(NamedTuple):
    """Classes in place of the clusters: k of them, or none."""

    label: np.ndarray  # (n,) int64, of each row
    weight: np.ndarray  # (n,) int64, how often each row was drawn
    counts: np.ndarray  # (k,) int64, of the node
    left: np.ndarray  # (k,) int64, scratch


class Step(NamedTuple):
    """From one threshold to the next (section 3.4 of the StructRF paper)."""

    adaptive: bool  # the variable step of Eq. 5; else every threshold is visited
    alpha: float
    beta: float


@kernel
def entropy_table(n):
    """Return t with t[k] = k ln k for k = 0..n, so that a gain costs six look-ups."""
    t = np.zeros(n + 1)
    for k in range(2, n + 1):
        t[k] = k * np.log(k)
    return t


@kernel
def purity(t, left1, left, all1, total):
    """Purity of a cut about two clusters.

    t : `entropy_table`; left1, left : int, rows of cluster 1 and of both on one side; all1, total :
    the same of the node.
    """
    right1 = all1 - left1
    right = total - left
    return t[left1] + t[left - left1] - t[left] + t[right1] + t[right - right1] - t[right]


@kernel
def class_purity(t, side, n_side, counts, total):
    """Purity of a cut about given classes.

    t : `entropy_table`; side, counts : (k,) int64, rows of each class on one side and in the node;
    n_side, total : their sums
    """
    g = -t[n_side] - t[total - n_side]
    for j in range(counts.shape[0]):
        g += t[side[j]] + t[counts[j] - side[j]]
    return g


@kernel
def next_step(n, ratio, step):
    """Step to the next threshold (Eq. 5), a whole number of rows, at least 1.

    n : int, distinct rows of the node; ratio : the last gain over the best one; step : Step
    """
    return max(1, int(step.alpha * n / (1.0 + np.exp(step.beta * (ratio - 0.5)))))


@kernel
def scan_all(many, f, first, k, packed, node, t, best):
    """Best cut of one feature over all its thresholds (Eq. 3).

    Parameters
    ----------
    many : Sorted; f : int, the feature
    first, k : the node's rows are entries first .. first + k - 1 of it, in ascending order
    packed : (n,) int64, weight of each row, and `CLUSTER1` times it in cluster 1
    node : Node
    t : `entropy_table`
    best : float, purity to beat

    Returns
    -------
    position (the cut lies after it, counted from ``first``; -1 where none beats ``best``), purity
    """
    entry = many.entry
    ones, total = np.uint64(node.ones), np.uint64(node.total)
    position = -1
    seen = np.uint64(0)
    e = entry[f, first]
    # Unsigned: a signed index costs a check for the end of the array it counts from.
    for i in range(np.uint64(first + 1), np.uint64(first + k)):
        seen += np.uint64(packed[row_of(e)])
        e, before = entry[f, i], e
        if not same_value(e, before):
            g = purity(t, seen >> _HALF, seen & _LOW, ones, total)
            if g > best:
                best = g
                position = np.int64(i)
    return (position - first - 1 if position >= 0 else -1), best


@kernel
def scan_adaptive(many, f, first, k, packed, node, t, best, step):
    """Best cut of one feature with the variable step; arguments as for `scan_all`, and a Step.

    Returns
    -------
    position, purity, evaluations
    """
    entry = many.entry
    ones, total = np.uint64(node.ones), np.uint64(node.total)
    position = -1
    evaluations = 0
    seen = np.uint64(0)
    target = 0
    e = entry[f, first]
    for i in range(k - 1):
        seen += np.uint64(packed[row_of(e)])
        e, before = entry[f, np.uint64(first + i + 1)], e
        if i < target or same_value(before, e):
            continue
        g = purity(t, seen >> _HALF, seen & _LOW, ones, total)
        evaluations += 1
        if g > best:
            best = g
            position = i
        ratio = (g - node.base) / (best - node.base) if best > node.base else 1.0
        target = i + next_step(k, ratio, step)
    return position, best, evaluations


@kernel
def scan_classes(many, f, first, k, classes, node, t, best, step):
    """Best cut of one feature about given Classes; other arguments as for `scan_adaptive`.

    Returns
    -------
    position, purity
    """
    entry = many.entry
    label, weight, counts, left = classes
    position = -1
    left[:] = 0
    seen = 0
    sum_left = 0.0
    sum_right = 0.0
    for j in range(counts.shape[0]):
        sum_right += t[counts[j]]
    target = 0
    e = entry[f, first]
    for i in range(k - 1):
        r = row_of(e)
        e, before = entry[f, first + i + 1], e
        j = label[r]
        had = left[j]
        has = had + weight[r]
        sum_left += t[has] - t[had]
        sum_right += t[counts[j] - has] - t[counts[j] - had]
        left[j] = has
        seen += weight[r]
        if i < target or same_value(before, e):
            continue
        g = sum_left - t[seen] + sum_right - t[node.total - seen]
        if g > best:
            best = g
            position = i
        if step.adaptive:
            ratio = (g - node.base) / (best - node.base) if best > node.base else 1.0
            target = i + next_step(k, ratio, step)
    return position, best
