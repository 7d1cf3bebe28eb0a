"""The store of records: one CSV file a data set, safe against kills and full disks.

A file is replaced as a whole: written beside, flushed, moved, and the folder flushed. Each row
ends in a checksum over its cells and their names, so that a row cut short or edited by hand is
found and computed again; the rest is kept. What many rows share of their making (data, versions,
machine) stands once in ``makers.csv`` beside the experiments, named by a digest of its content.

Reading never writes. The next `put` sets a copy of a damaged file aside and writes the good rows.
"""

import contextlib
import csv
import errno
import glob
import hashlib
import io
import json
import os
import stat
import tempfile
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from ldlrepro import paths
from ldlrepro.errors import RecordDamagedWarning
from ldlrepro.metrics import DISTRIBUTION

try:
    import fcntl
except ImportError:  # Windows: one run at a time is then the user's care
    fcntl = None  # type: ignore[assignment]

#: Columns of a record that stand in the table of makers, and what rows have in their place.
MAKER = ("data_sha256", "versions", "machine", "blas", "cpu")
_MADE_BY = "made_by"
_FIRST = (
    "paper",
    "experiment",
    "dataset",
    "source",
    "method",
    "parameters",
    "settings",
    "seed",
    "fold",
)
_LAST = ("fit_seconds", "predict_seconds", "n_train", "n_test")
#: Seconds after which a temporary file has no writer any more.
_OLD = 3600
_JSON = ("parameters", "settings", "versions", "cpu")
_WHOLE = ("seed", "fold", "n_train", "n_test")
#: What brings damaged rows back: of records, and of files that no run writes again.
_COMPUTED = ", `ldlrepro run` computes the rest."
PUT_BACK = ". Put that file back from version control: no run writes its rows again."


class RecordStore:
    """Records of one experiment, in ``folder``/<dataset>.csv.

    Parameters
    ----------
    folder : Path
        Its parent holds the table of makers.
    measures : iterable of str
        Names of the measures, in the middle of the ``columns``.

    Attributes
    ----------
    columns : list of str
        Those of what `read` returns and `put` takes.
    """

    def __init__(self, folder, measures=tuple(DISTRIBUTION)):
        self.folder = folder
        self.makers = folder.parent / "makers.csv"
        self.columns = (*_FIRST, *measures, *_LAST, *MAKER, "fingerprint")
        self._cells = (*_FIRST, *measures, *_LAST, _MADE_BY, "fingerprint")
        self._numbers = (*measures, "fit_seconds", "predict_seconds")

    def read(
        self, dataset: str | None = None, columns: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Return the records as a DataFrame with ``columns`` (of one data set, or of all).

        Parameters
        ----------
        dataset : str
            Name, None for all.
        columns : list of str or None
            Those that are wanted, None for all: most of the time goes into making them.

        Warns
        -----
        RecordDamagedWarning
            Rows that are damaged, written twice, or whose maker is not known are left out.
        """
        names = [dataset] if dataset else self.datasets()
        makers = self._known_makers()
        rows = []
        for name in names:
            parsed = self._parsed(name)
            parsed.warn(self._path(name))
            known = [row | makers[row[_MADE_BY]] for row in parsed.good if row[_MADE_BY] in makers]
            if len(known) < len(parsed.good):
                _warn(
                    f"{self.makers} does not know the makers of {len(parsed.good) - len(known)} "
                    f"row(s) of {self._path(name)}; they are kept, but not used. Put that file "
                    "back, or run again what is missing."
                )
            rows += known
        return pd.DataFrame({name: self._values(name, rows) for name in columns or self.columns})

    def _values(self, column, rows):
        texts = [row[column] for row in rows]
        if column in self._numbers:
            return np.array(texts, float)
        if column in _WHOLE:
            return np.array(texts, int)
        if column in _JSON:  # few texts, each on many rows
            values = {text: json.loads(text) for text in set(texts)}
            return pd.Series([values[text] for text in texts], dtype=object)
        return pd.Series(texts, dtype=str)

    def datasets(self) -> list[str]:
        """Names of the data sets of which there are records."""
        return sorted(p.stem for p in self.folder.glob("*.csv"))

    def put(self, records: list[dict]) -> None:
        """Add the records of one job; those it replaces (same method, seed, fold) go.

        Parameters
        ----------
        records : list of dict
            Each has the keys ``columns``; all are of one data set, method, seed and fold.
        """
        self.put_all([records])

    def put_all(self, jobs: Sequence[list[dict]]) -> None:
        """`put` of several jobs on one data set, written at once."""
        dataset = jobs[0][0]["dataset"]
        makers: dict[str, dict] = {}
        new = [self._as_text(record, makers) for records in jobs for record in records]
        replaced = {_job(row) for row in new}
        self.folder.mkdir(parents=True, exist_ok=True)
        self._add_makers(makers)
        with locked(self.folder / f"{dataset}.lock"):
            there = self._mended(dataset)
            kept = [r for r in there.good if _job(r) not in replaced]
            rows = sorted(kept + new, key=lambda r: (r["method"], int(r["seed"]), int(r["fold"])))
            write_table(self._path(dataset), there.columns, rows)

    def _path(self, dataset):
        return self.folder / f"{dataset}.csv"

    def _parsed(self, dataset):
        # Measures may have been added since: such rows are stale, but not damaged.
        needed = (*_FIRST, *_LAST, _MADE_BY, "fingerprint")
        return Table(self._path(dataset), self._cells, _place, needed, self._is_sound)

    def _is_sound(self, row):
        try:
            for column in self._numbers:
                float(row[column])
            for column in _WHOLE:
                int(row[column])
        except ValueError:
            return False
        return _is_object(row["parameters"]) and _is_object(row["settings"], (dict, str))

    def _mended(self, dataset):
        """The table, to be written again; a damaged file is copied aside. Wants the lock."""
        parsed = self._parsed(dataset)
        if parsed.bad:
            parsed.warn(self._path(dataset), _set_aside(self._path(dataset), parsed.content))
        return parsed

    def _known_makers(self):
        """Makers by id, as dicts of text; only those whose content gives their id."""
        table = self._table_of_makers()
        table.warn(self.makers, rest=PUT_BACK)
        return {
            row[_MADE_BY]: {column: row[column] for column in MAKER}
            for row in table.good
            if row[_MADE_BY] == _id_of(row)
        }

    def _table_of_makers(self):
        def sound(row):
            return _is_object(row["versions"]) and _is_object(row["cpu"], (dict, str))

        return Table(self.makers, (_MADE_BY, *MAKER), lambda row: row[_MADE_BY], sound=sound)

    def _add_makers(self, makers):
        """Write makers before any row names them."""
        if makers.keys() <= self._known_makers().keys():
            return
        with locked(self.makers.with_suffix(".lock")):
            columns = (_MADE_BY, *MAKER)
            table = self._table_of_makers()
            if table.bad:
                aside = _set_aside(self.makers, table.content)
                table.warn(self.makers, aside, PUT_BACK)
            newer = len(table.columns) > len(columns)  # ids are of more columns than are known here
            there = {r[_MADE_BY]: r for r in table.good if newer or r[_MADE_BY] == _id_of(r)}
            there |= {key: row | {_MADE_BY: key} for key, row in makers.items()}
            write_table(self.makers, table.columns, [there[key] for key in sorted(there)])

    def _as_text(self, record, makers):
        row = {}
        for column in self.columns:
            value = record[column]
            if column in self._numbers:
                row[column] = rounded(value)
            elif column in _JSON:
                row[column] = json.dumps(value, sort_keys=True)
            else:
                row[column] = str(value)
        maker = {column: row.pop(column) for column in MAKER}
        row[_MADE_BY] = _id_of(maker)
        makers[row[_MADE_BY]] = maker
        return row


def rounded(value: float) -> str:
    """A measure or a time as the text that is stored; what is shown has no more digits either."""
    return f"{value:.10g}"


class Table:
    """A file of checked rows: ``good`` ones as dicts of text, line numbers of ``bad`` ones.

    ``key(row)`` tells rows apart. A file whose header has other columns, but all of ``needed``, is
    read by that header; what it lacks is "nan". ``columns`` are those that are asked for, and then
    those that a newer version wrote besides: to be written back.

    ``sound(row)`` tells whether the cells of a row with a right check can be read.
    ``twice`` counts good rows with the key of another; the last of them stays.
    """

    def __init__(self, path, columns, key, needed=(), sound=lambda row: True):
        self.good, self.bad, self.twice, self.content = [], [], 0, b""
        self.columns = tuple(columns)
        paths.check_file(path)
        try:
            self.content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
        text = self.content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        header = [*columns, "check"]
        first = _cells(text.split("\n", 1)[0])
        own = first[:-1] if first[-1:] == ["check"] and set(first) >= set(needed) else columns
        self.columns += tuple(c for c in own if c not in columns)
        rows = {}
        for number, cells in enumerate(_all_cells(text.removesuffix("\n").split("\n")), 1):
            if cells == header or (cells == first and own == first[:-1]):
                continue
            written = next((c for c in (columns, own) if _is_row(c, cells)), None)
            row = dict(zip(written, cells[:-1], strict=True)) if written else {}
            if written and written is not columns:
                row = dict.fromkeys(columns, "nan") | row
            if row and sound(row):
                self.twice += key(row) in rows
                rows[key(row)] = row
            else:
                self.bad.append(number)
        self.good = list(rows.values())

    def warn(self, path: Path, aside: Path | None = None, rest: str = _COMPUTED) -> None:
        """Say what was left out, where a copy is, and what brings the ``rest`` back."""
        if self.twice:
            _warn(
                f"{path}: {self.twice} row(s) stand there twice, as after a merge; the last of "
                "each counts."
            )
        if self.bad:
            copy = f"a copy is in {aside.name}, " if aside else ""
            _warn(
                f"{path}: {len(self.bad)} damaged row(s), first at line {self.bad[0]}; {copy}"
                f"{len(self.good)} good rows are kept{rest}"
            )


def _warn(text):
    warnings.warn(text, RecordDamagedWarning, stacklevel=4)


@contextlib.contextmanager
def locked(path: Path, wait: bool = True) -> Iterator[None]:
    """Hold the lock file at ``path``; one writer at a time.

    Without ``wait``, BlockingIOError where another holds it.
    """
    if fcntl is None:
        yield
        return
    handle = _lock_file(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(handle)


def _lock_file(path):
    """Descriptor of a lock file: nothing is written, no link is followed.

    Whoever may write into the folder may take the lock, also of a file that another user made.
    """
    flags = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        handle = os.open(path, flags | os.O_RDWR, 0o666)
    except PermissionError:
        return os.open(path, os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_RDONLY)
    except OSError as error:
        if error.errno == errno.ELOOP:
            error.strerror = f"{path} is a symbolic link where a lock file belongs; remove it"
        else:
            paths.check_file(path)
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        paths.check_file(path)
    if os.fstat(handle).st_uid == os.geteuid():  # as open to others as the folder is
        with contextlib.suppress(OSError):
            os.fchmod(handle, 0o600 | (path.parent.stat().st_mode & 0o066))
    return handle


def _set_aside(path, content):
    """Write a copy of a damaged file under a name that no other copy has."""
    stamp, number = time.strftime("%Y%m%d-%H%M%S"), 0
    while True:
        aside = path.with_name(f"{path.name}.damaged-{stamp}{f'-{number}' if number else ''}")
        try:
            with open(aside, "xb") as file:
                file.write(content)
            return aside
        except FileExistsError:
            number += 1


def write_table(path: Path, columns: Sequence[str], rows: Iterable[dict]) -> None:
    """Replace the file at ``path`` by these rows (dicts of text)."""
    lines = [_line([*columns, "check"])]
    lines += [row_line(columns, row) for row in rows]
    write_whole(path, "".join(lines))


def probe(folder: Path) -> None:
    """Make a folder where it is missing, and try a file in it; OSError where that cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def write_whole(path: Path, text: str) -> None:
    """Replace the file at ``path`` by ``text``: beside it first, flushed, then moved into place."""
    paths.check_file(path)
    _sweep(path)
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
    if os.name == "posix":  # the new name is on the disk only with the folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _sweep(path):
    """Remove what writers of this file left behind that were killed an hour ago or more."""
    for left in path.parent.glob(f".{glob.escape(path.stem)}-*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _OLD:
                left.unlink()


def row_line(columns: Sequence[str], row: dict) -> str:
    """A row of a `Table` as a line of text, with its check."""
    cells = [row.get(c, "nan") for c in columns]
    return _line([*cells, _check(columns, cells)])


def _line(cells):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _is_row(columns, cells):
    return len(cells) == len(columns) + 1 and _check(columns, cells[:-1]) == cells[-1]


def _check(columns, cells):
    # The same as over columns and cells in one text: a crc32 can be taken up again.
    return f"{zlib.crc32(chr(31).join(['', *cells]).encode(), _start(tuple(columns))):08x}"


@lru_cache
def _start(columns):
    return zlib.crc32(chr(31).join(columns).encode())


def _id_of(maker):
    text = chr(31).join(maker[column] for column in MAKER)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _all_cells(lines):
    """Cells of each line by itself: none holds a line break, a lost quote spoils its own row only.

    All lines together are read much faster. Where that gives a row for each, no quote was lost.
    """
    with contextlib.suppress(csv.Error):
        rows = list(csv.reader(lines))
        if len(rows) == len(lines):
            return rows
    return [_cells(line) for line in lines]


def _cells(line):
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def _job(row):
    return row["method"], row["seed"], row["fold"]


def _place(row):
    """Key of a row: a job, and of staged methods the stage."""
    return *_job(row), _stage(row["parameters"])


@lru_cache(maxsize=10_000)
def _stage(parameters):
    return json.loads(parameters).get("stage") if '"stage"' in parameters else None


@lru_cache(maxsize=10_000)
def _is_object(text, kinds=dict):
    """Whether a cell is JSON of a kind, by default an object."""
    try:
        return isinstance(json.loads(text), kinds)
    except (ValueError, RecursionError):
        return False
