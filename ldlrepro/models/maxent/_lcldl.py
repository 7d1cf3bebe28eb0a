"""LC-LDL: the maximum-entropy model with a penalty on distances between labels' coefficients."""

import numpy as np
from scipy.spatial.distance import cdist

from ldlrepro.models.maxent._objective import MaxEntLoss
from ldlrepro.models.maxent._quasi_newton import QuasiNewton

_SMOOTH = 1e-5  # a distance r counts as sqrt(r^2 + _SMOOTH^2): smooth where two rows are equal
_CORRELATIONS = ("labels", "weights")


class LCLDL(QuasiNewton):
    r"""LC-LDL (Jia, Li, Liu, Zhang 2018 [1]_): correlated labels get coefficients that are near.

    Minimises

    .. math::

       \sum_i \mathrm{KL}(d_i, p_i) + \lambda_1 \lVert W\rVert_F^2
       + \lambda_2 \sum_{j<k} \operatorname{sgn}(\rho_{jk}) \lVert w_j - w_k\rVert_2,

    p the maximum-entropy model, rho Pearson's correlation: labels that rise together are drawn
    together, labels that rise against each other are pushed apart.

    Parameters
    ----------
    max_iter : int
        Quasi-Newton steps at most.
    lambda1, lambda2 : float >= 0
        Weights of the penalty and of the correlations.
    scale
        As for `SABFGS`.
    correlation : {"labels", "weights"}
        What rho correlates: columns j and k of D, or rows j and k of W. A column or row without
        variance has rho 0.
    tol : float
        Relative decrease of the objective in a step at which to stop.
    memory, init, path, random_state
        As for `SABFGS`.

    Attributes
    ----------
    coef_ : (c, q)
    n_iter_ : int
    objective_ : float
        Less the entropy of D, a constant.

    See Also
    --------
    SABFGS : The model without penalties.
    LDLLCLR : Correlations, global and local, as a matrix.
    LDLSF : Correlations in a linear model.

    Notes
    -----
    The paper was not at hand. A lambda1 of 0.1, ``scale=None``, the Euclidean distance, 400 steps,
    distances over pairs j < k and sums, not means, over rows are those of the code published for it
    on GitHub (TANG16/LDLLC), which is also in a package that runs the Adaboost-LDL paper's
    experiment (DreamWalker1412/LDL_Package).

    Departures: that code, and python-ldl, correlate the rows of W. The objective then jumps
    wherever a correlation changes its sign, and the search can stop there; so the columns of D
    decide here, unless ``correlation`` says otherwise. That code's gradient is not that of its
    objective (the sign of W for the derivative of its square, an absolute value in the distances),
    which ends the search early; ours is exact. Limited-memory BFGS in place of BFGS; W starts at
    zero, not at the identity; distances are smoothed below 1e-5. By default features are scaled and
    lambda1 is larger, chosen on halves of the papers' data sets.

    By default K-L is above 1.05 of the training mean's on M2B and Movie, of the 16 sets of the
    book's page on defaults.

    References
    ----------
    .. [1] Jia, Li, Liu, Zhang, "Label distribution learning by exploiting label correlations", AAAI
       2018.

    Examples
    --------
    >>> from ldlrepro import LCLDL, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = LCLDL().fit(toy.X, toy.D)
    >>> model.coef_.shape
    (3, 3)
    """

    def __init__(
        self,
        max_iter=400,
        *,
        lambda1=20.0,
        lambda2=0.01,
        scale="standard",
        correlation="labels",
        tol=1e-9,
        memory=50,
        init="zeros",
        path=(),
        random_state=None,
    ):
        self.max_iter = max_iter
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.scale = scale
        self.correlation = correlation
        self.tol = tol
        self.memory = memory
        self.init = init
        self.path = path
        self.random_state = random_state

    def _fit(self, X, D, weight):
        if self.lambda1 < 0 or self.lambda2 < 0 or self.correlation not in _CORRELATIONS:
            raise ValueError(
                f"lambda1={self.lambda1} and lambda2={self.lambda2} must be 0 or more, "
                f"correlation={self.correlation!r} one of {_CORRELATIONS}."
            )
        self.objective_ = self._descend(self._loss(self._learn_scale(X, D, weight), D, weight))

    def _loss(self, X, D, weight):
        signs = correlation_signs(D.T, weight) if self.correlation == "labels" else None
        return CorrelationLoss(X, D, self.lambda1, self.lambda2, signs, self.offset_, weight)


class CorrelationLoss:
    """Objective and gradient at flat coefficients: ``loss(w) -> float, (c * q,)``.

    signs : (c, c) of -1, 0 and 1 with a diagonal of 0; None to take them from the coefficients
    offset : (c,), added to the logits; None for 0
    weight : (n,), of the rows; None for 1
    """

    def __init__(self, X, D, lambda1, lambda2, signs=None, offset=None, weight=None):
        self.fit = MaxEntLoss(X, D, offset, weight)
        self.shape = self.fit.shape
        self.lambda1, self.lambda2, self.signs = lambda1, lambda2, signs

    def __call__(self, w):
        """Return the objective (float) and its gradient (flat) at ``w``, (c * q,) float64."""
        W = w.reshape(self.shape)
        value, gradient = self.fit(w)
        distance, slope = distance_penalty(
            W, correlation_signs(W) if self.signs is None else self.signs
        )
        value += self.lambda1 * (w @ w) + self.lambda2 * distance
        return value, gradient + 2 * self.lambda1 * w + self.lambda2 * slope.ravel()


def correlation_signs(A, weight=None):
    """Signs (c, c) of Pearson's correlations between the rows of A (c, n), 0 on the diagonal;
    ``weight`` (n,) of its columns.

    They are those of the inner products of the centred rows; what rounding can make of 0 counts
    as 0, as does any correlation with a constant row.
    """
    centred = A - np.average(A, axis=1, weights=weight, keepdims=True)
    if weight is not None:
        A, centred = A * np.sqrt(weight), centred * np.sqrt(weight)
    norms = np.linalg.norm(centred, axis=1)
    # Centring a constant row leaves up to eps times its level.
    norms[norms <= 1e-14 * np.linalg.norm(A, axis=1)] = 0
    products = centred @ centred.T
    signs = np.where(np.abs(products) > 1e-12 * np.outer(norms, norms), np.sign(products), 0.0)
    signs[norms == 0] = signs[:, norms == 0] = 0
    np.fill_diagonal(signs, 0)
    return signs


def distance_penalty(W, signs):
    """sum_{j<k} signs_jk |w_j - w_k|_2, smoothed, over the rows of W (c, q), and its gradient."""
    distance = np.hypot(cdist(W, W), _SMOOTH)
    pull = signs / distance
    return 0.5 * np.vdot(signs, distance), pull.sum(axis=1)[:, None] * W - pull @ W
