"""Slow, obvious twins of MSLP's neighbour sets and weights, and of what stands beside it."""

import math

import numpy as np


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def neighbour_sets(X, D, k_plus, k_minus, alpha):
    """Nei_y (Eq. 5) and HNei (Eq. 6) of every row, as sets."""
    near, hetero = [], []
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        by_features = sorted(others, key=lambda j: distance(X[i], X[j]))[: alpha * k_plus]
        by_labels = sorted(by_features, key=lambda j: distance(D[i], D[j]))
        near.append(set(by_labels[:k_plus]))
        hetero.append(set(by_features[:k_minus]) & set(by_labels[len(by_labels) - k_minus :]))
    return near, hetero


def weights(X, D, k_plus, k_minus, alpha):
    """W+ (Eq. 2, with the mean over its pairs as sigma) and W- (Eq. 7), dense."""
    n = len(X)
    near, hetero = neighbour_sets(X, D, k_plus, k_minus, alpha)
    pairs = [(i, j) for i in range(n) for j in range(n) if j in near[i] or i in near[j]]
    sigma = sum(distance(D[i], D[j]) for i, j in pairs) / len(pairs)
    plus, minus = np.zeros((n, n)), np.zeros((n, n))
    for i, j in pairs:
        plus[i, j] = math.exp(-distance(D[i], D[j]) / sigma)
    for i in range(n):
        for j in range(n):
            minus[i, j] = j in hetero[i] or i in hetero[j]
    return plus, minus


def objective(X, V, W):
    """Half the sum over pairs of |V^T x_i - V^T x_j|^2 w_ij."""
    Z = X @ V
    n = len(X)
    return sum(W[i, j] * distance(Z[i], Z[j]) for i in range(n) for j in range(n)) / 2


def joint_svr_objective(K, Y, B, b, C, epsilon):
    """Objective of LDSVR at coefficients B (n, c) and offsets b (c,)."""
    total = 0.5 * np.trace(B.T @ K @ B)
    for k, y in zip(K, Y, strict=True):
        u = math.sqrt(distance(k @ B + b, y))
        total += C * max(u - epsilon, 0) ** 2
    return total
