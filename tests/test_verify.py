"""`ldlrepro verify`: records made again, and the spread of rounding that they may have."""

import json
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import rounding as producer

from ldlrepro import (
    AAKNN,
    SABFGS,
    AdaBoostLDL,
    MeanPredictor,
    Shrunk,
    UniformPredictor,
    commands,
    datasets,
)
from ldlrepro.cli import main
from ldlrepro.datasets import make_standin
from ldlrepro.declare import Experiment, Method, Paper
from ldlrepro.protocols import environment, job, ledger, rounding, run, state, verify
from ldlrepro.protocols.store import RecordStore

SET = "SJAFFE"
METHODS = (
    Method("mean", MeanPredictor()),
    Method("kNN", AAKNN(), {"n_neighbors": [3, 9]}),
    Method("steps", SABFGS(4, path=(2, 4)), staged=(2, 4)),
)
PAPER = Paper("tiny", "A tiny paper", (Experiment("main", METHODS, (SET,), folds=5),), {SET: 40})


@pytest.fixture
def records(tmp_path, monkeypatch):
    """A paper whose records are there, made from rows that pass for the registered file."""
    data = make_standin(SET, n_samples=40)
    data.source, data.sha256 = "real", "a" * 64
    monkeypatch.setattr(datasets, "load", lambda name, _: data)
    monkeypatch.setattr(datasets, "is_current", lambda name, sha256, *_: sha256 == "a" * 64)
    monkeypatch.setattr(environment, "fixed", dict)
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))
    job.load.cache_clear()
    run(PAPER, progress=False)
    yield RecordStore(tmp_path / "tiny" / "main")
    job.load.cache_clear()


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))


def test_what_others_hold_is_theirs_to_compute(records):
    mine = Method("by another name", METHODS[0].estimator), *METHODS[1:]
    own = Method("own", UniformPredictor())
    experiment = Experiment("all", (*mine, own), (SET,), folds=5, borrows=True)
    other = Paper("other", "Another paper", (experiment,), {}, lenders=(PAPER,))
    for recompute in (False, True):
        ran = run(other, recompute=recompute, progress=False)
        assert (ran["computed"], ran["kept"]) == (5, 15)
    assert set(state.open_store(other, experiment).read(SET).method) == {"own"}
    there = state.read(other, experiment)
    assert {m.name for m in experiment.methods} == set(there.method)
    assert set(there[there.method == "by another name"].declared) == {"mean"}
    assert set(there[there.method == "own"].paper) == {"other"}


def test_quick_records_are_not_borrowed(empty, monkeypatch):
    experiment = Experiment("all", METHODS, (SET,), folds=5, borrows=True)
    other = Paper("other", "Another paper", (experiment,), {}, lenders=(PAPER,))
    monkeypatch.setattr(state, "lenders", lambda *_: pytest.fail("looked for lenders"))
    assert len(state.read(other, experiment, "quick")) == 0


def proved(**options):
    return verify.verify([PAPER], progress=False, **options)


def alter(store, method, fold, **factors):
    """Change measures of a job's records by factors."""
    frame = store.read(SET)
    rows = frame[(frame.method == method) & (frame.fold == fold)].to_dict("records")
    store.put([row | {m: row[m] * f for m, f in factors.items()} for row in rows])


def test_records_made_again_are_equal(records):
    rows = proved(sample=100)
    assert len(rows) == 15 and set(rows.outcome) == {"equal"}
    assert (rows.difference == 0).all()


def test_a_sample_is_random_and_seeded(records):
    one, again, other = (proved(sample=4, seed=seed) for seed in (1, 1, 2))
    key = ["method", "fold"]
    pd.testing.assert_frame_equal(one[key], again[key])
    assert len(one) == 4 and not one[key].equals(other[key])


def test_an_altered_record_differs(records):
    alter(records, "kNN", 2, cosine=1 + 1e-9, clark=1.25)
    rows = proved(sample=100)
    (row,) = rows[rows.outcome != "equal"].itertuples()
    assert (row.method, row.fold, row.outcome) == ("kNN", 2, "differs")
    assert row.measure == "clark" and row.difference == pytest.approx(0.2)


def test_a_difference_in_the_ninth_digit_is_one(records):
    alter(records, "steps", 0, kl_divergence=1 + 2e-9)
    assert proved(sample=100).outcome.value_counts()["differs"] == 1


def rounded(**variants):
    """Rows of the study of rounding: clark under kernels (k...) and row orders (o...)."""
    rows = []
    for variant, value in variants.items():
        name = {
            "f": rounding.FIXED,
            "k": f"kernels {variant}",
            "o": f"row order {variant}",
            "s": rounding.SEED,
        }
        rows.append(
            {
                "paper": "tiny", "experiment": "tables", "dataset": SET, "method": "steps",
                "estimator": "SABFGS", "fold": "0", "variant": name[variant[0]],
                "measures": json.dumps({"clark": value, "cosine": 0.5}), "fingerprint": "a.b",
            }
        )  # fmt: skip
    producer._keep(rows)


def test_a_difference_within_the_stated_spread(records):
    rounded(f=2.0, k1=2.01, k2=1.995, o1=2.02)
    alter(records, "steps", 0, clark=1.005)
    alter(records, "steps", 1, clark=1.02)
    alter(records, "steps", 2, cosine=1.001)
    rows = proved(sample=100).set_index(["method", "fold"])
    assert rows.outcome["steps", 0] == "within the spread"
    assert rows.spread["steps", 0] == pytest.approx(0.01)
    assert rows.outcome["steps", 1] == rows.outcome["steps", 2] == "differs"
    assert (rows.outcome.drop([("steps", f) for f in range(3)]) == "equal").all()


def test_a_record_of_another_processor_may_be_off_by_three_ranges(records, monkeypatch):
    rounded(f=2.0, k1=2.01, k2=1.99)  # a range of 1%
    alter(records, "steps", 0, clark=1.02)
    alter(records, "steps", 1, clark=1.04)
    monkeypatch.setattr(verify, "_made_here", lambda rows: False)
    rows = proved(sample=100).set_index(["method", "fold"])
    assert rows.outcome["steps", 0] == "within the spread"
    assert rows.outcome["steps", 1] == "differs"
    assert rows.spread["steps", 1] == pytest.approx(0.03)


def test_which_records_were_made_here(monkeypatch):
    monkeypatch.setattr(environment, "fixed", lambda: {"NUMBA_CPU_NAME": "a"})
    wide = {"numba": "b", "features": "avx2 avx512f fma"}
    monkeypatch.setattr(environment, "cpu", lambda: wide)
    made = {
        "as workers do": ({"numba": "a", "features": "avx512f"}, "another name"),
        "as this process does": (wide, environment.machine()),
        "narrow": ({"numba": "a", "features": "avx2"}, environment.machine()),
        "old": ({}, environment.machine()),
    }
    found = {
        name: verify._made_here(pd.DataFrame({"cpu": [cpu], "machine": [by], "versions": [{}]}))
        for name, (cpu, by) in made.items()
    }
    assert [name for name, here in found.items() if here] == ["as workers do"]
    fixed = {"NUMBA_CPU_NAME": "a", "NUMBA_CPU_FEATURES": "+avx2"}
    monkeypatch.setattr(environment, "fixed", lambda: fixed)
    narrow, wide = ({"numba": "a", "features": f} for f in ("avx2", "avx512f"))
    deep = {"torch": "2.13.0"}
    for cpu, versions, here in (
        (narrow, {}, True),
        (wide, {}, False),
        (narrow, deep, False),  # it does not say which kernels torch used
        (narrow | {"torch": "loops AVX2"}, deep, True),
    ):
        frame = pd.DataFrame({"cpu": [cpu], "versions": [versions]})
        assert verify._made_here(frame) is here


def test_other_parameters_are_a_difference(records):
    frame = records.read(SET)
    rows = frame[(frame.method == "kNN") & (frame.fold == 0)].to_dict("records")
    other = 12 - rows[0]["parameters"]["n_neighbors"]
    records.put([row | {"parameters": {"n_neighbors": other}} for row in rows])
    rows = proved(sample=100)
    (row,) = rows[rows.outcome == "differs"].itertuples()
    assert "n_neighbors" in row.why


def test_stale_records_are_not_sampled(records):
    frame = records.read(SET)
    rows = frame[(frame.method == "mean") & (frame.fold == 0)].to_dict("records")
    records.put([row | {"fingerprint": "0" * 12 + "." + "0" * 12} for row in rows])
    assert len(proved(sample=100)) == 14


def test_what_needs_a_package_that_is_not_there_is_not_run(records, monkeypatch, capsys):
    monkeypatch.setattr(AAKNN, "packages", ("numpy", "no-such-package"), raising=False)
    rows = proved(sample=15)
    told = rows[rows.outcome == "package not installed"]
    assert set(told.method) == {"kNN"} and set(told.why) == {"needs no-such-package"}
    assert set(rows.outcome) == {"equal", "package not installed"}
    monkeypatch.setattr(commands, "_papers", lambda options: [PAPER])
    for kinds, code in (((AAKNN,), 0), ((AAKNN, MeanPredictor, SABFGS), 1)):
        for kind in kinds:
            monkeypatch.setattr(kind, "packages", ("no-such-package",), raising=False)
        assert main(["verify", "--sample", "15"]) == code
        assert "package not installed" in capsys.readouterr().out


def test_long_fits_can_be_left_out(records):
    frame = records.read(SET)
    for fold in range(5):
        rows = frame[(frame.method == "kNN") & (frame.fold == fold)].to_dict("records")
        records.put([row | {"fit_seconds": 2.0} for row in rows])
    assert set(proved(sample=100, max_seconds=5.9).method) == {"mean", "steps"}
    assert set(proved(sample=100, max_seconds=6.1).method) == {"mean", "steps", "kNN"}


def test_spreads_are_ranges_as_a_share_of_the_size(empty):
    rounded(f=2.0, k1=2.01, k2=1.99, o1=2.05, o2=2.0)
    found = rounding.spreads().set_index("measure")
    assert found.kernels["clark"] == pytest.approx(0.01)
    assert found.orders["clark"] == pytest.approx(0.025)
    assert found.kernels["cosine"] == found.orders["cosine"] == 0
    assert rounding.Spreads().of(SABFGS(), SET) == {"clark": pytest.approx(0.025), "cosine": 0}
    assert rounding.Spreads().of(SABFGS(), "Movie") == {}
    assert rounding.Spreads().of(MeanPredictor(), SET) == {}


def test_what_was_not_run_has_the_spread_of_the_estimator_in_it(empty):
    rounded(f=2.0, k1=2.01)
    spread = rounding.Spreads().of(SABFGS(), SET)
    assert spread["clark"] == pytest.approx(0.005)
    assert rounding.Spreads().of(Shrunk(SABFGS()), SET) == spread
    assert rounding.Spreads().of(Shrunk(MeanPredictor()), SET) == {}


def test_other_orders_are_no_rounding_for_methods_that_draw(empty):
    rounded(f=2.0, o1=2.5, s=2.0)
    assert rounding.spreads().set_index("measure").orders["clark"] == 0.25
    rounded(s=2.1)
    found = rounding.spreads().set_index("measure")
    assert np.isnan(found.orders["clark"]) and found.kernels["clark"] == 0
    assert found.seed["clark"] == pytest.approx(0.05) and found.seed["cosine"] == 0
    assert [v for _, v, *_ in producer._variants(AAKNN())][-1] == "row order 3"
    assert rounding.SEED not in [v for _, v, *_ in producer._variants(AAKNN())]


def test_the_study_of_rounding_keeps_what_it_made(records, monkeypatch):
    monkeypatch.setattr(producer, "kernel_sets", dict)
    monkeypatch.setattr(producer.loky, "ProcessPoolExecutor", Here)
    (experiment,) = PAPER.experiments
    tables = replace(PAPER, experiments=(replace(experiment, name="tables"),))
    run(tables, progress=False)
    assert producer.run([tables], progress=False) == 2 * (
        3 * 4 + 1
    )  # folds: methods in four orders, a seed
    assert producer.run([tables], progress=False) == 0
    found = rounding.spreads()
    assert set(found.method) == {"mean", "kNN", "steps"} and set(found.kernels) == {0}
    assert 0 <= found.orders.max() < 1e-9
    row = next(
        r for r in rounding.rows_of_fits() if r["method"] == "kNN" and r["variant"] == "fixed"
    )
    frame = RecordStore(records.folder.parent / "tables").read(SET)
    stored = frame[(frame.method == "kNN") & (frame.fold == int(row["fold"]))].iloc[0]
    assert json.loads(row["measures"])["cosine"] == pytest.approx(stored.cosine, rel=1e-9)


class Here:
    """In place of a pool of processes: this process."""

    def __init__(self, *_, **__):
        self.map = map

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_all_folds_of_what_amplifies_are_run(records, monkeypatch):
    """Other kernels move one method in fold 1: its other folds are run with them too."""
    kernels = []

    class Named(Here):
        def __init__(self, *_, env, **__):
            kernels[:] = [env.get("KERNELS", rounding.FIXED)]
            super().__init__()

    def moved(experiment, method, parameters, dataset, fold, order, seed):
        moves = method.name == "kNN" and kernels == ["k1"]
        return {m: 1.0 + 0.01 * fold * moves for m in experiment.measures}

    monkeypatch.setattr(producer, "kernel_sets", lambda: {"k1": {"KERNELS": "k1"}})
    monkeypatch.setattr(producer.loky, "ProcessPoolExecutor", Named)
    monkeypatch.setattr(producer, "_fit", moved)
    (experiment,) = PAPER.experiments
    tables = replace(PAPER, experiments=(replace(experiment, name="tables"),))
    run(tables, progress=False)
    producer.run([tables], progress=False)
    folds = {}
    for row in rounding.rows_of_fits():
        folds.setdefault((row["method"], row["variant"]), set()).add(int(row["fold"]))
    assert folds["kNN", "k1"] == folds["kNN", rounding.FIXED] == set(range(5))
    assert folds["kNN", "row order 1"] == folds["mean", "k1"] == {0, 1}
    assert rounding.spreads().set_index("method").kernels["kNN"].max() == pytest.approx(0.01)
    every = rounding.spreads(folds=None).set_index("method")
    assert every.kernels["kNN"].max() == pytest.approx(0.04)


def test_names_of_estimators():
    assert rounding.name_of(SABFGS()) == "SABFGS"
    assert rounding.name_of(AdaBoostLDL(SABFGS())) == "AdaBoostLDL(SABFGS)"
    assert rounding.name_of(Shrunk(AdaBoostLDL(SABFGS()))) == "Shrunk(AdaBoostLDL(SABFGS))"


def test_variants_of_other_code_are_no_rounding(empty):
    rounded(f=2.0, k1=2.01)
    (other,) = [r for r in rounding.rows_of_fits() if r["variant"] == "kernels k1"]
    numbers = json.dumps({"clark": 3.0, "cosine": 0.5})
    producer._keep([other | {"measures": numbers, "fingerprint": "c.b"}])
    assert rounding.spreads().set_index("measure").kernels["clark"] == 0
    equal = {"kind": "method", "old": "a", "new": "c", "revision": "r"}
    ledger.append([equal | {"compared": ["job"], "blas": "b"}])  # unless it is proved equal
    assert rounding.spreads().set_index("measure").kernels["clark"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("away", "least", "outcome"),
    [(0.0, 0.0, "equal"), (1e-8, 0.0, "differs"), (1e-8, 1e-6, "another processor")]
    + [(1e-4, 1e-6, "differs")],
)
def test_another_processor_is_told_apart_up_to_a_millionth(away, least, outcome):
    stored = pd.DataFrame({"parameters": [{}], "kl_divergence": [0.5]})
    again = [{"parameters": {}, "kl_divergence": 0.5 * (1 + away)}]
    found = verify._compared(stored, again, ["kl_divergence"], {}, least)
    assert found["outcome"] == outcome


@pytest.mark.parametrize(
    "fixed, told", [({}, "with the kernels of this process"), ({"A": "b"}, "with A='b'")]
)
def test_the_head_of_a_report_names_the_kernels(monkeypatch, fixed, told):
    monkeypatch.setattr(environment, "fixed", lambda: fixed)
    assert verify.machine_line().endswith(f"; workers {told}")


def test_a_difference_is_told_by_what_differs_first():
    records = [{"n_train": 5, "clark": 0.5, "parameters": {}, "n_test": 2} for _ in range(2)]
    old = verify._told(records, ["clark"])
    assert verify._first_difference(old, old[:1]) == "2 records, 1 now"
    records[1]["clark"] = 0.25
    told = verify._first_difference(old, verify._told(records, ["clark"]))
    assert told == "clark: 0.5, 0.25 now"


def test_a_worker_that_dies_costs_its_own_fit_only(records, monkeypatch):
    """What came out before it, and what waited behind it, is told as ever."""
    real = verify.runner.results_of

    def deadly(tasks, *more):
        for i, task in enumerate(tasks):
            if (task.method.name, task.fold) == ("kNN", 2):
                raise BrokenProcessPool("killed")
            yield from ((i, *rest) for _, *rest in real([task], *more))

    monkeypatch.setattr(verify.runner, "results_of", deadly)
    rows = proved(sample=100).set_index(["method", "fold"])
    assert rows.outcome["kNN", 2] == "failed" and "its process died" in rows.why["kNN", 2]
    assert len(rows) == 15 and (rows.outcome.drop([("kNN", 2)]) == "equal").all()


def test_status_and_run_agree_on_installed_records(records, tmp_path, monkeypatch):
    """Beside them any folder of the user's: what it lacks is not missing."""
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path / "mine"))
    monkeypatch.setattr(state.paths, "known_results", lambda: [tmp_path / "mine", tmp_path])
    for _ in range(2):
        assert {row["done"] for row in state.status(PAPER)} == {5}
        assert run(PAPER, progress=False) == {"computed": 0, "kept": 15, "unavailable": {}}
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / "other.csv").write_text("a,b")
    alter(records, "kNN", 2, clark=2.0)
    frame = records.read(SET)
    jobs = frame[(frame.method == "kNN") & (frame.fold == 2)].to_dict("records")
    records.put([row | {"fingerprint": "0" * 12 + "." + "0" * 12} for row in jobs])
    assert run(PAPER, progress=False)["computed"] == 1
    assert {row["done"] for row in state.status(PAPER)} == {5}
