"""Workers: the same kernels everywhere, and no record made by other code."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from ldlrepro import MeanPredictor, paths
from ldlrepro.declare import Experiment, Method, Paper
from ldlrepro.protocols import environment, run, runner, state, worker
from ldlrepro.protocols.fingerprint import fingerprint

MEAN = Method("mean", MeanPredictor(), settings={"trees": 3})
EXPERIMENT = Experiment("main", (MEAN,), ("SJAFFE",), seed=2)
MARK = fingerprint(MEAN, 3, EXPERIMENT, "SJAFFE", "synthetic")
TASK = worker.Task("tiny", EXPERIMENT, MEAN, "SJAFFE", 40, 3, 1, MARK, fixed=False)


def test_records_name_the_job_the_code_and_the_machine():
    ((record,), failure) = worker.run_task(TASK)
    assert failure is None
    assert record["fingerprint"] == MARK and record["settings"] == {"trees": 3}
    wanted = {"paper": "tiny", "experiment": "main", "dataset": "SJAFFE", "method": "mean"}
    wanted |= {"seed": 2, "fold": 1, "source": "synthetic", "data_sha256": "synthetic"}
    assert {k: record[k] for k in wanted} == wanted
    assert record["blas"] == environment.blas() and record["cpu"] == environment.cpu()
    assert set(record["versions"]) == {"python", *environment.PACKAGES}
    assert "cores" in record["machine"]


@pytest.mark.parametrize("part", [0, 1])
def test_a_worker_with_other_code_makes_no_record(part):
    marks = MARK.split(".")
    marks[part] = "0" * 12
    records, failure = worker.run_task(replace(TASK, fingerprint=".".join(marks)))
    assert records is None
    assert "mean on SJAFFE, fold 1: the worker runs other code" in failure
    assert MARK in failure and "Traceback" not in failure


def test_the_runner_keeps_nothing_of_workers_with_other_code(tmp_path, monkeypatch):
    paper = Paper("tiny", "A tiny paper", (EXPERIMENT,), {"SJAFFE": 40})
    monkeypatch.setattr(runner, "fingerprint", lambda *_: "1" * 12 + "." + "1" * 12)
    with pytest.raises(runner.RunError, match=r"(?s)3 of 3 fits failed.*runs other code"):
        run(paper, profile="quick", progress=False, out=tmp_path)
    assert not list(tmp_path.rglob("*.csv"))


def test_a_worker_with_other_kernels_makes_no_record(monkeypatch):
    monkeypatch.setattr(environment, "fixed", lambda: {"OPENBLAS_CORETYPE": "Haswell"})
    records, failure = worker.run_task(replace(TASK, fixed=True))
    assert records is None and "start it with OPENBLAS_CORETYPE='Haswell'" in failure
    assert worker.run_task(TASK)[1] is None  # the quick profile takes any


LOOPS = {
    "NUMBA_CPU_NAME": environment.NUMBA_CPU,
    "NUMBA_CPU_FEATURES": environment.NUMBA_FEATURES,
}


def fake(monkeypatch, found, architecture="SkylakeX", machine="x86_64", numba=None, torch=None):
    monkeypatch.setattr(environment, "_numpy_features", lambda: found)
    monkeypatch.setattr(environment.platform, "machine", lambda: machine)
    info = {"internal_api": "openblas", "user_api": "blas", "architecture": architecture}
    monkeypatch.setattr(environment, "threadpool_info", lambda: [info])
    monkeypatch.setattr(environment, "find_spec", {"torch": torch}.get)
    for name in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NUMBA_DISABLE_JIT", *environment.TORCH_KERNELS):
        monkeypatch.delenv(name, raising=False)
    for name, value in LOOPS.items():  # as with the fixed loops, unless they are asked for
        monkeypatch.setenv(name, value)
        if numba is None:
            monkeypatch.delenv(name)


NEW = ["X86_V3", "X86_V4", "AVX512_ICL"]
OLD = ["SSE42", "AVX2", "FMA3", "AVX512F", "AVX512_SKX"]


@pytest.mark.parametrize(
    ("found", "wider"), [(NEW, "X86_V4 AVX512_ICL"), (OLD, "AVX512F AVX512_SKX"), (["AVX2"], None)]
)
def test_kernels_are_those_of_every_processor_with_avx2(monkeypatch, found, wider):
    fake(monkeypatch, found)
    fixed = environment.fixed()
    assert fixed.pop("OPENBLAS_CORETYPE") == "Haswell"
    assert fixed.pop("NUMBA_CPU_NAME") == "haswell"
    assert "avx2" in fixed["NUMBA_CPU_FEATURES"] and "avx512" not in fixed.pop("NUMBA_CPU_FEATURES")
    assert fixed.pop("NPY_DISABLE_CPU_FEATURES", None) == wider and not fixed


def test_nothing_is_fixed_where_it_cannot_be_or_is_so(monkeypatch):
    fake(monkeypatch, ["X86_V3"], architecture="Haswell", numba="haswell")
    assert environment.fixed() == {}
    fake(monkeypatch, [])  # a processor without AVX2 cannot run these kernels
    assert environment.fixed() == {}
    fake(monkeypatch, ["NEON"], machine="aarch64")
    assert environment.fixed() == {}


def test_the_kernels_of_torch_are_fixed_where_it_is_installed(monkeypatch):
    same = {"architecture": "Haswell", "numba": "haswell", "torch": "found"}
    fake(monkeypatch, ["X86_V3"], **same)
    assert environment.fixed() == environment.TORCH_KERNELS
    monkeypatch.setenv("MKL_CBWR", "AVX2")
    assert environment.fixed().keys() == environment.TORCH_KERNELS.keys() - {"MKL_CBWR"}
    fake(monkeypatch, [], **same)
    assert environment.fixed() == {}


def test_what_the_user_sets_stays(monkeypatch):
    fake(monkeypatch, NEW)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Sandybridge")
    monkeypatch.setenv("NUMBA_CPU_NAME", "nehalem")
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    assert environment.fixed() == {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"}
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "")
    assert environment.fixed() == {}


@pytest.mark.parametrize("given, missing", [[*LOOPS], [*LOOPS][::-1]])
def test_half_of_the_fixed_loops_is_completed(monkeypatch, given, missing):
    """numba would take the other half from the machine, and other digits with it."""
    fake(monkeypatch, [*NEW[:1]], architecture="Haswell")
    monkeypatch.setenv(given, LOOPS[given])
    assert environment.fixed() == {missing: LOOPS[missing]}
    records, failure = worker.run_task(replace(TASK, fixed=True))
    assert records is None and f"start it with {missing}='{LOOPS[missing]}'" in failure


@pytest.mark.parametrize("given, missing", [[*LOOPS], [*LOOPS][::-1]])
@pytest.mark.parametrize("value", ["nehalem", ""])
def test_any_other_half_is_refused(monkeypatch, given, missing, value):
    fake(monkeypatch, NEW)
    monkeypatch.setenv(given, value)
    with pytest.raises(environment.KernelsError, match=f"^{given} is set to '{value}', but"):
        environment.fixed()
    records, failure = worker.run_task(replace(TASK, fixed=True))
    assert records is None and f"{missing} is not set" in failure and "Traceback" not in failure


def test_what_moves_digits_and_is_in_no_record_is_as_numba_has_it(monkeypatch):
    fake(monkeypatch, ["AVX2"], architecture="Haswell", numba="haswell")
    monkeypatch.setenv("NUMBA_LOOP_VECTORIZE", "0")
    monkeypatch.setenv("NUMBA_OPT", "3")
    assert environment.fixed() == {"NUMBA_LOOP_VECTORIZE": "1"}


def test_a_process_with_these_variables_has_these_kernels():
    """What `fixed` asks for comes true in a new process, and is not asked for again."""
    script = (
        "import json, ldlrepro\n"
        "from ldlrepro.protocols import environment as e\n"
        "print(json.dumps([e.fixed(), e.blas(), e.cpu()['numpy']]))"
    )
    clean = {k: v for k, v in os.environ.items() if k not in worker.variables()}
    made = subprocess.run(
        [sys.executable, "-c", script],
        env=clean | worker.variables(),
        capture_output=True,
        check=True,
    )
    fixed, blas, features = json.loads(made.stdout)
    assert fixed == {}
    if environment.platform.machine() in ("x86_64", "AMD64") and "openblas" in blas:
        assert "AVX512" not in features and "X86_V4" not in features


def test_each_library_has_one_thread():
    assert {v for k, v in worker.variables().items() if "THREADS" in k} == {"1"}
    assert {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"} <= {*worker.variables()}


def test_time_left_comes_from_recorded_times():
    """A job that took a hundred times as long counts a hundred times."""
    seconds = runner._Seconds()
    store = state.open_store(Paper("p", "", (), {}), EXPERIMENT, "quick")
    frame = store.read("absent")
    rows = [frame.assign(**{}).reindex(range(2)) for _ in range(2)]
    for row, name, spent in zip(rows, ("slow", "fast"), (100.0, 1.0), strict=True):
        row["method"], row["fit_seconds"], row["predict_seconds"] = name, spent, 0.0
    slow, fast = (Method(name, MeanPredictor()) for name in ("slow", "fast"))
    seconds.learn("SJAFFE", rows)
    assert seconds.of(replace(TASK, method=slow)) == 100
    assert seconds.of(replace(TASK, method=fast)) == 1
    assert seconds.of(replace(TASK, method=fast, dataset="Movie")) == 1  # known of another set
    grid = replace(slow, grid={"k": [1, 2, 3]})
    assert seconds.of(replace(TASK, method=grid)) == 400
    assert seconds.of(replace(TASK, method=Method("new", MeanPredictor()))) == 1
    bar = runner.Progress([100.0, 1.0, 1.0], shown=False)
    bar._start -= 100
    bar.step(0, "the slow one")
    assert bar.time_left() == "2 s"
    for elapsed, text in ((3600 * 50, "60 min"), (3600 * 100, "2.0 h")):
        bar._start = time.monotonic() - elapsed
        assert bar.time_left() == text


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_workers_leave_signals_to_their_parent():
    """They often go to a whole group, and a worker that fell first would be a failure."""
    script = (
        "import os, signal\n"
        "from ldlrepro.protocols.worker import end_with\n"
        "end_with(os.getppid())\n"
        "for name in ('SIGINT', 'SIGTERM', 'SIGHUP'):\n"
        "    os.kill(os.getpid(), getattr(signal, name))\n"
        "print('still here')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "still here\n", done.stderr


def test_workers_take_no_module_from_the_current_folder(tmp_path):
    """A random.py of a user's ended them and the trackers; a module beside the script is found."""
    here, elsewhere = tmp_path / "here", tmp_path / "scripts"
    here.mkdir()
    elsewhere.mkdir()
    for name in ("random", "numpy", "types"):
        (here / f"{name}.py").write_text("x = 1\n")
    (elsewhere / "beside_a_script.py").write_text("def two():\n    return 2\n")
    (elsewhere / "script.py").write_text(
        "import os\nfrom beside_a_script import two\n"
        "from ldlrepro.protocols.worker import executor\n"
        "if __name__ == '__main__':\n    with executor(1) as pool:\n"
        "        print(pool.submit(two).result(60), 'PYTHONSAFEPATH' in os.environ)\n"
    )
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, elsewhere / "script.py"],
        cwd=here,
        env=variables | {"PYTHONPATH": str(paths.PACKAGE.parent)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("2 False\n", "")


def rest(seconds):
    time.sleep(seconds)
    return seconds, None


def test_no_worker_outlives_a_stop_while_fits_wait_for_one(monkeypatch):
    only_one, seen = worker.executor, []

    @contextmanager
    def slow(_):
        with only_one(1) as pool:
            seen.append(pool)
            yield pool

    monkeypatch.setattr(worker, "executor", slow)
    monkeypatch.setattr(worker, "run_task", rest)
    results = runner.results_of([0.2] * 20, 10)
    next(results)
    processes = list(seen[0]._processes.values())
    assert len(processes) == 1 and processes[0].is_alive()
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt)
    processes[0].join(5)
    assert not processes[0].is_alive()


def test_a_stop_with_tasks_not_yet_sent_ends_in_silence(monkeypatch):
    """loky's own thread takes tasks from a queue when it ends, and died of one it had forgotten."""
    died = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    with pytest.raises(KeyboardInterrupt), worker.executor(1) as pool:
        assert pool.submit(rest, 0.2).result(60)
        futures = [pool.submit(rest, 5) for _ in range(9)]
        raise KeyboardInterrupt
    assert not died
    assert all(f.done() for f in futures) and futures[-1].exception() is not None
