"""The README's answers, picture and badges, from facts of this repository. No network.

    python tools/readme.py

A test compares what is written with the facts.
"""

import re
import tomllib
from html import escape
from io import StringIO

from ldlrepro import paths, scoreboard
from ldlrepro.protocols.store import write_whole
from ldlrepro.report.claims import VERDICTS
from ldlrepro.report.plots import drawn, plt, style

ROOT = paths.PACKAGE.parent
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
        "claims": ("claims of five papers", ", ".join(claims)),
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


def main():
    """Write the answers, the picture and the badges."""
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
