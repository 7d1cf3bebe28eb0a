"""Cuts of multi-label rows by the variance or by the entropy of their labels.

Shapes used throughout: n rows, c labels; k rows of a node. Labels of a row are lanes of a word (see
`Labels`): counts of labels, kept two a word in ``lanes``, then grow by a row without a branch.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel, part

_LANE = np.uint64(2**32 - 1)
_BOTH = np.uint64(2**32 + 1)  # times a number: the number in both lanes
_HALF = np.uint64(32)


class Labels(NamedTuple):
    """Labels of n rows, twice. Lanes do not overflow below 2^32 labels times rows."""

    start: np.ndarray  # (n + 1,) int64: row i has the labels label[start[i]:start[i + 1]]
    label: np.ndarray  # int32
    packed: np.ndarray  # (n, ceil(c / 2)) uint64, lanes of 32 bits, all ones for a label


class Node(NamedTuple):
    """Counts of a node; rows count as often as they were drawn."""

    total: int  # rows
    squares: int  # sum over labels of the squared number of rows with the label
    n_active: int  # labels that some row has


@part
def add(r, weight, packed, lanes):
    """Add the labels of row r to the label counts, ``weight`` times.

    weight : int; packed : as in `Labels`; lanes : (ceil(c / 2),) uint64, in place
    """
    both = np.uint64(weight) * _BOTH
    for k in range(lanes.shape[0]):
        lanes[k] += both & packed[r, k]


@kernel
def unpack(lanes, side):
    """Write the label counts of lanes (ceil(c / 2),) into side (c,) int32."""
    for j in range(side.shape[0]):
        side[j] = (lanes[j >> 1] >> np.uint64(32 * (j & 1))) & _LANE


# No side is empty where these divide; a check for it would make the loop count references.
@kernel(error_model="numpy")
def variance_quality(left2, cross, squares, n_side, n_all):
    """Quality of a cut by variance: sum of squared label counts over rows, of either side.

    left2, squares : sums of squares of the counts of one side and of the node; cross : the sum of
    their products; n_side, n_all : rows of both. Rows times the variance left is minus the quality,
    up to a constant of the node.
    """
    return left2 / n_side + (squares - 2 * cross + left2) / (n_all - n_side)


@kernel
def side_variance(side, n_side, node, counts):
    """`variance_quality` from label counts: side, counts (c,) int32, of a side and of the node."""
    left2 = np.int64(0)
    cross = np.int64(0)
    for j in range(side.shape[0]):
        left2 += np.int64(side[j]) * side[j]
        cross += np.int64(side[j]) * counts[j]
    return variance_quality(left2, cross, node.squares, n_side, node.total)


@kernel
def side_entropy(side, n_side, node, counts, active, t):
    """Quality of a cut by the label entropies: rows times the entropy left is its negative.

    side, counts : (c,) int32, label counts of one side, of n_side rows, and of the node; active :
    int32, labels that the node has; t : `entropy_table`
    """
    n_other = node.total - n_side
    s = -active.shape[0] * (t[n_side] + t[n_other])
    for j in active:
        a = side[j]
        b = counts[j] - a
        s += t[a] + t[n_side - a] + t[b] + t[n_other - b]
    return s


@kernel
def between(low, high):
    """A cut in the middle of two values: low <= cut < high."""
    cut = low + 0.5 * (high - low)
    return cut if cut < high else low  # neighbouring floats have nothing between them


@kernel(error_model="numpy")
def scan_variance(seq, x, weight, start, packed, dots, node, lanes, best):
    """Best cut of one feature over all its thresholds, by variance.

    Parameters
    ----------
    seq : (k,) int32, the node's rows in ascending order
    x : (n,) float64, the feature
    weight : (n,) int32, how often each row was drawn
    start, packed : as in `Labels`
    dots : (n,) int64, sum of the node's counts over the labels of a row
    node : Node
    lanes : (ceil(c / 2),) uint64, scratch
    best : float, quality to beat

    Returns
    -------
    quality, cut : ``best`` itself and no cut where none beats it
    """
    lanes[:] = 0
    low = 0.0
    high = 0.0
    last = x[seq[0]]
    n_side = np.int64(0)
    left2 = np.int64(0)
    cross = np.int64(0)
    for i in range(seq.shape[0]):
        r = seq[i]
        u = x[r]
        if u > last:
            g = variance_quality(left2, cross, node.squares, n_side, node.total)
            if g > best:
                best = g
                low = last
                high = u
            last = u
        w = np.int64(weight[r])
        both = np.uint64(w) * _BOTH
        inner = np.uint64(0)
        for k in range(lanes.shape[0]):
            inner += lanes[k] & packed[r, k]
            lanes[k] += both & packed[r, k]
        before = np.int64((inner & _LANE) + (inner >> _HALF))
        left2 += w * (2 * before + w * (start[r + 1] - start[r]))
        cross += w * dots[r]
        n_side += w
    return best, between(low, high)


@kernel
def scan_entropy(seq, x, weight, start, label, node, counts, active, side, t, best):
    """As `scan_variance`, by the entropies.

    label : as in `Labels`; counts, active, t : as for `side_entropy`; side : (c,) int32, scratch
    """
    side[:] = 0
    n_all = node.total
    low = 0.0
    high = 0.0
    last = x[seq[0]]
    n_side = np.int64(0)
    with_label = 0.0
    for j in active:
        with_label += t[counts[j]]
    m = active.shape[0]
    for i in range(seq.shape[0]):
        r = seq[i]
        u = x[r]
        if u > last:
            n_other = n_all - n_side
            g = with_label - m * (t[n_side] + t[n_other])
            for j in active:
                a = side[j]
                g += t[n_side - a] + t[n_other - counts[j] + a]
            if g > best:
                best = g
                low = last
                high = u
            last = u
        w = weight[r]
        for e in range(start[r], start[r + 1]):
            j = label[e]
            a = side[j]
            b = counts[j] - a
            with_label += t[a + w] - t[a] + t[b - w] - t[b]
            side[j] = a + w
        n_side += w
    return best, between(low, high)
