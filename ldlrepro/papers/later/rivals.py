"""Later methods against older ones: the best on each kind of data, and on all data sets."""

import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.later.years import LAST, NULL, best_of, facts, whole_families
from ldlrepro.report.compare import count_significant, duels, family
from ldlrepro.report.values import Share

#: A linear method whose penalty is chosen.
PLAIN = "SA-BFGS, penalised"


def best_of_families(records, measure, names, inside=False):
    """The best later method on each kind of data, beside the best older one.

    Parameters
    ----------
    records, names : of `open_years`
    measure : str
    inside : bool
        False takes the best older method of the comparison or of python-ldl. True takes that of
        python-ldl, and counts released settings alone.

    Returns
    -------
    DataFrame, a row a kind of data: data, data sets, best up to `LAST`, its gain, older methods
    with records (`Share` of those that run; a name that both packages have counts once), best later
    method, its year, its gain, later methods with records (`Share`), significantly better and
    significantly worse (`Held`: on how many of the data sets the later one is, by the corrected
    t-test; all tests of the table are one family), ahead (bool, whether the later one is)
    """
    table, known = matrix.skill(records, NULL, measure), facts()
    if inside:
        known = known[known.guest & (known.label == known.learner)]
    rows, tests = [], []
    for name, mine in whole_families(table):
        mine = mine[mine.index.isin(known.index)]
        is_later = known.later[mine.index].to_numpy(bool)
        older, later = mine[~is_later], mine[is_later]
        if len(older) and len(later):
            a, b = best_of(older, known), best_of(later, known)
            counts = [
                Share(
                    known.learner[some.index].nunique(),
                    known.learner[known.later == late].nunique(),
                )
                for some, late in ((older, False), (later, True))
            ]
            fought = duels(records[records.dataset.map(family) == name], b, [a], [measure])
            tests.append(fought[fought.testable.astype(bool)].assign(kind=len(rows)))
            of = " (python-ldl)" if known.guest[a] and not inside else ""
            row = (names.get(name, name), len(fought), known.label[a] + of, older[a], counts[0])
            row += (known.label[b], known.year[b], later[b], counts[1])
            rows.append((*row, later[b] > older[a]))
    heads = ["data", "data sets", f"best up to {LAST}", "older gain", "older methods"]
    heads += ["best later", "year", "later gain", "later methods", "ahead"]
    found = pd.DataFrame(rows, columns=heads).astype({"year": int})
    tests = pd.concat(tests) if tests else pd.DataFrame(columns=["kind", "gain", "p_corrected"])
    for side, sign in (("better", 1), ("worse", -1)):
        held = [
            count_significant(tests.p_corrected, (tests.kind == i) & (sign * tests.gain > 0))
            for i in range(len(found))
        ]
        found.insert(found.shape[1] - 1, f"significantly {side}", held)
    return found


def with_holm(table):
    """Data sets on which the later one is better, and worse, by Holm: of `best_of_families`."""
    return tuple(
        sum(held.holm for held in table[f"significantly {s}"]) for s in ("better", "worse")
    )


def by_measure(records, names, measures, gains_by):
    """The best later method against the best older one, by several measures.

    Parameters
    ----------
    records, names : of `open_years`
    measures : list of str
    gains_by : str
        The measure of the gains of methods that lead.

    Returns
    -------
    DataFrame, a row a measure: measure, on how many kinds of data a later method leads (`Share`),
    which and where, their gain by `gains_by`, and the data sets on which the best later one
    is significantly better and worse than the best older one (with Holm's correction, all tests by
    the measure together)
    """
    first, known, rows = matrix.skill(records, NULL, gains_by), facts(), []
    method = {label: name for name, label in known.label[known.guest].items()}
    for measure in measures:
        table = best_of_families(records, measure, names)
        who, gains = [], []
        for _, row in table[table.ahead].iterrows():
            sets = [d for d in first if names.get(family(d), family(d)) == row["data"]]
            who.append(f"{row['best later']} on {row['data']}")
            gains.append(f"{first.loc[method[row['best later']], sets].mean():.2f}")
        row = (MEASURES[measure].label, Share.of(table.ahead), "; ".join(who), "; ".join(gains))
        rows.append((*row, *with_holm(table)))
    heads = ["measure", "a later method leads on", "which"]
    heads += [f"their gain by {MEASURES[gains_by].label}", "significantly better"]
    return pd.DataFrame(rows, columns=[*heads, "significantly worse"])


def best_of_each(records, measure, number=3):
    """The best later methods and the best of the papers: two lists of names, the best first.

    By the mean skill over families of data sets, of methods that have all data sets of both. A
    method that is also tuned stands in its better form. A loss that is more than half above the
    mean predictor's counts as half above it, here and in the other tables of means.
    """
    known = facts()
    table = matrix.skill(records, NULL, measure)
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
    heads = ["later", "of this book", "better on", "significantly better", "significantly worse"]
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


def means(records, measure):
    """Mean gains over kinds of data of the methods of `best_against_best`, and of a linear one.

    Returns
    -------
    DataFrame, a row a method, the best first: method, year of its paper, gain
    """
    later, papers = best_of_each(records, measure)
    table, known = matrix.skill(records, NULL, measure), facts()
    chosen = dict.fromkeys([*papers, *later, *({PLAIN} & set(table.index))])
    table = table.loc[list(chosen)].dropna(axis=1).clip(lower=matrix.LEAST)
    gain = matrix.by_families(table).mean(axis=1).sort_values(ascending=False)
    years = known.year[gain.index].map("{:.0f}".format)
    found = {"method": known.label[gain.index], "year": years, "gain": gain}
    return pd.DataFrame(found).reset_index(drop=True)
