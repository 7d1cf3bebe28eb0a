"""Walking the trees of multi-label forests.

Shapes used throughout: n rows, q features, c labels; ``tree`` is a Tree of `labels`; ``node`` and
``walking`` are scratch, (n or more,) int64 and uint32.
"""

import numpy as np

from ldlrepro.kernels._jit import kernel, part
from ldlrepro.kernels.nodes import LEAF

_ONE, _SIX, _LOW = np.uint64(1), np.uint64(6), np.uint64(63)
_LEFT, _HALF = np.uint64(2**32 - 1), np.uint64(32)


@part
def start_walk(root, is_leaf, node, walking, n):
    """Put n rows at the ``root``; how many have a step to take."""
    for i in range(n):
        node[i] = root
        walking[i] = i
    return 0 if is_leaf else n


@part
def add_shares(tree, node, out):
    """Add to the rows of ``out`` the label shares of the leaves in the lower half of ``node``."""
    start, label, share = tree.leaf_start, tree.leaf_label, tree.leaf_share
    for i in range(out.shape[0]):
        leaf = np.uint64(node[i]) & _LEFT
        for e in range(np.uint64(start[leaf]), np.uint64(start[leaf + _ONE])):
            out[i, np.uint64(label[e])] += share[e]


@kernel
def add_leaves(X, tree, node, walking, out):
    """Add to ``out`` (n, c) the label shares of the leaves that the rows of X (n, q) reach."""
    feature, threshold, left = tree.feature, tree.threshold, tree.left
    k = start_walk(0, feature[0] == LEAF, node, walking, X.shape[0])
    while k > 0:  # all rows a step at a time: a step waits for the one before, not for other rows
        still = 0
        for i in range(k):
            r = walking[i]
            at = np.uint64(node[r])
            to = left[at] + np.int32(X[r, np.uint64(feature[at])] > threshold[at])
            node[r] = to
            walking[still] = r
            still += np.int64(feature[np.uint64(to)] != LEAF)
        k = still
    for i in range(X.shape[0]):
        node[i] = left[np.uint64(node[i])]  # at a leaf its number
    add_shares(tree, node, out)


def steps(tree):
    """(nodes,) int64: the feature of each node in the upper half, its ``left`` in the lower one.

    Below 0 at a leaf.
    """
    return tree.feature.astype(np.int64) << 32 | tree.left


@kernel
def add_leaves_of_bits(words, tree, step, node, walking, out):
    """`add_leaves` where features have two values.

    words : (n, w) uint64, a bit for each feature; step : what `steps` makes of the tree
    """
    k = start_walk(step[0], step[0] < 0, node, walking, words.shape[0])
    while k > 0:
        still = 0
        for i in range(k):
            r = walking[i]
            at = np.uint64(node[r])
            f = at >> _HALF
            to = (at & _LEFT) + (words[r, f >> _SIX] >> (f & _LOW) & _ONE)
            node[r] = step[to]  # read once: what a row has to do next goes with it
            walking[still] = r
            still += np.int64(step[to] >= 0)
        k = still
    add_shares(tree, node, out)
