"""Numbers of a user's table, and what is wrong with a value that is none."""

import re
import unicodedata
from numbers import Real

import numpy as np
import pandas as pd

from ldlrepro.parameter_types import shown
from ldlrepro.user.files import UserDataError
from ldlrepro.validation import LARGEST, check_kind


def numbers_of(A, name):
    """A table or array as floats; UserDataError that names the first value that is no number."""
    try:
        check_kind(A, name)
    except ValueError as error:
        raise UserDataError(str(error)) from None
    if isinstance(A, pd.DataFrame):
        if not A.columns.is_unique:
            twice = A.columns[A.columns.duplicated()][0]
            raise UserDataError(f"{name} has two columns called {twice!r}: give each its name.")
        for column in A.columns:
            numbers = numeric(A[column]).to_numpy(float, na_value=np.nan)
            bad = ~(np.abs(numbers) <= (LARGEST if name == "X" else np.finfo(float).max))
            if bad.any():
                row = int(np.argmax(bad))
                raise UserDataError(
                    f"{name} row {row}, column {column!r}: {_wrong(A[column].iloc[row])}."
                )
    try:
        A = np.asarray(A, dtype=float)
    except (OverflowError, TypeError, ValueError) as error:
        raise UserDataError(f"{name} is no array of numbers: {error}") from None
    if A.ndim == 2 and not np.isfinite(A).all():
        row, column = np.argwhere(~np.isfinite(A))[0]
        raise UserDataError(
            f"{name} row {row}, column {column} is {A[row, column]}: fill or drop what is missing."
        )
    return A


def numeric(column):
    """A column as numbers, NaN for what is none, infinity for ints that no float holds."""
    try:
        numbers = pd.to_numeric(column, errors="coerce")
    except OverflowError:
        numbers = pd.to_numeric(column.map(_float), errors="coerce")
    if column.dtype == object and numbers.isna().any():  # fractions, say
        numbers = numbers.where(numbers.notna(), column.map(_float))
    return numbers


def _float(value):
    try:
        return np.nan if isinstance(value, str) else float(value)
    except OverflowError:
        return np.inf
    except (TypeError, ValueError):
        return np.nan


def _wrong(value):
    """What is wrong with a value, and what to do."""
    if np.ndim(value):
        return f"the cell holds a {type(value).__name__}; give one number in each"
    if pd.isna(value):
        return "the value is missing; fill it or drop the row"
    if isinstance(value, str):
        return _wrong_text(value)
    if not isinstance(value, Real):
        return f"{shown(value)} ({type(value).__name__}) is no number"
    if abs(value) == np.inf:
        return (
            f"{value} is no finite number, or a larger one than is read; {_SCALE}, or drop the row"
        )
    return f"{_short(value)} is too large; {_SCALE}"


_SCALE = "scale the column, for instance to variance 1"
#: Texts that a number was meant by, and what to do.
_MEANT = (
    (
        r"[-+]?\d{1,3}(,\d{3})*\.\d+|[-+]?\d+(,\d{3}){2,}",
        "commas between thousands; leave them out",
    ),
    (r"[-+]?\d+,\d+([eE][-+]?\d+)?", "a decimal comma; save the table with points in numbers"),
    (r"[-+]?[\d.,]+ ?%", "a percent sign; leave it out"),
    ("[\u2010-\u2015\u2212].*\\d.*", "a dash where a minus (-) belongs"),
)


def _wrong_text(value):
    if _is_number(value):
        return f"the value is too large; {_SCALE}"
    unseen = next((c for c in value if c.isspace() or unicodedata.category(c) == "Cf"), "")
    if _is_number(value.replace(unseen, "")):
        return f"{value!r} has the sign {unicodedata.name(unseen, 'of a space')}; remove it"
    if _is_number("".join(str(unicodedata.decimal(c, c)) for c in value)):
        return f"{value!r} has digits of another script; write them as 0 to 9"
    text = value.strip()
    for pattern, what in _MEANT:
        if re.fullmatch(pattern, text):
            return f"{value!r} has {what}"
    if text and not any(sign.isalnum() for sign in text):
        return f"{value!r} is no number; where it marks a missing value, fill it or drop the row"
    return f"{shown(value)} is no number; encode texts as numbers"


def _is_number(text):
    """Whether a text is a number as tables have it: Python takes other digits and signs, too."""
    return re.fullmatch(r" *[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)? *", text, re.ASCII) is not None


def _short(value):
    try:
        return f"{value:g}"
    except TypeError:
        return shown(value)
    except OverflowError:
        return f"an integer of {int(value).bit_length()} bits"
