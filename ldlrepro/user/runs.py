"""Methods and data of a user's own: the same jobs as a paper's, records in a folder of theirs."""

import signal
import sys
import warnings
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cloudpickle
import joblib
import numpy as np
import pandas as pd
from sklearn import config_context, get_config
from sklearn.utils import Bunch

from ldlrepro.protocols import environment, job, worker
from ldlrepro.protocols.progress import Progress
from ldlrepro.protocols.runner import RunError, check_writable
from ldlrepro.protocols.scratch import scratch
from ldlrepro.protocols.split import by_groups
from ldlrepro.protocols.store import RecordStore, rounded
from ldlrepro.threads import one_thread
from ldlrepro.user.foreign import warn_of_folds
from ldlrepro.user.marks import mark_of
from ldlrepro.user.scripts import in_a_line

#: "paper" and "experiment" in the records of a user.
PAPER, EXPERIMENT = "own", "own"


def run(methods, data, experiment, folder=None, n_jobs=1, progress=True):
    """Fit methods over the folds of data sets, and keep what a folder does not have yet.

    Parameters
    ----------
    methods : tuple of Method
        Their estimators need no more than ``fit`` and what `job.compute` calls; foreign ones come
        wrapped.
    data : list of str or Bunch
        Registry names, or bunches with X, D or Y, name and sha256.
    experiment : Experiment
        Its folds, seed and measures count.
    folder : Path, str or None
        For records, resumable; None keeps nothing.
    n_jobs : int
        Processes.

    Returns
    -------
    records : DataFrame
        A row a data set, method and fold.
    notes : dict of set
        What the fits of each method warned of.

    Raises
    ------
    RunError
        A fit failed; all others are finished first, and kept in the folder. Or a method cannot be
        pickled.
    """
    store = RecordStore(Path(folder) / EXPERIMENT, experiment.measures) if folder else None
    frames, tasks, kept = [], [], {}
    for each in data:
        bunch = job.load(each) if isinstance(each, str) else each
        there = store.read(bunch.name) if store else pd.DataFrame(columns=["method"])
        for method in methods:
            with _readable(method):
                mark = mark_of(method, experiment, bunch)
            mine = there[there.method == method.name]
            if len(mine):
                same = (mine.fingerprint == mark) & (mine.data_sha256 == bunch.sha256)
                same &= mine.seed == experiment.seed
                mine = mine[same & mine.fold.isin(range(experiment.folds))]
                frames.append(mine)
                said = (parameters.get(_WARNED, ()) for parameters in mine.parameters)
                kept.setdefault(method.name, set()).update(*said)
            missing = set(range(experiment.folds)) - set(mine.fold if len(mine) else ())
            tasks += [(each, bunch, method, fold, mark) for fold in sorted(missing)]
    new, notes = _run(tasks, experiment, store, n_jobs, progress)
    for name, said in kept.items():
        notes.setdefault(name, set()).update(said)
    frames.append(pd.DataFrame(new))
    return pd.concat([f for f in frames if len(f)], ignore_index=True), notes


def _run(tasks, experiment, store, n_jobs, progress):
    records, notes, failures = [], {}, []
    if store and tasks:
        check_writable(store.folder)
    with scratch() as folder:
        arguments = [_arguments(task, experiment, folder) for task in tasks]
        bar = Progress([1.0] * len(tasks), shown=progress)
        with bar, closing(_results(arguments, n_jobs)) as results, _told(tasks, records, store):
            for i, (made, said, failure) in results:
                each, bunch, method, fold, mark = tasks[i]
                bar.step(i, f"{method.name} on {bunch.name}")
                if failure:
                    told = f" (warned: {'; '.join(sorted(said))})" if said else ""
                    failures.append(f"{method.name} on {bunch.name}, fold {fold}: {failure}{told}")
                    continue
                packages = getattr(method.estimator, "packages", ())
                common = _common(bunch, method, fold, mark, experiment)
                common |= environment.maker(packages=packages)
                # As they are stored, so that the next run, which reads them, shows the same.
                rows = [common | _as_stored(record, experiment.measures, said) for record in made]
                if store:
                    store.put(rows)
                records += rows
                notes.setdefault(method.name, set()).update(said)
    if failures:
        left = f"; the others are {_fate(store)}" if len(failures) < len(tasks) else ""
        raise RunError(
            f"{len(failures)} of {len(tasks)} fits failed{left}. The first: "
            f"{failures[0].removesuffix('.')}. Mend that method or its settings, or leave it out, "
            "and run this again."
        )
    return records, notes


def _fate(store):
    """What becomes of the fits that are finished where a run fails."""
    return "kept" if store else "lost, since records= names no folder that keeps them"


def _as_stored(record, measures, said):
    """A record as it is read again, with what its fit warned of among the parameters."""
    names = (*measures, "fit_seconds", "predict_seconds")
    stored = record | {name: float(rounded(record[name])) for name in names}
    if said:
        stored["parameters"] = record["parameters"] | {_WARNED: sorted(said)}
    return stored


#: Where a record keeps what its fit warned of: no method has a parameter of this name.
_WARNED = "warned of"


@contextmanager
def _told(tasks, records, store):
    """Say in a line which worker died, or where records cannot be written, and what is kept."""
    kept = f"what was finished is {_fate(store)}"
    try:
        yield
    except BrokenProcessPool as error:
        done = {(r["method"], r["dataset"], r["fold"]) for r in records}
        left = [f"{m.name} on {b.name}, fold {f}" for _, b, m, f, _ in tasks]
        open_ = [
            text
            for text, (_, b, m, f, _) in zip(left, tasks, strict=True)
            if (m.name, b.name, f) not in done
        ]
        raise RunError(
            f"A worker process died ({worker.cause(error)}) at {open_[0]}, or at one of the "
            f"{len(open_) - 1} fits after it; {kept}."
        ) from error
    except OSError as error:
        place = f" to {store.folder}" if store else ""
        raise RunError(
            f"Records cannot be written{place}: {error.strerror or error}; {kept}."
        ) from error


def _results(arguments, n_jobs):
    """Yield (number of the task, result); in processes with fixed kernels unless one is enough."""
    processes = min(joblib.effective_n_jobs(n_jobs), max(1, len(arguments)))
    if processes == 1 and not environment.fixed():
        yield from ((i, _fit(*one)) for i, one in enumerate(arguments))
    elif arguments:
        with worker.executor(processes) as pool:
            waiting = {pool.submit(_fit, *one): i for i, one in enumerate(arguments)}
            try:
                for future in as_completed(waiting):
                    yield waiting[future], future.result()
                    del waiting[future]
            except (KeyboardInterrupt, BrokenProcessPool):
                for future in [f for f in waiting if f.done() and not f.cancelled()]:
                    if future.exception() is None:  # finished meanwhile: it is kept
                        yield waiting[future], future.result()
                raise


def _arguments(task, experiment, folder):
    each, bunch, method, fold, _ = task
    if not isinstance(each, str):
        path = folder / f"{bunch.sha256}.joblib"
        if not path.exists():
            joblib.dump(dict(bunch), path)
        each = path
    # As bytes: a class of the user's is found only once its folder is on the path.
    with _readable(method):
        pickled = cloudpickle.dumps((experiment, method, get_config()))
    return pickled, list(sys.path), each, fold


@contextmanager
def _readable(method):
    """RunError where attributes of a method cannot be read or pickled, as a lock cannot be."""
    try:
        yield
    except RunError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # of a user's __getattr__, say
        raise RunError(
            f"{method.name} cannot be read, so that its fits cannot be told from those of another: "
            f"{in_a_line(error)}. Its parameters and attributes have to be pickled."
        ) from error


def _fit(pickled, folders, data, fold):
    """Records of a fold, what was warned of, what went wrong or None."""
    sys.path.extend(p for p in folders if p not in sys.path)
    caught: list = []
    try:
        experiment, method, settings = cloudpickle.loads(pickled)
        with (
            config_context(**settings),
            one_thread(),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            bunch = job.load(data) if isinstance(data, str) else _own(data)
            method = _told_of_groups(method, experiment, bunch, fold)
            made = job.compute(experiment, method, bunch, experiment.folds, fold)
        return made, _said(caught), None
    except BaseException as error:  # a fit that ends the program ends itself alone
        # In a process of its own none else interrupts: see `worker.end_with`.
        if (
            isinstance(error, KeyboardInterrupt)
            and signal.getsignal(signal.SIGINT) != signal.SIG_IGN
        ):
            raise
        return None, _said(caught), in_a_line(error)


def _said(caught):
    """Texts of a user's warnings."""
    told = (str(w.message) for w in caught if issubclass(w.category, UserWarning))
    return {" ".join(text.split()) for text in told}


def _told_of_groups(method, experiment, bunch, fold):
    """The method, a foreign one with the groups of its training rows: it may search over folds."""
    if not experiment.groups:
        return method
    warn_of_folds(getattr(method.estimator, "foreign", method.estimator))
    if not hasattr(method.estimator, "foreign"):
        return method
    groups = bunch[experiment.groups]
    train, validation, _ = by_groups(experiment, groups, experiment.folds)[fold]
    estimator = method.estimator
    parameters = estimator.get_params(deep=False)
    parameters["groups"] = groups[np.concatenate([train, validation])]
    return replace(method, estimator=type(estimator)(**parameters))


@lru_cache(maxsize=2)
def _own(path):
    return Bunch(**joblib.load(path, mmap_mode="r"))


def _common(bunch, method, fold, mark, experiment):
    return {
        "paper": PAPER,
        "experiment": EXPERIMENT,
        "dataset": bunch.name,
        "source": bunch.source,
        "data_sha256": bunch.sha256,
        "method": method.name,
        "settings": method.settings,
        "seed": experiment.seed,
        "fold": fold,
        "fingerprint": mark,
    }
