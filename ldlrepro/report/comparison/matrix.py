"""Every method on every data set: skill, ranks, tests, time. The chapter's and the user's alike."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.protocols import stats
from ldlrepro.report.compare import family, wins
from ldlrepro.report.plots import heat_map, nothing
from ldlrepro.report.values import Share, Spread

#: Predictor at skill 0, by task.
NULLS = {"ldl": "MeanPredictor", "multilabel": "Label frequencies"}
#: Skill below this is drawn as this: some methods lose many times the mean predictor's loss.
LEAST = -0.5


def means(records, measure):
    """Means over the folds: a row a method, a column a data set, in the order of the records."""
    return records.pivot_table(index="method", columns="dataset", values=measure, sort=False)


def spreads(records, measure):
    """Means and standard deviations over the folds, as `means`."""
    grouped = records.groupby(["method", "dataset"], sort=False)[measure].agg(["mean", "std"])
    cells = [Spread(*row) for row in grouped.itertuples(index=False)]
    return pd.Series(cells, index=grouped.index).unstack()


def skill(records, null, measure):
    """Share of the null predictor's loss that is removed: 1 is perfect, 0 learns nothing.

    The loss of a similarity is its distance from 1.

    Returns
    -------
    DataFrame, a row a method, a column a data set; those that have every data set first, by falling
    mean over the families of data sets
    """
    loss = means(records, measure)
    if MEASURES[measure].greater_is_better:
        loss = 1 - loss
    table = 1 - loss / loss.loc[null]
    order = pd.DataFrame(
        {"holes": table.isna().sum(axis=1), "mean": _by_families(table).mean(axis=1)}
    )
    return table.loc[order.sort_values(["holes", "mean"], ascending=[True, False]).index]


def ranks(records, measure):
    """Average rank of each method over families of data sets, 1 the best.

    Only methods that have every data set are ranked; a family counts once.

    Returns
    -------
    Series, the best first; its attribute ``families`` says how many there are
    """
    table = means(records, measure).dropna()
    ranked = stats.ranks(table.to_numpy().T, MEASURES[measure].greater_is_better).T
    by_family = _by_families(pd.DataFrame(ranked, index=table.index, columns=table.columns))
    found = by_family.mean(axis=1).sort_values()
    found.attrs["families"] = by_family.shape[1]
    return found


def against(records, mine, measure):
    """One method against each of the others on the data sets that both have.

    The corrected test, all data sets of a rival as one family (see `compare.wins`).

    Returns
    -------
    DataFrame, a row a rival, the hardest first: better (`Share` of the data sets), shown and the
    reverse shown (`Held`), gain (share of the rival's loss that is removed, by the geometric mean)
    """
    table = means(records, measure)
    loss = 1 - table if MEASURES[measure].greater_is_better else table
    rows = []
    for rival in table.index.drop(mine):
        found = wins(records, [(mine, rival)], [measure])
        gain = 1 - np.exp(np.log(loss.loc[mine] / loss.loc[rival]).mean())
        if found.cells:
            share = Share(found.better, found.cells)
            rows.append((rival, share, found.shown, found.worse, gain))
    columns = ["against", "better on", "shown", "the reverse shown", "gain"]
    return pd.DataFrame(rows, columns=columns).sort_values("gain", ignore_index=True)


def skill_picture(table, names, mine=(), title=""):
    """`skill` as a heat map: green removes loss, purple adds some; rows of ``mine`` are marked.

    Parameters
    ----------
    names : dict, data set -> name
    """
    if table.empty:
        return nothing("No records.")
    labels = [f"▶ {method}" if method in mine else method for method in table.index]
    colours = np.clip(table.to_numpy(float) / abs(LEAST), -1, 1)
    texts = table.map(lambda v: "" if pd.isna(v) else _short(v)).to_numpy()
    return heat_map(colours, texts, labels, [names.get(d, d) for d in table], title, "PRGn")


def front_picture(records, null, measure):
    """Skill against the time of a fit, means over data sets; the line joins the Pareto front."""
    table = skill(records, null, measure).dropna()
    table = table.drop(index=null)
    time = means(records, "fit_seconds").loc[table.index]
    x, y = np.exp(np.log(time).mean(axis=1)), table.clip(lower=LEAST).mean(axis=1)
    best, front = -np.inf, []
    for method in x.sort_values().index:
        if y[method] > best:
            best = y[method]
            front.append(method)
    figure, axis = plt.subplots(figsize=(8, 5))
    axis.scatter(x, y, s=18, color="0.6")
    axis.plot(x[front], y[front], marker="o", markersize=5)
    for method in table.index:
        axis.annotate(
            method,
            (x[method], y[method]),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=7,
            color="black" if method in front else "0.5",
        )
    axis.set_xscale("log")
    axis.set_xlabel("seconds of a fit, geometric mean over data sets")
    axis.set_ylabel(f"share of the loss removed ({MEASURES[measure].label})")
    figure.tight_layout()
    return figure


def _by_families(table):
    return table.T.groupby([family(d) for d in table], sort=False).mean().T


def _short(value):
    return f"{value:.2f}" if value > -9.995 else f"{value:.0f}"
