"""Ages from label distributions, and label distributions from ages."""

import numpy as np

#: A normal density narrower than this is one label.
NARROWEST = 0.3


def ages_of(D):
    """Age of each row of D (n, c), in labels: that of the largest degree, the first of equals."""
    return np.argmax(D, axis=1)


def width_of(D):
    """Standard deviation of the rows of D (n, c) about their ages, over all of them."""
    distance = np.arange(D.shape[1]) - ages_of(D)[:, None]
    return max(NARROWEST, float(np.sqrt((D * distance**2).sum(axis=1).mean())))


def normal(age, sigma, c):
    """Normal densities about (n,) ages at the labels 0 ... c - 1, rows of sum 1, (n, c)."""
    age, sigma = np.asarray(age, float), np.asarray(sigma, float)
    exponent = -0.5 * ((np.arange(c) - age[:, None]) / sigma.reshape(-1, 1)) ** 2
    density = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return density / density.sum(axis=1, keepdims=True)


def seen(scaler, X):
    """Features as a model sees them: X where ``scaler`` is None."""
    return X if scaler is None else scaler.transform(X)
