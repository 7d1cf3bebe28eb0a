"""Limited-memory BFGS with a weak Wolfe line search (Nocedal and Wright, chapters 3 and 7).

scipy's L-BFGS-B spends most of its time beside the loss when there are few rows, and its cost
grows with the memory; here a hundred pairs cost little, which comes near the full BFGS method.
"""

import numpy as np

from ldlrepro.kernels.lbfgs import direction

_DECREASE, _CURVATURE = 1e-4, 0.9
_TRIALS = 40


def minimise(loss, w, max_iter, memory, tol, after_step):
    """Minimise a smooth function.

    Parameters
    ----------
    loss
        ``loss(w) -> float, (n,)``, value and gradient.
    w : (n,)
        Start.
    max_iter : int
        Steps at most.
    memory : int
        Pairs of steps and gradients kept.
    tol : float
        Relative decrease of the value at which to stop.
    after_step
        Called with (number of the step, w).

    Returns
    -------
    w : (n,)
        Where it stopped.
    value : float
        The function there.
    steps : int
        How many it took.
    """
    n = len(w)
    S, Y, rho = np.empty((memory, n)), np.empty((memory, n)), np.empty(memory)
    first = count = 0
    scale = 1.0
    d = np.empty(n)
    value, g = loss(w)
    for step in range(1, max_iter + 1):
        direction(g, S, Y, rho, first, count, scale, d)
        slope = g @ d
        if not slope < 0:
            return w, value, step - 1
        length = 1.0 if count else min(1.0, 1.0 / np.linalg.norm(g))
        low, high = 0.0, np.inf
        for _ in range(_TRIALS):
            new_w = w + length * d
            new_value, new_g = loss(new_w)
            if not new_value <= value + _DECREASE * length * slope:  # also where it is NaN
                high = length
            elif new_g @ d < _CURVATURE * slope:
                low = length
            else:
                break
            length = 0.5 * (low + high) if high < np.inf else 2 * low
        else:  # rounding leaves nothing to gain
            return w, value, step - 1
        if count == memory:
            first = (first + 1) % memory
        else:
            count += 1
        k = (first + count - 1) % memory
        S[k], Y[k] = new_w - w, new_g - g
        curvature = S[k] @ Y[k]
        rho[k], scale = 1 / curvature, curvature / (Y[k] @ Y[k])
        gained = value - new_value
        w, value, g = new_w, new_value, new_g
        after_step(step, w)
        if gained <= tol * abs(value):
            return w, value, step
    return w, value, max_iter
