"""Choice of parameters inside the training fold."""

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from ldlrepro.metrics import kl_divergence


def choose(estimator, grid, X, D, train, validation):
    """Parameters of ``grid`` with the lowest K-L on the validation rows (the first of equals).

    Parameters
    ----------
    estimator : LDL estimator, not changed
    grid : dict of lists; with one point or none, nothing is fitted
    X : (n, q); D : (n, c); train, validation : row numbers
    """
    points = list(ParameterGrid(grid))
    if len(points) == 1:
        return points[0]
    losses = []
    for parameters in points:
        model = clone(estimator).set_params(**parameters).fit(X[train], D[train])
        losses.append(kl_divergence(D[validation], model.predict(X[validation])))
    return points[losses.index(min(losses))]
