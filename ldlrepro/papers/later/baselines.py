"""Methods that python-ldl and this project both have, and what a fit of python-ldl's costs."""

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.papers.comparison import matrix
from ldlrepro.papers.later.experiments import FIRST_FOLDS, GUESTS, PREFIX
from ldlrepro.papers.later.years import NEAR, NULL, facts
from ldlrepro.report.compare import family
from ldlrepro.report.values import Share, in_text


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


def baselines_in_words(table, records, names, measure):
    """How the methods of both do in each, of `baselines`."""
    cells, more = table["ours better on"], table["gain here"] > table["gain in python-ldl"]
    return (
        f"The table has {len(table)} rows for {table.method.nunique()} methods. In {more.sum()} of "
        f"the rows this book's version gains more, and on {sum(c.part for c in cells)} of "
        f"{sum(c.whole for c in cells)} pairs of a row and a data set. "
        f"{_alike(table, records, names, measure)}"
    )


def _alike(table, records, names, measure, ours="SA-BFGS", theirs=f"{PREFIX}SA_BFGS"):
    """Text on the method that runs with nearly equal settings in both packages."""
    if ours not in set(table["our name"]):
        return ""
    gains = matrix.skill(records, NULL, measure).loc[[ours, theirs]].dropna(axis=1)
    off = abs(gains.loc[ours] - gains.loc[theirs])
    above = (gains > matrix.LEAST).all()
    kinds = off.index.to_series().map(family)
    kinds = kinds.where(kinds.map(kinds.value_counts()) > 1, "other")
    near = [
        f"{sum(some < NEAR)} of {len(some)} {kind} sets"
        for kind, some in off.groupby(kinds, sort=False)
    ]
    text = (
        f"{ours} without a penalty, on features as given, differs between the packages only in "
        f"memory and stopping. Its gains differ by less than {NEAR} on {in_text(near)}"
    )
    for where, some in (("both gain more", off[above]), ("one gains less", off[~above])):
        if len(some):
            most = names.get(some.idxmax(), some.idxmax())
            text += f". Where {where} than {matrix.LEAST}, they differ by at most {some.max():.2f}"
            text += f" ({most})"
    return f"{text}."


def printed_in_words(records, near=0.1):
    """How near the K-L on s-JAFFE comes that the package's page prints, of methods as released."""
    printed = published.load("packages")
    printed = printed[(printed.note == "python-ldl") & (printed.measure == "kl_divergence")]
    printed = printed.set_index("method")["mean"]
    classes = GUESTS.set_index("name")["class"][printed.index]
    ours = matrix.means(records, "kl_divergence")["SJAFFE"].reindex(PREFIX + classes)
    off = pd.Series(ours.to_numpy() / printed.to_numpy() - 1, printed.index).dropna()
    close = off[abs(off) < near]
    text = (
        f"The page of python-ldl prints a K-L on s-JAFFE for {len(off)} methods, from folds of its "
        f"own. On our folds {len(close)} of them come within {abs(close).max():.0%} of it."
    )
    for name, share in off.drop(close.index).items():
        text += (
            f" {name} has {printed[name] * (1 + share):.3f} here, and {printed[name]:.3f} there. "
            "We do not know why."
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
    DataFrame, a row a method (its name in figures), the fastest first: seconds, skill, colour of
    later and other ones, front (whether nothing is both faster and better)
    """
    first = pd.read_csv(FIRST_FOLDS).dropna(subset="seconds")
    first = first[first.dataset == dataset]
    skill = matrix.skill(records[records.dataset == dataset], NULL, measure)
    known, rows = facts(), {}
    for name, seconds in zip(PREFIX + first["class"], first.seconds, strict=True):
        if name in skill.index:
            colour = "#D55E00" if known.later[name] else "0.6"
            rows[known.label[name]] = (seconds, skill.at[name, dataset], colour)
    found = pd.DataFrame.from_dict(rows, orient="index", columns=["seconds", "skill", "colour"])
    found = found.sort_values("seconds").rename_axis("method")
    return found.assign(front=found.skill > found.skill.cummax().shift(fill_value=-np.inf))
