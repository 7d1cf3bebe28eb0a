"""The study of the adaptive step, and gains counted from scratch."""

import numpy as np
import pandas as pd
import pytest

from ldlrepro import paths, protocols
from ldlrepro.declare import Paper, Study
from ldlrepro.kernels import gain as kernel
from ldlrepro.papers.structrf import readable
from ldlrepro.papers.structrf.studies import adaptive_step
from ldlrepro.protocols import ledger


@pytest.mark.interpreted
def test_gain_and_search_from_scratch():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(40, 3)), 1)  # with ties
    cluster = (X[:, 1] + rng.normal(size=40) > 0).astype(np.uint8)
    expected = readable.gain(cluster, X[:, 0] < 0.15)
    assert kernel.gain(X[:, 0], cluster, 0.15) == pytest.approx(expected)
    XT = np.ascontiguousarray(X.T)
    visited, gains = np.zeros((3, 40), bool), np.zeros((3, 40))
    order = np.argsort(XT, axis=1, kind="stable")
    f, t, g, count = kernel.search(XT, order, cluster, 0.0, 0.0, visited, gains)
    assert g == pytest.approx(max(readable.search(X, cluster))[0])
    assert readable.gain(cluster, X[:, f] < t) == pytest.approx(g)
    assert count == visited.sum() == sum(len(np.unique(x)) - 1 for x in XT)


@pytest.mark.interpreted
def test_without_any_gain_each_threshold_is_visited():
    XT, cluster = np.arange(12.0).reshape(2, 6), np.ones(6, np.uint8)
    visited, gains = np.zeros((2, 6), bool), np.ones((2, 6))
    order = np.argsort(XT, axis=1)
    *_, g, count = kernel.search(XT, order, cluster, 0.5, 0.5, visited, gains)
    assert g == 0 and count == visited.sum() == 10 and (gains[visited] == 0).all()


def test_four_ways_of_searching():
    table = adaptive_step.run(quick=True)["searches"]
    assert set(table.source) == {"synthetic"}
    wide = table.pivot_table(index=["n", "fold"], columns=["step", "counts"], values="gain")
    np.testing.assert_allclose(wide["all"]["running"], wide["all"]["from scratch"], atol=1e-9)
    np.testing.assert_allclose(
        wide["adaptive"]["running"], wide["adaptive"]["from scratch"], atol=1e-9
    )
    assert (wide["adaptive"]["running"] <= wide["all"]["running"] + 1e-9).all()
    count = table.groupby("step").evaluations.mean()
    assert count["adaptive"] < 0.2 * count["all"]


calls = []


def counted(quick=False):
    calls.append(quick)
    return {"one": pd.DataFrame({"a": [1.5, 2.5]})}


def test_a_study_is_computed_once_and_again_when_stale(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path)
    paper = Paper("p", "t", (), {}, studies=(Study("s", counted),))
    first = protocols.study(paper, "s", "quick")
    second = protocols.study(paper, "s", "quick")
    assert calls == [True] and second["one"].a.tolist() == first["one"].a.tolist() == [1.5, 2.5]
    file = tmp_path / "p" / "s" / "one.csv"
    file.write_text(file.read_text().replace(first["one"].fingerprint[0], "0" * 12))
    protocols.study(paper, "s", "quick")
    assert len(calls) == 2
    with pytest.raises(KeyError, match="no study 'x'"):
        protocols.study(paper, "x", "quick")


@pytest.mark.parametrize(("profile", "computed"), [("paper", 0), ("quick", 1)])
def test_only_the_paper_profile_goes_by_the_ledger(profile, computed, tmp_path, monkeypatch):
    """A change that moved no number may have renamed a column; a quick table is soon made again."""
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path)
    paper = Paper("p", "t", (), {}, studies=(Study("s", counted),))
    first = protocols.study(paper, "s", "quick")["one"].fingerprint[0]
    file = tmp_path / "p" / "s" / "one.csv"
    file.write_text(file.read_text().replace(first, "0" * 12))
    entry = {"kind": "study", "old": "0" * 12, "new": first}
    ledger.append([entry | {"revision": "r", "compared": ["s"], "blas": "b"}])
    before = len(calls)
    protocols.study(paper, "s", profile)
    assert len(calls) - before == computed
