"""sLDLF in plain NumPy, to be read beside the chapter's section "The method".

After Shen, Zhao, Guo, Yuille, "Label Distribution Learning Forests", 2017.
The tests check the fast code against these functions.

The root is node 0. Node v has the children 2 v + 1 (left) and 2 v + 2 (right).
Of one tree: the split probabilities ``s`` (n, N) of N split nodes, and the
``leaves`` (N + 1, c), one distribution in each row.
"""

import numpy as np

TINY = np.finfo(float).eps  # the least mixture: no ln 0, no division by 0


def split(f):
    """Chance of going left at each split node, from the outputs f."""
    return 1 / (1 + np.exp(-f))


def sides(splits):
    """Which leaves are left and right of each split node: two (N, N + 1)."""
    side = np.zeros((splits, 2 * splits + 1))
    for node in range(1, 2 * splits + 1):
        parent = (node - 1) // 2
        side[:, node] = side[:, parent]  # a node lies where its parent lies,
        side[parent, node] = 1 if node % 2 else -1  # and on one side of it
    return side[:, splits:] > 0, side[:, splits:] < 0


def routing(s):
    """Eq. 1: the chance that a row reaches each leaf, (n, N + 1)."""
    left, right = sides(s.shape[1])
    return (s[:, :, None] ** left * (1 - s[:, :, None]) ** right).prod(axis=1)


def mixture(s, leaves):
    """Eq. 2: the prediction of a tree, (n, c)."""
    return routing(s) @ leaves


def loss(s, leaves, D):
    """Eq. 3: the mean cross-entropy of a tree."""
    return -(D * np.log(np.maximum(mixture(s, leaves), TINY))).sum() / len(D)


def gradient(s, leaves, D):
    """Eq. 6, labels summed first: the slope at each split node, (n, N)."""
    share = routing(s) * (D / np.maximum(mixture(s, leaves), TINY) @ leaves.T)
    left, right = (share @ side.T for side in sides(s.shape[1]))
    return (s * right - (1 - s) * left) / len(D)


def leaf_step(s, leaves, D):
    """Eq. 12: each leaf takes the label degrees that it answers for."""
    # Sums over rows of d times xi. A leaf that no row reaches has 0: it stays.
    mass = leaves * (routing(s).T @ (D / np.maximum(mixture(s, leaves), TINY)))
    total = mass.sum(axis=1, keepdims=True)
    return np.divide(mass, total, out=leaves.copy(), where=total > 0)


def fit(X, D, theta, phi, rate, iterations, batches, steps):
    """The paper's Algorithm 1 on all rows: Theta (q, M), leaves (T, N + 1, c).

    An update of the leaves, ``steps`` times Eq. 12, comes before the first
    iteration and after every ``batches`` of them.
    """
    leaves = np.full((len(phi), phi.shape[1] + 1, D.shape[1]), 1 / D.shape[1])
    for done in range(iterations + 1):
        s, slope = split(X @ theta), np.zeros((len(X), theta.shape[1]))
        for tree, outputs in enumerate(phi):
            for _ in range(steps if done % batches == 0 else 0):
                leaves[tree] = leaf_step(s[:, outputs], leaves[tree], D)
            slope[:, outputs] += gradient(s[:, outputs], leaves[tree], D)
        if done < iterations:  # the last pass is for the leaves alone
            theta = theta - rate * X.T @ slope / len(phi)  # Eq. 13
    return theta, leaves


def predict(X, theta, phi, leaves):
    """The prediction of the forest: the mean of its trees, (n, c)."""
    s = split(X @ theta)
    return sum(map(mixture, (s[:, o] for o in phi), leaves)) / len(phi)
