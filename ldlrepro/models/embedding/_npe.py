"""NPE: neighbourhood preserving embedding, linear and with an rbf kernel."""

import numpy as np

from ldlrepro.models.embedding._base import GraphEmbedding
from ldlrepro.models.embedding._graph import feature_neighbours
from ldlrepro.models.embedding._solver import smallest, whiten

_RIDGE = 1e-3  # share of the trace added to Gram matrices, as is usual for local reconstruction
_BLOCK = 2**24  # numbers of the differences held at a time


class NPE(GraphEmbedding):
    r"""Neighbourhood preserving embedding (He, Cai, Yan, Zhang 2005 [1]_).

    Directions v of the smallest eigenvalues in

    .. math:: Z^\top M Z\, v = \eta\, Z^\top Z\, v, \qquad M = (I - W)^\top (I - W):

    every row stays the same weighted mean of its neighbours. Z are the principal components.

    Parameters
    ----------
    n_neighbors, ratio, variance, kernel, width
        As for `LPP`.

    Attributes
    ----------
    components_, directions_
        As for `LPP`.

    See Also
    --------
    LPP : Keeps distances in place of reconstructions.
    MSLP : Looks at the labels too.
    EmbeddingKNN : Predicts from an embedding.

    Notes
    -----
    The weights of a row sum to 1 and minimise its reconstruction error, with 1e-3 of the trace of
    the local Gram matrix added to its diagonal (not in the paper; without it the weights are not
    determined where there are more neighbours than features).

    References
    ----------
    .. [1] He, Cai, Yan, Zhang, "Neighborhood preserving embedding", ICCV 2005.

    Examples
    --------
    >>> from ldlrepro import NPE, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> embedding = NPE(ratio=0.6).fit(toy.X, toy.D)
    >>> embedding.transform(toy.X_test).shape
    (2601, 2)
    """

    def _directions(self, X, Z, D, count):
        neighbours = feature_neighbours(X, self.n_neighbors)
        weight = reconstruction_weights(X, neighbours)
        T = whiten(Z, np.ones(len(Z)))
        Y = Z @ T
        residual = Y.copy()
        for k in range(self.n_neighbors):
            residual -= weight[:, k, None] * Y[neighbours[:, k]]
        return smallest(residual.T @ residual, T, count)


def reconstruction_weights(X, neighbours):
    """Weights (n, k) that sum to 1 and rebuild the rows of X (n, q) from ``neighbours`` (n, k)."""
    n, k = neighbours.shape
    weight = np.empty((n, k))
    block = max(1, _BLOCK // (k * X.shape[1]))
    for first in range(0, n, block):
        rows = slice(first, first + block)
        off = X[neighbours[rows]] - X[rows, None, :]
        gram = off @ off.transpose(0, 2, 1)
        trace = np.trace(gram, axis1=1, axis2=2)
        gram[:, range(k), range(k)] += _RIDGE * np.where(trace > 0, trace, 1.0)[:, None]
        solved = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[:, :, 0]
        weight[rows] = solved / solved.sum(axis=1, keepdims=True)
    return weight
