"""Figures of the chapter on MLDF."""

import numpy as np

from ldlrepro import MLDF
from ldlrepro.papers.mldf.experiments import FIGURE_2, MEASURES, METHODS, NO_REUSE
from ldlrepro.papers.mldf.readable import confidence, reuse
from ldlrepro.papers.mldf.studies.label_drop import OTHER_NUMBERS
from ldlrepro.papers.mldf.tables import LABEL, UP, decreases
from ldlrepro.report.compare import LEVEL
from ldlrepro.report.evidence import as_shares
from ldlrepro.report.plots import nothing, panels, plt
from ldlrepro.report.tables import cells
from ldlrepro.report.yardstick import skill_picture

#: What each mark stands for: marker, colour, fill (None: the colour).
MARKS = {
    "printed": ("D", "C1", "white"),
    "ours with reuse": ("o", "C0", None),
    "ours without reuse": ("^", "C2", None),
}


def skill(chapter):
    """Skill by ranking loss, ours and printed in Table 4."""
    null = "label frequencies"
    figure = skill_picture(
        chapter.ours, chapter.table_4, chapter.names, METHODS, "ranking_loss", null
    )
    title = "Ranking loss removed by the methods of Table 4"
    for axis in figure.axes:
        lowest = [m.get_offsets()[:, 0].min() for m in axis.collections if len(m.get_offsets())]
        axis.set_xlim(min(lowest, default=0) - 0.05)
        for mark in axis.collections:
            if not len(mark.get_facecolor()):  # printed: a ring where it lies on ours
                mark.set_sizes([75])
        axis.set_title(title, loc="left", weight="bold", fontsize=10)
    return figure


def every_measure(chapter):
    """Printed, ours and ours without reuse by every measure, as shares of label frequencies' loss.

    The title counts the comparisons in which the printed number is nearer to ours without reuse,
    and those in which it is as near to both.
    """
    printed = chapter.table_4[chapter.table_4.method == "MLDF"]
    found = {}
    for name, method in (("ours", "MLDF"), ("ours without reuse", NO_REUSE)):
        mine = chapter.ours[chapter.ours.method == method].assign(method="MLDF")
        compared = cells(mine, printed)
        compared = compared[compared.ours.notna() & compared.null.notna()]
        found[name] = compared.join(as_shares(compared).add_suffix("_share"))
    ours, without = (f.set_index(["dataset", "measure"]) for f in found.values())
    both = ours.index.intersection(without.index)
    there = [d for d in chapter.names if d in set(both.get_level_values(0))]
    if not there:
        return nothing("Printed numbers stand beside records of real data alone.")
    figure, axes = panels(len(MEASURES), 2, 7.2, 0.75 + 0.3 * len(there), 0.7, sharey=True)
    right = 1.0
    for axis, measure in zip(axes.flat, MEASURES, strict=True):
        rows = [(i, (d, measure)) for i, d in enumerate(there) if (d, measure) in both]
        for name, frame, column, shift in (
            ("printed", ours, "published_share", -0.3),
            ("ours with reuse", ours, "ours_share", 0),
            ("ours without reuse", without, "ours_share", 0.3),
        ):
            mark, colour, fill = MARKS[name]
            x = [frame.loc[key, column] for _, key in rows]
            y = [i + shift for i, _ in rows]
            axis.plot(x, y, mark, color=colour, markerfacecolor=fill or colour, ms=5, label=name)
            if name != "printed":  # most printed numbers of MLDF have no deviation
                std = [np.nan_to_num(frame.loc[key, "ours_std_share"]) for _, key in rows]
                axis.errorbar(x, y, xerr=std, fmt="none", ecolor=colour, elinewidth=1)
                right = max(right, *np.add(x, std))
        axis.axvline(1, color="0.3", linewidth=1)
        axis.set_yticks(range(len(there)), [chapter.names[d] for d in there])
        axis.set_ylim(len(there) - 0.4, -0.6)
        up = "1 - " * UP[measure]
        axis.set_title(up + LABEL[measure], fontsize=10)
    for axis in axes.flat:
        axis.set_xlim(0, right + 0.05)
    for axis in axes[-1]:
        axis.set_xlabel("share of label frequencies' loss")
    off, off_with = ((f.loc[both].ours - f.loc[both].published).abs() for f in (without, ours))
    level = np.isclose(off, off_with, rtol=1e-6, atol=0)
    nearer = ((off < off_with) & ~level).sum()
    title = f"Ours without reuse are nearer to print in {nearer} of {len(both)} comparisons"
    title += f", as near in {level.sum()}" if level.any() else ""
    figure.suptitle(title, x=0.01, ha="left", weight="bold")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), fontsize=10)
    figure.tight_layout(rect=(0, 0.035, 1, 1))
    return figure


def figure_1(_):
    """Figure 1: two forests a layer; from the third on, reuse may put the layer before in place."""
    figure, axis = plt.subplots(figsize=(7.2, 3.0))

    def box(x, y, width, height, text, colour):
        axis.add_patch(plt.Rectangle((x, y), width, height, facecolor=colour, edgecolor="0.3"))
        axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=10)

    def arrow(x, y, to_x, to_y):
        axis.annotate("", (to_x, to_y), (x, y), arrowprops={"arrowstyle": "->", "color": "0.3"})

    box(-0.3, 0.8, 1.0, 0.8, "features\n$X$", "mistyrose")
    for t, x in enumerate((1.2, 3.9, 6.6)):
        box(x, 1.35, 1.2, 0.6, "random\nforest", "0.85")
        box(x, 0.45, 1.2, 0.6, "extremely\nrandom", "lightblue")
        axis.text(x + 0.5, 2.55, f"layer {t + 1}", fontsize=10, ha="center")
        for y in (1.65, 0.75):
            arrow(x - 0.3 if t else 0.7, 1.2, x, y)
            arrow(x + 1.2, y, x + 1.45, 1.2)
        axis.add_patch(plt.Rectangle((x - 0.08, 0.33), 1.36, 1.74, fill=False, edgecolor="0.7"))
        arrow(x + 0.5, 2.27, x + 0.5, 2.07)  # to the frame: both forests see the features
        if t < 2:
            box(x + 1.45, 0.9, 1.0, 0.6, f"$G^{t + 1} = H^{t + 1}$", "lightsteelblue")
    box(x + 1.45, 0.9, 0.5, 0.6, "$H^3$", "white")
    arrow(x + 1.95, 1.2, x + 2.4, 1.2)
    box(x + 2.4, 0.9, 0.5, 0.6, "$G^3$", "lightsteelblue")
    axis.text(
        x + 2.0, 1.95, "confident:\n$H^3$ stays", fontsize=10, color="0.3", ha="center", va="center"
    )
    reused = {"arrowstyle": "->", "linestyle": "--", "color": "C1", "linewidth": 1.5}
    reused["connectionstyle"] = "arc3,rad=0.45"
    axis.annotate("", (x + 2.65, 0.9), (x - 0.8, 0.9), arrowprops=reused)
    text = "reuse, where confidence is low: $G^2$ comes back"
    axis.text(x + 0.9, -0.5, text, fontsize=10, color="C1", ha="center")
    axis.plot([0.2, 0.2, x + 0.5], [1.6, 2.27, 2.27], color="mistyrose", linewidth=4, zorder=0)
    axis.set(xlim=(-0.35, 9.7), ylim=(-0.65, 2.8))
    axis.axis("off")
    title = "Two forests a layer; reuse begins at layer 3"
    axis.set_title(title, fontsize=11, loc="left", weight="bold")
    figure.tight_layout()
    return figure


def two_rows(chapter):
    """Two new rows through four layers: what the forests propose, what stays, and confidence.

    One row is never below the threshold; of those that are at layer 3, the other is the one whose
    scores would have moved most.
    """
    bunch, measure = chapter.bunch("image"), "ranking_loss"
    trees = {"n_estimators": 20, "more_estimators": 10, "max_estimators": 40, "max_layers": 4}
    model = MLDF(measure, growth=False, random_state=0, **trees)
    drawn = np.random.RandomState(0).permutation(len(bunch.X))  # the file is sorted by label
    model.fit(bunch.X[drawn[:300]], bunch.Y[drawn[:300]])
    new, proposed, stays, sure = bunch.X[drawn[300:400]], [], [], []
    for t, forests in enumerate(model.cascade_.layers):
        Z = np.hstack([new, *stays[-1]]) if t else new
        H = np.stack([forest.predict(Z) for forest in forests])
        proposed.append(H)
        stays.append(reuse(measure, H, stays[-1], model.thresholds_[t]) if t else H)
        sure.append([confidence(measure, p) for p in H.mean(0)])
    P, S, sure = (np.array(A) for A in (np.mean(proposed, 1), np.mean(stays, 1), sure))
    low = sure < model.thresholds_[:, None]
    moved = np.abs(P[2] - S[1]).max(axis=1)
    rows = [np.where(low.any(axis=0), -1, moved).argmax(), np.where(low[2], moved, -1).argmax()]
    figure, axes = plt.subplots(
        2, 2, figsize=(8, 5), height_ratios=[5, 3], sharex=True, sharey="row"
    )
    layers = np.arange(1, len(P) + 1)
    for (above, below), row in zip(axes.T, rows, strict=True):
        for j in range(len(bunch.label_names)):
            look = {"color": f"C{j}", "marker": "osD^v"[j], "markersize": 6}
            above.plot(layers, S[:, row, j], **look)
            away = low[:, row]
            look |= {"linestyle": "", "markerfacecolor": "white"}
            above.plot(layers[away], P[away, row, j], **look)
        ends = apart(S[-1, row], 0.055)
        for j, name in enumerate(bunch.label_names):
            above.text(4.15, ends[j], name, color=f"C{j}", fontsize=8, va="center")
        below.plot(layers, sure[:, row], "o-", color="black", markersize=3, linewidth=1)
        below.plot(layers[2:], model.thresholds_[2:], "_", color="C1", markersize=30, mew=1.2)
        gap = sure[-1, row] - model.thresholds_[-1]
        side = "above" if gap >= 0 else "below"
        below.text(4.35, sure[-1, row], f"{abs(gap):.3f}\n{side}", fontsize=9, va="center")
        below.annotate(
            "threshold",
            (3, model.thresholds_[2]),
            (0, 3),
            textcoords="offset points",
            color="C1",
            fontsize=8,
            ha="center",
        )
        below.set(xlabel="layer", xticks=layers, xlim=(0.8, 5.1))
    axes[0, 0].set_ylabel("label score")
    axes[1, 0].set_ylabel("confidence")
    axes[0, 0].set_title("Above the threshold: new scores stay", fontsize=9)
    axes[0, 1].set_title("Below it: layer 2 comes back (open: refused)", fontsize=9)
    figure.suptitle(f"Low confidence freezes a row ({bunch.display}, two new rows)", fontsize=10)
    figure.tight_layout()
    return figure


def apart(heights, least):
    """Heights moved up where needed, so that texts do not overlap."""
    moved, last = np.empty(len(heights)), -np.inf
    for i in np.argsort(heights):
        moved[i] = last = max(heights[i], last + least)
    return moved


def figure_2(chapter):
    """Figure 2 without its radar: how far two methods are from MLDF with reuse, in percent.

    A panel a data set, a row a measure, all panels on one scale.
    """
    ours, methods = chapter.ours, ["MLDF", NO_REUSE, "RF-PCT"]
    complete = [d for d in FIGURE_2 if set(methods) <= set(ours.method[ours.dataset == d])]
    if not complete:
        return nothing("No records of this experiment.")
    across = min(len(complete), 2)
    shared = {"sharex": True, "sharey": True, "layout": "constrained"}
    figure, axes = panels(len(complete), across, 7.2, 2.3, 0.8, **shared)
    for axis, dataset in zip(axes.flat, complete, strict=False):
        means = ours[ours.dataset == dataset]
        means = means.pivot_table(index="method", columns="measure", values="mean")
        means = means.loc[methods, list(MEASURES)]
        gains = 100 * (means / means.loc["MLDF"] - 1) * [1 if UP[m] else -1 for m in MEASURES]
        y = np.arange(len(MEASURES))
        axis.axvline(0, color="C0", linewidth=1.5, label="MLDF with reuse")
        axis.plot(gains.loc[NO_REUSE], y - 0.12, "^", color="C2", label="MLDF without reuse")
        axis.plot(gains.loc["RF-PCT"], y + 0.12, "s", color="C1", label="RF-PCT")
        axis.set_yticks(y, list(LABEL.values()))
        axis.set_ylim(len(MEASURES) - 0.5, -0.5)
        axis.set_title(chapter.names[dataset], fontsize=10)
    for axis in axes[-1]:
        axis.set_xlabel("better than MLDF with reuse by, %")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    title = "How far two methods are from MLDF with reuse, at true size"
    figure.suptitle(title, x=0.01, ha="left", weight="bold")
    return figure


def figure_3(chapter, which):
    """Figure 3: the test measures after each layer.

    Parameters
    ----------
    which : 0 for the paper's data set, 1 for the other one of the study "layers"
    """
    study = chapter.study("layers")
    there = list(study["layers"].dataset.unique())
    if which >= len(there):
        return nothing("No records of this experiment.")
    dataset = there[which]
    layers, forests = (
        study[name][study[name].dataset == dataset] for name in ("layers", "forests")
    )
    return layer_curves(layers, forests, chapter.names.get(dataset, dataset))


def layer_curves(layers, forests, name):
    """Figure 3: the test measures after each layer; circles at L, triangles for RF-PCT.

    Parameters
    ----------
    layers, forests : rows of the study "layers" for one data set
    name : of the data set
    """
    figure, axes = plt.subplots(3, 2, figsize=(7.2, 7), sharex=True, layout="constrained")
    for axis, measure in zip(axes.flat, MEASURES, strict=True):
        for fold, line in layers[layers.measure == measure].groupby("fold"):
            colour, dash = f"C{fold}", ["-", "--", ":"][fold % 3]
            label = f"split {fold + 1}"
            axis.plot(line.layer, line.test, dash, color=colour, linewidth=1.3, label=label)
            at = line[line.final]
            axis.plot(at.layer, at.test, "o", color=colour, ms=5, zorder=4)
            forest = forests[(forests.measure == measure) & (forests.fold == fold)]
            axis.plot(at.layer, forest.test, "^", color=colour, mfc="none", ms=8, zorder=5)
        better = "more" if UP[measure] else "less"
        axis.set_title(f"{LABEL[measure]} ({better} is better)", fontsize=10)
    for axis in axes[-1]:
        axis.set_xlabel("layer")
    handles, _ = axes[0, 0].get_legend_handles_labels()
    mark = {"linestyle": "", "color": "0.3"}
    handles.append(plt.Line2D([], [], marker="o", label="kept layer L", **mark))
    mark |= {"markerfacecolor": "white", "label": "RF-PCT, as many trees"}
    handles.append(plt.Line2D([], [], marker="^", **mark))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    title = f"Test measures after each layer on {name}"
    figure.suptitle(title, x=0.01, ha="left", weight="bold")
    return figure


def figure_4(chapter):
    """Figure 4: decrease on each label (across) where one was deleted (down); * for p < 5%.

    Both panels have one scale, so that the weaker changes of AUC look weaker. Frames mark what a
    deletion does to the deleted label itself.
    """
    labels = chapter.study("label_drop")["labels"]
    if labels.fold.nunique() < 2:
        return nothing("One split: no test.")
    figure, axes = plt.subplots(2, 1, figsize=(7.2, 8), layout="constrained")
    found = {measure: decreases(labels, measure) for measure in ("accuracy", "auc")}
    limit = max(np.abs(mean.to_numpy()).max() for mean, _ in found.values())
    for axis, (measure, (mean, p)) in zip(axes, found.items(), strict=True):
        image = axis.imshow(mean, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
        for i in range(mean.shape[1]):
            frame = {"fill": False, "edgecolor": "0.3", "linewidth": 1.5}
            axis.add_patch(plt.Rectangle((i - 0.5, i - 0.5), 1, 1, **frame))
        for i, j in np.ndindex(mean.shape):
            star = "*" if p.iloc[i, j] < LEVEL else ""
            value = mean.iloc[i, j]
            colour = "white" if abs(value) > 0.6 * limit else "black"
            where = {"ha": "center", "va": "center", "fontsize": 10, "color": colour}
            axis.text(j, i, f"{value:.2f}{star}", **where)
        rows = mean.index.to_series().replace(OTHER_NUMBERS, "none, other\nrandom numbers")
        axis.set_xticks(range(mean.shape[1]), mean.columns)
        axis.set_yticks(range(len(mean)), rows)
        name = {"accuracy": "accuracy", "auc": "AUC"}[measure]
        axis.set_title(f"Loss of {name} in percent; below 0 it gains (* p below 5%)", fontsize=11)
        axis.set(xlabel="label whose change is measured", ylabel="deleted label")
        axis.grid(visible=False)
    figure.colorbar(image, ax=axes, shrink=0.5, label="percent lost")
    return figure
