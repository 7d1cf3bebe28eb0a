"""A user's own table: CSV, Parquet, .npz or .mat in, a bunch as `datasets.load` gives out."""

import hashlib
import os
import re

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from ldlrepro.entrance import check_same_rows, check_type
from ldlrepro.parameter_types import shown
from ldlrepro.paths import check_file, expanded
from ldlrepro.user import files, slips
from ldlrepro.user.cells import numbers_of
from ldlrepro.user.files import UserDataError
from ldlrepro.validation import check_distributions, check_kind

#: Share of zeros and ones among labels above which the others are taken for slips.
_NEARLY = 0.95
#: Bytes of a name of data: a file is called by it, and file systems take 255.
_LONGEST = 200


def read(path, labels=None, task="auto", groups=None, drop=None):
    """Read a table of features and labels.

    Parameters
    ----------
    path : Path or str
        .csv, .parquet (with pyarrow), .npz or .mat file.
    labels : str or list of str
        Columns with degrees or 0/1 labels, as names or patterns ("d_*"), in a text with commas
        between; not needed for .npz and .mat, which have arrays X or features, and D, Y or labels.
    task
        As for `bunch`.
    groups : str or None
        Column of a .csv or .parquet file that says which rows belong together ("person"); it is
        no feature.
    drop : str, list of str or None
        Columns of a .csv or .parquet file that are left out, as names or patterns, as for
        ``labels``.

    Returns
    -------
    Bunch
        See `bunch`.

    Raises
    ------
    UserDataError
        No such file, another kind of file, no column that a pattern or ``groups`` names, or one
        that two of them name, or a value that is no number, with its row, column and, in a .csv
        file, line.

    Warns
    -----
    UserWarning
        A feature has the name of a person's number, and ``groups`` is None.

    See Also
    --------
    bunch : From arrays or DataFrames.
    """
    if not isinstance(path, str | os.PathLike):
        raise UserDataError(
            f"path is no text but of the type {type(path).__name__}: give the path of a file, as "
            "in 'my.csv'. X and D that are at hand go to `bunch`."
        )
    path = expanded(path)
    check_file(path)
    if not path.is_file():
        raise UserDataError(f"There is no file {path}.")
    kind = path.suffix.lower()
    together = None
    if groups is not None and not isinstance(groups, str):
        raise UserDataError(f"groups is {shown(groups)}: give the name of one column, a text.")
    if kind in (".npz", ".mat"):
        if groups is not None:
            raise UserDataError(
                f"groups is for tables, and {path} holds arrays: read it in Python, and give "
                "compare(X, D, groups=...) an array."
            )
        if drop is not None:
            raise UserDataError(
                f"drop is for tables, and {path} holds arrays: leave the columns out of X, or read "
                "it in Python."
            )
        X, D = files.arrays(path, kind)
    elif kind in (".csv", ".parquet", ".pq"):
        frame = files.table(path, kind)
        if not len(frame):
            raise UserDataError(f"{path} has names of columns and no rows.")
        if drop is not None:
            frame = files.without(frame, drop, labels, groups, path)
        if groups is not None:
            frame, together = files.without_groups(frame, groups, labels, path)
        slips.refuse_row_numbers(frame, str(path))
        X, D = files.columns(frame, labels, path)
        if groups is None:
            slips.warn_of_groups(X)
    else:
        raise UserDataError(f"{path}: files are .csv, .parquet, .npz or .mat, not {kind!r}.")
    try:
        return bunch(X, D, _printable(path.stem), task, together)
    except UserDataError as error:
        text = str(error)
        if text.startswith("X row") and "encode texts" in text:
            text += " A column that is no feature is left out by --drop (in Python, drop=)."
            if groups is None:
                text += " One that says which rows belong together is named by --groups (groups=)."
        if "of the others in every row" in text and kind not in (".npz", ".mat"):
            text += (
                " --drop (in Python, drop=) does that. If --labels has the name itself and not a "
                "pattern, take it out there too."
            )
        raise UserDataError(files.with_line(text, path) if kind == ".csv" else text) from None


def bunch(X, D, name="data", task="auto", groups=None):
    """Features and targets as a bunch.

    Parameters
    ----------
    X : (n, q) DataFrame or array
        Features.
    D : (n, c) DataFrame or array
        Label distributions.
    name : str
        That of the data in tables, and of the file of their records: without / and \\.
    task : {"ldl", "multilabel", "auto"}
        Rows of degrees, or zeros and ones. "auto": multi-label where all targets are 0 or 1 and
        some row has none or several.
    groups : (n,) Series, array or list, or None
        Rows with one value belong together ("person"): folds do not part them.

    Returns
    -------
    Bunch
        With X, D or Y, feature_names, label_names, is_named and has_label_names (whether they came
        with the data), name, display, source "own", sha256; with ``groups`` also groups, their
        numbers, and group_name, that of the Series.

    Raises
    ------
    UserDataError
        Shapes that do not fit, no row or no feature, a value that is no number, degrees that are
        none, a column of row numbers, a label that is the sum of the others, a bad ``name``, rows
        with other names in X than in D or ``groups``, or with the same in another order, or groups
        that are missing for a row or keep no two rows together.

    Warns
    -----
    NormalisationWarning
        Rows of D that do not sum to 1: they are divided by their sum.
    RowNamesWarning
        The rows of one of X and D, or X and ``groups``, have names: both are paired by position.

    See Also
    --------
    read : From a file.
    """
    check_name(name)
    _check_pair(X, D, groups)
    features, labels = (
        list(map(str, A.columns)) if isinstance(A, pd.DataFrame) else None for A in (X, D)
    )
    X, D = numbers_of(X, "X"), numbers_of(D, "D")
    _check_shapes(X, D)
    task = _task(D, task)
    of_groups = {} if groups is None else _groups(groups, len(X))
    if task == "ldl":
        D = _distributions(D, labels)
    digest = hashlib.sha256()
    for array in (X, D, *([of_groups["groups"]] if of_groups else [])):
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return Bunch(
        X=X,
        feature_names=features or [f"feature {j + 1}" for j in range(X.shape[1])],
        label_names=labels or [f"label {j + 1}" for j in range(D.shape[1])],
        is_named=features is not None,
        has_label_names=labels is not None,
        name=name,
        display=name,
        task=task,
        source="own",
        sha256=digest.hexdigest(),
        **{"Y" if task == "multilabel" else "D": D},
        **of_groups,
    )


def again(data, task="auto"):
    """A bunch made anew of what it holds now: its arrays may have been changed since.

    Parameters
    ----------
    data : Bunch
        Of `bunch`, `datasets.load` or a maker of synthetic data.
    task
        As for `bunch`; "auto" leaves that of the data.

    Raises
    ------
    UserDataError
        As `bunch`.
    """

    def named(A, names, is_named):
        if data.get(is_named) and not hasattr(A, "iloc") and np.shape(A)[1:] == (len(names),):
            return pd.DataFrame(A, columns=names)
        return A

    X = named(data.X, data.feature_names, "is_named")
    D = named(data.D if "D" in data else data.Y, data.label_names, "has_label_names")
    groups = data.get("groups")
    if groups is not None and not hasattr(groups, "iloc"):
        groups = pd.Series(groups, name=data.get("group_name"), index=getattr(X, "index", None))
    made = bunch(X, D, data.name, data.get("task", "auto") if task == "auto" else task, groups)
    made.display = data.get("display", data.name)
    for names in ("feature_names", "label_names"):  # of registered data, whose arrays have none
        given = data.get(names)
        if given is not None and len(given) == len(made[names]):
            made[names] = list(map(str, given))
    return made


def _check_pair(X, D, groups):
    """UserDataError where X, D or groups are of another kind, or not of the same rows."""
    _refuse_other_order(X, D, "X", "D")
    _refuse_other_order(X, groups, "X", "groups")
    _refuse_other_order(D, groups, "D", "groups")
    try:
        check_type(X, "X")
        check_type(D, "D")
        check_kind(X, "X")
        check_same_rows(X, D, "X", "D")
        check_same_rows(*((X, groups, "X") if hasattr(X, "iloc") else (D, groups, "D")), "groups")
    except (TypeError, ValueError) as error:
        raise UserDataError(str(error)) from None
    if isinstance(X, pd.DataFrame):
        slips.refuse_row_numbers(X, "X")


def _check_shapes(X, D):
    """UserDataError where arrays are not (n, q) and (n, c), with a row, a feature and a label."""
    if X.ndim == D.ndim == 2 and len(X) != len(D):
        raise UserDataError(
            f"Features have {len(X)} rows, targets {len(D)}: give one row of targets for each row "
            "of features."
        )
    if X.ndim != 2 or D.ndim != 2:
        raise UserDataError(
            f"Features have shape {X.shape}, targets {D.shape}: expected (n, q) and (n, c)."
        )
    if not X.size or not D.size:
        raise UserDataError(
            f"Features have shape {X.shape}, targets {D.shape}: a row, a feature and a label are "
            "needed at least."
        )


def _task(D, task):
    """Task of targets (n, c): what is asked for, or what they look like."""
    if task not in ("auto", "ldl", "multilabel"):
        raise UserDataError(f"task is {task!r}: auto, ldl or multilabel.")
    is_binary = np.isin(D, (0, 1))
    if is_binary.all():
        if task == "auto":
            return "multilabel" if (D.sum(axis=1) != 1).any() else "ldl"
        return task
    row, column = np.argwhere(~is_binary)[0]
    value = f"D row {row}, column {column} is {D[row, column]}"
    if task == "multilabel":
        raise UserDataError(f"{value}: multi-label targets are 0 or 1.")
    if task == "auto" and is_binary.mean() > _NEARLY:
        sums = D.sum(axis=1)
        # Else most rows have all in one label, or as many votes.
        if np.isclose(sums, 1).mean() < 0.5 and np.ptp(sums) > 0:
            raise UserDataError(
                f"{value}, and nearly all other labels are 0 or 1: correct it, or say that they "
                "are degrees or votes by --task ldl (in Python, task='ldl')."
            )
    return "ldl"


def _distributions(D, labels):
    """Rows of D (n, c) that sum to 1 within rounding; UserDataError where they are no degrees."""
    if (D != D[0]).any():  # rows that are all equal are told by `compare`
        slips.refuse_total(D, labels)
    slips.warn_of_sums(D)
    try:
        divided = check_distributions(D)  # per cent, say: measures take rows that sum to 1
    except ValueError as error:
        text = str(error)
        if labels:
            text = re.sub(r"column (\d+)", lambda at: f"column {labels[int(at[1])]!r}", text)
        raise UserDataError(text) from None
    # What was divided once stays: other last digits would be other data.
    with np.errstate(over="ignore"):
        is_whole = np.abs(D.sum(axis=1) - 1) <= D.shape[1] * np.finfo(float).eps
    return np.where(is_whole[:, None], D, divided)


def _refuse_other_order(A, B, a, b):
    """UserDataError where B has the names of A's rows, and another order of them."""
    if not (hasattr(A, "iloc") and hasattr(B, "iloc")) or A.index.equals(B.index):
        return
    if len(A) == len(B) and sorted(map(hash, A.index)) == sorted(map(hash, B.index)):
        if not A.index.is_unique:
            raise UserDataError(
                f"Rows of {a} and {b} have names that stand for several rows, in two orders. Give "
                f"each row a name of its own, or {b}.to_numpy() if it is in the order of the rows "
                f"of {a}."
            )
        raise UserDataError(
            f"{b} has the names of the rows of {a} in another order. Give {b}.loc[{a}.index], or "
            f"{b}.to_numpy() if they are in the order of the rows."
        )


def _groups(groups, n):
    """Numbers and name of groups, as entries of a bunch."""
    name = str(getattr(groups, "name", None) or "group")
    if isinstance(groups, np.ma.MaskedArray):
        groups = [
            None if hidden else value
            for value, hidden in zip(groups, np.ma.getmaskarray(groups), strict=True)
        ]
    if isinstance(groups, list | tuple):  # as they are: an array makes texts of all
        groups = pd.Series(list(groups), dtype=object)
    if getattr(groups, "dtype", None) is not None and np.ndim(groups) == 1:
        is_text = groups.dtype.kind in "OUT" or isinstance(groups.dtype, pd.StringDtype)
        if is_text:  # spaces around them do not count
            groups = pd.Series(groups, dtype=object).map(
                lambda value: value.strip() if isinstance(value, str) else value
            )
    if isinstance(groups, str):
        raise UserDataError(
            f"groups is the text {groups!r}: give a value for each row, as in "
            f"groups=table[{groups!r}]."
        )
    if np.shape(groups) != (n,):
        raise UserDataError(
            f"groups has shape {np.shape(groups)}: give one value for each of the {n} rows, ({n},)."
        )
    try:
        numbers, names = pd.factorize(groups)
    except TypeError:  # lists, say
        raise UserDataError(
            "groups has values that cannot be told apart: give texts or ints."
        ) from None
    if (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise UserDataError(
            f"groups: row {row} has no {name}. Give it one, or leave the row out. A row that "
            "belongs to no other needs a name that no other has. NA, None, nan and null count as "
            "missing in a file: write another word."
        )
    if len(names) == n:
        raise UserDataError(
            f"groups: no two rows have the same {name}, so that there is nothing to keep together. "
            "Leave it out, or name another."
        )
    return {"groups": numbers.astype(np.int64), "group_name": name}


def check_name(name):
    """Raise UserDataError where a file of records cannot be called by a name of data."""
    text = str(name)
    try:
        long = len(text.encode()) > _LONGEST
    except UnicodeEncodeError:  # half a character, of a file name that is not in UTF-8
        long = True
    if long or text != _printable(text) or text.strip(". ") == "":
        raise UserDataError(
            f"name is {text!r}: records go into a file of this name. Give up to {_LONGEST} "
            "letters, without / and \\ and without signs that cannot be printed."
        )


def _printable(name):
    """A name with _ for what cannot be printed or would make it a path, not too long for a file."""
    name = "".join(c if c.isprintable() and c not in "/\\" else "_" for c in name)
    return name.encode()[:_LONGEST].decode(errors="ignore")
