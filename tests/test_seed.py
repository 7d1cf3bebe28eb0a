"""Another seed than the declared ones: other folds, and records that lie apart."""

import pytest

from ldlrepro import cli, paths, protocols
from ldlrepro.declare import reseeded
from ldlrepro.papers import get_paper
from ldlrepro.protocols.merge import merge

PLAIN = get_paper("structrf")
SEVEN = reseeded(PLAIN, 7)
NAME = next(iter(PLAIN.quick))
WHAT = {
    "datasets": [NAME],
    "methods": ["MeanPredictor"],
    "profile": "quick",
    "experiments": ["tables"],
    "progress": False,
}


@pytest.fixture
def away(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path / "quick")
    return tmp_path


def records(paper):
    return protocols.read(paper, paper.experiment("tables"), "quick")


def test_no_seed_is_the_paper_itself():
    assert reseeded(PLAIN, None) is PLAIN


def test_a_seed_is_added_to_those_declared():
    comparison = get_paper("comparison")
    moved = reseeded(comparison, 5)
    assert [e.seed - 5 for e in moved.experiments] == [e.seed for e in comparison.experiments]
    assert {e.seed for e in comparison.experiments} > {0}
    assert any(e.borrows for e in comparison.experiments)
    assert not any(e.borrows for e in moved.experiments)


def test_records_of_two_seeds_do_not_mix(away):
    assert protocols.run(SEVEN, **WHAT)["computed"] == 3
    assert (away / "ldlrepro-records" / "seed-7-quick" / "structrf" / "tables").is_dir()
    assert not (away / "quick").exists() and not (away / "results").exists()
    assert protocols.run(PLAIN, **WHAT)["computed"] == 3
    seven, plain = records(SEVEN), records(PLAIN)
    assert set(seven.seed) == {7} and set(plain.seed) == {0}
    assert not set(seven.kl_divergence) & set(plain.kl_divergence)  # other folds
    assert protocols.run(SEVEN, **WHAT) == {"computed": 0, "kept": 3, "unavailable": {}}


def test_a_merge_leaves_other_seeds(away):
    protocols.run(SEVEN, **WHAT)
    found = merge([away / "ldlrepro-records" / "seed-7-quick"], [PLAIN], "quick")
    assert found["added"] == 0 and records(PLAIN).empty


def test_paper_records_of_a_seed_lie_with_the_user(away):
    store = protocols.open_store(SEVEN, SEVEN.experiment("tables"))
    assert store.folder == away / "ldlrepro-records" / "seed-7" / "structrf" / "tables"


def test_a_study_has_no_seed(away, monkeypatch):
    name, stored = PLAIN.studies[0].name, {"a": "tables"}
    monkeypatch.setattr("ldlrepro.protocols.studies.tables_of", lambda *_: stored)
    monkeypatch.setattr("ldlrepro.protocols.studies._fresh", lambda *_: True)
    assert protocols.study(SEVEN, name, recompute=True) is stored


def test_the_command_takes_a_seed(away, capsys):
    run = ["run", "structrf", "--profile", "quick", "--seed", "7", "--n-jobs", "1"]
    run += ["--method", "MeanPredictor", "--dataset", NAME, "--experiment", "tables"]
    assert cli.main(run) == 0
    assert "3 computed" in capsys.readouterr().out
    assert cli.main(["status", "structrf", "--profile", "quick", "--seed", "7"]) == 0
    out = capsys.readouterr().out
    assert "structrf: 3 of " in out and "ldlrepro run structrf --seed 7" in out
    with pytest.raises(SystemExit):
        cli.main([*run[:4], "--seed", "-7"])
    assert "whole number" in capsys.readouterr().err
