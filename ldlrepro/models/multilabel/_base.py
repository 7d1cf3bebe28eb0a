"""What every multi-label estimator shares: checks around ``_fit`` and ``_predict_proba``."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin
from sklearn.utils.validation import check_array, check_consistent_length

from ldlrepro.base import ChecksX, guarded
from ldlrepro.entrance import public
from ldlrepro.metrics import hamming_loss
from ldlrepro.parameter_types import check_parameter_types, check_scored
from ldlrepro.threads import one_blas_thread
from ldlrepro.validation import check_finite, check_given, check_kind


class MultiLabelEstimator(ChecksX, ClassifierMixin, MultiOutputMixin, BaseEstimator):
    """Multi-label estimator with the scikit-learn API.

    Authors of a method write ``_fit(X, Y)`` and ``_predict_proba(X)``; X is checked float64,
    C-contiguous, Y (n, c) float64 of 0 and 1. A label that no training row or every one has is
    allowed: methods give it a constant score, or say otherwise. ``score`` is 1 - hamming loss. A Y
    that is a DataFrame gives the labels names: they are kept as ``label_names_in_``, and
    predictions are DataFrames with these columns.
    """

    @public
    def fit(self, X, Y):
        """Learn from features and 0/1 labels.

        Parameters
        ----------
        X : (n, q) array-like of finite numbers up to 1e30, n >= 2
            Features.
        Y : (n, c) array-like of 0 and 1, c >= 1
            Labels, 0 or 1.

        Returns
        -------
        self : object
            Fitted.

        Raises
        ------
        ValueError
            Naming the first bad row or column, or the parameter that is out of range. Constant
            features, repeated rows, and labels that no row or every row has are no error.
        TypeError
            Naming a parameter of a wrong type.
        """
        check_given(Y)
        check_parameter_types(self)
        X = self._check_X(X, reset=True)
        self._learn_names(Y)
        Y = check_labels(Y)
        check_consistent_length(X, Y)
        self.n_labels_ = Y.shape[1]
        # An array, a row a label: scikit-learn then takes scores (m, c) for those of labels.
        self.classes_ = np.tile([0, 1], (self.n_labels_, 1))
        with guarded(self), one_blas_thread(X):
            self._fit(X, Y)
        return self

    @public
    def predict_proba(self, X):
        """Score labels: (n, q) features in, (n, c) float64 out, larger for more relevant labels.

        Raises
        ------
        NotFittedError, ValueError
            For the same reasons as ``predict`` of label distributions.
        """
        return self._checked(self._predict_proba, X)

    @public
    def predict(self, X):
        """Predict labels: (n, c) int64, 1 where ``predict_proba(X) > 0.5``, errors as there."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)

    @public
    def score(self, X, Y, sample_weight=None):
        """Share of entries of Y (m, c) predicted right, a float; 1 is best.

        Parameters
        ----------
        X
            As in `predict`.
        Y : (m, c) array-like of 0 and 1
            Labels, 0 or 1.
        sample_weight : (m,) array-like >= 0
            Weights of rows in the mean; None for equal ones.

        Raises
        ------
        ValueError
            Entries of Y that are not 0 or 1, labels with other names or in another order than in
            ``fit``, weights below 0 or all 0, and for the reasons of ``predict``.
        """
        check_scored(self, Y, sample_weight, "Y")
        P = self.predict(X)
        loss = hamming_loss(Y, P)
        if sample_weight is None:
            return 1.0 - loss
        right = np.asarray(P) == np.asarray(Y)
        return float(np.average(right.mean(axis=1), weights=sample_weight))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def check_whole(estimator, least):
    """Check parameters that are whole numbers.

    least : dict, name of a parameter -> its smallest value; ValueError naming the first that is
    smaller or no integer
    """
    for name, smallest in least.items():
        value = getattr(estimator, name)
        if not isinstance(value, Integral) or value < smallest:
            raise ValueError(f"{name} is {value!r}: expected a whole number, at least {smallest}.")


def check_labels(Y, name="Y"):
    """Return Y as (n, c) float64, C-contiguous; ValueError naming the first entry not 0 or 1."""
    check_kind(Y, name)
    Y = check_array(
        Y, dtype="float64", order="C", ensure_2d=False, ensure_all_finite=False, input_name=name
    )
    if Y.ndim != 2:
        raise ValueError(f"{name} has shape {Y.shape}: expected a column for each label, (n, c).")
    check_finite(Y, name)
    bad = (Y != 0) & (Y != 1)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"{name} row {row}, column {column} is {Y[row, column]:.16g}: labels are 0 or 1."
        )
    return Y
