"""One contract for every estimator: scikit-learn's checks, bad input, seeds, pickles."""

import pickle
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

import ldlrepro
from ldlrepro import CCA
from ldlrepro.base import LDLEstimator
from ldlrepro.datasets import make_toy
from ldlrepro.discovery import all_estimators
from ldlrepro.errors import NormalisationWarning
from ldlrepro.models.multilabel import MultiLabelEstimator

SMALL = {
    "n_estimators": 5,
    "more_estimators": 0,
    "max_layers": 3,
    "rbm_epochs": 4,
    # Deep models take features where they have no trunk; test_deep.py has them on images.
    "trunk": None,
    "epochs": 3,
}
#: Many steps say no more about the interface than few.
FEW_STEPS = {"LDLForest": 20, "NDFLDL": 20, "SAIIS": 20, "LDLLCLR": 5, "CPNN": 20}
EVERY = {name: cls() for name, cls in all_estimators()}
if find_spec("torch") is None:
    EVERY = {n: e for n, e in EVERY.items() if "trunk" not in e.get_params()}
LDL = [n for n, e in EVERY.items() if isinstance(e, LDLEstimator)]
MULTILABEL = [n for n, e in EVERY.items() if isinstance(e, MultiLabelEstimator)]
PREDICTORS = [*LDL, *MULTILABEL]
TRANSFORMERS = [n for n in EVERY if n not in PREDICTORS]
SEEDED = [n for n in PREDICTORS if "random_state" in EVERY[n].get_params()]
THREADED = [n for n in PREDICTORS if "n_jobs" in EVERY[n].get_params()]
NEARLY = {"DBPNN", "MLFE"}  # learn labels of one class as any other: no constant score

toy = make_toy(n_train=80, random_state=0)
rng = np.random.RandomState(0)
X_LABELS = np.hstack([rng.normal(size=(60, 4)), rng.randint(0, 2, size=(60, 2))])
Y = (X_LABELS @ rng.normal(size=(6, 4)) + 0.5 * rng.normal(size=(60, 4)) > 0.5).astype(int)


def small(name, **more):
    estimator = clone(EVERY[name])
    if name in ("RaisedZeros", "Shrunk"):
        estimator.set_params(estimator=ldlrepro.SingleLabelRF(n_estimators=5))
    if name in FEW_STEPS:
        estimator.set_params(max_iter=FEW_STEPS[name])
    known = estimator.get_params()
    return estimator.set_params(**{k: v for k, v in (SMALL | more).items() if k in known})


def data(name):
    """Features and targets of a predictor's task."""
    return (X_LABELS, Y) if name in MULTILABEL else (toy.X, toy.D)


def scores(fitted, X):
    """Distributions, or the scores of labels."""
    predict = fitted.predict_proba if hasattr(fitted, "predict_proba") else fitted.predict
    return np.asarray(predict(X))


# --- scikit-learn's own checks ----------------------------------------------------------------


def _two_columns(y):
    """The checks hand over one column of targets, and a label distribution has at least two."""
    y = np.asarray(y)
    y = y[:, None] if y.ndim == 1 else y  # as the checks of transformers do
    if y.ndim == 2 and y.shape[1] == 1 and y.dtype.kind in "iufO":
        y = np.abs(y.astype(float))
        y = np.hstack([y, np.full_like(y, 1 + np.nan_to_num(y, posinf=0).max(initial=0))])
    return y


def _with_second_label(cls):
    def fit(self, X, y=None):
        return cls.fit(self, X, None if y is None else _two_columns(y))

    def weighted(self, X, y=None, sample_weight=None):
        return cls.fit(self, X, None if y is None else _two_columns(y), sample_weight)

    def score(self, X, y):
        return cls.score(self, X, _two_columns(y))

    fit = weighted if has_fit_parameter(cls, "sample_weight") else fit
    name = f"{cls.__name__}OfTwoColumns"
    globals()[name] = type(name, (cls,), {"fit": fit, "score": score, "__module__": __name__})
    return globals()[name]


REGRESSORS_FAIL = {
    "check_regressor_multioutput": "draws negative targets; degrees are 0 or more",
    "check_regressors_train": "wants one predicted column for the one that it hands over",
}
TRANSFORMERS_FAIL = {"check_fit_score_takes_y": "the second argument is D"}
_WHY = "scikit-learn knows its own CCA by this name, and that one embeds the targets too"
CCA_FAILS = {"check_transformer_general": _WHY, "check_transformer_data_not_an_array": _WHY}


def check(estimator, expected):
    """Run all checks of scikit-learn; the first that fails unexpectedly raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        results = check_estimator(
            estimator, expected_failed_checks=expected, on_skip=None, on_fail="raise"
        )
    assert sum(result["status"] == "passed" for result in results) > 30


#: One deep model stands for the three with every change: each takes as long as ten others.
NIGHTLY = ("DeepLDLForest", "DeepNDFLDL")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in NIGHTLY)) for n in LDL]
)
def test_scikit_learn_checks_of_label_distributions(name):
    cls = _with_second_label(type(EVERY[name]))
    check(cls(**small(name).get_params(deep=False)), REGRESSORS_FAIL)


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_scikit_learn_checks_of_transformers(name):
    check(EVERY[name], TRANSFORMERS_FAIL | (CCA_FAILS if type(EVERY[name]) is CCA else {}))


# --- what is predicted ------------------------------------------------------------------------


@pytest.mark.parametrize("name", LDL)
def test_predicts_distributions(name):
    P = small(name).fit(toy.X.tolist(), toy.D.tolist()).predict(toy.X_test)
    assert P.shape == toy.D_test.shape
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("name", MULTILABEL)
def test_predicts_scores_and_labels(name):
    fitted = small(name, random_state=0).fit(X_LABELS.tolist(), Y.tolist())
    S, P = fitted.predict_proba(X_LABELS[:20]), fitted.predict(X_LABELS[:20])
    assert S.shape == P.shape == (20, 4)
    assert S.dtype == np.float64 and np.isfinite(S).all()
    np.testing.assert_array_equal(P, (S > 0.5).astype(int))
    assert set(np.unique(P)) <= {0, 1}
    assert fitted.score(X_LABELS, Y) == pytest.approx((fitted.predict(X_LABELS) == Y).mean())
    assert fitted.score(X_LABELS, Y) >= 1 - Y.mean()  # no worse than no label for any row


@pytest.mark.parametrize("name", MULTILABEL)
def test_labels_of_one_class_are_predicted(name):
    truth = Y.copy()
    truth[:, 1], truth[:, 3] = 0, 1
    fitted = small(name, random_state=0).fit(X_LABELS, truth)
    S = fitted.predict_proba(X_LABELS)
    assert np.isfinite(S).all()
    if name not in NEARLY:
        assert np.ptp(S[:, [1, 3]], axis=0).max() == 0
    np.testing.assert_array_equal(fitted.predict(X_LABELS)[:, [1, 3]], truth[:, [1, 3]])


@pytest.mark.parametrize("name", PREDICTORS)
def test_constant_features_and_repeated_rows_are_fitted(name):
    X, T = data(name)
    wide = np.hstack([X, np.full((len(X), 1), 3.0)])
    fitted = small(name, random_state=0).fit(np.vstack([wide, wide]), np.vstack([T, T]))
    assert np.isfinite(scores(fitted, wide)).all()
    flat = scores(small(name, random_state=0).fit(np.ones_like(wide), T), np.ones_like(wide[:3]))
    assert np.isfinite(flat).all()
    np.testing.assert_allclose(flat, np.tile(flat[0], (3, 1)))


@pytest.mark.parametrize("name", LDL)
def test_rows_that_do_not_sum_to_1_are_normalised_with_one_warning(name):
    D = toy.D.copy()
    D[:4] *= 2
    D[2] *= 2
    with pytest.warns(NormalisationWarning, match=r"4 of 80 .*row 2, sum 4\)") as caught:
        P = small(name, random_state=0).fit(toy.X, D).predict(toy.X)
    assert len([w for w in caught if w.category is NormalisationWarning]) == 1
    same = small(name, random_state=0).fit(toy.X, toy.D).predict(toy.X)
    np.testing.assert_allclose(P, same, atol=1e-9)


# --- bad input --------------------------------------------------------------------------------


def broken(A, row, column, value):
    A = A.astype(float)
    A[row, column] = value
    return A


BAD_LDL = {
    "NaN in X": (lambda X, D: (broken(X, 7, 1, np.nan), D), r"X contains NaN at row 7, column 1"),
    "infinity in X": (lambda X, D: (broken(X, 7, 1, np.inf), D), r"X contains infinity.*row 7"),
    "NaN in D": (lambda X, D: (X, broken(D, 3, 2, np.nan)), r"D contains NaN at row 3, column 2"),
    "infinity in D": (lambda X, D: (X, broken(D, 3, 2, np.inf)), r"D contains infinity.*row 3"),
    "negative degree": (lambda X, D: (X, broken(D, 5, 0, -0.1)), r"row 5, column 0 is -0.1"),
    "row of zeros": (lambda X, D: (X, broken(D, 5, slice(None), 0)), r"D row 5 is all zero"),
    "lengths": (lambda X, D: (X[:-1], D), r"inconsistent numbers of samples: \[79, 80\]"),
    "one row": (lambda X, D: (X[:1], D[:1]), r"1 sample"),
    "one label": (lambda X, D: (X, D[:, :1]), r"1 label: .*at least 2"),
    "labels in one dimension": (lambda X, D: (X, D[:, 0]), r"expected rows of c >= 2"),
}
BAD_LABELS = {
    "NaN in X": (lambda X, Y: (broken(X, 7, 1, np.nan), Y), r"X contains NaN at row 7, column 1"),
    "infinity in X": (lambda X, Y: (broken(X, 7, 1, np.inf), Y), r"X contains infinity.*row 7"),
    "NaN in Y": (lambda X, Y: (X, broken(Y, 3, 2, np.nan)), r"Y contains NaN at row 3, column 2"),
    "2": (lambda X, Y: (X, broken(Y, 5, 0, 2)), r"Y row 5, column 0 is 2: labels are 0 or 1"),
    "0.5": (lambda X, Y: (X, broken(Y, 5, 3, 0.5)), r"Y row 5, column 3 is 0.5: labels are 0 or 1"),
    "-1": (lambda X, Y: (X, broken(Y, 5, 3, -1)), r"Y row 5, column 3 is -1: labels are 0 or 1"),
    "lengths": (lambda X, Y: (X[:-1], Y), r"inconsistent numbers of samples: \[59, 60\]"),
    "one row": (lambda X, Y: (X[:1], Y[:1]), r"1 sample"),
    "labels in one dimension": (lambda X, Y: (X, Y[:, 0]), r"Y has shape \(60,\): expected a col"),
}


@pytest.mark.parametrize("name", PREDICTORS)
def test_bad_input_names_the_place(name):
    for case, (spoil, message) in (BAD_LABELS if name in MULTILABEL else BAD_LDL).items():
        X, T = spoil(*data(name))
        with pytest.raises(ValueError, match=message):
            small(name).fit(X, T)
            pytest.fail(f"{case} is taken")


@pytest.mark.parametrize("name", PREDICTORS)
def test_predict_wants_a_fit_and_the_same_features(name):
    X, T = data(name)
    with pytest.raises(NotFittedError):
        small(name).predict(X)
    with pytest.raises(NotFittedError):
        scores(small(name), X)
    fitted, q = small(name, random_state=0).fit(X, T), X.shape[1]
    with pytest.raises(ValueError, match=f"X has {q - 1} features, but .* is expecting {q}"):
        fitted.predict(X[:, :-1])
    with pytest.raises(ValueError, match="X contains NaN at row 4, column 0"):
        scores(fitted, broken(X, 4, 0, np.nan))


# --- seeds, copies, types ---------------------------------------------------------------------


@pytest.mark.parametrize("name", PREDICTORS)
def test_a_fit_repeats_forgets_and_leaves_its_input_alone(name):
    X, T = (A.copy() for A in data(name))
    X_before, T_before = X.copy(), T.copy()
    one, again = small(name, random_state=3), small(name, random_state=3)
    other = 1 - T if name in MULTILABEL else T[:, ::-1]
    again.fit(X[:, :-1], other)  # a fit before leaves no trace
    before = repr(one.get_params())
    P = scores(one.fit(X, T), X)
    np.testing.assert_array_equal(scores(again.fit(X, T), X), P)
    assert repr(clone(one).get_params()) == before
    np.testing.assert_array_equal(scores(pickle.loads(pickle.dumps(one)), X), P)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(T, T_before)
    X += 5  # a change afterwards reaches no model
    T[:] = other
    np.testing.assert_array_equal(scores(one, X_before), P)


@pytest.mark.parametrize("name", SEEDED)
def test_another_seed_gives_other_numbers(name):
    X, T = data(name)
    a, b = (scores(small(name, random_state=s, init="random").fit(X, T), X) for s in (3, 4))
    assert np.abs(a - b).max() > 1e-9


@pytest.mark.parametrize("name", THREADED)
def test_numbers_do_not_depend_on_n_jobs(name):
    X, T = data(name)
    one, two = (small(name, random_state=3, n_jobs=n).fit(X, T) for n in (1, 2))
    np.testing.assert_array_equal(scores(one, X), scores(two, X))


def test_forests_have_n_jobs():
    assert {"StructRF", "RFPCT", "ERFPCT", "RFMLC45", "ERFMLC45", "MLDF", "MLDFSuite"} <= {
        *THREADED
    }
    assert all(EVERY[name].get_params()["n_jobs"] is None for name in THREADED)


@pytest.mark.parametrize("name", MULTILABEL)
def test_pandas_and_other_types_of_labels(name):
    P = small(name, random_state=0).fit(X_LABELS, Y).predict_proba(X_LABELS)
    frame = pd.DataFrame(X_LABELS, columns=list("abcdef"))
    labels = pd.DataFrame(Y, columns=list("klmn"))
    fitted = small(name, random_state=0).fit(frame, labels)
    np.testing.assert_array_equal(fitted.predict_proba(frame), P)
    assert list(fitted.feature_names_in_) == list("abcdef")
    for kind in (bool, np.int8, float):
        again = small(name, random_state=0).fit(X_LABELS, Y.astype(kind))
        np.testing.assert_array_equal(again.predict_proba(X_LABELS), P)
