"""Claims of a paper in words: evidence in, verdicts out.

A piece of evidence is (share, text): the share of cells in which a claim holds, NaN where nothing
was run, and what was found.
"""

import numpy as np
import pandas as pd

from ldlrepro.report.compare import LEVEL, p_value, pairs_of, tally, wins
from ldlrepro.report.tables import show
from ldlrepro.report.values import Share, Shown

#: A claim on many cells is reproduced from this share of them on, partly from the second on.
REPRODUCED, PARTLY = 0.95, 0.5
#: Evidence where there is none.
NOT_RUN = float("nan"), "not run"


class Ours(str):
    """A question of our own, among the claims of a paper."""


def claims_table(evidence):
    """The claims of a paper and our own questions, each with its verdict and evidence.

    Parameters
    ----------
    evidence : dict, claim (`Ours` where the paper says nothing) -> (share, text)

    Returns
    -------
    DataFrame: claim, verdict, evidence, ours (bool)
    """
    rows = [
        (str(claim), verdict(share), text, isinstance(claim, Ours))
        for claim, (share, text) in evidence.items()
    ]
    return pd.DataFrame(rows, columns=["claim", "verdict", "evidence", "ours"])


def show_claims(table):
    """`claims_table` as HTML: the claims of the paper, then our own questions.

    See Also
    --------
    tally : Wins and losses that such evidence counts.
    """
    for ours, caption in ((False, "Claims of the paper"), (True, "Questions of our own")):
        some = table[table.ours == ours].drop(columns="ours")
        if len(some):
            yield show(some, caption, False)


def verdict(share):
    """Word for a claim that holds in a share of its cells (NaN: nothing was run)."""
    if np.isnan(share):
        return "not run"
    if share >= REPRODUCED:
        return "reproduced"
    return "partly" if share >= PARTLY else "not"


def order_claim(records, better, worse, measures):
    """Evidence that one method is better than another in every cell."""
    (row,) = tally(records, [(better, worse)], measures).to_dict("records")
    ahead = Share(row["first better"], row["cells"])
    text = (
        f"{better} better than {worse} in {ahead} cells, shown in {row['first better, shown']}; "
        f"the reverse shown in {row['second better, shown']}"
    )
    return ahead.ratio, text


def spread_claim(summary, method, rivals, measures):
    """Evidence that a method has the lowest standard deviation over folds."""
    wide = summary[summary.measure.isin(measures)]
    wide = wide.pivot_table(index=["dataset", "measure"], columns="method", values="std")
    wide = wide[[method, *rivals]].dropna()
    lowest = Share((wide[method] <= wide[list(rivals)].min(axis=1)).sum(), len(wide))
    return lowest.ratio, f"{method} has the lowest of the four in {lowest} cells"


def same_claim(records, first, second, measures, share_of_mean=0.01):
    """Evidence that two methods do not differ: cells whose means differ by at most a share."""
    pairs = [pair for m in measures for pair in pairs_of(records, first, second, m)]
    near = sum(abs(p.difference) <= share_of_mean * abs(p.second.mean()) for p in pairs)
    near = Share(near, len(pairs))
    shown = Shown(*(sum(p_value(p, which) < LEVEL for p in pairs) for which in (True, False)))
    text = f"means within {share_of_mean:.0%} in {near} cells; a difference is shown in {shown}"
    return near.ratio, text


def wins_claim(records, pairs, measures, level=LEVEL):
    """Evidence that the first of each pair of methods is better, by the corrected test."""
    better, total, shown, worse = wins(records, pairs, measures, level)
    better = Share(better, total)
    return better.ratio, f"better in {better} cells, shown in {shown}; worse shown in {worse}"
