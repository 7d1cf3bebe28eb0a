"""MSLP in plain NumPy, to be read beside the equations of its chapter.

Training rows have features X (n, q) and label distributions D (n, c).
"""

import numpy as np


def squared(A, B):
    """Squared distances (n, m) between the rows of A (n, d) and of B (m, d)."""
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


def neighbour_sets(X, D, k_plus, k_minus, alpha):
    """Two tables (n, n) of bool: is j in Nei_y(i), is j in HNei(i)."""
    features, labels = squared(X, X), squared(D, D)
    near, hetero = np.zeros((2, len(X), len(X)), bool)
    k_minus = min(k_minus, len(X) - 1 - k_plus)  # in tiny data
    for i in range(len(X)):
        others = np.delete(np.arange(len(X)), i)
        by_features = others[features[i, others].argsort()]
        by_features = by_features[: round(alpha * k_plus)]  # Nei_x
        by_labels = by_features[labels[i, by_features].argsort(kind="stable")]
        near[i, by_labels[:k_plus]] = True  # Eq. 5
        farthest = by_labels[len(by_labels) - k_minus :]
        hetero[i, np.intersect1d(by_features[:k_minus], farthest)] = True  # Eq. 6
    return near, hetero


def weights(X, D, k_plus, k_minus, alpha):
    """W+ and W-, (n, n) each."""
    near, hetero = neighbour_sets(X, D, k_plus, k_minus, alpha)
    linked, distance = near | near.T, squared(D, D)
    sigma = distance[linked].mean()
    W_plus = np.where(linked, np.exp(-distance / sigma), 0.0)  # Eq. 2
    return W_plus, np.where(hetero | hetero.T, 1.0, 0.0)  # Eq. 7


def spread(Z, W):
    """Half the weighted sum of squared distances in Z (n, l): Eqs. 1, 4, 8."""
    return (W * squared(Z, Z)).sum() / 2


def directions(X, W_plus, W_minus, beta, lambda_, count):
    """V (q, count), the first eigenvectors of Eq. 10."""
    W = beta * W_plus - (1 - beta) * W_minus
    M = np.diag(W.sum(axis=1)) - W  # Eq. 9
    left = X.T @ M @ X + lambda_ * np.eye(X.shape[1])
    root = np.sqrt(W_plus.sum(axis=1))[:, None] * X  # root' root = X' D+ X
    _, size, rows = np.linalg.svd(root, full_matrices=False)
    some = size > 1e-7 * size[0]  # directions that the rows span
    T = rows[some].T / size[some]  # T' X' D+ X T = I
    _, Q = np.linalg.eigh(T.T @ left @ T)  # Eq. 10 with v = T u, solved for u
    return T @ Q[:, :count]


def predict(X, D, V, X_new, k):
    """Mean distribution (m, c) of the k training rows that landed nearest."""
    nearest = squared(X_new @ V, X @ V).argsort(axis=1)[:, :k]
    return D[nearest].mean(axis=1)
