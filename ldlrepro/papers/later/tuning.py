"""python-ldl's methods as released and tuned: what choosing settings inside the fold gains."""

import numpy as np
import pandas as pd

from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.later.experiments import (
    AS_RELEASED,
    GRIDS,
    GUESTS,
    PREFIX,
    TIMES,
    TUNED,
    WIDER_GRID,
)
from ldlrepro.papers.later.years import NULL
from ldlrepro.report.compare import family, wins
from ldlrepro.report.values import Share


def what_choosing_gains(records, measure):
    """Skill of the methods that are also tuned, as released and tuned: means over families.

    Returns
    -------
    DataFrame, a row a method, by year: method, year, data sets of both, gain as released and
    tuned, gain tuned on the kinds of data that all methods of the table have, on how many sets the
    tuned one is better (`Share`), significantly better and significantly worse (`Held`)
    """
    table = matrix.skill(records, NULL, measure)
    known = GUESTS.set_index("class")
    pairs = {m.name: f"{PREFIX}{m.estimator.name}" for m in TUNED.methods}
    pairs = {name: old for name, old in pairs.items() if {name, old} <= set(table.index)}
    shared = _shared(table.loc[list(pairs)])
    rows = []
    for name, released in pairs.items():
        both = table.loc[[released, name]].dropna(axis=1)
        if both.shape[1]:
            gains = matrix.by_families(both.clip(lower=matrix.LEAST)).mean(axis=1)
            tests = wins(records, [(name, released)], [measure])
            better = Share(tests.better, tests.cells)
            one = known.loc[released.removeprefix(PREFIX)]
            row = (one["name"], one.year, both.shape[1], *gains, shared.get(name, np.nan))
            rows.append((*row, better, tests.shown, tests.worse))
    heads = ["method", "year", "data sets", "as released", "tuned", "tuned, on the kinds of all"]
    heads += ["better tuned on", "significantly better", "significantly worse"]
    return pd.DataFrame(rows, columns=heads).sort_values("year", ignore_index=True)


def _shared(table):
    """Mean gains over the kinds of data that all methods of a table have whole: a Series."""
    kinds = [family(d) for d in table]
    whole = table.notna().all().groupby(kinds, sort=False).transform("all")
    return matrix.by_families(table.loc[:, whole].clip(lower=matrix.LEAST)).mean(axis=1)


def shared_in_words(table):
    """The best and the oldest tuned method where all have records, of `what_choosing_gains`."""
    gains = table["tuned, on the kinds of all"]
    if gains.isna().all():
        return ""
    best = table.loc[gains.idxmax()]
    old = table.loc[table.year.idxmin()]
    return (
        f"On the kinds of data that all of them have, {best.method} of {best.year} gains most: "
        f"{gains.max():.2f}. {old.method}, the oldest, of {old.year}, gains "
        f"{old['tuned, on the kinds of all']:.2f}."
    )


def favourite_in_words(records, name="LDL_LRR"):
    """How often a method chose the strongest penalty of its grid with scaled features."""
    chosen = {"scale": "standard", "parameters": GRIDS[name][-1]}
    mine = records[records.method == f"{PREFIX}{name}, tuned"]
    number = sum(parameters == chosen for parameters in mine.parameters)
    return (
        f"{GUESTS.set_index('class').name[name]} chose these settings in {number} of {len(mine)} "
        "folds."
    )


def points():
    """What the tuned methods choose among, beside features as given or scaled.

    Returns
    -------
    DataFrame, a row a method: name, its class in the command, a column a point: its weights, the
    first as released
    """
    names, rows = GUESTS.set_index("class").name, []
    most = max(map(len, GRIDS.values()))
    for one, choices in GRIDS.items():
        texts = [_weights(AS_RELEASED[one] | point) for point in choices]
        rows.append((names[one], f"{PREFIX}{one}", *texts, *[""] * (most - len(texts))))
    heads = ["as released", *(f"point {i}" for i in range(2, most + 1))]
    return pd.DataFrame(rows, columns=["method", "in the command", *heads])


def _weights(values):
    return ", ".join(f"{k}={v:g}" for k, v in values.items()) or "none"


def edges_in_words(records):
    """In how many folds the tuned methods choose the strongest penalty of their grid, the last."""
    last = {m.name: GRIDS[m.estimator.name][-1] for m in TUNED.methods}
    mine = records[records.method.isin([name for name, point in last.items() if point])]
    if mine.empty:
        return ""
    at_edge = [
        chosen.get("parameters") == last[method]
        for method, chosen in zip(mine.method, mine.parameters, strict=True)
    ]
    return (
        f"In {sum(at_edge)} of {len(mine)} folds the linear methods choose the strongest "
        f"penalty of the grid. {_wider()}"
    )


def _wider():
    """How often more penalty than the grid's is better, in the folds of `WIDER_GRID`."""
    found = pd.read_csv(WIDER_GRID).dropna(subset="validation")
    found = found.sort_values("validation").drop_duplicates(["dataset", "method", "times"])
    parts = {
        part: found.pivot(index=["dataset", "method"], columns="times", values=part)
        for part in ("validation", "test")
    }
    validation, test = (part[list(TIMES)].dropna() for part in parts.values())
    counts = [sum(validation[times] < validation[1]) for times in TIMES[1:]]
    falls = (1 - test[TIMES[1]] / test[1])[validation[TIMES[1]] < validation[1]]
    text = (
        f"We tried more on the first fold of {found.dataset.nunique()} data sets. On the "
        f"validation part ten times that penalty is better in {counts[0] or 'none'} of "
        f"{len(validation)} cases, and a hundred times in {counts[1] or 'none'}."
    )
    if not len(falls):
        return text
    return (
        f"{text} In the median of these {counts[0]}, ten times lowers the K-L of the test part by "
        f"{falls.median():.1%}."
    )
