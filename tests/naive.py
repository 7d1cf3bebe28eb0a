"""Slow, obvious twins of the kernels."""

import math

import numpy as np


class SplitMix:
    """splitmix64, in Python integers."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) / 2**53


def pick(weight, rng):
    target = rng.uniform() * sum(weight)
    for i, w in enumerate(weight):
        target -= w
        if target < 0:
            return i
    return max(i for i, w in enumerate(weight) if w > 0)


def shuffle(items, rng):
    for i in range(len(items)):
        j = i + int(rng.uniform() * (len(items) - i))
        items[i], items[j] = items[j], items[i]
    return items


def partition(rows, goes_left):
    return [r for r in rows if goes_left[r]] + [r for r in rows if not goes_left[r]]


def reach(forest, x, node):
    """The leaf of a StructRF that a row x (q,) reaches from ``node``."""
    while forest.feature_[node] >= 0:
        goes_left = x[forest.feature_[node]] < forest.threshold_[node]
        node = forest.left_[node] if goes_left else forest.right_[node]
    return node


def two_means(Z, w, rng, max_iter=100):
    """Lloyd's algorithm on weighted rows; None where there is nothing to split."""
    a = pick(list(w), rng)
    far = w * ((Z - Z[a]) ** 2).sum(axis=1)
    if far.sum() <= 0:
        return None
    b = pick(list(far), rng)
    centres = np.array([Z[a], Z[b]])
    cluster = None
    for _ in range(max_iter):
        distance = ((Z[:, None, :] - centres[None]) ** 2).sum(axis=2)
        new = (distance[:, 1] < distance[:, 0]).astype(int)
        if new.all() or not new.any():
            return None
        if cluster is not None and (new == cluster).all():
            break
        cluster = new
        centres = np.array(
            [np.average(Z[cluster == k], axis=0, weights=w[cluster == k]) for k in (0, 1)]
        )
    return cluster


def entropy(classes):
    n = len(classes)
    return -sum(k / n * math.log(k / n) for k in np.unique(classes, return_counts=True)[1] if k)


def gain(classes, goes_left):
    """Information gain of a split (Eq. 2)."""
    n = len(classes)
    sides = (classes[goes_left], classes[~goes_left])
    return entropy(classes) - sum(len(s) / n * entropy(s) for s in sides)


def best_gain(X, classes):
    """Largest gain over all features and all midpoints (Eq. 3)."""
    best = 0.0
    for f in range(X.shape[1]):
        values = np.unique(X[:, f])
        for a, b in zip(values[:-1], values[1:], strict=True):
            best = max(best, gain(classes, X[:, f] < (a + b) / 2))
    return best


def adaptive_best(values, classes, alpha, beta):
    """Best gain of one sorted, tie-free feature under the variable step, and the evaluations."""
    n, best, i, count = len(values), 0.0, 0, 0
    while i < n - 1:
        g = gain(classes, np.arange(n) <= i)
        count += 1
        best = max(best, g)
        ratio = g / best if best > 0 else 1.0
        i += max(1, int(alpha * n / (1 + math.exp(beta * (ratio - 0.5)))))
    return best, count


def maxent_loss(X, D, W):
    """-sum d ln p and its gradient, (c, q)."""
    Z = X @ W.T
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return -(D * np.log(P)).sum(), (P - D).T @ X


def scaling_root(x, p, size, target):
    """Root of sum_i p_i x_i exp(delta s(x_i) size_i) = target by bisection."""
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        value = sum(
            pi * xi * math.exp(middle * np.sign(xi) * si)
            for xi, pi, si in zip(x, p, size, strict=True)
        )
        low, high = (middle, high) if value < target else (low, middle)
    return (low + high) / 2
