"""The rbf kernel, and its width by the average distance between rows (MSLP paper, section 3.1)."""

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import euclidean_distances


def average_distance(X):
    """Mean Euclidean distance over pairs of rows of X (n, q), float; 1 where its square is no more
    than rounding.
    """
    distance = float(pdist(X).mean())
    return distance if distance**2 > np.finfo(float).tiny else 1.0


def kernel_width(width, X):
    """``width``, or the average distance of the rows of X where it is None.

    Raises
    ------
    ValueError
        When ``width`` is not above 0.
    """
    if width is None:
        return average_distance(X)
    if not 0 < width < np.inf:
        raise ValueError(f"width={width}: choose a number above 0, or None.")
    return width


def rbf(X, Y, width):
    """exp(-|x - y|^2 / (2 width^2)): (n, q) and (m, q) in, (n, m) out."""
    K = euclidean_distances(X, Y, squared=True)
    K *= -0.5 / width**2
    return np.exp(K, out=K)
