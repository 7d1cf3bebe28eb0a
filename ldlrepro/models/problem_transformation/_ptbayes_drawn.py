"""PT-Bayes on drawn labels with full covariances."""

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator


class DrawnPTBayes(LDLEstimator):
    """PT-Bayes (Geng, TKDE 2016, section 3.2) as public code runs it: labels are really drawn.

    c n rows are drawn with the probability of their degrees, each with one label; a Gaussian with
    a full covariance is fitted to the rows of each label. `PTBayes` takes the expectation of the
    draw and diagonal covariances in its place, which predicts far better.

    Parameters
    ----------
    random_state : int, RandomState or None
        Seeds the draws.

    Attributes
    ----------
    model_
        Scikit-learn's QuadraticDiscriminantAnalysis, fitted to the drawn rows.

    Raises
    ------
    ValueError
        At ``fit``: a label whose rows have a singular covariance, as where there are fewer of
        them than features.

    Notes
    -----
    A label that is never drawn is predicted with degree 0. Draws and covariances as in
    github.com/DreamWalker1412/LDL_Package.
    """

    def __init__(self, random_state=None):
        self.random_state = random_state

    def _fit(self, X, D):
        n, c = D.shape
        rng = check_random_state(self.random_state)
        drawn = rng.choice(n * c, size=n * c, p=D.ravel() / n)
        rows, labels = np.divmod(drawn, c)
        try:
            # The smallest variance counts in the units of the features: only rounding is cut off.
            self.model_ = QuadraticDiscriminantAnalysis(tol=1e-12).fit(X[rows], labels)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                f"The covariance of the rows of a label is singular ({error}): use PTBayes, which "
                "takes variances only."
            ) from error

    def _predict(self, X):
        P = np.zeros((len(X), self.n_labels_))
        P[:, self.model_.classes_] = self.model_.predict_proba(X)
        return P
