"""Plots of records beside published numbers."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from ldlrepro.metrics import MEASURES


def style():
    """Use the book's matplotlib style."""
    plt.style.use(Path(__file__).with_name("ldlrepro.mplstyle"))


def all_cells(compared, title):
    """Scatter of every cell: the printed mean across, ours up, one panel a method.

    Parameters
    ----------
    compared : result of `tables.cells`
    """
    there = compared[compared.ours.notna()]
    methods = list(there.method.unique())
    if not methods:
        return nothing("Nothing to compare: synthetic data are never set beside printed numbers.")
    columns = min(len(methods), 5)
    rows = -(-len(methods) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(2.1 * columns, 2.3 * rows + 0.5),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axis, method in zip(axes.flat, methods, strict=False):
        mine = there[there.method == method]
        low, high = 0.5 * there.published.min(), 2 * there.published.max()
        axis.plot([low, high], [low, high], color="0.6", linewidth=0.8, zorder=0)
        for measure, cells in mine.groupby("measure", sort=False):
            axis.scatter(
                cells.published, cells.ours, s=10, alpha=0.8, label=MEASURES[measure].label
            )
        axis.set(xscale="log", yscale="log")
        axis.set_title(method, fontsize=9)
    for axis in axes.flat[len(methods) :]:
        axis.set_visible(False)
    figure.supxlabel("printed", fontsize=9)
    figure.supylabel("ours", fontsize=9)
    axes[0, 0].legend(fontsize=6, loc="upper left")
    figure.suptitle(title)
    figure.tight_layout()
    return figure


def curves(long, printed, names, x="step", xlabel="iterations", ylabel="K-L", columns=3):
    """One panel a data set: a curve a method over ``x``, printed values as dashed lines.

    Parameters
    ----------
    long : DataFrame with dataset, method, ``x``, mean
    printed : dict (dataset, method) -> printed value; its colour is the method's
    names : dict, data set -> title
    """
    there = [d for d in names if d in set(long.dataset)]
    if not there:
        return nothing("No records of this experiment.")
    rows = -(-len(there) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4 * columns, 2.7 * rows), squeeze=False)
    colours = {m: f"C{i}" for i, m in enumerate(long.method.unique())}
    for axis, dataset in zip(axes.flat, there, strict=False):
        mine = long[long.dataset == dataset]
        for method, line in mine.sort_values(x).groupby("method", sort=False):
            axis.plot(line[x], line["mean"], ".-", color=colours[method], label=method)
        for method, colour in colours.items():
            if (dataset, method) in printed:
                axis.axhline(printed[dataset, method], color=colour, linestyle="--", linewidth=1)
        top = max(
            [np.nanmedian(mine["mean"]) * 3] + [1.3 * printed.get((dataset, m), 0) for m in colours]
        )
        bottom = mine["mean"].min()
        axis.set(xscale="log", title=names[dataset], ylim=(bottom - 0.05 * (top - bottom), top))
    for axis in axes.flat[len(there) :]:
        axis.set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel(xlabel)
    for axis in axes[:, 0]:
        axis.set_ylabel(ylabel)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncols=len(labels), fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.25 / rows))
    return figure


def lines(table, x, y, by, xlabel, ylabel, titles, column=None):
    """Lines of ``y`` over ``x``, one a value of ``by``; panels by ``column`` where it is given.

    Parameters
    ----------
    titles : dict, value of ``column`` (or None) -> title, in order
    """
    if table.empty:
        return nothing("No records of this experiment.")
    figure, axes = plt.subplots(
        1, len(titles), figsize=(4.3 * len(titles), 3.2), sharey=True, squeeze=False
    )
    for axis, (value, title) in zip(axes[0], titles.items(), strict=True):
        mine = table if column is None else table[table[column] == value]
        for name, line in mine.groupby(by, sort=True):
            axis.plot(line[x], line[y], ".-", label=str(name))
        axis.set(xlabel=xlabel, title=title)
        axis.legend(fontsize=8)
    axes[0, 0].set_ylabel(ylabel)
    figure.tight_layout()
    return figure


def step_process(visits, names):
    """Figures 5 and 6: gains that two searches evaluate, and evaluations for each feature.

    Parameters
    ----------
    visits : DataFrame with step, feature, position, gain
    names : dict, step -> title
    """
    figure, axes = plt.subplots(len(names) + 1, 1, figsize=(8.5, 2.1 * len(names) + 2.1))
    n = visits.position.max() + 1
    for axis, (step, title) in zip(axes, names.items(), strict=False):
        mine = visits[visits.step == step]
        axis.plot(mine.feature + mine.position / n, mine.gain, ".", markersize=2)
        axis.set(title=title, ylabel="gain", xlabel="feature, and position within it")
    count = visits[visits.step == "adaptive"].groupby("feature").size()
    axes[-1].bar(count.index, count)
    axes[-1].set(title="evaluations of the variable step", xlabel="feature", ylabel="number")
    figure.tight_layout()
    return figure


def savings(searches):
    """Time and gain of the variable step against the number of rows, both ways of counting."""
    mean = searches.groupby(["counts", "step", "n"])[["milliseconds", "gain"]].mean().reset_index()
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.2))
    for (counts, step), line in mean.groupby(["counts", "step"]):
        style = "-" if step == "all" else "--"
        axes[0].plot(line.n, line.milliseconds, style, marker=".", label=f"{counts}, {step}")
    axes[0].set(xscale="log", yscale="log", xlabel="rows", ylabel="milliseconds (sort included)")
    axes[0].legend(fontsize=7)
    gain = mean[mean.counts == "running"].pivot(index="n", columns="step", values="gain")
    axes[1].plot(gain.index, gain.adaptive / gain["all"], ".-")
    axes[1].set(xscale="log", xlabel="rows", ylabel="gain found / largest gain", ylim=(0.7, 1.02))
    figure.tight_layout()
    return figure


def nothing(why):
    """A line of text where a figure would be."""
    figure = plt.figure(figsize=(8, 0.6))
    figure.text(0.5, 0.5, why, ha="center", va="center")
    return figure
