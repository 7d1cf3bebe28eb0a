"""`ldlrepro verify --against`: the code of two revisions beside each other."""

import os
import shutil
import subprocess
import sys
from contextlib import nullcontext

import pytest

from ldlrepro import paths
from ldlrepro.protocols import ledger, verify

SET = "SJAFFE"
HAVE_DATA = paths.local_copies() is not None and (paths.local_copies() / "ldl/SJAFFE.mat").exists()
needs = pytest.mark.skipif(
    not HAVE_DATA or not shutil.which("git"), reason="needs git and the real data (LDLREPRO_DATA)"
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A git checkout of the package with five records of two methods."""
    root = tmp_path_factory.mktemp("checkout")
    source = paths.PACKAGE
    shutil.copytree(source, root / "ldlrepro", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "data").mkdir()
    shutil.copy(paths.REGISTRY, root / "data")
    shutil.copytree(paths.PUBLISHED, root / "data" / "published")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "first")
    assert command(root, "run", "--n-jobs", "1", *CHOSEN).returncode == 0
    return root


CHOSEN = ["structrf", "--dataset", SET, "--experiment", "tables"]
CHOSEN += ["--method", "MeanPredictor", "--method", "UniformPredictor"]


def git(root, *arguments):
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def command(root, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "ldlrepro.cli", *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )


def edit(root, old, new, file="models/baselines/_constant.py"):
    path = root / "ldlrepro" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def clean(checkout):
    yield checkout
    git(checkout, "checkout", "-q", "ldlrepro")
    (checkout / "data" / "results" / "ledger.csv").unlink(missing_ok=True)


def fresh(root):
    """How many folds of each method count as done."""
    script = (
        "from ldlrepro.papers import get_paper\n"
        "from ldlrepro.protocols import status\n"
        "rows = status(get_paper('structrf'))\n"
        "print({r['method']: r['done'] for r in rows if r['done']})"
    )
    made = subprocess.run(
        [sys.executable, "-c", script],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    return eval(made.stdout)


BOTH = {"MeanPredictor": 10, "UniformPredictor": 10}


@needs
def test_a_change_that_moves_no_number(clean):
    assert fresh(clean) == BOTH
    before = (clean / "data/results/structrf/tables/SJAFFE.csv").read_bytes()
    edit(clean, "np.average(D, axis=0, weights=weight)", "np.average(D, 0, weights=weight)")
    edit(clean, '"features"', "'features' + ''", "datasets/readers.py")
    assert fresh(clean) == {}
    ended = command(clean, "verify", "structrf", "--against", "HEAD")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "equal" in ended.stdout and "differs" not in ended.stdout
    assert fresh(clean) == BOTH
    assert (clean / "data/results/structrf/tables/SJAFFE.csv").read_bytes() == before
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LDLREPRO_RESULTS", str(clean / "data" / "results"))
        kinds = [e["kind"] for e in ledger.entries()]
    assert "data" in kinds and "method" in kinds
    again = command(clean, "verify", "structrf", "--against", "HEAD")
    assert again.returncode == 0 and "Nothing is stale." in again.stdout


@needs
def test_a_change_that_moves_a_number(clean):
    mean = "np.average(D, axis=0, weights=weight)"
    edit(clean, mean, f"{mean} * (1 + 1e-7 * (np.arange(D.shape[1]) == 0))")
    ended = command(clean, "verify", "structrf", "--against", "HEAD")
    assert ended.returncode == 1
    assert "MeanPredictor" in ended.stdout and "differs" in ended.stdout
    # The file is the same, what the other method uses is not.
    assert fresh(clean) == {"UniformPredictor": 10}


@pytest.mark.slow
@needs
def test_a_change_that_moves_the_data(clean):
    edit(clean, 'content["features"])', 'content["features"]) * (1 + 1e-15)', "datasets/readers.py")
    ended = command(clean, "verify", "structrf", "--against", "HEAD")
    assert ended.returncode == 1 and "the arrays are not the same" in ended.stdout
    assert fresh(clean) == {}


@pytest.mark.slow
@needs
def test_records_of_other_code_than_the_revision_s_are_not_judged(clean):
    edit(clean, "np.average(D, axis=0, weights=weight)", "np.average(D, 0, weights=weight)")
    git(clean, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qam", "second")
    edit(clean, "np.average(D, 0, weights=weight)", "np.average(D, 0, weight)")
    ended = command(clean, "verify", "structrf", "--against", "HEAD")
    git(clean, "reset", "-q", "--hard", "HEAD~1")
    assert ended.returncode == 1 and "not of this revision" in ended.stdout
    assert fresh(clean) == BOTH


@needs
def test_revisions_that_are_none(clean):
    ended = command(clean, "verify", "--against", "nonsense")  # told before records are read
    assert ended.returncode == 1 and "'nonsense' is no revision" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
@needs
def test_the_command_on_a_sample(clean):
    ended = command(clean, "verify", "structrf", "--sample", "3")
    assert ended.returncode == 0 and ended.stdout.startswith("3 equal\n"), ended.stderr
    ended = command(clean, "verify", "mslp", "--sample", "3")
    assert ended.returncode == 1 and "no fresh record" in ended.stderr


def test_a_pair_of_marks_with_a_comparison_to_come_is_no_entry():
    """Cheap jobs come first: that they are equal says nothing of a later one."""
    pair = {"kind": "method", "old": "a", "new": "b", "compared": ["job"]}
    rows = [{"kind": "method", "old": "a", "new": "b", "outcome": "equal"}]
    assert verify._joined([pair], rows, {("method", "a", "b")}) == []
    assert verify._joined([pair], rows, set()) == [pair]
    two = verify._joined([pair, pair], rows * 2, set())
    assert [e["compared"] for e in two] == [["job", "job"]]
    rows.append(rows[0] | {"outcome": "differs"})
    assert verify._joined([pair], rows, set()) == []


@pytest.mark.parametrize("seconds, stopped_at, kept", [(5.0, 25, 20), (5.0, 19, 0), (6.0, 3, 3)])
def test_what_is_proved_outlives_a_stop(monkeypatch, tmp_path, seconds, stopped_at, kept):
    """Every twenty short comparisons, and after each long one."""
    wanted = [
        {"kind": "method", "old": f"a{i}", "new": f"b{i}", "seconds": seconds, "request": {"i": i}}
        for i in range(30)
    ]

    def judged(one, *_):
        if one["request"]["i"] == stopped_at:
            raise KeyboardInterrupt
        return "equal", ""

    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))
    monkeypatch.setattr(verify, "_stale", lambda papers: wanted)
    monkeypatch.setattr(verify, "_code_of", lambda *_: nullcontext(("commit", None, None)))
    monkeypatch.setattr(verify, "_process", lambda *_: nullcontext())
    monkeypatch.setattr(verify, "_ask", lambda process, request: None)
    monkeypatch.setattr(verify, "_reply", lambda process: {"blas": "b"})
    monkeypatch.setattr(verify, "_judged", judged)
    with pytest.raises(KeyboardInterrupt):
        verify.against("HEAD", [], "refit", progress=False)
    assert [e["old"] for e in ledger.entries()] == [f"a{i}" for i in range(kept)]


def test_an_error_of_either_side_is_a_failure_that_names_it():
    fine, broken = {"fingerprint": "a.b"}, {"error": "no such thing"}
    told = "the revision: no such thing"
    assert verify._judged({}, broken, fine, None) == ("failed", told)
    told = "the working tree: no such thing"
    assert verify._judged({}, fine, broken, None) == ("failed", told)


def test_long_comparisons_take_a_cheaper_set_of_the_paper():
    def method(alike, seconds, dataset):
        request = {"dataset": dataset, "fold": 3}
        return {"kind": "method", "alike": alike, "seconds": seconds, "request": request}

    study = {"kind": "study", "seconds": 2 * verify.LONG, "request": {"study": "one"}}
    long, short = method("a", 3 * verify.LONG, "large"), method("a", 2.0, "small")
    other, alone = method("b", verify.LONG / 2, "large"), method("c", 4 * verify.LONG, "only")
    ordered = verify._cheaper([study, long, other, short, alone, method("b", 1.0, "small")])
    assert [o["seconds"] for o in ordered] == sorted(o["seconds"] for o in ordered)
    assert long["request"] == {"dataset": "small", "fold": 0} and long["seconds"] == 2.0
    assert short["request"] == {"dataset": "small", "fold": 3}
    assert other["request"] == {"dataset": "large", "fold": 3}
    assert alone["request"] == {"dataset": "only", "fold": 0}
    assert study["request"] == {"study": "one"} and study["seconds"] == 2 * verify.LONG


@pytest.mark.parametrize(
    "error, message",
    [
        (FileNotFoundError(2, "No such file or directory"), "git cannot be run"),
        (b"fatal: detected dubious ownership in repository at '/x'", "belongs to another user"),
        (b"fatal: not a git repository (or any parent up to /)", "is no git checkout"),
        (b"fatal: Needed a single revision", "'nosuch' is no revision of the git checkout at"),
    ],
)
def test_why_there_is_no_revision(monkeypatch, error, message):
    """Told before any record is read, though nothing is stale."""

    def run(command, **_):
        if isinstance(error, OSError):
            raise error
        raise subprocess.CalledProcessError(128, command, stderr=error)

    monkeypatch.setattr(verify, "_stale", lambda papers: pytest.fail("records were read"))
    monkeypatch.setattr(verify.subprocess, "run", run)
    with pytest.raises(verify.RevisionError, match=message):
        verify.against("nosuch", [], "refit")
