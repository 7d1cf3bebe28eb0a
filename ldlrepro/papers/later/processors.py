"""What another processor changes in records of python-ldl's methods."""

import numpy as np
import pandas as pd

from ldlrepro.papers.later.experiments import ANOTHER_PROCESSOR, RELEASED
from ldlrepro.papers.later.years import facts
from ldlrepro.report.values import Share

#: A K-L that moves by more than this share, from one processor to another, is told by name.
MUCH = 0.01


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
            f"{much['K-L moves by'].max():.1%}, its mean over ten folds by at most "
            f"{much['its mean moves by'].max():.1%}, and another measure of a fold by at most "
            f"{much['a measure moves by'].max():.1%}. "
        )
    return (
        f"{text}In the other {len(rest)} the K-L of a fold moves by at most "
        f"{rest['K-L moves by'].max():.1%}, and another measure by at most "
        f"{rest['a measure moves by'].max():.1%}."
    )
