"""Inner products and scaling equations of the maximum-entropy model."""

import numpy as np

from ldlrepro.kernels._jit import kernel


# Only re-association is allowed, for vectorised sums: NaN and infinity keep their meaning.
@kernel(fastmath={"reassoc", "contract"})
def skinny_product(A, B, out):
    """out = B A^T for a long A (n, q) and a B (c, q) of few rows; ``out`` (c, n).

    BLAS is slow where c is small; blocks of four rows of A by two of B keep the sums in registers.
    """
    n, q = A.shape
    c = B.shape[0]
    n4 = n - n % 4
    c2 = c - c % 2
    for i in range(0, n4, 4):
        for j in range(0, c2, 2):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
            for k in range(q):
                x0, x1, x2, x3 = A[i, k], A[i + 1, k], A[i + 2, k], A[i + 3, k]
                a0 += B[j, k] * x0
                a1 += B[j, k] * x1
                a2 += B[j, k] * x2
                a3 += B[j, k] * x3
                b0 += B[j + 1, k] * x0
                b1 += B[j + 1, k] * x1
                b2 += B[j + 1, k] * x2
                b3 += B[j + 1, k] * x3
            out[j, i], out[j, i + 1], out[j, i + 2], out[j, i + 3] = a0, a1, a2, a3
            out[j + 1, i], out[j + 1, i + 1], out[j + 1, i + 2], out[j + 1, i + 3] = b0, b1, b2, b3
        for j in range(c2, c):
            a0 = a1 = a2 = a3 = 0.0
            for k in range(q):
                a0 += B[j, k] * A[i, k]
                a1 += B[j, k] * A[i + 1, k]
                a2 += B[j, k] * A[i + 2, k]
                a3 += B[j, k] * A[i + 3, k]
            out[j, i], out[j, i + 1], out[j, i + 2], out[j, i + 3] = a0, a1, a2, a3
    for i in range(n4, n):
        for j in range(c):
            a0 = 0.0
            for k in range(q):
                a0 += B[j, k] * A[i, k]
            out[j, i] = a0


@kernel
def subtract_top(Z, top):
    """Subtract from each column of Z (c, n) its largest entry, kept in ``top`` (n,)."""
    top[:] = Z[0]
    for j in range(1, Z.shape[0]):
        for i in range(Z.shape[1]):
            top[i] = max(top[i], Z[j, i])
    for j in range(Z.shape[0]):
        for i in range(Z.shape[1]):
            Z[j, i] -= top[i]


@kernel
def normalise(Z, D, total):
    """Divide each column of Z (c, n) by its sum, kept in ``total`` (n,), and subtract D (c, n)."""
    total[:] = Z[0]
    for j in range(1, Z.shape[0]):
        for i in range(Z.shape[1]):
            total[i] += Z[j, i]
    for j in range(Z.shape[0]):
        for i in range(Z.shape[1]):
            Z[j, i] = Z[j, i] / total[i] - D[j, i]


@kernel
def scaling_step(X, size, P, target, step, todo, max_newton):
    """Solve sum_i p_ji x_ik exp(step s(x_ik) size_i) = target_jk by safeguarded Newton steps.

    Parameters
    ----------
    X : (n, q); size : (n,), sum of the absolute features; P : (c, n)
    target, step, todo : (c, q); ``step`` holds the start and receives the root where ``todo``
    """
    n = X.shape[0]
    top = size.max()
    for j in range(target.shape[0]):
        for k in range(target.shape[1]):
            if not todo[j, k]:
                continue
            # The left side increases with the step: a bracket keeps Newton from overshooting.
            low, high = -np.inf, np.inf
            root = step[j, k]
            for _ in range(max_newton):
                value = -target[j, k]
                slope = 0.0
                for i in range(n):
                    x = X[i, k]
                    if x != 0.0:
                        sign = 1.0 if x > 0.0 else -1.0
                        e = P[j, i] * x * np.exp(min(root * sign * size[i], 700.0))
                        value += e
                        slope += e * sign * size[i]
                if value > 0.0:
                    high = root
                else:
                    low = root
                if slope <= 0.0:
                    break
                # Where p is tiny Newton lands far beyond the root and returns by 1 / top a step.
                after = root - max(-2.0 / top, min(2.0 / top, value / slope))
                if after <= low or after >= high:
                    if np.isinf(low) or np.isinf(high):
                        after = root - np.sign(value) / top
                    else:
                        after = 0.5 * (low + high)
                done = abs(after - root) <= 1e-10 * (1.0 + abs(root))
                root = after
                if done:
                    break
            step[j, k] = root
