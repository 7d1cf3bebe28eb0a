"""How close the reproduction is, paper by paper: a loop over the chapters."""

import re
from functools import cache

import numpy as np
import pandas as pd
import yaml

from ldlrepro.errors import UnknownNameError
from ldlrepro.papers import chapter_names, get_chapter
from ldlrepro.report.claims import MARKS, VERDICTS, findings_in_markdown, verdict
from ldlrepro.report.plots import plt
from ldlrepro.report.yardstick import confusion_of, total

#: Verdicts on several claims, in short.
SEVERAL = dict(zip(VERDICTS, ("hold", "in part", "do not hold", "not tested"), strict=True))
_COLOURS = dict(zip(VERDICTS, ("#0072B2", "#8CC5E3", "#D55E00", "#D9D9D9"), strict=True))


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
    """Printed numbers of a chapter's tables by outcome, each method against its own row.

    Sets that are not the original files, and measures that another one determines, are left out.

    Returns
    -------
    dict
        "own" and "rivals" (`Outcomes` of the rows of the paper's method and of the others), "not
        run" (int).
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
    """Printed numbers and claims of every paper.

    Returns
    -------
    DataFrame
        A row a paper: paper, own and rivals (`Outcomes`), not run, and the number of the paper's
        claims by verdict.
    """
    rows = []
    for chapter in chapters():
        verdicts = chapter.claims.verdict[~chapter.claims.ours].value_counts()
        claims = {f"claims {v}": int(verdicts.get(v, 0)) for v in VERDICTS}
        rows.append({"paper": chapter.title} | cells_of(chapter) | claims)
    return pd.DataFrame(rows)


def answers(folder):
    """What came out of each paper as a list in Markdown, with a count and a link to its chapter.

    The count says how many of the printed numbers of the paper's own method ours match, of those
    that can be tested, and the mark how large that share is. The text after it is the chapter's
    ``answer``.

    Parameters
    ----------
    folder : Path
        Where the chapters are, seen from the page that shows the list.
    """
    lines = []
    for one in chapters():
        own = cells_of(one)["own"]
        count = f"{MARKS[verdict(own.ratio)]} {own.agree} of {own.tell}"
        link = f"[{one.title}]({folder}/{one.paper.name}.ipynb)"
        lines.append(f"- **{count}** · {link}: {one.answer()}")
    return "\n".join(lines)


def picture(board):
    """The scoreboard as a picture: the share of its own numbers that match, and the claims.

    Parameters
    ----------
    board : DataFrame
        Result of `scoreboard`.
    """
    methods = board.paper.str.partition(" (")[0]
    shares = [own.ratio for own in board.own]
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(4.7, 4.3), sharey=True, width_ratios=(5, 6), layout="constrained"
    )
    claims = board[[f"claims {word}" for word in VERDICTS]].to_numpy(int)
    parts = claims / claims.sum(axis=1, keepdims=True)
    ends = parts.cumsum(axis=1)
    y = np.arange(len(board))
    left.barh(y, 1, color="#EEEEEE", height=0.5)
    left.barh(y, shares, color=_COLOURS["holds"], height=0.5)
    for i, (method, own) in enumerate(zip(methods, board.own, strict=True)):
        left.text(0, i - 0.33, method, fontsize=9.5, weight="bold")
        left.text(1, i - 0.33, f"{own.agree} of {own.tell}", ha="right", fontsize=9.5)
    for j, (word, colour) in enumerate(_COLOURS.items()):
        starts = ends[:, j] - parts[:, j]
        right.barh(y, parts[:, j], left=starts, color=colour, height=0.5, label=SEVERAL[word])
        dark = word in ("holds", "does not hold")
        for i in np.flatnonzero(parts[:, j] >= 0.04):  # a number needs the room
            style = {"color": "white" if dark else "black", "fontsize": 9.5}
            middle = starts[i] + parts[i, j] / 2
            right.text(middle, i, f"{claims[i, j]}", ha="center", va="center", **style)
    left.set_title("Printed numbers of its\nown method that ours match", fontsize=9.5, loc="left")
    right.set_title("Its claims", fontsize=9.5, loc="left")
    left.set_ylim(len(board) - 0.7, -0.8)
    for axis in (left, right):
        axis.set_xlim(0, 1)
        axis.axis("off")
    key = {"ncols": 4, "frameon": False, "fontsize": 9, "handlelength": 1, "columnspacing": 1.2}
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", **key)
    least, most = int(np.argmin(shares)), int(np.argmax(shares))
    figure.suptitle(
        f"Measured again, {shares[least]:.0%} ({methods[least]}) to {shares[most]:.0%} "
        f"({methods[most]})\nof a method's informative printed numbers match",
        x=0.01,
        ha="left",
        fontsize=11,
        weight="bold",
    )
    return figure


def findings():
    """Findings of every chapter for page one, each paper's in a part that opens."""
    parts = []
    for chapter in chapters():
        lines = findings_in_markdown(chapter.claims, chapter.findings())
        link = f"More in [the chapter](../notebooks/{chapter.paper.name}.ipynb)."
        parts.append(f":::{{dropdown}} {chapter.title}\n{lines}\n\n{link}\n:::")
    return "\n\n".join(parts)


def for_readers(board):
    """`scoreboard` as page one shows it: a row a paper, texts and numbers.

    Numbers that the mean predictor matches too are uninformative, and stand apart.
    """
    both = [own + rivals for own, rivals in zip(board.own, board.rivals, strict=True)]
    return pd.DataFrame(
        {
            "paper": board.paper.str.partition(" (")[0],
            "own numbers that ours match": [f"{o.agree} of {o.tell}" for o in board.own],
            "rivals' numbers that ours match": [f"{o.agree} of {o.tell}" for o in board.rivals],
            "uninformative numbers": [o.untold for o in both],
            "of these, ours differ": [o.outside for o in both],
            "numbers not run": board["not run"],
            "claims that hold": board["claims holds"],
            "in part": board["claims holds in part"],
            "do not hold": board["claims does not hold"],
            "not tested": board["claims not tested"],
        }
    )


def papers(folder, bib):
    """The papers as a table in Markdown: the citation, the title and the chapter of each.

    Parameters
    ----------
    folder : Path
        Where the chapters are, seen from the page that shows the table.
    bib : str
        The text of the book's references.
    """
    rows = [
        f"| {{cite:t}}`{bib_key(one.paper.name, bib)}` | {one.paper.title} "
        f"| [{one.title.partition(' (')[0]}]({folder}/{one.paper.name}.ipynb) |"
        for one in chapters()
    ]
    return "\n".join(["| Paper | Title | Chapter |", "|---|---|---|", *rows])


def cite(citation):
    """How to cite the package and its book: authors, title, version and licence, in Markdown.

    Parameters
    ----------
    citation : str
        The text of CITATION.cff.
    """
    said = yaml.safe_load(citation)
    authors = ", ".join(one["name"] for one in said.get("authors") or ())
    text = f"*{said['title']}*, version {said['version']}, {said['license']} licence."
    return f"{authors}. {text}" if authors else text


def bib_key(name, bib):
    """Key of a paper's entry in the references: it ends with the first word of the folder's name.

    Raises
    ------
    UnknownNameError
        No entry has such a key.
    """
    word = name.split("_")[0]
    found = re.search(rf"^@\w+\{{(\w+{word}),$", bib, re.M)
    if found is None:
        raise UnknownNameError(
            f"book/references.bib has no entry for the paper {name!r}. Add one whose key ends with "
            f"{word!r}, such as author2021{word}."
        )
    return found[1]
