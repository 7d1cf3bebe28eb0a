"""`check`: what the data sets at hand look like, and whether their files are the right ones."""

import os
import shutil
import warnings
from pathlib import Path

import numpy as np

from ldlrepro import paths
from ldlrepro.datasets import accepted, files, loading, readers, registry
from ldlrepro.errors import DataCorruptError, DataUnavailableError, UnverifiedCopyWarning

#: What `check` says of a copy that the user has accepted.
UNVERIFIED = "unverified copy, accepted"
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
        that does not apply is None. ``file`` is "ok", "not at hand", "unverified copy, accepted" or
        the error's message (where no digest is known, "ok" is a file that can be read and has the
        right shape).
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


def _check_is_no_other(found, digests, entry):
    """Raise a DataCorruptError for a file that is registered as another data set's."""
    for other in registry.entries():
        kind, expected = other.expected
        if expected and digests[kind] == expected and other.file != entry.file:
            raise DataCorruptError(
                f"{found} is the registered file of {other.display}, not of {entry.display}. "
                "Nothing was taken."
            )


def _copy_whole(found, target):
    """Copy a file beside its place first: a full disk leaves what was there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}-{os.getpid()}.tmp")
    try:
        shutil.copyfile(found, aside)
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def accept(name, path=None):
    """Take a copy that has another digest, as one that was saved again, for a file of a data set.

    It is read and its numbers of rows, features and labels are compared with the registry. It is
    recorded as unverified; records and tables made from it say so.

    Parameters
    ----------
    name : str
        Any spelling that `resolve` knows.
    path : Path or str
        The copy, which is put with the downloads; None takes the file that is in place.

    Returns
    -------
    Path
        The file, now accepted.

    Raises
    ------
    DataUnavailableError
        There is no such file.
    DataCorruptError
        It cannot be read, or its numbers are not those of the registry.

    See Also
    --------
    fetch : Downloads the registered file, which is better.
    """
    parts = registry.parts(name)
    wanted = [p for p in parts if path is None or Path(p.file).name == Path(path).name]
    if len(parts) == 1:
        wanted = parts
    if not wanted:
        names = ", ".join(Path(p.file).name for p in parts)
        raise DataUnavailableError(f"{path}: {parts[0].display} is made of {names}; name it so.")
    for entry in wanted:
        found = files.locate(entry) if path is None else Path(path)
        if found is None or not found.is_file():
            raise DataUnavailableError(f"{entry.file}: no copy at {found or 'its place'}.")
        digests, (kind, expected) = files.digests(found), entry.expected
        _check_is_no_other(found, digests, entry)
        _check_numbers(found, entry)
        target = found if path is None else paths.downloads() / entry.file
        if not (target.exists() and target.samefile(found)):
            _copy_whole(found, target)
        if expected and digests[kind] != expected:
            accepted.add(entry.file, digests["sha256"])
    return target


def _check_numbers(path, entry):
    try:
        arrays = readers.read(path, entry)
        targets = next(arrays[k] for k in ("D", "Y", "rankings") if k in arrays)
        X = arrays.get("X", targets)
        finite = bool(np.isfinite(X).all() and np.isfinite(targets).all())
    except Exception as error:  # whatever another file makes of the reader
        raise DataCorruptError(
            f"{path} cannot be read as {entry.file} ({type(error).__name__}: {error})."
        ) from error
    found = {"rows": len(X), "labels": targets.shape[1]} | (
        {"features": X.shape[1]} if "X" in arrays else {}
    )
    known = {"rows": entry.n, "features": entry.features, "labels": entry.labels}
    wrong = [
        f"{n} {w} (expected {known[w]})" for w, n in found.items() if known[w] not in (None, n)
    ]
    if wrong or len(targets) != len(X) or not finite:
        what = ", ".join(wrong) or "rows without labels, or values that are no numbers"
        raise DataCorruptError(f"{path} has {what}: it is not a copy of {entry.file}.")


def _row(name, source, state):
    return dict.fromkeys(COLUMNS) | {"name": name, "source": source, "file": state}


def _check(entries, source):
    row = _row(entries[0].name, source, "ok")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnverifiedCopyWarning)
            arrays, _ = loading.read_parts(entries)
    except DataCorruptError as error:
        return row | {"file": str(error)}
    if any(files.is_unverified(entry) for entry in entries):
        row["file"] = UNVERIFIED
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
