"""SA-BFGS: the maximum-entropy model fitted by a quasi-Newton method."""

import numpy as np

from ldlrepro.base import total_of
from ldlrepro.models.maxent._objective import MaxEntLoss, warn_of_coefficients
from ldlrepro.models.maxent._quasi_newton import QuasiNewton


class SABFGS(QuasiNewton):
    r"""SA-BFGS (Geng 2016 [1]_, section 3.3): the maximum-entropy model by quasi-Newton steps.

    Scores are linear in the features, and the coefficients bring the predictions as near to D as
    they can by the K-L divergence:

    .. math::

       p_j(x) = \exp(w_j^\top x) \Big/ \sum_k \exp(w_k^\top x), \qquad
       \min_W\; -\sum_i \sum_j d_{ij} \ln p_j(x_i).

    Parameters
    ----------
    max_iter : int
        Steps at most (StructRF paper, section 4.4: 300).
    penalty : float >= 0
        Half of it times the squared norm of W is added to the mean loss of a row. The papers have
        none (0): there the number of steps is what regularises.
    scale : {"standard", None}
        "standard" gives features mean 0 and variance 1 and adds the logarithms of the mean degrees
        to the logits, so that coefficients of 0 predict the training mean. None takes the features
        as they are, without an intercept, as the papers do.
    tol : float
        Relative decrease of T in a step at which to stop.
    memory : int
        Pairs of steps and gradients that approximate the Hessian; more of them come nearer to full
        BFGS, that is, further in as many steps.
    init : {"zeros", "identity", "random"} or (c, q) array
        Coefficients to start from: "identity" has ones on the diagonal, "random" is uniform in
        [0, 1).
    path : tuple of int
        Iterations whose coefficients are kept for ``staged_predict``.
    random_state : int, RandomState or None
        Used by init="random".

    Attributes
    ----------
    coef_ : (c, q)
        Of the features as scaled.
    n_iter_ : int
    loss_ : float
        Mean of -sum d ln p over the rows, with the penalty.

    Warns
    -----
    SettingsWarning
        More features than rows and no penalty: what is predicted hangs on ``max_iter``.

    See Also
    --------
    SAIIS : The same model by improved iterative scaling.
    LCLDL : With a penalty on distances between labels' coefficients.
    LDLLCLR : With a low-rank matrix of label correlations.

    Notes
    -----
    Departures: limited-memory BFGS in place of the full inverse Hessian, whose (c q) x (c q)
    entries would be 9345 x 9345 on Movie; by default a penalty and scaled features, chosen on
    halves of the papers' data sets. The paper's method is ``SABFGS(penalty=0, scale=None)``. It
    does not say where the search starts and when it stops: here from zeros, at a relative decrease
    of ``tol``. The MATLAB package that came with it starts from ones on the diagonal
    (``init="identity"``), has the full inverse Hessian below 3000 unknowns, and takes 400 steps at
    most by default.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.

    Examples
    --------
    >>> from ldlrepro import SABFGS, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = SABFGS().fit(toy.X, toy.D)
    >>> model.coef_.shape, model.predict(toy.X_test).shape
    ((3, 3), (2601, 3))
    """

    def __init__(
        self,
        max_iter=300,
        *,
        penalty=0.1,
        scale="standard",
        tol=1e-12,
        memory=50,
        init="zeros",
        path=(),
        random_state=None,
    ):
        self.max_iter = max_iter
        self.penalty = penalty
        self.scale = scale
        self.tol = tol
        self.memory = memory
        self.init = init
        self.path = path
        self.random_state = random_state

    def _fit(self, X, D, weight):
        if not 0 <= self.penalty < np.inf:
            raise ValueError(f"penalty={self.penalty}: choose a number of 0 or more.")
        if not self.penalty and X.shape[1] > len(X):
            warn_of_coefficients(self, X)
        X, total = self._learn_scale(X, D, weight), total_of(weight, X)
        loss = MaxEntLoss(X, D, self.offset_, weight)
        if self.penalty:
            loss = PenalisedLoss(loss, self.penalty * total)
        self.loss_ = self._descend(loss) / total


class PenalisedLoss:
    """A loss plus weight / 2 times the squared norm of the coefficients, with its gradient."""

    def __init__(self, loss, weight):
        self.loss, self.weight, self.shape = loss, weight, loss.shape

    def __call__(self, w):
        """Return the loss (float) and its gradient (flat) at ``w``, (c * q,) float64."""
        value, gradient = self.loss(w)
        return value + 0.5 * self.weight * (w @ w), gradient + self.weight * w
