"""The paper's RF: a random forest on the single most descriptive label."""

import warnings

import numpy as np

from ldlrepro.errors import SettingsWarning, outside
from ldlrepro.models.trees._forest import DistributionForest


class SingleLabelRF(DistributionForest):
    """RF of the StructRF paper (Chen et al. 2018 [1]_, section 4.4).

    Trained on the label of the largest degree (the first of equals) by information gain; the class
    frequencies in the leaves, averaged over the trees, are taken as the label distribution. Labels
    that are never the largest are predicted 0, and the others too sharply: by K-L it has been worse
    than the training mean on every data set of this package. `StructRF` and `MultiOutputRF` learn
    the degrees.

    Parameters
    ----------
    n_estimators : int
        Trees (50 in the paper).
    max_depth : int >= 1 or None
        As for StructRF (not given for RF).
    min_samples_split : int
        A node of fewer drawn rows is a leaf (not printed).
    max_features : None, "sqrt" or int
        Features searched at a node (None: all, as StructRF).
    sampling_ratio : float in (0, 1]
        Rows drawn with replacement for a tree.
    step : {"all", "adaptive"}
        Every threshold, or the variable step of section 3.4 (RF*).
    alpha, beta : float
        Constants of the variable step (Eq. 5).
    random_state : int, RandomState or None
        Seeds what is drawn; the forest does not depend on ``n_jobs``.
    n_jobs : int or None
        Threads that grow trees.

    Attributes
    ----------
    feature_importances_ : (q,) array
        They sum to 1 (0 where no tree was split).
    n_nodes_ : int
        Nodes of all trees.

    Warns
    -----
    SettingsWarning
        The largest degree of a row is below 2/3 on average: most of D is not looked at.

    See Also
    --------
    StructRF : Splits on the whole distribution.

    Notes
    -----
    The same trees as StructRF's with the label in place of the two clusters, so that running times
    compare; scikit-learn's entropy trees are the same ones but for ties.

    References
    ----------
    .. [1] Chen, Wang, Feng, Liu, "Structured random forest for label distribution learning",
       Neurocomputing, 2018.

    Examples
    --------
    >>> from ldlrepro import SingleLabelRF, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = SingleLabelRF(10, random_state=0).fit(toy.X, toy.D)
    >>> model.predict(toy.X_test).shape
    (2601, 3)
    """

    def _fit(self, X, D):
        label = D.argmax(axis=1)
        if (largest := D.max(axis=1).mean()) < 2 / 3:
            warnings.warn(
                f"SingleLabelRF learns the largest label of each row alone, {largest:.0%} of its "
                "degrees on average: predictions will be far too sharp. StructRF learns them all.",
                SettingsWarning,
                stacklevel=outside(),
            )
        self._grow(X, np.eye(D.shape[1])[label], label, D.shape[1])
