"""Forests of multi-label trees as arrays: features put in order once, trees grown and walked."""

from dataclasses import dataclass

import numpy as np

from ldlrepro.kernels.multilabel import add_leaves, grow

_BLOCK = 128  # rows that are predicted together


class Columns:
    """Features in the form that `grow` reads: X (n, q) finite float64.

    Columns with at most two values are kept as bits, the others in order. Rows may be left out
    later by their weight, so that one table serves all folds and trees. ``a | b`` puts the columns
    of b after those of a.
    """

    def __init__(self, X):
        order = np.argsort(X, axis=0, kind="stable").T.astype(np.int32, order="C")
        values = np.ascontiguousarray(X.T)
        low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
        two = ((values == low) | (values == high)).all(axis=1)
        self.n_features = X.shape[1]
        self.numeric = np.flatnonzero(~two).astype(np.int32)
        self.values = values[~two]
        self.order = order[~two]
        self.position = np.empty_like(self.order)
        places = np.broadcast_to(np.arange(len(X), dtype=np.int32), self.order.shape)
        np.put_along_axis(self.position, self.order, places, axis=1)
        self.two_valued = np.flatnonzero(two).astype(np.int32)
        self.bits = (values[two] > low[two]).astype(np.uint8)
        self.one_start, self.one_rows = sparse_rows(self.bits)
        cut = low[two, 0] + 0.5 * (high[two, 0] - low[two, 0])
        self.cuts = np.where(cut < high[two, 0], cut, low[two, 0])

    def __or__(self, other):
        both = object.__new__(Columns)
        both.n_features = self.n_features + other.n_features
        for name in ("values", "order", "position", "bits", "cuts"):
            setattr(both, name, np.concatenate([getattr(self, name), getattr(other, name)]))
        both.one_start, both.one_rows = sparse_rows(both.bits)
        for name in ("numeric", "two_valued"):
            shifted = getattr(other, name) + np.int32(self.n_features)
            setattr(both, name, np.concatenate([getattr(self, name), shifted]))
        return both

    @property
    def arrays(self):
        """The first arguments of `grow`."""
        return (
            self.values,
            self.order,
            self.position,
            self.numeric,
            self.bits,
            self.one_start,
            self.one_rows,
            self.cuts,
            self.two_valued,
        )


def sparse_rows(Y):
    """Return (start, column): row i of Y (n, c) is not 0 at column[start[i]:start[i + 1]]."""
    row, column = np.nonzero(Y)
    start = np.zeros(len(Y) + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=len(Y)), out=start[1:])
    return start, column.astype(np.int32)


def label_rows(Y):
    """Labels Y (n, c) in the form that `grow` reads: `sparse_rows` and two labels a word."""
    n, c = Y.shape
    lanes = np.zeros((n, c + c % 2), np.uint32)
    lanes[:, :c][Y > 0] = 2**32 - 1
    words = lanes[:, ::2].astype(np.uint64) | lanes[:, 1::2].astype(np.uint64) << np.uint64(32)
    return *sparse_rows(Y), words


@dataclass
class Forest:
    """Trees, each a tuple of the arrays that `grow` returns, for ``n_labels`` labels."""

    trees: list
    n_labels: int

    def predict(self, X):
        """Mean label shares of the leaves reached: (n, q) in, (n, c) out."""
        P = np.zeros((len(X), self.n_labels))
        for first in range(0, len(X), _BLOCK):  # rows stay in the processor's cache over the trees
            block = slice(first, first + _BLOCK)
            for tree in self.trees:
                add_leaves(X[block], *tree, P[block])
        P /= len(self.trees)
        return P


def grow_forest(
    columns,
    labels,
    n_labels,
    rows,
    *,
    seed,
    n_estimators,
    entropy,
    random_cut,
    bootstrap,
    max_depth=None,
    min_samples_split=2,
    max_features="sqrt",
):
    """Grow a Forest on some rows of a table.

    Parameters
    ----------
    columns : Columns of n rows
    labels : what `label_rows` returns for them
    rows : (m,) int, rows to learn from
    seed : int
    """
    rng = np.random.RandomState(seed)
    states = rng.randint(2**63, size=n_estimators, dtype=np.int64).astype(np.uint64)
    n = len(labels[0]) - 1
    q = columns.n_features
    if max_features == "sqrt":
        max_features = max(1, int(np.sqrt(q)))
    trees = []
    for state in states:
        drawn = rows[rng.randint(len(rows), size=len(rows))] if bootstrap else rows
        trees.append(
            grow(
                *columns.arrays,
                *labels,
                n_labels,
                np.bincount(drawn, minlength=n).astype(np.int32),
                entropy,
                random_cut,
                2**31 if max_depth is None else max_depth,
                min_samples_split,
                q if max_features is None else max_features,
                np.array([state]),
            )
        )
    return Forest(trees, n_labels)
