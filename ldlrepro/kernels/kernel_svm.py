"""Support vector machines with a kernel, by pairs of dual variables."""

import numpy as np

from ldlrepro.kernels._jit import kernel


@kernel
def kernel_dual(K, weights, start, tol, max_steps):
    """Minimise |f|^2 / 2 + sum_i u_i max(0, 1 - f(x_i)) + v_i max(0, 1 + f(x_i)), with an offset.

    K : (n, n) kernel. weights : (n, 2), the prices u of an error where row i is of the first class,
    v where it is of the second; both classes need some, rows with neither are left out. start :
    (n,), coefficients to start from. Returns the coefficients b (n,), the decisions
    ``K @ b + offset`` (n,), the offset, and whether it converged within max_steps.

    A row that stands in both classes is one variable b_i in [-v_i, u_i], whose cost has a kink at
    u_i - v_i, where both copies are inside the margin. Pairs of variables are chosen by the second
    order (Fan, Chen and Lin, JMLR 2005) and move to their best place or the next kink or end, until
    the optimality conditions hold within tol.
    """
    n = len(K)
    kink = weights[:, 0] - weights[:, 1]
    b = np.minimum(np.maximum(start, -weights[:, 1]), weights[:, 0])
    gradient = np.dot(K, b)
    _balance(K, weights, b, gradient)
    diagonal = np.diag(K).copy()
    # Slopes of the cost to the right and to the left; infinite where there is no way.
    right, left = np.empty(n), np.empty(n)
    for r in range(n):
        _slopes(r, b, kink, weights, right, left)
    for _ in range(max_steps):
        i, lowest, highest = -1, np.inf, -np.inf
        for r in range(n):
            if gradient[r] + right[r] < lowest:
                i, lowest = r, gradient[r] + right[r]
            highest = max(highest, gradient[r] + left[r])
        if highest - lowest <= tol:
            break
        j, most, width, curve = -1, 0.0, 0.0, 1.0
        for r in range(n):
            gap = gradient[r] + left[r] - lowest
            if gap > 0:
                bend = max(diagonal[i] + diagonal[r] - 2.0 * K[i, r], 1e-12)
                if gap * gap > most * bend:
                    j, most, width, curve = r, gap * gap / bend, gap, bend
        # Ends and kinks are met exactly, or rounding would leave steps too small to take.
        end_i = kink[i] if b[i] < kink[i] else weights[i, 0]
        end_j = kink[j] if b[j] > kink[j] else -weights[j, 1]
        up, down = end_i - b[i], b[j] - end_j
        step = min(width / curve, up, down)
        b[i] = b[i] + step if step < up else end_i
        b[j] = b[j] - step if step < down else end_j
        _slopes(i, b, kink, weights, right, left)
        _slopes(j, b, kink, weights, right, left)
        for r in range(n):
            gradient[r] += step * (K[i, r] - K[j, r])
    free, total = 0, 0.0
    for r in range(n):
        if right[r] == left[r]:
            free += 1
            total -= gradient[r] + right[r]
    offset = total / free if free else -(lowest + highest) / 2.0
    return b, gradient + offset, offset, highest - lowest <= tol


@kernel
def _balance(K, weights, b, gradient):
    """Let rows with the largest decisions give way until the b sum to 0; b, gradient in place."""
    rest = b.sum()
    side = 1.0 if rest > 0 else -1.0
    for r in np.argsort(-side * gradient):
        if side * rest <= 0:
            break
        end = -weights[r, 1] if side > 0 else weights[r, 0]
        step = b[r] - end
        if step != 0.0:
            if side * step < side * rest:
                b[r] = end
            else:
                step = rest
                b[r] -= step
            rest -= step
            for s in range(len(b)):
                gradient[s] -= step * K[r, s]


@kernel
def _slopes(r, b, kink, weights, right, left):
    """Slopes of the cost of row r to both sides of b[r], into right and left."""
    right[r] = np.inf if b[r] >= weights[r, 0] else (-1.0 if b[r] < kink[r] else 1.0)
    left[r] = -np.inf if b[r] <= -weights[r, 1] else (-1.0 if b[r] <= kink[r] else 1.0)
