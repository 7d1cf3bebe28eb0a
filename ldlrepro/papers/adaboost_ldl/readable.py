"""Adaboost-LDL in plain NumPy, to be read beside the equations of its chapter.

The tests and the chapter compare it with `ldlrepro.AdaBoostLDL`. A learner is any function
``learn(X, D, last)`` that fits to rows and returns an object with ``predict(X)``. ``last`` is the
learner of the round before, None in the first: a warm start reads its coefficients from there.
"""

import numpy as np


def sort_loss(d, p):
    """SortLoss of one row with true degrees d and predicted degrees p (Eqs. 3 and 4)."""
    h = p[np.argsort(-d, kind="stable")]  # predicted degrees, by falling true degree
    loss = divisor = 0.0
    for j in range(len(h) - 1):  # j counts from 0, the paper's from 1
        decay = 1 / np.log2(j + 2)
        loss += decay * sum(max(h[k] - h[j], 0) for k in range(j + 1, len(h)))
        divisor += decay
    return loss / divisor


def next_probabilities(w, losses, alpha):
    """How likely each row is to be drawn in the next round (Eq. 5, line 8)."""
    if losses.sum() == 0:
        return w
    w = w + alpha * losses / losses.sum()
    return w / w.sum()


def learner_weights(totals):
    """Each learner's share in the ensemble, from its total SortLoss (Eq. 6, line 11)."""
    if np.any(totals == 0):  # their weight would be infinite: they share all of it
        return (totals == 0) / np.sum(totals == 0)
    m = totals.sum() / totals
    return m / m.sum()


def boost(X, D, learn, rounds=5, alpha=1.0, seed=0):
    """The learners, their weights (T,), and the SortLoss of each on every row (T, n)."""
    rng = np.random.RandomState(seed)
    n, w, last, learners, losses = len(X), np.full(len(X), 1 / len(X)), None, [], []
    for _ in range(rounds):
        rows = rng.choice(n, size=n, p=w)  # with replacement
        last = learn(X[rows], D[rows], last)
        learners.append(last)
        losses.append(np.array([sort_loss(d, p) for d, p in zip(D, last.predict(X), strict=True)]))
        w = next_probabilities(w, losses[-1], alpha)
    losses = np.array(losses)
    return learners, learner_weights(losses.sum(axis=1)), losses


def predict(learners, weights, X):
    """The weighted mean of the learners' predictions (Eq. 7, line 13)."""
    return sum(m * learner.predict(X) for m, learner in zip(weights, learners, strict=True))
