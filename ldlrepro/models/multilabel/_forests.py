"""Random forests of multi-label trees: RF-PCT, ERF-PCT, RFML-C4.5 and ERFML-C4.5."""

import numpy as np
from sklearn.utils import check_random_state

from ldlrepro.models.multilabel._base import MultiLabelEstimator, check_whole
from ldlrepro.models.multilabel._trees import Columns, grow_forest, label_rows


class _ForestEstimator(MultiLabelEstimator):
    _entropy = False  # whether cuts are by entropy
    _random_cut = False

    def __init__(
        self,
        n_estimators=100,
        *,
        max_depth=None,
        min_samples_split=2,
        max_features="sqrt",
        bootstrap=True,
        random_state=None,
        n_jobs=None,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X, Y):
        least = {"n_estimators": 1, "min_samples_split": 2}
        if self.max_depth is not None:
            least["max_depth"] = 1
        if self.max_features not in (None, "sqrt"):
            least["max_features"] = 1
        check_whole(self, least)
        self.forest_ = grow_forest(
            Columns(X),
            label_rows(Y),
            self.n_labels_,
            np.arange(len(X)),
            seed=check_random_state(self.random_state).randint(2**31),
            n_estimators=self.n_estimators,
            entropy=self._entropy,
            random_cut=self._random_cut,
            bootstrap=self.bootstrap,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            max_features=self.max_features,
            n_jobs=self.n_jobs,
        )

    def _predict_proba(self, X):
        return self.forest_.predict(X)


class RFPCT(_ForestEstimator):
    """Random forest of predictive clustering trees: cuts by the variance of all labels.

    Parameters
    ----------
    n_estimators : int >= 1
        Trees.
    max_depth : int >= 1 or None
        Largest depth of a tree.
    min_samples_split : int >= 2
        A node of fewer drawn rows is a leaf.
    max_features : "sqrt", int >= 1 or None
        Features drawn at a node, None for all (further ones while all drawn are constant there).
    bootstrap : bool
        Whether a tree sees a bootstrap sample of the rows or all of them.
    random_state : int, RandomState or None
        Seeds what is drawn.
    n_jobs : int or None
        Threads of ``fit``; trees do not depend on it.

    See Also
    --------
    ERFPCT : With random thresholds.
    RFMLC45 : Cuts by entropy.
    MLDF : A cascade of such forests.

    Notes
    -----
    Yang et al. 2020 [1]_, section 2.2, after Kocev et al. 2013 [2]_. A leaf holds the share of its
    drawn training rows that have each label; the score of a label is the mean of the leaves
    reached, in [0, 1]: 0 for a label that no training row has, 1 for one that all have. A node is
    cut as long as a cut has a gain. Up to the draws this is scikit-learn's multi-output
    RandomForestRegressor, which a test shows; here labels are sparse and two-valued features
    counted.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020.
    .. [2] Kocev, Vens, Struyf, Dzeroski, "Tree ensembles for predicting structured outputs",
       Pattern Recognition 46(3), 2013.

    Examples
    --------
    >>> from ldlrepro import RFPCT, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = RFPCT(10, random_state=0).fit(data.X, data.Y)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 14)
    """


class ERFPCT(_ForestEstimator):
    """Extremely random forest of predictive clustering trees: one random threshold a feature.

    Parameters
    ----------
    n_estimators, max_depth, min_samples_split, max_features, bootstrap, random_state, n_jobs
        As for `RFPCT`, but that trees see all rows by default.

    See Also
    --------
    RFPCT : With the best of all thresholds.
    ERFMLC45 : Cuts by entropy.

    Notes
    -----
    Yang et al. 2020 [1]_, section 2.2, after Kocev and Ceci 2015 [2]_. Leaves and scores are those
    of `RFPCT`. The threshold is that of Geurts et al. 2006 [3]_, uniform between the node's
    extremes, and like there trees see all rows. A two-valued feature has one cut either way.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020.
    .. [2] Kocev, Ceci, "Ensembles of extremely randomized trees for multi-target regression",
       Discovery Science 2015.
    .. [3] Geurts, Ernst, Wehenkel, "Extremely randomized trees", Machine Learning 63(1), 2006.

    Examples
    --------
    >>> from ldlrepro import ERFPCT, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = ERFPCT(10, random_state=0).fit(data.X, data.Y)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 14)
    """

    _random_cut = True

    def __init__(
        self,
        n_estimators=100,
        *,
        max_depth=None,
        min_samples_split=2,
        max_features="sqrt",
        bootstrap=False,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_estimators,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            max_features=max_features,
            bootstrap=bootstrap,
            random_state=random_state,
            n_jobs=n_jobs,
        )


class RFMLC45(_ForestEstimator):
    """Random forest of ML-C4.5 trees: cuts by the sum of label entropies.

    Parameters
    ----------
    n_estimators, max_depth, min_samples_split, max_features, bootstrap, random_state, n_jobs
        As for `RFPCT`.

    See Also
    --------
    RFPCT : Cuts by variance, with the parameters told.
    ERFMLC45 : With random thresholds.

    Notes
    -----
    Yang et al. 2020 [1]_, section 2.2, after Madjarov et al. 2012 [2]_. Leaves and scores are those
    of `RFPCT`. The criterion is the information gain (Clare and King 2001 [3]_), not the gain
    ratio; trees are not pruned.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020.
    .. [2] Madjarov, Kocev, Gjorgjevikj, Dzeroski, "An extensive experimental comparison of methods
       for multi-label learning", Pattern Recognition 45(9), 2012.
    .. [3] Clare, King, "Knowledge discovery in multi-label phenotype data", PKDD 2001.

    Examples
    --------
    >>> from ldlrepro import RFMLC45, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = RFMLC45(10, random_state=0).fit(data.X, data.Y)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 14)
    """

    _entropy = True


class ERFMLC45(ERFPCT):
    """Extremely random forest of ML-C4.5 trees: one random threshold a feature.

    Parameters
    ----------
    n_estimators, max_depth, min_samples_split, max_features, bootstrap, random_state, n_jobs
        As for `ERFPCT`.

    See Also
    --------
    ERFPCT : Cuts by variance.
    RFMLC45 : With the best of all thresholds.

    Notes
    -----
    Yang et al. 2020 [1]_, section 2.2, after Clare and King 2001 [2]_. Leaves and scores are those
    of `RFPCT`, thresholds are drawn as in `ERFPCT`.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020.
    .. [2] Clare, King, "Knowledge discovery in multi-label phenotype data", PKDD 2001.

    Examples
    --------
    >>> from ldlrepro import ERFMLC45, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = ERFMLC45(10, random_state=0).fit(data.X, data.Y)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 14)
    """

    _entropy = True
