"""Weighted rows in two clusters: Lloyd's algorithm with k-means++ seeds."""

import numpy as np

from ldlrepro.kernels._jit import bare, kernel
from ldlrepro.kernels.random import pick


@kernel
def two_seeds(Z, columns, w, mass, state):
    """Draw two rows: by weight, then by weight times squared distance from the first.

    Parameters
    ----------
    Z, w, state : as for `two_means`; columns : as for `assign`
    mass : float, sum of w

    Returns
    -------
    int, int : the rows; the second is -1 where all rows are equal
    """
    n, c = Z.shape
    a = pick(w, mass, state)
    far = columns[c]
    far[:] = 0.0
    for j in range(c):
        for i in range(n):
            far[i] += (columns[j, i] - Z[a, j]) ** 2
    spread = 0.0
    for i in range(n):
        far[i] *= w[i]
        spread += far[i]
    if spread <= 0.0:
        return a, -1
    return a, pick(far, spread, state)


@bare
def assign(Z, columns, w, direction, offset, cluster, ones, listed):
    """Put each row in cluster 1 where Z.direction > offset, else in 0: one dot product a row.

    Parameters
    ----------
    Z, w, cluster : as for `two_means`
    columns : (c + 1, n) float64, Z by columns, and room for a number of each row: sums over the
        labels of a row are then those of many rows at once, in the same order
    direction, offset : (c,) float64 and float
    ones : (c,) float64, out: sum of the rows in cluster 1
    listed : (n,) uint32, scratch

    Returns
    -------
    bool, float : whether a row changed its cluster, and the weight in cluster 1
    """
    n, c = Z.shape
    dot = columns[c]
    for i in range(n):
        dot[i] = 0.0
    last = c - c % 4
    for j in range(0, last, 4):  # four labels at a time, one after the other: less is stored
        d0, d1, d2, d3 = direction[j], direction[j + 1], direction[j + 2], direction[j + 3]
        for i in range(n):
            s = dot[i] + columns[j, i] * d0
            s = s + columns[j + 1, i] * d1
            s = s + columns[j + 2, i] * d2
            dot[i] = s + columns[j + 3, i] * d3
    for j in range(last, c):
        for i in range(n):
            dot[i] += columns[j, i] * direction[j]
    changes = np.uint8(0)
    m = 0
    for i in range(n):  # no branch, which would be guessed wrong half the time
        k = np.uint8(dot[i] > offset)
        changes |= k ^ cluster[i]
        cluster[i] = k
        listed[m] = i
        m += k
    ones[:] = 0.0
    mass1 = 0.0
    for a in range(m):
        i = listed[a]
        mass1 += w[i]
        for j in range(c):
            ones[j] += w[i] * Z[i, j]
    return changes != 0, mass1


@kernel
def two_means(Z, w, max_iter, state, cluster):
    """Split weighted rows in two.

    Parameters
    ----------
    Z : (n, c) float64, C-contiguous
    w : (n,) float64, positive weights (how often a row was drawn)
    max_iter : int, largest number of Lloyd steps
    state : (1,) uint64, random state, advanced
    cluster : (n or more,) uint8, out: 0 or 1 for each row

    Returns
    -------
    bool : False where the rows cannot be split (all equal).
    """
    n, c = Z.shape
    columns = np.empty((c + 1, n))
    total = np.zeros(c)
    mass = 0.0
    for i in range(n):
        mass += w[i]
        for j in range(c):
            total[j] += w[i] * Z[i, j]
            columns[j, i] = Z[i, j]
    a, b = two_seeds(Z, columns, w, mass, state)
    if b < 0:
        return False
    centre0 = Z[a].copy()
    centre1 = Z[b].copy()
    for i in range(n):
        cluster[i] = 2  # neither
    direction = np.empty(c)
    ones = np.empty(c)
    listed = np.empty(n, np.uint32)
    for _ in range(max_iter):
        # Nearer to centre1 exactly when Z.direction > offset.
        offset = 0.0
        for j in range(c):
            direction[j] = centre1[j] - centre0[j]
            offset += 0.5 * (centre1[j] + centre0[j]) * direction[j]
        changed, mass1 = assign(Z, columns, w, direction, offset, cluster, ones, listed)
        if mass1 <= 0.0 or mass1 >= mass:
            return False
        if not changed:
            break
        for j in range(c):
            centre1[j] = ones[j] / mass1
            centre0[j] = (total[j] - ones[j]) / (mass - mass1)
    return True
