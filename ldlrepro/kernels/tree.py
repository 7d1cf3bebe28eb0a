"""Growing and walking the trees of StructRF (Algorithm 1) and of its single-label twin.

A node chooses what to tell apart (two clusters of its rows of D, or given classes), searches the
features for the cut with the largest information gain, and is split there.

Shapes used throughout: n rows, m distinct rows drawn for a tree, c labels, p sorted and b sparse
features (see `columns`); features are numbered 0 .. p - 1 and p .. p + b - 1.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import bare, kernel, part
from ldlrepro.kernels.clustering import two_means
from ldlrepro.kernels.columns import (
    Sorted,
    kept,
    midpoint,
    row_of,
    same_value,
    send_by_sparse,
)
from ldlrepro.kernels.nodes import LEAF, first_node, partition, push_children
from ldlrepro.kernels.random import shuffled
from ldlrepro.kernels.split import (
    CLUSTER1,
    Classes,
    Node,
    class_purity,
    entropy_table,
    purity,
    scan_adaptive,
    scan_all,
    scan_classes,
)

_KMEANS_ITER = 100
_ONE = np.uint64(1)


class Tree(NamedTuple):
    """Nodes of a tree, the root first, and the rows of D of its leaves."""

    feature: np.ndarray  # (nodes,) int32, column of X, -1 at a leaf
    threshold: np.ndarray  # (nodes,) float64; left is x < threshold (Eq. 1)
    left: np.ndarray  # (nodes,) int32, node; at a leaf its row of ``leaves``
    right: np.ndarray  # (nodes,) int32
    samples: np.ndarray  # (nodes,) int64, rows drawn
    gain: np.ndarray  # (nodes,) float64, gain times samples
    leaves: np.ndarray  # (leaves, c) float64, means of D


class Rare(NamedTuple):
    """How many rows of a node take the rarer value of each sparse feature; zeros between nodes."""

    packed: np.ndarray  # (b,) int64, weight, and `CLUSTER1` times the weight in cluster 1
    by_class: np.ndarray  # (b, k) int64, weight in each class
    touched: np.ndarray  # (b,) int32, features with a count, at the front


class Work(NamedTuple):
    """What the nodes of a tree read and write besides its columns."""

    t: np.ndarray  # `entropy_table`
    classes: Classes  # with k = 0 classes each node clusters its rows
    cluster: np.ndarray  # (m,) uint8, of the node's rows
    packed: np.ndarray  # (n,) int64, of the node's rows, as `scan_all` wants it
    rare: Rare
    features: np.ndarray  # (p + b,) int64, all features; shuffled where some are drawn


@bare
def gather(rows, D, weight, Z, w):
    """Copy what a node learns from next to each other.

    Parameters
    ----------
    rows : (k,) uint32, the node's rows
    D, weight : (n, c) float64 and (n,) int64, distributions, and how often each row was drawn
    Z, w : (k or more, c) and (k or more,) float64, out: those of the rows

    Returns
    -------
    int : sum of the weights
    """
    total = np.int64(0)
    for i in range(rows.shape[0]):
        r = rows[i]
        total += weight[r]
        w[i] = weight[r]
        for j in range(D.shape[1]):
            Z[i, j] = D[r, j]
    return total


@kernel
def choose_clusters(rows, Z, w, total, work, state):
    """Cluster a node's rows (k,) uint32 in two, into ``work.packed``.

    Z, w, total : what `gather` makes of the rows, cut to k; state : (1,) uint64, random state

    Returns
    -------
    Node : its base is 0 where there is nothing to tell apart
    """
    t, classes, cluster, packed, _, _ = work
    weight = classes.weight
    if not two_means(Z, w, _KMEANS_ITER, state, cluster):
        return Node(total, np.int64(0), 0.0)
    ones = np.int64(0)
    for i in range(rows.shape[0]):
        r = rows[i]
        packed[r] = weight[r]
        if cluster[i]:
            packed[r] += weight[r] * CLUSTER1
            ones += weight[r]
    return Node(total, ones, t[ones] + t[total - ones] - t[total])


@bare
def choose_classes(rows, total, work):
    """Count the classes of a node's rows, into ``work``; otherwise as `choose_clusters`."""
    t, classes, _, packed, _, _ = work
    label, weight, counts, _ = classes
    counts[:] = 0
    for r in rows:
        packed[r] = weight[r]
        counts[label[r]] += weight[r]
    base = -t[total]
    for count in counts:
        base += t[count]
    return Node(total, np.int64(0), base)


@kernel
def count_rare(rows, sparse, work):
    """Count the rarer values of Sparse features in a node's rows (k,) uint32, into ``work.rare``.

    Returns
    -------
    int : how many features have a count; ``touched`` lists them in ascending order
    """
    _, classes, _, packed, rare, _ = work
    label, weight, counts, _ = classes
    start, index, _, _, _ = sparse
    count, by_class, touched = rare
    n_touched = 0
    for r in rows:
        for e in range(start[r], start[r + 1]):
            f = index[e]
            if count[f] == 0:
                touched[n_touched] = f
                n_touched += 1
            count[f] += packed[r]
            if counts.shape[0]:
                by_class[f, label[r]] += weight[r]
    touched[:n_touched].sort()
    return n_touched


@bare
def search(first, k, many, n_touched, node, work, max_features, step, state):
    """Best cut of a node over its features (Eq. 3).

    Parameters
    ----------
    first, k : the node's rows are entries first .. first + k - 1 of each sorted feature
    many : Sorted, with the tree's rows only
    n_touched : int, sparse features that `count_rare` counted
    node, work, step : Node, Work and Step
    max_features : int, features drawn; further ones while all drawn are constant here
    state : (1,) uint64, random state

    Returns
    -------
    feature (-1 where no cut has a gain), position (of a sorted feature: the cut lies after it),
    purity
    """
    entry = many.entry
    t, classes, _, packed, rare, features = work
    p = entry.shape[0]
    q = features.shape[0]
    counted, by_class, touched = rare
    counts = classes.counts
    given = counts.shape[0] > 0
    some = max_features < q
    best = node.base + 1e-9 * node.total  # rounding of the k ln k sums is no gain
    best_f = -1
    best_at = 0
    varied = False
    for i in range(q if some else p + n_touched):
        if best >= 0.0 or (some and varied and i >= max_features):
            break  # both sides pure: nothing beats it; or enough features drawn
        if some:
            f = shuffled(features, i, state)
        else:
            f = i if i < p else p + touched[i - p]  # no draw: then the sparse ones that vary
        at = 0
        if f < p:
            if same_value(entry[f, first], entry[f, first + k - 1]):
                continue
            if given:
                at, g = scan_classes(many, f, first, k, classes, node, t, best, step)
            elif step.adaptive:
                at, g, _ = scan_adaptive(many, f, first, k, packed, node, t, best, step)
            else:
                at, g = scan_all(many, f, first, k, packed, node, t, best)
        else:
            count = counted[f - p] & 0xFFFFFFFF
            if count == 0 or count == node.total:
                continue
            if given:
                g = class_purity(t, by_class[f - p], count, counts, node.total)
            else:
                g = purity(t, counted[f - p] >> 32, count, node.ones, node.total)
        varied = True
        if g > best:
            best = g
            best_f = f
            best_at = at
    for i in range(n_touched):
        counted[touched[i]] = 0
        if given:
            by_class[touched[i]] = 0
    return best_f, best_at, best


@bare
def send(rows, f, at, first, many, sparse, goes_left):
    """Mark which rows go left at the cut (f, at) that `search` found; arguments as there.

    goes_left : (n,) uint8, out: 0 or 1 for each of the rows

    Returns
    -------
    column of X, threshold
    """
    p = many.entry.shape[0]
    if f >= p:
        send_by_sparse(rows, f - p, sparse, goes_left)
        return sparse.feature[f - p], sparse.threshold[f - p]
    entry = many.entry[f, first : first + rows.shape[0]]
    for i in range(entry.shape[0]):
        goes_left[row_of(entry[i])] = 1 if i <= at else 0
    below, above = row_of(entry[at]), row_of(entry[at + 1])
    return many.feature[f], midpoint(many.values[f, below], many.values[f, above])


@bare
def partition_columns(entry, first, end, goes_left, buffer):
    """`partition` of the entries first .. end - 1 of each sorted feature, entry (p, m) uint64."""
    for f in range(entry.shape[0]):
        a = np.uint64(first)
        b = np.uint64(0)
        for i in range(np.uint64(first), np.uint64(end)):
            e = entry[f, i]
            g = np.uint64(goes_left[row_of(e)])
            entry[f, a] = e
            buffer[b] = e
            a += g
            b += _ONE - g
        for i in range(b):
            entry[f, a + i] = buffer[i]


@bare
def mean_row(Z, w, total, out):
    """Mean of rows Z (k, c) with weights w (k,), whose sum is ``total``, into ``out`` (c,)."""
    for j in range(Z.shape[1]):
        s = 0.0
        for i in range(Z.shape[0]):
            s += w[i] * Z[i, j]
        out[j] = s / total


@kernel
def no_nodes(size, n_leaves, c):
    """A Tree with room for some nodes and leaves."""
    return Tree(
        np.full(size, LEAF, np.int32),
        np.zeros(size),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.empty((n_leaves, c)),
    )


@kernel
def prepare(many, sparse, weight, label, n_classes, m):
    """The Sorted features with the m rows of a tree only, and its Work; arguments as for `grow`."""
    n = weight.shape[0]
    b = sparse.feature.shape[0]
    own = Sorted(kept(many.entry, weight, m), many.values, many.feature)
    work = Work(
        entropy_table(weight.sum()),
        Classes(label, weight, np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)),
        np.empty(m, np.uint8),
        np.zeros(n, np.int64),
        Rare(np.zeros(b, np.int64), np.zeros((b, n_classes), np.int64), np.empty(b, np.int32)),
        np.arange(own.feature.shape[0] + b),
    )
    return own, work


@kernel
def grow(D, weight, label, n_classes, columns, limits, step, state):
    """Grow one tree (Algorithm 1).

    Parameters
    ----------
    D : (n, c) float64, label distributions, averaged in the leaves
    weight : (n,) int64, how often each row was drawn
    label, n_classes : (n,) int64 and int, classes to tell apart at every node; with n_classes = 0
        each node clusters its rows of D in two
    columns : Sorted and Sparse, the features
    limits, step : Limits and Step
    state : (1,) uint64, random state

    Returns
    -------
    Tree
    """
    n, c = D.shape
    rows = np.flatnonzero(weight).astype(np.uint32)
    m = rows.shape[0]
    sparse = columns[1]
    many, work = prepare(columns[0], sparse, weight, label, n_classes, m)
    feature, threshold, left, right, samples, gain, leaves = no_nodes(2 * m, m, c)
    n_nodes = 1
    n_leaves = 0
    Z = np.empty((m, c))
    w = np.empty(m)
    goes_left = np.zeros(n, np.uint8)
    buffer = np.empty(m, np.uint32)
    entries = np.empty(m, np.uint64)
    stack = first_node(m)
    top = 1
    while top > 0:
        top -= 1
        at, first, end, depth = stack[top]
        here = rows[first:end]
        k = end - first
        total = gather(here, D, weight, Z, w)
        samples[at] = total
        f = -1
        position = 0
        gained = 0.0
        if k > 1 and total >= limits.min_samples_split and depth < limits.max_depth:
            if n_classes:
                node = choose_classes(here, total, work)
            else:
                node = choose_clusters(here, Z[:k], w[:k], total, work, state)
            if node.base < 0.0:
                n_touched = count_rare(here, sparse, work) if sparse.feature.shape[0] else 0
                f, position, best = search(
                    first, k, many, n_touched, node, work, limits.max_features, step, state
                )
                gained = best - node.base
        if f < 0:
            left[at] = n_leaves
            mean_row(Z[:k], w[:k], total, leaves[n_leaves])
            n_leaves += 1
            continue
        feature[at], threshold[at] = send(here, f, position, first, many, sparse, goes_left)
        gain[at] = gained
        middle = first + partition(here, goes_left, buffer)
        if k > 2 and depth + 1 < limits.max_depth:  # else both children are leaves
            partition_columns(many.entry, first, end, goes_left, entries)
        left[at] = n_nodes
        right[at] = n_nodes + 1
        push_children(stack, top, n_nodes, first, middle, end, depth)
        top += 2
        n_nodes += 2
    return Tree(
        feature[:n_nodes].copy(),
        threshold[:n_nodes].copy(),
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        samples[:n_nodes].copy(),
        gain[:n_nodes].copy(),
        leaves[:n_leaves].copy(),
    )


@part
def walk(X, root, feature, threshold, left, node, walking):
    """The leaf that each row reaches in a tree, into ``node``; otherwise as `apply`.

    All rows take a step at a time: a step waits for the one before it, not for those of other rows.

    node, walking : (n or more,) int64 and uint32, out and scratch
    """
    n = X.shape[0]
    for i in range(n):
        node[i] = root
        walking[i] = i
    k = n if feature[root] != LEAF else 0
    while k > 0:
        still = 0
        for i in range(k):
            r = walking[i]
            at = np.uint64(node[r])
            goes_left = X[r, np.uint64(feature[at])] < threshold[at]
            to = left[at] + np.int32(not goes_left)  # the right child is the next node
            node[r] = to
            walking[still] = r
            still += np.int64(feature[np.uint64(to)] != LEAF)
        k = still


@kernel
def apply(X, roots, feature, threshold, left, out):
    """The node that each row reaches in each tree.

    Parameters
    ----------
    X : (n, q) float64
    roots : (trees,) int64
    feature, threshold, left : (nodes,), of all trees
    out : (n, trees) int64
    """
    n = X.shape[0]
    node, walking = np.empty(n, np.int64), np.empty(n, np.uint32)
    for tree in range(roots.shape[0]):
        walk(X, roots[tree], feature, threshold, left, node, walking)
        out[:, tree] = node


@kernel
def average_leaves(X, roots, feature, threshold, left, leaves, out):
    """Mean of the leaves that each row reaches (Eq. 4); otherwise as `apply`.

    Parameters
    ----------
    leaves : (., c) float64; at a leaf ``left`` is its row
    out : (n, c) float64
    """
    n = X.shape[0]
    node, walking = np.empty(n, np.int64), np.empty(n, np.uint32)
    out[:] = 0.0
    for tree in range(roots.shape[0]):
        walk(X, roots[tree], feature, threshold, left, node, walking)
        for i in range(n):
            row = np.uint64(left[np.uint64(node[i])])
            for j in range(leaves.shape[1]):
                out[i, j] += leaves[row, j]
    out /= roots.shape[0]
