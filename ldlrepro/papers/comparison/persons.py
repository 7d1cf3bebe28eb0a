"""What it does to the comparison that folds of rows put faces of one person on both sides."""

import pandas as pd

from ldlrepro.papers import get_paper
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.papers.ldlf.age import tables as age
from ldlrepro.report.values import Share

#: The data set whose file tells persons apart, and all that have several pictures of a person.
FACES, SEVERAL = "FG-Net", ("FG-Net", "SJAFFE", "SBU_3DFE")
LOSS = "kl_divergence"


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
    stay = f"Among these, {second[0]} and {second[1]} are first and second both times"
    return (
        "The page on ages has some of these methods, with settings of its own, twice: with rows at "
        f"random and with persons apart. {len(learn)} of them beat the mean predictor both times. "
        f"With persons apart {Share.of(less > 0)} gain less, by {less.min():.2f} to "
        f"{less.max():.2f}. {best.name} falls from "
        f"{best['rows at random']:.2f} to {best['persons apart']:.2f}. "
        f"{stay if first == second else 'The first two change'}."
    )


def not_apart(records, null, number=3):
    """Text on the comparison's best methods on FG-Net that were not run with persons apart."""
    best = matrix.skill(records, null, LOSS)[FACES].nlargest(number).index
    some = [name for name in best if name not in gains(null).index]
    if not some:
        return ""
    return (
        f"{' and '.join(some)}, one of the {number} best on {FACES} in the matrix above, did not "
        "run with persons apart."
    )


def without(ranked, timed, null):
    """Text on who leads where FG-Net does not count, and where no set with persons does.

    Parameters
    ----------
    ranked : records of `matrix.filled`; timed : of `matrix.in_time`
    """
    text = [_lead(ranked, timed, null, [FACES], f"Without {FACES}")]
    if not set(SEVERAL) <= set(ranked.dataset):
        return text[0]
    text.append(_lead(ranked, timed, null, SEVERAL, "Without all three sets"))
    leader = matrix.ranks(ranked, LOSS).index[0]
    average = matrix.ranks(ranked[~ranked.dataset.isin(SEVERAL)], LOSS)
    if average.index[0] != leader:
        place = average.index.get_loc(leader) + 1
        text.append(
            f"There {leader} has place {place}, with {average[leader]:.1f}. So its lead rests on "
            "these sets. They differ from the others in more than shared persons."
        )
    return " ".join(text)


def _lead(ranked, timed, null, left_out, where):
    """Text on the best average ranks and the highest mean gain without some data sets."""
    rest, quick = (r[~r.dataset.isin(left_out)] for r in (ranked, timed))
    average, gain = matrix.ranks(rest, LOSS), choice.front(rest, null, LOSS, quick).skill
    first, second = average.index[:2]
    return (
        f"{where}, {first} and {second} have the best average ranks, {average[first]:.1f} "
        f"and {average[second]:.1f}. {gain.idxmax()} has the highest mean gain, {gain.max():.2f}."
    )
