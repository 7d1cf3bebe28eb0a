"""What both boosting methods share: binned features, rounds, early stopping, staged prediction."""

import numpy as np
from scipy.special import softmax
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import public
from ldlrepro.kernels import boosting as kernel
from ldlrepro.kernels.columns import Binned
from ldlrepro.metrics import kl_divergence
from ldlrepro.models._columns import by_kind, middle


class Booster(LDLEstimator):
    """Boosting of p_j(x) = exp(f_j(x)) / sum_k exp(f_k(x)) from f = 0.

    A method writes ``_grow_round(D, P, columns)``, the trees of one round as tuples of arrays,
    and ``_step(S)``, the change of the scores f that the sum S of a round's trees stands for.
    """

    def __init__(
        self,
        n_estimators=1000,
        *,
        learning_rate=0.1,
        max_leaf_nodes=20,
        max_depth=None,
        min_samples_leaf=20,
        validation_fraction=0.1,
        n_iter_no_change: int | None = 50,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    def _step(self, S):
        return self.learning_rate * S

    def _fit(self, X, D):
        if min(self.n_estimators, self.min_samples_leaf) < 1 or self.max_leaf_nodes < 2:
            raise ValueError(
                "n_estimators and min_samples_leaf must be 1 or more, max_leaf_nodes 2 or more."
            )
        if self.max_depth is not None and self.max_depth < 1:
            raise ValueError(f"max_depth must be 1 or more, or None, got {self.max_depth}.")
        if self.learning_rate <= 0:
            raise ValueError(f"learning_rate must be positive, got {self.learning_rate}.")
        if self.n_iter_no_change is None:
            X_valid = None
        else:
            X, D, X_valid, D_valid = self._hold_out(X, D)
            F_valid = np.zeros(D_valid.shape)
        columns = prepare(X)
        F = np.zeros(D.shape)
        rounds, train_loss, valid_loss, best = [], [], [], 0
        for t in range(self.n_estimators):
            trees = _join(self._grow_round(D, softmax(F, axis=1), columns))
            rounds.append(trees)
            F += self._step(_sum(X, trees, D.shape[1]))
            train_loss.append(kl_divergence(D, softmax(F, axis=1)))
            if X_valid is None:
                best = t
                continue
            F_valid += self._step(_sum(X_valid, trees, D.shape[1]))
            valid_loss.append(kl_divergence(D_valid, softmax(F_valid, axis=1)))
            if valid_loss[t] < valid_loss[best]:
                best = t
            if t - best >= self.n_iter_no_change:
                break
        self.rounds_ = rounds[: best + 1]
        self.n_estimators_ = best + 1
        self.train_loss_ = np.array(train_loss)
        self.validation_loss_ = None if X_valid is None else np.array(valid_loss)

    def _tree_size(self, n):
        depth = n if self.max_depth is None else self.max_depth
        return kernel.Size(self.max_leaf_nodes, depth, self.min_samples_leaf)

    def _hold_out(self, X, D):
        if not 0 < self.validation_fraction < 1:
            raise ValueError(
                f"validation_fraction must lie in (0, 1), got {self.validation_fraction}."
            )
        if self.n_iter_no_change < 1:
            raise ValueError(f"n_iter_no_change must be 1 or more, got {self.n_iter_no_change}.")
        n = len(X)
        held = min(max(1, round(self.validation_fraction * n)), n - 1)
        rows = check_random_state(self.random_state).permutation(n)
        valid, train = rows[:held], np.sort(rows[held:])
        return X[train], D[train], X[valid], D[valid]

    def _staged(self, X):
        F = np.zeros((len(X), self.n_labels_))
        for trees in self.rounds_:
            F += self._step(_sum(X, trees, self.n_labels_))
            yield F  # one array, updated in place

    def _predict(self, X):
        return softmax(list(self._staged(X))[-1], axis=1)

    @public
    def staged_predict(self, X):
        """Predict after each kept round: (n, q) features in, yields ``n_estimators_`` (n, c)."""
        X = self._check_new(X)
        return (softmax(F, axis=1) for F in self._staged(X))


def _join(trees):
    """Put the trees of a round into one set of arrays, with their roots first."""
    sizes = [len(tree[0]) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    feature, threshold, left, right, r, s, value = (
        np.concatenate(part) for part in zip(*trees, strict=True)
    )
    shift = np.repeat(roots, sizes).astype(np.int32)
    return roots, feature, threshold, left + shift, right + shift, r, s, value


def _sum(X, trees, c):
    S = np.zeros((len(X), c))
    kernel.add_trees(X, *trees, S)
    return S


def prepare(X):
    """The features as Binned, each binned once, and Sparse.

    A column of at most ``MAX_BINS`` values has a bin a value, another one has ``MAX_BINS`` bins
    with about as many rows in each.
    """
    many, sparse = by_kind(X)
    bins = np.empty((len(many), len(X)), np.uint8)
    n_bins = np.empty(len(many), np.int64)
    cuts = np.zeros((len(many), kernel.MAX_BINS - 1))
    for f, column in enumerate(many):
        cut = _cuts(X[:, column])
        bins[f] = np.searchsorted(cut, X[:, column], side="right")
        n_bins[f] = len(cut) + 1
        cuts[f, : len(cut)] = cut
    return Binned(bins, n_bins, cuts, many), sparse


def _cuts(x):
    """Thresholds between neighbouring values, thinned to ``MAX_BINS - 1`` (a row is left below)."""
    values, counts = np.unique(x, return_counts=True)
    above = np.arange(1, len(values))
    if len(values) > kernel.MAX_BINS:
        wanted = np.arange(1, kernel.MAX_BINS) * len(x) / kernel.MAX_BINS
        above = np.unique(np.searchsorted(counts.cumsum(), wanted) + 1)
        above = above[above < len(values)]
    return middle(values[above - 1], values[above])
