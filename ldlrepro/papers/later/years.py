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
from ldlrepro.papers.later.experiments import (
    ANOTHER_PROCESSOR,
    FIRST_FOLDS,
    GUESTS,
    PAPER,
    PREFIX,
    RELEASED,
    TUNED,
)
from ldlrepro.report.compare import count_significant, duels, family, wins
from ldlrepro.report.plots import legend_below, nothing, panels, plain
from ldlrepro.report.values import Share

#: Methods of the comparison whose paper proposed them for label distributions, and its year.
YEARS = pd.read_csv(Path(__file__).with_name("years.csv")).set_index("method").year
#: The five papers end in this year; methods of papers after it are later ones.
LAST = 2020
#: A K-L that moves by more than this share, from one processor to another, is told by name.
MUCH = 0.01
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
    DataFrame, indexed by the name in records: year, guest (bool), label, learner (one for all forms
    of a method), later (bool: a method of python-ldl whose paper came after the five)
    """
    known = GUESTS.set_index("class")
    rows = {}
    for experiment in (RELEASED, TUNED):
        for method in experiment.methods:
            one = known.loc[method.estimator.name]
            form = ", tuned" if "form" in method.settings else ""
            rows[method.name] = (one.year, True, one["name"] + form, one["name"])
    for method in comparison.TABLES.methods:
        rows[method.name] = (YEARS.get(method.name, np.nan), False, method.name, method.name)
    heads = ["year", "guest", "label", "learner"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=heads)
    return found.assign(later=found.guest & (found.year > LAST))


def later_methods():
    """How many later methods python-ldl has that run."""
    known = facts()
    return known.learner[known.later].nunique()


def progress(records):
    """Text on how much of the declaration is there, and of what is left out."""
    wanted = {(m.name, d) for e in (RELEASED, TUNED) for d in e.datasets for m in e.methods_on(d)}
    there = wanted & set(zip(records.method, records.dataset, strict=True))
    text = (
        f"{len(there)} of {len(wanted)} pairs of a method and a data set have all ten folds. The "
        f"methods are {len(RELEASED.methods)} as released, and {len(TUNED.methods)} of them tuned "
        "as well."
    )
    without = (*RELEASED.without, *TUNED.without)
    over = sum(why == OVER for _, _, why in without)
    failed = len(without) - over
    if over:
        text += f" {over} pairs do not end a first fold within two minutes, and are left out."
    if failed:
        text += f" {failed} pairs fail, and are left out."
    return f"{text} {_of_later(there, without)}"


def _of_later(there, without):
    """Text on how many later methods are complete: pairs of records, and those left out."""
    known = facts()
    later = [m.name for m in RELEASED.methods if known.later[m.name]]
    pairs = {(m, d) for m in later for d in RELEASED.datasets} - there
    left_out = {(m, d) for m, d, _ in without}
    out, to_come = ({m for m, _ in some} for some in (pairs & left_out, pairs - left_out))
    whole = set(later) - out - to_come
    among = "all" if to_come <= out else len(out & to_come)
    return (
        f"Of the {later_methods()} later methods, {len(whole)} have all records as released. "
        f"{len(out)} fail on some data set or do not end a first fold in time there. For "
        f"{len(to_come)}, {among} of them among these, fits are still to come."
    )


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
    table = pd.DataFrame({"data sets": grouped.size(), "largest share of rows": grouped.off.max()})
    return table.reset_index()


def another_processor():
    """How far records are off that were fitted again on another processor.

    Returns
    -------
    DataFrame, a row a method: folds, equal (`Share` of them), largest difference of a measure, of a
    fold's K-L, and of its mean over the folds of a data set that has all ten (shares of what the
    records have)
    """
    found = pd.read_csv(ANOTHER_PROCESSOR)
    found = found.assign(kl=abs(found.kl_again / found.kl_before - 1))
    known, rows = facts(), []
    for method, mine in found.groupby("method", sort=False):
        means = mine.groupby(["experiment", "dataset"])[["kl_before", "kl_again"]].agg(
            lambda x: x.mean() if len(x) == RELEASED.folds else np.nan
        )
        moved = abs(means.kl_again / means.kl_before - 1).max()
        equal = Share.of(list(mine.difference == 0))
        rows.append((known.label[method], equal, mine.difference.max(), mine.kl.max(), moved))
    heads = ["method", "equal folds", "a measure moves by", "K-L moves by", "its mean moves by"]
    return pd.DataFrame(rows, columns=heads).sort_values(heads[2], ignore_index=True)


def processors_in_words(table):
    """How many folds have the same digits on another processor, of `another_processor`."""
    folds, equal = (sum(share[i] for share in table["equal folds"]) for i in (1, 0))
    much = table[table["K-L moves by"] > MUCH]
    rest = table[table["K-L moves by"] <= MUCH]
    text = f"We fitted {folds} folds of {len(table)} methods again. {equal} have the same digits. "
    if len(much):
        text += (
            f"In {', '.join(much.method)} the K-L of a fold moves by at most "
            f"{much['K-L moves by'].max():.1%}, and its mean over ten folds by at most "
            f"{much['its mean moves by'].max():.1%}. "
        )
    return (
        f"{text}In the other {len(rest)} the K-L of a fold moves by at most "
        f"{rest['K-L moves by'].max():.1%}, and another measure by at most "
        f"{rest['a measure moves by'].max():.1%}."
    )


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


def best_of_families(records, measure, names):
    """The best later method on each kind of data, beside the best of the comparison.

    Returns
    -------
    DataFrame, a row a kind of data: data, best of the comparison, its gain, best later method, its
    year, its gain, data sets, significantly worse (`Held`: on how many of them the later one is, by
    the corrected t-test; all tests of the table are one family), later methods with records
    (`Share` of those that run), ahead (bool, whether the later one is)
    """
    table, known = matrix.skill(records, _NULL, measure), facts()
    rows, tests = [], []
    for name in dict.fromkeys(family(d) for d in table):
        mine = table[[d for d in table if family(d) == name]].dropna().mean(axis=1)
        facts_of = known.reindex(mine.index)
        here, later = mine[facts_of.guest == False], mine[facts_of.later == True]  # noqa: E712
        if len(here) and len(later):
            a, b = here.idxmax(), later.idxmax()
            there = Share(known.learner[later.index].nunique(), later_methods())
            fought = duels(records[records.dataset.map(family) == name], b, [a], [measure])
            tests.append(fought[fought.testable.astype(bool)].assign(kind=len(rows)))
            row = (names.get(name, name), known.label[a], here[a], known.label[b], known.year[b])
            rows.append((*row, later[b], len(fought), there, later[b] > here[a]))
    heads = ["data", "best of the papers and before", "its gain", "best later", "year"]
    heads += ["gain of that", "data sets", "later methods there", "ahead"]
    found = pd.DataFrame(rows, columns=heads).astype({"year": int})
    tests = pd.concat(tests) if tests else pd.DataFrame(columns=["kind", "gain", "p_corrected"])
    worse = [
        count_significant(tests.p_corrected, (tests.kind == i) & (tests.gain < 0))
        for i in range(len(found))
    ]
    found.insert(heads.index("later methods there"), "significantly worse", worse)
    return found


def where_some_fail(records, measure, names):
    """Text on later methods that fail on a data set of a kind and have records on all others of it.

    A kind does not count them, so the text says whether they are ahead on the others.
    """
    table, known, text = matrix.skill(records, _NULL, measure), facts(), []
    later = table.loc[[m for m in table.index if known.later.get(m, False)]]
    failed = {(m, d) for m, d, why in RELEASED.without if why != OVER}
    for kind in dict.fromkeys(family(d) for d in table):
        mine = later[[d for d in table if family(d) == kind]]
        holes = mine.isna()
        some = [
            m
            for m, row in holes.iterrows()
            if 0 < row.sum() < len(row) and all((m, d) in failed for d in row.index[row])
        ]
        if some:
            gone = holes.columns[holes.loc[some].any()]
            means = mine.drop(columns=gone).dropna().mean(axis=1)
            best = means.drop(some).idxmax()
            ahead = sum(means.reindex(some) > means[best])
            text.append(
                f"{', '.join(known.label[some])} fail on {', '.join(names[d] for d in gone)}, so "
                f"the kind {names.get(kind, kind)} does not count them. On its other data sets "
                f"{ahead or 'none'} of them gain more than {known.label[best]}."
            )
    return " ".join(text)


def answer(records, names, measure):
    """What came out, in sentences, from the best of each kind of data and the tests.

    Parameters
    ----------
    records, names : of `open_years`
    measure : str
    """
    table = best_of_families(records, measure, names)
    if table.empty:
        return "No later method has records yet."
    known, found = facts(), by_year(records, measure)
    run = known.learner[found.method[known.later[found.method].to_numpy(bool)]].nunique()
    tuned = known.learner[known.later & (known.label != known.learner)].nunique()
    text = (
        f"{run} later methods of one package have records on some kind of data, all but {tuned} "
        "with its released settings alone. "
    )
    ahead = list(table.data[table.ahead])
    if ahead:
        text += f"One is the best on {len(ahead)} of {len(table)} kinds of data: "
        text += f"{', '.join(ahead)}. "
    else:
        text += (
            f"As far as they have records, none is the best on any of {len(table)} kinds of data. "
        )
    worse = sum(
        held.holm == number
        for held, number in zip(table["significantly worse"], table["data sets"], strict=True)
    )
    text += (
        f"On {worse or 'none'} of these the best of them is significantly worse than the best "
        "method of the papers and before, by Holm's correction and on every data set of the kind."
    )
    return text


def what_choosing_gains(records, measure):
    """Skill of the methods that are also tuned, as released and tuned: means over families.

    Returns
    -------
    DataFrame, a row a method: data sets of both, gain as released and tuned, on how many sets the
    tuned one is better (`Share`), significantly better and significantly worse (`Held`)
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
            tests = wins(records, [(method.name, released)], [measure])
            better = Share(tests.better, tests.cells)
            name = GUESTS.set_index("class").name[method.estimator.name]
            rows.append((name, both.shape[1], *means, better, tests.shown, tests.worse))
    heads = ["method", "data sets", "as released", "tuned", "better tuned on"]
    heads += ["significantly better", "significantly worse"]
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
        tuned = mine.label.str.endswith(", tuned")
        for some, mark, face, colour, label in (
            (mine[~mine.guest], "o", "#0072B2", "#0072B2", "this book's code"),
            (mine[mine.guest & ~tuned], "^", "#D55E00", "#D55E00", "python-ldl, as released"),
            (mine[mine.guest & tuned], "s", "none", "#D55E00", "python-ldl, tuned"),
        ):
            low = some.skill.clip(lower=matrix.LEAST)
            colours = {"facecolors": face, "edgecolors": colour}
            axis.scatter(some.year, low, s=18, marker=mark, label=label, zorder=3, **colours)
        line = best_so_far(mine).clip(lower=matrix.LEAST)
        axis.step(line.index, line, where="post", color="0.4", linewidth=1, label="best so far")
        best, later = mine.loc[mine.skill.idxmax()], mine[mine.guest & (mine.year > LAST)]
        named = [best] if later.empty else [best, later.loc[later.skill.idxmax()]]
        for one in {one.label: one for one in named}.values():
            axis.annotate(
                plain(one.label),
                (one.year, max(one.skill, matrix.LEAST)),
                xytext=(0, 4),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        axis.axhline(0, color="0.8", linewidth=0.8, zorder=0)
        axis.margins(y=0.18)
        axis.locator_params(axis="x", integer=True)
        axis.set_title(plain(names.get(name, name)), fontsize=9)
    for axis in axes[:, 0]:
        axis.set_ylabel("gain")
    for axis in axes[-1]:
        axis.set_xlabel("year of the method's paper")
    legend_below(figure, axes.flat[0], 0.05)
    return figure


def best_of_each(records, measure, number=3):
    """The best later methods and the best of the papers: two lists of names, the best first.

    By the mean skill over families of data sets, of methods that have all data sets of both. A
    method that is also tuned stands in its better form. A loss that is more than half above the
    mean predictor's counts as half above it, here and in the other tables of means.
    """
    known = facts()
    table = matrix.skill(records, _NULL, measure)
    table = table.loc[[m for m in table.index if known.year.notna().get(m, False)]]
    later = table[known.later[table.index].to_numpy(bool)]
    shared = later.columns[later.notna().sum() >= number]
    table = table[shared].dropna().clip(lower=matrix.LEAST)
    ranked = matrix.by_families(table).mean(axis=1).sort_values(ascending=False).index
    known = known.loc[ranked].drop_duplicates("learner")
    return list(known.index[known.later][:number]), list(known.index[~known.guest][:number])


def best_against_best(records, measure):
    """Corrected tests of the best later methods against the best of the papers.

    All tests of the table are one family for the adjusted counts.

    Returns
    -------
    DataFrame, a row a pair: data sets that both have, better (`Share`), significantly better and
    significantly worse (`Held`)
    """
    later, papers = best_of_each(records, measure)
    known, rows = facts(), []
    heads = ["later", "of the papers", "better on", "significantly better", "significantly worse"]
    if not later or not papers:
        return pd.DataFrame(columns=heads)
    fought = [duels(records, mine, papers, [measure]).assign(mine=mine) for mine in later]
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


def against_in_words(table):
    """How often the later methods are significantly better and worse, of `best_against_best`."""
    better, worse = (
        sum(held.holm for held in table[f"significantly {side}"]) for side in ("better", "worse")
    )
    cells = sum(share.whole for share in table["better on"])
    return (
        f"With Holm's correction the later methods are significantly better in {better or 'none'} "
        f"of {cells} comparisons, and significantly worse in {worse or 'none'}."
    )


def baselines(records, measure):
    """Baselines of later papers as python-ldl has them, beside those of the comparison.

    Returns
    -------
    DataFrame, a row a method of both: data sets of both, mean skill over families as released and
    here, the data sets on which the one here is better (`Share`)
    """
    table = matrix.skill(records, _NULL, measure)
    rows = []
    pairs = GUESTS[GUESTS.here != ""].assign(here=GUESTS.here.str.split("; ")).explode("here")
    for one in pairs.itertuples():
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


def baselines_in_words(table):
    """Whether the baselines are weak, of `baselines`."""
    theirs, here = table["skill in python-ldl"], table["skill here"]
    better = (here > theirs).groupby(table.method, sort=False).any()
    sets = table.groupby("method", sort=False)["data sets"].max()
    most = sets == sets.max()
    text = (
        f"{better.sum()} of {len(better)} gain more here, with parameters chosen inside the fold. "
        f"Of the {most.sum()} with records of both on {sets.max()} data sets, {better[most].sum()} "
        "do."
    )
    plain_form = table[table.here == "SA-BFGS"]
    if len(plain_form):
        (row,) = plain_form.itertuples(index=False)
        text += (
            " SA-BFGS shows what choosing does: without a chosen penalty and scaling it gains "
            f"{row[4]:.2f} here and {row[3]:.2f} in python-ldl."
        )
    return text


def seconds_and_skill(records, measure, dataset="SJAFFE"):
    """Seconds of a first fold of python-ldl's methods as released, and their skill, on a data set.

    Records have the time by the clock, on a machine that did other work as well. The table of first
    folds has the processor's.

    Parameters
    ----------
    dataset : str
        That on which most methods have records.

    Returns
    -------
    DataFrame, a row a method (its name in figures), the fastest first: seconds, skill, front
    (whether nothing is both faster and better)
    """
    first = pd.read_csv(FIRST_FOLDS).dropna(subset="seconds")
    first = first[first.dataset == dataset]
    skill = matrix.skill(records[records.dataset == dataset], _NULL, measure)
    known, rows = facts(), {}
    for name, seconds in zip(PREFIX + first["class"], first.seconds, strict=True):
        if name in skill.index:
            rows[known.label[name]] = (seconds, skill.at[name, dataset])
    found = pd.DataFrame.from_dict(rows, orient="index", columns=["seconds", "skill"])
    found = found.sort_values("seconds").rename_axis("method")
    return found.assign(front=found.skill > found.skill.cummax().shift(fill_value=-np.inf))
