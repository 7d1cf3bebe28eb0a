"""The command line: data, run, status, notebooks."""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from ldlrepro import batch, cli, datasets, paths
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.protocols import state


@pytest.fixture
def away(tmp_path, monkeypatch):
    """No local copies, no network, records in a temporary folder."""
    monkeypatch.delenv("LDLREPRO_DATA", raising=False)
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(paths, "downloads", lambda: tmp_path / "raw")
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path / "quick")
    monkeypatch.setattr("ldlrepro.datasets.files.reachable", lambda url: False)
    return tmp_path


def test_data_list_and_check(away, capsys):
    assert cli.main(["data", "list"]) == 0
    out = capsys.readouterr().out
    assert "Yeast_alpha" in out and "Natural Scene" in out


@pytest.mark.parametrize("names", [[], ["s-JAFFE"], ["s-JAFFE", "Movie"]])
def test_a_check_of_nothing_fails(away, capsys, names):
    assert cli.main(["data", "check", *names]) == 1
    out, error = capsys.readouterr()
    assert out.count("not at hand") == len(names) and "DataFrame" not in out
    (line,) = error.splitlines()
    asked = " ".join(names) or "NAME"
    assert "no file of these data sets is at hand" in line
    assert f"`ldlrepro data fetch {asked}`" in line and "LDLREPRO_DATA" in line
    if names:  # a name twice is one data set
        cli.main(["data", "check", *names, *names])
        assert capsys.readouterr().out == out


def test_a_check_of_some_does_not_fail(away, monkeypatch, capsys):
    rows = [{"file": "not at hand"}, {"file": "ok"}]
    monkeypatch.setattr(datasets, "check", lambda names: rows)
    assert cli.main(["data", "check", "s-JAFFE", "Movie"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", ["missing", "a file"])
@pytest.mark.parametrize(
    "command",
    [
        ["data", "list"],
        ["data", "check"],
        ["data", "fetch", "s-JAFFE"],
        ["run", "structrf", "--dataset", "s-JAFFE"],
    ],
)
def test_local_copies_in_no_folder(away, monkeypatch, capsys, command, kind):
    folder = away / "no such folder"
    if kind == "a file":
        folder.write_text("")
    monkeypatch.setenv("LDLREPRO_DATA", str(folder))
    assert cli.main(command) == 1
    out, error = capsys.readouterr()
    (line,) = error.splitlines()
    assert out == "" and f"LDLREPRO_DATA names '{folder}', which is not a folder" in line


def test_what_uses_no_data_works_without_their_folder(away, monkeypatch, capsys):
    monkeypatch.setenv("LDLREPRO_DATA", str(away / "no such folder"))
    quick = ["--profile", "quick", "--n-jobs", "1", "--method", "MeanPredictor"]
    assert cli.main(["run", "structrf", "--experiment", "tables", *quick]) == 0
    (away / "results").mkdir()
    assert cli.main(["status", "structrf"]) == 0  # records are read
    assert len(datasets.make_standin("SJAFFE", 20).X) == 20


def test_unknown_names_are_answered_with_the_nearest(away, capsys):
    assert cli.main(["data", "fetch", "s-JAFE"]) == 1
    assert "SJAFFE" in capsys.readouterr().err
    assert cli.main(["run", "structfr"]) == 1
    assert "structrf" in capsys.readouterr().err
    assert cli.main(["run", "structrf", "--method", "Struct"]) == 1
    assert "StructRF" in capsys.readouterr().err


def test_run_says_what_it_could_not_run_and_how_to_get_it(away, capsys):
    command = ["run", "structrf", "--dataset", "s-JAFFE", "--n-jobs", "1"]
    assert cli.main([*command, "--method", "MeanPredictor", "--experiment", "tables"]) == 1
    told = capsys.readouterr()
    assert "0 computed" in told.out
    assert "not run: SJAFFE" in told.err and "LDLREPRO_DATA" in told.err


def test_run_and_status_of_the_quick_profile(away, capsys):
    quick = ["--profile", "quick"]
    command = ["run", "structrf", "--experiment", "tables", "--n-jobs", "1", *quick]
    assert cli.main([*command, "--method", "MeanPredictor"]) == 0
    assert "6 computed, 0 already there" in capsys.readouterr().out
    assert cli.main([*command, "--method", "MeanPredictor"]) == 0
    assert "0 computed, 6 already there" in capsys.readouterr().out
    assert cli.main(["status", "structrf", *quick]) == 0
    assert "6 of " in capsys.readouterr().out


def test_parameters_are_read_as_python_where_they_are():
    assert batch.parse("3") == 3
    assert batch.parse("['SJAFFE']") == ["SJAFFE"]
    assert batch.parse("None") is None
    assert batch.parse("quick") == "quick"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("verify --max-seconds soon", "--max-seconds: 'soon' is no number of seconds"),
        ("verify --sample -3", "--sample: '-3' is no whole number above 0"),
        ("notebooks --jobs 0", "--jobs: '0' is no whole number above 0"),
        ("compare AAKNN --out nowhere/page.html", "--out: there is no folder nowhere"),
        ("notebooks --out ''", "--out: the name is empty"),
        ("verify --against ''", "--against: the name is empty"),
        ("compare AAKNN --data ''", "--data: the name is empty"),
        (
            "compare AAKNN --data t.csv --seed -1",
            "--seed: '-1' is no whole number from 0 to 1000000",
        ),
        ("verify --seed -1", "--seed: '-1' is no whole number from 0 to"),
        ("run ldlf --seed 1000001", "--seed: '1000001' is no whole number from 0 to"),
        ("status --seed x", "--seed: 'x' is no whole number from 0 to"),
        ("compare AAKNN --data t.csv --n-jobs -5", "--n-jobs: '-5' is no number of processes"),
    ],
)
def test_a_value_that_cannot_be_is_refused(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main(shlex.split(arguments))
    assert message in capsys.readouterr().err


def test_a_sample_has_any_seed_of_a_generator():
    assert cli.parser().parse_args(["verify", "--seed", "20261129"]).seed == 20261129


@pytest.mark.parametrize(
    "variable, message",
    [
        ({"MPLBACKEND": "foo"}, "matplotlib does not start, see MPLBACKEND"),
        ({"PYTHONIOENCODING": "ascii"}, "There is no file \\xe4.csv"),
    ],
)
def test_odd_variables_end_in_a_line(variable, message, tmp_path):
    command = [sys.executable, "-m", "ldlrepro", "compare", "AAKNN", "--data", "\u00e4.csv"]
    variables = os.environ | {"PYTHONPATH": str(paths.PACKAGE.parent)} | variable
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "status structrf",
        "verify structrf --sample 1",
        "agreement mslp",
        "compare AAKNN --dataset s-JAFFE",
    ],
)
def test_records_in_a_folder_that_is_not_there_are_told(away, capsys, line):
    assert cli.main([*line.split()]) == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert "LDLREPRO_RESULTS names '" in told and "results', which does not exist" in told
    (away / "results").symlink_to("nowhere")
    assert cli.main([*line.split()]) == 1
    assert "is a link to nowhere, which does not exist" in capsys.readouterr().err


def test_agreement_without_records_is_a_line(monkeypatch, capsys):
    paper = SimpleNamespace(name="mslp", title="MSLP")
    chapter = SimpleNamespace(paper=paper, more_methods=lambda: None)
    monkeypatch.setattr("ldlrepro.scoreboard.chapter_of", lambda name: chapter)
    monkeypatch.setattr("ldlrepro.report.yardstick.confusion_of", lambda *_: pd.DataFrame())
    assert cli.main(["agreement", "mslp"]) == 1
    out, error = capsys.readouterr()
    assert out == "" and "there are no records of mslp: `ldlrepro run mslp`" in error


def test_a_paper_without_tables_says_how_to_choose(capsys):
    assert cli.main(["run", "images", "--table", "2"]) == 1
    assert "no table '2' here; choose by --experiment: images_realigned" in capsys.readouterr().err


def test_installed_records_are_told_of_beside_those_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "IN_CHECKOUT", False)
    monkeypatch.setattr(paths, "results", lambda: tmp_path / "results")
    for _ in range(2):
        assert paths.known_results() == [tmp_path / "results", paths.DATA / "results"]
        (tmp_path / "results").mkdir(exist_ok=True)


@pytest.mark.parametrize("text, folder", [("", None), ("~/a", "HOME/a"), ("b", "CWD/b")])
def test_folders_that_variables_name_are_absolute(tmp_path, monkeypatch, text, folder):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    wanted = folder and Path(
        folder.replace("HOME", f"{tmp_path}/home").replace("CWD", str(tmp_path))
    )
    default = paths.IN_CHECKOUT and paths.DATA / "results"
    monkeypatch.setenv("LDLREPRO_RESULTS", text)
    assert paths.results() == (wanted or default)
    monkeypatch.setenv("LDLREPRO_DATA", text)
    if wanted:
        wanted.mkdir(parents=True)
    assert paths.local_copies() == wanted
    paths.settle()
    monkeypatch.chdir("/")
    assert paths.results() == (wanted or default) and paths.local_copies() == wanted


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pyproject.toml is not installed")
def test_a_wheel_has_every_record_that_compare_reads():
    root = paths.PACKAGE.parent
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    packed = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert all((root / name).exists() for name in packed)
    for experiment in (comparison.TABLES, comparison.MULTILABEL):
        records = state.read(comparison.PAPER, experiment)
        for paper, name in records[["paper", "experiment"]].drop_duplicates().to_numpy():
            assert f"data/results/{paper}/{name}" in packed
            assert f"data/results/{paper}/makers.csv" in packed
