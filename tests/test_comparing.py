"""A user's method beside stored ones, and methods on a user's data: numbers, records, pages."""

import inspect
import os
import re
import subprocess
import sys
import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn
from own_methods import Mean, rows
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

import ldlrepro
from ldlrepro import SABFGS, AdaBoostLDL, cli, commands, stats
from ldlrepro.declare import Experiment, Method
from ldlrepro.discovery import TASKS
from ldlrepro.errors import LdlreproError, NormalisationWarning, UnknownNameError
from ldlrepro.metrics import MEASURES, kl_divergence
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.protocols import runner
from ldlrepro.protocols.split import ten_folds
from ldlrepro.report.html import for_spreadsheets
from ldlrepro.report.plots import in_short
from ldlrepro.user import compare as comparing
from ldlrepro.user import data as userdata
from ldlrepro.user import runs as own
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.folds import folds_picture
from ldlrepro.user.foreign import OnSimplex
from ldlrepro.user.methods import load_methods
from ldlrepro.user.text import _p_value, against, tables


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
        ({"methods": ["MLDF"]}, "MLDF learns sets of labels, zeros and ones, and the labels"),
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
        (lambda: compare({"m": Mean()}, X, D, folds=1), "folds is 1: give a number from 2 to"),
        (lambda: compare({"m": ldlrepro.MLDF()}, X, D), "m learns sets of labels"),
    ):
        with pytest.raises(CompareError) as caught:
            wrong()
        assert message in str(caught.value)
    with pytest.raises(UnknownNameError, match="No method 'StructForest'; there are: .*AABP"):
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


def test_an_option_that_would_be_ignored_is_refused():
    with pytest.raises(CompareError, match="--folds, --seed: only with --data"):
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


@pytest.mark.parametrize("folds", [10.0**50, 2.5, 1, -3, "4"])
def test_folds_that_are_no_number_of_them_are_named(folds):
    with pytest.raises(
        CompareError, match="^folds is .*: give a number from 2 to that of the rows, 40"
    ):
        compare({"m": Mean()}, *rows(), folds=folds)


@pytest.mark.parametrize("n_jobs", ["2", 0, 1.5, True])
def test_numbers_of_processes_that_are_none_are_named(n_jobs):
    with pytest.raises(LdlreproError, match="n_jobs is a number of processes"):
        compare({"m": Mean()}, *rows(), folds=2, n_jobs=n_jobs)


def test_numbers_that_python_does_not_print_are_named():
    for name in ("folds", "random_state"):
        with pytest.raises(CompareError, match=f"^{name} is a value that cannot be printed"):
            compare({"m": Mean()}, *rows(), **{name: 10**5000})


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


@pytest.mark.parametrize("write", ["to_html", "to_csv"])
def test_a_missing_folder_is_one_line(here, tmp_path, write):
    found = compare({"ridge": Ridge()}, *rows(), folds=2)
    with pytest.raises(CompareError, match="there is no folder .*nowhere"):
        getattr(found, write)(tmp_path / "nowhere" / "a.html")
    with pytest.raises(LdlreproError, match="is a folder"):
        getattr(found, write)(tmp_path)


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


def test_the_summary_is_gain_spread_and_a_test_against_the_first(here):
    X, D = rows(60)
    found = compare({"m": Mean(), "near": ldlrepro.AAKNN()}, X, D, folds=4)
    table = found.summary()
    assert table.index[0] == "near" and list(table.columns) == ["gain", "mean", "std", "p"]
    near, mean = (found.records[found.records.method == m].kl_divergence for m in ("near", "m"))
    assert table.gain["near"] == pytest.approx(1 - near.mean() / mean.mean())
    assert list(table.loc["m", ["mean", "std"]]) == pytest.approx([mean.mean(), mean.std()])
    once = stats.corrected_t(near.to_numpy(), mean.to_numpy(), 45, 15)
    assert table.p["m"] == pytest.approx(2 * once)  # two tests, of equal p
    assert np.isnan(table.p["near"]) and table.p["m"] == table.p["MeanPredictor"]

    shown = tables(found)
    assert re.search(r"^near +0\.\d{3} +0\.\d{4}±0\.\d{4} +-$", shown, re.M)
    assert re.search(r"^m +0\.000 .*±.* (0\.\d{3}|<0\.001)$", shown, re.M)
    assert found.summary("cosine").index[0] == "near"
    several = compare({"m": Mean()}, X, D, folds=2)
    several.names["other"] = "other"
    with pytest.raises(CompareError, match="of one data set, and here are 2"):
        several.summary()


def test_the_page_has_all_measures_and_tests_the_best(here, tmp_path):
    X, D = rows(60)
    found = compare(["AAKNN", "SABFGS"], X, D, folds=3)
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    best = found.summary().index[0]
    assert "against the others" not in page  # the first table has the test
    heads = re.findall("<th scope='col'>([^<]*)", page)
    assert {MEASURES[m].label for m in found.measures} <= set(heads)
    assert found.measures_table().loc[best, "Clark"] == pytest.approx(
        found.records[found.records.method == best].clark.mean()
    )


def test_a_baseline_without_a_loss_leaves_no_gain(here):
    """Each row has the most frequent labels: label frequencies rank them without a fault."""
    X, rng = rows(40)[0], np.random.default_rng(0)
    Y = (np.arange(4) < rng.integers(1, 4, 40)[:, None]).astype(int)
    found = compare("RFPCT(n_estimators=3)", X, Y, folds=3)
    table = found.summary()
    assert table.gain.isna().all() and table["mean"].is_monotonic_increasing
    shown = tables(found)
    assert "gain: none, since LabelFrequencies has no loss" in shown and "nan" not in shown
    assert found._repr_html_() and str(found) == shown and len(repr(found)) < 80
    assert set(against(found, "RFPCT(n_estimators=3)").iloc[:, 1]) == {"-"}


def test_p_is_told_from_the_level():
    told = [_p_value(p) for p in (0.0004, 0.0496, 0.05, 0.0503, 0.051, 1.0)]
    assert told == ["<0.001", "0.0496", "0.050", "0.0503", "0.051", "1.000"]


def test_two_settings_of_a_class_have_two_names_in_pictures():
    long = [f"StructRF(n_estimators=100, max_depth={d}, step='adaptive')" for d in (5, 9)]
    assert in_short(long[0]) == in_short(long[1]) and len(in_short(long[0])) == 40
    cut = [in_short(one, long) for one in long]
    assert "epth=5" in cut[0] and "epth=9" in cut[1] and max(map(len, cut)) <= 40
    assert in_short("AAKNN", long) == "AAKNN"


def test_measures_of_a_data_set_that_is_not_there(here):
    with pytest.raises(UnknownNameError, match="No data set 'dat'; .*Did you mean data"):
        compare("AAKNN", *rows(), folds=2).measures_table("dat")


def test_what_was_read_is_told(tmp_path, here, capsys, monkeypatch):
    """So that a forgotten label, a person's number and a slip are seen."""
    X, D = rows(40)
    table = pd.DataFrame(np.hstack([X, 100 * D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    table.insert(0, "patient_id", np.arange(40) % 9)
    table.loc[5, ["d_1", "d_2", "d_3"]] *= 0.4
    table.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    cli.main(["compare", "AAKNN", "--data", "t.csv", "--labels", "d_1,d_2", "--n-jobs", "1"])
    said = capsys.readouterr()
    told = "t: 40 rows, 6 features (patient_id, a, b, c, d, d_3), 2 labels (d_1, d_2), label"
    assert told in said.out and "column 'patient_id' is taken for a feature" in said.err
    with pytest.warns(NormalisationWarning, match="sum to about 100, but 1 .* row 5, sum 40"):
        userdata.read("t.csv", "d_*")
    sets = (D > 0.1).astype(float)
    sets[4, 2] = 2
    with pytest.raises(userdata.UserDataError, match="D row 4, column 2 is 2.0, and nearly all"):
        userdata.bunch(X, sets)
    with pytest.warns(NormalisationWarning):
        assert userdata.bunch(X, sets, task="ldl").task == "ldl"
    votes = np.random.default_rng(0).multinomial(5, np.full(40, 1 / 40), 40)
    counts = np.random.default_rng(0).poisson(500, (40, 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert userdata.bunch(X, votes).task == userdata.bunch(X, counts).task == "ldl"
    assert not [w for w in caught if "sum to about" in str(w.message)]


def test_a_method_may_have_the_name_of_the_data(here):
    X, D = rows(40)
    found = compare({"t": Mean()}, userdata.bunch(X, D, "t"), folds=3)
    assert set(found.skill().index) == {"t", "MeanPredictor"}
    assert {label.get_text() for label in found.folds_picture().axes[0].get_yticklabels()} == {
        "▶ t",
        "MeanPredictor",
    }
