"""`ldlrepro compare` as typed: options, outputs, what it prints."""

import os
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from own_methods import Mean, rows

import ldlrepro
from ldlrepro import cli, commands
from ldlrepro.errors import NormalisationWarning, UnknownNameError
from ldlrepro.user import compare as comparing
from ldlrepro.user import data as userdata
from ldlrepro.user.compare import CompareError, compare


def test_bad_places_and_seeds_are_told_before_the_fits(tmp_path, capsys):
    X, D = rows(20)
    Mean.fits = 0
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(CompareError, match="file is no folder, and a folder of records"):
            compare({"mean": Mean()}, X, D, folds=2, records=place)
    for seed in (2**32, 10**7, -1, 0.5):
        with pytest.raises(CompareError, match="give an int, 0 or more and at most 1000000"):
            compare({"mean": Mean()}, X, D, folds=2, random_state=seed)
    (tmp_path / "folder.csv").mkdir()
    for out, message in (
        ("folder.csv", "is a folder"),
        ("no/page.html", "there is no folder"),
        ("x" * 252 + ".csv", "File name too long"),
        ("x" * 245 + ".csv", "is too long to write"),
    ):
        words = ["compare", "AAKNN", "--data", "t.csv", "--out", str(tmp_path / out)]
        with pytest.raises(SystemExit):
            cli.parser().parse_args(words)
        assert message in capsys.readouterr().err
    for option in ("--data", "--records"):
        with pytest.raises(SystemExit):
            cli.parser().parse_args(["compare", option, "x" * 300])
        assert "File name too long" in capsys.readouterr().err
    assert Mean.fits == 0


def test_an_option_that_would_be_ignored_is_refused():
    with pytest.raises(CompareError, match="--folds, --seed: only with --data"):
        commands.compare(cli.parser().parse_args("compare AAKNN --folds 5 --seed 1".split()))


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The folder of a user, with a table in it."""
    monkeypatch.chdir(tmp_path)
    X, D = rows(20)
    frame = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    frame.to_csv("t.csv", index=False)
    return tmp_path / "t.csv"


COMMAND = ["compare", "MeanPredictor", "--labels", "d_*", "--folds", "2", "--n-jobs", "1", "--data"]


def test_labels_with_spaces_between_are_told_how(table):
    words = ["compare", "AAKNN", "--data", "t.csv", "--labels"]
    with pytest.raises(UnknownNameError, match="'d_2'.*names of --labels have commas"):
        commands.compare(cli.parser().parse_args([*words, "d_1", "d_2"]))
    with pytest.raises(UnknownNameError) as raised:
        commands.compare(cli.parser().parse_args([*words, "d_1,d_2", "AAKN"]))
    assert "commas" not in str(raised.value)


@pytest.mark.parametrize("out", ["t.csv", "./t.csv", "{}", "link.csv", "hard.csv"])
def test_an_output_in_the_place_of_the_users_table_is_refused(table, out, capsys):
    before = table.read_bytes()
    os.symlink("t.csv", "link.csv")
    os.link("t.csv", "hard.csv")
    for data in ("t.csv", "link.csv"):
        assert cli.main([*COMMAND, data, "--out", out.format(table)]) == 1
        assert "would replace" in capsys.readouterr().err
    assert table.read_bytes() == before and not (table.parent / "ldlrepro-records").exists()


def test_an_output_among_inputs_or_records_is_refused(table, capsys):
    (table.parent / "r" / "own").mkdir(parents=True)
    inside = table.rename(table.parent / "r" / "own" / "t.csv")
    assert cli.main([*COMMAND, str(inside), "--records", "r"]) == 1
    assert "where the records are written" in capsys.readouterr().err
    inside.rename(table)
    (table.parent / "m.csv").write_text("")
    for more, message in (
        (["--out", "r/own/x.csv", "--records", "r"], "among the records of r"),
        (["--out", "m.csv"], "would replace m.csv"),
    ):
        assert cli.main(["compare", "m.csv:M", *COMMAND[2:], "t.csv", *more]) == 1
        assert re.search(message, capsys.readouterr().err)
    np.savez("t.npz", X=np.eye(3), D=np.eye(3))
    assert cli.main([*COMMAND, "t.npz"]) == 1
    assert "--labels is for tables" in capsys.readouterr().err


def test_links_and_the_users_folder_as_outputs(here, table, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(table.parent))
    os.symlink("behind.csv", "link.csv")
    assert cli.main([*COMMAND, "t.csv", "--records", "~/kept", "--out", "link.csv"]) == 0
    assert os.path.islink("link.csv") and (table.parent / "behind.csv").stat().st_size
    assert (table.parent / "kept" / "own" / "t.csv").exists()
    capsys.readouterr()
    assert cli.main([*COMMAND, "~/t.csv", "--records=~/kept", "--out=~/page.HTML"]) == 0
    assert (table.parent / "page.HTML").read_text().startswith("<!doctype html>")
    assert not (table.parent / "~").exists()
    with pytest.raises(SystemExit):
        cli.parser().parse_args([*COMMAND, "t.csv", "--out", ""])
    assert "--out: the name is empty" in capsys.readouterr().err


def test_the_command(tmp_path):
    X, D = rows(30)
    columns = [*"abcd", "d_1", "d_2", "d_3"]
    pd.DataFrame(np.hstack([X, D]), columns=columns).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "my_file.py").write_text(
        "import numpy as np\n"
        "class MyMethod:\n"
        "    def fit(self, X, D):\n        self.D = D\n"
        "    def predict(self, X):\n        return np.tile(self.D.mean(axis=0), (len(X), 1))\n"
    )
    (tmp_path / "their_file.py").write_text(
        "import ldlrepro\nclass Theirs(ldlrepro.AAKNN):\n    pass\n"
    )
    command = [sys.executable, "-m", "ldlrepro.cli", "compare", "my_file.py:MyMethod", "AAKNN"]
    command += ["their_file.py:Theirs"]
    command += ["--data", "t.csv", "--labels", "d_*", "--folds", "3", "--n-jobs", "2"]
    done = subprocess.run(
        [*command, "--out", "page.html"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(comparing.Path(ldlrepro.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    assert "MyMethod against the others" in done.stdout
    assert "Theirs against the others" in done.stdout
    assert "AAKNN against the others" not in done.stdout
    page = (tmp_path / "page.html").read_text()
    pictures = re.findall("(?:alt='|aria-label=\")(Heat map|Dots|Marks) of the share", page)
    assert pictures == ["Heat map", "Dots", "Marks"]
    assert not re.findall(r"(?:src|href)=['\"]?http", page)
    assert list((tmp_path / "ldlrepro-records" / "own").glob("t.csv"))


def test_what_was_read_is_told(tmp_path, here, capsys, monkeypatch):
    """So that a forgotten label, a person's number and a slip are seen."""
    X, D = rows(40)
    table = pd.DataFrame(np.hstack([X, 100 * D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    table.insert(0, "patient_id", np.arange(40) % 9)
    table.loc[5, ["d_1", "d_2", "d_3"]] *= 0.4
    table.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    cli.main(["compare", "AAKNN", "--data", "t.csv", "--labels", "d_1,d_2", "--n-jobs", "1"])
    said = capsys.readouterr()
    told = "t: 40 rows, 6 features (patient_id, a, b, c, d, d_3), 2 labels (d_1, d_2), label"
    assert told in said.out and "column 'patient_id' is taken for a feature" in said.err
    with pytest.warns(NormalisationWarning, match="sum to about 100, but 1 .* row 5, sum 40"):
        userdata.read("t.csv", "d_*")
    sets = (D > 0.1).astype(float)
    sets[4, 2] = 2
    with pytest.raises(userdata.UserDataError, match="D row 4, column 2 is 2.0, and nearly all"):
        userdata.bunch(X, sets)
    with pytest.warns(NormalisationWarning):
        assert userdata.bunch(X, sets, task="ldl").task == "ldl"
    votes = np.random.default_rng(0).multinomial(5, np.full(40, 1 / 40), 40)
    counts = np.random.default_rng(0).poisson(500, (40, 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert userdata.bunch(X, votes).task == userdata.bunch(X, counts).task == "ldl"
    assert not [w for w in caught if "sum to about" in str(w.message)]
