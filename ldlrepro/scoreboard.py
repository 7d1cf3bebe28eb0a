"""How close the reproduction is, paper by paper: a loop over the chapters."""

from functools import cache

import pandas as pd

from ldlrepro.papers import chapter_names, get_chapter
from ldlrepro.report import causes
from ldlrepro.report.claims import VERDICTS
from ldlrepro.report.values import Outcomes
from ldlrepro.report.yardstick import confusion_of, total


@cache
def chapters():
    """The chapter of every paper on the committed records, in the order of the book.

    It takes seconds, and is kept.
    """
    return sorted((get_chapter(name)() for name in chapter_names()), key=lambda c: c.place)


def chapter_of(name):
    """The chapter of one paper."""
    (chapter,) = [one for one in chapters() if one.paper.name == name]
    return chapter


def cells_of(chapter):
    """Printed cells of a chapter's tables by outcome, each method against its own row.

    Sets that are not the original files, and measures that another one determines, are left out.

    Returns
    -------
    dict: "own" and "rivals" (`Outcomes` of the rows of the paper's method and of the others),
    "not run" (int)
    """
    table = confusion_of(chapter)
    mine = table.index.map(chapter.is_own).to_numpy(bool)
    compared = chapter.compared[~chapter.compared.repeated]
    there = compared[~compared.dataset.isin(chapter.excluded_datasets)]
    return {
        "own": total(table[mine]),
        "rivals": total(table[~mine]),
        "not run": int(there.within.isna().sum()),
    }


def scoreboard():
    """Cells and claims of every paper.

    Returns
    -------
    DataFrame, a row a paper: paper, own and rivals (`Outcomes`), kinds (own by kind of data, a
    text, where the kinds differ), not run, and the number of the paper's claims by verdict
    """
    rows = []
    for chapter in chapters():
        verdicts = chapter.claims.verdict[~chapter.claims.ours].value_counts()
        claims = {f"claims {v}": int(verdicts.get(v, 0)) for v in VERDICTS}
        cells = {"kinds": chapter.own_by_kind()} | cells_of(chapter)
        rows.append({"paper": chapter.title} | cells | claims)
    return pd.DataFrame(rows)


def findings_in_markdown():
    """Findings of every chapter as a list for page one, each paper's under its name."""
    parts = []
    for chapter in chapters():
        lines = "\n".join(f"- {line}" for line in chapter.findings())
        link = f"[chapter](../notebooks/{chapter.paper.name}.ipynb)"
        parts.append(f"**{chapter.title}**, {link}\n\n{lines}")
    return "\n\n".join(parts)


def for_readers(board):
    """`scoreboard` as page one shows it: a row a paper, texts and numbers.

    "own method" and "rivals" are the cells that agree of those that can tell. The others cannot,
    because the mean predictor is within the tolerance; in some of these ours is outside it.
    """
    both = [own + rivals for own, rivals in zip(board.own, board.rivals, strict=True)]
    return pd.DataFrame(
        {
            "paper": board.paper,
            "own method": [
                f"{o.agree} of {o.tell}" + (f" ({kinds})" if kinds else "")
                for o, kinds in zip(board.own, board.kinds, strict=True)
            ],
            "rivals": [f"{o.agree} of {o.tell}" for o in board.rivals],
            "cannot tell": [o.untold for o in both],
            "of these, ours outside": [o.outside for o in both],
            "cells not run": board["not run"],
            "claims: reproduced": board["claims reproduced"],
            "partly": board["claims partly"],
            "not": board["claims not"],
            "not run": board["claims not run"],
        }
    )


def show_causes(name):
    """`report.show_causes` of a paper's chapter, as the page "Open and matched" shows it."""
    for title, _, table, state in _causes(name)[:2]:
        yield from causes.show_causes(table, state, title)


@cache
def _causes(name):
    """(title, chapter, `causes.causes`, `causes.states`) of each part of a chapter."""
    found = []
    for what, part in chapter_of(name).parts():
        table = causes.causes(part, **part.cause_options())
        title = f"{part.title}, {what}" if what else part.title
        found.append((title, part, table, causes.states(part, table)))
    return found


def states(name):
    """`causes.states` of a paper's printed rows, over everything that was tried for them.

    Where a chapter has parts, rows stand there for each; ``datasets`` says for which.
    """
    found = []
    for _, part, _, state in _causes(name)[:2]:
        counted = sorted(set(part.printed.dataset) - set(part.excluded_datasets))
        found.append(state.assign(datasets=[counted] * len(state)))
    return pd.concat(found, ignore_index=True)


def open_and_settled():
    """What becomes of the printed rows of each paper: counts of `causes.states`.

    Returns
    -------
    DataFrame, a row a paper or part: paper, and printed rows that come out, are matched, narrowed
    or open
    """
    rows = []
    for chapter in chapters():
        for title, _, _, state in _causes(chapter.paper.name)[:2]:
            counts = state.state.value_counts()
            rows.append({"paper": title} | {s: int(counts.get(s, 0)) for s in causes.STATES})
    return pd.DataFrame(rows)


def brought(name):
    """Cells of a paper's rivals with the settings of the tables, and with what was found.

    Returns
    -------
    DataFrame, a row a part: sets, rows (how many), and two `Outcomes`: of the tables' methods, and
    with the setting that comes nearest for each row, the same for all of these sets
    """
    rows, chapter = [], chapter_of(name)
    for (what, _), (_, _, _, state) in zip(chapter.parts(), _causes(name), strict=True):
        state = state[~state.printed.map(chapter.is_own).to_numpy(bool)]
        found = state.found.where(state.found.notna(), state.tables)
        rows.append(
            {
                "sets": what or "all that count",
                "rows": len(state),
                "with the settings of the tables": sum(state.tables, Outcomes(0, 0, 0, 0)),
                "with what comes nearest": sum(found, Outcomes(0, 0, 0, 0)),
            }
        )
    return pd.DataFrame(rows)
