"""Skill against the year of a method's paper: python-ldl's methods beside the comparison's.

All of it works while records are being made: a method counts where all of its folds are there, and
`progress` says what is not.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.comparison.studies.time_limit import OVER
from ldlrepro.papers.later.experiments import FIRST_FOLDS, GUESTS, PAPER, PREFIX, RELEASED, TUNED
from ldlrepro.report.compare import count_significant, duels, family
from ldlrepro.report.plots import legend_below, nothing, panels, plain
from ldlrepro.report.values import Share

#: Methods of the comparison whose paper proposed them for label distributions, and its year.
YEARS = pd.read_csv(Path(__file__).with_name("years.csv")).set_index("method").year
_NULL = matrix.NULLS["ldl"]


def open_years(datasets=None):
    """Records of the comparison and of python-ldl's methods, of pairs of which every fold is there.

    Parameters
    ----------
    datasets : list of names, None for all

    Returns
    -------
    records (DataFrame), names (dict, data set -> name in tables)
    """
    records, names = matrix.open_matrix(comparison.PAPER, "tables", datasets=datasets)
    guests = [matrix.open_matrix(PAPER, e.name, datasets=datasets)[0] for e in (RELEASED, TUNED)]
    return pd.concat([records, *(g for g in guests if len(g))], ignore_index=True), names


def guests_in(records):
    """Methods of python-ldl in some records, in their order."""
    declared = [m.name for e in (RELEASED, TUNED) for m in e.methods]
    there = set(records.method)
    return [name for name in declared if name in there]


def facts():
    """Facts on every method: year (NaN for none), of python-ldl or not, its name in figures.

    Returns
    -------
    DataFrame, indexed by the name in records: year, guest (bool), label
    """
    known = GUESTS.set_index("class")
    rows = {}
    for experiment in (RELEASED, TUNED):
        for method in experiment.methods:
            one = known.loc[method.estimator.name]
            form = ", tuned" if "form" in method.settings else ""
            rows[method.name] = (one.year, True, one["name"] + form)
    for method in comparison.TABLES.methods:
        rows[method.name] = (YEARS.get(method.name, np.nan), False, method.name)
    return pd.DataFrame.from_dict(rows, orient="index", columns=["year", "guest", "label"])


def progress(records):
    """Text on how much of the declaration is there, and of what is left out."""
    wanted = {(m.name, d) for e in (RELEASED, TUNED) for d in e.datasets for m in e.methods_on(d)}
    there = wanted & set(zip(records.method, records.dataset, strict=True))
    text = f"{len(there)} of {len(wanted)} pairs of a method and a data set have all ten folds."
    over = sum(why == OVER for _, _, why in RELEASED.without)
    failed = len(RELEASED.without) - over
    if over:
        text += f" {over} pairs do not end a first fold within two minutes, and are left out."
    if failed:
        text += f" {failed} pairs fail, and are left out."
    return text


def missing(records, names):
    """What has no record yet: method, data sets, why."""
    holes = [matrix.holes(records, e, names) for e in (RELEASED, TUNED)]
    return pd.concat(holes, ignore_index=True)


def not_run():
    """Methods that the release names and that do not run: class, year, title, why."""
    table = GUESTS[GUESTS.does_not_run != ""]
    table = table[["class", "name", "year", "title", "does_not_run"]]
    return table.rename(columns={"does_not_run": "why it does not run"}).reset_index(drop=True)


def off_the_simplex():
    """Methods whose predictions had to be put on the simplex, by the first folds.

    Returns
    -------
    DataFrame, a row a method: data sets, the largest share of its predicted rows
    """
    found = pd.read_csv(FIRST_FOLDS)
    found = found[found.off > 0]
    grouped = found.groupby("class", sort=False)
    table = pd.DataFrame({"data sets": grouped.size(), "largest share": grouped.off.max()})
    return table.reset_index()


def by_year(records, measure):
    """Skill of each method with a year on each family of data sets that it has whole.

    Returns
    -------
    DataFrame: method, label, year, guest, family, skill; a family counts once
    """
    table = matrix.skill(records, _NULL, measure)
    known = facts()
    known = known[known.year.notna()]
    rows = []
    for name in dict.fromkeys(family(d) for d in table):
        mine = table[[d for d in table if family(d) == name]].dropna()
        for method, skill in mine.mean(axis=1).items():
            if method in known.index:
                one = known.loc[method]
                rows.append((method, one.label, int(one.year), one.guest, name, skill))
    return pd.DataFrame(rows, columns=["method", "label", "year", "guest", "family", "skill"])


def best_of_families(found):
    """The best method of each code on each family: `by_year` in.

    Returns
    -------
    DataFrame, a row a family: family, here, its skill, of python-ldl, its skill, ahead (bool,
    whether that of python-ldl is)
    """
    heads = ["family", "here", "its skill", "of python-ldl", "of that", "ahead"]
    rows = []
    for name, mine in found.groupby("family", sort=False):
        here, theirs = mine[~mine.guest], mine[mine.guest]
        if len(here) and len(theirs):
            a, b = (some.loc[some.skill.idxmax()] for some in (here, theirs))
            rows.append((name, a.label, a.skill, b.label, b.skill, b.skill > a.skill))
    return pd.DataFrame(rows, columns=heads)


def answer(records, names, measure):
    """What came out, in sentences, from the best of each kind of data and the tests.

    Parameters
    ----------
    records, names : of `open_years`
    measure : str
    """
    found = by_year(records, measure)
    table = best_of_families(found)
    if table.empty:
        return "No method of python-ldl has records yet."
    ahead = [names.get(f, f) for f in table.family[table.ahead]]
    kinds = f"{len(table)} kinds of data"
    on = found[found.guest].groupby("method").family.nunique()
    released = on[[m.name for m in RELEASED.methods if m.name in on]]
    wide = int((released == len(table)).sum())
    text = (
        f"{wide} of the {len(RELEASED.methods)} methods of python-ldl that run have records on all "
        f"{kinds} so far. "
    )
    if ahead:
        text += f"One of its methods is best on {len(ahead)} of these: {', '.join(ahead)}."
    else:
        text += "None of its methods with records is best on any of these."
    tests = best_against_best(records, measure)
    if len(tests):
        better = sum(held.plain for held in tests.significantly)
        worse = sum(held.plain for held in tests["worse, significantly"])
        cells = sum(share.whole for share in tests["better on"])
        text += (
            f" The three best of those meet the three best of the papers in {cells} comparisons: "
            f"they are significantly better in {better or 'none'}, significantly worse in "
            f"{worse or 'none'}."
        )
    return text


def what_choosing_gains(records, measure):
    """Skill of the methods that are also tuned, as released and tuned: means over families.

    Returns
    -------
    DataFrame, a row a method: data sets of both, as released, tuned, better on (`Share`)
    """
    table = matrix.skill(records, _NULL, measure)
    rows = []
    for method in TUNED.methods:
        released = f"{PREFIX}{method.estimator.name}"
        if not {released, method.name} <= set(table.index):
            continue
        both = table.loc[[released, method.name]].dropna(axis=1)
        if both.shape[1]:
            means = matrix.by_families(both.clip(lower=matrix.LEAST)).mean(axis=1)
            better = Share.of(list(both.loc[method.name] > both.loc[released]))
            name = GUESTS.set_index("class").name[method.estimator.name]
            rows.append((name, both.shape[1], *means, better))
    heads = ["method", "data sets", "as released", "tuned", "better tuned on"]
    return pd.DataFrame(rows, columns=heads)


def best_so_far(found):
    """The best skill of all methods up to each year: `by_year` of one family in, a Series out."""
    return found.groupby("year").skill.max().sort_index().cummax()


def years_picture(found, names):
    """A panel a family: a mark a method at the year of its paper, the best so far as a line.

    Parameters
    ----------
    found : of `by_year`; names : dict, data set -> name in tables
    """
    if found.empty:
        return nothing("No records.")
    families = list(dict.fromkeys(found.family))
    figure, axes = panels(len(families), 2, 8, 2.6, above=0.6, sharex=True)
    for axis, name in zip(axes.flat, families, strict=False):
        mine = found[found.family == name]
        for guest, mark, colour, label in (
            (False, "o", "#0072B2", "this package's code"),
            (True, "^", "#D55E00", "python-ldl's code"),
        ):
            some = mine[mine.guest == guest]
            low = some.skill.clip(lower=matrix.LEAST)
            axis.scatter(some.year, low, s=16, marker=mark, color=colour, label=label, zorder=3)
        line = best_so_far(mine).clip(lower=matrix.LEAST)
        axis.step(line.index, line, where="post", color="0.4", linewidth=1, label="best so far")
        best = mine.loc[mine.skill.idxmax()]
        axis.annotate(
            plain(best.label),
            (best.year, best.skill),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
        axis.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        axis.margins(y=0.18)
        axis.set_title(plain(names.get(name, name)), fontsize=9)
    for axis in axes[:, 0]:
        axis.set_ylabel("gain")
    legend_below(figure, axes.flat[0], 0.05)
    return figure


def best_of_each(records, measure, number=3):
    """The best methods of python-ldl and of the papers: two lists of names, the best first.

    By the mean skill over families of data sets, of methods that have all data sets of both. A
    loss that is more than half above the mean predictor's counts as half above it, here and in the
    other tables of means.
    """
    known = facts()
    table = matrix.skill(records, _NULL, measure)
    table = table.loc[[m for m in table.index if known.year.notna().get(m, False)]]
    guests = table[known.guest[table.index].to_numpy(bool)]
    shared = guests.columns[guests.notna().sum() >= number]
    table = table[shared].dropna().clip(lower=matrix.LEAST)
    mean = matrix.by_families(table).mean(axis=1)
    mean = mean.sort_values(ascending=False)
    return tuple(
        [m for m in mean.index if known.guest[m] == guest][:number] for guest in (True, False)
    )


def best_against_best(records, measure):
    """Corrected tests of the best of python-ldl against the best of the papers.

    All tests of the table are one family for the adjusted counts.

    Returns
    -------
    DataFrame, a row a pair: data sets that both have, better (`Share`), significantly better and
    significantly worse (`Held`)
    """
    guests, papers = best_of_each(records, measure)
    known, rows = facts(), []
    heads = ["of python-ldl", "of the papers", "better on", "significantly", "worse, significantly"]
    if not guests or not papers:
        return pd.DataFrame(columns=heads)
    fought = [duels(records, mine, papers, [measure]).assign(mine=mine) for mine in guests]
    fought = pd.concat(fought, ignore_index=True)
    tested = fought[fought.testable.astype(bool)]
    for (mine, rival), cells in fought.groupby(["mine", "rival"], sort=False):
        pair = (tested.mine == mine) & (tested.rival == rival)
        held = (
            count_significant(tested.p_corrected, pair & (sign * tested.gain > 0))
            for sign in (1, -1)
        )
        share = Share.of(list(cells.gain > 0))
        rows.append((known.label[mine], known.label[rival], share, *held))
    return pd.DataFrame(rows, columns=heads)


def baselines(records, measure):
    """Baselines of later papers as python-ldl has them, beside those of the comparison.

    Returns
    -------
    DataFrame, a row a method of both: data sets of both, mean skill over families as released and
    here, the data sets on which the one here is better (`Share`)
    """
    table = matrix.skill(records, _NULL, measure)
    rows = []
    for one in GUESTS[GUESTS.here != ""].itertuples():
        theirs, ours = f"{PREFIX}{one[1]}", one.here
        if not {theirs, ours} <= set(table.index):
            continue
        both = table.loc[[theirs, ours]].dropna(axis=1)
        if both.shape[1]:
            means = matrix.by_families(both.clip(lower=matrix.LEAST)).mean(axis=1)
            better = Share.of(list(both.loc[ours] > both.loc[theirs]))
            rows.append((one.name, ours, both.shape[1], *means, better))
    heads = ["method", "here", "data sets", "skill in python-ldl", "skill here", "here better on"]
    return pd.DataFrame(rows, columns=heads)


def seconds_and_skill(records, measure):
    """Seconds of a first fold of python-ldl's methods and their skill, by the table of first folds.

    Returns
    -------
    DataFrame, a row a method: label, data sets, seconds (geometric mean, of the processor), skill
    (mean over families); the fastest first
    """
    first = pd.read_csv(FIRST_FOLDS).dropna(subset="seconds")
    table = matrix.skill(records, _NULL, measure)
    known, rows = facts(), []
    for name in GUESTS["class"]:
        method = f"{PREFIX}{name}"
        if method not in table.index:
            continue
        mine = first[first["class"] == name].set_index("dataset").seconds
        sets = [d for d in table if d in mine.index and pd.notna(table.at[method, d])]
        if sets:
            seconds = float(np.exp(np.log(mine[sets].clip(lower=0.01)).mean()))
            mine = table.loc[[method], sets].clip(lower=matrix.LEAST)
            skill = matrix.by_families(mine).mean(axis=1).iloc[0]
            rows.append((known.label[method], len(sets), seconds, skill))
    found = pd.DataFrame(rows, columns=["method", "data sets", "seconds", "skill"])
    return found.sort_values("seconds", ignore_index=True)
