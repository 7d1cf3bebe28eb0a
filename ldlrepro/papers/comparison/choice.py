"""Which method to take: skill against time, and the best by family of data sets."""

import numpy as np
import pandas as pd

from ldlrepro import datasets as data
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison.matrix import (
    LEAST,
    REGION,
    by_families,
    complete,
    skill,
)
from ldlrepro.report.compare import LEVEL, duels, family
from ldlrepro.report.plots import nothing, plain, plt


def advice(records, null, measure, names):
    """Which method to take, by family of data sets: computed from the records.

    Returns
    -------
    DataFrame, a row a family: data sets, their rows, features and labels, the best method and its
    skill, the methods that are not shown worse on any of the sets and lose at most `REGION` to it,
    the fastest of them with the seconds of a fit, and those that lose more and are not shown worse
    """
    sizes = data.list().drop_duplicates("name").set_index("name")[["n", "features", "labels"]]
    rows = []
    for name in dict.fromkeys(family(d) for d in records.dataset):
        mine = records[[family(d) == name for d in records.dataset]]
        mine = mine[mine.method.isin(complete(mine))]
        table = skill(mine, null, measure).mean(axis=1)
        best = table.idxmax()
        rivals = [m for m in table.index if m != best]
        fought = duels(mine, best, rivals, [measure])
        worse = (fought.gain > 0) & (fought.p_corrected < LEVEL)
        held = [m for m in rivals if m not in set(fought.rival[worse])]
        near = [m for m in held if table[m] >= table[best] - REGION]
        seconds = mine[mine.method.isin([best, *near])].groupby("method").fit_seconds.median()
        fastest = seconds.idxmin()
        sets = list(dict.fromkeys(mine.dataset))
        rows.append(
            (
                names.get(name, name),
                len(sets),
                *(_range(sizes.loc[sets, column]) for column in sizes),
                best,
                table[best],
                "; ".join(near),
                fastest,
                seconds[fastest],
                "; ".join(m for m in held if m not in near),
            )
        )
    heads = ["family", "data sets", "rows", "features", "labels", "best", "skill", "as good"]
    heads += ["fastest of these", "seconds", "further off, not shown worse"]
    return pd.DataFrame(rows, columns=heads)


def _range(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def front(records, null, measure):
    """Seconds of a fit and skill, means over families, of methods that have every data set.

    Returns
    -------
    DataFrame, a row a method, the fastest first: seconds (geometric mean), skill (each data set's
    at least `LEAST`), front (whether nothing is both faster and better)
    """
    table = skill(records, null, measure).dropna()
    time = records.groupby(["method", "dataset"], sort=False).fit_seconds.median().unstack()
    seconds = np.exp(by_families(np.log(time.loc[table.index])).mean(axis=1))
    share = by_families(table.clip(lower=LEAST)).mean(axis=1)
    found = pd.DataFrame({"seconds": seconds, "skill": share})
    found = found.sort_values(["seconds", "skill"], ascending=[True, False])
    before = found.skill.cummax().shift(fill_value=-np.inf)
    return found.assign(front=found.skill > before)


def front_picture(found, measure):
    """Skill against the time of a fit; the line joins the Pareto front.

    Parameters
    ----------
    found : of `front`, by this measure
    """
    if found.skill.isna().all():  # also where there is none
        return nothing("No method was run on every one of these data sets.")
    x, y, front = found.seconds, found.skill, list(found.index[found.front])
    figure, axis = plt.subplots(figsize=(9, 7))
    axis.scatter(x, y, s=18, color="0.6")
    axis.plot(x[front], y[front], marker="o", markersize=5)
    for i, method in enumerate(x.index, 1):
        on_front = method in front
        # left above the front nothing else lies; elsewhere neighbours in time take turns
        if on_front:
            place = (-4, 4 + 10 * ((len(front) - front.index(method)) % 2))
        else:
            place = ((3, -9), (3, 3), (-3, 3), (-3, -9))[i % 4]
        axis.annotate(
            plain(f"{i} {method}") if on_front else str(i),
            (x[method], y[method]),
            xytext=place,
            textcoords="offset points",
            ha="right" if place[0] < 0 else "left",
            fontsize=7,
            color="black" if on_front else "0.35",
        )
        axis.plot([], [], " ", label=plain(f"{i} {method}"))
    axis.legend(
        fontsize=7,
        handlelength=0,
        handletextpad=0,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.12),
        ncols=4,
    )
    axis.margins(0.18, 0.08)
    axis.set_xscale("log")
    axis.set_xlabel("seconds of a fit, geometric mean over families")
    axis.set_ylabel(f"share of the loss removed ({MEASURES[measure].label})")
    figure.tight_layout()
    return figure


def best_in_time(records, experiment, null, measure, limits):
    """The best method among those whose fits take at most so long, for each limit.

    Parameters
    ----------
    records : of methods that have every data set
    experiment : Experiment, tells each method's class
    limits : seconds of a fit, from small to large

    Returns
    -------
    DataFrame, a row a limit at which another method is the best: a fit may take (s), method,
    command (name of its class), gain (mean skill), least and largest gain of related data sets
    """
    times, table = front(records, null, measure), skill(records, null, measure).dropna()
    by_kind = by_families(table)
    classes = {m.name: type(m.estimator).__name__ for m in experiment.methods}
    rows = {}
    for limit in limits:
        best = times.skill[times.seconds <= limit].idxmax()
        gains = by_kind.loc[best]
        row = (limit, best, classes[best], times.skill[best], gains.min(), gains.max())
        rows.setdefault(best, row)
    heads = ["a fit may take (s)", "method", "name in the command", "gain", "least", "largest"]
    return pd.DataFrame(rows.values(), columns=heads)


def best_by_measure(records, null, measures):
    """The best method by each measure, and the place of the one that is best by the first.

    Returns
    -------
    DataFrame, a row a measure: measure, best, gain, place of the first row's method
    """
    rows, first = [], None
    for measure in measures:
        table = by_families(skill(records, null, measure).dropna().clip(lower=LEAST))
        order = table.mean(axis=1).sort_values(ascending=False)
        first = first or order.index[0]
        place = order.index.get_loc(first) + 1
        rows.append((MEASURES[measure].label, order.index[0], order.iloc[0], place))
    return pd.DataFrame(rows, columns=["measure", "best", "gain", f"place of {first}"])
