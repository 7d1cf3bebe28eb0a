"""MLDF in plain NumPy: the slow, short twin of `ldlrepro.MLDF`.

M names a measure. H and G (2, n, c) hold the scores of a layer's two forests,
Y (n, c) the labels as booleans. Average precision and AUC stand as one minus,
so that less is better everywhere. A row (for AUC: a column) must have a
relevant and an irrelevant entry, but for hamming loss and coverage. Over
thousands of rows Eq. 8 underflows to 0: `ldlrepro.MLDF` has its logarithm.
"""

import numpy as np

OF_LABELS = ("hamming_loss", "macro_auc")  # of columns, not of rows
LOSS = {  # Table 1, for the labels y and scores p of one row or column
    "hamming_loss": lambda y, p: np.mean((p > 0.5) != y),
    "one_error": lambda y, p: 1.0 - y[p.argmax()],
    "coverage": lambda y, p: (y.any() and sum(p >= min(p[y])) - 1) / len(p),
    "ranking_loss": lambda y, p: np.mean(p[y][:, None] <= p[~y]),
    "average_precision": lambda y, p: np.mean([(~y)[p >= s].mean() for s in p[y]]),
    "macro_auc": lambda y, p: np.mean(np.sign(p[~y] - p[y][:, None]) + 1) / 2,
}


def confidence(M, p):
    """Table 2, for the scores p of one row or column."""
    if M == "hamming_loss":  # Eq. 5
        return np.maximum(p, 1 - p).mean()
    if M == "one_error":  # Eq. 6
        return p.max()
    p, k = np.sort(p)[::-1], len(p)
    rest = [(1 - p[j:]).prod() for j in range(k + 1)]
    if M == "coverage":  # Eq. 7
        return 1 - sum(j * p[j - 1] * rest[j] for j in range(1, k + 1)) / k
    return sum(p[:j].prod() * rest[j] for j in range(k + 1))  # Eq. 8


def each(function, M, *matrices):
    """Values of a function for all rows, or columns where M looks at these."""
    items = zip(*(A.T if M in OF_LABELS else A for A in matrices), strict=True)
    return np.array([function(*item) for item in items])


def threshold(M, Y, H, G):
    """Algorithm 2: the mean confidence where H is worse than G before it."""
    worse = each(LOSS[M], M, Y, H.mean(0)) > each(LOSS[M], M, Y, G.mean(0))
    sure = each(lambda p: confidence(M, p), M, H.mean(0))
    return sure[worse].mean() if worse.any() else 0.0  # Eq. 9


def reuse(M, H, G, theta):
    """Algorithm 1: G, the layer before, where confidence is below theta."""
    low = each(lambda p: confidence(M, p), M, H.mean(0)) < theta
    return np.where(low if M in OF_LABELS else low[:, None], G, H)  # Eq. 10


def grow(layer, M, Y, T=20):
    """Algorithm 3: ``layer(t, G)`` gives H. Returns L, thresholds, losses."""
    G, thetas, losses = None, [], []
    for t in range(1, T + 1):
        H = layer(t, G)  # Eq. 1
        thetas.append(threshold(M, Y, H, G) if t > 2 else 0.0)
        G = reuse(M, H, G, thetas[-1]) if t > 2 else H
        losses.append(each(LOSS[M], M, Y, G.mean(0)).mean())
        L = int(np.argmin(losses)) + 1  # Eq. 11
        if t - L == 3 or t == T:
            return L, thetas, losses
