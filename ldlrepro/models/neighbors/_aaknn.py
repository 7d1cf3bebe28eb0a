"""AA-kNN: the mean distribution of the nearest neighbours."""

from sklearn.neighbors import NearestNeighbors

from ldlrepro.base import LDLEstimator

#: Neighbours where none are asked for.
DEFAULT = 30


class AAKNN(LDLEstimator):
    """AA-kNN (Geng 2016 [1]_, section 3.2): mean distribution of the k nearest training rows.

    Parameters
    ----------
    n_neighbors : int or None
        The k; no more than the training rows. None for 30, or all rows where there are fewer (the
        papers: 4 to 15; few leave zeros, which K-L punishes).
    n_jobs : int or None
        Threads of the neighbour search.

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

    Examples
    --------
    >>> from ldlrepro import AAKNN, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = AAKNN(n_neighbors=1).fit(toy.X, toy.D)
    >>> bool(abs(model.predict(toy.X) - toy.D).max() < 1e-9)  # its own neighbour
    True
    """

    def __init__(self, n_neighbors=None, *, n_jobs=None):
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _fit(self, X, D):
        k = neighbours_of(self.n_neighbors, len(X))
        self.D_ = D
        self.search_ = NearestNeighbors(n_neighbors=k, n_jobs=self.n_jobs).fit(X)

    def _predict(self, X):
        return self.D_[self.search_.kneighbors(X, return_distance=False)].mean(axis=1)


def neighbours_of(k, n):
    """Number of neighbours among n rows for a parameter n_neighbors; ValueError out of range."""
    if k is None:
        return min(DEFAULT, n)
    if not 1 <= k <= n:
        raise ValueError(f"n_neighbors={k} with {n} training rows: choose 1 to {n}.")
    return k
