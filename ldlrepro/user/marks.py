"""The mark of a record of a user's own: it changes when what the fit depends on changes."""

import io
import pickle
import sys
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType, ModuleType
from uuid import uuid4

import cloudpickle
import joblib

from ldlrepro.base import LDLEstimator
from ldlrepro.protocols.fingerprint import of_data, of_function, of_method
from ldlrepro.user.scripts import add_files, file_of, is_foreign, is_installed, is_own, version_of


def mark_of(method, experiment, bunch):
    """What a record depends on: protocol, data, parameters, and what the classes are made of."""
    known = bunch.source in ("real", "realigned")
    data = of_data(bunch.name, bunch.source) if known else bunch.sha256[:12]
    protocol = of_method(replace(method, estimator=LDLEstimator()), experiment.folds, experiment)
    inner, names = method.estimator, None
    if hasattr(inner, "foreign"):
        names = inner.columns, inner.labels
        inner = inner.foreign
    parameters = inner.get_params() if hasattr(inner, "get_params") else _attributes(inner)
    parts = protocol, _texts_of(method.estimator), _hash(parameters), names
    return f"{joblib.hash(parts)[:12]}.{data}"


def _hash(value):
    try:
        return joblib.hash(value)
    except pickle.PicklingError:  # a lambda
        return _hash_of_code(value)


def _hash_of_code(value):
    """The same for functions without a name, and for classes and functions of `__main__`."""
    written = io.BytesIO()
    _Steady(written).dump(value)
    return joblib.hash(written.getvalue())


class _Steady(cloudpickle.Pickler):
    """Pickles a function to the same bytes in every process: what a set holds is sorted."""

    def persistent_id(self, value):
        return sorted(map(repr, value)) if isinstance(value, set | frozenset) else None


def _attributes(value):
    """Attributes of an object, those in slots too; the object itself where it can have none."""
    found = object.__getstate__(value)
    return value if found is None and not hasattr(value, "__dict__") else found


def _texts_of(inner):
    """What the classes and functions of an estimator, and of those inside it, are made of.

    Of an installed class, the version of its package; of this package's, what it uses; of others,
    the texts of their files and of all files that these import and that are not installed. What a
    notebook defines has no file, and is of this process alone.

    Returns
    -------
    list of (name, text), list of (path, text)
    """
    parts, files = [], {}
    for kind in _classes(inner, {}):
        where, text = kind.__module__, ""
        if where == "__main__":
            text = _hash_of_code(kind)
        elif is_own(where):
            text = of_function(kind)
        elif not is_foreign(kind):
            text = version_of(where.partition(".")[0])
        elif isinstance(kind, FunctionType) and "<" in kind.__qualname__:
            text = _hash_of_code(kind)  # one of several in the file
        if is_foreign(kind):
            path = file_of(kind)
            if is_installed(path):
                text += _PROCESS
                for module in _modules_of(sys.modules[where]):
                    add_files(module.__file__, module.__package__, files)
            else:
                add_files(path, sys.modules[where].__package__, files)
        parts.append((f"{where}.{kind.__qualname__}", text))
    return sorted(parts), sorted(files.items())


def _modules_of(notebook):
    """Modules of the user's that a notebook's names come from: they may be loaded again."""
    for value in list(vars(notebook).values()):
        if isinstance(value, ModuleType | type | FunctionType):
            name = value.__name__ if isinstance(value, ModuleType) else value.__module__
            module = sys.modules.get(name or "")
            path = getattr(module, "__file__", None)
            if not (is_own(name or "") or is_installed(path)):
                yield module


#: Another text in each process.
_PROCESS = uuid4().hex


def _is_full(cell):
    """Whether a cell of a closure holds something yet."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _classes(value, seen):
    """Classes of an estimator, their bases, and those of what it holds, wherever it holds it.

    Functions count as classes do. Of what is installed, only classes with ``fit`` or ``transform``
    count.

    Parameters
    ----------
    seen : dict
        What was looked at, by its id, for what holds itself.
    """
    if isinstance(value, type):
        return {value} if is_foreign(value) or is_own(value.__module__ or "") else set()
    if id(value) in seen or isinstance(value, ModuleType):
        return set()
    seen[id(value)] = value
    found = set()
    if isinstance(value, FunctionType):
        found = {value} if is_foreign(value) or is_own(value.__module__ or "") else set()
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_full(cell)]
        inside = cells, value.__defaults__, value.__kwdefaults__
    elif isinstance(value, dict):
        inside = value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        inside = value
    elif isinstance(value, MethodType):
        inside = value.__self__, value.__func__
    elif isinstance(value, partial):
        inside = value.func, value.args, value.keywords
    elif hasattr(value, "fit") or hasattr(value, "transform") or is_foreign(type(value)):
        known = hasattr(value, "get_params")
        inside = [value.get_params(deep=False) if known else _attributes(value)]
        found = set(type(value).__mro__) - {object}
    elif hasattr(value, "__wrapped__"):  # compiled, or with a cache
        inside = [value.__wrapped__]
    else:  # a scorer, say
        inside = [getattr(value, "__dict__", ())]
        found = {type(value)} if is_own(type(value).__module__) else set()
    return found.union(*(_classes(part, seen) for part in inside))
