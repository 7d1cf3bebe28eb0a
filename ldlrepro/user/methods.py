"""Methods by the names that users give: of this package, of python-ldl, of files of their own."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cloudpickle

from ldlrepro import paths
from ldlrepro.base import LDLEstimator
from ldlrepro.discovery import all_estimators
from ldlrepro.errors import LdlreproError, UnknownNameError, unknown
from ldlrepro.models.guests import PREFIX, guest_named
from ldlrepro.models.multilabel import MultiLabelEstimator
from ldlrepro.parameter_types import check_parameter_types
from ldlrepro.parameters import listed
from ldlrepro.user import runs
from ldlrepro.user.foreign import OnSimplex, Scores

_EXAMPLE = "'StructRF(step=\"adaptive\")'"


class CompareError(LdlreproError, ValueError):
    """A comparison that cannot be made as it was asked for."""


def load_methods(specifications: Iterable[str]) -> dict[str, Any]:
    """Methods that a command names: {name: estimator}.

    Parameters
    ----------
    specifications : list of str
        Each "FILE.py:CLASS" (or an object in that file), the name of an estimator of this package,
        or "python-ldl:CLASS". Settings of a class stand behind its name, as Python writes them:
        ``StructRF(step="adaptive")``.

    Raises
    ------
    CompareError
        No such file or class in it, a class that cannot be made with these settings, or settings
        that are no numbers, texts, True, False, None or lists of them.
    UnknownNameError
        No such class in this package or python-ldl, or no such parameter.
    MissingPackageError
        python-ldl is named, and not installed.
    """
    named: dict[str, object] = {}
    seen: list = []
    given = listed(specifications)
    for text in given:
        if text in named:
            raise CompareError(f"{text} is named twice.")
        bare, settings = split(text)
        path, colon, inside = bare.rpartition(":")
        if not colon or bare.startswith(PREFIX):
            named[text] = _installed(bare, settings)
            continue
        if not path:
            raise CompareError(f"{text} names no file: write my_file.py{text}.")
        found = _from_file(paths.expanded(path), inside)
        if any(found is other and settings == others for other, others in seen):
            raise CompareError(f"{text} is named twice.")
        seen.append((found, settings))
        short = inside + text[len(bare) :]
        taken = short in named or short in given  # in another file, or in this package
        name = text if taken else short
        if name in named:
            raise CompareError(f"{text} is named twice.")
        named[name] = _made(found, settings, path, inside)
    return named


def split(text: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a method: "MLDF(reuse=False)" gives "MLDF" and {"reuse": False}.

    Raises
    ------
    CompareError
        Settings that cannot be read.
    """
    # A folder may have brackets in its name.
    start = text.find("(", max(text.find(".py:"), 0))
    if start < 1 or not text.endswith(")"):
        return text, {}
    try:
        call = ast.parse(f"_{text[start:]}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        settings = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
        if len(settings) < len(call.keywords):  # **
            raise ValueError
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise CompareError(
            f"The settings of {text} cannot be read: write name=value, where values are numbers, "
            f"texts in quotes, True, False, None or lists of them, as in {_EXAMPLE}."
        ) from None
    return text[:start], settings


def _installed(name, settings):
    """An estimator of this package or of python-ldl."""
    if "random_state" in settings:
        raise CompareError(
            f"{name} has random_state among its settings: leave it out. One seed, --seed or "
            "compare(random_state=...), is for all methods."
        )
    if name.startswith(PREFIX):
        return guest_named(name).set_params(parameters=settings or None)
    known = dict(all_estimators("ldl") + all_estimators("multilabel"))
    if name not in known:
        raise UnknownNameError(
            f"{unknown('method', name, known)} A class of yours has its file before it, as in "
            f"my_file.py:MyMethod, one of python-ldl's the package, as in {PREFIX}LDL_LRR."
        )
    estimator = known[name]()
    parameters = [p for p in estimator.get_params(deep=False) if p != "random_state"]
    for wrong in settings.keys() - set(parameters):
        raise unknown(f"parameter of {name}", wrong, parameters)
    try:
        check_parameter_types(estimator.set_params(**settings))
    except (TypeError, ValueError) as error:
        raise CompareError(f"{name}: {error}") from None
    return estimator


def _made(found, settings, path, inside):
    """What a file holds, a class made with its settings."""
    if not isinstance(found, type):
        if settings:
            raise CompareError(
                f"{inside} of {path} is an object, and settings are for classes: leave them out, "
                "or name its class."
            )
        return found
    try:
        return found(**settings)
    except (Exception, SystemExit, GeneratorExit) as error:
        raise CompareError(
            f"{inside}() of {path} fails: {runs.in_a_line(error)}. Give its parameters defaults "
            f"or values, as in '{path}:{inside}(name=1)', or make an object in the file and name "
            f"that: {path}:my_object."
        ) from error


def _from_file(path, name):
    if path.is_dir():
        raise CompareError(f"{path} is a folder: name a file, as in my_file.py:MyMethod.")
    if not path.is_file():
        raise CompareError(f"There is no file {path}.")
    if path.suffix != ".py" or "." in path.stem:
        raise CompareError(f"{path} is no name of a module: end it in .py, without other dots.")
    # Not resolved: of a link, its own name and folder count.
    path = Path(os.path.abspath(path))
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.append(folder)  # last: a pandas.py of the user's is not the pandas of others
    module = _module_of(path)
    if not hasattr(module, name):
        there = [k for k, v in vars(module).items() if hasattr(v, "fit") and not k.startswith("_")]
        wrong = f"{path} has no {name}" if name else f"Name a class of {path} after the colon"
        raise CompareError(f"{wrong}; it has: {', '.join(there) or 'no method'}.")
    return getattr(module, name)


def _module_of(path):
    """The module of a method file; of several files with one name, each its own."""
    module = sys.modules.get(path.stem)
    if module is None or _is_file_of(module, path):
        alias = path.stem
    elif _is_theirs(module):
        alias = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    else:
        raise CompareError(f"{path} has the name of an installed module: give it another.")
    try:
        if alias == path.stem:
            module = importlib.import_module(alias)
        elif alias not in sys.modules:
            spec = importlib.util.spec_from_file_location(alias, path)
            module = sys.modules[alias] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            for one in (module, sys.modules[path.stem]):  # others would import either file
                cloudpickle.register_pickle_by_value(one)
    except (Exception, SystemExit) as error:
        sys.modules.pop(alias, None)
        raise CompareError(f"{path} cannot be imported: {runs.in_a_line(error)}.") from error
    module = sys.modules[alias]
    if not _is_file_of(module, path):
        if alias == path.stem and _is_theirs(module):
            return _module_of(path)
        raise CompareError(f"{path} has the name of an installed module: give it another.")
    return module


def _is_file_of(module, path):
    return Path(getattr(module, "__file__", None) or "").resolve() == path.resolve()


def _is_theirs(module):
    """Whether a module is a file of the user's, and none of Python's or of a package."""
    file = getattr(module, "__file__", None)
    return not runs.is_installed(file) and not runs.is_own(module.__name__)


def by_name(methods: Any) -> dict[str, Any]:
    """Estimators by name, of a dict, a list of estimators and names, or one of either.

    Raises
    ------
    CompareError
        A class in place of an object, or two methods of one name; else as `load_methods`.
    """
    if isinstance(methods, dict):
        return dict(methods)
    if isinstance(methods, str) or not isinstance(methods, list | tuple):
        methods = [methods]
    named: dict[str, Any] = {}
    for one in methods:
        if isinstance(one, str):
            named |= load_methods([one])
        elif isinstance(one, type):
            raise CompareError(f"{one.__name__} is a class: give an object, {one.__name__}().")
        else:
            named[type(one).__name__] = one
    if len(named) < len(methods):
        raise CompareError("Two methods have one name: give a dict {name: estimator}.")
    return named


def wrapped(estimator: Any, kind: str, name: str, names: dict[str, Any]) -> Any:
    """The estimator, or a foreign one behind this package's API; ``names`` are of columns.

    Raises
    ------
    CompareError
        A class, an object without fit and predict, or one that learns the other kind of labels.
    """
    own_base, wrapper = {
        "ldl": (LDLEstimator, OnSimplex),
        "multilabel": (MultiLabelEstimator, Scores),
    }[kind]
    if isinstance(estimator, type):
        raise CompareError(f"{name} is a class: give an object, {estimator.__name__}().")
    try:
        missing = [m for m in ("fit", "predict") if not callable(getattr(estimator, m, None))]
    except (Exception, SystemExit, GeneratorExit) as error:  # of a user's __getattr__
        raise CompareError(
            f"{name} cannot be asked for fit and predict: {runs.in_a_line(error)}. Its "
            "__getattr__ has to raise AttributeError for what is not there."
        ) from error
    if missing:
        raise CompareError(
            f"{name} has no {' and no '.join(missing)} ({type(estimator).__name__}): a method has "
            "fit(X, D) and predict(X)."
        )
    other = MultiLabelEstimator if kind == "ldl" else LDLEstimator
    if isinstance(estimator, other):
        has = {"ldl": "label distributions", "multilabel": "zeros and ones"}[kind]
        raise CompareError(f"{name} learns other targets than these data have, {has}.")
    return estimator if isinstance(estimator, own_base) else wrapper(estimator, **names)
