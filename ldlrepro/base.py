"""What estimators share: checks of X, and for label distributions what surrounds ``_fit``."""

from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted
from sklearn.utils.validation import validate_data as _validate

from ldlrepro.validation import (
    check_distributions,
    check_finite,
    check_given,
    check_kind,
    check_predicted,
    check_scale,
)


@contextmanager
def guarded(estimator):
    """Say nothing of what overflows on the way, since predictions are checked; ValueError for
    equations that cannot be solved.
    """
    try:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            yield
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"{type(estimator).__name__} cannot solve its equations for these features ({error}): "
            "scale them to mean 0 and variance 1."
        ) from error


class ChecksX:
    """Checks of features, the same in every estimator."""

    def _check_X(self, X, reset):
        """X (n, q) as float64, C-contiguous; with ``reset`` as seen in `fit`, n >= 2."""
        check_kind(X, "X")
        X = _validate(
            self,
            X,
            reset=reset,
            dtype="float64",
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
        check_finite(X, "X")
        check_scale(X, "X")
        return X

    def _check_new(self, X):
        """X (m, q) as in `fit`, to predict; NotFittedError before `fit`."""
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def _checked(self, predict, X):
        """``predict`` of new features (m, q), checked before, and its answer (m, c) after."""
        X = self._check_new(X)
        with guarded(self):
            return check_predicted(predict(X), X)


class LDLEstimator(ChecksX, RegressorMixin, MultiOutputMixin, BaseEstimator):
    """Estimator of label distributions with the scikit-learn API.

    Authors of a method write ``_fit(X, D)`` and ``_predict(X)``; both get checked float64 arrays,
    C-contiguous, and rows of ``D`` that sum to 1.
    """

    def fit(self, X, D):
        """Learn from features and label distributions.

        Parameters
        ----------
        X : (n, q) array-like of finite numbers up to 1e30, n >= 2
        D : (n, c) array-like, c >= 2, degrees >= 0; rows that do not sum to 1 are normalised

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Naming the first bad row or column, or the parameter that is out of range. Constant
            features and repeated rows are no error.
        """
        check_given(D)
        check_kind(D, "D")
        X = self._check_X(X, reset=True)
        D = check_array(
            D, dtype="float64", order="C", ensure_2d=False, ensure_all_finite=False, input_name="D"
        )
        check_consistent_length(X, D)
        D = check_distributions(D)
        self.n_labels_ = D.shape[1]
        with guarded(self):
            self._fit(X, D)
        return self

    def predict(self, X):
        """Predict label distributions: (n, q) features in, (n, c) rows on the simplex out.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            NaN, infinity, another number of features than in ``fit``, or a row that is too far from
            the training rows for a finite prediction.
        """
        return self._checked(self._predict, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags
