"""Methods and data of a user's own: the same jobs as a paper's, records in a folder of theirs."""

import ast
import io
import pickle
import signal
import sys
import sysconfig
import tokenize
import traceback
import warnings
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from uuid import uuid4

import cloudpickle
import joblib
import numpy as np
import pandas as pd
from sklearn import config_context, get_config
from sklearn.utils import Bunch

from ldlrepro.base import LDLEstimator
from ldlrepro.paths import PACKAGE
from ldlrepro.protocols import environment, job, worker
from ldlrepro.protocols.fingerprint import of_data, of_function, of_method
from ldlrepro.protocols.progress import Progress
from ldlrepro.protocols.runner import RunError, check_writable
from ldlrepro.protocols.scratch import scratch
from ldlrepro.protocols.split import by_groups
from ldlrepro.protocols.store import RecordStore, rounded
from ldlrepro.threads import one_thread
from ldlrepro.user.foreign import warn_of_folds

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
                mark = _mark(method, experiment, bunch)
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
                    failures.append(f"{method.name} on {bunch.name}, fold {fold}: {failure}")
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
        told = (str(w.message) for w in caught if issubclass(w.category, UserWarning))
        said = {" ".join(text.split()) for text in told}
        return made, said, None
    except BaseException as error:  # a fit that ends the program ends itself alone
        # In a process of its own none else interrupts: see `worker.end_with`.
        if (
            isinstance(error, KeyboardInterrupt)
            and signal.getsignal(signal.SIGINT) != signal.SIG_IGN
        ):
            raise
        return None, set(), in_a_line(error)


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


def in_a_line(error):
    """What a user's code raised and where, in a line: the last place inside no package."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # an error of a user's own that cannot be printed
        text = "(its text cannot be printed)"
    steps = traceback.extract_tb(error.__traceback__)
    theirs = [step for step in steps if not is_installed(step.filename)]
    theirs = [step for step in theirs if not Path(step.filename).is_relative_to(PACKAGE)]
    where = f" ({theirs[-1].filename}, line {theirs[-1].lineno})" if theirs else ""
    return f"{type(error).__name__}: {text}{where}"


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


def _mark(method, experiment, bunch):
    """What a record depends on: protocol, data, parameters, and what the classes are made of."""
    known = bunch.source in ("real", "realigned")
    data = of_data(bunch.name, bunch.source) if known else bunch.sha256[:12]
    protocol = of_method(replace(method, estimator=LDLEstimator()), experiment.folds, experiment)
    inner, names = method.estimator, None
    if hasattr(inner, "foreign"):
        names = inner.columns, inner.labels
        inner = inner.foreign
    parameters = inner.get_params() if hasattr(inner, "get_params") else _attributes(inner)
    parts = protocol, _texts_of(method.estimator), _hash(parameters), names
    return f"{joblib.hash(parts)[:12]}.{data}"


def _hash(value):
    try:
        return joblib.hash(value)
    except pickle.PicklingError:  # a lambda
        return _hash_of_code(value)


def _hash_of_code(value):
    """The same for functions without a name, and for classes and functions of `__main__`."""
    written = io.BytesIO()
    _Steady(written).dump(value)
    return joblib.hash(written.getvalue())


class _Steady(cloudpickle.Pickler):
    """Pickles a function to the same bytes in every process: what a set holds is sorted."""

    def persistent_id(self, value):
        return sorted(map(repr, value)) if isinstance(value, set | frozenset) else None


def _attributes(value):
    """Attributes of an object, those in slots too; the object itself where it can have none."""
    found = object.__getstate__(value)
    return value if found is None and not hasattr(value, "__dict__") else found


def _is_foreign(kind):
    """Whether a class or function is neither of this package nor of an installed one."""
    where = kind.__module__ or ""
    return where == "__main__" or not (is_own(where) or is_installed(_file_of(kind)))


def is_own(module):
    """Whether a module, by its name, is of this package."""
    return module.partition(".")[0] == "ldlrepro"


def _texts_of(inner):
    """What the classes and functions of an estimator, and of those inside it, are made of.

    Of an installed class, the version of its package; of this package's, what it uses; of others,
    the texts of their files and of all files that these import and that are not installed. What a
    notebook defines has no file, and is of this process alone.

    Returns
    -------
    list of (name, text), list of (path, text)
    """
    parts, files = [], {}
    for kind in _classes(inner, {}):
        where, text = kind.__module__, ""
        if where == "__main__":
            text = _hash_of_code(kind)
        elif is_own(where):
            text = of_function(kind)
        elif not _is_foreign(kind):
            top = sys.modules.get(where.partition(".")[0])
            text = str(getattr(top, "__version__", ""))
        elif isinstance(kind, FunctionType) and "<" in kind.__qualname__:
            text = _hash_of_code(kind)  # one of several in the file
        if _is_foreign(kind):
            path = _file_of(kind)
            if is_installed(path):
                text += _PROCESS
            else:
                _add_files(path, sys.modules[where].__package__, files)
        parts.append((f"{where}.{kind.__qualname__}", text))
    return sorted(parts), sorted(files.items())


#: Another text in each process.
_PROCESS = uuid4().hex


def _file_of(kind):
    return getattr(sys.modules.get(kind.__module__), "__file__", None)


def _classes(value, seen):
    """Classes of an estimator, their bases, and those of what it holds, wherever it holds it.

    Functions count as classes do. Of what is installed, only classes with ``fit`` or ``transform``
    count.

    Parameters
    ----------
    seen : dict
        What was looked at, by its id, for what holds itself.
    """
    if isinstance(value, type | FunctionType):
        return {value} if _is_foreign(value) or is_own(value.__module__ or "") else set()
    if id(value) in seen or isinstance(value, ModuleType):
        return set()
    seen[id(value)] = value
    found = set()
    if isinstance(value, dict):
        inside = value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        inside = value
    elif isinstance(value, MethodType):
        inside = value.__self__, value.__func__
    elif isinstance(value, partial):
        inside = value.func, value.args, value.keywords
    elif hasattr(value, "fit") or hasattr(value, "transform") or _is_foreign(type(value)):
        known = hasattr(value, "get_params")
        inside = [value.get_params(deep=False) if known else _attributes(value)]
        found = set(type(value).__mro__) - {object}
    elif hasattr(value, "__wrapped__"):  # compiled, or with a cache
        inside = [value.__wrapped__]
    else:  # a scorer, say
        inside = [getattr(value, "__dict__", ())]
        found = {type(value)} if is_own(type(value).__module__) else set()
    return found.union(*(_classes(part, seen) for part in inside))


def _add_files(path, package, files):
    """Texts of a file and of those not installed that it imports, by path.

    package : name of the package that relative imports start from, or ""
    """
    if path in files:
        return
    try:
        with tokenize.open(path) as file:  # in the encoding that the file names
            text = files[path] = file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise RunError(_not_decoded(path)) from error
    for name in _imports(ast.parse(text), package):
        if is_own(name):
            continue
        try:
            top = find_spec(name.partition(".")[0])
            if top is None or (top.origin and is_installed(top.origin)):
                continue  # nothing inside it is looked for: that would import it
            found = find_spec(name)
        except (ImportError, ValueError, AttributeError):
            continue  # a name in a module, or what is not there
        if found and not is_installed(found.origin):
            _add_files(found.origin, found.parent, files)


def _not_decoded(path):
    """Which line of a file is not in UTF-8, or not in the encoding that the file names."""
    try:
        Path(path).read_bytes().decode()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return f"{path}, line {line}, is not UTF-8: save the file as UTF-8."
    return f"{path} is not in the encoding that its first lines name: name utf-8."


def _imports(tree, package):
    """Names that an import statement may mean as modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level and not package:
                continue  # it fails when it is run
            if node.level:
                name = resolve_name("." * node.level + name, package)
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


@lru_cache
def is_installed(path):
    """Whether a file is Python's, no text of Python (or None), or of an installed package."""
    if path is None or not path.endswith(".py"):
        return True
    return "site-packages" in path or Path(path).is_relative_to(sysconfig.get_path("stdlib"))
