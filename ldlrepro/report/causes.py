"""Printed rows that do not come out: what was tried, and how many cells each cause explains."""

import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.report.claims import REPRODUCED
from ldlrepro.report.tables import agreeing, cells, show, summary
from ldlrepro.report.values import Outcomes

#: What becomes of a printed row.
STATES = ("comes out", "settled", "narrowed", "open")


def causes(chapter, own=None, more=(), stands_for=None):
    """Every cause that was looked for, by the printed row that it should explain.

    Causes are the experiments that were declared by somebody who had seen the printed numbers
    (``why`` of `protocols.declare.Experiment`); of each the setting with the most cells that agree
    is shown, so what is found is an explanation, not a result.

    Parameters
    ----------
    chapter : Chapter
    own : function that makes one row of records with stages that are measures, or None
    more : (cause, records) pairs beside the experiments
    stands_for : dict, learner that no paper prints -> printed row that it should explain

    Returns
    -------
    DataFrame, a row a printed row and cause: printed, cause, setting, found (`Outcomes`), declared
    (`Outcomes` of the tables' method on the same data sets), tried (settings)

    See Also
    --------
    states : What becomes of each row.
    """
    printed = chapter.printed[~chapter.printed.dataset.isin(chapter.apart)]
    tried = pd.concat(
        [r.assign(why=why) for why, r in _looked(chapter, own, more, stands_for or {})]
    )
    tried = tried[tried.source != "synthetic"]
    rows = []
    for (method, why), some in tried.groupby(["printed", "why"], sort=False):
        theirs = printed[printed.method == method]
        found = {
            setting: _outcomes(mine, theirs, method)
            for setting, mine in some.groupby("setting", sort=False)
        }
        best = max(found, key=lambda s: (found[s].agree, found[s].within))
        if not any(found[best]):
            continue
        there = theirs[theirs.dataset.isin(some.dataset[some.setting == best])]
        declared = _outcomes(chapter.tables[chapter.tables.method == method], there, method)
        setting = best if found[best].agree else "none"
        rows.append((method, why, setting, found[best], declared, len(found)))
    columns = ["printed", "cause", "setting", "found", "declared", "tried"]
    return pd.DataFrame(rows, columns=columns)


def states(chapter, table):
    """What becomes of every printed row that our tables have a method for.

    "comes out" with the settings of the tables; "settled" with a setting of `causes` that has as
    many cells that tell; "narrowed" where one has more cells that agree than the tables; "open".

    Parameters
    ----------
    table : result of `causes`

    Returns
    -------
    DataFrame: printed, tables (`Outcomes`), state, by (cause and setting, "" for none), found

    See Also
    --------
    causes : What was tried.
    """
    printed = chapter.printed[~chapter.printed.dataset.isin(chapter.apart)]
    rows = []
    for method in printed.method.unique():
        mine = chapter.tables[chapter.tables.method == method]
        tables = _outcomes(mine, printed[printed.method == method], method)
        if not tables.tell:
            continue
        state, by, best = "open", "", tables
        if tables.ratio >= REPRODUCED:
            state = "comes out"
        else:
            for row in table[table.printed == method].itertuples():
                if row.found.agree - row.declared.agree > best.agree - tables.agree:
                    state, by, best = "narrowed", f"{row.cause}: {row.setting}", row.found
            if best.tell == tables.tell and best.ratio >= REPRODUCED:
                state = "settled"
        rows.append((method, tables, state, by, best if by else None))
    return pd.DataFrame(rows, columns=["printed", "tables", "state", "by", "found"])


def show_causes(chapter, title, **how):
    """`states` of a chapter and `causes` behind those that do not come out, as HTML.

    Parameters
    ----------
    how : as for `causes`

    See Also
    --------
    states, causes : The numbers.
    """
    table = causes(chapter, **how)
    state = states(chapter, table)
    yield show(state, f"{title}: cells that agree, of those that can tell", False)
    missed = state.printed[state.state != "comes out"]
    behind = table[table.printed.isin(missed)].sort_values("printed", kind="stable")
    if len(behind):
        caption = f"{title}: what was tried, and the setting of each that comes nearest"
        more = [f.agree - d.agree for f, d in zip(behind.found, behind.declared, strict=True)]
        behind = behind.drop(columns="declared").assign(more=[f"{n:+d}" for n in more])
        yield show(
            behind[["printed", "cause", "tried", "setting", "found", "more"]], caption, False
        )


def _looked(chapter, own, more, stands_for):
    """(cause, records with a column setting) of each experiment that looked for one."""
    for e in chapter.paper.experiments:
        if e.why:
            alike = sum(other.why == e.why for other in chapter.paper.experiments) > 1
            records = _own(chapter.records[e.name], own)
            yield e.why, _named(records, stands_for, f" ({e.name})" if alike else "")
    variants = _named(chapter.tables, stands_for)
    yield "variants in the tables", variants[variants.method != variants.printed]
    for why, records in more:
        yield why, _named(records, stands_for)


def _named(records, stands_for, suffix=""):
    """Records with the printed row that they should explain and a text of their setting.

    Forms that no paper prints are left out.
    """
    learners = [s.get("learner", m) for s, m in zip(records.settings, records.method, strict=True)]
    forms = [s.get("form", "plain") for s in records.settings]
    printed = [_row(stands_for.get(n, n), f) for n, f in zip(learners, forms, strict=True)]
    stage = [p.get("stage") for p in records.parameters]
    setting = [
        m + ("" if s is None or s in MEASURES else f", {s}" if isinstance(s, str) else f", {s:g}")
        for m, s in zip(records.method, stage, strict=True)
    ]
    records = records.assign(printed=printed, setting=[s + suffix for s in setting])
    return records[records.printed.notna()]


def _row(learner, form):
    """Printed row of a learner in a form; None for forms that no paper prints."""
    return {"plain": learner, "boosted": f"{learner}, boosted"}.get(form)


def _own(records, own):
    """Records with one row a fit where their stages are measures."""
    staged = any(p.get("stage") in MEASURES for p in records.parameters)
    return own(records) if staged and own is not None else records


def _outcomes(records, printed, method):
    """`Outcomes` of one setting's records beside the printed row of a method."""
    records = records[records.source != "synthetic"]
    if records.empty:
        return Outcomes(0, 0, 0, 0)
    measures = [m for m in printed.measure.unique() if m in records]
    mine = summary(records.assign(method=method), measures=measures)
    return agreeing(cells(mine, printed))
