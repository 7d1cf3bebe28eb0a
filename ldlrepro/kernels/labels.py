"""Growing and walking the trees of multi-label forests, on 0/1 labels.

A node counts its labels, searches some features for the cut with the largest gain, and is split
there.

Shapes used throughout: n rows, c labels, p numeric and b two-valued features (see `columns`);
features are numbered 0 .. p - 1 and p .. p + b - 1.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import kernel
from ldlrepro.kernels.columns import sort_rows
from ldlrepro.kernels.label_split import (
    Node,
    add,
    scan_entropy,
    scan_variance,
    side_entropy,
    side_variance,
    unpack,
)
from ldlrepro.kernels.nodes import LEAF, first_node, partition, push_children
from ldlrepro.kernels.random import shuffled, uniform
from ldlrepro.kernels.split import entropy_table


class Rule(NamedTuple):
    """How a node is cut."""

    entropy: bool  # by the sum of label entropies; else of variances
    random_cut: bool  # at one uniform threshold a feature; else at the best of all


class Tree(NamedTuple):
    """Nodes of a tree, the root first, and the label counts of its leaves."""

    feature: np.ndarray  # (nodes,) int32, column of X, -1 at a leaf
    threshold: np.ndarray  # (nodes,) float64; left is x <= threshold
    left: np.ndarray  # (nodes,) int32, node, the right one being the next; at a leaf its number
    leaf_total: np.ndarray  # (leaves,) int32, rows drawn
    leaf_start: np.ndarray  # (leaves + 1,) int64, where each leaf's labels start
    leaf_label: np.ndarray  # int32, labels
    leaf_count: np.ndarray  # int32, their counts


class Work(NamedTuple):
    """What the nodes of a tree read and write besides its columns and labels."""

    t: np.ndarray  # `entropy_table`, where cuts are by entropy
    features: np.ndarray  # (p + b,) int64, all features, shuffled
    seq: np.ndarray  # (m,) int32, the node's rows in order
    words: np.ndarray  # uint64, of `sort_rows`
    place: np.ndarray  # (n,) int32, of each row among those drawn, which nodes keep together; or -1
    dots: np.ndarray  # (n,) int64, of `scan_variance`
    counts: np.ndarray  # (c,) int32, rows of the node with each label
    active: np.ndarray  # (c,) int32, labels that the node has, at the front
    lanes: np.ndarray  # (ceil(c / 2),) uint64, label counts of a side
    side: np.ndarray  # (c,) int32, the same


@kernel
def count_labels(rows, weight, labels, counts, active):
    """Count the labels of a node.

    Parameters
    ----------
    rows : (k,) int32, the node's rows
    weight : (n,) int32, how often each row was drawn
    labels : Labels
    counts, active : (c,) int32, out: rows with each label, and the labels with a count, at the
        front

    Returns
    -------
    Node, and whether some label is in a part of the rows only
    """
    start, label, _ = labels
    counts[:] = 0
    total = np.int64(0)
    for r in rows:
        total += weight[r]
        for e in range(start[r], start[r + 1]):
            counts[label[e]] += weight[r]
    n_active = 0
    squares = np.int64(0)
    mixed = False
    for j in range(counts.shape[0]):
        if counts[j] > 0:
            active[n_active] = j
            n_active += 1
            squares += np.int64(counts[j]) * counts[j]
            mixed |= counts[j] < total
    return Node(total, squares, n_active), mixed


@kernel
def uncut_entropy(total, counts, active, t):
    """Quality of a node of ``total`` rows without a cut; other arguments as for `side_entropy`."""
    base = -active.shape[0] * t[total]
    for j in active:
        base += t[counts[j]] + t[total - counts[j]]
    return base


@kernel
def dot_rows(rows, start, label, counts, dots):
    """Sum a node's counts (c,) over the labels of each of its rows (k,), into dots (n,)."""
    for r in rows:
        s = np.int64(0)
        for e in range(start[r], start[r + 1]):
            s += counts[label[e]]
        dots[r] = s


@kernel
def draw_cut(rows, x, state):
    """Draw a uniform cut of a feature x (n,) between its extremes in the node's rows (k,).

    Returns
    -------
    cut, whether there is any : nothing is drawn where the feature is constant
    """
    low = x[rows[0]]
    high = low
    for r in rows:
        low = min(low, x[r])
        high = max(high, x[r])
    if low == high:
        return low, False
    cut = low + uniform(state) * (high - low)
    return (cut if cut < high else low), True


@kernel
def count_below(rows, x, cut, weight, packed, lanes):
    """Count the labels of the node's rows (k,) where a feature x (n,) is <= cut, into ``lanes``.

    weight, packed, lanes : as for `add`

    Returns
    -------
    int : how many rows were drawn there
    """
    n_side = np.int64(0)
    for r in rows:
        w = weight[r] if x[r] <= cut else 0
        add(r, w, packed, lanes)
        n_side += w
    return n_side


@kernel
def count_bits(rows, bit, weight, packed, lanes):
    """As `count_below`, of the rows with a bit (n,) uint8."""
    n_side = np.int64(0)
    for r in rows:
        if bit[r]:
            add(r, weight[r], packed, lanes)
            n_side += weight[r]
    return n_side


@kernel
def count_listed(ones, place, first, end, weight, packed, lanes):
    """As `count_bits`, from the list of all rows with the bit: of those placed in the node."""
    n_side = np.int64(0)
    for r in ones:
        if first <= place[r] < end:
            add(r, weight[r], packed, lanes)
            n_side += weight[r]
    return n_side


@kernel
def search(rows, first, numeric, two_valued, labels, weight, node, work, rule, max_features, state):
    """Best cut of a node over some features.

    Parameters
    ----------
    rows : (k,) int32, the node's rows: those drawn at the places first .. first + k - 1
    numeric, two_valued, labels : Numeric, TwoValued and Labels
    weight : (n,) int32, how often each row was drawn
    node, work, rule : Node, Work and Rule
    max_features : int, features drawn; further ones while all drawn are constant here
    state : (1,) uint64, random state

    Returns
    -------
    feature (-1 where no cut has a gain), cut
    """
    values, order, position, _ = numeric
    bits, one_start, one_rows, cuts, _ = two_valued
    start, label, packed = labels
    t, features, seq, words, place, dots, counts, active, lanes, side = work
    p = values.shape[0]
    k = rows.shape[0]
    total = node.total
    seq = seq[:k]
    active = active[: node.n_active]
    if not rule.entropy and not rule.random_cut and p > 0:
        dot_rows(rows, start, label, counts, dots)
    base = uncut_entropy(total, counts, active, t) if rule.entropy else node.squares / total
    best = base + 1e-9 * total  # rounding is no gain
    best_f = -1
    best_cut = 0.0
    varied = False
    for i in range(features.shape[0]):
        if varied and i >= max_features:
            break
        f = shuffled(features, i, state)
        if f < p and not rule.random_cut:
            x = values[f]
            sort_rows(rows, position[f], order[f], words, seq)
            if x[seq[0]] == x[seq[-1]]:
                continue
            if rule.entropy:
                g, cut = scan_entropy(
                    seq, x, weight, start, label, node, counts, active, side, t, best
                )
            else:
                g, cut = scan_variance(seq, x, weight, start, packed, dots, node, lanes, best)
        else:
            lanes[:] = 0
            if f < p:
                cut, some = draw_cut(rows, values[f], state)
                if not some:
                    continue
                n_side = count_below(rows, values[f], cut, weight, packed, lanes)
            else:
                cut = cuts[f - p]
                ones = one_rows[one_start[f - p] : one_start[f - p + 1]]
                if ones.shape[0] < k:  # the shorter list is read
                    n_side = count_listed(ones, place, first, first + k, weight, packed, lanes)
                else:
                    n_side = count_bits(rows, bits[f - p], weight, packed, lanes)
                if n_side == 0 or n_side == total:
                    continue
            unpack(lanes, side)
            if rule.entropy:
                g = side_entropy(side, n_side, node, counts, active, t)
            else:
                g = side_variance(side, n_side, node, counts)
        varied = True
        if g > best:
            best = g
            best_f = f
            best_cut = cut
    return best_f, best_cut


@kernel
def send(rows, f, cut, numeric, two_valued, goes_left):
    """Mark which rows go left at the cut (f, cut) that `search` found; arguments as there.

    goes_left : (n,) uint8, out: 0 or 1 for each of the rows

    Returns
    -------
    column of X
    """
    p = numeric.values.shape[0]
    if f < p:
        x = numeric.values[f]
        for r in rows:
            goes_left[r] = x[r] <= cut
        return numeric.feature[f]
    bit = two_valued.bits[f - p]
    for r in rows:
        goes_left[r] = bit[r] == 0
    return two_valued.feature[f - p]


@kernel
def no_nodes(size, leaves, entries):
    """A Tree with room for some nodes, leaves and labels of leaves."""
    return Tree(
        np.full(size, LEAF, np.int32),
        np.zeros(size),
        np.zeros(size, np.int32),
        np.empty(leaves, np.int32),
        np.zeros(leaves + 1, np.int64),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
    )


@kernel
def prepare(rows, labels, n_labels, n_features, drawn, entropy):
    """The Work of a tree.

    rows : (m,) int32, distinct rows drawn; drawn : int, with repeats; n_features : int, p + b;
    labels, n_labels, entropy : as for `grow`
    """
    n = labels.packed.shape[0]
    place = np.full(n, -1, np.int32)
    for i in range(rows.shape[0]):
        place[rows[i]] = i
    return Work(
        entropy_table(drawn if entropy else 0),
        np.arange(n_features),
        np.empty(rows.shape[0], np.int32),
        np.zeros((n + 63) // 64, np.uint64),
        place,
        np.zeros(n, np.int64),
        np.zeros(n_labels, np.int32),
        np.empty(n_labels, np.int32),
        np.zeros(labels.packed.shape[1], np.uint64),
        np.zeros(n_labels, np.int32),
    )


@kernel
def grow(numeric, two_valued, labels, n_labels, weight, rule, limits, state):
    """Grow one tree.

    Parameters
    ----------
    numeric, two_valued, labels : Numeric, TwoValued and Labels, of n rows
    n_labels : int, c
    weight : (n,) int32, how often each row was drawn, 0 for rows left out
    rule, limits : Rule and Limits
    state : (1,) uint64, random state

    Returns
    -------
    Tree
    """
    n = weight.shape[0]
    rows = np.flatnonzero(weight).astype(np.int32)
    m = rows.shape[0]
    start = labels.start
    drawn = np.int64(0)
    entries = 0
    for r in rows:
        drawn += weight[r]
        entries += start[r + 1] - start[r]
    n_features = numeric.feature.shape[0] + two_valued.feature.shape[0]
    work = prepare(rows, labels, n_labels, n_features, drawn, rule.entropy)
    size = 2 * m
    if limits.max_depth < 30:
        size = min(size, 2 << limits.max_depth)
    feature, threshold, left, leaf_total, leaf_start, leaf_label, leaf_count = no_nodes(
        size, m, entries
    )
    n_nodes = 1
    n_leaves = 0
    place, counts, active = work.place, work.counts, work.active
    goes_left = np.zeros(n, np.uint8)
    buffer = np.empty(m, np.int32)
    stack = first_node(m)
    top = 1
    while top > 0:
        top -= 1
        at, first, end, depth = stack[top]
        here = rows[first:end]
        node, mixed = count_labels(here, weight, labels, counts, active)
        f = -1
        cut = 0.0
        if mixed and depth < limits.max_depth and node.total >= limits.min_samples_split:
            f, cut = search(
                here,
                first,
                numeric,
                two_valued,
                labels,
                weight,
                node,
                work,
                rule,
                limits.max_features,
                state,
            )
        if f < 0:
            left[at] = n_leaves
            leaf_total[n_leaves] = node.total
            k = leaf_start[n_leaves]
            for i in range(node.n_active):
                leaf_label[k + i] = active[i]
                leaf_count[k + i] = counts[active[i]]
            n_leaves += 1
            leaf_start[n_leaves] = k + node.n_active
            continue
        feature[at] = send(here, f, cut, numeric, two_valued, goes_left)
        threshold[at] = cut
        middle = first + partition(here, goes_left, buffer)
        for i in range(first, end):
            place[rows[i]] = i
        left[at] = n_nodes
        push_children(stack, top, n_nodes, first, middle, end, depth)
        top += 2
        n_nodes += 2
    entries = leaf_start[n_leaves]
    return Tree(
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
    """Add to ``out`` (n, c) the label shares of the leaf that each row of X (n, q) reaches.

    The other arguments are the arrays of a Tree.
    """
    for i in range(X.shape[0]):
        node = 0
        while feature[node] != LEAF:
            node = left[node] + (X[i, feature[node]] > threshold[node])
        leaf = left[node]
        total = leaf_total[leaf]
        for e in range(leaf_start[leaf], leaf_start[leaf + 1]):
            out[i, leaf_label[e]] += leaf_count[e] / total
