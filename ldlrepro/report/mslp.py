"""What only the chapter on MSLP shows: its figures, the two protocols, first places, claims."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.manifold import trustworthiness

from ldlrepro import LPP, MSLP, datasets
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.models.embedding._mslp import neighbour_sets
from ldlrepro.protocols import stats
from ldlrepro.report.compare import verdict, wins
from ldlrepro.report.plots import nothing
from ldlrepro.report.tables import declared
from ldlrepro.studies.embedding import FITTED_TO_ROWS, NEIGHBORS

#: The level of the paper's t-tests (section 3.3).
LEVEL = 0.10
#: Faces with a neutral expression among the 213 of JAFFE.
NEUTRAL = 30


def degrees(bunches, row=0):
    """Figures 1 and 4: the label distribution of one row of each data set."""
    figure, axes = plt.subplots(1, len(bunches), figsize=(3.4 * len(bunches), 2.7))
    for axis, bunch in zip(axes, bunches, strict=True):
        axis.bar(range(len(bunch.D[row])), bunch.D[row])
        axis.set(xticks=range(len(bunch.D[row])))
        axis.set_title(f"row {row} of {bunch.display}", fontsize=8)
        axis.set_xticklabels(bunch.label_names, rotation=60, ha="right", fontsize=7)
    axes[0].set_ylabel("description degree")
    figure.tight_layout()
    return figure


def neighbours(seed=0, n=120, k_plus=5, alpha=2):
    """Figures 2 and 3: the sets of one row, and one-dimensional embeddings that they lead to.

    On top the rows in the plane of two features, coloured by their distributions: neighbours in
    the labels sought among all rows (Eq. 3) and among the neighbours in the features (Eq. 5), with
    the hetero-neighbours (Eq. 6). Below the embeddings that these sets give, rows in order.
    """
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    height = (X[:, 1] + 1) / 2  # degrees rise with the second feature ...
    X += np.where(np.arange(n)[:, None] < n // 2, [-2.0, 1.0], [2.0, -1.0])  # ... in two areas
    D = np.column_stack([height, 1 - height, np.full(n, 0.5)]) / 1.5
    row = int(np.abs(X - [-1.8, 1.2]).sum(axis=1).argmin())
    figure, axes = plt.subplots(
        2, 2, figsize=(8.5, 4.6), height_ratios=[3, 1], sharex="row", sharey="row"
    )
    everywhere = (n - 1) / k_plus  # alpha for which Nei_x holds all other rows
    for axes_of_one, a, title in (
        (axes[:, 0], everywhere, "Eq. 3: among all rows"),
        (axes[:, 1], alpha, f"Eqs. 5 and 6: among the {alpha * k_plus} nearest in the features"),
    ):
        there, near, hetero = neighbour_sets(X, D, k_plus, alpha=a)
        plane, line = axes_of_one
        plane.scatter(*X.T, c=D, s=26, edgecolors="0.5", linewidths=0.4)
        for j in there[row][near[row]]:
            plane.plot(*X[[row, j]].T, color="black", linewidth=1)
        for j in there[row][hetero[row]]:
            plane.plot(*X[[row, j]].T, color="black", linestyle=":", linewidth=1.5)
        plane.set(title=title, xticks=[], yticks=[])
        z = MSLP(k_plus, alpha=a, beta=1.0, ratio=0.5, lambda_=0.0).fit(X, D).transform(X)[:, 0]
        z = np.sign(np.corrcoef(z, height)[0, 1]) * (z - z.mean()) / z.std()
        line.scatter(z, rng.uniform(-1, 1, n), c=D, s=18, edgecolors="0.5", linewidths=0.4)
        line.set(yticks=[], xlabel=f"embedding; trustworthiness {_kept(D, z[:, None]):.2f}")
    figure.tight_layout()
    return figure


def toys(n=3000):
    """Figures 5 and 6: the toy and the noisy toy, their rows coloured by their distributions."""
    figure = plt.figure(figsize=(9, 6))
    for i, noise in enumerate((0.0, 0.1)):
        toy = datasets.make_mslp_toy(n, noise=noise)
        axis = figure.add_subplot(2, 3, 3 * i + 1, projection="3d")
        axis.scatter(*toy.X.T, c=toy.D, s=2)
        axis.set_title(f"{toy.display} (synthetic)", fontsize=9)
        axis.tick_params(labelsize=6)
        for j, (name, model) in enumerate((("MSLP", MSLP(ratio=0.6)), ("LPP", LPP(ratio=0.6))), 2):
            Z = model.fit(toy.X, toy.D).transform(toy.X)
            axis = figure.add_subplot(2, 3, 3 * i + j)
            axis.scatter(*Z.T, c=toy.D, s=2)
            axis.set(xticks=[], yticks=[])
            axis.set_title(f"{name}, trustworthiness {_kept(toy.D, Z):.3f}", fontsize=9)
    figure.tight_layout()
    return figure


def faces(bunch):
    """Figure 7: two-dimensional embeddings, coloured by the strongest emotion; neutral in black.

    Which faces are neutral is not in the data: the rows nearest to the uniform distribution, as
    many as JAFFE has neutral faces, stand for them.
    """
    q, c = bunch.X.shape[1], bunch.D.shape[1]
    strongest = bunch.D.argmax(axis=1)
    entropy = -(bunch.D * np.log(np.maximum(bunch.D, 1e-12))).sum(axis=1)
    strongest[np.argsort(-entropy, kind="stable")[:NEUTRAL]] = c
    models = {
        "MSLP": MSLP(ratio=2 / q),
        FITTED_TO_ROWS: MSLP(beta=1.0, lambda_=0.0, ratio=2 / q),
        "LPP": LPP(ratio=2 / q),
    }
    figure, axes = plt.subplots(1, len(models), figsize=(9.5, 3.6))
    for axis, (name, model) in zip(axes, models.items(), strict=True):
        Z = model.fit(bunch.X, bunch.D).transform(bunch.X)
        for k in range(c + 1):
            label, colour = (bunch.label_names[k], f"C{k}") if k < c else ("neutral", "black")
            axis.scatter(*Z[strongest == k].T, s=12, color=colour, label=label)
        axis.set(xticks=[], yticks=[])
        axis.set_title(f"{name}\ntrustworthiness {_kept(bunch.D, Z):.3f}", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=c + 1, fontsize=8)
    figure.suptitle(f"Rows of {bunch.display}, all of them fitted")
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    return figure


def _kept(D, Z):
    return trustworthiness(D, Z, n_neighbors=NEIGHBORS)


def kept_neighbours(study, names):
    """Trustworthiness, mean and standard deviation over the repeats: fitted / new rows."""
    groups = study.groupby(["data", "method", "rows"], sort=False)["trustworthiness"]
    cell = groups.agg(["mean", "std"]).reset_index()
    cell["text"] = [
        f"{m:.3f}" + ("" if np.isnan(s) else f"±{s:.3f}")
        for m, s in zip(cell["mean"], cell["std"], strict=True)
    ]
    wide = cell.pivot(index=["data", "method"], columns="rows", values="text")
    table = {}
    for data in study.data.unique():
        table[names.get(data, f"{data} (synthetic)")] = {
            method: f"{wide.loc[(data, method), 'fitted']} / {wide.loc[(data, method), 'new']}"
            for method in study.method.unique()
        }
    return pd.DataFrame(table).T.rename_axis("data")


def two_protocols(inside, best, printed):
    """What choosing on the test folds explains, a row a method.

    Parameters
    ----------
    inside, best : results of `tables.cells` under the two protocols, of the sets that count
    printed : methods in the paper's order
    """
    rows = []
    for method in printed:
        row = {"method": method}
        for name, compared in (("chosen inside the fold", inside), ("best on test", best)):
            mine = compared[(compared.method == method) & compared.ours.notna()]
            if mine.empty:
                row |= {f"cells that agree, {name}": "–", f"median difference, {name}": "–"}
                continue
            row[f"cells that agree, {name}"] = f"{int(mine.agrees.sum())} of {len(mine)}"
            row[f"median difference, {name}"] = f"{_worse(mine).median():+.1%}"
        rows.append(row)
    return pd.DataFrame(rows)


def _worse(compared):
    """By what share ours is worse than printed: similarities count by their distance from 1."""
    up = compared.measure.map(lambda m: DISTRIBUTION[m].greater_is_better)
    ours = compared.ours.where(~up, 1 - compared.ours)
    published = compared.published.where(~up, 1 - compared.published)
    return ours / published - 1


def first_places(records, measures, methods, printed=None):
    """How often a method is first, and not shown worse than the first at 90%.

    Parameters
    ----------
    records : records of the sets that count
    printed : cells of the paper of the same sets

    Returns
    -------
    DataFrame, one row a method: method, printed (first as printed), ours (first here), paired and
    corrected (not shown worse than the first by these t-tests), cells (number of them)
    """
    table = {m: {"printed": 0, "ours": 0, "paired": 0, "corrected": 0} for m in methods}
    cells = 0
    for _, mine in records.groupby("dataset", sort=False):
        sizes = mine.n_train.mean(), mine.n_test.mean()
        for measure in measures:
            up = DISTRIBUTION[measure].greater_is_better
            wide = mine.pivot(index="fold", columns="method", values=measure)[methods]
            mean = wide.mean()
            first = mean.idxmax() if up else mean.idxmin()
            table[first]["ours"] += 1
            cells += 1
            for m in methods:
                a, b = wide[first], wide[m]
                table[m]["paired"] += stats.paired_t(a, b) >= LEVEL
                table[m]["corrected"] += stats.corrected_t(a, b, *sizes) >= LEVEL
    for _, mine in () if printed is None else printed.groupby(["dataset", "measure"]):
        up = DISTRIBUTION[mine.measure.iloc[0]].greater_is_better
        values = mine.set_index("method")["mean"]
        for m in values.index[values == (values.max() if up else values.min())]:
            table[m]["printed"] += 1
    return pd.DataFrame({"method": m, **counts, "cells": cells} for m, counts in table.items())


def places_table(places):
    """`first_places` with heads that say what is counted, and of how many cells."""
    of = f"of {places.cells.max()}"
    heads = {
        "printed": f"first as printed, {of}",
        "ours": f"first here, {of}",
        "paired": "not shown worse than the first, paired t",
        "corrected": "the same, corrected t",
    }
    return places.drop(columns="cells").rename(columns=heads)


def printed_share(printed, method):
    """How often a method has the best printed mean: "28 of 30 (93.3%)"."""
    first = cells = 0
    for _, mine in printed.groupby(["dataset", "measure"]):
        values = mine.set_index("method")["mean"]
        up = DISTRIBUTION[mine.measure.iloc[0]].greater_is_better
        first += values[method] == (values.max() if up else values.min())
        cells += 1
    return f"{first} of {cells} ({first / cells:.1%})"


def sensitivity(records, names):
    """K-L of MSLP against beta, lambda and u, a row of panels a data set."""
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


def best_ratios(best, names, methods):
    """How often each u had the lowest test K-L, a row a method."""
    table = {}
    for method in methods:
        mine = best[best.method == method]
        ratio = mine.parameters.map(lambda p: p.get("ratio", p.get("transformer__ratio")))
        table[method] = {
            names[d]: ", ".join(
                f"{100 * u:.0f}% ({k})" for u, k in ratio[mine.dataset == d].value_counts().items()
            )
            for d in names
            if d in set(mine.dataset)
        }
    return pd.DataFrame(table).T.rename_axis("method")


def claims(tables, best, terms, sensitive, study, measures, methods):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    tables, best : records of Tables 1-3 under the two protocols; terms : those of the ablation
    sensitive : records of the sensitivity page; study : trustworthiness
    methods : the paper's
    """
    evidence = {}
    for claim, records in (
        ("MSLP is first in 93.3% of the cells (section 3.3)", tables),
        (
            "MSLP is first, everything chosen on the test folds",
            pd.concat([best, tables[~tables.method.isin(best.method)]]),
        ),
    ):
        places = first_places(records, measures, methods).set_index("method")
        mine = places.loc["MSLP"]
        evidence[claim] = (
            mine.ours / mine.cells,
            f"first in {mine.ours} of {mine.cells} cells, not shown worse than the first at 90% in "
            f"{mine.paired} ({mine.corrected} by the corrected test); most often first: "
            f"{places.ours.idxmax()}",
        )
    evidence["MSLP is best with u = 10% on all five sets (section 3.3)"] = _narrow(sensitive)
    for claim, other in (
        ("Hetero-neighbours make MSLP better (section 2): against beta = 1", "attraction only"),
        (
            "Eq. 5 makes MSLP better than Eq. 3 (section 2; hetero-neighbours go with it)",
            "neighbours among all rows",
        ),
    ):
        evidence[claim] = _against(tables, terms, f"MSLP, {other}", measures)
    for claim, data, rows, method in (
        ("on the toy (Figure 5)", "toy", ("fitted", "new"), "MSLP"),
        ("on the noisy toy (Figure 6)", "noisy toy", ("fitted", "new"), "MSLP"),
        ("on s-JAFFE, fitted rows (Figure 7)", "SJAFFE", ("fitted",), "MSLP"),
        ("on s-JAFFE, new rows", "SJAFFE", ("new",), "MSLP"),
        ("on s-JAFFE, fitted rows", "SJAFFE", ("fitted",), FITTED_TO_ROWS),
        ("on s-JAFFE, new rows", "SJAFFE", ("new",), FITTED_TO_ROWS),
    ):
        mine = study[(study.data == data) & study.rows.isin(rows)]
        evidence[f"{method} keeps label neighbours better than LPP {claim}"] = _kept_better(
            mine, method
        )
    rows = [(claim, verdict(share), text) for claim, (share, text) in evidence.items()]
    return pd.DataFrame(rows, columns=["claim", "verdict", "evidence"])


def _narrow(records):
    if records.empty:
        return float("nan"), "not run"
    beta, lambda_ = (declared(records, key) for key in ("beta", "lambda_"))
    usual = records[(beta == 0.1) & (lambda_ == 0.01)]
    ratio = declared(usual, "ratio")
    mean = usual.assign(ratio=ratio).groupby(["dataset", "ratio"])["kl_divergence"].mean().unstack()
    best = mean.idxmin(axis=1)
    text = (
        "lowest K-L at u = " + ", ".join(f"{u:.0%}" for u in best) + f" ({', '.join(best.index)})"
    )
    return float((best == 0.1).mean()), text


def _against(tables, terms, other, measures):
    """Cells in which MSLP beats a variant of it, by the mean and as shown at 90%."""
    both = pd.concat([tables, terms])
    better, total, shown, worse = wins(both, [("MSLP", other)], measures, LEVEL)
    text = (
        f"better in {better} of {total} cells, shown in {shown}; worse shown in {worse} "
        "(corrected test, 90%)"
    )
    return (better / total if total else float("nan")), text


def _kept_better(study, method):
    wide = study.pivot_table(index=["rows", "repeat"], columns="method", values="trustworthiness")
    if wide.empty:
        return float("nan"), "not run"
    better = wide[method] > wide["LPP"]
    text = (
        f"in {int(better.sum())} of {len(better)} embeddings; means {wide[method].mean():.3f} "
        f"and {wide['LPP'].mean():.3f} (all features: {wide['features'].mean():.3f})"
    )
    return float(better.mean()), text
