"""Your method beside the stored rivals, or any methods on your data."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ldlrepro import datasets as registry
from ldlrepro import paths, stats
from ldlrepro.declare import Experiment, Method
from ldlrepro.discovery import all_estimators
from ldlrepro.errors import unknown
from ldlrepro.metrics import DISTRIBUTION, MEASURES, MULTILABEL
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.mldf.tables import own_measures
from ldlrepro.parameter_types import shown
from ldlrepro.parameters import LARGEST_SEED, listed, processes
from ldlrepro.protocols import ledger, read, state
from ldlrepro.protocols.store import write_whole
from ldlrepro.report.compare import duels
from ldlrepro.report.html import for_spreadsheets
from ldlrepro.report.plots import Figure
from ldlrepro.report.provenance import display_names
from ldlrepro.user import runs
from ldlrepro.user.data import again, bunch, check_name
from ldlrepro.user.folds import folds_picture
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
#: Warnings of a method that are told; the others are counted.
_TOLD = 5


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


def check_target(path: Any, what: str) -> None:
    """Raise CompareError where ``path`` is no name of a file, or its folder is missing."""
    if hasattr(path, "write") and what == "to_csv":
        return
    if not isinstance(path, str | os.PathLike) or not str(path).strip():
        raise CompareError(f"{what} got {shown(path)}: give a path, as in 'found.csv'.")
    path = paths.target(path)
    paths.check_file(path)
    if not paths.is_short(path):
        raise CompareError(f"{what}: the name of {path} is too long to write.")
    if not path.parent.is_dir():
        raise CompareError(f"{what}: there is no folder {path.parent}. Make it, or name another.")


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


@dataclass(repr=False)
class Comparison:
    """Records of methods over folds, and what they say; shows itself in a notebook.

    Attributes
    ----------
    records : DataFrame
        A row a data set, method and fold, with every measure and seconds.
    mine : iterable of str
        Names of your methods.
    measures : iterable of str
        Names of the measures.
    main : str
        The one that tables take.
    null : str
        Name of the method at skill 0.
    names : dict of str
        Names of the data sets in tables.
    notes : dict
        Method -> what its fits warned of.
    about : str
        What your data are: rows, features, labels, folds.
    """

    records: pd.DataFrame
    mine: list
    measures: tuple
    main: str
    null: str
    names: dict
    notes: dict = field(default_factory=dict)
    about: str = ""

    def __repr__(self):
        return f"<Comparison of {self.records.method.nunique()} methods: print it, or show it>"

    def __str__(self):
        from ldlrepro.user import text

        return text.tables(self)

    def table(self, measure: str | None = None) -> pd.DataFrame:
        """Mean and standard deviation over the folds: a row a method, a column a data set."""
        table = matrix.spreads(self.records, self._known(measure)).loc[self.skill(measure).index]
        return table.rename(columns=self.names)

    def skill(self, measure: str | None = None) -> pd.DataFrame:
        """Share of the loss of the method that ignores the features: 1 is perfect."""
        return matrix.skill(self.records, self.null, self._known(measure))

    def ranks(self, measure: str | None = None) -> pd.DataFrame:
        """Average ranks over groups of related data sets, 1 the best."""
        return matrix.ranks(self.records, self._known(measure))

    def summary(self, measure: str | None = None, against: str | None = None) -> pd.DataFrame:
        """Gain, loss and a test against the first: a row a method, the best first.

        Parameters
        ----------
        measure : str or None
            Name of the measure, None for `main`.
        against : str or None
            Method that the others are tested against, None for the first.

        Returns
        -------
        DataFrame
            Gain (`skill`; NaN where the baseline has no loss), mean and std of the measure over the
            folds, and p: of the corrected paired t-test against that method, by Holm's steps for
            all rows; NaN for the method itself, and where rounding makes as large a difference.

        Raises
        ------
        CompareError
            Of several data sets: `table`, `skill` and `ranks` have them all.
        UnknownNameError
            No such measure or method.
        """
        if len(self.names) > 1:
            raise CompareError(
                f"summary is of one data set, and here are {len(self.names)}: table(), skill() and "
                "ranks() have them all."
            )
        measure = self._known(measure)
        gains, folds = self.skill(measure), self.records.groupby("method")[measure]
        table = pd.DataFrame({"gain": np.nan, "mean": folds.mean(), "std": folds.std()})
        if gains.shape[1]:
            table = table.loc[gains.index].assign(gain=gains.iloc[:, 0])
        else:
            table = table.sort_values("mean", ascending=not MEASURES[measure].greater_is_better)
        against = table.index[0] if against is None else against
        if against not in table.index:
            raise unknown("method", against, table.index)
        fought = duels(self.records, against, list(table.index.drop(against)), [measure])
        tested = fought[fought.testable.astype(bool)].set_index("rival").p_corrected
        return table.assign(p=pd.Series(stats.holm(tested), index=tested.index, dtype=float))

    def measures_table(self, dataset: str | None = None) -> pd.DataFrame:
        """Means of all measures on a data set, the first by default.

        Returns
        -------
        DataFrame
            A row a method, in the order of `skill`, a column a measure.

        Raises
        ------
        UnknownNameError
            The data set is none of `names`.
        """
        dataset = next(iter(self.names)) if dataset is None else dataset
        if dataset not in self.names:
            raise unknown("data set", dataset, self.names)
        rows = self.records[self.records.dataset == dataset]
        there = set(rows.method)
        order = [m for m in self.skill().index if m in there]
        table = rows.groupby("method")[list(self.measures)].mean().loc[order]
        return table.rename(columns={m: MEASURES[m].label for m in self.measures})

    def against(self, mine: str | None = None, measure: str | None = None) -> pd.DataFrame:
        """One of your methods against every other: better on, significantly so, loss removed."""
        if mine is None:
            mine = self.mine[0] if self.mine else self.skill(measure).index[0]
        there = list(dict.fromkeys(self.records.method))
        if mine not in there:
            raise unknown("method", mine, there)
        table = matrix.against(self.records, mine, self._known(measure))
        # As texts: pandas prints tuples of numbers as such.
        return table.map(lambda value: str(value) if isinstance(value, tuple) else value)

    def picture(self, measure: str | None = None) -> Figure:
        """`skill` as a heat map."""
        measure = self._known(measure)
        title = f"Share of {self.null}'s loss removed ({MEASURES[measure].label})"
        return matrix.skill_picture(self.skill(measure), self.names, self.mine, title)

    def folds_picture(self, measure: str | None = None) -> Figure:
        """Skill in every fold, a dot each, of the best methods and of yours."""
        return folds_picture(self.records, self.null, self._known(measure), self.mine)

    def time_picture(self, measure: str | None = None) -> Figure:
        """Skill against the seconds of a fit.

        A line joins the methods that nothing is both faster and better than, and these have names.
        Of more than a dozen methods the page of `to_html` shows the other names under the pointer.
        """
        measure = self._known(measure)
        found = choice.front(self.records, self.null, measure)
        seconds = choice.SECONDS if len(self.names) > 1 else "seconds of a fit"
        return choice.front_picture(found, measure, self.mine, seconds)

    def said(self) -> list[str]:
        """What there is to know of the fits, a line each; of many warnings, a few and how many."""
        lines = []
        folds = self.records[self.records.method == self.null]
        if undefined := int(folds[self.main].isna().sum()):
            lines.append(
                f"{MEASURES[self.main].label} is not defined on {undefined} of {len(folds)} folds, "
                "where no row has some of the labels and lacks others. These folds do not count."
            )
        for name, texts in self.notes.items():
            lines += [f"{name}: {text}." for text in sorted(texts)[:_TOLD]]
            if len(texts) > _TOLD:
                lines.append(f"{name}: and {len(texts) - _TOLD} warnings more.")
        return lines

    def to_csv(self, path: Any) -> None:
        """Write the records, a row a data set, method and fold, to a file or an open one.

        An apostrophe stands before names that a spreadsheet would take for formulas.
        """
        check_target(path, "to_csv")
        columns = ["dataset", "method", "fold", *self.measures, "fit_seconds", "predict_seconds"]
        shown = for_spreadsheets(self.records[columns])
        text = shown.to_csv(index=False, lineterminator="\n")
        if hasattr(path, "write"):
            path.write(text)
        else:
            write_whole(paths.target(path), text)

    def to_html(self, path: Path | str) -> None:
        """Write one page that needs no other file: matrix, plots, tables, tests, the CSV inside."""
        from ldlrepro.user import page

        check_target(path, "to_html")
        page.write(self, path)

    def _repr_html_(self):
        from ldlrepro.user import page

        return page.tables(self)

    def _known(self, measure):
        measure = self.main if measure is None else measure
        measure = {MEASURES[m].label: m for m in self.measures}.get(measure, measure)
        if measure not in self.measures:
            raise unknown("measure", measure, self.measures)
        return measure


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
