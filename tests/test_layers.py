"""Imports inside the package only go down its layers, and never round in a circle."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ldlrepro

ROOT = Path(ldlrepro.__file__).parent

#: Layer of each part of the package; a module that is not here has to be given a place.
LAYER = {
    "paths": 0,
    "errors": 0,
    "parameters": 0,
    "parameter_types": 0,
    "validation": 0,
    "memory": 0,
    "threads": 0,
    "entrance": 0,
    "kernels": 0,
    "metrics": 1,
    "datasets": 1,
    "published": 1,
    "base": 2,
    "models": 3,
    "": 3,  # ldlrepro/__init__.py, which re-exports the models
    "protocols": 3,
    "discovery": 4,
    "foreign": 4,
    "report": 4,
    "studies": 4,
    "papers": 5,
    "cli": 5,
    "commands": 5,
    "__main__": 5,
    "batch": 5,
    "comparing": 5,
    "userdata": 1,
    "bench": 5,
    "scale": 5,
    "scoreboard": 5,
    "badges": 5,
}


def modules(root):
    """Path of each module under ``root``, by its dotted name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = (root.name, *path.relative_to(root).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(root):
    """Modules of the package that each module imports, wherever in the file; private names too.

    Of a package whose names are imported at their first use, what its stub names counts as well. Of
    the package itself only the models do: what reaches further may import the package.
    """
    known = modules(root)
    package = root.name
    graph = {}
    for name, path in known.items():
        graph[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                targets = [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}, line {node.lineno}: a relative import"
                inner = [f"{node.module}.{a.name}" for a in node.names]
                targets = [i if i in known else node.module for i in inner]
                targets += [i for i in inner if re.search(r"\._(?!_)\w+$", i)]
            else:
                continue
            graph[name].update(t for t in targets if t.split(".")[0] == package)
        stub = path.with_suffix(".pyi")
        if stub.is_file():
            named = {f"{name}.{module}" if module else f"{name}.{n}" for module, n in names(stub)}
            graph[name] |= {t for t in named if name != package or part(t) == "models"}
    return graph


def names(stub):
    """Pairs (module in the package or None, name) that a stub imports."""
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 1, f"{stub}, line {node.lineno}: names of the package alone"
            yield from ((node.module, a.name) for a in node.names)


def part(module):
    """The top-level part that a module belongs to: "kernels" for ldlrepro.kernels.tree."""
    return (module.split(".") + [""])[1]


def violations(graph):
    """What is wrong with a graph of imports, as sentences."""
    found = [f"{m}: not in the layers of this test" for m in graph if part(m) not in LAYER]
    for module, targets in graph.items():
        for target in targets:
            above, here = LAYER.get(part(target), -1), LAYER.get(part(module), 99)
            if above > here:
                found.append(f"{module} (layer {here}) imports {target} (layer {above})")
            pair = {part(module), part(target)}
            if "protocols" in pair and pair & {"", "models"}:
                found.append(f"{module} imports {target}: protocols and models are apart")
            if "._" in target and part(module) not in ("", part(target)):
                found.append(f"{module} imports {target}, which is private to {part(target)}")
            if part(module) == "kernels" != part(target):
                found.append(f"{module} imports {target}: the kernels' cache is blind to it")
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        found.append(f"a cycle: {' -> '.join(error.args[1])}")
    return found


def test_the_package_keeps_its_layers():
    graph = imports(ROOT)
    assert {"ldlrepro.validation", "ldlrepro.kernels._jit"} <= set.union(*graph.values())
    assert violations(graph) == []


@pytest.mark.parametrize("stub", sorted(ROOT.rglob("*.pyi")), ids=lambda path: path.parent.name)
def test_a_package_with_a_stub_imports_nothing_itself(stub):
    found = ast.walk(ast.parse(stub.with_suffix(".py").read_text(encoding="utf-8")))
    assert not any(isinstance(node, ast.ImportFrom) for node in found)


def test_the_package_itself_names_models_and_little_else():
    assert {part(target) for target in imports(ROOT)["ldlrepro"]} == {"models"}
    others = {n for module, n in names(ROOT / "__init__.pyi") if not f"{module}".startswith("mod")}
    subpackages = {"datasets", "errors", "metrics", "protocols", "report"}
    assert others == subpackages | {"all_estimators", "compare"}


PLANTED = {
    "up": (
        {"metrics/x.py": "import ldlrepro.base", "base.py": ""},
        r"x \(layer 1\) imports .*base",
    ),
    "up, in a function": (
        {"models/x.py": "def f():\n    from ldlrepro.report import y", "report/y.py": ""},
        r"models.x \(layer 3\) imports ldlrepro.report.y \(layer 4\)",
    ),
    "up, through the package": ({"base.py": "from ldlrepro import StructRF"}, "imports ldlrepro "),
    "models": (
        {"protocols/x.py": "from ldlrepro.models import y", "models/y.py": ""},
        "protocols and models are apart",
    ),
    "models, through the package": (
        {"protocols/x.py": "from ldlrepro import StructRF"},
        "protocols and models are apart",
    ),
    "kernels": (
        {"kernels/x.py": "from ldlrepro.validation import y", "validation.py": ""},
        "kernels.x imports ldlrepro.validation: the kernels' cache",
    ),
    "a private module": (
        {"report/x.py": "from ldlrepro.models._y import f", "models/_y.py": ""},
        r"report.x imports ldlrepro.models._y.*, which is private to models",
    ),
    "a private name": (
        {"report/x.py": "from ldlrepro.models.y import _f", "models/y.py": ""},
        r"report.x imports ldlrepro.models.y._f, which is private to models",
    ),
    "a model that imports the package": (
        {"models/x.py": "from ldlrepro import X", "__init__.pyi": "from .models.x import X"},
        "a cycle: ",
    ),
    "a cycle through a stub": (
        {
            "datasets/__init__.pyi": "from .x import f",
            "datasets/__init__.py": "",
            "datasets/x.py": "from ldlrepro.datasets import g",
        },
        "a cycle: ",
    ),
    "cycle": (
        {
            "datasets/x.py": "from ldlrepro.datasets.y import f",
            "datasets/y.py": "from ldlrepro.datasets import z",
            "datasets/z.py": "import ldlrepro.datasets.x",
        },
        "a cycle: .*x -> .* -> ",
    ),
    "no place": ({"helpers.py": ""}, "ldlrepro.helpers: not in the layers"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_fault_is_found(kind, tmp_path):
    files, message = PLANTED[kind]
    for name, text in {"__init__.py": "", **files}.items():
        path = tmp_path / "ldlrepro" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (fault,) = violations(imports(tmp_path / "ldlrepro"))
    assert re.search(message, fault)
