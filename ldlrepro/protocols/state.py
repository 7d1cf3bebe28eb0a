"""What is declared, what of it is done, stale or missing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from ldlrepro import datasets as data
from ldlrepro import paths
from ldlrepro.declare import Experiment, Method, Paper, checked
from ldlrepro.parameters import PROFILES
from ldlrepro.protocols.fingerprint import of_data, of_method
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.store import RecordStore

QUICK_FOLDS = 3
#: The largest values of parameters in the quick profile, of estimators in an estimator too.
QUICK_LIMITS = {
    "max_iter": 100,
    "max_layers": 2,
    "n_estimators": 10,
    "epochs": 50,
    "rbm_epochs": 100,
}
_TASKS = ("ldl", "multilabel")


class _Row(NamedTuple):
    """What of a record tells whether it is fresh."""

    method: str
    seed: int
    fold: int
    data_sha256: str
    source: str
    fingerprint: str
    n_train: int
    n_test: int
    parameters: dict


def open_store(
    paper: Paper, experiment: Experiment, profile: str = "paper", root: Path | None = None
) -> RecordStore:
    """Return the RecordStore of a paper's experiment under a profile.

    Parameters
    ----------
    paper : Paper
        Whose records they are.
    experiment : Experiment
        One of the paper's.
    profile : {"paper", "quick"}
        Records of real data, or of the small synthetic data.
    root : Path or None
        Folder of the records, None for that of the profile.

    Returns
    -------
    RecordStore
        Reads and writes them.

    See Also
    --------
    run : Writes there.
    status : What is in it.
    """
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {', '.join(PROFILES)}, got {profile!r}.")
    if root is None and paper.seed is not None:
        root = paths.results_of_seed(paper.seed, profile)
    elif root is None:
        root = paths.results() if profile == "paper" else paths.quick_results()
    return RecordStore(root / paper.name / experiment.name, experiment.measures)


def stores(
    paper: Paper, experiment: Experiment, profile: str = "paper", root: Path | None = None
) -> list[tuple[Path | None, RecordStore]]:
    """Stores whose records count as there: that of `open_store`, and what is installed beside it.

    Returns
    -------
    list of (root for `with_borrowed`, RecordStore)
        The one that is written first.
    """
    first = open_store(paper, experiment, profile, root)
    if root is not None or profile != "paper" or paper.seed is not None:
        return [(root, first)]
    return [(r, open_store(paper, experiment, root=r)) for r in paths.known_results()]


def lenders(paper: Paper, experiment: Experiment) -> list[tuple[Method, Paper, Experiment, Method]]:
    """Who holds records of the same fits, of an experiment that borrows.

    Returns
    -------
    list of (Method, Paper, Experiment, Method)
        The method of the experiment; who lends it, in which experiment and as which method.
    """
    if not experiment.borrows:
        return []
    marks = {of_method(m, experiment.folds, experiment): m for m in experiment.methods}
    found = []
    for lender in (*paper.lenders, paper):
        for other in lender.experiments:
            if other.borrows or _data_of(other) != _data_of(experiment):
                continue
            for theirs in other.methods:
                mine = marks.get(of_method(theirs, other.folds, other))
                if mine:
                    found.append((mine, lender, other, theirs))
    return found


def _data_of(experiment):
    """What an experiment says of its rows and folds, beside what a fingerprint has."""
    return experiment.seed, experiment.source, experiment.images


def with_borrowed(
    records: pd.DataFrame,
    lent: list[tuple[Method, Paper, Experiment, Method]],
    dataset: str,
    root: Path | None = None,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Records of an experiment on a data set, and those that `lenders` have below ``root``.

    Of a fit that more than one holds, the first counts. A borrowed record names the paper and the
    experiment that hold it; ``declared`` is the method's name there. ``columns`` are those that
    are read, as for `RecordStore.read`.
    """
    frames, read_once = [records.assign(declared=records.method)], {}
    for mine, paper, experiment, theirs in lent:
        if dataset in experiment.datasets:
            place = paper.name, experiment.name
            if place not in read_once:
                store = open_store(paper, experiment, root=root)
                read_once[place] = store.read(dataset, columns)
            there = read_once[place]
            there = there[(there.method == theirs.name) & (there.seed == experiment.seed)]
            frames.append(there.assign(declared=theirs.name, method=mine.name))
    every = pd.concat([f for f in frames if len(f)] or frames, ignore_index=True)
    stage = [str(p.get("stage")) for p in every.parameters]
    twice = every.assign(stage=stage).duplicated(["method", "seed", "fold", "stage"])
    return every[~twice]


def read(
    paper: Paper,
    experiment: Experiment,
    profile: str = "paper",
    datasets: list[str] | None = None,
    root: Path | None = None,
) -> pd.DataFrame:
    """Records of an experiment, with those that it borrows.

    Parameters
    ----------
    paper : Paper
        Whose records they are.
    experiment : Experiment
        One of the paper's.
    profile : {"paper", "quick"}
        Records of real data, or of the small synthetic data.
    datasets : list of str or None
        Names of data sets, None for all.
    root : Path or None
        Folder of the records, None for that of the profile.

    Returns
    -------
    DataFrame
        One row a data set, method, fold and stage.

    See Also
    --------
    open_store : Its own alone.
    """
    store = open_store(paper, experiment, profile, root)
    if not experiment.borrows or profile != "paper":
        records = store.read()
        return records if datasets is None else records[records.dataset.isin(datasets)]
    lent, names = lenders(paper, experiment), experiment.datasets if datasets is None else datasets
    frames = [with_borrowed(store.read(d), lent, d, root) for d in names]
    return pd.concat(frames, ignore_index=True) if frames else store.read().iloc[:0]


def datasets_of(paper: Paper, experiment: Experiment, profile: str) -> tuple[str, ...]:
    """Data sets of an experiment under a profile: in the quick one, those of its task.

    The quick profile has no printed numbers, and runs nothing that looks for their causes.
    """
    if profile == "paper":
        return experiment.datasets
    if not experiment.quick or experiment.why:
        return ()
    alike = [names for task in _TASKS if experiment.datasets[0] in (names := data.names(task))]
    return tuple(d for d in paper.quick if not alike or d in alike[0])


def folds_of(experiment: Experiment, profile: str) -> range:
    """Numbers of the folds of an experiment under a profile."""
    return range(experiment.folds if profile == "paper" else QUICK_FOLDS)


def for_profile(method: Method, profile: str) -> Method:
    """A method as a profile runs it: in the quick one with the ends of its grid and QUICK_LIMITS.

    Methods that are recorded after some of their steps have all of them.
    """
    if profile == "paper":
        return method
    ends = {name: [*values[:1], *values[1:][-1:]] for name, values in method.grid.items()}
    model, settings = method.estimator, method.estimator.get_params()
    limits = dict(QUICK_LIMITS)
    if "trees" in method.settings or any(isinstance(stage, int) for stage in method.staged):
        del limits["n_estimators"]  # what the experiment is about, or recorded step by step
    fewer = {}
    for name, value in settings.items():
        most = limits.get(name.rpartition("__")[2])
        if most is not None and isinstance(value, int) and value > most:
            fewer[name] = most
    if fewer and not settings.get("path"):
        model = clone(model).set_params(**fewer)
    return replace(method, estimator=model, grid=ends)


def fits_of(method: Method) -> int:
    """Number of fits a fold of a method takes: one for each point of its grid, and one more.

    With ``predict_grid`` one fit serves every ratio of dimensions and every number of neighbours.
    """
    model, shared = method.estimator, set()
    if hasattr(model, "predict_grid"):
        shared = {"n_neighbors", model.ratio_name}
    points = len(ParameterGrid({k: v for k, v in method.grid.items() if k not in shared}))
    return points + (len(ParameterGrid(method.grid)) > 1)


def done(
    paper: Paper,
    experiment: Experiment,
    dataset: str,
    records: pd.DataFrame,
    profile: str = "paper",
    ledger: Ledger | None = None,
    marks: dict | None = None,
) -> dict[str, set[int]]:
    """Folds of each method on a data set whose records are fresh, of staged methods complete.

    Parameters
    ----------
    records : DataFrame
        Records of the data set in the experiment.
    ledger : Ledger or None
        None reads it.
    marks : dict
        Keeps the mark of each method from one data set to the next.

    Returns
    -------
    dict of set of int
        Folds by the name of the method: every method of the experiment.
    """
    ledger = Ledger() if ledger is None else ledger
    marks = {} if marks is None else marks
    folds = folds_of(experiment, profile)
    if profile == "paper":
        digests = pd.Series(records.data_sha256.unique(), dtype=object)
        current = set(digests[data.is_current(dataset, digests)])
    by_method: dict[str, list] = {method.name: [] for method in experiment.methods}
    for cells in records[list(_Row._fields)].itertuples(index=False, name=None):
        row = _Row(*cells)
        if row.seed != experiment.seed or row.fold not in folds:
            continue
        if profile == "paper":
            counts = row.data_sha256 in current
        else:
            counts = row.n_train + row.n_test == paper.quick[dataset]
        if counts:
            by_method.setdefault(row.method, []).append(row)
    found = {}
    for method in experiment.methods:
        rows = by_method[method.name]
        if rows and method.name not in marks:
            marks[method.name] = of_method(for_profile(method, profile), len(folds), experiment)
        found[method.name] = _fresh(
            rows, method, marks.get(method.name), dataset, experiment.images, ledger
        )
    return found


def _fresh(rows, method, mark, dataset, images, ledger):
    """Folds of a method whose rows have its ``mark``, or one that stands for it."""
    fresh = {
        (old, form): ledger.same(old, f"{mark}.{of_data(dataset, form, images)}")
        for old, form in {(row.fingerprint, row.source) for row in rows}
    }
    stages = {}
    for row in rows:
        if fresh[row.fingerprint, row.source]:
            stages.setdefault(row.fold, set()).add(row.parameters.get("stage"))
    wanted = set(method.staged)
    return {fold for fold, there in stages.items() if not wanted or there == wanted}


def status(paper: Paper, profile: str = "paper", root: Path | None = None) -> list[dict]:
    """State of a paper's records.

    Parameters
    ----------
    paper : Paper
        Whose records they are.
    profile : {"paper", "quick"}
        Records of real data, or of the small synthetic data.
    root : Path or None
        Folder of the records, None for that of the profile.

    Returns
    -------
    list of dict
        One for each experiment, data set and method, with the keys experiment, dataset, method,
        done, stale and total (numbers of folds).

    See Also
    --------
    run : Does what is missing.
    """
    paper = checked(paper)
    ledger, rows = Ledger(), []
    for experiment in paper.experiments:
        there_are = stores(paper, experiment, profile, root)
        lent = lenders(paper, experiment) if profile == "paper" else []
        marks: dict = {}
        for name in datasets_of(paper, experiment, profile):
            fresh: dict[str, set] = {}
            there: dict[str, set] = {}
            for place, store in there_are:
                records = store.read(name, _Row._fields)
                if lent:
                    records = with_borrowed(records, lent, name, place, _Row._fields)
                found = done(paper, experiment, name, records, profile, ledger, marks)
                for key, folds in found.items():
                    fresh[key] = fresh.get(key, set()) | folds
                for key, folds in records.groupby("method").fold.agg(set).items():
                    there[key] = there.get(key, set()) | folds
            for method in experiment.methods_on(name):
                mine = fresh[method.name]
                rows.append(
                    {
                        "experiment": experiment.name,
                        "dataset": name,
                        "method": method.name,
                        "done": len(mine),
                        "stale": len(there.get(method.name, set()) - mine),
                        "total": len(folds_of(experiment, profile)),
                    }
                )
    return rows
