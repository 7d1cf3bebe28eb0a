"""Figures of the chapter on Adaboost-LDL: flatness and order, plain learners made flatter."""

import matplotlib.pyplot as plt
import numpy as np

from ldlrepro.papers.adaboost_ldl.tables import drawn_towards
from ldlrepro.report.plots import legend_below, panels

#: What section 3.4 says is left of SortLoss on average after boosting.
SAID = 0.412


def flatness_and_order(records, title):
    """SortLoss, and Spearman, against the flatness of the predictions; a point a data set."""
    mean = records.groupby(["dataset", "method"], sort=False)[
        ["flatness", "sort_loss", "spearman"]
    ].mean()
    mean = mean.reset_index()
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8))
    settings = dict(zip(records.method, records.settings, strict=True))
    learners = sorted({s["learner"] for s in settings.values() if s["form"] != "constant"})
    for name, mine in mean.groupby("method", sort=False):
        learner, form = settings[name]["learner"], settings[name]["form"]
        if form == "constant":
            style = {"marker": "s" if learner == "MeanPredictor" else "D", "color": "black"}
        else:
            colour = f"C{learners.index(learner)}"
            style = {"marker": "x", "color": colour}
            if form == "boosted":
                style = {"marker": "o", "facecolors": "none", "edgecolors": colour}
        # Yeast sets lie near 1: the distance from it is what can be told apart.
        apart = np.maximum(1 - mine.flatness, 1e-6)
        axes[0].scatter(apart, np.maximum(mine.sort_loss, 1e-5), s=18, **style, label=name)
        axes[1].scatter(apart, mine.spearman, s=18, **style)
    axes[0].set(xscale="log", yscale="log", ylabel="SortLoss", xlabel="1 - flatness")
    axes[1].set(xscale="log", ylabel="Spearman", xlabel="1 - flatness")
    for axis in axes:
        axis.invert_xaxis()
    figure.legend(fontsize=6, ncols=6, loc="lower center")
    figure.suptitle(title)
    figure.tight_layout(rect=(0, 0.14, 1, 1))
    return figure


def shrinking(shrunk, names, target="mean"):
    """SortLoss of plain methods drawn towards a constant, as a share of what it was."""
    mine = drawn_towards(target, shrunk)
    mean = mine.groupby(["dataset", "learner", "factor"], sort=False)["sort_loss"].mean().unstack()
    share = mean.div(mean[1.0], axis=0)
    there = [d for d in names if d in mean.index.get_level_values(0)]
    figure, axes = panels(len(there), 5, 10.5, 2.1, sharex=True, sharey=True)
    for axis, dataset in zip(axes.flat, there, strict=False):
        for learner, line in share.loc[dataset].iterrows():
            axis.plot(line.index, line, ".-", label=learner)
        axis.axhline(SAID, color="0.6", linestyle="--", linewidth=1)
        axis.set_title(names[dataset], fontsize=8)
        axis.set_ylim(0, 2)
    for axis in axes[-1]:
        axis.set_xlabel("factor")
    axes[0, 0].set_ylabel("share of SortLoss left")
    legend_below(figure, axes[0, 0], 0.05)
    return figure
