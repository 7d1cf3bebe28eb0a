"""Skill against the year of a method's paper: python-ldl's methods beside the comparison's.

All of it works while records are being made: a method counts where all of its folds are there, and
`left_out.progress` says what is not.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.later.experiments import GUESTS, PAPER, RELEASED, TUNED
from ldlrepro.report.compare import family
from ldlrepro.report.plots import legend_below, nothing, panels, plain

#: Methods of the comparison whose paper proposed them for label distributions, and its year.
YEARS = pd.read_csv(Path(__file__).with_name("years.csv")).set_index("method").year
#: The five papers end in this year; methods of papers after it are later ones.
LAST = 2020
#: The baseline of gains.
NULL = matrix.NULLS["ldl"]
#: Methods of the comparison that ignore the features.
BASELINES = (NULL, "UniformPredictor")
#: Gains that are nearer than this differ by rounding alone.
TIE = 1e-6
#: Gains that are nearer than this hardly differ.
NEAR = 0.01
#: A lower gain is drawn there, in the picture of years.
LOWEST = -0.1


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


def groups(records):
    """Methods in some records by origin: a dict, head -> names, for `matrix.skill_picture`."""
    known, there = facts(), guests_in(records)
    return {
        "python-ldl, later": [m for m in there if known.later[m]],
        "python-ldl, older": [m for m in there if not known.later[m]],
        "this book": list(YEARS.index.intersection(records.method.unique())),
    }


def facts():
    """Facts on every method that learns: year (NaN for none), of python-ldl or not, its name.

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
            tuned = ", tuned" if len(method.grid.get("parameters", ())) > 1 else ", scaling chosen"
            form = tuned if "form" in method.settings else ""
            rows[method.name] = (one.year, True, one["name"] + form, one["name"])
    for name in (m.name for m in comparison.TABLES.methods if m.name not in BASELINES):
        rows[name] = (YEARS.get(name, np.nan), False, name, name)
    heads = ["year", "guest", "label", "learner"]
    found = pd.DataFrame.from_dict(rows, orient="index", columns=heads)
    return found.assign(later=found.guest & (found.year > LAST))


def forms():
    """Of how many later methods settings were tuned, and of how many the features alone chosen."""
    known = facts()
    chosen = known.label[known.later & (known.label != known.learner)]
    tuned = chosen.str.endswith(", tuned").sum()
    return int(tuned), len(chosen) - int(tuned)


def later_methods():
    """How many later methods python-ldl has that run."""
    known = facts()
    return known.learner[known.later].nunique()


def best_of(gains, known):
    """The method with the highest gain; of those that rounding parts, the one as released."""
    best = gains[gains > gains.max() - TIE].index
    return min(best, key=lambda name: (known.label[name] != known.learner[name], -gains[name]))


def whole_families(table):
    """Yield each family of data sets and the mean skills of the methods that have it whole.

    Parameters
    ----------
    table : of `matrix.skill`
    """
    for name in dict.fromkeys(family(d) for d in table):
        yield name, table[[d for d in table if family(d) == name]].dropna().mean(axis=1)


def by_year(records, measure):
    """Skill of each method with a year on each family of data sets that it has whole.

    Returns
    -------
    DataFrame: method, label, year, guest, family, skill; a family counts once
    """
    table = matrix.skill(records, NULL, measure)
    known = facts()
    known = known[known.year.notna()]
    rows = []
    for name, mine in whole_families(table):
        for method, skill in mine.items():
            if method in known.index:
                one = known.loc[method]
                rows.append((method, one.label, int(one.year), one.guest, name, skill))
    return pd.DataFrame(rows, columns=["method", "label", "year", "guest", "family", "skill"])


def best_so_far(found):
    """The best skill of all methods up to each year: `by_year` of one family in, a Series out."""
    return found.groupby("year").skill.max().sort_index().cummax()


def without_year(records, measure):
    """The best method on each family that no paper proposed for label distributions.

    Returns
    -------
    DataFrame, indexed by family: method, skill
    """
    table, known = matrix.skill(records, NULL, measure), facts()
    table = table[table.index.isin(known.index[known.year.isna()])]
    rows = {name: (mine.idxmax(), mine.max()) for name, mine in whole_families(table) if len(mine)}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["method", "skill"])


def years_picture(found, names, without):
    """A panel a family: a mark a method at the year of its paper, the best so far as a line.

    Parameters
    ----------
    found : of `by_year`; names : dict, data set -> name in tables
    without : of `without_year`
        Where this one is better than all marks, a dashed line has its skill.
    """
    if found.empty:
        return nothing("No records.")
    known, families = facts(), list(dict.fromkeys(found.family))
    figure, axes = panels(len(families), 2, 8, 2.6, above=0.6, sharex=True)
    for axis, name in zip(axes.flat, families, strict=False):
        mine = found[found.family == name]
        tuned = mine.label.str.contains(", ") & mine.guest
        for some, mark, face, colour, label in (
            (mine[~mine.guest], "o", "#0072B2", "#0072B2", "this book's code"),
            (mine[mine.guest & ~tuned], "^", "#D55E00", "#D55E00", "python-ldl, as released"),
            (mine[mine.guest & tuned], "s", "none", "#D55E00", "python-ldl, tuned"),
        ):
            low = some.skill.clip(lower=LOWEST)
            colours = {"facecolors": face, "edgecolors": colour}
            axis.scatter(some.year, low, s=18, marker=mark, label=label, zorder=3, **colours)
        axis.axvline(LAST + 0.5, color="0.6", linestyle=":", linewidth=1)
        line = best_so_far(mine).clip(lower=LOWEST)
        axis.step(line.index, line, where="post", color="0.4", linewidth=1, label="best so far")
        later = mine[mine.guest & (mine.year > LAST)]
        named = [
            best_of(some.set_index("method").skill, known) for some in (mine, later) if len(some)
        ]
        for one in mine.set_index("method").loc[list(dict.fromkeys(named))].itertuples():
            axis.annotate(
                plain(one.label),
                (one.year, max(one.skill, LOWEST)),
                xytext=(0, 5),
                textcoords="offset points",
                ha="right" if one.year > LAST else "center",
                fontsize=8,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},  # over the line
                zorder=4,
            )
        if name in without.index and without.skill[name] > mine.skill.max():
            axis.axhline(without.skill[name], color="0.4", linestyle="--", linewidth=1)
            at = (0.01, without.skill[name])
            label = {"va": "bottom", "fontsize": 8}
            axis.text(*at, without.method[name], transform=axis.get_yaxis_transform(), **label)
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
