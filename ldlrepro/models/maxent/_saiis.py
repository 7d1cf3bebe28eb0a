"""SA-IIS: the maximum-entropy model fitted by improved iterative scaling."""

import numpy as np
from scipy.special import factorial

from ldlrepro.base import RowWeights, total_of, weigh
from ldlrepro.kernels.maxent import scaling_step
from ldlrepro.models.maxent._objective import Design, MaxEnt, softmax_residual

_TERMS = 8  # of the series for exp; within _RADIUS it is cut off below 1e-7 of the sum
_RADIUS = 0.5


class SAIIS(RowWeights, MaxEnt):
    r"""SA-IIS (Geng 2016 [1]_, section 3.3): improved iterative scaling [2]_.

    Each step adds to every coefficient :math:`w_{jk}` the root :math:`\delta` of

    .. math:: \sum_i p_{ij} x_{ik} \exp(\delta\, s(x_{ik}) f(x_i)) = \sum_i d_{ij} x_{ik},

    with :math:`f(x) = \sum_k \lvert x_k\rvert` and s the sign; the loss never rises.

    Parameters
    ----------
    max_iter : int
        Steps at most (StructRF paper, section 4.4: 200).
    scale
        As for `SABFGS`.
    tol : float
        Stop when a step lowers the mean loss by less.
    init, path, random_state
        As for `SABFGS`.

    Attributes
    ----------
    coef_, n_iter_, loss_
        As for `SABFGS`.

    See Also
    --------
    SABFGS : The same model by quasi-Newton steps, in fewer of them.

    Notes
    -----
    Where ``|delta| f(x)`` stays below 0.5 the left side is summed from its first eight moments, two
    matrix products in place of n q c exponentials (cut off below 1e-7); elsewhere Newton's method
    evaluates it exactly.

    The paper does not say where the steps start and when they stop: here from zeros, at a decrease
    of the mean loss below ``tol``. The MATLAB package that came with it starts from ones on the
    diagonal (``init="identity"``); in the copy that was looked at it takes 10 steps, and stops
    where one changes the loss, summed over the rows, by less than 1e-4.

    By default features are scaled and steps stop at 100, chosen on halves of
    the papers' data sets; the paper's method is ``SAIIS(200, scale=None)``.

    By default K-L is above 1.05 of the training mean's on Movie, of the 16 sets of the book's
    page on defaults. Nothing but the number of steps regularises.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    .. [2] Della Pietra, Della Pietra, Lafferty, "Inducing features of random fields",
       TPAMI 1997.

    Examples
    --------
    >>> from ldlrepro import SAIIS, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = SAIIS(20, path=(5, 20)).fit(toy.X, toy.D)
    >>> [step for step, P in model.staged_predict(toy.X_test)]
    [5, 20]
    """

    def __init__(
        self,
        max_iter=100,
        *,
        scale="standard",
        tol=1e-12,
        init="zeros",
        path=(),
        random_state=None,
    ):
        self.max_iter = max_iter
        self.scale = scale
        self.tol = tol
        self.init = init
        self.path = path
        self.random_state = random_state

    def _fit(self, X, D, weight):
        X = self._learn_scale(X, D, weight)
        equations = _ScalingEquations(X, weigh(D, weight), self.offset_)
        W = self._start(equations.target.shape)
        self.path_ = {}
        self._note(0, W)
        self.n_iter_ = 0
        nothing = np.zeros(D.T.shape)  # subtracted from the probabilities
        previous = np.inf
        while True:
            P = equations.design.logits(W)
            log_total = softmax_residual(P, nothing, weight)
            fitted = np.vdot(W, equations.target) + equations.constant
            self.loss_ = (log_total - fitted) / total_of(weight, X)
            if previous - self.loss_ < self.tol or self.n_iter_ == self.max_iter:
                break
            previous = self.loss_
            W = W + equations.roots(P)
            self.n_iter_ += 1
            self._note(self.n_iter_, W)
        self.coef_ = W
        self._close_path(W)


class _ScalingEquations:
    """The equations of one step, for all coefficients at once; degrees D and probabilities P come
    times the weights of their rows.
    """

    def __init__(self, X, D, offset):
        self.X = X
        self.design = Design(X, offset)
        self.constant = 0.0 if offset is None else offset @ D.sum(axis=0)
        self.magnitude = abs(self.design) if X.min() < 0 else self.design
        self.target = self.design.back(np.ascontiguousarray(D.T))
        self.size = np.abs(X).sum(axis=1)
        self.top = self.size.max() or 1.0
        self.powers = (self.size / self.top) ** np.arange(_TERMS)[:, None]

    def moments(self, P):
        """m_r = sum_i p_ji x_ik (s(x_ik) size_i / top)^r / r! for each r: (terms, c, q)."""
        scaled = self.powers[:, None, :] * P
        M = np.empty((_TERMS, *self.target.shape))
        for first, design in ((0, self.design), (1, self.magnitude)):  # s^r x is x or |x|
            rows = np.ascontiguousarray(scaled[first::2]).reshape(-1, P.shape[1])
            M[first::2] = design.back(rows).reshape(-1, *self.target.shape)
        return M / factorial(np.arange(_TERMS))[:, None, None]

    def roots(self, P):
        """Step of every coefficient, (c, q)."""
        M = self.moments(P)
        M[0] -= self.target
        step = np.zeros_like(self.target)  # in units of 1 / top
        for _ in range(20):
            value, slope = M[-1], np.zeros_like(step)
            for term in M[-2::-1]:  # Horner's rule, with the derivative
                slope = slope * step + value
                value = value * step + term
            move = np.divide(value, slope, out=np.zeros_like(step), where=slope > 0)
            step = np.clip(step - move, -1.0, 1.0)
            if np.abs(move).max() < 1e-12:
                break
        far = (np.abs(step) > _RADIUS) & (M[1] > 0)  # M[1] = 0: the feature is always zero
        step /= self.top
        if far.any():
            scaling_step(self.X, self.size, P, self.target, step, far, 100)
        return step
