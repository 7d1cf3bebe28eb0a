"""Slow, obvious twins of the differentiable trees: loops over rows, nodes and leaves."""

import numpy as np


def path(leaf, n_splits):
    """(split node, whether the leaf is on its left) from the root to a leaf, 0 .. n_splits."""
    node, steps = n_splits + leaf, []
    while node:
        parent = (node - 1) // 2
        steps.append((parent, node == 2 * parent + 1))
        node = parent
    return steps[::-1]


def routing(s, leaf):
    """Eq. 1 for the split probabilities s of one row in one tree."""
    p = 1.0
    for node, left in path(leaf, len(s)):
        p *= s[node] if left else 1 - s[node]
    return p


def tree(s, leaves):
    """Eq. 2."""
    return sum(routing(s, leaf) * q for leaf, q in enumerate(leaves))


def forest(F, phi, Q):
    """Predictions (K, c, n) from outputs F (t, n)."""
    S = 1 / (1 + np.exp(-F))
    return np.array(
        [
            np.transpose([tree(S[outputs, i], q) for i in range(F.shape[1])])
            for outputs, q in zip(phi, Q, strict=True)
        ]
    )


def cross_entropy(d, g):
    return -sum(dc * np.log(gc) for dc, gc in zip(d, g, strict=True) if dc > 0)


def loss(F, phi, Q, D):
    """Eq. 3 summed over trees and rows: D (c, n)."""
    return sum(
        cross_entropy(D[:, i], g[:, i]) for g in forest(F, phi, Q) for i in range(F.shape[1])
    )


def slope(F, phi, Q, D):
    """Eq. 6 (times N), with the mixtures of subtrees summed over their leaves; (t, n)."""
    S = 1 / (1 + np.exp(-F))
    G = np.zeros_like(F)
    for outputs, leaves in zip(phi, Q, strict=True):
        for i in range(F.shape[1]):
            s, g = S[outputs, i], tree(S[outputs, i], leaves)
            for node, output in enumerate(outputs):
                below = {True: np.zeros(len(D)), False: np.zeros(len(D))}
                for leaf, q in enumerate(leaves):
                    for ancestor, left in path(leaf, len(s)):
                        if ancestor == node:
                            below[left] += routing(s, leaf) * q
                terms = s[node] * below[False] / g - (1 - s[node]) * below[True] / g
                G[output, i] += (D[:, i] * terms).sum()
    return G


def leaf_update(F, outputs, leaves, D, weights):
    """Eq. 12 for one tree; rows count ``weights`` times."""
    S = 1 / (1 + np.exp(-F))
    new = np.zeros_like(leaves)
    for i in range(F.shape[1]):
        s = S[outputs, i]
        g = tree(s, leaves)
        for leaf, q in enumerate(leaves):
            for c in range(len(q)):
                if D[c, i] > 0:
                    new[leaf, c] += weights[i] * D[c, i] * routing(s, leaf) * q[c] / g[c]
    return new / new.sum(axis=1, keepdims=True)
