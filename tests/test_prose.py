"""No number in prose is typed by hand: it stands in an output or in a file, or has a reason."""

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
TEXTS = sorted(ROOT.glob("book/**/*.md"))

#: Files whose numbers a page without outputs may name.
FILES = {"datasets": ["data/datasets.csv"], "errata": ["data/published/*.csv"]}

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
        "80": "mini-batches of a tree: 400 shared by five, papers.age",
    },
    "architecture": {"80": "lines of a notebook, tests.test_notebooks"},
    "datasets": {
        "2407": "rows of scene, tests of the data sets",
        "30,542": "rows of Human Gene, Table 1 of the StructRF paper",
        "43,970": "rows of mediamill, Table 3 of the MLDF paper",
        "141": "repeated rows of enron, tests of the data sets",
        "0.57": "least sum of FG-Net's rows",
        "1.000003": "largest sum of SCUT-FBP's rows",
        "400": "images of a block: tests of the data sets",
        "100": "a file's name",
        "217": "rows out of place: tests of the data sets",
        "10.85": "per cent, 217 of 2000",
        "471": "rows that the rankings settle: tests of the data sets",
    },
    "errata": {
        "33": "test_published",
        "360": "cells of Tables 4-18: 15 of four methods and six measures",
        "0.1579": "1 - 0.8421",
        "360,000": "searches that the StructRF paper names",
        "20,160": "images in section 4.2 of the LDLF paper",
        "12636": "images for training in its section 4.3",
        "8424": "images for testing there",
        "21,060": "12636 + 8424",
        "64": "outputs in the text of the LDLF paper",
        "512": "outputs in the released script",
        "0.0704": "SortLoss of the worked example, test_metrics",
        "54": "nine data sets times six measures",
        "51": "first places by the printed means, test_claims",
        "90": "cells of Tables 4-18 for two methods, test_claims",
        "84": "test_claims",
        "89": "test_claims",
        "40": "test_claims",
    },
    "measures": {
        "0": "an end of a range",
        "1": "an end of a range",
        "2": "an end of a range",
        "16": "digits of a double",
    },
    "reading": {
        "13": "an example",
        "59": "an example",
        "65": "an example",
        "6": "an example: 65 - 59",
        "0": "an end of a range",
        "1": "an end of a range",
        "5": "level of the tests, protocols.stats",
        "80": "power, test_scoreboard",
        "1.4": "test_scoreboard",
        "3.3": "test_scoreboard",
    },
    "records": {"256": "SHA-256", "512": "AVX-512", "1": "exit status"},
    "photographs": {
        "2000": "photographs, data/datasets.csv",
        "64": "pixels, papers.images",
        "294": "features of Natural Scene, data/datasets.csv",
        "3": "of Tables 2 and 3 of the paper",
        "0": "the first row",
        "16": "of VGG-16",
    },
    "intro": {
        "95": "report.claims.REPRODUCED",
        "3.11": "version of Python",
        "256": "SHA-256",
    },
    "needs": {
        "3.11": "pyproject.toml",
        "3.12": "pyproject.toml",
        "3.13": "pyproject.toml",
        "1.2": "README.md",
    },
    "open_and_settled": {"95": "report.claims.REPRODUCED"},
    "ldlf": {
        "300": "steps of SA-BFGS, papers.structrf",
        "512": "outputs in the released script, papers.ldlf",
        "100": "rate of the released script, papers.ldlf",
        "25,000": "iterations that section 4 prints",
        "3000": "papers.ldlf",
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
    r"^```.*?^```|\$\$.*?\$\$|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\{[a-z:]+\}`[^`]*`|https?://\S+"
    r"|^\s*\d+\. |^\| *\d+ *\|",  # places in a list, first columns
    re.S | re.M,
)
_NUMBER = re.compile(r"(?<![\w.])(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?!\w)")


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
    assert numbers(text) == ["13", "41", ".05", "10,000"]
    assert numbers("0.0531 in sections 3.1 to 3.4, then 7%, .05") == ["0.0531", "7", ".05"]
    assert numbers("1. one\n| 2 | two, 3 |\n\n$$\n4\n$$\n") == ["3"]


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


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_numbers_of_a_text_come_from_files(page):
    files = [f for pattern in FILES.get(page.stem, ()) for f in sorted(ROOT.glob(pattern))]
    there, reasons = "\n".join(f.read_text() for f in files), REASONS.get(page.stem, {})
    typed = [
        number
        for number in numbers(page.read_text(encoding="utf-8"))
        if number not in reasons
        and not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", there)
    ]
    assert not typed, f"{page.name}: numbers in no file of data, with no reason: {typed}"


@pytest.mark.parametrize("page", [*PAGES, *TEXTS], ids=lambda page: page.stem)
def test_no_reason_is_left_over(page):
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert set(REASONS.get(page.stem, {})) <= set(numbers(text))
