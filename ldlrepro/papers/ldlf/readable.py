"""sLDLF in plain NumPy, to be read: Shen, Zhao, Guo, Yuille, "Label Distribution Learning Forests".

Nodes are numbered from the root, 0. Node v has the children 2 v + 1 (left) and 2 v + 2 (right).
A tree of N split nodes has N + 1 leaves. Arrays of one tree: the split probabilities ``s`` (n, N),
the ``leaves`` (N + 1, c), a distribution in each row. The chapter's section "The method" explains
each step. The tests use these functions to check the fast code.
"""

import numpy as np

TINY = np.finfo(float).eps  # a mixture is raised to it: ln 0 and 0 / 0 do not occur


def split(f):
    """Chance of going left at each split node, from the outputs f."""
    return 1 / (1 + np.exp(-f))


def sides(splits):
    """Whether a leaf is left, and whether it is right, of each split node: twice (N, N + 1)."""
    side = np.zeros((splits, splits + 1))
    for leaf in range(splits + 1):
        node = splits + leaf
        while node > 0:  # climb from the leaf to the root
            child, node = node, (node - 1) // 2
            side[node, leaf] = 1 if child % 2 else -1  # left children have odd numbers
    return side > 0, side < 0


def routing(s):
    """Eq. 1: the chance that a row reaches each leaf, (n, N + 1)."""
    left, right = sides(s.shape[1])
    return (s[:, :, None] ** left * (1 - s[:, :, None]) ** right).prod(axis=1)


def mixture(s, leaves):
    """Eq. 2: the prediction of a tree, (n, c)."""
    return routing(s) @ leaves


def loss(s, leaves, D):
    """Eq. 3: the mean cross-entropy of a tree."""
    return -(D * np.log(np.maximum(mixture(s, leaves), TINY))).sum(axis=1).mean()


def gradient(s, leaves, D):
    """Eq. 6: the slope of the loss in the output f of each split node, (n, N)."""
    below_left, below_right = (
        (routing(s)[:, None, :] * side) @ leaves for side in sides(s.shape[1])
    )
    term = s[:, :, None] * below_right - (1 - s[:, :, None]) * below_left
    ratio = D / np.maximum(mixture(s, leaves), TINY)
    return (ratio[:, None, :] * term).sum(axis=2) / len(D)


def update_leaves(s, leaves, D):
    """Eq. 12: each leaf takes the label degrees that it answers for."""
    ratio = D / np.maximum(mixture(s, leaves), TINY)
    mass = leaves * (routing(s).T @ ratio)  # the sum over rows of d times xi
    return mass / mass.sum(axis=1, keepdims=True)


def fit(X, D, theta, phi, rate, iterations, batches, times):
    """Algorithm 1 with all rows in each mini-batch: Theta (q, M) and leaves (T, N + 1, c)."""
    leaves = np.full((len(phi), phi.shape[1] + 1, D.shape[1]), 1 / D.shape[1])
    for iteration in range(iterations):
        s, slope = split(X @ theta), np.zeros((len(X), theta.shape[1]))
        for tree, outputs in enumerate(phi):
            for _ in range(times if iteration % batches == 0 else 0):
                leaves[tree] = update_leaves(s[:, outputs], leaves[tree], D)
            slope[:, outputs] += gradient(s[:, outputs], leaves[tree], D) / len(phi)
        theta = theta - rate * X.T @ slope  # Eq. 13
    return theta, leaves
