"""CPNN as the MATLAB package of 2016 trains it: RProp, and a sum in the gradient."""

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator

_FIRST, _LARGEST, _SMALLEST = 0.1, 50.0, np.exp(-6)  # sizes of a step
_LONGER, _SHORTER = 1.2, 0.5
_CALM = 5.0  # change of the sum of squared errors at which steps end


class PackageCPNN(LDLEstimator):
    """CPNN (Geng, Yin, Zhou, TPAMI 2013) as the package of Geng's paper of 2016 trains it.

    Features are taken as they are, the label's number is one more input, and f(x, y) has no bias.
    Weights start uniform in +-0.5. RProp takes 49 steps or more: it goes on while the sum of
    squared errors changes by more than 5. In the gradient of the hidden layer every unit has the
    sum of all output weights in place of its own.

    Parameters
    ----------
    n_hidden : int >= 1
        Hidden units.
    epochs : int >= 1
        The step at which RProp may end. The package has 50, and starts at 1.
    max_iter : int >= 1
        Steps at most.
    random_state : int, RandomState or None
        Seeds the starting weights.

    Attributes
    ----------
    inner_ : (n_hidden, q + 2)
        Weights of the features, of the label and of a constant one.
    outer_ : (n_hidden,)
    n_iter_ : int

    Notes
    -----
    Departure: the package has no greatest number of steps. Conventions as in
    github.com/DreamWalker1412/LDL_Package, folder GengLDL.
    """

    def __init__(self, n_hidden=50, *, epochs=50, max_iter=1000, random_state=None):
        self.n_hidden = n_hidden
        self.epochs = epochs
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X, D):
        rng = check_random_state(self.random_state)
        inner = rng.uniform(-0.5, 0.5, (self.n_hidden, X.shape[1] + 2))
        outer = rng.uniform(-0.5, 0.5, self.n_hidden)
        steps = RProp(inner.shape), RProp(outer.shape)
        before = np.inf
        for number in range(1, self.max_iter + 1):
            slopes, P = package_slopes(X, D, inner, outer)
            for weights, slope, step in zip((inner, outer), slopes, steps, strict=True):
                step(weights, slope)
            error = np.square(D - P).sum()
            calm, before = abs(before - error) <= _CALM, error
            if calm and number + 1 >= self.epochs:
                break
        self.inner_, self.outer_, self.n_iter_ = inner, outer, number

    def _predict(self, X):
        return softmax(_units(X, self.n_labels_, self.inner_) @ self.outer_, axis=1)


class RProp:
    """Steps of RProp in place, as the package takes them: weights, sizes and last slopes alike."""

    def __init__(self, shape):
        self.size, self.last = np.full(shape, _FIRST), np.full(shape, _FIRST)

    def __call__(self, weights, slope):
        """Move weights against the signs of their slopes, by sizes that grow while signs stay."""
        agree = slope * self.last
        self.size[agree > 0] = np.minimum(self.size[agree > 0] * _LONGER, _LARGEST)
        self.size[agree < 0] = np.maximum(self.size[agree < 0] * _SHORTER, _SMALLEST)
        moves = ~(agree < 0)
        weights[moves] -= np.sign(slope[moves]) * self.size[moves]
        self.last = np.where(moves, slope, 0.0)


def _units(X, c, inner):
    """Hidden units of every row and label, (n, c, h)."""
    labels = np.arange(1, c + 1)[:, None] * inner[:, -2] + inner[:, -1]
    return expit((X @ inner[:, :-2].T)[:, None, :] + labels)


def package_slopes(X, D, inner, outer):
    """What the package takes for the gradient: (of the inner weights, of the outer), predictions.

    Parameters
    ----------
    X : (n, q)
        Features.
    D : (n, c)
        Label distributions.
    inner : (h, q + 2)
        Weights of the hidden units.
    outer : (h,)
        Weights of the output.
    """
    H = _units(X, D.shape[1], inner)
    P = softmax(H @ outer, axis=1)
    wrong = P - D
    inside = H * (1 - H)
    inside *= (outer.sum() * wrong)[:, :, None]
    of_label = inside.sum(axis=0)  # (c, h)
    numbers = np.arange(1, D.shape[1] + 1)
    of_inner = np.column_stack([inside.sum(axis=1).T @ X, numbers @ of_label, of_label.sum(axis=0)])
    return (of_inner, np.tensordot(wrong, H, axes=2)), P
