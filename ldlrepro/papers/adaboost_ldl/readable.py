"""Adaboost-LDL in plain NumPy, to read beside the equations of the chapter.

``learn(X, D, last)`` fits the learner to rows and returns this model, which
has ``predict(X)``. ``last`` is the model of the round before, None in the
first. A warm start takes its coefficients. The tests and the chapter
compare this code with the class AdaBoostLDL.
"""

import numpy as np


def sort_loss(d, p):
    """SortLoss of one row: true degrees d, predicted p (Eqs. 3 and 4)."""
    h = p[np.argsort(-d, kind="stable")]  # by falling true degree
    loss = divisor = 0.0
    for u in range(len(h) - 1):  # places count from 0 here, from 1 in Eq. 3
        climbs = sum(max(h[v] - h[u], 0) for v in range(u + 1, len(h)))
        loss += climbs / np.log2(u + 2)
        divisor += 1 / np.log2(u + 2)
    return loss / divisor


def next_probabilities(w, losses, alpha):
    """How likely each row is drawn in the next round (Eq. 5)."""
    if losses.sum() == 0:
        return w
    w = w + alpha * losses / losses.sum()
    return w / w.sum()


def model_weights(totals):
    """Each model's share in the ensemble: its m of Eq. 6 over their sum."""
    if np.any(totals == 0):  # infinite weights: these share all of it
        return (totals == 0) / np.sum(totals == 0)
    m = totals.sum() / totals
    return m / m.sum()


def boost(X, D, learn, rounds=5, alpha=1.0, seed=0):
    """Models of the rounds, their shares (T,), SortLoss on each row (T, n)."""
    rng = np.random.RandomState(seed)
    n = len(X)
    w = np.full(n, 1 / n)
    last, models, losses = None, [], []
    for _ in range(rounds):
        rows = rng.choice(n, size=n, p=w)  # with replacement
        last = learn(X[rows], D[rows], last)
        P = last.predict(X)
        loss = np.array([sort_loss(D[i], P[i]) for i in range(n)])
        w = next_probabilities(w, loss, alpha)
        models.append(last)
        losses.append(loss)
    weights = model_weights(np.sum(losses, axis=1))
    return models, weights, np.array(losses)


def predict(models, weights, X):
    """The weighted mean of the models' predictions (Eq. 7)."""
    pairs = zip(weights, models, strict=True)
    return sum(share * model.predict(X) for share, model in pairs)
