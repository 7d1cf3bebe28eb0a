"""The code of the notebooks: short, with one preamble, and parameters that `ldlrepro` sets."""

import json
import re

import pytest

from ldlrepro import paths
from ldlrepro.papers import chapter_names, get_paper
from ldlrepro.report.plots import ON_STANDIN

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
#: Chapters of many tables.
FIRST = ("adaboost_ldl", "comparison", "ldlf", "mldf", "mslp", "structrf")
MOST_LINES = 40
PARAMETERS = ["profile", "datasets", "n_jobs", "recompute", "seed"]


def code(name):
    """The code cells of a notebook, without those of its method: lists of lines, no empty ones."""
    text = (paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    cells = [c for c in cells if "method" not in c["metadata"].get("tags", [])]
    return [[x for x in "".join(c["source"]).splitlines() if x.strip()] for c in cells]


def test_every_paper_has_a_notebook():
    across = ["compare", "comparison"]
    assert sorted(p.stem for p in paths.NOTEBOOKS.glob("*.ipynb")) == sorted(
        [*chapter_names(), *across]
    )


@pytest.mark.parametrize("name", [*chapter_names(), "comparison"])
def test_a_notebook_is_short(name):
    _, *report = code(name)  # behind the parameters
    lines = sum(map(len, report))
    is_small = lines <= 20  # as a paper of a few tables may be, and none of the first ones
    assert 10 < lines <= MOST_LINES and not (is_small and name in FIRST)


@pytest.mark.parametrize("name", [*chapter_names(), "comparison"])
def test_a_notebook_opens_its_chapter_with_its_parameters(name):
    parameters, preamble, *_ = code(name)
    assert [line.split(" = ")[0] for line in parameters] == PARAMETERS
    text = "\n".join(preamble)
    assert text.count("chapter = open_") == 1
    assert all(f"{name}={name}," in text for name in PARAMETERS)


@pytest.mark.parametrize(
    "path",
    [
        p
        for f in ("notebooks", "book")
        for p in sorted((paths.NOTEBOOKS.parent / f).glob("*.ipynb"))
    ],
    ids=lambda p: p.stem,
)
def test_a_figure_has_a_caption_an_alternative_text_and_a_hash(path):
    """What the hash is of: `report.plots.drawn`; a caption's numbers are those of the paper."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    pictures = [
        (cell["metadata"].get("mystnb", {}), output["data"])
        for cell in cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    assert pictures or path.parent != paths.NOTEBOOKS
    for words, data in pictures:
        assert len(words["image"]["alt"]) > 30 and len(words["figure"]["caption"]) > 30
        drawn = "".join(data["text/plain"])
        assert drawn.startswith("Figure, drawn from ")
        assert ON_STANDIN not in drawn, f"With LDLREPRO_DATA set: python tools/execute.py {path}"


@pytest.mark.parametrize("name", chapter_names())
def test_a_chapter_says_how_each_experiment_is_run_again(name):
    text = (paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    named = set()
    for line in re.findall(
        rf"Run again: `ldlrepro run {name}((?: --experiment \w+)+)(?: --recompute)?`", text
    ):
        named |= set(line.split(" --experiment ")[1:])
    paper = get_paper(name)
    there = {one.name for one in (*paper.experiments, *paper.studies)}
    wanted = {one for one in there if not one.startswith("age_")}  # these have a page
    assert named == wanted, (
        f"no line: Run again: `ldlrepro run {name} --experiment NAME --recompute`."
    )
