"""Types and ranges of estimators' parameters, and what `score` gets: named before computing.

A parameter's default tells its type; where the default is None, `_OF_NONE` does. What values are in
range most methods check by themselves, and `_RANGES` has the others. No mark of a record counts
this module (see `protocols.source`): it raises or does nothing.
"""

import inspect
from functools import cache
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

_PACKAGE = __name__.partition(".")[0]
#: Parameters whose default is None: type of all other values. What holds an estimator says itself
#: what is wrong with it.
_OF_NONE = {
    "draws": int,
    "drop_label": int,
    "k_minus": int,
    "max_depth": int,
    "max_features": int,
    "n_estimators": int,
    "n_jobs": int,
    "n_neighbors": int,
    "sigma": float,
    "width": float,
}
#: Parameters that may be words too, which the methods check.
_OR_WORDS = ("draws", "max_features")
#: Parameters that may be functions too.
_OR_FUNCTIONS = ("reuse",)
#: Parameters that may be None though their default is not. Where only some estimators take None,
#: the annotation in `__init__` says so: ``int | None``.
_OR_NONE = ("max_depth",)
#: Parameters that may be fractions though their default is not.
_FRACTIONS = ("alpha",)
#: Threads at most: of more, torch crashes, and systems start no other.
_MOST = 1000
#: Ranges: what a value must pass, and the words for it.
_RANGES = {
    "floors": (lambda v: len(v) and all(0 <= f <= 1 for f in v), "one or more numbers in [0, 1]"),
    "local_C": (lambda v: v > 0, "above 0"),
    "max_depth": (lambda v: v >= 1, "1 or more, or None"),
    "max_iter": (lambda v: v >= 0, "0 or more"),
    "memory": (lambda v: v >= 1, "1 or more"),
    "n_jobs": (lambda v: v != 0 and v <= _MOST, f"1 to {_MOST}, or -1 for all cores"),
    "n_threads": (lambda v: 1 <= v <= _MOST, f"1 to {_MOST}"),
    "reuse_from": (lambda v: v >= 2, "2 or more"),
    "sampling_ratio": (lambda v: 0 < v <= 1, "in (0, 1]"),
    "sigma": (lambda v: v > 0, "above 0"),
    "years": (lambda v: v >= 0, "0 or more"),
}
_WORDS = {
    bool: "True or False",
    int: "an int",
    float: "a number",
    tuple: "a tuple of numbers",
}


#: The largest size of numbers, by type: beyond it compiled loops and sums of squares overflow.
_LARGEST = {int: 2**31 - 1, float: 1e30, tuple: 2**31 - 1}


def check_parameter_types(estimator):
    """Raise TypeError naming the first parameter of a wrong type; for classes of this package.

    An int is taken for a float, a number of numpy for one of Python, a list for a tuple.

    Raises
    ------
    TypeError
        "n_estimators must be an int, got '3' (str)."
    ValueError
        For a ``random_state`` that scikit-learn does not take, for a value out of its range, for
        NaN and infinity, and for ints above 2**31 - 1 and numbers above 1e30 in size.
    """
    if type(estimator).__module__.partition(".")[0] != _PACKAGE:
        return
    for name, (kind, or_none) in _types(type(estimator)).items():
        value = getattr(estimator, name)
        if name in _OR_WORDS and isinstance(value, str):
            continue
        if name in _OR_FUNCTIONS and callable(value):
            continue
        if name == "random_state":
            try:
                check_random_state("bool" if isinstance(value, bool) else value)
            except (TypeError, ValueError) as error:
                raise ValueError(
                    "random_state must be None, an int from 0 to 4294967295 (2**32 - 1) or a "
                    f"RandomState, got {shown(value)}."
                ) from error
        elif not (or_none and value is None or _fits(value, kind)):
            wanted = _WORDS[kind] + (" or None" if or_none else "")
            raise TypeError(
                f"{name} must be {wanted}, got {shown(value)} ({type(value).__name__})."
            )
        elif value is not None and kind in _LARGEST and not _is_in_size(value, _LARGEST[kind]):
            raise ValueError(
                f"{name} must be {_WORDS[kind]}, finite and at most {_LARGEST[kind]:.10g} in size, "
                f"got {shown(value)}."
            )
        elif name in _RANGES and value is not None and not _RANGES[name][0](value):
            raise ValueError(f"{name}={value!r} must be {_RANGES[name][1]}.")


def check_count(value, name, or_none=False):
    """Raise where a number of rows or the like is none; a whole number of 0 or more is one."""
    if value is None and or_none:
        return
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a whole number, got {shown(value)}.")
    if not 0 <= value <= _LARGEST[int]:
        raise ValueError(
            f"{name} must be a whole number from 0 to {_LARGEST[int]}, got {shown(value)}."
        )


def check_scored(estimator, D, sample_weight, name="D"):
    """Raise ValueError where labels have other names than in ``fit``, or weights are none."""
    learnt, given = getattr(estimator, "label_names_in_", None), getattr(D, "columns", None)
    if learnt is not None and given is not None and list(learnt) != list(given):
        raise ValueError(
            f"{name} has the labels {list(given)}, and {list(learnt)} were learnt: give the same "
            "labels in the same order."
        )
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=float)
        if weight.shape != (len(D),):
            raise ValueError(f"sample_weight has shape {weight.shape}: expected ({len(D)},).")
        if weight.min(initial=0) < 0 or not 0 < weight.sum() < np.inf:
            raise ValueError("sample_weight must be finite numbers of 0 or more, not all 0.")


@cache
def _types(cls):
    """{parameter: (type, whether None is allowed)} of a class; words are left to the methods."""
    found = {}
    for name, parameter in inspect.signature(cls).parameters.items():
        default = parameter.default
        if name == "random_state":
            found[name] = None, True
        elif name in _OF_NONE and (default is None or name in _OR_WORDS):
            found[name] = _OF_NONE[name], True
        elif isinstance(default, bool | int | float | tuple):
            kind = float if name in _FRACTIONS else type(default)
            found[name] = kind, name in _OR_NONE or parameter.annotation == kind | None
    return found


def _fits(value, kind):
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    if kind is tuple:
        sequence = isinstance(value, tuple | list | range) or (
            isinstance(value, np.ndarray) and value.ndim == 1
        )
        return sequence and all(_fits(part, float) for part in value)
    number = Integral if kind is int else Integral | float | np.floating
    return isinstance(value, number) and not isinstance(value, bool | np.bool_)


def _is_in_size(value, largest):
    """Whether a number, or each of several, is finite and at most so large in size."""
    if isinstance(value, Integral):
        value = int(value)  # of numpy's smallest int, abs is negative
    if isinstance(value, int | float | np.floating):
        return bool(abs(value) <= largest)  # not where it is NaN
    return all(_is_in_size(part, largest) for part in value)


def shown(value):
    """A value as text, not too long for a line; Python itself does not print the largest ints."""
    try:
        text = repr(value)
    except Exception as error:  # whatever a user's object makes of it
        return f"a value that cannot be printed ({type(error).__name__})"
    return text if len(text) <= 200 else f"{text[:60]}...{text[-20:]}"
