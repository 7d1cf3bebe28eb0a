"""The store of records: one CSV file a data set, safe against kills and full disks.

A file is replaced as a whole: written beside, flushed, moved. Each row ends in a checksum, so that
a row cut short or edited by hand is found, set aside and computed again; the rest is kept.
"""

import contextlib
import csv
import io
import json
import os
import tempfile
import time
import warnings
import zlib

import pandas as pd

from ldlrepro.errors import RecordDamagedWarning
from ldlrepro.metrics import DISTRIBUTION

try:
    import fcntl
except ImportError:  # Windows: one run at a time is then the user's care
    fcntl = None

_FIRST = (
    "paper",
    "experiment",
    "dataset",
    "source",
    "data_sha256",
    "method",
    "parameters",
    "seed",
    "fold",
)
_LAST = (
    "fit_seconds",
    "predict_seconds",
    "n_train",
    "n_test",
    "versions",
    "machine",
    "fingerprint",
)


class RecordStore:
    """Records of one experiment, in ``folder``/<dataset>.csv.

    Parameters
    ----------
    folder : Path
    measures : names of the measures, in the middle of the ``columns``
    """

    def __init__(self, folder, measures=tuple(DISTRIBUTION)):
        self.folder = folder
        self.columns = (*_FIRST, *measures, *_LAST)
        self._numbers = (*measures, "fit_seconds", "predict_seconds")

    def read(self, dataset=None):
        """Return the records as a DataFrame with ``columns`` (of one data set, or of all)."""
        names = [dataset] if dataset else sorted(p.stem for p in self.folder.glob("*.csv"))
        rows = [row for name in names for row in self._sound_rows(name)]
        frame = pd.DataFrame(rows, columns=self.columns)
        for column in self._numbers:
            frame[column] = frame[column].astype(float)
        for column in ("seed", "fold", "n_train", "n_test"):
            frame[column] = frame[column].astype(int)
        for column in ("parameters", "versions"):
            frame[column] = [json.loads(text) for text in frame[column]]
        return frame

    def put(self, records):
        """Add the records of one job; those it replaces (same method, seed, fold) go.

        Parameters
        ----------
        records : list of dict with the keys ``columns``, of one data set, method, seed and fold
        """
        new = [self._as_text(r) for r in records]
        job = _job(new[0])
        dataset = new[0]["dataset"]
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._lock(dataset):
            kept = [r for r in self._mend(dataset) if _job(r) != job]
            rows = sorted(kept + new, key=lambda r: (r["method"], int(r["seed"]), int(r["fold"])))
            self._write(dataset, rows)

    def _path(self, dataset):
        return self.folder / f"{dataset}.csv"

    @contextlib.contextmanager
    def _lock(self, dataset):
        if fcntl is None:
            yield
            return
        with open(self.folder / f"{dataset}.lock", "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _sound_rows(self, dataset):
        good, bad, _ = self._parsed(dataset)
        if not bad:
            return good
        with self._lock(dataset):  # another process may write or mend the file meanwhile
            return self._mend(dataset)

    def _mend(self, dataset):
        """Good rows; damaged ones are set aside and the file written anew. Wants the lock."""
        good, bad, content = self._parsed(dataset)
        if bad:
            path = self._path(dataset)
            aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            aside.write_bytes(content)
            self._write(dataset, good)
            warnings.warn(
                f"{path}: {len(bad)} damaged row(s), first at line {bad[0]}; a copy is in "
                f"{aside.name}, {len(good)} good rows are kept, `ldlrepro run` computes the rest.",
                RecordDamagedWarning,
                stacklevel=5,
            )
        return good

    def _parsed(self, dataset):
        path = self._path(dataset)
        if not path.exists():
            return [], [], b""
        content = path.read_bytes()
        return *self._parse(content.decode("utf-8", errors="replace")), content

    def _write(self, dataset, rows):
        lines = [_line([*self.columns, "check"])]
        for row in rows:
            cells = [row[c] for c in self.columns]
            lines.append(_line([*cells, _check(cells)]))
        write_whole(self._path(dataset), "".join(lines))

    def _parse(self, text):
        """Good rows as dicts of text, and the line numbers of damaged ones."""
        good, bad = [], []
        # One line at a time: no cell holds a line break, and a lost quote spoils its own row only.
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        if _cells(lines[0]) != [*self.columns, "check"]:
            return [], [1]
        for number, line in enumerate(lines[1:], 2):
            cells = _cells(line)
            if len(cells) == len(self.columns) + 1 and _check(cells[:-1]) == cells[-1]:
                good.append(dict(zip(self.columns, cells[:-1], strict=True)))
            else:
                bad.append(number)
        return good, bad

    def _as_text(self, record):
        row = {}
        for column in self.columns:
            value = record[column]
            if column in self._numbers:
                row[column] = f"{value:.10g}"
            elif column in ("parameters", "versions"):
                row[column] = json.dumps(value, sort_keys=True)
            else:
                row[column] = str(value)
        return row


def write_whole(path, text):
    """Replace the file at ``path`` by ``text``: beside it first, flushed, then moved into place."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", newline="", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _line(cells):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _check(cells):
    return f"{zlib.crc32(chr(31).join(cells).encode()):08x}"


def _cells(line):
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def _job(row):
    return row["method"], row["seed"], row["fold"]
