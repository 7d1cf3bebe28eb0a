"""D2LDL: label distributions learned from the neighbourhoods of faces, with their predictor."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import pdist, squareform

from ldlrepro.base import LDLEstimator
from ldlrepro.memory import check_square
from ldlrepro.models.age._ages import ages_of, seen
from ldlrepro.models.maxent._objective import scaler


class D2LDL(LDLEstimator):
    r"""Data-dependent label distribution learning (He et al. 2017 [1]_), as far as it is described.

    The distribution F of each face is learned, with no form of it assumed, from the local context
    of the face, jointly with the predictor of ages: F minimises

    .. math::

       \lVert F - A\rVert^2 + \text{context}\, \lVert F - S F\rVert^2
       + \text{weight}\, (\lVert Z W - F\rVert^2 + \text{penalty}\, \lVert W\rVert^2),

    A (n, c) with a one for the age of each row, S the weights with which a face's neighbours
    rebuild it, Z the features less their mean; an intercept, left free, is added to Z W. F and W
    follow from linear equations.

    Parameters
    ----------
    n_neighbors : int >= 1
        Faces that rebuild a face.
    context, weight : float >= 0
        Weights of the neighbourhood and of the predictor.
    penalty : float > 0
        Ridge penalty of the predictor.
    years : int >= 0
        Neighbours are looked for among faces at most so many years apart.
    scale : {"standard", None}
        Features with mean 0 and variance 1, or as they are.

    Attributes
    ----------
    coef_ : (q, c)
    intercept_ : (c,)
        Of the features less their mean.
    distributions_ : (n, c)
        F of the training rows, on the simplex.

    Raises
    ------
    ValueError
        At ``fit``: a parameter out of range.

    See Also
    --------
    IISALDL : Distributions of one form, with a width for each age.

    Notes
    -----
    Ages come from D: the label of each row's largest degree; nothing else of D counts.

    Departures: the full text was not at hand. Established are the aim (no prior form of the
    distributions), the source (local context structures of faces) and the joint problem (learning
    distributions and predicting ages). The loss above, the weights of neighbours (those of locally
    linear embedding), the restriction to near ages, and the predictor's form are ours. Negative
    entries are set to 0 and rows divided by their sums only at the end; a row without a positive
    entry becomes the mean distribution.

    References
    ----------
    .. [1] He, Li, Zhang, Wu, Geng, Zhang, Yang, Zhuang, "Data-dependent label distribution learning
       for age estimation", IEEE Transactions on Image Processing 26(8), 2017.

    Examples
    --------
    >>> from ldlrepro import D2LDL, datasets
    >>> faces = datasets.make_standin("FG-Net", 90, random_state=0)  # synthetic
    >>> model = D2LDL().fit(faces.X, faces.D)
    >>> model.distributions_.shape  # learned for the training rows
    (90, 70)
    """

    def __init__(
        self, n_neighbors=10, *, context=10.0, weight=1.0, penalty=100.0, years=5, scale="standard"
    ):
        self.n_neighbors = n_neighbors
        self.context = context
        self.weight = weight
        self.penalty = penalty
        self.years = years
        self.scale = scale

    def _fit(self, X, D):
        if self.n_neighbors < 1 or min(self.context, self.weight) < 0 or not self.penalty > 0:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} must be 1 or more, context={self.context} and "
                f"weight={self.weight} 0 or more, penalty={self.penalty} above 0."
            )
        age, (n, c) = ages_of(D), D.shape
        check_square(self, n, 6)
        self.scaler_ = scaler(self.scale, X)
        Z = seen(self.scaler_, X)
        self.centre_ = Z.mean(axis=0)
        Z = Z - self.centre_  # so that the intercept is the mean of F
        A = np.eye(c)[age]
        # The best W for an F is ridge regression: what it leaves of F is (I - H) F.
        gram = cho_factor(Z.T @ Z + self.penalty * np.eye(Z.shape[1]))
        H = Z @ cho_solve(gram, Z.T) + 1 / n
        M = np.eye(n) - rebuilding_weights(Z, age, self.n_neighbors, self.years)
        equations = np.eye(n) + self.context * M.T @ M + self.weight * (np.eye(n) - H)
        F = np.linalg.solve(equations, A)
        self.intercept_ = F.mean(axis=0)
        self.coef_ = cho_solve(gram, Z.T @ F)
        self.mean_ = A.mean(axis=0)
        self.distributions_ = self._on_simplex(F)

    def _on_simplex(self, F):
        F = np.maximum(F, 0)
        total = F.sum(axis=1, keepdims=True)
        return np.where(total > 1e-12, F / np.maximum(total, 1e-12), self.mean_)

    def _predict(self, X):
        return self._on_simplex(
            (seen(self.scaler_, X) - self.centre_) @ self.coef_ + self.intercept_
        )


def rebuilding_weights(Z, age, n_neighbors, years):
    """S (n, n): rows of sum 1 with which up to ``n_neighbors`` rows rebuild each row of Z.

    Neighbours are the nearest rows at most ``years`` apart in age; a row without any has weight 1
    on itself. The local Gram matrices are raised by a thousandth of their trace.
    """
    n = len(Z)
    S = np.zeros((n, n))
    distance = squareform(pdist(Z))
    distance[np.abs(age[:, None] - age) > years] = np.inf
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1, kind="stable")[:, :n_neighbors]
    for i, near in enumerate(order):
        near = near[np.isfinite(distance[i, near])]
        if not len(near):
            S[i, i] = 1
            continue
        away = Z[near] - Z[i]
        G = away @ away.T
        G += (1e-3 * np.trace(G) or 1.0) * np.eye(len(near))
        w = np.linalg.solve(G, np.ones(len(near)))
        S[i, near] = w / w.sum()
    return S
