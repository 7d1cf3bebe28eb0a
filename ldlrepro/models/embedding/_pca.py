"""PCA, linear and with an rbf kernel, by the ratio of the MSLP paper."""

import numpy as np

from ldlrepro.models.embedding._base import Embedding


class PCA(Embedding):
    """Principal component analysis (Jolliffe 1986 [1]_); scikit-learn's, with the ratio u.

    Parameters
    ----------
    ratio : float in (0, 1]
        Dimensions as a share u of the features (at least 1, at most the rank of the centred rows).
    whiten : bool
        True scales every component to variance 1, as the constraint of MSLP's Eq. 8 does.
    kernel, width
        As for `LPP`.

    Attributes
    ----------
    components_
        The fitted sklearn.decomposition.PCA.
    directions_ : (r, l)

    See Also
    --------
    CCA : Looks at the degrees.
    LPP : Keeps neighbours near.
    EmbeddingKNN : Predicts from an embedding.

    References
    ----------
    .. [1] Jolliffe, "Principal Component Analysis", Springer, 1986.

    Examples
    --------
    >>> from ldlrepro import PCA, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> embedding = PCA(ratio=0.6).fit(toy.X, toy.D)
    >>> embedding.transform(toy.X_test).shape
    (2601, 2)
    """

    variance = 1.0

    def __init__(self, ratio=0.1, *, whiten=False, kernel="linear", width=None):
        self.ratio = ratio
        self.whiten = whiten
        self.kernel = kernel
        self.width = width

    def _directions(self, X, Z, D, count):
        directions = np.eye(Z.shape[1], count)
        return directions / Z.std(axis=0)[:count] if self.whiten else directions
