"""LDSVR: support vector regression of all labels at once on logits of the degrees."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, logit

from ldlrepro.base import LDLEstimator
from ldlrepro.memory import check_square
from ldlrepro.models._rbf import kernel_width, rbf


class LDSVR(LDLEstimator):
    r"""LDSVR (Geng and Hou 2015 [1]_): p(x) = sigmoid(W phi(x) + b), normalised.

    Minimises

    .. math:: \tfrac12 \lVert W\rVert^2 + C \sum_i L(u_i),

    where :math:`u_i` is the Euclidean length of row i's error over all labels, in logits;
    :math:`L(u) = 0` in the tube :math:`u < \epsilon`, else :math:`(u - \epsilon)^2`. One tube for
    all labels is what makes it one regression and not c of them. Solved by iteratively
    re-weighted least squares (Perez-Cruz et al. 2002 [2]_; Tuia et al. 2011): every step solves one
    system for all labels and moves along its direction while the objective falls.

    Parameters
    ----------
    C : float > 0
        Price of an error.
    epsilon : float >= 0
        Radius of the tube in logits (the sigmoid shrinks it at least fourfold).
    width : float > 0 or None
        Of the kernel ``exp(-|x - y|^2 / (2 width^2))``; None for the average distance between
        training rows (IJCAI 2015; MSLP paper, section 3.1).
    floor : float in (0, 0.5)
        Degrees are moved into [floor, 1 - floor]: those of 0 and 1 have no logit. The MSLP paper
        does not say what it does with them.
    max_iter : int >= 1
        Steps at most.
    tol : float
        Stop when a step lowers the objective by a smaller share.

    Attributes
    ----------
    dual_coef_ : (n, c)
    intercept_ : (c,)
    width_ : float
    n_iter_ : int
    objective_ : float

    See Also
    --------
    PTSVM : Support vector machines on rows of one label.
    SABFGS : A linear model of the logits.

    Notes
    -----
    Departures: errors are measured in logits; the sigmoid's slope, at most a quarter, is left out
    of them. The MATLAB package of the 2016 paper on label distributions divides them by four, with
    ``epsilon`` of 0.1 and ``C`` of 1: about ``epsilon=0.4`` and ``C=1/16`` here. It raises zeros to
    a tenth of the uniform degree; what ``floor`` does here is ours.

    Rows that enter their tube late keep a remainder of their coefficient, which steps shrink.
    Memory is quadratic in the rows, as for every kernel machine without decomposition.

    By default K-L is above 1.05 of the training mean's on SCUT-FBP, of the 16 sets of the
    book's page on defaults.

    References
    ----------
    .. [1] Geng, Hou, "Pre-release prediction of crowd opinion on movies by label distribution
       learning", IJCAI 2015.
    .. [2] Perez-Cruz, Camps-Valls, Soria-Olivas, Perez-Ruixo, Figueiras-Vidal, Artes-Rodriguez,
       "Multi-dimensional function approximation and regression estimation", ICANN 2002.

    Examples
    --------
    >>> from ldlrepro import LDSVR, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = LDSVR().fit(toy.X, toy.D)
    >>> model.dual_coef_.shape
    (500, 3)
    """

    def __init__(self, C=1.0, *, epsilon=0.1, width=None, floor=0.01, max_iter=100, tol=1e-4):
        self.C = C
        self.epsilon = epsilon
        self.width = width
        self.floor = floor
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X, D):
        above = min(self.C, self.max_iter) > 0
        if not (above and self.epsilon >= 0 and 0 < self.floor < 0.5):
            raise ValueError(
                f"C={self.C} and max_iter={self.max_iter} must be above 0, "
                f"epsilon={self.epsilon} 0 or more, floor={self.floor} in (0, 0.5)."
            )
        check_square(self, len(X), 4)
        self.width_ = kernel_width(self.width, X)
        self.X_ = X
        Y = logit(np.clip(D, self.floor, 1 - self.floor))
        self._solve(rbf(X, X, self.width_), Y)

    def _solve(self, K, Y):
        B, b, F = np.zeros_like(Y), np.zeros(Y.shape[1]), np.zeros_like(Y)  # F is K B
        value, weight = self._objective(B, F, Y)
        before = value
        for steps in range(self.max_iter):
            self.n_iter_ = steps + 1
            # With every row in its tube only |W| is left to fall.
            B_goal, b_goal = weighted_step(K, Y, weight) if weight.any() else (0 * B, b)
            to_B, to_b, to_F = B_goal - B, b_goal - b, K @ B_goal - F
            before, step = value, 1.0
            while step > 1e-6:
                new = B + step * to_B, b + step * to_b, F + step * to_F
                value, weight = self._objective(new[0], new[2], Y - new[2] - new[1])
                if value < before:
                    B, b, F = new
                    break
                step /= 2
            if value > before * (1 - self.tol):
                break
        self.dual_coef_, self.intercept_, self.objective_ = B, b, min(value, before)

    def _objective(self, B, F, error):
        """The objective, and the weight of each row in the next step."""
        u = np.linalg.norm(error, axis=1)
        outside = np.maximum(u - self.epsilon, 0)
        weight = np.divide(2 * self.C * outside, u, out=np.zeros_like(u), where=u > 0)
        return 0.5 * np.vdot(B, F) + self.C * np.square(outside).sum(), weight

    def _predict(self, X):
        P = expit(rbf(X, self.X_, self.width_) @ self.dual_coef_ + self.intercept_)
        return P / P.sum(axis=1, keepdims=True)


def weighted_step(K, Y, weight):
    """Kernel ridge regression on weighted rows: coefficients (n, c) and intercepts (c,).

    Solves (K + diag(1 / weight)) B + 1 b^T = Y, 1^T B = 0 on rows of positive weight.
    """
    rows = np.flatnonzero(weight)
    A = K[np.ix_(rows, rows)]
    A[range(len(rows)), range(len(rows))] += 1 / weight[rows]
    right = np.hstack([Y[rows], np.ones((len(rows), 1))])
    solved = cho_solve(cho_factor(A, overwrite_a=True, check_finite=False), right)
    along, ones = solved[:, :-1], solved[:, -1]
    b = along.sum(axis=0) / ones.sum()
    B = np.zeros_like(Y)
    B[rows] = along - np.outer(ones, b)
    return B, b
