"""Figures 1-3 of the StructRF paper, drawn from rows of a data set."""

import matplotlib.pyplot as plt
import numpy as np

from ldlrepro.kernels import gain as kernel
from ldlrepro.kernels.tree import two_means


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
        axis.set(title=title, xticks=range(len(d)))
        axis.set_xticklabels(bunch.label_names, rotation=60, ha="right", fontsize=7)
    figure.suptitle(f"Row {row} of {bunch.display}")
    figure.tight_layout()
    return figure


def one_split(bunch, seed=0):
    """Figure 2: the root node, its two clusters in the space of labels, and the best split."""
    X, D = bunch.X, bunch.D
    cluster = _cluster(D, seed)
    XT = np.ascontiguousarray(X.T)
    f, t, g, _ = kernel.search(XT, *_order(XT), cluster, 0.0, 0.0, *_nothing(XT))
    centred = D - D.mean(axis=0)
    plane = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3))
    for k in (0, 1):
        there = cluster == k
        axes[0].scatter(*plane[there].T, s=10, alpha=0.7, label=f"cluster {k}")
        axes[1].hist(X[there, f], bins=25, alpha=0.6, label=f"cluster {k}")
    axes[0].set(title="label distributions, two principal axes", xticks=[], yticks=[])
    axes[1].axvline(t, color="black", linewidth=1)
    axes[1].set(title=f"feature {f}, split at {t:.3g}: gain {g:.3f}", ylabel="rows")
    axes[0].legend()
    figure.suptitle(f"Root of one tree on {bunch.display}")
    figure.tight_layout()
    return figure


def one_search(bunch, n=100, alpha=0.25, beta=8.0, seed=0):
    """Figure 3: the variable step along one feature of n rows; every gain in grey."""
    rows = np.random.default_rng(seed).permutation(len(bunch.X))[:n]
    cluster = _cluster(bunch.D[rows], seed)
    XT = np.ascontiguousarray(bunch.X[rows].T)
    best = kernel.search(XT, *_order(XT), cluster, 0.0, 0.0, *_nothing(XT))[0]
    x = XT[best : best + 1]
    figure, axis = plt.subplots(figsize=(8.5, 3))
    for a, style in ((0.0, {"color": "0.75"}), (alpha, {"color": "C1", "marker": "o"})):
        visited, gains = _nothing(x)
        kernel.search(x, *_order(x), cluster, a, beta, visited, gains)
        at = np.flatnonzero(visited[0])
        label = "every threshold" if a == 0 else f"variable step: {len(at)} evaluations"
        axis.plot(at, gains[0, at], label=label, **style)
    axis.set(xlabel=f"rows below the threshold, feature {best}", ylabel="information gain")
    axis.set_title(f"{n} rows of {bunch.display}")
    axis.legend()
    return figure


def _cluster(D, seed):
    cluster = np.zeros(len(D), np.uint8)
    D = np.ascontiguousarray(D)
    two_means(D, np.ones(len(D)), 100, np.array([seed], np.uint64), cluster)
    return cluster


def _order(XT):
    return (np.argsort(XT, axis=1, kind="stable"),)


def _nothing(XT):
    return np.zeros(XT.shape, bool), np.zeros(XT.shape)
