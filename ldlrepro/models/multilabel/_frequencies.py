"""The multi-label predictor that ignores the features."""

import numpy as np

from ldlrepro.models.multilabel._base import MultiLabelEstimator


class LabelFrequencies(MultiLabelEstimator):
    """The training frequency of each label as its score, for every row.

    See Also
    --------
    MeanPredictor : The same for label distributions.

    Examples
    --------
    >>> from ldlrepro import LabelFrequencies, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = LabelFrequencies().fit(data.X, data.Y)
    >>> bool((model.predict_proba(data.X) == data.Y.mean(axis=0)).all())
    True
    """

    def _fit(self, X, Y):
        self.frequencies_ = Y.mean(axis=0)

    def _predict_proba(self, X):
        return np.tile(self.frequencies_, (len(X), 1))
