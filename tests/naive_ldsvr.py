"""The slow, obvious twin of LDSVR's objective."""

import math

import numpy as np


def joint_svr_objective(K, Y, B, b, C, epsilon):
    """Objective of LDSVR at coefficients B (n, c) and offsets b (c,)."""
    total = 0.5 * np.trace(B.T @ K @ B)
    for k, y in zip(K, Y, strict=True):
        u = math.sqrt(sum((k @ B + b - y) ** 2))
        total += C * max(u - epsilon, 0) ** 2
    return total
