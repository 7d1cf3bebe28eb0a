"""Runs a paper's experiments over (data set, method, fold) and keeps the records.

Every finished job is written at once; a run that was stopped goes on where it was. A job is done
when its records carry the current fingerprint and the data's hash.
"""

import os
import platform
import sys
import traceback
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version

import joblib
from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ldlrepro import datasets as data
from ldlrepro import paths
from ldlrepro.errors import DataCorruptError, DataUnavailableError, LdlreproError, UnknownNameError
from ldlrepro.protocols import job
from ldlrepro.protocols.fingerprint import fingerprint
from ldlrepro.protocols.store import RecordStore

PROFILES = ("paper", "quick")
QUICK_FOLDS = 3
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "ldlrepro")


class RunError(LdlreproError):
    """Some jobs of a run failed; the records of the others are kept."""


def paper_names():
    """Names of the declared papers."""
    return sorted(p.stem for p in (paths.PACKAGE / "papers").glob("[a-z]*.py"))


def get_paper(name):
    """Return the declaration of a paper by name (UnknownNameError lists those there are)."""
    # Looked up by name at the call: this layer does not know the papers.
    known = paper_names()
    if name not in known:
        raise UnknownNameError(f"No paper {name!r}; there are: {', '.join(known)}.")
    return import_module(f"ldlrepro.papers.{name}").PAPER


def open_store(paper, experiment, profile="paper"):
    """Return the RecordStore of a paper's experiment under a profile."""
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {', '.join(PROFILES)}, got {profile!r}.")
    root = paths.results() if profile == "paper" else paths.quick_results()
    return RecordStore(root / paper.name / experiment.name, experiment.measures)


def run(
    paper,
    datasets=None,
    methods=None,
    profile="paper",
    n_jobs=1,
    backend="loky",
    experiments=None,
    recompute=False,
    progress=True,
):
    """Compute the records of a paper that are missing or stale.

    Parameters
    ----------
    paper : str or Paper
    datasets, methods, experiments : lists of names, None for all
    profile : "paper", or "quick" (synthetic stand-ins, three folds, records in _build)
    n_jobs : int, processes; numbers do not depend on it
    backend : joblib backend, "loky" or "dask" (extra ``dask``: the cluster that
        DASK_SCHEDULER_ADDRESS names, or one on this machine with ``n_jobs`` workers)
    recompute : True computes records again that are there
    progress : True shows a bar with the time left on standard error

    Returns
    -------
    dict : "computed" (int), "kept" (int), "unavailable" {data set: why, also where it is damaged}

    Raises
    ------
    RunError
        After everything else is done, if jobs failed.
    UnknownNameError
        A paper, data set, method or experiment that does not exist.
    """
    paper = get_paper(paper) if isinstance(paper, str) else paper
    chosen = _select(paper.experiments, experiments, "experiment")
    names = None if datasets is None else [data.resolve(d) for d in datasets]
    _known({m.name for e in chosen for m in e.methods}, methods, "method")
    _known({d for e in chosen for d in _datasets(paper, e, profile)}, names, "data set")

    jobs, kept, unavailable = [], 0, {}
    for experiment in chosen:
        store = open_store(paper, experiment, profile)
        for name in _datasets(paper, experiment, profile):
            if names is not None and name not in names:
                continue
            wanted = _missing(paper, experiment, name, methods, profile, store, recompute)
            total = len(_methods(experiment, methods)) * len(_folds(experiment, profile))
            kept += total - len(wanted)
            if not wanted or name in unavailable:
                continue
            try:
                rows = paper.quick.get(name) if profile == "quick" else None
                job.load(name, rows, experiment.source)
            except (DataUnavailableError, DataCorruptError) as error:
                unavailable[name] = str(error)
                continue
            jobs += [(store, *one) for one in wanted]

    failures = []
    bar = tqdm(total=len(jobs), unit="fit", ascii=True, file=sys.stderr, disable=not progress)
    with bar, _workers(backend, n_jobs):
        results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
            delayed(_job)(i, *one[1:]) for i, one in enumerate(jobs)
        )
        for i, records, failure in results:
            if failure:
                failures.append(failure)
            else:
                jobs[i][0].put(records)
            bar.update()
    if failures:
        raise RunError(f"{len(failures)} of {len(jobs)} fits failed; the first:\n{failures[0]}")
    return {"computed": len(jobs), "kept": kept, "unavailable": unavailable}


@contextmanager
def _workers(backend, n_jobs):
    """The joblib backend, each worker with one thread for BLAS and numba."""
    if backend == "dask":
        from distributed import Client

        address = os.environ.get("DASK_SCHEDULER_ADDRESS")
        local = {"n_workers": joblib.effective_n_jobs(n_jobs), "threads_per_worker": 1}
        with Client(address) if address else Client(**local), parallel_config("dask"):
            yield
    else:
        with parallel_config(backend, inner_max_num_threads=1):
            yield


def status(paper, profile="paper"):
    """State of a paper's records: a list of dicts, one for each experiment, data set and method.

    Keys: experiment, dataset, method, done, stale, total (numbers of folds).
    """
    paper = get_paper(paper) if isinstance(paper, str) else paper
    rows = []
    for experiment in paper.experiments:
        store = open_store(paper, experiment, profile)
        folds = _folds(experiment, profile)
        for name in _datasets(paper, experiment, profile):
            records = store.read(name)
            for method in experiment.methods:
                there = set(records.fold[records.method == method.name])
                mark = fingerprint(method, len(folds), experiment)
                done = _done(paper, experiment, method, name, mark, records, profile)
                rows.append(
                    {
                        "experiment": experiment.name,
                        "dataset": name,
                        "method": method.name,
                        "done": len(done),
                        "stale": len(there - done),
                        "total": len(folds),
                    }
                )
    return rows


def _select(items, names, kind):
    _known({i.name for i in items}, names, kind)
    return [i for i in items if names is None or i.name in names]


def _known(there, names, kind):
    for name in names or ():
        if name not in there:
            raise UnknownNameError(
                f"No {kind} {name!r} here; there are: {', '.join(sorted(there))}."
            )


def _methods(experiment, methods):
    return [m for m in experiment.methods if methods is None or m.name in methods]


def _datasets(paper, experiment, profile):
    return experiment.datasets if profile == "paper" else tuple(paper.quick)


def _folds(experiment, profile):
    return range(experiment.folds if profile == "paper" else QUICK_FOLDS)


def _missing(paper, experiment, name, methods, profile, store, recompute):
    """Jobs of a data set that have no fresh records."""
    folds = _folds(experiment, profile)
    records = store.read(name)
    rows = paper.quick.get(name) if profile == "quick" else None
    jobs = []
    for method in _methods(experiment, methods):
        mark = fingerprint(method, len(folds), experiment)
        done = _done(paper, experiment, method, name, mark, records, profile)
        for fold in folds:
            if recompute or fold not in done:
                jobs.append((paper.name, experiment, method, name, rows, len(folds), fold, mark))
    return jobs


def _done(paper, experiment, method, name, mark, records, profile):
    """Folds of a data set whose records are fresh, and of staged methods complete."""
    fresh = (records.method == method.name) & (records.fingerprint == mark)
    fresh &= records.seed == experiment.seed
    if profile == "paper":
        fresh &= data.is_current(name, records.data_sha256)
    else:
        fresh &= records.n_train + records.n_test == paper.quick[name]
    rows = records.fold[fresh].value_counts()
    return set(rows.index[rows == rows.max()])


def _job(i, *arguments):
    """Run one job; return (i, records, None) or (i, None, what went wrong)."""
    try:
        with threadpool_limits(1):
            return i, _fit_and_score(*arguments), None
    except Exception:
        _, _, method, name, _, _, fold, _ = arguments
        return i, None, f"{method.name} on {name}, fold {fold}:\n{traceback.format_exc()}"


def _fit_and_score(paper, experiment, method, name, rows, folds, fold, mark):
    bunch = job.load(name, rows, experiment.source)
    common = {
        "paper": paper,
        "experiment": experiment.name,
        "dataset": name,
        "source": bunch.source,
        "data_sha256": "synthetic" if bunch.source == "synthetic" else bunch.sha256,
        "method": method.name,
        "seed": experiment.seed,
        "fold": fold,
        "versions": versions(),
        "machine": machine(),
        "fingerprint": mark,
    }
    return [common | record for record in job.compute(experiment, method, bunch, folds, fold)]


@lru_cache
def versions():
    """Versions of Python and of the packages that numbers depend on."""
    return {"python": platform.python_version()} | {p: version(p) for p in _PACKAGES}


@lru_cache
def machine():
    """Processor and number of cores of this machine."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            name = next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        pass
    return f"{name}, {joblib.cpu_count()} cores, {platform.system()}"
