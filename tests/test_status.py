"""Answers of `ldlrepro status` that are kept: for the same files alone, and never needed."""

import os
import shutil

import pytest

from ldlrepro import cli, paths, protocols
from ldlrepro.errors import RecordDamagedWarning
from ldlrepro.papers import get_paper
from ldlrepro.protocols import answers
from ldlrepro.protocols.answers import Answers

PAPER = get_paper("structrf")
SHOWN = "Yeast_alpha"


@pytest.fixture
def away(tmp_path, monkeypatch):
    """Some records, and all that answers depend on, in a temporary folder."""
    results = tmp_path / "results"
    source = paths.DATA / "results"
    (results / "structrf" / "criteria").mkdir(parents=True)
    shutil.copy(source / "structrf" / "criteria" / f"{SHOWN}.csv", results / "structrf/criteria")
    shutil.copy(source / "structrf" / "makers.csv", results / "structrf")
    shutil.copy(source / "ledger.csv", results)
    shutil.copy(paths.REGISTRY, tmp_path / "datasets.csv")
    shutil.copytree(
        paths.PACKAGE, tmp_path / "ldlrepro", ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.setenv("LDLREPRO_RESULTS", str(results))
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "ldlrepro")
    monkeypatch.setattr(paths, "REGISTRY", tmp_path / "datasets.csv")
    monkeypatch.setattr(paths, "cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(paths, "downloads", lambda: tmp_path / "raw")
    return tmp_path


def kept():
    """What a new process would find."""
    return Answers().kept("structrf")


def test_a_file_in_place_of_the_records_is_told(away, monkeypatch, capsys):
    monkeypatch.setenv("LDLREPRO_RESULTS", str(away / "datasets.csv"))
    monkeypatch.chdir(away)
    (away / "ldlrepro-records").write_text("")
    for more in ([], ["--seed", "7"]):
        assert cli.main(["status", "structrf", *more]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert "Records belong in the folder " in line and " is no folder. " in line


def file_of(away):
    (file,) = (away / "cache" / "status").iterdir()
    return file


def test_an_answer_is_kept_and_is_the_answer(away, monkeypatch, capsys):
    assert kept() is None
    rows = Answers().made(PAPER)
    assert kept() == rows == protocols.status(PAPER)
    assert sum(row["done"] for row in rows) > 0
    assert Answers().kept("ldlf") is None and Answers("quick").kept("structrf") is None
    assert Answers(seed=7).kept("structrf") is None

    shutil.rmtree(away / "cache")
    assert cli.main(["status", "structrf"]) == 0
    first = capsys.readouterr()
    monkeypatch.setattr(protocols, "status", lambda *_: pytest.fail("made again"))
    assert cli.main(["status", "StructRF"]) == 0
    assert capsys.readouterr() == first and f"{SHOWN}" in first.out


def changed_in_place(path):
    """Another digit of a file: its size and its times stay."""
    before = path.stat()
    content = path.read_bytes()
    path.write_bytes(content[:-2] + (b"1" if content[-2:-1] != b"1" else b"2") + content[-1:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size and path.stat().st_mtime_ns == before.st_mtime_ns


def added(path, text="\n"):
    path.parent.mkdir(exist_ok=True)
    with open(path, "a") as file:
        file.write(text)


RECORDS = f"results/structrf/criteria/{SHOWN}.csv"
CHANGES = {
    "a digit of a record": lambda away: changed_in_place(away / RECORDS),
    "no records": lambda away: (away / RECORDS).unlink(),
    "records elsewhere": lambda away: (away / RECORDS).rename(away / "results/structrf/x.csv"),
    "another paper's": lambda away: added(away / "results/mslp/new.csv"),
    "a digit of the makers": lambda away: changed_in_place(away / "results/structrf/makers.csv"),
    "a digit of the ledger": lambda away: changed_in_place(away / "results/ledger.csv"),
    "the registry": lambda away: added(away / "datasets.csv"),
    "an accepted copy": lambda away: added(away / "raw" / "unverified.csv"),
    "a source": lambda away: changed_in_place(away / "ldlrepro/kernels/tree.py"),
    "a stub": lambda away: changed_in_place(away / "ldlrepro/__init__.pyi"),
    "a new source": lambda away: added(away / "ldlrepro/models/trees/_new.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_noticed(away, change):
    rows = Answers().made(PAPER)
    assert kept() == rows
    CHANGES[change](away)
    assert kept() is None


def test_another_folder_or_version_is_noticed(away, monkeypatch):
    Answers().made(PAPER)
    with monkeypatch.context() as patch:
        patch.setattr(answers, "version", lambda name: "0.0")
        assert kept() is None
    with monkeypatch.context() as patch:
        patch.setattr(answers.platform, "python_version", lambda: "3.99.0")
        assert kept() is None
    assert kept() is not None
    monkeypatch.setenv("LDLREPRO_RESULTS", str(away / "other"))
    (away / "other").mkdir()
    assert kept() is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(b'"done": 0', b'"done": 9', 1),
        lambda text: b"\xff" + text,
        pytest.param(lambda text: b"\n[1]", marks=pytest.mark.slow),
    ],
)
def test_a_damaged_answer_is_made_again(away, damage):
    rows = Answers().made(PAPER)
    file = file_of(away)
    text = file.read_bytes()
    assert damage(text) != text
    file.write_bytes(damage(text))
    assert kept() is None
    assert Answers().made(PAPER) == rows == kept()


@pytest.mark.parametrize(
    "rows",
    [
        *("{}", '[{"done": "x"}]', "[" * 100_000),
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("3", "[1]", "null")),
    ],
)
def test_an_answer_of_another_form_under_a_right_digest_is_made_again(away, rows):
    made = Answers().made(PAPER)
    file_of(away).write_text(f"{Answers()._first(rows)}\n{rows}")
    assert kept() is None
    assert Answers().made(PAPER) == made


def test_a_folder_that_cannot_be_written_costs_time_alone(away):
    (away / "cache").write_text("a file")
    assert Answers().made(PAPER) == protocols.status(PAPER)
    assert kept() is None


def test_a_warning_is_heard_each_time(away):
    path = away / RECORDS
    path.write_text(path.read_text(encoding="utf-8") + "a,row,cut", encoding="utf-8")
    for _ in range(2):
        with pytest.warns(RecordDamagedWarning):
            Answers().made(PAPER)
        assert kept() is None


def test_what_was_written_meanwhile_is_not_taken_for_known(away, monkeypatch):
    status = protocols.status

    def and_write(*arguments):
        rows = status(*arguments)
        changed_in_place(away / RECORDS)
        return rows

    monkeypatch.setattr(protocols, "status", and_write)
    Answers().made(PAPER)
    assert not (away / "cache").exists() and kept() is None
