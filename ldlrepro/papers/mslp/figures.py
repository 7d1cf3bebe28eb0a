"""Figures of the chapter on MSLP; each picture of an embedding has a number in its title."""

import numpy as np
from matplotlib.ticker import PercentFormatter
from scipy.spatial.distance import pdist
from sklearn.manifold import trustworthiness

from ldlrepro import LPP, MSLP, datasets
from ldlrepro.datasets.registry import EMOTIONS
from ldlrepro.models.embedding import neighbour_sets
from ldlrepro.papers.mslp.studies.embedding import NEIGHBORS, UNPENALISED
from ldlrepro.papers.mslp.studies.faces import NEUTRAL, groups
from ldlrepro.papers.mslp.tables import EMBEDDINGS, first_places, methods_with
from ldlrepro.report.plots import name_labels, nothing, plt
from ldlrepro.report.settings import declared
from ldlrepro.report.values import Share
from ldlrepro.report.yardstick import skill_picture

#: Of the emotions and neutral, so that they differ without colours too.
_MARKERS = "osD^v*X"
#: Lines of the sensitivity figure by lambda: dashed, full, dotted; the upper ones are thinner.
_LAMBDAS = {
    0.0: {"linestyle": "--", "color": "C1", "marker": "s", "markersize": 7, "linewidth": 3.5},
    0.01: {"linestyle": "-", "color": "C0", "marker": "o", "markersize": 5, "linewidth": 2},
    0.1: {"linestyle": ":", "color": "C2", "marker": "^", "markersize": 3, "linewidth": 1.2},
}
#: What is changed, in words.
_CHANGES = {
    "MSLP, attraction only": "no push (beta = 1)",
    "MSLP, hetero-neighbours only": "push only (beta = 0)",
    "MSLP, neighbours among all rows": "label neighbours\namong all rows",
    "MSLP, no penalty": "no penalty (lambda = 0)",
}


def figures_1_and_4(chapter):
    """The label distribution of the first row of three data sets."""
    bunches = [chapter.bunch(name) for name in ("Natural_Scene", "SJAFFE", "SCUT_FBP")]
    figure, axes = plt.subplots(1, 3, figsize=(6.4, 3.1), layout="constrained")
    for axis, bunch in zip(axes, bunches, strict=True):
        axis.bar(range(len(bunch.D[0])), bunch.D[0])
        axis.set_title(f"first row of\n{_in_lines(bunch.display)}", fontsize=9)
        name_labels(axis, bunch)
        axis.set_axisbelow(True)
        axis.tick_params(labelsize=9)
    axes[0].set_ylabel("description degree")
    return figure


def _in_lines(display):
    """A data set's name in a panel's title: a stand-in takes two lines."""
    return display.replace(" for ", "\nfor ")


def who_is_first(chapter):
    """How often each method is first, in print and here: methods that are so anywhere."""
    places = first_places(chapter, chapter.counted)
    there = places[(places.printed > 0) | (places.ours > 0)].sort_values("ours", ascending=False)
    of, best = places.cells.max(), places.ours.idxmax()
    figure, axis = plt.subplots(figsize=(5.0, 1.3 + 0.32 * len(there)), layout="constrained")
    rows = np.arange(len(there))
    axis.hlines(rows, there.printed, there.ours, color="0.8", linewidth=1)
    axis.plot(there.printed, rows, "D", color="C1", markerfacecolor="white", label="printed")
    axis.plot(there.ours, rows, "o", color="C0", label="ours")
    axis.set_yticks(rows, there.index)
    axis.set(xlim=(-0.5, of + 0.5), ylim=(len(there) - 0.4, -0.6))
    axis.set_xlabel(f"first places in {of} comparisons")
    figure.legend(loc="outside lower left", ncols=2)
    figure.suptitle(
        f"In print MSLP is first in {places.printed['MSLP']} of {of}, here "
        f"{best} in {places.ours[best]}",
        x=0.01,
        ha="left",
        weight="bold",
    )
    return figure


def one_row(bunch, is_synthetic=False):
    """The two neighbourhoods of one row, and where it lands: defaults of MSLP, two dimensions.

    The row is that with the most hetero-neighbours. On the left stand the rows of its Nei_x by
    both distances (Eqs. 5 and 6), on the right all rows in the embedding. The title counts the rows
    whose hetero-neighbours land farther than their neighbours, on average over each set. A
    stand-in for real rows is named as `plots.drawn` seeks it; rows meant to be synthetic are not.
    """
    X, D = bunch.X, bunch.D
    ratio = 2 / X.shape[1]
    model, free = MSLP(ratio=ratio).fit(X, D), MSLP(lambda_=0.0, ratio=ratio).fit(X, D)
    sets = neighbour_sets(X, D, model.k_plus, model.k_minus, model.alpha)
    Z = model.transform(X)
    parted, parted_free = (pushed_farther(some, *sets) for some in (Z, free.transform(X)))
    row = int(sets[2].sum(axis=1).argmax())
    nearest, near, hetero = (one[row] for one in sets)
    feature, label = (np.linalg.norm(A[nearest] - A[row], axis=1) for A in (X, D))
    landed = np.linalg.norm(Z[nearest] - Z[row], axis=1) / pdist(Z).mean()
    figure, (sets, plane) = plt.subplots(1, 2, figsize=(6.4, 3.9), width_ratios=[1.15, 1])
    kinds = ((near, "C0", "s"), (hetero, "C1", "^"), (~near & ~hetero, "0.55", "o"))
    plane.scatter(*Z.T, s=7, color="0.8")
    for mask, colour, mark in kinds:
        sets.scatter(feature[mask], label[mask], color=colour, marker=mark, s=34, zorder=3)
        if colour.startswith("C"):
            look = {"edgecolors": "white", "linewidths": 0.7, "s": 38, "zorder": 3}
            plane.scatter(*Z[nearest[mask]].T, color=colour, marker=mark, **look)
    plane.scatter(*Z[row], color="black", marker="*", s=70, zorder=4)
    kept, far = label[near].max(), np.sort(label)[-model.k_plus]
    margin = 0.04 * np.ptp(feature)
    left, first = feature[0] - margin, feature[model.k_plus - 1] + margin / 2
    top = 1.3 * label.max()
    sets.axhspan(0, 1.03 * kept, color="C0", alpha=0.12, linewidth=0)
    sets.fill_between([left, first], 0.97 * far, top, color="C1", alpha=0.15, linewidth=0)
    sets.set(xlim=(left, feature[-1] + margin), ylim=(0, top))
    words = {"fontsize": 9, "transform": sets.get_yaxis_transform()}
    sets.text(0.02, 0.03 * top, "Nei_y: pulled", color="C0", **words)
    sets.text(0.02, 0.97 * top, "HNei: pushed", color="C1", va="top", **words)
    sets.set(xlabel="distance in the features", ylabel="distance in the labels")
    sets.set_title(
        f"Of the {len(nearest)} rows nearest in features to row {row}\n"
        f"labels pick {near.sum()} to pull and {hetero.sum()} to push",
        fontsize=9,
    )
    plane.annotate(f"row {row}", Z[row], (8, 22), textcoords="offset points", fontsize=9)
    plane.locator_params(nbins=4)
    plane.tick_params(labelsize=9)
    plane.set(xlabel="first dimension", ylabel="second dimension")
    plane.set_title(
        "Distance / mean distance of all pairs:\n"
        f"pulled rows {landed[near].mean():.2f}, pushed rows {landed[hetero].mean():.2f}",
        fontsize=9,
    )
    name = _first_up(bunch.display) if is_synthetic else bunch.display
    figure.suptitle(
        f"{name}: pushed rows land farther than pulled ones\n"
        f"for {parted} rows, without a penalty for {parted_free}",
        fontsize=10,
    )
    figure.tight_layout()
    return figure


def _first_up(dataset):
    """A data set's name at the head of a title: that of a stand-in gets a capital."""
    return dataset[0].upper() + dataset[1:] if dataset.startswith("synthetic") else dataset


def pushed_farther(Z, nearest, near, hetero):
    """Rows whose hetero-neighbours land farther than their neighbours, of those that have any.

    Parameters
    ----------
    Z : (n, l)
        Where the rows land.
    nearest, near, hetero : (n, m)
        Result of `neighbour_sets`.

    Returns
    -------
    Share: means over each of the two sets of a row are compared
    """
    landed = np.linalg.norm(Z[nearest] - Z[:, None], axis=2)
    some = hetero.any(axis=1)
    pulled, pushed = (landed[some].mean(axis=1, where=which[some]) for which in (near, hetero))
    return Share.of(pushed > pulled)


def figures_2_and_3(chapter):
    """The sets of neighbours of one synthetic row, and the embeddings that they lead to.

    On top the rows in the plane of two features, coloured by the first degree, on which the other
    two depend: neighbours in the labels sought among all rows (Eq. 3) and among the neighbours in
    the features (Eq. 5), with the hetero-neighbours (Eq. 6). Below the one-dimensional embeddings
    that these sets give, rows in order.
    """
    n, k_plus, alpha = 120, 5, 2
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 2))
    height = (X[:, 1] + 1) / 2  # degrees rise with the second feature ...
    X += np.where(np.arange(n)[:, None] < n // 2, [-2.0, 1.0], [2.0, -1.0])  # ... in two areas
    D = np.column_stack([height, 1 - height, np.full(n, 0.5)]) / 1.5
    row = int(np.abs(X - [-2.5, 1.1]).sum(axis=1).argmin())  # its sets can be seen
    figure, axes = plt.subplots(
        2, 2, figsize=(6.4, 4.4), height_ratios=[3, 1], sharex="row", sharey="row"
    )
    look = {"cmap": "cividis", "edgecolors": "0.5", "linewidths": 0.4}
    everywhere = (n - 1) / k_plus  # alpha for which Nei_x holds all other rows
    for axes_of_one, a, title in (
        (axes[:, 0], everywhere, "Eq. 3:\namong all rows"),
        (axes[:, 1], alpha, f"Eqs. 5 and 6: among the\n{alpha * k_plus} nearest in the features"),
    ):
        nearest, near, hetero = neighbour_sets(X, D, k_plus, alpha=a)
        plane, line = axes_of_one
        rows = plane.scatter(*X.T, c=D[:, 0], s=26, **look)
        for j in nearest[row][near[row]]:
            plane.plot(*X[[row, j]].T, color="black", linewidth=1)
        for j in nearest[row][hetero[row]]:
            plane.plot(*X[[row, j]].T, color="C1", linestyle=(0, (1, 1)), lw=2, zorder=3)
        for which, mark, colour in ((near, "s", "black"), (hetero, "^", "C1")):
            there = X[nearest[row][which[row]]]
            look_of = {"marker": mark, "facecolors": "none", "edgecolors": colour}
            plane.scatter(*there.T, s=44, linewidths=1.5, zorder=4, **look_of)
        plane.scatter(*X[row], s=60, marker="*", color="black", zorder=5)
        plane.set_title(title, fontsize=9.5)
        plane.set(xticks=[], yticks=[], xlabel="first feature")
        z = MSLP(k_plus, alpha=a, beta=1.0, ratio=0.5, lambda_=0.0).fit(X, D).transform(X)[:, 0]
        z = np.sign(np.corrcoef(z, height)[0, 1]) * (z - z.mean()) / z.std()
        line.scatter(z, rng.uniform(-1, 1, n), c=D[:, 0], s=18, **look)
        line.set(yticks=[], xlabel=f"embedding\ntrustworthiness {_kept(D, z[:, None]):.2f}")
    axes[0, 0].set_ylabel("second feature")
    axes[1, 0].set_ylabel("(spread\nat random)", fontsize=9)
    figure.tight_layout()
    figure.colorbar(rows, ax=axes, label="degree of the first label")
    return figure


def figures_5_and_6(chapter):
    """The toy and the noisy toy, their rows coloured by their distributions."""
    n = 3000 if chapter.profile == "paper" else 300
    figure = plt.figure(figsize=(6.4, 5.2))
    grid = figure.add_gridspec(
        *(2, 3),
        **{"width_ratios": (1.35, 1, 1), "left": 0.0, "right": 0.99, "top": 0.9, "bottom": 0.07},
        **{"wspace": 0.4, "hspace": 0.45},
    )
    for i, noise in enumerate((0.0, 0.1)):
        toy = datasets.make_mslp_toy(n, noise=noise)
        axis = figure.add_subplot(grid[i, 0], projection="3d")
        axis.scatter(*toy.X.T, c=toy.D, s=2)
        axis.set_title(f"{toy.display} (synthetic)", fontsize=9.5)
        axis.tick_params(labelsize=9, pad=-4)
        axis.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[-1, 0, 1])
        for k, name in enumerate("xyz", 1):
            getattr(axis, f"set_{name}label")(f"feature {k}", fontsize=9, labelpad=-8)
        for j, (name, model) in enumerate((("MSLP", MSLP(ratio=0.6)), ("LPP", LPP(ratio=0.6))), 1):
            Z = model.fit(toy.X, toy.D).transform(toy.X)
            axis = figure.add_subplot(grid[i, j])
            axis.scatter(*Z.T, c=toy.D, s=2)
            axis.set(xticks=[], yticks=[], xlabel="first dimension", ylabel="second dimension")
            axis.set_title(f"{name}\ntrustworthiness {_kept(toy.D, Z):.3f}", fontsize=9.5)
    return figure


def figure_7(chapter):
    """Two-dimensional embeddings of s-JAFFE, marked by the strongest emotion; neutral in black.

    A few rows land far from all others, so the order along each dimension is drawn.

    Rows nearest to the uniform distribution stand for neutral faces: see `studies.faces.groups`.
    Where the data set is not at hand, a synthetic stand-in is drawn, and the title says so.
    """
    bunch = chapter.bunch("SJAFFE")
    q, c = bunch.X.shape[1], bunch.D.shape[1]
    strongest = groups(bunch.D)
    name, settings = list(UNPENALISED.items())[-1]
    models = {
        "MSLP, lambda 0.01,\nk+ 5, alpha 5": MSLP(ratio=2 / q),
        name.replace("0, k", "0,\nk"): MSLP(**settings, ratio=2 / q),
        "LPP\n": LPP(ratio=2 / q),
    }
    figure, axes = plt.subplots(1, len(models), figsize=(6.4, 3.9), layout="constrained")
    for axis, (name, model) in zip(axes, models.items(), strict=True):
        Z = model.fit(bunch.X, bunch.D).transform(bunch.X)
        order = Z.argsort(axis=0).argsort(axis=0)
        for k in range(c + 1):
            label, colour = (EMOTIONS[k], f"C{k}") if k < c else (NEUTRAL, "black")
            axis.scatter(
                *order[strongest == k].T, s=14, color=colour, marker=_MARKERS[k], label=label
            )
        axis.set(xticks=[], yticks=[])
        axis.set_xlabel("order in the first dimension", fontsize=9.5)
        axis.set_title(f"{name}\ntrustworthiness {_kept(bunch.D, Z):.3f}", fontsize=9.5)
    axes[0].set_ylabel("order in the second dimension")
    figure.suptitle(f"Figure 7 on {bunch.display}: all rows fitted", x=0.01, ha="left")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=4, fontsize=9.5)
    return figure


def faces(chapter):
    """Trustworthiness on s-JAFFE of faces that were fitted, and of new ones: a row a method."""
    study = chapter.study("embedding")["trustworthiness"]
    mine = study[(study.dataset == "SJAFFE") & (study.rows != "all")]
    wide = mine.pivot_table(index="method", columns="rows", values="trustworthiness", sort=False)
    spread = mine.pivot_table(
        index="method", columns="rows", values="trustworthiness", aggfunc="std"
    )
    wide = wide.loc[["features", "LPP", "CCA", "MSLP", *UNPENALISED]]
    names = {"features": "all features", "MSLP": "MSLP, lambda 0.01, k+ 5, alpha 5"}
    figure, axis = plt.subplots(figsize=(5.2, 3.9), layout="constrained")
    rows = np.arange(len(wide))
    for part, mark, colour, fill, label in (
        ("fitted", "o", "C0", "C0", "faces that were fitted"),
        ("new", "s", "C1", "white", "new faces"),
    ):
        error = np.nan_to_num(spread[part].reindex(wide.index)) if part in spread else None
        look = {"fmt": mark, "color": colour, "markerfacecolor": fill, "label": label}
        axis.errorbar(wide[part], rows + (0.12 if part == "new" else -0.12), xerr=error, **look)
    axis.axvline(0.5, color="0.3", linewidth=1)
    axis.text(0.5, -0.75, " chance", color="0.3", va="center")
    axis.set_yticks(rows, [names.get(name, name) for name in wide.index])
    axis.set_ylim(len(wide) - 0.5, -1.1)
    axis.set_xlabel("trustworthiness (1 is perfect)")
    figure.legend(loc="outside lower left", ncols=2)
    spans = wide.loc[list(UNPENALISED)].agg(["min", "max"])
    fitted, new = (f"{low:.2f} to {high:.2f}" for low, high in spans[["fitted", "new"]].T.values)
    figure.suptitle(
        f"{_name_of(chapter, study)}: without a penalty MSLP reaches\n"
        f"{fitted} on fitted faces, {new} on new ones",
        x=0.01,
        ha="left",
        weight="bold",
    )
    return figure


def _name_of(chapter, study):
    """The name of s-JAFFE, or of its stand-in in the quick profile."""
    real = (study.source[study.dataset == "SJAFFE"] == "real").all()
    return "s-JAFFE" if real else "Synthetic rows"


def skill(chapter, embeddings=False):
    """`skill_picture` of the methods of label distribution learning, or of the embeddings.

    All thirteen in one picture would share colours.
    """
    embed = (*EMBEDDINGS, "MSLP")
    methods = [m for m in chapter.order if (m in embed) == embeddings]
    ours, printed = (t[t.method.isin(methods)] for t in (chapter.ours, chapter.printed))
    figure = skill_picture(ours, printed, chapter.names, methods)
    title = "Embeddings" if embeddings else "Methods of label distribution learning"
    for axis in figure.axes:
        axis.set_title(title, loc="left", fontsize=9.5)
        low, high = axis.dataLim.intervalx
        axis.set_xlim(min(low, 0) - 0.05, high + 0.05)
    return figure


def one_part_changed(chapter):
    """K-L of MSLP with one part changed, as a share of MSLP's own: a row a change.

    Bars are standard deviations over the folds of the difference from MSLP.
    """
    mean = (
        chapter.terms.groupby(["method", "dataset"], sort=False)["kl_divergence"].mean().unstack()
    )
    changes = [m for m in methods_with(chapter.terms, learner="MSLP") if m != "MSLP"]
    if "MSLP" not in mean.index or not changes:
        return nothing("No records of this experiment.")
    share = mean.loc[changes] / mean.loc["MSLP"]
    folds = chapter.terms.pivot_table(
        index=["dataset", "fold"], columns="method", values="kl_divergence"
    )
    apart = folds[changes].sub(folds["MSLP"], axis=0).groupby(level="dataset").std().T
    bar = apart / mean.loc["MSLP"]
    figure, axis = plt.subplots(figsize=(5.2, 2.0 + 0.7 * len(changes)), layout="constrained")
    there = [d for d in chapter.names if d in share]
    heights = np.linspace(-0.32, 0.32, len(there)) if len(there) > 1 else [0]
    for i, (dataset, height) in enumerate(zip(there, heights, strict=True)):
        look = {"marker": _MARKERS[i], "color": f"C{i}", "linestyle": "none"}
        rows = np.arange(len(changes)) + height
        low, high = (share[dataset] + sign * bar[dataset] for sign in (-1, 1))
        axis.hlines(rows, low, high, color=f"C{i}", linewidth=1.2)
        axis.plot(share[dataset], rows, **look)
        axis.plot([], [], **look, label=chapter.names[dataset])
    axis.axvline(1, color="0.3", linewidth=1)
    axis.text(1, -0.75, " MSLP as it is", color="0.3", va="center")
    axis.set_yticks(range(len(changes)), [_CHANGES.get(m, m) for m in changes])
    axis.set_ylim(len(changes) - 0.5, -1.1)
    axis.set_xlabel("K-L as a share of MSLP's (above 1: worse)")
    figure.legend(loc="outside lower left", ncols=2)
    figure.suptitle("MSLP with one part changed", x=0.01, ha="left", weight="bold")
    return figure


def _kept(D, Z):
    return trustworthiness(D, Z, n_neighbors=NEIGHBORS)


def sensitivity(chapter):
    """K-L of MSLP against beta, lambda and u, a row of panels a data set."""
    records, names = chapter.records["sensitivity"], chapter.names
    swept = ["beta", "lambda_", "ratio"]
    values = records.assign(**{key: declared(records, key) for key in swept})
    mean = values.groupby(["dataset", *swept], sort=False)["kl_divergence"].mean().reset_index()
    there = [d for d in names if d in set(mean.dataset)]
    if not there:
        return nothing("No records of this experiment.")
    figure, axes = plt.subplots(
        *(len(there), 3),
        figsize=(6.4, 1.4 + 1.7 * len(there)),
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for row, dataset in zip(axes, there, strict=True):
        mine = mean[mean.dataset == dataset]
        narrow, usual = mine[mine.ratio == 0.1], mine[mine.beta == 0.1]
        for lambda_, look in _LAMBDAS.items():
            line = narrow[narrow.lambda_ == lambda_].sort_values("beta")
            if len(line) > 2:
                row[0].plot(line.beta, line.kl_divergence, **look)
            line = usual[usual.lambda_ == lambda_].sort_values("ratio")
            row[2].plot(line.ratio, line.kl_divergence, **look, label=f"lambda {lambda_:g}")
        line = usual[usual.ratio == 0.1].sort_values("lambda_")
        look = {"color": "0.3", "ms": 4}
        row[1].plot(np.maximum(line.lambda_, 1e-5), line.kl_divergence, "o-", **look)
        row[2].xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        row[1].set_xscale("log")
        row[1].set_xticks([1e-5, *10.0 ** np.arange(-4, 1)], ["0", "", "0.001", "", "0.1", ""])
        row[1].minorticks_off()
        row[0].set_ylabel(f"{names[dataset].replace(' (', chr(10) + '(')}\nK-L", fontsize=9)
        for axis in row:
            axis.tick_params(labelsize=9)
    for axis, label in zip(axes[-1], ("beta (u = 10%)", "lambda (u = 10%)", "u"), strict=True):
        axis.set_xlabel(label)
    handles, labels = axes[0, 2].get_legend_handles_labels()
    handles, labels = [*handles, axes[0, 1].lines[0]], [*labels, "lambda varies"]
    figure.legend(handles, labels, loc="outside lower right", ncols=2, handlelength=4)
    figure.suptitle("K-L of MSLP when one parameter varies", x=0.01, ha="left", weight="bold")
    return figure
