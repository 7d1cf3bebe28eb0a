"""Slow, obvious twins of the kernels; those of StructRF are in its folder, `readable`."""

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
