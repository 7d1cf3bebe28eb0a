"""Structured random forest for label distributions (StructRF)."""

from ldlrepro.models.trees._forest import DistributionForest


class StructRF(DistributionForest):
    """Structured random forest (Chen, Wang, Feng, Liu 2018 [1]_, section 3, Algorithms 1 and 2).

    At each node the label distributions are split in two by k-means; the feature and threshold
    with the largest information gain about these two clusters are taken (Eqs. 1-3). A leaf holds
    the mean distribution of its rows, a forest averages its trees (Eq. 4).

    Parameters
    ----------
    n_estimators : int
        Number of trees T (section 4.4: 50).
    max_depth : int >= 1 or None
        Depth of a leaf at most (section 4.4: 20; the root has depth 0).
    min_samples_split : int
        A node of fewer drawn rows is a leaf (Algorithm 1; not printed).
    max_features : None, "sqrt" or int
        Features searched at a node (all, as in Algorithm 1).
    sampling_ratio : float in (0, 1]
        Rows drawn with replacement for a tree (0.8).
    step : {"all", "adaptive"}
        Every threshold, or the variable step of section 3.4.
    alpha, beta : float
        Constants of the variable step (Eq. 5: 0.25 and 8).
    random_state : int, RandomState or None
        Seeds what is drawn; the forest does not depend on ``n_jobs``.
    n_jobs : int or None
        Threads that grow trees.

    Attributes
    ----------
    feature_importances_ : (q,) array
        They sum to 1 (0 where no tree was split): gain times rows.
    n_nodes_ : int
        Nodes of all trees.

    See Also
    --------
    SingleLabelRF : The same trees on the most descriptive label.
    MultiOutputRF : Splits by the variance of D.
    LDLForest : Trees learned by gradient.

    Notes
    -----
    Departures from the text: k-means starts from k-means++ seeds (the start is not given), runs
    to convergence or 100 steps, and has one start; a node also becomes a leaf where no threshold
    has a positive gain. The variable step walks over the distinct rows of a node and carries its
    counts along; positions between equal values are no thresholds and are passed over. Thresholds
    are midpoints, and a row goes left where x < threshold.

    Of cuts with equal gains the first found is taken. Algorithm 1 looks at the columns in their
    order; here those with more than two values come first, then those with two, each kind in its
    order. Algorithm 1 stops where a node's depth exceeds the largest, and does not number the root:
    here no leaf is more than ``max_depth`` cuts below it.

    References
    ----------
    .. [1] Chen, Wang, Feng, Liu, "Structured random forest for label distribution learning",
       Neurocomputing, 2018.

    Examples
    --------
    >>> from ldlrepro import StructRF, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> forest = StructRF(random_state=0).fit(toy.X, toy.D)
    >>> forest.predict(toy.X_test).shape, forest.feature_importances_.shape
    ((2601, 3), (3,))
    """

    def _fit(self, X, D):
        self._grow(X, D)
