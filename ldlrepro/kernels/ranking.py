"""Pairs of labels in the same order and in the other order."""

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
