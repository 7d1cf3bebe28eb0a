"""One contract for every estimator: scikit-learn's checks, bad input, seeds, pickles."""

import pickle
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import has_fit_parameter

import ldlrepro
from ldlrepro.base import LDLEstimator
from ldlrepro.datasets import make_toy
from ldlrepro.errors import NormalisationWarning

pytestmark = pytest.mark.jit_only("of the interface: kernels have tests of their own")
ESTIMATORS = {
    name: getattr(ldlrepro, name)()
    for name in ldlrepro.__all__
    if isinstance(getattr(ldlrepro, name), type)
    and issubclass(getattr(ldlrepro, name), LDLEstimator)
}
if find_spec("torch") is None:
    ESTIMATORS = {n: e for n, e in ESTIMATORS.items() if "trunk" not in e.get_params()}
#: Deep models take features where they have no trunk; test_deep.py has them on images.
DEEP = {"trunk": None, "epochs": 3}
SMALL = DEEP | {"n_estimators": 5}
SEEDED = [n for n, e in ESTIMATORS.items() if "random_state" in e.get_params()]
toy = make_toy(n_train=80, random_state=0)


def small(name, **more):
    estimator = clone(ESTIMATORS[name])
    if name in ("RaisedZeros", "Shrunk"):
        estimator.set_params(estimator=ldlrepro.SingleLabelRF(n_estimators=5))
    known = estimator.get_params()
    return estimator.set_params(**{k: v for k, v in (SMALL | more).items() if k in known})


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


EXPECTED_FAILURES = {
    "check_regressor_multioutput": "draws negative targets; degrees are 0 or more",
    "check_regressors_train": "wants one predicted column for the one that it hands over",
}


@parametrize_with_checks(
    [_with_second_label(type(e))(**small(n).get_params(deep=False)) for n, e in ESTIMATORS.items()],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learn_contract(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        check(estimator)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_predicts_distributions(name):
    P = small(name).fit(toy.X.tolist(), toy.D.tolist()).predict(toy.X_test)
    assert P.shape == toy.D_test.shape
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)


def broken(A, row, column, value):
    A = A.copy()
    A[row, column] = value
    return A


BAD = {
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


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_bad_input_names_the_place(name, case):
    spoil, message = BAD[case]
    X, D = spoil(toy.X, toy.D)
    with pytest.raises(ValueError, match=message):
        small(name).fit(X, D)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_predict_wants_a_fit_and_the_same_features(name):
    with pytest.raises(NotFittedError):
        small(name).predict(toy.X)
    fitted = small(name).fit(toy.X, toy.D)
    with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3"):
        fitted.predict(toy.X[:, :2])
    with pytest.raises(ValueError, match="X contains NaN at row 4, column 0"):
        fitted.predict(broken(toy.X, 4, 0, np.nan))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_constant_features_and_repeated_rows_are_fitted(name):
    X = np.hstack([toy.X, np.full((len(toy.X), 1), 3.0)])
    fitted = small(name).fit(np.vstack([X, X]), np.vstack([toy.D, toy.D]))
    assert np.isfinite(fitted.predict(X)).all()
    flat = small(name).fit(np.ones_like(X), toy.D).predict(X[:3] * 0 + 1)
    assert np.isfinite(flat).all()
    np.testing.assert_allclose(flat, np.tile(flat[0], (3, 1)))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_rows_that_do_not_sum_to_1_are_normalised_with_one_warning(name):
    D = toy.D.copy()
    D[:4] *= 2
    D[2] *= 2
    with pytest.warns(NormalisationWarning, match=r"4 of 80 .*row 2, sum 4\)") as caught:
        P = small(name, random_state=0).fit(toy.X, D).predict(toy.X)
    assert len([w for w in caught if w.category is NormalisationWarning]) == 1
    same = small(name, random_state=0).fit(toy.X, toy.D).predict(toy.X)
    np.testing.assert_allclose(P, same, atol=1e-9)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pickle_keeps_predictions(name):
    fitted = small(name, random_state=0).fit(toy.X, toy.D)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(toy.X_test), fitted.predict(toy.X_test))


@pytest.mark.parametrize("name", SEEDED)
def test_same_seed_same_numbers_whatever_n_jobs(name):
    one = small(name, random_state=3, n_jobs=1, init="random").fit(toy.X, toy.D).predict(toy.X)
    two = small(name, random_state=3, n_jobs=2, init="random").fit(toy.X, toy.D).predict(toy.X)
    other = small(name, random_state=4, n_jobs=1, init="random").fit(toy.X, toy.D).predict(toy.X)
    np.testing.assert_array_equal(one, two)
    assert np.abs(one - other).max() > 1e-9
