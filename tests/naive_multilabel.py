"""Slow obvious twins of the multi-label trees, and Table 2 of the MLDF paper by enumeration."""

from itertools import product

import numpy as np


def cut_quality(Y, w, goes_left, entropy):
    """Minus rows times the variance (entropy) left in either side, summed over labels."""
    s = 0.0
    for side in (goes_left, ~goes_left):
        n = w[side].sum()
        for y in Y[side].T:
            p = (w[side] * y).sum() / n
            if not entropy:
                s -= n * p * (1 - p)
            elif 0 < p < 1:
                s += n * (p * np.log(p) + (1 - p) * np.log(1 - p))
    return s


def best_cut(X, Y, w, entropy):
    """Feature and threshold of the best cut over all of them, with its quality."""
    best = (-np.inf, None, None)
    for f in range(X.shape[1]):
        values = np.unique(X[w > 0, f])
        for a, b in zip(values[:-1], values[1:], strict=True):
            cut = (a + b) / 2
            g = cut_quality(Y[w > 0], w[w > 0], X[w > 0, f] <= cut, entropy)
            if g > best[0]:
                best = (g, f, cut)
    return best


def walk(tree, x, n_labels):
    """Label shares of the leaf that a row reaches."""
    feature, threshold, left, start, label, share = tree
    node = 0
    while feature[node] >= 0:
        node = left[node] if x[feature[node]] <= threshold[node] else left[node] + 1
    shares = np.zeros(n_labels)
    entries = range(start[left[node]], start[left[node] + 1])
    for e in entries:
        shares[label[e]] = share[e]
    return shares


def expectation(p, value):
    """Sum of value(y) over all 0/1 vectors y, times their probability under independent p."""
    s = 0.0
    for y in product((0, 1), repeat=len(p)):
        y = np.array(y)
        s += np.where(y == 1, p, 1 - p).prod() * value(y)
    return s


def no_pair_wrong(p, y):
    """Whether every relevant label has a larger p than every irrelevant one."""
    return float(p[y == 1].min(initial=np.inf) > p[y == 0].max(initial=-np.inf))


def rank_of_worst(p, y):
    """Rank from 1 of the relevant label with the smallest p; 0 without one."""
    rank = np.empty(len(p))
    rank[np.argsort(-p)] = np.arange(1, len(p) + 1)
    return rank[y == 1].max(initial=0)


def table2(measure, p):
    """Confidence in one row (label) p without ties, by enumeration."""
    if measure == "hamming_loss":
        return np.mean([max(v, 1 - v) for v in p])
    if measure == "one_error":
        return max(p)
    if measure == "coverage":
        return 1 - expectation(p, lambda y: rank_of_worst(p, y)) / len(p)
    return expectation(p, lambda y: no_pair_wrong(p, y))
