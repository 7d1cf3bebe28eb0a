"""AA-BP: a network with one hidden layer and softmax outputs."""

import numpy as np
from scipy.special import expit, softmax
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator


class AABP(LDLEstimator):
    """AA-BP (Geng 2016 [1]_, section 3.2): a three-layer network, one softmax output a label.

    Minimises the squared error of the outputs, and a penalty of the weights, by back-propagation.

    Parameters
    ----------
    n_hidden : int >= 1
        Sigmoid units of the hidden layer (MSLP paper, section 3.1: 50).
    epochs : int >= 1
        Passes over the training rows. The MSLP paper gives none; more than the default overfit
        small data sets.
    batch_size : int >= 1
        Rows of a step.
    learning_rate : float > 0
        Of Adam.
    penalty : float >= 0
        Price of half the squared weights (not of the biases) beside the mean over rows of half the
        squared error; 0 in the papers.
    random_state : int, RandomState or None
        Seeds starting weights and batches.

    Attributes
    ----------
    loss_path_ : (epochs,) floats
        Half the mean squared error over the rows of each epoch.

    See Also
    --------
    CPNN : A network that takes the label as an input.
    SABFGS : Softmax outputs without a hidden layer.

    Notes
    -----
    Departures: Adam (Kingma and Ba 2015) on batches in place of plain gradient steps, which hardly
    leave their start on these data; features are scaled to mean 0 and variance 1 inside. The MATLAB
    package that came with the paper has other outputs: linear ones, whose absolute values are
    divided by their sum.

    By default K-L is above 1.05 of the training mean's on M2B, of the 16 sets of the book's
    page on defaults.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.

    Examples
    --------
    >>> from ldlrepro import AABP, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = AABP(epochs=5, random_state=0).fit(toy.X, toy.D)
    >>> len(model.loss_path_)
    5
    """

    def __init__(
        self,
        n_hidden=50,
        *,
        epochs=20,
        batch_size=32,
        learning_rate=0.001,
        penalty=0.001,
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.penalty = penalty
        self.random_state = random_state

    def _fit(self, X, D):
        if min(self.n_hidden, self.epochs, self.batch_size) < 1 or self.learning_rate <= 0:
            raise ValueError(
                f"n_hidden={self.n_hidden}, epochs={self.epochs} and batch_size={self.batch_size} "
                f"must be 1 or more, learning_rate={self.learning_rate} above 0."
            )
        if not 0 <= self.penalty < np.inf:
            raise ValueError(f"penalty must be finite and 0 or more, got {self.penalty!r}.")
        rng = check_random_state(self.random_state)
        self.scaler_ = StandardScaler().fit(X)
        X = self.scaler_.transform(X)
        n, q = X.shape
        w = start(rng, q, self.n_hidden, D.shape[1])
        shrinkage = self.penalty * (w != 0)  # biases start at 0
        mean, square = np.zeros_like(w), np.zeros_like(w)
        self.loss_path_ = np.zeros(self.epochs)
        step = 0
        for epoch in range(self.epochs):
            order = rng.permutation(n)
            for first in range(0, n, self.batch_size):
                rows = order[first : first + self.batch_size]
                loss, gradient = loss_and_gradient(w, X[rows], D[rows], self.n_hidden)
                gradient += shrinkage * w
                self.loss_path_[epoch] += loss * len(rows) / n
                step += 1
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient**2 - square)
                rate = self.learning_rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
                w -= rate * mean / (np.sqrt(square) + 1e-8)
        self.weights_ = unpack(w, q, self.n_hidden)

    def _predict(self, X):
        return forward(self.scaler_.transform(X), self.weights_)[1]


def start(rng, q, h, c):
    """Flat weights that keep the sums into each unit near 1, and biases of 0."""
    inner = rng.normal(size=q * h) / np.sqrt(q)
    outer = rng.normal(size=h * c) / np.sqrt(h)
    return np.concatenate([inner, np.zeros(h), outer, np.zeros(c)])


def unpack(w, q, h):
    """Weights into the hidden layer (q, h), biases (h,), into the outputs (h, c), biases (c,)."""
    V, b, rest = np.split(w, [q * h, q * h + h])
    U = rest.reshape(h + 1, -1)
    return V.reshape(q, h), b, U[:h], U[h]


def forward(X, weights):
    """Hidden units (n, h) and predicted distributions (n, c)."""
    V, b, U, a = weights
    H = expit(X @ V + b)
    return H, softmax(H @ U + a, axis=1)


def loss_and_gradient(w, X, D, h):
    """Mean over rows of half the squared error, and its gradient, as flat as ``w``."""
    weights = unpack(w, X.shape[1], h)
    H, P = forward(X, weights)
    error = P - D
    loss = 0.5 * np.square(error).sum() / len(X)
    to_logits = P * (error - (error * P).sum(axis=1, keepdims=True)) / len(X)
    to_hidden = to_logits @ weights[2].T * H * (1 - H)
    gradient = (X.T @ to_hidden, to_hidden.sum(axis=0), H.T @ to_logits, to_logits.sum(axis=0))
    return loss, np.concatenate([g.ravel() for g in gradient])
