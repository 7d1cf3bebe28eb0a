"""CCA: canonical correlations of features and degrees, linear and with an rbf kernel."""

import numpy as np
from scipy.linalg import svd

from ldlrepro.models.embedding._base import Embedding


class CCA(Embedding):
    """Canonical correlation analysis (Hardoon, Szedmak, Shawe-Taylor [1]_) of X and D.

    The embedding holds the canonical variates of the features: uncorrelated, of variance 1, the
    most correlated with the degrees first.

    Parameters
    ----------
    ratio : float in (0, 1]
        Dimensions as a share u of the features, at least 1. There are no more variates than the
        rank of the centred degrees, at most c - 1, so that large ratios are all the same.
    variance : float in (0, 1]
        Share of the variance that the principal components keep before. With 1 and fewer rows than
        features every correlation is 1 and means nothing.
    kernel, width
        As for `LPP`.

    Attributes
    ----------
    components_
        The fitted principal components.
    directions_ : (r, l)

    See Also
    --------
    PCA : Does not look at the degrees.
    MSLP : Looks at them by neighbours.

    Notes
    -----
    Closed form by singular values: scikit-learn's CCA iterates, warns on constant residuals, and
    leaves the variates with unequal variances, which the distances of a neighbour decoder see.

    References
    ----------
    .. [1] Hardoon, Szedmak, Shawe-Taylor, "Canonical correlation analysis: an overview with
       application to learning methods", Neural Computation 16(12), 2004.

    Examples
    --------
    >>> from ldlrepro import CCA, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> embedding = CCA(ratio=0.6).fit(toy.X, toy.D)
    >>> embedding.transform(toy.X_test).shape
    (2601, 2)
    """

    needs_D = True

    def __init__(self, ratio=0.1, *, variance=1.0, kernel="linear", width=None):
        self.ratio = ratio
        self.variance = variance
        self.kernel = kernel
        self.width = width

    def _directions(self, X, Z, D, count):
        scale = Z.std(axis=0)
        U, size, _ = svd(D - D.mean(axis=0), full_matrices=False)
        rank = int((size > 1e-10 * max(size[0], 1.0)).sum())
        if not rank:  # all rows of D are equal: no direction is better than another
            return np.zeros((Z.shape[1], 1))
        left, _, _ = svd((Z / scale).T @ U[:, :rank], full_matrices=False)
        return left[:, :count] / scale[:, None]
