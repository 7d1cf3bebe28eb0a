"""Loss and gradient of the conditional probability neural network (Geng, Yin, Zhou 2013)."""

import numpy as np

from ldlrepro.kernels._jit import kernel


# Only re-association is allowed, for vectorised sums: NaN and infinity keep their meaning.
@kernel(fastmath={"reassoc", "contract"}, error_model="numpy")
def pass_rows(A, B, o, bias, D, over_labels, over_rows, out):
    """Sums of the loss and of its derivatives, row by row: no array of all rows, labels and units.

    Unit k of row i and label y is 1 / (1 + A[i, k] B[y, k]), f(i, y) = sum_k o_k unit_k + bias_y.

    Parameters
    ----------
    A : (n, h), exp(-x) of the sums of the features; B : (c, h), of the sums of the label
    o : (h,), output weights; bias : (c,); D : (n, c)
    over_labels, over_rows : (n, h) and (c, h), out: sums of residual unit (1 - unit)
    out : (c + h,), out: sums of the residual p - d of each label, and of residual unit

    Returns
    -------
    float : sum of -d ln p
    """
    n, h = A.shape
    c = B.shape[0]
    H = np.empty((c, h))
    f = np.empty(c)
    over_rows[:] = 0.0
    out[:] = 0.0
    residuals, outputs = out[:c], out[c:]
    loss = 0.0
    for i in range(n):
        top = -np.inf
        for y in range(c):
            s = 0.0
            for k in range(h):
                unit = 1.0 / (1.0 + A[i, k] * B[y, k])
                H[y, k] = unit
                s += o[k] * unit
            f[y] = s + bias[y]
            top = max(top, f[y])
        total = 0.0
        for y in range(c):
            total += np.exp(f[y] - top)
        top += np.log(total)
        over_labels[i] = 0.0
        for y in range(c):
            loss -= D[i, y] * (f[y] - top)
            r = np.exp(f[y] - top) - D[i, y]
            residuals[y] += r
            for k in range(h):
                unit = H[y, k]
                first = r * unit
                second = first * (1.0 - unit)
                outputs[k] += first
                over_labels[i, k] += second
                over_rows[y, k] += second
    return loss
