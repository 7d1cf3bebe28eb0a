"""Neighbour graphs: sparse, symmetric, with memory linear in the rows."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors


def feature_neighbours(X, k, name="n_neighbors"):
    """Numbers of the k nearest other rows of each row of X (n, q): (n, k), nearest first.

    Raises
    ------
    ValueError
        Naming ``name``, when k is not between 1 and n - 1.
    """
    if not 1 <= k < len(X):
        raise ValueError(
            f"{name}={k} with {len(X)} rows, each of which has {len(X) - 1} others: "
            f"choose 1 to {len(X) - 1}."
        )
    return NearestNeighbors(n_neighbors=int(k)).fit(X).kneighbors(return_distance=False)


def link(neighbours, chosen=None):
    """Adjacency (n, n) of ones where i chose j or j chose i, csr_array.

    Parameters
    ----------
    neighbours : (n, k)
        Row numbers.
    chosen : (n, k) bool
        Those that count (None: all).
    """
    n, k = neighbours.shape
    i = np.repeat(np.arange(n), k)
    j = neighbours.ravel()
    if chosen is not None:
        i, j = i[chosen.ravel()], j[chosen.ravel()]
    one_way = csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    return one_way.maximum(one_way.T).tocsr()


def heat(graph, Z):
    """Weights exp(-|z_i - z_j|^2 / s) on the links of a graph, s the mean over its links.

    Where all linked rows of Z (n, d) are equal, every weight is 1.
    """
    links = graph.tocoo()
    distance = np.square(Z[links.row] - Z[links.col]).sum(axis=1)
    mean = distance.mean() if len(distance) else 0.0
    weight = np.exp(-distance / mean) if mean > 0 else np.ones_like(distance)
    return csr_array((weight, (links.row, links.col)), shape=graph.shape)


def scatter(W, Y):
    """Y^T (diag(W 1) - W) Y for symmetric W (n, n) sparse and Y (n, r): (r, r), symmetric.

    It is half the sum of w_ij (y_i - y_j) (y_i - y_j)^T.
    """
    degree = np.asarray(W.sum(axis=1)).ravel()
    S = Y.T @ (degree[:, None] * Y - W @ Y)
    return (S + S.T) / 2
