"""What the tables of `rivals` say, in sentences: first the page's answer."""

from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison import persons
from ldlrepro.papers.comparison.experiments import TABLES
from ldlrepro.papers.later.experiments import GUESTS
from ldlrepro.papers.later.left_out import later_to_come, older_to_come
from ldlrepro.papers.later.rivals import PLAIN, best_of_families, by_measure, with_holm
from ldlrepro.papers.later.years import LAST, NEAR, facts, forms, later_methods
from ldlrepro.report.values import in_text

#: The field's other measures, beside K-L.
OTHERS = ("chebyshev", "clark", "canberra", "cosine", "intersection")


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
    label, kinds = MEASURES[measure].label, len(table)
    ahead = list(table.data[table.ahead])
    papers = GUESTS.title[(GUESTS.year > LAST) & (GUESTS.does_not_run == "")].nunique()
    first = f"By {label}, no later method is the best on any of {kinds} kinds of data."
    if ahead:
        first = f"By {label}, a later method is the best on {len(ahead)} of {kinds} kinds of data: "
        first += f"{', '.join(ahead)}."
    shares, older = table["later methods"], set(table[f"best up to {LAST}"])
    here = [method for method in TABLES.methods if method.name in older]
    lines = [
        f"**{first}** By Holm's correction the best later one is significantly worse than the best "
        f"older one {_where_worse(table)}.",
        f"We ran {later_methods()} later methods of {papers} papers. "
        f"{sum(s.part for s in shares)} of {sum(s.whole for s in shares)} pairs of a later method "
        "and a kind of data are complete. The others fail or take too long.",
    ]
    found = by_measure(records, names, [m for m in others if m in records], measure)
    if len(found):
        who = "; ".join(found.which[found.which != ""]).split("; ")
        where = dict.fromkeys(one.rpartition(" on ")[2] for one in who if one)
        lines.append(
            f"By {len(found)} other measures a later one leads "
            f"{f'only on {in_text(where)}' if where else 'nowhere'}, significantly on at most "
            f"{found['significantly better'].max()} of {table['data sets'].sum()} data sets."
        )
    tuned, scaled = forms()
    all_here = len(here) == len(older)
    share = f"All {len(older)}" if all_here else f"{len(here)} of the {len(older)}"
    lines.append(
        f"{share} older methods that are best on a kind are this book's code. "
        f"{sum(bool(method.grid) for method in here) or 'None'} of them choose settings inside "
        f"each fold. Of the later ones we tuned {tuned}, chose for {scaled} whether features are "
        "scaled, and ran the others as released."
    )
    inside = best_of_families(records, measure, names, inside=True)
    if len(inside):
        lines.append(
            f"On {inside.ahead.sum() or 'none'} of {len(inside)} kinds python-ldl's best later "
            "method gains more than its best older one, both as released. It is "
            f"significantly better on {with_holm(inside)[0] or 'none'} of "
            f"{inside['data sets'].sum()} data sets."
        )
    missing = later_to_come(records)
    if missing:
        lines.append(f"The runs are not complete: {missing}")
    return "\n".join(f"- {line}" for line in lines)


def which_later(table, means):
    """Which later methods to try: those with the best mean gain, and where others are ahead.

    Parameters
    ----------
    table : of `best_of_families`
    means : of `means`
    """
    known = facts()
    later = means[means.method.isin(known.label[known.later])]
    if later.empty:
        return ""
    best = later.method[later.gain > later.gain.max() - NEAR]
    learner = known.drop_duplicates("label").set_index("label").learner
    others = table[~table["best later"].map(learner).isin(learner[best])]
    tuned = " when tuned" if best.str.endswith(", tuned").all() else ""
    text = (
        f"Of the later methods that ran on all data sets, {in_text(learner[best])} "
        f"{'gain' if len(best) > 1 else 'gains'} most{tuned}: {later.gain.max():.2f} in the mean "
        "over kinds of data. "
    )
    plain = means[means.method == PLAIN]
    if len(plain):
        text += f"{PLAIN}, of {plain.year.iloc[0]}, gains {plain.gain.iloc[0]:.2f}. "
    for name, mine in others.groupby(others["best later"].map(learner), sort=False):
        cells = zip(mine.data, mine["later gain"], strict=True)
        text += f"{name} is the best later one on {in_text(f'{d} ({g:.2f})' for d, g in cells)}. "
    return text.strip()


def few_in_words(table, records):
    """How many later methods count on the kinds of data, of `best_of_families`."""
    shares = table["later methods"]
    few = [f"{n} ({s.part})" for n, s in zip(table.data, shares, strict=True) if s.ratio < 0.5]
    if not few:
        return ""
    waiting = "are not run yet, " if later_to_come(records) else ""
    return (
        f"Fewer than half of the {shares.iloc[0].whole} later methods count on "
        f"{' and '.join(few)}. The others {waiting}fail or take too long there."
    )


def persons_in_words(table, names):
    """`best_of_families` without the data sets that have several pictures of a person."""
    several = [names.get(d, d) for d in persons.SEVERAL]
    rest = table[~table.data.isin(several)]
    if len(rest) == len(table):
        return ""
    return (
        f"{in_text(several)} have several pictures of a person, in training and in test. Methods "
        f"that recognise a person can gain there. On the other {len(rest)} kinds of data a later "
        f"method leads on {rest.ahead.sum() or 'none'}. By Holm's correction the best later one is "
        f"significantly worse {_where_worse(rest)}."
    )


def _where_worse(table):
    """Where the best later one is significantly worse, with Holm, of `best_of_families`."""
    worse = table["significantly worse"].map(lambda held: held.holm)
    single = table["data sets"] == 1
    many = table[~single]
    found = (
        [f"on {worse[single].sum()} of the {single.sum()} single data sets"] if any(single) else []
    )
    found += [
        f"on {part} of the {whole} {kind} sets"
        for part, whole, kind in zip(worse[~single], many["data sets"], many.data, strict=True)
    ]
    return in_text(found)


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


def means_in_words(table):
    """How the best later one does beside the linear method, of `means`."""
    later = table[table.method.isin(facts().label[facts().later])]
    plain = table[table.method == PLAIN]
    if later.empty or plain.empty:
        return ""
    return (
        f"By mean gain the best of these later ones is {later.method.iloc[0]}: "
        f"{later.gain.iloc[0]:.2f}. {PLAIN}, a linear method of {plain.year.iloc[0]}, gains "
        f"{plain.gain.iloc[0]:.2f}."
    )


def inside_in_words(table, records):
    """How the best later methods of python-ldl do beside its older ones: `best_of_families`."""
    better, worse = with_holm(table)
    near = sum(abs(table["later gain"] - table["older gain"]) < NEAR)
    return (
        "As released, the best later method of python-ldl gains more than its best older one on "
        f"{table.ahead.sum()} of {len(table)} kinds of data. On {near or 'none'} of the "
        f"{len(table)} the two are nearer than {NEAR:g}. By Holm's correction the later one is "
        f"significantly better on {better or 'none'} of {table['data sets'].sum()} data sets, and "
        f"significantly worse on {worse or 'none'}.{older_to_come(records)}"
    )
