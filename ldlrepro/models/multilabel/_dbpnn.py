"""DBPNN: stacked restricted Boltzmann machines under logistic regression or back-propagation."""

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import check_random_state

from ldlrepro.models.multilabel._base import MultiLabelEstimator


class DBPNN(MultiLabelEstimator):
    """Deep back-propagation network (Hinton and Salakhutdinov 2006 [1]_, named so in Meka [2]_).

    Restricted Boltzmann machines are trained one on the other by contrastive divergence. On the
    hidden units of the last, each label gets a logistic regression: the MLDF paper (section 4.2)
    sets the logistic function as the base classifier. Or, with ``fine_tune``, the machines' weights
    start a network of sigmoid units, which back-propagation of the squared error trains to the
    labels, a row at a time, and scores are its outputs. Features are scaled to [0, 1] inside.

    Parameters
    ----------
    hidden : tuple of int >= 1
        Hidden units of each machine.
    fine_tune : bool
        Back-propagation in place of logistic regressions.
    rbm_epochs : int >= 0
        Passes over the rows, of each machine.
    epochs : int >= 0
        Passes over the rows, of back-propagation.
    learning_rate : float > 0
        Of both.
    momentum : float in [0, 1)
        Of both.
    decay : float >= 0
        Weight decay of the machines.
    random_state : int, RandomState or None
        Seeds the first weights and the order of the rows.

    Attributes
    ----------
    coefs_ : list of (units + 1, next units)
        The last to the labels; the first row is the bias.
    rbm_errors_ : list of (rbm_epochs,)
        Mean squared error of reconstruction before each epoch.
    loss_curve_ : (epochs,), half the mean squared error of a row, seen during each epoch; with
        ``fine_tune`` only.

    Raises
    ------
    ValueError
        At ``fit``: a parameter out of range, which is named.

    See Also
    --------
    MLFE : A kernel regression of the labels.
    ECC : Linear machines in chains.

    Notes
    -----
    Defaults are Meka's where its source (classes AbstractNeuralNet, AbstractDeepNeuralNet, RBM,
    BPNN, DBPNN) shows them: two machines, 1000 epochs of each, 100 of back-propagation with single
    rows, learning rate and momentum 0.1, decay 0.0002 of the learning rate, weights from N(0, 0.2)
    and biases 0, probabilities in place of samples. The number of hidden units is not settled: -1,
    "off", for the network and 10 for a machine; 10 is taken.

    The logistic regressions have next to no penalty, as Weka's have by default (1e-8).

    Departures: a machine makes one step an epoch on the mean over all rows (Meka: one for every
    few rows, divided by the number of steps, the same to first order). All machines' weights are
    kept (Meka draws those of the last anew). The rows are shuffled. Meka does not scale features,
    which on CAL500 (-109 to 24) leaves its units saturated.

    A label that no training row has gets the score 0, one that all have 1. With ``fine_tune`` a
    label that no training row has gets scores near 0, one that all have near 1, not constant and
    the nearer the more epochs (80 random rows: below 0.04 and above 0.96 after 100 epochs).

    References
    ----------
    .. [1] Hinton, Salakhutdinov, "Reducing the dimensionality of data with neural networks",
       Science 313(5786), 2006.
    .. [2] Read, Reutemann, Pfahringer, Holmes, "MEKA: a multi-label/multi-target extension to
       Weka", Journal of Machine Learning Research 17(21), 2016.

    Examples
    --------
    >>> from ldlrepro import DBPNN, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = DBPNN(rbm_epochs=20, random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, 14)
    """

    def __init__(
        self,
        hidden=(10, 10),
        *,
        fine_tune=False,
        rbm_epochs=1000,
        epochs=100,
        learning_rate=0.1,
        momentum=0.1,
        decay=2e-5,
        random_state=None,
    ):
        self.hidden = hidden
        self.fine_tune = fine_tune
        self.rbm_epochs = rbm_epochs
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.decay = decay
        self.random_state = random_state

    def _fit(self, X, Y):
        self._check()
        rng = check_random_state(self.random_state)
        self._scaler = MinMaxScaler().fit(X)
        scaled = units = self._scaler.transform(X)
        self.coefs_, self.rbm_errors_ = [], []
        for size in self.hidden:
            weights, errors = self._train_rbm(units, size, rng)
            self.coefs_.append(weights)
            self.rbm_errors_.append(errors)
            units = forward(units, [weights])[-1]
        if self.fine_tune:
            self.coefs_.append(_start(units.shape[1], Y.shape[1], rng))
            self._back_propagate(scaled, Y, rng)
        else:
            self.coefs_.append(np.column_stack([logistic_weights(units, y) for y in Y.T]))

    def _check(self):
        if not len(self.hidden) or min(self.hidden) < 1:
            raise ValueError(f"hidden={self.hidden}: give 1 unit or more for one layer or more.")
        if min(self.rbm_epochs, self.epochs) < 0:
            raise ValueError(
                f"rbm_epochs={self.rbm_epochs} and epochs={self.epochs} must be 0 or more."
            )
        if not self.learning_rate > 0 or not 0 <= self.momentum < 1 or self.decay < 0:
            raise ValueError(
                f"learning_rate={self.learning_rate} must be larger than 0, "
                f"momentum={self.momentum} in [0, 1), decay={self.decay} 0 or more."
            )

    def _train_rbm(self, V, size, rng):
        """Weights (units + 1, size) of a machine on rows V in [0, 1], and its error by epoch."""
        n, q = V.shape
        W, hidden_bias, visible_bias = _start(q, size, rng)[1:], np.zeros(size), np.zeros(q)
        parts = W, hidden_bias, visible_bias
        last = [np.zeros_like(part) for part in parts]
        errors = np.empty(self.rbm_epochs)
        for epoch in range(self.rbm_epochs):
            H = expit(V @ W + hidden_bias)
            again = expit(H @ W.T + visible_bias)
            H_again = expit(again @ W + hidden_bias)
            errors[epoch] = np.mean((V - again) ** 2)
            divergences = (
                (V.T @ H - again.T @ H_again) / n - self.decay * W,
                (H - H_again).mean(axis=0),
                (V - again).mean(axis=0),
            )
            for part, step, divergence in zip(parts, last, divergences, strict=True):
                step *= self.momentum
                step += self.learning_rate * divergence
                part += step
        return np.vstack([hidden_bias, W]), errors

    def _back_propagate(self, X, Y, rng):
        n = len(X)
        steps = [np.zeros_like(W) for W in self.coefs_]
        self.loss_curve_ = np.zeros(self.epochs)
        for epoch in range(self.epochs):
            for i in rng.permutation(n):
                loss, gradients = loss_and_gradients(X[i : i + 1], Y[i : i + 1], self.coefs_)
                self.loss_curve_[epoch] += loss / n
                for W, step, gradient in zip(self.coefs_, steps, gradients, strict=True):
                    step *= self.momentum
                    step -= self.learning_rate * gradient
                    W += step

    def _predict_proba(self, X):
        return forward(self._scaler.transform(X), self.coefs_)[-1]


def _start(inputs, outputs, rng):
    W = rng.normal(scale=0.2, size=(inputs + 1, outputs))
    W[0] = 0.0
    return W


def logistic_weights(U, y):
    """Logistic regression of 0/1 labels y (n,) on units U (n, u): (u + 1,), the bias first.

    A label that no row or every row has gets a bias that makes its score 0 or 1.
    """
    if y.min() == y.max():
        return np.r_[np.inf if y[0] else -np.inf, np.zeros(U.shape[1])]
    # Units of a machine hardly vary: without scaling the solver stops where it starts. What
    # rounding alone makes of equal rows stays as it is.
    mean, spread = U.mean(axis=0), U.std(axis=0)
    spread[spread < 1e-12] = np.inf
    model = LogisticRegression(C=1e8, tol=1e-6, max_iter=10000).fit((U - mean) / spread, y)
    w = model.coef_[0] / spread
    return np.r_[model.intercept_[0] - mean @ w, w]


def forward(X, coefs):
    """Units of each layer, X (n, q) first."""
    layers = [X]
    for W in coefs:
        layers.append(expit(layers[-1] @ W[1:] + W[0]))
    return layers


def loss_and_gradients(X, Y, coefs):
    """Half the sum of squared errors on X (n, q), Y (n, c), and its gradient in each of coefs."""
    layers = forward(X, coefs)
    error = layers[-1] - Y
    delta = error * layers[-1] * (1 - layers[-1])
    gradients = []
    for below, W in zip(layers[-2::-1], coefs[::-1], strict=True):
        gradient = np.empty_like(W)
        gradient[0] = delta.sum(axis=0)
        np.matmul(below.T, delta, out=gradient[1:])
        gradients.append(gradient)
        delta = (delta @ W[1:].T) * below * (1 - below)
    return 0.5 * np.sum(error**2), gradients[::-1]
