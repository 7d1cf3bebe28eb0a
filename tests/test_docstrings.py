"""Docstrings of all that is public: sources, and neighbours that are there."""

import inspect
import re
from importlib import import_module

from numpydoc.validate import validate

PACKAGES = [
    import_module(name)
    for name in (
        "ldlrepro",
        "ldlrepro.metrics",
        "ldlrepro.datasets",
        "ldlrepro.papers",
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


def test_see_also_names_what_is_public():
    for name, thing in PUBLIC.items():
        package = name.rsplit(".", 1)[0]
        lines = sections(thing)["See Also"].strip().splitlines()
        assert 1 <= len(lines) <= 3, name
        for line in lines:
            other, what = re.fullmatch(r"([\w.]+) : (\S.*\.)", line).groups()
            other = other if "." in other else f"{package}.{other}"
            assert other in PUBLIC and other != name, (name, line)
            assert what


#: What numpydoc must not find, beside what `make lint` checks in every docstring: parameters that
#: are not documented, unknown or in another order; no section on what is returned or yielded.
FAULTS = {"PR01", "PR02", "PR03", "RT01", "YD01"}


def test_public_names_say_what_they_take_and_return():
    for name in PUBLIC:
        if re.fullmatch(r"ldlrepro\.metrics\.cs_\d+", name):
            continue  # made in a loop, like `mae_argmax`
        found = [(code, text) for code, text in validate(name)["errors"] if code in FAULTS]
        # The decorator of measures adds it, which `inspect` does not see.
        assert found in ([], [("PR02", "Unknown parameters {'per_row'}")]), name


def test_estimators_name_their_source_and_have_an_example():
    for name in ESTIMATORS:
        parts, own = sections(PUBLIC[name]), name.split(".")[1]
        assert ("References" in parts) == (own not in OF_OUR_OWN), name
        lines = parts["Examples"].strip().splitlines()  # tests.test_examples runs them
        assert lines[0].startswith(">>> from ldlrepro import ") and own in lines[0], name
        assert 3 <= len(lines) <= 7, name


def test_references_are_numbered_and_cited():
    checked = 0
    for name, thing in PUBLIC.items():
        parts = sections(thing)
        if "References" in parts:
            found = re.findall(r"^\.\. \[(\d+)\]", parts.pop("References"), flags=re.MULTILINE)
            assert found == [str(n) for n in range(1, len(found) + 1)] != [], name
            assert set(re.findall(r"\[(\d+)\]_", "".join(parts.values()))) == set(found), name
            checked += 1
    assert checked > 40


def test_sections_stand_in_numpydoc_order():
    order = (
        *("", "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"),
        *("See Also", "Notes", "References", "Examples"),
    )
    for name, thing in PUBLIC.items():
        there = list(sections(thing))
        assert there == [section for section in order if section in there], name
