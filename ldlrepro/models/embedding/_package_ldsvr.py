"""LDSVR as the MATLAB package of 2016 has it: a quarter of the error, and zeros replaced."""

import numpy as np

from ldlrepro.base import LDLEstimator
from ldlrepro.models.embedding._ldsvr import LDSVR

_NO_FLOOR = 1e-12


class PackageLDSVR(LDLEstimator):
    """LDSVR (Geng and Hou, IJCAI 2015) as the package that came with Geng's paper of 2016 runs it.

    The tube and the price are for a quarter of the error in logits: the steepest slope of the
    sigmoid is a quarter, so this bounds the error in degrees. With C = 1 and epsilon = 0.1 that
    is C = 1 / 16 and epsilon = 0.4 of `LDSVR`. Degrees of 0 become 1 / (10 c), and rows are
    normalised again.

    Parameters
    ----------
    C, epsilon, max_iter, tol
        As for `LDSVR`, of a quarter of the error.

    Attributes
    ----------
    machine_ : LDSVR
        Fitted.

    Notes
    -----
    The kernel has the average distance between training rows as its width. A row with all its
    degree on one label has no logit until the zeros beside it are replaced. Conventions as in
    github.com/DreamWalker1412/LDL_Package, folder GengLDL.
    """

    def __init__(self, C=1.0, *, epsilon=0.1, max_iter=100, tol=1e-10):
        self.C = C
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X, D):
        D = np.where(D > 0, D, 1 / (10 * D.shape[1]))
        self.machine_ = LDSVR(
            self.C / 16,
            epsilon=4 * self.epsilon,
            floor=_NO_FLOOR,
            max_iter=self.max_iter,
            tol=self.tol,
        ).fit(X, D / D.sum(axis=1, keepdims=True))

    def _predict(self, X):
        return self.machine_.predict(X)
