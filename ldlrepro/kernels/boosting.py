"""Growing and summing the trees of LDLogitBoost and AOSO-LDLogitBoost.

Both fit a row's K-L loss -sum_j d_j ln p_j by Newton steps. A tree's node has a direction in the
space of the scores f: one label (e_r), or a pair of labels (e_r - e_s). Along it a row has a
negative gradient g and a curvature h, a node has G = sum g and H = sum h, the gain G^2 / H and the
step G / H: the weighted least-squares fit of the working responses g / h with the weights h.

Shapes used throughout: n rows, c labels, p binned features, of which a node fills histograms, and
b sparse ones, of which it only counts (see `columns`).
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel, part
from ldlrepro.kernels.columns import send_by_sparse
from ldlrepro.kernels.nodes import LEAF, partition, reach

MIN_WEIGHT = 1e-6  # least curvature of a row
MAX_STEP = 4.0  # largest step of a leaf, before shrinkage
MAX_BINS = 256


class Size(NamedTuple):
    """Where a tree stops to grow."""

    max_leaf_nodes: int
    max_depth: int  # of a leaf; the root has depth 0
    min_samples_leaf: int


class Tree(NamedTuple):
    """Nodes of a tree, the root first."""

    feature: np.ndarray  # (nodes,) int32, column of X, -1 at a leaf
    threshold: np.ndarray  # (nodes,) float64; left is x < threshold
    left: np.ndarray  # (nodes,) int32
    right: np.ndarray  # (nodes,) int32
    r: np.ndarray  # (nodes,) int32, the node's direction
    s: np.ndarray  # (nodes,) int32; -1 for a single label
    value: np.ndarray  # (nodes,) float64, the step G / H


class Scratch(NamedTuple):
    """What the search for a cut works on."""

    histogram: np.ndarray  # (MAX_BINS, 3) float64
    count: np.ndarray  # (b, 3) float64, zeros before and after
    touched: np.ndarray  # (b,) int32


@kernel
def label_terms(d, p):
    """Return -gradient and curvature of the K-L loss along e_r."""
    return d - p, max(p * (1.0 - p), MIN_WEIGHT)


@kernel
def pair_terms(d_r, p_r, d_s, p_s):
    """Return -gradient and curvature of the K-L loss along e_r - e_s."""
    h = p_r * (1.0 - p_r) + p_s * (1.0 - p_s) + 2.0 * p_r * p_s
    return (d_r - p_r) - (d_s - p_s), max(h, MIN_WEIGHT)


@kernel
def choose_pair(D, P, rows):
    """Pick a node's pair of labels: r by the gradient, then s by the gain given r.

    Parameters
    ----------
    D, P : (n, c) float64, true and predicted distributions
    rows : (k,) int32, the node's rows

    Returns
    -------
    r, s : int, different labels
    """
    c = D.shape[1]
    G = np.zeros(c)
    for i in rows:
        for j in range(c):
            G[j] += D[i, j] - P[i, j]
    r = np.argmax(G)
    H = np.zeros(c)
    for i in rows:
        for j in range(c):
            H[j] += pair_terms(0.0, P[i, r], 0.0, P[i, j])[1]
    s = -1
    best = -1.0
    for j in range(c):
        gain = (G[r] - G[j]) ** 2 / H[j]
        if j != r and gain > best:
            best = gain
            s = j
    return r, s


@kernel
def terms(D, P, rows, r, s, g, h):
    """Terms of a node's rows along its direction, and the step of a leaf there.

    Parameters
    ----------
    D, P, rows : as for `choose_pair`
    r, s : int, labels of the direction e_r - e_s; s = -1 for e_r
    g, h : (k,) float64, out: -gradients and curvatures

    Returns
    -------
    float : G / H, bounded by MAX_STEP
    """
    G = 0.0
    H = 0.0
    for i in range(rows.shape[0]):
        q = rows[i]
        if s < 0:
            g[i], h[i] = label_terms(D[q, r], P[q, r])
        else:
            g[i], h[i] = pair_terms(D[q, r], P[q, r], D[q, s], P[q, s])
        G += g[i]
        H += h[i]
    return min(max(G / H, -MAX_STEP), MAX_STEP)


@part
def fill(rows, g, h, bins, histogram):
    """Sum a node's rows by their bin of one feature.

    rows, g, h : as for `best_cut`; bins : (n,) uint8; histogram : (bins, 3) of zeros, out: rows,
    sum of g and sum of h in each bin
    """
    for i in range(rows.shape[0]):
        cell = histogram[bins[rows[i]]]
        cell[0] += 1.0
        cell[1] += g[i]
        cell[2] += h[i]


@kernel
def count_rare(rows, g, h, sparse, count, touched):
    """Sum a node's rows by the sparse features that take their rarer value.

    Parameters
    ----------
    rows, g, h, sparse : as for `best_cut`
    count : (b, 3) of zeros, out: rows, sum of g and sum of h with the rarer value
    touched : (b,) int32, out: the features that some row has, at the front

    Returns
    -------
    int : how many features some row has
    """
    start, index, _, _, _ = sparse
    n_touched = 0
    for i in range(rows.shape[0]):
        for e in range(start[rows[i]], start[rows[i] + 1]):
            f = index[e]
            if count[f, 0] == 0.0:
                touched[n_touched] = f
                n_touched += 1
            count[f, 0] += 1.0
            count[f, 1] += g[i]
            count[f, 2] += h[i]
    return n_touched


@part
def score(G_side, H_side, G, H):
    """G_l^2 / H_l + G_r^2 / H_r from the sums of one side and of the node."""
    return G_side**2 / H_side + (G - G_side) ** 2 / max(H - H_side, MIN_WEIGHT)


@part
def best_bin(histogram, k, G, H, min_samples_leaf, best):
    """Best cut of one feature from its histogram (bins, 3).

    k, G, H : rows of the node, their sums of g and h; best : score to beat

    Returns
    -------
    last bin on the left (-1 where none beats ``best``), score
    """
    found = -1
    n_left = 0.0
    G_left = 0.0
    H_left = 0.0
    for at in range(histogram.shape[0] - 1):
        if histogram[at, 0] == 0.0:
            continue
        n_left += histogram[at, 0]
        G_left += histogram[at, 1]
        H_left += histogram[at, 2]
        if n_left < min_samples_leaf:
            continue
        if k - n_left < min_samples_leaf:
            break
        new = score(G_left, H_left, G, H)
        if new > best:
            best = new
            found = at
    return found, best


@kernel
def best_cut(rows, g, h, min_samples_leaf, binned, sparse, scratch):
    """Find the split of a node with the largest G_l^2 / H_l + G_r^2 / H_r - G^2 / H.

    Parameters
    ----------
    rows : (k,) int32, the node's rows
    g, h : (k,) float64, their -gradients and curvatures along the node's direction
    min_samples_leaf : int, rows of a side at least
    binned, sparse : Binned and Sparse, the features
    scratch : Scratch

    Returns
    -------
    gain (0.0 where no split gains), feature (p + number among the sparse ones, after the p binned
    ones), last bin on the left
    """
    bins, n_bins, _, _ = binned
    histogram, count, touched = scratch
    p = bins.shape[0]
    k = rows.shape[0]
    G = 0.0
    H = 0.0
    for i in range(k):
        G += g[i]
        H += h[i]
    base = G * G / H
    best = base + 1e-12 * H  # rounding is no gain
    best_f = -1
    best_at = 0
    for f in range(p):
        cells = histogram[: n_bins[f]]
        cells[:] = 0.0
        fill(rows, g, h, bins[f], cells)
        at, new = best_bin(cells, k, G, H, min_samples_leaf, best)
        if at >= 0:
            best = new
            best_f = f
            best_at = at
    n_touched = count_rare(rows, g, h, sparse, count, touched)
    for i in range(n_touched):
        f = touched[i]
        rare, G_rare, H_rare = count[f]
        count[f] = 0.0
        if min(rare, k - rare) < min_samples_leaf:
            continue
        new = score(G_rare, H_rare, G, H)
        # Ties go to the lower column, whatever the order rows were met in.
        if new > best or (best_f >= p and new == best and p + f < best_f):
            best = new
            best_f = p + f
    return best - base if best_f >= 0 else 0.0, best_f, best_at


@kernel
def send(rows, f, at, binned, sparse, goes_left):
    """Mark which rows go left at the cut (f, at) that `best_cut` found; arguments as there.

    goes_left : (n,) uint8, out: 0 or 1 for each of the rows

    Returns
    -------
    column of X, threshold
    """
    p = binned.feature.shape[0]
    if f >= p:
        send_by_sparse(rows, f - p, sparse, goes_left)
        return sparse.feature[f - p], sparse.threshold[f - p]
    bins = binned.bins[f]
    for r in rows:
        goes_left[r] = bins[r] <= at
    return binned.feature[f], binned.cut[f, at]


@kernel
def no_nodes(size, label):
    """A Tree with room for some nodes, all of one direction."""
    return Tree(
        np.full(size, LEAF, np.int32),
        np.zeros(size),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.full(size, label, np.int32),
        np.full(size, -1, np.int32),
        np.zeros(size),
    )


@kernel
def grow(D, P, label, size, binned, sparse):
    """Grow one tree, the leaf with the largest gain first.

    Parameters
    ----------
    D, P : (n, c) float64, true and predicted distributions
    label : int, direction of all nodes; -1: each node picks its pair of labels
    size : Size
    binned, sparse : Binned and Sparse, the features

    Returns
    -------
    Tree
    """
    n = D.shape[0]
    b = sparse.feature.shape[0]
    room = 2 * min(size.max_leaf_nodes, n) - 1
    feature, threshold, left, right, r, s, value = no_nodes(room, label)
    first = np.zeros(room, np.int64)  # of a node's rows, with their end
    end = np.zeros(room, np.int64)
    depth = np.zeros(room, np.int64)
    gain = np.zeros(room)  # of the best split of an open leaf, with its feature and bin
    split_f = np.zeros(room, np.int64)
    split_at = np.zeros(room, np.int64)
    rows = np.arange(n).astype(np.int32)
    goes_left = np.zeros(n, np.uint8)
    buffer = np.empty(n, np.int32)
    g = np.empty(n)
    h = np.empty(n)
    scratch = Scratch(np.empty((MAX_BINS, 3)), np.zeros((b, 3)), np.empty(b, np.int32))

    end[0] = n
    n_nodes = 1
    n_leaves = 1
    done = 0
    while True:
        for node in range(done, n_nodes):
            own = rows[first[node] : end[node]]
            k = own.shape[0]
            if label < 0:
                r[node], s[node] = choose_pair(D, P, own)
            value[node] = terms(D, P, own, r[node], s[node], g, h)
            may_split = n_leaves < size.max_leaf_nodes and depth[node] < size.max_depth
            if may_split and k >= 2 * size.min_samples_leaf:
                gain[node], split_f[node], split_at[node] = best_cut(
                    own, g[:k], h[:k], size.min_samples_leaf, binned, sparse, scratch
                )
        done = n_nodes
        node = np.argmax(gain[:n_nodes])
        if n_leaves >= size.max_leaf_nodes or gain[node] <= 0.0:
            break

        gain[node] = 0.0
        own = rows[first[node] : end[node]]
        feature[node], threshold[node] = send(
            own, split_f[node], split_at[node], binned, sparse, goes_left
        )
        middle = first[node] + partition(own, goes_left, buffer)
        left[node] = n_nodes
        right[node] = n_nodes + 1
        first[n_nodes], end[n_nodes] = first[node], middle
        first[n_nodes + 1], end[n_nodes + 1] = middle, end[node]
        depth[n_nodes : n_nodes + 2] = depth[node] + 1
        n_nodes += 2
        n_leaves += 1
    return Tree(
        feature[:n_nodes].copy(),
        threshold[:n_nodes].copy(),
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        r[:n_nodes].copy(),
        s[:n_nodes].copy(),
        value[:n_nodes].copy(),
    )


@kernel
def add_trees(X, roots, feature, threshold, left, right, r, s, value, F):
    """Add the steps of some trees to the scores of rows.

    X : (n, q) float64; roots : (t,) int64, nodes; feature ... value : (nodes,), as in Tree, of all
    trees; F : (n, c) float64, in place
    """
    for i in range(X.shape[0]):
        for tree in range(roots.shape[0]):
            node = reach(X[i], roots[tree], feature, threshold, left, right)
            F[i, r[node]] += value[node]
            if s[node] >= 0:
                F[i, s[node]] -= value[node]
