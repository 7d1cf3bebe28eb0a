"""Your method beside the stored rivals, or any methods on your data."""

from __future__ import annotations

import os
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ldlrepro import datasets as registry
from ldlrepro import paths
from ldlrepro.declare import Experiment, Method
from ldlrepro.discovery import all_estimators
from ldlrepro.metrics import DISTRIBUTION, MULTILABEL
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.mldf.tables import own_measures
from ldlrepro.parameter_types import shown
from ldlrepro.parameters import LARGEST_SEED, listed, processes
from ldlrepro.protocols import ledger, read, state
from ldlrepro.report.provenance import display_names
from ldlrepro.user import runs
from ldlrepro.user.comparison import Comparison
from ldlrepro.user.data import again, bunch, check_name
from ldlrepro.user.methods import CompareError, by_name, wrapped

#: What runs on a user's data where none is named: one or two of each family.
DEFAULTS = {
    "ldl": (
        "StructRF",
        "MultiOutputRF",
        "AOSOLDLogitBoost",
        "LDLForest",
        "SABFGS",
        "LDLLCLR",
        "LDSVR",
        "AAKNN",
        "MSLP",
    ),
    "multilabel": ("MLDF", "RFPCT", "ERFPCT", "ECC", "MLFE"),
}
#: What learns nothing from the features, and stands at skill 0.
_NULLS = {"ldl": "MeanPredictor", "multilabel": "LabelFrequencies"}
_MAIN = {"ldl": "kl_divergence", "multilabel": "ranking_loss"}


def compare(
    methods: Any = None,
    X: Any = None,
    D: Any = None,
    *,
    datasets: list[str] | None = None,
    task: str = "auto",
    groups: Any = None,
    folds: int = 10,
    random_state: int = 0,
    n_jobs: int = 1,
    records: Path | str | None = None,
    progress: bool = False,
) -> Comparison:
    """Compare methods over folds.

    With ``datasets``: the methods are fitted on the folds of the stored records, and stand beside
    all of the book's. With ``X`` and ``D``: the methods are fitted on your data.

    Parameters
    ----------
    methods : dict, list, estimator or None
        Estimators by name, one estimator, or a list of estimators and of names: of this package's
        ("StructRF", "StructRF(max_depth=5)"), of python-ldl's ("python-ldl:LDL_LRR", extra
        ``guests``) or of a file's ("mine.py:Mine"), as `ldlrepro.user.methods.load_methods` reads
        them. An estimator is any object with ``fit(X, D)`` and ``predict(X)``, whose predictions
        are put on the simplex where they are off it. None takes some of each family, on your own
        data only.
    X : (n, q) array, DataFrame or Bunch
        Features, whose names scikit-learn's classes get; or a bunch of `ldlrepro.user.data.read`.
    D : (n, c) array or DataFrame
        Label distributions, or zeros and ones for multi-label data.
    datasets : list of str
        Registered names; their data have to be at hand.
    task : str
        Kind of your data, "ldl", "multilabel" or "auto" (see `ldlrepro.user.data.bunch`).
    groups : (n,) Series, array or list, or None
        Of your data: rows with one value, such as the pictures of one person, are never parted
        into training and test rows.
    folds, random_state : int
        For your data; registered sets keep the folds of the records. At most as many folds as rows,
        or as groups.
    n_jobs : int
        Processes; numbers do not depend on it.
    records : Path, str or None
        Folder that keeps each fit, so that a run can be stopped and goes on; None keeps none. A
        class of your script or notebook itself is fitted anew in each process: put it in a file.
    progress : bool
        True shows a bar on standard error.

    Returns
    -------
    Comparison
        Tables and figures of what was found.

    Raises
    ------
    CompareError
        Neither or both of data and names, data sets of two tasks, no method, a method with the
        name of a stored one, stored records that other code made, rows of D that are all equal,
        fewer rows or groups than folds, fewer than three groups, a file where the folder of records
        belongs, or a ``random_state`` that is no int from 0 to a million: its folds could not be
        told from those of another.
    UnknownNameError
        A method, parameter or data set that does not exist.
    UserDataError
        Your data or groups are not as `ldlrepro.user.data.bunch` takes them.
    ldlrepro.protocols.runner.RunError
        A fit failed; the message says which one, why, and in which line of your code.

    See Also
    --------
    all_estimators : Methods that it knows by name.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from ldlrepro import compare
    >>> from ldlrepro.datasets import make_toy
    >>> toy = make_toy(random_state=0)
    >>> found = compare({"ridge": Ridge()}, toy.X, toy.D, folds=3)
    >>> found.skill().index.tolist()
    ['ridge', 'MeanPredictor']
    """
    if (X is None) == (datasets is None):
        raise CompareError("Give either X and D, your own data, or datasets=[...], names.")
    is_int = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not is_int or not 0 <= random_state <= LARGEST_SEED:
        raise CompareError(
            f"random_state is {shown(random_state)}: give an int, 0 or more and at most "
            f"{LARGEST_SEED}."
        )
    n_jobs = processes(1 if n_jobs is None else _as_int(n_jobs))
    if records is not None:
        records = paths.expanded(records)
        check_folder(records)
    run = partial(runs.run, folder=records, n_jobs=n_jobs, progress=progress)
    if datasets is not None:
        if groups is not None:
            raise CompareError("groups is for data of your own: registered sets keep their folds.")
        return _beside_stored(methods, listed(datasets), run)
    if D is not None or not hasattr(X, "label_names"):
        _check_given(X, D)
        X = bunch(X, D, task=task, groups=groups)
    elif groups is not None:
        raise CompareError(
            "X is a bunch, and groups goes with arrays: compare(methods, data.X, data.D, "
            "groups=...), or give it to what made the bunch, ldlrepro.user.data.read or bunch."
        )
    else:
        X = again(X, task)
    return _on_own(methods, X, folds, int(random_state), run)


def _on_own(methods, data, folds, seed, run):
    """Compare methods on a user's data, with the predictor at skill 0 among them."""
    kind, null = data.task, _NULLS[data.task]
    check_name(data.name)
    _refuse_equal_rows(data.Y if kind == "multilabel" else data.D)
    _check_folds(folds, data)
    experiment = Experiment(
        runs.EXPERIMENT,
        (),
        (data.name,),
        folds=folds,
        seed=seed,
        groups="groups" if "groups" in data else None,
        measures=tuple(MULTILABEL if kind == "multilabel" else DISTRIBUTION),
    )
    named = by_name(DEFAULTS[kind] if methods is None else methods)
    _check_names(named)
    model = dict(all_estimators(kind))[null]
    if type(named.setdefault(null, model())) is not model:
        raise CompareError(
            f"{null} is the method of this package at skill 0: give yours another name, "
            f"compare({{'my {null}': ...}})."
        )
    chosen = _declared(
        named,
        kind,
        columns=data.feature_names if data.get("is_named") else None,
        labels=data.label_names if data.get("has_label_names") else None,
    )
    made, notes = run(chosen, [data], experiment)
    names, mine, about = {data.name: data.display}, _foreign(chosen), _about(data, folds)
    return Comparison(made, mine, experiment.measures, _MAIN[kind], null, names, notes, about)


def _about(data, folds):
    """What was read of a user's data, so that a forgotten label or group is seen."""

    def few(names, what):
        shown = ", ".join(names) if len(names) <= 6 else f"{names[0]} ... {names[-1]}"
        return f"{len(names)} {what}{'s' * (len(names) > 1)} ({shown})"

    kind = "sets of labels" if data.task == "multilabel" else "label distributions"
    about = (
        f"{data.display}: {len(data.X)} rows, {few(data.feature_names, 'feature')}, "
        f"{few(data.label_names, 'label')}, "
        f"{kind}, {folds} folds"
    )
    if "groups" in data:
        number = len(np.unique(data.groups))
        about += f"; the rows of each of {number} groups ({data.group_name}) are in one fold"
    return about


def _beside_stored(methods, datasets, run):
    """Compare methods with the stored ones on registered data sets."""
    sources = [registry.resolve(d) for d in datasets]
    experiment, kind = _stored_experiment(sources)
    stored = read(comparison.PAPER, experiment, datasets=sources, root=paths.shipped_results())
    stored, left_out = _current(stored, experiment, sources)
    if kind == "multilabel":
        stored = own_measures(stored)
    if methods is None:
        raise CompareError(
            "Name a method, compare({'mine': MyMethod()}, datasets=[...]) or on the command line "
            "my_file.py:MyMethod; or give data of your own."
        )
    named = by_name(methods)
    _check_names(named)
    for name in named:
        if name in set(stored.method):
            raise CompareError(
                f"A stored method is called {name!r}; give yours another name: a class of another "
                f"name, or compare({{'my {name}': ...}})."
            )
    made, notes = run(_declared(named, kind), sources, experiment)
    # A user's copy that is not the registered file is named so.
    names = display_names(made, sources, registry.list().drop_duplicates("name"))
    every = pd.concat([made, stored], ignore_index=True)
    null, notes = matrix.NULLS[kind], left_out | notes
    return Comparison(every, list(named), experiment.measures, _MAIN[kind], null, names, notes)


def _check_names(named):
    """CompareError where no method is named, or one by no text."""
    if not named:
        raise CompareError("No method is named.")
    for name in named:
        if not isinstance(name, str) or not name.strip():
            raise CompareError(f"A method is called {shown(name)}: give it a name, a text.")
        if name.splitlines() != [name]:
            raise CompareError(f"A method is called {shown(name)}: give it a name in one line.")


def _declared(named, kind, columns=None, labels=None):
    """Methods of a run; foreign ones wrapped, with the names of columns for those that ask."""
    names = {"columns": columns, "labels": labels}
    return tuple(Method(name, wrapped(e, kind, name, names)) for name, e in named.items())


def _check_given(X, D):
    """CompareError where X and D are something else, as a whole."""
    for A, name in ((X, "X"), (D, "D")):
        if isinstance(A, str | os.PathLike):
            raise CompareError(
                f"{name} is the path {str(A)!r}: read the file first, compare(..., "
                f"ldlrepro.user.data.read({str(A)!r}, labels='d_*'))."
            )
        if isinstance(A, dict):
            keys = ", ".join(map(str, A))
            raise CompareError(
                f"{name} is a {type(A).__name__} with {keys}: give its arrays, X and D apart, or "
                "what ldlrepro.user.data.read returns, as X alone."
            )
    if D is None:
        raise CompareError("D is missing: give X, the features, and D, the label distributions.")


def _as_int(value):
    return int(value) if isinstance(value, np.integer) else value


def _check_folds(folds, data):
    """CompareError where rows, or groups of them, cannot be cut into so many folds."""
    n, what = len(data.X), "rows"
    if "groups" in data:
        n, what = len(np.unique(data.groups)), f"groups ({data.group_name})"
        if n < 3:
            raise CompareError(
                f"groups: {data.group_name} has {n} value{'s' * (n > 1)}, and folds need three or "
                "more."
            )
    if not isinstance(folds, Integral) or not 2 <= folds <= n:
        raise CompareError(
            f"folds is {shown(folds)}: give a number from 2 to that of the {what}, {n}."
        )


def check_folder(path: Path | str) -> None:
    """Raise CompareError where something else is in a folder's place."""
    if why := paths.obstacle(Path(path)):
        raise CompareError(f"{why}, and a folder of records belongs there: name another.")


def _refuse_equal_rows(targets):
    """CompareError where the mean of the targets predicts every row, or one label has no order."""
    targets = np.asarray(targets)
    if targets.shape[1] == 1:
        raise CompareError(
            "There is one label of zeros and ones, and ranking loss, which compares methods here, "
            "needs two: take a classifier of scikit-learn and its measures."
        )
    if np.abs(targets - targets[0]).max() <= matrix.NO_LOSS:
        raise CompareError(
            "All rows of D are equal: their mean predicts each of them without a loss, and there "
            "is nothing to compare."
        )


def _current(stored, experiment, names):
    """Stored records that this code would make again, and notes on the methods left out.

    Raises
    ------
    CompareError
        No records of the predictor at skill 0 are left on a data set.
    """
    known, marks, kept, left_out = ledger.Ledger(), {}, [], {}
    null = matrix.NULLS["ldl" if experiment is comparison.TABLES else "multilabel"]
    for name in names:
        mine = stored[stored.dataset == name] if len(stored) else stored
        if mine.empty:
            raise CompareError(
                f"No records of {name} are in {paths.shipped_results()}, the folder of the stored "
                f"ones: `ldlrepro run comparison --dataset {name}` computes them."
            )
        fresh = state.done(comparison.PAPER, experiment, name, mine, ledger=known, marks=marks)
        # Means of some folds are not beside those of all.
        whole = [m for m, folds in fresh.items() if len(folds) >= experiment.folds]
        kept.append(mine[mine.method.isin(whole)])
        gone = set(mine.method) - set(kept[-1].method)
        if null in gone or not len(kept[-1]):
            raise CompareError(
                f"Other code than this made the stored records of {name}, or folds are missing: "
                "`ldlrepro status` lists them, `ldlrepro run` computes them."
            )
        for method in sorted(gone):
            left_out.setdefault(method, []).append(name)
    return pd.concat(kept, ignore_index=True), {
        method: {
            f"left out on {', '.join(sets)}, since other code than this made its records or folds "
            "are missing"
        }
        for method, sets in left_out.items()
    }


def at_hand() -> list[str]:
    """Names of the data sets with stored records whose files are here.

    Raises
    ------
    CompareError
        There are none.
    """
    table = registry.list().set_index("name")
    stored = _compared(paths.shipped_results())
    there = [d for d in stored if (table.at_hand[[d]] != "no").any()]
    if not there:
        raise CompareError(
            "No data set is at hand: `ldlrepro data fetch s-JAFFE` gets one, LDLREPRO_DATA names a "
            "folder that has them, --data takes your own."
        )
    return there


def _compared(root):
    """Data sets on which half of the methods or more have records: few rivals make no ranks."""
    records = read(comparison.PAPER, comparison.TABLES, root=root)
    methods = records.groupby("dataset").method.nunique()
    enough = methods[methods >= len(comparison.TABLES.methods) / 2].index
    return [d for d in comparison.TABLES.datasets if d in enough]


def _stored_experiment(names):
    for experiment, kind in ((comparison.TABLES, "ldl"), (comparison.MULTILABEL, "multilabel")):
        if all(name in experiment.datasets for name in names):
            return experiment, kind
    there = [*comparison.TABLES.datasets, "(or)", *comparison.MULTILABEL.datasets]
    raise CompareError(
        f"Not compared together: {', '.join(names)}. There are records for {' '.join(there)}; take "
        "your own X and D for other data."
    )


def _foreign(methods):
    """Names of the methods that are none of this package's."""
    inner = [(m.name, getattr(m.estimator, "foreign", m.estimator)) for m in methods]
    return [name for name, model in inner if type(model).__module__.split(".")[0] != "ldlrepro"]
