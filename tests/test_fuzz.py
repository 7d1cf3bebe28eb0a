"""Odd data through every estimator and measure: a good answer, or an error that names the place.

Quick and the same every time by default; ``LDLREPRO_FUZZ=10000 pytest tests/test_fuzz.py`` draws
that many cases for all estimators together, new ones each time.
"""

import os
import re
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ldlrepro
from ldlrepro import errors, metrics

#: Smallest settings of each parameter: the cases are about numbers, not about learning.
SMALL = {
    "batch_size": 8,
    "draws": 1,
    "epochs": 2,
    "growth": False,
    "k_plus": 1,
    "max_iter": 5,
    "max_layers": 2,
    "n_estimators": 2,
    "n_hidden": 3,
    "random_state": 0,
    "rbm_epochs": 5,
}
TASKS = {n: task for task in ("ldl", "multilabel", "age") for n, _ in ldlrepro.all_estimators(task)}
CASES = int(os.environ.get("LDLREPRO_FUZZ", 0))
PROFILE = settings(
    max_examples=max(CASES // len(TASKS), 1) if CASES else 15,
    derandomize=not CASES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Case:
    """What is odd about one data set; ``data`` makes it."""

    n: int
    q: int
    c: int
    exponent: int  # of ten, the scale of the features
    columns: str
    rows: str
    targets: str
    form: str
    far: float
    seed: int

    @np.errstate(over="ignore", under="ignore")
    def data(self, task):
        """Features, targets, new features."""
        rng = np.random.default_rng(self.seed)
        X = rng.normal(size=(self.n, self.q))
        if self.columns == "constant":
            X[:, 0] = 3
        elif self.columns == "all constant":
            X[:] = X[0]
        elif self.columns == "mixed scales":
            X *= np.logspace(-6, 6, self.q)
        elif self.columns == "two values":
            X = np.sign(X)
        elif self.columns == "far from 0":
            X += 1e8
        if self.rows == "repeated":
            X[self.n // 2 :] = X[0]
        elif self.rows == "one far":
            X[-1] *= 1e12
        X *= 10.0**self.exponent
        new = np.vstack([X[: self.n // 2 + 1] * self.far, X[:2]])
        targets = self.labels(rng) if task == "multilabel" else self.degrees(rng)
        return self.formed(X), self.formed(targets), self.formed(new)

    def degrees(self, rng):
        D = rng.dirichlet(np.full(self.c, 0.5), self.n)
        top = np.eye(self.c)[D.argmax(axis=1)]
        return {
            "any": D,
            "one-hot": top,
            "nearly one-hot": np.where(top == 1, 1.0, 1e-17),
            "tiny": np.maximum(D * 1e-310, 5e-324),
            "huge": np.maximum(D, 1e-3) * 1.5e308,
            "one label never": np.where(np.arange(self.c) == 0, 0, D + 1e-3),
            "equal": np.full_like(D, 1 / self.c),
        }[self.targets]

    def labels(self, rng):
        Y = (rng.random((self.n, self.c)) < 0.4).astype(float)
        if self.targets == "one label never":
            Y[:, 0] = 0
        elif self.targets == "equal":
            Y[:] = 1
        elif self.targets in ("one-hot", "nearly one-hot"):
            Y = np.eye(self.c)[Y.argmax(axis=1)]
        elif self.targets == "tiny":
            Y[:] = 0
        return Y

    def formed(self, A):
        if self.form == "list":
            return A.tolist()
        if self.form == "frame":
            return pd.DataFrame(A, columns=[f"x{j}" for j in range(A.shape[1])])
        if self.form == "float32" and np.abs(A).max() < 1e38:
            A32 = A.astype(np.float32)
            return A if (A32.sum(axis=1) == 0).any() else A32  # rounded away
        if self.form == "integers" and (A == A.round()).all() and np.abs(A).max() < 1e9:
            return A.astype(np.int64)
        return np.asfortranarray(A) if self.form == "columns first" else A


CASE = st.builds(
    Case,
    n=st.integers(2, 40),
    q=st.integers(1, 8),
    c=st.integers(2, 8),
    exponent=st.one_of(st.sampled_from([0, 0, 3, -5, 10, 18, 300]), st.integers(-300, 30)),
    columns=st.sampled_from(
        ["any", "constant", "all constant", "mixed scales", "two values", "far from 0"]
    ),
    rows=st.sampled_from(["any", "repeated", "one far"]),
    targets=st.sampled_from(
        ["any", "one-hot", "nearly one-hot", "tiny", "huge", "one label never", "equal"]
    ),
    form=st.sampled_from(["array", "list", "frame", "float32", "integers", "columns first"]),
    far=st.sampled_from([1.0, 1.0, 3e4, -1e5, 1e10, 1e100]),
    seed=st.integers(0, 2**32 - 1),
)


def copied(A):
    return [list(row) for row in A] if isinstance(A, list) else A.copy()


def small(name):
    estimator = getattr(ldlrepro, name)()
    if name in ("RaisedZeros", "Shrunk"):
        estimator.set_params(estimator=ldlrepro.SABFGS(max_iter=5))
    known = estimator.get_params()
    return estimator.set_params(**{k: v for k, v in SMALL.items() if k in known})


def check_warnings(caught):
    told = [f"{w.category.__name__}: {w.message}" for w in caught]
    assert not [t for t in told if t.startswith(("RuntimeWarning", "FutureWarning"))]
    assert len(told) <= 5, told


@pytest.mark.parametrize("name", TASKS)
@PROFILE
@given(case=CASE)
def test_odd_data_is_predicted_or_refused_by_name(name, case):
    X, targets, new = case.data(TASKS[name])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted = small(name).fit(X, targets)
            multilabel = TASKS[name] == "multilabel"
            predict = fitted.predict_proba if multilabel else fitted.predict
            # Predictions of labels with names are frames.
            P, again = np.asarray(predict(new)), np.asarray(predict(copied(new)))
            labels = np.asarray(fitted.predict(new))
        except (ValueError, TypeError) as error:
            assert re.search(r"\brow|\bcolumn|scale", str(error)), error
            check_warnings(caught)
            return
    check_warnings(caught)
    np.testing.assert_array_equal(P, again)
    assert P.shape == (len(new), case.c)
    assert np.isfinite(P).all() and P.min() >= 0 and P.max() <= 1 + 1e-9
    if multilabel:
        assert labels.shape == P.shape and np.isin(labels, (0, 1)).all()
    else:
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-9)


#: Largest value of each measure that has one, for c labels; the least is 0, or -1 for ranks.
UPPER = {
    m.name: {"1": 1, "2": 2, "sqrt(2)": 2**0.5, "c": "c", "sqrt(c)": "sqrt", "inf": 37}[m.upper]
    for m in metrics.MEASURES.values()
}


def top(name, c):
    return {"c": c, "sqrt": c**0.5}.get(UPPER[name], UPPER[name])


@PROFILE
@given(case=CASE)
def test_measures_of_odd_distributions_stay_in_their_range(case):
    D = case.degrees(np.random.default_rng(case.seed))
    D = D / D.max(axis=1, keepdims=True)  # the huge ones sum to infinity
    D /= D.sum(axis=1, keepdims=True)
    P = np.random.default_rng(case.seed + 1).permuted(D, axis=1)
    for name in metrics.DISTRIBUTION | metrics.RANKING | metrics.AGE:
        least = -1 if name in ("spearman", "kendall") else 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for A, B in ((D, P), (D, D), (np.asfortranarray(D), P.tolist())):
                value = metrics.measure(name)(A, B)
                assert least - 1e-9 <= value <= top(name, case.c) + 1e-9, name


@PROFILE
@given(case=CASE)
def test_measures_of_odd_scores_stay_in_their_range(case):
    Y = case.labels(np.random.default_rng(case.seed))
    S = np.random.default_rng(case.seed + 1).normal(size=Y.shape) * 10.0**case.exponent
    ranked = (Y.any(axis=1) & ~Y.all(axis=1)).any()
    told = (Y.any(axis=0) & ~Y.all(axis=0)).any()
    for name in metrics.MULTILABEL:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = metrics.measure(name)(Y, S)
        if {"macro_auc": told, "hamming_loss": True, "coverage": True}.get(name, ranked):
            assert 0 <= value <= 1, name
        else:
            assert np.isnan(value), name  # no row or no label to rank


GOOD = np.full((3, 2), 0.5)
REFUSED = {
    "no rows": np.empty((0, 2)),
    "no labels": np.empty((3, 0)),
    "complex": GOOD + 0j,
    "masked": np.ma.masked_array(GOOD, GOOD > 0.4),
    "dates": GOOD.astype("datetime64[D]"),
    "times": GOOD.astype("timedelta64[s]"),
    "one dimension": GOOD[:, 0],
    "infinite": GOOD + np.inf,
    "dates in a frame": pd.DataFrame({"a": pd.to_datetime(["2020-01-01"] * 3), "b": 0.5}),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", metrics.MEASURES)
def test_measures_refuse_what_is_no_table_of_numbers(name, kind):
    A = REFUSED[kind]
    other = np.round(GOOD) if A.shape == GOOD.shape else np.zeros(A.shape)
    measure = metrics.measure(name)
    for pair in ((A, other), (other, A)):
        with pytest.raises(
            ValueError, match="shape|masked|Complex|Dates|degrees|labels are|finite"
        ):
            measure(*pair)


@pytest.mark.parametrize("name", [*metrics.DISTRIBUTION, *metrics.RANKING, *metrics.AGE])
def test_measures_of_distributions_refuse_one_label(name):
    with pytest.raises(ValueError, match="two labels at least"):
        metrics.measure(name)(np.ones((3, 1)), np.ones((3, 1)))


@pytest.mark.parametrize("measure", [metrics.mae, metrics.cumulative_score])
def test_measures_of_ages_refuse_what_are_no_ages(measure):
    ages = [20.0, 30.0]
    for bad in ([], [20.0], [20.0, np.nan], [20j, 30j], [ages], np.ma.masked_equal(ages, 20)):
        for pair in ((bad, ages), (ages, bad)):
            with pytest.raises(ValueError, match="age|predicted"):
                measure(*pair)


@pytest.mark.parametrize("kind", ["complex", "masked", "dates", "times"])
@pytest.mark.parametrize("name", ["SABFGS", "RFPCT"])
def test_estimators_refuse_what_is_no_table_of_numbers(name, kind):
    targets = np.eye(3)[:, :2] + [[0, 0], [0, 0], [1, 0]]
    for X, T in ((REFUSED[kind], targets), (GOOD, REFUSED[kind])):
        with pytest.raises(ValueError, match=r"masked array|(Complex|Dates).*column 0"):
            small(name).fit(X, T)


def test_the_limit_of_features_is_told_with_row_column_and_value():
    X, D = np.eye(4), np.full((4, 2), 0.5)
    X[2, 1] = -2e30
    with pytest.raises(ValueError, match=r"X row 2, column 1 is -2e\+30: features up to 1e\+30"):
        ldlrepro.SABFGS().fit(X, D)


def test_degrees_whose_sum_overflows_are_normalised():
    D = np.array([[1.5e308, 1.5e308, 0.0], [1.0, 1.0, 2.0]])
    with pytest.warns(errors.NormalisationWarning):
        P = ldlrepro.MeanPredictor().fit(np.eye(2), D).predict(np.eye(2))
    np.testing.assert_allclose(P[0], [0.375, 0.375, 0.25])


def test_rakel_decides_for_rows_far_away():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    Y = (X @ rng.normal(size=(3, 5)) > 0).astype(int)
    far = ldlrepro.RAkEL(random_state=0).fit(X, Y).predict_proba(X * 3e4)
    assert np.isfinite(far).all()
    assert ((far > 0.5) == Y).mean() > 0.8  # far along a line, the labels of its side
