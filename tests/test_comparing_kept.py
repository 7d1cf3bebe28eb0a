"""Kept fits of a user's comparison: what makes them stale, and what a failure leaves."""

import sys

import numpy as np
import pandas as pd
import pytest
import sklearn
from own_methods import Mean, rows
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ldlrepro
from ldlrepro import SABFGS, AdaBoostLDL
from ldlrepro.declare import Experiment, Method
from ldlrepro.errors import LdlreproError
from ldlrepro.protocols import runner
from ldlrepro.user import data as userdata
from ldlrepro.user import runs as own
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.foreign import OnSimplex
from ldlrepro.user.methods import load_methods


def test_records_are_kept_and_a_changed_method_runs_again(here, tmp_path):
    X, D = rows()
    Mean.fits = 0
    first = compare({"mean": Mean()}, X, D, folds=3, records=tmp_path)
    again = compare({"mean": Mean()}, X, D, folds=3, records=tmp_path)
    assert Mean.fits == 3
    columns = ["method", "fold", "kl_divergence"]
    pd.testing.assert_frame_equal(
        *(f.records[columns].sort_values(columns, ignore_index=True) for f in (first, again))
    )
    compare({"ridge": Ridge()}, X, D, folds=3, records=tmp_path)
    told = compare({"ridge": Ridge(alpha=9)}, X, D, folds=3, records=tmp_path)
    fresh = compare({"ridge": Ridge(alpha=9)}, X, D, folds=3)
    values = [f.records.query("method == 'ridge'").kl_divergence.sum() for f in (told, fresh)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    compare({"mean": Mean()}, X + 1, D, folds=3, records=tmp_path)
    assert Mean.fits == 6  # other data


def test_kept_fits_are_those_of_the_method_of_that_name(here, tmp_path):
    X, D = rows()
    for _ in range(2):
        found = compare({"a": Mean(), "b": Mean()}, X, D, folds=3, records=tmp_path)
        assert found.records.groupby("method").size().loc[["a", "b"]].tolist() == [3, 3]


def test_a_change_behind_a_method_counts(tmp_path, monkeypatch):
    """In a file that its file imports, and in the class of an estimator that it holds."""
    monkeypatch.syspath_prepend(str(tmp_path))
    helper, method = tmp_path / "of_helper.py", tmp_path / "of_method.py"
    method.write_text("from of_helper import fit_it\nclass M:\n    fit = fit_it\n")
    data = userdata.bunch(*rows())
    experiment = Experiment(own.EXPERIMENT, (), ("data",), folds=3)
    marks = []
    for text in ("def fit_it(self, X, D): pass\n", "def fit_it(self, X, D): ...\n"):
        helper.write_text(text)
        (model,) = load_methods([f"{method}:M"]).values()
        for one in (model, Ridge(), make_pipeline(StandardScaler(), model)):
            marks.append(own._mark(Method("m", OnSimplex(one)), experiment, data))
    held = [a == b for a, b in zip(marks[:3], marks[3:], strict=True)]
    assert held == [False, True, False]
    assert len(set(marks[:3])) == 3


def test_a_change_of_what_a_method_holds_counts(tmp_path, monkeypatch):
    """A function by its name, in a partial or without a name, and a class or an object of it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    helper, method = tmp_path / "of_helper3.py", tmp_path / "of_method3.py"
    method.write_text(
        "from functools import partial\n"
        "from sklearn.preprocessing import FunctionTransformer as F\n"
        "from of_helper3 import f\n"
        "class Kernel: pass\n"
        "every = [F(f), F(partial(f, k=1)), F(kw_args={'k': Kernel()}), F(kw_args={'k': Kernel}),\n"
        "         F(lambda X: X), F(len)]\n"
        "class M:\n    fit = predict = None\n"
    )
    data = userdata.bunch(*rows())
    experiment = Experiment(own.EXPERIMENT, (), ("data",), folds=3)
    marks = []
    for text in ("def f(X, k=0): return X\n", "def f(X, k=0): return X + 1\n"):
        helper.write_text(text)
        load_methods([f"{method}:M"])
        for one in sys.modules["of_method3"].every:
            wrapped = OnSimplex(make_pipeline(one, Ridge()))
            marks.append(own._mark(Method("m", wrapped), experiment, data))
    held = [a == b for a, b in zip(marks[:6], marks[6:], strict=True)]
    assert held == [False, False, False, False, False, True]
    assert len(set(marks[:6])) == 6


def test_a_change_behind_a_method_of_this_api_counts(tmp_path, monkeypatch):
    """Of a subclass, as the guide has it, and of a learner in an ensemble of this package."""
    monkeypatch.syspath_prepend(str(tmp_path))
    helper, method = tmp_path / "of_helper2.py", tmp_path / "of_method2.py"
    method.write_text(
        "from ldlrepro.base import LDLEstimator\n"
        "from of_helper2 import K\n"
        "class Sub(LDLEstimator):\n"
        "    def _fit(self, X, D): self.k = K\n"
    )
    data = userdata.bunch(*rows())
    experiment = Experiment(own.EXPERIMENT, (), ("data",), folds=3)
    marks = []
    for text in ("K = 1\n", "K = 2\n"):
        helper.write_text(text)
        (model,) = load_methods([f"{method}:Sub"]).values()
        for one in (model, AdaBoostLDL(model), AdaBoostLDL(SABFGS()), OnSimplex(model)):
            marks.append(own._mark(Method("m", one), experiment, data))
    held = [a == b for a, b in zip(marks[:4], marks[4:], strict=True)]
    assert held == [False, False, True, False]


def test_another_seed_is_another_run(here, tmp_path):
    X, D = rows()
    Mean.fits = 0
    for seed in (0, 1, 1):
        compare({"mean": Mean()}, X, D, folds=3, records=tmp_path, random_state=seed)
    assert Mean.fits == 6
    for seed in (None, np.random.RandomState(0), -1):
        with pytest.raises(CompareError, match="random_state is .*give an int"):
            compare({"mean": Mean()}, X, D, random_state=seed)


def test_of_an_installed_class_the_version_of_its_package_counts():
    parts, files = own._texts_of(Ridge())
    assert "sklearn.linear_model._ridge.Ridge" in parts and not files
    assert set(parts[1::2]) == {sklearn.__version__}


def test_a_method_that_fails_is_named_and_the_others_are_kept(here, tmp_path):
    class Broken(Mean):
        def predict(self, X):
            return np.full((len(X), 3), np.nan)

    X, D = rows()
    with pytest.raises(runner.RunError, match="(?s)3 of 9 fits failed; the others are kept.*NaN"):
        compare({"mean": Mean(), "broken": Broken()}, X, D, folds=3, records=tmp_path)
    Mean.fits = 0
    compare({"mean": Mean()}, X, D, folds=3, records=tmp_path)
    assert Mean.fits == 0


def test_kept_fits_say_the_same_as_fresh_ones(here, tmp_path):
    X, D = rows()
    methods = {"mine": Mean(), "AAKNN": ldlrepro.AAKNN()}
    first, second = (compare(methods, X, D, folds=2, records=tmp_path) for _ in range(2))
    columns = [*first.measures, "fit_seconds", "predict_seconds"]
    by = ["method", "fold"]
    one, two = (found.records.set_index(by).sort_index()[columns] for found in (first, second))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    assert first.against("mine").equals(second.against("mine"))
    assert first.against("mine").set_index("against").loc["MeanPredictor", "better on"] == "0 of 1"


def test_a_folder_that_cannot_be_written_is_told_before_any_fit(here, tmp_path):
    X, D = rows()
    Mean.fits = 0
    (tmp_path / "file").write_text("")
    with pytest.raises(LdlreproError, match="file is no folder, and a folder of records belongs"):
        compare({"mean": Mean()}, X, D, folds=3, records=tmp_path / "file")
    assert Mean.fits == 0
