"""What it does to the comparison that folds of rows put faces of one person on both sides."""

import pandas as pd

from ldlrepro.papers import get_paper
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.papers.ldlf.age import tables as age
from ldlrepro.report.values import Share

#: The data set whose file tells persons apart.
FACES, LOSS = "FG-Net", "kl_divergence"


def gains(null):
    """Gain by K-L on FG-Net with rows at random and with persons apart, settings alike.

    Returns
    -------
    DataFrame, a row a method of the page on ages, the best with persons apart first: rows at
    random, persons apart
    """
    records = age.age_records(get_paper("ldlf"))
    heads = {"rows at random": "age_rows", "persons apart": "age_persons"}
    table = {}
    for head, name in heads.items():
        loss = age.pooled(records[name], (LOSS,))[LOSS]
        table[head] = 1 - loss / loss[null]
    found = pd.DataFrame(table).dropna()
    return found.sort_values("persons apart", ascending=False, kind="stable")


def in_words(null):
    """Text on `gains`: how much less the methods that learn gain with persons apart."""
    table = gains(null)
    learn = table[(table > 0).all(axis=1)]
    less = learn["rows at random"] - learn["persons apart"]
    best = learn.iloc[0]
    first, second = (learn[head].nlargest(2).index.tolist() for head in learn)
    stay = f"{second[0]} and {second[1]} stay first and second"
    return (
        f"On the page on ages {len(learn)} methods beat the mean predictor with rows at random and "
        f"with persons apart, under equal settings. With persons apart {Share.of(less > 0)} gain "
        f"less, by {less.min():.2f} to {less.max():.2f}. {best.name} falls from "
        f"{best['rows at random']:.2f} to {best['persons apart']:.2f}. "
        f"{stay if first == second else 'The first two are others'}."
    )


def not_apart(records, null, number=3):
    """Text on the comparison's best methods on FG-Net that were not run with persons apart."""
    best = matrix.skill(records, null, LOSS)[FACES].nlargest(number).index
    some = [name for name in best if name not in gains(null).index]
    if not some:
        return ""
    return (
        f"{' and '.join(some)}, among the {number} best there in the comparison, did not run with "
        "persons apart."
    )


def without(ranked, timed, null):
    """Text on who leads where FG-Net does not count.

    Parameters
    ----------
    ranked : records of `matrix.filled`; timed : of `matrix.in_time`
    """
    rest, quick = (r[r.dataset != FACES] for r in (ranked, timed))
    average, gain = matrix.ranks(rest, LOSS), choice.front(rest, null, LOSS, quick).skill
    first, second = average.index[:2]
    return (
        f"Without {FACES}, {first} and {second} have the best average ranks, {average[first]:.1f} "
        f"and {average[second]:.1f}. {gain.idxmax()} has the highest mean gain, {gain.max():.2f}."
    )
