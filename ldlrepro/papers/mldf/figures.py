"""Figures of the chapter on MLDF."""

import numpy as np

from ldlrepro.papers.mldf.experiments import FIGURE_2, MEASURES, METHODS, NO_REUSE
from ldlrepro.papers.mldf.tables import LABEL, UP, decreases
from ldlrepro.report.compare import LEVEL
from ldlrepro.report.plots import legend_below, nothing, panels, plt
from ldlrepro.report.yardstick import skill_picture


def skill(chapter):
    """Skill by ranking loss, here and in Table 4."""
    null = "label frequencies"
    return skill_picture(
        chapter.ours, chapter.table_4, chapter.names, METHODS, "ranking_loss", null
    )


def figure_1(_):
    """Figure 1: two forests a layer; reuse turns their output H into G, the next layer's input."""
    figure, axis = plt.subplots(figsize=(10, 3))

    def box(x, y, width, height, text, colour):
        axis.add_patch(plt.Rectangle((x, y), width, height, facecolor=colour, edgecolor="0.3"))
        axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=8)

    def arrow(x, y, to_x, to_y):
        axis.annotate("", (to_x, to_y), (x, y), arrowprops={"arrowstyle": "->", "color": "0.3"})

    box(0, 0.8, 0.7, 0.8, "features X", "mistyrose")
    for t in range(3):
        x = 1.2 + 2.9 * t
        box(x, 1.35, 1, 0.6, f"RF, layer {t + 1}", "0.85")
        box(x, 0.45, 1, 0.6, f"ERF, layer {t + 1}", "lightblue")
        box(x + 1.3, 0.9, 0.5, 0.6, f"$H^{t + 1}$", "white")
        box(x + 2.1, 0.9, 0.5, 0.6, f"$G^{t + 1}$", "lightsteelblue")
        for y in (1.65, 0.75):
            arrow(x - 0.3 if t else 0.7, 1.2, x, y)
            arrow(x + 1, y, x + 1.3, 1.2)
        arrow(x + 1.8, 1.2, x + 2.1, 1.2)
        arrow(x + 0.5, 2.2, x + 0.5, 1.95)
        if t:
            reused = {"arrowstyle": "->", "linestyle": "--", "color": "C3"}
            reused["connectionstyle"] = "arc3,rad=0.35"
            axis.annotate("", (x + 2.35, 0.9), (x - 0.55, 0.9), arrowprops=reused)
            axis.text(
                x + 1, 0.02, "kept where confidence is low", fontsize=7, color="C3", ha="center"
            )
    axis.plot([0.35, 0.35, 7.5], [1.6, 2.2, 2.2], color="mistyrose", linewidth=4, zorder=0)
    axis.text(3.6, 2.27, "X goes into every layer", fontsize=7, ha="center")
    axis.set(xlim=(-0.1, 10), ylim=(-0.25, 2.45))
    axis.axis("off")
    axis.set_title("A layer sees the features and the representation before it (schematic)")
    figure.tight_layout()
    return figure


def figure_2(chapter):
    """Figure 2: one hexagon a method; the rim is the best of the three, the centre the worst."""
    ours, methods = chapter.ours, ["MLDF", NO_REUSE, "RF-PCT"]
    complete = [d for d in FIGURE_2 if set(methods) <= set(ours.method[ours.dataset == d])]
    if not complete:
        return nothing("No records of this experiment.")
    angle = np.linspace(0, 2 * np.pi, len(MEASURES), endpoint=False)
    across = min(len(complete), 2)
    polar = {"projection": "polar"}
    figure, axes = panels(len(complete), across, 5 * across, 3.8, subplot_kw=polar)
    for axis, dataset in zip(axes.flat, complete, strict=False):
        means = ours[ours.dataset == dataset]
        means = means.pivot_table(index="method", columns="measure", values="mean")
        means = means.loc[methods, list(MEASURES)] * [1 if UP[m] else -1 for m in MEASURES]
        scaled = (means - means.min()) / (means.max() - means.min()).replace(0, 1)
        for i, method in enumerate(methods):
            colour = f"C{i}"
            radius = scaled.loc[method].to_numpy()
            axis.plot(np.append(angle, 0), np.append(radius, radius[0]), ".-", color=colour)
            axis.fill(angle, radius, color=colour, alpha=0.2, label=method)
        axis.set_xticks(angle, list(LABEL.values()), fontsize=7)
        axis.set(ylim=(0, 1.05), yticks=[0.5, 1], yticklabels=[])
        axis.tick_params(axis="x", pad=16)
        axis.set_title(chapter.names[dataset], fontsize=9)
    legend_below(figure, axes[0, 0], 0.06 / len(axes))
    return figure


def figure_3(chapter):
    """Yield Figure 3 for each data set of the study "layers"."""
    study = chapter.study("layers")
    for dataset, layers in study["layers"].groupby("dataset", sort=False):
        forests = study["forests"][study["forests"].dataset == dataset]
        yield layer_curves(layers, forests, chapter.names.get(dataset, dataset))


def layer_curves(layers, forests, title):
    """Figure 3: the test measures after each layer; circles at L, triangles for RF-PCT.

    Parameters
    ----------
    layers, forests : rows of the study "layers" for one data set
    """
    figure, axes = plt.subplots(2, 3, figsize=(10.5, 5.5))
    for axis, measure in zip(axes.flat, MEASURES, strict=True):
        for fold, line in layers[layers.measure == measure].groupby("fold"):
            axis.plot(line.layer, line.test, color=f"C{fold}", linewidth=1)
            at = line[line.final]
            axis.plot(at.layer, at.test, "o", color=f"C{fold}", label=f"split {fold + 1}, layer L")
            forest = forests[(forests.measure == measure) & (forests.fold == fold)]
            axis.plot(at.layer, forest.test, "^", color=f"C{fold}", mfc="none", label="RF-PCT")
        arrow = "↑" if UP[measure] else "↓"
        axis.set(title=f"{LABEL[measure]} {arrow}", xlabel="layer")
    figure.suptitle(title)
    legend_below(figure, axes[0, 0], 0.05)
    return figure


def figure_4(chapter):
    """Figure 4: decrease on each label (across) where one was deleted (down); * for p < 5%."""
    labels = chapter.study("label_drop")["labels"]
    if labels.fold.nunique() < 2:
        return nothing("One split: no test.")
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4))
    for axis, measure in zip(axes, ("accuracy", "auc"), strict=True):
        mean, p = decreases(labels, measure)
        limit = np.abs(mean.to_numpy()).max()
        axis.imshow(mean, cmap="RdBu_r", vmin=-limit, vmax=limit)
        for i, j in np.ndindex(mean.shape):
            star = "*" if p.iloc[i, j] < LEVEL else ""
            value = mean.iloc[i, j]
            colour = "white" if abs(value) > 0.6 * limit else "black"
            where = {"ha": "center", "va": "center", "fontsize": 7, "color": colour}
            axis.text(j, i, f"{value:.2f}{star}", **where)
        axis.set_xticks(range(mean.shape[1]), mean.columns, rotation=30, fontsize=8)
        axis.set_yticks(range(len(mean)), mean.index, fontsize=8)
        name = {"accuracy": "accuracy", "auc": "AUC"}[measure]
        axis.set(title=f"decrease of {name}, %", xlabel="label", ylabel="deleted")
        axis.grid(visible=False)
    figure.tight_layout()
    return figure
