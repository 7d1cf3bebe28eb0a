"""Imports inside the package only go down its layers, at run time too, and never in a circle."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import architecture
import pytest

import ldlrepro
from ldlrepro.papers import paper_names

ROOT = Path(ldlrepro.__file__).parent

#: Layer of each part of the package, as the book says; ldlrepro/__init__.py re-exports the models.
LAYER = {part: n for n, _, parts, _ in architecture.layers() for part in parts} | {"": 3}
#: Functions that import, or look for, a module by its name as text.
BY_NAME = {"import_module", "__import__", "find_spec"}
#: Names of papers that are no words of anything else.
PAPERS = set(paper_names()) - {"comparison", "images", "later"}


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


def named_as_text(root):
    """Modules of the package that each module names in a text, and so may import at run time.

    A text that is the dotted name of a module counts wherever it stands. The start of an f-string
    stands for all modules that begin so, as does any text in a call of a function in `BY_NAME`.
    """
    known, graph = modules(root), {}
    dotted = re.compile(rf"{root.name}(\.\w+)*\.?")
    for name, path in known.items():
        graph[name] = set()
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        inside = {id(part) for n in nodes if imports_by_name(n) for part in ast.walk(n)}
        for node in nodes:
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            in_call = id(node) in inside
            found = dotted.match(node.value) if in_call else dotted.fullmatch(node.value)
            if not found or found[0] == root.name and not in_call:
                continue
            if found[0] in known:
                graph[name].add(found[0])
            elif in_call or found[0].endswith("."):
                graph[name] |= {m for m in known if m.startswith(found[0])} or {found[0]}
    return graph


def imports_by_name(node):
    """Whether a node of a syntax tree calls a function in `BY_NAME`."""
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "attr", getattr(node.func, "id", "")) in BY_NAME


def papers_named(root):
    """Where modules below the papers name one, in a text or as a variable; docstrings may."""
    word = re.compile(rf"(?<!\w)({'|'.join(sorted(PAPERS))})(?!\w)")
    found = []
    for name, path in modules(root).items():
        if LAYER.get(part(name), 0) >= LAYER["papers"]:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                text = node.value if isinstance(node.value, str) and id(node) not in docs else ""
            elif isinstance(node, ast.alias):
                text = node.asname or node.name
            else:
                text = next(
                    (getattr(node, a) for a in ("id", "arg", "attr") if hasattr(node, a)), ""
                )
            if hit := word.search(text or ""):
                found.append(f"{name}, line {node.lineno}: {hit[0]}")
    return found


def names(stub):
    """Pairs (module in the package or None, name) that a stub imports."""
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 1, f"{stub}, line {node.lineno}: names of the package alone"
            yield from ((node.module, a.name) for a in node.names)


def part(module):
    """The top-level part that a module belongs to: "kernels" for ldlrepro.kernels.tree."""
    return (module.split(".") + [""])[1]


def violations(graph, at_run_time):
    """What is wrong with the graphs of `imports` and `named_as_text`, as sentences."""
    found = [f"{m}: not in the layers of this test" for m in graph if part(m) not in LAYER]
    for module, targets in graph.items():
        for target in targets:
            above, here = LAYER.get(part(target), -1), LAYER.get(part(module), 99)
            if above > here:
                found.append(f"{module} (layer {here}) imports {target} (layer {above})")
            if target not in graph and re.sub(r"\._\w+$", "", target) not in graph:
                found.append(f"{module} imports {target}, which is not there")
            pair = {part(module), part(target)}
            if "protocols" in pair and pair & {"", "models"}:
                found.append(f"{module} imports {target}: protocols and models are apart")
            if "._" in target and part(module) not in ("", part(target)):
                found.append(f"{module} imports {target}, which is private to {part(target)}")
            if part(module) == "kernels" != part(target):
                found.append(f"{module} imports {target}: the kernels' cache is blind to it")
    for module, targets in at_run_time.items():
        for target in sorted(targets):
            above, here = LAYER.get(part(target), -1), LAYER.get(part(module), 99)
            if above > here:
                found.append(f"{module} (layer {here}) names {target} (layer {above}) in a text")
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        found.append(f"a cycle: {' -> '.join(error.args[1])}")
    return found


def test_the_picture_of_the_layers_is_that_of_the_table():
    assert architecture.PICTURE.read_text(encoding="utf-8") == architecture.svg()


def test_the_package_keeps_its_layers():
    graph, texts = imports(ROOT), named_as_text(ROOT)
    assert {"ldlrepro.validation", "ldlrepro.kernels._jit"} <= set.union(*graph.values())
    assert "ldlrepro.kernels._cache" in texts["ldlrepro.protocols.fingerprint"]
    assert "ldlrepro.papers.mslp.experiments" in texts["ldlrepro.papers"]
    assert violations(graph, texts) == []


def test_nothing_below_the_papers_names_one():
    assert {"structrf", "ldlf", "mslp", "adaboost_ldl", "mldf"} <= PAPERS
    assert papers_named(ROOT) == []


@pytest.mark.parametrize(
    "text",
    [
        'PAPER = "mslp"',
        'PATH = f"{root}/mslp/tables"',
        'raise ValueError("run `ldlrepro run mslp`")',
        "def f(mslp):\n    pass",
        "f(mslp=1)",
        "mslp = 1",
        "x = papers.mslp",
        "from x import y as mslp",
        "import x.mslp",
    ],
)
def test_a_planted_name_of_a_paper_is_found(text, tmp_path):
    package = tmp_path / "ldlrepro"
    for folder, content in {"report": text, "papers": text, "models": '"""As in mslp."""'}.items():
        (package / folder).mkdir(parents=True)
        (package / folder / "x.py").write_text(content)
    (found,) = papers_named(package)
    assert re.fullmatch(r"ldlrepro\.report\.x, line 1: mslp", found)


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
    "nothing": (
        {"papers/x.py": "from ldlrepro.papers.y.z import f", "papers/y.py": ""},
        "papers.x imports ldlrepro.papers.y.z, which is not there",
    ),
    "cycle": (
        {
            "datasets/x.py": "from ldlrepro.datasets.y import f",
            "datasets/y.py": "from ldlrepro.datasets import z",
            "datasets/z.py": "import ldlrepro.datasets.x",
        },
        "a cycle: .*x -> .* -> ",
    ),
    "up, by import_module": (
        {"metrics/x.py": "y = import_module('ldlrepro.base')", "base.py": ""},
        r"metrics.x \(layer 1\) names ldlrepro.base \(layer 2\) in a text",
    ),
    "up, by import_module of the package": (
        {"base.py": "y = importlib.import_module('ldlrepro').StructRF"},
        r"base \(layer 2\) names ldlrepro \(layer 3\)",
    ),
    "up, by __import__ of a module that is not there": (
        {"base.py": "def f():\n    __import__('ldlrepro.models.new')"},
        r"base \(layer 2\) names ldlrepro.models.new \(layer 3\)",
    ),
    "up, by find_spec of an f-string": (
        {
            "protocols/x.py": "find_spec(f'ldlrepro.papers.{name}.tables')",
            "papers/y/tables.py": "",
        },
        r"protocols.x \(layer 3\) names ldlrepro.papers.y.tables \(layer 5\)",
    ),
    "up, by a sum of texts": (
        {"protocols/x.py": "import_module('ldlrepro.pap' + rest)", "papers/y/tables.py": ""},
        r"protocols.x \(layer 3\) names ldlrepro.papers.y.tables \(layer 5\)",
    ),
    "up, by a format": (
        {"protocols/x.py": "import_module('ldlrepro.papers.{}.tables'.format(name))"},
        r"protocols.x \(layer 3\) names ldlrepro.papers. \(layer 5\)",
    ),
    "up, in a text for another process": (
        {
            "protocols/x.py": "run([executable, '-m', 'ldlrepro.papers.refit'])",
            "papers/refit.py": "",
        },
        r"protocols.x \(layer 3\) names ldlrepro.papers.refit \(layer 5\)",
    ),
    "up, in an f-string for another process": (
        {"report/x.py": "run(f'ldlrepro.papers.{name}')", "papers/y.py": ""},
        r"report.x \(layer 4\) names ldlrepro.papers.y \(layer 5\)",
    ),
    "a study that names the command": (
        {"papers/y/x.py": "from ldlrepro.cli import main", "cli.py": ""},
        r"papers.y.x \(layer 5\) imports ldlrepro.cli \(layer 6\)",
    ),
    "no place": ({"helpers.py": ""}, "ldlrepro.helpers: not in the layers"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_fault_is_found(kind, tmp_path):
    files, message = PLANTED[kind]
    root = tmp_path / "ldlrepro"
    for name, text in {"__init__.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (fault,) = violations(imports(root), named_as_text(root))
    assert re.search(message, fault)


def test_what_is_no_import_is_no_fault(tmp_path):
    root = tmp_path / "ldlrepro"
    (root / "papers").mkdir(parents=True)
    (root / "papers" / "__init__.py").touch()
    (root / "base.py").write_text(
        'PACKAGE = "ldlrepro"\nERROR = "`ldlrepro.papers.get_paper` gives one."\n'
        'LOWER = "ldlrepro.errors"\nimport_module("torch")\n'
    )
    (root / "errors.py").touch()
    assert violations(imports(root), named_as_text(root)) == []
