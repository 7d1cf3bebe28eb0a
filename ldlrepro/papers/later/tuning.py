"""python-ldl's methods as released and tuned: what choosing settings inside the fold gains."""

import numpy as np
import pandas as pd

from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.later.experiments import (
    AS_RELEASED,
    GRIDS,
    GUESTS,
    PREFIX,
    SCALED,
    TIMES,
    TUNED,
    WIDER_GRID,
)
from ldlrepro.papers.later.years import NEAR, NULL, facts, whole_families
from ldlrepro.report.compare import family, wins
from ldlrepro.report.values import Share, in_text

#: The measure of the tables of what was tried on the first fold.
KL = "kl_divergence"


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
    heads = ["method", "year", "data sets", "as released", "tuned", "tuned, on shared kinds"]
    heads += ["tuned is better on", "significantly better", "significantly worse"]
    return pd.DataFrame(rows, columns=heads).sort_values("year", ignore_index=True)


def _shared(table):
    """Mean gains over the kinds of data that all methods of a table have whole: a Series."""
    kinds = [family(d) for d in table]
    whole = table.notna().all().groupby(kinds, sort=False).transform("all")
    return matrix.by_families(table.loc[:, whole].clip(lower=matrix.LEAST)).mean(axis=1)


def shared_in_words(table):
    """The best tuned methods where all have records, of `what_choosing_gains`."""
    gains = table["tuned, on shared kinds"]
    if gains.isna().all():
        return ""
    best = table[gains > gains.max() - NEAR]
    names = [f"{row.method} of {row.year}" for row in best.itertuples()]
    gain = "gain" if len(names) > 1 else "gains"
    near = f", nearer than {NEAR:g} to each other" if len(names) > 1 else ""
    return (
        f"On the kinds of data that all of them have, {in_text(names)} {gain} most: "
        f"{gains.max():.2f}{near}."
    )


def favourite_in_words(records, name="LDL_LRR"):
    """How often a method chose the strongest penalty of its grid with scaled features."""
    chosen = {"scale": "standard", "parameters": GRIDS[name][-1]}
    mine = records[records.method == f"{PREFIX}{name}, tuned"]
    number, given = (
        sum(parameters == chosen | {"scale": scale} for parameters in mine.parameters)
        for scale in ("standard", None)
    )
    return (
        f"{GUESTS.set_index('class').name[name]} chose these settings in {number} of {len(mine)} "
        f"folds, and the same penalty on features as given in {given}. So try both."
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
    """How often the tuned methods choose the strongest penalty, and the weight of their own term.

    These are the last and the second point of `GRIDS`.
    """
    grids = {m.name: GRIDS[m.estimator.name] for m in TUNED.methods}
    mine = records[records.method.isin([name for name, grid in grids.items() if grid[-1]])]
    if mine.empty:
        return ""
    own, at_edge = (
        [
            chosen.get("parameters") == grids[method][point]
            for method, chosen in zip(mine.method, mine.parameters, strict=True)
        ]
        for point in (1, -1)
    )
    return (
        f"In {sum(at_edge)} of {len(mine)} folds the linear methods choose the strongest penalty "
        f"of the grid, and in {sum(own) or 'none'} more weight for the term that they are named "
        f"for. {_wider(mine[at_edge])}".strip()
    )


def _wider(chosen):
    """What more penalty than the grid's does, in first folds of `WIDER_GRID` that chose its last.

    Parameters
    ----------
    chosen : records of folds that chose the strongest penalty
    """
    first = chosen[chosen.fold == 0]
    found = pd.read_csv(WIDER_GRID).dropna(subset="validation")
    found = found.sort_values("validation").drop_duplicates(["dataset", "method", "times"])
    parts = {
        part: found.pivot(index=["dataset", "method"], columns="times", values=part)
        for part in ("validation", "test")
    }
    cases = pd.MultiIndex.from_frame(first[["dataset", "method"]])
    validation, test = (
        part.reindex(index=cases, columns=TIMES).dropna() for part in parts.values()
    )
    if validation.empty:
        return ""
    counts = [sum(validation[times] < validation[1]) for times in TIMES[1:]]
    change = (test[TIMES[1]] / test[1] - 1)[validation[TIMES[1]] < validation[1]]
    text = (
        f"We tried more in {len(validation)} first folds that chose this penalty. On the "
        f"validation part ten times that penalty is better in {counts[0] or 'none'}, and a hundred "
        f"times in {counts[1] or 'none'}."
    )
    if not len(change):
        return text
    return (
        f"{text} Where ten times is better, it changes the K-L of the test part by "
        f"{change.min():+.0%} to {change.max():+.0%}."
    )


def scaled(records, names):
    """Later methods that are not tuned, with scaled features: gains by K-L on the first fold.

    Parameters
    ----------
    records, names : of `open_years`

    Returns
    -------
    DataFrame, a row a kind of data: data, pairs of a method and a data set of `SCALED`, in how many
    of them scaled features are better (`Share`), the best gain of an older method, the best of a
    later one in the records, and the best of a later one where each pair takes the features that
    are better on the test part
    """
    known, first = facts(), records[records.fold == 0]
    given = matrix.skill(first, NULL, KL)
    given = given[given.index.isin(known.index)]
    loss = pd.read_csv(SCALED).pivot(index="method", columns="dataset", values="scaled")
    other = 1 - loss.reindex_like(given) / matrix.means(first, KL).loc[NULL]
    either, later, rows = given.mask(other > given, other), known.later[given.index], []
    for (name, mine), (_, most) in zip(whole_families(given), whole_families(either), strict=True):
        sets = [d for d in given if family(d) == name]
        pairs = (given[sets].notna() & other[sets].notna()).to_numpy()
        better = Share.of((other[sets] > given[sets]).to_numpy()[pairs])
        best = [
            some[later[some.index] == late].max() for some, late in ((mine, False), (mine, True))
        ]
        rows.append((names.get(name, name), better, *best, most[later[most.index]].max()))
    heads = [
        "data",
        "scaled features are better in",
        "best older",
        "best later",
        "best later, better features",
    ]
    return pd.DataFrame(rows, columns=heads)


def scaled_in_words(table):
    """What scaled features do to later methods that are not tuned, of `scaled`."""
    shares = table["scaled features are better in"]
    part, whole = sum(s.part for s in shares), sum(s.whole for s in shares)
    if not whole:
        return ""
    leads = (
        table[["best later", "best later, better features"]].gt(table["best older"], axis=0).sum()
    )
    before, after = (number or "none" for number in leads)
    return (
        "The other later methods ran on features as given. We fitted them with scaled features on "
        f"the first fold, wherever they end in time. Scaled features are better in {part} of "
        f"{whole} pairs of a method and a data set. Say that each pair took the features that are "
        f"better on the test part. Then a later method would lead on {after} of {len(table)} kinds "
        f"of data on this fold. In the records one leads on {before} there."
    )
