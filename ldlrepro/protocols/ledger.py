"""The ledger of changes that moved no number: which marks of code stand for each other.

``ldlrepro verify --against`` appends a line for each mark whose jobs gave the same numbers with the
code of a revision and with the working tree, on one machine. Equal is equal both ways and over
several lines. Records keep the marks of the code that made them.
"""

import json
from collections.abc import Iterable

from ldlrepro import paths
from ldlrepro.errors import LdlreproError
from ldlrepro.protocols.store import PUT_BACK, Table, locked, write_table

#: kind is "method", "data" or "study"; compared lists the jobs that were run.
COLUMNS = ("kind", "old", "new", "revision", "compared", "blas")


def _path():
    return paths.results() / "ledger.csv"


def _key(row):
    return row["kind"], row["old"], row["new"]


def _is_sound(row):
    try:
        return isinstance(json.loads(row["compared"]), list)
    except (ValueError, RecursionError):
        return False


def entries() -> list[dict]:
    """Lines of the ledger, as dicts of text; ``compared`` is a list."""
    good = []
    for path in (folder / "ledger.csv" for folder in paths.known_results()):
        table = Table(path, COLUMNS, key=_key, sound=_is_sound)
        table.warn(path, rest=PUT_BACK)
        good += table.good
    return [row | {"compared": json.loads(row["compared"])} for row in good]


def append(new: Iterable[dict]) -> None:
    """Add entries (dicts with the keys `COLUMNS`) that are not there yet, at the end."""
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock")):
        table = Table(path, COLUMNS, key=_key, sound=_is_sound)
        if table.bad:
            raise LdlreproError(
                f"The ledger {path} is damaged at line {table.bad[0]}: put the file back from "
                "version control. Nothing was written."
            )
        rows = {_key(row): row for row in table.good}
        for entry in new:
            rows.setdefault(
                _key(entry), entry | {"compared": json.dumps(entry["compared"], sort_keys=True)}
            )
        write_table(path, COLUMNS, list(rows.values()))


class Ledger:
    """The ledger as read once.

    ``same(old, new)`` tells whether fingerprints stand for the same numbers.
    """

    def __init__(self):
        self._leader = {}
        for entry in entries():
            a, b = (self._find((entry["kind"], entry[end])) for end in ("old", "new"))
            self._leader[a] = b

    def _find(self, mark):
        while mark in self._leader and self._leader[mark] != mark:
            mark = self._leader[mark]
        return mark

    def same_mark(self, kind: str, old: str, new: str) -> bool:
        """Whether two marks of one kind are equal or proved so."""
        return old == new or self._find((kind, old)) == self._find((kind, new))

    def same(self, old: str, new: str) -> bool:
        """Whether two fingerprints "method.data" are equal or proved so in both parts."""
        olds, news = old.split("."), new.split(".")
        return len(olds) == len(news) == 2 and all(
            self.same_mark(kind, a, b)
            for kind, a, b in zip(("method", "data"), olds, news, strict=True)
        )
