"""Runs a paper's experiments over (data set, method, fold) and keeps the records.

Every finished job is written at once; a run that was stopped goes on where it was. What makes a
number is in job.py, what counts as done in state.py.
"""

import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

import joblib
import pandas as pd

from ldlrepro import datasets as data
from ldlrepro.declare import Paper, checked
from ldlrepro.errors import (
    DataCorruptError,
    DataUnavailableError,
    LdlreproError,
    UnknownNameError,
)
from ldlrepro.protocols import environment, job, state, worker
from ldlrepro.protocols.fingerprint import fingerprint
from ldlrepro.protocols.journal import Journal
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.progress import Progress
from ldlrepro.protocols.store import probe


class RunError(LdlreproError):
    """Some jobs of a run failed, or the run had to stop; the records of the others are kept."""


def run(
    paper: Paper,
    datasets: list[str] | None = None,
    methods: list[str] | None = None,
    profile: str = "paper",
    n_jobs: int = 1,
    experiments: list[str] | None = None,
    recompute: bool = False,
    progress: bool = True,
    shard: tuple[int, int] | None = None,
    out: Path | None = None,
) -> dict:
    """Compute the records of a paper that are missing or stale.

    Parameters
    ----------
    paper : Paper
        The declaration: `ldlrepro.papers.get_paper` gives it.
    datasets, methods : list of str or None
        Their names, None for all.
    profile : {"paper", "quick"}
        "quick" takes synthetic stand-ins, three folds, the ends of grids, at most 50 iterations, 10
        trees and 2 layers, and keeps its records in _build.
    n_jobs : int
        Processes; numbers do not depend on it.
    experiments : list of str or None
        Their names, None for all.
    recompute : bool
        True computes records again that are there, but for borrowed ones; when stopped and run
        again it goes on.
    progress : bool
        True shows a bar with the time left on standard error.
    shard : (i, n) or None
        Runs the i-th of n parts, 1 <= i <= n; which jobs are in it depends on nothing but their
        names and n.
    out : Path or None
        Folder for new records in place of that of the profile, whose records count as done.

    Returns
    -------
    dict
        "computed" (int), "kept" (int), "unavailable" {data set: why, also where it is damaged}.

    Raises
    ------
    RunError
        After everything else is done, if jobs failed; at once, where records cannot be written
        or workers die.
    TypeError
        For a name in place of a Paper.
    UnknownNameError
        A data set, method or experiment that does not exist.

    See Also
    --------
    status : What is done and what is not.
    study : Questions that are no runs over folds.
    """
    paper = checked(paper)
    chosen = _select(paper.experiments, experiments, "experiment")
    names = None if datasets is None else [data.resolve(d) for d in datasets]
    _known({m.name for e in chosen for m in e.methods}, methods, "method")
    _known({d for e in chosen for d in state.datasets_of(paper, e, profile)}, names, "data set")

    tasks, kept, unavailable = [], 0, {}
    journals: list[tuple[Journal, set]] = []
    seconds, ledger = _Seconds(), Ledger()
    for experiment in chosen:
        store = state.open_store(paper, experiment, profile, out)
        here = state.stores(paper, experiment, profile)
        journal = Journal(store.folder) if recompute else None
        folds = state.folds_of(experiment, profile)
        lent = state.lenders(paper, experiment) if profile == "paper" else []
        for name in state.datasets_of(paper, experiment, profile):
            if names is not None and name not in names:
                continue
            places = {s.folder: (place, s) for place, s in (*here, (None, store))}.values()
            own = [(place, s.read(name)) for place, s in places]
            records = [state.with_borrowed(f, lent, name, p) if lent else f for p, f in own]
            wanted = []
            seconds.learn(name, records)
            if recompute:  # what others hold is theirs to compute
                records = [state.with_borrowed(f.iloc[:0], lent, name, p) for p, f in own]
            done = [state.done(paper, experiment, name, r, profile, ledger) for r in records]
            for method in (state.for_profile(m, profile) for m in experiment.methods_on(name)):
                if methods is not None and method.name not in methods:
                    continue
                there = set().union(*(by_method[method.name] for by_method in done))
                mine = [f for f in folds if _in_shard(shard, experiment, name, method, f)]
                kept += sum(f in there for f in mine)
                wanted += [(method, fold) for fold in mine if fold not in there]
            if not wanted or name in unavailable:
                continue
            rows = paper.quick.get(name) if profile == "quick" else None
            try:
                form = job.data_of(experiment, name, rows).source
            except (DataUnavailableError, DataCorruptError) as error:
                unavailable[name] = str(error)
                continue
            if journal:
                journals.append((journal, {(name, method.name) for method, _ in wanted}))
            for method, fold in wanted:
                mark = fingerprint(method, len(folds), experiment, name, form)
                if journal and journal.has(name, method.name, fold, mark):
                    kept += 1
                    continue
                task = worker.Task(
                    paper.name,
                    experiment,
                    method,
                    name,
                    rows,
                    len(folds),
                    fold,
                    mark,
                    fixed=profile == "paper",
                )
                tasks.append((store, journal, task))

    computed = _run_tasks(tasks, n_jobs, progress, seconds)
    for journal, theirs in journals:
        journal.close(theirs)
    return {"computed": computed, "kept": kept, "unavailable": unavailable}


def _run_tasks(tasks, n_jobs, progress, seconds):
    """Run tasks and keep their records; how many there were."""
    for folder in {store.folder for store, _, _ in tasks}:
        check_writable(folder)
    failures, kept = [], 0
    bar = Progress([seconds.of(task) for _, _, task in tasks], shown=progress)
    # Closed at once when writing fails or a signal comes, so that the workers end.
    with bar, closing(results_of([t for _, _, t in tasks], n_jobs)) as results:
        try:
            for i, records, failure in results:
                store, journal, task = tasks[i]
                bar.step(i, f"{task.paper} {task.dataset} {task.method.name}")
                if failure:
                    failures.append(failure)
                    continue
                _keep(records, store, journal, task, kept)
                kept += 1
        except BrokenProcessPool as error:
            raise RunError(
                f"A worker process died ({worker.cause(error)}); {_goes_on(kept)}"
            ) from error
    if failures:
        raise RunError(
            f"{len(failures)} of {len(tasks)} fits failed; {_goes_on(kept)} The first:\n"
            f"{failures[0]}"
        )
    return kept


def _keep(records, store, journal, task, kept):
    try:
        store.put(records)
        if journal:
            journal.add(task.dataset, task.method.name, task.fold, task.fingerprint)
    except OSError as error:
        raise RunError(
            f"Records cannot be written to {store.folder}: {error.strerror or error}. Put that "
            f"right; {_goes_on(kept)}"
        ) from error


def results_of(tasks: list[worker.Task], n_jobs: int) -> Iterator[tuple]:
    """Yield (number of the task, records, failure) as they come.

    What is finished when the run is interrupted, or a worker dies, still comes out.
    """
    if not tasks:
        return
    if n_jobs == 1 and not (tasks[0].fixed and environment.fixed()):
        for i, task in enumerate(tasks):
            yield i, *worker.run_task(task)
        return
    processes = min(joblib.effective_n_jobs(n_jobs), len(tasks))
    with worker.executor(processes) as executor:
        rest = iter(enumerate(tasks))
        waiting: dict = {}
        try:
            while True:
                for i, task in islice(rest, 2 * processes - len(waiting)):
                    waiting[executor.submit(worker.run_task, task)] = i
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    result = _result(future)
                    yield waiting.pop(future), *result
        except (KeyboardInterrupt, BrokenProcessPool):
            # None is cancelled: loky's thread dies of one that is, and leaves the workers running.
            for future in [f for f in waiting if f.done() and not f.cancelled()]:
                if future.exception() is None:
                    yield waiting[future], *future.result()
            raise


def _result(future):
    try:
        return future.result()
    except BrokenProcessPool:
        raise
    except Exception as error:  # it could not be sent, or its workers died again and again
        return None, f"{type(error).__name__}: {error}"


def _goes_on(finished):
    return f"{finished} fits of this run are kept, and the same command goes on."


def check_writable(folder: Path) -> None:
    """Raise a RunError where no file can be made in a folder."""
    try:
        probe(folder)
    except OSError as error:
        raise RunError(
            f"Records cannot be written to {folder}: {error.strerror}. Nothing was run; make it "
            "writable, or name another folder."
        ) from error


def _in_shard(shard, experiment, dataset, method, fold):
    if shard is None:
        return True
    number, parts = shard
    name = "\t".join([experiment.name, dataset, method.name, str(fold)])
    return zlib.crc32(name.encode()) % parts == number - 1


def _select(items, names, kind):
    _known({i.name for i in items}, names, kind)
    return [i for i in items if names is None or i.name in names]


def _known(there, names, kind):
    for name in names or ():
        if name not in there:
            lower = {other.lower(): other for other in sorted(there)}
            near = [lower[n] for n in get_close_matches(name.lower(), lower, n=3)]
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            apart = "; " if any("," in other for other in there) else ", "
            raise UnknownNameError(
                f"No {kind} {name!r} here.{hint} There are: {apart.join(sorted(there))}."
            )


class _Seconds:
    """How long fits took, by the records: what the time left is told from."""

    def __init__(self):
        self._by_set, self._by_method = {}, {}

    def learn(self, dataset: str, frames: Iterable[pd.DataFrame]) -> None:
        for frame in frames:
            seconds = frame.fit_seconds + frame.predict_seconds
            for method, mean in seconds.groupby(frame.method).mean().items():
                self._by_set[method, dataset] = self._by_method[method] = mean

    def of(self, task: worker.Task) -> float:
        """Seconds that a task may take; 1 where nothing is known."""
        name = task.method.name
        one = self._by_set.get((name, task.dataset), self._by_method.get(name, 1.0))
        return one * state.fits_of(task.method)
