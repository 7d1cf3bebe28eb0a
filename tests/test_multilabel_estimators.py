"""One contract for every multi-label estimator: shapes, seeds, bad input, pickles."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ldlrepro
from ldlrepro.models.multilabel._base import MultiLabelEstimator

pytestmark = pytest.mark.jit_only("of the interface: kernels have tests of their own")
ESTIMATORS = {
    name: getattr(ldlrepro, name)()
    for name in ldlrepro.__all__
    if isinstance(getattr(ldlrepro, name), type)
    and issubclass(getattr(ldlrepro, name), MultiLabelEstimator)
}
SMALL = {
    "n_estimators": 5,
    "more_estimators": 0,
    "max_layers": 3,
    "rbm_epochs": 4,
}
NEARLY = {"DBPNN", "MLFE"}  # learn labels of one class as any other: no constant score
rng = np.random.RandomState(0)
X = np.hstack([rng.normal(size=(60, 4)), rng.randint(0, 2, size=(60, 2))])
Y = (X @ rng.normal(size=(6, 4)) + 0.5 * rng.normal(size=(60, 4)) > 0.5).astype(int)


def small(name, **more):
    estimator = clone(ESTIMATORS[name])
    known = estimator.get_params()
    return estimator.set_params(**{k: v for k, v in (SMALL | more).items() if k in known})


def test_the_forests_and_mldf_are_here():
    assert {"RFPCT", "ERFPCT", "RFMLC45", "ERFMLC45", "MLDF", "MLDFSuite"} <= set(ESTIMATORS)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_scores_and_labels(name):
    fitted = small(name, random_state=0).fit(X.tolist(), Y.tolist())
    S, P = fitted.predict_proba(X[:20]), fitted.predict(X[:20])
    assert S.shape == P.shape == (20, 4)
    assert S.dtype == np.float64 and np.isfinite(S).all()
    np.testing.assert_array_equal(P, (S > 0.5).astype(int))
    assert set(np.unique(P)) <= {0, 1}
    assert fitted.score(X, Y) == pytest.approx((fitted.predict(X) == Y).mean())
    assert fitted.score(X, Y) >= 1 - Y.mean()  # no worse than no label for any row


@pytest.mark.parametrize("name", ESTIMATORS)
def test_same_seed_same_numbers_and_fit_forgets(name):
    one, again = small(name, random_state=3), small(name, random_state=3)
    again.fit(X[:, :5], 1 - Y)  # a fit before leaves no trace
    P = one.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(again.fit(X, Y).predict_proba(X), P)
    np.testing.assert_array_equal(clone(one).fit(X, Y).predict_proba(X), P)
    before = one.get_params()
    assert clone(one).get_params() == before


@pytest.mark.parametrize(
    "name", [name for name, e in ESTIMATORS.items() if "n_jobs" in e.get_params()]
)
def test_numbers_do_not_depend_on_n_jobs(name):
    one, two = (small(name, random_state=3, n_jobs=n).fit(X, Y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_forests_have_n_jobs():
    for name in ("RFPCT", "ERFPCT", "RFMLC45", "ERFMLC45", "MLDF", "MLDFSuite"):
        assert ESTIMATORS[name].get_params()["n_jobs"] is None


@pytest.mark.parametrize("name", ESTIMATORS)
def test_other_seed_other_numbers(name):
    if "random_state" not in ESTIMATORS[name].get_params():
        pytest.skip("draws nothing")
    a, b = (small(name, random_state=s).fit(X, Y).predict_proba(X) for s in (0, 1))
    assert np.abs(a - b).max() > 1e-9


@pytest.mark.parametrize("name", ESTIMATORS)
def test_input_is_left_as_it_was(name):
    X_before, Y_before = X.copy(), Y.copy()
    small(name, random_state=0).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(Y, Y_before)


def broken(A, row, column, value):
    A = A.astype(float)
    A[row, column] = value
    return A


BAD = {
    "NaN in X": (broken(X, 7, 1, np.nan), Y, r"X contains NaN at row 7, column 1"),
    "infinity in X": (broken(X, 7, 1, np.inf), Y, r"X contains infinity.*row 7"),
    "NaN in Y": (X, broken(Y, 3, 2, np.nan), r"Y contains NaN at row 3, column 2"),
    "a label of 2": (X, broken(Y, 5, 0, 2), r"Y row 5, column 0 is 2: labels are 0 or 1"),
    "a label of 0.5": (X, broken(Y, 5, 3, 0.5), r"Y row 5, column 3 is 0.5: labels are 0 or 1"),
    "a label of -1": (X, broken(Y, 5, 3, -1), r"Y row 5, column 3 is -1: labels are 0 or 1"),
    "lengths": (X[:-1], Y, r"inconsistent numbers of samples: \[59, 60\]"),
    "one row": (X[:1], Y[:1], r"1 sample"),
    "labels in one dimension": (X, Y[:, 0], r"Y has shape \(60,\): expected a column for each"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_bad_input_names_the_place(name, case):
    X_bad, Y_bad, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        small(name).fit(X_bad, Y_bad)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_predict_wants_a_fit_and_the_same_features(name):
    with pytest.raises(NotFittedError):
        small(name).predict(X)
    with pytest.raises(NotFittedError):
        small(name).predict_proba(X)
    fitted = small(name, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="X has 5 features, but .* is expecting 6"):
        fitted.predict(X[:, :5])
    with pytest.raises(ValueError, match="X contains NaN at row 4, column 0"):
        fitted.predict_proba(broken(X, 4, 0, np.nan))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_labels_of_one_class_are_predicted(name):
    truth = Y.copy()
    truth[:, 1], truth[:, 3] = 0, 1
    fitted = small(name, random_state=0).fit(X, truth)
    S = fitted.predict_proba(X)
    assert np.isfinite(S).all()
    if name not in NEARLY:
        assert np.ptp(S[:, [1, 3]], axis=0).max() == 0
    np.testing.assert_array_equal(fitted.predict(X)[:, [1, 3]], truth[:, [1, 3]])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_constant_features_and_repeated_rows_are_fitted(name):
    flat = np.hstack([X, np.full((60, 1), 3.0)])
    fitted = small(name, random_state=0).fit(np.vstack([flat, flat]), np.vstack([Y, Y]))
    assert np.isfinite(fitted.predict_proba(flat)).all()
    same = small(name, random_state=0).fit(np.ones((60, 2)), Y).predict_proba(np.ones((3, 2)))
    np.testing.assert_allclose(same, np.tile(same[0], (3, 1)))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pandas_and_other_types_of_labels(name):
    P = small(name, random_state=0).fit(X, Y).predict_proba(X)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    labels = pd.DataFrame(Y, columns=list("klmn"))
    fitted = small(name, random_state=0).fit(frame, labels)
    np.testing.assert_array_equal(fitted.predict_proba(frame), P)
    assert list(fitted.feature_names_in_) == list("abcdef")
    for kind in (bool, np.int8, float):
        again = small(name, random_state=0).fit(X, Y.astype(kind))
        np.testing.assert_array_equal(again.predict_proba(X), P)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pickle_keeps_predictions(name):
    fitted = small(name, random_state=0).fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
