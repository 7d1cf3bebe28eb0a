"""Figures of the chapter on LDL forests."""

import numpy as np
import pandas as pd

from ldlrepro.papers.ldlf.tables import ORDER, PROTOCOLS, stages
from ldlrepro.report.compare import critical_difference
from ldlrepro.report.plots import legend_below, nothing, panels, plt
from ldlrepro.report.settings import declared
from ldlrepro.report.yardstick import skill_picture

#: Strategies of the grid beside those of the paper.
DRAWN, HOLD_OUT = ", drawn rows", ", one hold-out"
NO_RECORDS = "No records of this experiment."


def skill(chapter):
    """Skill of every method on every data set, the paper's methods in its order."""
    return skill_picture(chapter.ours, chapter.printed, chapter.names, ORDER)


def figure_1(chapter):
    """Figure 1: a distribution with one mode and one with several: fewest and most in Movie."""
    bunch = chapter.bunch("Movie")
    D = bunch.D
    padded = np.pad(D, ((0, 0), (1, 1)), constant_values=-1)
    modes = ((D > padded[:, :-2] + 1e-3) & (D > padded[:, 2:] + 1e-3)).sum(axis=1)
    figure, axes = plt.subplots(1, 2, figsize=(9, 2.8))
    for axis, row in zip(axes, (modes.argmin(), modes.argmax()), strict=True):
        axis.bar(range(D.shape[1]), D[row])
        axis.set_title(f"{bunch.display}, row {row}", fontsize=9)
        axis.set(xlabel="label", ylabel="description degree")
    figure.tight_layout()
    return figure


def figure_2():
    """Figure 2: two trees whose split nodes draw their outputs of f, some of them the same."""
    rng = np.random.default_rng(3)
    depth, outputs = 3, np.linspace(0.2, 0.8, 5)
    splits = 2 ** (depth - 1) - 1
    centred = {"ha": "center", "va": "center", "zorder": 4}
    figure, axis = plt.subplots(figsize=(9, 4))
    axis.scatter(outputs, np.ones_like(outputs), s=420, color="C1", zorder=3)
    for i, x in enumerate(outputs):
        axis.text(x, 1.0, f"$f_{i + 1}$", **centred)
    for tree in range(2):
        drawn = rng.permutation(len(outputs))[:splits]
        places = []
        for node in range(2**depth - 1):
            level = int(np.log2(node + 1))
            x = 0.52 * tree + 0.48 * (node - 2**level + 1.5) / 2**level
            y = 0.75 - 0.24 * level
            places.append((x, y))
            if node:
                axis.plot(*zip(places[(node - 1) // 2], (x, y), strict=True), color="0.5", zorder=1)
            if node < splits:
                output = drawn[node]
                text = rf"$\varphi_{tree + 1}$={output + 1}"
                axis.scatter(x, y, s=320, color="C0", zorder=3)
                axis.text(x, y, text, fontsize=6, color="white", **centred)
                line = [x, outputs[output]], [y, 1.0]
                axis.plot(*line, "k--", linewidth=0.6, alpha=0.5, zorder=0)
                continue
            for j, degree in enumerate(rng.dirichlet(np.ones(4))):
                corner = (x - 0.04 + 0.02 * j, y - 0.1)
                axis.add_patch(plt.Rectangle(corner, 0.018, 0.14 * degree, color="C2"))
    axis.set(xlim=(-0.02, 1.02), ylim=(0.08, 1.08))
    axis.axis("off")
    axis.set_title("Two trees share the outputs of f; leaves hold distributions (schematic)")
    figure.tight_layout()
    return figure


def rank_diagram(chapter):
    """Average ranks by K-L of the methods in the tables, on the data sets that count."""
    present = set(chapter.tables.method) - {"UniformPredictor"}
    ranked = [m for m in ORDER if m in present]
    title = "Average rank by K-L (Nemenyi, 5%)"
    return critical_difference(chapter.counted, ranked, "kl_divergence", title)


def iterations(chapter):
    """K-L against iterations, distinct rows in full lines and drawn ones in dashed lines."""
    frames = []
    for name, frame in chapter.protocol_records.items():
        frame = frame.assign(stage=stages(frame), rows=name).dropna(subset="stage")
        frames.append(frame[declared(frame, "learner") == "sLDLF"])
    long, printed = pd.concat(frames), chapter.printed_kl
    shown = [d for d in chapter.names if d in set(long.dataset)]
    if not shown:
        return nothing(NO_RECORDS)
    mean = long.groupby(["dataset", "method", "rows", "stage"], sort=False)["kl_divergence"].mean()
    mean = mean.reset_index()
    figure, axes = panels(len(shown), 3, 10, 2.8)
    colours = {m: f"C{i}" for i, m in enumerate(mean.method.unique())}
    for axis, dataset in zip(axes.flat, shown, strict=False):
        mine = mean[mean.dataset == dataset]
        for (method, kind), line in mine.groupby(["method", "rows"], sort=False):
            style = ".-" if kind == "distinct_rows" else ".--"
            label = f"{method}, {PROTOCOLS[kind]}"
            axis.plot(line.stage, line.kl_divergence, style, color=colours[method], label=label)
        if dataset in printed:
            axis.axhline(printed[dataset], color="black", linestyle=":", linewidth=1)
        axis.set(xscale="log", title=chapter.names[dataset], xlabel="iterations")
        low = mine.kl_divergence.min()
        axis.set_ylim(0.9 * low, min(mine.kl_divergence.max() * 1.05, 5 * low))
    for axis in axes[:, 0]:
        axis.set_ylabel("K-L")
    legend_below(figure, axes[0, 0], 0.17 if len(axes) > 1 else 0.3, columns=2, fontsize=7)
    return figure


def grid_of_figure_4(records):
    """Records of Figure 4 with columns strategy, trees and depth (NaN where fixed)."""
    trees, depth = (declared(records, key).astype(float) for key in ("trees", "depth"))
    # A stage is a number of trees.
    return records.assign(
        trees=trees.fillna(stages(records)), depth=depth, strategy=declared(records, "strategy")
    )


def grid_of(records):
    """`grid_of_figure_4` of every experiment on Figure 4; strategies say which, where it matters.

    Parameters
    ----------
    records : dict, experiment -> records
    """
    suffixes = {
        "figure_4": "",
        "figure_4_rates": "",
        "figure_4_rates_drawn": DRAWN,
        "figure_4_deep": HOLD_OUT,
    }
    grids = []
    for experiment, suffix in suffixes.items():
        grid = grid_of_figure_4(records[experiment])
        grids.append(grid.assign(strategy=grid.strategy + suffix))
    return pd.concat(grids, ignore_index=True)


def line_of(grid, strategy, by="trees"):
    """Mean K-L of a strategy by number of trees, or by depth: a Series, empty where none was run.

    Parameters
    ----------
    grid : result of `grid_of`; by : "trees" or "depth"
    """
    return grid[grid.strategy == strategy].groupby(by)["kl_divergence"].mean()


def figure_4(grid, missing=NO_RECORDS):
    """K-L against the number of trees, and against their depth.

    Parameters
    ----------
    grid : result of `grid_of_figure_4`; missing : what is said where there are no records
    """
    if grid.empty:
        return nothing(missing)
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.5))
    for axis, by, title in (
        (axes[0], "trees", "(a) number of trees"),
        (axes[1], "depth", "(b) depth"),
    ):
        panel = grid[grid[by].notna()]
        for strategy, mine in panel.groupby("strategy", sort=False):
            line = mine.groupby(by)["kl_divergence"].agg(["mean", "std"])
            axis.errorbar(
                line.index, line["mean"], line["std"], fmt=".-", capsize=2, label=strategy
            )
        axis.set(xlabel=by, ylabel="K-L", title=title)
        if panel.empty:
            axis.text(0.5, 0.5, missing, ha="center", va="center", wrap=True, fontsize=7)
        else:
            axis.legend(fontsize=7)
    trees = sorted(grid.trees.dropna().unique())
    axes[0].set_xscale("log")
    axes[0].set_xticks(trees, [f"{t:.0f}" for t in trees])
    axes[0].set_xticks([], minor=True)
    figure.tight_layout()
    return figure


def leaf_updates(chapter):
    """Mean loss of the trees after each application of Eq. 12, a line an update of the leaves."""
    study = chapter.study("leaf_updates")["leaf_updates"]
    figure, axes = panels(study.dataset.nunique(), 3, 9.5, 2.6)
    for axis, (dataset, mine) in zip(axes.flat, study.groupby("dataset", sort=False), strict=False):
        mine = mine[mine.fold == 0]
        for update, line in mine.groupby("update"):
            axis.plot(line.step, line.loss, color=plt.cm.viridis(update / mine["update"].max()))
        axis.set(title=chapter.names.get(dataset, dataset), xlabel="applications of Eq. 12")
    axes[0, 0].set_ylabel("loss, Eq. 3")
    figure.suptitle("Updates of the leaves, first (dark) to last (bright)", fontsize=9)
    figure.tight_layout()
    return figure


def seconds_by_nodes(grid):
    """Median training seconds at one rate, by strategy and split nodes x trees: a Series.

    Labels are 5 throughout (section 4.3).
    """
    fits = grid[grid.strategy.isin(["sLDLF", "sLDLF, one tree"])]
    nodes = fits.trees.fillna(1) * (2 ** (fits.depth.fillna(7) - 1) - 1)
    return fits.assign(nodes=nodes).groupby(["strategy", "nodes"])["fit_seconds"].median()


def times(chapter):
    """Training seconds against split nodes x trees."""
    if chapter.grid.empty:
        return nothing(NO_RECORDS)
    figure, axis = plt.subplots(figsize=(6, 3.2))
    for strategy, line in seconds_by_nodes(chapter.grid).groupby(level="strategy"):
        axis.plot(line.index.get_level_values("nodes"), line, ".-", label=strategy)
    axis.set(xscale="log", yscale="log", xlabel="split nodes D x trees K", ylabel="seconds")
    axis.set_title("Training, 1000 iterations of 1000 rows on Movie")
    axis.legend()
    figure.tight_layout()
    return figure
