"""Runs that are stopped, killed, or cannot write: what is kept, said, and left behind."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import pytest
import slow_paper

from ldlrepro import cli, protocols
from ldlrepro.protocols import scratch, state

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")


def _hear():
    """Stops are heard: where tests run in the background of a script, some would be ignored."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def start(folder, *more, jobs=2, pace=0, script=HERE / "slow_paper.py"):
    """The command in a session of its own, so that a signal can go to its whole group.

    ``pace`` 1 leaves half a minute to stop it in, 0 does not wait in its fits.
    """
    command = [sys.executable, str(script), "run", "slow", "--profile", "quick"]
    variables = {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]), "MARK_OF_TEST": str(folder)}
    variables["PACE"] = str(pace)
    return subprocess.Popen(
        [*command, "--n-jobs", str(jobs), "--out", str(folder), *more],
        env=os.environ | variables,
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear,
    )


def processes(folder):
    """Processes that a command on ``folder`` has started, itself included: {pid: command line}."""
    found = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                if f"MARK_OF_TEST={folder}\0".encode() in (place / "environ").read_bytes():
                    if (place / "stat").read_text().rsplit(") ", 1)[1][0] != "Z":
                        line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                        found[int(place.name)] = line
    return found


def workers(folder, process):
    return [
        pid
        for pid, line in processes(folder).items()
        if pid != process.pid and "resource_tracker" not in line
    ]


def store_of(folder, name="main"):
    return state.open_store(
        slow_paper.PAPER, slow_paper.PAPER.experiment(name), "quick", Path(folder)
    )


def kept(folder):
    """Jobs with complete records; a damaged, doubled or half-written row is an error."""
    there = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for experiment in slow_paper.PAPER.experiments:
            for dataset in slow_paper.PAPER.quick:
                frame = store_of(folder, experiment.name).read(dataset)
                done = state.done(slow_paper.PAPER, experiment, dataset, frame, "quick")
                for method, folds in done.items():
                    there |= {(experiment.name, dataset, method, fold) for fold in folds}
    return there


def written(folder):
    """Lines of records so far, as cheaply as a test can ask again and again."""
    return sum(path.read_text().count("\n") - 1 for path in Path(folder).glob("*/*/*.csv"))


def wait_until(condition, seconds=180):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def none_left(folder, seconds=30):
    wait_until(lambda: not processes(folder), seconds)


def finish(folder):
    """Run the same command to its end; it computes what is missing, and no more."""
    before = len(kept(folder))
    process = start(folder, jobs=1)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert f"{slow_paper.JOBS - before} computed, {before} already there." in out
    assert len(kept(folder)) == slow_paper.JOBS


STOPS = {"INT": (signal.SIGINT, 130), "TERM": (signal.SIGTERM, 143), "HUP": (signal.SIGHUP, 129)}


def often(name):
    """All signals each night, and this one with every change."""
    every = [n if n == name else pytest.param(n, marks=pytest.mark.slow) for n in STOPS]
    return pytest.mark.parametrize("name", every)


@often("INT")
def test_a_signal_stops_as_ctrl_c_does(tmp_path, name):
    folder = tmp_path / "records"
    number, status = STOPS[name]
    process = start(folder, pace=1)
    wait_until(lambda: written(folder) >= 3)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert "stopped; what was finished is kept" in err and "Traceback" not in err
    none_left(folder)
    assert 3 <= len(kept(folder)) < slow_paper.JOBS


NESTED = """
import sys, time
from pathlib import Path
from joblib import Parallel, delayed
from ldlrepro.protocols import worker

def inner(file):
    file.touch()
    time.sleep(60)

def fit(file):
    Parallel(2)(delayed(inner)(file) for _ in range(2))

with worker.executor(1) as pool:
    pool.submit(fit, Path(sys.argv[1]))
    while not Path(sys.argv[1]).exists():
        time.sleep(0.05)
    sys.exit(3)
"""


def test_a_method_that_runs_joblib_is_stopped_without_a_warning(tmp_path):
    command = [sys.executable, "-c", NESTED, str(tmp_path / "started")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")


def said(err):
    """What stands on standard error beside the bar."""
    lines = [line.rpartition("\r")[2].rstrip() for line in err.split("\n")]
    return [line for line in lines if line and "fits |" not in line]


@often("HUP")
def test_a_signal_to_all_processes_twice_ends_in_one_line(tmp_path, name):
    """As a terminal sends it, while the workers still import; then once more."""
    folder = tmp_path / "records"
    number, status = STOPS[name]
    process = start(folder, pace=1)
    wait_until(lambda: len(workers(folder, process)) >= 2)
    os.killpg(process.pid, number)
    time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert said(err) == ["ldlrepro: stopped; what was finished is kept."]
    none_left(folder)


def test_what_is_ignored_at_the_start_stays_so():
    """`nohup` asks for that: the run goes on when the terminal is closed."""
    hear = signal.default_int_handler  # a background process may have been told not to
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), hear
    told = signal.signal(signal.SIGINT, hear)
    try:
        with cli._stopping(is_program=False):
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGINT) == cli._stop
        assert signal.getsignal(signal.SIGINT) == before[1]
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGINT, told)


@pytest.mark.slow
def test_workers_end_with_a_killed_parent(tmp_path):
    folder = tmp_path / "records"
    process = start(folder, pace=1)
    wait_until(lambda: written(folder) >= 3)
    assert len(workers(folder, process)) >= 2
    process.kill()
    process.communicate(timeout=60)
    none_left(folder)
    finish(folder)


def test_a_killed_worker_is_told_in_a_line(tmp_path):
    folder = tmp_path / "records"
    process = start(folder, pace=1)
    wait_until(lambda: written(folder) >= 3)
    os.kill(workers(folder, process)[0], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "Traceback" not in err
    assert "A worker process died" in err and "the same command goes on" in err
    none_left(folder)
    finish(folder)


def kills(number, folder, seed):
    """Kill runs at random moments, until ``number`` were killed; the records after each."""
    chance = random.Random(seed)
    before, killed = set(), 0
    while killed < number:
        process = start(folder, pace=0.1)
        wait_until(lambda: process.poll() is not None or workers(folder, process))  # noqa: B023
        time.sleep(chance.uniform(0, 2.5))
        kind = chance.choice(("parent", "worker", "group", "TERM", "HUP"))
        if process.poll() is None:
            killed += 1
            with contextlib.suppress(ProcessLookupError, IndexError):
                if kind == "parent":
                    process.kill()
                elif kind == "worker":
                    os.kill(chance.choice(workers(folder, process)), signal.SIGKILL)
                elif kind == "group":
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.send_signal(STOPS[kind][0])
        _, err = process.communicate(timeout=60)
        assert "Traceback" not in err, err
        none_left(folder)
        after = kept(folder)
        assert before <= after, f"lost after {kind}: {before - after}"
        if len(after) == slow_paper.JOBS:  # begin again: the folder is full
            for path in Path(folder).rglob("*.csv"):
                path.unlink()
            after = set()
        before = after


@pytest.mark.slow
def test_kills_at_random_moments_lose_nothing(tmp_path):
    number = int(os.environ.get("LDLREPRO_TEST_KILLS", "4"))
    kills(number, tmp_path / "records", seed=number)


@pytest.mark.slow
@pytest.mark.parametrize("name", STOPS)
def test_a_signal_while_the_workers_are_started(tmp_path, name):
    """It comes when the workers are there and loky's thread is about to be."""
    folder = tmp_path / "records"
    number, status = STOPS[name]
    script = tmp_path / "early.py"
    script.write_text(
        "import os, runpy, sys\n"
        "from joblib.externals.loky.process_executor import _ExecutorManagerThread as thread\n"
        "start = thread.start\n"
        "def stopped(self):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    start(self)\n"
        "thread.start = stopped\n"
        f"sys.argv[0] = {str(HERE / 'slow_paper.py')!r}\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    process = start(folder, pace=1, script=script)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert "stopped; what was finished is kept" in err and "Traceback" not in err
    none_left(folder)


def test_recompute_goes_on_where_it_was_stopped(tmp_path):
    folder = tmp_path / "records"
    run = partial(protocols.run, slow_paper.PAPER, profile="quick", progress=False, out=folder)
    assert run()["computed"] == slow_paper.JOBS
    journals = [store_of(folder, name).folder / "recompute.journal" for name in ("main", "more")]
    process = start(folder, "--recompute", jobs=1, pace=0.2)
    wait_until(lambda: journals[0].exists() and len(journals[0].read_text().splitlines()) >= 4)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 143
    done = sum(len(j.read_text().splitlines()) for j in journals if j.exists())
    times = store_of(folder).read().fit_seconds.sum()
    again = run(recompute=True)
    assert (again["computed"], again["kept"]) == (slow_paper.JOBS - done, done)
    assert not any(j.exists() for j in journals)
    assert store_of(folder).read().fit_seconds.sum() != times
    for name, jobs in (("more", 18), ("main", 42)):  # and then anew, each of them
        anew = run(recompute=True, experiments=[name])
        assert (anew["computed"], anew["kept"]) == (jobs, 0)
    assert len(kept(folder)) == slow_paper.JOBS


def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(tmp_path):
    (tmp_path / "file").write_text("no folder")
    process = start(tmp_path / "file" / "records")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "Traceback" not in err
    assert "file is no folder: --out names a folder for records" in err
    assert "computed" not in out


def test_a_full_disk_is_told_in_a_line(tmp_path):
    """The first write that fails ends the run; what was written is kept."""
    folder = tmp_path / "records"
    script = tmp_path / "full.py"
    script.write_text(
        "import errno, os, runpy, sys\n"
        "replace, calls = os.replace, []\n"
        "def full(*arguments):\n"
        "    calls.append(1)\n"
        "    if len(calls) > 6:\n"
        "        raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "    return replace(*arguments)\n"
        "os.replace = full\n"
        f"sys.argv[0] = {str(HERE / 'slow_paper.py')!r}\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    variables = {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    command = [sys.executable, str(script), "run", "slow", "--profile", "quick", "--n-jobs", "1"]
    ended = subprocess.run(
        [*command, "--out", str(folder)], env=os.environ | variables, capture_output=True, text=True
    )
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert "No space left on device" in ended.stderr
    assert "5 fits of this run are kept, and the same command goes on" in ended.stderr
    assert len(kept(folder)) == 5
    finish(folder)


@often("TERM")
def test_a_stop_is_heard_in_compiled_code(name):
    """Python itself answers a signal only when the code comes back, in an hour say."""
    script = (
        "import hashlib, sys\n"
        "from ldlrepro import cli, commands\n"
        "def fit(_):\n"
        "    print('fitting', flush=True)\n"
        "    hashlib.pbkdf2_hmac('sha256', b'a', b'b', 2**31 - 1)\n"
        "commands.data_list = fit\n"
        "sys.argv[1:] = ['data', 'list']\n"
        "sys.exit(cli.main())"
    )
    number, status = STOPS[name]
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hear,
    )
    assert process.stdout.readline() == "fitting\n"
    process.send_signal(number)
    began = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 5 and process.returncode == status
    assert err.strip() == "ldlrepro: stopped; what was finished is kept."


@pytest.mark.parametrize(
    "closed",
    [*(pytest.param(c, marks=pytest.mark.slow) for c in (">&-", ">&- 2>&-")), "<&- >&- 2>&-"],
)
def test_a_program_without_output_runs(closed, tmp_path):
    command = f"'{sys.executable}' -m ldlrepro data list {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    # Nothing of ours is the first file that is opened: else prints would go into it.
    code = (
        "import os, sys; from ldlrepro import cli; cli._open_what_is_closed(); print('lost');"
        f"f = open({str(tmp_path / 'file')!r}, 'w'); assert f.fileno() > 2; os.write(1, b'lost')"
    )
    done = subprocess.run(f'"{sys.executable}" -c "{code}" {closed}', shell=True)
    assert done.returncode == 0 and (tmp_path / "file").read_text() == ""


def test_folders_of_dead_processes_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    code = (
        "import tempfile, sys; from ldlrepro.protocols.scratch import scratch\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "with scratch(): print(flush=True); sys.stdin.read()"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for child in children:
        child.stdout.readline()
    children[0].kill()  # a stop that no shell can have told it to ignore
    children[0].wait()
    folders = set(tmp_path.iterdir())
    assert len(folders) == 2
    with scratch.scratch():  # a minute has not passed
        assert folders < set(tmp_path.iterdir())
    monkeypatch.setattr(scratch, "_OLD", -1)
    with scratch.scratch() as mine:
        left = set(tmp_path.iterdir()) - {mine}
        assert len(left) == 1 and left < folders  # that of the one who lives
    children[1].communicate()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command", [["data", "list"], pytest.param(["status", "structrf"], marks=pytest.mark.slow)]
)
def test_a_full_disk_behind_standard_output_is_one_line(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ldlrepro", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1 and done.stderr == "ldlrepro: No space left on device\n"
