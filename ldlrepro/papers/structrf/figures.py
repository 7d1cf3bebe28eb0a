"""Figures of the chapter on StructRF."""

import numpy as np
import pandas as pd

from ldlrepro.papers.structrf import readable
from ldlrepro.report.compare import LEVEL, critical_difference, p_value, pairs_of
from ldlrepro.report.plots import curves, name_labels, nothing, panels, plt
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import summary

#: Searches of Figures 5 and 6, with their titles.
SEARCHES = {"adaptive": "variable step", "all": "every threshold (at most 100 shown a feature)"}


def figure_1(chapter):
    """Figure 1 on the first row of s-JAFFE."""
    return one_distribution(chapter.bunch("SJAFFE"))


def one_node(chapter):
    """A node at work on rows of s-JAFFE: Figures 2 and 3 in one."""
    return clusters_and_cuts(chapter.bunch("SJAFFE"))


def one_distribution(bunch):
    """Figure 1: the first row as a single label, a set of labels and a label distribution."""
    d = bunch.D[0]
    views = {
        "single label": (d == d.max()).astype(float),
        "multi-label": (d > 1 / len(d)).astype(float),
        "label distribution": d,
    }
    figure, axes = plt.subplots(1, 3, figsize=(8, 2.8), sharey=True)
    for axis, (title, heights) in zip(axes, views.items(), strict=True):
        axis.bar(range(len(d)), heights)
        axis.set(title=title)
        name_labels(axis, bunch)
        axis.tick_params(axis="x", labelsize=8)
    axes[0].set_ylabel("description degree")
    figure.suptitle(f"One row of {bunch.display}")
    figure.tight_layout()
    return figure


def clusters_and_cuts(bunch, n=100):
    """A node of n rows: their distributions in two clusters, and the gain along the best feature.

    Drawn with the functions of `readable`.
    """
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(bunch.X))[:n]
    X, D = bunch.X[rows], bunch.D[rows]
    cluster = readable.two_means(D, rng.random)
    gain, f, t = max(readable.search(X, cluster))
    figure = plt.figure(figsize=(8, 5), layout="constrained")
    parts = figure.subplot_mosaic([["labels", "rows"], ["labels", "gain"]], width_ratios=(5, 6))
    _draw_clusters(parts["labels"], bunch, D, cluster)
    _draw_values(parts["rows"], X[:, f], cluster, t)
    _draw_gains(parts["gain"], X[:, [f]], cluster)
    parts["gain"].set(xlabel=f"feature {f}", ylim=(0, 1.2 * gain))
    for name in ("rows", "gain"):
        parts[name].axvline(t, color="black", linewidth=1)
        parts[name].locator_params(axis="x", nbins=5)
    parts["rows"].sharex(parts["gain"])
    parts["rows"].tick_params(labelbottom=False)
    title = "Two clusters give the rows classes, and one cut separates them best, not fully"
    figure.suptitle(f"{title}\n{n} rows of {bunch.display}", fontsize=11)
    return figure


def _draw_clusters(axis, bunch, D, cluster):
    """Each row's distribution as a thin line, each cluster's mean as a thick one."""
    means = [D[cluster == k].mean(axis=0) for k in (0, 1)]
    for k, style in enumerate(("-", "--")):
        axis.plot(D[cluster == k].T, color=f"C{k}", linewidth=0.5, alpha=0.35)
        axis.plot(means[k], style, color=f"C{k}", linewidth=3)
        at = np.argmax(means[k] - means[1 - k])  # where this cluster stands out most
        side = "left" if at == 0 else "right" if at == D.shape[1] - 1 else "center"
        name = f"cluster {k}\n{(cluster == k).sum()} rows"
        axis.text(at, D[:, at].max(), name, color=f"C{k}", ha=side, va="bottom", fontsize=9)
    axis.set(ylabel="description degree", ylim=(0, 1.2 * D.max()))
    axis.set_title("1. Two-means on the distributions", fontsize=9)
    name_labels(axis, bunch)
    axis.tick_params(axis="x", labelsize=8)


def _draw_values(axis, x, cluster, t):
    """Rows along the feature: those of cluster 0 upwards, those of cluster 1 downwards."""
    bins = np.linspace(x.min(), x.max(), 26)
    for k, hatch in enumerate((None, "////")):
        counts = np.histogram(x[cluster == k], bins)[0] * (-1) ** k
        look = {"color": f"C{k}", "hatch": hatch, "edgecolor": "white", "linewidth": 0.3}
        axis.bar(bins[:-1], counts, np.diff(bins), align="edge", **look)
    axis.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    sides = (
        " + ".join(str(sum(side & (cluster == k))) for k in (0, 1)) for side in (x < t, x >= t)
    )
    axis.set_title("2. The cut sends {} rows left, {} right".format(*sides), fontsize=9)
    axis.set_ylabel("rows")


def _draw_gains(axis, X, cluster):
    """The gain at every threshold of one feature, and at those that the variable step visits."""
    every, visited = (
        np.array([(t, gain) for gain, _, t in readable.search(X, cluster, alpha)])
        for alpha in (0.0, 0.25)
    )
    axis.plot(*every.T, color="0.6", linewidth=1)
    axis.plot(*visited.T, "o", color="C2", markersize=4.5)
    axis.set_ylabel("gain in nats")
    share = visited[:, 1].max() / every[:, 1].max()
    title = f"3. {len(visited)} of {len(every)} thresholds (dots) find {share:.0%} of the gain"
    axis.set_title(title, fontsize=9)


def iterations(chapter):
    """Test K-L after each number of steps; printed K-L dashed."""
    compared = chapter.compared
    path = summary(chapter.steps, by=("dataset", "method", "stage"), measures=["kl_divergence"])
    order = ["SA-IIS", "SA-IIS, random start"]  # the colours of `starts`
    path = path.sort_values("method", key=lambda m: ~m.isin(order), kind="stable")
    printed = compared[(compared.measure == "kl_divergence") & compared.ours.notna()]
    printed = printed.set_index(["dataset", "method"])["published"].to_dict()
    return curves(path, printed, chapter.names)


#: Sets on which the starts of SA-IIS are drawn: small, middle and large K-L.
DRAWN = ("Yeast_alpha", "Yeast_heat", "Yeast_spoem", "Movie")


def starts(chapter):
    """Test K-L of SA-IIS after each number of steps, from both starts, beside the printed one."""
    steps = chapter.steps[declared(chapter.steps, "learner") == "SA-IIS"]
    is_random = declared(steps, "init") == "random"
    steps = steps.assign(start=np.where(is_random, "random start", "from zero"))
    path = summary(steps, by=("dataset", "start", "stage"), measures=["kl_divergence"])
    printed = chapter.printed.query("method == 'SA-IIS' and measure == 'kl_divergence'")
    printed = printed.set_index("dataset")
    there = [d for d in DRAWN if d in set(path.dataset)]
    if not there:
        return nothing("No records of these data sets.")
    figure, axes = panels(len(there), 2, 7, 2.5, above=0.5, layout="constrained")
    for axis, dataset in zip(axes.flat, there, strict=False):
        mine = path[path.dataset == dataset].sort_values("stage")
        for (start, line), mark in zip(mine.groupby("start"), "os", strict=True):
            axis.plot(line.stage, line["mean"], f"-{mark}", markersize=4, label=start)
        if chapter.profile == "paper":
            value, std = printed.loc[dataset, ["mean", "std"]]
            axis.axhline(value, color="black", linestyle="--", label="printed")
            axis.axhspan(value - std, value + std, color="0.9", zorder=0)
        axis.axvline(200, color="0.5", linewidth=0.8)
        top = 1.5 * mine.groupby("stage")["mean"].min().min()
        axis.set(
            xscale="log",
            title=chapter.names[dataset],
            ylim=(None, top),
        )
    figure.supxlabel("steps of SA-IIS; the paper takes 200", fontsize=10)
    figure.supylabel("K-L", fontsize=10)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    return figure


def criteria(chapter):
    """K-L of the regression forest as a share of StructRF's: a row a data set, a dot a fold."""
    forests = chapter.with_methods("criteria", ["StructRF"])
    kl = forests.pivot_table(index=["dataset", "fold"], columns="method", values="kl_divergence")
    if not {"RF on D", "StructRF"} <= set(kl):
        return nothing("No records of these data sets.")
    ratio = (kl["RF on D"] / kl["StructRF"]).dropna().unstack()
    there = [d for d in chapter.names if d in ratio.index]
    figure, axis = plt.subplots(figsize=(6.4, 1.2 + 0.27 * len(there)), layout="constrained")
    for i, dataset in enumerate(there):
        folds = ratio.loc[dataset]
        axis.plot(folds, np.full(len(folds), i), "o", color="C0", alpha=0.4, markersize=5)
        axis.plot(folds.mean(), i, "|", color="black", markersize=14, markeredgewidth=2)
    axis.axvline(1, color="0.3", linewidth=1)
    names = [chapter.names[d] + " *" * (d in chapter.excluded_datasets) for d in there]
    axis.set_yticks(range(len(there)), names)
    axis.set_ylim(len(there) - 0.5, -0.5)
    axis.set_xlabel("K-L of the regression forest / K-L of StructRF; dots are folds, bars means")
    counted = chapter.counting(forests)
    pairs = list(pairs_of(counted, "StructRF", "RF on D", "kl_divergence"))
    differ = sum(p_value(pair) < LEVEL for pair in pairs)
    title = f"By K-L the two differ significantly on {differ} of {len(pairs)} data sets"
    figure.suptitle(title, x=0.01, ha="left", weight="bold")
    return figure


def figure_4(chapter):
    """Chebyshev against depth, for sampling ratios and for numbers of trees."""
    mean = chapter.grid.groupby(["trees", "ratio", "depth"])["chebyshev"].mean().reset_index()
    if mean.empty:
        return nothing("No records of this experiment.")
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True, layout="constrained")
    parts = (
        ("ratio", mean.trees == 20, "(a) shares of rows, 20 trees"),
        ("trees", mean.ratio == 0.8, "(b) numbers of trees, 0.8 of the rows"),
    )
    for axis, (by, fixed, title) in zip(axes, parts, strict=True):
        for mark, (value, line) in zip("os^Dv", mean[fixed].groupby(by, sort=True), strict=False):
            axis.plot(line.depth, line.chebyshev, f"{mark}-", markersize=4, label=str(value))
        axis.set(xlabel="largest depth")
        axis.set_title(title, fontsize=10)
        axis.legend(title="share of rows" if by == "ratio" else "trees")
    axes[0].set_ylabel("Chebyshev")
    return figure


def figure_5(chapter):
    """Gains that two searches evaluate, and evaluations for each feature."""
    visits = chapter.study("adaptive_step")["visits"]
    figure, axes = plt.subplots(3, 1, figsize=(8.5, 6.3))
    n = visits.position.max() + 1
    for axis, (step, title) in zip(axes, SEARCHES.items(), strict=False):
        mine = visits[visits.step == step]
        axis.plot(mine.feature + mine.position / n, mine.gain, ".", markersize=3)
        axis.set(title=title, ylabel="gain", xlabel="feature, and position within it")
    count = visits[visits.step == "adaptive"].groupby("feature").size()
    axes[-1].bar(count.index, count)
    axes[-1].set(title="evaluations of the variable step", xlabel="feature", ylabel="number")
    figure.tight_layout()
    return figure


def figure_6(chapter):
    """Time and gain of the variable step against the number of rows, both ways of counting."""
    searches = chapter.study("adaptive_step")["searches"]
    mean = searches.groupby(["counts", "step", "n"]).milliseconds.mean().reset_index()
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.6), layout="constrained")
    for (counts, step), line in mean.groupby(["counts", "step"]):
        colour, mark = ("C1", "s") if counts == "from scratch" else ("C0", "o")
        style, what = ("-", "every threshold") if step == "all" else ("--", "variable step")
        label = f"{what}, {'gains from scratch' if mark == 's' else 'running counts'}"
        look = {"marker": mark, "color": colour, "markersize": 4, "label": label}
        if (counts, step) == ("running", "all"):  # the dashes of the variable step lie upon it
            look |= {"color": "C2", "linewidth": 4, "markersize": 8, "zorder": 1}
        axes[0].plot(line.n, line.milliseconds, style, **look)
    axes[0].set(xscale="log", yscale="log", xlabel="rows", ylabel="milliseconds, with sorting")
    axes[0].set_title("Time of a search", fontsize=10)
    figure.legend(loc="outside lower left", ncols=2)
    gain = searches[searches.counts == "running"]
    gain = gain.pivot(index=["n", "fold"], columns="step", values="gain")
    share = (gain["adaptive"] / gain["all"]).groupby("n").mean()
    axes[1].plot(share.index, share, ".-")
    axes[1].set(xscale="log", xlabel="rows", ylabel="share of the largest gain", ylim=(0.7, 1.02))
    axes[1].set_title("Gain that the variable step finds", fontsize=10)
    return figure


def rank_diagram(chapter):
    """Average ranks by K-L of all methods on the data sets that are counted."""
    others = [chapter.records[name] for name in ("boosting", "criteria")]
    every = pd.concat([chapter.counted, *(chapter.counting(records) for records in others)])
    ranked = [m for m in every.method.unique() if m not in ("UniformPredictor", "StructRF*")]
    title = "Average rank by K-L"
    return critical_difference(every, ranked, "kl_divergence", title)
