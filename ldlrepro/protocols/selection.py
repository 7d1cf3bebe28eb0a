"""Choice of parameters inside the training fold."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from ldlrepro.metrics import kl_divergence


def choose(
    estimator: Any,
    grid: dict[str, list],
    X: np.ndarray,
    D: np.ndarray,
    train: np.ndarray,
    validation: np.ndarray,
) -> dict:
    """Parameters of ``grid`` with the lowest K-L on the validation rows (the first of equals).

    Parameters
    ----------
    estimator : LDL estimator
        Not changed; one with ``predict_grid`` (which yields parameters and predictions) evaluates
        nested settings without a refit.
    grid : dict of lists
        Parameters to choose from; with one point or none, nothing is fitted.
    X : (n, q)
        Features.
    D : (n, c)
        Label distributions.
    train, validation : array of int
        Row numbers.
    """
    points = list(ParameterGrid(grid))
    if len(points) == 1:
        return points[0]
    if hasattr(estimator, "predict_grid"):
        predicted = estimator.predict_grid(X[train], D[train], X[validation], grid)
    else:
        predicted = _predictions(estimator, points, X[train], D[train], X[validation])
    tried = [(kl_divergence(D[validation], P), parameters) for parameters, P in predicted]
    return min(tried, key=lambda loss_and_parameters: loss_and_parameters[0])[1]


def _predictions(estimator, points, X, D, X_new):
    for parameters in points:
        yield parameters, clone(estimator).set_params(**parameters).fit(X, D).predict(X_new)
