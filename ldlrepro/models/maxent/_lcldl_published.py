"""LC-LDL with the objective and the gradient of the code published for it."""

import numpy as np
from scipy.spatial.distance import cdist

from ldlrepro.models.maxent._lcldl import LCLDL, CorrelationLoss

_ADDED = 1e-5  # to distances that divide


class PublishedLCLDL(LCLDL):
    """LC-LDL (Jia, Li, Liu, Zhang, AAAI 2018) as public code runs it; `LCLDL` is the paper's.

    The objective weights distances by the correlations of the rows of W, not by their signs, and
    the gradient handed to the search is not the objective's: sign(W) stands for W in the penalty's,
    |w_ji - w_ki| for w_ji - w_ki in the distances'. The search ends where its line search finds no
    decrease.

    Parameters
    ----------
    max_iter, lambda1, lambda2, scale, tol, memory, init, path, random_state
        As of `LCLDL`. That code has lambda1=0.1, ``scale=None`` and starts from
        ``init="identity"``.
    correlation
        Not used; the rows of W are correlated.

    Attributes
    ----------
    coef_ : (c, q)
    n_iter_ : int
    objective_ : float

    Notes
    -----
    Settings read in github.com/TANG16/LDLLC and github.com/DreamWalker1412/LDL_Package. Departure:
    limited-memory BFGS with our line search in place of Matlab's fminunc, which may stop at another
    step.
    """

    def _loss(self, X, D, weight):
        return PublishedLoss(X, D, self.lambda1, self.lambda2, offset=self.offset_, weight=weight)


class PublishedLoss(CorrelationLoss):
    """Objective, and what stands for its gradient: ``loss(w) -> float, (c * q,)``."""

    def __call__(self, w):
        """Return the objective (float) and the published gradient (flat) at ``w``."""
        W = w.reshape(self.shape)
        value, gradient = self.fit(w)
        rho, distance = correlations(W), cdist(W, W)
        value += self.lambda1 * (w @ w) + self.lambda2 * 0.5 * np.vdot(rho, distance)
        pull = np.sign(rho) / (distance + _ADDED)
        slope = np.array([pull[j] @ np.abs(W[j] - W) for j in range(len(W))])
        return value, gradient + 2 * self.lambda1 * np.sign(w) + self.lambda2 * slope.ravel()


def correlations(W):
    """Pearson's correlations (c, c) between the rows of W (c, q), 0 on the diagonal and for a
    constant row.
    """
    centred = W - W.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    scaled = centred / np.where(norms > 0, norms, np.inf)
    rho = scaled @ scaled.T
    np.fill_diagonal(rho, 0)
    return rho
