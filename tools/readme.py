"""What README, CITATION.cff and book/rerun.md say of the papers, from their folders. No network.

    python tools/readme.py

A test compares what is written with the facts.
"""

import re
import tomllib
from html import escape
from io import StringIO

from ldlrepro import paths, scoreboard
from ldlrepro.papers import get_paper
from ldlrepro.protocols.store import write_whole
from ldlrepro.report.claims import VERDICTS
from ldlrepro.report.plots import drawn, plt, style

ROOT = paths.PACKAGE.parent
#: Head of the table in book/rerun.md that `tables_of` makes.
TABLES = "| paper | `--table` |"
#: Lines of README.md between which `scoreboard.answers` stands.
MARKERS = "<!-- answers -->", "<!-- end of answers -->"
#: Where the chapters are, seen from README.md.
CHAPTERS = "notebooks"
PICTURE = ROOT / "book" / "_static" / "scoreboard.svg"
FOLDER = ROOT / "book" / "_static" / "badges"
_CHARACTER, _HEIGHT, _SPACE = 6.6, 20, 8

_SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" \
aria-label="{label}: {value}">
<title>{label}: {value}</title>
<rect width="{width}" height="{height}" rx="3" fill="#444"/>
<path d="M{left} 0h{right}v{height}h-{right}z" fill="#1f6f8b"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
<text x="{space}" y="14" textLength="{label_length}">{label}</text>
<text x="{middle}" y="14" textLength="{value_length}">{value}</text>
</g>
</svg>
"""


def facts(board):
    """{file name: (label, value)}.

    Parameters
    ----------
    board : DataFrame of `scoreboard.scoreboard`
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first, beyond = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"]).groups()
    claims = [f"{board[f'claims {verdict}'].sum()} {verdict}" for verdict in VERDICTS]
    return {
        "python": ("Python", f"3.{first} to 3.{int(beyond) - 1}"),
        "licence": ("licence", project["license"]),
        "claims": ("claims of the papers", ", ".join(claims)),
    }


def svg(label, value):
    """A badge: a label on grey and a value on blue."""
    lengths = [round(_CHARACTER * len(text)) for text in (label, value)]
    left, right = (length + 2 * _SPACE for length in lengths)
    return _SVG.format(
        label=escape(label),
        value=escape(value),
        width=left + right,
        height=_HEIGHT,
        left=left,
        right=right,
        space=_SPACE,
        middle=left + _SPACE,
        label_length=lengths[0],
        value_length=lengths[1],
    )


def picture(board):
    """`scoreboard.picture` as SVG; its description says what was drawn.

    The letters stay text, which keeps the file small.
    """
    style()
    figure, text = scoreboard.picture(board), StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "scoreboard"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Description": drawn(figure)})
    plt.close(figure)
    return text.getvalue()


#: The field of CITATION.cff for each field of an entry in references.bib, and whether it is text.
_FIELDS = {
    "journal": ("journal", True),
    "booktitle": ("collection-title", True),
    "volume": ("volume", False),
    "number": ("issue", False),
    "pages": ("pages", False),
    "year": ("year", False),
    "note": ("notes", True),
}


def references(names, bib):
    """The papers as CITATION.cff has them, from their entries in references.bib.

    Parameters
    ----------
    names : list of str
        Names of the papers' folders. The key of an entry ends with the first word of one:
        shen2020adaboost for adaboost_ldl.
    bib : str
        The text of references.bib.
    """
    lines = []
    for name in names:
        key = scoreboard.bib_key(name, bib)
        found = re.search(rf"^@(\w+)\{{{key},\n(.*?)\n\}}$", bib, re.S | re.M)
        entry = dict(re.findall(r"(\w+)\s*= \{(.*)\}", found[2]))
        kind = "article" if found[1] == "article" else "conference-paper"
        lines += [f"  - type: {kind}", f'    title: "{entry["title"]}"', "    authors:"]
        for author in entry["author"].split(" and "):
            family, given = author.split(", ")
            lines.append(f"      - {{family-names: {family}, given-names: {given}}}")
        for field, (key, is_text) in _FIELDS.items():
            if field == "pages" and field in entry:
                start, end = entry[field].split("--")
                lines += [f"    start: {start}", f"    end: {end}"]
            elif field in entry:
                value = f'"{entry[field]}"' if is_text else entry[field]
                lines.append(f"    {key}: {value}")
    return "\n".join(lines) + "\n"


def tables_of(names):
    """The table of book/rerun.md: for each paper what ``ldlrepro run --table`` takes."""
    rows = [f"| {n} | {', '.join(f'`{key}`' for key in get_paper(n).tables)} |" for n in names]
    return "\n".join([TABLES, "|---|---|", *rows]) + "\n"


def main():
    """Write the answers, the picture, the badges, the citation and the list of tables."""
    names = [chapter.paper.name for chapter in scoreboard.chapters()]
    bib = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    citation, guide = ROOT / "CITATION.cff", ROOT / "book" / "rerun.md"
    before, _ = citation.read_text(encoding="utf-8").split("references:\n")
    cited = f"{before}references:\n{references(names, bib)}"
    before, rest = guide.read_text(encoding="utf-8").split(TABLES)
    _, after = rest.split("\n\n", 1)
    write_whole(citation, cited)
    write_whole(guide, f"{before}{tables_of(names)}\n{after}")
    board = scoreboard.scoreboard()
    for name, fact in facts(board).items():
        write_whole(FOLDER / f"{name}.svg", svg(*fact))
    write_whole(PICTURE, picture(board))
    readme, (start, end) = ROOT / "README.md", MARKERS
    before, rest = readme.read_text(encoding="utf-8").split(start)
    _, after = rest.split(end)
    write_whole(readme, f"{before}{start}\n{scoreboard.answers(CHAPTERS)}\n{end}{after}")


if __name__ == "__main__":
    main()
