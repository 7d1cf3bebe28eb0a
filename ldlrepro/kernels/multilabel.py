"""Growing and walking multi-label trees on 0/1 labels.

Shapes used throughout: n rows, c labels; p "numeric" features (more than two values: a node's rows
are put in order) and b "two-valued" features (a node only counts). Row i has the labels
``label[start[i]:start[i + 1]]``. In ``packed`` (n, ceil(c / 2)) uint64 the same labels are lanes of
32 bits, all ones where the row has the label: counts of labels, kept two a word in ``lanes``, then
grow by a row without a branch. Lanes do not overflow below 2^32 labels times rows.
"""

import numpy as np

from ldlrepro.kernels._jit import kernel

LEAF = -1
_FEW = 16  # rows below which insertion beats the bit set
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.zeros(64, np.int64)  # number of a lone bit, by the top six bits of its product
for _i in range(64):
    _BIT[((int(_DE_BRUIJN) << _i) & (2**64 - 1)) >> 58] = _i
_LANE = np.uint64(2**32 - 1)
_BOTH = np.uint64(2**32 + 1)  # times a number: the number in both lanes
_HALF = np.uint64(32)


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
def sort_rows(rows, position, order, words, out):
    """Put ``rows`` in the order of a feature: ``out`` (k,) int32.

    ``position`` (n,) is each row's place in ``order`` (n,); ``words`` (ceil(n / 64),) uint64 holds
    zeros before and after: setting a bit for each row and reading them off is a sort in k + n / 64.
    """
    if rows.shape[0] <= _FEW:
        for i in range(rows.shape[0]):
            r = rows[i]
            j = i
            while j > 0 and position[out[j - 1]] > position[r]:
                out[j] = out[j - 1]
                j -= 1
            out[j] = r
        return
    for r in rows:
        words[position[r] >> 6] |= np.uint64(1) << np.uint64(position[r] & 63)
    k = 0
    for b in range(words.shape[0]):
        word = words[b]
        while word != np.uint64(0):
            lone = word & (~word + np.uint64(1))
            out[k] = order[(b << 6) + _BIT[np.int64((lone * _DE_BRUIJN) >> np.uint64(58))]]
            k += 1
            word ^= lone
        words[b] = np.uint64(0)


@kernel
def _add(r, weight, packed, lanes):
    """Add the labels of row r to the label counts, ``weight`` times."""
    both = np.uint64(weight) * _BOTH
    for k in range(lanes.shape[0]):
        lanes[k] += both & packed[r, k]


@kernel
def _unpack(lanes, side):
    """Write the label counts of ``lanes`` into ``side`` (c,)."""
    for k in range(side.shape[0] // 2):
        side[2 * k] = lanes[k] & _LANE
        side[2 * k + 1] = lanes[k] >> _HALF
    if side.shape[0] % 2:
        side[-1] = lanes[-1] & _LANE


@kernel
def variance_quality(left2, cross, squares, n_side, n_all):
    """Quality of a cut by variance: sum of squared label counts over rows, of either side.

    ``left2`` and ``squares``: sums of squares of the counts of the side and of the node,
    ``cross``: the sum of their products. Rows times the variance left is its negative, up to a
    constant of the node.
    """
    return left2 / n_side + (squares - 2 * cross + left2) / (n_all - n_side)


@kernel
def entropy_quality(side, all_, active, n_side, n_all, t):
    """Quality of a cut by the label entropies: rows times the entropy left is its negative.

    ``side``, ``all_`` (c,): label counts of one side and of the node; ``t[k]``: k ln k.
    """
    n_other = n_all - n_side
    s = -active.shape[0] * (t[n_side] + t[n_other])
    for j in active:
        a = side[j]
        b = all_[j] - a
        s += t[a] + t[n_side - a] + t[b] + t[n_other - b]
    return s


@kernel
def scan_variance(seq, x, weight, start, packed, dots, squares, n_all, lanes, best):
    """Best cut of one feature over all its thresholds, by variance: (quality, low, high).

    ``seq``: the node's rows in order, ``dots[r]``: sum of the node's label counts over the labels
    of row r, ``squares``: sum of their squares, ``lanes``: zeros. low == high where none beats
    ``best``.
    """
    low = 0.0
    high = 0.0
    last = x[seq[0]]
    n_side = np.int64(0)
    left2 = np.int64(0)
    cross = np.int64(0)
    for i in range(seq.shape[0]):
        r = seq[i]
        u = x[r]
        if u > last:
            g = variance_quality(left2, cross, squares, n_side, n_all)
            if g > best:
                best = g
                low = last
                high = u
            last = u
        w = np.int64(weight[r])
        both = np.uint64(w) * _BOTH
        inner = np.uint64(0)
        for k in range(lanes.shape[0]):
            inner += lanes[k] & packed[r, k]
            lanes[k] += both & packed[r, k]
        before = np.int64((inner & _LANE) + (inner >> _HALF))
        left2 += w * (2 * before + w * (start[r + 1] - start[r]))
        cross += w * dots[r]
        n_side += w
    return best, low, high


@kernel
def scan_entropy(seq, x, weight, start, label, all_, active, n_all, side, t, best):
    """As `scan_variance`, by the sum of label entropies; ``active``: labels that the node has."""
    low = 0.0
    high = 0.0
    last = x[seq[0]]
    n_side = np.int64(0)
    with_label = 0.0
    for j in active:
        with_label += t[all_[j]]
    m = active.shape[0]
    for i in range(seq.shape[0]):
        r = seq[i]
        u = x[r]
        if u > last:
            n_other = n_all - n_side
            g = with_label - m * (t[n_side] + t[n_other])
            for j in active:
                a = side[j]
                g += t[n_side - a] + t[n_other - all_[j] + a]
            if g > best:
                best = g
                low = last
                high = u
            last = u
        w = weight[r]
        for e in range(start[r], start[r + 1]):
            j = label[e]
            a = side[j]
            b = all_[j] - a
            with_label += t[a + w] - t[a] + t[b - w] - t[b]
            side[j] = a + w
        n_side += w
    return best, low, high


@kernel
def grow(
    values,
    order,
    position,
    numeric,
    bits,
    one_start,
    one_rows,
    cuts,
    two_valued,
    start,
    label,
    packed,
    n_labels,
    weight,
    entropy,
    random_cut,
    max_depth,
    min_samples_split,
    max_features,
    state,
):
    """Grow one tree.

    Parameters
    ----------
    values : (p, n) float64, numeric features, with ``order`` (p, n) int32 their rows in ascending
        order, ``position`` (p, n) int32 the place of each row there, and ``numeric`` (p,) int32
        column numbers in X
    bits : (b, n) uint8, 1 at the larger value of a two-valued feature, with ``one_start``
        (b + 1,) int64 and ``one_rows`` int32 the rows that have it, ``cuts`` (b,) float64
        midpoints and ``two_valued`` (b,) int32 column numbers
    start, label, packed : (n + 1,) int64, int32 and (n, ceil(c / 2)) uint64, labels of each row
    weight : (n,) int32, how often each row was drawn, 0 for rows left out
    entropy : bool, sum of label entropies instead of variances
    random_cut : bool, one uniform threshold a feature instead of all
    max_features : int, features drawn at a node; further ones while all drawn are constant there
    state : (1,) uint64, random state

    Returns
    -------
    feature (int32, -1 at a leaf), threshold (float64; left is x <= threshold), left (int32; the
    right child is left + 1; at a leaf its number), leaf_total (int32, rows drawn), leaf_start
    (int64), leaf_label (int32) and leaf_count (int32): label counts of each leaf, sparse
    """
    p, n = values.shape
    n_features = p + bits.shape[0]
    rows = np.flatnonzero(weight).astype(np.int32)
    m = rows.shape[0]
    drawn = np.int64(0)
    entries = 0
    for r in rows:
        drawn += weight[r]
        entries += start[r + 1] - start[r]
    t = np.zeros(drawn + 1 if entropy else 1)
    for k in range(2, t.shape[0]):
        t[k] = k * np.log(k)

    size = 2 * m
    if max_depth < 30:
        size = min(size, 2 << max_depth)
    feature = np.full(size, LEAF, np.int32)
    threshold = np.zeros(size)
    left = np.zeros(size, np.int32)
    leaf_total = np.empty(m, np.int32)
    leaf_start = np.zeros(m + 1, np.int64)
    leaf_label = np.empty(entries, np.int32)
    leaf_count = np.empty(entries, np.int32)
    n_nodes = 1
    n_leaves = 0

    all_ = np.zeros(n_labels, np.int32)
    side = np.zeros(n_labels, np.int32)
    lanes = np.zeros(packed.shape[1], np.uint64)
    active = np.empty(n_labels, np.int32)
    dots = np.zeros(n, np.int64)
    place = np.full(n, -1, np.int32)
    for i in range(m):
        place[rows[i]] = i
    words = np.zeros((n + 63) // 64, np.uint64)
    seq = np.empty(m, np.int32)
    features = np.arange(n_features)
    stack = np.empty((m + 1, 4), np.int64)  # node, first, end, depth
    stack[0] = (0, 0, m, 0)
    top = 1
    while top > 0:
        top -= 1
        node, first, end, depth = stack[top]
        here = rows[first:end]
        all_[:] = 0
        total = np.int64(0)
        for r in here:
            total += weight[r]
            for e in range(start[r], start[r + 1]):
                all_[label[e]] += weight[r]
        n_active = 0
        squares = np.int64(0)
        mixed = False
        for j in range(n_labels):
            if all_[j] > 0:
                active[n_active] = j
                n_active += 1
                squares += np.int64(all_[j]) * all_[j]
                mixed |= all_[j] < total
        act = active[:n_active]
        best_f = -1
        best_cut = 0.0
        if mixed and depth < max_depth and total >= min_samples_split:
            base = squares / total
            if entropy:
                base = -n_active * t[total]
                for j in act:
                    base += t[all_[j]] + t[total - all_[j]]
            elif p > 0 and not random_cut:
                for r in here:
                    s = np.int64(0)
                    for e in range(start[r], start[r + 1]):
                        s += all_[label[e]]
                    dots[r] = s
            best = base + 1e-9 * total  # rounding is no gain
            varied = False
            for i in range(n_features):
                if varied and i >= max_features:
                    break
                k = i + int(_uniform(state) * (n_features - i))  # Fisher and Yates's shuffle
                features[i], features[k] = features[k], features[i]
                f = features[i]
                if f < p and not random_cut:
                    x = values[f]
                    sort_rows(here, position[f], order[f], words, seq)
                    k = end - first
                    if x[seq[0]] == x[seq[k - 1]]:
                        continue
                    varied = True
                    if entropy:
                        side[:] = 0
                        g, low, high = scan_entropy(
                            seq[:k], x, weight, start, label, all_, act, total, side, t, best
                        )
                    else:
                        lanes[:] = 0
                        g, low, high = scan_variance(
                            seq[:k], x, weight, start, packed, dots, squares, total, lanes, best
                        )
                    if high > low:
                        best = g
                        best_f = f
                        best_cut = low + 0.5 * (high - low)
                        if best_cut >= high:
                            best_cut = low
                    continue
                n_side = np.int64(0)
                lanes[:] = 0
                if f < p:
                    x = values[f]
                    low = x[here[0]]
                    high = low
                    for r in here:
                        low = min(low, x[r])
                        high = max(high, x[r])
                    if low == high:
                        continue
                    cut = low + _uniform(state) * (high - low)
                    if cut >= high:
                        cut = low
                    for r in here:
                        w = weight[r] if x[r] <= cut else 0
                        _add(r, w, packed, lanes)
                        n_side += w
                else:
                    cut = cuts[f - p]
                    ones = one_rows[one_start[f - p] : one_start[f - p + 1]]
                    if ones.shape[0] < end - first:  # the shorter list is read
                        for r in ones:
                            if first <= place[r] < end:
                                _add(r, weight[r], packed, lanes)
                                n_side += weight[r]
                    else:
                        bit = bits[f - p]
                        for r in here:
                            if bit[r]:
                                _add(r, weight[r], packed, lanes)
                                n_side += weight[r]
                    if n_side == 0 or n_side == total:
                        continue
                varied = True
                _unpack(lanes, side)
                if entropy:
                    g = entropy_quality(side, all_, act, n_side, total, t)
                else:
                    left2 = np.int64(0)
                    cross = np.int64(0)
                    for j in range(n_labels):
                        left2 += np.int64(side[j]) * side[j]
                        cross += np.int64(side[j]) * all_[j]
                    g = variance_quality(left2, cross, squares, n_side, total)
                if g > best:
                    best = g
                    best_f = f
                    best_cut = cut
        if best_f < 0:
            left[node] = n_leaves
            leaf_total[n_leaves] = total
            k = leaf_start[n_leaves]
            for j in act:
                leaf_label[k] = j
                leaf_count[k] = all_[j]
                k += 1
            n_leaves += 1
            leaf_start[n_leaves] = k
            continue

        a = first
        b = 0
        for i in range(first, end):
            r = rows[i]
            if best_f < p:
                goes_left = values[best_f, r] <= best_cut
            else:
                goes_left = bits[best_f - p, r] == 0
            if goes_left:
                rows[a] = r
                a += 1
            else:
                seq[b] = r
                b += 1
        rows[a:end] = seq[:b]
        for i in range(first, end):
            place[rows[i]] = i
        feature[node] = numeric[best_f] if best_f < p else two_valued[best_f - p]
        threshold[node] = best_cut
        left[node] = n_nodes
        stack[top] = (n_nodes + 1, a, end, depth + 1)
        stack[top + 1] = (n_nodes, first, a, depth + 1)
        top += 2
        n_nodes += 2
    entries = leaf_start[n_leaves]
    return (
        feature[:n_nodes].copy(),
        threshold[:n_nodes].copy(),
        left[:n_nodes].copy(),
        leaf_total[:n_leaves].copy(),
        leaf_start[: n_leaves + 1].copy(),
        leaf_label[:entries].copy(),
        leaf_count[:entries].copy(),
    )


@kernel
def add_leaves(X, feature, threshold, left, leaf_total, leaf_start, leaf_label, leaf_count, out):
    """Add to ``out`` (n, c) the label shares of the leaf that each row of X reaches in a tree."""
    for i in range(X.shape[0]):
        node = 0
        while feature[node] != LEAF:
            node = left[node] + (X[i, feature[node]] > threshold[node])
        leaf = left[node]
        total = leaf_total[leaf]
        for e in range(leaf_start[leaf], leaf_start[leaf + 1]):
            out[i, leaf_label[e]] += leaf_count[e] / total


@kernel
def row_measures(Y, P, which, out):
    """One-error (0), coverage (1), ranking loss (2) or average precision (3) of each row.

    Y (n, c) bool, P (n, c) float64, ``out`` (n,): NaN where a row has no pair to rank, coverage 0.
    """
    n, c = Y.shape
    for i in range(n):
        relevant = 0
        top = 0
        worst = np.inf
        for j in range(c):
            if P[i, j] > P[i, top]:
                top = j
            if Y[i, j]:
                relevant += 1
                worst = min(worst, P[i, j])
        if which == 1:
            depth = 0
            for j in range(c):
                depth += P[i, j] >= worst
            out[i] = max(depth - 1, 0) / c
            continue
        if relevant == 0 or relevant == c:
            out[i] = np.nan
            continue
        if which == 0:
            out[i] = 0.0 if Y[i, top] else 1.0
            continue
        s = 0.0
        for j in range(c):
            if Y[i, j]:
                above = 0
                among = 0
                for k in range(c):
                    if P[i, k] >= P[i, j]:
                        above += 1
                        among += Y[i, k]
                s += among / above if which == 3 else (above - among) / (c - relevant)
        out[i] = s / relevant
