"""The paper's RF: a random forest on the single most descriptive label."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from ldlrepro.base import LDLEstimator


class SingleLabelRF(LDLEstimator):
    """RF of the StructRF paper (Chen et al. 2018, section 4.4).

    Trained on the label of the largest degree (the first of equals); the class frequencies in the
    leaves, averaged over the trees, are taken as the label distribution. Labels that are never the
    largest are predicted 0.

    Parameters
    ----------
    n_estimators : int, trees (50 in the paper).
    max_depth : int or None (20 for StructRF in section 4.4; not given for RF).
    min_samples_split : int, a node of fewer rows is a leaf (not printed).
    max_features : as in scikit-learn; None searches all features, as StructRF does.
    sampling_ratio : float in (0, 1], rows drawn with replacement for a tree.
    random_state : int, RandomState or None.
    n_jobs : int or None, threads.

    Notes
    -----
    scikit-learn's RandomForestClassifier with the entropy criterion.
    """

    def __init__(
        self,
        n_estimators=50,
        *,
        max_depth=20,
        min_samples_split=5,
        max_features=None,
        sampling_ratio=0.8,
        random_state=None,
        n_jobs=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.sampling_ratio = sampling_ratio
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X, D):
        self.forest_ = RandomForestClassifier(
            self.n_estimators,
            criterion="entropy",
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            max_features=self.max_features,
            max_samples=self.sampling_ratio,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(X, D.argmax(axis=1))

    def _predict(self, X):
        P = np.zeros((len(X), self.n_labels_))
        P[:, self.forest_.classes_] = self.forest_.predict_proba(X)
        return P
