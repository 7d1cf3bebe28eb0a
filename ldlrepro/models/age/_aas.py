"""AAS: quadratic functions of age for clusters of faces and ranges of ages."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge

from ldlrepro.base import LDLEstimator
from ldlrepro.models.age._ages import ages_of, normal, seen, width_of
from ldlrepro.models.maxent._objective import scaler


class AAS(LDLEstimator):
    r"""Appearance- and age-specific estimation (Lanitis, Draganova, Christodoulou 2004 [1]_).

    The age is a quadratic function of the face's parameters, :math:`a + b^\top x + c^\top x^2`.
    There is one for each cluster of faces (appearance-specific), whose age chooses a range of ages,
    and in each cluster one for each range (age-specific), whose age is the answer.

    Parameters
    ----------
    n_clusters : int >= 1
        Clusters of faces.
    ranges : tuple of int, first ages of the second and of later ranges (Geng et al. 2010 [2]_ on
        FG-Net: 0-9, 10-19, 20-39, 40-69).
    alpha : float > 0
        Ridge penalty of the quadratic functions.
    sigma : float > 0
        Width of the predicted normal density; None takes that of the rows of D.
    scale : {"standard", None}
        Features with mean 0 and variance 1, or as they are.

    Attributes
    ----------
    sigma_ : float
    clusters_
        Fitted KMeans.
    functions_ : list of lists
        Of each cluster the function of all ages and that of each range, None where a range has
        fewer than ten rows.

    Raises
    ------
    ValueError
        At ``fit``: a parameter out of range.

    See Also
    --------
    LARR : A regressor, then a choice among the ages near its answer.

    Notes
    -----
    Ages come from D: the label of each row's largest degree. What is predicted is a normal density
    about the estimated age, cut at the first and last label.

    Departures: the paper's clusters are of persons, found by an error threshold of the ageing
    functions ([2]_: 3 years); here rows are clustered by k-means on their features, for `fit` knows
    no persons, from parts of equal size along the first principal component. Its coefficients come
    from a genetic search; here from ridge regression. An age of a range's function is cut to the
    range, and where a range has fewer than ten rows of a cluster, the cluster's age stays.

    References
    ----------
    .. [1] Lanitis, Draganova, Christodoulou, "Comparing different classifiers for automatic age
       estimation", IEEE Transactions on Systems, Man, and Cybernetics B 34(1), 2004.
    .. [2] Geng, Smith-Miles, Zhou, "Facial age estimation by learning from label distributions",
       AAAI 2010.

    Examples
    --------
    >>> from ldlrepro import AAS, datasets
    >>> faces = datasets.make_standin("FG-Net", 90, random_state=0)  # synthetic
    >>> model = AAS().fit(faces.X, faces.D)
    >>> len(model.functions_)  # clusters
    2
    """

    def __init__(
        self,
        n_clusters=2,
        *,
        ranges=(10, 20, 40),
        alpha=100.0,
        sigma=None,
        scale="standard",
    ):
        self.n_clusters = n_clusters
        self.ranges = ranges
        self.alpha = alpha
        self.sigma = sigma
        self.scale = scale

    def _fit(self, X, D):
        if self.n_clusters < 1 or not self.alpha > 0:
            raise ValueError(
                f"n_clusters={self.n_clusters} must be 1 or more, alpha={self.alpha} above 0."
            )
        self.sigma_ = width_of(D) if self.sigma is None else self.sigma
        age = ages_of(D)
        self.scaler_ = scaler(self.scale, X)
        B = seen(self.scaler_, X)
        k = min(self.n_clusters, len(np.unique(B, axis=0)))
        order = np.argsort(np.linalg.svd(B - B.mean(axis=0), full_matrices=False)[0][:, 0])
        start = np.stack([B[part].mean(axis=0) for part in np.array_split(order, k)])
        self.clusters_ = KMeans(k, init=start, n_init=1, random_state=0).fit(B)
        self.edges_ = [0, *(r for r in sorted(self.ranges) if r < D.shape[1]), D.shape[1]]
        B = _quadratic(B)
        place = np.digitize(age, self.edges_[1:-1])
        self.functions_ = []
        for cluster in range(k):
            mine = self.clusters_.labels_ == cluster
            ranges = [mine & (place == r) for r in range(len(self.edges_) - 1)]
            specific = [
                self._function(B, age, rows) if rows.sum() >= 10 else None for rows in ranges
            ]
            self.functions_.append([self._function(B, age, mine), *specific])

    def _function(self, B, age, rows):
        rows = rows if rows.any() else slice(None)  # rows too near each other for k-means
        return Ridge(self.alpha, solver="cholesky").fit(B[rows], age[rows])

    def ages(self, X):
        """Estimated age of each row of X (n, q), (n,)."""
        return self._ages(self._check_new(X))

    def _ages(self, X):
        B = seen(self.scaler_, X)
        cluster, B = self.clusters_.predict(B), _quadratic(B)
        age = np.empty(len(X))
        for i, (all_ages, *specific) in enumerate(self.functions_):
            mine = np.flatnonzero(cluster == i)
            if not len(mine):
                continue
            age[mine] = all_ages.predict(B[mine])
            place = np.digitize(age[mine], self.edges_[1:-1])
            for r, function in enumerate(specific):
                rows = mine[place == r]
                if function is not None and len(rows):
                    limits = self.edges_[r], self.edges_[r + 1] - 1
                    age[rows] = np.clip(function.predict(B[rows]), *limits)
        return np.clip(age, 0, self.n_labels_ - 1)

    def _predict(self, X):
        return normal(self._ages(X), self.sigma_, self.n_labels_)


def _quadratic(B):
    return np.hstack([B, B**2])
