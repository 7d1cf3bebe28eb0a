"""The readable sLDLF in the layout of the kernels, where rows come last: F (t, n), D (c, n)."""

import numpy as np

from ldlrepro.papers.ldlf import readable


def forest(F, phi, Q):
    """Predictions (K, c, n) from outputs F."""
    S = readable.split(F.T)
    return np.array([readable.mixture(S[:, o], q).T for o, q in zip(phi, Q, strict=True)])


def loss(F, phi, Q, D):
    """Eq. 3 summed over trees and rows."""
    S = readable.split(F.T)
    of_trees = (readable.loss(S[:, o], q, D.T) for o, q in zip(phi, Q, strict=True))
    return F.shape[1] * sum(of_trees)


def slope(F, phi, Q, D):
    """Eq. 6 (times n) summed over trees, (t, n)."""
    S, G = readable.split(F.T), np.zeros_like(F)
    for outputs, q in zip(phi, Q, strict=True):
        G[outputs] += F.shape[1] * readable.gradient(S[:, outputs], q, D.T).T
    return G


def leaf_update(F, outputs, leaves, D, weights):
    """Eq. 12 for one tree; rows count ``weights`` times."""
    return readable.leaf_step(readable.split(F[outputs].T), leaves, (weights * D).T)
