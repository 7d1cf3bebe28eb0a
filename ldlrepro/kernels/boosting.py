"""Growing and summing the trees of LDLogitBoost and AOSO-LDLogitBoost.

Both fit a row's K-L loss -sum_j d_j ln p_j by Newton steps. A tree's node has a direction in the
space of the scores f: one label (e_r), or a pair of labels (e_r - e_s). Along it a row has a
negative gradient g and a curvature h, a node has G = sum g and H = sum h, the gain G^2 / H and the
step G / H: the weighted least-squares fit of the working responses g / h with the weights h.

Shapes used throughout: n rows, c labels, p "binned" features (many values: each node fills a
histogram) and the "sparse" features (two values: a compressed row list of the features that take
their rarer value; a node only counts).
"""

import numpy as np

from ldlrepro.kernels._jit import kernel

LEAF = -1
MIN_WEIGHT = 1e-6  # least curvature of a row
MAX_STEP = 4.0  # largest step of a leaf, before shrinkage
MAX_BINS = 256


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
def best_cut(
    rows,
    g,
    h,
    min_samples_leaf,
    bins,
    n_bins,
    sparse_start,
    sparse_index,
    histogram,
    count,
    touched,
):
    """Find the split of a node with the largest G_l^2 / H_l + G_r^2 / H_r - G^2 / H.

    Parameters
    ----------
    rows : (k,) int32, the node's rows
    g, h : (k,) float64, their -gradients and curvatures along the node's direction
    bins, n_bins : (p, n) uint8 and (p,) int64, bin of each row in each binned feature
    sparse_start, sparse_index : the rows' sparse features that take the rarer value (CSR)
    histogram, count, touched : (MAX_BINS, 3), (., 3) of zeros, (.,) int32: scratch

    Returns
    -------
    gain (0.0 where no split gains), feature (among its kind), last bin on the left, is sparse
    """
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
    best_sparse = False
    for f in range(bins.shape[0]):
        b = n_bins[f]
        histogram[:b] = 0.0
        for i in range(k):
            cell = histogram[bins[f, rows[i]]]
            cell[0] += 1.0
            cell[1] += g[i]
            cell[2] += h[i]
        n_left = 0.0
        G_left = 0.0
        H_left = 0.0
        for at in range(b - 1):
            if histogram[at, 0] == 0.0:
                continue
            n_left += histogram[at, 0]
            G_left += histogram[at, 1]
            H_left += histogram[at, 2]
            if n_left < min_samples_leaf:
                continue
            if k - n_left < min_samples_leaf:
                break
            score = G_left**2 / H_left + (G - G_left) ** 2 / max(H - H_left, MIN_WEIGHT)
            if score > best:
                best = score
                best_f = f
                best_at = at
    n_touched = 0
    for i in range(k):
        for e in range(sparse_start[rows[i]], sparse_start[rows[i] + 1]):
            f = sparse_index[e]
            if count[f, 0] == 0.0:
                touched[n_touched] = f
                n_touched += 1
            count[f, 0] += 1.0
            count[f, 1] += g[i]
            count[f, 2] += h[i]
    for i in range(n_touched):
        f = touched[i]
        rare, G_rare, H_rare = count[f]
        count[f] = 0.0
        if min(rare, k - rare) < min_samples_leaf:
            continue
        score = G_rare**2 / H_rare + (G - G_rare) ** 2 / max(H - H_rare, MIN_WEIGHT)
        # Ties go to the lower column, whatever the order rows were met in.
        if score > best or (best_sparse and score == best and f < best_f):
            best = score
            best_f = f
            best_sparse = True
    return best - base if best_f >= 0 else 0.0, best_f, best_at, best_sparse


@kernel
def grow(
    D,
    P,
    label,
    max_leaf_nodes,
    max_depth,
    min_samples_leaf,
    bins,
    n_bins,
    cuts,
    binned_features,
    sparse_start,
    sparse_index,
    sparse_rare_is_low,
    sparse_threshold,
    sparse_features,
):
    """Grow one tree, the leaf with the largest gain first.

    Parameters
    ----------
    D, P : (n, c) float64, true and predicted distributions
    label : int, direction of all nodes; -1: each node picks its pair of labels
    bins, n_bins : (p, n) uint8 and (p,) int64, bin of each row in each binned feature
    cuts : (p, MAX_BINS - 1) float64, threshold above each bin
    sparse_start, sparse_index : the rows' sparse features that take the rarer value (CSR)
    sparse_rare_is_low, sparse_threshold : side of the rarer value and the midpoint
    binned_features, sparse_features : column numbers in X

    Returns
    -------
    feature (int32, -1 at a leaf), threshold, left, right (int32), r, s (int32, the node's
    direction; s is -1 for a single label), value (float64, the step G / H)
    """
    n = D.shape[0]
    size = 2 * min(max_leaf_nodes, n) - 1
    feature = np.full(size, LEAF, np.int32)
    threshold = np.zeros(size)
    left = np.zeros(size, np.int32)
    right = np.zeros(size, np.int32)
    r = np.full(size, label, np.int32)
    s = np.full(size, -1, np.int32)
    value = np.zeros(size)

    first = np.zeros(size, np.int64)
    end = np.zeros(size, np.int64)
    depth = np.zeros(size, np.int64)
    gain = np.zeros(size)  # of the best split of an open leaf
    split_f = np.zeros(size, np.int64)
    split_at = np.zeros(size, np.int64)
    split_sparse = np.zeros(size, np.bool_)

    rows = np.arange(n).astype(np.int32)
    buffer = np.empty(n, np.int32)
    g = np.empty(n)
    h = np.empty(n)
    histogram = np.empty((MAX_BINS, 3))
    count = np.zeros((sparse_features.shape[0], 3))
    touched = np.empty(sparse_features.shape[0], np.int32)

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
            a, b = r[node], s[node]
            G = 0.0
            H = 0.0
            for i in range(k):
                q = own[i]
                if b < 0:
                    g[i], h[i] = label_terms(D[q, a], P[q, a])
                else:
                    g[i], h[i] = pair_terms(D[q, a], P[q, a], D[q, b], P[q, b])
                G += g[i]
                H += h[i]
            value[node] = min(max(G / H, -MAX_STEP), MAX_STEP)
            may_split = n_leaves < max_leaf_nodes and depth[node] < max_depth
            if may_split and k >= 2 * min_samples_leaf:
                gain[node], split_f[node], split_at[node], split_sparse[node] = best_cut(
                    own,
                    g[:k],
                    h[:k],
                    min_samples_leaf,
                    bins,
                    n_bins,
                    sparse_start,
                    sparse_index,
                    histogram,
                    count,
                    touched,
                )
        done = n_nodes
        node = np.argmax(gain[:n_nodes])
        if n_leaves >= max_leaf_nodes or gain[node] <= 0.0:
            break

        gain[node] = 0.0
        f = split_f[node]
        if split_sparse[node]:
            feature[node] = sparse_features[f]
            threshold[node] = sparse_threshold[f]
        else:
            feature[node] = binned_features[f]
            threshold[node] = cuts[f, split_at[node]]
        # A stable partition of the node's rows.
        n_left = first[node]
        n_right = 0
        for i in range(first[node], end[node]):
            q = rows[i]
            if split_sparse[node]:
                rare = False
                for e in range(sparse_start[q], sparse_start[q + 1]):
                    if sparse_index[e] == f:
                        rare = True
                        break
                goes_left = rare == sparse_rare_is_low[f]
            else:
                goes_left = bins[f, q] <= split_at[node]
            if goes_left:
                rows[n_left] = q
                n_left += 1
            else:
                buffer[n_right] = q
                n_right += 1
        rows[n_left : end[node]] = buffer[:n_right]
        left[node] = n_nodes
        right[node] = n_nodes + 1
        first[n_nodes], end[n_nodes] = first[node], n_left
        first[n_nodes + 1], end[n_nodes + 1] = n_left, end[node]
        depth[n_nodes : n_nodes + 2] = depth[node] + 1
        n_nodes += 2
        n_leaves += 1
    return (
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
    """Add the steps of some trees to the scores: X (n, q), roots (t,) int64, F (n, c) in place."""
    for i in range(X.shape[0]):
        for tree in range(roots.shape[0]):
            node = roots[tree]
            while feature[node] != LEAF:
                if X[i, feature[node]] < threshold[node]:
                    node = left[node]
                else:
                    node = right[node]
            F[i, r[node]] += value[node]
            if s[node] >= 0:
                F[i, s[node]] -= value[node]
