"""AA-kNN: the mean distribution of the nearest neighbours."""

from sklearn.neighbors import NearestNeighbors

from ldlrepro.base import LDLEstimator


class AAKNN(LDLEstimator):
    """AA-kNN (Geng 2016 [1]_, section 3.2): mean distribution of the k nearest training rows.

    Parameters
    ----------
    n_neighbors : int, k; no more than the training rows.
    n_jobs : int or None, threads of the neighbour search.

    Raises
    ------
    ValueError
        At ``fit``, when k is larger than the number of rows.

    See Also
    --------
    EmbeddingKNN : Neighbours in an embedding of the features.
    MSLP : Neighbours in an embedding that looks at the labels.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """

    def __init__(self, n_neighbors=5, *, n_jobs=None):
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _fit(self, X, D):
        if not 1 <= self.n_neighbors <= len(X):
            raise ValueError(
                f"n_neighbors={self.n_neighbors} with {len(X)} training rows: choose 1 to {len(X)}."
            )
        self.D_ = D
        self.search_ = NearestNeighbors(n_neighbors=self.n_neighbors, n_jobs=self.n_jobs).fit(X)

    def _predict(self, X):
        return self.D_[self.search_.kneighbors(X, return_distance=False)].mean(axis=1)
