"""python-ldl's methods against those of the comparison: the best of both, tuning, baselines."""

import numpy as np
import pandas as pd

from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.later.experiments import FIRST_FOLDS, GRIDS, GUESTS, PREFIX, TUNED
from ldlrepro.papers.later.left_out import later_to_come
from ldlrepro.papers.later.years import LAST, NULL, by_year, facts, later_methods
from ldlrepro.report.compare import count_significant, duels, family, wins
from ldlrepro.report.values import Share


def best_of_families(records, measure, names, inside=False):
    """The best later method on each kind of data, beside the best up to `LAST`.

    Parameters
    ----------
    records, names : of `open_years`
    measure : str
    inside : bool
        False takes the best method of the comparison. True takes the best earlier one of
        python-ldl, and counts released settings alone.

    Returns
    -------
    DataFrame, a row a kind of data: data, best up to `LAST`, its gain, best later method, its year,
    its gain, data sets, significantly better and significantly worse (`Held`: on how many of them
    the later one is, by the corrected t-test; all tests of the table are one family), later methods
    with records (`Share` of those that run), ahead (bool, whether the later one is)
    """
    table, known = matrix.skill(records, NULL, measure), facts()
    if inside:
        known = known[known.guest & (known.label == known.learner)]
    rows, tests = [], []
    for name in dict.fromkeys(family(d) for d in table):
        mine = table[[d for d in table if family(d) == name]].dropna().mean(axis=1)
        facts_of = known.reindex(mine.index)
        is_later = (facts_of.later == True).to_numpy()  # noqa: E712
        here, later = mine[(facts_of.guest == inside).to_numpy() & ~is_later], mine[is_later]
        if len(here) and len(later):
            a, b = here.idxmax(), later.idxmax()
            there = Share(known.learner[later.index].nunique(), later_methods())
            fought = duels(records[records.dataset.map(family) == name], b, [a], [measure])
            tests.append(fought[fought.testable.astype(bool)].assign(kind=len(rows)))
            row = (names.get(name, name), known.label[a], here[a], known.label[b], known.year[b])
            rows.append((*row, later[b], len(fought), there, later[b] > here[a]))
    heads = ["data", f"best up to {LAST}", "its gain", "best later", "year"]
    heads += ["gain of that", "data sets", "later methods there", "ahead"]
    found = pd.DataFrame(rows, columns=heads).astype({"year": int})
    tests = pd.concat(tests) if tests else pd.DataFrame(columns=["kind", "gain", "p_corrected"])
    for place, (side, sign) in enumerate((("better", 1), ("worse", -1))):
        held = [
            count_significant(tests.p_corrected, (tests.kind == i) & (sign * tests.gain > 0))
            for i in range(len(found))
        ]
        found.insert(heads.index("later methods there") + place, f"significantly {side}", held)
    return found


def inside_in_words(table):
    """How the best later methods of python-ldl do beside its earlier ones: `best_of_families`."""
    better, worse = (
        sum(held.holm for held in table[f"significantly {side}"]) for side in ("better", "worse")
    )
    return (
        f"As released, the best later method gains more than the best earlier one of the package "
        f"on {table.ahead.sum()} of {len(table)} kinds of data. By Holm's correction it is "
        f"significantly better on {better or 'none'} of {table['data sets'].sum()} data sets, and "
        f"significantly worse on {worse or 'none'}."
    )


def few_in_words(table, records):
    """Kinds of data on which fewer than half of the later methods count, of `best_of_families`."""
    counts = list(zip(table.data, table["later methods there"], strict=True))
    few = [f"{kind} ({there.part})" for kind, there in counts if there.ratio < 0.5]
    whole = [kind for kind, there in counts if there.ratio == 1]
    text = []
    if few:
        waiting = "are not run yet, " if later_to_come(records) else ""
        text.append(
            f"Fewer than half of the {counts[0][1].whole} later methods count on {', '.join(few)}. "
            f"The others {waiting}fail or take too long there."
        )
    if whole:
        worse = table.set_index("data")["significantly worse"][whole]
        sets = table.set_index("data")["data sets"][whole].sum()
        found = "significantly worse"
        if sets == 1 and not worse.iloc[0].holm:
            found = "not significantly worse"
        on = "" if sets == 1 else f" on {sum(held.holm for held in worse) or 'none'} of {sets} sets"
        text.append(
            f"On {', '.join(whole)} all of them ran. There the best one is {found} than the best "
            f"method up to {LAST}{on}, by Holm's correction."
        )
    return " ".join(text)


def own_class_in_words(table):
    """Why the package has no class of its own for a later method, of `best_of_families`."""
    if table.empty or table.ahead.any():
        return ""
    return (
        "No later method is the best on any kind of data, so this package has none of them as a "
        "class of its own."
    )


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
        f"We ran {run} later methods of python-ldl with their released settings. For {tuned} of "
        "them we also chose settings inside each fold, as for most methods of the comparison. "
    )
    missing = later_to_come(records)
    if missing:
        text += f"The runs are not complete: {missing} "
    ahead = list(table.data[table.ahead])
    if ahead:
        text += f"One is the best on {len(ahead)} of {len(table)} kinds of data: "
        text += f"{', '.join(ahead)}. "
    else:
        text += f"As far as they ran, none is the best on any of {len(table)} kinds of data. "
    worse = sum(
        held.holm == number
        for held, number in zip(table["significantly worse"], table["data sets"], strict=True)
    )
    text += (
        f"On {worse or 'none'} of the {len(table)}, the best later method is significantly worse "
        f"than the best method up to {LAST}, on every data set of the kind and with Holm's "
        "correction."
    )
    return text


def what_choosing_gains(records, measure):
    """Skill of the methods that are also tuned, as released and tuned: means over families.

    Returns
    -------
    DataFrame, a row a method: data sets of both, gain as released and tuned, on how many sets the
    tuned one is better (`Share`), significantly better and significantly worse (`Held`)
    """
    table = matrix.skill(records, NULL, measure)
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


def points():
    """What the tuned methods choose among, beside features as given or scaled.

    Returns
    -------
    DataFrame, a row a method: name, its class in the command, a column a point
    """
    names, rows = GUESTS.set_index("class").name, []
    for one, choices in GRIDS.items():
        texts = (", ".join(f"{k}={v:g}" for k, v in point.items()) for point in choices)
        rows.append((names[one], f"{PREFIX}{one}", *(text or "as released" for text in texts)))
    heads = [f"point {i + 1}" for i in range(len(rows[0]) - 2)]
    return pd.DataFrame(rows, columns=["method", "in the command", *heads])


def edges_in_words(records):
    """In how many folds the tuned methods choose the strongest penalty of their grid, the last."""
    last = {m.name: GRIDS[m.estimator.name][-1] for m in TUNED.methods}
    mine = records[records.method.isin(list(last))]
    if mine.empty:
        return ""
    at_edge = [
        chosen.get("parameters") == last[method]
        for method, chosen in zip(mine.method, mine.parameters, strict=True)
    ]
    return (
        f"In {sum(at_edge)} of {len(mine)} folds the tuned methods choose the strongest penalty of "
        "the grid. A wider grid may gain more."
    )


def choosing_in_words(records, names, measure):
    """Data sets on which no tuned method beats the mean predictor, and SA-BFGS with a penalty does.

    Empty where there is none.
    """
    table, plain = matrix.skill(records, NULL, measure), "SA-BFGS, penalised"
    tuned = [m.name for m in TUNED.methods if m.name in table.index]
    if not tuned or plain not in table.index:
        return ""
    there = table.loc[tuned].dropna(axis=1, how="all")
    below = [d for d in there if there[d].max() < 0 < table.at[plain, d]]
    return " ".join(
        f"On {names[d]} no tuned method beats the mean predictor: the best gains "
        f"{there[d].max():.2f}. There SA-BFGS, whose penalty we choose, gains "
        f"{table.at[plain, d]:.2f}."
        for d in below
    )


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
        f"With Holm's correction these {table.later.nunique()} later methods are significantly "
        f"better in {better or 'none'} of {cells} comparisons, and significantly worse in "
        f"{worse or 'none'}."
    )


def baselines(records, measure):
    """Baselines of later papers as python-ldl has them, beside those of the comparison.

    Returns
    -------
    DataFrame, a row a method of both: its name here, data sets of both, mean skill over families as
    released and here, the data sets on which the one here is better (`Share`)
    """
    table = matrix.skill(records, NULL, measure)
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
    heads = ["method", "our name", "data sets", "gain in python-ldl", "gain here"]
    heads += ["ours better on"]
    return pd.DataFrame(rows, columns=heads)


#: A row on so many data sets says little.
FEW = 3
#: Gains that are nearer than this do not differ.
LEVEL = 0.01


def baselines_in_words(table, records, measure):
    """Whether the baselines are weak, of `baselines`."""
    theirs, here = table["gain in python-ldl"], table["gain here"]
    better = (here > theirs).groupby(table.method, sort=False).any()
    sets = table.groupby("method", sort=False)["data sets"].max()
    most, few = sets == sets.max(), sets <= FEW
    all_of = f"{better[most].sum()} of the {most.sum()}"
    if better[most].all():
        all_of = f"All {most.sum()}"
    cells = table["ours better on"]
    return (
        f"Ours gain more on {sum(c.part for c in cells)} of {sum(c.whole for c in cells)} pairs of "
        "a method and a data set. "
        f"By the mean, {better.sum()} of {len(better)} methods gain more here. Here they choose "
        "parameters inside the fold, except SA-IIS, so settings and code differ together. "
        f"A row of at most {FEW} data sets says little, as for {few.sum() or 'none'} of the "
        f"{len(few)} methods. {all_of} with {sets.max()} data sets gain more here."
        f"{_alike(table, records, measure)}"
    )


def _alike(table, records, measure, ours="SA-BFGS", theirs=f"{PREFIX}SA_BFGS"):
    """Text on the method that runs with nearly equal settings in both packages."""
    if ours not in set(table["our name"]):
        return ""
    gains = matrix.skill(records, NULL, measure).loc[[ours, theirs]].dropna(axis=1)
    same = sum(abs(gains.loc[ours] - gains.loc[theirs]) < LEVEL)
    row = table[table["our name"] == ours].iloc[0]
    return (
        f" {ours} without a penalty, on features as given, is the same method in both packages, "
        f"but for memory and stopping. Its gains differ by less than {LEVEL} on {same} of "
        f"{gains.shape[1]} data sets. The means are {row['gain here']:.2f} here and "
        f"{row['gain in python-ldl']:.2f} there."
    )


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
    skill = matrix.skill(records[records.dataset == dataset], NULL, measure)
    known, rows = facts(), {}
    for name, seconds in zip(PREFIX + first["class"], first.seconds, strict=True):
        if name in skill.index:
            rows[known.label[name]] = (seconds, skill.at[name, dataset])
    found = pd.DataFrame.from_dict(rows, orient="index", columns=["seconds", "skill"])
    found = found.sort_values("seconds").rename_axis("method")
    return found.assign(front=found.skill > found.skill.cummax().shift(fill_value=-np.inf))
