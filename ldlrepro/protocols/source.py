"""The package's source as definitions, and what each definition uses.

A definition is a function, a class or a constant of a module. Two definitions mean the same when
their syntax trees do, but for docstrings, annotations and the words of errors and warnings.
Only the standard library is used, and the same text comes out under each supported Python.
"""

import ast
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "ldlrepro"
#: The sources when this process began: it runs them, whatever happens to the files meanwhile.
_AT_IMPORT = {
    str(path): path.read_text(encoding="utf-8")
    for path in Path(__file__).resolve().parents[1].rglob("*.py*")
    if path.suffix in (".py", ".pyi")
}

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Fields that do not change what code does.
_NO_MEANING = {"ctx", "type_comment", "type_params", "kind", "annotation", "returns", "simple"}
#: A field of Experiment that came after most records were made: what only experiments with it run,
#: `if experiment.groups: ... else: ...`, is left out, and counts in the marks of those alone.
_OPTIONAL = "experiment.groups"
#: Functions that raise or do nothing: a call of one by itself, whose result nobody takes, cannot
#: change the numbers of a record that is there.
_ONLY_RAISE = {
    "check_coloured",
    "check_count",
    "check_parameter_types",
    "check_scored",
    "check_some",
    "check_two_classes",
}
#: Contexts, entered beside others, decorators and base classes that move no number of a record:
#: they bound threads (those that make records have one), change what CUDA does (records are made
#: on CPUs), keep out settings that records were made without, name features, or only raise.
_NO_NUMBERS = {
    "NamesOut",
    "by_name",
    "one_at_a_time",
    "one_blas_thread",
    "public",
    "repeatable",
}
#: Class -> its keyword that is only printed.
_LABELS = {"Measure": "label"}


class Module:
    """A module's definitions and imports; ``stub`` is the text of a package's ``__init__.pyi``.

    A package with a stub imports the names that stand there at their first use.

    Attributes
    ----------
    definitions : dict
        Name -> list of syntax trees, with the statements that change the name.
    imports : dict
        Local name -> (module, name in it or None).
    """

    def __init__(self, name, text, stub=""):
        self.name, self.definitions, self.imports = name, {}, {}
        tree = ast.parse(text)
        for node in (*ast.walk(tree), *ast.walk(ast.parse(stub))):
            if isinstance(node, ast.Import):
                for a in node.names:
                    whole = a.name if a.asname else a.name.split(".")[0]
                    self.imports[a.asname or whole] = whole, None
            elif isinstance(node, ast.ImportFrom):
                source = node.module
                if node.level:  # in a stub: from the package itself
                    source = f"{name}.{source}" if source else name
                self.imports |= {a.asname or a.name: (source, a.name) for a in node.names}
        loose = []
        for node in tree.body:
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                self.definitions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                for name in _stored(node):
                    self.definitions.setdefault(name, []).append(node)
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                loose.append(node)
        for node in loose:  # a loop that fills a table belongs to the table
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name):
                    stores = isinstance(inner.ctx, ast.Store)
                    if stores or inner.id in self.definitions:
                        self.definitions.setdefault(inner.id, []).append(node)


def _stored(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_store(n)}


def _is_store(node):
    return isinstance(node.ctx, ast.Store)


@cache
def module(name: str) -> Module | None:
    """Return the `Module` called ``name``, or None where there is no source."""
    found = path_of(name)
    if found is None:
        return None
    path = Path(found)
    stub = path.with_suffix(".pyi")
    return Module(name, _text(path), _text(stub) if stub.is_file() else "")


def _text(path):
    text = _AT_IMPORT.get(str(path.resolve()))
    return path.read_text(encoding="utf-8") if text is None else text


@cache
def path_of(name: str) -> str | None:
    """File of a module, or None."""
    parent = path_of(name.rpartition(".")[0]) if "." in name else None
    if parent and Path(parent).name != "__init__.py":
        return None  # a name in a module; to look for it as one would import that module
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    origin = spec.origin if spec and spec.has_location else None
    return origin if origin and origin.endswith(".py") else None


def resolve(where: str, name: str) -> tuple[str, str | None] | None:
    """What ``name`` means in module ``where``.

    Returns
    -------
    (module, name)
        Of a definition; (module, None) for a module of the package; None for all else.
    """
    here = module(where)
    if here is None:
        return None
    if name in here.definitions:
        return where, name
    if name not in here.imports:
        return None
    source, inner = here.imports[name]
    if source is None or source.split(".")[0] != PACKAGE:
        return None
    if inner is None:
        return source, None
    if path_of(f"{source}.{inner}"):
        return f"{source}.{inner}", None
    return resolve(source, inner)


@cache
def uses(where: str, name: str) -> dict[str, tuple]:
    """Definitions that the definition ``name`` of module ``where`` uses: {local name: target}.

    A module that is handed on as a whole stands for all that it defines or imports.
    """
    found: dict[str, tuple] = {}
    for local, attributes in reads(where, name):
        target, trail = resolve(where, local), list(attributes)
        while target and target[1] is None and trail:
            local = f"{local}.{trail[0]}"
            inner = resolve(target[0], trail.pop(0))
            if inner is None and path_of(f"{target[0]}.{local.split('.')[-1]}"):
                inner = f"{target[0]}.{local.split('.')[-1]}", None
            target = inner
        if target is None:
            continue
        if target[1] is None:
            found |= {f"{local}.{n}": t for n, t in _all_of(target[0]).items()}
        else:
            found[local] = target
    found.pop(name, None)
    return found


@cache
def _all_of(name):
    there = module(name)
    every = {n: resolve(name, n) for n in {*there.definitions, *there.imports}}
    return {n: t for n, t in every.items() if t and t[1] is not None}


@cache
def reads(where: str, name: str) -> list[tuple]:
    """Names of other places that a definition reads, each once: [(name, attributes behind it)]."""
    nodes = _nodes(where, name)
    return list(dict.fromkeys(read for node in nodes for read in _free(node, frozenset())))


def _nodes(where, name):
    """Syntax trees of a definition."""
    return module(where).definitions[name]


def _free(node, bound):
    """Yield (name, attributes behind it) of all that is read and not bound inside ``node``."""
    if isinstance(node, ast.Attribute):
        trail, inner = [], node
        while isinstance(inner, ast.Attribute):
            trail.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            if inner.id not in bound:
                yield inner.id, tuple(trail)
        else:
            yield from _free(inner, bound)
    elif isinstance(node, ast.Name):
        if node.id not in bound and not _is_store(node):
            yield node.id, ()
    elif isinstance(node, (*_FUNCTIONS, ast.Lambda)):
        outside = [*getattr(node, "decorator_list", []), *node.args.defaults]
        for part in (*outside, *(d for d in node.args.kw_defaults if d)):
            yield from _free(part, bound)
        body = node.body if isinstance(node.body, list) else [node.body]
        inner = bound | _arguments(node.args) | set().union(*map(_bound, body))
        for part in body:
            yield from _free(part, inner)
    elif isinstance(node, _COMPREHENSIONS):
        inner = bound | set().union(*(_stored(g.target) for g in node.generators))
        for part in ast.iter_child_nodes(node):
            yield from _free(part, inner)
    elif isinstance(node, ast.arg):
        return  # an annotation at most
    elif isinstance(node, ast.AnnAssign):
        yield from _free(node.target, bound)
        if node.value:
            yield from _free(node.value, bound)
    else:
        for part in ast.iter_child_nodes(node):
            yield from _free(part, bound)


def _arguments(args):
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {a.arg for a in every if a}


def _bound(node):
    """Names that a statement binds in its own function, not in functions inside it."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
        return set()
    if isinstance(node, ast.Name):
        return {node.id} if _is_store(node) else set()
    if isinstance(node, ast.ExceptHandler) and node.name:
        return {node.name}.union(*map(_bound, ast.iter_child_nodes(node)))
    return set().union(*map(_bound, ast.iter_child_nodes(node)))


@cache
def digest(where: str, name: str) -> str:
    """16 hex digits for what a definition means by itself."""
    text = "\n".join(meaning(node) for node in _nodes(where, name))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def meaning(node: Any) -> str:
    """Text of a syntax tree without layout, docstrings, annotations and words for people."""
    if isinstance(node, list):
        statements = [n for n in _without_optional(node) if not (_is_text(n) or _is_check(n))]
        return "[" + ",".join(map(meaning, statements)) + "]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__}:{node!r}"
    fields = {k: v for k, v in ast.iter_fields(node) if k not in _NO_MEANING}
    if isinstance(node, ast.Raise):
        fields = {"exc": node.exc.func if isinstance(node.exc, ast.Call) else node.exc}
    if isinstance(node, ast.With):
        fields["items"] = [i for i in node.items if not _moves_nothing(i)] or node.items
    for name in ("bases", "decorator_list"):
        if name in fields:
            fields[name] = [n for n in fields[name] if getattr(n, "id", None) not in _NO_NUMBERS]
    if isinstance(node, ast.Call):
        called: Any = getattr(node.func, "attr", getattr(node.func, "id", None))
        if called == "warn":
            fields = {"func": node.func}
        label = _LABELS.get(called)
        if label:
            fields["keywords"] = [k for k in node.keywords if k.arg != label]
    inner = [f"{k}={meaning(v)}" for k, v in fields.items() if v is not None and v != []]
    return f"{type(node).__name__}({','.join(inner)})"


def _without_optional(nodes):
    for node in nodes:
        yield from node.orelse if _is_optional(node) else [node]


def _is_optional(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == _OPTIONAL


def left_out(where: str, name: str) -> str:
    """What `digest` leaves out of a definition: the branches of _OPTIONAL, as text."""
    nodes = (n for tree in _nodes(where, name) for n in ast.walk(tree))
    found = (n for n in nodes if isinstance(n, ast.If) and _is_optional(n))
    return ";".join(meaning(node.body) for node in found)


def _is_text(node):
    """Whether a statement is a bare string: a docstring, or a remark in its form."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_check(node):
    """Whether a statement is a bare call of what only raises."""
    called = getattr(getattr(node, "value", None), "func", None)
    return isinstance(node, ast.Expr) and getattr(called, "id", None) in _ONLY_RAISE


def _moves_nothing(item):
    """Whether an item of a with-statement is a context of _NO_NUMBERS."""
    called = getattr(item.context_expr, "func", None)
    return getattr(called, "id", None) in _NO_NUMBERS and item.optional_vars is None


def clear() -> None:
    """Forget what was read: sources have changed."""
    for cached in (module, path_of, uses, reads, _all_of, digest):
        cached.cache_clear()
