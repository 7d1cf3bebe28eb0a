"""One job in a process of its own: the same kernels everywhere, one thread, and no orphan."""

import os
import queue
import re
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

from joblib.externals import loky
from joblib.externals.loky.backend import resource_tracker as loky_tracker
from threadpoolctl import threadpool_limits

from ldlrepro.errors import LdlreproError, SettingsWarning
from ldlrepro.protocols import environment, job
from ldlrepro.protocols.fingerprint import fingerprint

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
#: With it Python takes no module from the current folder: a random.py there is a user's own.
_SAFE = "PYTHONSAFEPATH"
_LOOK_SECONDS = 0.5
#: Signals that ask for an end.
_ENDS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


class OtherCodeError(LdlreproError):
    """A worker runs other code, or other kernels, than the process that asked it to."""


@dataclass(frozen=True)
class Task:
    """A job and what its records say of it; ``rows`` are those of a synthetic stand-in, or None.

    ``fingerprint`` is that of the asking process, ``fixed`` whether kernels have to be the fixed
    ones.
    """

    paper: str
    experiment: Any
    method: Any
    dataset: str
    rows: int | None
    folds: int
    fold: int
    fingerprint: str
    fixed: bool = True

    def __str__(self):
        return f"{self.method.name} on {self.dataset}, fold {self.fold}"


def variables() -> dict[str, str]:
    """Environment of a worker: one thread for each library, and the fixed kernels.

    A crash prints no pages of Python's own unless the user asks for them: see `cause`.
    """
    python = {_SAFE: "1", "PYTHONFAULTHANDLER": os.environ.get("PYTHONFAULTHANDLER", "")}
    return dict.fromkeys(_THREADS, "1") | environment.fixed() | python


def cause(error: BaseException) -> str:
    """What ended a worker, as far as loky's error knows it."""
    crashes = sorted(set(re.findall(r"SIG[A-Z]+", str(error))) - {"SIGKILL", "SIGTERM"})
    if not crashes:
        return "killed, or out of memory?"
    return f"{', '.join(crashes)}; with PYTHONFAULTHANDLER=1 in the environment it says where"


def run_task(task: Task) -> tuple:
    """Run a task: (records, None), or (None, what went wrong)."""
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", SettingsWarning)  # a paper's settings are what they are
            return _records(task), None
    except (OtherCodeError, environment.KernelsError) as error:
        return None, f"{task}: {error}"
    except Exception:
        return None, f"{task}:\n{traceback.format_exc()}"


def _records(task):
    experiment, method = task.experiment, task.method
    if task.fixed and environment.fixed():
        wanted = " ".join(f"{name}='{value}'" for name, value in environment.fixed().items())
        raise OtherCodeError(
            f"this worker's numbers would differ in their last digits ({environment.blas()}); "
            f"start it with {wanted}, or set these variables to what you want."
        )
    data = job.data_of(experiment, task.dataset, task.rows)
    mark = fingerprint(method, task.folds, experiment, task.dataset, data.source)
    if mark != task.fingerprint:
        raise OtherCodeError(
            f"the worker runs other code (fingerprint {mark}) than the process that asked it to "
            f"({task.fingerprint}): give all workers the same version, and start again."
        )
    common = {
        "paper": task.paper,
        "experiment": experiment.name,
        "dataset": task.dataset,
        "source": data.source,
        "data_sha256": "synthetic" if data.source == "synthetic" else data.sha256,
        "method": method.name,
        "settings": method.settings,
        "seed": experiment.seed,
        "fold": task.fold,
        "fingerprint": mark,
    } | environment.maker(experiment.images.get("size"), getattr(method.estimator, "packages", ()))
    records = job.compute(experiment, method, data, task.folds, task.fold)
    return [common | record for record in records]


class _Pool(loky.ProcessPoolExecutor):
    """Is made, and takes a task, wholly or not at all, whatever signal comes.

    loky starts processes and a thread when it is given a task; if an exception ends it midway,
    it can neither go on nor be shut down. What it starts does not hear the signals either.
    """

    def __init__(self, *arguments, **named):
        with undisturbed(), _safe_path():
            if os.name == "posix":  # as it starts, it lets signals through again
                resource_tracker.ensure_running()
            _start_quiet_tracker()
            super().__init__(*arguments, **named)

    def submit(self, *arguments: Any, **named: Any) -> Any:
        with undisturbed():
            return super().submit(*arguments, **named)


def _start_quiet_tracker():
    """Start loky's tracker, which removes what killed workers leave, and let it do so in silence.

    Methods that run joblib inside leave locks and folders, when they are killed.
    """
    sys.warnoptions.append("ignore:resource_tracker")  # it gets those of this process
    try:
        loky_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


@contextmanager
def _safe_path():
    """Have processes that inherit this environment, as trackers do, start with `_SAFE`."""
    before = {_SAFE: os.environ[_SAFE]} if _SAFE in os.environ else {}
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        del os.environ[_SAFE]
        os.environ.update(before)


@contextmanager
def executor(processes: int) -> Iterator[Any]:
    """Processes for tasks; when the block is left early, they are ended at once."""
    pool = _Pool(processes, initializer=end_with, initargs=(os.getpid(),), env=variables())
    try:
        yield pool
    except BaseException:
        # loky's thread forgets all tasks at the end, and would die of one that is still queued.
        with suppress(queue.Empty):
            while True:
                pool._work_ids.get_nowait()
        pool.shutdown(wait=True, kill_workers=True)
        raise
    pool.shutdown(wait=True)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold signals that ask for an end back until the block is left.

    Processes started inside have them blocked: a terminal sends them to all, and a process that is
    still importing would answer with a traceback. loky's tracker of resources would end before the
    others, and its successor complains of what it has not seen.
    """
    if threading.current_thread() is not threading.main_thread():  # it gets no signals
        yield
        return
    came, handlers = [], {}
    for number in _ENDS:
        if signal.getsignal(number) is not None:  # it can be given back
            handlers[number] = signal.signal(number, lambda number, _: came.append(number))
    blocked = _blocked("SIG_BLOCK", _ENDS)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _blocked("SIG_SETMASK", blocked)
        for number in came:
            signal.raise_signal(number)


def _blocked(how, numbers):
    """Signals that this thread had blocked before ``how`` changed them; Windows blocks none."""
    if not hasattr(signal, "pthread_sigmask"):
        return ()
    return signal.pthread_sigmask(getattr(signal, how), numbers)


def end_with(parent: int) -> None:
    """End this process soon after the process ``parent`` has ended, however that came about.

    Signals that ask for an end often go to a whole group: the parent answers them.
    """
    for number in _ENDS:
        signal.signal(number, signal.SIG_IGN)
    _blocked("SIG_UNBLOCK", _ENDS)  # it was started `undisturbed`

    def watch():
        while os.getppid() == parent:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
