"""Docstrings of all that is public: sources, and neighbours that are there."""

import inspect
import re
from importlib import import_module

import pytest

PACKAGES = [
    import_module(name)
    for name in (
        "ldlrepro",
        "ldlrepro.metrics",
        "ldlrepro.datasets",
        "ldlrepro.protocols",
        "ldlrepro.report",
    )
]
PUBLIC = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in PACKAGES
    for name in package.__all__
    if callable(getattr(package, name))
}
ESTIMATORS = [n for n, thing in PUBLIC.items() if n.count(".") == 1 and isinstance(thing, type)]
#: They come from no paper.
OF_OUR_OWN = {"MeanPredictor", "UniformPredictor", "LabelFrequencies", "RaisedZeros"}


def sections(thing):
    """Text of each section of a docstring by its heading; "" for what stands before them."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.getdoc(thing), flags=re.MULTILINE)
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", PUBLIC)
def test_see_also_names_what_is_public(name):
    package = name.rsplit(".", 1)[0]
    lines = sections(PUBLIC[name])["See Also"].strip().splitlines()
    assert 1 <= len(lines) <= 3
    for line in lines:
        other, what = re.fullmatch(r"([\w.]+) : (\S.*\.)", line).groups()
        other = other if "." in other else f"{package}.{other}"
        assert other in PUBLIC and other != name, line
        assert what


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_name_their_source(name):
    assert ("References" in sections(PUBLIC[name])) == (name.split(".")[1] not in OF_OUR_OWN)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_have_an_example(name):
    lines = sections(PUBLIC[name])["Examples"].strip().splitlines()  # tests.test_examples runs them
    assert lines[0].startswith(">>> from ldlrepro import ") and name.split(".")[1] in lines[0]
    assert 3 <= len(lines) <= 7


@pytest.mark.parametrize("name", [n for n in PUBLIC if "References" in sections(PUBLIC[n])])
def test_references_are_numbered_and_cited(name):
    parts = sections(PUBLIC[name])
    numbers = re.findall(r"^\.\. \[(\d+)\]", parts.pop("References"), flags=re.MULTILINE)
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)] != []
    assert set(re.findall(r"\[(\d+)\]_", "".join(parts.values()))) == set(numbers)


@pytest.mark.parametrize("name", PUBLIC)
def test_sections_stand_in_numpydoc_order(name):
    order = (
        *("", "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"),
        *("See Also", "Notes", "References", "Examples"),
    )
    there = list(sections(PUBLIC[name]))
    assert there == [section for section in order if section in there]
