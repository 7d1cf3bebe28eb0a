"""What a comparison found: tables, pictures and texts of records of methods over folds."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ldlrepro import paths, stats
from ldlrepro.errors import unknown
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.parameter_types import shown
from ldlrepro.protocols.store import write_whole
from ldlrepro.report.compare import duels
from ldlrepro.report.html import for_spreadsheets
from ldlrepro.report.plots import Figure
from ldlrepro.user.folds import folds_picture
from ldlrepro.user.methods import CompareError

#: Warnings of a method that are told; the others are counted.
_TOLD = 5


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
