"""What forests of differentiable trees share: features, and the alternation of Algorithm 1.

Shen, Zhao, Guo, Yuille, "Label Distribution Learning Forests", NIPS 2017: LDLF below.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.errors import outside
from ldlrepro.kernels import ldlf as kernel
from ldlrepro.metrics import kl_divergence

#: Mixtures are raised to this value in logarithms and denominators, as in the K-L divergence.
FLOOR = np.finfo(np.float64).eps
#: Root mean square of the outputs f beyond which a run has diverged: splits are hard, and there is
#: no gradient to lead back. Runs that learn stay below 10 or so.
LIMIT = 100.0

_SPARSE_BATCHES_BELOW = 0.1  # share of non-zero features under which compressed rows are faster
_BETA1, _BETA2, _EPSILON = 0.9, 0.999, 1e-8  # of Adam
_STATES = {"adam": 2, "sgd": 1}
_BLOCK = 1024  # rows predicted at a time


class SplitFeatures:
    """Rows in the form in which f = Theta^T x is fast, after (x - shift) * factor.

    Sparse rows are never centred: the shift is taken off their products with Theta.
    """

    def __init__(self, X, shift, factor, dtype):
        self.shape, self.dtype = X.shape, np.dtype(dtype)
        # Root mean square of the rows' lengths, for a start with f of about 1.
        self.length = np.sqrt(np.square((X - shift) * factor).sum() / len(X)) or 1.0
        self.sparse = np.count_nonzero(X) < _SPARSE_BATCHES_BELOW * X.size
        if self.sparse:
            X = csr_array(X * factor)
            self.rows = X.indptr, X.indices, X.data.astype(dtype)
            self.shift = (shift * factor).astype(dtype)
        else:
            self.X = ((X - shift) * factor).astype(dtype)

    def outputs(self, T, rows):
        """f of the given rows: T (q, t) in, (t, len(rows)) out."""
        if not self.sparse:
            return np.dot(T.T, self.X[rows].T)
        out = np.empty((T.shape[1], len(rows)), T.dtype)
        kernel.sparse_product(*self.rows, rows, T, self.shift @ T, out)
        return out

    def back(self, G, rows):
        """sum over rows of x G: (t, len(rows)) in, (q, t) out."""
        if not self.sparse:
            return np.dot(self.X[rows].T, G.T)
        out = np.empty((self.shape[1], len(G)), G.dtype)
        kernel.sparse_back(*self.rows, rows, G, self.shift, G.sum(axis=1), out)
        return out


class Trees(NamedTuple):
    """Theta (q, t), index functions (K, N) into its columns, leaves (K, N + 1, c)."""

    theta: np.ndarray
    phi: np.ndarray
    leaves: np.ndarray

    def copy(self):
        """The same trees, apart from later steps."""
        return Trees(self.theta.copy(), self.phi, self.leaves.copy())

    def predict(self, features, rows=None):
        """Mean of the trees' predictions, (n, c) float64."""
        rows = np.arange(features.shape[0]) if rows is None else rows
        theta, leaves = (A.astype(features.dtype, copy=False) for A in (self.theta, self.leaves))
        P = np.empty((len(rows), self.leaves.shape[2]))
        for i in range(0, len(rows), _BLOCK):
            S = split(features.outputs(theta, rows[i : i + _BLOCK]))
            out = np.empty((len(self.phi), P.shape[1], S.shape[1]), S.dtype)
            kernel.predict(S, self.phi, leaves, out)
            P[i : i + _BLOCK] = out.mean(axis=0, dtype=np.float64).T
        return P / P.sum(axis=1, keepdims=True)


def split(F):
    """Sigmoid of F, in place."""
    with np.errstate(over="ignore"):  # exp(-f) = inf gives s = 0, as it should
        np.exp(np.negative(F, out=F), out=F)
    F += 1
    return np.reciprocal(F, out=F)


class History(NamedTuple):
    """What a run of Algorithm 1 leaves behind."""

    trees: Trees
    best: int  # the iteration of trees
    losses: np.ndarray  # of the mini-batches, (iterations,)
    validation: list  # (iteration, K-L) pairs
    path: dict  # Trees by iteration


def index_functions(rng, n_estimators, depth, n_outputs):
    """phi: (K, 2^(h-1) - 1) outputs, drawn at random and without repetition within a tree."""
    splits = 2 ** (depth - 1) - 1
    return np.stack([rng.permutation(n_outputs)[:splits] for _ in range(n_estimators)])


class _Diverged(ValueError):
    pass


class _Learner:
    """State of Algorithm 1: mini-batches, Theta with its optimiser, leaves."""

    def __init__(self, settings, rng, features, D, train, n_estimators):
        self.settings, self.rng, self.features, self.train = settings, rng, features, train
        self.dtype = np.dtype(settings.dtype)
        self.floor = self.dtype.type(FLOOR)
        self.D = np.ascontiguousarray(D.T.astype(self.dtype))
        phi = index_functions(rng, n_estimators, settings.depth, settings.n_outputs)
        used, phi = np.unique(phi, return_inverse=True)  # other outputs would get no gradient
        phi = phi.reshape(n_estimators, -1)
        theta = rng.standard_normal((features.shape[1], len(used))) / features.length
        leaves = np.full((n_estimators, phi.shape[1] + 1, len(self.D)), 1 / len(self.D))
        self.trees = Trees(theta.astype(self.dtype), phi, leaves.astype(self.dtype))
        self.size = min(settings.batch_size, len(train))
        self.counts = np.zeros(len(D), np.int64)
        self.mixtures = np.empty((n_estimators, len(self.D), self.size), self.dtype)
        self.moments = [np.zeros_like(self.trees.theta) for _ in range(_STATES[settings.optimizer])]

    def draw(self):
        """Rows of a mini-batch, all of them if it is as large as the training part."""
        if self.size == len(self.train):
            rows = self.train
        else:
            rows = self.train[self.rng.permutation(len(self.train))[: self.size]]
        self.counts[rows] += 1
        return rows

    def split(self, rows):
        """Split probabilities of rows, (t, len(rows)); raises _Diverged."""
        F = np.empty((self.trees.theta.shape[1], len(rows)), self.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # that is what is looked for
            for i in range(0, len(rows), _BLOCK):
                part = rows[i : i + _BLOCK]
                F[:, i : i + _BLOCK] = self.features.outputs(self.trees.theta, part)
            if not np.vdot(F, F) <= LIMIT**2 * F.size:  # NaN is no smaller
                raise _Diverged(
                    f"{type(self.settings).__name__}: the outputs f have a root mean square above "
                    f"{LIMIT:g} or are not finite: scale the features to about [-1, 1]."
                )
        return split(F)

    def step(self, iteration):
        """One step of Theta on a new mini-batch; returns its loss R_F before the step."""
        rows = self.draw()
        S = self.split(rows)
        D, g, (theta, phi, leaves) = self.D[:, rows], self.mixtures, self.trees
        G = np.empty_like(S)
        kernel.gradient(S, phi, leaves, D, self.floor, g, G)
        loss = -(D * np.log(np.maximum(g, self.floor))).sum(dtype=np.float64)
        scale = len(phi) * len(rows)
        G *= self.dtype.type(1 / scale)
        number, rate = self.dtype.type, self.settings.learning_rate
        slope = self.features.back(G, rows)
        if self.settings.optimizer == "sgd":
            momentum = number(self.settings.momentum)
            kernel.momentum_step(theta, slope, *self.moments, number(rate), momentum)
        else:
            # The bias corrections of both moments, moved into the rate and epsilon.
            root = np.sqrt(1 - _BETA2**iteration)
            rate = number(rate * root / (1 - _BETA1**iteration))
            betas, epsilon = (number(_BETA1), number(_BETA2)), number(_EPSILON * root)
            kernel.adam_step(theta, slope, *self.moments, rate, *betas, epsilon)
        return loss / scale

    def update_leaves(self):
        """Eq. 12 on the mini-batches since the last update.

        Rows are taken once, with the number of mini-batches that hold them as a weight.
        """
        rows = np.flatnonzero(self.counts)
        S, D = self.split(rows), self.D[:, rows] * self.counts[rows].astype(self.dtype)
        _, phi, leaves = self.trees
        kernel.update_leaves(S, phi, leaves, D, self.floor, self.settings.leaf_iter)
        self.counts[:] = 0


class DifferentiableForest(LDLEstimator):
    """Algorithm 1 of LDLF; subclasses have the parameters of LDLForest."""

    def _check(self):
        at_least_1 = ("n_estimators", "n_outputs", "leaf_iter", "leaf_batches", "max_iter")
        for name in (*at_least_1, "batch_size", "n_iter_no_change"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)!r}.")
        if self.depth < 2:
            raise ValueError(f"depth must be 2 (one split) or more, got {self.depth!r}.")
        if not 0 < self.learning_rate < np.inf:
            raise ValueError(f"learning_rate must be positive, got {self.learning_rate!r}.")
        for name in ("momentum", "validation_fraction"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be in [0, 1), got {getattr(self, name)!r}.")
        if not all(0 <= iteration <= self.max_iter for iteration in self.path):
            raise ValueError(f"path must be in 0 .. max_iter={self.max_iter}, got {self.path!r}.")
        for name, known in (
            ("optimizer", tuple(_STATES)),
            ("scale", (None, "standard")),
            ("dtype", ("float32", "float64")),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {known}, got {getattr(self, name)!r}.")

    def _check_memory(self, n, q, n_estimators):
        """Raise ValueError if the large arrays of a fit would take more than the limit."""
        splits = 2 ** (self.depth - 1) - 1
        t = min(self.n_outputs, n_estimators * splits)
        # Theta, its gradient, moments, the trees that are kept, and a copy on the way.
        thetas = 4 + _STATES[self.optimizer] + len(self.path)
        rows = 3 * min(self.batch_size, n) + min(self.leaf_batches * self.batch_size, n)
        entries = t * (thetas * q + rows) + 3 * n_estimators * splits * self.n_labels_
        need = entries * np.dtype(self.dtype).itemsize / 2**30
        if need > self.memory_limit:
            raise ValueError(
                f"A fit with depth={self.depth}, n_outputs={self.n_outputs} and batch_size="
                f"{self.batch_size} on {n} rows of {q} features takes about {need:.2g} GiB, more "
                f"than memory_limit={self.memory_limit}: lower one of them, or raise the limit."
            )

    def _prepare(self, X, n_estimators):
        """Check parameters; returns the generator, features, training and validation rows."""
        self._check()
        splits = 2 ** (self.depth - 1) - 1
        if splits > self.n_outputs:
            raise ValueError(
                f"depth={self.depth} has 2^(depth-1) - 1 = {splits} split nodes, and phi gives "
                f"each an output of its own: n_outputs={self.n_outputs} must be {splits} or more, "
                "or depth smaller."
            )
        self._check_memory(*X.shape, n_estimators)
        rng = check_random_state(self.random_state)
        self.shift_, self.factor_ = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if self.scale == "standard":
            deviation = X.std(axis=0)
            varies = deviation > 1e-12 * np.abs(X).max(axis=0)  # rounding is no variation
            self.shift_ = X.mean(axis=0)
            self.factor_[varies] = 1 / deviation[varies]
        features = SplitFeatures(X, self.shift_, self.factor_, self.dtype)
        rows = np.arange(len(X))
        held_out = int(self.validation_fraction * len(X))
        if held_out:
            rows = rng.permutation(len(X))
        return rng, features, np.sort(rows[held_out:]), np.sort(rows[:held_out])

    def _features(self, X):
        """Features of rows to predict: float64 whatever the fit, so that rows do not interact."""
        return SplitFeatures(X, self.shift_, self.factor_, np.float64)

    def _learn(self, rng, features, D, train, validation, n_estimators, max_iter):
        """Algorithm 1. Returns a History."""
        learner = _Learner(self, rng, features, D, train, n_estimators)
        trees = learner.trees
        for _ in range(self.leaf_batches):
            learner.draw()
        learner.update_leaves()
        curve, tried, path = [], [], {0: trees.copy()} if 0 in self.path else {}
        best, kept = 0, trees.copy()
        if len(validation):
            tried.append((0, kl_divergence(D[validation], trees.predict(features, validation))))
        for iteration in range(1, max_iter + 1):
            ended = iteration == max_iter
            checkpoint = iteration % self.leaf_batches == 0
            try:
                curve.append(learner.step(iteration))
                if checkpoint:
                    learner.update_leaves()
                elif ended:
                    learner.split(train[: learner.size])  # is the last step a good one?
            except _Diverged:
                for unchecked in (iteration - 1, iteration):
                    path.pop(unchecked, None)
                warnings.warn(
                    f"{type(self).__name__} diverged at iteration {iteration}: the root mean "
                    f"square of the outputs f is above {LIMIT:g} or not finite. The trees of "
                    f"iteration {best} are kept; lower learning_rate={self.learning_rate}.",
                    ConvergenceWarning,
                    stacklevel=outside(),
                )
                break
            if iteration in self.path:
                path[iteration] = trees.copy()
            if not checkpoint and not ended:
                continue
            if len(validation):
                loss = kl_divergence(D[validation], trees.predict(features, validation))
                tried.append((iteration, loss))
                if loss > min(value for _, value in tried[:-1]):
                    if sum(i > best for i, _ in tried) >= self.n_iter_no_change:
                        break
                    continue
            best, kept = iteration, trees if ended else trees.copy()
        for i in self.path:
            path.setdefault(i, kept)  # after an early end
        return History(kept, best, np.array(curve), tried, path)
