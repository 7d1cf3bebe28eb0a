"""A user's method beside stored ones, and methods on a user's data: numbers and bad calls."""

import inspect

import numpy as np
import pandas as pd
import pytest
from own_methods import Mean, rows
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

import ldlrepro
from ldlrepro.discovery import TASKS
from ldlrepro.errors import LdlreproError, UnknownNameError
from ldlrepro.metrics import kl_divergence
from ldlrepro.protocols.split import ten_folds
from ldlrepro.user import data as userdata
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.foreign import OnSimplex


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
    with pytest.raises(
        UnknownNameError, match=r"'StructForest'\. Did you mean StructRF\? There are: .*AABP"
    ):
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


def test_equal_rows_of_D_have_nothing_to_learn():
    X, D = rows(20)
    for targets in (np.tile(D[0], (20, 1)), np.tile([1, 0, 1], (20, 1))):
        with pytest.raises(CompareError, match="All rows of D are equal"):
            compare({"mean": Mean()}, X, targets, folds=2)


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


def test_a_method_may_have_the_name_of_the_data(here):
    X, D = rows(40)
    found = compare({"t": Mean()}, userdata.bunch(X, D, "t"), folds=3)
    assert set(found.skill().index) == {"t", "MeanPredictor"}
    assert {label.get_text() for label in found.folds_picture().axes[0].get_yticklabels()} == {
        "▶ t",
        "MeanPredictor",
    }
