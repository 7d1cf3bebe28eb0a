"""The code of the notebooks: short, with one preamble, and parameters that `ldlrepro` sets."""

import json

import pytest

from ldlrepro import paths
from ldlrepro.scoreboard import BOARDS

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
MOST_LINES = 80
PARAMETERS = ["profile", "datasets", "n_jobs", "recompute", "seed"]


def code(name):
    """The code cells of a notebook: lists of lines, without empty ones."""
    text = (paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    return [[x for x in "".join(c["source"]).splitlines() if x.strip()] for c in cells]


def test_every_paper_has_a_notebook():
    across = ["compare", "comparison"]
    assert sorted(p.stem for p in paths.NOTEBOOKS.glob("*.ipynb")) == sorted([*BOARDS, *across])


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_a_notebook_is_short(name):
    lines = sum(map(len, code(name)))
    assert 20 < lines <= MOST_LINES


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_a_notebook_opens_its_chapter_with_its_parameters(name):
    parameters, preamble, *_ = code(name)
    assert [line.split(" = ")[0] for line in parameters] == PARAMETERS
    text = "\n".join(preamble)
    assert text.count("report.open_chapter(") == 1 and ", ".join(PARAMETERS) in text
