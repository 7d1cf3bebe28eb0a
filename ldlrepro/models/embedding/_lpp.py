"""LPP: locality preserving projections, linear and with an rbf kernel."""

import numpy as np

from ldlrepro.models.embedding._base import GraphEmbedding
from ldlrepro.models.embedding._graph import feature_neighbours, heat, link, scatter
from ldlrepro.models.embedding._solver import smallest, whiten


class LPP(GraphEmbedding):
    r"""Locality preserving projections (He and Niyogi 2003 [1]_).

    Directions v of the smallest eigenvalues in

    .. math:: Z^\top L Z\, v = \eta\, Z^\top S Z\, v:

    neighbouring rows stay near each other. Z are the principal components, S the degrees and L the
    Laplacian of a graph that links rows of which one is among the nearest of the other, with
    heat-kernel weights.

    Parameters
    ----------
    n_neighbors : int >= 1
        Neighbours of a row (MSLP paper [2]_, section 3.1: 5, 10 or 15).
    ratio : float in (0, 1]
        Dimensions as a share u of the features (at least 1, at most the components kept).
    variance : float in (0, 1]
        Share of the variance that the principal components keep before; He and Niyogi name this
        step, the MSLP paper does not.
    kernel : {"linear", "rbf"}
        Of the components.
    width : float > 0 or None
        Of ``exp(-|x - y|^2 / (2 width^2))``; None for the average distance between training rows.
        The MSLP paper gives none.

    Attributes
    ----------
    components_
        The fitted principal components.
    directions_ : (r, l)

    See Also
    --------
    NPE : Keeps weights of reconstruction in place of distances.
    MSLP : Looks at the labels too.
    EmbeddingKNN : Predicts from an embedding.

    Notes
    -----
    The width of the heat kernel is the mean squared distance over the linked rows (MSLP paper,
    section 3.1).

    References
    ----------
    .. [1] He, Niyogi, "Locality preserving projections", NIPS 2003.
    .. [2] Peng, Tao, Geng, "Label embedding based on multi-scale locality preservation", IJCAI
       2018.

    Examples
    --------
    >>> from ldlrepro import LPP, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> embedding = LPP(ratio=0.6).fit(toy.X, toy.D)
    >>> embedding.transform(toy.X_test).shape
    (2601, 2)
    """

    def _directions(self, X, Z, D, count):
        W = heat(link(feature_neighbours(X, self.n_neighbors)), X)
        T = whiten(Z, np.asarray(W.sum(axis=1)).ravel())
        return smallest(scatter(W, Z @ T), T, count)
