"""Shards of a run, and bringing them together."""

import re
import shlex
import shutil

import pytest

from ldlrepro import AAKNN, MeanPredictor, cli, commands, paths
from ldlrepro.declare import Experiment, Method, Paper
from ldlrepro.protocols import merge as merging
from ldlrepro.protocols import run, runner
from ldlrepro.protocols.merge import MergeError
from ldlrepro.protocols.store import RecordStore

METHODS = (
    Method("mean", MeanPredictor()),
    *(Method(f"{k}-NN", AAKNN(k)) for k in (1, 2, 3, 5, 8)),
)
PAPER = Paper(
    "tiny", "A tiny paper", (Experiment("main", METHODS, ("SJAFFE",)),), {"SJAFFE": 40, "Movie": 40}
)
JOBS = 2 * 3 * len(METHODS)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path / "quick")
    return tmp_path


def quick(**options):
    return run(PAPER, profile="quick", progress=False, **options)


def merge(*folders):
    return merging.merge(folders, [PAPER], "quick")


def jobs(root):
    there = set()
    for dataset in PAPER.quick:
        frame = RecordStore(root / "tiny" / "main").read(dataset)
        there |= set(zip(frame.dataset, frame.method, frame.fold, strict=True))
    return there


def test_shards_are_apart_and_together_all(folder):
    for number in (1, 2, 3):
        quick(shard=(number, 3), out=folder / str(number))
    parts = [jobs(folder / str(number)) for number in (1, 2, 3)]
    assert all(parts) and sum(map(len, parts)) == JOBS == len(set.union(*parts))
    assert not (folder / "quick").exists()
    assert merge(*(folder / str(n) for n in (1, 2, 3))) == {
        "added": JOBS,
        "there": 0,
        "stale": 0,
    }
    assert jobs(folder / "quick") == set.union(*parts)
    assert quick() == {"computed": 0, "kept": JOBS, "unavailable": {}}
    assert merge(folder / "1") == {"added": 0, "there": len(parts[0]), "stale": 0}


def test_the_jobs_of_a_shard_do_not_depend_on_what_is_done(folder):
    quick(shard=(1, 2), out=folder / "all")
    quick(methods=["mean", "3-NN"])
    result = quick(shard=(1, 2), out=folder / "rest")
    assert result["kept"] == len(jobs(folder / "quick") & jobs(folder / "all"))
    assert jobs(folder / "rest") == jobs(folder / "all") - jobs(folder / "quick")


def test_a_shard_resumes_from_its_own_folder(folder):
    done = quick(shard=(1, 2), out=folder / "one")["computed"]
    assert quick(shard=(1, 2), out=folder / "one") == {
        "computed": 0,
        "kept": done,
        "unavailable": {},
    }


def changed(root, **new):
    """The same records with one column changed in those of the mean."""
    store = RecordStore(root / "tiny" / "main")
    frame = store.read("SJAFFE")
    rows = [r for r in frame.to_dict("records") if r["method"] == "mean"]
    store.put_all([[row | new] for row in rows])


def test_other_numbers_for_the_same_job_are_not_merged(folder):
    quick()
    shutil.copytree(folder / "quick", folder / "other")
    changed(folder / "other", cosine=0.5)
    before = (folder / "quick" / "tiny" / "main" / "SJAFFE.csv").read_bytes()
    with pytest.raises(MergeError, match="3 jobs have other numbers.*main of tiny: mean on SJAFFE"):
        merge(folder / "other")
    assert (folder / "quick" / "tiny" / "main" / "SJAFFE.csv").read_bytes() == before


def test_two_folders_that_differ_are_not_merged(folder):
    quick(out=folder / "a")
    shutil.copytree(folder / "a", folder / "b")
    changed(folder / "b", cosine=0.5)
    with pytest.raises(MergeError, match="3 jobs.*nothing was written.*in .*b"):
        merge(folder / "a", folder / "b")
    assert not (folder / "quick").exists()


def test_other_times_are_no_other_numbers(folder):
    quick()
    shutil.copytree(folder / "quick", folder / "other")
    changed(folder / "other", fit_seconds=99.0)
    assert merge(folder / "other")["there"] == JOBS


def test_stale_records_stay_where_they_are(folder):
    quick()
    shutil.move(folder / "quick", folder / "other")
    changed(folder / "other", fingerprint="0" * 12 + "." + "0" * 12)
    assert merge(folder / "other") == {"added": JOBS - 3, "there": 0, "stale": 3}
    assert ("SJAFFE", "mean", 0) not in jobs(folder / "quick")


def test_a_folder_without_records(folder):
    with pytest.raises(MergeError, match="holds no records: it should be laid out as data/results"):
        merge(folder)


@pytest.fixture
def registered(monkeypatch):
    """The commands know this paper alone."""
    monkeypatch.setattr(commands, "paper_name", str)
    monkeypatch.setattr(commands, "get_paper", lambda name: PAPER)
    monkeypatch.setattr(commands, "get_papers", lambda: [PAPER])


@pytest.mark.parametrize("seed", [None, pytest.param(7, marks=pytest.mark.slow)])
def test_the_command_that_a_shard_prints_merges_it(folder, registered, monkeypatch, capsys, seed):
    monkeypatch.chdir(folder)
    more = ["--seed", str(seed)] if seed else []
    command = ["run", "tiny", "--profile", "quick", "--shard", "1/1", *more, "--out"]
    assert cli.main([*command, "some where"]) == 0
    told = capsys.readouterr().out
    assert "The records are in some where" in told
    (line,) = re.findall("`ldlrepro (merge .*)`", told)
    assert cli.main(shlex.split(line)) == 0
    assert f"{JOBS} jobs added" in capsys.readouterr().out
    assert cli.main([*command, "elsewhere"]) == 0
    assert "No records are in elsewhere: none was missing." in capsys.readouterr().out


def test_a_file_is_no_folder_for_records(folder, registered, capsys):
    (folder / "file").write_text("")
    out = str(folder / "file")
    assert cli.main(["run", "tiny", "--profile", "quick", "--shard", "1/2", "--out", out]) == 1
    assert "file is no folder: --out names a folder" in capsys.readouterr().err
    (folder / "link").symlink_to("nowhere")
    out = str(folder / "link")
    assert cli.main(["run", "tiny", "--profile", "quick", "--shard", "1/2", "--out", out]) == 1
    assert "link is a link to nowhere, which does not exist" in capsys.readouterr().err


def test_a_folder_is_merged_once_and_not_into_itself(folder):
    quick(out=folder / "a")
    (folder / "link").symlink_to("a")
    assert merge(folder / "a", folder / "a", folder / "link")["there"] == 0
    (folder / "ours").symlink_to("quick")
    with pytest.raises(MergeError, match="ours is the folder that records are merged into"):
        merge(folder / "a", folder / "ours")


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/2/3"])
def test_shards_that_are_none(text, capsys):
    with pytest.raises(SystemExit):
        cli.main(["run", "structrf", "--shard", text])
    assert "is not I/N with 1 <= I <= N" in capsys.readouterr().err
    assert runner._in_shard(None, None, None, None, None)
