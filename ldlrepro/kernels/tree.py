"""Growing and walking the trees of StructRF.

Shapes used throughout: n rows, m distinct rows drawn for a tree, c labels, p "sorted" features
(many values: each node keeps every feature's rows in ascending order) and the "sparse" features
(two values: a compressed row list of the features that take their rarer value; a node only counts).
"""

import numpy as np

from ldlrepro.kernels._jit import kernel

LEAF = -1
_PACK = 1 << 32  # a row's weight in the low half, its weight in cluster 1 in the high half


@kernel
def _uniform(state):
    """Advance ``state`` and return a float64 in [0, 1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def _pick(weight, total, state):
    """Draw an index with probability weight / total."""
    target = _uniform(state) * total
    last = 0
    for i in range(weight.shape[0]):
        if weight[i] > 0.0:
            target -= weight[i]
            last = i
            if target < 0.0:
                return i
    return last


@kernel
def two_means(Z, w, max_iter, state, cluster):
    """Split weighted rows in two by Lloyd's algorithm with k-means++ seeds.

    Parameters
    ----------
    Z : (n, c) float64, C-contiguous
    w : (n,) float64, positive weights (how often a row was drawn)
    max_iter : int, largest number of Lloyd steps
    state : (1,) uint64, random state, advanced
    cluster : (n,) uint8, out: 0 or 1 for each row

    Returns
    -------
    bool : False where the rows cannot be split (all equal).
    """
    n, c = Z.shape
    total = np.zeros(c)
    mass = 0.0
    for i in range(n):
        mass += w[i]
        for j in range(c):
            total[j] += w[i] * Z[i, j]
    a = _pick(w, mass, state)
    far = np.empty(n)
    spread = 0.0
    for i in range(n):
        s = 0.0
        for j in range(c):
            s += (Z[i, j] - Z[a, j]) ** 2
        far[i] = w[i] * s
        spread += far[i]
    if spread <= 0.0:
        return False
    b = _pick(far, spread, state)
    centre0 = Z[a].copy()
    centre1 = Z[b].copy()
    for i in range(n):
        cluster[i] = 2
    direction = np.empty(c)
    ones = np.empty(c)
    for _ in range(max_iter):
        # Nearer to centre1 exactly when Z.direction > offset: one dot product a row.
        offset = 0.0
        for j in range(c):
            direction[j] = centre1[j] - centre0[j]
            offset += 0.5 * (centre1[j] + centre0[j]) * direction[j]
        changed = False
        ones[:] = 0.0
        mass1 = 0.0
        for i in range(n):
            s = 0.0
            for j in range(c):
                s += Z[i, j] * direction[j]
            k = np.uint8(1) if s > offset else np.uint8(0)
            if k != cluster[i]:
                cluster[i] = k
                changed = True
            if k:
                mass1 += w[i]
                for j in range(c):
                    ones[j] += w[i] * Z[i, j]
        if mass1 <= 0.0 or mass1 >= mass:
            return False
        if not changed:
            break
        for j in range(c):
            centre1[j] = ones[j] / mass1
            centre0[j] = (total[j] - ones[j]) / (mass - mass1)
    return True


@kernel
def entropy_table(n):
    """Return t with t[k] = k ln k for k = 0..n, so that a gain costs six look-ups."""
    t = np.zeros(n + 1)
    for k in range(2, n + 1):
        t[k] = k * np.log(k)
    return t


@kernel
def purity(t, left1, left, all1, total):
    """Sum of k ln k terms; the weighted child entropy times ``total`` is its negative."""
    right1 = all1 - left1
    right = total - left
    return t[left1] + t[left - left1] - t[left] + t[right1] + t[right - right1] - t[right]


@kernel
def scan_all(order, code, packed, t, all1, total, best):
    """Best cut of one feature over all its thresholds (Eq. 3).

    Returns (position, purity): the cut lies after ``position``; -1 where none beats ``best``.
    """
    position = -1
    seen = np.int64(0)
    r = order[0]
    v = code[r]
    for i in range(order.shape[0] - 1):
        seen += packed[r]
        r = order[i + 1]
        u = code[r]
        if u != v:
            g = purity(t, seen >> 32, seen & 0xFFFFFFFF, all1, total)
            if g > best:
                best = g
                position = i
            v = u
    return position, best


@kernel
def next_step(n, ratio, alpha, beta):
    """Step to the next threshold (Eq. 5), a whole number of rows, at least 1."""
    return max(1, int(alpha * n / (1.0 + np.exp(beta * (ratio - 0.5)))))


@kernel
def scan_adaptive(order, code, packed, t, all1, total, best, base, alpha, beta):
    """Best cut of one feature with the adaptive variable step (section 3.4).

    ``base`` is the node's purity without a cut: gain = (purity - base) / total.
    Returns (position, purity, evaluations).
    """
    position = -1
    evaluations = 0
    n = order.shape[0]
    seen = np.int64(0)
    target = 0
    for i in range(n - 1):
        seen += packed[order[i]]
        if i < target or code[order[i]] == code[order[i + 1]]:
            continue
        g = purity(t, seen >> 32, seen & 0xFFFFFFFF, all1, total)
        evaluations += 1
        if g > best:
            best = g
            position = i
        ratio = (g - base) / (best - base) if best > base else 1.0
        target = i + next_step(n, ratio, alpha, beta)
    return position, best, evaluations


@kernel
def scan_classes(
    order, code, weight, label, t, counts, total, best, base, adaptive, alpha, beta, left
):
    """Best cut of one feature about given classes; ``counts`` (k,) of the node, ``left`` scratch.

    Returns (position, purity).
    """
    position = -1
    n = order.shape[0]
    left[:] = 0
    seen = 0
    sum_left = 0.0
    sum_right = 0.0
    for k in range(counts.shape[0]):
        sum_right += t[counts[k]]
    target = 0
    for i in range(n - 1):
        r = order[i]
        k = label[r]
        before = left[k]
        after = before + weight[r]
        sum_left += t[after] - t[before]
        sum_right += t[counts[k] - after] - t[counts[k] - before]
        left[k] = after
        seen += weight[r]
        if i < target or code[r] == code[order[i + 1]]:
            continue
        g = sum_left - t[seen] + sum_right - t[total - seen]
        if g > best:
            best = g
            position = i
        if adaptive:
            ratio = (g - base) / (best - base) if best > base else 1.0
            target = i + next_step(n, ratio, alpha, beta)
    return position, best


@kernel
def _partition(rows, goes_left, buffer):
    """Stable partition of ``rows`` in place; returns how many go left."""
    a = 0
    b = 0
    for i in range(rows.shape[0]):
        r = rows[i]
        g = goes_left[r]
        rows[a] = r
        buffer[b] = r
        a += g
        b += 1 - g
    rows[a:] = buffer[:b]
    return a


@kernel
def _drawn(features, i, state):
    """The i-th of ``features`` in a random order: one step of Fisher and Yates's shuffle."""
    j = i + int(_uniform(state) * (features.shape[0] - i))
    features[i], features[j] = features[j], features[i]
    return features[i]


@kernel
def grow(
    D,
    weight,
    label,
    n_classes,
    order,
    code,
    values,
    sorted_features,
    sparse_start,
    sparse_index,
    sparse_rare_is_low,
    sparse_threshold,
    sparse_features,
    max_depth,
    min_samples_split,
    max_features,
    kmeans_iter,
    adaptive,
    alpha,
    beta,
    state,
):
    """Grow one tree (Algorithm 1).

    Parameters
    ----------
    D : (n, c) float64, label distributions, averaged in the leaves
    weight : (n,) int64, how often each row was drawn
    label, n_classes : (n,) int64 and int, classes to tell apart at every node; with n_classes = 0
        each node clusters its rows of D in two
    order : (p, n) int32, rows of each sorted feature in ascending order
    code : (p, n) int32, rank of each row's value, equal for equal values
    values : (p, n) float64, the values themselves
    sorted_features, sparse_features : column numbers in X
    sparse_start, sparse_index : the rows' sparse features that take the rarer value (CSR)
    sparse_rare_is_low, sparse_threshold : side of the rarer value and the midpoint
    max_features : int, features drawn at a node; further ones while all drawn are constant there
    state : (1,) uint64, random state

    Returns
    -------
    feature (int32, -1 at a leaf), threshold, left, right (int32; at a leaf, left is its row in
    the leaf table), samples (int64), gain (float64: gain times samples), leaves (float64, (., c))
    """
    n, c = D.shape
    p = order.shape[0]
    n_sparse = sparse_features.shape[0]
    rows = np.flatnonzero(weight).astype(np.int32)
    m = rows.shape[0]
    lists = np.empty((p, m), np.int32)
    for f in range(p):
        k = 0
        for i in range(n):
            r = order[f, i]
            if weight[r] > 0:
                lists[f, k] = r
                k += 1
    size = 2 * m
    feature = np.full(size, LEAF, np.int32)
    threshold = np.zeros(size)
    left = np.zeros(size, np.int32)
    right = np.zeros(size, np.int32)
    samples = np.zeros(size, np.int64)
    gain = np.zeros(size)
    leaves = np.empty((m, c))
    n_nodes = 1
    n_leaves = 0

    drawn = 0
    for r in rows:
        drawn += weight[r]
    t = entropy_table(drawn)
    Z = np.empty((m, c))
    w = np.empty(m)
    cluster = np.empty(m, np.uint8)
    packed = np.zeros(n, np.int64)
    goes_left = np.zeros(n, np.uint8)
    buffer = np.empty(m, np.int32)
    features = np.arange(p + n_sparse)
    count = np.zeros(n_sparse, np.int64)  # of the rarer value: weight, cluster 1 packed above it
    by_class = np.zeros((n_sparse, n_classes), np.int64)
    node_classes = np.zeros(n_classes, np.int64)
    scratch = np.zeros(n_classes, np.int64)
    touched = np.empty(n_sparse, np.int32)

    stack = np.empty((m + 1, 4), np.int64)  # node, first, end, depth
    stack[0] = (0, 0, m, 0)
    top = 1
    while top > 0:
        top -= 1
        node, first, end, depth = stack[top]
        k = end - first
        total = 0
        for i in range(k):
            r = rows[first + i]
            total += weight[r]
            w[i] = weight[r]
            for j in range(c):
                Z[i, j] = D[r, j]
        samples[node] = total
        split = k > 1 and total >= min_samples_split and depth < max_depth
        all1 = 0
        base = 0.0
        if split and n_classes == 0:
            split = two_means(Z[:k], w[:k], kmeans_iter, state, cluster[:k])
            for i in range(k):
                r = rows[first + i]
                packed[r] = weight[r]
                if cluster[i]:
                    packed[r] += weight[r] * _PACK
                    all1 += weight[r]
            base = t[all1] + t[total - all1] - t[total]
        elif split:
            node_classes[:] = 0
            for i in range(first, end):
                packed[rows[i]] = weight[rows[i]]
                node_classes[label[rows[i]]] += weight[rows[i]]
            base = -t[total]
            for j in range(n_classes):
                base += t[node_classes[j]]
            split = base < 0.0
        best = base + 1e-9 * total  # rounding of the k ln k sums is no gain
        best_f = -1
        best_at = 0
        if split:
            n_touched = 0
            for i in range(first, end if n_sparse else first):
                r = rows[i]
                for e in range(sparse_start[r], sparse_start[r + 1]):
                    f = sparse_index[e]
                    if count[f] == 0:
                        touched[n_touched] = f
                        n_touched += 1
                    count[f] += packed[r]
                    if n_classes:
                        by_class[f, label[r]] += weight[r]
            some = max_features < p + n_sparse
            if not some:  # no draw: sorted features in order, then the sparse ones that vary
                touched[:n_touched].sort()
            varied = False
            for i in range(p + n_sparse if some else p + n_touched):
                if best >= 0.0 or (some and varied and i >= max_features):
                    break  # both sides pure: nothing beats it; or enough features drawn
                if some:
                    f = _drawn(features, i, state)
                else:
                    f = i if i < p else p + touched[i - p]
                if f < p:
                    segment = lists[f, first:end]
                    if code[f, segment[0]] == code[f, segment[k - 1]]:
                        continue
                    varied = True
                    if n_classes:
                        at, g = scan_classes(
                            segment,
                            code[f],
                            weight,
                            label,
                            t,
                            node_classes,
                            total,
                            best,
                            base,
                            adaptive,
                            alpha,
                            beta,
                            scratch,
                        )
                    elif adaptive:
                        at, g, _ = scan_adaptive(
                            segment, code[f], packed, t, all1, total, best, base, alpha, beta
                        )
                    else:
                        at, g = scan_all(segment, code[f], packed, t, all1, total, best)
                    if at >= 0:
                        best = g
                        best_f = f
                        best_at = at
                else:
                    rare = count[f - p] & 0xFFFFFFFF
                    if rare == 0 or rare == total:
                        continue
                    varied = True
                    if n_classes:
                        g = -t[rare] - t[total - rare]
                        for j in range(n_classes):
                            g += t[by_class[f - p, j]] + t[node_classes[j] - by_class[f - p, j]]
                    else:
                        g = purity(t, count[f - p] >> 32, rare, all1, total)
                    if g > best:
                        best = g
                        best_f = f
            for i in range(n_touched):
                count[touched[i]] = 0
                if n_classes:
                    by_class[touched[i]] = 0
            split = best_f >= 0
        if not split:
            left[node] = n_leaves
            for j in range(c):
                s = 0.0
                for i in range(k):
                    s += w[i] * Z[i, j]
                leaves[n_leaves, j] = s / total
            n_leaves += 1
            continue

        gain[node] = best - base
        if best_f >= p:
            f = best_f - p
            feature[node] = sparse_features[f]
            threshold[node] = sparse_threshold[f]
            low = np.uint8(1) if sparse_rare_is_low[f] else np.uint8(0)
            for i in range(first, end):
                r = rows[i]
                goes_left[r] = 1 - low
                for e in range(sparse_start[r], sparse_start[r + 1]):
                    if sparse_index[e] == f:
                        goes_left[r] = low
                        break
        else:
            feature[node] = sorted_features[best_f]
            a = values[best_f, lists[best_f, first + best_at]]
            b = values[best_f, lists[best_f, first + best_at + 1]]
            mid = a + 0.5 * (b - a)
            threshold[node] = mid if mid > a else b  # left is x < threshold (Eq. 1)
            for i in range(first, end):
                goes_left[lists[best_f, i]] = 1 if i <= first + best_at else 0
        n_left = _partition(rows[first:end], goes_left, buffer)
        if k > 2 and depth + 1 < max_depth:  # else both children are leaves
            for f in range(p):
                _partition(lists[f, first:end], goes_left, buffer)
        left[node] = n_nodes
        right[node] = n_nodes + 1
        stack[top] = (n_nodes + 1, first + n_left, end, depth + 1)
        stack[top + 1] = (n_nodes, first, first + n_left, depth + 1)
        top += 2
        n_nodes += 2
    return (
        feature[:n_nodes].copy(),
        threshold[:n_nodes].copy(),
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        samples[:n_nodes].copy(),
        gain[:n_nodes].copy(),
        leaves[:n_leaves].copy(),
    )


@kernel
def apply(X, roots, feature, threshold, left, right, out):
    """Node that each row of X reaches in each tree: ``out`` (n, trees) int64."""
    for i in range(X.shape[0]):
        for tree in range(roots.shape[0]):
            node = roots[tree]
            while feature[node] != LEAF:
                if X[i, feature[node]] < threshold[node]:
                    node = left[node]
                else:
                    node = right[node]
            out[i, tree] = node


@kernel
def average_leaves(reached, leaf_row, leaves, out):
    """Mean of the leaves reached by each row (Eq. 4): ``out`` (n, c)."""
    n, trees = reached.shape
    for i in range(n):
        for j in range(leaves.shape[1]):
            out[i, j] = 0.0
        for tree in range(trees):
            row = leaf_row[reached[i, tree]]
            for j in range(leaves.shape[1]):
                out[i, j] += leaves[row, j]
        for j in range(leaves.shape[1]):
            out[i, j] /= trees
