"""Figures of the chapter on LDL forests."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from ldlrepro import LDLForest, published
from ldlrepro.datasets import make_toy
from ldlrepro.papers.ldlf import readable
from ldlrepro.papers.ldlf.experiments import LAYERS, PAPER, STOPPED
from ldlrepro.papers.ldlf.tables import (
    CLEAN_SPLIT,
    DUPLICATED,
    ORDER,
    PROTOCOLS,
    SHOWN_AS,
    leaf_rises,
    stages,
)
from ldlrepro.report.claims import printed_numbers
from ldlrepro.report.compare import critical_difference
from ldlrepro.report.evidence import evidence_picture
from ldlrepro.report.plots import nothing, panels, plt
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import agreeing
from ldlrepro.report.values import Share
from ldlrepro.report.yardstick import skill_picture

#: Strategies of the grid beside those of the paper.
LEAKED, HOLD_OUT = f", {DUPLICATED}", ", one hold-out"
NO_RECORDS = "No records of this experiment."
#: Colours of the three labels of the toy rows.
PRIMARIES = ("#d62728", "#2ca02c", "#1f77b4")


def figure_1(chapter):
    """Figure 1: the first row of Movie with one mode, and the first with most modes."""
    bunch = chapter.bunch("Movie")
    D = bunch.D
    padded = np.pad(D, ((0, 0), (1, 1)), constant_values=-1)
    modes = ((D > padded[:, :-2] + 1e-3) & (D > padded[:, 2:] + 1e-3)).sum(axis=1)
    figure, axes = plt.subplots(1, 2, figsize=(9, 2.8))
    for axis, row in zip(axes, ((modes == 1).argmax(), modes.argmax()), strict=True):
        axis.bar(range(1, D.shape[1] + 1), D[row])
        axis.set_title(f"{bunch.display}, row {row}", fontsize=9)
        axis.set(xlabel="label: a rating of 1 to 5", ylabel="description degree")
    figure.tight_layout()
    return figure


def figure_2():
    """Figure 2: two trees whose split nodes draw their outputs of f, some of them the same."""
    rng = np.random.default_rng(3)
    depth, outputs = 3, np.linspace(0.06, 0.94, 5)
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
                axis.scatter(x, y, s=1100, color="C0", zorder=3)
                axis.text(x, y, text, fontsize=9, color="white", **centred)
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


def soft_tree():
    """One tree of four leaves on the toy rows: where each leaf answers, and what it holds.

    The background of a map is the chance of reaching the leaf. The bars are the leaf's
    distribution after the first update of the leaves, with random splits, and after training.
    """
    toy = make_toy(random_state=0)
    shape = {"depth": 3, "n_outputs": 3, "dtype": "float64"}
    tree = LDLForest(1, **shape, max_iter=1000, validation_fraction=0, path=(0,), random_state=0)
    tree.fit(toy.X, toy.D)
    (before,), (after,) = tree.path_[0].leaves, tree.trees_.leaves
    outputs = (toy.X_test - tree.shift_) * tree.factor_ @ tree.trees_.theta
    reach = readable.routing(readable.split(outputs[:, tree.trees_.phi[0]]))
    figure, axes = plt.subplots(2, 5, figsize=(8, 3.9))
    surface = {"extent": (-1, 1, -1, 1), "origin": "lower"}
    maps = {"the labels": toy.D_test, "the tree": tree.predict(toy.X_test)}
    for axis, (title, degrees) in zip(axes[:, 0], maps.items(), strict=True):
        axis.imshow(_as_colours(degrees), **surface)
        axis.set_title(title, fontsize=9)
    turns = ("left, left", "left, right", "right, left", "right, right")
    for leaf, turn in enumerate(turns):
        above, below = axes[:, leaf + 1]
        above.imshow(reach[:, leaf].reshape(51, 51), cmap="gray_r", vmin=0, vmax=1, **surface)
        above.set_title(f"leaf {leaf + 1}\n{turn}", fontsize=9)
        below.bar(range(3), after[leaf], color=PRIMARIES)
        below.hlines(before[leaf], np.arange(3) - 0.42, np.arange(3) + 0.42, "black", linewidth=2)
        below.set(xticks=range(3), xticklabels=["red", "green", "blue"], ylim=(0, 1))
        below.set_yticks([0, 0.5, 1] if leaf == 0 else [])
        below.tick_params(labelsize=8, length=0)
        below.grid(False)
    for axis in (*axes[0], axes[1, 0]):
        axis.set(xticks=[], yticks=[])
        axis.grid(False)
    small = {"fontsize": 8}
    axes[0, 0].set_xlabel("$x_1$", labelpad=1, **small)
    axes[0, 0].set_ylabel("$x_2$", labelpad=1, **small)
    axes[0, 1].set_ylabel("chance of the leaf:\nblack is one", **small)
    axes[1, 1].set_ylabel("what the leaf holds", **small)
    axes[1, 1].text(
        2.5, 0.94, "line: first update\nbar: after training", ha="right", va="top", **small
    )
    figure.suptitle("Four leaves, mixed softly, paint the whole surface", fontsize=11)
    figure.tight_layout(w_pad=0.4)
    return figure


def _as_colours(degrees):
    """Degrees (2601, 3) of the toy surface as a picture in red, green and blue."""
    return degrees.reshape(51, 51, 3) / degrees.max()


def evidence(chapter):
    """Every method of Table 1 on Movie by K-L: printed and ours beside the mean predictor."""
    movie = chapter.compared[chapter.compared.dataset == "Movie"]
    rows = SimpleNamespace(  # methods stand where other chapters have data sets
        compared=movie.assign(dataset=movie.method, method="Movie"),
        names={method: method for method in ORDER},
        excluded_datasets=list(ORDER) if "Movie" in chapter.excluded_datasets else [],
    )
    found = agreeing(movie[movie.method == "sLDLF"])
    title = f"Movie: our sLDLF matches {found.agree} of {found.tell}\ninformative printed numbers"
    return evidence_picture(rows, "Movie", "kl_divergence", chapter.null_in_words, title)


def skill(chapter):
    """`skill_picture` of this chapter, whose marks lie to the right of the mean predictor."""
    figure = skill_picture(chapter.ours, chapter.printed, chapter.names, chapter.order)
    for axis in figure.axes:
        low, high = axis.dataLim.intervalx
        if np.isfinite([low, high]).all():  # where there is anything to draw
            axis.set_xlim(min(low, 0) - 0.04, high + 0.04)
    return figure


def rank_diagram(chapter):
    """Average ranks by K-L of the methods in the tables, on the data sets that count."""
    present = set(chapter.tables.method) - {"UniformPredictor"}
    ranked = [m for m in ORDER if m in present]
    title = "Average rank by K-L on clean splits"
    return critical_difference(chapter.counted, ranked, "kl_divergence", title)


#: Methods of the picture of Movie, by their names in records: sLDLF's, then others.
_ON_MOVIE = (
    "sLDLF, section 4",
    STOPPED,
    "sLDLF, section 4, features scaled",
    "sLDLF, rate 100",
    *(f"sLDLF, released script, {words}" for words in LAYERS.values()),
    "StructRF",
    "SA-BFGS",
    "1-nearest-neighbour",
)


def movie(chapter):
    """K-L on Movie, clean split and duplicated rows: a row a method, beside the printed number."""
    every = chapter.protocol_cells
    every = every[(every.dataset == "Movie") & (every.kept == "lowest on test")]
    kl = every.groupby(["method", "rows"])["kl_divergence"].agg(["mean", "std"])
    there = [m for m in _ON_MOVIE if (m, CLEAN_SPLIT) in kl.index and (m, DUPLICATED) in kl.index]
    if not there:
        return nothing(NO_RECORDS)
    figure, axis = plt.subplots(figsize=(5.4, 1.9 + 0.3 * len(there)), layout="constrained")
    for rows, mark, colour, fill in (
        (CLEAN_SPLIT, "o", "C0", "C0"),
        (DUPLICATED, "D", "C1", "white"),
    ):
        mine = kl.loc[[(m, rows) for m in there]]
        axis.errorbar(
            *(mine["mean"], range(len(there)), None, mine["std"]),
            **{"fmt": mark, "color": colour, "markerfacecolor": fill, "label": rows},
        )
    words = {"va": "center", "fontsize": 9}
    if ("MeanPredictor", CLEAN_SPLIT) in kl.index:
        null = kl.loc[("MeanPredictor", CLEAN_SPLIT), "mean"]
        axis.vlines(null, -0.8, len(there), color="0.5", linewidth=1)
        axis.text(null, -0.55, f" {chapter.null_in_words}", color="0.3", **words)
    printed = chapter.printed_kl.get("Movie")
    if printed is not None:
        axis.axvline(printed, color="black", linewidth=1)
        axis.text(printed, -1.05, f" printed {printed:.3f}", **words)
    axis.set_yticks(range(len(there)), [SHOWN_AS.get(m, m) for m in there])
    axis.set_ylim(len(there) - 0.5, -1.4)
    axis.locator_params(axis="x", nbins=5)
    axis.set_xlabel("K-L, the iteration picked on the test rows")
    figure.legend(loc="outside lower left", ncols=2)
    declared_own = {
        m.name
        for e in PAPER.experiments
        for m in e.methods
        if (m.settings or {}).get("learner") == "sLDLF"
    }
    own = kl.loc[[(m, r) for m, r in kl.index if m in declared_own & set(there)], "mean"]
    title = _movie_title(own.unstack("rows"), printed)
    figure.suptitle(title, x=0.01, ha="left", weight="bold", fontsize=10)
    return figure


def _movie_title(own, printed):
    """The point of `movie`: how many sLDLF (rows of ``own``) come down to the printed number."""
    if printed is None or own[CLEAN_SPLIT].min() <= printed:
        return "Movie: clean splits and duplicated rows"
    reach = Share.of(own[DUPLICATED] <= printed)
    return (
        f"Movie: no sLDLF reaches the printed {printed:.3f} on a clean split;\n"
        f"{reach} do with duplicated rows"
    )


_MARKS = "os^Dv"


def iterations(chapter):
    """K-L against iterations: a row a data set, clean splits beside duplicated rows."""
    frames = []
    for name, frame in chapter.protocol_records.items():
        frame = frame.assign(stage=stages(frame), rows=name).dropna(subset="stage")
        frames.append(frame[declared(frame, "learner") == "sLDLF"])
    kl = chapter.printed.query("measure == 'kl_divergence' and method == 'sLDLF'")
    long, printed = pd.concat(frames), kl.set_index("dataset")["mean"].to_dict()
    shown = [d for d in chapter.names if d in set(long.dataset)]
    if not shown:
        return nothing(NO_RECORDS)
    mean = long.groupby(["dataset", "method", "rows", "stage"], sort=False)["kl_divergence"].mean()
    mean = mean.reset_index()
    figure, axes = plt.subplots(
        *(len(shown), len(PROTOCOLS)),
        figsize=(6.6, 1.5 + 1.6 * len(shown)),
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    # Lines may lie on each other: each is thinner than the one below it.
    looks = {
        m: {"color": f"C{i}", "marker": _MARKS[i], "linewidth": 2.6 - 0.4 * i, "markersize": 7 - i}
        for i, m in enumerate(dict.fromkeys(mean.method))
    }
    for row, dataset in zip(axes, shown, strict=True):
        mine = mean[mean.dataset == dataset]
        for axis, kind in zip(row, PROTOCOLS, strict=True):
            for method, line in mine[mine.rows == kind].groupby("method", sort=False):
                every = {"markevery": -(-len(line) // 8)}
                axis.plot(line.stage, line.kl_divergence, **every, **looks[method])
            if dataset in printed:
                axis.axhline(printed[dataset], color="black", linestyle=":")
            axis.set_xscale("log")
            axis.set_xticks([100, 1000], ["100", "1000"])
            axis.minorticks_off()
        row[0].set_ylabel(f"{chapter.names[dataset].replace(' (', chr(10) + '(')}\ntest K-L")
        low = mine.kl_divergence.min()
        row[0].set_ylim(0.9 * low, min(mine.kl_divergence.max() * 1.05, 5 * low))
    for above, below, words in zip(axes[0], axes[-1], PROTOCOLS.values(), strict=True):
        above.set_title(words, fontsize=10)
        below.set_xlabel("iterations")
    known = [plt.Line2D([], [], **look) for look in looks.values()]
    names = [SHOWN_AS.get(method, method) for method in looks]
    if any(dataset in printed for dataset in shown):
        known.append(plt.Line2D([], [], color="black", linestyle=":"))
        names.append("printed for sLDLF")
    figure.legend(known, names, loc="outside lower left", ncols=2, fontsize=9, handlelength=3)
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
        "figure_4_rates_drawn": LEAKED,
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


#: Lines of Figure 4 on Movie: strategy, colour, mark, dash and name in the legend.
_SLDLF, _NDF, _OWN = ("C0", "o"), ("C1", "s"), ("C2", "^")
_LINES = (
    (
        "Trees, one learning rate",
        "trees",
        (
            ("sLDLF", *_SLDLF, "-", "sLDLF"),
            ("sNDF-LDL", *_NDF, "-", "sNDF-LDL, iterations shared"),
            ("sNDF-LDL, each its own iterations", *_OWN, "-", "sNDF-LDL, full iterations each"),
        ),
    ),
    (
        "Trees, learning rate chosen",
        "trees",
        (
            ("sLDLF, rate chosen", *_SLDLF, "-", None),
            ("sNDF-LDL, rate chosen", *_NDF, "-", None),
            (f"sLDLF, rate chosen{LEAKED}", *_SLDLF, "--", f"sLDLF, {DUPLICATED}"),
            (f"sNDF-LDL, rate chosen{LEAKED}", *_NDF, "--", f"sNDF-LDL, {DUPLICATED}"),
        ),
    ),
    (
        "Depth of a single tree",
        "depth",
        (
            ("sLDLF, one tree", *_SLDLF, "-", None),
            (f"sLDLF, one tree{HOLD_OUT}", "C4", "v", "-.", "sLDLF, a single hold-out"),
        ),
    ),
)


def figure_4_on_movie(chapter):
    """Figure 4 on Movie: trees at one learning rate and at a chosen one, depth, printed numbers."""
    grid, printed = chapter.grid, printed_numbers(published.claims("ldlf"))
    if grid.empty:
        return nothing(NO_RECORDS)
    said = {
        "trees": {k: printed[f"kl-at-{k}-trees"] for k in (20, 100)},
        "depth": {h: printed[f"kl-at-depth-{h}"] for h in (9, 18)},
    }
    figure, axes = plt.subplots(2, 2, figsize=(6.6, 5.2), layout="constrained")
    for axis, (title, by, lines) in zip(axes.flat, _LINES, strict=False):
        for strategy, colour, mark, dash, name in lines:
            line = grid[grid.strategy == strategy].groupby(by)["kl_divergence"]
            line = line.agg(["mean", "std"])
            axis.errorbar(
                *(line.index, line["mean"], line["std"]),
                **{"color": colour, "marker": mark, "linestyle": dash, "markersize": 5},
                **{"capsize": 2, "label": name or "_", "markerfacecolor": _fill(dash, colour)},
            )
        if chapter.profile == "paper":
            axis.plot(said[by].keys(), said[by].values(), "kD", label="printed")
        axis.set(ylabel="K-L", xlabel="trees" if by == "trees" else "depth (levels)")
        axis.set_title(title, fontsize=10)
    for axis in axes[0]:
        axis.set_xscale("log")
        ticks = sorted(grid.trees.dropna().unique())
        axis.set_xticks(ticks, [f"{t:.0f}" for t in ticks])
        axis.set_xticks([], minor=True)
        axis.set_ylim(*_common(axes[0]))
    axes[1, 1].axis("off")
    known = {}
    for axis in axes.flat[:3]:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    axes[1, 1].legend(known.values(), known, loc="center left", fontsize=9, handlelength=3)
    return figure


def _fill(dash, colour):
    """Marks of dashed lines are open."""
    return "white" if dash == "--" else colour


def _common(axes):
    """Lowest and highest limit of some axes."""
    limits = [axis.get_ylim() for axis in axes]
    return min(low for low, _ in limits), max(high for _, high in limits)


def leaf_updates(chapter):
    """Mean loss of the trees after each step of Eq. 12, a line an update of the leaves."""
    study = chapter.study("leaf_updates")["leaf_updates"]
    figure, axes = panels(study.dataset.nunique(), 3, 7, 2.5, layout="constrained")
    for axis, (dataset, mine) in zip(axes.flat, study.groupby("dataset", sort=False), strict=False):
        mine = mine[mine.fold == 0]
        last = mine["update"].max()
        for update, line in mine.groupby("update"):
            axis.plot(line.step, line.loss, color=plt.cm.viridis(0.9 * update / last))
            if update in (1, last):
                axis.annotate(
                    *(f"update {update}", (line.step.max(), line.loss.iloc[-1]), (0, -1)),
                    **{"textcoords": "offset points", "ha": "right", "va": "top", "fontsize": 9},
                )
        axis.margins(y=0.13)
        axis.set_title(chapter.names.get(dataset, dataset), fontsize=10)
        axis.set_xlabel("steps of Eq. 12")
        axis.ticklabel_format(useOffset=False)
        axis.locator_params(axis="y", nbins=4)
    axes[0, 0].set_ylabel("loss, Eq. 3")
    rises = leaf_rises(study)
    title = "No step raises the loss" if not rises else f"{rises} steps raise the loss"
    figure.suptitle(title, x=0.01, ha="left", weight="bold", fontsize=10)
    return figure


def timed(grid):
    """Fits at one rate whose seconds can be compared, with a column of split nodes x trees.

    They are those on the machine that made most of them. Deep trees have as many training rows as
    the others, and labels are 5 throughout (section 4.3).
    """
    fits = grid.assign(strategy=grid.strategy.str.removesuffix(HOLD_OUT))
    fits = fits[fits.strategy.isin(["sLDLF", "sLDLF, one tree"])]
    fits = fits[fits.machine.isin(fits.machine.mode()[:1])]
    nodes = fits.trees.fillna(1) * (2 ** (fits.depth.fillna(7) - 1) - 1)
    return fits.assign(nodes=nodes)


def seconds_by_nodes(grid):
    """Median training seconds of the fits that are `timed`, by strategy and nodes: a Series."""
    return timed(grid).groupby(["strategy", "nodes"])["fit_seconds"].median()


def times(chapter):
    """Training seconds against the split nodes of all trees, beside growth in proportion."""
    if chapter.grid.empty:
        return nothing(NO_RECORDS)
    figure, axis = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    names = {"sLDLF": "more trees", "sLDLF, one tree": "one deeper tree"}
    lines = seconds_by_nodes(chapter.grid).groupby(level="strategy")
    for (strategy, line), mark in zip(lines, "os", strict=False):
        nodes = line.index.get_level_values("nodes").to_numpy(float)
        axis.plot(nodes, line, f"{mark}-", label=names[strategy], markersize=5)
        axis.plot(nodes[[0, -1]], line.iloc[0] * nodes[[0, -1]] / nodes[0], "--", color="0.5")
    axis.plot([], [], "--", color="0.5", label="in proportion to the split nodes")
    axis.set(xscale="log", yscale="log", xlabel="split nodes of all trees", ylabel="seconds")
    machines = " and ".join(sorted(set(timed(chapter.grid).machine)))
    title = "Seconds of training: 1000 iterations of 1000 rows on Movie"
    axis.set_title(f"{title}\n({machines})", fontsize=10)
    axis.legend(fontsize=9)
    return figure
