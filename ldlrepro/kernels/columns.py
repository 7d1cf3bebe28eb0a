"""Columns of features in the forms that the searches for a cut read.

A column of many values is sorted (its rows in ascending order), binned, or "numeric": put in order
at each node. For one of two values a node counts. It is "sparse" where each row lists the columns
in which it takes the rarer value, and "two-valued" where each column lists its rows.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel, part

_ROW, _HALF = np.uint64(2**32 - 1), np.uint64(32)


class Sorted(NamedTuple):
    """p columns of many values in n rows."""

    entry: np.ndarray  # (p, n) uint64, rows in ascending order, as `in_order` makes them
    values: np.ndarray  # (p, n) float64
    feature: np.ndarray  # (p,) int32, column numbers in X


class Binned(NamedTuple):
    """p columns of many values in n rows, as histograms see them."""

    bins: np.ndarray  # (p, n) uint8, bin of each row
    n_bins: np.ndarray  # (p,) int64
    cut: np.ndarray  # (p, bins - 1) float64, threshold above each bin
    feature: np.ndarray  # (p,) int32, column numbers in X


class Sparse(NamedTuple):
    """b columns of two values: row i has the rarer one in index[start[i]:start[i + 1]]."""

    start: np.ndarray  # (n + 1,) int64
    index: np.ndarray  # int32, among the b
    rare_is_low: np.ndarray  # (b,) bool, whether the rarer value is the smaller one
    threshold: np.ndarray  # (b,) float64, between the values
    feature: np.ndarray  # (b,) int32, column numbers in X


class Numeric(NamedTuple):
    """p columns in n rows, as `mark_rows` reads them."""

    values: np.ndarray  # (p, n) float64
    entry: np.ndarray  # (p, n) uint64, rows in ascending order, as `in_order` makes them
    position: np.ndarray  # (p, n) uint32, place of each row there
    feature: np.ndarray  # (p,) int32, column numbers in X


class TwoValued(NamedTuple):
    """b columns of at most two values in n rows: rows[start[f]:start[f + 1]] have the larger."""

    bits: np.ndarray  # (b, n) uint8, 1 at the larger value
    words: np.ndarray  # (n, ceil(b / 64)) uint64, the same bits, of a row at a time
    start: np.ndarray  # (b + 1,) int64
    rows: np.ndarray  # uint32
    cut: np.ndarray  # (b,) float64, the smaller value <= cut < the larger one
    feature: np.ndarray  # (b,) int32, column numbers in X


def in_order(values):
    """Columns of numbers put in order, as entries: a row and the rank of its value in one word.

    A search that reads them in order has the rank beside the row, where it would read it at random.

    Parameters
    ----------
    values : (p, n) float64

    Returns
    -------
    order : (p, n) ints
        Rows in ascending order of their values, those with equal values in the order of X.
    entry : (p, n) uint64
    """
    order = np.argsort(values, axis=1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=1)
    rank = np.zeros(order.shape, np.uint64)
    np.cumsum(ascending[:, 1:] != ascending[:, :-1], axis=1, out=rank[:, 1:])
    return order, rank << _HALF | order.astype(np.uint64)


@part
def row_of(entry):
    """Row of an entry; its rank is in the upper half."""
    return entry & _ROW


@part
def same_value(a, b):
    """Whether two entries of a column have the same value."""
    return a >> _HALF == b >> _HALF


@kernel
def kept(entry, weight, m):
    """The entries of each column whose rows have a weight: entry (p, n), weight (n,); (p, m)."""
    p, n = entry.shape
    lists = np.empty((p, m), np.uint64)
    for f in range(p):
        k = 0
        for i in range(n):
            e = entry[f, i]
            if weight[row_of(e)] > 0:
                lists[f, k] = e
                k += 1
    return lists


@kernel
def midpoint(a, b):
    """A threshold x with a < x <= b: rows left of it are those with a value < x."""
    mid = a + 0.5 * (b - a)
    return mid if mid > a else b  # neighbouring floats have nothing between them


@kernel
def send_by_sparse(rows, f, sparse, goes_left):
    """Mark which rows (k,) the sparse column f sends left, in goes_left (n,) uint8."""
    start, index, rare_is_low, _, _ = sparse
    low = np.uint8(1) if rare_is_low[f] else np.uint8(0)
    for r in rows:
        goes_left[r] = 1 - low
        for e in range(start[r], start[r + 1]):
            if index[e] == f:
                goes_left[r] = low
                break


FEW = 16  # rows below which insertion beats the bit set
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, np.uint64)  # number of a lone bit, by the top six bits of its product
for _i in range(64):
    _BIT[((int(_DE_BRUIJN) << _i) & (2**64 - 1)) >> 58] = _i


@part
def insert_rows(rows, numeric, f, work):
    """As `mark_rows`, of at most `FEW` rows, by insertion."""
    entry, position, out = numeric.entry, numeric.position, work.ordered
    for i in range(rows.shape[0]):
        e = entry[f, position[f, rows[i]]]
        j = i
        while j > 0 and out[j - 1] > e:
            out[j] = out[j - 1]
            j -= 1
        out[j] = e


@part
def mark_rows(rows, numeric, f, work):
    """Put rows in the order of a column, in k + n / 64: set a bit for each and read them off.

    Parameters
    ----------
    rows : (k,) uint32
    numeric : Numeric
    f : int, the column
    work : Work, of which
        words : (n / 64,) uint64, zeros before and after
        ordered : (k or more,) uint64, out: the entries in order
    """
    entry, position = numeric.entry, numeric.position
    words, out = work.words, work.ordered
    for r in rows:
        at = np.uint64(position[f, r])
        words[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))
    k = 0
    for b in range(words.shape[0]):
        word = words[b]
        while word != np.uint64(0):
            lone = word & (~word + np.uint64(1))
            bit = _BIT[(lone * _DE_BRUIJN) >> np.uint64(58)]
            out[k] = entry[f, (np.uint64(b) << np.uint64(6)) + bit]
            k += 1
            word ^= lone
        words[b] = np.uint64(0)
