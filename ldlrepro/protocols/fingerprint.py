"""Fingerprint of the code that makes a record: it changes when, and only when, code changes.

Hashed are the sources of the estimator's module, of everything in the package that it imports, of
the measures, splits and selection, and the method's declaration. Comments, docstrings and blank
lines are left out, so that better words do not make records stale.
"""

import ast
import hashlib
import io
import tokenize
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from ldlrepro import metrics
from ldlrepro.metrics import DISTRIBUTION

_COMMON = ("ldlrepro.protocols.splits", "ldlrepro.protocols.selection")
_PARTITION = "ldlrepro.protocols.partition"


def fingerprint(method, folds, experiment=None):
    """Return 12 hex digits for a declared Method run over ``folds`` folds.

    What an Experiment says of protocol and measures counts as far as it departs from the default.
    """
    digest = hashlib.sha256()
    parameters = sorted(method.estimator.get_params().items())
    nested = [value for _, value in parameters if hasattr(value, "get_params")]
    measures = experiment.measures if experiment else tuple(DISTRIBUTION)
    modules = {*_COMMON, *(getattr(metrics, name).__module__ for name in measures)}
    departs = []
    if experiment and (experiment.test_share is not None or experiment.replacement):
        departs += [experiment.test_share, experiment.replacement]
        modules.add(_PARTITION)
    if experiment and experiment.chosen_on != "validation" and method.grid:
        departs.append(experiment.chosen_on)
    for estimator in (method.estimator, *nested):
        modules |= _reachable(type(estimator).__module__)
    for name in sorted(modules):
        digest.update(f"{name}\n{_code(_path(name))}\n".encode())
    digest.update(repr((parameters, sorted(method.grid.items()), method.staged, folds)).encode())
    if departs:
        digest.update(repr(departs).encode())
    return digest.hexdigest()[:12]


def of_function(function):
    """Return 12 hex digits for the code of a study's function and all that it imports."""
    digest = hashlib.sha256()
    for name in sorted(_reachable(function.__module__)):
        digest.update(f"{name}\n{_code(_path(name))}\n".encode())
    return digest.hexdigest()[:12]


@cache
def _path(module):
    spec = find_spec(module)
    return Path(spec.origin)


def _reachable(module, seen=None):
    """Modules of the package that ``module`` imports, itself included."""
    seen = set() if seen is None else seen
    if module in seen:
        return seen
    seen.add(module)
    for name in package_imports(_path(module)):
        _reachable(name, seen)
    return seen


@cache
def package_imports(path):
    """Names of the package's modules that the file at ``path`` imports."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.name.startswith("ldlrepro")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ldlrepro"):
            for a in node.names:
                found.append(_home(node.module, a.name))
    return tuple(dict.fromkeys(found))


def _home(module, name):
    """Module that defines ``name``, where ``module`` only hands it on.

    A package's list of names may then grow without making every record stale.
    """
    inner = f"{module}.{name}"
    if _is_module(inner):
        return inner
    home = getattr(getattr(import_module(module), name, None), "__module__", None) or module
    return home if home.startswith("ldlrepro") else module


@cache
def _is_module(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def _code(path):
    """Source without comments, docstrings and blank lines."""
    source = path.read_text()
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                if isinstance(first.value.value, str):
                    for row in range(first.lineno - 1, first.end_lineno):
                        lines[row] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())
