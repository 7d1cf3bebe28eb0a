"""What the command line says of itself: help, versions, near misses."""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import ldlrepro
from ldlrepro import cli, commands, paths
from ldlrepro.papers import chapter_names, paper_name, paper_names
from ldlrepro.protocols import progress


def parsers(parser, name="ldlrepro"):
    """Every parser below one, by its command."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from parsers(inner, f"{name} {word}")


PARSERS = dict(parsers(cli.parser()))


def test_all_commands_are_looked_at():
    assert {"ldlrepro run", "ldlrepro data accept", "ldlrepro compare"} < set(PARSERS)
    assert len(PARSERS) == 13


@pytest.mark.parametrize("command", PARSERS)
def test_each_says_what_it_does_and_shows_an_example_that_parses(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    parser = PARSERS[command]
    assert re.fullmatch(r"[A-Z].{20,}\.", parser.description)
    example = re.fullmatch(r"example: (ldlrepro [^\n]+)", parser.epilog)[1]
    assert example.startswith(command)
    cli.parser().parse_args(example.split()[1:])
    for action in parser._actions:
        assert action.help or action.choices, f"{command}: {action.dest}"


@pytest.mark.parametrize("command", ["run", "status", "verify", "agreement"])
def test_where_a_paper_is_taken_the_papers_are_named(command):
    text = " ".join(PARSERS[f"ldlrepro {command}"].format_help().split())
    names = chapter_names() if command == "agreement" else paper_names()
    assert f"{', '.join(names)} " in text


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
def test_notebooks_are_named():
    text = " ".join(PARSERS["ldlrepro notebooks"].format_help().split())
    assert "adaboost_ldl, compare, comparison, ldlf, mldf, mslp, structrf" in text


def test_versions_and_the_module():
    told = [sys.executable, "-m", "ldlrepro", "--version"]
    done = subprocess.run(told, capture_output=True, text=True, check=True)
    assert done.stdout == f"ldlrepro {ldlrepro.__version__}\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *((name, name) for name in paper_names()),
        ("StructRF", "structrf"),
        ("LDLF", "ldlf"),
        ("MSLP", "mslp"),
        ("Adaboost-LDL", "adaboost_ldl"),
        ("AdaBoost LDL", "adaboost_ldl"),
        ("MLDF", "mldf"),
    ],
)
def test_a_paper_is_found_in_any_spelling(text, name):
    assert paper_name(text) == name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("statsu", "'statsu' is none. Did you mean status? There are: data, run, "),
        ("data lst", "'lst' is none. Did you mean list? There are: list, fetch, "),
        ("zzz", "'zzz' is none. There are: data, run, "),
        ("run structrf --profile quik", "--profile: 'quik' is none. Did you mean quick?"),
    ],
)
def test_an_unknown_word_is_answered_with_the_nearest(capsys, arguments, message):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments.split())
    assert end.value.code == 2 and message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run StructFR", "No paper 'StructFR'. Did you mean structrf? There are: adaboost_ldl,"),
        ("status nosuch", "No paper 'nosuch'. There are: adaboost_ldl,"),
        ("verify Adabost", "No paper 'Adabost'. Did you mean adaboost_ldl?"),
        ("agreement ldl", "No chapter on 'ldl'. Did you mean ldlf? There are: adaboost_ldl,"),
        ("agreement images", "No chapter on 'images'. There are: adaboost_ldl,"),
        ("notebooks compar --out out", "No notebook 'compar'. Did you mean compare?"),
        ("notebooks notebooks/compare.ipynb --out out", "Did you mean compare?"),
        ("notebooks ldlf --out out -p datasets [s-JAFFE", "'[s-JAFFE' has a bracket that is not"),
        ("notebooks ldlf --out out -p datasets s-JAFFE)", "'s-JAFFE)' has a bracket that is not"),
        (f"notebooks ldlf --out {paths.NOTEBOOKS}", "holds the notebooks themselves"),
        (f"notebooks ldlf --out {paths.NOTEBOOKS}/../notebooks", "holds the notebooks themselves"),
    ],
)
def test_an_unknown_paper_is_answered_with_the_nearest(capsys, arguments, message):
    assert cli.main(arguments.split()) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.parametrize(
    "words",
    [
        ["status", ""],
        ["verify", " "],
        ["agreement", ""],
        ["notebooks", "", "--out", "out"],
        ["run", "ldlf", "--dataset", ""],
        ["run", "ldlf", "--method", ""],
        ["run", "ldlf", "--table", ""],
        ["data", "check", ""],
        ["compare", ""],
        ["compare", "AAKNN", "--records", ""],
        ["compare", "AAKNN", "--n-jobs", "9" * 5000],
        ["compare", "AAKNN", "--n-jobs", "²"],
        ["compare", "AAKNN", "--folds", "9" * 5000],
        ["verify", "--sample", "9" * 5000],
        ["run", "ldlf", "--shard", "1/²"],
    ],
    ids=lambda words: " ".join(words)[:30],
)
def test_empty_names_and_numbers_that_are_none_are_refused(capsys, words):
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 2 and "error: argument" in capsys.readouterr().err


def test_without_a_clone_the_chapters_are_said_to_need_one(monkeypatch, capsys):
    only = paths.NOTEBOOKS / "compare.ipynb"
    monkeypatch.setattr(paths, "IN_CHECKOUT", False)
    monkeypatch.setattr(paths, "NOTEBOOKS", SimpleNamespace(glob=lambda pattern: [only]))
    assert cli.main(["notebooks", "StructRF", "--out", "out"]) == 1
    assert "The chapter StructRF is not installed: it needs a clone" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["notebooks", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "chapters of the papers need a clone" in told and "notebooks compare -p" in told


@pytest.mark.parametrize("terminal", [True, False])
def test_who_waits_at_a_terminal_is_told_for_what(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(progress, "_TICK", 0.1)
    with commands._patience("reading"):
        time.sleep(0.5)
    told = capsys.readouterr().err
    assert terminal == told.startswith("\rldlrepro: reading ... 0 s\rldlrepro: reading ... 0 s")
    assert told.endswith("\r") if terminal else not told  # the line goes when it is over
    monkeypatch.setattr(progress, "_TICK", 60)
    with commands._patience("nothing"):
        pass
    assert capsys.readouterr().err == ""


def test_the_clock_of_the_bar_goes_on_between_fits(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "_TICK", 0.1)
    with progress.Progress([1.0]):
        time.sleep(0.5)
    assert capsys.readouterr().err.count("0/1 fits") >= 3


@pytest.mark.parametrize(
    "line",
    [
        "compare --labels d_* --labels e_*",
        "compare --data a.csv --data b.csv",
        "compare --out a.csv --out b.csv",
        "run structrf --seed 1 --seed 2",
        "verify --sample 3 --sample 4",
        "notebooks --out a --jobs 2 --out b",
    ],
)
def test_an_option_that_is_given_twice_is_refused(line, capsys):
    with pytest.raises(SystemExit):
        cli.main(line.split())
    error = capsys.readouterr().err
    option = "--" + line.split(" --")[-1].split()[0]
    assert f"{option} is given twice" in error and (("commas" in error) == (option == "--labels"))


def test_a_parameter_of_notebooks_that_is_given_twice_is_refused(capsys):
    line = "notebooks compare -p datasets a -p datasets b --out nowhere"
    assert cli.main(line.split()) == 1
    assert "'datasets' is given twice: 'a' and 'b'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "name", "names"),
    [
        ("compare --data my.csv --labels d_* StructRF MSLP", "methods", ["StructRF", "MSLP"]),
        ("compare StructRF --data my.csv --labels d_* MSLP", "methods", ["StructRF", "MSLP"]),
        ("notebooks --out o structrf", "papers", ["structrf"]),
        ("run --seed 1 structrf", "paper", "structrf"),
        ("verify --sample 3 structrf", "papers", ["structrf"]),
        ("status --profile quick structrf", "paper", "structrf"),
        ("merge --seed 3 a", "folders", [Path("a")]),
    ],
)
def test_names_may_stand_after_options(line, name, names):
    assert getattr(cli.parser().parse_args(line.split()), name) == names


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compare --datset s-JAFFE", "usage: ldlrepro compare"),
        (
            "compare --datset s-JAFFE",
            "arguments: --datset. Did you mean --dataset?",
        ),
        ("status structrf mslpp", "unrecognized arguments: mslpp\n"),
    ],
)
def test_an_unknown_word_gets_the_help_of_its_command(line, said, capsys):
    with pytest.raises(SystemExit):
        cli.main(line.split())
    assert said in capsys.readouterr().err
