"""MLDF in plain NumPy: the slow, short twin of `ldlrepro.MLDF`, as the chapter shows it.

H and G (2, n, c) hold the scores of the two forests of a layer, Y (n, c) the labels as booleans.
Average precision and AUC stand as one minus, so that less is better everywhere. A row (for AUC: a
label) must have a relevant and an irrelevant entry, but for hamming loss and coverage.
"""

import numpy as np

OF_LABELS = ("hamming_loss", "macro_auc")  # these look at columns, the others at rows
LOSS = {  # Table 1, for the labels y and scores p of one row or column
    "hamming_loss": lambda y, p: np.mean((p > 0.5) != y),
    "one_error": lambda y, p: 1.0 - y[p.argmax()],
    "coverage": lambda y, p: max(np.sum(p >= p[y].min(initial=np.inf)) - 1, 0) / len(p),
    "ranking_loss": lambda y, p: np.mean(p[y][:, None] <= p[~y]),
    "average_precision": lambda y, p: 1 - np.mean([y[p >= score].mean() for score in p[y]]),
    "macro_auc": lambda y, p: np.mean(np.sign(p[~y] - p[y][:, None]) / 2 + 0.5),
}


def confidence(measure, p):
    """Table 2, for the scores p of one row or column."""
    if measure == "hamming_loss":  # Eq. 5
        return np.maximum(p, 1 - p).mean()
    if measure == "one_error":  # Eq. 6
        return p.max()
    p, k = np.sort(p)[::-1], len(p)
    none_after = [(1 - p[j:]).prod() for j in range(k + 1)]
    if measure == "coverage":  # Eq. 7
        return 1 - sum(j * p[j - 1] * none_after[j] for j in range(1, k + 1)) / k
    return sum(p[:j].prod() * none_after[j] for j in range(k + 1))  # Eq. 8


def each(function, measure, *matrices):
    """Values of a function for all rows, or for all columns where the measure is of labels."""
    items = zip(*(A.T if measure in OF_LABELS else A for A in matrices), strict=True)
    return np.array([function(*item) for item in items])


def threshold(measure, Y, H, G):
    """Algorithm 2: the mean confidence where a layer is worse than the one before."""
    worse = each(LOSS[measure], measure, Y, H.mean(0)) > each(LOSS[measure], measure, Y, G.mean(0))
    sure = each(lambda p: confidence(measure, p), measure, H.mean(0))
    return sure[worse].mean() if worse.any() else 0.0  # Eq. 9


def reuse(measure, H, G, theta):
    """Algorithm 1: the layer before where the confidence is below the threshold."""
    low = each(lambda p: confidence(measure, p), measure, H.mean(0)) < theta
    return np.where(low if measure in OF_LABELS else low[:, None], G, H)  # Eq. 10


def grow(layer, measure, Y, T=20):
    """Algorithm 3: ``layer(t, G)`` gives H; back come L, and thresholds and losses by layer."""
    G, thetas, losses = None, [], []
    for t in range(1, T + 1):
        H = layer(t, G)  # Eq. 1
        thetas.append(threshold(measure, Y, H, G) if t > 2 else 0.0)
        G = reuse(measure, H, G, thetas[-1]) if t > 2 else H
        losses.append(each(LOSS[measure], measure, Y, G.mean(0)).mean())
        L = int(np.argmin(losses)) + 1  # Eq. 11
        if t - L == 3 or t == T:
            return L, thetas, losses
