"""Estimators from elsewhere under this package's API: scikit-learn's, python-ldl's, your own."""

import inspect
import warnings
from contextlib import contextmanager, suppress

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
)
from sklearn.utils.metadata_routing import get_routing_for_object

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import users_settings
from ldlrepro.errors import ProjectedWarning, outside
from ldlrepro.models.multilabel import MultiLabelEstimator
from ldlrepro.validation import check_kind, on_simplex

#: Searches of scikit-learn that hand the groups of their ``fit`` to their folds.
_SEARCHES = (GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV, HalvingRandomSearchCV, RFECV)


class OnSimplex(LDLEstimator):
    """Any object with ``fit(X, D)`` and ``predict(X)``, its predictions put on the simplex.

    Negative degrees become 0, rows are divided by their sum, and a row of zeros becomes uniform.

    Parameters
    ----------
    foreign : object
        The object; copied before it is fitted.
    random_state : int or None
        Set where the object, or one inside it, has such a parameter and leaves it at None. Of a
        class without ``get_params``, the attribute of that name counts.
    columns : list of str or None
        Names of the features, or None; scikit-learn's own classes then get DataFrames, so that a
        ColumnTransformer finds its columns, and all others arrays.
    labels : list of str or None
        Names of the labels; predictions that are DataFrames with these columns are brought into
        their order.
    groups : (n,) array or None
        Which rows of the X of ``fit`` belong together; goes to a search over parameters, and to a
        ``fit`` that has an argument of this name.

    Warns
    -----
    ProjectedWarning
        When predictions were off the simplex: the share of rows.

    See Also
    --------
    Scores : The same for multi-label learners.
    """

    def __init__(self, foreign=None, random_state=None, columns=None, labels=None, groups=None):
        self.foreign, self.random_state = foreign, random_state
        self.columns, self.labels, self.groups = columns, labels, groups

    def _fit(self, X, D):
        self.fitted_ = _copy(self.foreign, self.random_state)
        with users_settings():
            X = _framed(X, self.columns, self.foreign)
            self.fitted_.fit(X, D, **_groups_for(self.fitted_, self.groups))

    def _predict(self, X):
        with users_settings():
            P = self.fitted_.predict(_framed(X, self.columns, self.foreign))
        P = _in_order(P, self.labels, self.foreign)
        who = f"{type(self.foreign).__name__}.predict"
        with _told(who, P):
            P = _numbers(P)
        P, off = on_simplex(_checked(P, who, (len(X), self.n_labels_)))
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
    foreign, random_state, columns, labels, groups
        As for `OnSimplex`.

    See Also
    --------
    OnSimplex : The same for label distributions.
    """

    def __init__(self, foreign=None, random_state=None, columns=None, labels=None, groups=None):
        self.foreign, self.random_state = foreign, random_state
        self.columns, self.labels, self.groups = columns, labels, groups

    def _fit(self, X, Y):
        self.fitted_ = _copy(self.foreign, self.random_state)
        with users_settings():
            X = _framed(X, self.columns, self.foreign)
            self.fitted_.fit(X, Y, **_groups_for(self.fitted_, self.groups))

    def _predict_proba(self, X):
        name = "predict_proba" if hasattr(self.fitted_, "predict_proba") else "predict"
        with users_settings():
            S = getattr(self.fitted_, name)(_framed(X, self.columns, self.foreign))
        S = _in_order(S, self.labels, self.foreign)
        who = f"{type(self.foreign).__name__}.{name}"
        with _told(who, S):
            if isinstance(S, list):
                S = self._of_list(S, len(X))
            elif self.n_labels_ == 1 and name == "predict_proba":
                S = self._one_label(np.asarray(_dense(S)))
            S = _numbers(S)
        return _checked(S, who, (len(X), self.n_labels_))

    def _of_list(self, S, m):
        """Scores (m, c) of a list with an array a label, a column a class that occurred."""
        S = [_numbers(s) for s in S]
        if any(s.ndim != 2 for s in S):  # a row each, or a label each without its classes
            return np.array(S) if len(S) == m else np.column_stack(S)
        classes = getattr(self.fitted_, "classes_", None)
        if classes is None:
            classes = [range(s.shape[1]) for s in S]
            if any(s.shape[1] == 1 for s in S):
                raise ValueError(
                    "of a label with one column the class is not known. Give probabilities of 1 as "
                    "an array (n, c), or an attribute classes_, a list with the classes of each "
                    "label"
                )
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


def _numbers(P):
    """What a method predicted as an array of floats; raises what a user's object may raise."""
    check_kind(_dense(P), "prediction")
    return np.array(_dense(P), dtype=float)


@contextmanager
def _told(who, P):
    """ValueError that says whose prediction P is, where it is no array of numbers."""
    try:
        yield
    except Exception as error:  # whatever a user's object makes of it
        kind = type(P).__name__
        raise ValueError(
            f"{who} gave no array of numbers, (n, c), but a {kind}: {error}"
        ) from error


def _checked(P, who, expected):
    """Predictions P; ValueError where they have another shape than expected, or are not finite."""
    if P.shape != expected:
        raise ValueError(f"{who} gave shape {P.shape}: expected {expected}, (n, c).")
    if not np.isfinite(P).all():
        row = int(np.argwhere(~np.isfinite(P))[0, 0])
        raise ValueError(f"{who} gave NaN or inf in row {row}.")
    return P


def _framed(X, columns, foreign):
    """X (n, q), with the names of its columns for classes of scikit-learn."""
    if columns is None or type(foreign).__module__.partition(".")[0] != "sklearn":
        return X
    return pd.DataFrame(X, columns=columns)


def _groups_for(model, groups):
    """Groups of the training rows as arguments of ``fit``, where the model takes them."""
    return {"groups": groups} if groups is not None and takes_groups(model) else {}


def takes_groups(model):
    """Whether ``fit`` has an argument ``groups``, or is a search's that hands groups to its folds.

    With metadata routing on, a search takes groups only where its folds ask for them.
    """
    parameters = {}
    with suppress(TypeError, ValueError):  # of what has no signature
        parameters = inspect.signature(model.fit).parameters
    if "groups" in parameters:
        return True
    is_open = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    if not (is_open and isinstance(model, _SEARCHES)):
        return False
    if not get_config()["enable_metadata_routing"]:
        return True
    return bool(get_routing_for_object(model.cv).consumes("split", ["groups"]))


def warn_of_folds(model):
    """Warn of each object in a method that draws folds of its rows and gets no groups."""
    parameters = _parameters(model)
    for name in parameters:
        owner, _, last = name.rpartition("__")
        if last == "cv" and (owner or not takes_groups(model)):
            kind = type(parameters[owner] if owner else model).__name__
            warnings.warn(
                f"{kind} gets no groups, so that its own folds may part the rows of a group",
                UserWarning,
                stacklevel=outside(),
            )


def _parameters(model):
    """Parameters by name; of a plain class, of the estimators that it holds."""
    if hasattr(model, "get_params"):
        return model.get_params()
    found = {}
    for name, inner in getattr(model, "__dict__", {}).items():
        if hasattr(inner, "get_params") and not isinstance(inner, type):
            found |= {name: inner} | {f"{name}__{k}": v for k, v in inner.get_params().items()}
    return found


def _copy(foreign, random_state):
    """A copy that is not fitted, seeded where it leaves ``random_state`` at None."""
    model = clone(foreign, safe=False)
    if random_state is None:
        return model
    if hasattr(model, "get_params"):
        parameters = model.get_params()
        unset = [name for name, value in parameters.items() if value is None and _is_seed(name)]
        if unset:
            model.set_params(**dict.fromkeys(unset, random_state))
        return model
    if getattr(model, "random_state", 0) is None:
        model.random_state = random_state
    for inner in getattr(model, "__dict__", {}).values():  # estimators that it holds
        if hasattr(inner, "get_params") and not isinstance(inner, type):
            unset = [k for k, v in inner.get_params().items() if v is None and _is_seed(k)]
            inner.set_params(**dict.fromkeys(unset, random_state))
    return model


def _is_seed(name):
    """Whether a parameter is a seed, of the object itself or of one inside it."""
    return name.rpartition("__")[2] == "random_state"
