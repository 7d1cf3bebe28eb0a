"""Methods by the names that users give: of this package, of python-ldl, of files of their own."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cloudpickle

from ldlrepro import paths
from ldlrepro.base import LDLEstimator
from ldlrepro.discovery import all_estimators
from ldlrepro.errors import LdlreproError, UnknownNameError, unknown
from ldlrepro.models.guests import PREFIX, guest_named
from ldlrepro.models.multilabel import MultiLabelEstimator
from ldlrepro.papers.comparison.experiments import MULTILABEL, TABLES
from ldlrepro.parameter_types import check_parameter_types
from ldlrepro.parameters import listed
from ldlrepro.user import scripts
from ldlrepro.user.foreign import OnSimplex, Scores, takes_groups

_EXAMPLE = "\"StructRF(step='adaptive')\""


class CompareError(LdlreproError, ValueError):
    """A comparison that cannot be made as it was asked for."""


def load_methods(specifications: Iterable[str]) -> dict[str, Any]:
    """Methods that a command names: {name: estimator}.

    Parameters
    ----------
    specifications : list of str
        Each "FILE.py:CLASS" (or an object in that file), the name of an estimator of this package,
        or "python-ldl:CLASS". Settings of a class stand behind its name, as Python writes them:
        ``StructRF(step='adaptive')``, ``EmbeddingKNN(transformer=CCA())``.

    Raises
    ------
    CompareError
        No such file or class in it, a class that cannot be made with these settings, or settings
        that are no numbers, texts, True, False, None, lists of them or estimators.
    UnknownNameError
        No such class in this package or python-ldl, or no such parameter.
    MissingPackageError
        python-ldl is named, and not installed.
    """
    named: dict[str, object] = {}
    seen = set()
    given = [split(text) for text in listed(specifications)]
    names = {bare + said for bare, _, said in given}
    for bare, settings, said in given:
        path, _, inside = bare.rpartition(":")
        is_file = ":" in bare and not bare.startswith(PREFIX)
        if is_file and not path:
            raise CompareError(f"{bare} names no file: write my_file.py{bare}.")
        found = _from_file(paths.expanded(path), inside) if is_file else bare
        key = id(found) if is_file else bare, said
        if key in seen:
            raise CompareError(f"{bare}{said} is named twice.")
        seen.add(key)
        if not is_file:
            named[bare + said] = _installed(bare, settings)
            continue
        taken = inside + said in names or inside + said in named  # in another file, or here
        name = (bare if taken else inside) + said
        named[name] = _made(found, settings, path, inside)
    return named


def split(text: str) -> tuple[str, dict[str, Any], str]:
    """Name and settings of a method, and the settings as they stand behind the name.

    Returns
    -------
    tuple
        Of "MLDF( reuse=False )": "MLDF", {"reuse": False}, "(reuse=False)"; of a name alone the
        name, {} and "".

    Raises
    ------
    CompareError
        Settings that cannot be read.
    """
    text = text.strip()
    # A folder may have brackets in its name: settings are the first that Python can read.
    for start in (i for i, sign in enumerate(text) if sign == "(" and i):
        try:
            call = ast.parse(f"_{text[start:]}", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise _unreadable(text, "a name and one pair of brackets are expected")
        settings = _settings(call, text)
        return text[:start].strip(), settings, ast.unparse(call)[1:] if settings else ""
    if text.endswith(")") or "(" in text.rpartition(".py:")[2]:
        raise _unreadable(text, "a bracket, a quotation mark or a value is missing")
    return text, {}, ""


def _settings(call, text):
    """Arguments of a call by name; a value may be an estimator, as in EmbeddingKNN(...=CCA())."""
    if call.args:
        raise _unreadable(text, f"{ast.unparse(call.args[0])} has no name")
    settings = {}
    for given in call.keywords:
        if given.arg is None or given.arg in settings:
            raise _unreadable(text, f"{given.arg or '**'} is given twice or has no name")
        value = given.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            inside = _settings(value, text)
            settings[given.arg] = _estimator(value.func.id, inside, text)
            continue
        if isinstance(value, ast.Name):
            raise _unreadable(
                text, f"{value.id} is '{value.id}' for a text, {value.id}() for a class"
            )
        try:
            settings[given.arg] = ast.literal_eval(value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            raise _unreadable(text, f"{ast.unparse(value)} is no value") from None
    return settings


def _estimator(name, settings, text):
    """An estimator or transformer of this package, inside the settings of another."""
    import ldlrepro

    kind = getattr(ldlrepro, name, None)
    if not isinstance(kind, type) or not hasattr(kind, "get_params"):
        raise _unreadable(text, f"{name} is no estimator of this package")
    return _with(kind(), name, settings)


def _unreadable(text, why):
    text = text if len(text) <= 200 else f"{text[:200]}..."
    return CompareError(
        f"The settings of {text} cannot be read: {why[:200]}. Write name=value, where values are "
        f"numbers, texts in quotes, True, False, None, lists of them or estimators, as in "
        f"{_EXAMPLE}."
    )


def _installed(name, settings):
    """An estimator of this package or of python-ldl."""
    if name.startswith(PREFIX):
        _refuse_seed(name, settings)
        return guest_named(name, settings)
    known = dict(all_estimators("ldl") + all_estimators("multilabel"))
    if name not in known:
        book = {m.name: m.estimator for e in (TABLES, MULTILABEL) for m in e.methods}
        if name in book and type(book[name]).__name__ in known:
            called = " ".join(repr(book[name]).split()).removesuffix("()")
            raise UnknownNameError(f"No method {name!r}: the book's {name} is {called} here.")
        raise UnknownNameError(
            f"{unknown('method', name, known)} A class of yours has its file before it, as in "
            f"my_file.py:MyMethod, one of python-ldl's the package, as in {PREFIX}LDL_LRR."
        )
    return _with(known[name](), name, settings)


def _with(estimator, name, settings):
    """An estimator with its settings."""
    _refuse_seed(name, settings)
    parameters = [p for p in estimator.get_params(deep=False) if p != "random_state"]
    for wrong in (s for s in settings if s not in parameters):
        raise unknown(f"parameter of {name}", wrong, parameters)
    try:
        check_parameter_types(estimator.set_params(**settings))
    except (TypeError, ValueError) as error:
        raise CompareError(f"{name}: {error}") from None
    return estimator


def _refuse_seed(name, settings):
    """CompareError for a seed that would be ignored: those of the folds take its place."""
    if "random_state" in settings:
        raise CompareError(
            f"{name} has random_state among its settings: leave it out. One seed, --seed or "
            "compare(random_state=...), is for all methods."
        )


def _made(found, settings, path, inside):
    """What a file holds, a class made with its settings."""
    if not isinstance(found, type):
        if settings:
            raise CompareError(
                f"{inside} of {path} is an object, and settings are for classes: leave them out, "
                "or name its class."
            )
        return found
    if issubclass(found, LDLEstimator | MultiLabelEstimator):
        _refuse_seed(inside, settings)
    parameters = {}
    with suppress(TypeError, ValueError):  # of a class without a signature
        parameters = inspect.signature(found).parameters
    if parameters and not any(p.kind == p.VAR_KEYWORD for p in parameters.values()):
        for wrong in (s for s in settings if s not in parameters):
            raise unknown(f"parameter of {inside}", wrong, parameters)
    try:
        made = found(**settings)
        kept = made.get_params(deep=False) if hasattr(made, "get_params") else settings
    except (Exception, SystemExit, GeneratorExit) as error:
        raise CompareError(
            f"{inside}() of {path} fails: {scripts.in_a_line(error)}. Give its parameters defaults "
            f'or values, as in "{path}:{inside}(name=1)", or make an object in the file and name '
            f"that: {path}:my_object."
        ) from error
    for lost in (name for name in settings if name not in kept):  # of **kwargs: clone drops it
        raise CompareError(
            f"{inside} of {path} takes {lost}, and get_params() of scikit-learn has no {lost}, so "
            f"that copies lose it. Name {lost} in its __init__."
        )
    return made


def _from_file(path, name):
    if path.is_dir():
        raise CompareError(f"{path} is a folder: name a file, as in my_file.py:MyMethod.")
    if not path.is_file():
        ending = "" if path.suffix == ".py" else " A class of yours is named my_file.py:MyMethod."
        raise CompareError(f"There is no file {path}.{ending}")
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
        raise CompareError(f"{path} cannot be imported: {scripts.in_a_line(error)}.") from error
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
    return not scripts.is_installed(file) and not scripts.is_own(module.__name__)


def by_name(methods: Any) -> dict[str, Any]:
    """Estimators by name, of a dict, a list of names and estimators (in that order), or one.

    Raises
    ------
    CompareError
        A class in place of an object, or two methods of one name; else as `load_methods`.
    """
    if isinstance(methods, dict):
        return dict(methods)
    if isinstance(methods, str) or not isinstance(methods, list | tuple):
        methods = [methods]
    named = load_methods([one for one in methods if isinstance(one, str)])
    for one in (one for one in methods if not isinstance(one, str)):
        if isinstance(one, type):
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
            f"{name} cannot be asked for fit and predict: {scripts.in_a_line(error)}. Its "
            "__getattr__ has to raise AttributeError for what is not there."
        ) from error
    if missing:
        raise CompareError(
            f"{name} has no {' and no '.join(missing)} ({type(estimator).__name__}): a method has "
            "fit(X, D) and predict(X)."
        )
    words = {"ldl": "label distributions", "multilabel": "sets of labels, zeros and ones"}
    other = "multilabel" if kind == "ldl" else "ldl"
    if isinstance(estimator, MultiLabelEstimator if kind == "ldl" else LDLEstimator):
        raise CompareError(
            f"{name} learns {words[other]}, and the labels of these data are {words[kind]}. "
            f"Methods for them: {', '.join(dict(all_estimators(kind)))}."
        )
    # One that takes groups is wrapped too: what calls the others' ``fit`` has none.
    is_bare = isinstance(estimator, own_base) and not takes_groups(estimator)
    return estimator if is_bare else wrapper(estimator, **names)
