"""Another estimator's predictions, flattened."""

import numpy as np

from ldlrepro.base import LDLEstimator, seeded
from ldlrepro.entrance import public
from ldlrepro.models.baselines._constant import MeanPredictor


class Shrunk(LDLEstimator):
    """Predictions of an estimator drawn towards a constant: factor P + (1 - factor) constant.

    For experiments with measures that reward flat predictions. Drawn towards the uniform
    distribution a prediction keeps the order of its labels, and its SortLoss [1]_ is exactly
    ``factor`` times what it was: every term of the sum is a difference of two degrees.

    Parameters
    ----------
    estimator : LDL estimator
        Cloned; None for MeanPredictor.
    factors : tuple of float in [0, 1]
        The last is used by ``predict``.
    target : {"mean", "uniform"}
        "mean" is the mean of the training distributions.
    random_state : int, RandomState or None
        Handed on to an estimator that has one; None leaves it what it has.

    Raises
    ------
    ValueError
        At ``fit``: a factor out of range or an unknown ``target``.

    See Also
    --------
    ldlrepro.metrics.sort_loss : Falls when predictions are flattened.
    RaisedZeros : Moves degrees near 0 only.

    References
    ----------
    .. [1] Shen, Xu, Yu, Jia, "Label distribution ensemble learning" (in Chinese), Journal of
       Nanjing University of Science and Technology 44(6), 2020.

    Examples
    --------
    >>> from ldlrepro import AAKNN, Shrunk, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = Shrunk(AAKNN(1), factors=(0,)).fit(toy.X, toy.D)
    >>> bool(abs(model.predict(toy.X_test) - toy.D.mean(axis=0)).max() < 1e-9)
    True
    """

    def __init__(self, estimator=None, *, factors=(0.5,), target="mean", random_state=None):
        self.estimator = estimator
        self.factors = factors
        self.target = target
        self.random_state = random_state

    def _fit(self, X, D):
        if self.target not in ("mean", "uniform"):
            raise ValueError(f'target must be "mean" or "uniform", got {self.target!r}.')
        if not self.factors or not all(0 <= factor <= 1 for factor in self.factors):
            raise ValueError(f"factors={self.factors}: give at least one number in [0, 1].")
        inner = MeanPredictor() if self.estimator is None else self.estimator
        self.estimator_ = seeded(inner, self.random_state).fit(X, D)
        self.constant_ = D.mean(axis=0) if self.target == "mean" else np.full(D.shape[1], 1.0)
        self.constant_ = self.constant_ / self.constant_.sum()

    @public
    def staged_predict(self, X):
        """Yield (factor, predicted distributions (n, c)) for each of ``factors``."""
        X = self._check_new(X)
        P = self.estimator_.predict(X)
        for factor in self.factors:
            yield factor, factor * P + (1 - factor) * self.constant_

    def _predict(self, X):
        factor = self.factors[-1]
        return factor * self.estimator_.predict(X) + (1 - factor) * self.constant_
