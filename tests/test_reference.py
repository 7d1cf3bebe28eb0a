"""The API reference of the book has a page for everything public, and its links lead somewhere."""

import sys
from collections import Counter
from importlib import import_module

import pytest
import yaml

import ldlrepro.metrics
from ldlrepro import paths
from ldlrepro.discovery import all_estimators

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pages are not installed")
ROOT = paths.PACKAGE.parent


@pytest.fixture(scope="module")
def reference():
    """The Sphinx extension of the book."""
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    yield import_module("reference")
    sys.path.pop(0)


def test_icons_that_nothing_names_are_left_out(reference):
    trimmed = import_module("icons").trimmed
    script = (
        'var i={bars:[448,512,["navicon"],"f0c9","M0"],"cc-visa":[576,512,[],"f1f0",["M1","M2"]]}'
    )
    assert trimmed(script, {"bars"}) == 'var i={bars:[448,512,["navicon"],"f0c9","M0"],}'
    assert trimmed(script, {"navicon", "cc-visa"}) == script
    assert trimmed(script, set()) == "var i={}"


def test_every_public_name_is_in_one_family(reference):
    listed = Counter(name for names in reference.families().values() for name in names)
    assert set(listed.values()) == {1}
    public = {f"ldlrepro.{name}" for name in ("all_estimators", "compare")}
    for package in ("", ".metrics", ".datasets", ".protocols", ".report"):
        module = import_module(f"ldlrepro{package}")
        public |= {f"ldlrepro{package}.{n}" for n in module.__all__ if callable(getattr(module, n))}
    assert public <= set(listed)
    assert {f"ldlrepro.{name}" for name, _ in all_estimators()} <= set(listed)
    for name in listed:
        module, attribute = name.rsplit(".", 1)
        assert callable(getattr(import_module(module), attribute)), name


def test_families_go_by_task(reference):
    pages = {name: page for page, names in reference.families().items() for name in names}
    for task, page in (("age", "ages"), ("multilabel", "multilabel")):
        found = {pages[f"ldlrepro.{name}"] for name, _ in all_estimators(task)}
        assert found <= {page, "baselines"}


def test_every_family_is_in_the_table_of_contents(reference):
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    (part,) = (p for p in parts if p["caption"] == "Reference")
    files = {chapter["file"] for chapter in part["chapters"]}
    assert files == {f"book/reference/{page}" for page in reference.families()}


def test_chapters_are_those_that_run_a_method(reference):
    chapters = reference.chapters()
    assert "StructRF*" in chapters["StructRF"]["notebooks/structrf"]
    assert chapters["SABFGS"]["notebooks/mslp"] == ["BFGS-LDL"]
    assert "book/age" in chapters["AAS"] and "notebooks/adaboost_ldl" in chapters["AdaBoostLDL"]
    # A learner inside another has the name, not what is around it.
    assert chapters["LPP"]["notebooks/mslp"] == chapters["EmbeddingKNN"]["notebooks/mslp"] == []
    assert set(chapters) <= set(ldlrepro.__all__)
    pages = {page for found in chapters.values() for page in found}
    assert all((ROOT / page).with_suffix(".ipynb").is_file() for page in pages)


def test_a_measure_shows_all_it_takes(reference):
    shown, _ = reference.own_signature(
        None, "function", "", ldlrepro.metrics.clark, None, "(D, P)", None
    )
    assert shown == "(D, P, per_row=False)"
    assert reference.own_signature(None, "function", "", str.split, None, "(text)", None) is None
