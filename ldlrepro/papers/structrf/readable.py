"""StructRF in plain NumPy: what the class computes, in few lines.

``uniform`` is a function without arguments: a random number in [0, 1).
"""

import numpy as np


def draw(weight, uniform):
    """Draw an index, with a probability in proportion to its weight."""
    return np.argmax(np.cumsum(weight) > uniform() * np.sum(weight))


def two_means(D, uniform):
    """Put each row of D (n, c) into cluster 0 or 1 (Eq. b)."""
    first = D[draw(np.ones(len(D)), uniform)]
    centres = [first, D[draw(((D - first) ** 2).sum(axis=1), uniform)]]
    for _ in range(100):  # soon nothing moves any more
        k = ((D[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        centres = np.array([D[k == 0].mean(axis=0), D[k == 1].mean(axis=0)])
    return k


def entropy(k):
    """How mixed the clusters k (n,) of some rows are (Eq. c)."""
    return -sum(p * np.log(p) for p in np.bincount(k) / len(k) if p > 0)


def gain(k, left):
    """How much less mixed behind a cut; ``left`` (n,): who goes left (Eq. 2)."""
    return entropy(k) - sum(s.mean() * entropy(k[s]) for s in (left, ~left))


def search(X, k, alpha=0.0, beta=8.0, once=slice(None)):
    """Yield gain, feature, threshold of the cuts visited: alpha = 0 visits all.

    ``once`` picks each row once, where X (n, q) holds some rows several times.
    """
    best, n = 1e-9, len(X[once])  # best: g_max of Eq. 5, over all features
    for f, x in enumerate(X.T):
        values, goal = np.unique(x), 0
        for t in (values[:-1] + values[1:]) / 2:  # Eq. a
            below = np.sum(x[once] < t)
            if below >= goal:
                best = max(best, g := gain(k, x < t))  # Eq. 1
                yield g, f, t
                # the next cut lies at least so many rows further
                s = alpha * n / (1 + np.exp(beta * (g / best - 0.5)))  # Eq. 5
                goal = below + max(1, int(s))


def grow(X, D, rows, uniform, smallest=5, depth=20, alpha=0.0):
    """Grow a tree: a leaf is a distribution, a node (f, t, left tree, right)."""
    x, d, once = X[rows], D[rows], np.unique(rows, return_index=True)[1]
    stop = len(rows) < smallest or depth == 0 or (d == d[0]).all()
    cuts = [] if stop else search(x, two_means(d, uniform), alpha, once=once)
    g, f, t = max(cuts, key=lambda cut: cut[0], default=(0.0, 0, 0.0))  # Eq. 3
    if g < 1e-9:
        return d.mean(axis=0)  # Eq. d
    left, more = x[:, f] < t, (uniform, smallest, depth - 1, alpha)
    return f, t, grow(X, D, rows[left], *more), grow(X, D, rows[~left], *more)


def leaf(tree, x):
    """The leaf of a tree that a row x (q,) reaches."""
    while isinstance(tree, tuple):
        tree = tree[2] if x[tree[0]] < tree[1] else tree[3]
    return tree


def predict(trees, X):
    """The distributions that a forest predicts for rows X (n, q) (Eq. 4)."""
    return np.mean([[leaf(tree, x) for x in X] for tree in trees], axis=0)
