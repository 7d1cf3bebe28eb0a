"""Kept fits of a user's comparison: what makes them stale, and what a failure leaves."""

import sys
from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import sklearn
from own_methods import Mean, rows
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ldlrepro
from ldlrepro import AAKNN, SABFGS, AdaBoostLDL, BaggingLDL, EmbeddingKNN, RaisedZeros
from ldlrepro.datasets import make_toy
from ldlrepro.declare import Experiment, Method
from ldlrepro.errors import LdlreproError
from ldlrepro.metrics import get_scorer
from ldlrepro.protocols import runner
from ldlrepro.user import data as userdata
from ldlrepro.user import runs as own
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.foreign import OnSimplex
from ldlrepro.user.marks import _texts_of, mark_of
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
            marks.append(mark_of(Method("m", OnSimplex(one)), experiment, data))
    held = [a == b for a, b in zip(marks[:3], marks[3:], strict=True)]
    assert held == [False, True, False]
    assert len(set(marks[:3])) == 3


def test_a_change_of_what_a_method_holds_counts(tmp_path, monkeypatch):
    """A function, wherever it stands, a class and an object of it, and a method of an object."""
    monkeypatch.syspath_prepend(str(tmp_path))
    helper, method = tmp_path / "of_helper3.py", tmp_path / "of_method3.py"
    method.write_text(
        "from functools import partial\n"
        "from numpy import vectorize\n"
        "from sklearn.metrics import make_scorer\n"
        "from sklearn.model_selection import GridSearchCV as G\n"
        "from sklearn.preprocessing import FunctionTransformer as F\n"
        "from of_helper3 import f\n"
        "class Kernel:\n    def run(self, X): return X\n"
        "every = [F(f), F(partial(f, k=1)), F(kw_args={'k': Kernel()}), F(kw_args={'k': Kernel}),\n"
        "         F(Kernel().run), F(vectorize(f)), G(F(), {}, scoring=make_scorer(f)),\n"
        "         G(F(), {}, scoring={'l': make_scorer(f)}), F(lambda X: X), F(len)]\n"
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
            marks.append(mark_of(Method("m", wrapped), experiment, data))
    n = len(marks) // 2
    held = [a == b for a, b in zip(marks[:n], marks[n:], strict=True)]
    assert held == [False] * (n - 1) + [True]
    assert len(set(marks[:n])) == n


def test_files_around_a_method_count(tmp_path, monkeypatch):
    """The __init__.py of a package, and the file of a function that a closure holds."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "of_package").mkdir()
    package, inner = tmp_path / "of_package" / "__init__.py", tmp_path / "of_inner.py"
    (tmp_path / "of_package" / "models.py").write_text("class M:\n    fit = predict = None\n")
    (tmp_path / "of_around.py").write_text("def around(f):\n    return lambda X: f(X)\n")
    method = tmp_path / "of_method5.py"
    method.write_text(
        "import of_package.models\n"
        "from of_around import around\n"
        "from of_inner import f\n"
        "from sklearn.preprocessing import FunctionTransformer as F\n"
        "class M(of_package.models.M): pass\n"
        "held = F(around(f))\n"
    )
    marks = []
    for text in ("K = 1\n", "K = 2\n"):
        package.write_text(text)
        inner.write_text(f"{text}def f(X): return X\n")
        (model,) = load_methods([f"{method}:M"]).values()
        held = sys.modules["of_method5"].held
        marks.append((_mark(OnSimplex(model)), _mark(OnSimplex(make_pipeline(held, Ridge())))))
    assert marks[0][0] != marks[1][0] and marks[0][1] != marks[1][1]


def test_a_package_that_a_file_imports_counts_by_its_version(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    method = tmp_path / "of_method6.py"
    method.write_text("import sklearn\nclass M:\n    fit = predict = None\n")
    (model,) = load_methods([f"{method}:M"]).values()
    first = _mark(OnSimplex(model))
    assert _mark(OnSimplex(model)) == first
    monkeypatch.setattr("sklearn.__version__", "0.0")
    assert _mark(OnSimplex(model)) != first


def test_a_helper_that_a_notebook_loads_again_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    helper = tmp_path / "of_helper7.py"
    helper.write_text("K = 1\n")
    notebook, cell = sys.modules["__main__"], {"__name__": "__main__"}
    monkeypatch.delattr(notebook, "__file__", raising=False)
    monkeypatch.setattr(notebook, "of_helper7", import_module("of_helper7"), raising=False)
    exec("def f(X): return X", cell)
    model = OnSimplex(make_pipeline(FunctionTransformer(cell["f"]), Ridge()))
    first = _mark(model)
    assert _mark(model) == first
    helper.write_text("K = 2\n")
    assert _mark(model) != first


def _mark(model):
    experiment = Experiment(own.EXPERIMENT, (), ("data",), folds=3)
    return mark_of(Method("m", model), experiment, userdata.bunch(*rows()))


def test_functions_of_a_notebook_are_of_one_process(monkeypatch):
    marks = []
    for text in ("X", "X + 1", "X"):
        cell = {"__name__": "__main__"}
        exec(f"def f(X): return {text}", cell)
        monkeypatch.setattr(sys.modules["__main__"], "f", cell["f"], raising=False)
        marks.append(_mark(OnSimplex(make_pipeline(FunctionTransformer(cell["f"]), Ridge()))))
    assert marks[0] == marks[2] != marks[1]
    monkeypatch.setattr("ldlrepro.user.marks._PROCESS", "another")
    assert _mark(OnSimplex(make_pipeline(FunctionTransformer(cell["f"]), Ridge()))) != marks[0]


def test_functions_of_a_script_are_kept_until_it_or_what_it_imports_changes(tmp_path, monkeypatch):
    script, helper = tmp_path / "script.py", tmp_path / "of_helper4.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    script.write_text("import of_helper4\n")
    cell, marks = {"__name__": "__main__"}, []
    exec("def f(X): return X", cell)
    monkeypatch.setattr(sys.modules["__main__"], "f", cell["f"], raising=False)
    for process, text in (("1", "K = 1\n"), ("2", "K = 1\n"), ("3", "K = 2\n")):
        helper.write_text(text)
        monkeypatch.setattr("ldlrepro.user.marks._PROCESS", process)
        marks.append(_mark(EmbeddingKNN(transformer=FunctionTransformer(cell["f"]))))
    assert marks[0] == marks[1] != marks[2]


def test_the_order_of_a_set_makes_no_fit_stale():
    def take(numbers):
        return EmbeddingKNN(transformer=FunctionTransformer(lambda X: X[:, [*numbers]]))

    assert list({0, 8}) != list({8, 0})  # as texts differ from process to process
    assert _mark(take({0, 8})) == _mark(take({8, 0})) != _mark(take({0, 9}))


@pytest.mark.parametrize("around", [lambda model: model, BaggingLDL])
def test_a_search_inside_a_method_is_known_again(around):
    def search(name):
        scoring = get_scorer(f"neg_{name}")
        return around(GridSearchCV(AAKNN(), {"n_neighbors": [1, 2]}, scoring=scoring))

    names = ("chebyshev", "chebyshev", "clark")
    first, second, third = (_mark(search(name)) for name in names)
    assert first == second != third


def test_what_a_method_of_this_api_holds_counts():
    class Weights:
        def __init__(self, w):
            self.w = w

        def run(self, X):
            return X * self.w

    marks = [
        _mark(EmbeddingKNN(transformer=FunctionTransformer(Weights(w).run))) for w in (1, 1, 2)
    ]
    assert marks[0] == marks[1] != marks[2]


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
            marks.append(mark_of(Method("m", one), experiment, data))
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
    parts, files = _texts_of(Ridge())
    assert "sklearn.linear_model._ridge.Ridge" in dict(parts) and not files
    assert set(dict(parts).values()) == {sklearn.__version__}


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


def test_a_bunch_that_was_changed_is_other_data(here, tmp_path):
    toy = make_toy(30, random_state=0)
    for data in (userdata.bunch(toy.X, toy.D), toy):
        compare("AAKNN", data, folds=3, records=tmp_path)
        data.X = data.X * [1, 100, 0.01]
        again = compare("AAKNN", data, folds=3, records=tmp_path)
        assert loss(again) == loss(compare("AAKNN", data.X, data.D, folds=3))
        data.X = np.where(data.X > data.X[0], np.nan, data.X)
        with pytest.raises(LdlreproError, match="fill or drop what is missing"):
            compare("AAKNN", data, folds=3, records=tmp_path)


def test_two_functions_of_one_file_are_told_apart(here, tmp_path, monkeypatch):
    (tmp_path / "of_functions.py").write_text(
        "from ldlrepro import EmbeddingKNN\n"
        "from sklearn.preprocessing import FunctionTransformer\n\n"
        "def column(j):\n    return lambda X: X[:, j:]\n\n"
        "whole, last, lone = (\n"
        "    EmbeddingKNN(n_neighbors=3, transformer=FunctionTransformer(f))\n"
        "    for f in (lambda X: X, lambda X: X[:, -1:], column(1))\n)\n"
        "other = EmbeddingKNN(n_neighbors=3, transformer=FunctionTransformer(column(2)))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "of_functions", raising=False)
    X, D = rows()
    names = ("whole", "last", "lone", "other")
    methods = [load_methods([f"{tmp_path}/of_functions.py:{name}"])[name] for name in names]
    kept, losses = {"folds": 3, "records": tmp_path / "kept"}, set()
    for method in methods:
        fresh = compare({"m": method}, X, D, folds=3)
        assert loss(compare({"m": method}, X, D, **kept)) == loss(fresh)
        losses.add(loss(fresh))
    assert len(losses) == len(methods)


def test_what_a_fit_warned_of_is_told_again(here, tmp_path):
    class Off(Mean):
        def predict(self, X):
            return super().predict(X) - 0.5

    texts = [
        str(compare({"off": Off()}, *rows(), folds=2, records=tmp_path, n_jobs=1)) for _ in "12"
    ]
    assert texts[0] == texts[1] and "off: predictions off the simplex" in texts[1]


def test_parameters_that_are_arrays_or_partial_functions(here, tmp_path):
    X, D = rows()
    losses = set()
    for column in (0, 1):
        floors = np.array([0.0, 0.1 + column / 5])
        first = FunctionTransformer(partial(np.take, indices=[column], axis=1))
        for method in (
            RaisedZeros(AAKNN(), floors=floors),
            EmbeddingKNN(n_neighbors=3, transformer=first),
        ):
            fresh = compare({"m": method}, X, D, folds=3)
            assert loss(compare({"m": method}, X, D, folds=3, records=tmp_path)) == loss(fresh)
            losses.add(loss(fresh))
    assert len(losses) >= 3


def loss(found):
    """Mean K-L of the method that is not the mean predictor."""
    return found.table().drop("MeanPredictor").iloc[0, 0].mean
