"""A user's method beside stored ones, and methods on a user's data."""

import inspect
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from decimal import Decimal
from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from scipy.io import savemat
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

import ldlrepro
from ldlrepro import SABFGS, AdaBoostLDL, cli, commands, datasets, stats
from ldlrepro.declare import Experiment, Method
from ldlrepro.discovery import TASKS
from ldlrepro.errors import (
    DataUnavailableError,
    LdlreproError,
    NormalisationWarning,
    UnknownNameError,
)
from ldlrepro.metrics import kl_divergence
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.protocols import environment, runner, state
from ldlrepro.protocols.split import ten_folds
from ldlrepro.protocols.store import RecordStore, write_whole
from ldlrepro.report.html import for_spreadsheets
from ldlrepro.user import compare as comparing
from ldlrepro.user import data as userdata
from ldlrepro.user import runs as own
from ldlrepro.user.compare import CompareError, compare, load_methods
from ldlrepro.user.data import UserDataError
from ldlrepro.user.folds import folds_picture
from ldlrepro.user.foreign import OnSimplex, Scores


def rows(n=40, c=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    D = np.exp(X @ rng.normal(size=(4, c)))
    return X, D / D.sum(axis=1, keepdims=True)


class Mean:
    """A method without any convention but fit and predict; counts its fits."""

    fits = 0

    def fit(self, X, D):
        type(self).fits += 1
        self.mean = D.mean(axis=0)

    def predict(self, X):
        return np.tile(self.mean, (len(X), 1))


@pytest.fixture
def here(monkeypatch):
    """Fits run in this process."""
    monkeypatch.setattr(own.environment, "fixed", dict)


def test_the_numbers_are_those_of_a_plain_loop(here):
    X, D = rows()
    found = compare({"mean": Mean()}, X, D, folds=4)
    expected = []
    for train, validation, test in ten_folds(len(X), 0, 4):
        fitted = np.concatenate([train, validation])
        P = np.tile(D[fitted].mean(axis=0), (len(test), 1))
        expected.append(float(f"{kl_divergence(D[test], P):.10g}"))  # the digits of records
    records = found.records[found.records.method == "mean"].sort_values("fold")
    assert records.kl_divergence.tolist() == expected
    assert found.skill().loc["mean", "data"] == pytest.approx(0, abs=1e-9)  # it is MeanPredictor
    assert found.mine == ["mean"] and found.null == "MeanPredictor"


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


class Drawn(Mean):
    """Predicts at random, by the seed that it is given."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def predict(self, X):
        return np.random.default_rng(self.random_state).dirichlet(np.ones(3), len(X))


def test_methods_are_seeded_where_they_leave_their_seed_open(here):
    X, D = rows(20)
    methods = {
        "plain": Drawn(),
        "inside": make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=3, max_iter=2)),
    }
    one, other = (compare(methods, X, D, folds=2).records.kl_divergence for _ in range(2))
    assert one.tolist() == other.tolist()
    kept = OnSimplex(Drawn(5), random_state=0).fit(X, D)
    assert kept.fitted_.random_state == 5 and Drawn().random_state is None


class Sees(Mean):
    """Keeps the kind of what it is given."""

    kinds = set()

    def predict(self, X):
        self.kinds.add(type(X).__name__)
        return super().predict(X)


def test_names_of_columns_reach_what_takes_them(here, tmp_path):
    X, D = rows()
    frame = pd.DataFrame(X, columns=["age", "height", "weight", "size"])
    scaled = make_column_transformer((StandardScaler(), ["size", "age"]))
    methods = {"named": make_pipeline(scaled, Ridge()), "sees": Sees()}
    found = compare(methods, frame, D, folds=3, records=tmp_path)
    assert found.records.index.is_unique
    plain = make_pipeline(StandardScaler(), Ridge())
    same = compare({"plain": plain}, X[:, [3, 0]], D, folds=3).records
    named = found.records[found.records.method == "named"]
    assert np.allclose(named.cosine, same[same.method == "plain"].cosine)
    assert Sees.kinds == {"ndarray"}
    marks = set(named.fingerprint)
    other = frame.set_axis(["age", "height", "weights", "size"], axis=1)
    again = compare(methods, other, D, folds=3, records=tmp_path).records
    assert marks.isdisjoint(again[again.method == "named"].fingerprint)


def test_multilabel_data(here):
    X, D = rows(60)
    Y = (D > 0.4).astype(int)
    forest = RandomForestClassifier(5, random_state=0)
    found = compare({"forest": forest}, X, Y, folds=3)
    assert found.main == "ranking_loss" and found.null == "LabelFrequencies"
    assert found.skill().loc["forest"].item() > 0


def test_links_seeds_and_kinds_are_told(tmp_path):
    X, D = np.eye(6), np.full((6, 2), 0.5)
    D[0] = 0.25, 0.75
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for more, said in (
        ({"records": tmp_path / "link"}, "link to .*nowhere, which does not exist"),
        ({"random_state": True}, "random_state is True"),
        ({"methods": ["MLDF"]}, "MLDF learns sets of labels"),
    ):
        with pytest.raises(CompareError, match=said):
            compare(**{"methods": ["AAKNN"], "X": X, "D": D, "folds": 2} | more)
    with pytest.raises(LdlreproError, match="got -5"):
        compare(["AAKNN"], X, D, folds=2, n_jobs=-5)
    with pytest.raises(LdlreproError, match="Features have 5 rows, targets 6"):
        compare(["AAKNN"], X[:5], D, folds=2)


def test_a_bad_call_is_one_line(here):
    X, D = rows()
    for wrong, message in (
        (lambda: compare({"m": Mean()}), "Give either X and D"),
        (lambda: compare({"m": Mean()}, X, D, datasets=["s-JAFFE"]), "Give either X and D"),
        (lambda: compare({"m": Mean}, X, D), "m is a class: give an object, Mean()"),
        (lambda: compare({"m": 3}, X, D), "m has no fit and no predict (int)"),
        (lambda: compare([Mean(), Mean()], X, D), "one name"),
        (lambda: compare({}, X, D), "No method is named"),
        (lambda: compare({"m": Mean()}, datasets=["s-JAFFE", "image"]), "Not compared together"),
        (lambda: compare(datasets=["s-JAFFE"]), "Name a method"),
        (lambda: compare({"StructRF": Mean()}, datasets=["s-JAFFE"]), "give yours another name"),
        (lambda: compare({"m": Mean()}, X, D, folds=1), "folds is 1: from 2 to"),
        (lambda: compare({"m": ldlrepro.MLDF()}, X, D), "m learns other targets"),
    ):
        with pytest.raises(CompareError) as caught:
            wrong()
        assert message in str(caught.value)
    with pytest.raises(UnknownNameError, match="No ldl method 'StructForest'; there are: .*AABP"):
        compare("StructForest", X, D)
    with pytest.raises(UnknownNameError, match="No measure 'mse'; there are: chebyshev"):
        compare({"m": Mean()}, X, D, folds=3).skill("mse")


def test_estimators_by_task_take_what_the_task_has():
    takes = {
        "ldl": ["X", "D"], "age": ["X", "D"], "images": ["images", "D"], "multilabel": ["X", "Y"],
    }  # fmt: skip
    assert set(takes) == set(TASKS)
    for task in TASKS:
        found = ldlrepro.all_estimators(task)
        assert found
        for _, one in found:
            taken = list(inspect.signature(one.fit).parameters)[1:]
            assert taken in (takes[task], [*takes[task], "sample_weight"])
    with pytest.raises(UnknownNameError, match="images"):
        ldlrepro.all_estimators("image")


def test_foreign_predictions_are_put_on_the_simplex():
    X, D = rows()
    model = OnSimplex(Ridge()).fit(X, D)
    with pytest.warns(UserWarning, match="off the simplex"):
        P = model.predict(10 * X)
    assert P.min() >= 0 and np.allclose(P.sum(axis=1), 1)
    raw = np.maximum(Ridge().fit(X, D).predict(10 * X), 0)
    assert np.allclose(P, raw / raw.sum(axis=1, keepdims=True))

    class Zeros(Mean):
        def predict(self, X):
            return np.zeros((len(X), 3))

    with pytest.warns(UserWarning, match="off the simplex"):
        assert np.allclose(OnSimplex(Zeros()).fit(X, D).predict(X), 1 / 3)

    class Flat(Mean):
        def predict(self, X):
            return self.mean

    with pytest.raises(ValueError, match=r"Flat.predict gave shape \(3,\): expected \(40, 3\)"):
        OnSimplex(Flat()).fit(X, D).predict(X)


def test_scores_of_a_list_of_arrays():
    X, _ = rows()
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 9])  # nobody has the second label
    S = Scores(RandomForestClassifier(5, random_state=0)).fit(X, Y.astype(float)).predict_proba(X)
    assert S.shape == Y.shape and not S[:, 1].any()
    assert S[Y[:, 0], 0].min() > S[~Y[:, 0], 0].max()


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.DataConversionWarning")
@pytest.mark.filterwarnings("ignore:Label not:UserWarning")
@pytest.mark.parametrize(
    "learner", [RandomForestClassifier(5), OneVsRestClassifier(LogisticRegression())]
)
def test_scores_of_one_label(learner):
    """Classifiers take one column for classes, of which there may be one."""
    X, _ = rows()
    for Y in (X[:, :1] > 0, np.zeros((40, 1)), np.ones((40, 1))):
        S = Scores(learner).fit(X, Y.astype(float)).predict_proba(X)
        assert S.shape == (40, 1) and np.mean((S > 0.5) == Y) > 0.9


# A user's table


def test_tables_of_every_kind_give_the_same(tmp_path):
    X, D = rows(12)
    names = [f"x{j}" for j in range(4)], ["d_a", "d_b", "d_c"]
    frame = pd.DataFrame(np.hstack([X, D]), columns=sum(names, []))
    frame.to_csv(tmp_path / "t.csv", index=False)
    np.savez(tmp_path / "t.npz", X=X, D=D)
    savemat(tmp_path / "t.mat", {"features": X, "labels": D})
    read = [userdata.read(tmp_path / f"t.{kind}", "d_*") for kind in ("csv", "npz", "mat")]
    assert len({round(one.D.sum(), 9) for one in read}) == 1
    assert read[0].label_names == names[1] and read[0].feature_names == names[0]
    assert read[0].name == "t" and read[0].task == "ldl"
    assert userdata.read(tmp_path / "t.csv", "d_c,d_a").label_names == ["d_a", "d_c"]
    assert userdata.bunch(X, (D > 0.4).astype(int)).task == "multilabel"
    assert userdata.bunch(X, np.eye(3)[np.arange(12) % 3]).task == "ldl"  # each row has one


def test_degrees_in_per_cent_are_put_on_the_simplex():
    X, D = rows(12)
    with pytest.warns(NormalisationWarning, match="12 of 12 rows of D do not sum to 1"):
        percent = userdata.bunch(X, 100 * D)
    assert np.allclose(percent.D, D) and percent.sha256 != userdata.bunch(X, D).sha256
    with pytest.raises(UserDataError, match="Negative values in D: row 2, column 0"):
        userdata.bunch(X, np.where(np.arange(12)[:, None] == 2, -D, D))


def test_a_bad_table_is_named(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,name,d_1,d_2\n1,ann,.5,.5\n2,bob,1,0\n")
    (tmp_path / "t.txt").write_text("")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "semicolons.csv").write_text("x;d_1;d_2\n1;0,5;0,5\n")
    (tmp_path / "counted.csv").write_text(",x,d_1,d_2\n0,1,.5,.5\n1,2,1,0\n")
    (tmp_path / "ragged.csv").write_text("x,d_1,d_2\n1,.5,.5\n2,1,0,7\n")
    (tmp_path / "latin.csv").write_bytes("x,d_\xe9,d_2\n1,.5,.5\n".encode("latin-1"))
    np.savez(tmp_path / "t.npz", A=np.eye(2))
    for path, labels, message in (
        (tmp_path / "no.csv", "d_*", "There is no file"),
        (tmp_path / "t.txt", "d_*", "files are .csv, .parquet, .npz or .mat, not '.txt'"),
        (tmp_path / "t.npz", None, "has no array X or features; it has: A"),
        (tmp_path / "empty.csv", "d_*", "is empty"),
        (tmp_path / "semicolons.csv", "d_*", "its separator seems to be ';'"),
        (tmp_path / "counted.csv", "d_*", "first column without a name that counts the rows"),
        (tmp_path / "ragged.csv", "d_*", "ragged.csv is no table: Expected .*line 3, saw 4"),
        (tmp_path / "latin.csv", "d_*", "latin.csv is not in UTF-8"),
        (table, None, "Which columns of .* are labels.*there are: x, name, d_1, d_2"),
        (table, "e_*", "No column of .* is called 'e_\\*'"),
        (table, "*", "no feature is left"),
        (table, "d_*", "X row 0 .line 2., column 'name': 'ann' is no number"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.read(path, labels)
    with pytest.raises(UserDataError, match=r"2 rows, targets 3"):
        userdata.bunch(np.eye(2), np.eye(3))


def test_labels_and_paths_of_other_types(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,d_1,d_2\n1,.5,.5\n2,1,0\n")
    for labels in (5, [5]):
        with pytest.raises(UserDataError, match="No column of .* is called '5'; there are: x, d_1"):
            userdata.read(path, labels)
    assert userdata.read(path, pd.Index(["d_1", "d_2"])).feature_names == ["x"]
    with pytest.raises(UserDataError, match="path is no text but of the type DataFrame"):
        userdata.read(pd.DataFrame(), "d_*")


@pytest.mark.filterwarnings("error:overflow")
def test_the_largest_degrees_are_degrees():
    D = np.array([[1e308, 1e308, 1e307], [2, 2, 5]])
    with pytest.warns(NormalisationWarning):
        assert np.allclose(userdata.bunch(np.eye(2), D).D[0], [10 / 21, 10 / 21, 1 / 21])
    with pytest.raises(UserDataError, match="Column 2 of the labels is the sum of the others"):
        userdata.bunch(np.eye(2), [[1e308, 0, 1e308], [1, 2, 3]])


def test_names_with_brackets_are_names(tmp_path):
    (tmp_path / "t.csv").write_text("x,d[1],d[2]\n1,.5,.5\n2,1,0\n")
    assert userdata.read(tmp_path / "t.csv", "d[1],d[2]").label_names == ["d[1]", "d[2]"]


def test_what_a_conversion_to_numbers_would_lose_is_refused():
    X, D = rows(12)
    frame = pd.DataFrame(X, columns=list("abcd"))
    holed = np.where(np.arange(12)[:, None] == 3, np.nan, X)
    for bad, message in (
        (frame.assign(when=pd.Timestamp("2020-01-01")), "Dates or times not supported: X column 4"),
        (frame.astype(complex), "Complex data not supported: X column 0"),
        (np.ma.masked_greater(X, 1), "X is a masked array"),
        (holed, "X row 3, column 0 is nan"),
        (pd.DataFrame(X, columns=list("abca")), "X has two columns called 'a'"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.bunch(bad, D)
    with pytest.raises(UserDataError, match="D row 0, column 0 is 0.*targets are 0 or 1"):
        userdata.bunch(X, D, task="multilabel")


def test_methods_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    path = tmp_path / "of_a_user.py"
    path.write_text(
        "from sklearn.linear_model import Ridge\n"
        "class Needs:\n    def __init__(self, k): pass\n    def fit(self): pass\n"
        "class Raises(Needs):\n    def __init__(self): 1 / 0\n"
        "mine = Ridge(2)\n"
    )
    (tmp_path / "dotted.v2.py").write_text("mine = 1\n")
    found = load_methods([f"{path}:mine", "StructRF"])
    assert found["mine"].alpha == 2 and isinstance(found["StructRF"], ldlrepro.StructRF)
    for name, message in (
        (f"{tmp_path}/no.py:mine", "There is no file"),
        (f"{tmp_path}:mine", "is a folder: name a file"),
        (f"{path}:", "Name a class of .* after the colon; it has: Ridge"),
        (":mine", ":mine names no file"),
        ("", "No method ''"),
        (f"{path}:yours", "has no yours; it has: Ridge, Needs, Raises, mine"),
        (f"{path}:Needs", "Needs.. of .* Give its parameters defaults"),
        (f"{path}:Raises", r"fails: ZeroDivisionError: division by zero .*of_a_user.py, line 6\)"),
        (f"{tmp_path}/dotted.v2.py:mine", "end it in .py, without other dots"),
        ("StructForest", "No method 'StructForest'. Name a class of yours"),
    ):
        with pytest.raises(CompareError, match=message):
            load_methods([name])
    for twice in ([f"{path}:mine"] * 2, [f"{path}:mine", f"{tmp_path}/./{path.name}:mine"]):
        with pytest.raises(CompareError, match="is named twice"):
            load_methods(twice)
    with pytest.raises(CompareError, match="StructRF is named twice"):
        load_methods(["StructRF", "StructRF"])
    monkeypatch.setenv("HOME", str(tmp_path))
    assert set(load_methods([f"~/{path.name}:mine"])) == {"mine"}
    (tmp_path / "broken.py").write_text("\nimport not_there\n")
    (tmp_path / "uses_broken.py").write_text("import broken\n")
    message = r"uses_broken.py cannot be imported: ModuleNotFoundError.*/broken.py, line 2\)"
    with pytest.raises(CompareError, match=message):
        load_methods([f"{tmp_path}/uses_broken.py:mine"])
    (tmp_path / "of_stored_name.py").write_text("class AAKNN:\n    fit = predict = print\n")
    both = [f"{tmp_path}/of_stored_name.py:AAKNN", "AAKNN"]
    for order in (both, both[::-1]):
        assert list(load_methods(order)) == order
    assert list(load_methods(both[:1])) == ["AAKNN"]
    (tmp_path / "json.py").write_text("")
    with pytest.raises(CompareError, match="has the name of an installed module"):
        load_methods([f"{tmp_path}/json.py:mine"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "first column without a name that counts the rows"),
        ('"",x,d_1,d_2\n"7",1,.5,.5\n"3",2,1,0\n', "first column without a name that counts"),
        (" ,x,d_1,d_2\n5.0,1,.5,.5\n2,2,1,0\n", "first column without a name that counts"),
        ("x,,d_1,d_2\n1,9,.5,.5\n2,2,1,0\n", "has a column without a name that counts"),
        ("index,x,d_1,d_2\n1,1,.5,.5\n0,2,1,0\n", "first column called 'index' that counts"),
        ("rownames,x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "first column called 'rownames' that counts"),
        ("x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "4 values in its first row and 3 names above them"),
        ("x,d_1,d_2\n", "has names of columns and no rows"),
        ("x,x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "two columns called 'x': give each its name"),
        ("x,d_1,d_2,d_1 \n1,1,.5,.5\n2,2,1,0\n", "two columns called 'd_1'"),
        ("x;d_1;d_2\n1;0,5;0,5\n", "its separator seems to be ';'"),
        ("x\td_1\td_2\n1\t0,5\t0,5\n", "its separator seems to be a tab"),
        ("x|d_1|d_2\n1|0,5|0,5\n2|1|0\n", r"its separator seems to be '\|'"),
        ("\nx d_1 d_2\n1 .5 .5\n", "its separator seems to be a space"),
        ("x,d_1,d_2,\n1,.5,.5,\n2,1,0,\n", "last column without a name and without values"),
        ("# made by us\nx,d_1,d_2\n1,.5,.5\n", "begins with the line '# made by us': remove it"),
        ("sep=,\nx,d_1,d_2\n1,.5,.5\n", "begins with the line 'sep=,': remove it"),
        ("x,y,d_1,d_2\n1,1,.5,.5\n2,1e308,1,0\n", "X row 1 .*, column 'y': 1e\\+308 is too large"),
        ("x,d_1,d_2\n1,.5,.5\n,1,0\n", "X row 1 .line 3., column 'x': the value is missing"),
        (
            "x,d_1,d_2\n1,.5,.5\n2,inf,0\n",
            "D row 1 .line 3., column 'd_1': inf is no finite number",
        ),
        (f"x,d_1,d_2\n1,.5,.5\n{10**400},1,0\n", "X row 1 .*column 'x': .* is too large; scale"),
        (
            f"x,d_1,d_2\n1,.5,.5\n2,{10**309},0\n",
            "D row 1 .*'d_1': inf is .*, or a larger one .*scale",
        ),
        (
            "My table of 2020\nx,d_1,d_2\n1,.5,.5\n",
            "begins with the line 'My table of 2020', a tit",
        ),
        (
            'x,d_1,d_2\n1,"0,5",.5\n',
            "row 0 .line 2., column 'd_1': '0,5' has a decimal comma; save",
        ),
        ('x,d_1,d_2\n"1,234.5",.5,.5\n', "'1,234.5' has commas between thousands; leave"),
        ("x,d_1,d_2\n1,50%,50%\n", "'50%' has a percent sign; leave it out"),
        ("x,d_1,d_2\n\u22121.5,.5,.5\n", "'\u22121.5' has a dash where a minus"),
        ("x,d_1,d_2\n?,.5,.5\n", "'\\?' is no number; where it marks a missing value"),
        ("x;d_1;d_2\n1;0,5;0,5\n2;0,5;0,5\n", "its separator seems to be ';'"),
        ('x,d_1,d_2\n1,.5,".5\n2,1,0\n', "a quotation mark is opened and not closed"),
        (",x,d_1,d_2\nann,1,.5,.5\nbob,2,1,0\n", "with texts such as 'ann': names of the rows"),
        ("x,d_1,d_2\n--1,.5,.5\n", "'--1' is no number; encode"),
        ("x,d_1,d_2\n\u00a01.5,.5,.5\n", "has the sign NO-BREAK SPACE; remove it"),
        ("x,d_1,d_2\n1 234,.5,.5\n", "'1 234' has the sign SPACE; remove it"),
        ("x,d_1,d_2\n\u0661,.5,.5\n", "has digits of another script; write them as 0 to 9"),
        (
            'x,y,d_1,d_2\n1,"3\n",.5,.5\n\n2,,1,0\n',
            "X row 1 .line 5., column 'y': the value is mis",
        ),
        ("x,d_1,d_2\n1,.5,.5\n\n2,0,0\n", "D row 1 .line 4. is all zero"),
        ("x,d_1,d_2\n1,.5,.5\n2,-1,2\n", "Negative values in D: row 1 .line 3., column 0"),
    ],
)
def test_a_table_of_another_program_is_told(text, message, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(UserDataError, match=message):
        userdata.read(tmp_path / "t.csv", "d_*")


def test_columns_without_a_name_that_count_no_rows_are_features(tmp_path):
    for first in ("1.5,2", "3,3"):
        one, two = first.split(",")
        (tmp_path / "t.csv").write_text(f",d_1,d_2\n{one},.5,.5\n{two},1,0\n")
        assert userdata.read(tmp_path / "t.csv", "d_*").X[:, 0].tolist() == [float(one), float(two)]
    (tmp_path / "t.csv").write_text('a, "b c" , d_1,d_2\n1, 4, .5,.5\n2,5, 1, 0\n')
    read = userdata.read(tmp_path / "t.csv", "d_*")
    assert read.feature_names == ["a", "b c"] and read.X[:, 1].tolist() == [4, 5]


def test_numbers_in_objects_are_numbers_and_the_largest_are_told():
    X, D = rows(4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for kind in (Fraction, Decimal):
        np.testing.assert_array_equal(userdata.bunch(frame.map(kind), D).X, X)
    for value, message in (
        (10**400, "an integer of 1329 bits is too large"),
        ([1, 2], "the cell holds a list"),
        (object, "is no number"),
    ):
        bad = frame.astype(object).map(lambda _, value=value: value)
        with pytest.raises(UserDataError, match=f"X row 0, column 'a': .*{message}"):
            userdata.bunch(bad, D)
    with pytest.raises(UserDataError, match="X is no array of numbers"):
        userdata.bunch([[10**400]] * 4, D)


def test_row_numbers_in_a_frame_are_told():
    X, D = rows(12)
    frame = pd.DataFrame(X, columns=list("abcd"))
    shuffled = frame.sample(frac=1, random_state=0)
    for bad in (
        shuffled.rename_axis("Unnamed: 0").reset_index(),
        shuffled.reset_index(),
        frame.assign(level_0=range(5, 17)),
        frame.assign(id=range(5, 17)),
        frame.assign(X=range(1, 13)),
    ):
        with pytest.raises(UserDataError, match="X has a .*column .* that counts the rows"):
            userdata.bunch(bad, D)
        with pytest.raises(UserDataError, match="X has a .*column .* that counts the rows"):
            compare({"mean": Mean()}, bad, D, folds=2)
    assert userdata.bunch(shuffled.to_numpy(), D).X.shape == (12, 4)


@pytest.mark.parametrize(
    "name", ["../../escaped", "a/b", "a\\b", "..", "", " ", "a\0b", "a\nb", "x" * 201, "caf\udce9"]
)
def test_a_name_that_is_a_path_is_refused(name, tmp_path):
    X, D = rows(12)
    with pytest.raises(UserDataError, match="records go into a file of this name"):
        userdata.bunch(X, D, name)
    made = userdata.bunch(X, D)
    made.name = name  # a bunch of somebody's own
    with pytest.raises(UserDataError, match="records go into a file of this name"):
        compare({"mean": Mean()}, made, folds=2, records=tmp_path / "records")
    assert not (tmp_path / "records").exists()


@pytest.mark.parametrize("name", [b"caf\xe9.csv", b"a\nb.csv", b"a\\b.csv", b"$50_%.csv"])
def test_names_of_files_are_shown_as_far_as_they_can_be(name, tmp_path, here):
    X, D = rows(12)
    path = comparing.Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    table = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    try:
        table.to_csv(path, index=False)
    except OSError:
        pytest.skip("this file system takes no such name")
    data = userdata.read(path, "d_*")
    assert data.name.encode().decode().isprintable()
    found = compare({"$m_1$ <b>": Mean()}, data, folds=2, records=tmp_path / "records")
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "$m_1$ &lt;b&gt;" in page and "<b>" not in page
    assert len(list((tmp_path / "records" / "own").glob("*.csv"))) == 1


def test_names_with_dollar_signs_are_no_formulas(here):
    X, D = rows(20)
    data = userdata.bunch(X, D, "$frac{$ 50% a_b")
    found = compare({r"$\sqrt$": Mean(), "a $ b": Mean()}, data, folds=2)
    with matplotlib.rc_context({"text.usetex": False}):
        for figure in (found.picture(), found.folds_picture(), found.time_picture()):
            figure.canvas.draw()
            plt.close(figure)


@pytest.mark.parametrize("name", ["W" * 240, "\u65e5\u672c"])
@pytest.mark.filterwarnings("error")
def test_names_that_are_long_or_in_other_scripts_fit_into_the_page(here, tmp_path, name):
    X, D = rows(20)
    found = compare({name: Mean()}, userdata.bunch(X, D, name[:200]), folds=2)
    found.to_html(tmp_path / "page.html")
    assert name in (tmp_path / "page.html").read_text()


def test_the_page_leaves_the_style_of_the_user(here, tmp_path):
    X, D = rows(20)
    found = compare({"mean": Mean()}, X, D, folds=2)
    with matplotlib.rc_context({"text.usetex": True, "font.size": 31}):
        found.to_html(tmp_path / "page.html")
        assert matplotlib.rcParams["text.usetex"] and matplotlib.rcParams["font.size"] == 31


def test_no_cell_is_a_formula_of_a_spreadsheet(here, tmp_path):
    X, D = rows(20)
    names = ["=cmd()", "+1+cmd", "-cmd", "@cmd", "\tcmd"]
    data = userdata.bunch(X, D, "=data")
    found = compare({name: Mean() for name in names}, data, folds=2)
    found.to_csv(tmp_path / "records.csv")
    table = pd.read_csv(tmp_path / "records.csv")
    assert {f"'{name}" for name in names} <= set(table.method)
    assert set(table.dataset) == {"'=data"} and table.kl_divergence.dtype == float
    frame = pd.DataFrame({"=a": ["=b", "-0.1", "+1.5%", "x=y"], "n": [-1.0, 2, 3, 4]})
    safe = for_spreadsheets(frame)
    assert list(safe) == ["'=a", "n"] and safe.n.tolist() == [-1, 2, 3, 4]
    assert safe["'=a"].tolist() == ["'=b", "-0.1", "+1.5%", "x=y"]


def test_equal_rows_of_D_have_nothing_to_learn():
    X, D = rows(20)
    for targets in (np.tile(D[0], (20, 1)), np.tile([1, 0, 1], (20, 1))):
        with pytest.raises(CompareError, match="All rows of D are equal"):
            compare({"mean": Mean()}, X, targets, folds=2)


def test_a_null_predictor_without_a_loss_has_no_skill():
    frame = pd.DataFrame({"method": ["a", "null"] * 2, "dataset": ["x", "x", "y", "y"], "fold": 0})
    frame = frame.assign(kl_divergence=[-4e-17, 2e-17, 0.1, 0.2], fit_seconds=1.0)
    table = matrix.skill(frame, "null", "kl_divergence")
    assert list(table) == ["y"] and table.loc["a", "y"] == pytest.approx(0.5)
    only = frame[frame.dataset == "x"]
    assert matrix.skill(only, "null", "kl_divergence").empty
    for figure in (
        folds_picture(only, "null", "kl_divergence"),
        choice.front_picture(choice.front(only, "null", "kl_divergence"), "kl_divergence"),
    ):
        ((said,),) = [axis.texts for axis in figure.axes]
        assert said.get_text().startswith("No ")


def test_bad_places_and_seeds_are_told_before_the_fits(tmp_path, capsys):
    X, D = rows(20)
    Mean.fits = 0
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(CompareError, match="file is no folder, and a folder of records"):
            compare({"mean": Mean()}, X, D, folds=2, records=place)
    for seed in (2**32, 10**7, -1, 0.5):
        with pytest.raises(CompareError, match="give an int, 0 or more and at most 1000000"):
            compare({"mean": Mean()}, X, D, folds=2, random_state=seed)
    (tmp_path / "folder.csv").mkdir()
    for out, message in (
        ("folder.csv", "is a folder"),
        ("no/page.html", "there is no folder"),
        ("x" * 252 + ".csv", "File name too long"),
        ("x" * 245 + ".csv", "is too long to write"),
    ):
        words = ["compare", "AAKNN", "--data", "t.csv", "--out", str(tmp_path / out)]
        with pytest.raises(SystemExit):
            cli.parser().parse_args(words)
        assert message in capsys.readouterr().err
    for option in ("--data", "--records"):
        with pytest.raises(SystemExit):
            cli.parser().parse_args(["compare", option, "x" * 300])
        assert "File name too long" in capsys.readouterr().err
    assert Mean.fits == 0


def test_damaged_and_newer_files_are_told(tmp_path, monkeypatch):
    (tmp_path / "new.mat").write_bytes(
        b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM"
    )
    with pytest.raises(UserDataError, match="version 7.3, which is not read.*'-v7'"):
        userdata.read(tmp_path / "new.mat")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")

    def damaged(path):
        raise OSError("Couldn't deserialize thrift: TProtocolException")

    monkeypatch.setattr(pd, "read_parquet", damaged)
    with pytest.raises(UserDataError, match="bad.parquet is damaged, or no .parquet file .OSError"):
        userdata.read(tmp_path / "bad.parquet", "d_*")


def test_files_of_arrays_that_hold_none_are_told(tmp_path):
    X, D = rows(12)
    np.savez(tmp_path / "good.npz", X=X, D=D)
    savemat(tmp_path / "good.mat", {"X": X, "D": D})
    np.savez(tmp_path / "pickled.npz", X=np.array([{}], dtype=object), D=D)
    savemat(tmp_path / "cell.mat", {"X": np.array([[1, "a"]], dtype=object), "D": D})
    savemat(tmp_path / "struct.mat", {"X": {"a": 1}, "D": D})
    np.savez(tmp_path / "records.npz", X=np.zeros(12, [("a", float), ("b", float)]), D=D)
    for kind in ("npz", "mat"):
        (tmp_path / f"empty.{kind}").write_bytes(b"")
        (tmp_path / f"text.{kind}").write_text("x,y\n1,2\n" * 40)
        content = (tmp_path / f"good.{kind}").read_bytes()
        (tmp_path / f"cut.{kind}").write_bytes(content[: len(content) // 2])
    for name, message in (
        ("empty.npz", "is empty"),
        ("empty.mat", "is empty"),
        ("text.npz", "is no .npz file, or one that was cut short"),
        ("cut.npz", "is no .npz file, or one that was cut short"),
        ("text.mat", "is no .mat file, or it is damaged or cut short"),
        ("cut.mat", "is no .mat file, or it is damaged or cut short"),
        ("pickled.npz", "has an array of objects.*Pickled objects are refused"),
        ("cell.mat", "X is a cell array, a struct or a table of records"),
        ("struct.mat", "X is a cell array, a struct or a table of records"),
        ("records.npz", "X is a cell array, a struct or a table of records"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.read(tmp_path / name)


def test_columns_that_became_an_index_in_parquet_are_columns_again(tmp_path, monkeypatch):
    X, D = rows(12)
    table = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    (tmp_path / "t.parquet").write_bytes(b"")
    for index, names in ((["b"], "bacd"), (["c", "a"], "cabd"), (["d_1"], "abcd")):
        monkeypatch.setattr(pd, "read_parquet", lambda path, by=index: table.set_index(by))
        read = userdata.read(tmp_path / "t.parquet", "d_*")
        assert read.feature_names == list(names) and read.D.shape == (12, 3)
        np.testing.assert_array_equal(read.X, table[list(names)])
    monkeypatch.setattr(pd, "read_parquet", lambda path: table.set_index("b").assign(b=1))
    with pytest.raises(UserDataError, match="two columns called 'b'"):
        userdata.read(tmp_path / "t.parquet", "d_*")
    monkeypatch.setattr(pd, "read_parquet", lambda path: table.rename_axis("id").iloc[::-1])
    with pytest.raises(UserDataError, match="first column called 'id' that counts the rows"):
        userdata.read(tmp_path / "t.parquet", "d_*")


def test_sparse_arrays_of_matlab_are_read(tmp_path):
    X, D = rows(12)
    labels = (D > 0.3).astype(float)
    savemat(tmp_path / "t.mat", {"X": sparse.csc_matrix(X), "Y": sparse.csc_matrix(labels)})
    read = userdata.read(tmp_path / "t.mat")
    np.testing.assert_array_equal(read.X, X)
    np.testing.assert_array_equal(read.Y, labels)


def test_tables_without_rows_or_features_are_told():
    X, D = rows(12)
    for bad in ((X[:0], D[:0]), (X[:, :0], D), (X, D[:, :0])):
        with pytest.raises(UserDataError, match="a row, a feature and a label are needed"):
            userdata.bunch(*bad)


def test_method_files_of_one_name_and_links(tmp_path, monkeypatch, here):
    monkeypatch.setattr(sys, "path", sys.path[:])
    for folder, constant in (("one", 0.2), ("two", 0.5)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "method_of_one_name.py").write_text(
            "import numpy as np\n"
            "class Mine:\n"
            "    def fit(self, X, D):\n        self.c = D.shape[1]\n"
            "    def predict(self, X):\n"
            f"        first = np.full((len(X), 1), {constant})\n"
            "        rest = np.full((len(X), self.c - 1), (1 - first[0, 0]) / (self.c - 1))\n"
            "        return np.hstack([first, rest])\n"
        )
    first, second = (f"{tmp_path}/{d}/method_of_one_name.py:Mine" for d in ("one", "two"))
    named = load_methods([first, second])
    assert list(named) == ["Mine", second]
    X, D = rows(20)
    firsts = [model.predict(X)[0, 0] for model in named.values() if not model.fit(X, D)]
    assert firsts == [0.2, 0.5]
    found = compare(named, X, D, folds=2).records
    direct = compare({"other": load_methods([second])["Mine"]}, X, D, folds=2).records
    for method, other in (("Mine", False), (second, True)):
        mine = found[found.method == method].kl_divergence.to_numpy()
        same = mine == direct[direct.method == "other"].kl_divergence.to_numpy()
        assert same.all() == other
    with pytest.raises(CompareError, match="is named twice"):
        load_methods([first, first, first])
    (tmp_path / "links").mkdir()
    try:
        (tmp_path / "links" / "a_link.py").symlink_to(tmp_path / "one" / "method_of_one_name.py")
    except OSError:
        pytest.skip("no links here")
    linked = load_methods([f"{tmp_path}/links/a_link.py:Mine"])
    assert type(linked["Mine"]).__module__ == "a_link"


@pytest.mark.slow
def test_method_files_of_one_name_in_other_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "method_in_processes.py").write_text(
            "import numpy as np\n"
            "class Mine:\n"
            "    def fit(self, X, D):\n        pass\n"
            f"    def predict(self, X):\n        raise ValueError('from {folder}')\n"
        )
    X, D = rows(20)
    paths = [f"{tmp_path}/{d}/method_in_processes.py:Mine" for d in ("one", "two")]
    for name, model in load_methods(paths).items():
        with pytest.raises(runner.RunError, match="from one" if name == "Mine" else "from two"):
            compare({"mine": model}, X, D, folds=2, n_jobs=2)


class Sparse(OneVsRestClassifier):
    """Predicts sparse matrices, as scikit-multilearn's classes do."""

    def __init__(self, estimator=None, kind=sparse.lil_matrix, proba=True):
        super().__init__(estimator)
        self.kind, self.proba = kind, proba

    def predict_proba(self, X):
        return self.kind(super().predict_proba(X))


class Lists:
    """Predicts an array a label."""

    def __init__(self, shape):
        self.shape = shape

    def fit(self, X, Y):
        self.share = Y.mean(axis=0)

    def predict(self, X):
        return self.predict_proba(X) > 0.5

    def predict_proba(self, X):
        share = np.tile(self.share, (len(X), 1))
        if self.shape == "label":
            return list(share.T)
        if self.shape == "row":
            return list(share)
        two = [np.column_stack([1 - s, s]) for s in share.T]
        return [sparse.csr_matrix(s) for s in two] if self.shape == "sparse" else two


def test_scores_that_are_sparse_or_lists_are_taken(here):
    X, D = rows(40)
    Y = (D > 0.3).astype(int)
    dense = OneVsRestClassifier(LogisticRegression())
    kinds = (sparse.lil_matrix, sparse.csr_array, sparse.coo_matrix)
    methods = {k.__name__: Sparse(LogisticRegression(), k) for k in kinds} | {"dense": dense}
    table = compare(methods, X, Y, folds=2).table().map(str)
    for name in methods:
        assert (table.loc[name] == table.loc["dense"]).all()
    methods = {shape: Lists(shape) for shape in ("label", "row", "two", "sparse")}
    table = compare(methods, X, Y, folds=2).table().map(str)
    for shape in methods:
        assert (table.loc[shape] == table.loc["LabelFrequencies"]).all(), shape
    model = OnSimplex(SparseDegrees()).fit(X, D)
    np.testing.assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (40, 1)))


class SparseDegrees(Mean):
    """Predicts a sparse matrix of degrees."""

    def predict(self, X):
        return sparse.csr_matrix(super().predict(X))


# Beside stored records


def test_stored_rivals_stand_beside_a_new_method(here):
    try:
        datasets.load("s-JAFFE")
    except DataUnavailableError as error:
        pytest.skip(str(error))
    found = compare({"mean": Mean()}, datasets=["s-JAFFE"])
    stored = found.records[found.records.method == "MeanPredictor"].sort_values("fold")
    mine = found.records[found.records.method == "mean"].sort_values("fold")
    # The same folds and the same rows: the two are one method.
    assert mine.kl_divergence.to_numpy() == pytest.approx(stored.kl_divergence.to_numpy(), 1e-9)
    table = found.against()
    assert {"StructRF", "MSLP", "SA-BFGS", "sLDLF"} <= set(table.against)
    assert (table["rival's loss removed"].diff().dropna() >= 0).all()
    assert re.fullmatch(r"\d of 1", table["better on"][0]) and "(" not in str(table["better on"])
    page = found._repr_html_()
    assert "s-JAFFE" in page and "Holm" in page


def test_stale_records_are_no_rivals(here, monkeypatch):
    """Records of a method, or of all, whose marks are not those of the code that runs."""
    try:
        datasets.load("s-JAFFE")
    except DataUnavailableError as error:
        pytest.skip(str(error))
    of_method = state.of_method

    def changed(method, *rest):
        other = type(method.estimator).__name__ == "StructRF"
        return "0" * 12 if other else of_method(method, *rest)

    monkeypatch.setattr(state, "of_method", changed)
    monkeypatch.setattr(state, "lenders", lenders_with(of_method))
    found = compare({"mean": Mean()}, datasets=["s-JAFFE"])
    assert "StructRF" not in set(found.records.method) and "MSLP" in set(found.records.method)
    assert "StructRF: left out on SJAFFE, since other code" in " ".join(found.said())
    monkeypatch.setattr(state, "of_method", lambda *_: "0" * 12)
    Mean.fits = 0
    with pytest.raises(CompareError, match="Other code .* made the stored records of SJAFFE"):
        compare({"mean": Mean()}, datasets=["s-JAFFE"])
    assert Mean.fits == 0


def lenders_with(of_method):
    """`state.lenders`, found with the marks of the code as it is."""
    lenders = state.lenders

    def found(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(state, "of_method", of_method)
            return lenders(*arguments)

    return found


def test_what_others_hold_is_not_run_again():
    lent = state.lenders(comparison.PAPER, comparison.TABLES)
    names = {(mine.name, paper.name, there.name) for mine, paper, there, _ in lent}
    assert ("MSLP", "mslp", "tables") in names and ("SA-BFGS", "structrf", "tables") in names
    assert ("SA-BFGS", "mslp", "tables") in names  # there under the name BFGS-LDL
    assert not any(there.borrows or there.test_share for _, _, there, _ in lent)
    records = state.read(comparison.PAPER, comparison.TABLES, datasets=["SJAFFE"])
    assert not records.duplicated(["method", "fold"]).any()
    borrowed = records[records.method == "SA-BFGS"]
    assert len(set(borrowed.paper)) == 1 and len(borrowed) == 10  # of one that holds it


def test_a_pair_that_is_left_out_is_not_declared():
    methods = Method("a", Mean()), Method("b", Mean())
    experiment = Experiment("e", methods, ("x", "y"), without=(("b", "y", "slow"),))
    assert [m.name for m in experiment.methods_on("y")] == ["a"]
    assert len(experiment.methods_on("x")) == 2


def test_a_set_with_few_records_is_not_taken_by_itself(monkeypatch):
    records = state.read(comparison.PAPER, comparison.TABLES, datasets=["SJAFFE", "Movie"])
    few = (records.dataset == "SJAFFE") | records.method.isin(["StructRF", "MeanPredictor"])
    monkeypatch.setattr(comparing, "read", lambda *_, **__: records[few])
    assert comparing._compared(None) == ["SJAFFE"]


def test_all_rivals_of_a_table_are_one_family():
    """A p of .01 among twenty is shown by itself, not after Holm's adjustment."""
    rng = np.random.default_rng(0)
    noise = {f"rival {i}": rng.normal(scale=0.02, size=10) for i in range(20)}
    noise["rival 0"] += 0.02
    parts = [pd.DataFrame({"method": m, "kl_divergence": 0.3 + e}) for m, e in noise.items()]
    parts.append(pd.DataFrame({"method": "mine", "kl_divergence": np.full(10, 0.3)}))
    records = pd.concat([p.assign(fold=range(10)) for p in parts], ignore_index=True)
    records = records.assign(dataset="own", n_train=90, n_test=10)
    table = matrix.against(records, "mine", "kl_divergence").set_index("against")
    shown = table["significantly better"]["rival 0"]
    pair = [records[records.method == m].kl_divergence.to_numpy() for m in ("rival 0", "mine")]
    p = stats.corrected_t(*pair, 90, 10)
    assert 0.05 / 20 < p < 0.05 and tuple(shown)[:2] == (1, 0)


def test_an_option_that_would_be_ignored_is_refused():
    with pytest.raises(CompareError, match="--folds, --seed: of your own data"):
        commands.compare(cli.parser().parse_args("compare AAKNN --folds 5 --seed 1".split()))


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The folder of a user, with a table in it."""
    monkeypatch.chdir(tmp_path)
    X, D = rows(20)
    frame = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    frame.to_csv("t.csv", index=False)
    return tmp_path / "t.csv"


COMMAND = ["compare", "MeanPredictor", "--labels", "d_*", "--folds", "2", "--n-jobs", "1", "--data"]


@pytest.mark.parametrize("out", ["t.csv", "./t.csv", "{}", "link.csv", "hard.csv"])
def test_an_output_in_the_place_of_the_users_table_is_refused(table, out, capsys):
    before = table.read_bytes()
    os.symlink("t.csv", "link.csv")
    os.link("t.csv", "hard.csv")
    for data in ("t.csv", "link.csv"):
        assert cli.main([*COMMAND, data, "--out", out.format(table)]) == 1
        assert "would replace" in capsys.readouterr().err
    assert table.read_bytes() == before and not (table.parent / "ldlrepro-records").exists()


def test_an_output_among_inputs_or_records_is_refused(table, capsys):
    (table.parent / "r" / "own").mkdir(parents=True)
    inside = table.rename(table.parent / "r" / "own" / "t.csv")
    assert cli.main([*COMMAND, str(inside), "--records", "r"]) == 1
    assert "where the records are written" in capsys.readouterr().err
    inside.rename(table)
    (table.parent / "m.csv").write_text("")
    for more, message in (
        (["--out", "r/own/x.csv", "--records", "r"], "among the records of r"),
        (["--out", "m.csv"], "would replace m.csv"),
    ):
        assert cli.main(["compare", "m.csv:M", *COMMAND[2:], "t.csv", *more]) == 1
        assert re.search(message, capsys.readouterr().err)
    np.savez("t.npz", X=np.eye(3), D=np.eye(3))
    assert cli.main([*COMMAND, "t.npz"]) == 1
    assert "--labels is for tables" in capsys.readouterr().err


def test_links_and_the_users_folder_as_outputs(here, table, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(table.parent))
    os.symlink("behind.csv", "link.csv")
    assert cli.main([*COMMAND, "t.csv", "--records", "~/kept", "--out", "link.csv"]) == 0
    assert os.path.islink("link.csv") and (table.parent / "behind.csv").stat().st_size
    assert (table.parent / "kept" / "own" / "t.csv").exists()
    capsys.readouterr()
    assert cli.main([*COMMAND, "~/t.csv", "--records=~/kept", "--out=~/page.HTML"]) == 0
    assert (table.parent / "page.HTML").read_text().startswith("<!doctype html>")
    assert not (table.parent / "~").exists()
    with pytest.raises(SystemExit):
        cli.parser().parse_args([*COMMAND, "t.csv", "--out", ""])
    assert "--out: the name is empty" in capsys.readouterr().err


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


class Turned(Mean):
    """Predicts a frame with the labels in another order."""

    names = ("d_3", "d_1", "d_2")

    def predict(self, X):
        P = pd.DataFrame(super().predict(X), columns=["d_1", "d_2", "d_3"])
        return P[["d_3", "d_1", "d_2"]].set_axis(list(self.names), axis=1)


class Numbered(Turned):
    names = (0, 1, 2)


def test_predicted_labels_are_paired_by_their_names(here, tmp_path):
    X, D = rows()
    D = pd.DataFrame(D, columns=["d_1", "d_2", "d_3"])
    found = compare({"a": Turned(), "b": Mean(), "c": Numbered()}, X, D, folds=2).skill()
    assert found.loc["a"].equals(found.loc["b"]) and not found.loc["c"].equals(found.loc["b"])
    with pytest.raises(
        own.RunError, match="predicts the columns d_3, d_1, d_2, and the labels are r,"
    ):
        compare({"a": Turned()}, X, D.set_axis(["r", "g", "b"], axis=1), folds=2)
    Y = (D > 0.3).astype(int)
    scores = compare({"a": Turned(), "b": Mean()}, X, Y, folds=2).skill()
    assert scores.loc["a"].equals(scores.loc["b"])


@pytest.mark.parametrize("folds", [10.0**50, 2.5, 1, -3, "4"])
def test_folds_that_are_no_number_of_them_are_named(folds):
    with pytest.raises(CompareError, match="^folds is .*: from 2 to the number of rows, 40"):
        compare({"m": Mean()}, *rows(), folds=folds)


@pytest.mark.parametrize("n_jobs", ["2", 0, 1.5, True])
def test_numbers_of_processes_that_are_none_are_named(n_jobs):
    with pytest.raises(LdlreproError, match="n_jobs is a number of processes"):
        compare({"m": Mean()}, *rows(), folds=2, n_jobs=n_jobs)


def test_numbers_that_python_does_not_print_are_named():
    for name in ("folds", "random_state"):
        with pytest.raises(CompareError, match=f"^{name} is a value that cannot be printed"):
            compare({"m": Mean()}, *rows(), **{name: 10**5000})


class Unnamed(Mean):
    def __repr__(self):
        raise RuntimeError("no text of me")


def test_a_method_without_parameters_and_without_a_text_is_taken(here, tmp_path):
    for _ in range(2):
        found = compare({"m": Unnamed()}, *rows(), folds=2, records=tmp_path)
        assert "m" in found.skill().index and found.to_csv(tmp_path / "t.csv") is None


def test_the_command(tmp_path):
    X, D = rows(30)
    columns = [*"abcd", "d_1", "d_2", "d_3"]
    pd.DataFrame(np.hstack([X, D]), columns=columns).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "my_file.py").write_text(
        "import numpy as np\n"
        "class MyMethod:\n"
        "    def fit(self, X, D):\n        self.D = D\n"
        "    def predict(self, X):\n        return np.tile(self.D.mean(axis=0), (len(X), 1))\n"
    )
    (tmp_path / "their_file.py").write_text(
        "import ldlrepro\nclass Theirs(ldlrepro.AAKNN):\n    pass\n"
    )
    command = [sys.executable, "-m", "ldlrepro.cli", "compare", "my_file.py:MyMethod", "AAKNN"]
    command += ["their_file.py:Theirs"]
    command += ["--data", "t.csv", "--labels", "d_*", "--folds", "3", "--n-jobs", "2"]
    done = subprocess.run(
        [*command, "--out", "page.html"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(comparing.Path(ldlrepro.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    assert "MyMethod against the others" in done.stdout
    assert "Theirs against the others" in done.stdout
    assert "AAKNN against the others" not in done.stdout
    page = (tmp_path / "page.html").read_text()
    pictures = re.findall("(?:alt='|aria-label=\")(Heat map|Dots|Marks) of the share", page)
    assert pictures == ["Heat map", "Dots", "Marks"]
    assert not re.findall(r"(?:src|href)=['\"]?http", page)
    assert list((tmp_path / "ldlrepro-records" / "own").glob("t.csv"))


class Leaves(Mean):
    def fit(self, X, D):
        sys.exit("bye")


class Complex(Mean):
    def predict(self, X):
        return super().predict(X) * (1 + 5j)


class Huge(Mean):
    def predict(self, X):
        return np.full((len(X), 3), 1e308)


def test_what_methods_do_besides_errors(here, tmp_path):
    X, D = rows()
    for method, message in ((Leaves(), "SystemExit: bye"), (Complex(), "Complex data not support")):
        with pytest.raises(runner.RunError, match=message):
            compare({"m": method}, X, D, folds=2)
    equal = compare({"huge": Huge(), "even": ldlrepro.UniformPredictor()}, X, D, folds=2).skill()
    assert equal.loc["huge"].item() == pytest.approx(equal.loc["even"].item())
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(CompareError, match="cannot be imported: SystemExit: 3"):
        load_methods([f"{tmp_path}/ends.py:A"])


class Secret(Mean):
    """Ends whoever asks for what it does not have."""

    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


def test_attributes_in_slots_are_told_apart(here, tmp_path):
    for held, fits in ((1, 2), (1, 2), (2, 4), (Mean(), 6)):
        compare({"m": Slots(held)}, *rows(), folds=2, records=tmp_path)
        assert Slots.fits == fits
    assert Mean in own._classes(Slots(Mean()), set())


class Warns(Mean):
    def fit(self, X, D):
        super().fit(X, D)
        for i in range(1000):
            warnings.warn(f"step {i}\nof many", stacklevel=1)


def test_many_warnings_are_a_few_lines_and_a_count(here):
    found = compare({"m": Warns()}, *rows(), folds=2)
    assert len(found.notes["m"]) == 1000
    assert found.said()[0] == "m: step 0 of many."
    assert found.said()[5:] == ["m: and 995 warnings more."]


class Locked(Mean):
    def __init__(self):
        self.lock = threading.Lock()


@pytest.mark.parametrize("method", [Secret, Locked])
def test_a_method_that_cannot_be_read_is_one_line(here, method):
    with pytest.raises(runner.RunError, match="^m cannot be read, .*: (RuntimeError|TypeError)"):
        compare({"m": method()}, *rows(), folds=2)


class Raises(Mean):
    def __init__(self, error):
        self.error = error

    def fit(self, X, D):
        raise self.error


class Predicts(Mean):
    def __init__(self, found):
        self.found = found

    def predict(self, X):
        return self.found(np.tile(self.mean, (len(X), 1)))


class NoArray:
    def __array__(self, *_, **__):
        raise RuntimeError("detach me")  # as a tensor that has a gradient does


class Slots:
    """A method whose attributes stand in slots."""

    __slots__ = ("held", "mean")
    fits, fit, predict = 0, Mean.fit, Mean.predict

    def __init__(self, held=None):
        self.held = held


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "method, message",
    [
        (Raises(GeneratorExit("bye")), "GeneratorExit: bye"),
        (Raises(SystemExit("a\nb")), "SystemExit: a b"),
        (Raises(Unspeakable()), "Unspeakable: .its text cannot be printed"),
        (Predicts(lambda P: P[:, :2]), r"Predicts.predict gave shape"),
        (Predicts(lambda P: P * np.nan), "Predicts.predict gave NaN or inf in row 0"),
        (Predicts(lambda P: None), r"Predicts.predict gave shape \(\)"),
        (Predicts(lambda P: P.astype(str).astype(object) + "x"), "a ndarray: could not convert"),
        (Predicts(lambda P: P + 1j), "Predicts.predict gave no array .*: Complex data not support"),
        (Predicts(lambda P: np.ma.masked_greater(P, 0.4)), "Predicts.predict gave .* masked array"),
        (Predicts(lambda P: "abc"), "Predicts.predict gave no array of numbers, .n, c., but a str"),
        (Predicts(lambda P: {"a": 1}), "Predicts.predict gave no array .*but a dict"),
        (Predicts(lambda P: (p for p in P)), "Predicts.predict gave no array .*but a generator"),
        (Predicts(lambda P: [*P[1:].tolist(), [1]]), "Predicts.predict gave no array .*but a list"),
        (
            Predicts(lambda P: NoArray()),
            "Predicts.predict gave no array .*but a NoArray: detach me",
        ),
    ],
    ids=lambda value: "",
)
def test_a_fit_that_fails_is_one_line_and_the_others_are_kept(here, tmp_path, method, message):
    with pytest.raises(runner.RunError, match=message) as caught:
        compare({"bad": method, "mean": Mean()}, *rows(), folds=2, records=tmp_path)
    told = str(caught.value)
    assert "\n" not in told and "bad on data, fold 0: " in told and "Mend that method" in told
    assert set(RecordStore(tmp_path / "own").read("data").method) == {"mean", "MeanPredictor"}


def test_a_fit_that_fails_without_a_folder_says_that_all_are_lost(here):
    with pytest.raises(runner.RunError) as caught:
        compare({"bad": Raises(ValueError("no"))}, *rows(), folds=2)
    told = str(caught.value)
    assert "the others are lost, since records= names no folder" in told
    assert "goes on" not in told and "command" not in told


@pytest.mark.parametrize("found", [lambda P: P.tolist(), pd.DataFrame])
def test_lists_and_frames_are_predictions(here, found):
    got = compare({"p": Predicts(found)}, *rows(), folds=2).skill()
    assert got.loc["p"].item() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(3), GeneratorExit()])
def test_a_method_that_cannot_be_asked_is_one_line(error):
    class Closed:
        def __getattr__(self, name):
            raise error

    with pytest.raises(CompareError, match="^m cannot be asked for fit and predict: .*__getattr__"):
        compare({"m": Closed()}, *rows(), folds=2)


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".mat"])
def test_a_table_that_is_no_file_is_named(tmp_path, suffix):
    for make in (os.mkfifo, os.mkdir):
        path = tmp_path / f"{make.__name__}{suffix}"
        make(path)
        with pytest.raises(LdlreproError, match=f"^{path} is a .*a file belongs there"):
            userdata.read(path)
        with pytest.raises(LdlreproError, match=f"^{path} is a .*a file belongs there"):
            write_whole(path, "text")


def test_a_method_file_in_another_encoding_and_beside_files_with_names_of_modules(
    tmp_path, monkeypatch
):
    """As Windows saves it, or as the file itself says; a pandas.py there is not pandas."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    text = "# coding: {}\nclass M:\n    'Ä'\n    def fit(self, X, D): pass\n    predict = fit\n"
    data, experiment = userdata.bunch(*rows()), Experiment(own.EXPERIMENT, (), ("data",), folds=3)
    for coding in ("utf-8-sig", "latin-1"):
        path = tmp_path / f"of_{coding[:3]}.py"
        path.write_text(text.format(coding), encoding=coding)
        (model,) = load_methods([f"{path}:M"]).values()
        assert own._mark(Method("m", OnSimplex(model)), experiment, data)
    assert sys.path[-1] == str(tmp_path)


def test_a_file_that_is_not_utf8_is_named_with_its_line(here, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "in_latin_1.py").write_bytes(b"\n\n# \xe4\n")
    path = tmp_path / "of_late_import.py"
    text = "class M:\n    def fit(self, X, D): import in_latin_1\n    predict = fit\n"
    path.write_text(text)
    with pytest.raises(runner.RunError, match="^/.*in_latin_1.py, line 3, is not UTF-8: save"):
        compare(load_methods([f"{path}:M"]), *rows(), folds=2)


def test_arrays_under_two_names_are_told(tmp_path):
    X, D = rows()
    np.savez(tmp_path / "t.npz", X=X, features=X, D=D)
    with pytest.raises(UserDataError, match="has both X and features: leave one of them out"):
        userdata.read(tmp_path / "t.npz")


class Deadly(Mean):
    """Kills its process in the fit."""

    def fit(self, X, D):
        os._exit(9)


def test_a_worker_that_dies_is_one_line_and_the_others_are_kept(here, tmp_path, monkeypatch):
    X, D = rows()
    compare({"mean": Mean()}, X, D, folds=3, records=tmp_path)
    monkeypatch.setattr(environment, "fixed", lambda: {"OPENBLAS_CORETYPE": "Haswell"})
    message = "^A worker process died .* at deadly on data, fold 0, .*; what was finished is kept"
    with pytest.raises(runner.RunError, match=message):
        compare({"mean": Mean(), "deadly": Deadly()}, X, D, folds=3, records=tmp_path)


class Crashes(Mean):
    def fit(self, X, D):
        os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_crash_of_a_worker_is_one_line(here, monkeypatch, capfd):
    monkeypatch.setattr(environment, "fixed", lambda: {"OPENBLAS_CORETYPE": "Haswell"})
    with pytest.raises(runner.RunError, match="^A worker process died .SIGSEGV; with PYTHONFAULT"):
        compare({"crashes": Crashes()}, *rows(), folds=2)
    assert capfd.readouterr().err == ""


def test_a_folder_that_cannot_be_written_is_told_before_any_fit(here, tmp_path):
    X, D = rows()
    Mean.fits = 0
    (tmp_path / "file").write_text("")
    with pytest.raises(LdlreproError, match="file is no folder, and a folder of records belongs"):
        compare({"mean": Mean()}, X, D, folds=3, records=tmp_path / "file")
    assert Mean.fits == 0


@pytest.mark.parametrize("write", ["to_html", "to_csv"])
def test_a_page_is_written_whole_or_not_at_all(here, tmp_path, monkeypatch, write):
    X, D = rows()
    found = compare({"mean": Mean()}, X, D, folds=3)
    path = tmp_path / "page"
    path.write_text("the good one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        getattr(found, write)(path)
    assert path.read_text() == "the good one" and [p.name for p in tmp_path.iterdir()] == ["page"]


@pytest.mark.parametrize(
    "name", ["Id", "Index", "idx", "row", "row_id", "...1", "rn", "No.", "nr", "RowNumber", "#"]
)
def test_a_column_that_numbers_rows_is_refused_by_its_name(name):
    X = pd.DataFrame({"a": np.linspace(0, 1, 6), name: [7, 3, 5, 1, 2, 9], "b": 0.5})
    with pytest.raises(userdata.UserDataError, match="counts the rows"):
        userdata.bunch(X, np.full((6, 2), 0.5))


@pytest.mark.parametrize("start", [0, 1])
def test_a_first_or_last_column_that_counts_is_refused(start):
    n = 24
    D, a, count = np.full((n, 2), 0.5), np.linspace(0, 1, n), np.arange(start, start + n)
    for X in (pd.DataFrame({"time": count, "a": a}), pd.DataFrame({"a": a, "time": count})):
        with pytest.raises(userdata.UserDataError, match="'time' that counts.*scale it, or give X"):
            userdata.bunch(X, D)
        userdata.bunch(X.to_numpy(), D)  # the ways out that the message names
        userdata.bunch(X.assign(time=X.time / n), D)
    userdata.bunch(pd.DataFrame({"a": a, "time": count, "b": a}), D)


def test_a_total_among_the_labels_is_refused(tmp_path):
    D = np.array([[1.0, 2, 7], [3, 3, 4], [5, 1, 1]])
    frame = pd.DataFrame(D, columns=["d_a", "d_b", "d_c"]).assign(f=[0.1, 0.5, 0.2])
    with pytest.warns(NormalisationWarning):
        userdata.bunch(frame[["f"]], frame[["d_a", "d_b", "d_c"]])
    frame.assign(d_total=D.sum(axis=1)).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(userdata.UserDataError, match="'d_total'.* is the sum of the others"):
        userdata.read(tmp_path / "t.csv", "d_*")


def test_names_of_methods_and_measures_that_are_unknown(here):
    found = compare({"ridge": Ridge()}, *rows(), folds=2)
    with pytest.raises(UnknownNameError, match="No method 'Ridge'; .*Did you mean ridge"):
        found.against("Ridge")
    with pytest.raises(UnknownNameError, match="Did you mean kl_divergence"):
        found.skill("kl_divergense")
    for path in (None, 3, "", b"a", [1]):
        for write in (found.to_csv, found.to_html):
            with pytest.raises(CompareError, match="give a path"):
                write(path)


@pytest.mark.parametrize("write", ["to_html", "to_csv"])
def test_a_missing_folder_is_one_line(here, tmp_path, write):
    found = compare({"ridge": Ridge()}, *rows(), folds=2)
    with pytest.raises(CompareError, match="there is no folder .*nowhere"):
        getattr(found, write)(tmp_path / "nowhere" / "a.html")
    with pytest.raises(LdlreproError, match="is a folder"):
        getattr(found, write)(tmp_path)


def test_an_empty_folder_of_stored_records_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))
    with pytest.raises(CompareError, match=f"No records of SJAFFE are in .*{tmp_path.name}"):
        compare(["AAKNN"], datasets=["s-JAFFE"])


def test_what_is_given_in_place_of_data_and_methods_is_told(here):
    X, D = rows()
    for given, message in (
        (([Ridge], X, D), "Ridge is a class"),
        ((Ridge, X, D), "Ridge is a class"),
        (({3: Ridge()}, X, D), "called 3"),
        (([Ridge()], "my.csv"), "X is the path 'my.csv': read"),
        (([Ridge()], X, "my.csv"), "D is the path"),
        (([Ridge()], X), "D is missing"),
        (([Ridge()], Bunch(data=X, target=D)), "X is a Bunch with data, target"),
        (({"MeanPredictor": Ridge()}, X, D), "at skill 0: give yours another name"),
    ):
        with pytest.raises(CompareError, match=message):
            compare(*given)
