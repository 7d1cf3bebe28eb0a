"""Another estimator's predictions with their zeros raised."""

import numpy as np

from ldlrepro.base import LDLEstimator, seeded
from ldlrepro.entrance import public
from ldlrepro.models.baselines._constant import MeanPredictor


class RaisedZeros(LDLEstimator):
    """Predictions of an estimator, degrees below a floor raised to it and rows normalised.

    For experiments: K-L depends on how a program treats predicted degrees of 0, and papers rarely
    say how theirs did.

    Parameters
    ----------
    estimator : LDL estimator
        Cloned; None for MeanPredictor.
    floors : tuple of float in [0, 1]
        The last is used by ``predict``.
    random_state : int, RandomState or None
        Handed on to an estimator that has one; None leaves it what it has.

    See Also
    --------
    Shrunk : Draws all degrees towards a constant.
    ldlrepro.metrics.kl_divergence : The measure that zeros matter for.

    Examples
    --------
    >>> from ldlrepro import AAKNN, RaisedZeros, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = RaisedZeros(AAKNN(1), floors=(0.01,)).fit(toy.X, toy.D)
    >>> bool(model.predict(toy.X_test).min() > 0)
    True
    """

    def __init__(self, estimator=None, *, floors=(1e-3,), random_state=None):
        self.estimator = estimator
        self.floors = floors
        self.random_state = random_state

    def _fit(self, X, D):
        inner = MeanPredictor() if self.estimator is None else self.estimator
        self.estimator_ = seeded(inner, self.random_state).fit(X, D)

    @public
    def staged_predict(self, X):
        """Yield (floor, predicted distributions (n, c)) for each of ``floors``."""
        X = self._check_new(X)
        P = self.estimator_.predict(X)
        for floor in self.floors:
            yield floor, _raise(P, floor)

    def _predict(self, X):
        return _raise(self.estimator_.predict(X), self.floors[-1])


def _raise(P, floor):
    P = np.maximum(P, floor)
    return P / P.sum(axis=1, keepdims=True)
