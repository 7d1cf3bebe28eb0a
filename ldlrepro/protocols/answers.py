"""Answers of `status` that are kept for the next call: from the same files comes the same answer.

An answer is kept with a digest of all that it depends on: sources of the package, registry, records
with their ledger, and versions. File times are not trusted. An answer that is damaged, or a folder
that cannot be written, costs time and nothing else. This module needs no library.
"""

from __future__ import annotations

import json
import platform
import warnings
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

from ldlrepro import paths, protocols
from ldlrepro.datasets import accepted

if TYPE_CHECKING:
    from ldlrepro.declare import Paper

#: Packages that estimators and records are read with.
_PACKAGES = ("numpy", "pandas", "scikit-learn")


class Answers:
    """States of papers' records under a profile, and of a seed or None: kept ones, or new ones.

    Papers have the declarations of this package: of any other, ask `protocols.status`.
    """

    def __init__(self, profile="paper", seed=None):
        self._profile, self._seed = profile, seed
        self._made_of = self._digest()
        self._warned = False

    def kept(self, name: str) -> list[dict] | None:
        """Rows of `protocols.status` for a paper, as they are kept; None where they are not."""
        with suppress(OSError, ValueError, RecursionError):
            paths.check_file(self._path(name))
            first, text = self._path(name).read_text(encoding="utf-8").split("\n", 1)
            rows = json.loads(text) if first == self._first(text) else None
            if isinstance(rows, list) and all(map(_is_row, rows)):
                return rows
        return None

    def made(self, paper: Paper) -> list[dict]:
        """The same, made now and kept: but not where reading had to warn, which is to be heard."""
        with self._hearing():
            rows = protocols.status(paper, self._profile)
        if not self._warned:
            with suppress(OSError):
                self._keep(paper.name, json.dumps(rows))
        return rows

    def _keep(self, name, rows):
        from ldlrepro.protocols.store import write_whole

        if self._digest() == self._made_of:  # else somebody wrote meanwhile
            self._path(name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(name), f"{self._first(rows)}\n{rows}")

    def _path(self, name):
        return paths.cache() / "status" / f"{name}-{self._profile}-{self._seed or 0}.json"

    def _first(self, rows):
        return f"{self._made_of} {sha256(rows.encode()).hexdigest()}"

    @contextmanager
    def _hearing(self):
        show = warnings.showwarning

        def heard(*arguments, **more):
            self._warned = True
            show(*arguments, **more)

        warnings.showwarning = heard
        try:
            yield
        finally:
            warnings.showwarning = show

    def _digest(self):
        found = sha256()
        for text in (platform.python_version(), *map(version, _PACKAGES)):
            found.update(f"{text}\0".encode())
        folders = [(paths.PACKAGE, "*.py"), (paths.PACKAGE, "*.pyi")]
        for folder, pattern in (*folders, *((folder, "*.csv") for folder in self._records())):
            for path in sorted(folder.rglob(pattern)):
                _add(found, path, path.relative_to(folder))
        ledgers = [folder / "ledger.csv" for folder in paths.known_results()]
        for path in (paths.REGISTRY, *ledgers, accepted.path()):
            _add(found, path, path.name)
        return found.hexdigest()

    def _records(self):
        if self._seed is not None:
            return [paths.results_of_seed(self._seed, self._profile)]
        return paths.known_results() if self._profile == "paper" else [paths.quick_results()]


def _is_row(row):
    """Whether this is a row of `protocols.status`."""
    texts, numbers = ("experiment", "dataset", "method"), ("done", "stale", "total")
    return isinstance(row, dict) and all(
        isinstance(row.get(key), kind)
        for keys, kind in ((texts, str), (numbers, int))
        for key in keys
    )


def _add(found, path, name):
    with suppress(OSError):  # a file that is not there is told by the lack of its name
        paths.check_file(path)
        content = path.read_bytes()
        found.update(f"{name}\0{len(content)}\0".encode())
        found.update(content)
