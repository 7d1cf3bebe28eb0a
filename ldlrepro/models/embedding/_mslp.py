"""MSLP: label embedding by multi-scale locality preservation."""

import numpy as np

from ldlrepro.models.embedding._decoder import NeighbourDecoder
from ldlrepro.models.embedding._graph import feature_neighbours, heat, link, scatter
from ldlrepro.models.embedding._solver import dimensions, smallest, whiten


class MSLP(NeighbourDecoder):
    r"""Multi-scale locality preservation (Peng, Tao, Geng 2018 [1]_, section 2, Algorithm 1).

    Directions V of the l smallest eigenvalues in (Eq. 10)

    .. math::

       (X^\top M X + \lambda I)\, v = \eta\, (X^\top D^+ X)\, v, \qquad
       M = \beta M^+ - (1 - \beta) M^-:

    rows that are near each other in features and labels stay near, rows near in features and far
    in labels part. Prediction is the mean distribution of the nearest rows in X V. The chapter on
    the paper derives this and programs it in plain NumPy: :ref:`mslp-method`.

    Parameters
    ----------
    k_plus : int >= 1
        Neighbours in the labels (Eq. 5), fewer than the rows.
    alpha : float >= 1
        They are sought among the alpha k_plus nearest in the features (Eq. 5); all other rows,
        where there are fewer.
    k_minus : int or None
        Hetero-neighbours of a row at most (Eq. 6), in [0, (alpha - 1) k_plus]; None for k_plus, or
        that bound where it is smaller.
    beta : float in [0, 1]
        Weight of attraction; 1 - beta is that of the hetero-neighbours. With 0 nothing attracts: W+
        then acts through the constraint only.
    lambda_ : float >= 0
        Weight of the squared norm of V.
    ratio : float in (0, 1]
        Dimensions l as a share u of the features (rounded, at least 1, at most the rank of X).
    n_neighbors : int or None
        The k of the decoder; no more than the training rows. None for 30, or all rows where there
        are fewer (section 3.1: 5, 10 or 15).

    Attributes
    ----------
    coef_ : (q, l)
        V.
    W_plus_, W_minus_ : (n, n) csr_array of Eqs. 2 and 7

    See Also
    --------
    LPP : Without the labels.
    EmbeddingKNN : The same decoder after any transformer.
    ldlrepro.datasets.make_mslp_toy : The toy problem of the paper.

    Notes
    -----
    The right side of Eq. 10 is singular where there are fewer rows than features or constant
    columns; the paper does not say what it does. Here V is sought among the directions that the
    rows of X span. This is exact: any other part of V moves no training row and only adds to the
    norm. Directions with a singular value below 1e-7 of the largest count as rounding. With
    ``lambda_ = 0`` and more features than rows, any embedding of the training rows can be had, and
    new rows are then predicted badly. Identical rows are embedded at one point. A graph in parts
    needs no care.

    Of rows equally far in the labels, the one nearer in the features counts as nearer. The scale of
    the weights is the mean over linked pairs, i and j once (section 3.1). Features are not centred,
    as in Eq. 10.

    By default K-L is above 1.05 of the training mean's on M2B, of the 16 sets of the book's
    page on defaults.

    References
    ----------
    .. [1] Peng, Tao, Geng, "Label embedding based on multi-scale locality preservation", IJCAI
       2018.

    Examples
    --------
    >>> from ldlrepro import MSLP
    >>> from ldlrepro.datasets import make_mslp_toy
    >>> toy = make_mslp_toy(500)
    >>> MSLP(ratio=0.6).fit(toy.X, toy.D).transform(toy.X).shape
    (500, 2)
    """

    def __init__(
        self,
        k_plus=5,
        *,
        alpha=5,
        k_minus=None,
        beta=0.5,
        lambda_=0.01,
        ratio=0.1,
        n_neighbors=None,
    ):
        self.k_plus = k_plus
        self.alpha = alpha
        self.k_minus = k_minus
        self.beta = beta
        self.lambda_ = lambda_
        self.ratio = ratio
        self.n_neighbors = n_neighbors

    def _learn(self, X, D, shared):
        if not 0 <= self.beta <= 1 or not 0 <= self.lambda_ < np.inf:
            raise ValueError(
                f"beta={self.beta} must lie in [0, 1], lambda_={self.lambda_} be 0 or more."
            )
        sets = (self.k_plus, self.k_minus, self.alpha)
        if sets not in shared:
            shared[sets] = _Problem(X, D, *sets)
        problem = shared[sets]
        self.W_plus_, self.W_minus_ = problem.W_plus, problem.W_minus
        count = dimensions(self.ratio, X.shape[1], problem.T.shape[1])
        A = problem.objective(self.beta, self.lambda_)
        self.coef_ = smallest(A, problem.T, count)

    def _embed(self, X):
        return X @ self.coef_


def neighbour_sets(X, D, k_plus=5, k_minus=None, alpha=5):
    """The sets of Eqs. 5 and 6 (Figures 2 and 3 of the paper).

    Parameters
    ----------
    X : (n, q)
        Features.
    D : (n, c)
        Label distributions.
    k_plus, k_minus, alpha
        As for MSLP.

    Returns
    -------
    neighbours : (n, m) int
        Row numbers, Nei_x, nearest first; m = alpha k_plus, at most n - 1.
    near : (n, m) bool
        Which of them are Nei_y.
    hetero : (n, m) bool
        Which of them are HNei.

    Raises
    ------
    ValueError
        Naming the parameter out of range.
    """
    if not 1 <= k_plus < len(X):
        raise ValueError(
            f"k_plus={k_plus} with {len(X)} training rows: choose 1 to {len(X) - 1}, the others."
        )
    if not 1 <= alpha < np.inf:
        raise ValueError(f"alpha={alpha}: choose a number of 1 or more.")
    most = round(alpha * k_plus) - k_plus
    if k_minus is None:
        k_minus = min(k_plus, most)
    if not 0 <= k_minus <= most:
        raise ValueError(f"k_minus={k_minus}: choose 0 to (alpha - 1) k_plus = {most}.")
    m = min(k_plus + most, len(X) - 1)
    k_minus = min(k_minus, m - k_plus)
    neighbours = feature_neighbours(X, m, "alpha k_plus")
    order = _label_distances(D, neighbours).argsort(axis=1, kind="stable")
    near, hetero = np.zeros((2, *neighbours.shape), bool)
    np.put_along_axis(near, order[:, :k_plus], True, axis=1)
    np.put_along_axis(hetero, order[:, m - k_minus :], True, axis=1)
    hetero[:, k_minus:] = False
    return neighbours, near, hetero


def _label_distances(D, neighbours):
    """Squared distances (n, m) of each row of D to its neighbours, one label at a time."""
    total = np.zeros(neighbours.shape)
    for d in D.T:
        total += (d[neighbours] - d[:, None]) ** 2
    return total


class _Problem:
    """What Eq. 10 needs whatever beta and lambda_ are, in coordinates T with T^T X^T D+ X T = I."""

    def __init__(self, X, D, k_plus, k_minus, alpha):
        neighbours, near, hetero = neighbour_sets(X, D, k_plus, k_minus, alpha)
        self.W_plus = heat(link(neighbours, near), D)
        self.W_minus = link(neighbours, hetero)
        self.T = whiten(X, np.asarray(self.W_plus.sum(axis=1)).ravel())
        Y = X @ self.T
        self.attraction, self.repulsion = scatter(self.W_plus, Y), scatter(self.W_minus, Y)
        self.norm = self.T.T @ self.T

    def objective(self, beta, lambda_):
        """T^T (X^T M X + lambda I) T, (r, r)."""
        return beta * self.attraction - (1 - beta) * self.repulsion + lambda_ * self.norm
