"""Features by kind, in the forms that the kernels read."""

import numpy as np

from ldlrepro.kernels.columns import Sparse

#: Rows that are looked at together: they stay in the processor's cache.
_ROWS = 64


def by_kind(X):
    """Columns of X (n, q) with many values (as numbers), and those with two (as Sparse).

    Constant columns are dropped: they have no threshold.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    varies = low < high
    two_valued = varies.copy()
    is_low = np.empty(X.shape, bool)
    for first in range(0, len(X), _ROWS):
        block = slice(first, first + _ROWS)
        np.equal(X[block], low, out=is_low[block])
        two_valued &= (is_low[block] | (X[block] == high)).all(axis=0)
    many = np.flatnonzero(varies & ~two_valued).astype(np.int32)
    two = np.flatnonzero(two_valued).astype(np.int32)
    is_low = is_low[:, two]
    rare_is_low = is_low.sum(axis=0) * 2 <= len(X)
    start, index = sparse_rows(is_low == rare_is_low)
    return many, Sparse(start, index, rare_is_low, middle(low[two], high[two]), two)


def sparse_rows(Y):
    """Return (start, column): row i of Y (n, c) is not 0 at column[start[i]:start[i + 1]]."""
    row, column = np.nonzero(Y)
    start = np.zeros(len(Y) + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=len(Y)), out=start[1:])
    return start, column.astype(np.int32)


def middle(a, b):
    """Thresholds between values a < b (arrays): rows with a value < threshold are those with a."""
    mid = a + 0.5 * (b - a)
    return np.where(mid > a, mid, b)  # neighbouring floats have nothing between them
