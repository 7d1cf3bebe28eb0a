"""CPNN: a conditional probability neural network, one input of which is the label."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax, xlogy
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator

_ENCODINGS = ("number", "one_hot")


class CPNN(LDLEstimator):
    """CPNN (Geng, Yin, Zhou 2013 [1]_).

    A net with one hidden layer of sigmoids and a linear output f(x, y) takes the features and the
    label y as its inputs; p(y | x) = exp f(x, y) / sum_y' exp f(x, y'). Trained on the K-L
    divergence.

    Parameters
    ----------
    n_hidden : int >= 1, hidden units (MSLP paper, section 3.1: 50).
    max_iter : int >= 1, quasi-Newton steps at most; there is no penalty, so that the number of
        steps regularises. The MSLP paper gives none.
    encoding : {"number", "one_hot"}, the label as an input. "number" is the original: one input
        with the number of the label, here scaled to [-1, 1].
    random_state : int, RandomState or None, of the starting weights.

    Attributes
    ----------
    n_iter_ : int; loss_ : float, mean K-L divergence of the training rows.

    See Also
    --------
    AABP : A network with an output for each label.

    Notes
    -----
    The method was made for ages. A number as the input says that label 2 lies between labels 1
    and 3, which means nothing for labels without an order (emotions, objects of a scene): another
    order of the columns of D is another model. "one_hot" takes one input for each label instead,
    and the order no longer matters except for the starting weights.

    Departures: limited-memory BFGS in place of RProp; features are scaled to mean 0 and
    variance 1 inside, without which sigmoids see histograms of 1e-2 as constants.

    References
    ----------
    .. [1] Geng, Yin, Zhou, "Facial age estimation by learning from label distributions", TPAMI
       2013.
    """

    def __init__(self, n_hidden=50, *, max_iter=100, encoding="number", random_state=None):
        self.n_hidden = n_hidden
        self.max_iter = max_iter
        self.encoding = encoding
        self.random_state = random_state

    def _fit(self, X, D):
        if self.n_hidden < 1 or self.max_iter < 1 or self.encoding not in _ENCODINGS:
            raise ValueError(
                f"n_hidden={self.n_hidden} and max_iter={self.max_iter} must be 1 or more, "
                f"encoding={self.encoding!r} one of {_ENCODINGS}."
            )
        rng = check_random_state(self.random_state)
        self.scaler_ = StandardScaler().fit(X)
        loss = CPNNLoss(self.scaler_.transform(X), D, self._codes(D.shape[1]))
        size = (X.shape[1], loss.codes.shape[1], self.n_hidden)
        result = minimize(
            loss,
            _start(rng, *size),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "maxfun": 20 * self.max_iter},
        )
        self.weights_ = _unpack(result.x, *size)
        self.loss_, self.n_iter_ = float(result.fun), result.nit

    def _codes(self, c):
        return np.eye(c) if self.encoding == "one_hot" else np.linspace(-1, 1, c)[:, None]

    def _predict(self, X):
        codes = self._codes(self.n_labels_)
        return softmax(_forward(self.scaler_.transform(X), codes, self.weights_)[1], axis=1)


class CPNNLoss:
    """Mean K-L divergence and its gradient at flat weights: ``loss(w) -> float, array``.

    Parameters
    ----------
    X : (n, q); D : (n, c); codes : (c, e), the label as inputs of the net
    """

    def __init__(self, X, D, codes):
        self.X, self.D, self.codes = X, D, codes
        self.constant = xlogy(D, D).sum()

    def __call__(self, w):
        """Return the loss (float) and its gradient, as flat as ``w``."""
        n, q = self.X.shape
        h = (len(w) - 1) // (q + self.codes.shape[1] + 2)
        weights = _unpack(w, q, self.codes.shape[1], h)
        H, F = _forward(self.X, self.codes, weights)
        loss = (self.constant - (self.D * log_softmax(F, axis=1)).sum()) / n
        residual = (softmax(F, axis=1) - self.D) / n
        out = np.tensordot(residual, H, 2)
        back = residual[:, :, None] * weights[3] * H * (1 - H)
        over_rows, over_labels = back.sum(axis=0), back.sum(axis=1)
        gradient = (
            self.X.T @ over_labels,
            self.codes.T @ over_rows,
            over_rows.sum(axis=0),
            out,
            residual.sum(),
        )
        return loss, np.concatenate([np.ravel(g) for g in gradient])


def _start(rng, q, e, h):
    """Flat weights; the spread keeps hidden sums near 1, and the output starts at uniform."""
    inner = rng.normal(size=(q + e) * h) / np.sqrt(q + e)
    return np.concatenate([inner, np.zeros(h), rng.normal(size=h) / np.sqrt(h), [0.0]])


def _unpack(w, q, e, h):
    """Weights of the features (q, h), of the label (e, h), biases (h,), outputs (h,), bias."""
    ends = np.cumsum([q * h, e * h, h, h])
    V, U, b, o, last = np.split(w, ends)
    return V.reshape(q, h), U.reshape(e, h), b, o, last[0]


def _forward(X, codes, weights):
    """Hidden units (n, c, h) and outputs f (n, c) for every row and label."""
    V, U, b, o, last = weights
    H = expit((X @ V)[:, None, :] + (codes @ U + b)[None, :, :])
    return H, H @ o + last
