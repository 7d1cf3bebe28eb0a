"""A paper is one folder: it and two CSV files give a chapter, a row of the scoreboard, claims.

The paper in tests/sixth_paper is made up. Its rows are synthetic and pass for the real files.
"""

import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from ldlrepro import cli, datasets, papers, paths, scoreboard
from ldlrepro.datasets import make_standin
from ldlrepro.protocols import environment, job

HERE = Path(__file__).with_name("sixth_paper")


@pytest.fixture
def sixth(tmp_path, monkeypatch):
    """The made-up paper beside the five, its records run."""
    printed = tmp_path / "published"
    shutil.copytree(paths.PUBLISHED, printed)
    for path in HERE.glob("*.csv"):
        shutil.copy(path, printed)
    monkeypatch.setattr(paths, "PUBLISHED", printed)
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(HERE)])
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path / "results"))

    def load(name, _):
        data = make_standin(name, n_samples=60)
        data.source, data.sha256 = "real", "a" * 64
        return data

    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setattr(datasets, "is_current", lambda name, sha256, *_, **__: sha256 == "a" * 64)
    monkeypatch.setattr(
        "ldlrepro.report.provenance.is_current", lambda name, digests, **_: digests == "a" * 64
    )
    monkeypatch.setattr(environment, "fixed", dict)
    job.load.cache_clear()
    yield
    job.load.cache_clear()


def test_a_folder_is_a_paper_a_chapter_and_a_row_of_the_scoreboard(sixth, capsys, monkeypatch):
    assert "made_up" in papers.paper_names() and "made_up" in papers.chapter_names()
    assert cli.main(["run", "Made-Up", "--table", "1", "--n-jobs", "1"]) == 0
    assert "10 computed" in capsys.readouterr().out
    chapter = papers.open_chapter("made_up")
    assert cli.main(["status", "made_up"]) == 0
    assert "made_up: 35 of 35 folds done" in capsys.readouterr().out
    assert chapter.state() == "Every data set was run, and no record is stale."
    assert chapter.claims.verdict.tolist()[-1] == "not tested" and len(chapter.claims) == 6
    assert "nan" not in chapter.findings()["beats-mean"]
    monkeypatch.setattr(scoreboard, "chapters", lambda: [chapter])
    row = scoreboard.scoreboard().iloc[0]
    assert row.paper == "Made up (Nobody 2030)" and row.own.cells == 4
    assert (
        sum(
            row[f"claims {word}"]
            for word in ("holds", "holds in part", "does not hold", "not tested")
        )
        == 6
    )
    assert len(scoreboard.for_readers(scoreboard.scoreboard())) == 1


def test_every_exhibit_of_a_small_paper_can_be_shown(sixth, capsys):
    chapter = papers.open_chapter("made_up")
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ldlrepro.report.chapter.display", shown.append)
        for name in chapter.known():
            chapter.show(name)
    plt.close("all")
    text = "".join(getattr(one, "data", "") or "" for one in shown)
    assert "Table 1. s-JAFFE" in text and "Neighbours are better than the mean" in text
    assert "no record is stale" in capsys.readouterr().out


def test_the_example_is_as_small_as_promised():
    lines = [x for p in HERE.rglob("*.py") for x in p.read_text(encoding="utf-8").splitlines()]
    assert len(lines) <= 250
