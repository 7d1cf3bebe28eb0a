"""What StructRF and the single-label forest share: drawing, growing, joining and walking trees."""

import numpy as np
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.kernels import tree as kernel
from ldlrepro.kernels.columns import Sorted, in_order
from ldlrepro.kernels.nodes import LEAF, Limits
from ldlrepro.kernels.split import Step
from ldlrepro.models._columns import by_kind
from ldlrepro.models._threads import in_threads

#: Features that are put in order at a time.
_BLOCK = 16


class DistributionForest(LDLEstimator):
    """Trees on bootstrap samples whose leaves hold means of rows of D (Algorithms 1 and 2)."""

    def __init__(
        self,
        n_estimators=50,
        *,
        max_depth=20,
        min_samples_split=5,
        max_features=None,
        sampling_ratio=0.8,
        step="all",
        alpha=0.25,
        beta=8.0,
        random_state=None,
        n_jobs=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.sampling_ratio = sampling_ratio
        self.step = step
        self.alpha = alpha
        self.beta = beta
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _grow(self, X, D, label=None, n_classes=0):
        """Grow all trees on distributions D, splitting on classes or, without any, on clusters."""
        if self.step not in ("all", "adaptive"):
            raise ValueError(f'step must be "all" or "adaptive", got {self.step!r}.')
        if self.n_estimators < 1 or self.min_samples_split < 2:
            raise ValueError("n_estimators must be 1 or more and min_samples_split 2 or more.")
        if not 0 < self.sampling_ratio <= 1:
            raise ValueError(f"sampling_ratio must lie in (0, 1], got {self.sampling_ratio}.")
        n, q = X.shape
        columns = _prepare(X, self.n_jobs)
        label = np.zeros(n, np.int64) if label is None else label
        limits = Limits(
            np.iinfo(np.int64).max if self.max_depth is None else self.max_depth,
            self.min_samples_split,
            _number_of_features(self.max_features, q),
        )
        step = Step(self.step == "adaptive", float(self.alpha), float(self.beta))
        drawn = max(1, int(self.sampling_ratio * n))
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)

        def one(seed):
            rows = np.random.RandomState(seed).randint(n, size=drawn)
            weight = np.bincount(rows, minlength=n)
            state = np.array([seed], np.uint64)
            return kernel.grow(D, weight, label, n_classes, columns, limits, step, state)

        self._join(in_threads(one, seeds, self.n_jobs), q)

    def _join(self, trees, q):
        leaves = [tree.leaves for tree in trees]
        rest = [tree[:-1] for tree in trees]  # all but the leaves
        trees.clear()
        feature, threshold, left, right, samples, gain = zip(*rest, strict=True)
        sizes = np.array([len(f) for f in feature])
        self.roots_ = np.concatenate([[0], sizes.cumsum()[:-1]])
        last_leaf = np.cumsum([len(v) for v in leaves])
        first_leaf = np.concatenate([[0], last_leaf[:-1]])
        self.feature_ = np.concatenate(feature)
        self.threshold_ = np.concatenate(threshold)
        # A leaf's "left" is its row among the leaves, another node's is a node.
        shift = np.where(
            self.feature_ == LEAF,
            np.repeat(first_leaf, sizes),
            np.repeat(self.roots_, sizes),
        )
        self.left_ = (np.concatenate(left) + shift).astype(np.int32)
        self.right_ = (np.concatenate(right) + np.repeat(self.roots_, sizes)).astype(np.int32)
        self.samples_ = np.concatenate(samples)
        self.leaves_ = np.empty((last_leaf[-1], leaves[0].shape[1]))
        for first in first_leaf[::-1]:  # one by one: of a large forest they are most of the memory
            one = leaves.pop()
            self.leaves_[first : first + len(one)] = one
        self.n_nodes_ = len(self.feature_)
        importance = np.zeros(q)
        for f, g in zip(feature, gain, strict=True):
            inner = f != LEAF
            one = np.bincount(f[inner], weights=g[inner], minlength=q)
            importance += one / (one.sum() or 1.0)
        self.feature_importances_ = importance / (importance.sum() or 1.0)

    def apply(self, X):
        """Node number that each row reaches in each tree: (n, q) in, (n, n_estimators) ints out."""
        X = self._check_new(X)
        out = np.empty((len(X), len(self.roots_)), np.int64)
        kernel.apply(X, self.roots_, self.feature_, self.threshold_, self.left_, out)
        return out

    def _predict(self, X):
        out = np.empty((len(X), self.leaves_.shape[1]))
        nodes = self.roots_, self.feature_, self.threshold_, self.left_
        kernel.average_leaves(X, *nodes, self.leaves_, out)
        return out


def _number_of_features(max_features, q):
    if max_features is None:
        return q
    if max_features == "sqrt":
        return max(1, int(np.sqrt(q)))
    if isinstance(max_features, int | np.integer) and 1 <= max_features <= q:
        return int(max_features)
    raise ValueError(f'max_features must be None, "sqrt" or 1 to {q}, got {max_features!r}.')


def _prepare(X, n_jobs=None):
    """The features as Sorted, each put in order once, and Sparse."""
    many, sparse = by_kind(X)
    shape = len(many), len(X)
    columns = Sorted(np.empty(shape, np.uint64), np.empty(shape), many)

    def put_in_order(first):
        block = slice(first, first + _BLOCK)  # what is needed in between stays in the cache
        columns.values[block] = values = np.ascontiguousarray(X[:, many[block]].T)
        columns.entry[block] = in_order(values)[1]

    blocks = range(0, len(many), _BLOCK)
    in_threads(put_in_order, blocks, n_jobs)
    return columns, sparse
