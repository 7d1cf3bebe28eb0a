"""Claims of a paper in words: evidence in, verdicts out.

A piece of evidence is (share, text): the share of cells in which a claim holds, NaN where nothing
was run, and what was found. A claim about one number has one cell.
"""

import numpy as np
import pandas as pd

from ldlrepro.errors import UnknownNameError
from ldlrepro.report.compare import LEVEL, pairs_of, wins
from ldlrepro.report.tables import show
from ldlrepro.report.values import Share

#: A claim on many cells is reproduced from this share of them on, partly from the second on.
REPRODUCED, PARTLY = 0.95, 0.5
#: Ours has come to a number in a sentence when it is within this share of it.
NEAR = 0.03
#: Caption of the table of claims.
CAPTION = (
    "Claims of the paper. Reproduced: holds in at least "
    f"{REPRODUCED:.0%} of its cells (data set x measure, say); partly: in at least {PARTLY:.0%}; a "
    f"printed number: ours within {NEAR:.0%} of it. Shown: p below 5%, where no other level is "
    "named, in the t-test corrected for overlapping training rows; Holm, BH: still so with all "
    "tests of the claim as one family"
)


#: What becomes of a claim, in the order in which verdicts are shown.
VERDICTS = ("reproduced", "partly", "not", "not run")


class Ours(str):
    """A question of our own, among the claims of a paper."""


def not_run(why):
    """Evidence where there is none, with the reason."""
    return float("nan"), why


#: Evidence where the records that would tell are not there.
NOT_RUN = not_run("no records")


def claims_table(listed, evidence):
    """The claims of a paper and our own questions, each with its verdict and evidence.

    Parameters
    ----------
    listed : result of `published.claims`
    evidence : dict, id of a claim, or a question of our own (`Ours`) -> (share, text)

    Returns
    -------
    DataFrame: section, claim, printed, verdict, evidence, ours (bool); the claims in the order of
    the list, then our own questions

    Raises
    ------
    UnknownNameError
        A listed claim has no evidence, or evidence is of a claim that is not listed.
    """
    own = {question: found for question, found in evidence.items() if isinstance(question, Ours)}
    given, wanted = evidence.keys() - own.keys(), set(listed.id)
    if given != wanted:
        raise UnknownNameError(
            f"claims without evidence: {sorted(wanted - given)}; evidence of claims that are not "
            f"listed: {sorted(given - wanted)}"
        )
    rows = [
        (claim.section, claim.claim, claim.printed, *evidence[claim.id], False)
        for claim in listed.itertuples()
    ]
    rows += [("", str(question), "", *found, True) for question, found in own.items()]
    table = pd.DataFrame(
        rows, columns=["section", "claim", "printed", "verdict", "evidence", "ours"]
    )
    return table.assign(verdict=table.verdict.map(verdict))


def printed_numbers(listed):
    """Numbers that sentences print, {id of the claim: float}; "41.2%" is 0.412.

    Parameters
    ----------
    listed : result of `published.claims`
    """
    found = {}
    for claim in listed.itertuples():
        digits = claim.printed.removesuffix("%")
        if digits.replace(".", "", 1).isdigit():
            found[claim.id] = float(digits) / (100 if digits != claim.printed else 1)
    return found


def show_claims(table):
    """``claims_table`` as HTML: the claims of the paper, then our own questions.

    See Also
    --------
    tally : Wins and losses that such evidence counts.
    """
    theirs, own = (table[table.ours == ours].drop(columns="ours") for ours in (False, True))
    yield show(theirs, CAPTION, False)
    if len(own):
        yield show(own.drop(columns=["section", "printed"]), "Questions of our own", False)


def show_verdicts(table):
    """``claims_table`` in short, as HTML: how many claims have each verdict, and which.

    See Also
    --------
    show_claims : With the evidence.
    """
    theirs = table[~table.ours]
    rows = [
        (word, len(mine), "; ".join(f"{c.claim} ({c.section})" for c in mine.itertuples()))
        for word in VERDICTS
        if len(mine := theirs[theirs.verdict == word])
    ]
    frame = pd.DataFrame(rows, columns=["verdict", "claims", "which (section)"])
    return show(frame, f"Verdicts on the {len(theirs)} claims of the paper", False)


def verdict(share):
    """Word for a claim that holds in a share of its cells (NaN: nothing was run)."""
    if np.isnan(share):
        return "not run"
    if share >= REPRODUCED:
        return "reproduced"
    return "partly" if share >= PARTLY else "not"


def share_claim(holds, what, more=""):
    """Evidence from the cells in which something holds.

    Parameters
    ----------
    holds : bools, one a cell; none: not run
    what : text before "3 of 4"; more : text after it
    """
    share = Share.of(holds)
    if not share.whole:
        return NOT_RUN
    return share.ratio, f"{what} {share}{more}"


def number_claim(ours, printed, what, form=".4g"):
    """Evidence on a number that a sentence prints: ours within `NEAR` of it.

    Parameters
    ----------
    ours : float, NaN or None where nothing was run; printed : float
    what : text before our number, which is written in a form
    """
    if ours is None or np.isnan(ours):
        return NOT_RUN
    return float(abs(ours - printed) <= NEAR * abs(printed)), f"{what} {ours:{form}}"


def order_claim(records, better, worse, measures):
    """Evidence that one method is better than another in every cell."""
    share, text = wins_claim(records, [(better, worse)], measures)
    return share, f"{better} against {worse}: {text}"


def wins_claim(records, pairs, measures, level=LEVEL, significantly=False):
    """Evidence that the first of each pair of methods is better, with the corrected test.

    Parameters
    ----------
    pairs : list of (first, second), one family of tests
    level : of the tests
    significantly : whether the claim holds only where it is shown, of the cells that can be tested
    """
    found = wins(records, pairs, measures, level)
    text = str(found) + (f" ({level:.0%} level)" if level != LEVEL else "")
    if significantly:
        return Share(found.shown.plain, found.cells - found.untested).ratio, text
    return found.ratio, text


def spread_claim(summary, method, rivals, measures):
    """Evidence that a method has the lowest standard deviation over folds."""
    wide = summary[summary.measure.isin(measures)]
    wide = wide.pivot_table(index=["dataset", "measure"], columns="method", values="std")
    wide = wide.reindex(columns=[method, *rivals]).dropna()
    least = wide[list(rivals)].min(axis=1)
    ties = (wide[method] == least).sum()
    more = f" cells, in {ties} of them not alone" if ties else " cells"
    return share_claim(wide[method] <= least, f"{method} has the lowest of the four in", more)


def same_claim(records, first, second, measures, share_of_mean=0.01):
    """Evidence that two methods do not differ: cells whose means differ by at most a share."""
    pairs = [pair for m in measures for pair in pairs_of(records, first, second, m)]
    near = [abs(p.difference) <= share_of_mean * abs(p.second.mean()) for p in pairs]
    found = wins(records, [(first, second)], measures)
    more = f" cells; a difference is shown in {found.shown + found.worse}"
    return share_claim(near, f"means within {share_of_mean:.0%} in", more)
