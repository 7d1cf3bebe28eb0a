"""Files of a user: CSV, Parquet, .npz and .mat, as tables or arrays."""

import csv
import re
from collections import Counter
from contextlib import suppress
from difflib import get_close_matches
from fnmatch import fnmatch
from itertools import islice
from zipfile import is_zipfile

import numpy as np
import pandas as pd
from scipy.io import loadmat
from scipy.sparse import issparse

from ldlrepro.errors import LdlreproError

#: Names under which .npz and .mat files have features and targets.
_FEATURES = ("X", "features")
_TARGETS = ("D", "Y", "labels")
#: Separators other than commas, in the order in which a head line is searched for them.
_SEPARATORS = {";": "';'", "\t": "a tab", "|": "'|'", " ": "a space"}


class UserDataError(LdlreproError, ValueError):
    """A user's table does not have what was asked for."""


def arrays(path, kind):
    """X and D of a file of arrays."""
    if not path.stat().st_size:
        raise UserDataError(f"{path} is empty.")
    if kind == ".npz" and not is_zipfile(path):
        raise UserDataError(
            f"{path} is no .npz file, or one that was cut short: save it again, with "
            "numpy.savez(file, X=X, D=D)."
        )
    try:
        arrays = np.load(path, allow_pickle=False) if kind == ".npz" else loadmat(path)
        return [_array(arrays, names, path) for names in (_FEATURES, _TARGETS)]
    except UserDataError:
        raise
    except NotImplementedError:  # what scipy raises for the HDF5 files of newer MATLABs
        raise UserDataError(
            f"{path} is a .mat file of version 7.3, which is not read: in MATLAB, save it with "
            "the option '-v7'."
        ) from None
    except PermissionError:
        raise UserDataError(f"{path} is not readable for this user.") from None
    except Exception as error:  # whatever a damaged file makes of its reader
        if "allow_pickle" in str(error):
            raise UserDataError(
                f"{path} has an array of objects: save it again with numbers only. Pickled objects "
                "are refused, since loading them runs code."
            ) from error
        raise UserDataError(
            f"{path} is no {kind} file, or it is damaged or cut short ({type(error).__name__}): "
            "save it again."
        ) from error


def _array(arrays, names, path):
    there = [name for name in names if name in arrays]
    if len(there) > 1:
        raise UserDataError(f"{path} has both {' and '.join(there)}: leave one of them out.")
    for name in there:
        found = arrays[name]
        found = found.toarray() if issparse(found) else np.asarray(found)
        if found.dtype.names or found.dtype == object:
            raise UserDataError(
                f"{path}: {name} is a cell array, a struct or a table of records. Save it as a "
                "matrix of numbers."
            )
        return found
    raise UserDataError(
        f"{path} has no array {' or '.join(names)}; it has: "
        + ", ".join(k for k in arrays if not k.startswith("__"))
    )


def table(path, kind):
    """The table of a .csv or Parquet file; UserDataError where it cannot be read."""
    try:
        return _of_csv(path) if kind == ".csv" else _of_parquet(path)
    except UserDataError:
        raise
    except ImportError:
        raise UserDataError(f"Reading {path} needs pyarrow: pip install pyarrow") from None
    except pd.errors.EmptyDataError:
        raise UserDataError(f"{path} is empty.") from None
    except (csv.Error, pd.errors.ParserError) as error:
        raise UserDataError(f"{path} is no table: {_of_reader(error)}.") from None
    except UnicodeDecodeError as error:
        raise UserDataError(
            f"{path} is not in UTF-8 (byte {error.start}): save it in that encoding."
        ) from None
    except PermissionError:
        raise UserDataError(f"{path} is not readable for this user.") from None
    except Exception as error:  # whatever a damaged file makes of its reader
        raise UserDataError(
            f"{path} is damaged, or no {kind} file ({type(error).__name__}): save it again."
        ) from error


def _of_reader(error):
    """What the reader of CSV files says, in words for who made the file."""
    text = str(error).strip().removeprefix("Error tokenizing data. C error: ").rstrip(".")
    if "EOF inside string" in text or "field larger than field limit" in text:
        text = f"a quotation mark is opened and not closed ({text})"
    return text


def _of_parquet(path):
    """A table; an index with names came from columns, and becomes columns again."""
    frame = pd.read_parquet(path)
    names = [name for name in frame.index.names if name is not None]
    twice = next((name for name in names if name in frame.columns), None)
    if twice is not None:
        raise UserDataError(f"{path} has two columns called {twice!r}: give each its name.")
    return frame.reset_index(level=names) if names else frame


def _of_csv(path):
    """A table with commas; names of columns without the spaces around them."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        lines = [row for row in islice(csv.reader(file, skipinitialspace=True), 100) if any(row)]
    names = [name.strip() for name in lines[0]] if lines else []
    first = names[0] if names else ""
    if first.startswith("#") or first.lower().startswith("sep="):
        raise UserDataError(
            f"{path} begins with the line {','.join(lines[0])!r}: remove it, so that the names of "
            "the columns come first."
        )
    seen = next((word for sign, word in _SEPARATORS.items() if sign in "".join(names)), None)
    is_title = len(names) == 1 and seen in (None, _SEPARATORS[" "])
    if is_title and len(lines) > 2 and len(lines[1]) > 1 and len(lines[1]) == len(lines[2]):
        raise UserDataError(
            f"{path} begins with the line {names[0]!r}, a title: remove it, so that the names of "
            "the columns come first."
        )
    if names and not names[-1] and not any(row[len(names) - 1 :] > [""] for row in lines[1:]):
        raise UserDataError(
            f"{path} has a last column without a name and without values: a comma ends each line. "
            "Remove it."
        )
    if len(names) == 1 and seen:
        raise UserDataError(
            f"{path} has one column, {names[0]!r}: its separator seems to be {seen}. Save it with "
            "commas, and with points in numbers."
        )
    twice = [name for name, times in Counter(names).items() if name and times > 1]
    if twice:  # pandas would call the second one x.1
        raise UserDataError(f"{path} has two columns called {twice[0]!r}: give each its name.")
    if len(lines) > 1 and len(lines[1]) > len(names):  # pandas takes the first ones for row names
        raise UserDataError(
            f"{path} has {len(lines[1])} values in its first row and {len(names)} names above "
            "them: a column without a name, as of row names. Leave it out (in R, "
            "row.names = FALSE), or name it."
        )
    # In one piece: in pieces, a column of names and numbers has numbers in some of them.
    frame = pd.read_csv(path, skipinitialspace=True, low_memory=False)
    return frame.rename(columns=str.strip)


def columns(frame, labels, path):
    """Features and targets of a table, by patterns of the targets' columns."""
    patterns = _patterns(labels)
    if not patterns:
        raise UserDataError(
            f"Which columns of {path} are labels? Name them, as in --labels 'd_*' or --labels "
            f"sad,happy; there are: {_columns_of(frame)}."
        )
    chosen = _chosen(frame, patterns, path)
    if len(chosen) == frame.shape[1]:
        raise UserDataError(
            f"{','.join(patterns)!r} names every column of {path}: no feature is left."
        )
    return frame.drop(columns=chosen), frame[chosen]


def _chosen(frame, patterns, path):
    """Columns that names or patterns fit, each of which has to fit one."""
    chosen = set()
    for pattern in patterns:
        fitting = _fitting(frame, pattern)
        if not fitting:
            raise _no_column(pattern, frame, path)
        chosen.update(fitting)
    return [c for c in frame.columns if c in chosen]


def _fitting(frame, pattern):
    """The column of this very name, or else those that the pattern fits."""
    exact = [c for c in frame.columns if str(c) == pattern]
    return exact or [c for c in frame.columns if fnmatch(str(c), pattern)]


def _patterns(labels):
    """Names and patterns of columns, of a text with commas or a list."""
    if isinstance(labels, str):
        labels = [name.strip() for name in labels.split(",")]
    elif labels is None or not np.iterable(labels):
        labels = [] if labels is None else [labels]
    return [name for name in map(str, labels) if name]


def _no_column(name, frame, path):
    columns = list(map(str, frame.columns))
    near = get_close_matches(name.lower(), [c.lower() for c in columns], n=1)
    near = next((c for c in columns if near and c.lower() == near[0]), None)
    there = f". Did you mean {near}? There are" if near else "; there are"
    text = f"No column of {path} is called {name!r}{there}: {_columns_of(frame)}."
    if "," in "".join(columns):
        text += " A comma parts names: write ? for one inside a name."
    return UserDataError(text)


def without(frame, drop, labels, groups, path):
    """A table without the columns of ``drop``; what a pattern of labels fits can be dropped."""
    chosen = _chosen(frame, _patterns(drop), path)
    for name in (*_patterns(labels), *([] if groups is None else [groups.strip()])):
        if name in chosen:
            raise UserDataError(
                f"{name!r} of {path} is to be dropped, and is named for labels or groups too: name "
                "it for one of them."
            )
    left, fewer = frame.drop(columns=chosen), "Name fewer columns in --drop (in Python, drop=)."
    if left.empty:
        raise UserDataError(f"--drop names every column of {path}. {fewer}")
    for name in _patterns(labels):
        if _fitting(frame, name) and not _fitting(left, name):
            raise UserDataError(
                f"--drop names every column of {path} that {name!r} of --labels fits. {fewer}"
            )
    named = {c for name in _patterns(labels) for c in _fitting(left, name)}
    if named and named | ({groups.strip()} if groups else set()) >= set(left.columns):
        raise UserDataError(f"--drop leaves no feature of {path}. {fewer}")
    return left


def without_groups(frame, groups, labels, path):
    """A table without its column of groups, and that column."""
    groups = groups.strip()
    if list(frame.columns).count(groups) != 1:
        raise _no_column(groups, frame, path)
    if any(groups in _fitting(frame, pattern) for pattern in _patterns(labels)):
        raise UserDataError(
            f"{groups!r} is named for groups and for labels of {path}: name it for one of them."
        )
    return frame.drop(columns=groups), frame[groups]


def _columns_of(frame):
    """Names of the first columns of a table."""
    more = frame.shape[1] - 12
    return ", ".join(map(str, frame.columns[:12])) + (f" and {more} more" if more > 0 else "")


def with_line(text, path):
    """What is wrong in a row of a CSV file, with the line in which that row begins."""
    place = re.match(r"(?:Negative values in |groups: )?(?:[XD]:? )?row (\d+)", text)
    if place is None:
        return text
    with open(path, encoding="utf-8-sig", newline="") as file, suppress(csv.Error):
        reader, row, line = csv.reader(file, skipinitialspace=True), -1, 1
        for cells in reader:
            if "".join(cells).strip() or len(cells) > 1:  # no empty line
                if row == int(place[1]):
                    return f"{place[0]} (line {line}){text[place.end() :]}"
                row += 1
            line = reader.line_num + 1
    return text
