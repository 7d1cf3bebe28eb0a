"""`check`: what the data sets at hand look like, and whether their files are the right ones."""

import numpy as np

from ldlrepro.datasets import files, loading, registry
from ldlrepro.errors import DataCorruptError

COLUMNS = (
    "name", "source", "file", "n", "q", "c", "shape", "x_min", "x_max", "d_min", "d_max",
    "rows_not_summing_to_1", "repeated_rows", "constant_features", "empty_labels", "empty_rows",
)  # fmt: skip


def check(names=None):
    """Check the files of the data sets that are at hand; nothing is downloaded.

    Parameters
    ----------
    names : str, iterable of str, or None
        The sets to check; None checks all that are at hand.

    Returns
    -------
    list of dict
        One row a set (and one for a re-aligned file), each with the keys ``COLUMNS``; a value
        that does not apply is None. ``file`` is "ok", "not at hand" or the error's message
        (where no digest is known, "ok" is a file that can be read and has the right shape).
        ``shape`` is "ok" or "differs" from the registry. ``x_min`` ... ``d_max`` are ranges of
        the features and of the label degrees as stored. ``rows_not_summing_to_1`` are off by
        more than 1e-6 (before the loader normalises). ``repeated_rows`` counts rows whose
        features repeat those of an earlier row. ``empty_labels`` and ``empty_rows`` count label
        columns and rows without a single 1 (multi-label sets).

    Raises
    ------
    UnknownNameError

    See Also
    --------
    fetch : Puts files at hand.
    load : Reads them.
    """
    if isinstance(names, str):
        names = [names]
    rows = []
    for name in registry.names() if names is None else dict.fromkeys(map(registry.resolve, names)):
        original, substitute = registry.parts(name), registry.realigned(name)
        if all(files.locate(entry) for entry in original):
            rows.append(_check(original, "real"))
        elif names is not None and not (substitute and files.locate(substitute)):
            rows.append(_row(name, "real", "not at hand"))
        if substitute and files.locate(substitute):
            rows.append(_check([substitute], "realigned"))
    return rows


def _row(name, source, state):
    return dict.fromkeys(COLUMNS) | {"name": name, "source": source, "file": state}


def _check(entries, source):
    row = _row(entries[0].name, source, "ok")
    try:
        arrays, _ = loading.read_parts(entries)
    except DataCorruptError as error:
        return row | {"file": str(error)}
    shapes = {}
    if "X" in arrays:
        row |= _features(arrays["X"])
        shapes["q"] = arrays["X"].shape[1], entries[0].features
    if "D" in arrays:
        D = arrays["D"]
        off = np.abs(D.sum(axis=1) - 1) > 1e-6
        row |= {"d_min": float(D.min()), "d_max": float(D.max())}
        row["rows_not_summing_to_1"] = int(off.sum())
    if "Y" in arrays:
        Y = arrays["Y"]
        row["empty_labels"] = int((Y.sum(axis=0) == 0).sum())
        row["empty_rows"] = int((Y.sum(axis=1) == 0).sum())
    targets = next(arrays[k] for k in ("D", "Y", "rankings") if k in arrays)
    shapes["n"] = len(targets), sum(e.n for e in entries) if all(e.n for e in entries) else None
    if targets.ndim == 2:
        shapes["c"] = targets.shape[1], entries[0].labels
    row |= {letter: found for letter, (found, _) in shapes.items()}
    agree = all(known in (None, found) for found, known in shapes.values())
    return row | {"shape": "ok" if agree else "differs"}


def _features(X):
    first_seen = {row.tobytes() for row in X + 0.0}  # adding zero turns -0.0 into 0.0
    return {
        "x_min": float(X.min()),
        "x_max": float(X.max()),
        "repeated_rows": len(X) - len(first_seen),
        "constant_features": int((X == X[0]).all(axis=0).sum()),
    }
