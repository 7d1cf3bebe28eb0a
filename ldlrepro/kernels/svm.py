"""Linear support vector machines by dual coordinate descent."""

import numpy as np

from ldlrepro.kernels._jit import kernel


@kernel
def hinge_dual(X, indptr, indices, values, limit, y, upper, alpha, w, orders, tol, max_epochs):
    """Minimise ||w||^2 / 2 + sum_i upper_i max(0, 1 - y_i w z_i) (Hsieh et al., ICML 2008, Alg. 1).

    Row z_i is X[i] (n, q), then the sparse columns q + indices (CSR, sorted within a row) below
    ``limit``, then a constant 1. y : (n,) of -1 and 1. upper : (n,); rows with 0 are left out.
    alpha : (n,), the start; w : (q + number of sparse columns + 1,). Both are overwritten with the
    answer. orders : (k, n) int, orders of the rows, taken in turn. Stops when the projected
    gradients of an epoch spread over no more than tol. Returns the number of epochs.
    """
    n, q = X.shape
    norms = np.zeros(n)
    w[:] = 0.0
    for i in range(n):
        if upper[i] <= 0:
            alpha[i] = 0.0
            continue
        alpha[i] = min(alpha[i], upper[i])
        norms[i] = 1.0 + np.dot(X[i], X[i])
        for p in range(indptr[i], indptr[i + 1]):
            if indices[p] >= limit:
                break
            norms[i] += values[p] * values[p]
        if alpha[i] > 0:
            _add(X, indptr, indices, values, limit, i, alpha[i] * y[i], w)
    epoch = 0
    while epoch < max_epochs:
        order = orders[epoch % len(orders)]
        epoch += 1
        top, bottom = -np.inf, np.inf
        for i in order:
            if upper[i] <= 0:
                continue
            value = w[-1] + np.dot(X[i], w[:q])
            for p in range(indptr[i], indptr[i + 1]):
                if indices[p] >= limit:
                    break
                value += values[p] * w[q + indices[p]]
            gradient = y[i] * value - 1.0
            projected = gradient
            if alpha[i] <= 0:
                projected = min(gradient, 0.0)
            elif alpha[i] >= upper[i]:
                projected = max(gradient, 0.0)
            top, bottom = max(top, projected), min(bottom, projected)
            if projected != 0.0:
                new = min(max(alpha[i] - gradient / norms[i], 0.0), upper[i])
                if new != alpha[i]:
                    _add(X, indptr, indices, values, limit, i, (new - alpha[i]) * y[i], w)
                    alpha[i] = new
        if top - bottom <= tol:
            break
    return epoch


@kernel
def _add(X, indptr, indices, values, limit, i, step, w):
    """w += step z_i."""
    q = X.shape[1]
    for f in range(q):
        w[f] += step * X[i, f]
    for p in range(indptr[i], indptr[i + 1]):
        if indices[p] >= limit:
            break
        w[q + indices[p]] += step * values[p]
    w[-1] += step
