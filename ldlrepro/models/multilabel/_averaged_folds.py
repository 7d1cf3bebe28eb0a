"""One estimator for each fold, averaged."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ldlrepro.models.multilabel._base import MultiLabelEstimator


class AveragedFolds(MultiLabelEstimator):
    """The mean score of estimators that were each fitted to all folds but one.

    For experiments: a reading of the MLDF paper's "for fairness, all methods use the 5-fold
    cross-validation" (Yang et al. 2020, section 4.2), by which each method is averaged as the
    forests of a layer of MLDF are.

    Parameters
    ----------
    estimator : multi-label estimator
        Cloned.
    n_folds : int >= 2
        At most the number of rows.
    random_state : int, RandomState or None
        Seeds the folds, and gives seeds for estimators that take one.

    Attributes
    ----------
    estimators_ : list of fitted estimators
        One a fold.

    Raises
    ------
    ValueError
        At ``fit``: n_folds below 2 or above the number of rows.
    """

    def __init__(self, estimator, n_folds=5, *, random_state=None):
        self.estimator = estimator
        self.n_folds = n_folds
        self.random_state = random_state

    def _fit(self, X, Y):
        if not 2 <= self.n_folds <= len(X):
            raise ValueError(f"n_folds={self.n_folds} must be from 2 to the {len(X)} rows.")
        rng = check_random_state(self.random_state)
        self.estimators_ = []
        for fold in np.array_split(rng.permutation(len(X)), self.n_folds):
            estimator = clone(self.estimator)
            if "random_state" in estimator.get_params():
                estimator.set_params(random_state=rng.randint(2**31))
            kept = np.delete(np.arange(len(X)), fold)
            self.estimators_.append(estimator.fit(X[kept], Y[kept]))

    def _predict_proba(self, X):
        return np.mean([e.predict_proba(X) for e in self.estimators_], axis=0)
