"""No number in prose is typed by hand: it stands in an output or in a file, or has a reason."""

import html
import json
import re

import pytest

from ldlrepro import paths

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pages are not installed")
ROOT = paths.PACKAGE.parent
PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("book/*.ipynb")])
#: A history: its numbers are of records that git keeps and no file of today has.
HISTORY = "recomputes.md"
TEXTS = sorted(p for p in ROOT.glob("book/**/*.md") if p.name != HISTORY)

#: Files whose numbers any page may name.
EVERYWHERE = ("data/datasets.csv", "pyproject.toml")
#: Files whose numbers one page may name besides: a chapter those of its paper.
FILES = {
    "errata": ("data/published/*.csv",),
    "open_and_settled": ("data/published/*.csv", "ldlrepro/papers/**/experiments.py"),
    "age": ("ldlrepro/papers/ldlf/age/experiments.py", "data/results/recompute.csv"),
    "later": ("ldlrepro/papers/later/*.csv",),
    "methods": ("ldlrepro/papers/*/experiments.py", "ldlrepro/papers/comparison/matrix.py"),
    "photographs": ("ldlrepro/papers/images/experiments.py", "data/results/recompute.csv"),
    "speed": ("benchmarks/peers.py",),
    "which_method": ("ldlrepro/papers/later/*.csv",),
}
OF_A_PAPER = (
    "data/published/{}*.csv",
    "ldlrepro/papers/{}/experiments.py",
    "ldlrepro/papers/learners.py",
)

#: What stands in none of these: page -> {number: where it comes from}.
REASONS = {
    "datasets": {
        "2407": "rows of scene, tests of the data sets",
        "30,542": "rows of Human Gene, Table 1 of the StructRF paper",
        "43,970": "rows of mediamill, Table 3 of the MLDF paper",
        "141": "repeated rows of enron, tests of the data sets",
        "0.57": "least sum of FG-Net's rows",
        "1.000003": "largest sum of SCUT-FBP's rows",
        "400": "images of a block: tests of the data sets",
        "217": "rows out of place: tests of the data sets",
        "10.85": "per cent, 217 of 2000",
        "471": "rows that the rankings settle: tests of the data sets",
    },
    "errata": {
        "360": "cells of Tables 4-18: 15 of four methods and six measures",
        "0.1579": "1 - 0.8421",
        "0.0586": "twice the square of 0.1712: chi2 is at least that of Sorensen",
        "20,160": "images in section 4.2 of the LDLF paper",
        "12636": "images for training in its section 4.3",
        "21,060": "12636 + 8424",
        "512": "outputs in the released script",
        "0.0704": "SortLoss of the worked example, test_claims",
    },
    "ldlf": {"1.95": "100 * 10 / 512, test_first_package"},
    "reading": {"3.3": "test_scoreboard"},
    "rerun": {
        "0.8": "GB of torch on disk, measured: the CPU's build",
        "5.5": "GB of torch on disk, measured: a build for CUDA",
    },
    "photographs": {"471": "rows that the rankings settle: tests of the data sets"},
    "records": {"512": "AVX-512"},
    "needs": {"3.14": "pyproject.toml, the last below its bound"},
    "intro": {"3.14": "pyproject.toml, the last below its bound"},
    "ten_minutes": {"3.14": "pyproject.toml, the last below its bound"},
    "mldf": {
        "217": "rows out of place: tests of the data sets",
        "193": "photographs matched: tests of the data sets",
    },
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


def known(page):
    """All text from which the numbers of a page may come."""
    patterns = [*EVERYWHERE, *FILES.get(page.stem, ())]
    patterns += [pattern.format(page.stem) for pattern in OF_A_PAPER]
    texts = [f.read_text(encoding="utf-8") for p in patterns for f in sorted(ROOT.glob(p))]
    if page.suffix == ".ipynb":
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        texts += [shown(cells), *("".join(c["source"]) for c in cells if c["cell_type"] == "code")]
    return "\n".join(texts)


def prose(page):
    """The written text of a page."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def stands(number, text):
    """Whether a number stands in a text as such, with or without its commas."""
    forms = {re.escape(number), re.escape(number.replace(",", ""))}
    return any(re.search(rf"(?<![\d.]){form}(?![\d])", text) for form in forms)


def test_a_number_stands_whole():
    assert stands("0.05", "K-L 0.05,") and stands("1,000", "n=1000")
    assert not stands("5", "15, 0.5 and 52") and not stands("0.05", "10.05, 0.053")


@pytest.mark.parametrize("page", [*PAGES, *TEXTS], ids=lambda page: page.stem)
def test_numbers_in_prose_come_from_outputs_or_files(page):
    there, reasons = known(page), REASONS.get(page.stem, {})
    there_not = {n for n in numbers(prose(page)) if not stands(n, there)}
    typed = there_not - set(reasons)
    assert not typed, f"{page.name}: no output and no file has {sorted(typed)}, and no reason does"
    assert set(reasons) <= there_not, f"{page.name}: reasons that nothing needs"
