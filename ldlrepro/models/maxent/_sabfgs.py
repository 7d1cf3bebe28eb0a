"""SA-BFGS: the maximum-entropy model fitted by a quasi-Newton method."""

from ldlrepro.models.maxent._objective import MaxEntLoss
from ldlrepro.models.maxent._quasi_newton import QuasiNewton


class SABFGS(QuasiNewton):
    """SA-BFGS (Geng 2016 [1]_, section 3.3): min T(W) by quasi-Newton steps.

    Parameters
    ----------
    max_iter : int, steps at most (StructRF paper, section 4.4: 300). There is no penalty: the
        number of steps is what regularises.
    tol : float, relative decrease of T in a step at which to stop.
    memory : int, pairs of steps and gradients that approximate the Hessian; more of them come
        nearer to full BFGS, that is, further in as many steps.
    init : "zeros", "identity" (ones on the diagonal), "random" (uniform in [0, 1)) or (c, q)
        array, coefficients to start from.
    path : tuple of int, iterations whose coefficients are kept for ``staged_predict``.
    random_state : int, RandomState or None, used by init="random".

    Attributes
    ----------
    coef_ : (c, q); n_iter_ : int; loss_ : float, mean of -sum d ln p over the rows.

    See Also
    --------
    SAIIS : The same model by improved iterative scaling.
    LCLDL : With a penalty on distances between labels' coefficients.
    LDLLCLR : With a low-rank matrix of label correlations.

    Notes
    -----
    Departure: limited-memory BFGS in place of the full inverse Hessian, whose (c q) x (c q) entries
    would be 9345 x 9345 on Movie.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """

    def __init__(
        self,
        max_iter=300,
        *,
        tol=1e-12,
        memory=50,
        init="zeros",
        path=(),
        random_state=None,
    ):
        self.max_iter = max_iter
        self.tol = tol
        self.memory = memory
        self.init = init
        self.path = path
        self.random_state = random_state

    def _fit(self, X, D):
        self.loss_ = self._descend(MaxEntLoss(X, D)) / len(X)
