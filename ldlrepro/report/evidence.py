"""The picture at the head of a chapter: printed, ours and the mean predictor on one axis."""

import numpy as np
import pandas as pd
from matplotlib.legend_handler import HandlerTuple

from ldlrepro.metrics import MEASURES
from ldlrepro.report.plots import nothing, plt
from ldlrepro.report.tables import agreeing

#: Mark, colour and fill (None: the colour).
_MARKS = {"published": ("D", "C1", "white"), "ours": ("o", "C0", None)}
_PLAIN, _UNJUDGED = "0.6", "0.8"


def as_shares(compared):
    """Printed and our losses as shares of the mean predictor's: 0 is perfect, 1 learned nothing.

    The loss of a similarity is its distance from 1.

    Parameters
    ----------
    compared : DataFrame
        Result of `tables.cells` with ``null``.

    Returns
    -------
    DataFrame
        It has the index of ``compared``: published, published_std, ours, ours_std.
    """
    up = compared.measure.map(lambda m: MEASURES[m].greater_is_better).to_numpy(bool)
    losses = {c: np.where(up, 1 - compared[c], compared[c]) for c in ("published", "ours", "null")}
    null = losses.pop("null")
    shares = (
        compared[["published_std", "ours_std"]]
        .div(null, axis=0)
        .assign(**{name: loss / null for name, loss in losses.items()})
    )
    return shares.replace([np.inf, -np.inf], np.nan)


def evidence_picture(chapter, method, measure, null="the mean predictor", title=None):
    """One method by one measure: a row a data set, printed and ours beside the mean predictor.

    Behind each row stands how many of its informative numbers ours match, by all measures. Rows
    whose number is uninformative are grey.

    Parameters
    ----------
    chapter : Chapter
        The chapter, opened.
    method : str
        Name of a printed row.
    measure : str
        Name of the measure that is drawn.
    null : str
        The predictor that ignores the features, in words.
    title : str, optional
        By default it says how many of all informative numbers match.
    """
    every = chapter.compared[chapter.compared.method == method]
    mine = every[(every.measure == measure) & every.ours.notna() & every.null.notna()]
    mine = mine.drop_duplicates("dataset").set_index("dataset", drop=False)
    there = [d for d in chapter.names if d in mine.index]
    if not there:
        return nothing("Printed numbers stand beside records of real data alone.")
    mine, shares = mine.loc[there], as_shares(mine).loc[there]
    hues = [_UNJUDGED if pd.isna(tells) else None if tells else _PLAIN for tells in mine.tells]
    size = (4.7, 2 + 0.27 * len(there))  # all of it fits a phone
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    _draw(axis, shares, "published", -0.15, hues)
    _draw(axis, shares, "ours", 0.15, hues)
    axis.axvline(1, color="0.3", linewidth=1)
    low, high = axis.get_xlim()
    side = "right" if 1 - low > high - 1 else "left"
    axis.text(1, -1, f" {null} ", ha=side, va="center", color="0.3")
    for i, d in enumerate(["", *there]):
        found = agreeing(every[every.dataset == d])
        text = "matched" if not d else f"{found.agree} of {found.tell}" if found.tell else "–"
        axis.text(1.02, i - 1, text, transform=axis.get_yaxis_transform(), va="center")
    labels = [chapter.names[d] + " *" * (d in chapter.excluded_datasets) for d in there]
    axis.set_yticks(range(len(there)), labels)
    axis.set_ylim(len(there) - 0.4, -1.4)
    more = {}
    if _PLAIN in hues:
        more[_grey(axis, _PLAIN)] = f"uninformative by this measure: {null} matches"
    if _UNJUDGED in hues:
        more[_grey(axis, _UNJUDGED)] = "not judged: no deviation is known"
    axis.set_xlabel(f"{_loss(measure)} / that of {null}")
    if any("*" in label for label in labels):
        axis.plot([], [], " ", label="* not the original file, not counted")
    marks, words = axis.get_legend_handles_labels()
    figure.legend(
        [*marks[:2], *more, *marks[2:]],
        [*words[:2], *more.values(), *words[2:]],
        loc="outside lower left",
        ncols=1 if len(there) > 3 else 2,
        handler_map={tuple: HandlerTuple(None)},
    )
    figure.suptitle(title or _title(method, every, chapter), x=0.01, ha="left", weight="bold")
    return figure


def _draw(axis, shares, name, shift, hues):
    """Marks of one column of `as_shares` with their deviations, in hues or (None) their colour."""
    mark, colour, fill = _MARKS[name]
    for i, (share, std) in enumerate(zip(shares[name], shares[f"{name}_std"], strict=True)):
        hue = hues[i] or colour
        axis.errorbar(
            *(share, i + shift),
            xerr=np.nan_to_num(std),
            **{"fmt": mark, "color": hue, "markerfacecolor": fill or hue, "markersize": 5},
        )
    label = "printed" if name == "published" else name
    axis.plot([], [], mark, color=colour, markerfacecolor=fill or colour, label=label)


def _grey(axis, colour):
    """Both marks in a grey, for the legend."""
    return tuple(
        axis.plot([], [], mark, color=colour, markerfacecolor=fill or colour)[0]
        for mark, _, fill in _MARKS.values()
    )


def _loss(measure):
    up = "1 - " * MEASURES[measure].greater_is_better
    return up + MEASURES[measure].label


def _title(method, every, chapter):
    found = agreeing(every[~every.dataset.isin(chapter.excluded_datasets)])
    return f"{method}: ours match {found.agree} of {found.tell}\ninformative printed numbers"
