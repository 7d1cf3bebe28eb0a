"""Growing the trees of multi-label forests, on 0/1 labels.

A node counts its labels, searches some features for the cut with the largest gain, and is split
there.

Shapes used throughout: n rows, c labels, p numeric and b two-valued features (see `columns`);
features are numbered 0 .. p - 1 and p .. p + b - 1.
"""

from typing import NamedTuple

import numpy as np

from ldlrepro.kernels._jit import bare, kernel, part
from ldlrepro.kernels.columns import FEW, insert_rows, mark_rows, same_value
from ldlrepro.kernels.label_split import (
    Node,
    scan_entropy,
    scan_variance,
    side_entropy,
    side_variance,
)
from ldlrepro.kernels.nodes import LEAF, first_node, partition, push_children
from ldlrepro.kernels.random import shuffled, uniform
from ldlrepro.kernels.split import entropy_table

_SMALL = 32  # rows up to which the two-valued features that vary are found at once


class Rule(NamedTuple):
    """How a node is cut."""

    entropy: bool  # by the sum of label entropies; else of variances
    random_cut: bool  # at one uniform threshold a feature; else at the best of all


class Tree(NamedTuple):
    """Nodes of a tree, the root first, and the label shares of its leaves."""

    feature: np.ndarray  # (nodes,) int32, column of X, -1 at a leaf
    threshold: np.ndarray  # (nodes,) float64; left is x <= threshold
    left: np.ndarray  # (nodes,) int32, node, the right one being the next; at a leaf its number
    leaf_start: np.ndarray  # (leaves + 1,) int64, where each leaf's labels start
    leaf_label: np.ndarray  # uint32, labels
    leaf_share: np.ndarray  # float64, shares of the rows drawn there that have them


class Work(NamedTuple):
    """What the nodes of a tree read and write besides its columns and labels."""

    t: np.ndarray  # `entropy_table`, where cuts are by entropy
    features: np.ndarray  # (p + b,) int64, all features, shuffled
    ordered: np.ndarray  # (m,) uint64, entries of the node's rows in the order of a feature
    here: np.ndarray  # (m,) uint32, the node's rows on one side of a cut
    others: np.ndarray  # (m,) uint32, those on the other side
    words: np.ndarray  # uint64, of `mark_rows`
    varying: np.ndarray  # uint64, of `find_varying`
    place: np.ndarray  # (n,) int32, of each row among those drawn, which nodes keep together; or -1
    dots: np.ndarray  # (n,) int64, of `scan_variance`
    counts: np.ndarray  # (c,) int32, rows of the node with each label
    active: np.ndarray  # (c,) uint32, labels that the node has, at the front
    side: np.ndarray  # (c,) int32, rows with each label on one side of a cut


@bare
def count_labels(rows, weight, labels, counts, active):
    """Count the labels of a node.

    Parameters
    ----------
    rows : (k,) uint32, the node's rows
    weight : (n,) int32, how often each row was drawn
    labels : Labels
    counts, active : (c,) int32 and uint32, out: rows with each label, and the labels with a count,
        at the front

    Returns
    -------
    Node, and whether some label is in a part of the rows only
    """
    counts[:] = 0
    start, end, label = labels
    total = np.int64(0)
    for r in rows:
        total += weight[r]
        for e in range(start[r], end[r]):
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


@part
def uncut_entropy(node, work):
    """Quality of a Node without a cut, by the entropies; its counts are those of its Work."""
    t, counts = work.t, work.counts
    base = -node.n_active * t[node.total]
    for i in range(node.n_active):
        n = counts[work.active[i]]
        base += t[n] + t[node.total - n]
    return base


@part
def dot_rows(rows, labels, work):
    """Sum a node's counts over the labels of each of its rows (k,), into the dots of its Work."""
    start, end, label = labels
    counts, dots = work.counts, work.dots
    for r in rows:
        s = np.int64(0)
        for e in range(start[r], end[r]):
            s += counts[label[e]]
        dots[r] = s


@part
def draw_cut(rows, numeric, f, state):
    """Draw a uniform cut of a numeric feature between its extremes in the node's rows (k,).

    Returns
    -------
    cut, whether there is any : nothing is drawn where the feature is constant
    """
    values = numeric.values
    low = values[f, rows[0]]
    high = low
    low2 = low
    high2 = low
    for i in range(1, rows.shape[0] - 1, 2):  # two at a time: a minimum waits for the one before
        x = values[f, rows[i]]
        x2 = values[f, rows[i + 1]]
        low = min(low, x)
        high = max(high, x)
        low2 = min(low2, x2)
        high2 = max(high2, x2)
    x = values[f, rows[rows.shape[0] - 1]]
    low = min(min(low, x), low2)
    high = max(max(high, x), high2)
    if low == high:
        return low, False
    cut = low + uniform(state) * (high - low)
    return (cut if cut < high else low), True


@part
def rows_below(rows, numeric, f, cut, work):
    """List the node's rows (k,) in which a numeric feature is <= cut in ``here``, the others apart.

    Returns
    -------
    int : how many are below
    """
    values, here, others = numeric.values, work.here, work.others
    a = 0
    b = 0
    for r in rows:
        here[a] = r
        others[b] = r
        below = np.int64(values[f, r] <= cut)
        a += below
        b += 1 - below
    return a


@part
def find_varying(rows, two_valued, varying):
    """Set the bits of the two-valued features that vary in the node's rows (k,).

    varying : uint64, out, as a row of ``two_valued.words``
    """
    words = two_valued.words
    varying[:] = 0
    for r in rows:
        for i in range(words.shape[1]):
            varying[i] |= words[r, i] ^ words[rows[0], i]


@part
def rows_with_bit(rows, two_valued, b, work):
    """As `rows_below`, by the b-th two-valued feature: rows with a bit, and those without."""
    bits, here, others = two_valued.bits, work.here, work.others
    ones = 0
    zeros = 0
    for r in rows:
        here[ones] = r
        others[zeros] = r
        one = np.int64(bits[b, r])
        ones += one
        zeros += 1 - one
    return ones


@part
def rows_listed(two_valued, b, first, end, work):
    """As `rows_with_bit`, the ones only: of all rows with it those placed at first .. end - 1."""
    rows, here, place = two_valued.rows, work.here, work.place
    ones = 0
    for i in range(two_valued.start[b], two_valued.start[b + 1]):
        r = rows[i]
        here[ones] = r
        ones += np.int64(first <= place[r] < end)
    return ones


@part
def count_here(m, weight, labels, node, work):
    """Count the labels of the first m rows listed ``here``, into ``side``: how many were drawn."""
    start, end, label = labels
    here, side, active = work.here, work.side, work.active
    for i in range(node.n_active):
        side[active[i]] = 0
    drawn = np.int64(0)
    for i in range(m):
        r = here[i]
        w = weight[r]
        drawn += w
        for e in range(start[r], end[r]):
            side[label[e]] += w
    return drawn


@part
def count_but_others(m, weight, labels, node, work):
    """As `count_here`, of all rows of the node but the first m of the ``others``."""
    start, end, label = labels
    others, side, active, counts = work.others, work.side, work.active, work.counts
    for i in range(node.n_active):
        side[active[i]] = counts[active[i]]
    drawn = node.total
    for i in range(m):
        r = others[i]
        w = weight[r]
        drawn -= w
        for e in range(start[r], end[r]):
            side[label[e]] -= w
    return drawn


@bare
def search(rows, first, numeric, two_valued, labels, weight, node, work, rule, max_features, state):
    """Best cut of a node over some features.

    Parameters
    ----------
    rows : (k,) uint32, the node's rows: those drawn at the places first .. first + k - 1
    numeric, two_valued, labels : Numeric, TwoValued and Labels
    weight : (n,) int32, how often each row was drawn
    node, work, rule : Node, Work and Rule
    max_features : int, features drawn; further ones while all drawn are constant here
    state : (1,) uint64, random state

    Returns
    -------
    feature (-1 where no cut has a gain), cut
    """
    p = numeric.feature.shape[0]
    k = rows.shape[0]
    if not rule.entropy and not rule.random_cut and p > 0:
        dot_rows(rows, labels, work)
    best = uncut_entropy(node, work) if rule.entropy else node.squares / node.total
    best += 1e-9 * node.total  # rounding is no gain
    small = k <= _SMALL and two_valued.feature.shape[0] > 0
    if small:
        find_varying(rows, two_valued, work.varying)
    best_f = -1
    best_cut = 0.0
    varied = False
    features = work.features
    for i in range(features.shape[0]):
        if varied and i >= max_features:
            break
        f = shuffled(features, i, state)
        if f < p and not rule.random_cut:
            if k <= FEW:
                insert_rows(rows, numeric, f, work)
            else:
                mark_rows(rows, numeric, f, work)
            if same_value(work.ordered[0], work.ordered[k - 1]):
                continue
            if rule.entropy:
                g, cut = scan_entropy(k, numeric, f, weight, labels, node, work, best)
            else:
                g, cut = scan_variance(k, numeric, f, weight, labels, node, work, best)
        else:
            listed = False
            if f < p:
                cut, some = draw_cut(rows, numeric, f, state)
                if not some:
                    continue
                m = rows_below(rows, numeric, f, cut, work)
            else:
                b = f - p
                if small and not (work.varying[b >> 6] >> np.uint64(b & 63)) & np.uint64(1):
                    continue
                cut = two_valued.cut[b]
                listed = two_valued.start[b + 1] - two_valued.start[b] < k
                if listed:  # the shorter list is read
                    m = rows_listed(two_valued, b, first, first + k, work)
                else:
                    m = rows_with_bit(rows, two_valued, b, work)
                if m == 0 or m == k:
                    continue
            if listed or 2 * m <= k:
                n_side = count_here(m, weight, labels, node, work)
            else:
                n_side = count_but_others(k - m, weight, labels, node, work)
            if rule.entropy:
                g = side_entropy(n_side, node, work)
            else:
                g = side_variance(n_side, node, work)
        varied = True
        if g > best:
            best = g
            best_f = f
            best_cut = cut
    return best_f, best_cut


@bare
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
        np.zeros(leaves + 1, np.int64),
        np.empty(entries, np.uint32),
        np.empty(entries),
    )


@kernel
def prepare(rows, two_valued, labels, n_labels, n_features, drawn, entropy):
    """The Work of a tree.

    rows : (m,) uint32, distinct rows drawn; drawn : int, with repeats; n_features : int, p + b;
    labels, n_labels, entropy : as for `grow`
    """
    n = labels.start.shape[0]
    place = np.full(n, -1, np.int32)
    for i in range(rows.shape[0]):
        place[rows[i]] = i
    return Work(
        entropy_table(drawn if entropy else 0),
        np.arange(n_features),
        np.empty(rows.shape[0], np.uint64),
        np.empty(rows.shape[0] + 1, np.uint32),  # lists are written one row ahead
        np.empty(rows.shape[0] + 1, np.uint32),
        np.zeros((n + 63) // 64, np.uint64),
        np.empty(two_valued.words.shape[1], np.uint64),
        place,
        np.zeros(n, np.int64),
        np.zeros(n_labels, np.int32),
        np.empty(n_labels, np.uint32),
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
    rows = np.flatnonzero(weight).astype(np.uint32)
    m = rows.shape[0]
    drawn = np.int64(0)
    entries = 0
    for r in rows:
        drawn += weight[r]
        entries += np.int64(labels.end[r] - labels.start[r])
    n_features = numeric.feature.shape[0] + two_valued.feature.shape[0]
    work = prepare(rows, two_valued, labels, n_labels, n_features, drawn, rule.entropy)
    size = 2 * m
    if limits.max_depth < 30:
        size = min(size, 2 << limits.max_depth)
    feature, threshold, left, leaf_start, leaf_label, leaf_share = no_nodes(size, m, entries)
    n_nodes = 1
    n_leaves = 0
    place, counts, active = work.place, work.counts, work.active
    goes_left = np.zeros(n, np.uint8)
    buffer = np.empty(m, np.uint32)
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
            k = leaf_start[n_leaves]
            for i in range(node.n_active):
                leaf_label[k + i] = active[i]
                leaf_share[k + i] = counts[active[i]] / node.total
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
        leaf_start[: n_leaves + 1].copy(),
        leaf_label[:entries].copy(),
        leaf_share[:entries].copy(),
    )
