"""StructRF in plain NumPy: what the class computes, in few lines.

``uniform`` is a function without arguments: a random number in [0, 1).
"""

import numpy as np


def draw(weight, uniform):
    """Draw an index, with a probability in proportion to its weight."""
    return np.argmax(np.cumsum(weight) > uniform() * np.sum(weight))


def two_means(D, uniform):
    """Put each row of D (n, c) into cluster 0 or 1 (Eq. b)."""
    first = draw(np.ones(len(D)), uniform)
    second = draw(((D - D[first]) ** 2).sum(axis=1), uniform)
    centres = D[[first, second]]
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


def search(X, k, alpha=0.0, beta=8.0):
    """Yield gain, feature, threshold of the cuts visited: alpha = 0 visits all."""
    best = 0.0
    for f, x in enumerate(X.T):
        values, i = np.unique(x), 0
        cuts = (values[:-1] + values[1:]) / 2  # Eq. a
        while i < len(cuts):
            g = gain(k, x < cuts[i])  # Eq. 1
            best = max(best, g)
            yield g, f, cuts[i]
            ratio = g / best if best > 0 else 1.0  # Eq. 5
            i += max(1, int(alpha * len(x) / (1 + np.exp(beta * (ratio - 0.5)))))


def grow(X, D, uniform, smallest=5, depth=20):
    """Grow a tree: a leaf is a distribution, a node (f, t, left tree, right)."""
    stop = len(D) < smallest or depth == 0 or (D == D[0]).all()
    cuts = [] if stop else search(X, two_means(D, uniform))
    g, f, t = max(cuts, key=lambda cut: cut[0], default=(0.0, 0, 0.0))  # Eq. 3
    if g < 1e-9:
        return D.mean(axis=0)  # Eq. d
    left, more = X[:, f] < t, (uniform, smallest, depth - 1)
    return f, t, grow(X[left], D[left], *more), grow(X[~left], D[~left], *more)


def leaf(tree, x):
    """The leaf of a tree that a row x (q,) reaches."""
    while isinstance(tree, tuple):
        tree = tree[2] if x[tree[0]] < tree[1] else tree[3]
    return tree


def predict(trees, X):
    """The distributions that a forest predicts for rows X (n, q) (Eq. 4)."""
    return np.mean([[leaf(tree, x) for x in X] for tree in trees], axis=0)
