"""What stands before everything that users call: `public`.

No mark of a record counts this module (see `protocols.source`): it keeps out settings that records
were made without, and raises.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from inspect import isgeneratorfunction, signature

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context, get_config

#: scikit-learn's settings inside: its defaults, whatever the user and the environment have set.
#: Those that only print stay the user's, and so does the routing of metadata.
_OWN = {
    "array_api_dispatch": False,
    "assume_finite": False,
    "enable_cython_pairwise_dist": True,
    "pairwise_dist_chunk_size": 256,
    "skip_parameter_validation": False,
    "sparse_interface": "spmatrix",
    "transform_output": "default",
    "working_memory": 1024,
}
_KNOWN = {name: value for name, value in _OWN.items() if name in get_config()}
#: The user's settings while `own_settings` holds.
_OUTSIDE = ContextVar("outside", default=None)

#: Arguments that hold rows, and pairs of them whose rows and columns belong together.
_ROWS = ("X", "D", "Y", "P", "S", "X_new", "age", "predicted")
_TARGETS = ("D", "Y")
_PAIRS = (("X", "D"), ("X", "Y"), ("X", "sample_weight"), ("D", "P"), ("Y", "S"))
#: How names of types of dates and times begin in pandas, pyarrow and polars.
_DATES = ("date", "duration", "interval", "period", "time")


def public(function):
    """Decorator of what users call: methods of estimators, and measures.

    Inside, scikit-learn has its default settings. Dates, sparse matrices and rows in another order
    are refused, texts are named by their place. ``y`` is taken for D or Y, as meta-estimators that
    name their arguments pass it.
    """
    names = tuple(signature(function).parameters)
    target = next((name for name in names if name in _TARGETS), None)

    def checked(arguments, keywords):
        if "y" in keywords and target is not None:
            given = names[: len(arguments)]
            if target in keywords or target in given:
                raise TypeError(
                    f"{function.__name__}() got {target} and y, two names of one argument: give "
                    "one of them."
                )
            keywords = {target if k == "y" else k: v for k, v in keywords.items()}
        given = dict(zip(names, arguments, strict=False)) | keywords
        for name in _ROWS:
            if given.get(name) is not None:
                check_type(given[name], name)
        for a, b in _PAIRS:
            if given.get(a) is not None and given.get(b) is not None:
                check_same_rows(given[a], given[b], a, b)
        return keywords, given

    @wraps(function)
    def call(*arguments, **keywords):
        with own_settings():
            keywords, given = checked(arguments, keywords)
            try:
                return function(*arguments, **keywords)
            except (TypeError, ValueError) as error:
                _explain(error, given)
                raise

    @wraps(function)
    def stages(*arguments, **keywords):
        with own_settings():
            keywords, _ = checked(arguments, keywords)
            found = function(*arguments, **keywords)
        while True:  # between two stages the caller's own settings hold
            with own_settings():
                try:
                    stage = next(found)
                except StopIteration:
                    return
            yield stage

    return stages if isgeneratorfunction(function) else call


@contextmanager
def own_settings():
    """scikit-learn's settings are those of the records inside."""
    if _OUTSIDE.get() is not None:
        yield
        return
    before = _OUTSIDE.set(get_config())
    try:
        with config_context(**_KNOWN):
            yield
    finally:
        _OUTSIDE.reset(before)


@contextmanager
def users_settings():
    """Inside `own_settings`, the user's again: for objects that were set up under them."""
    outside = _OUTSIDE.get()
    if outside is None:
        yield
        return
    before = _OUTSIDE.set(None)
    try:
        with config_context(**{name: outside[name] for name in _KNOWN}):
            yield
    finally:
        _OUTSIDE.reset(before)


def check_same_rows(A, B, a, b):
    """Raise ValueError where two pandas objects name their rows differently.

    Where one only counts its rows they are paired by position, and a warning says so.

    Warns
    -----
    RowNamesWarning
    """
    if not (hasattr(A, "iloc") and hasattr(B, "iloc")) or len(A) != len(B):
        return
    if A.index.equals(B.index):
        return
    row = next(i for i, (x, y) in enumerate(zip(A.index, B.index, strict=True)) if x != y)
    text = f"Row {row} is {A.index[row]!r} in {a} and {B.index[row]!r} in {b}"
    if not (_only_counts(A.index) or _only_counts(B.index)):
        raise ValueError(
            f"{text}: their rows belong together only where they have the same names in the same "
            f"order. Bring them into one order, {b}.loc[{a}.index], or pair them by position: "
            f"{b}.to_numpy()."
        )
    import warnings

    from ldlrepro.errors import RowNamesWarning, outside

    warnings.warn(
        f"{text}: rows are paired by position. Give both the same index to be sure of that.",
        RowNamesWarning,
        stacklevel=outside(),
    )


def _only_counts(index):
    """Whether an index is 0, 1, 2, ... as pandas makes it for rows without names."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def check_type(A, name):
    """Raise where the type of A alone tells that it holds no real numbers."""
    if issparse(A):
        raise TypeError(
            f"{name} is a sparse matrix, and dense data is required: give {name}.toarray()."
        )
    types = getattr(A, "dtypes", None)
    if types is None:  # a table of pyarrow, or one column
        types = getattr(getattr(A, "schema", None), "types", None)
        types = [getattr(A, "dtype", None)] if types is None else types
    types = types if hasattr(types, "__iter__") and not isinstance(types, str) else [types]
    for column, kind in enumerate(types):
        # Types with a kind are numpy's or like them, and `validation.check_kind` knows those.
        if getattr(kind, "kind", "O") == "O" and str(kind).lower().startswith(_DATES):
            raise ValueError(
                f"Dates or times not supported: {name} column {column}{_called(A, column)}; give "
                "real numbers."
            )


def _called(A, column):
    """The name of a column in brackets, where it has one."""
    names = getattr(A, "column_names", None)
    names = getattr(A, "columns", None) if names is None else names
    return "" if names is None else f" ({names[column]!r})"


def _explain(error, given):
    """Raise an error that names the place, where this one says only that something is no number."""
    text = str(error)
    if not text.startswith("could not convert string") and "must be a string or a" not in text:
        return
    for name in _ROWS:
        place = _no_number(given.get(name), name)
        if place:
            raise type(error)(f"{place} ({text})") from error


def _no_number(A, name):
    """Text on the first entry of A that is no number, or None."""
    if A is None:
        return None
    cells = np.asarray(A, dtype=object)
    for place in np.ndindex(cells.shape):
        value = cells[place]
        try:
            float(value)
        except (TypeError, ValueError):
            column = f", column {place[1]}{_called(A, place[1])}" if len(place) > 1 else ""
            kind = type(value)
            if not place:
                return f"{name} is no table of numbers, but of the type {kind.__name__}."
            row = f"row {place[0]}"
            if kind.__name__ in ("NAType", "NaTType", "NoneType"):
                what = "is missing: fill the value or remove the row."
            elif isinstance(value, str):
                what = f"is the text {value!r}: encode texts as numbers."
            else:
                what = f"is no number, but {value!r} ({kind.__name__})."
            return f"{name} {row}{column} {what}"
    return None
