"""Forests of multi-label trees as arrays: features put in order once, trees grown and walked."""

from dataclasses import dataclass

import numpy as np

from ldlrepro.kernels.columns import Numeric, TwoValued, in_order
from ldlrepro.kernels.label_split import Labels
from ldlrepro.kernels.label_walk import add_leaves, add_leaves_of_bits, steps
from ldlrepro.kernels.labels import Rule, grow
from ldlrepro.kernels.nodes import Limits
from ldlrepro.models._columns import sparse_rows
from ldlrepro.models._threads import in_threads

#: Bytes of features that are predicted together: they stay in the processor's cache over the trees.
_BLOCK = 2**20


class Columns:
    """Features in the form that `grow` reads: X (n, q) finite float64.

    Columns with at most two values are kept as bits, the others in order. Rows may be left out
    later by their weight, so that one table serves all folds and trees. ``a | b`` puts the columns
    of b after those of a.
    """

    def __init__(self, X):
        values = np.ascontiguousarray(X.T)
        low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
        two = ((values == low) | (values == high)).all(axis=1)
        self.n_features = X.shape[1]
        self.numeric = _numeric(values[~two], np.flatnonzero(~two).astype(np.int32))
        bits = (values[two] > low[two]).astype(np.uint8)
        cut = low[two, 0] + 0.5 * (high[two, 0] - low[two, 0])
        cut = np.where(cut < high[two, 0], cut, low[two, 0])
        two_valued = np.flatnonzero(two).astype(np.int32)
        self.two_valued = _two_valued(bits, cut, two_valued)

    def __or__(self, other):
        both = object.__new__(Columns)
        both.n_features = self.n_features + other.n_features
        shift = np.int32(self.n_features)
        a, b = self.numeric, other.numeric
        both.numeric = Numeric(
            np.concatenate([a.values, b.values]),
            np.concatenate([a.entry, b.entry]),
            np.concatenate([a.position, b.position]),
            np.concatenate([a.feature, b.feature + shift]),
        )
        a, b = self.two_valued, other.two_valued
        bits = np.concatenate([a.bits, b.bits])
        cut, feature = (
            np.concatenate([a.cut, b.cut]),
            np.concatenate([a.feature, b.feature + shift]),
        )
        both.two_valued = _two_valued(bits, cut, feature)
        return both


def _numeric(values, feature):
    """Numeric of values (p, n)."""
    order, entry = in_order(values)
    position = np.empty(order.shape, np.uint32)
    places = np.broadcast_to(np.arange(values.shape[1], dtype=np.uint32), order.shape)
    np.put_along_axis(position, order, places, axis=1)
    return Numeric(values, entry, position, feature)


def _two_valued(bits, cut, feature):
    """TwoValued of bits (b, n) uint8."""
    start, rows = sparse_rows(bits)
    return TwoValued(bits, _words(bits.T), start, rows.astype(np.uint32), cut, feature)


def _words(bits):
    """Bits (n, b) packed, 64 in a uint64."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    words = np.zeros((len(packed), -(-bits.shape[1] // 64) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.dtype("<u8")).astype(np.uint64)


def label_rows(Y):
    """Labels Y (n, c) as Labels, the form that `grow` reads."""
    start, label = sparse_rows(Y)
    start = start.astype(np.uint64)
    return Labels(start[:-1], start[1:], label.astype(np.uint32))


@dataclass
class LabelForest:
    """Trees, each what `grow` returns, for ``n_labels`` labels.

    cuts : (q,) float64 where every feature has at most two values, so that all trees cut it at the
        same place; otherwise None
    """

    trees: list
    n_labels: int
    cuts: np.ndarray | None = None

    def predict(self, X):
        """Mean label shares of the leaves reached: (n, q) in, (n, c) out."""
        if self.cuts is not None:
            X, by_bits = _words(X > self.cuts), [steps(tree) for tree in self.trees]
        P = np.zeros((len(X), self.n_labels))
        size = max(512, min(_BLOCK // (8 * X.shape[1]), 4096))
        node, walking = np.empty(size, np.int64), np.empty(size, np.uint32)
        for first in range(0, len(X), size):
            block = slice(first, first + size)
            for i, tree in enumerate(self.trees):
                if self.cuts is None:
                    add_leaves(X[block], tree, node, walking, P[block])
                else:
                    add_leaves_of_bits(X[block], tree, by_bits[i], node, walking, P[block])
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
    n_jobs=None,
):
    """Grow a Forest on some rows of a table.

    Parameters
    ----------
    columns : Columns of n
        Rows.
    labels
        What `label_rows` returns for them.
    rows : (m,) int
        Rows to learn from.
    seed : int
        Seeds what is drawn.
    n_jobs : int or None
        Threads.
    """
    rng = np.random.RandomState(seed)
    states = rng.randint(2**63, size=n_estimators, dtype=np.int64).astype(np.uint64)
    n = len(labels.start)
    q = columns.n_features
    if max_features == "sqrt":
        max_features = max(1, int(np.sqrt(q)))
    limits = Limits(
        2**31 if max_depth is None else int(max_depth),
        int(min_samples_split),
        q if max_features is None else int(max_features),
    )
    all_rows = _times_drawn(rows, n)

    def draw():
        return _times_drawn(rows[rng.randint(len(rows), size=len(rows))], n)

    def one(tree):
        state, weight = tree
        return grow(
            columns.numeric,
            columns.two_valued,
            labels,
            n_labels,
            weight,
            Rule(entropy, random_cut),
            limits,
            np.array([state]),
        )

    each = ((state, draw() if bootstrap else all_rows) for state in states)
    trees = in_threads(one, each, n_jobs)
    cuts = None if len(columns.numeric.feature) else columns.two_valued.cut
    return LabelForest(trees, n_labels, cuts)


def _times_drawn(rows, n):
    """How often each of n rows was drawn: (n,) int32."""
    return np.bincount(rows, minlength=n).astype(np.int32)
