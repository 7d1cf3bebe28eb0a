"""No number in prose is typed by hand: each stands in an output of its page, or has a reason."""

import html
import json
import re

import pytest

from ldlrepro import paths

pytestmark = [
    pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pages are not installed"),
    pytest.mark.jit_only("of pages"),
]
ROOT = paths.PACKAGE.parent
PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("book/*.ipynb")])

#: What a number may be that no output of the page shows: page -> {number: reason}.
REASONS = {
    "age": {
        "1002": "rows of FG-Net, data/datasets.csv",
        "251": "features of FG-Net, data/datasets.csv",
        "82": "persons of FG-Net, tests.test_age",
        "69": "the highest age, labels of FG-Net",
        "0": "the lowest age",
        "3": "width of FG-Net's distributions, the file's own",
        "20160": "images that section 4.2 of the paper prints",
        "100": "papers.age",
        "400": "papers.age",
        "20": "papers.age",
        "5": "papers.age",
    },
    "intro": {
        "95": "report.claims.REPRODUCED",
        "3.11": "version of Python",
        "256": "SHA-256",
    },
    "open_and_settled": {"95": "report.claims.REPRODUCED"},
    "ldlf": {
        "300": "steps of SA-BFGS, papers.structrf",
        "512": "outputs in the released script, papers.ldlf",
        "100": "rate of the released script, papers.ldlf",
    },
    "mldf": {
        "400": "trees of a first layer: two forests of forty trees in five folds",
        "217": "rows out of place: tests of the data sets",
        "193": "photographs matched: tests of the data sets",
    },
    "mslp": {
        "3000": "points of the toy, section 3.2",
        "243": "features of s-JAFFE, data/datasets.csv",
        "213": "rows of s-JAFFE, data/datasets.csv",
    },
    "structrf": {"10,000": "rows of the paper's search"},
}

_NUMBERED = r"(?:Tables?|Figures?|[Ss]ections?|Eqs?\.|Algorithms?|equations?|lines?)"
_PLACE = r"\d+(?:\.\d+)*(?:\([a-z]\)|[a-z])?"
_REFERENCE = re.compile(rf"{_NUMBERED}\s+{_PLACE}(?:\s*(?:,|and|to|–|-)\s*{_PLACE})*")
_NO_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\{[a-z:]+\}`[^`]*`|https?://\S+", re.S
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")


def numbers(text):
    """Numbers of a text that are no reference to a table, a section or the like."""
    text = _REFERENCE.sub("", _NO_PROSE.sub("", text))
    return [number.rstrip(",") for number in _NUMBER.findall(text)]


def shown(cells):
    """Texts of all outputs."""
    outputs = [o for c in cells for o in c.get("outputs", [])]
    texts = ["".join(o.get("text", "")) for o in outputs]
    texts += [
        "".join(v) for o in outputs for k, v in o.get("data", {}).items() if k.startswith("text")
    ]
    return html.unescape("\n".join(texts))


def test_what_counts_as_a_number_in_prose():
    text = "Table 4 and Eq. 12 hold 13 of 41 cells (`n=5`, $x^2$), K-L .05 in 10,000 rows; SA2 no."
    assert numbers(text) == ["13", "41", "10,000"]
    assert numbers("0.0531 in sections 3.1 to 3.4, then 7%") == ["0.0531", "7"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_numbers_in_prose_come_from_the_page(page):
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    there, reasons = shown(cells), REASONS.get(page.stem, {})
    typed = [
        (number, "".join(cell["source"])[:60])
        for cell in cells
        if cell["cell_type"] == "markdown"
        for number in numbers("".join(cell["source"]))
        if number not in reasons and not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", there)
    ]
    assert not typed, f"{page.name}: numbers that no output shows, with no reason: {typed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_reason_is_left_over(page):
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert set(REASONS.get(page.stem, {})) <= set(numbers(text))
