"""Which method to take: skill against time, and the best by group of related data sets."""

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
from ldlrepro.report.plots import in_short, nothing, plt, with_names

#: Of so few methods the names of all stand beside their marks.
FEW = 12


def advice(records, null, measure, names):
    """Which method to take, by group of related data sets: computed from the records.

    Returns
    -------
    DataFrame, a row a group: data sets, their rows, features and labels, the best method and its
    gain, the methods that are not significantly worse on any of the sets and lose at most `REGION`
    to it, the fastest of them with the seconds of a fit, and those that lose more and are not
    significantly worse
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
    heads = ["data", "data sets", "rows", "features", "labels", "best", "gain", "as good"]
    heads += ["fastest", "its fit (s)", "further off, not significantly worse"]
    return pd.DataFrame(rows, columns=heads)


def _range(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def front(records, null, measure, timed=None):
    """Seconds of a fit and skill, means over groups, of methods that have every data set.

    Parameters
    ----------
    timed : records whose seconds count, of the same methods; None for ``records``

    Returns
    -------
    DataFrame, a row a method, the fastest first: seconds (geometric mean), skill (each data set's
    at least `LEAST`), front (whether nothing is both faster and better)
    """
    table = skill(records, null, measure).dropna()
    timed = records if timed is None else timed
    time = timed.groupby(["method", "dataset"], sort=False).fit_seconds.median().unstack()
    seconds = np.exp(by_families(np.log(time.loc[table.index])).mean(axis=1))
    share = by_families(table.clip(lower=LEAST)).mean(axis=1)
    found = pd.DataFrame({"seconds": seconds, "skill": share})
    found = found.sort_values(["seconds", "skill"], ascending=[True, False])
    before = found.skill.cummax().shift(fill_value=-np.inf)
    return found.assign(front=found.skill > before)


#: What the seconds of `front` are.
SECONDS = "seconds of a fit, geometric mean over groups of related data sets"


def front_picture(found, measure, mine=(), seconds=SECONDS):
    """Skill against the time of a fit; the line joins those that none beats in both.

    Their names stand beside the marks, and of few methods all names. `plots.with_names` shows the
    others under the pointer.

    Parameters
    ----------
    found : of `front`, by this measure; a column "colour" has the colours of marks
    mine : names of methods that are marked and named
    seconds : name of the axis
    """
    if found.skill.isna().all():  # also where there is none
        return nothing("No method was run on every one of these data sets.")
    figure, axis = plt.subplots(figsize=(7.4, 5))
    front = found[found.front]
    axis.plot(front.seconds, front.skill, color="C0", linewidth=1.2, label="_the front")
    for i, (method, row) in enumerate(found.iterrows()):
        colour = row.get("colour", "C0" if row.front else "0.6")
        mark = {"marker": "o", "color": colour, "markersize": 7}
        if method in mine:
            mark |= {"marker": "D", "color": "C1"}
        axis.plot(
            row.seconds,
            row.skill,
            gid=f"mark-{i}",
            label=in_short(method, found.index),
            zorder=3,
            **mark,
        )
        if row.front or method in mine or len(found) <= FEW:
            left = row.front and method != front.index[-1]  # above the front nothing else lies
            place, side = ((-5, 6), "right") if left else ((8, -3), "left")
            if method in mine:
                place, side = (0, -15), "center"
            axis.annotate(
                in_short(method, found.index),
                (row.seconds, row.skill),
                xytext=place,
                textcoords="offset points",
                ha=side,
                fontsize=9,
            )
    axis.margins(0.22, 0.08)
    axis.set_xscale("log")
    axis.set_xlabel(seconds)
    axis.set_ylabel(f"share of the loss removed ({MEASURES[measure].label})")
    figure.tight_layout()
    return figure


def show_front(found, measure, mine=(), seconds=SECONDS):
    """`front_picture` as HTML in which the pointer on a mark shows the name of the method."""
    alt = "Share of the loss removed against the seconds of a fit, a mark a method"
    return with_names(front_picture(found, measure, mine, seconds), alt)


def best_in_time(records, experiment, null, measure, limits, timed=None):
    """The best method among those whose fits take at most so long, for each limit.

    Parameters
    ----------
    records : of methods that have every data set
    experiment : Experiment, tells each method's class and settings
    limits : seconds of a fit, from small to large
    timed : as for `front`

    Returns
    -------
    DataFrame, a row a limit at which another method is the best: a fit may take (s), method,
    command (its class and settings), gain (mean skill), least and largest gain of related data
    sets, and the other methods in time whose mean gain is at most `REGION` lower
    """
    times, table = front(records, null, measure, timed), skill(records, null, measure).dropna()
    by_kind = by_families(table)
    called = {m.name: " ".join(repr(m.estimator).split()) for m in experiment.methods}
    rows = {}
    for limit in limits:
        soon = times.skill[times.seconds <= limit].sort_values(ascending=False, kind="stable")
        best = soon.index[0]
        gains, near = by_kind.loc[best], soon.index[1:][soon[1:] >= soon[best] - REGION]
        row = (
            limit,
            best,
            called[best].removesuffix("()"),
            soon[best],
            gains.min(),
            gains.max(),
            "; ".join(near),
        )
        rows.setdefault(best, row)
    heads = ["typical fit up to (s)", "method", "name in the command", "gain", "least", "largest"]
    heads.append(f"at most {REGION:g} lower")
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
