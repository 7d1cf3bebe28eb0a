"""The runner: what is computed, kept, shown as stale, and survives a kill."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import requests
from sklearn.base import BaseEstimator

from ldlrepro import (
    AAKNN,
    MLDF,
    MSLP,
    SABFGS,
    AdaBoostLDL,
    MeanPredictor,
    StructRF,
    datasets,
    paths,
)
from ldlrepro.datasets import files, make_standin
from ldlrepro.declare import Experiment, Method, Paper
from ldlrepro.errors import DataCorruptError, UnknownNameError
from ldlrepro.metrics import DISTRIBUTION, kl_divergence, score, sort_loss
from ldlrepro.papers import get_paper
from ldlrepro.protocols import (
    environment,
    job,
    open_store,
    run,
    runner,
    selection,
    status,
    study,
    worker,
)
from ldlrepro.protocols import state as states
from ldlrepro.protocols.fingerprint import of_method
from ldlrepro.protocols.selection import choose
from ldlrepro.protocols.split import partition, ten_folds

SET = "Yeast_spoem"
KNN = Method("kNN", AAKNN(), {"n_neighbors": [3, 9]})
MEAN = Method("mean", MeanPredictor())
AAKNN1 = Method("1-NN", AAKNN(1))
BROKEN = Method("broken", SABFGS(init="nonsense"))
STAGED = Method("steps", SABFGS(6, init="random", path=(2, 6)), staged=(2, 6))


def paper(*methods, seed=0, rows=40):
    experiment = Experiment("main", methods or (KNN, MEAN), (SET, "SJAFFE"), folds=4, seed=seed)
    return Paper("tiny", "A tiny paper", (experiment,), {SET: rows})


TINY = paper()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Records and data go to an empty folder; there is no network."""
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path / "quick")
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(paths, "downloads", lambda: tmp_path / "raw")
    monkeypatch.delenv("LDLREPRO_DATA", raising=False)
    monkeypatch.setattr(environment, "fixed", dict)  # what is patched here must run here
    job.load.cache_clear()
    yield tmp_path
    job.load.cache_clear()


def quick(declared=TINY, **options):
    return run(declared, profile="quick", progress=False, **options)


def records(declared=TINY, profile="quick"):
    return open_store(declared, declared.experiments[0], profile).read(SET)


def state(declared=TINY, profile="quick"):
    return {
        r["method"]: (r["done"], r["stale"], r["total"])
        for r in status(declared, profile)
        if r["dataset"] == SET
    }


def test_computes_once():
    assert state() == {"kNN": (0, 0, 3), "mean": (0, 0, 3)}
    assert quick() == {"computed": 6, "kept": 0, "unavailable": {}}
    first = records()
    assert quick() == {"computed": 0, "kept": 6, "unavailable": {}}
    pd.testing.assert_frame_equal(records(), first)
    assert state() == {"kNN": (3, 0, 3), "mean": (3, 0, 3)}


def test_quick_runs_take_fewer_steps_but_where_steps_are_recorded():
    long, short = Method("long", SABFGS(300)), Method("short", SABFGS(20))
    by_steps = Method("by steps", SABFGS(300, path=(2, 300)), staged=(2, 300))
    steps = [states.for_profile(m, "quick").estimator.max_iter for m in (long, short, by_steps)]
    assert steps == [100, 20, 300] and states.for_profile(MEAN, "quick") == MEAN
    deep = Method("c", MLDF())
    layers = [states.for_profile(deep, p).estimator.max_layers for p in ("paper", "quick")]
    assert layers == [20, 2]
    assert long.estimator.max_iter == states.for_profile(long, "paper").estimator.max_iter == 300


def test_quick_runs_take_fewer_trees_but_where_trees_are_shown():
    """Of an estimator in an estimator too."""

    def trees(method):
        return states.for_profile(method, "quick").estimator.n_estimators

    many = StructRF(n_estimators=50)
    assert trees(Method("a", many)) == 10 and trees(Method("b", StructRF(n_estimators=5))) == 5
    assert trees(Method("c", many, settings={"trees": 50})) == 50
    steps = Method("d", AdaBoostLDL(SABFGS(300), n_estimators=30), staged=(1, 30))
    assert trees(steps) == 30 and steps.estimator.estimator.max_iter == 300
    assert states.for_profile(steps, "quick").estimator.estimator.max_iter == 100


def test_quick_runs_take_the_ends_of_grids(monkeypatch):
    grid, seen = {"n_neighbors": [3, 5, 7, 9]}, []

    def spied(estimator, grid, *rest):
        seen.append(grid)
        return choose(estimator, grid, *rest)

    monkeypatch.setattr(job, "choose", spied)
    declared = paper(Method("kNN", AAKNN(), grid))
    assert quick(declared)["computed"] == 3 and seen == [{"n_neighbors": [3, 9]}] * 3
    assert quick(declared)["kept"] == 3 and state(declared) == {"kNN": (3, 0, 3)}
    seen.clear()
    assert quick(declared, recompute=True)["computed"] == 3 == len(seen)
    assert states.for_profile(declared.experiments[0].methods[0], "paper").grid == grid


def test_what_a_record_holds():
    quick()
    frame = records()
    assert set(frame.source) == set(frame.data_sha256) == {"synthetic"}
    assert set(frame.n_train + frame.n_test) == {40} and frame.n_test.sum() == 2 * 40
    data = datasets.make_standin(SET, n_samples=40, random_state=0)
    for row in frame.itertuples():
        train, validation, test = ten_folds(40, 0, 3)[row.fold]
        rest = [*train, *validation]
        model = MeanPredictor() if row.method == "mean" else AAKNN(**row.parameters)
        P = model.fit(data.X[rest], data.D[rest]).predict(data.X[test])
        expected = score(data.D[test], P)
        assert {m: getattr(row, m) for m in DISTRIBUTION} == pytest.approx(expected, rel=1e-8)
    assert frame.parameters[frame.method == "mean"].tolist() == [{}] * 3
    assert all(p["n_neighbors"] in (3, 9) for p in frame.parameters[frame.method == "kNN"])


def one(experiment):
    """A paper of one experiment, its records and the data they are made from."""
    declared = Paper("tiny", "A tiny paper", (experiment,), {SET: 40})
    quick(declared)
    return declared, records(declared), datasets.make_standin(SET, n_samples=40, random_state=0)


def test_parameters_chosen_on_the_test_rows():
    experiment = Experiment("best", (KNN,), (SET,), folds=4, chosen_on="test")
    _, frame, data = one(experiment)
    for row in frame.itertuples():
        train, validation, test = ten_folds(40, 0, 3)[row.fold]
        rest = [*train, *validation]
        losses = [
            kl_divergence(
                data.D[test], AAKNN(k).fit(data.X[rest], data.D[rest]).predict(data.X[test])
            )
            for k in (3, 9)
        ]
        assert row.kl_divergence == pytest.approx(min(losses))
    other = replace(experiment, chosen_on="validation")
    assert of_method(KNN, 3, other) != of_method(KNN, 3, experiment)
    assert of_method(MEAN, 3, other) == of_method(MEAN, 3, experiment)


def test_hold_outs_and_measures_of_choice():
    experiment = Experiment("out", (MEAN,), (SET,), test_share=0.25, measures=("sort_loss",))
    declared, frame, data = one(experiment)
    assert list(frame.columns) == list(open_store(declared, experiment, "quick").columns)
    assert "sort_loss" in frame and "cosine" not in frame
    assert set(frame.n_test) == {10} and set(frame.n_train) == {30} and len(frame) == 3
    for row in frame.itertuples():
        train, validation, test = partition(experiment, 40, 3)[row.fold]
        mean = data.D[[*train, *validation]].mean(axis=0)
        expected = sort_loss(data.D[test], [mean] * len(test))
        assert row.sort_loss == pytest.approx(expected)


def test_rows_drawn_with_replacement():
    experiment = Experiment("drawn", (AAKNN1,), (SET,), replacement=True)
    _, frame, _ = one(experiment)
    plain = one(replace(experiment, name="plain", replacement=False))[1]
    # About 1 - 1/e of the rows of a test part have a copy that was trained on.
    assert frame.kl_divergence.mean() < 0.6 * plain.kl_divergence.mean()


class Labels(BaseEstimator):
    """A multi-label estimator that has learned the labels by heart."""

    def fit(self, X, Y):
        self.rows_ = {x.tobytes(): y for x, y in zip(X, Y, strict=True)}
        return self

    def predict_proba(self, X):
        return np.array([0.25 + 0.5 * self.rows_.get(x.tobytes(), np.zeros(6)) for x in X])

    def predict(self, X):
        return self.predict_proba(X) > 0.5


def test_multilabel_sets_are_scored_by_predict_proba():
    measures = ("hamming_loss", "ranking_loss")
    experiment = Experiment(
        "ml", (Method("heart", Labels()),), ("scene",), test_share=0.5, measures=measures
    )
    declared = Paper("tiny", "A tiny paper", (experiment,), {"scene": 40})
    quick(declared)
    frame = open_store(declared, experiment, "quick").read("scene")
    data = datasets.make_standin("scene", n_samples=40, random_state=0)
    for row in frame.itertuples():
        test = partition(experiment, 40, 3)[row.fold][2]
        assert row.hamming_loss == pytest.approx(data.Y[test].mean())  # new rows: no label
        assert row.ranking_loss == 1  # all scores tied


def test_numbers_do_not_depend_on_n_jobs():
    declared = paper(KNN, STAGED)
    quick(declared, n_jobs=1)
    one = records(declared)
    assert quick(declared, n_jobs=2, recompute=True)["computed"] == 6
    pd.testing.assert_frame_equal(
        records(declared).drop(columns=["fit_seconds", "predict_seconds"]),
        one.drop(columns=["fit_seconds", "predict_seconds"]),
    )
    assert not records(declared).fit_seconds.equals(one.fit_seconds)  # it did run again


def test_steps_are_recorded_and_a_lost_one_is_computed_again():
    declared = paper(STAGED)
    quick(declared)
    frame = records(declared)
    assert [p["stage"] for p in frame.parameters] == [2, 6] * 3
    path = paths.quick_results() / "tiny" / "main" / f"{SET}.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert state(declared) == {"steps": (2, 1, 3)}
    assert quick(declared)["computed"] == 1
    assert records(declared)[list(DISTRIBUTION)].equals(frame[list(DISTRIBUTION)])


def test_a_stage_that_every_fold_lacks_is_missing():
    """Complete is what the declaration says, not what the fullest fold has."""
    declared = paper(STAGED)
    quick(declared)
    path = paths.quick_results() / "tiny" / "main" / f"{SET}.csv"
    rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join(row for row in rows if '""stage"": 6' not in row))
    assert len(records(declared)) == 3
    assert state(declared) == {"steps": (0, 3, 3)}
    assert quick(declared)["computed"] == 3
    assert state(declared) == {"steps": (3, 0, 3)}


CHANGES = {
    "grid": paper(replace(KNN, grid={"n_neighbors": [3, 8]}), MEAN),
    "parameter": paper(replace(KNN, estimator=AAKNN(4)), MEAN),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_declaration_makes_its_own_records_stale(change):
    quick()
    changed = CHANGES[change]
    assert state(changed) == {"kNN": (0, 3, 3), "mean": (3, 0, 3)}
    assert quick(changed) == {"computed": 3, "kept": 3, "unavailable": {}}
    assert state(changed) == {"kNN": (3, 0, 3), "mean": (3, 0, 3)}
    assert len(records(changed)) == 6


@pytest.mark.parametrize("change", [{"seed": 1}, {"rows": 30}])
def test_another_seed_or_stand_in_makes_all_records_stale(change):
    quick()
    changed = paper(**change)
    assert state(changed) == {"kNN": (0, 3, 3), "mean": (0, 3, 3)}
    assert quick(changed)["computed"] == 6
    assert state(changed) == {"kNN": (3, 0, 3), "mean": (3, 0, 3)}


def test_an_old_fingerprint_is_stale_and_computed_again(monkeypatch):
    with monkeypatch.context() as patch:
        for module in (runner, worker):
            patch.setattr(module, "fingerprint", lambda *_: "0" * 12 + "." + "0" * 12)
        for half in ("of_method", "of_data"):
            patch.setattr(states, half, lambda *_: "0" * 12)
        quick()
        assert state() == {"kNN": (3, 0, 3), "mean": (3, 0, 3)}
    assert state() == {"kNN": (0, 3, 3), "mean": (0, 3, 3)}
    assert quick(methods=["mean"]) == {"computed": 3, "kept": 0, "unavailable": {}}
    assert state() == {"kNN": (0, 3, 3), "mean": (3, 0, 3)}


def real_data(monkeypatch, digest):
    """Let ``load(SET)`` give rows that pass for the registered file with this digest."""
    data = datasets.make_standin(SET, n_samples=40)
    data.source, data.sha256 = "real", digest
    load = datasets.load
    monkeypatch.setattr(datasets, "load", lambda name, _: data if name == SET else load(name))
    monkeypatch.setattr(datasets, "is_current", lambda name, sha256: sha256 == digest)
    job.load.cache_clear()


def test_records_of_another_data_file_are_stale(monkeypatch):
    for digest in ("a" * 64, "b" * 64):
        real_data(monkeypatch, digest)
        assert state(profile="paper")["kNN"][0] == 0
        assert run(TINY, [SET], progress=False) == {"computed": 8, "kept": 0, "unavailable": {}}
        assert set(records(profile="paper").data_sha256) == {digest}
        assert state(profile="paper") == {"kNN": (4, 0, 4), "mean": (4, 0, 4)}
    assert not paths.quick_results().exists()


def test_a_method_that_fails_is_named_and_the_others_are_kept():
    declared = paper(BROKEN, MEAN)
    message = rf"(?s)3 of 6 fits failed.*broken on {SET}, fold 0:.*init must be"
    with pytest.raises(runner.RunError, match=message):
        quick(declared)
    assert state(declared) == {"broken": (0, 0, 3), "mean": (3, 0, 3)}
    with pytest.raises(runner.RunError, match="3 of 3 fits failed"):
        quick(declared)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"methods": ["kNN", "k-NN"]}, r"'k-NN' here. Did you mean 'kNN'\? There are: kNN, mean\."),
        ({"datasets": ["SJAFE"]}, "no data set named 'SJAFE'.*SJAFFE"),
        ({"datasets": ["Movie"]}, f"No data set 'Movie' here. There are: {SET}"),
        ({"experiments": ["side"]}, "No experiment 'side' here. There are: main"),
    ],
)
def test_unknown_names(options, message):
    with pytest.raises(UnknownNameError, match=message):
        quick(**options)
    assert len(records()) == 0


def test_names_with_commas_are_told_apart():
    with pytest.raises(UnknownNameError, match="There are: 10 trees, depth 5; 20 trees"):
        runner._known({"10 trees, depth 5", "20 trees"}, ["forest"], "method")


def test_unknown_paper_and_profile():
    with pytest.raises(UnknownNameError, match="No paper 'structfr'; there are: .*structrf"):
        get_paper("structfr")
    with pytest.raises(ValueError, match="profile must be one of paper, quick, got 'fast'"):
        run(TINY, profile="fast", progress=False)


@pytest.mark.parametrize("function", [run, status, lambda name: study(name, "gains")])
def test_a_name_in_place_of_a_paper(function):
    message = r"must be a Paper, got 'structrf': `ldlrepro\.papers\.get_paper\(name\)` gives one"
    with pytest.raises(TypeError, match=message):
        function("structrf")


def test_a_choice_of_methods_and_data_sets():
    assert quick(methods=["mean"], datasets=["yeast spoem"])["computed"] == 3
    assert set(records().method) == {"mean"}
    for nothing in ({"methods": []}, {"datasets": []}, {"experiments": []}):
        assert quick(**nothing) == {"computed": 0, "kept": 0, "unavailable": {}}


def test_data_that_are_not_at_hand_are_reported(monkeypatch):
    def refuse(url, target):
        raise requests.exceptions.ConnectionError("no net")

    monkeypatch.setattr(files, "transport", refuse)
    monkeypatch.setattr(files, "BACKOFF", 0)
    real_data(monkeypatch, "a" * 64)
    result = run(TINY, progress=False)
    assert result["computed"] == 8 and list(result["unavailable"]) == ["SJAFFE"]
    assert "SJAFFE" in result["unavailable"]["SJAFFE"]


SCRIPT = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from ldlrepro import paths
from ldlrepro.protocols import job, runner
import test_runner

def kill_at(call, number):
    def counted(*args, **kwargs):
        counted.calls += 1
        if counted.calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    counted.calls = 0
    return counted

paths.quick_results = lambda: Path(sys.argv[2])
if sys.argv[3] == "fit":
    job.partition = kill_at(job.partition, 4)
else:
    os.replace = kill_at(os.replace, 5)  # the first writes the maker
runner.run(test_runner.TINY, profile="quick", progress=False)
"""


@pytest.mark.parametrize("during", ["fit", "write"])
def test_a_kill_loses_nothing_that_was_finished(during):
    """The process dies within the fourth job; three are there, and the next run does three."""
    arguments = [str(Path(__file__).parent), str(paths.quick_results()), during]
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], env=os.environ, capture_output=True
    )
    assert ended.returncode == -9, ended.stderr.decode()
    before = records()
    assert len(before) == 3
    assert quick() == {"computed": 3, "kept": 3, "unavailable": {}}
    after = records()
    kept = after.merge(before[["method", "fold"]], on=["method", "fold"])
    assert kept.fit_seconds.tolist() == before.fit_seconds.tolist()  # not run again
    assert state() == {"kNN": (3, 0, 3), "mean": (3, 0, 3)}


def test_a_grid_without_refits_chooses_the_same_parameters(monkeypatch):
    bunch = make_standin("SJAFFE", n_samples=60)
    train, validation, _ = ten_folds(60, 0)[0]
    grid = {"n_neighbors": [3, 5], "ratio": [0.1, 0.3], "beta": [0, 0.5]}
    rows = bunch.X, bunch.D, train, validation
    assert hasattr(MSLP(), "predict_grid")
    monkeypatch.setattr(selection, "hasattr", lambda *_: False, raising=False)
    slow = choose(MSLP(), grid, *rows)
    monkeypatch.undo()
    assert choose(MSLP(), grid, *rows) == slow


def test_a_damaged_data_file_does_not_stop_the_other_sets(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)

    def load(name, source):
        if name == "SJAFFE":
            raise DataCorruptError("SJAFFE.mat is cut short")
        return make_standin(name, n_samples=40)

    monkeypatch.setattr(datasets, "load", load)
    result = run(paper(MEAN), progress=False)
    assert result["unavailable"] == {"SJAFFE": "SJAFFE.mat is cut short"}
    assert result["computed"] == 4
