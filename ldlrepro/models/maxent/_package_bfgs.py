"""SA-BFGS with the full inverse Hessian, as the MATLAB package of 2016 has it."""

import numpy as np
from scipy.linalg.blas import dsymv, dsyr2

from ldlrepro.models.maxent._lbfgs import minimise
from ldlrepro.models.maxent._objective import MaxEnt, MaxEntLoss, start_from

_WHOLE_BELOW, _PAIRS = 3000, 20
_DECREASE, _CURVATURE, _TRIALS = 1e-4, 0.9, 40


class PackageBFGS(MaxEnt):
    """SA-BFGS (Geng, TKDE 2016) as the package that came with the paper runs it.

    Coefficients start with ones on the diagonal; there are 400 steps at most. Below 3000
    coefficients the whole inverse Hessian is kept, which starts as the identity; above, 20 pairs of
    steps and gradients. `SABFGS` scales its first Hessian anew in every step: as many steps lead
    elsewhere, and without a penalty the way counts, not only its end.

    Parameters
    ----------
    max_iter : int >= 1
        Steps at most.
    init
        As for `SABFGS`.
    path : tuple of int
        Iterations whose coefficients are kept for ``staged_predict``.

    Attributes
    ----------
    coef_ : (c, q)
    n_iter_ : int
    loss_ : float
        Mean of -sum d ln p over the rows.

    Notes
    -----
    Departure: the line search, which asks for the weak Wolfe conditions as that of `SABFGS`; the
    package's takes other steps on the way. Settings as in github.com/DreamWalker1412/LDL_Package,
    folder GengLDL.
    """

    def __init__(self, max_iter=400, *, init="identity", path=()):
        self.max_iter = max_iter
        self.init = init
        self.path = path

    def _fit(self, X, D):
        self.scaler_, self.offset_ = None, None
        loss = MaxEntLoss(X, D)
        start = start_from(self.init, loss.shape)
        self.path_ = {}
        self._note(0, start)
        if start.size < _WHOLE_BELOW:
            w, value = self._descend(loss, start.ravel())
        else:
            w, value, self.n_iter_ = minimise(
                loss,
                start.ravel(),
                self.max_iter,
                _PAIRS,
                0.0,
                lambda step, w: self._note(step, w.reshape(loss.shape)),
            )
        self.coef_, self.loss_ = w.reshape(loss.shape), value / len(X)
        self._close_path(self.coef_)

    def _descend(self, loss, w):
        """As many steps with the whole inverse Hessian: the coefficients, flat, and their loss."""
        value, g = loss(w)
        H, self.n_iter_ = np.eye(len(w), order="F"), 0  # its upper half counts
        while self.n_iter_ < self.max_iter:
            found = _search(loss, w, value, g, dsymv(-1.0, H, g))
            if found is None:
                break
            new, value, slope = found
            update(H, new - w, slope - g)
            w, g = new, slope
            self.n_iter_ += 1
            self._note(self.n_iter_, w.reshape(loss.shape))
        return w, value


def _search(loss, w, value, g, d):
    """A step along d with the weak Wolfe conditions: (w, loss, gradient) there, None for none."""
    slope = g @ d
    if not slope < 0:
        return None
    length, low, high = 1.0, 0.0, np.inf
    for _ in range(_TRIALS):
        new = w + length * d
        there, gradient = loss(new)
        if not there <= value + _DECREASE * length * slope:  # also where it is NaN
            high = length
        elif gradient @ d < _CURVATURE * slope:
            low = length
        else:
            return new, there, gradient
        length = 0.5 * (low + high) if high < np.inf else 2 * low
    return None


def update(H, s, y):
    """The BFGS update of the inverse Hessian H, in place, by a step s and its change y (N,).

    H is (N, N) in columns; its upper half is read and written.
    """
    Hy, sy = dsymv(1.0, H, y), s @ y
    dsyr2(1.0, ((1 + y @ Hy / sy) / 2 * s - Hy) / sy, s, a=H, overwrite_a=1)
