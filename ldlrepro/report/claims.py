"""Claims of a paper in words: evidence in, verdicts out.

A piece of evidence is (share, text): the share of cells in which a claim holds, NaN where nothing
was run, and what was found. A claim about one number has one cell.
"""

from html import escape

import numpy as np
import pandas as pd
from IPython.display import HTML

from ldlrepro.datasets import registry
from ldlrepro.errors import UnknownNameError
from ldlrepro.report.compare import LEVEL, pairs_of, wins
from ldlrepro.report.html import as_html
from ldlrepro.report.values import Share

#: A claim on many cells is reproduced from this share of them on, partly from the second on.
REPRODUCED, PARTLY = 0.95, 0.5
#: Ours has come to a number in a sentence when it is within this share of it.
NEAR = 0.03
#: How the verdicts of the table of claims are made.
RULES = (
    f"A claim holds if it does in at least {REPRODUCED:.0%} of its comparisons, in part if in at "
    f"least {PARTLY:.0%}. A printed number holds if ours is within {NEAR:.0%} of it. Significant: "
    "p below 5% in the t-test corrected for overlapping training rows. Holm, BH: what is left in "
    "view of all tests of the claim."
)


#: What becomes of a claim, in the order in which verdicts are shown.
VERDICTS = ("holds", "holds in part", "does not hold", "not tested")
#: Their marks.
MARKS = dict(zip(VERDICTS, "✔◐✘–", strict=True))
#: The same with a mark.
MARKED = {word: f"{mark} {word}" for word, mark in MARKS.items()}
#: What the marks mean, below the headline claims.
KEY = (
    f"{MARKS['holds']} the claim holds in at least {REPRODUCED:.0%} of its comparisons, "
    f"{MARKS['holds in part']} in at least {PARTLY:.0%}, {MARKS['does not hold']} in fewer. "
    "Where a claim has several readings or measures, these are counted. "
    f"A claim on a number holds if one of ours is within {NEAR:.0%} of it, or an error is lower."
)


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
    listed : DataFrame
        Result of `published.claims`.
    evidence : dict
        Id of a claim, or a question of our own (`Ours`) -> (share, text).

    Returns
    -------
    DataFrame
        Id, section, claim, printed, headline (bool), verdict, evidence, ours (bool). The claims are
        in the order of the list, then come our own questions, whose id is the question.

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
        (c.id, c.section, c.claim, c.printed, c.headline == "yes", *evidence[c.id], False)
        for c in listed.itertuples()
    ]
    rows += [(str(q), "", str(q), "", False, *found, True) for q, found in own.items()]
    head = ["id", "section", "claim", "printed", "headline", "verdict", "evidence", "ours"]
    table = pd.DataFrame(rows, columns=head)
    return table.assign(
        verdict=table.verdict.map(verdict), evidence=table.evidence.map(registry.with_display_names)
    )


def printed_numbers(listed):
    """Numbers that sentences print, {id of the claim: float}; "41.2%" is 0.412.

    Parameters
    ----------
    listed : DataFrame
        Result of `published.claims`.
    """
    found = {}
    for claim in listed.itertuples():
        digits = claim.printed.removesuffix("%")
        if digits.replace(".", "", 1).isdigit():
            found[claim.id] = float(digits) / (100 if digits != claim.printed else 1)
    return found


def show_headlines(table, remarks=None):
    """The headline claims of ``claims_table`` as cards: verdict, sentence, section.

    Parameters
    ----------
    table : DataFrame
        Result of ``claims_table``.
    remarks : dict or None
        Id of a claim -> what stands beside its mark.

    Returns
    -------
    HTML
        A card for each claim, and below them what the marks mean.

    See Also
    --------
    show_claims : All claims, with the evidence.
    """
    beside = {key: f" <small>({escape(text)})</small>" for key, text in (remarks or {}).items()}
    cards = "".join(
        f"<div class='card {_css(c.verdict)}'><b>{MARKED[c.verdict]}</b>{beside.get(c.id, '')}"
        f"<p>{escape(c.claim)}</p><small>{escape(_place(c.section))}</small></div>"
        for c in table[table.headline].itertuples()
    )
    return HTML(f"<div class='ldl-cards'>{cards}</div><div class='ldl-key'>{KEY}</div>")


def findings_in_markdown(table, findings):
    """What was found on each headline claim: the claim, its verdict and a short paragraph.

    Parameters
    ----------
    table : DataFrame
        Result of `claims_table`.
    findings : dict
        Id of a headline claim -> text.

    Raises
    ------
    UnknownNameError
        The findings are not those of the headline claims.
    """
    heads = table[table.headline]
    if set(heads.id) != set(findings):
        raise UnknownNameError(
            f"findings are of {sorted(findings)}; headline claims are {sorted(heads.id)}"
        )
    return "\n\n".join(
        f"**{MARKED[c.verdict]}: {c.claim}.** {findings[c.id]}" for c in heads.itertuples()
    )


def show_claims(table):
    """``claims_table`` as HTML: the claims of the paper, to choose from by verdict, then ours.

    Parameters
    ----------
    table : DataFrame
        Result of ``claims_table``.

    Yields
    ------
    HTML
        The list, then its buttons.

    See Also
    --------
    tally : Wins and losses that such evidence counts.
    """
    yield RULES
    for own in (False, True):
        mine = table[table.ours == own]
        if len(mine):
            yield _folded_claims(mine, own)


def _folded_claims(claims, own):
    choices = ["all", *(word for word in VERDICTS if word in set(claims.verdict))]
    name = "own" if own else "claims"
    radios = "".join(
        f"<label><input type='radio' name='{name}' value='{_css(word)}'"
        f"{' checked' if word == 'all' else ''}> {word}"
        f" ({len(claims) if word == 'all' else (claims.verdict == word).sum()})</label>"
        for word in choices
        if len(choices) > 2
    )
    caption = f"Questions of our own: {len(claims)}" if own else f"All {len(claims)} claims"
    head = ["verdict", "claim", *([] if own else ["section", "printed"]), "evidence"]
    rows = [
        [f"<td class='{_css(c.verdict)}'>{MARKED[c.verdict]}</td>"]
        + [f"<td class='long'>{escape(c.claim)}</td>"]
        + (
            []
            if own
            else [f"<td class='name'>{escape(text)}</td>" for text in (c.section, c.printed)]
        )
        + [f"<td class='long'>{escape(c.evidence)}</td>"]
        for c in claims.itertuples()
    ]
    return as_html(caption, head, rows, claims.drop(columns=["ours"]), False, controls=radios)


def _css(word):
    """A verdict as a class of HTML."""
    return word.replace(" ", "-")


def _place(section):
    """ "Abstract; section 4.4; Table 3" of a claim's places."""
    parts = [f"section {p}" if p[:1].isdigit() else p for p in section.split("; ")]
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def verdict(share):
    """Word for a claim that holds in a share of its cells (NaN: nothing was run)."""
    if np.isnan(share):
        return VERDICTS[3]
    if share >= REPRODUCED:
        return VERDICTS[0]
    return VERDICTS[1] if share >= PARTLY else VERDICTS[2]


def share_claim(holds, what, more=""):
    """Evidence from the cells in which something holds.

    Parameters
    ----------
    holds : list of bool
        One a printed number; none: not run.
    what : str
        Text before "3 of 4".
    more : str
        Text after it.
    """
    share = Share.of(holds)
    if not share.whole:
        return NOT_RUN
    return share.ratio, f"{what} {share}{more}"


def number_claim(ours, printed, what, form=".4g"):
    """Evidence on a number that a sentence prints: ours within `NEAR` of it.

    Parameters
    ----------
    ours : float
        NaN or None where nothing was run.
    printed : float
        The printed number.
    what : str
        Text before our number, which is written in a form.
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
    pairs : list of (first, second)
        One family of tests.
    level : float
        Level of the tests.
    significantly : bool
        Whether the claim holds only where it is significant, of the comparisons that can be tested.
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
    more = f" comparisons, in {ties} of them not alone" if ties else " comparisons"
    return share_claim(wide[method] <= least, f"{method} has the lowest of the four in", more)


def same_claim(records, first, second, measures, share_of_mean=0.01):
    """Evidence that two methods do not differ: numbers whose means differ by at most a share."""
    near = near_means(records, first, second, measures, share_of_mean)
    found = wins(records, [(first, second)], measures)
    more = f" comparisons; they differ significantly in {found.shown + found.worse}"
    return share_claim(near, f"means within {share_of_mean:.0%} in", more)


def near_means(records, first, second, measures, share_of_mean=0.01):
    """Whether the means of two methods differ by at most a share of the second's: list of bool."""
    pairs = [pair for m in measures for pair in pairs_of(records, first, second, m)]
    return [abs(p.difference) <= share_of_mean * abs(p.second.mean()) for p in pairs]


def seconds_of(records, column="fit_seconds"):
    """Median seconds over the folds: a row a data set, a column a method."""
    return records.pivot_table(index="dataset", columns="method", values=column, aggfunc="median")


def faster_claim(records, pairs, column="fit_seconds"):
    """Evidence that the first of each pair takes fewer seconds, by medians over the folds.

    Parameters
    ----------
    pairs : list of (first, second)
        Names of two methods each.
    column : "fit_seconds" or "predict_seconds"
        Seconds of training or of testing.
    """
    seconds = seconds_of(records, column)
    there = [pair for pair in pairs if {*pair} <= set(seconds)]
    ratio = {f"{a} / {b}": (seconds[a] / seconds[b]).dropna() for a, b in there}
    text = "; ".join(f"{of}: {r.min():.2f} to {r.max():.2f}" for of, r in ratio.items())
    holds = [one < 1 for r in ratio.values() for one in r]
    return share_claim(holds, f"seconds {text}; below 1 in", " (methods x data sets)")
