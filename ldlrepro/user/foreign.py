"""Estimators from elsewhere under this package's API: scikit-learn's, python-ldl's, your own."""

import warnings

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import clone

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import users_settings
from ldlrepro.errors import ProjectedWarning, outside
from ldlrepro.models.multilabel import MultiLabelEstimator
from ldlrepro.validation import check_kind, on_simplex


class OnSimplex(LDLEstimator):
    """Any object with ``fit(X, D)`` and ``predict(X)``, its predictions put on the simplex.

    Negative degrees become 0, rows are divided by their sum, and a row of zeros becomes uniform.

    Parameters
    ----------
    foreign : object
        The object; copied before it is fitted.
    random_state : int or None
        Set where the object has such a parameter and leaves it at None.
    columns : list of str or None
        Names of the features, or None; scikit-learn's own classes then get DataFrames, so that a
        ColumnTransformer finds its columns, and all others arrays.
    labels : list of str or None
        Names of the labels; predictions that are DataFrames with these columns are brought into
        their order.

    Warns
    -----
    ProjectedWarning
        When predictions were off the simplex: the share of rows.

    See Also
    --------
    Scores : The same for multi-label learners.
    """

    def __init__(self, foreign=None, random_state=None, columns=None, labels=None):
        self.foreign, self.random_state = foreign, random_state
        self.columns, self.labels = columns, labels

    def _fit(self, X, D):
        self.fitted_ = _copy(self.foreign, self.random_state)
        with users_settings():
            self.fitted_.fit(_framed(X, self.columns, self.foreign), D)

    def _predict(self, X):
        with users_settings():
            P = self.fitted_.predict(_framed(X, self.columns, self.foreign))
        P = _in_order(P, self.labels, self.foreign)
        check_kind(_dense(P), "P")
        P = np.array(_dense(P), dtype=float)
        expected = (len(X), self.n_labels_)
        if P.shape != expected:
            name = type(self.foreign).__name__
            raise ValueError(f"{name}.predict gave shape {P.shape}: expected {expected}, (n, c).")
        if not np.isfinite(P).all():
            row = int(np.argwhere(~np.isfinite(P))[0, 0])
            raise ValueError(f"{type(self.foreign).__name__}.predict gave NaN or inf in row {row}.")
        P, off = on_simplex(P)
        if off.any():
            warnings.warn(
                "predictions off the simplex: negative degrees were set to 0, rows divided by "
                "their sum",
                ProjectedWarning,
                stacklevel=outside(),
            )
        return P


class Scores(MultiLabelEstimator):
    """Any object with ``fit(X, Y)`` and ``predict_proba(X)`` or ``predict(X)``.

    Scores are the probabilities of a label, as an (n, c) array or as the list of (n, 2) arrays that
    some of scikit-learn's classifiers give, sparse or not; without them the predictions.

    Parameters
    ----------
    foreign, random_state, columns, labels
        As for `OnSimplex`.

    See Also
    --------
    OnSimplex : The same for label distributions.
    """

    def __init__(self, foreign=None, random_state=None, columns=None, labels=None):
        self.foreign, self.random_state = foreign, random_state
        self.columns, self.labels = columns, labels

    def _fit(self, X, Y):
        self.fitted_ = _copy(self.foreign, self.random_state)
        with users_settings():
            self.fitted_.fit(_framed(X, self.columns, self.foreign), Y)

    def _predict_proba(self, X):
        predict = getattr(self.fitted_, "predict_proba", self.fitted_.predict)
        with users_settings():
            S = predict(_framed(X, self.columns, self.foreign))
        S = _in_order(S, self.labels, self.foreign)
        if isinstance(S, list):
            S = self._of_list(S, len(X))
        elif self.n_labels_ == 1 and hasattr(self.fitted_, "predict_proba"):
            S = self._one_label(np.asarray(_dense(S)))
        S = np.array(_dense(S), dtype=float)
        expected = (len(X), self.n_labels_)
        if S.shape != expected or not np.isfinite(S).all():
            name = type(self.foreign).__name__
            raise ValueError(f"{name} gave scores of shape {S.shape}: expected {expected}, finite.")
        return S

    def _of_list(self, S, m):
        """Scores (m, c) of a list with an array a label, a column a class that occurred."""
        S = [np.asarray(_dense(s), dtype=float) for s in S]
        if any(s.ndim != 2 for s in S):  # a row each, or a label each without its classes
            return np.array(S) if len(S) == m else np.column_stack(S)
        classes = getattr(self.fitted_, "classes_", [range(s.shape[1]) for s in S])
        S = [
            s[:, list(k).index(1)] if 1 in k else np.zeros(m)
            for s, k in zip(S, classes, strict=True)
        ]
        return np.column_stack(S)

    def _one_label(self, S):
        """Scores (m, 1) of the one label, of which classifiers make classes, a column each."""
        classes = list(getattr(self.fitted_, "classes_", ()))
        if len(classes) == 1:
            return np.full((len(S), 1), float(classes[0]))
        return S[:, [classes.index(1)]] if S.ndim == 2 and S.shape[1] == len(classes) else S


def _in_order(P, labels, foreign):
    """Predictions with the columns in the order of the labels; others are paired by position."""
    names = getattr(P, "columns", None)
    if names is None or labels is None or not all(isinstance(name, str) for name in names):
        return P
    if sorted(names) != sorted(labels):
        raise ValueError(
            f"{type(foreign).__name__} predicts the columns {', '.join(names)}, and the labels are "
            f"{', '.join(labels)}: name them the same, or predict an array, (n, c)."
        )
    return P[list(labels)]


def _dense(P):
    """What a method predicted as it is, or a sparse matrix as an array."""
    return P.toarray() if issparse(P) else P


def _framed(X, columns, foreign):
    """X (n, q), with the names of its columns for classes of scikit-learn."""
    if columns is None or type(foreign).__module__.partition(".")[0] != "sklearn":
        return X
    return pd.DataFrame(X, columns=columns)


def _copy(foreign, random_state):
    model = clone(foreign, safe=False)
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    if random_state is not None and parameters.get("random_state", 0) is None:
        model.set_params(random_state=random_state)
    return model
