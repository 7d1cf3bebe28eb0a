"""Plots of records beside published numbers."""

import hashlib
import io
from html import escape
from os.path import commonprefix
from pathlib import Path

import numpy as np
from IPython import get_ipython
from IPython.display import HTML

from ldlrepro.errors import LdlreproError

try:
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.textpath import TextPath
except ValueError as error:
    raise LdlreproError(f"matplotlib does not start, see MPLBACKEND: {error}") from None

#: What `drawn` adds for a picture of a synthetic stand-in.
ON_STANDIN = ", a synthetic stand-in"


def style():
    """Use the book's matplotlib style; in a notebook, say with each figure what was drawn.

    The text beside a picture is `drawn`, so that a test of stored outputs notices another one.
    """
    plt.style.use(Path(__file__).with_name("ldlrepro.mplstyle"))
    shell = get_ipython()
    if hasattr(shell, "kernel"):  # MPLBACKEND of a cluster would leave a notebook without pictures
        shell.run_line_magic("matplotlib", "inline")
        texts = shell.display_formatter.formatters["text/plain"]
        texts.for_type(Figure, lambda figure, printer, _: printer.text(drawn(figure)))


def drawn(figure):
    """A line that names the data and the words of a figure by a hash, to six digits of each number.

    Layout, colours, fonts, arrows and tick labels do not count. A line also says where a title
    names a "synthetic stand-in", so that a test finds such a picture in a stored chapter. A title
    that begins with "Synthetic" is of rows that are meant to be so.
    """
    digest, standin = hashlib.sha256(), ""
    for one in _contents(figure):
        if not isinstance(one, str):
            one = " ".join(f"{x:.6g}" for x in np.ma.filled(np.ma.ravel(one), np.nan).tolist())
        elif "synthetic stand-in" in one:
            standin = ON_STANDIN
        digest.update(one.encode() + b"\n")
    return f"Figure, drawn from {digest.hexdigest()[:12]}{standin}"


def _contents(figure):
    for axis in figure.axes:
        for line in axis.lines:
            yield line.get_xydata()
        for one in axis.collections:
            yield one.get_offsets()
            yield from (path.vertices for path in one.get_paths())
            if one.get_array() is not None:
                yield one.get_array()
        for patch in (p for p in axis.patches if not isinstance(p, FancyArrowPatch)):
            yield patch.get_patch_transform().transform(patch.get_path().vertices)
        yield from (image.get_array() for image in axis.images)
        yield from (text.get_text() for text in (axis.title, axis.xaxis.label, axis.yaxis.label))
        yield from (text.get_text() for text in axis.texts)
    yield from (text.get_text() for text in figure.texts)


def curves(long, printed, names, stages="steps"):
    """K-L after each stage: a panel a data set, a curve a method; printed values are dashed.

    Parameters
    ----------
    long : DataFrame
        It has dataset, method, stage, mean.
    printed : dict of float
        Printed values by (dataset, method); the colour is the method's.
    names : dict of str
        Titles of the data sets.
    stages : str
        What the stages are, below the axis.
    """
    there = [d for d in names if d in set(long.dataset)]
    if not there:
        return nothing("No records of this experiment.")
    figure, axes = panels(len(there), 3, 12, 2.7)
    colours = {m: f"C{i}" for i, m in enumerate(long.method.unique())}
    widths = dict(zip(colours, np.linspace(5, 1, len(colours)), strict=True))  # none hides another
    for axis, dataset in zip(axes.flat, there, strict=False):
        mine = long[long.dataset == dataset]
        for method in colours:
            line = mine[mine.method == method].sort_values("stage")
            look = {"color": colours[method], "linewidth": widths[method], "label": method}
            axis.plot(line.stage, line["mean"], ".-", **look)
        for method, colour in colours.items():
            if (dataset, method) in printed:
                axis.axhline(printed[dataset, method], color=colour, linestyle="--", linewidth=1)
        top = max(
            [np.nanmedian(mine["mean"]) * 3] + [1.3 * printed.get((dataset, m), 0) for m in colours]
        )
        bottom = mine["mean"].min()
        axis.set(xscale="log", title=names[dataset], ylim=(bottom - 0.05 * (top - bottom), top))
    for column in axes.T:
        for axis in [axis for axis in column if axis.get_visible()][-1:]:
            axis.set_xlabel(stages)
    for axis in axes[:, 0]:
        axis.set_ylabel("K-L")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=len(labels), fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.25 / len(axes)))
    return figure


def name_labels(axis, bunch):
    """Name the bars of one label distribution at their feet."""
    axis.set(xticks=range(len(bunch.label_names)))
    axis.set_xticklabels(bunch.label_names, rotation=60, ha="right", fontsize=7)


def panels(number, columns, width, height, above=0.0, **options):
    """A figure of so many panels in rows of ``columns``; what is left of the last row is hidden.

    Parameters
    ----------
    number, columns : int
        Panels, and how many stand side by side.
    width : float
        Width of the figure.
    height : float
        Height of a row.
    above : float
        Added to the rows' height.
    **options : dict
        For `plt.subplots`.

    Returns
    -------
    figure : Figure
        The whole.
    axes : (rows, columns) array of Axes
        Its panels.
    """
    rows = -(-number // columns)
    size = (width, height * rows + above)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, **options)
    for axis in axes.flat[number:]:
        axis.set_visible(False)
    return figure, axes


def legend_below(figure, axis, room, columns=None, fontsize=8):
    """Put the legend of one panel below all of them, into the lowest share ``room``."""
    handles, labels = axis.get_legend_handles_labels()
    columns = columns or len(labels)
    figure.legend(handles, labels, loc="lower center", ncols=columns, fontsize=fontsize)
    figure.tight_layout(rect=(0, room, 1, 1))


def plain(text):
    """A name for a figure as it is: dollar signs begin no formula."""
    return text.replace("$", r"\$")


def in_short(name, among=()):
    """A name for a figure, at most 40 letters: of a longer one its ends, or what is its own."""
    if len(name) <= 40:
        return plain(name)
    twins = {one for one in (name, *among) if (one[:20], one[-17:]) == (name[:20], name[-17:])}
    if len(twins) == 1:
        return plain(f"{name[:20]}...{name[-17:]}")
    own = max(14, len(commonprefix(list(twins))) - 5)
    return plain(f"{name[:14]}...{name[own : own + 20]}...")


def _inches(names):
    """Width of the widest of some names, in small letters."""
    return max(
        (TextPath((0, 0), n, size=9).get_extents().width / 72 for n in names if n), default=0
    )


def heat_map(colours, texts, rows, columns, title, cmap, heads=()):
    """A grid of coloured numbers, the names of its columns above it.

    Parameters
    ----------
    colours : (rows, columns) in [-1, 1]
        NaN where there is nothing.
    texts
        As many.
    rows, columns : list of str
        Their names.
    cmap : str
        A diverging map.
    heads : list of str
        Those of the rows that are heads of a group.
    """
    height, width = colours.shape
    longest = max((len(name) for name in rows), default=0)
    left = max(0.3 + 0.075 * longest, _inches(rows))
    lean = 0.8 * _inches("\n".join(columns).split("\n"))
    across = max(0.46 * width, 0.2 * width + lean)  # few cells leave names above them no room
    size = (left + across, max(1.3 + 0.23 * height, 0.85 + 0.23 * min(height, 8) + lean))
    figure, axis = plt.subplots(figsize=size)
    axis.pcolormesh(
        np.ma.masked_invalid(colours), cmap=cmap, vmin=-1, vmax=1, edgecolors="white", linewidth=1
    )
    for i, j in np.ndindex(height, width):
        axis.text(
            *(j + 0.5, i + 0.5, texts[i][j]),
            **{"ha": "center", "va": "center", "fontsize": 9},
            color="white" if abs(colours[i, j]) > 0.7 else "black",
        )
    axis.xaxis.tick_top()
    axis.set_xticks(np.arange(width) + 0.5, columns, rotation=50, ha="left", rotation_mode="anchor")
    axis.set_yticks(np.arange(height) + 0.5, rows)
    axis.tick_params(length=0, labelsize=9)
    for label in axis.get_yticklabels():
        label.set_weight("bold" if label.get_text() in heads else "normal")
    for spine in axis.spines.values():
        spine.set_visible(False)
    axis.invert_yaxis()
    axis.grid(False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10, weight="bold")
    figure.tight_layout()
    return figure


def with_names(figure, alt):
    """A figure as SVG in HTML: the pointer on a mark shows its name. The figure is closed.

    Marks are lines with a gid "mark-..."; their labels are the names.

    Parameters
    ----------
    figure : Figure
        Its marks and labels as above.
    alt : str
        What the figure shows, for readers who do not see it.
    """
    names = {
        line.get_gid(): line.get_label().replace(r"\$", "$")
        for axis in figure.axes
        for line in axis.lines
        if str(line.get_gid()).startswith("mark-")
    }
    file = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ldlrepro"}):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    for gid, name in names.items():
        text = text.replace(f'<g id="{gid}">', f'<g id="{gid}"><title>{escape(name)}</title>', 1)
    label = escape(alt, quote=True)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return HTML(f"<div class='ldl-svg'>{text}</div>")


def nothing(why):
    """A line of text where a figure would be; in axes, for notebooks show no figure without."""
    figure, axis = plt.subplots(figsize=(8, 0.6))
    axis.axis("off")
    axis.text(0.5, 0.5, why, ha="center", va="center")
    return figure
