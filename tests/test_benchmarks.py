"""The benchmarks: both sides do what they should; what they measure is in data/results."""

from functools import partial

import pandas as pd
import peers
import pytest

from ldlrepro import MLDFSuite, datasets
from ldlrepro.errors import UnknownNameError
from ldlrepro.report import speed


@pytest.fixture
def small_standins(monkeypatch):
    rows = {"yeast": 1000, "corel16k001": 200}  # the peer of ECC fails on a label with one class
    make = datasets.make_standin
    monkeypatch.setattr(datasets, "load_or_standin", lambda name: make(name, rows[name]))
    monkeypatch.setattr(peers, "CHAINS", 3)
    monkeypatch.setattr(peers, "LAYERS", 2)


def test_bench_takes_any_spelling(monkeypatch):
    assert peers._known(["s-jaffe", "COREL16K001"]) == ["SJAFFE", "corel16k001"]


@pytest.mark.slow
def test_bench_of_forests_on_two_threads(monkeypatch):
    rows = list(peers._two_threads(datasets.make_standin("Yeast_spoem", 100), 1))
    assert [row["method"] for row in rows] == [
        f"{f}, two threads" for f in ("StructRF", "SingleLabelRF")
    ]
    assert all(row["kl"] == row["peer_kl"] for row in rows)  # the same forest
    other = {
        "dataset": "a",
        "method": "b",
        "peer": "c",
        "seconds": 1,
        "peer_seconds": 2,
        "ratio": 0.5,
    }
    rows[0] |= {"seconds": 3.0, "peer_seconds": 5.0, "ratio": 0.6}
    monkeypatch.setattr(speed, "ratios", lambda: pd.DataFrame([other, rows[0]]))
    assert "0.83" in speed.show_threads().data and "StructRF" not in speed.show_ratios().data


@pytest.mark.slow
def test_bench_of_the_multi_label_learners(small_standins):
    rows = list(peers.run(["corel16k001"], repeats=1))
    assert all({"ratio", "average_precision", "peer_average_precision"} <= set(row) for row in rows)
    assert len(rows) == 7 and all("stand-in for corel16k" in row["dataset"] for row in rows)


@pytest.mark.slow
def test_bench_of_the_cascades(small_standins, monkeypatch):
    monkeypatch.setattr(peers, "MLDFSuite", partial(MLDFSuite, n_estimators=5))
    row = peers._suite()
    assert row["method"] == peers.SUITE == speed.SUITE and row["average_precision"] > 0
    monkeypatch.setattr(speed, "ratios", lambda: pd.DataFrame([row | {"seconds": 90.0}]))
    assert "1.5 minutes" in speed.suite() and row["dataset"] in speed.suite()


@pytest.mark.slow
def test_both_sides_of_the_bench_do_about_equally_well(small_standins):
    rows = list(peers.run(["yeast"], repeats=1))
    methods = [row["method"] for row in rows]
    learners = "RFPCT", "ERFPCT", "RFMLC45", "ECC"
    beside_others = [f"{m}, {part}" for m in learners for part in ("fit", "prediction")]
    beside_themselves = [f"{m}, two threads" for m in ("RFPCT", "ERFPCT", "MLDF")]
    assert methods == beside_others + beside_themselves
    for row in rows:
        near = 0 if row["peer"] == peers.ONE else 0.02
        assert row["average_precision"] == pytest.approx(row["peer_average_precision"], abs=near)


def test_what_is_measured_is_kept(monkeypatch, tmp_path):
    def run(names, repeats):
        yield {"dataset": "scene", "ratio": 0.5}
        raise KeyboardInterrupt

    monkeypatch.setattr(peers, "run", run)
    monkeypatch.setattr("sys.argv", ["peers.py", "--out", str(tmp_path / "bench.csv")])
    with pytest.raises(KeyboardInterrupt):
        peers.main()
    kept = pd.read_csv(tmp_path / "bench.csv")
    assert kept.ratio.tolist() == [0.5] and "machine" in kept


@pytest.mark.parametrize(
    ("name", "answer"), [("s-JAFE", "Did you mean SJAFFE"), ("Yeast_cdc", "on: Yeast_alpha,")]
)
def test_a_set_that_is_not_timed(monkeypatch, name, answer):
    monkeypatch.setattr(datasets, "load_or_standin", lambda name: pytest.fail("too early"))
    with pytest.raises(UnknownNameError, match=answer):
        list(peers.run(["scene", name]))
