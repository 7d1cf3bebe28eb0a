"""What of python-ldl's methods has records, what fails or takes too long, and what is to come."""

import pandas as pd

from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.comparison.studies.time_limit import OVER
from ldlrepro.papers.later.experiments import FIRST_FOLDS, GUESTS, PREFIX, RELEASED, TUNED
from ldlrepro.papers.later.years import LAST, NULL, facts
from ldlrepro.report.compare import family
from ldlrepro.report.values import Share


def progress(records):
    """Text on how much of the declaration is there, and of what is left out."""
    wanted, there = _pairs(records)
    without = (*RELEASED.without, *TUNED.without)
    over = sum(why == OVER for _, _, why in without)
    versions = len(RELEASED.methods) + len(TUNED.methods)
    text = (
        f"{versions} versions of methods on {len(RELEASED.datasets)} data sets make "
        f"{len(wanted) + len(without)} pairs. The versions are {len(RELEASED.methods)} methods as "
        f"released, and {len(TUNED.methods)} of them tuned. {len(there)} pairs have all ten folds. "
        f"In {over} a first fold takes over two minutes, and {len(without) - over} fail. "
    )
    if wanted - there:
        later = facts().later
        waiting = sum(later[m] for m, _ in wanted - there)
        text += (
            f"Not all folds are there for {len(wanted - there)} more, {waiting or 'none'} of a "
            "later method. "
        )
    return text + _of_later(there)


def older_to_come(records):
    """A sentence on pairs of an older method and a data set that are not run; "" for none."""
    wanted, there = _pairs(records)
    later = facts().later
    waiting = sum(not later[m] for m, _ in wanted - there)
    if not waiting:
        return ""
    runs = "run of an older method is" if waiting == 1 else "runs of older methods are"
    return f" {waiting} {runs} not done yet."


def later_to_come(records):
    """A sentence on how many pairs of a later method and a data set are not run; "" for none."""
    wanted, there = _pairs(records)
    later = facts().later
    waiting, every = (sum(later[m] for m, _ in pairs) for pairs in (wanted - there, wanted))
    if not waiting:
        return ""
    return (
        f"{waiting} of {every} pairs of a later method and a data set, as released or tuned, are "
        "not run yet."
    )


def _pairs(records):
    """Pairs of a method and a data set that are to be run, and those of them with records."""
    wanted = {(m.name, d) for e in (RELEASED, TUNED) for d in e.datasets for m in e.methods_on(d)}
    return wanted, wanted & set(zip(records.method, records.dataset, strict=True))


def _of_later(there):
    """Text on how many later methods are complete: pairs of records."""
    known = facts()
    later = [m.name for m in RELEASED.methods if known.later[m.name]]
    whole = sum(all((m, d) in there for d in RELEASED.datasets) for m in later)
    return f"Of the {len(later)} later methods {whole} have records of all data sets as released."


def later_table(records):
    """The later methods and their papers, as python-ldl names them.

    Returns
    -------
    DataFrame, a row a method in the order of their years: name, in the command, first author,
    year, title, venue, data sets with records (`Share` of all, as released)
    """
    _, there = _pairs(records)
    rows = []
    for one in GUESTS[(GUESTS.does_not_run == "") & (GUESTS.year > LAST)].itertuples():
        command = f"{PREFIX}{one[1]}"
        share = Share.of([(command, d) in there for d in RELEASED.datasets])
        rows.append((one.name, command, one.first_author, one.year, one.title, one.venue, share))
    heads = ["method", "in the command", "first author", "year", "title", "venue"]
    return pd.DataFrame(rows, columns=[*heads, "data sets with records"])


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
    DataFrame, a row a method: first folds of that kind, the largest share of their rows
    """
    found = pd.read_csv(FIRST_FOLDS)
    found = found[found.off > 0]
    grouped = found.groupby("class", sort=False)
    table = pd.DataFrame(
        {"first folds": grouped.size(), "largest share of rows": grouped.off.max()}
    )
    return table.reset_index()


def where_some_fail(records, measure, names):
    """Text on later methods that fail on a data set of a kind and have records on all others of it.

    A kind does not count them, so the text says whether they are ahead on the others.
    """
    table, known, text = matrix.skill(records, NULL, measure), facts(), []
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
            rest = mine.shape[1] - len(gone)
            gain = "gains" if ahead < 2 else "gain"
            text.append(
                f"{', '.join(known.label[some])} fail on {', '.join(names[d] for d in gone)}, and "
                f"do not count for {names.get(kind, kind)}. By the mean over its other {rest} data "
                f"sets, {ahead or 'none'} of them {gain} more than {known.label[best]}."
            )
    return " ".join(text)
