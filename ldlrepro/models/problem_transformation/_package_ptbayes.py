"""PT-Bayes as the MATLAB package of 2016 has it: densities of singular covariances and a floor."""

import numpy as np
from scipy.linalg import cho_factor, solve_triangular
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator

_ON_DIAGONAL = 1e-14
_FLOOR = 1e-9


class PackagePTBayes(LDLEstimator):
    """PT-Bayes (Geng, TKDE 2016) as the package that came with the paper runs it.

    c n rows are drawn with a label each, by their degrees. A label has the prior of its share and
    one Gaussian density with a full covariance, to whose diagonal 1e-14 is added. Posterior
    probabilities that are not a number, or below 1e-9, become 1e-9.

    Where a label has fewer different rows than there are features, its covariance is singular but
    for the 1e-14: the densities of rows that lie off its plane are zero, and where those of all
    labels are, their posterior probabilities are 0 / 0. The floor then makes them uniform.

    Parameters
    ----------
    random_state : int, RandomState or None
        Seeds the draws.

    Attributes
    ----------
    prior_ : (c,)
    mean_ : (c, q)
    factors_ : list of (q, q)
        Lower factors of the covariances; None for a label never drawn.

    Raises
    ------
    ValueError
        At ``fit``: a covariance that is not positive definite in spite of the 1e-14, as that of
        features far above 1 may be.

    Notes
    -----
    A label never drawn has density 0. Conventions as in github.com/DreamWalker1412/LDL_Package,
    folder GengLDL.
    """

    def __init__(self, random_state=None):
        self.random_state = random_state

    def _fit(self, X, D):
        n, c = D.shape
        rng = check_random_state(self.random_state)
        rows, labels = np.divmod(rng.choice(n * c, size=n * c, p=D.ravel() / n), c)
        self.prior_ = np.bincount(labels, minlength=c) / len(labels)
        self.mean_, self.factors_ = np.zeros((c, X.shape[1])), [None] * c
        for j in np.flatnonzero(np.bincount(labels, minlength=c) > 1):
            mine = X[rows[labels == j]]
            self.mean_[j] = mine.mean(axis=0)
            covariance = np.cov(mine, rowvar=False).reshape(X.shape[1], X.shape[1])
            covariance[np.diag_indices_from(covariance)] += _ON_DIAGONAL
            self.factors_[j] = cho_factor(covariance, lower=True)[0]

    def _predict(self, X):
        joint = self.prior_ * self.densities(X)  # zero, or infinite, where they do not fit
        P = joint / joint.sum(axis=1, keepdims=True)
        P = np.where(P >= _FLOOR, P, _FLOOR)  # NaN is no larger
        return P / P.sum(axis=1, keepdims=True)

    def densities(self, X):
        """Densities of rows (m, q) under each label, (m, c): 0 or infinite beyond the numbers."""
        logs = np.full((len(X), len(self.prior_)), -np.inf)
        for j, factor in enumerate(self.factors_):
            if factor is not None:
                away = solve_triangular(factor, (X - self.mean_[j]).T, lower=True)
                logs[:, j] = -0.5 * np.square(away).sum(axis=0)
                logs[:, j] -= np.log(np.diag(factor)).sum() + 0.5 * X.shape[1] * np.log(2 * np.pi)
        with np.errstate(over="ignore"):
            return np.exp(logs)
