"""Figures of the chapter on Adaboost-LDL: three rounds, flatness and order, flatter learners."""

import numpy as np

from ldlrepro import AdaBoostLDL, published
from ldlrepro.metrics import sort_loss
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.papers.adaboost_ldl.readable import next_probabilities
from ldlrepro.papers.adaboost_ldl.tables import drawn_towards
from ldlrepro.papers.learners import SABFGS
from ldlrepro.report.claims import printed_numbers
from ldlrepro.report.plots import legend_below, panels, plt
from ldlrepro.report.yardstick import skill_picture


def three_rounds(chapter):
    """The row with the largest SortLoss under the first learner on s-BU_3DFE, round by round."""
    return rounds_of_one_row(chapter.bunch("SBU_3DFE"))


def rounds_of_one_row(bunch, rounds=3, steps=20):
    """A row's predictions, how often it is drawn, and the learners' weights, round by round.

    The row is the one with the largest SortLoss in the first round; the learner is BFGS-LDL with
    few steps. Labels stand by falling true degree, so that a prediction in order never climbs.
    """
    X, D = bunch.X, bunch.D
    model = AdaBoostLDL(SABFGS(steps), rounds, random_state=0).fit(X, D)
    losses = np.array([sort_loss(D, e.predict(X), per_row=True) for e in model.estimators_])
    row = losses[0].argmax()
    w = [np.full(len(X), 1 / len(X))]
    for loss in losses[:-1]:
        w.append(next_probabilities(w[-1], loss, model.alpha))
    expected = len(X) * np.array(w)[:, row]
    one = X[[row]]
    predicted = [*(e.predict(one)[0] for e in model.estimators_), model.predict(one)[0]]
    titles = [f"Learner {t}" for t in range(1, rounds + 1)] + ["Ensemble"]

    figure = plt.figure(figsize=(8, 5.6))
    grid = figure.add_gridspec(2, rounds + 1, height_ratios=(2, 1))
    first = None
    for place, (title, p) in enumerate(zip(titles, predicted, strict=True)):
        first = axis = figure.add_subplot(grid[0, place], sharey=first)
        _one_prediction(axis, D[row], p, bunch.label_names)
        axis.set_title(f"{title}\nSortLoss {sort_loss(D[[row]], p[None]):.3f}", fontsize=9)
        axis.tick_params(labelleft=place == 0)
    figure.axes[0].set_ylabel("degree", fontsize=9)

    drawn = figure.add_subplot(grid[1, :rounds])
    bars = drawn.bar(range(rounds), expected, width=0.4, color="0.55")
    drawn.bar_label(bars, [f"{x:.1f}" for x in expected], fontsize=9)
    drawn.set_xticks(range(rounds), [f"sample {t}" for t in range(1, rounds + 1)], fontsize=9)
    drawn.set_title("Expected copies of this row in the sample", fontsize=9)
    shares = figure.add_subplot(grid[1, rounds])
    weights = model.estimator_weights_
    bars = shares.barh(range(rounds), weights, color="0.55")
    shares.bar_label(bars, [f" {x:.0%}" for x in weights], fontsize=9)
    shares.set_yticks(range(rounds), [f"learner {t}" for t in range(1, rounds + 1)], fontsize=8)
    shares.invert_yaxis()
    shares.set_title("Weight of each learner", fontsize=9)
    for axis, where in ((drawn, drawn.set_ylim), (shares, shares.set_xlim)):
        where(0, 1.3 * (expected.max() if axis is drawn else weights.max()))
        axis.tick_params(length=0, **{"labelleft" if axis is drawn else "labelbottom": False})
        axis.grid(False)
    figure.suptitle(
        f"The row with learner 1's largest SortLoss is {expected[1]:.1f} times as likely to be "
        f"drawn for learner 2\nrow {row} of {bunch.display}, BFGS-LDL with {steps} steps",
        fontsize=10,
    )
    handles = figure.axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="upper center", bbox_to_anchor=(0.5, 0.92), ncols=3, fontsize=9)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    return figure


def _one_prediction(axis, d, p, names):
    """Bars of falling true degrees, a line of predicted ones; squares are out of order."""
    order = np.argsort(-d, kind="stable")
    h, places = p[order], np.arange(len(d))
    climbs = h > np.minimum.accumulate(h)
    axis.bar(places, d[order], color="0.85", label="true degree")
    axis.plot(places, h, "o-", color="C0", markersize=4, linewidth=1, label="predicted degree")
    costs = "out of order: higher than a label further left"
    axis.plot(places[climbs], h[climbs], "s", color="#d55e00", markersize=6, label=costs)
    axis.set_xticks(places, [names[j] for j in order], rotation=60, ha="right", fontsize=8)
    axis.tick_params(axis="y", labelsize=8)


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
