"""IIS-ALDL: SA-IIS on label distributions whose width is learned for each age."""

import numpy as np

from ldlrepro.base import LDLEstimator
from ldlrepro.models.age._ages import ages_of, normal, width_of
from ldlrepro.models.maxent._saiis import SAIIS

#: Widths that are tried for an age, in years.
WIDTHS = np.arange(0.5, 10.01, 0.1)


class IISALDL(LDLEstimator):
    """Adaptive label distribution learning (Geng, Wang, Xia 2014 [1]_).

    Starts from normal distributions of one width about the ages. By turns the maximum-entropy model
    is fitted to the distributions by improved iterative scaling, and the width of each age is set
    to that with the least K-L divergence from its normal distributions to the predictions, over its
    reliable rows: those whose error is at most the mean one. Ends when the mean error on the
    training rows falls by less than ``tol``.

    Parameters
    ----------
    max_rounds : int >= 1
        Turns at most.
    max_iter : int >= 1
        Steps of scaling in a turn, which goes on from the last one.
    sigma : float > 0
        Width at the start; None takes that of the rows of D.
    scale
        As for `SABFGS`.
    tol : float
        Years.

    Attributes
    ----------
    sigmas_ : (c,)
        Width of each age.
    n_rounds_ : int
    n_iter_ : int
        Steps of all turns.
    errors_ : list of float
        Mean error after each turn.
    model_ : fitted SAIIS

    Raises
    ------
    ValueError
        At ``fit``: fewer than one turn.

    See Also
    --------
    SAIIS : With distributions as they are given.
    D2LDL : Distributions of any form, learned from neighbours.

    Notes
    -----
    Ages come from D: the label of each row's largest degree; of D only they and the width count.

    Departures: the width is looked for between 0.5 and 10 in tenths of a year in place of a log
    barrier and Newton's method. Ages without reliable rows keep theirs. Numbers of turns and steps
    are not printed.

    References
    ----------
    .. [1] Geng, Wang, Xia, "Facial age estimation by adaptive label distribution learning",
       ICPR 2014.

    Examples
    --------
    >>> from ldlrepro import IISALDL, datasets
    >>> faces = datasets.make_standin("FG-Net", 90, random_state=0)  # synthetic
    >>> model = IISALDL(max_rounds=2, max_iter=5).fit(faces.X, faces.D)
    >>> model.sigmas_.shape  # a width for each age
    (70,)
    """

    def __init__(self, max_rounds=4, *, max_iter=50, sigma=None, scale="standard", tol=0.01):
        self.max_rounds = max_rounds
        self.max_iter = max_iter
        self.sigma = sigma
        self.scale = scale
        self.tol = tol

    def _fit(self, X, D):
        if self.max_rounds < 1:
            raise ValueError(f"max_rounds={self.max_rounds} must be 1 or more.")
        age, c = ages_of(D), D.shape[1]
        self.sigmas_ = np.full(c, width_of(D) if self.sigma is None else float(self.sigma))
        start, self.errors_, self.n_rounds_, self.n_iter_ = "zeros", [], 0, 0
        while True:
            model = SAIIS(self.max_iter, scale=self.scale, init=start)
            self.model_ = model.fit(X, normal(age, self.sigmas_[age], c))
            self.n_rounds_ += 1
            self.n_iter_ += model.n_iter_
            P = model.predict(X)
            error = np.abs(P.argmax(axis=1) - age)
            self.errors_.append(float(error.mean()))
            better = len(self.errors_) == 1 or self.errors_[-2] - self.errors_[-1] >= self.tol
            if not better or self.n_rounds_ == self.max_rounds:
                break
            start = model.coef_
            reliable = error <= error.mean()
            for a in np.unique(age[reliable]):
                self.sigmas_[a] = best_width(a, P[reliable & (age == a)])

    def _predict(self, X):
        return self.model_.predict(X)


def best_width(age, P):
    """Of WIDTHS the one whose normal density about ``age`` is nearest in K-L to P (m, c)."""
    c = P.shape[1]
    templates = normal(np.full(len(WIDTHS), age), WIDTHS, c)
    logs = np.log(np.maximum(P, np.finfo(float).eps)).mean(axis=0)
    own = (templates * np.log(np.maximum(templates, np.finfo(float).tiny))).sum(axis=1)
    return WIDTHS[(own - templates @ logs).argmin()]
