"""Columns that are no feature or no label, and sums of labels that look like slips."""

import re
import warnings

import numpy as np

from ldlrepro.errors import NormalisationWarning, outside
from ldlrepro.user.cells import numeric
from ldlrepro.user.files import UserDataError
from ldlrepro.validation import LARGEST

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
#: How far rounded degrees are off their total, as a share.
_ROUNDED = 0.02
#: Rows from which on a first or last column that only counts is no accident.
_COUNTED = 20


def refuse_row_numbers(frame, what):
    """UserDataError naming the first column that numbers the rows: it would go in as a feature."""
    for position, name in enumerate(frame.columns):
        text = str(name).strip()
        nameless = _WITHOUT_NAME.fullmatch(text) is not None
        is_id = nameless or _is_of_rows(text)
        at_end = position in (0, frame.shape[1] - 1) and len(frame) >= _COUNTED
        if not (is_id or at_end) or len(frame) < 2:
            continue
        column = frame.iloc[:, position]
        numbers = numeric(column)
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


def warn_of_groups(X):
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


def refuse_total(D, names):
    """UserDataError where a column of D (n, c) is the sum of the others: no label, a total."""
    if D.shape[1] < 3 or len(D) < 2:
        return
    largest = np.abs(D).max(axis=1, keepdims=True)
    D = D / np.where(largest > 0, largest, 1)  # so that no sum overflows
    sums = D.sum(axis=1)
    # One that is the same in every row, 100 say, beside degrees that were rounded.
    off = np.where((D == D[0]).all(axis=0), _ROUNDED, 1e-6)
    is_total = (np.abs(2 * D - sums[:, None]) <= off * sums[:, None]).all(axis=0)
    if is_total.any():
        column = int(np.argmax(is_total))
        called = f" ({names[column]!r})" if names else ""
        raise UserDataError(
            f"Column {column} of the labels{called} is the sum of the others in every row: a "
            "total, and no label. Leave this column out."
        )


def warn_of_sums(D):
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
