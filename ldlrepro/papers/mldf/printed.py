"""What the MLDF paper prints: its data sets, numbers that cannot be, marks against means."""

import numpy as np
import pandas as pd

from ldlrepro import datasets
from ldlrepro.datasets import registry
from ldlrepro.papers.mldf.tables import LABEL, UP
from ldlrepro.report.tables import published_cells, show

#: Labels of a set, and the most that one of its rows has.
MOST_LABELS = {
    "CAL500": (174, 48),
    "enron": (53, 12),
    "image": (5, 3),
    "scene": (6, 3),
    "yeast": (14, 11),
    "corel16k001": (153, 5),
    "corel16k002": (164, 5),
}


def show_table_3(_):
    """Table 3: the data sets as printed and in the files used here."""
    printed = published_cells("mldf", [3], ["n", "features", "labels"])
    return show(table_3(printed, counted()), "Table 3: the data sets", False, folded=False)


def counted():
    """`datasets.list()` without what no file has confirmed: numbers of files without a digest."""
    known = datasets.list()
    unseen = {entry.name for entry in registry.entries() if not entry.expected[1]}
    known.loc[known.name.isin(unseen), ["n", "features", "labels"]] = pd.NA
    return known


def show_contradictions(chapter):
    """Printed numbers of Table 4 that cannot be, and marks against the means."""

    def named(table):
        return table.assign(**{"data set": table["data set"].map(chapter.names)})

    caption = "Numbers of Table 4 that break a bound"
    yield show(named(impossible(chapter.table_4)), caption, False)
    caption = "Marks of Table 4 that say the contrary of the printed means"
    yield show(named(marks_against_means(chapter.table_4)), caption, False)


def table_3(printed, known):
    """Table 3 beside the registry; "≠" marks where they differ, "–" what is not known here.

    Parameters
    ----------
    printed : rows with the measures n, features and labels
    known : `counted()`
    """
    wide = printed.pivot_table(index="dataset", columns="measure", values="mean", sort=False)
    known = known.set_index("name")
    rows = []
    for dataset, said in wide.iterrows():
        row = {"data set": known.display[dataset]}
        for column in ("n", "features", "labels"):
            here = known.loc[dataset, column]
            differ = "" if pd.isna(here) or here == said[column] else " ≠"
            name = {"n": "rows"}.get(column, column)
            row[f"{name}, printed"] = f"{said[column]:.0f}"
            row[f"{name}, here"] = "–" if pd.isna(here) else f"{here}{differ}"
        rows.append(row)
    return pd.DataFrame(rows)


def impossible(printed):
    """Printed numbers of Table 4 that no predictions on the data can have.

    Let every row have at least one and at most r of c labels. A row whose lowest relevant label
    stands below k irrelevant ones has a ranking loss of at most k / (c - its labels) and a coverage
    of at least k / c: coverage is at least the ranking loss times 1 - r / c. A row whose top label
    is irrelevant has an average precision of at most r / (r + 1), where all its labels are tied
    just below: average precision is at most 1 - one-error / (r + 1). Means keep both. Sets whose
    labels are not at hand are left out.
    """
    wide = printed.pivot_table(
        index=["dataset", "method"], columns="measure", values="mean", sort=False
    )
    rows = []
    for (dataset, method), cell in wide.iterrows():
        if dataset not in MOST_LABELS:
            continue
        c, r = MOST_LABELS[dataset]
        least = (cell.ranking_loss - 0.0005) * (1 - r / c)
        if cell.coverage + 0.0005 < least:
            text = f"coverage {cell.coverage:.3f}, ranking loss {cell.ranking_loss:.3f}"
            rows.append((dataset, method, text, f"coverage at least {least:.3f}"))
        most = 1 - (cell.one_error - 0.0005) / (r + 1)
        if cell.average_precision - 0.0005 > most:
            text = f"AP {cell.average_precision:.3f}, one-error {cell.one_error:.3f}"
            rows.append((dataset, method, text, f"average precision at most {most:.3f}"))
    return pd.DataFrame(rows, columns=["data set", "method", "printed", "what must hold"])


def marks_against_means(printed):
    """Numbers of Table 4 whose mark says the contrary of the printed means (equal: either)."""
    mldf = printed[printed.method == "MLDF"].set_index(["dataset", "measure"])["mean"]
    rows = []
    for cell in printed[printed.note.str.contains("mark: MLDF")].itertuples():
        own = mldf.get((cell.dataset, cell.measure), np.nan)
        ahead = own > cell.mean if UP[cell.measure] else own < cell.mean
        said = "MLDF better" in cell.note
        if own != cell.mean and not np.isnan(own) and ahead != said:
            mark = "MLDF better" if said else "MLDF worse"
            said = f"MLDF {own:.3f}, {cell.method} {cell.mean:.3f}"
            rows.append((cell.dataset, LABEL[cell.measure], said, mark))
    return pd.DataFrame(rows, columns=["data set", "measure", "printed means", "printed mark"])
