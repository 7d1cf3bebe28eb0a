"""A user's own table: CSV, Parquet, .npz or .mat in, a bunch as `datasets.load` gives out."""

import hashlib
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.io import loadmat
from sklearn.utils import Bunch

from ldlrepro.errors import LdlreproError
from ldlrepro.validation import check_distributions, check_kind

#: Names under which .npz and .mat files have features and targets.
_FEATURES = ("X", "features")
_TARGETS = ("D", "Y", "labels")


class UserDataError(LdlreproError, ValueError):
    """A user's table does not have what was asked for."""


def read(path, labels=None, task="auto"):
    """Read a table of features and labels.

    Parameters
    ----------
    path : .csv, .parquet (with pyarrow), .npz or .mat file
    labels : columns with degrees or 0/1 labels, as names or patterns ("d_*") with commas between;
        not needed for .npz and .mat, which have arrays X or features, and D, Y or labels
    task : as for `bunch`

    Returns
    -------
    Bunch, see `bunch`

    Raises
    ------
    UserDataError
        No such file, another kind of file, no column that a pattern names, or a value that is no
        number, with its row and column.

    See Also
    --------
    bunch : From arrays or DataFrames.
    """
    path = Path(path)
    if not path.is_file():
        raise UserDataError(f"There is no file {path}.")
    kind = path.suffix.lower()
    if kind in (".npz", ".mat"):
        try:
            arrays = np.load(path, allow_pickle=False) if kind == ".npz" else loadmat(path)
            X, D = (_array(arrays, names, path) for names in (_FEATURES, _TARGETS))
        except UserDataError:
            raise
        except Exception as error:  # whatever a damaged file makes of its reader
            raise UserDataError(
                f"{path} is no {kind} file of plain arrays ({type(error).__name__}): save it again "
                "with numbers only. Pickled objects are refused, since loading them runs code."
            ) from error
    elif kind in (".csv", ".parquet", ".pq"):
        X, D = _columns(_frame(path, kind), labels, path)
    else:
        raise UserDataError(f"{path}: files are .csv, .parquet, .npz or .mat, not {kind!r}.")
    return bunch(X, D, path.stem, task)


def bunch(X, D, name="data", task="auto"):
    """Features and targets as a bunch.

    Parameters
    ----------
    X : (n, q) DataFrame or array; D : (n, c) DataFrame or array
    name : of the data in tables
    task : "ldl" (rows of degrees), "multilabel" (zeros and ones), or "auto": multi-label where all
        targets are 0 or 1 and some row has none or several

    Returns
    -------
    Bunch with X, D or Y, feature_names, label_names, is_named (whether the features came with
    names), name, display, source "own", sha256

    Raises
    ------
    UserDataError
        Shapes that do not fit, a value that is no number, or degrees that are none.

    Warns
    -----
    NormalisationWarning
        Rows of D that do not sum to 1: they are divided by their sum.

    See Also
    --------
    read : From a file.
    """
    features, labels = (
        list(map(str, A.columns)) if isinstance(A, pd.DataFrame) else None for A in (X, D)
    )
    X, D = _numbers(X, "X"), _numbers(D, "D")
    if X.ndim != 2 or D.ndim != 2 or len(X) != len(D):
        raise UserDataError(
            f"Features have shape {X.shape}, targets {D.shape}: expected (n, q) and (n, c)."
        )
    if task not in ("auto", "ldl", "multilabel"):
        raise UserDataError(f"task is {task!r}: auto, ldl or multilabel.")
    binary = bool(np.isin(D, (0, 1)).all())
    if task == "multilabel" and not binary:
        row, column = np.argwhere(~np.isin(D, (0, 1)))[0]
        raise UserDataError(
            f"D row {row}, column {column} is {D[row, column]}: multi-label targets are 0 or 1."
        )
    if task == "auto":
        task = "multilabel" if binary and (D.sum(axis=1) != 1).any() else "ldl"
    digest = hashlib.sha256()
    for array in (X, D):
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    if task == "ldl":
        try:
            D = check_distributions(D)  # per cent, say: measures take rows that sum to 1
        except ValueError as error:
            raise UserDataError(str(error)) from None
    return Bunch(
        X=X,
        feature_names=features or [f"feature {j + 1}" for j in range(X.shape[1])],
        label_names=labels or [f"label {j + 1}" for j in range(D.shape[1])],
        is_named=features is not None,
        name=name,
        display=name,
        task=task,
        source="own",
        sha256=digest.hexdigest(),
        **{"Y" if task == "multilabel" else "D": D},
    )


def _numbers(A, name):
    try:
        check_kind(A, name)
    except ValueError as error:
        raise UserDataError(str(error)) from None
    if isinstance(A, pd.DataFrame):
        if not A.columns.is_unique:
            twice = A.columns[A.columns.duplicated()][0]
            raise UserDataError(f"{name} has two columns called {twice!r}: give each its name.")
        for column in A.columns:
            numbers = pd.to_numeric(A[column], errors="coerce")
            bad = numbers.isna()
            if bad.any():
                row = int(np.argmax(bad))
                raise UserDataError(
                    f"{name}, column {column!r}, row {row}: {A[column].iloc[row]!r} is no number. "
                    "Encode texts as numbers, and fill or drop what is missing."
                )
    try:
        A = np.asarray(A, dtype=float)
    except (TypeError, ValueError) as error:
        raise UserDataError(f"{name} is no array of numbers: {error}") from None
    if A.ndim == 2 and not np.isfinite(A).all():
        row, column = np.argwhere(~np.isfinite(A))[0]
        raise UserDataError(
            f"{name} row {row}, column {column} is {A[row, column]}: fill or drop what is missing."
        )
    return A


def _array(arrays, names, path):
    for name in names:
        if name in arrays:
            return np.asarray(arrays[name])
    raise UserDataError(
        f"{path} has no array {' or '.join(names)}; it has: "
        + ", ".join(k for k in arrays if not k.startswith("__"))
    )


def _frame(path, kind):
    if kind == ".csv":
        try:
            frame = pd.read_csv(path)
        except pd.errors.EmptyDataError:
            raise UserDataError(f"{path} is empty.") from None
        except pd.errors.ParserError as error:
            raise UserDataError(f"{path} is no table: {str(error).strip()}.") from None
        except UnicodeDecodeError as error:
            raise UserDataError(
                f"{path} is not in UTF-8 (byte {error.start}): save it in that encoding."
            ) from None
        if frame.shape[1] == 1 and ";" in str(frame.columns[0]):
            raise UserDataError(
                f"{path} has one column, {frame.columns[0]!r}: its separator seems to be ';'. Save "
                "it with commas, and with points in numbers."
            )
        first = frame.iloc[:, 0]
        if frame.columns[0] == "Unnamed: 0" and (first == np.arange(len(first))).all():
            raise UserDataError(
                f"{path} has a first column without a name that counts the rows: a method would "
                "take it for a feature. Save it without (in pandas, to_csv(index=False))."
            )
        return frame
    try:
        return pd.read_parquet(path)
    except ImportError:
        raise UserDataError(f"Reading {path} needs pyarrow: pip install pyarrow") from None


def _columns(frame, labels, path):
    """Features and targets of a table, by patterns of the targets' columns."""
    shown = ", ".join(map(str, frame.columns[:12])) + (", ..." if frame.shape[1] > 12 else "")
    if not labels:
        raise UserDataError(
            f"Which columns of {path} are labels? Name them, as in --labels 'd_*' or --labels "
            f"sad,happy; there are: {shown}."
        )
    patterns = [p.strip() for p in labels.split(",")] if isinstance(labels, str) else list(labels)
    for pattern in patterns:
        if not any(_is_called(c, pattern) for c in frame.columns):
            raise UserDataError(f"No column of {path} is called {pattern!r}; there are: {shown}.")
    chosen = [c for c in frame.columns if any(_is_called(c, p) for p in patterns)]
    if len(chosen) == frame.shape[1]:
        raise UserDataError(f"{labels!r} names every column of {path}: no feature is left.")
    return frame.drop(columns=chosen), frame[chosen]


def _is_called(column, pattern):
    return str(column) == pattern or fnmatch(str(column), pattern)
