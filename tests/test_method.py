"""The section "The method" of a chapter: its equations, its readable code, its solutions."""

import ast
import contextlib
import io
import json
import re

import pytest

from ldlrepro import paths

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
TAUGHT = ["mslp"]
MOST_LINES = 40
_SOLUTION = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.S | re.M)


def cells(name, kind):
    """The cells of a notebook of one type."""
    text = (paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    return [c for c in json.loads(text)["cells"] if c["cell_type"] == kind]


def prose(name):
    """The written text of a notebook."""
    return "\n\n".join("".join(c["source"]) for c in cells(name, "markdown"))


@pytest.mark.parametrize("name", TAUGHT)
def test_equations_stand_in_order_under_their_papers_numbers(name):
    """The book counts the equations of a page, so their order gives them the paper's numbers."""
    there = re.findall(rf"^\$\$ \({name}-eq-(\d+)\)$", prose(name), re.M)
    assert len(there) >= 6
    assert there == [str(k) for k in range(1, len(there) + 1)]


@pytest.mark.parametrize("name", TAUGHT)
def test_every_reference_is_a_link_to_an_equation_of_the_page(name):
    text = prose(name)
    there = set(re.findall(rf"^\$\$ \({name}-eq-(\d+)\)$", text, re.M))
    link = re.compile(rf"\[Eq\. (\d+)\]\(#{name}-eq-(\d+)\)")
    assert all(said == led and said in there for said, led in link.findall(text))
    assert re.findall(r"Eqs?\.\s*\d+", link.sub("", text)) == []


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


@pytest.mark.parametrize("name", TAUGHT)
def test_the_readable_code_is_short_and_takes_numpy_alone(name):
    source = (paths.PACKAGE / "papers" / name / "readable.py").read_text(encoding="utf-8")
    assert 10 < lines_of_code(source) <= MOST_LINES
    assert re.findall(r"^ *(?:import|from) .*", source, re.M) == ["import numpy as np"]


@pytest.mark.parametrize("name", TAUGHT)
def test_solutions_print_what_the_page_says(name):
    solutions = _SOLUTION.findall(prose(name))
    assert len(solutions) >= 2
    known = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells(name, "code"):
            if "method" in cell["metadata"].get("tags", []):
                exec("".join(cell["source"]), known)
    for code, said in solutions:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, known)
        assert out.getvalue() == said
