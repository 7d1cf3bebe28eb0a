"""The sections of chapters that teach a method: code short enough to read, links, solutions."""

import ast
import contextlib
import io
import json
import re

import pytest

from ldlrepro import paths

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
READABLE = sorted(paths.PACKAGE.glob("papers/*/readable.py"))
CHAPTERS = ["adaboost_ldl"]
MOST_LINES = 40


def cells(name):
    """The cells of a notebook: (type, tags, source)."""
    text = (paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
    for cell in json.loads(text)["cells"]:
        yield cell["cell_type"], cell["metadata"].get("tags", []), "".join(cell["source"])


def prose(name):
    """The written text of a notebook."""
    return "\n".join(source for kind, _, source in cells(name) if kind == "markdown")


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.parent.name)
def test_readable_code_is_short_and_needs_numpy_alone(path):
    text = path.read_text(encoding="utf-8")
    tree, docstrings, imported = ast.parse(text), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node):
            docstrings |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported |= {getattr(node, "module", None) or alias.name for alias in node.names}
    lines = enumerate(text.splitlines(), 1)
    code = [line for number, line in lines if line.strip() and number not in docstrings]
    assert 10 < len(code) <= MOST_LINES
    assert imported == {"numpy"}


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_equation_that_is_named_stands_on_the_page(name):
    text = prose(name)
    labels = re.findall(rf"^\$\$ \(({name}-eq-\d+)\)$", text, re.MULTILINE)
    named = re.findall(r"\{eq\}`([^`]*)`", text)
    assert labels == [f"{name}-eq-{number}" for number in range(1, len(labels) + 1)]
    assert len(labels) >= 6 and set(named) <= set(labels)
    assert not re.search(r"\bEqs?\. ?\d", text), "an equation is named without a link to it"


@pytest.mark.parametrize("name", CHAPTERS)
def test_solutions_print_what_the_page_says(name):
    names, found = {}, 0
    for kind, tags, source in cells(name):
        if kind == "code" and "method" in tags:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(source, names)
        for solution in re.findall(r"^:::\{dropdown\} Solution\n(.*?)^:::$", source, re.M | re.S):
            code, expected = re.findall(r"^```\w+\n(.*?)^```$", solution, re.M | re.S)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(code, dict(names))
            assert printed.getvalue() == expected
            found += 1
    assert found >= 2
