"""Directions of a linear embedding: the generalised eigenproblem that MSLP, LPP and NPE share."""

import numpy as np
from scipy.linalg import eigh, svd

_SMALLEST_SINGULAR = 1e-7  # singular values below this share of the largest are rounding


def dimensions(ratio, n_features, most):
    """Dimensions for the ratio u of q features: round(u q), at least 1, at most ``most``.

    Raises
    ------
    ValueError
        When ``ratio`` is not in (0, 1].
    """
    if not 0 < ratio <= 1:
        raise ValueError(
            f"ratio={ratio} of {n_features} features gives no dimension: choose a ratio above 0 "
            "and at most 1."
        )
    return min(max(1, round(ratio * n_features)), most)


def whiten(X, weight):
    """T (q, r) with T^T X^T diag(weight) X T = I, of the largest rank r that X (n, q) allows.

    The columns of T span the rows of X. A direction outside of them does not move any training
    row, so that nothing is lost where X^T X is singular. r = 0 where X is zero.
    """
    _, size, directions = svd(np.sqrt(weight)[:, None] * X, full_matrices=False, check_finite=False)
    keep = size > _SMALLEST_SINGULAR * size[0]
    return directions[keep].T / size[keep]


def smallest(A, T, count):
    """The ``count`` directions V = T Q, (q, count), that minimise tr(Q^T A Q) under Q^T Q = I.

    A is (r, r), symmetric, in the coordinates of T (q, r); smallest eigenvalue first. The largest
    entry of each direction is positive. For r = 0 the one direction is zero.
    """
    if not len(A):
        return np.zeros((len(T), 1))
    if not np.isfinite(A).all():
        raise ValueError(
            "The features are too small (squares of their inverses overflow): scale them to "
            "variance 1."
        )
    V = T @ eigh(A, subset_by_index=(0, count - 1), check_finite=False)[1]
    return V * np.sign(V[np.abs(V).argmax(axis=0), range(count)])
