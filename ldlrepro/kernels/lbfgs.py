"""The search direction of limited-memory BFGS."""

import numpy as np

from ldlrepro.kernels._jit import kernel


# Only re-association is allowed, for vectorised sums: NaN and infinity keep their meaning.
@kernel(fastmath={"reassoc", "contract"})
def direction(g, S, Y, rho, first, count, scale, d):
    """d = -H g by the two-loop recursion.

    Parameters
    ----------
    g, d : (n,) gradient, and the direction out
    S, Y : (m, n) steps and changes of the gradient, a ring whose oldest row is ``first``
    rho : (m,) 1 / s.y; count : int, rows in use; scale : float, H starts as scale times identity
    """
    m, n = S.shape
    alpha = np.empty(count)
    for i in range(n):
        d[i] = -g[i]
    for back in range(count - 1, -1, -1):
        k = (first + back) % m
        total = 0.0
        for i in range(n):
            total += S[k, i] * d[i]
        alpha[back] = rho[k] * total
        for i in range(n):
            d[i] -= alpha[back] * Y[k, i]
    for i in range(n):
        d[i] *= scale
    for back in range(count):
        k = (first + back) % m
        total = 0.0
        for i in range(n):
            total += Y[k, i] * d[i]
        total = alpha[back] - rho[k] * total
        for i in range(n):
            d[i] += total * S[k, i]
