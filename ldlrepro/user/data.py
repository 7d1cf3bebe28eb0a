"""A user's own table: CSV, Parquet, .npz or .mat in, a bunch as `datasets.load` gives out."""

import hashlib
import os
import re
import unicodedata
import warnings
from numbers import Real

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from ldlrepro.entrance import check_same_rows, check_type
from ldlrepro.errors import NormalisationWarning, outside
from ldlrepro.parameter_types import shown
from ldlrepro.paths import check_file, expanded
from ldlrepro.user import files
from ldlrepro.user.files import UserDataError
from ldlrepro.validation import LARGEST, check_distributions, check_kind

#: What software calls a column without a name, or the column that it makes of row names.
_WITHOUT_NAME = re.compile(r"(Unnamed: \d+(\.\d+)?|\.\.\.\d+|#)?")
#: Names of row numbers, in any case and without signs between; R calls them X.
_OF_ROWS = re.compile(
    r"(row|sample|subject|patient|person|participant|user|case|record|item|instance|obs|observation)?"
    r"(id|idx|index|no|nr|num|number)"
    r"|(row|record|case|sample)s?|row_?names?|rn|obs|observation|serial(no)?|s(r)?no"
    r"|(index)?level\d+",
    re.IGNORECASE,
)
#: Names of columns that say which rows belong together.
_IDS = re.compile(r"(patient|person|subject|participant|user)([_ -]?(id|no|nr))?|id")
#: Share of zeros and ones among labels above which the others are taken for slips.
_NEARLY = 0.95
#: Rows from which on a first or last column that only counts is no accident.
_COUNTED = 20
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
        _refuse_row_numbers(frame, str(path))
        X, D = files.columns(frame, labels, path)
        if groups is None:
            _warn_of_groups(X)
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
        none, a column of row numbers, a label that is the sum of the others, rows with other names
        in X than in D or ``groups``, groups that are missing for a row or keep no two rows
        together, or a bad ``name``.

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
    _refuse_other_order(X, groups, "X")
    _refuse_other_order(D, groups, "D")
    try:
        check_type(X, "X")
        check_type(D, "D")
        check_kind(X, "X")
        check_same_rows(X, D, "X", "D")
        check_same_rows(*((X, groups, "X") if hasattr(X, "iloc") else (D, groups, "D")), "groups")
    except (TypeError, ValueError) as error:
        raise UserDataError(str(error)) from None
    if isinstance(X, pd.DataFrame):
        _refuse_row_numbers(X, "X")
    features, labels = (
        list(map(str, A.columns)) if isinstance(A, pd.DataFrame) else None for A in (X, D)
    )
    X, D = _numbers(X, "X"), _numbers(D, "D")
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
    if task not in ("auto", "ldl", "multilabel"):
        raise UserDataError(f"task is {task!r}: auto, ldl or multilabel.")
    is_binary = np.isin(D, (0, 1))
    binary = bool(is_binary.all())
    if task == "multilabel" and not binary:
        row, column = np.argwhere(~np.isin(D, (0, 1)))[0]
        raise UserDataError(
            f"D row {row}, column {column} is {D[row, column]}: multi-label targets are 0 or 1."
        )
    if task == "auto" and not binary and is_binary.mean() > _NEARLY:
        row, column = np.argwhere(~is_binary)[0]
        sums = D.sum(axis=1)
        # Else most rows have all in one label, or as many votes.
        if np.isclose(sums, 1).mean() < 0.5 and np.ptp(sums) > 0:
            raise UserDataError(
                f"D row {row}, column {column} is {D[row, column]}, and nearly all other labels "
                "are 0 or 1: correct it, or say that they are degrees or votes by --task ldl (in "
                "Python, task='ldl')."
            )
    if task == "auto":
        task = "multilabel" if binary and (D.sum(axis=1) != 1).any() else "ldl"
    of_groups = {} if groups is None else _groups(groups, len(X))
    if task == "ldl":
        if (D != D[0]).any():  # rows that are all equal are told by `compare`
            _refuse_total(D, labels)
        _warn_of_sums(D)
        try:
            D = check_distributions(D)  # per cent, say: measures take rows that sum to 1
        except ValueError as error:
            text = str(error)
            if labels:
                text = re.sub(r"column (\d+)", lambda at: f"column {labels[int(at[1])]!r}", text)
            raise UserDataError(text) from None
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


def _refuse_other_order(A, groups, name):
    """UserDataError where groups have the names of the rows, and another order of them."""
    if not (hasattr(A, "iloc") and hasattr(groups, "iloc")) or A.index.equals(groups.index):
        return
    if len(A) == len(groups) and set(A.index) == set(groups.index):
        raise UserDataError(
            f"groups has the names of the rows of {name} in another order. Give "
            f"groups.loc[{name}.index], or groups.to_numpy() if they are in the order of the rows."
        )


def _warn_of_sums(D):
    """Warn of the row whose sum is unlike the others', where they are about equal and not 1."""
    with np.errstate(over="ignore"):
        sums = np.minimum(D.sum(axis=1), LARGEST)
    middle = float(np.median(sums))
    apart = np.abs(sums - middle)
    far = apart > 0.05 * middle
    if middle > 0 and abs(middle - 1) > 0.05 and far.any() and (apart > 0.02 * middle).mean() < 0.1:
        row = int(np.argmax(far))
        warnings.warn(
            f"the rows of D sum to about {middle:.4g}, but {far.sum()} of {len(D)} do not (the "
            f"first: row {row}, sum {sums[row]:.4g}): look at them",
            NormalisationWarning,
            stacklevel=outside(),
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
            "belongs to no other needs a name that no other has."
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


def _warn_of_groups(X):
    """Warn of a column of numbers that seems to say which rows belong together."""
    for name in X.select_dtypes("number"):
        whole = (X[name] % 1 == 0).all() and 2 < X[name].nunique() < len(X)
        if whole and _IDS.fullmatch(str(name).lower()):
            warnings.warn(
                f"column {name!r} is taken for a feature; if it says which rows belong together, "
                "name it by --groups (in Python, groups=)",
                UserWarning,
                stacklevel=outside(),
            )


def _refuse_row_numbers(frame, what):
    """UserDataError naming the first column that numbers the rows: it would go in as a feature."""
    for position, name in enumerate(frame.columns):
        text = str(name).strip()
        nameless = _WITHOUT_NAME.fullmatch(text) is not None
        is_id = nameless or _is_of_rows(text)
        at_end = position in (0, frame.shape[1] - 1) and len(frame) >= _COUNTED
        if not (is_id or at_end) or len(frame) < 2:
            continue
        column = frame.iloc[:, position]
        numbers = _numeric(column)
        if nameless and position == 0 and numbers.isna().all() and isinstance(column.iloc[0], str):
            raise UserDataError(
                f"{what} has a first column without a name, with texts such as "
                f"{column.iloc[0]!r}: names of the rows. Leave it out (in pandas, "
                "to_csv(index=False), in R, row.names = FALSE)."
            )
        if numbers.isna().any() or (numbers % 1 != 0).any() or numbers.nunique() < len(frame):
            continue
        if not is_id and not _counts(numbers):
            continue
        called = "without a name" if nameless else f"called {text!r}"
        place = "first " if position == 0 else ""
        way_out = "give it another name" if is_id and not _counts(numbers) else "scale it"
        option = "" if what == "X" else f"by --drop {text!r}; "
        raise UserDataError(
            f"{what} has a {place}column {called} that counts the rows: whole numbers, no two the "
            f"same. A method would take it for a feature. Leave it out ({option}in pandas, "
            "to_csv(index=False), in R, row.names = FALSE). Where it is a feature, a time say, "
            f"{way_out}, or give X and D as arrays in Python."
        )


def _is_of_rows(text):
    plain = re.sub(r"[\W_]+", "", text)
    return text == "X" or _OF_ROWS.fullmatch(plain) is not None


def _counts(numbers):
    """Whether numbers are 0, 1, 2, ... or 1, 2, 3, ... in order."""
    values = numbers.to_numpy(float)
    return values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def _refuse_total(D, names):
    """UserDataError where a column of D (n, c) is the sum of the others: no label, a total."""
    if D.shape[1] < 3 or len(D) < 2:
        return
    largest = np.abs(D).max(axis=1, keepdims=True)
    D = D / np.where(largest > 0, largest, 1)  # so that no sum overflows
    sums = D.sum(axis=1)
    is_total = (np.abs(2 * D - sums[:, None]) <= 1e-6 * sums[:, None]).all(axis=0)
    if is_total.any():
        column = int(np.argmax(is_total))
        called = f" ({names[column]!r})" if names else ""
        raise UserDataError(
            f"Column {column} of the labels{called} is the sum of the others in every row: a "
            "total, and no label. Leave it out by --drop, since patterns of --labels take every "
            "name that they fit."
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
            numbers = _numeric(A[column]).to_numpy(float, na_value=np.nan)
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


def _numeric(column):
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
