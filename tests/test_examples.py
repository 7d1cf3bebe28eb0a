"""The examples in docstrings run as they stand."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import ldlrepro

ROOT = Path(ldlrepro.__file__).parent
MODULES = [
    ".".join(["ldlrepro", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    if ".deep." in module:
        pytest.importorskip("torch")
    failed, tried = doctest.testmod(import_module(module))
    assert tried and not failed
