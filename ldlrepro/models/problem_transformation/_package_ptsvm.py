"""PT-SVM as the MATLAB package of 2016 has it: columns in the order in which labels were drawn."""

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.models.problem_transformation._ptsvm import PTSVM

_COLUMNS = ("drawn", "labels")
_WIDTHS = ("features", "distance")


class PackagePTSVM(LDLEstimator):
    """PT-SVM (Geng, TKDE 2016) as the package that came with the paper runs it.

    Rows are drawn with a label each, by their degrees, and LIBSVM learns them with its defaults:
    C = 1, the kernel ``exp(-|x - y|^2 / q)``, five parts for the held-out decision values. LIBSVM
    numbers classes in the order in which they first appear, and gives their probabilities in that
    order. The package takes column k of them as the degree of label k.

    Parameters
    ----------
    columns : {"drawn", "labels"}
        Columns in the order of first appearance as in the package, or in that of the labels.
    width_by : {"features", "distance"}
        Width of the kernel: sqrt(q / 2), LIBSVM's default, or the average distance between training
        rows (MSLP paper, section 3.1).
    random_state : int, RandomState or None
        Seeds draws, parts and the order.

    Attributes
    ----------
    machine_ : PTSVM
        Fitted.
    order_ : (c,)
        The label whose probabilities stand in each column.

    Notes
    -----
    Departures: c labels are drawn for each row, not c n from all rows together; the machines are
    those of `PTSVM`. The order of first appearance is drawn by itself: each next label with a
    probability in proportion to its mean degree, as in a long sequence of draws. Labels of mean
    degree 0 come last. Settings as in github.com/DreamWalker1412/LDL_Package, folder GengLDL.
    """

    def __init__(self, columns="drawn", *, width_by="features", random_state=None):
        self.columns = columns
        self.width_by = width_by
        self.random_state = random_state

    def _fit(self, X, D):
        if self.columns not in _COLUMNS:
            raise ValueError(f"columns must be one of {_COLUMNS}, got {self.columns!r}.")
        if self.width_by not in _WIDTHS:
            raise ValueError(f"width_by must be one of {_WIDTHS}, got {self.width_by!r}.")
        rng = check_random_state(self.random_state)
        width = np.sqrt(X.shape[1] / 2) if self.width_by == "features" else None
        machine = PTSVM(draws="labels", width=width, folds=5, random_state=rng)
        self.machine_ = machine.fit(X, D)
        self.order_ = np.arange(D.shape[1])
        if self.columns == "drawn":
            self.order_ = first_appearances(D.mean(axis=0), rng)

    def _predict(self, X):
        return self.machine_.predict(X)[:, self.order_]


class ColumnsAsDrawn(LDLEstimator):
    """Predictions of another estimator with their columns in the order of `PackagePTSVM`.

    What that order alone does to a prediction, to that of the training mean say.

    Parameters
    ----------
    estimator : LDL estimator
        Fitted as it is.
    random_state : int, RandomState or None
        Seeds the order.

    Attributes
    ----------
    estimator_
        Fitted.
    order_
        As for `PackagePTSVM`.
    """

    def __init__(self, estimator, random_state=None):
        self.estimator = estimator
        self.random_state = random_state

    def _fit(self, X, D):
        self.estimator_ = clone(self.estimator).fit(X, D)
        rng = check_random_state(self.random_state)
        self.order_ = first_appearances(D.mean(axis=0), rng)

    def _predict(self, X):
        return self.estimator_.predict(X)[:, self.order_]


def first_appearances(share, rng):
    """Labels in the order in which a sequence of draws by their shares (c,) first shows them."""
    # The least of independent waiting times belongs to a label with a probability in proportion
    # to its rate, and so on among the others.
    with np.errstate(divide="ignore"):
        return np.argsort(rng.exponential(size=len(share)) / share, kind="stable")
