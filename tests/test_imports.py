"""What is imported when: little at first, and nothing that is not declared."""

import ast
import os
import pickle
import re
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
import yaml

import ldlrepro
from ldlrepro import paths

STUBS = sorted(paths.PACKAGE.rglob("*.pyi"))
ROOT = paths.PACKAGE.parent
#: Libraries that take most of the seconds of an import.
HEAVY = "sklearn, numba, pandas, scipy, matplotlib, numpy, joblib, IPython, papermill, requests"
TELL = f"""
import sys
print(*(name for name in "{HEAVY}".split(", ") if name in sys.modules), file=sys.__stdout__)
"""
#: Imports whose distribution has another name.
DISTRIBUTIONS = {
    "jupyter_client": "jupyter-client",
    "PIL": "pillow",
    "lazy_loader": "lazy-loader",
    "pyldl": "python-ldl",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "IPython": "ipython",
}
#: Names that conda has for them.
CONDA = {"matplotlib": "matplotlib-base", "lazy-loader": "lazy_loader"}


def python(code, **variables):
    """What a new process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_import_brings_no_library():
    assert python("import ldlrepro" + TELL) == ""
    assert python("import ldlrepro; ldlrepro.AAKNN" + TELL).startswith("sklearn ")


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "statsu",
        "run --help",
        "run structfr",
        "status --profile quik",
        "data list",
        "data fetch s-JAFE --whole",
    ],
)
def test_the_parser_needs_no_library(command):
    code = f"""
import contextlib, io
from ldlrepro.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    with contextlib.suppress(SystemExit):
        main({command.split()!r})
"""
    assert python(code + TELL) == ""


def test_a_kept_answer_needs_no_library():
    code = """
import contextlib, io
from ldlrepro import cli
from ldlrepro.protocols.answers import Answers
Answers.kept = lambda *_: []
with contextlib.redirect_stdout(io.StringIO()) as out:
    assert cli.main(["status", "structrf"]) == 0
assert out.getvalue() == "structrf: 0 of 0 folds done\\n"
"""
    assert python(code + TELL) == ""


def named(stub):
    """Names that a stub imports: {name: (module, name there or None for a module)}."""
    package = ".".join(("ldlrepro", *stub.relative_to(paths.PACKAGE).parts[:-1]))
    found = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for a in node.names:
                assert a.asname is None  # lazy_loader does not see it
                inside = f"{package}.{node.module or a.name}"
                found[a.name] = inside, a.name if node.module else None
    return import_module(package), found


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.parent.name)
def test_stub_and_package_agree(stub):
    package, found = named(stub)
    text = stub.read_text(encoding="utf-8")
    assert ast.literal_eval(text[text.index("__all__ = ") + len("__all__ = ") :]) == sorted(found)
    assert sorted(package.__all__) == sorted(found) and set(dir(package)) >= set(found)
    for name, (module, attribute) in found.items():
        there = import_module(module)
        assert getattr(package, name) is (getattr(there, attribute) if attribute else there)


def test_three_packages_have_stubs():
    assert [path.parent.name for path in STUBS] == ["ldlrepro", "datasets", "protocols"]
    assert len(ldlrepro.__all__) > 50


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="StructFR"):
        ldlrepro.StructFR  # noqa: B018


@pytest.mark.slow
def test_all_at_once():
    names = python("from ldlrepro import *; print(*dir())").split()
    assert set(ldlrepro.__all__) <= set(names)
    loaded = "import sys, ldlrepro, ldlrepro.report; print('ldlrepro.user.compare' in sys.modules)"
    assert python(loaded, EAGER_IMPORT="1") == "True"
    assert python(loaded, EAGER_IMPORT="0") == python(loaded) == "False"


def test_estimators_are_pickled():
    model = pickle.loads(pickle.dumps(ldlrepro.MSLP(n_neighbors=7)))
    assert type(model) is ldlrepro.MSLP and model.n_neighbors == 7
    code = f"import pickle; print(type(pickle.loads({pickle.dumps(model)!r})).__name__)"
    assert python(code) == "MSLP"


def imported():
    """Distributions of others that the package's modules import, wherever in the file."""
    found = set()
    for path in paths.PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(a.name.split(".")[0] for a in node.names)
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module.split(".")[0])
    found -= {"ldlrepro", *sys.stdlib_module_names}
    return {DISTRIBUTIONS.get(name, name) for name in found}


def declared(lines):
    """Names in lines like "coverage[toml]>=7.6"."""
    return {re.match(r"[\w.-]+", line)[0] for line in lines}


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pyproject.toml is not installed")
def test_what_is_imported_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    always = declared(project["dependencies"])
    extras = project["optional-dependencies"]
    others = declared(line for name in ("deep", "bench") for line in extras[name])
    assert imported() <= always | others
    assert always - imported() == {"ipykernel"}  # papermill starts it

    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    conda = yaml.safe_load(text)["dependencies"]
    there = declared(line for line in conda if isinstance(line, str))
    there |= declared(line for part in conda if isinstance(part, dict) for line in part["pip"])
    assert {CONDA.get(name, name) for name in always} <= there

    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-")
    for name in always:
        assert re.search(rf"^{name}==[\d.]+$", pinned, re.MULTILINE), name
