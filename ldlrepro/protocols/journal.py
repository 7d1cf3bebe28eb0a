"""Which jobs a ``--recompute`` has done, so that it goes on where it was stopped."""

from ldlrepro.protocols.store import Table, row_line, write_table

_COLUMNS = ("dataset", "method", "fold", "fingerprint")


class Journal:
    """A line for each recomputed job, in the experiment's folder until all are done.

    Parameters
    ----------
    folder : Path
        That of the experiment's records.
    """

    def __init__(self, folder):
        self.path = folder / "recompute.journal"
        self._there = self._read()

    def has(self, dataset: str, method: str, fold: int, fingerprint: str) -> bool:
        """Whether this job was recomputed before the stop, by the same code."""
        return (dataset, method, str(fold), fingerprint) in self._there

    def add(self, dataset: str, method: str, fold: int, fingerprint: str) -> None:
        """Note a job whose records are kept."""
        row = dict(zip(_COLUMNS, (dataset, method, str(fold), fingerprint), strict=True))
        with open(self.path, "a", encoding="utf-8", newline="") as file:
            file.write(row_line(_COLUMNS, row))

    def close(self, done: set[tuple[str, str]]) -> None:
        """All of the (data set, method) in ``done`` are: the next ``--recompute`` starts anew."""
        rest = {row for row in self._read() if row[:2] not in done}
        if rest:
            rows = [dict(zip(_COLUMNS, row, strict=True)) for row in sorted(rest)]
            write_table(self.path, _COLUMNS, rows)
        else:
            self.path.unlink(missing_ok=True)

    def _read(self):
        table = Table(self.path, _COLUMNS, key=lambda row: tuple(row.values()))
        return {tuple(row.values()) for row in table.good}
