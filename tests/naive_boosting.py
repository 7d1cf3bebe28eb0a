"""Slow, obvious twins of the boosting kernels."""

import numpy as np


def softmax(F):
    E = np.exp(F - F.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


def loss(d, f):
    """-sum d ln p of one row with the scores f."""
    return -(d * np.log(softmax(f))).sum()


def terms(D, P, direction):
    """-gradients and curvatures of rows along a direction, from the full gradient and Hessian."""
    g = (D - P) @ direction
    h = [direction @ (np.diag(p) - np.outer(p, p)) @ direction for p in P]
    return g, np.array(h)


def pair_direction(r, s, c):
    return np.eye(c)[r] - np.eye(c)[s]


def gain(g, h):
    return g.sum() ** 2 / h.sum()


def choose_pair(D, P):
    c = D.shape[1]
    r = int((D - P).sum(axis=0).argmax())
    others = [j for j in range(c) if j != r]
    return r, max(others, key=lambda s: gain(*terms(D, P, pair_direction(r, s, c))))


def direction_of(D, P, label):
    c = D.shape[1]
    if label >= 0:
        return np.eye(c)[label]
    return pair_direction(*choose_pair(D, P), c)


def best_cut(X, g, h, min_samples_leaf):
    """Largest gain over all features and midpoints: (gain, feature, rows that go left)."""
    best = (0.0, None, None)
    for f in range(X.shape[1]):
        values = np.unique(X[:, f])
        for a, b in zip(values[:-1], values[1:], strict=True):
            left = X[:, f] < (a + b) / 2
            if min(left.sum(), (~left).sum()) < min_samples_leaf:
                continue
            new = gain(g[left], h[left]) + gain(g[~left], h[~left]) - gain(g, h)
            if new > best[0] + 1e-12:
                best = (new, f, left)
    return best


def grow(X, D, P, label, max_leaf_nodes, max_depth, min_samples_leaf):
    """Leaves of a best-first tree: a list of (rows, change of the scores)."""

    def node(rows, depth):
        direction = direction_of(D[rows], P[rows], label)
        g, h = terms(D[rows], P[rows], direction)
        cut = best_cut(X[rows], g, h, min_samples_leaf) if depth < max_depth else (0.0,)
        return cut[0], depth, rows, cut, np.clip(g.sum() / h.sum(), -4, 4) * direction

    leaves = [node(np.arange(len(X)), 0)]
    while len(leaves) < max_leaf_nodes:
        i = max(range(len(leaves)), key=lambda i: leaves[i][0])
        if leaves[i][0] <= 0:
            break
        _, depth, rows, cut, _ = leaves.pop(i)
        leaves += [node(rows[cut[2]], depth + 1), node(rows[~cut[2]], depth + 1)]
    return [(leaf[2], leaf[4]) for leaf in leaves]


def ldlogitboost_round(X, D, F, rate, **size):
    """One round of LDLogitBoost from the scores F: working responses, trees, centring."""
    n, c = D.shape
    P = softmax(F)
    T = np.empty((n, c))
    for j in range(c):
        w = P[:, j] * (1 - P[:, j])
        z = (D[:, j] - P[:, j]) / w
        for rows, _ in grow(X, D, P, j, **size):
            T[rows, j] = np.clip(np.average(z[rows], weights=w[rows]), -4, 4)
    return F + rate * (c - 1) / c * (T - T.mean(axis=1, keepdims=True))


def aoso_round(X, D, F, rate, **size):
    """One round of AOSO-LDLogitBoost from the scores F."""
    F = F.copy()
    for rows, step in grow(X, D, softmax(F), -1, **size):
        F[rows] += rate * step
    return F
