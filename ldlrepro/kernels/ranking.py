"""Measures of each row by the order of its labels.

Those of multi-label predictions take Y (n, c) bool, the true labels, and P (n, c) float64, larger
for more relevant ones, and write ``out`` (n,): NaN in rows without a relevant or without an
irrelevant label, which have no pair to rank.
"""

import numpy as np

from ldlrepro.kernels._jit import kernel


@kernel
def tau_b(D, P, out):
    """Kendall's tau-b of each row of D and P (n, c), into ``out`` (n,); 0 for a constant row."""
    c = D.shape[1]
    for i in range(D.shape[0]):
        agree, d_pairs, p_pairs = 0, 0, 0
        for j in range(c):
            for k in range(j):
                d = np.sign(D[i, j] - D[i, k])
                p = np.sign(P[i, j] - P[i, k])
                agree += int(d * p)
                d_pairs += int(d * d)
                p_pairs += int(p * p)
        pairs = np.sqrt(float(d_pairs)) * np.sqrt(float(p_pairs))
        out[i] = agree / pairs if pairs > 0 else 0.0


@kernel
def one_error(Y, P, out):
    """1 where the label ranked first (the first column on ties) is irrelevant, else 0."""
    n, c = Y.shape
    for i in range(n):
        relevant = 0
        top = 0
        for j in range(c):
            relevant += Y[i, j]
            if P[i, j] > P[i, top]:
                top = j
        if relevant == 0 or relevant == c:
            out[i] = np.nan
        else:
            out[i] = 0.0 if Y[i, top] else 1.0


@kernel
def coverage(Y, P, out):
    """Steps down the ranking to reach every relevant label, over c; the worse rank on ties.

    0 in a row without a relevant label: no row is NaN.
    """
    n, c = Y.shape
    for i in range(n):
        worst = np.inf
        for j in range(c):
            if Y[i, j]:
                worst = min(worst, P[i, j])
        depth = 0
        for j in range(c):
            depth += P[i, j] >= worst
        out[i] = max(depth - 1, 0) / c


@kernel
def reached(y, p, j):
    """How many labels rank no lower than label j, and how many of them are relevant."""
    above = 0
    among = 0
    for k in range(p.shape[0]):
        if p[k] >= p[j]:
            above += 1
            among += y[k]
    return above, among


@kernel
def over_relevant(Y, P, precision, out):
    """Mean over a row's relevant labels, into ``out`` (n,).

    Of the precision at their rank, or of the share of irrelevant labels that rank no lower.
    """
    n, c = Y.shape
    for i in range(n):
        relevant = Y[i].sum()
        if relevant == 0 or relevant == c:
            out[i] = np.nan
            continue
        s = 0.0
        for j in range(c):
            if Y[i, j]:
                above, among = reached(Y[i], P[i], j)
                s += among / above if precision else (above - among) / (c - relevant)
        out[i] = s / relevant


@kernel
def ranking_loss(Y, P, out):
    """Share of (relevant, irrelevant) pairs in the wrong order, ties counted as wrong."""
    over_relevant(Y, P, False, out)


@kernel
def average_precision(Y, P, out):
    """Mean over relevant labels of the precision at their rank (the worse rank on ties)."""
    over_relevant(Y, P, True, out)
