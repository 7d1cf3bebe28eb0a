"""Figures of the chapter on StructRF."""

import numpy as np
import pandas as pd

from ldlrepro.kernels import gain as kernel
from ldlrepro.kernels.clustering import two_means
from ldlrepro.report.compare import critical_difference
from ldlrepro.report.plots import curves, name_labels, nothing, plt
from ldlrepro.report.tables import summary

#: Searches of Figures 5 and 6, with their titles.
SEARCHES = {"adaptive": "variable step", "all": "every threshold (at most 100 shown a feature)"}


def figure_1(chapter):
    """Figure 1 on the first row of s-JAFFE."""
    return one_distribution(chapter.bunch("SJAFFE"))


def figure_2(chapter):
    """Figure 2 on s-JAFFE."""
    return one_split(chapter.bunch("SJAFFE"))


def figure_3(chapter):
    """Figure 3 on s-JAFFE."""
    return one_search(chapter.bunch("SJAFFE"))


def one_distribution(bunch, row=0):
    """Figure 1: a row as a single label, a set of labels and a label distribution."""
    d = bunch.D[row]
    panels = {
        "single label": (d == d.max()).astype(float),
        "multi-label": (d > 1 / len(d)).astype(float),
        "label distribution": d,
    }
    figure, axes = plt.subplots(1, 3, figsize=(8.5, 2.6))
    for axis, (title, heights) in zip(axes, panels.items(), strict=True):
        axis.bar(range(len(d)), heights)
        axis.set(title=title)
        name_labels(axis, bunch)
    axes[0].set_ylabel("description degree")
    figure.suptitle(f"Row {row} of {bunch.display}")
    figure.tight_layout()
    return figure


def one_split(bunch, seed=0):
    """Figure 2: the root node, its two clusters in the space of labels, and the best split."""
    X, D = bunch.X, bunch.D
    cluster = _cluster(D, seed)
    XT = np.ascontiguousarray(X.T)
    f, t, g, _ = kernel.search(XT, *_orders(XT), cluster, 0.0, 0.0, *_unvisited(XT))
    centred = D - D.mean(axis=0)
    plane = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3))
    for k in (0, 1):
        there = cluster == k
        axes[0].scatter(*plane[there].T, s=10, alpha=0.7, label=f"cluster {k}")
        axes[1].hist(X[there, f], bins=25, alpha=0.6, label=f"cluster {k}")
    axes[0].set(title="label distributions", xlabel="first principal axis", xticks=[])
    axes[0].set(ylabel="second principal axis", yticks=[])
    axes[1].axvline(t, color="black", linewidth=1)
    axes[1].set(title=f"split at {t:.3g}: gain {g:.3f}", xlabel=f"feature {f}", ylabel="rows")
    axes[0].legend()
    figure.suptitle(f"Root of one tree on {bunch.display}")
    figure.tight_layout()
    return figure


def one_search(bunch, n=100, alpha=0.25, beta=8.0, seed=0):
    """Figure 3: the variable step along one feature of n rows; every gain in grey."""
    rows = np.random.default_rng(seed).permutation(len(bunch.X))[:n]
    cluster = _cluster(bunch.D[rows], seed)
    XT = np.ascontiguousarray(bunch.X[rows].T)
    best = kernel.search(XT, *_orders(XT), cluster, 0.0, 0.0, *_unvisited(XT))[0]
    x = XT[best : best + 1]
    figure, axis = plt.subplots(figsize=(8.5, 3))
    for a, style in ((0.0, {"color": "0.75"}), (alpha, {"color": "C1", "marker": "o"})):
        visited, gains = _unvisited(x)
        kernel.search(x, *_orders(x), cluster, a, beta, visited, gains)
        at = np.flatnonzero(visited[0])
        label = "every threshold" if a == 0 else f"variable step: {len(at)} evaluations"
        axis.plot(at, gains[0, at], label=label, **style)
    axis.set(xlabel=f"rows below the threshold, feature {best}", ylabel="information gain")
    axis.set_title(f"{n} rows of {bunch.display}")
    axis.legend()
    return figure


def iterations(chapter):
    """Test K-L after each number of steps; printed K-L dashed."""
    compared = chapter.compared
    path = summary(chapter.steps, by=("dataset", "method", "stage"), measures=["kl_divergence"])
    printed = compared[(compared.measure == "kl_divergence") & compared.ours.notna()]
    printed = printed.set_index(["dataset", "method"])["published"].to_dict()
    return curves(path, printed, chapter.names, x="stage")


def figure_4(chapter):
    """Chebyshev against depth, for sampling ratios and for numbers of trees: two figures."""
    mean = chapter.grid.groupby(["trees", "ratio", "depth"])["chebyshev"].mean().reset_index()
    for by, fixed, title in (
        ("ratio", mean.trees == 20, "(a) sampling ratio, 20 trees"),
        ("trees", mean.ratio == 0.8, "(b) trees, sampling ratio 0.8"),
    ):
        if not fixed.any():
            nothing("No records of this experiment.")
            continue
        figure, axis = plt.subplots(figsize=(4.3, 3.2))
        for value, line in mean[fixed].groupby(by, sort=True):
            axis.plot(line.depth, line.chebyshev, ".-", label=str(value))
        axis.set(xlabel="largest depth", ylabel="Chebyshev", title=title)
        axis.legend(fontsize=8)
        figure.tight_layout()


def figure_5(chapter):
    """Gains that two searches evaluate, and evaluations for each feature."""
    visits = chapter.study("adaptive_step")["visits"]
    figure, axes = plt.subplots(3, 1, figsize=(8.5, 6.3))
    n = visits.position.max() + 1
    for axis, (step, title) in zip(axes, SEARCHES.items(), strict=False):
        mine = visits[visits.step == step]
        axis.plot(mine.feature + mine.position / n, mine.gain, ".", markersize=2)
        axis.set(title=title, ylabel="gain", xlabel="feature, and position within it")
    count = visits[visits.step == "adaptive"].groupby("feature").size()
    axes[-1].bar(count.index, count)
    axes[-1].set(title="evaluations of the variable step", xlabel="feature", ylabel="number")
    figure.tight_layout()
    return figure


def figure_6(chapter):
    """Time and gain of the variable step against the number of rows, both ways of counting."""
    searches = chapter.study("adaptive_step")["searches"]
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


def rank_diagram(chapter):
    """Average ranks by K-L of all that was run on the data sets that count."""
    others = [chapter.records[name] for name in ("boosting", "criteria")]
    every = pd.concat([chapter.counted, *(chapter.counting(records) for records in others)])
    ranked = [m for m in every.method.unique() if m not in ("UniformPredictor", "StructRF*")]
    title = "Average rank by K-L (Nemenyi, 5%)"
    return critical_difference(every, ranked, "kl_divergence", title)


def _cluster(D, seed):
    cluster = np.zeros(len(D), np.uint8)
    D = np.ascontiguousarray(D)
    two_means(D, np.ones(len(D)), 100, np.array([seed], np.uint64), cluster)
    return cluster


def _orders(XT):
    return (np.argsort(XT, axis=1, kind="stable"),)


def _unvisited(XT):
    return np.zeros(XT.shape, bool), np.zeros(XT.shape)
