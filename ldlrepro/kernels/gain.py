"""Information gain evaluated from scratch: every threshold passes over all rows again."""

import numpy as np

from ldlrepro.kernels._jit import kernel
from ldlrepro.kernels.split import Step, next_step


@kernel
def entropy(ones, n):
    """Entropy of two clusters, of which one has ``ones`` of n rows."""
    if ones == 0 or ones == n:
        return 0.0
    p = ones / n
    return -p * np.log(p) - (1.0 - p) * np.log(1.0 - p)


@kernel
def gain(x, cluster, threshold):
    """Gain (Eq. 2) of x < threshold about 0/1 clusters; x, cluster (n,)."""
    n = x.shape[0]
    left = 0
    left1 = 0
    all1 = 0
    for i in range(n):
        low = x[i] < threshold
        left += low
        all1 += cluster[i]
        left1 += low * cluster[i]
    right = n - left
    remaining = left * entropy(left1, left) + right * entropy(all1 - left1, right)
    return entropy(all1, n) - remaining / n


@kernel
def search(XT, order, cluster, alpha, beta, visited, gains):
    """Best split over all features, each gain from scratch.

    Parameters
    ----------
    XT : (q, n) features; order : (q, n) rows of each in ascending order; cluster : (n,) 0 or 1
    alpha, beta : of the variable step (Eq. 5); alpha = 0 visits every threshold
    visited, gains : (q, n) bool and float64, out: the positions evaluated and their gains

    Returns
    -------
    feature, threshold, gain, evaluations
    """
    q, n = XT.shape
    best, best_f, best_t, count = 0.0, 0, 0.0, 0
    for f in range(q):
        i = 0
        while i < n - 1:
            a, b = XT[f, order[f, i]], XT[f, order[f, i + 1]]
            if a == b:  # no threshold between equal values
                i += 1
                continue
            t = 0.5 * (a + b)
            g = gain(XT[f], cluster, t)
            count += 1
            visited[f, i] = True
            gains[f, i] = g
            if g > best:
                best, best_f, best_t = g, f, t
            if alpha > 0.0:
                ratio = g / best if best > 0.0 else 1.0
                i += next_step(n, ratio, Step(True, alpha, beta))
            else:
                i += 1
    return best_f, best_t, best, count
