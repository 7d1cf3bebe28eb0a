"""The maximum-entropy objective and what its solvers share.

Conventions: coefficients W (c, q), one row a label; p_j(x) = exp(w_j.x + o_j) / sum_k exp(w_k.x +
o_k); loss T(W) = -sum_ij d_ij ln p_ij. The offsets o are fixed: 0 (Geng, TKDE 2016, section 3.3,
which has no intercept), or the logarithms of the mean degrees. Inside, logits and probabilities are
label-major, (c, n): sums over labels then run over long rows.
"""

import warnings

import numpy as np
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator, weigh
from ldlrepro.entrance import public
from ldlrepro.errors import SettingsWarning, outside
from ldlrepro.kernels.maxent import normalise, skinny_product, subtract_top

_SPARSE_PRODUCTS_BELOW = 0.2  # share of non-zero features under which compressed rows are faster


class Design:
    """Features in the form in which products with few labels are fast."""

    def __init__(self, X, offset=None):
        self.offset = None if offset is None else offset[:, None]
        self.sparse = np.count_nonzero(X) < _SPARSE_PRODUCTS_BELOW * X.size
        self.X = csr_array(X) if self.sparse else X
        self.XT = self.X.T.tocsr() if self.sparse else np.ascontiguousarray(X.T)

    def __abs__(self):
        result = object.__new__(Design)
        result.sparse, result.X, result.XT = self.sparse, abs(self.X), abs(self.XT)
        result.offset = None
        return result

    def logits(self, W):
        """W X^T + o: (c, q) coefficients in, (c, n) out."""
        Z = self._times(self.X, W)
        if self.offset is not None:
            Z += self.offset
        return Z

    def back(self, R):
        """R X: (c, n) in, (c, q) out."""
        return self._times(self.XT, R)

    def _times(self, A, B):
        if self.sparse:
            return np.ascontiguousarray((A @ B.T).T)
        out = np.empty((len(B), len(A)))
        skinny_product(A, B, out)
        return out


def softmax_residual(Z, D, weight=None):
    """Turn logits Z (c, n) into probabilities minus D (c, n), in place; times ``weight`` (n,).

    Returns the sum over columns of ln sum_j exp(z_j), weighted, a float. numpy's exp runs on
    vectors; the loops around it are kernels, because calls cost more than sums on small data.
    """
    top = np.empty(Z.shape[1])
    total = np.empty(Z.shape[1])
    subtract_top(Z, top)
    np.exp(Z, out=Z)
    normalise(Z, D, total)
    if weight is None:
        return np.log(total).sum() + top.sum()
    Z *= weight
    return weight @ (np.log(total) + top)


class MaxEntLoss:
    """Loss and gradient at flat coefficients: ``loss(w) -> float, (c * q,)``; rows have weights."""

    def __init__(self, X, D, offset=None, weight=None):
        self.design = Design(X, offset)
        self.weight = weight
        self.DT = np.ascontiguousarray(D.T)
        weighted = weigh(D, weight)
        self.constant = 0.0 if offset is None else offset @ weighted.sum(axis=0)
        self.XD = self.design.back(np.ascontiguousarray(weighted.T))
        self.shape = self.XD.shape

    def __call__(self, w):
        """Return the loss (float) and its gradient (flat) at ``w``, (c * q,) float64."""
        W = w.reshape(self.shape)
        Z = self.design.logits(W)
        # sum_ij d_ij z_ij = W . (D^T X) + sum_ij d_ij o_j, and the rows of D sum to 1.
        loss = softmax_residual(Z, self.DT, self.weight) - np.vdot(W, self.XD) - self.constant
        return loss, self.design.back(Z).ravel()


class MaxEnt(LDLEstimator):
    """Scaling, prediction, start and recorded path of the maximum-entropy solvers."""

    def _learn_scale(self, X, D, weight=None):
        """Set scaler_ and offset_ by ``scale``; returns the features as the model sees them."""
        self.scaler_, self.offset_ = scaler(self.scale, X, weight), None
        if self.scaler_ is not None:
            mean = np.average(D, axis=0, weights=weight)
            self.offset_ = np.log(np.maximum(mean, np.finfo(float).eps))
        return self._seen(X)

    def _seen(self, X):
        return X if self.scaler_ is None else self.scaler_.transform(X)

    def _distributions(self, X, W):
        """Predictions (n, c) at W (c, q) for features as the model sees them."""
        Z = X @ W.T
        if self.offset_ is not None:
            Z += self.offset_
        return softmax(Z, axis=1)

    def _start(self, shape):
        return start_from(self.init, shape, self.random_state)

    def _note(self, iteration, W):
        if iteration in self.path:
            self.path_[iteration] = W.copy()

    def _close_path(self, W):
        """After convergence every later iteration has the same coefficients."""
        if self.n_iter_ < self.max_iter:
            for iteration in self.path:
                self.path_.setdefault(iteration, W)

    @public
    def staged_predict(self, X):
        """Yield (iteration, predicted distributions (n, c)) for each in ``path``."""
        X = self._seen(self._check_new(X))
        for iteration, W in sorted(self.path_.items()):
            yield iteration, self._distributions(X, W)

    def _predict(self, X):
        return self._distributions(self._seen(X), self.coef_)


def scaler(scale, X, weight=None):
    """Fitted StandardScaler for scale="standard", None for None; ValueError for another word."""
    if scale not in (None, "standard"):
        raise ValueError(f'scale must be "standard" or None, got {scale!r}.')
    return None if scale is None else StandardScaler().fit(X, sample_weight=weight)


def warn_of_coefficients(model, X):
    """Warn that a model without a penalty has more features than rows."""
    n, q = X.shape
    warnings.warn(
        f"{type(model).__name__}: {q} features and {n} rows without a penalty; what is predicted "
        f"hangs on max_iter={model.max_iter}. Set penalty above 0.",
        SettingsWarning,
        stacklevel=outside(),
    )


def start_from(init, shape, random_state=None, names=("zeros", "identity", "random")):
    """Coefficients of the given shape to start from; ValueError for another shape or name.

    "identity" has ones on the diagonal: the first labels start with one feature each.
    """
    if isinstance(init, str) and init in names:
        if init == "random":
            return check_random_state(random_state).uniform(size=shape)
        return np.zeros(shape) if init == "zeros" else np.eye(*shape)
    W = np.empty(0) if isinstance(init, str) else np.array(init, dtype=float)
    if W.shape != shape:
        known = ", ".join(f'"{name}"' for name in names)
        raise ValueError(f"init must be {known} or an array of shape {shape}, got {init!r}.")
    return W
