"""What a match is worth: printed rows against all of our methods, and skill over the mean."""

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.metrics import MEASURES
from ldlrepro.report.plots import nothing, plt
from ldlrepro.report.tables import agreeing, summary
from ldlrepro.report.values import Outcomes

#: Skill below this is drawn at the edge: worse than the mean predictor by as much as its loss.
LEAST_SKILL = -1.0
#: The picture of ``confusion`` has at most so many columns of counts, or of "7/13", side by side.
MOST_COUNTS, MOST_SHARES = 24, 15
#: With more columns than this "15/37" needs smaller letters.
WIDE = 10


def confusion(records, printed, methods, excluded=()):
    """Which of our methods match each printed row.

    A reproduction is convincing where a method matches its own row and others do not.

    Parameters
    ----------
    records : DataFrame
        Records of the columns, the trivial predictors among them.
    printed : DataFrame
        Printed numbers with a column ``null`` (see `with_null`).
    methods : list of str
        Ours, in the order of the columns.
    excluded : iterable of str
        Data sets that are not counted.

    Returns
    -------
    DataFrame
        `Outcomes`: a row a printed method, a column a method of ours.
    """
    printed = printed[~printed.dataset.isin(excluded)]
    mine = records[records.method.isin(methods) & ~records.dataset.isin(excluded)]
    mine = summary(mine, measures=printed.measure.unique()).rename(columns={"method": "by"})
    theirs = pd.DataFrame({"method": printed.method.unique()})
    compared = published.compare(
        mine.merge(theirs, how="cross"),
        printed.merge(pd.DataFrame({"by": list(methods)}, dtype=str), how="cross"),
        on=("dataset", "method", "measure", "by"),
    )
    table = {ours: {} for ours in methods}
    for (ours, row), found in compared.groupby(["by", "method"], sort=False):
        table[ours][row] = agreeing(found)
    return pd.DataFrame(table).rename_axis("printed")


def confusion_of(chapter, more=None):
    """``confusion`` of a chapter: its printed rows and the methods of its tables.

    Parameters
    ----------
    chapter : Chapter
        The chapter, opened.
    more : DataFrame or None
        Records of further methods that get columns of their own.

    Returns
    -------
    DataFrame
        ``Outcomes``, a row a printed method, a column a method of ours.

    See Also
    --------
    confusion_picture : Draws it.
    agreement : Each method against its own row, by data set.
    """
    records = chapter.tables if more is None else pd.concat([chapter.tables, more])
    order = [m for m in chapter.order if m in set(records.method)]
    methods = [*order, *(m for m in dict.fromkeys(records.method) if m not in order)]
    return confusion(records, chapter.printed, methods, chapter.excluded_datasets)


def confusion_picture(table):
    """``confusion`` as a picture: each square says how many informative numbers of a row match.

    Columns with a printed row of their own come first, in the order of the rows: their squares are
    framed and lie on a diagonal. Other columns follow, in a second panel where one would be too
    wide. A square without informative numbers is hatched.

    Parameters
    ----------
    table : DataFrame
        Result of `confusion_of`.

    Returns
    -------
    Figure or HTML
        The picture, or a line where nothing stands beside printed numbers.

    See Also
    --------
    confusion_of : What it draws.
    """
    table = table.loc[[any(any(v) for v in row) for row in table.to_numpy()]]
    if table.empty:
        return nothing("Nothing to compare: synthetic data are never set beside printed numbers.")
    own = [m for m in table.index if m in table.columns]
    others = [m for m in table.columns if m not in own]
    table = table.loc[own + [m for m in table.index if m not in own], own + others]
    of_all = table.map(lambda found: found.tell).nunique(axis=1).eq(1).all()
    most = MOST_COUNTS if of_all else MOST_SHARES
    panels = [table] if len(table.columns) <= most else [table[own], table[others]]
    panels = [panel for panel in panels if len(panel.columns)]
    height = 0.6 + len(panels) * (1.3 + 0.27 * len(table))
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(7.0, height), squeeze=False, layout="constrained"
    )
    for axis, panel in zip(axes.flat, panels, strict=True):
        _squares(axis, panel, of_all)
        axis.set_xlim(0, max(len(panel.columns) for panel in panels))
    if own:
        axis.set_xlabel("framed: a method of ours and the printed row of its name", loc="left")
    title = "Printed rows, and which of our methods match their informative numbers"
    figure.suptitle(title, x=0.01, ha="left", weight="bold", fontsize=10)
    return figure


def _squares(axis, panel, of_all):
    """One panel of the picture of ``confusion``: a square a printed row and method of ours.

    Parameters
    ----------
    of_all : bool
        Whether all squares of a row are out of as many numbers: its name says of how many.
    """
    share = panel.map(lambda found: found.ratio).to_numpy(float)
    axis.pcolormesh(share, cmap="Blues", vmin=0, vmax=1, edgecolors="white", linewidth=1)
    for i, row in enumerate(panel.to_numpy()):
        for j, found in enumerate(row):
            if not found.tell:
                empty = {"fill": False, "hatch": "///", "edgecolor": "0.8"}
                axis.add_patch(plt.Rectangle((j, i), 1, 1, **empty))
                continue
            colour = "white" if found.ratio > 0.6 else "black"
            text = f"{found.agree}" if of_all else f"{found.agree}/{found.tell}"
            size = 9 if of_all or panel.shape[1] <= WIDE else 7.5
            axis.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=size, color=colour)
            if panel.index[i] == panel.columns[j]:
                frame = {"fill": False, "edgecolor": "black", "linewidth": 1.8}
                axis.add_patch(plt.Rectangle((j, i), 1, 1, **frame))
    rows, columns = panel.shape
    axis.xaxis.tick_top()
    slant = {"rotation": 45, "ha": "left"} if columns <= MOST_SHARES else {"rotation": 90}
    axis.set_xticks(np.arange(columns) + 0.5, panel.columns, fontsize=9.5, **slant)
    names = panel.index
    if of_all:
        names = [f"{name} (of {panel.iloc[i, 0].tell})" for i, name in enumerate(names)]
    axis.set_yticks(np.arange(rows) + 0.5, names, fontsize=9.5)
    axis.set_ylabel("printed")
    axis.set_title("ours", fontsize=10, loc="left")
    axis.invert_yaxis()
    axis.grid(False)
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)


def diagonal(table):
    """Outcomes of each printed row with our method of that name, None where there is none."""
    return pd.Series(
        [table.loc[m, m] if m in table.columns else None for m in table.index], index=table.index
    )


def total(table):
    """Sum of `diagonal` over the printed rows that have a method of ours."""
    return sum((found for found in diagonal(table) if found is not None), Outcomes(0, 0, 0, 0))


def skill(means, null):
    """Share of the mean predictor's loss that is removed: 1 is perfect, 0 the mean predictor.

    The loss of a similarity is its distance from 1.

    Parameters
    ----------
    means : DataFrame
        It has dataset, measure, mean.
    null : DataFrame
        It has dataset, measure, null (see `tables.with_null`).

    Returns
    -------
    Series
        With the index of ``means``.
    """
    mean = means.drop(columns="null", errors="ignore").merge(
        null[["dataset", "measure", "null"]].drop_duplicates(),
        on=["dataset", "measure"],
        how="left",
    )
    up = mean.measure.map(lambda m: MEASURES[m].greater_is_better).to_numpy(bool)
    loss, base = (np.where(up, 1 - mean[c], mean[c]) for c in ("mean", "null"))
    with np.errstate(divide="ignore", invalid="ignore"):
        return pd.Series(1 - loss / base, index=means.index)


def skill_table(ours, printed, measure="kl_divergence"):
    """Skill by one measure, ours and printed: a row a data set and method.

    Parameters
    ----------
    ours : DataFrame
        Result of `tables.summary`.
    printed : DataFrame
        Printed numbers with ``null``.
    """
    printed = printed[printed.measure == measure]
    ours = ours[
        (ours.measure == measure) & ours.dataset.isin(printed.dataset[printed.null.notna()])
    ]
    rows = [
        frame.assign(skill=skill(frame, printed), which=which)[
            ["dataset", "method", "which", "skill"]
        ]
        for which, frame in (("ours", ours), ("printed", printed[printed.null.notna()]))
    ]
    return pd.concat(rows, ignore_index=True)


def skill_picture(ours, printed, names, order, measure="kl_divergence", null="the mean predictor"):
    """Where there is something to learn: skill of every method on every data set.

    A row a data set; filled marks are ours, open ones printed.

    Parameters
    ----------
    ours : DataFrame
        Result of `summary`.
    printed : DataFrame
        Printed numbers with ``null``.
    names : dict of str
        Names of the data sets in tables.
    order : list of str
        Methods.
    measure : str
        Name of the measure.
    null : str
        Name of the predictor at 0.

    Returns
    -------
    Figure or HTML
        The picture, or a line where nothing stands beside printed numbers.

    See Also
    --------
    confusion_picture : Which printed numbers our methods match.
    """
    table = skill_table(ours, printed, measure)
    there = [d for d in names if d in set(table.dataset)]
    if not there:
        return nothing("Skill is drawn where printed numbers stand beside ours.")
    methods = [m for m in order if m in set(printed.method)]
    figure, axis = plt.subplots(figsize=(7.2, 2.0 + 0.34 * len(there)), layout="constrained")
    for i, method in enumerate(methods):
        for which, fill in (("printed", "none"), ("ours", f"C{i}")):
            mine = table[(table.method == method) & (table.which == which)]
            y = [there.index(d) + 0.5 * (i / max(len(methods) - 1, 1) - 0.5) for d in mine.dataset]
            label = method if which == "ours" else None
            axis.scatter(
                np.maximum(mine.skill, LEAST_SKILL),
                y,
                s=32,
                facecolors=fill,
                edgecolors=f"C{i}",
                marker="os^Dv<>pPX*hd"[i % 13],
                label=label,
            )
    for label, fill in (("filled: ours", "0.4"), ("open: printed", "none")):
        axis.scatter([], [], s=32, facecolors=fill, edgecolors="0.4", label=label)
    axis.axvline(0, color="0.5", linewidth=1)
    axis.set_yticks(range(len(there)), [names[d] for d in there])
    axis.set_xlim(LEAST_SKILL - 0.05, 1)
    axis.invert_yaxis()
    label = f"share of {MEASURES[measure].label} removed: 0 is {null}, 1 is perfect"
    if table.skill.min() < LEAST_SKILL:
        label += f"\n{LEAST_SKILL:g} also stands for what is below"
    axis.set_xlabel(label)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper left", ncols=4)
    return figure
