"""Coordinate descent for the two steps of MLFE before its regression."""

import numpy as np

from ldlrepro.kernels._jit import kernel


@kernel
def sparse_codes(X, share, tol, max_epochs, W):
    """Each row of X (n, q) as a sparse combination of the others, into the rows of W (n, n).

    Row i of W minimises ||x_i - sum_j W_ij x_j||^2 / 2 + lambda_i sum_j |W_ij| with W_ii = 0 and
    lambda_i = share * max_j |x_i x_j| (j other than i). Stops when no gradient is further than
    tol lambda_i from what the penalty allows. Returns the number of rows that max_epochs stopped.
    """
    n = len(X)
    norms = np.empty(n)
    for j in range(n):
        norms[j] = X[j] @ X[j]
    missed = 0
    for i in range(n):
        z = W[i]
        z[:] = 0.0
        biggest = 0.0
        for j in range(n):
            if j != i:
                biggest = max(biggest, abs(X[j] @ X[i]))
        if biggest == 0.0:
            continue
        penalty = share * biggest
        rest = X[i].copy()  # what the combination leaves: shorter than n gradients, mostly
        whole, done = True, False  # passes over the used entries, then one over all, in turn
        for _ in range(max_epochs):
            worst = 0.0
            for j in range(n):
                if j == i or norms[j] <= 0.0 or not (whole or z[j] != 0.0):
                    continue
                raw = X[j] @ rest + norms[j] * z[j]
                new = max(0.0, abs(raw) - penalty) / norms[j]
                if raw < 0.0:
                    new = -new
                step = new - z[j]
                if step != 0.0:
                    worst = max(worst, abs(step) * norms[j])
                    rest -= step * X[j]
                    z[j] = new
            small = worst <= tol * penalty
            if small and whole:
                done = True
                break
            whole = small
        if not done:
            missed += 1
    return missed


@kernel
def box_quadratic(M, low, high, tol, max_epochs, u):
    """Minimise u' M u within [low, high], from u (n,), in place; M (n, n) positive semidefinite.

    Stops when no coordinate moves more than tol in a pass. Returns the number of passes.
    """
    n = len(u)
    g = M @ u
    for epoch in range(max_epochs):
        worst = 0.0
        for j in range(n):
            if M[j, j] <= 0.0:
                continue
            new = min(max(u[j] - g[j] / M[j, j], low[j]), high[j])
            step = new - u[j]
            if step != 0.0:
                worst = max(worst, abs(step))
                g += step * M[j]
                u[j] = new
        if worst <= tol:
            return epoch + 1
    return max_epochs
