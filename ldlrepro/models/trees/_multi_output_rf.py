"""The baseline that the StructRF paper lacks: a regression forest on the whole distribution."""

from sklearn.ensemble import RandomForestRegressor

from ldlrepro.base import LDLEstimator


class MultiOutputRF(LDLEstimator):
    """Multi-output regression forest on D: splits by the reduction of the summed variance.

    Means of distributions are distributions, so nothing needs to be normalised. The parameters are
    those of StructRF, so that little but the split criterion differs (there a row that was drawn
    twice counts twice in ``min_samples_split``).

    Parameters
    ----------
    n_estimators : int
        Trees.
    max_depth : int >= 1 or None
        Depth of a leaf at most; None sets no limit.
    min_samples_split : int
        A node of fewer distinct drawn rows is a leaf.
    max_features : None, "sqrt" or int
        Features searched at a node.
    sampling_ratio : float in (0, 1]
        Rows drawn with replacement for a tree.
    random_state : int, RandomState or None
        Seeds what is drawn.
    n_jobs : int or None
        Threads.

    See Also
    --------
    StructRF : Splits by two clusters of distributions.

    Notes
    -----
    scikit-learn's RandomForestRegressor, a random forest (Breiman 2001 [1]_).

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45(1), 2001.

    Examples
    --------
    >>> from ldlrepro import MultiOutputRF, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = MultiOutputRF(10, random_state=0).fit(toy.X, toy.D)
    >>> model.predict(toy.X_test).shape
    (2601, 3)
    """

    def __init__(
        self,
        n_estimators=50,
        *,
        max_depth=20,
        min_samples_split=5,
        max_features=None,
        sampling_ratio=0.8,
        random_state=None,
        n_jobs=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.sampling_ratio = sampling_ratio
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X, D):
        self.forest_ = RandomForestRegressor(
            self.n_estimators,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            max_features=self.max_features,
            max_samples=float(self.sampling_ratio),  # 1, an int, would be one row
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(X, D)
        self.forest_.n_jobs = 1  # scikit-learn's threads add up trees in the order they finish

    def _predict(self, X):
        return self.forest_.predict(X)
