"""Page one: the numbers of the chapters, and of nothing else."""

import json
import re
from html import escape

import pytest
import readme

from ldlrepro import paths, scoreboard, stats
from ldlrepro.papers import chapter_names, paper_names
from ldlrepro.report.claims import CAPTION, VERDICTS

pytestmark = pytest.mark.skipif(
    not paths.IN_CHECKOUT, reason="records are committed, not installed"
)


def outputs(folder, name):
    """All HTML of a committed notebook."""
    cells = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    found = [o for c in cells for o in c.get("outputs", ())]
    return "\n".join("".join(o.get("data", {}).get("text/html", "")) for o in found)


def rows(html, caption):
    """Cells of the table of a notebook with that caption, a list a row, without its head."""
    caption = re.escape(escape(caption))
    table = re.search(rf"<(div|summary)[^>]*>{caption}</\1>.*?</table>", html, re.S).group(0)
    lines = re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    return [re.findall(r"<td[^>]*>(.*?)</td>", line, re.S) for line in lines]


def test_every_paper_has_a_chapter():
    assert chapter_names() == sorted(set(paper_names()) - {"comparison", "images"})
    assert [chapter.place for chapter in scoreboard.chapters()] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", chapter_names())
def test_verdicts_are_those_of_the_chapter(name, board):
    shown = rows(outputs(paths.NOTEBOOKS, name), CAPTION)
    row = board.set_index("paper").loc[scoreboard.chapter_of(name).title]
    for word in VERDICTS:
        assert row[f"claims {word}"] == sum(cells[3] == word for cells in shown)


def test_cells_are_those_of_the_chapter(board):
    """The chapter on StructRF counts by data set and method; its totals are page one's."""
    *_, last = rows(outputs(paths.NOTEBOOKS, "structrf"), "Cells that agree with Tables 4-18")
    counts = [list(map(int, re.findall(r"\d+", cell.partition(";")[0]))) for cell in last[1:]]
    row = board.iloc[0]
    both = row.own + row.rivals
    assert (sum(c[0] for c in counts), sum(c[1] for c in counts)) == (both.agree, both.tell)
    assert sum(int(cell.split()[-1]) for cell in last[1:] if "?" in cell) == both.untold
    within = [re.search(r"\? (\d+) of", cell) for cell in last[1:]]
    outside = both.untold - sum(int(found.group(1)) for found in within if found)
    assert scoreboard.for_readers(board)["of these, ours outside"][0] == outside == both.outside


def test_page_one_and_the_readme_show_the_scoreboard(board):
    shown = scoreboard.for_readers(board)
    page = rows(outputs(paths.NOTEBOOKS.parent / "book", "intro"), "The five papers")
    assert page == shown.astype(str).to_numpy().tolist()
    text = (paths.NOTEBOOKS.parent / "README.md").read_text(encoding="utf-8")
    start, end = readme.MARKERS
    assert text.split(start)[1].split(end)[0].strip() == readme.in_markdown(board)


@pytest.mark.parametrize("name", chapter_names())
def test_three_findings_with_numbers(name):
    lines = scoreboard.chapter_of(name).findings()
    assert len(lines) == 3
    assert all(re.search(r"\d", line) and "nan" not in line for line in lines)


def test_the_book_says_what_the_folds_can_show():
    page = (paths.NOTEBOOKS.parent / "book" / "reading.md").read_text(encoding="utf-8")
    said = re.search(r"<!-- power -->(.*?)<!-- end of power -->", page, re.S).group(1)
    tenths, halves = (stats.smallest_shown(10, ratio) for ratio in (1 / 9, 1))
    assert re.findall(r"\d\.\d", said) == [f"{tenths:.1f}", f"{halves:.1f}"]
