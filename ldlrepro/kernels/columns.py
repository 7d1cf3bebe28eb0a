"""Columns of features in the forms that the searches for a cut read.

A column of many values is sorted (its rows in ascending order), binned, or "numeric": put in order
at each node. For one of two values a node counts. It is "sparse" where each row lists the columns
in which it takes the rarer value, and "two-valued" where each column lists its rows.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel


class Sorted(NamedTuple):
    """p columns of many values in n rows."""

    order: np.ndarray  # (p, n) uint32, rows in ascending order
    code: np.ndarray  # (p, n) int32, rank of each row's value, equal for equal values
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
    """p columns in n rows, as `sort_rows` reads them."""

    values: np.ndarray  # (p, n) float64
    order: np.ndarray  # (p, n) uint32, rows in ascending order
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


@kernel
def kept(order, weight, m):
    """The rows of each column that have a weight: order (p, n), weight (n,); (p, m) uint32."""
    p, n = order.shape
    lists = np.empty((p, m), np.uint32)
    for f in range(p):
        k = 0
        for i in range(n):
            r = order[f, i]
            if weight[r] > 0:
                lists[f, k] = r
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
_ROW = np.uint64(2**32 - 1)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, np.uint64)  # number of a lone bit, by the top six bits of its product
for _i in range(64):
    _BIT[((int(_DE_BRUIJN) << _i) & (2**64 - 1)) >> 58] = _i


@kernel
def insert_rows(rows, numeric, f, work):
    """As `mark_rows`, of at most `FEW` rows, by insertion."""
    position, words, out = numeric.position, work.words, work.here
    for i in range(rows.shape[0]):
        r = rows[i]
        key = np.uint64(position[f, r]) << np.uint64(32) | np.uint64(r)
        j = i
        while j > 0 and words[j - 1] > key:
            words[j] = words[j - 1]
            j -= 1
        words[j] = key
    for i in range(rows.shape[0]):
        out[i] = words[i] & _ROW
        words[i] = np.uint64(0)


@kernel
def mark_rows(rows, numeric, f, work):
    """Put rows in the order of a column, in k + n / 64: set a bit for each and read them off.

    Parameters
    ----------
    rows : (k,) uint32
    numeric : Numeric
    f : int, the column
    words : (n / 64, at least `FEW`) uint64, zeros before and after
    out : (k or more,) uint32, the rows in order
    """
    order, position = numeric.order, numeric.position
    words, out = work.words, work.here
    for r in rows:
        at = np.uint64(position[f, r])
        words[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))
    k = 0
    for b in range(words.shape[0]):
        word = words[b]
        while word != np.uint64(0):
            lone = word & (~word + np.uint64(1))
            bit = _BIT[(lone * _DE_BRUIJN) >> np.uint64(58)]
            out[k] = order[f, (np.uint64(b) << np.uint64(6)) + bit]
            k += 1
            word ^= lone
        words[b] = np.uint64(0)
