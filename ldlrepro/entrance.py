"""What stands before everything that users call: `public`.

No mark of a record counts this module (see `protocols.source`): it keeps out settings that records
were made without, raises, and copies X, which no job of a record predicts from the array of `fit`.
"""

import datetime
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from inspect import isgeneratorfunction, signature

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context, get_config

from ldlrepro.validation import check_simplex

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

#: Measures of D and P that come out the same whatever rows sum to: they take any degrees.
_OF_ANY_SCALE = {"kendall", "mae_argmax", "mae_expectation", "ndcg", "spearman"}
#: Arguments that hold rows, and pairs of them whose rows and columns belong together.
_ROWS = ("X", "D", "Y", "P", "S", "X_new", "age", "predicted")
_TARGETS = ("D", "Y")
_PAIRS = (("X", "D"), ("X", "Y"), ("X", "sample_weight"), ("D", "P"), ("Y", "S"))
#: Of these the second is predicted, row by row.
_PREDICTED = (("D", "P"), ("Y", "S"))
#: How names of types of dates and times begin in pandas, pyarrow and polars, and of lists.
_DATES = ("date", "duration", "interval", "period", "time")
_LISTS = ("array", "fixed_size_list", "large_list", "list", "struct")
#: Types that a conversion takes for numbers, in columns of objects: dates count as days since 1970.
_NO_REALS = {
    np.datetime64: "Dates or times",
    np.timedelta64: "Dates or times",
    datetime.date: "Dates or times",
    datetime.time: "Dates or times",
    datetime.timedelta: "Dates or times",
    complex: "Complex data",
    np.complexfloating: "Complex data",
}
#: What numpy, pandas and scikit-learn say of a cell that is no number, without its place.
_BARE = (
    "could not convert string",
    "must be a string or a",
    "setting an array element with a sequence",
    "Cannot cast array data",
    "too large to convert",
)
#: What scikit-learn says of tables whose shapes do not fit, without their names.
_OF_SHAPES = ("Found input variables with inconsistent", "Found array with dim", "Expected 2D")
#: Classes that keep the rows of ``fit``: they get a copy, which no later change of the user's
#: reaches, and of which `predict` cannot tell that it is the same array.
_KEEP_ROWS = {"AAKNN", "LDSVR", "PTSVM"}
#: Weights of this size and below: sums and squares of them are finite.
_HEAVIEST = 1e30


def public(function):
    """Decorator of what users call: methods of estimators, and measures.

    Inside, scikit-learn has its default settings. Dates, sparse matrices and rows in another order
    are refused, texts are named by their place. ``y`` is taken for D or Y, as meta-estimators that
    name their arguments pass it. A ``fit`` that raises leaves its model as it was. A measure that
    a user calls takes only rows that sum to 1.
    """
    names = tuple(signature(function).parameters)
    target = next((name for name in names if name in _TARGETS), None)
    needs_sums = names[:2] == ("D", "P") and function.__name__ not in _OF_ANY_SCALE

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
                if name in _TARGETS:
                    _check_shape(given[name], name)
        if given.get("sample_weight") is not None:
            _check_weights(given["sample_weight"])
        for a, b in _PAIRS:
            if given.get(a) is not None and given.get(b) is not None:
                check_same_rows(given[a], given[b], a, b)
        return keywords, given

    @wraps(function)
    def call(*arguments, **keywords):
        is_users = _OUTSIDE.get() is None
        with own_settings(), _unchanged(arguments) if function.__name__ == "fit" else nullcontext():
            keywords, given = checked(arguments, keywords)
            if function.__name__ == "fit":
                arguments, keywords = _with_own_rows(arguments, keywords)
            try:
                result = function(*arguments, **keywords)
                if is_users and needs_sums:  # afterwards: its own checks name what else is wrong
                    _check_sums(given)
                return result
            except Exception as error:
                text = _text(error)
                _explain(error, text, given)
                _rename(error, text, function, arguments)
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


def _with_own_rows(arguments, keywords):
    """Arguments of a ``fit``, with a copy of X where the model keeps it."""
    if arguments and _KEEP_ROWS & {cls.__name__ for cls in type(arguments[0]).__mro__}:
        if "X" in keywords:
            keywords = keywords | {"X": _copy(keywords["X"])}
        elif len(arguments) > 1:
            arguments = (arguments[0], _copy(arguments[1]), *arguments[2:])
    return arguments, keywords


def _copy(X):
    """A copy of arrays, tables and tensors; of what can be none of them, itself."""
    return getattr(X, "copy", getattr(X, "clone", lambda: X))()


def _check_sums(given):
    for name in ("D", "P"):
        check_simplex(given[name], name)


@contextmanager
def _unchanged(arguments):
    """Give a model the attributes back that it had, where its ``fit`` raises."""
    there = getattr(arguments[0], "__dict__", None) if arguments else None
    if there is None:
        yield
        return
    before = dict(there)
    try:
        yield
    except BaseException:
        there.clear()
        there.update(before)
        raise


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


def by_name(function):
    """Decorator of what finds a measure by its name: UnknownNameError where there is none."""

    @wraps(function)
    def call(name):
        try:
            return function(name)
        except (KeyError, TypeError):
            from ldlrepro.errors import unknown

            # This layer imports no measures: those of the function's own module are meant.
            raise unknown("measure", name, function.__globals__["MEASURES"]) from None

    return call


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
    if (a, b) in _PREDICTED and _only_counts(B.index):  # predictions for an array: in its order
        return
    row = next(i for i, (x, y) in enumerate(zip(A.index, B.index, strict=True)) if x != y)
    text = f"Row {row} is {_plain(A.index[row])!r} in {a} and {_plain(B.index[row])!r} in {b}"
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
    """Raise where A, by its type or by those of its cells, is no table of real numbers."""
    if issparse(A):
        raise TypeError(
            f"{name} is a sparse matrix, and dense data is required: give {name}.toarray()."
        )
    if hasattr(A, "collect") and hasattr(A, "lazy"):
        raise TypeError(f"{name} is a LazyFrame, and has no rows yet: give {name}.collect().")
    if isinstance(A, list | tuple):
        A = _of_rows(A, name)
    if getattr(getattr(A, "dtype", None), "names", None):
        raise TypeError(
            f"{name} is an array of records with the fields {', '.join(A.dtype.names)}: give "
            "a DataFrame, or an array with a column for each."
        )
    types = getattr(A, "dtypes", None)
    if types is None:  # a table of pyarrow, or one column
        types = getattr(getattr(A, "schema", None), "types", None)
        types = [getattr(A, "dtype", None)] if types is None else types
    types = types if hasattr(types, "__iter__") and not isinstance(types, str) else [types]
    types = list(types)
    if types and hasattr(A, "columns") and all(str(kind).startswith("Sparse[") for kind in types):
        raise TypeError(
            f"{name} has sparse columns, and dense data is required: give {name}.sparse.to_dense()."
        )
    for column, kind in enumerate(types):
        # Types with a kind are numpy's or like them, and `validation.check_kind` knows those.
        if getattr(kind, "kind", "O") != "O":
            continue
        if str(kind).lower().startswith(_DATES):
            raise ValueError(
                f"Dates or times not supported: {name} column {column}{_called(A, column)}; give "
                "real numbers."
            )
        if str(kind).lower().startswith(_LISTS):
            raise ValueError(
                f"{name} column {column}{_called(A, column)} has lists or records in its cells: "
                "give one number in each."
            )
        if isinstance(kind, np.dtype) and kind.kind == "O":
            _check_cells(A, column, name)


def _of_rows(A, name):
    """Rows in a list as an array; ValueError where one has another length, or hides values."""
    masked = next((i for i, row in enumerate(A) if np.ma.isMaskedArray(row)), None)
    if masked is not None:
        raise ValueError(
            f"{name} row {masked} is a masked array: fill the values or remove the rows first."
        )
    try:
        return np.asarray(A)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else None for row in A]
        other = next((i for i, n in enumerate(lengths) if n != lengths[0]), None)
        if other is None:
            raise
        wrong = "no list" if lengths[other] is None else f"of length {lengths[other]}"
        first = "none" if lengths[0] is None else f"of length {lengths[0]}"
        raise ValueError(
            f"{name} row {other} is {wrong}, and row 0 is {first}: give each row as many numbers."
        ) from None
    except OverflowError:
        return np.asarray(A, dtype=object)


def _check_cells(A, column, name):
    """Raise ValueError naming the first cell of a column of objects that is no real number.

    Of an array without columns of its own, all cells are looked at.
    """
    if hasattr(A, "iloc"):
        cells = (A.iloc[:, column] if A.ndim == 2 else A).to_numpy()
    else:
        cells = np.asarray(A)
    if cells.dtype != object:
        return
    wrong = {kind for kind in set(map(type, cells.flat)) if _what(kind)}
    if not wrong:
        return
    place = next(at for at in np.ndindex(cells.shape) if type(cells[at]) in wrong)
    if cells.ndim > 1:
        column = place[1]
    raise ValueError(
        f"{_what(type(cells[place]))} not supported: {name} column {column}{_called(A, column)}, "
        f"row {place[0]}; give real numbers."
    )


def _what(kind):
    return next((text for no, text in _NO_REALS.items() if issubclass(kind, no)), None)


def _check_shape(A, name):
    shape = getattr(A, "shape", ())
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(f"{name} has shape {tuple(shape)}, no label: expected a column for each.")
    if len(shape) > 2:
        raise ValueError(
            f"{name} has shape {tuple(shape)}: expected a row for each of X and a column for each "
            "label, (n, c)."
        )


def _check_weights(weight):
    """Raise where weights of rows are no real numbers, named; their sizes are checked by others."""
    name = "sample_weight"
    check_type(weight, name)
    if np.ma.isMaskedArray(weight):
        raise ValueError(f"{name} is a masked array: fill the values or remove the rows first.")
    cells = np.asarray(weight)
    kind = cells.dtype.kind
    if kind in ("c", "m", "M"):
        what = "Complex data" if kind == "c" else "Dates or times"
        raise ValueError(f"{what} not supported: {name}; give real numbers.")
    if kind in ("O", "S", "U"):
        for row, value in enumerate(cells.flat):
            if isinstance(value, str | bytes):
                raise ValueError(f"{name} row {row} is the text {_plain(value)!r}: give numbers.")
    try:
        numbers = np.asarray(weight, dtype=float)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(
            f"{_no_number(weight, name) or f'{name} is no list of numbers.'} ({error})"
        ) from error
    if numbers.ndim > 1:
        raise ValueError(f"{name} has shape {numbers.shape}: expected a number for each row, (n,).")
    heavy = np.isfinite(numbers) & (numbers > _HEAVIEST)
    if heavy.any():
        row = int(np.flatnonzero(heavy.reshape(-1))[0])
        raise ValueError(
            f"{name} row {row} is {numbers.reshape(-1)[row]:.3g}: weights up to {_HEAVIEST:g} are "
            "taken; divide all by the largest."
        )


def _plain(value):
    """A number of numpy as one of Python, for texts."""
    return value.item() if isinstance(value, np.generic) else value


def _called(A, column):
    """The name of a column in brackets, where it has one."""
    names = getattr(A, "column_names", None)
    names = getattr(A, "columns", None) if names is None else names
    return "" if names is None else f" ({names[column]!r})"


def _text(error):
    try:
        return str(error)
    except Exception:  # an error of a user's own that cannot be printed
        return ""


def _explain(error, text, given):
    """Raise an error that names the place, where this one says only that something is no number."""
    if "unique column names" in text:
        _refuse_equal_names(given, error)
    if isinstance(error, ValueError) and text.startswith(_OF_SHAPES):
        shapes = [f"{n} has shape {np.shape(given[n])}" for n in _ROWS if _is_table(given.get(n))]
        raise ValueError(f"{', '.join(shapes)}. ({text})") from error
    if not isinstance(error, OverflowError | TypeError | ValueError):
        return
    if not any(bare in text for bare in _BARE):
        return
    for name in _ROWS:
        place = _no_number(given.get(name), name)
        if place:
            kind = ValueError if isinstance(error, OverflowError) else type(error)
            raise kind(f"{place} ({text})") from error


def _is_table(A):
    return A is not None and hasattr(A, "__len__") and not isinstance(A, str)


def _refuse_equal_names(given, error):
    for name in _ROWS:
        columns = list(getattr(given.get(name), "columns", ()))
        twice = next((one for one in columns if columns.count(one) > 1), None)
        if twice is not None:
            raise ValueError(
                f"{name} has two columns called {twice!r}: give each its name."
            ) from error


def _rename(error, text, function, arguments):
    """Raise a TypeError of a wrong call under the name of the user's class, not of ours inside."""
    inside = f"{function.__qualname__}()"
    if isinstance(error, TypeError) and arguments and text.startswith(inside):
        mine = f"{type(arguments[0]).__name__}.{function.__name__}()"
        raise TypeError(mine + text.removeprefix(inside)) from None


def _no_number(A, name):
    """Text on the first entry of A that is no number, or None."""
    if A is None:
        return None
    cells = np.asarray(A, dtype=object)
    for place in np.ndindex(cells.shape):
        value = cells[place]
        try:
            float(value)
        except (OverflowError, TypeError, ValueError) as error:
            column = f", column {place[1]}{_called(A, place[1])}" if len(place) > 1 else ""
            kind = type(value)
            if not place:
                return f"{name} is no table of numbers, but of the type {kind.__name__}."
            row = f"row {place[0]}"
            if kind.__name__ in ("NAType", "NaTType", "NoneType"):
                what = "is missing: fill the value or remove the row."
            elif isinstance(error, OverflowError):
                what = "is too large for a number with decimals: scale the column."
            elif isinstance(value, str):
                what = f"is the text {value!r}: encode texts as numbers."
            else:
                shown = repr(value)
                shown = shown if len(shown) <= 80 else f"{shown[:60]}..."
                what = f"is no number, but {shown} ({kind.__name__})."
            return f"{name} {row}{column} {what}"
    return None
