"""Walking the trees of multi-label forests.

Shapes used throughout: n rows, q features, c labels; ``tree`` is a Tree of `labels`; ``node`` and
``walking`` are scratch, (n or more,) int32 and uint32.
"""

import numpy as np

from ldlrepro.kernels._jit import kernel, part
from ldlrepro.kernels.nodes import LEAF

_ONE, _SIX, _LOW = np.uint64(1), np.uint64(6), np.uint64(63)


@part
def start_walk(tree, node, walking, n):
    """Put n rows at the root; how many have a step to take."""
    for i in range(n):
        node[i] = 0
        walking[i] = i
    return 0 if tree.feature[0] == LEAF else n


@part
def add_shares(tree, node, out):
    """Add to the rows of ``out`` the label shares of the leaves that they have reached."""
    start, label, share = tree.leaf_start, tree.leaf_label, tree.leaf_share
    for i in range(out.shape[0]):
        leaf = np.uint64(tree.left[np.uint64(node[i])])
        for e in range(np.uint64(start[leaf]), np.uint64(start[leaf + _ONE])):
            out[i, np.uint64(label[e])] += share[e]


@kernel
def add_leaves(X, tree, node, walking, out):
    """Add to ``out`` (n, c) the label shares of the leaves that the rows of X (n, q) reach."""
    feature, threshold, left = tree.feature, tree.threshold, tree.left
    k = start_walk(tree, node, walking, X.shape[0])
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
    add_shares(tree, node, out)


@kernel
def add_leaves_of_bits(words, tree, node, walking, out):
    """`add_leaves` where features have two values: words (n, w) uint64, a bit for each."""
    feature, left = tree.feature, tree.left
    k = start_walk(tree, node, walking, words.shape[0])
    while k > 0:
        still = 0
        for i in range(k):
            r = walking[i]
            at = np.uint64(node[r])
            f = np.uint64(feature[at])
            to = left[at] + np.int32(words[r, f >> _SIX] >> (f & _LOW) & _ONE)
            node[r] = to
            walking[still] = r
            still += np.int64(feature[np.uint64(to)] != LEAF)
        k = still
    add_shares(tree, node, out)
