"""Figures of the chapter on LDL forests."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldlrepro.papers.ldlf.tables import ORDER, PROTOCOLS
from ldlrepro.report.compare import critical_difference
from ldlrepro.report.plots import legend_below, nothing, panels
from ldlrepro.report.settings import declared


def iterations(records, names, printed):
    """K-L against iterations, distinct rows in full lines and drawn ones in dashed lines.

    Parameters
    ----------
    records : dict as for `protocol_cells`
    printed : dict, data set -> printed K-L of sLDLF
    """
    frames = []
    for name, frame in records.items():
        stage = [p.get("stage", np.nan) for p in frame.parameters]
        frame = frame.assign(stage=stage, rows=name).dropna(subset="stage")
        frames.append(frame[declared(frame, "learner") == "sLDLF"])
    long = pd.concat(frames)
    there = [d for d in names if d in set(long.dataset)]
    if not there:
        return nothing("No records of this experiment.")
    mean = long.groupby(["dataset", "method", "rows", "stage"], sort=False)["kl_divergence"].mean()
    mean = mean.reset_index()
    figure, axes = panels(len(there), 3, 10, 2.8)
    colours = {m: f"C{i}" for i, m in enumerate(mean.method.unique())}
    for axis, dataset in zip(axes.flat, there, strict=False):
        mine = mean[mean.dataset == dataset]
        for (method, kind), line in mine.groupby(["method", "rows"], sort=False):
            style = ".-" if kind == "distinct_rows" else ".--"
            label = f"{method}, {PROTOCOLS[kind]}"
            axis.plot(line.stage, line.kl_divergence, style, color=colours[method], label=label)
        if dataset in printed:
            axis.axhline(printed[dataset], color="black", linestyle=":", linewidth=1)
        axis.set(xscale="log", title=names[dataset], xlabel="iterations")
        low = mine.kl_divergence.min()
        axis.set_ylim(0.9 * low, min(mine.kl_divergence.max() * 1.05, 5 * low))
    for axis in axes[:, 0]:
        axis.set_ylabel("K-L")
    legend_below(figure, axes[0, 0], 0.17 if len(axes) > 1 else 0.3, columns=2, fontsize=7)
    return figure


def rank_diagram(chapter):
    """Average ranks by K-L of the methods in the tables, on the data sets that count."""
    present = set(chapter.tables.method) - {"UniformPredictor"}
    ranked = [m for m in ORDER if m in present]
    title = "Average rank by K-L (Nemenyi, 5%)"
    return critical_difference(chapter.counted, ranked, "kl_divergence", title)


def grid_of_figure_4(records):
    """Records of Figure 4 with columns strategy, trees and depth (NaN where fixed)."""
    trees, depth = (declared(records, key).astype(float) for key in ("trees", "depth"))
    stage = pd.Series([p.get("stage", np.nan) for p in records.parameters], index=records.index)
    # A stage is a number of trees.
    return records.assign(
        trees=trees.fillna(stage), depth=depth, strategy=declared(records, "strategy")
    )


#: Strategies of the grid beside those of the paper.
DRAWN, HOLD_OUT = ", drawn rows", ", one hold-out"


def grid_of(records):
    """`grid_of_figure_4` of every experiment on Figure 4; strategies say which, where it matters.

    Parameters
    ----------
    records : dict, experiment -> records
    """
    parts = [grid_of_figure_4(records["figure_4"])]
    for name, suffix in (
        ("figure_4_rates", ""),
        ("figure_4_rates_drawn", DRAWN),
        ("figure_4_deep", HOLD_OUT),
    ):
        part = grid_of_figure_4(records[name])
        parts.append(part.assign(strategy=part.strategy + suffix))
    return pd.concat(parts, ignore_index=True)


def leaf_updates(study, names):
    """Mean loss of the trees after each application of Eq. 12, a line an update of the leaves.

    Parameters
    ----------
    study : rows of the study of this name; names : dict, data set -> name
    """
    figure, axes = panels(study.dataset.nunique(), 3, 9.5, 2.6)
    for axis, (dataset, mine) in zip(axes.flat, study.groupby("dataset", sort=False), strict=False):
        mine = mine[mine.fold == 0]
        for update, line in mine.groupby("update"):
            axis.plot(line.step, line.loss, color=plt.cm.viridis(update / mine["update"].max()))
        axis.set(title=names.get(dataset, dataset), xlabel="applications of Eq. 12")
    axes[0, 0].set_ylabel("loss, Eq. 3")
    figure.suptitle("Updates of the leaves, first (dark) to last (bright)", fontsize=9)
    figure.tight_layout()
    return figure


def figure_4(grid, missing="No records of this experiment."):
    """K-L against the number of trees, and against their depth.

    Parameters
    ----------
    grid : result of `grid_of_figure_4`; missing : what is said where there are no records
    """
    if grid.empty:
        return nothing(missing)
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.5))
    for axis, x, part in (
        (axes[0], "trees", grid[grid.trees.notna()]),
        (axes[1], "depth", grid[grid.depth.notna()]),
    ):
        for strategy, mine in part.groupby("strategy", sort=False):
            line = mine.groupby(x)["kl_divergence"].agg(["mean", "std"])
            axis.errorbar(
                line.index, line["mean"], line["std"], fmt=".-", capsize=2, label=strategy
            )
        axis.set(xlabel=x, ylabel="K-L")
        if part.empty:
            axis.text(0.5, 0.5, missing, ha="center", va="center", wrap=True, fontsize=7)
        else:
            axis.legend(fontsize=7)
    trees = sorted(grid.trees.dropna().unique())
    axes[0].set_xscale("log")
    axes[0].set_xticks(trees, [f"{t:.0f}" for t in trees])
    axes[0].set_xticks([], minor=True)
    axes[0].set_title("(a) number of trees")
    axes[1].set_title("(b) depth")
    figure.tight_layout()
    return figure


def times(grid):
    """Training seconds against split nodes x trees; labels are 5 throughout (section 4.3)."""
    if grid.empty:
        return nothing("No records of this experiment.")
    mine = grid[grid.strategy.isin(["sLDLF", "sLDLF, one tree"])]
    work = mine.trees.fillna(1) * (2 ** (mine.depth.fillna(7) - 1) - 1)
    seconds = (
        mine.assign(work=work).groupby(["strategy", "work"], sort=False)["fit_seconds"].median()
    )
    figure, axis = plt.subplots(figsize=(6, 3.2))
    for strategy, line in seconds.groupby(level=0, sort=False):
        line = line.droplevel(0).sort_index()
        axis.plot(line.index, line, ".-", label=strategy)
    axis.set(xscale="log", yscale="log", xlabel="split nodes D x trees K", ylabel="seconds")
    axis.set_title("Training, 1000 iterations of 1000 rows on Movie")
    axis.legend()
    figure.tight_layout()
    return figure


def figure_1(bunches):
    """Figure 1: distributions with one mode and with several, the rows with fewest and most."""
    figure, axes = plt.subplots(1, len(bunches), figsize=(4.5 * len(bunches), 2.8))
    for axis, (bunch, most) in zip(axes, bunches, strict=True):
        D = bunch.D
        padded = np.pad(D, ((0, 0), (1, 1)), constant_values=-1)
        modes = ((D > padded[:, :-2] + 1e-3) & (D > padded[:, 2:] + 1e-3)).sum(axis=1)
        row = int(modes.argmax() if most else modes.argmin())
        axis.bar(range(D.shape[1]), D[row])
        axis.set_title(f"{bunch.display}, row {row}", fontsize=9)
        axis.set(xlabel="label", ylabel="description degree")
    figure.tight_layout()
    return figure


def figure_2(seed=3, depth=3, outputs=5):
    """Figure 2: two trees whose split nodes draw their outputs of f, some of them the same."""
    rng = np.random.default_rng(seed)
    figure, axis = plt.subplots(figsize=(9, 4))
    at = np.linspace(0.2, 0.8, outputs)
    axis.scatter(at, np.full(outputs, 1.0), s=420, color="C1", zorder=3)
    for i, x in enumerate(at):
        axis.text(x, 1.0, f"$f_{i + 1}$", ha="center", va="center", zorder=4)
    splits = 2 ** (depth - 1) - 1
    for tree in range(2):
        left, width = 0.52 * tree, 0.48
        drawn = rng.permutation(outputs)[:splits]
        places = []
        for node in range(2**depth - 1):
            level = int(np.log2(node + 1))
            x = left + width * (node - 2**level + 1.5) / 2**level
            y = 0.75 - 0.24 * level
            places.append((x, y))
            if node:
                axis.plot(*zip(places[(node - 1) // 2], (x, y), strict=True), color="0.5", zorder=1)
            if node < splits:
                axis.scatter(x, y, s=320, color="C0", zorder=3)
                axis.text(
                    x,
                    y,
                    rf"$\varphi_{tree + 1}$={drawn[node] + 1}",
                    ha="center",
                    va="center",
                    fontsize=6,
                    color="white",
                    zorder=4,
                )
                axis.plot([x, at[drawn[node]]], [y, 1.0], "k--", linewidth=0.6, alpha=0.5, zorder=0)
            else:
                q = rng.dirichlet(np.ones(4))
                for j, height in enumerate(q):
                    axis.add_patch(
                        plt.Rectangle(
                            (x - 0.04 + 0.02 * j, y - 0.1), 0.018, 0.14 * height, color="C2"
                        )
                    )
    axis.set(xlim=(-0.02, 1.02), ylim=(0.08, 1.08))
    axis.axis("off")
    axis.set_title("Two trees share the outputs of f; leaves hold distributions (schematic)")
    figure.tight_layout()
    return figure
