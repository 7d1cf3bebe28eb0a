"""The section "The method" of a chapter: its equations, its readable code, its solutions."""

import ast
import contextlib
import io
import json
import re

import pytest

from ldlrepro import paths
from ldlrepro.papers import chapter_names

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
each = pytest.mark.parametrize("name", chapter_names())
MOST_LINES = 40
_LABEL = re.compile(r"^\((\w+-eq-\w+)\)=$", re.M)
_OPENS, _CLOSES = r"(?:\$\$|\\begin\{gather\*\})", r"(?:\$\$|\\end\{gather\*\})"
_BLOCK = re.compile(rf"^\((\w+)-eq-(\w+)\)=\n{_OPENS}\n(.*?)\n{_CLOSES}$", re.M | re.S)
_LINK = re.compile(r"\[Eqs?\. (\w+)\]\(#(\w+-eq-\w+)\)")


def cells(name, kind):
    """The cells of a notebook of one type."""
    text = (paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    return [c for c in json.loads(text)["cells"] if c["cell_type"] == kind]


def prose(name):
    """The written text of a notebook."""
    return "\n\n".join("".join(c["source"]) for c in cells(name, "markdown"))


@each
def test_equations_have_the_numbers_of_the_paper(name):
    text = prose(name)
    blocks = _BLOCK.findall(text)
    assert [f"{paper}-eq-{number}" for paper, number, _ in blocks] == _LABEL.findall(text)
    assert len(blocks) >= 6
    for paper, number, body in blocks:
        assert paper == name and f"\\tag{{{number}}}" in body


@each
def test_every_reference_is_a_link_to_an_equation_of_the_page(name):
    text = prose(name)
    there = set(_LABEL.findall(text))
    for said, label in _LINK.findall(text):
        assert label in there and label.endswith(f"-{said}")
    assert re.findall(r"\bEqs?\.\s*\d+", _LINK.sub("", text)) == []


def lines_of_code(source):
    """How many lines of a module are code: no docstrings, comments or empty lines."""
    words = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node):
            words |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = {k: line.strip() for k, line in enumerate(source.splitlines(), 1)}
    return sum(bool(s) and s[0] != "#" for k, s in lines.items() if k not in words)


def test_what_counts_as_a_line_of_code():
    assert lines_of_code('"""Words.\n\nMore."""\nx = 1  # one\n# two\n\ndef f():\n    "f"\n') == 2


@each
def test_the_readable_code_is_short_and_takes_numpy_alone(name):
    source = (paths.PACKAGE / "papers" / name / "readable.py").read_text(encoding="utf-8")
    assert 10 < lines_of_code(source) <= MOST_LINES
    assert re.findall(r"^ *(?:import|from) .*", source, re.M) == ["import numpy as np"]


@each
def test_the_page_runs_the_readable_code_and_checks_it(name):
    method = [c for c in cells(name, "code") if "method" in c["metadata"].get("tags", [])]
    code = "\n".join("".join(c["source"]) for c in method)
    assert f"papers.{name}" in code and "readable" in code
    assert "assert_allclose" in code or "assert_array_equal" in code
    assert f"papers/{name}/readable.py" in prose(name)  # shown whole


@each
def test_solutions_run(name):
    """A solution prints what the page shows below it, and no more."""
    known, found = {}, 0
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells(name, "code"):
            if "method" in cell["metadata"].get("tags", []):
                exec("".join(cell["source"]), known)
    for solution in _solutions(prose(name)):
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", solution, re.S | re.M)
        code = "".join(text for language, text in blocks if language == "python")
        said = [text for language, text in blocks if language != "python"]
        if not code:
            continue
        found += 1
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, dict(known))
        assert out.getvalue() == (said[0] if said else "")
    assert found == 3


def _solutions(text):
    """What stands folded under "Solution"."""
    parts = re.split(r"^(?::{3,}|`{4,})\{dropdown\} Solution.*$", text, flags=re.M)[1:]
    return [re.split(r"^(?::{3,}|`{4,})$", part, flags=re.M)[0] for part in parts]
