"""CPNN: a conditional probability neural network, one input of which is the label."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, softmax, xlogy
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.kernels.cpnn import pass_rows

_ENCODINGS = ("number", "one_hot")


class CPNN(LDLEstimator):
    r"""CPNN (Geng, Yin, Zhou 2013 [1]_): a network that takes the label as an input.

    A net with one hidden layer of sigmoids and a linear output f(x, y) takes the features and the
    label y as its inputs;

    .. math:: p(y \mid x) = \exp f(x, y) \Big/ \sum_{y'} \exp f(x, y').

    Trained on the K-L divergence.

    Parameters
    ----------
    n_hidden : int >= 1
        Hidden units (MSLP paper, section 3.1: 50).
    max_iter : int >= 1
        Quasi-Newton steps at most. The MSLP paper gives none.
    encoding : {"number", "one_hot"}
        The label as an input. "number" is the original: one input with the number of the label,
        here scaled to [-1, 1].
    prior : bool
        Whether the logarithm of the label's mean degree is added to f(x, y), so that a net of zeros
        predicts the training mean; it is the start for the steps watched, too. The paper's nets
        start near uniform.
    validation_fraction : float in [0, 1)
        Share of the rows on which the K-L divergence is watched after each step; the weights of the
        lowest are kept. With 0 the last ones are, and as there is no penalty the number of steps is
        all that regularises.
    n_iter_no_change : int >= 1
        Steps without a lower one after which to stop.
    random_state : int, RandomState or None
        Seeds the starting weights.

    Attributes
    ----------
    n_iter_ : int
        The step whose weights are kept.
    loss_ : float
        Mean K-L divergence of the rows fitted, after the last step.

    See Also
    --------
    AABP : A network with an output for each label.

    Notes
    -----
    The method was made for ages. A number as the input says that label 2 lies between labels 1
    and 3, which means nothing for labels without an order (emotions, objects of a scene): another
    order of the columns of D is another model. "one_hot" takes one input for each label instead,
    and the order no longer matters except for the starting weights.

    Departures: limited-memory BFGS in place of RProp; features are scaled to mean 0 and
    variance 1 inside, without which sigmoids see histograms of 1e-2 as constants; by default the
    prior and stopping on held-out rows, which no paper has.

    By default K-L is above 1.05 of the training mean's on s-JAFFE, of the 16 sets of the book's
    page on defaults.

    References
    ----------
    .. [1] Geng, Yin, Zhou, "Facial age estimation by learning from label distributions", TPAMI
       2013.

    Examples
    --------
    >>> from ldlrepro import CPNN, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = CPNN(max_iter=20, random_state=0).fit(toy.X, toy.D)
    >>> model.n_iter_ <= 20
    True
    """

    def __init__(
        self,
        n_hidden=50,
        *,
        max_iter=100,
        encoding="number",
        prior=True,
        validation_fraction=0.1,
        n_iter_no_change=10,
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.max_iter = max_iter
        self.prior = prior
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.encoding = encoding
        self.random_state = random_state

    def _fit(self, X, D):
        if self.n_hidden < 1 or self.max_iter < 1 or self.encoding not in _ENCODINGS:
            raise ValueError(
                f"n_hidden={self.n_hidden} and max_iter={self.max_iter} must be 1 or more, "
                f"encoding={self.encoding!r} one of {_ENCODINGS}."
            )
        if not 0 <= self.validation_fraction < 1 or self.n_iter_no_change < 1:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} must lie in [0, 1), "
                f"n_iter_no_change={self.n_iter_no_change} be 1 or more."
            )
        rng = check_random_state(self.random_state)
        self.scaler_ = StandardScaler().fit(X)
        X, codes = self.scaler_.transform(X), self._codes(D.shape[1])
        self.offset_ = np.zeros(D.shape[1])
        if self.prior:
            self.offset_ = np.log(np.maximum(D.mean(axis=0), np.finfo(float).eps))
        size = (X.shape[1], codes.shape[1], self.n_hidden)
        start = _start(rng, *size, outer=not self.prior)
        held_out = int(self.validation_fraction * len(X))
        rows = rng.permutation(len(X)) if held_out else np.arange(len(X))
        loss = CPNNLoss(X[rows[held_out:]], D[rows[held_out:]], codes, self.offset_)
        watch = None
        if held_out:
            watched = CPNNLoss(X[rows[:held_out]], D[rows[:held_out]], codes, self.offset_)
            watch = _Watch(watched, start, self.n_iter_no_change)
        result = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "maxfun": 20 * self.max_iter},
            callback=watch,
        )
        self.loss_, self.n_iter_ = float(result.fun), watch.best if watch else result.nit
        self.weights_ = _unpack(watch.kept if watch else result.x, *size)

    def _codes(self, c):
        return np.eye(c) if self.encoding == "one_hot" else np.linspace(-1, 1, c)[:, None]

    def _predict(self, X):
        codes = self._codes(self.n_labels_)
        F = _forward(self.scaler_.transform(X), codes, self.weights_)[1]
        return softmax(F + self.offset_, axis=1)


class _Watch:
    """Callback that keeps the weights of the lowest loss on held-out rows, and stops."""

    def __init__(self, loss, start, patience):
        self.loss, self.patience = loss, patience
        self.kept, self.best, self.step = start, 0, 0
        self.lowest = loss(start)[0]

    def __call__(self, w):
        self.step += 1
        value = self.loss(w)[0]
        if value < self.lowest:
            self.lowest, self.kept, self.best = value, w.copy(), self.step
        elif self.step - self.best >= self.patience:
            raise StopIteration


class CPNNLoss:
    """Mean K-L divergence and its gradient at flat weights: ``loss(w) -> float, array``.

    Parameters
    ----------
    X : (n, q)
        Features.
    D : (n, c)
        Label distributions.
    codes : (c, e)
        The label as inputs of the net.
    offset : (c,)
        Added to f.
    """

    def __init__(self, X, D, codes, offset):
        self.X, self.D, self.codes, self.offset = X, np.ascontiguousarray(D), codes, offset
        self.constant = xlogy(D, D).sum()

    def __call__(self, w):
        """Return the loss (float) and its gradient, as flat as ``w``."""
        n, q = self.X.shape
        c, e = self.codes.shape
        h = (len(w) - 1) // (q + e + 2)
        V, U, b, o, last = _unpack(w, q, e, h)
        over_labels, over_rows, out = np.empty((n, h)), np.empty((c, h)), np.empty(c + h)
        parts = _exp_minus(self.X @ V + b), _exp_minus(self.codes @ U)
        loss = pass_rows(*parts, o, self.offset + last, self.D, over_labels, over_rows, out)
        over_rows *= o
        gradient = (
            (self.X.T @ over_labels) * o,
            self.codes.T @ over_rows,
            over_rows.sum(axis=0),
            out[c:],
            out[:c].sum(),
        )
        return (loss + self.constant) / n, np.concatenate([np.ravel(g) for g in gradient]) / n


def _exp_minus(sums):
    """exp(-sums), of sums beyond 350 as of 350: a product of two stays finite, and its unit 0 or 1
    unless the label's own sum is in the hundreds too."""
    return np.exp(-np.clip(sums, -350, 350))


def _start(rng, q, e, h, outer):
    """Flat weights; the spread keeps hidden sums near 1. Without outer weights f starts at 0."""
    inner = rng.normal(size=(q + e) * h) / np.sqrt(q + e)
    out = rng.normal(size=h) / np.sqrt(h) if outer else np.zeros(h)
    return np.concatenate([inner, np.zeros(h), out, [0.0]])


def _unpack(w, q, e, h):
    """Weights of the features (q, h), of the label (e, h), biases (h,), outputs (h,), bias."""
    ends = np.cumsum([q * h, e * h, h, h])
    V, U, b, o, last = np.split(w, ends)
    return V.reshape(q, h), U.reshape(e, h), b, o, last[0]


def _forward(X, codes, weights):
    """Hidden units (n, c, h) and outputs f (n, c) for every row and label."""
    V, U, b, o, last = weights
    H = expit((X @ V)[:, None, :] + (codes @ U + b)[None, :, :])
    return H, H @ o + last
