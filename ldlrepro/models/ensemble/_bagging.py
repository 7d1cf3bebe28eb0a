"""Bagging: the plain mean of learners fitted to bootstrap samples."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingRegressor

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import public
from ldlrepro.models.ensemble._adaboost import checked_learner


class BaggingLDL(LDLEstimator):
    """Bagging (Breiman 1996 [1]_) of label-distribution learners, scikit-learn's BaggingRegressor.

    What Adaboost-LDL has to beat: the same bootstrap, without SortLoss, weights and warm start.

    Parameters
    ----------
    estimator : LDL estimator
        Cloned; None for SABFGS.
    n_estimators : int >= 1
        Learners.
    random_state : int, RandomState or None
        Seeds the draws and of learners that have one.

    Attributes
    ----------
    estimators_ : list of estimators
        Fitted learners.

    Raises
    ------
    TypeError
        At ``fit``: the estimator has no fit or no predict.
    ValueError
        At ``fit``: n_estimators below 1. Errors of a learner are passed on.

    See Also
    --------
    AdaBoostLDL : Draws rows by their SortLoss.

    References
    ----------
    .. [1] Breiman, "Bagging predictors", Machine Learning 24(2), 1996.

    Examples
    --------
    >>> from ldlrepro import AAKNN, BaggingLDL, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = BaggingLDL(AAKNN(5), random_state=0).fit(toy.X, toy.D)
    >>> len(model.estimators_)
    5
    """

    def __init__(self, estimator=None, n_estimators=5, *, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _fit(self, X, D):
        learner = _OnDrawnRows(checked_learner(self.estimator))
        bagging = BaggingRegressor(learner, self.n_estimators, random_state=self.random_state)
        self.estimators_ = [one.learner for one in bagging.fit(X, D).estimators_]

    @public
    def staged_predict(self, X):
        """Yield predicted distributions (n, c), the mean of the first 1, 2, ... learners."""
        X = self._check_new(X)
        total = 0
        for number, learner in enumerate(self.estimators_, 1):
            total = total + learner.predict(X)
            yield total / number

    def _predict(self, X):
        return np.mean([learner.predict(X) for learner in self.estimators_], axis=0)


class _OnDrawnRows(BaseEstimator):
    """A learner without weights: scikit-learn then repeats drawn rows, whatever the learner takes.

    Weights mean the same, but other roundings, which SA-BFGS without a penalty enlarges.
    """

    def __init__(self, learner):
        self.learner = learner

    def fit(self, X, D):
        self.learner.fit(X, D)
        return self

    def predict(self, X):
        return self.learner.predict(X)
