"""Printed rows that ours do not match: what was tried, and how many numbers each cause explains."""

from functools import cache

import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.report.claims import REPRODUCED
from ldlrepro.report.settings import with_settings
from ldlrepro.report.tables import agreeing, cells, cells_by_setting, show, summary
from ldlrepro.report.values import Outcomes

#: What becomes of a printed row.
STATES = ("matches", "explained", "nearer", "unexplained", "not tried", "uninformative")


def causes(chapter, own=None, more=(), stands_for=None, stages="steps"):
    """Every cause that was looked for, by the printed row that it should explain.

    Causes are the experiments that were declared by somebody who had seen the printed numbers
    (``why`` of `declare.Experiment`). Of each the setting is shown with which ours match the most
    numbers, uninformative ones among them. What is found is an explanation, not a result.

    Parameters
    ----------
    chapter : Chapter
        The chapter, opened.
    own : function
        That makes one row of records with stages that are measures, or None.
    more : (cause, records, what their stages are)
        Beside the experiments.
    stands_for : dict
        Learner that no paper prints -> printed row that it should explain.
    stages
        As for `settings.with_settings`.

    Returns
    -------
    DataFrame
        A row a printed row and cause: printed, cause, setting, found (`Outcomes`), declared
        (`Outcomes` of the tables' method on the same data sets), tried (settings with a counted
        number).

    See Also
    --------
    states : What becomes of each row.
    """
    printed = chapter.printed[~chapter.printed.dataset.isin(chapter.excluded_datasets)]
    looked = _looked(chapter, own, more, stages)
    tried = pd.concat([_named(*one, stands_for or {}) for one in looked if len(one[1])])
    tried = tried[tried.source != "synthetic"]
    beside, rows = _beside_tables(chapter), []
    for (method, why), some in tried.groupby(["printed", "why"], sort=False):
        theirs = printed[printed.method == method]
        compared = cells_by_setting(some, theirs)
        found = {s: agreeing(mine) for s, mine in compared.groupby("setting", sort=False)}
        found = {s: outcomes for s, outcomes in found.items() if outcomes.cells}
        if not found:
            continue
        best = max(found, key=lambda s: (found[s].near, found[s].agree))
        there = beside[method].dataset.isin(some.dataset[some.setting == best])
        declared = agreeing(beside[method][there])
        setting = best if found[best].near else "none"
        rows.append((method, why, setting, found[best], declared, len(found)))
    columns = ["printed", "cause", "setting", "found", "declared", "tried"]
    return pd.DataFrame(rows, columns=columns)


def states(chapter, table):
    """What becomes of every printed row that our tables have a method for.

    "matches": with the settings of the tables, ours match nearly all informative numbers, and
    nearly all numbers. "explained": a setting of `causes` does so, for as many numbers. "nearer":
    one matches more numbers than the tables do, and no fewer informative ones. "uninformative": no
    number is informative. "not tried": no other setting was. "unexplained": none of these.

    Parameters
    ----------
    table : DataFrame
        Result of `causes`.

    Returns
    -------
    DataFrame
        Printed, tables (`Outcomes`), state, by (cause and setting, "" for none), found.

    See Also
    --------
    causes : What was tried.
    """
    rows = []
    for method, beside in _beside_tables(chapter).items():
        tables = agreeing(beside)
        if not tables.cells:
            continue
        tried = [
            (f"{r.cause}: {r.setting}", r) for r in table[table.printed == method].itertuples()
        ]
        matched = [
            one for one in tried if one[1].found.cells == tables.cells and _out(one[1].found)
        ]
        state, by, best = "unexplained", "", None
        if not tables.tell:
            state, nearer = "uninformative", [o for o in tried if o[1].found.near > tables.near]
            by, best = max(nearer, key=lambda one: one[1].found.near, default=("", None))
        elif _out(tables):
            state = "matches"
        elif matched:
            state, (by, best) = "explained", max(matched, key=lambda one: one[1].found.agree)
        elif narrower := [one for one in tried if _narrower(one[1])]:
            state, (by, best) = "nearer", max(narrower, key=lambda one: _gain(one[1]))
        elif not tried:
            state = "not tried"
        rows.append((method, tables, state, by, best.found if by else None))
    return pd.DataFrame(rows, columns=["printed", "tables", "state", "by", "found"])


def _gain(row):
    """Numbers that match beyond those of the tables' method, of a row of `causes`."""
    return row.found.near - row.declared.near


def _narrower(row):
    """Whether a cause matches more numbers, some of them informative and no fewer of those."""
    return _gain(row) > 0 and row.found.agree >= max(1, row.declared.agree)


def _out(found):
    """Whether a row matches: in its informative numbers, and in all."""
    return found.ratio >= REPRODUCED and found.near >= REPRODUCED * found.cells


@cache
def parts(chapter):
    """(title, `causes`, `states`) of each part of a chapter; the first two make it up."""
    found = []
    for what, part in chapter.parts():
        table = causes(part, **part.cause_options())
        title = f"{part.title}, {what}" if what else part.title
        found.append((title, table, states(part, table)))
    return found


def states_of(chapter):
    """`states` of a chapter's printed rows, over everything that was tried for them.

    Where a chapter has parts, rows stand there for each; ``datasets`` says for which.
    """
    found = []
    for (_, part), (_, _, state) in list(zip(chapter.parts(), parts(chapter), strict=True))[:2]:
        counted = sorted(set(part.printed.dataset) - set(part.excluded_datasets))
        found.append(state.assign(datasets=[counted] * len(state)))
    return pd.concat(found, ignore_index=True)


def counts(chapters):
    """How many printed rows there are in each state.

    Returns
    -------
    DataFrame
        A row a chapter or part: paper, and the number of rows by state.
    """
    rows = []
    for chapter in chapters:
        for title, _, state in parts(chapter)[:2]:
            number = state.state.value_counts()
            rows.append({"paper": title} | {s: int(number.get(s, 0)) for s in STATES})
    return pd.DataFrame(rows)


def counts_in_words(table):
    """`counts` as a sentence."""
    of = table.drop(columns="paper").sum()
    return (
        f"Of {of.sum()} printed rows, {of.matches} match with the settings of our tables. Another "
        f"setting explains {of.explained} more, and brings {of.nearer} nearer. Unexplained: "
        f"{of.unexplained}. Not tried: {of['not tried']}. Uninformative: {of.uninformative}."
    )


def brought(chapter):
    """Numbers of a paper's rivals with the settings of the tables, and with what was found.

    Returns
    -------
    DataFrame
        A row a part: sets, rows (how many), and two `Outcomes`: of the tables' methods, and with
        the setting that comes nearest for each row, the same for all of these sets.
    """
    rows = []
    for (what, _), (_, _, state) in zip(chapter.parts(), parts(chapter), strict=True):
        state = state[~state.printed.map(chapter.is_own).to_numpy(bool)]
        found = state.found.where(state.found.notna(), state.tables)
        rows.append(
            {
                "sets": what or "all counted",
                "rows": len(state),
                "with the settings of the tables": sum(state.tables, Outcomes(0, 0, 0, 0)),
                "with what comes nearest": sum(found, Outcomes(0, 0, 0, 0)),
            }
        )
    return pd.DataFrame(rows)


def show_causes(chapter):
    """`states` of a chapter, and `causes` behind those that do not match, as HTML.

    See Also
    --------
    states, causes : The numbers.
    """
    for title, table, state in parts(chapter)[:2]:
        short = title.partition(" (")[0] + title.rpartition(")")[2]
        yield show(state, f"{short}: printed rows and what became of them", False, folded=False)
        missed = state.printed[state.state != "matches"]
        behind = table[table.printed.isin(missed)].sort_values("printed", kind="stable")
        if len(behind):
            more = [f"{_gain(row):+d}" for row in behind.itertuples()]
            behind = behind.drop(columns="declared").assign(more=more)
            columns = ["printed", "cause", "tried", "setting", "found", "more"]
            caption = f"{short}: what was tried, and the nearest setting of each"
            yield show(behind[columns], caption, False, folded=True)


def of_study(table, learner, names, stage=None):
    """Rows of a study as records of settings that were tried for a printed row.

    Parameters
    ----------
    table : DataFrame
        It has dataset, source, fold and a column for each measure.
    learner : str
        The printed row.
    names : str
        For each row, what was set.
    stage
        Column of the study that is a stage, or None.

    See Also
    --------
    causes : Takes them as ``more``.
    """
    stages = [{}] * len(table) if stage is None else [{"stage": s} for s in table[stage]]
    methods = [f"{learner}, {name}" for name in names]
    return table.assign(
        method=methods, settings=[{"learner": learner}] * len(table), parameters=stages
    )


def _looked(chapter, own, more, stages):
    """(cause, records, what their stages are) of each experiment that looked for a cause."""
    whys = [e.why for e in chapter.paper.experiments]
    for e in chapter.paper.experiments:
        if e.why:
            records = _own(chapter.records[e.name], own)
            if whys.count(e.why) > 1:
                records = records.assign(named=f" ({e.name})")
            yield e.why, records, stages
    learner = [s.get("learner", m) for s, m in zip(*_settings(chapter.tables), strict=True)]
    yield "variants in the tables", chapter.tables[chapter.tables.method != learner], stages
    yield from more


def _named(why, records, stages, stands_for):
    """Records with their cause, the printed row that they should explain and a text of a setting.

    Forms that no paper prints are left out.
    """
    settings, methods = _settings(records)
    learners = [s.get("learner", m) for s, m in zip(settings, methods, strict=True)]
    forms = [s.get("form", "plain") for s in settings]
    printed = [_row(stands_for.get(n, n), f) for n, f in zip(learners, forms, strict=True)]
    # A measure is no setting: a row a fit, with each measure from what was made for it.
    parameters = [{} if p.get("stage") in MEASURES else p for p in records.parameters]
    named = records.get("named", "")
    records = with_settings(records.assign(why=why, printed=printed, parameters=parameters), stages)
    records = records.assign(setting=records.setting.astype(object) + named)
    return records[records.printed.notna()]


def _settings(records):
    return records.settings, records.method


def _row(learner, form):
    """Printed row of a learner in a form; None for forms that no paper prints."""
    return {"plain": learner, "boosted": f"{learner}, boosted"}.get(form)


def _own(records, own):
    """Records with one row a fit where their stages are measures."""
    staged = any(p.get("stage") in MEASURES for p in records.parameters)
    return own(records) if staged and own is not None else records


def _beside_tables(chapter):
    """Printed row -> its counted numbers beside those of our tables (`published.compare`)."""
    printed = chapter.printed[~chapter.printed.dataset.isin(chapter.excluded_datasets)]
    tables = chapter.tables[chapter.tables.source != "synthetic"]
    measures = [m for m in printed.measure.unique() if m in tables]
    ours = summary(tables, measures=measures)
    return {
        method: cells(ours[ours.method == method], theirs)
        for method, theirs in printed.groupby("method", sort=False)
    }
