"""The book's page on methods: every estimator once, under every name, its tables from records."""

import re
from collections import Counter

import methods
import pytest

from ldlrepro import paths
from ldlrepro.discovery import all_estimators
from ldlrepro.papers import get_papers
from ldlrepro.papers.comparison.matrix import LEAST

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pages are not installed")
BOOK = paths.PACKAGE.parent / "book"
PAGE = (BOOK / "methods.md").read_text(encoding="utf-8") if paths.IN_CHECKOUT else ""
#: Experiments whose methods stand in tables of the book.
SHOWN = ("tables", "table_5", "age_rows", "images_realigned", "image_features_realigned")


def sections():
    """The text below each target: {target: text}."""
    _, *parts = re.split(r"^\((method-\w+)\)=$", PAGE, flags=re.M)
    assert len(parts) == 2 * len(set(parts[::2]))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_estimator_has_one_section():
    there, named = sections(), Counter(re.findall(r"\{py:class\}`~ldlrepro\.(\w+)`", PAGE))
    names = [name for name, _ in all_estimators()]
    assert named == Counter(names)
    assert set(there) == {methods.label(name) for name in names}
    for name in names:
        assert f"`~ldlrepro.{name}`" in there[methods.label(name)]


def test_a_section_has_its_parts():
    for target, text in sections().items():
        parts = re.findall(r"^\*\*(\w+)\.\*\*", text, re.M)
        assert parts == ["Model", "Fit", "Records"], target
        model = text.split("**Fit.**")[0]
        assert model.count("$$") == 2 and model.count("\n### ") == 1, target
        assert re.search(r"Chapters?: \[", text) and re.search(r"Papers?: (\{cite:t\}|none)", text)


def test_every_name_in_a_table_is_in_the_section_of_its_class():
    there = {target: text.split("Paper")[0] for target, text in sections().items()}
    shown = [m for p in get_papers() for e in p.experiments if e.name in SHOWN for m in e.methods]
    classes = {(m.name, methods.class_of(m)) for m in shown}
    assert len(dict(classes)) > 50 and ("IIS-LDL", "SAIIS") in classes
    for name, found in classes:
        text = there[methods.label(found)].split("In tables")[1].replace("\\", "")
        assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), (name, found)


def test_families_stand_in_the_order_of_the_reference():
    pages = re.findall(r"\]\(reference/(\w+)\.md\)", PAGE)
    toc = (BOOK.parent / "_toc.yml").read_text(encoding="utf-8")
    assert pages == re.findall(r"book/reference/(\w+)", toc)[: len(pages)]
    for page in pages:
        listed = (BOOK / "reference" / f"{page}.md").read_text(encoding="utf-8")
        listed = re.findall(r"^   (\w+)$", listed, re.M)
        mine = PAGE.split(f"](reference/{page}.md)")[1].split("\n## ")[0]
        assert re.findall(r"~ldlrepro\.(\w+)`", mine) == listed


def test_the_page_says_where_skills_are_cut():
    assert f"below {LEAST:g} counts as {LEAST:g}" in PAGE


@pytest.mark.parametrize("name", methods.TABLES)
def test_tables_are_those_of_the_records(name):
    stored = (methods.FOLDER / f"{name}.csv").read_text(encoding="utf-8")
    assert stored == methods.text(methods.TABLES[name]()), "run: python tools/methods.py"
    assert f":file: methods/{name}.csv" in PAGE
