"""What estimators share: checks of X, and for label distributions what surrounds ``_fit``."""

from contextlib import contextmanager

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin, clone
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_consistent_length,
    check_is_fitted,
)
from sklearn.utils.validation import validate_data as _validate

from ldlrepro.entrance import public
from ldlrepro.metrics import kl_divergence
from ldlrepro.parameter_types import check_parameter_types, check_scored
from ldlrepro.threads import one_blas_thread
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


def seeded(estimator, random_state):
    """A clone of an estimator, with ``random_state`` where that is given and it has one."""
    estimator = clone(estimator)
    if random_state is not None and "random_state" in estimator.get_params():
        estimator.set_params(random_state=random_state)
    return estimator


class ChecksX:
    """Checks of features and names of labels, the same in every estimator."""

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
        checked = self._check_new(X)
        with guarded(self), one_blas_thread(checked):
            P = check_predicted(predict(checked), checked)
        return self._with_names(P, X)

    def _learn_names(self, targets):
        """Set label_names_in_ (c,) from the columns of a DataFrame whose names are all text."""
        columns = getattr(targets, "columns", None)
        if columns is not None and all(isinstance(name, str) for name in columns):
            self.label_names_in_ = np.asarray(columns, dtype=object)
        else:
            self.__dict__.pop("label_names_in_", None)

    def _with_names(self, P, X):
        """P (m, c) as a DataFrame where labels have names, with the index of X if it has one."""
        if not hasattr(self, "label_names_in_"):
            return P
        from pandas import DataFrame  # only who gave a frame waits for the import

        index = X.index if isinstance(X, DataFrame) else None
        return DataFrame(P, index=index, columns=self.label_names_in_)


class LDLEstimator(ChecksX, RegressorMixin, MultiOutputMixin, BaseEstimator):
    """Estimator of label distributions with the scikit-learn API.

    Authors of a method write ``_fit(X, D)`` and ``_predict(X)``; both get checked float64 arrays,
    C-contiguous, and rows of ``D`` that sum to 1. A D that is a DataFrame gives the labels names:
    they are kept as ``label_names_in_``, and predictions are DataFrames with these columns.
    """

    @public
    def fit(self, X, D):
        """Learn from features and label distributions.

        Parameters
        ----------
        X : (n, q) array-like of finite numbers up to 1e30, n >= 2
            Features.
        D : (n, c) array-like, c >= 2, degrees >= 0
            Rows that do not sum to 1 are normalised.

        Returns
        -------
        self : object
            Fitted.

        Raises
        ------
        ValueError
            Naming the first bad row or column, or the parameter that is out of range. Constant
            features and repeated rows are no error.
        TypeError
            Naming a parameter of a wrong type.
        """
        X, D = self._check_both(X, D)
        with guarded(self), one_blas_thread(X):
            self._fit(X, D)
        return self

    def _check_both(self, X, D):
        """X (n, q) and D (n, c) as ``_fit`` gets them; sets n_labels_ and the names of labels."""
        check_given(D)
        check_parameter_types(self)
        check_kind(D, "D")
        X = self._check_X(X, reset=True)
        self._learn_names(D)
        D = check_array(
            D, dtype="float64", order="C", ensure_2d=False, ensure_all_finite=False, input_name="D"
        )
        check_consistent_length(X, D)
        D = check_distributions(D)
        self.n_labels_ = D.shape[1]
        return X, D

    @public
    def predict(self, X):
        """Predict label distributions: (n, q) features in, (n, c) rows on the simplex out.

        A DataFrame with the index of X comes out where D was one in `fit`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            NaN, infinity, another number of features than in ``fit``, or a row that is too far from
            the training rows for a finite prediction.
        """
        return self._checked(self._predict, X)

    @public
    def score(self, X, D, sample_weight=None):
        """Minus the mean K-L divergence of D from the predictions, a float; 0 is best.

        Parameters
        ----------
        X
            As in `predict`.
        D : (m, c) array-like, degrees >= 0
            Rows that do not sum to 1 are normalised.
        sample_weight : (m,) array-like >= 0
            Weights of rows in the mean; None for equal ones.

        Raises
        ------
        ValueError
            Labels with other names or in another order than in ``fit``, weights below 0 or all 0,
            and for the reasons of ``predict``.

        See Also
        --------
        ldlrepro.metrics.get_scorer : The other measures, for `cross_val_score` and searches.
        """
        check_scored(self, D, sample_weight)
        check_kind(D, "D")
        D = check_distributions(np.asarray(D, dtype=np.float64))
        P = np.asarray(self.predict(X))
        check_consistent_length(P, D)
        if P.shape != D.shape:
            raise ValueError(f"D has {D.shape[1]} labels, and {P.shape[1]} were learnt.")
        rows = kl_divergence(D, P, per_row=True)
        return -float(np.average(rows, weights=sample_weight))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags


class RowWeights:
    """``fit`` with weights of rows, before LDLEstimator: for methods that minimise a sum over rows.

    Authors write ``_fit(X, D, weight)``, weight (n,) or None.
    """

    @public
    def fit(self, X, D, sample_weight=None):
        """Learn from features and label distributions.

        Parameters
        ----------
        X : (n, q) array-like of finite numbers up to 1e30, n >= 2
            Features.
        D : (n, c) array-like, c >= 2, degrees >= 0
            Rows that do not sum to 1 are normalised.
        sample_weight : (n,) array-like >= 0 or None
            Weights of the rows, None for 1 each; a row of weight 2 counts as if it were there
            twice, one of weight 0 as if it were not.

        Returns
        -------
        self : object
            Fitted.

        Raises
        ------
        ValueError
            Naming the first bad row or column, or the parameter that is out of range. Constant
            features and repeated rows are no error.
        TypeError
            Naming a parameter of a wrong type.
        """
        X, D = self._check_both(X, D)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        with guarded(self), one_blas_thread(X):
            self._fit(X, D, weight)
        return self


def weigh(A, weight):
    """Rows of A (n, c) times their weights (n,), or A where there are none."""
    return A if weight is None else A * weight[:, None]


def total_of(weight, X):
    """Sum of the weights, or the number of rows of X where there are none."""
    return len(X) if weight is None else weight.sum()
