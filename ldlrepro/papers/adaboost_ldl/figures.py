"""Figures of the chapter on Adaboost-LDL: what boosting leaves, three rounds, flatness, order."""

import numpy as np

from ldlrepro import AdaBoostLDL, published
from ldlrepro.metrics import MEASURES, sort_loss
from ldlrepro.papers.adaboost_ldl import tables
from ldlrepro.papers.adaboost_ldl.experiments import LEARNERS
from ldlrepro.papers.adaboost_ldl.readable import next_probabilities
from ldlrepro.papers.learners import SABFGS
from ldlrepro.report.claims import printed_numbers
from ldlrepro.report.plots import legend_below, nothing, panels, plain, plt
from ldlrepro.report.values import Outcomes, Share
from ldlrepro.report.yardstick import skill_picture


def three_rounds(chapter):
    """The row with the largest SortLoss in the first round on s-BU_3DFE, round by round."""
    return rounds_of_one_row(chapter.bunch("SBU_3DFE"))


def rounds_of_one_row(bunch, rounds=3, steps=20):
    """A row's predictions, how often it is drawn, and the models' weights, round by round.

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
    titles = [f"Round {t}" for t in range(1, rounds + 1)] + ["Ensemble"]

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
    shares.set_yticks(range(rounds), [f"round {t}" for t in range(1, rounds + 1)], fontsize=8)
    shares.invert_yaxis()
    shares.set_title("Weight of each model", fontsize=9)
    for axis, where in ((drawn, drawn.set_ylim), (shares, shares.set_xlim)):
        where(0, 1.3 * (expected.max() if axis is drawn else weights.max()))
        axis.tick_params(length=0, **{"labelleft" if axis is drawn else "labelbottom": False})
        axis.grid(False)
    figure.suptitle(
        f"The row with round 1's largest SortLoss is {expected[1]:.1f} times as likely to be "
        f"drawn for round 2\nrow {row} of {bunch.display}, BFGS-LDL with {steps} steps",
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
    costs = "higher than a label further left"
    axis.plot(places[climbs], h[climbs], "s", color="#d55e00", markersize=6, label=costs)
    axis.set_xticks(places, [names[j] for j in order], rotation=60, ha="right", fontsize=8)
    axis.tick_params(axis="y", labelsize=8)


def skill_of_plain(chapter):
    """Skill of the plain learners, ours and printed."""
    figure = skill_picture(chapter.ours, chapter.printed, chapter.names, list(LEARNERS))
    title = "Plain learners beside the mean predictor, by K-L"
    for axis in figure.axes:
        axis.set_title(title, loc="left", weight="bold", fontsize=10)
    return figure


def what_boosting_leaves(chapter):
    """The picture at the head: boosted as a share of plain, a row a learner, printed and ours.

    Left SortLoss, with plain predictions made as flat as the boosted ones; right K-L. Behind each
    row stands how many informative numbers of the boosted learner ours match.
    """
    if not (chapter.counted.source != "synthetic").any():
        return nothing("Printed numbers stand beside records of real data alone.")
    said = printed_numbers(published.claims("adaboost_ldl"))
    figure, axes = plt.subplots(1, 2, figsize=(4.5, 5.2), sharey=True, layout="constrained")
    for axis, measure, claim in zip(axes, tables.AVERAGED, tables.CLAIMED, strict=True):
        left, label = tables.left_by_learner(chapter, measure), MEASURES[measure].label
        y = np.arange(len(left))
        for name, shift, style in (
            ("published", -0.2, {"fmt": "D", "color": "C1", "markerfacecolor": "white"}),
            ("ours", 0.0, {"fmt": "o", "color": "C0"}),
        ):
            shares, bars = left[name].to_numpy(), left[f"{name}_std"].fillna(0).to_numpy()
            word = "printed" if name == "published" else name
            axis.errorbar(shares, y + shift, xerr=bars, markersize=5, label=word, **style)
        axis.axvline(1, color="0.3", linewidth=1)
        line = {"color": "C1", "linestyle": "--", "linewidth": 1}
        axis.axvline(said[claim], label="all seven, in the paper's text", **line)
        side = "left" if said[claim] < 0.5 else "right"
        axis.text(said[claim], -1, f" {said[claim]:.1%} ", ha=side, va="center", color="C1")
        axis.axhline(len(left) - 1.5, color="0.8", linewidth=0.8)
        axis.set_xlabel(f"of plain {label}")
        axis.set_xlim(0, max(1.05, axis.get_xlim()[1]))
        axis.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    rows = list(left.index)
    flat = tables.left_by_flattening(chapter).reindex(rows)
    label = "ours: plain made as flat (SortLoss)"
    axes[0].plot(flat, y + 0.2, "x", color="black", label=label)
    _matches_behind(axes[1], chapter, rows)
    axes[0].set_yticks(y, [_with_its_kind(chapter, row) for row in rows])
    axes[0].set_ylim(len(rows) - 0.4, -1.6)
    handles = dict(zip(*axes[0].get_legend_handles_labels()[::-1], strict=True))
    words = ("printed", "ours", "all seven, in the paper's text", label)
    figure.legend([handles[w] for w in words], words, loc="outside lower left", ncols=2)
    every = tables.left_by_learner(chapter, "sort_loss").loc[tables.EVERY]
    figure.suptitle(
        f"Boosting leaves {every.ours:.0%} of SortLoss (in print {every.published:.0%});\n"
        f"flattening alone leaves {flat[tables.EVERY]:.0%}",
        **{"x": 0.01, "ha": "left", "weight": "bold", "fontsize": 10},
    )
    return figure


def _with_its_kind(chapter, row):
    """A learner's name; below it "Yeast alone" where the paper has N/A on the faces."""
    printed = chapter.printed_ratios
    mine = printed.dataset[printed.method == row]
    alone = len(mine) and mine.str.startswith("Yeast").all()
    return f"{row}\n(Yeast alone)" if alone else row


def _matches_behind(axis, chapter, rows):
    """Behind each learner: informative numbers of its boosted row that ours match."""
    found = tables.agreement_by_measure(chapter.tables, chapter.printed_and_counted)["all"]
    counts = {row: found.get(tables.boosted(row)) for row in rows}
    counts[tables.EVERY] = sum((c for c in counts.values() if c), Outcomes(0, 0, 0, 0))
    texts = [f"{c.agree} of {c.tell}" if c else "–" for c in counts.values()]
    for i, text in enumerate(["matched, by\n3 measures", *texts]):
        axis.text(1.03, i - 1, text, transform=axis.get_yaxis_transform(), va="center")


#: Marks of the forms of a learner, and of the predictor that ignores the features.
_MARKS = {
    "plain": {"marker": "x", "color": "C0"},
    "boosted": {"marker": "o", "facecolors": "white", "edgecolors": "C1"},
    "mean predictor": {"marker": "s", "color": "black"},
}


def flatness_and_order(chapter):
    """SortLoss against flatness, and Spearman boosted against plain; a mark a counted data set.

    Lines lead from the plain to the boosted learner. The uniform predictor, 0 by both, lies off the
    logarithmic axes.
    """
    records = chapter.counted
    mean = records.groupby(["dataset", "method"], sort=False)
    mean = mean[["flatness", "sort_loss", "spearman"]].mean().reset_index()
    of = dict(zip(records.method, records.settings, strict=True))
    words = {"MeanPredictor": "mean predictor", "UniformPredictor": "off the axes"}
    mean["learner"] = [of[m]["learner"] for m in mean.method]
    mean["form"] = [words.get(of[m]["learner"], of[m]["form"]) for m in mean.method]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 4.1), layout="constrained")
    for form, style in _MARKS.items():
        mine = mean[mean.form == form]
        # Yeast sets lie near 1: the distance from it is what can be seen.
        left.scatter(1 - mine.flatness, mine.sort_loss, s=16, **style, label=form, zorder=3)
    place = mean.assign(x=1 - mean.flatness).pivot_table(
        index=["dataset", "learner"], columns="form", values=["x", "sort_loss"]
    )
    for _, pair in place.iterrows():
        ends = [(pair.get(("x", f)), pair.get(("sort_loss", f))) for f in ("plain", "boosted")]
        if not np.isnan(np.array(ends, float)).any():
            left.plot(*zip(*ends, strict=True), color="0.7", linewidth=0.6, zorder=1)
    left.set(xscale="log", yscale="log", ylabel="SortLoss")
    left.set_xlabel("1 - flatness (less: flatter)")
    rises = _before_and_after(right, mean)
    for axis, title in (
        (left, "Flatter predictions, less SortLoss"),
        (right, f"Spearman rises in {rises}"),
    ):
        axis.set_title(title, fontsize=10, loc="left", weight="bold")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=5)
    return figure


def _before_and_after(axis, mean):
    """Spearman of each boosted learner against the plain one, a mark a data set; `Share` higher."""
    wide = mean.pivot_table(index=["dataset", "learner"], columns="form", values="spearman")
    wide = wide.reindex(columns=["plain", "boosted"]).dropna().reset_index()
    yeast, iis = wide.dataset.str.startswith("Yeast"), wide.learner == "SA-IIS"
    for label, some, style in (
        ("Yeast", wide[yeast], {"marker": ".", "color": "C3"}),
        ("faces", wide[~yeast & ~iis], {"marker": "+", "color": "C6"}),
        ("faces, SA-IIS", wide[~yeast & iis], {"marker": "^", "color": "C1"}),
    ):
        axis.scatter(some.plain, some.boosted, s=40, label=label, **style)
    ends = np.array([0, 1.05 * wide[["plain", "boosted"]].to_numpy().max(initial=0.1)])
    axis.plot(ends, ends, color="0.5", linewidth=1)
    middle = ends.mean()
    axis.text(middle, middle, "no change  ", ha="right", va="bottom", color="0.3")
    axis.legend(loc="lower right")
    axis.set(xlabel="Spearman, plain", ylabel="Spearman, boosted")
    return Share.of(wide.boosted > wide.plain)


#: Colour, mark and line of each learner; of two that nearly coincide one is dashed.
_LINES = {
    "PT-Bayes": ("C0", "o", "-"),
    "SA-IIS": ("C6", "s", "-"),
    "CPNN": ("C1", "^", "-"),
    "BFGS-LDL": ("C2", "D", "-"),
    "LDL-LS": ("C4", "P", "--"),
    "LDL-LCLR": ("C3", "v", "-"),
    "LC-LDL": ("C5", "X", "--"),
}


def drawn_to_the_mean(chapter):
    """SortLoss of plain methods drawn towards the mean, as a share of what it was.

    Dotted: what the paper says is left of it on average after boosting.
    """
    names = chapter.names
    mine = tables.drawn_towards("mean", chapter.records["shrunk"])
    mean = mine.groupby(["dataset", "learner", "factor"], sort=False)["sort_loss"].mean().unstack()
    share = mean.div(mean[1.0], axis=0)
    printed = printed_numbers(published.claims("adaboost_ldl"))["sortloss-41"]
    there = [d for d in names if d in mean.index.get_level_values(0)]
    figure, axes = panels(len(there), 4, 7, 1.85, above=0.6, sharex=True, sharey=True)
    for axis, dataset in zip(axes.flat, there, strict=False):
        for learner, line in share.loc[dataset].iterrows():
            colour, mark, dash = _LINES[learner]
            style = {"color": colour, "marker": mark, "linestyle": dash, "markersize": 4}
            style["markerfacecolor"] = "white" if dash == "--" else colour
            axis.plot(line.index, line, label=learner, **style)
        label = f"in the text, after boosting: {printed:.1%}"
        axis.axhline(printed, color="0.4", linestyle=":", linewidth=1.2, label=label)
        axis.tick_params(labelbottom=True)
        axis.set_title(plain(names[dataset]), fontsize=9.5)
        axis.set_ylim(0, 1.25)
        axis.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
    figure.supxlabel(
        "factor: 1 is the plain prediction, 0 the mean",
        fontsize=10,
        y=0.72 / figure.get_figheight(),
    )
    figure.supylabel("SortLoss left", fontsize=10)
    title = "SortLoss of plain predictions drawn towards the mean, which knows nothing of a row"
    figure.suptitle(title, fontsize=10, x=0.01, ha="left", weight="bold")
    legend_below(figure, axes.flat[0], 0.55 / figure.get_figheight(), 4, fontsize=9.5)
    return figure
