"""Rows of a user that belong together: no fold parts them."""

import numpy as np
import pandas as pd
import pytest
from own_methods import rows
from sklearn import config_context
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, GroupKFold, HalvingGridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldlrepro import AAKNN, BaggingLDL, cli
from ldlrepro.base import LDLEstimator
from ldlrepro.user import data as userdata
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.data import UserDataError


class Knows:
    """Predicts the distribution of the training row that is nearest."""

    def fit(self, X, D):
        self.X, self.D = X, D

    def predict(self, X):
        return self.D[[np.abs(self.X - x).sum(axis=1).argmin() for x in X]]


class NoneOfThem(Knows):
    """Notes whether a group of the test rows was learned from; the first feature is the group."""

    def predict(self, X):
        assert not set(X[:, 0]) & set(self.X[:, 0])
        return super().predict(X)


def pairs(persons=20):
    """Rows of which every two are the same picture of one person."""
    X, D = rows(persons)
    return *(np.repeat(A, 2, axis=0) for A in (X, D)), np.repeat(np.arange(persons), 2)


def test_no_fold_parts_a_group():
    X, D, person = pairs()
    X[:, 0] = person
    found = compare({"m": NoneOfThem()}, X, D, groups=person, folds=4)
    assert sorted(found.records[found.records.method == "m"].fold) == [0, 1, 2, 3]
    assert (found.records.n_train + found.records.n_test == 40).all()
    with pytest.raises(Exception, match="AssertionError"):
        compare({"m": NoneOfThem()}, X, D, folds=4)


def test_copies_of_a_row_leak_without_groups_alone():
    X, D, person = pairs()
    apart = compare([Knows()], X, D, folds=5, groups=person).skill().loc["Knows"].item()
    leaked = compare([Knows()], X, D, folds=5).skill().loc["Knows"].item()
    assert apart < 0.7 < 0.9 < leaked


def test_folds_depend_on_the_groups_and_not_on_their_names(tmp_path):
    X, D, person = pairs()
    names = np.array([f"no. {99 - p}" for p in person])
    found = [compare([Knows()], X, D, groups=g, folds=4) for g in (person, names, list(names))]
    tables = [one.table() for one in found]
    assert (tables[0] == tables[1]).all().all() and (tables[0] == tables[2]).all().all()
    kept = {"folds": 4, "records": tmp_path}
    compare([Knows()], X, D, **kept)  # these rows in other folds are no records of the groups
    assert (compare([Knows()], X, D, groups=person, **kept).table() == tables[0]).all().all()


def test_a_column_of_a_table(tmp_path, capsys, monkeypatch):
    X, D, person = pairs()
    table = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    table.insert(0, "person", [f"p{p}" for p in person])
    table.to_csv(tmp_path / "t.csv", index=False)
    read = userdata.read(tmp_path / "t.csv", "d_*", groups="person")
    assert read.feature_names == [*"abcd"] and read.group_name == "person"
    assert (read.groups == person).all()
    monkeypatch.chdir(tmp_path)
    command = ["compare", "AAKNN", "--data", "t.csv", "--labels", "d_*", "--folds", "3"]
    command += ["--n-jobs", "1", "--out", "page.html"]
    cli.main([*command, "--groups", "person"])
    assert "the rows of each of 20 groups (person) are in one fold" in capsys.readouterr().out
    assert (
        "the rows of each of 20 groups (person) are in one fold"
        in (tmp_path / "page.html").read_text()
    )
    assert "in one fold" not in compare("AAKNN", X, D, folds=3)._repr_html_()
    for groups, message in (("d_1", "named for groups and for labels"), ("Person", "mean person")):
        with pytest.raises(UserDataError, match=message):
            userdata.read("t.csv", "d_*", groups=groups)


def test_texts_and_numbers_of_a_long_table_are_the_same_persons(tmp_path):
    """A reader that takes a table in pieces has 7 in one and "7" in another."""
    person = [*np.tile(np.arange(2000), 3)[:-1], "guest"]
    with open(tmp_path / "long.csv", "w") as file:
        file.write("person," + ",".join(f"x{j}" for j in range(300)) + ",d_1,d_2\n")
        file.writelines(f"{p}," + f"{i % 97}," * 300 + "0.5,0.5\n" for i, p in enumerate(person))
    read = userdata.read(tmp_path / "long.csv", "d_*", groups=" person ")
    assert len(set(read.groups)) == 2001


def test_spaces_do_not_part_a_group_and_a_bad_one_has_its_line(tmp_path):
    (tmp_path / "t.csv").write_text("who,x,d_1,d_2\na ,1,1,0\na,2,1,0\n\n,3,0,1\nb,4,0,1\n")
    with pytest.raises(UserDataError, match=r"row 2 \(line 5\) has no who"):
        userdata.read(tmp_path / "t.csv", "d_*", groups="who")
    (tmp_path / "t.csv").write_text("who,x,d_1,d_2\na ,1,1,0\na,2,1,0\nb,3,0,1\nb,4,0,1\n")
    read = userdata.read(tmp_path / "t.csv", "d_*", groups="who")
    assert list(read.groups) == [0, 0, 1, 1]


def test_bad_groups_are_one_line(tmp_path):
    X, D, person = pairs()
    pd.DataFrame(np.hstack([X, D]), columns=[*"abcdefg"]).to_csv(tmp_path / "t.csv", index=False)
    np.savez(tmp_path / "t.npz", X=X, D=D)
    missing = pd.Series(person, name="person", dtype=float)
    missing[7] = np.nan
    data = userdata.bunch(X, D, groups=person)
    masked = np.ma.array(person, mask=np.arange(40) == 2)
    frame = pd.DataFrame(X, index=[f"r{i}" for i in range(40)])
    shuffled = pd.Series(person, index=frame.index[::-1])
    for wrong, message in (
        (lambda: compare("AAKNN", X, D, groups=person[:-1]), r"shape \(39,\): give one value"),
        (lambda: compare("AAKNN", X, D, groups=np.c_[person, person]), r"shape \(40, 2\)"),
        (
            lambda: compare("AAKNN", X, D, groups="person"),
            r"the text 'person': give a value for each",
        ),
        (lambda: compare("AAKNN", X, D, groups=missing), "row 7 has no person"),
        (lambda: compare("AAKNN", X, D, groups=["a", *[np.nan] * 39]), "row 1 has no group"),
        (lambda: compare("AAKNN", X, D, groups=masked), "row 2 has no group"),
        (lambda: compare("AAKNN", X, D, groups=[[1], [2]] * 20), "cannot be told apart"),
        (
            lambda: compare("AAKNN", frame, D, groups=shuffled),
            "names of the rows of X in another order",
        ),
        (lambda: compare("AAKNN", X, D, groups=np.arange(40)), "no two rows have the same group"),
        (lambda: userdata.read(tmp_path / "t.csv", "e,f,g", groups="h"), "No column of .* 'h'"),
        (lambda: userdata.read(tmp_path / "t.npz", groups="h"), "groups is for tables"),
    ):
        with pytest.raises(UserDataError, match=message):
            wrong()
    for wrong, message in (
        (lambda: compare("AAKNN", X, D, groups=person, folds=21), r"that of the groups .*, 20"),
        (lambda: compare("AAKNN", X, D, groups=person % 2), "has 2 values, and folds need three"),
        (lambda: compare("AAKNN", data, groups=person), "X is a bunch"),
        (lambda: compare("AAKNN", datasets=["s-JAFFE"], groups=person), "data of your own"),
    ):
        with pytest.raises(CompareError, match=message):
            wrong()


class Search:
    """Takes the groups of its rows, and notes whether they are those of the rows."""

    def fit(self, X, D, groups=None):
        assert groups is not None and (X[:, 0] == groups).all()
        self.mean = D.mean(axis=0)

    def predict(self, X):
        return np.tile(self.mean, (len(X), 1))


def test_a_method_that_searches_gets_the_groups():
    X, D, person = pairs(60)
    X[:, 0] = person
    grid = {"n_neighbors": [1, 8]}
    searches = {
        "apart": GridSearchCV(KNeighborsRegressor(), grid, cv=GroupKFold(4)),
        "by rows": GridSearchCV(
            KNeighborsRegressor(), grid, cv=KFold(4, shuffle=True, random_state=0)
        ),
        "takes them": Search(),
    }
    found = compare(searches, X, D, groups=person, folds=4)
    # Copies of a row beside it make one neighbour the best; apart, many are better.
    assert {m: t for m, t in found.notes.items() if t} == {
        "by rows": {"The groups parameter is ignored by KFold"}
    }
    losses = found.table()["data"]
    fixed = {"eight": KNeighborsRegressor(8), "one": KNeighborsRegressor(1)}
    of_fixed = compare(fixed, X, D, groups=person, folds=4).table()["data"]
    assert losses["apart"] == of_fixed["eight"] and losses["by rows"] == of_fixed["one"]
    with pytest.raises(Exception, match="AssertionError"):
        compare({"takes them": Search()}, X, D, folds=4)


def test_searches_of_other_kinds_get_the_groups_too(here):
    X, D, person = pairs(60)
    searches = {
        "halving": HalvingGridSearchCV(
            KNeighborsRegressor(), {"n_neighbors": [1, 4]}, cv=GroupKFold(3), random_state=0
        ),
        "features": RFECV(Ridge(), cv=GroupKFold(3)),
    }
    said = compare(searches, X, D, groups=person, folds=3).said()
    assert not any("gets no groups" in text for text in said)


def test_with_metadata_routing_a_search_gets_groups_where_its_folds_ask(here):
    X, D, person = pairs()
    grid = {"n_neighbors": [1, 4]}
    searches = {
        "apart": GridSearchCV(KNeighborsRegressor(), grid, cv=GroupKFold(3)),
        "by rows": GridSearchCV(KNeighborsRegressor(), grid, cv=3),
    }
    with config_context(enable_metadata_routing=True):
        notes = compare(searches, X, D, groups=person, folds=3).notes
    assert not notes["apart"]
    assert "GridSearchCV gets no groups" in notes["by rows"].pop()


def test_a_fit_that_fails_tells_that_it_got_no_groups(here):
    X, D, person = pairs()
    search = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 4]}, cv=GroupKFold(3))
    with pytest.raises(
        Exception, match=r"should not be None.*\(warned: GridSearchCV gets no groups"
    ):
        compare({"m": make_pipeline(search)}, X, D, groups=person, folds=3)


def test_spaces_around_the_names_of_groups_do_not_count():
    X, D = rows(8)
    one, other = (
        userdata.bunch(X, D, groups=groups).groups
        for groups in (["a", "a", "b", "b"] * 2, pd.Series(["a", "a ", " b", "b"] * 2))
    )
    assert (one == other).all()
    assert (userdata.bunch(X, D, groups=np.array(["a", "a ", " b", "b"] * 2)).groups == one).all()


def test_folds_inside_a_method_that_get_no_groups_are_told(here):
    X, D, person = pairs()
    search = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 4]}, cv=GroupKFold(3))
    learner = GridSearchCV(AAKNN(), {"n_neighbors": [1, 4]}, cv=3)

    class Holds(Knows):
        def __init__(self, search):
            self.search = search

    class Bare(GridSearchCV):
        def fit(self, X, D):
            return super().fit(X, D)

    inside = {
        "pipeline": make_pipeline(StandardScaler(), GridSearchCV(KNeighborsRegressor(), {}, cv=3)),
        "nested": GridSearchCV(learner, {"refit": [True]}, cv=3),
        "ensemble": BaggingLDL(learner, n_estimators=1),
        "ridge": RidgeCV(),
        "bare": Bare(KNeighborsRegressor(), {}, cv=3),
        "plain": Holds(GridSearchCV(KNeighborsRegressor(), {}, cv=3)),
    }
    told = compare(inside | {"search": search}, X, D, groups=person, folds=3).notes
    for name in inside:
        kind = {"ridge": "RidgeCV", "bare": "Bare"}.get(name, "GridSearchCV")
        assert (
            f"{kind} gets no groups, so that its own folds may part the rows of a group"
            in told[name]
        )
    assert not told["search"]
    assert not any("groups" in text for text in compare(inside, X, D, folds=3).said())


def test_an_estimator_of_this_api_gets_the_groups(here):
    class Own(LDLEstimator):
        def fit(self, X, D, groups=None):
            assert groups is not None and (X[:, 0] == groups).all()
            return super().fit(X, D)

        def _fit(self, X, D):
            self.mean_ = D.mean(axis=0)

        def _predict(self, X):
            return np.tile(self.mean_, (len(X), 1))

    X, D, person = pairs()
    X[:, 0] = person
    table = compare({"own": Own()}, X, D, groups=person, folds=3).table()["data"]
    assert table["own"] == table["MeanPredictor"]


def test_sets_of_labels_searched_with_groups():
    X, D, person = pairs()
    Y = (D > 0.3).astype(int)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 4]}, cv=GroupKFold(4))
    found = compare({"apart": search}, X, Y, task="multilabel", groups=person, folds=4)
    assert not any(found.notes.values()) and found.main == "ranking_loss"


def test_groups_in_another_order_of_the_rows_are_refused(tmp_path):
    X, D, person = pairs()
    frame, series = pd.DataFrame(X), pd.Series(person, name="person")
    for A, B in ((frame, D), (X, pd.DataFrame(D))):
        with pytest.raises(UserDataError, match="names of the rows of . in another order"):
            compare("AAKNN", A, B, groups=series[::-1], folds=3)
    of_arrays = compare("AAKNN", X, D, groups=person, folds=3).table()
    assert (compare("AAKNN", frame, D, groups=series, folds=3).table() == of_arrays).all().all()
    by_hand = userdata.bunch(X, D)
    by_hand.groups = [f"p{i}" for i in person]
    assert (compare("AAKNN", by_hand, folds=3).table() == of_arrays).all().all()
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(UserDataError, match="groups is .*give the name of one column"):
        userdata.read(tmp_path / "t.csv", "3", groups=["person"])
