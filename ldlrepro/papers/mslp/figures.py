"""Figures of the chapter on MSLP; each picture of an embedding has a number in its title."""

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.manifold import trustworthiness

from ldlrepro import LPP, MSLP, datasets
from ldlrepro.datasets.registry import EMOTIONS
from ldlrepro.models.embedding import neighbour_sets
from ldlrepro.papers.mslp.studies.embedding import NEIGHBORS, UNPENALISED
from ldlrepro.papers.mslp.studies.faces import NEUTRAL, groups
from ldlrepro.report.plots import legend_below, name_labels, nothing, plt
from ldlrepro.report.settings import declared

#: Of the emotions and neutral, so that they can be told apart without colours.
_MARKERS = "osD^v*X"


def figures_1_and_4(chapter):
    """The label distribution of the first row of three data sets."""
    bunches = [chapter.bunch(name) for name in ("Natural_Scene", "SJAFFE", "SCUT_FBP")]
    figure, axes = plt.subplots(1, 3, figsize=(10.2, 2.7))
    for axis, bunch in zip(axes, bunches, strict=True):
        axis.bar(range(len(bunch.D[0])), bunch.D[0])
        axis.set_title(f"row 0 of {bunch.display}", fontsize=8)
        name_labels(axis, bunch)
    axes[0].set_ylabel("description degree")
    figure.tight_layout()
    return figure


def one_row(chapter):
    """The two neighbourhoods of one row, and where it lands: defaults of MSLP, two dimensions.

    The row is that with the most hetero-neighbours. On the left stand the rows of its Nei_x by
    both distances (Eqs. 5 and 6), on the right all rows in the embedding.
    """
    bunch = chapter.bunch("SJAFFE")
    X, D = bunch.X, bunch.D
    model = MSLP(ratio=2 / X.shape[1]).fit(X, D)
    nearest, near, hetero = neighbour_sets(X, D, model.k_plus, model.k_minus, model.alpha)
    row = int(hetero.sum(axis=1).argmax())
    nearest, near, hetero = nearest[row], near[row], hetero[row]
    Z = model.transform(X)
    feature, label = (np.linalg.norm(A[nearest] - A[row], axis=1) for A in (X, D))
    landed = np.linalg.norm(Z[nearest] - Z[row], axis=1) / pdist(Z).mean()
    figure, (sets, plane) = plt.subplots(1, 2, figsize=(8, 4), width_ratios=[1.15, 1])
    kinds = ((near, "C0", "s"), (hetero, "C1", "^"), (~near & ~hetero, "0.55", "o"))
    plane.scatter(*Z.T, s=7, color="0.8")
    for mask, colour, mark in kinds:
        sets.scatter(feature[mask], label[mask], color=colour, marker=mark, s=34, zorder=3)
        if colour.startswith("C"):
            plane.scatter(*Z[nearest[mask]].T, color=colour, marker=mark, s=34, zorder=3)
    plane.scatter(*Z[row], color="black", marker="*", s=110, zorder=4)
    kept, parted = label[near].max(), np.sort(label)[-model.k_plus]
    margin = 0.04 * np.ptp(feature)
    left, first = feature[0] - margin, feature[model.k_plus - 1] + margin / 2
    top = 1.3 * label.max()
    sets.axhspan(0, 1.03 * kept, color="C0", alpha=0.12, linewidth=0)
    sets.fill_between([left, first], 0.97 * parted, top, color="C1", alpha=0.15, linewidth=0)
    sets.set(xlim=(left, feature[-1] + margin), ylim=(0, top))
    words = {"fontsize": 9, "transform": sets.get_yaxis_transform()}
    sets.text(0.02, 0.03 * top, "Nei_y: pulled", color="C0", **words)
    sets.text(0.02, 0.97 * top, "HNei: pushed", color="C1", va="top", **words)
    sets.set(xlabel="distance in the features", ylabel="distance in the labels")
    sets.set_title(
        f"Of the {len(nearest)} rows nearest in features to row {row}\n"
        f"labels pick {near.sum()} to pull and {hetero.sum()} to push",
        fontsize=10,
    )
    plane.annotate(f"row {row}", Z[row], (8, 22), textcoords="offset points", fontsize=9)
    plane.set(xticks=[], yticks=[], xlabel="first dimension", ylabel="second dimension")
    plane.set_title(
        f"Where they land: pulled rows at {landed[near].mean():.2f},\n"
        f"pushed rows at {landed[hetero].mean():.2f} of the mean distance",
        fontsize=10,
    )
    figure.suptitle(f"Rows of {bunch.display}", fontsize=10)
    figure.tight_layout()
    return figure


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
    row = int(np.abs(X - [-1.8, 1.2]).sum(axis=1).argmin())
    figure, axes = plt.subplots(
        2, 2, figsize=(8.5, 4.6), height_ratios=[3, 1], sharex="row", sharey="row"
    )
    look = {"cmap": "cividis", "edgecolors": "0.5", "linewidths": 0.4}
    everywhere = (n - 1) / k_plus  # alpha for which Nei_x holds all other rows
    for axes_of_one, a, title in (
        (axes[:, 0], everywhere, "Eq. 3: among all rows"),
        (axes[:, 1], alpha, f"Eqs. 5 and 6: among the {alpha * k_plus} nearest in the features"),
    ):
        nearest, near, hetero = neighbour_sets(X, D, k_plus, alpha=a)
        plane, line = axes_of_one
        rows = plane.scatter(*X.T, c=D[:, 0], s=26, **look)
        for j in nearest[row][near[row]]:
            plane.plot(*X[[row, j]].T, color="black", linewidth=1)
        for j in nearest[row][hetero[row]]:
            plane.plot(*X[[row, j]].T, color="C1", linestyle=(0, (1, 1)), lw=2, zorder=3)
        plane.set(title=title, xticks=[], yticks=[])
        z = MSLP(k_plus, alpha=a, beta=1.0, ratio=0.5, lambda_=0.0).fit(X, D).transform(X)[:, 0]
        z = np.sign(np.corrcoef(z, height)[0, 1]) * (z - z.mean()) / z.std()
        line.scatter(z, rng.uniform(-1, 1, n), c=D[:, 0], s=18, **look)
        line.set(yticks=[], xlabel=f"embedding; trustworthiness {_kept(D, z[:, None]):.2f}")
    figure.tight_layout()
    figure.colorbar(rows, ax=axes, label="degree of the first label")
    return figure


def figures_5_and_6(chapter):
    """The toy and the noisy toy, their rows coloured by their distributions."""
    n = 3000 if chapter.profile == "paper" else 300
    figure = plt.figure(figsize=(9, 6))
    for i, noise in enumerate((0.0, 0.1)):
        toy = datasets.make_mslp_toy(n, noise=noise)
        axis = figure.add_subplot(2, 3, 3 * i + 1, projection="3d")
        axis.scatter(*toy.X.T, c=toy.D, s=2)
        axis.set_title(f"{toy.display} (synthetic)", fontsize=9)
        axis.tick_params(labelsize=6, pad=-3)
        axis.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[-1, 0, 1])
        for k, name in enumerate("xyz", 1):
            getattr(axis, f"set_{name}label")(f"feature {k}", fontsize=7, labelpad=-7)
        for j, (name, model) in enumerate((("MSLP", MSLP(ratio=0.6)), ("LPP", LPP(ratio=0.6))), 2):
            Z = model.fit(toy.X, toy.D).transform(toy.X)
            axis = figure.add_subplot(2, 3, 3 * i + j)
            axis.scatter(*Z.T, c=toy.D, s=2)
            axis.set(xticks=[], yticks=[], xlabel="first dimension", ylabel="second dimension")
            axis.set_title(f"{name}, trustworthiness {_kept(toy.D, Z):.3f}", fontsize=9)
    figure.tight_layout()
    return figure


def figure_7(chapter):
    """Two-dimensional embeddings of s-JAFFE, coloured by the strongest emotion; neutral in black.

    Rows nearest to the uniform distribution stand for neutral faces: see `studies.faces.groups`.
    """
    bunch = chapter.bunch("SJAFFE")
    q, c = bunch.X.shape[1], bunch.D.shape[1]
    strongest = groups(bunch.D)
    name, settings = list(UNPENALISED.items())[-1]
    models = {
        "MSLP": MSLP(ratio=2 / q),
        name: MSLP(**settings, ratio=2 / q),
        "LPP": LPP(ratio=2 / q),
    }
    figure, axes = plt.subplots(1, len(models), figsize=(9.5, 3.6))
    for axis, (name, model) in zip(axes, models.items(), strict=True):
        Z = model.fit(bunch.X, bunch.D).transform(bunch.X)
        for k in range(c + 1):
            label, colour = (EMOTIONS[k], f"C{k}") if k < c else (NEUTRAL, "black")
            axis.scatter(*Z[strongest == k].T, s=14, color=colour, marker=_MARKERS[k], label=label)
        low, high = np.percentile(Z, [1, 99], axis=0)
        low, high = low - 0.3 * (high - low), high + 0.3 * (high - low)
        beyond = ((low > Z) | (high < Z)).any(axis=1).sum()
        axis.set(xticks=[], yticks=[], xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axis.set(xlabel=f"first dimension; {beyond} rows beyond the frame")
        axis.set_title(f"{name}\ntrustworthiness {_kept(bunch.D, Z):.3f}", fontsize=9)
    axes[0].set_ylabel("second dimension")
    figure.suptitle(f"Rows of {bunch.display}, all of them fitted")
    legend_below(figure, axes[0], 0.07)
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
        len(there), 3, figsize=(9.5, 2.1 * len(there)), sharey="row", squeeze=False
    )
    for row, dataset in zip(axes, there, strict=True):
        mine = mean[mean.dataset == dataset]
        narrow, usual = mine[mine.ratio == 0.1], mine[mine.beta == 0.1]
        for lambda_, style in ((0.0, ".--"), (0.01, ".-"), (0.1, ".:")):
            line = narrow[narrow.lambda_ == lambda_].sort_values("beta")
            if len(line) > 2:
                row[0].plot(line.beta, line.kl_divergence, style, color="C0")
            line = usual[usual.lambda_ == lambda_].sort_values("ratio")
            row[2].plot(
                line.ratio, line.kl_divergence, style, color="C2", label=f"lambda {lambda_:g}"
            )
        line = usual[usual.ratio == 0.1].sort_values("lambda_")
        row[1].plot(np.maximum(line.lambda_, 1e-5), line.kl_divergence, ".-", color="C1")
        row[1].set_xscale("log")
        row[0].set_ylabel(f"{names[dataset]}\nK-L", fontsize=8)
    for axis, label in zip(
        axes[-1], ("beta (u = 0.1)", "lambda (0 at the left; u = 0.1)", "u"), strict=True
    ):
        axis.set_xlabel(label)
    axes[0, 2].legend(fontsize=7)
    figure.tight_layout()
    return figure
