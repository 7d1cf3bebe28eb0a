"""Later methods against older ones: the best on each kind of data, and on all data sets."""

import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison import matrix, persons
from ldlrepro.papers.comparison.experiments import TABLES
from ldlrepro.papers.later.left_out import later_to_come, older_to_come
from ldlrepro.papers.later.years import LAST, NEAR, NULL, facts, forms, later_methods
from ldlrepro.report.compare import count_significant, duels, family
from ldlrepro.report.values import Share, in_text

#: Gains that are nearer than this differ by rounding alone.
TIE = 1e-6
#: A linear method whose penalty is chosen.
PLAIN = "SA-BFGS, penalised"
#: The field's other measures, beside K-L.
OTHERS = ("chebyshev", "clark", "canberra", "cosine", "intersection")


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
    DataFrame, a row a kind of data: data, data sets, best up to `LAST`, its gain, older methods,
    best later method, its year, its gain, later methods with records (`Share` of those that run),
    significantly better and significantly worse (`Held`: on how many of the data sets the later
    one is, by the corrected t-test; all tests of the table are one family), ahead (bool, whether
    the later one is)
    """
    table, known = matrix.skill(records, NULL, measure), facts()
    if inside:
        known = known[known.guest & (known.label == known.learner)]
    rows, tests = [], []
    for name in dict.fromkeys(family(d) for d in table):
        mine = table[[d for d in table if family(d) == name]].dropna().mean(axis=1)
        mine = mine[mine.index.isin(known.index.difference([NULL]))]
        is_later = known.later[mine.index].to_numpy(bool)
        older, later = mine[~is_later], mine[is_later]
        if len(older) and len(later):
            a, b = _best(older, known), _best(later, known)
            number, part = (known.learner[some.index].nunique() for some in (older, later))
            fought = duels(records[records.dataset.map(family) == name], b, [a], [measure])
            tests.append(fought[fought.testable.astype(bool)].assign(kind=len(rows)))
            of = " (python-ldl)" if known.guest[a] and not inside else ""
            row = (names.get(name, name), len(fought), known.label[a] + of, older[a], number)
            row += (known.label[b], known.year[b], later[b], Share(part, later_methods()))
            rows.append((*row, later[b] > older[a]))
    heads = ["data", "data sets", f"best up to {LAST}", "its gain", "older methods"]
    heads += ["best later", "year", "gain of that", "later methods", "ahead"]
    found = pd.DataFrame(rows, columns=heads).astype({"year": int})
    tests = pd.concat(tests) if tests else pd.DataFrame(columns=["kind", "gain", "p_corrected"])
    for side, sign in (("better", 1), ("worse", -1)):
        held = [
            count_significant(tests.p_corrected, (tests.kind == i) & (sign * tests.gain > 0))
            for i in range(len(found))
        ]
        found.insert(found.shape[1] - 1, f"significantly {side}", held)
    return found


def _best(gains, known):
    """The method with the highest gain; of those that rounding parts, the one as released."""
    best = gains[gains > gains.max() - TIE].index
    return min(best, key=lambda name: (known.label[name] != known.learner[name], -gains[name]))


def inside_in_words(table, records):
    """How the best later methods of python-ldl do beside its older ones: `best_of_families`."""
    better, worse = _significant(table)
    near = sum(abs(table["gain of that"] - table["its gain"]) < NEAR)
    return (
        "As released, the best later method of python-ldl gains more than its best older one on "
        f"{table.ahead.sum()} of {len(table)} kinds of data. On {near or 'none'} of the "
        f"{len(table)} the two are nearer than {NEAR:g}. By Holm's correction the later one is "
        f"significantly better on {better or 'none'} of {table['data sets'].sum()} data sets, and "
        f"significantly worse on {worse or 'none'}.{older_to_come(records)}"
    )


def _significant(table):
    """Data sets on which the later one is better and worse with Holm's correction."""
    return (sum(held.holm for held in table[f"significantly {s}"]) for s in ("better", "worse"))


def few_in_words(table, records):
    """How many later methods count on the kinds of data, of `best_of_families`."""
    shares = table["later methods"]
    few = [f"{n} ({s.part})" for n, s in zip(table.data, shares, strict=True) if s.ratio < 0.5]
    if table.empty:
        return ""
    text = (
        f"Of {sum(s.whole for s in shares)} pairs of a later method and a kind of data, "
        f"{sum(s.part for s in shares)} count. "
    )
    if few:
        waiting = "are not run yet, " if later_to_come(records) else ""
        text += (
            f"Fewer than half of the {shares.iloc[0].whole} methods count on {' and '.join(few)}. "
            f"The others {waiting}fail or take too long there."
        )
    return text.strip()


def persons_in_words(table, names):
    """`best_of_families` without the data sets that have several pictures of a person."""
    several = [names.get(d, d) for d in persons.SEVERAL]
    rest = table[~table.data.isin(several)]
    if len(rest) == len(table):
        return ""
    return (
        f"{in_text(several)} have several pictures of a person, in training and in test. Methods "
        f"that know a face again gain there. On the other {len(rest)} kinds of data a later method "
        f"leads on {rest.ahead.sum() or 'none'}, and the best later one is significantly worse on "
        f"{_all_worse(rest).sum() or 'none'}."
    )


def _all_worse(table):
    """Whether the later one is significantly worse on all data sets of a kind, with Holm."""
    return table["significantly worse"].map(lambda held: held.holm) == table["data sets"]


def answer(records, names, measure, others=OTHERS):
    """What came out, as a list of sentences, from the best of each kind of data and the tests.

    Parameters
    ----------
    records, names : of `open_years`
    measure : str
    others : list of str
        More measures.
    """
    table = best_of_families(records, measure, names)
    if table.empty:
        return "No later method has records yet."
    label, kinds, worse = MEASURES[measure].label, len(table), _all_worse(table)
    number, ahead = later_methods(), list(table.data[table.ahead])
    first = (
        f"By {label}, none of {number} later methods is the best on any of {kinds} kinds of data."
    )
    if ahead:
        first = f"By {label}, one of {number} later methods is the best on {len(ahead)} of {kinds} "
        first += f"kinds of data: {', '.join(ahead)}."
    single = worse.any() and (table["data sets"][worse] == 1).all()
    each = ", a data set each," if single else ""
    lines = [
        f"**{first}** On {worse.sum() or 'none'} of them{each} the best later one is significantly "
        "worse than the best older one, with Holm's correction."
    ]
    found = by_measure(records, names, [measure, *(m for m in others if m in records)])[1:]
    if len(found):
        leads = max(share.part for share in found["a later method leads on"])
        lines.append(
            f"By each of {len(found)} other measures a later one leads on at most {leads} kinds, "
            f"and significantly on at most {found['significantly better'].max()} of "
            f"{table['data sets'].sum()} data sets."
        )
    tuned, scaled = forms()
    choosing = sum(bool(method.grid) for method in TABLES.methods)
    lines.append(
        f"{choosing} of the {len(TABLES.methods)} methods of this book choose their settings "
        f"inside each fold, and most later ones ran as released. We tuned {tuned} of these, and "
        f"let {scaled} choose whether features are scaled."
    )
    inside = best_of_families(records, measure, names, inside=True)
    if len(inside):
        lines.append(
            f"Within python-ldl, both as released, a later method gains more than the best older "
            f"one on {inside.ahead.sum() or 'none'} of {len(inside)} kinds."
        )
    missing = later_to_come(records)
    if missing:
        lines.append(f"The runs are not complete: {missing}")
    return "\n".join(f"- {line}" for line in lines)


def by_measure(records, names, measures):
    """The best later method against the best older one, by several measures.

    Returns
    -------
    DataFrame, a row a measure: measure, on how many kinds of data a later method leads (`Share`),
    which and where, their gain by the first measure, and the data sets on which the best later one
    is significantly better and worse than the best older one (with Holm's correction, all tests by
    the measure together)
    """
    first, known, rows = matrix.skill(records, NULL, measures[0]), facts(), []
    method = {label: name for name, label in known.label[known.guest].items()}
    for measure in measures:
        table = best_of_families(records, measure, names)
        who, gains = [], []
        for _, row in table[table.ahead].iterrows():
            sets = [d for d in first if names.get(family(d), family(d)) == row["data"]]
            who.append(f"{row['best later']} on {row['data']}")
            gains.append(f"{first.loc[method[row['best later']], sets].mean():.2f}")
        row = (MEASURES[measure].label, Share.of(table.ahead), "; ".join(who), "; ".join(gains))
        rows.append((*row, *_significant(table)))
    heads = ["measure", "a later method leads on", "which"]
    heads += [f"their gain by {MEASURES[measures[0]].label}", "significantly better"]
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


def means_in_words(table):
    """How the best later one does beside the linear method, of `means`."""
    later = table[table.method.isin(facts().label[facts().later])]
    plain = table[table.method == PLAIN]
    if later.empty or plain.empty:
        return ""
    return (
        f"By mean gain the best later one is {later.method.iloc[0]}: {later.gain.iloc[0]:.2f}. "
        f"{PLAIN}, a linear method of {plain.year.iloc[0]}, gains {plain.gain.iloc[0]:.2f}."
    )


def against_in_words(table):
    """How often the later methods are significantly better and worse, of `best_against_best`."""
    better, worse = (
        sum(held.holm for held in table[f"significantly {side}"]) for side in ("better", "worse")
    )
    cells = sum(share.whole for share in table["better on"])
    return (
        f"With Holm's correction these {table.later.nunique()} later methods are significantly "
        f"better in {better or 'none'} of {cells} comparisons, and significantly worse in "
        f"{worse or 'none'}."
    )
