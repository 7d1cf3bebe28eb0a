"""Figures of the chapter on MLDF."""

import numpy as np

from ldlrepro import MLDF
from ldlrepro.papers.mldf.experiments import FIGURE_2, MEASURES, METHODS, NO_REUSE
from ldlrepro.papers.mldf.readable import confidence, reuse
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
    """Figure 1: two forests a layer; from the third on, reuse may put the layer before in place."""
    figure, axis = plt.subplots(figsize=(8, 3.1))

    def box(x, y, width, height, text, colour):
        axis.add_patch(plt.Rectangle((x, y), width, height, facecolor=colour, edgecolor="0.3"))
        axis.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=9)

    def arrow(x, y, to_x, to_y):
        axis.annotate("", (to_x, to_y), (x, y), arrowprops={"arrowstyle": "->", "color": "0.3"})

    box(-0.2, 0.8, 0.9, 0.8, "features\nX", "mistyrose")
    for t in range(3):
        x = 1.2 + 2.9 * t
        box(x, 1.35, 1, 0.6, "random\nforest", "0.85")
        box(x, 0.45, 1, 0.6, "extremely\nrandom", "lightblue")
        box(x + 1.3, 0.9, 0.5, 0.6, f"$H^{t + 1}$", "white")
        box(x + 2.1, 0.9, 0.5, 0.6, f"$G^{t + 1}$", "lightsteelblue")
        axis.text(x - 0.05, 2.45, f"layer {t + 1}", fontsize=9, ha="left")
        for y in (1.65, 0.75):
            arrow(x - 0.3 if t else 0.7, 1.2, x, y)
            arrow(x + 1, y, x + 1.3, 1.2)
        arrow(x + 1.8, 1.2, x + 2.1, 1.2)
        axis.add_patch(plt.Rectangle((x - 0.1, 0.33), 1.2, 1.74, fill=False, edgecolor="0.7"))
        arrow(x + 0.5, 2.27, x + 0.5, 2.07)  # to the frame: both forests see the features
    reused = {"arrowstyle": "->", "linestyle": "--", "color": "C1", "linewidth": 1.5}
    reused["connectionstyle"] = "arc3,rad=0.75"
    axis.annotate("", (x + 2.35, 0.9), (x - 0.55, 0.9), arrowprops=reused)
    axis.text(
        x + 0.9,
        -0.62,
        "where confidence is low, $G^2$ comes back",
        fontsize=9,
        color="C1",
        ha="center",
    )
    axis.plot([0.25, 0.25, 7.5], [1.6, 2.27, 2.27], color="mistyrose", linewidth=4, zorder=0)
    axis.set(xlim=(-0.3, 9.7), ylim=(-0.7, 2.65))
    axis.axis("off")
    title = "Each layer sees the features and the scores before it; reuse begins at layer 3"
    axis.set_title(title, fontsize=10)
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
    model.fit(bunch.X[:300], bunch.Y[:300])
    new, proposed, stays, sure = bunch.X[300:400], [], [], []
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
        2, 2, figsize=(8, 5), height_ratios=[5, 2], sharex=True, sharey="row"
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
        below.plot(layers, sure[:, row], "o-", color="black")
        below.plot(layers[2:], model.thresholds_[2:], "_", color="C1", markersize=30, mew=2)
        below.text(2.55, model.thresholds_[2], "threshold", color="C1", fontsize=8, ha="right")
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
