"""LDLSF: linear regression of degrees on features shared by all labels and features of each."""

import numpy as np

from ldlrepro.base import LDLEstimator
from ldlrepro.models.maxent._ldllclr import shrink_rows
from ldlrepro.models.maxent._objective import scaler, start_from


class LDLSF(LDLEstimator):
    r"""LDLSF, also LDL-LS (Ren, Jia, Li, Chen, Li 2019 [1]_): label-specific features, by ADMM.

    Fits D by F = X M with M = M1 + M2, both (q, c): minimises

    .. math::

       \tfrac12 \lVert F - D\rVert_F^2 + \lambda_1 \lVert M_1\rVert_1
       + \lambda_2 \lVert M_2\rVert_{2,1} + \lambda_3 \operatorname{tr}(F L F^\top)

    so that each row of F sums to 1. The first norm keeps few features for a label, the second (sum
    of the norms of rows) few features for all, and L = diag(R 1) - R for the correlations R of the
    columns of D, so that :math:`\operatorname{tr}(F L F^\top) = \sum_{j<k} r_{jk} \lVert F_j -
    F_k\rVert^2` draws correlated labels together.

    Parameters
    ----------
    max_iter : int >= 1
        Rounds of ADMM at most.
    lambda1, lambda2, lambda3 : float >= 0
        Weights of the terms.
    rho : float > 0
        Penalty of ADMM on broken constraints.
    scale : {"standard", None}
        "standard" gives features mean 0 and variance 1 and adds the mean of D to F, so that
        coefficients of 0 predict it. None takes the features as they are, without an intercept, as
        the paper does.
    floor : float in [0, 1)
        Predicted degrees below it, negative ones too, are raised to it (public code: 0).
    tol : float
        Stop when M = M1 + M2, and the last moves of M1 and M2, are met to this share.
    init : {"zeros", "identity"} or (c, q) array
        Coefficients to start from, "identity" with ones on the
        diagonal; one half in M1 and one in M2.

    Attributes
    ----------
    coef_ : (c, q)
        The transpose of M.
    specific_, common_ : (c, q)
        Those of M1 and M2.
    n_iter_ : int
        Rounds.
    objective_ : float
        The above at M, less a constant where scaled.

    Raises
    ------
    ValueError
        At ``fit``, naming the parameter out of range, or where lambda3 is so large that the
        objective has no minimum (negative correlations make L indefinite).

    See Also
    --------
    LDLLCLR : Correlations in the maximum-entropy model.
    RaisedZeros : Raises the degrees that are cut off at 0.

    Notes
    -----
    The paper was not at hand beyond its abstract. The objective, lambdas of 1e-4, 1e-2 and 1e-3, a
    rho of 1e-3 and the tolerance are those of a package on GitHub that runs the Adaboost-LDL
    paper's experiment (DreamWalker1412/LDL_Package); python-ldl has the same but for the tolerance.
    A column of D without variance has correlation 0 with every other.

    Departures: each step over M is solved exactly, from the eigenvectors of X^T X and of a (c, c)
    matrix; there it takes quasi-Newton steps. L is the Laplacian, as in python-ldl; that code puts
    R, not -R, beside the diagonal. M starts at zero, not at the identity. That code predicts F
    divided by the sums of its rows, negative degrees included; here they are raised to the floor
    first, and a row without a positive degree is uniform. K-L then counts a label with no degree at
    its floor, where the logarithm of a negative number, taken as complex, has a moderate real part:
    on Natural Scene, where one degree in seven is negative, that makes 2.6 against 0.7. By default
    features are scaled and the weights larger, chosen on halves of the papers' data sets.

    By default K-L is above 1.05 of the training mean's on M2B and Movie, of the 16 sets of the
    book's page on defaults.

    References
    ----------
    .. [1] Ren, Jia, Li, Chen, Li, "Label distribution learning with label-specific features", IJCAI
       2019.

    Examples
    --------
    >>> from ldlrepro import LDLSF, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = LDLSF().fit(toy.X, toy.D)
    >>> bool((model.coef_ - model.specific_ - model.common_).max() < 0.1)
    True
    """

    def __init__(
        self,
        max_iter=100,
        *,
        lambda1=10.0,
        lambda2=10.0,
        lambda3=1e-3,
        rho=1.0,
        scale="standard",
        floor=0.01,
        tol=1e-2,
        init="zeros",
    ):
        self.max_iter = max_iter
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.lambda3 = lambda3
        self.rho = rho
        self.scale = scale
        self.floor = floor
        self.tol = tol
        self.init = init

    def _fit(self, X, D):
        lambdas = (self.lambda1, self.lambda2, self.lambda3)
        if min(lambdas) < 0 or self.rho <= 0 or self.max_iter < 1:
            raise ValueError(
                f"lambda1 to lambda3 {lambdas} must be 0 or more, rho={self.rho} positive, "
                f"max_iter={self.max_iter} 1 or more."
            )
        if not 0 <= self.floor < 1:
            raise ValueError(f"floor={self.floor} must lie in [0, 1).")
        L = laplacian(D)
        self.scaler_ = scaler(self.scale, X)
        self.offset_, total = np.zeros(D.shape[1]), 1.0
        if self.scaler_ is not None:
            # What the mean leaves, whose rows sum to 0. The mean adds to tr(F L F^T) a constant
            # alone, since the columns of X sum to 0.
            X, self.offset_, total = self.scaler_.transform(X), D.mean(axis=0), 0.0
            D = D - self.offset_
        step = CoefficientStep(X, D, L, self.lambda3, self.rho, total)
        M = start_from(self.init, (D.shape[1], X.shape[1]), names=("zeros", "identity")).T
        M1, M2 = 0.5 * M, 0.5 * M
        V1, v2 = np.zeros_like(M), np.zeros(len(X))
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            old1, old2 = M1, M2
            M = step(M1 + M2, V1, v2)
            M1 = soft_threshold(M - M2 + V1 / self.rho, self.lambda1 / self.rho)
            M2 = shrink_rows(M - M1 + V1 / self.rho, self.lambda2 / self.rho)
            V1 = V1 + self.rho * (M - M1 - M2)
            v2 = v2 + self.rho * ((X @ M).sum(axis=1) - total)
            moved = max(np.linalg.norm(M1 - old1), np.linalg.norm(M2 - old2))
            broken = np.linalg.norm(M - M1 - M2)
            if max(moved, broken) <= self.tol * np.linalg.norm(M):
                break
        self.coef_, self.specific_, self.common_ = M.T.copy(), M1.T.copy(), M2.T.copy()
        self.objective_ = objective(X, D, M, M1, M2, L, *lambdas)

    def _predict(self, X):
        if self.scaler_ is not None:
            X = self.scaler_.transform(X)
        P = np.maximum(X @ self.coef_.T + self.offset_, self.floor)
        P[~P.any(axis=1)] = 1
        return P / P.sum(axis=1, keepdims=True)


class CoefficientStep:
    """The M that minimises ADMM's augmented objective: ``step(M1 + M2, V1, v2) -> M``, (q, c).

    |X M - D|^2 / 2 + lambda3 tr(X M L M^T X^T) + rho / 2 |M - M1 - M2|^2 + V1 . (M - M1 - M2)
    + rho / 2 |X M 1 - t|^2 + v2 . (X M 1 - t), with V1 (q, c) and v2 (n,) multipliers and t the
    sum of each row of D, 1 or 0.
    """

    def __init__(self, X, D, L, lambda3, rho, total=1.0):
        # Its gradient is 0 where X^T X M C + rho M = H, with C = I + 2 lambda3 L + rho 1 1^T.
        c = D.shape[1]
        curvature = np.eye(c) + 2 * lambda3 * L
        if np.linalg.eigvalsh(curvature)[0] <= 0:
            raise ValueError(
                f"lambda3={lambda3} is too large for the negative correlations of these labels: "
                "the objective has no minimum; lower it."
            )
        rows, self.U = np.linalg.eigh(X.T @ X)
        columns, self.Q = np.linalg.eigh(curvature + rho)
        self.denominator = np.maximum(rows, 0)[:, None] * columns + rho
        self.X, self.rho = X, rho
        self.fixed = X.T @ D + rho * total * X.sum(axis=0)[:, None]

    def __call__(self, M12, V1, v2):
        """Return the minimiser, (q, c)."""
        H = self.fixed + self.rho * M12 - V1 - (v2 @ self.X)[:, None]
        return self.U @ ((self.U.T @ H @ self.Q) / self.denominator) @ self.Q.T


def laplacian(D):
    """diag(R 1) - R, (c, c), of the correlations R of the columns of D (n, c).

    Columns without variance have correlation 0.
    """
    centred = D - D.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    constant = norms <= 1e-14 * np.linalg.norm(D, axis=0)  # what rounding leaves of 0
    scaled = centred / np.where(constant, np.inf, norms)
    R = scaled.T @ scaled
    return np.diag(R.sum(axis=1)) - R


def soft_threshold(A, by):
    """The M that minimises |M - A|_F^2 / 2 + by * (sum of the absolute entries of M)."""
    return np.sign(A) * np.maximum(np.abs(A) - by, 0)


def objective(X, D, M, M1, M2, L, lambda1, lambda2, lambda3):
    """The objective that the class states; a float."""
    F = X @ M
    return float(
        0.5 * np.square(F - D).sum()
        + lambda1 * np.abs(M1).sum()
        + lambda2 * np.linalg.norm(M2, axis=1).sum()
        + lambda3 * np.vdot(F @ L, F)
    )
