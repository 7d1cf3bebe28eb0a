"""Figures of the chapter on Adaboost-LDL: flatness and order, plain learners made flatter."""

import numpy as np

from ldlrepro import published
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.papers.adaboost_ldl.tables import drawn_towards
from ldlrepro.report.claims import printed_numbers
from ldlrepro.report.plots import legend_below, panels, plt
from ldlrepro.report.yardstick import skill_picture


def skill_of_plain(chapter):
    """Skill of the plain learners, ours and printed."""
    return skill_picture(chapter.ours, chapter.printed, chapter.names, list(LEARNERS))


def flatness_and_order(chapter):
    """SortLoss, and Spearman, against the flatness of the predictions; a point a data set."""
    records = chapter.tables
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
        distance = np.maximum(1 - mine.flatness, 1e-6)
        axes[0].scatter(distance, np.maximum(mine.sort_loss, 1e-5), s=18, **style, label=name)
        axes[1].scatter(distance, mine.spearman, s=18, **style)
    axes[0].set(xscale="log", yscale="log", ylabel="SortLoss", xlabel="1 - flatness")
    axes[1].set(xscale="log", ylabel="Spearman", xlabel="1 - flatness")
    for axis in axes:
        axis.invert_xaxis()
    figure.legend(fontsize=6, ncols=6, loc="lower center")
    figure.suptitle("One point a method and data set")
    figure.tight_layout(rect=(0, 0.14, 1, 1))
    return figure


def drawn_to_the_mean(chapter):
    """SortLoss of plain methods drawn towards the mean, as a share of what it was.

    Dashed: what the paper says is left of it on average after boosting.
    """
    names = chapter.names
    mine = drawn_towards("mean", chapter.records["shrunk"])
    mean = mine.groupby(["dataset", "learner", "factor"], sort=False)["sort_loss"].mean().unstack()
    share = mean.div(mean[1.0], axis=0)
    printed = printed_numbers(published.claims("adaboost_ldl"))["sortloss-41"]
    shown = [d for d in names if d in mean.index.get_level_values(0)]
    figure, axes = panels(len(shown), 5, 10.5, 2.1, sharex=True, sharey=True)
    for axis, dataset in zip(axes.flat, shown, strict=False):
        for learner, line in share.loc[dataset].iterrows():
            axis.plot(line.index, line, ".-", label=learner)
        axis.axhline(printed, color="0.6", linestyle="--", linewidth=1)
        axis.set_title(names[dataset], fontsize=8)
        axis.set_ylim(0, 2)
    for axis in axes[-1]:
        axis.set_xlabel("factor")
    axes[0, 0].set_ylabel("share of SortLoss left")
    legend_below(figure, axes[0, 0], 0.05)
    return figure
