"""Parameters of a wrong type are named, in every estimator, before anything is computed."""

import inspect
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import ldlrepro
from ldlrepro import parameter_types
from ldlrepro.base import LDLEstimator
from ldlrepro.discovery import all_estimators
from ldlrepro.parameter_types import check_parameter_types

ESTIMATORS = dict(all_estimators())
MULTILABEL = dict(all_estimators("multilabel"))
#: Values of no type that any parameter of these has, by the type of its default.
WRONG = {
    bool: ["yes", None, 2],
    int: ["3", 2.5, [1], True, np.nan],
    float: ["0.1", [1.0], True],
    tuple: ["12", object(), ("a",)],
}
#: Files, told when they are opened, and estimators, of which their holders tell.
OTHERS = {"weights", "checkpoint", "estimator", "transformer"}

X = np.random.default_rng(0).normal(size=(12, 3))
D = np.random.default_rng(1).dirichlet(np.ones(3), 12)
Y = (D > 1 / 3).astype(float)


@cache
def wrong_values():
    found = []
    for name, cls in ESTIMATORS.items():
        for parameter, declared in inspect.signature(cls).parameters.items():
            if parameter == "random_state":
                found += [(name, parameter, value) for value in ("abc", 1.5, True)]
            elif type(declared.default) in WRONG:
                bad = WRONG[type(declared.default)]
                if parameter == "alpha" and cls is ldlrepro.MSLP:
                    bad = WRONG[float]
                found += [(name, parameter, value) for value in bad]
            elif declared.default is None and parameter not in OTHERS:
                found += [(name, parameter, object())]
    return found


def test_there_are_wrong_values_for_every_estimator_with_parameters():
    with_any = {n for n, cls in ESTIMATORS.items() if inspect.signature(cls).parameters}
    assert {name for name, _, _ in wrong_values()} == with_any
    assert len(wrong_values()) > 1000


def test_every_wrong_value_is_named():
    for name, parameter, value in wrong_values():
        estimator = ESTIMATORS[name](**{parameter: value})
        with pytest.raises((TypeError, ValueError)) as caught:
            estimator.fit(X, Y if name in MULTILABEL else D)
        told = str(caught.value)
        assert told.startswith(f"{parameter} must be"), (name, parameter, value, told)
        assert repr(value) in told


#: Numbers that no loop can compute with, by the type of a parameter's default.
SIZES = {
    int: [2**31, 10**400, -(10**400), 10**5000, np.int64(-(2**63)), 1e308, np.float64(3)],
    float: [10**400, 10**5000, 1e308, np.nan, np.float64("nan"), -np.inf, Fraction(1, 3)],
    tuple: [(10**400,), (np.nan,), [1.0, np.inf], np.array(3)],
}


def test_numbers_too_large_to_compute_with_are_named_in_a_line():
    looked = set()
    for name, cls in ESTIMATORS.items():
        for parameter, declared in inspect.signature(cls).parameters.items():
            kind = parameter_types._OF_NONE.get(parameter, type(declared.default))
            # Seeds have a range of their own; MSLP takes fractions for an int.
            given = [2**64, 10**5000] if parameter == "random_state" else SIZES.get(kind, ())
            if parameter in OTHERS or (parameter == "alpha" and cls is ldlrepro.MSLP):
                continue
            for value in given:
                with pytest.raises((TypeError, ValueError)) as caught:
                    cls(**{parameter: value}).fit(X, Y if name in MULTILABEL else D)
                told = str(caught.value)
                assert told.startswith(f"{parameter} must be"), (name, parameter, told[:200])
                assert "\n" not in told and len(told) < 300
            looked.add(kind)
    assert looked >= {int, float, tuple}


def test_values_that_cannot_be_printed_are_named():
    class Mute:
        def __repr__(self):
            raise RuntimeError("no")

    with pytest.raises(TypeError, match="n_estimators must be an int, got a value that cannot be"):
        ldlrepro.StructRF(n_estimators=Mute()).fit(X, D)


def test_a_wrong_type_is_told_in_one_line():
    with pytest.raises(TypeError, match=r"^n_estimators must be an int, got '3' \(str\)\.$"):
        ldlrepro.StructRF(n_estimators="3").fit(X, D)
    with pytest.raises(TypeError, match=r"^width must be a number or None, got 'wide' \(str\)\.$"):
        ldlrepro.LDSVR(width="wide").fit(X, D)


@pytest.mark.parametrize(
    "estimator",
    [
        ldlrepro.StructRF(n_estimators=np.int64(3), alpha=1, beta=np.float32(2), max_depth=None),
        ldlrepro.SABFGS(path=[1, 2], penalty=np.float64(0.1), random_state=np.int32(3)),
        ldlrepro.MSLP(alpha=2.5, n_neighbors=None),
        ldlrepro.AdaBoostLDL(ldlrepro.SAIIS(), warm_start=np.True_),
        ldlrepro.AOSOLDLogitBoost(n_iter_no_change=None),
        ldlrepro.RFPCT(max_features=2),
        ldlrepro.MLDF("hamming_loss", reuse=lambda measure, Y, H, G: 0.0),
        ldlrepro.PTSVM(draws="labels", random_state=np.random.RandomState(0)),
    ],
)
def test_what_stands_for_the_type_is_taken(estimator):
    before = repr(estimator)
    assert check_parameter_types(estimator) is None
    assert repr(estimator) == before


def test_defaults_are_of_their_types():
    for cls in ESTIMATORS.values():
        check_parameter_types(cls())
        check_parameter_types(clone(cls()))


def test_classes_of_others_say_themselves_what_they_take():
    class Mine(LDLEstimator):
        def __init__(self, width=1):
            self.width = width

        def _fit(self, X, D):
            self.mean_ = D.mean(axis=0)

        def _predict(self, X):
            return np.tile(self.mean_, (len(X), 1))

    assert Mine(width=0.5).fit(X, D).predict(X).shape == D.shape


def test_every_default_of_none_has_a_type():
    for cls in ESTIMATORS.values():
        for name, declared in inspect.signature(cls).parameters.items():
            if declared.default is None and name not in {"random_state", *OTHERS}:
                assert name in parameter_types._OF_NONE, (cls.__name__, name)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (ldlrepro.AAS(sigma=0), "sigma=0 must be above 0"),
        (ldlrepro.LARR(sigma=-1.0), "sigma=-1.0 must be above 0"),
        (ldlrepro.IISALDL(sigma=np.inf), "sigma must be a number, finite and at most 1e"),
        (ldlrepro.D2LDL(years=-1), "years=-1 must be 0 or more"),
        (ldlrepro.RaisedZeros(floors=()), "floors=.* one or more numbers in"),
        (ldlrepro.RaisedZeros(floors=(0.1, 5)), "floors=.* one or more numbers in"),
        (ldlrepro.SABFGS(memory=0), "memory=0 must be 1 or more"),
        (ldlrepro.LCLDL(max_iter=-1), "max_iter=-1 must be 0 or more"),
        (ldlrepro.SAIIS(-1), "max_iter=-1 must be 0 or more"),
        (ldlrepro.MultiOutputRF(sampling_ratio=1.5), r"sampling_ratio=1.5 must be in \(0, 1\]"),
        (ldlrepro.StructRF(max_depth=0), "max_depth=0 must be 1 or more, or None"),
        (ldlrepro.SingleLabelRF(max_depth=-1), "max_depth=-1 must be 1 or more, or None"),
        (ldlrepro.RFPCT(max_depth=0), "max_depth=0 must be 1 or more, or None"),
        (ldlrepro.MultiOutputRF(n_jobs=10**6), "n_jobs=1000000 must be 1 to 1000, or -1 for all"),
        (ldlrepro.AAKNN(n_jobs=0), "n_jobs=0 must be 1 to 1000, or -1 for all cores"),
        (ldlrepro.DLDL(n_threads=10**6), "n_threads=1000000 must be 1 to 1000"),
        (ldlrepro.LARR(local_C=0), "local_C=0 must be above 0"),
        (ldlrepro.MLDF(reuse_from=1), "reuse_from=1 must be 2 or more"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_values_out_of_range_are_named(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, Y if type(estimator).__name__ in MULTILABEL else D)
