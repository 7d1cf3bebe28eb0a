"""What only the chapter on Adaboost-LDL shows: ratios, flatness, order, claims."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.protocols import stats
from ldlrepro.report.compare import LEVEL, verdict, wins
from ldlrepro.report.tables import declared

#: What section 3.4 says is left on average after boosting.
SAID = {"sort_loss": 0.412, "kl_divergence": 0.685}
#: A boosted mean up to this share worse than the plain one counts as no harm.
NO_HARM = 0.01


def boosted(name):
    """Name in the tables of a boosted learner."""
    return f"{name}, boosted"


def bagged(name):
    """Name in the tables of the mean of five bootstrap models."""
    return f"{name}, bagged"


def agreement(compared, apart):
    """Cells that agree: a row a method, a column a measure, sets that are not the originals out."""
    there = compared[compared.ours.notna() & ~compared.dataset.isin(apart)]
    table = {}
    for method in compared.method.unique():
        mine = there[there.method == method]
        row = {
            MEASURES[m].label: f"{int(cells.agrees.sum())} of {len(cells)}"
            for m, cells in mine.groupby("measure", sort=False)
        }
        table[method] = row | {"all": f"{int(mine.agrees.sum())} of {len(mine)}"}
    return pd.DataFrame(table).T.fillna("not run").rename_axis("method")


def ratios(summary, learners, measures):
    """Boosted (or bagged) mean over the plain one, a row a data set, learner and measure.

    Parameters
    ----------
    summary : rows of `report.summary`, or printed cells; columns dataset, method, measure, mean
    """
    wide = summary.pivot_table(index=["dataset", "measure"], columns="method", values="mean")
    rows = []
    for (dataset, measure), cell in wide.iterrows():
        if measure not in measures:
            continue
        for name in learners:
            for kind, other in (("boosted", boosted(name)), ("bagged", bagged(name))):
                if other in cell and np.isfinite(cell.get(name, np.nan)) and cell[name] > 0:
                    rows.append((dataset, name, measure, kind, cell[other] / cell[name]))
    columns = ["dataset", "method", "measure", "kind", "ratio"]
    return pd.DataFrame(rows, columns=columns).dropna()


def reductions(ours, theirs, learners, measures):
    """What is left of each measure after boosting, printed and ours, and after bagging.

    Means over the cells that the paper prints too, where it prints any.

    Parameters
    ----------
    ours, theirs : results of `ratios`
    """
    if len(theirs):
        both = theirs[["dataset", "method", "measure"]].drop_duplicates()
        ours = ours.merge(both, on=["dataset", "method", "measure"])
    rows = []
    for name in (*learners, "all"):
        row = {"learner": name}
        for measure in measures:
            label = MEASURES[measure].label
            for what, frame, kind in (
                ("boosted, printed", theirs, "boosted"),
                ("boosted, ours", ours, "boosted"),
                ("bagged, ours", ours, "bagged"),
            ):
                mine = frame[(frame.measure == measure) & (frame.kind == kind)]
                mine = mine if name == "all" else mine[mine.method == name]
                row[f"{label}, {what}"] = f"{mine.ratio.mean():.1%}" if len(mine) else "–"
        rows.append(row)
    return pd.DataFrame(rows)


def averages(theirs):
    """Three ways of averaging the printed ratios: the paper does not say which it took."""
    rows = []
    for measure, mine in theirs[theirs.kind == "boosted"].groupby("measure", sort=False):
        rows.append(
            {
                "measure": MEASURES[measure].label,
                "mean of the ratios": f"{mine.ratio.mean():.1%}",
                "geometric mean": f"{np.exp(np.log(mine.ratio).mean()):.1%}",
                "median": f"{mine.ratio.median():.1%}",
                "cells": len(mine),
            }
        )
    return pd.DataFrame(rows)


def flatness_and_order(records, title):
    """SortLoss, and Spearman, against the flatness of the predictions; a point a data set."""
    mean = records.groupby(["dataset", "method"], sort=False)[
        ["flatness", "sort_loss", "spearman"]
    ].mean()
    mean = mean.reset_index()
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8))
    settings = dict(zip(records.method, records.settings, strict=True))
    learners = sorted({s["learner"] for s in settings.values() if s["form"] != "constant"})
    for name, mine in mean.groupby("method", sort=False):
        learner, form = settings[name]["learner"], settings[name]["form"]
        if form == "constant":
            style = {"marker": "s" if learner == "MeanPredictor" else "D", "color": "black"}
        else:
            colour = f"C{learners.index(learner)}"
            style = {"marker": "x", "color": colour}
            if form == "boosted":
                style = {"marker": "o", "facecolors": "none", "edgecolors": colour}
        # Yeast sets lie near 1: the distance from it is what can be told apart.
        apart = np.maximum(1 - mine.flatness, 1e-6)
        axes[0].scatter(apart, np.maximum(mine.sort_loss, 1e-5), s=18, **style, label=name)
        axes[1].scatter(apart, mine.spearman, s=18, **style)
    axes[0].set(xscale="log", yscale="log", ylabel="SortLoss", xlabel="1 - flatness")
    axes[1].set(xscale="log", ylabel="Spearman", xlabel="1 - flatness")
    for axis in axes:
        axis.invert_xaxis()
    figure.legend(fontsize=6, ncols=6, loc="lower center")
    figure.suptitle(title)
    figure.tight_layout(rect=(0, 0.14, 1, 1))
    return figure


def shrinking(shrunk, names, target="mean"):
    """SortLoss of plain methods drawn towards a constant, as a share of what it was."""
    mine = _drawn_towards(target, shrunk)
    mean = mine.groupby(["dataset", "learner", "factor"], sort=False)["sort_loss"].mean().unstack()
    share = mean.div(mean[1.0], axis=0)
    there = [d for d in names if d in mean.index.get_level_values(0)]
    columns = 5
    rows = -(-len(there) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(10.5, 2.1 * rows), sharex=True, sharey=True, squeeze=False
    )
    for axis, dataset in zip(axes.flat, there, strict=False):
        for learner, line in share.loc[dataset].iterrows():
            axis.plot(line.index, line, ".-", label=learner)
        axis.axhline(SAID["sort_loss"], color="0.6", linestyle="--", linewidth=1)
        axis.set_title(names[dataset], fontsize=8)
        axis.set_ylim(0, 2)
    for axis in axes.flat[len(there) :]:
        axis.set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("factor")
    axes[0, 0].set_ylabel("share of SortLoss left")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), fontsize=8)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    return figure


def _drawn_towards(target, shrunk):
    """Records of the predictions drawn towards a constant, with their learner and factor."""
    mine = shrunk[declared(shrunk, "target") == target]
    factor = [p["stage"] for p in mine.parameters]
    return mine.assign(learner=declared(mine, "learner"), factor=factor)


def matched(tables, shrunk, learners):
    """SortLoss of boosted learners against the plain ones made just as flat.

    A plain prediction drawn towards the uniform distribution keeps its order, and its SortLoss
    falls in proportion. The factor that gives it the boosted learner's flatness comes by
    interpolation between the recorded factors; what SortLoss then lacks of the boosted one's is
    order, not flatness.

    Returns
    -------
    DataFrame, a row a data set and learner: left (boosted / plain), by_flatness (factor, above 1
    where boosting made predictions sharper), by_order (boosted / plain made as flat), and the
    differences boosted - plain of the scale-free measures with the corrected test
    """
    uniform = _drawn_towards("uniform", shrunk)
    flat = uniform.groupby(["dataset", "learner", "factor"])["flatness"].mean().unstack()
    mean = tables.groupby(["dataset", "method"])[["sort_loss", "flatness"]].mean()
    rows = []
    for dataset in tables.dataset.unique():
        mine = tables[tables.dataset == dataset]
        sizes = mine.n_train.mean(), mine.n_test.mean()
        for name in learners:
            if (dataset, name) not in flat.index or (dataset, boosted(name)) not in mean.index:
                continue
            plain, after = mean.loc[(dataset, name)], mean.loc[(dataset, boosted(name))]
            # The entropy falls off with the square of the factor: interpolate in its root.
            curve = np.sqrt(np.maximum(1 - flat.loc[(dataset, name)], 0)).sort_index()
            wanted = np.sqrt(max(1 - after.flatness, 0))
            factor = np.interp(wanted, curve.to_numpy(), curve.index.to_numpy())
            if wanted > curve.iloc[-1]:  # sharper than the plain one: in proportion
                factor = wanted / curve.iloc[-1]
            row = {
                "dataset": dataset,
                "learner": name,
                "left": after.sort_loss / plain.sort_loss,
                "by_flatness": factor,
                "by_order": after.sort_loss / (factor * plain.sort_loss),
            }
            for measure in ("spearman", "kendall", "ndcg"):
                wide = mine.pivot(index="fold", columns="method", values=measure)
                a, b = wide[boosted(name)], wide[name]
                row[measure] = (a - b).mean()
                row[f"{measure}_p"] = stats.corrected_t(a, b, *sizes)
            rows.append(row)
    return pd.DataFrame(rows)


def order_or_flatness(matching, learners):
    """`matched` by learner: means over the data sets, and where the order was shown to change."""
    rows = []
    for name in (*learners, "all"):
        mine = matching if name == "all" else matching[matching.learner == name]
        if mine.empty:
            continue
        row = {
            "learner": name,
            "SortLoss left": f"{mine.left.mean():.1%}",
            "at equal flatness": f"{mine.by_order.mean():.1%}",
            "the same, geometric means": f"{_geometric(mine.left)} / {_geometric(mine.by_order)}",
        }
        for measure in ("spearman", "kendall", "ndcg"):
            shown = mine[f"{measure}_p"] < LEVEL
            up, down = (shown & (mine[measure] > 0)).sum(), (shown & (mine[measure] < 0)).sum()
            row[f"{MEASURES[measure].label}, change"] = f"{mine[measure].mean():+.4f}"
            row[f"shown better / worse, {MEASURES[measure].label}"] = (
                f"{up} / {down} of {len(mine)}"
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _geometric(values):
    return f"{np.exp(np.log(values).mean()):.1%}"


def by_share(records, learners, names_of, measures):
    """Means of plain and boosted learners for each tested share, over the data sets.

    Parameters
    ----------
    records : dict, tested share -> records
    """
    rows = []
    for share, frame in sorted(records.items()):
        mean = frame.groupby(["dataset", "method"])[list(measures)].mean()
        for name in learners:
            row = {"tested share": f"{share:.0%}", "learner": name}
            for measure in measures:
                wide = mean[measure].unstack()
                if name not in wide or boosted(name) not in wide:
                    row[MEASURES[measure].label] = "not run"
                    continue
                left = (wide[boosted(name)] / wide[name]).mean()
                row[f"{MEASURES[measure].label}, mean over sets"] = f"{wide[name].mean():.4f}"
                row[f"{MEASURES[measure].label}, boosted / plain"] = f"{left:.1%}"
            rows.append(row)
    return pd.DataFrame(rows)


def claims(ours, theirs, tables, matching, learners):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    ours, theirs : results of `ratios` for SortLoss, K-L and Intersection
    tables : records that count; matching : result of `matched`
    """
    evidence = {
        "SortLoss falls on average (section 3.4: to 41.2%)": _falls(ours, theirs, "sort_loss"),
        "K-L falls on average (section 3.4: to 68.5%)": _falls(ours, theirs, "kl_divergence"),
        "K-L of BFGS-LDL, CPNN and LC-LDL does not change significantly (section 3.4)": (
            _unchanged(tables, ("BFGS-LDL", "CPNN", "LC-LDL"), "kl_divergence")
        ),
        "K-L of PT-Bayes and SA-IIS gets much better (section 3.4)": _gains(
            ours[ours.method.isin(["PT-Bayes", "SA-IIS"])], "kl_divergence", 0.9
        ),
        "Boosting lowers SortLoss (our question: everywhere?)": _gains(ours, "sort_loss", 1.0),
        "No learner is harmed in K-L (our question)": _gains(ours, "kl_divergence", 1 + NO_HARM),
        "The order of labels gets better, by Spearman (our question)": _order(matching),
        "Boosting is better than bagging, by K-L (our question)": _against_bagging(
            tables, learners, "kl_divergence"
        ),
        "Boosting is better than bagging, by Spearman (our question)": _against_bagging(
            tables, learners, "spearman"
        ),
    }
    rows = [(claim, verdict(share), text) for claim, (share, text) in evidence.items()]
    return pd.DataFrame(rows, columns=["claim", "verdict", "evidence"])


def _falls(ours, theirs, measure):
    mine = ours[(ours.measure == measure) & (ours.kind == "boosted")].ratio
    printed = theirs[(theirs.measure == measure) & (theirs.kind == "boosted")].ratio
    if mine.empty:
        return float("nan"), "not run"
    text = (
        f"to {mine.mean():.1%} on average over {len(mine)} cells (geometric mean "
        f"{_geometric(mine)}, median {mine.median():.1%}); the printed cells give "
        f"{printed.mean():.1%} ({_geometric(printed)}, {printed.median():.1%})"
    )
    return (mine < 1).mean(), f"lower in {(mine < 1).sum()} of {len(mine)} cells; {text}"


def _gains(ours, measure, most):
    """Share of cells of which boosting leaves less than ``most`` times the plain value."""
    mine = ours[(ours.measure == measure) & (ours.kind == "boosted")].ratio
    if mine.empty:
        return float("nan"), "not run"
    fine = (mine < most).sum()
    return fine / len(mine), (
        f"less than {most:.0%} left in {fine} of {len(mine)} cells; "
        f"from {mine.min():.1%} to {mine.max():.1%}"
    )


def _unchanged(tables, learners, measure):
    """Cells in which the corrected test shows no change at 5%."""
    same = total = up = 0
    for _, mine in tables.groupby("dataset"):
        wide = mine.pivot(index="fold", columns="method", values=measure)
        for name in (n for n in learners if boosted(n) in wide):
            a, b = wide[boosted(name)], wide[name]
            shown = stats.corrected_t(a, b, mine.n_train.mean(), mine.n_test.mean()) < LEVEL
            total += 1
            same += not shown
            up += shown and a.mean() > b.mean()
    text = f"no change shown in {same} of {total} cells; higher shown in {up}, lower in "
    return (same / total if total else float("nan")), text + str(total - same - up)


def _order(matching):
    if matching.empty:
        return float("nan"), "not run"
    better = (matching.spearman > 0).sum()
    shown = (matching.spearman_p < LEVEL) & (matching.spearman > 0)
    worse = (matching.spearman_p < LEVEL) & (matching.spearman < 0)
    text = (
        f"higher in {better} of {len(matching)} cells, shown in {shown.sum()}; lower shown in "
        f"{worse.sum()}; at equal flatness {matching.by_order.mean():.1%} of SortLoss is left"
    )
    return better / len(matching), text


def _against_bagging(tables, learners, measure):
    pairs = [(boosted(name), bagged(name)) for name in learners]
    better, total, shown, worse = wins(tables, pairs, [measure])
    text = f"better in {better} of {total} cells, shown in {shown}; worse shown in {worse}"
    return (better / total if total else float("nan")), text
