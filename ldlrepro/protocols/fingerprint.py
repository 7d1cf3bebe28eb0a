"""Fingerprint of what makes a record: it changes when, and only when, its meaning changes.

Two marks of 12 hex digits, "method.data". The first covers the method's declaration and all
definitions reached from the estimator, the measures and `job.compute`; the second all that turns
files into arrays. How definitions are compared and followed is in source.py.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterable
from functools import cache, partial

from ldlrepro import datasets, metrics
from ldlrepro.datasets import loading, readers, registry
from ldlrepro.declare import Experiment, Method
from ldlrepro.protocols import job, selection, source, split

#: Modules that are not followed: what they find is checked in each record by its sha256, their
#: words are for people, they keep compiled code and change none, they only raise, they bound
#: threads of which processes that make records have one, they change what CUDA does, and records
#: are made on CPUs, they keep settings out that records were made without, or they name features.
_NOT_FOLLOWED = {
    "ldlrepro.datasets.files",
    "ldlrepro.datasets.registry",
    "ldlrepro.entrance",
    "ldlrepro.errors",
    "ldlrepro.kernels._cache",
    "ldlrepro.models.deep._checks",
    "ldlrepro.models.deep._cuda",
    "ldlrepro.models.embedding._names",
    "ldlrepro.parameter_types",
    "ldlrepro.paths",
    "ldlrepro.threads",
}
#: Functions that only some jobs use, by their declaration: `_by_declaration`, `of_data`.
_CHOICES = (
    split.ten_folds,
    split.drawn_folds,
    split.hold_out,
    split.by_groups,
    selection.choose,
    loading.realigned,
    loading.image_put_right,
    readers.reader,
    datasets.load,
    datasets.load_images,
    datasets.make_scenes,
    datasets.make_standin,
)


def fingerprint(
    method: Method, folds: int, experiment: Experiment, dataset: str, form: str = "real"
) -> str:
    """Marks of a record: "method.data".

    Parameters
    ----------
    method : Method
        One of the experiment's.
    folds : int
        How many folds there are.
    experiment : Experiment
        One of the paper's.
    dataset : str
        Registry name.
    form : str
        The record's source: {"real", "realigned", "synthetic"}.
    """
    return f"{of_method(method, folds, experiment)}.{of_data(dataset, form, experiment.images)}"


def of_method(method: Method, folds: int, experiment: Experiment) -> str:
    """12 hex digits for a method's fit, prediction and scores under an experiment's protocol.

    What the Experiment says of the protocol counts as far as it departs from the default; names
    and data sets do not count.
    """
    # A hold-out does not depend on how many there are; a fold does.
    protocol: list = [None if experiment.test_share is not None else folds]
    if experiment.test_share is not None or experiment.replacement:
        protocol += [experiment.test_share, experiment.replacement]
    if experiment.chosen_on != "validation" and method.grid:
        protocol.append(experiment.chosen_on)
    if experiment.groups:
        protocol += [experiment.groups, source.left_out(*_root(job.compute))]
    declared = [
        _value(method.estimator),
        _value(method.grid),
        _value(tuple(method.staged)),
        _value(protocol),
    ]
    roots = [_root(job.compute), *_by_declaration(method, experiment)]
    roots += [_root(getattr(metrics, name)) for name in experiment.measures]
    roots += [_root(type(e)) for e in _estimators(method.estimator)]  # type: ignore[arg-type]
    return _hash([*declared, *_lines(roots)])


def of_data(dataset: str, form: str, images: dict | None = None) -> str:
    """12 hex digits for the way from a data set's files to arrays, in one of its forms.

    ``images`` is what an Experiment says of them.
    """
    if images and not (form == "synthetic" and images["size"] is None):
        return _of_images(form, **images)
    if form == "synthetic":
        return _hash(_lines([_root(job.load), _root(datasets.make_standin)]))
    roots = [_root(job.load), _root(datasets.load)]
    entries = registry.parts(dataset)
    if form == "realigned":
        put_right = dataset == "image"
        roots.append(_root(loading.image_put_right if put_right else loading.realigned))
        substitute = registry.realigned("Natural_Scene" if put_right else dataset)
        entries = [*entries, substitute] if put_right else [substitute]
    roots += [_root(readers.reader(entry)) for entry in entries]
    return _hash(_lines(roots))


def _of_images(form, size, labels):
    if form == "synthetic":
        return _hash(_lines([_root(job.load_images), _root(datasets.make_scenes)]))
    used = {
        "natural_scene_images": size is not None,
        "natural_scene_rankings": labels == "rankings",
    }
    entries = [registry.realigned("Natural_Scene")]
    entries += [
        entry for name, is_used in used.items() if is_used for entry in registry.parts(name)
    ]
    roots = [job.load_images, datasets.load_images, loading.realigned]
    roots += [readers.reader(entry) for entry in entries]
    return _hash([_value([size, labels]), *_lines([_root(function) for function in roots])])


def of_function(function: Callable) -> str:
    """12 hex digits for a study: all that its function reaches, readers of every format too."""
    return _hash(_lines([_root(function)], choices=False))


def reached(roots: Iterable[tuple], choices: bool = True) -> set[tuple]:
    """Definitions that some definitions use, themselves included; all as (module, name)."""
    found, waiting = set[tuple](), list(roots)
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += _targets(here, choices).values()
    return found


def _targets(definition, choices):
    left_out = _choices() if choices else ()
    targets = source.uses(*definition).items()
    return {local: t for local, t in targets if t[0] not in _NOT_FOLLOWED and t not in left_out}


@cache
def _choices():
    return {_root(function) for function in _CHOICES}


def _by_declaration(method, experiment):
    if experiment.groups:
        yield _root(split.by_groups)
    if experiment.test_share is not None:
        yield _root(split.hold_out)
    elif not experiment.groups:
        yield _root(split.ten_folds)
        if experiment.replacement:
            yield _root(split.drawn_folds)
    if method.grid:
        yield _root(selection.choose)


def _lines(roots, choices=True):
    """A line for each definition reached: what it means, and what its names stand for.

    Modules are not named: a definition may move.
    """
    lines = set()
    for root in roots:
        lines |= _lines_of(root, choices)
    return sorted(lines)


@cache
def _lines_of(root, choices):
    if root[1] is None:
        return frozenset([root[0]])
    lines = []
    for where, name in reached([root], choices):
        targets = _targets((where, name), choices).items()
        names = sorted(f"{local} {source.digest(*target)}" for local, target in targets)
        lines.append(" ".join([name, source.digest(where, name), *names]))
    return frozenset(lines)


@cache
def _root(definition):
    """(module, name) of a function or class; ("its name", None) where its source is not known."""
    definition = inspect.unwrap(definition)
    where, name = definition.__module__, definition.__qualname__
    there = source.module(where)
    if there is None or name not in there.definitions:
        return f"{where}.{name}", None
    return where, name


def _estimators(estimator):
    """An estimator and those in its parameters."""
    yield estimator
    for _, value in sorted(estimator.get_params(deep=False).items()):
        if hasattr(value, "get_params") and not isinstance(value, type):
            yield from _estimators(value)


def _value(value):
    """Text of a declared value, the same in every version of every library."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{type(value).__name__}({_value(value.get_params(deep=False))})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k!r}:{_value(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list | tuple):
        return "(" + ",".join(map(_value, value)) + ")"
    if isinstance(value, partial):
        return _value((value.func, value.args, value.keywords))
    if callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    if hasattr(value, "tolist"):  # an array or a scalar of NumPy
        return _value(value.tolist())
    return repr(value)


def _hash(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def clear() -> None:
    """Forget what was read: sources have changed."""
    source.clear()
    for cached in (_lines_of, _choices, _root):
        cached.cache_clear()
