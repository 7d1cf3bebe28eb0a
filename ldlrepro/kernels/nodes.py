"""What trees share: limits to their growth, the rows of a node, and the walk to a leaf."""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel, part

LEAF = -1  # "feature" of a leaf


class Limits(NamedTuple):
    """Where a tree stops to grow, and how many features a node may look at."""

    max_depth: int  # of a leaf; the root has depth 0
    min_samples_split: int  # drawn rows of a node that is split, at least
    max_features: int  # drawn at a node; further ones while all drawn are constant there


@kernel
def partition(rows, goes_left, buffer):
    """Put the rows that go left first, in place, and otherwise keep their order.

    Parameters
    ----------
    rows : (k,) int32, numbers of rows
    goes_left : (n,) uint8, 0 or 1 for each row of the table
    buffer : (k or more,) int32, scratch

    Returns
    -------
    int : how many go left
    """
    k = rows.shape[0]
    a = 0
    b = 0
    for i in range(k):
        r = rows[i]
        g = np.int64(goes_left[r])  # interpreted, a uint8 would make a and b bytes
        rows[a] = r
        buffer[b] = r
        a += g
        b += 1 - g
    for i in range(a, k):
        rows[i] = buffer[i - a]
    return a


@part
def first_node(m):
    """A stack of nodes to grow, (m + 1, 4) int64, with the root on it: all m rows, depth 0.

    Of each node: its number, its first row, the end of its rows, its depth.
    """
    stack = np.empty((m + 1, 4), np.int64)
    stack[0] = (0, 0, m, 0)
    return stack


@part
def push_children(stack, top, number, first, middle, end, depth):
    """Put a node's children on the stack from ``top`` on: the left one, ``number``, is next.

    Its rows are first .. middle - 1, those of the right one middle .. end - 1; depth : the node's
    """
    stack[top] = (number + 1, middle, end, depth + 1)
    stack[top + 1] = (number, first, middle, depth + 1)


@part
def reach(x, node, feature, threshold, left, right):
    """The leaf that a row x (q,) reaches from ``node``; the other arguments are (nodes,) arrays."""
    while feature[node] != LEAF:
        if x[feature[node]] < threshold[node]:
            node = left[node]
        else:
            node = right[node]
    return node
