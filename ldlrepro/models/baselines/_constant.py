"""Predictors that ignore the features."""

import numpy as np

from ldlrepro.base import LDLEstimator, RowWeights


class MeanPredictor(RowWeights, LDLEstimator):
    """The mean training distribution for every row.

    See Also
    --------
    UniformPredictor : Looks at nothing at all.
    LabelFrequencies : The same for 0/1 labels.

    Examples
    --------
    >>> from ldlrepro import MeanPredictor, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = MeanPredictor().fit(toy.X, toy.D)
    >>> bool(abs(model.predict(toy.X_test) - toy.D.mean(axis=0)).max() < 1e-9)
    True
    """

    def _fit(self, X, D, weight):
        self.mean_ = np.average(D, axis=0, weights=weight)

    def _predict(self, X):
        return np.tile(self.mean_, (len(X), 1))


class UniformPredictor(LDLEstimator):
    """The degree 1 / c for every label of every row.

    See Also
    --------
    MeanPredictor : The mean training distribution.

    Examples
    --------
    >>> from ldlrepro import UniformPredictor, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = UniformPredictor().fit(toy.X, toy.D)
    >>> model.predict(toy.X_test[:1]).round(3)
    array([[0.333, 0.333, 0.333]])
    """

    def _fit(self, X, D):
        self.c_ = D.shape[1]

    def _predict(self, X):
        return np.full((len(X), self.c_), 1.0 / self.c_)
