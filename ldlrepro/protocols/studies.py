"""Tables of studies: computed once, kept beside the records, never served when stale."""

import pandas as pd
from threadpoolctl import threadpool_limits

from ldlrepro import paths
from ldlrepro.declare import Paper, checked
from ldlrepro.protocols import environment
from ldlrepro.protocols.fingerprint import of_function
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.store import write_whole
from ldlrepro.protocols.worker import executor


def study(
    paper: Paper, name: str, profile: str = "paper", recompute: bool = False
) -> dict[str, pd.DataFrame]:
    """Tables of a paper's study, computed where they are missing or stale.

    Parameters
    ----------
    paper : Paper
        The declaration: `ldlrepro.papers.get_paper` gives it.
    name : str
        That of the study.
    profile : {"paper", "quick"}
        "quick" takes small synthetic data, and keeps the tables in _build.
    recompute : bool
        True computes tables again that are there.

    Returns
    -------
    dict of DataFrame
        Each with the columns ``machine`` and ``fingerprint``.

    Raises
    ------
    KeyError
        No study of this name.
    DataUnavailableError
        It has to be computed and its data are not at hand.

    See Also
    --------
    run : Experiments over folds.
    """
    paper = checked(paper)
    function = next((s.function for s in paper.studies if s.name == name), None)
    if function is None:
        raise KeyError(f"{paper.name} has no study {name!r}: {[s.name for s in paper.studies]}")
    mark = of_function(function)
    if not recompute or paper.seed:  # a study has no seed: the committed tables stay
        stored = tables_of(paper, name, profile)
        if stored and all(_fresh(t, mark, profile) for t in stored.values()):
            return stored
    if profile == "paper" and environment.fixed():
        with executor(1) as process:
            tables = process.submit(_tables, function, False).result()
    else:
        tables = _tables(function, profile == "quick")
    folder = _folder(paper, name, profile)
    folder.mkdir(parents=True, exist_ok=True)
    for table, frame in tables.items():
        tables[table] = frame.assign(machine=environment.machine(), fingerprint=mark)
        text = tables[table].to_csv(index=False, float_format="%.10g", lineterminator="\n")
        write_whole(folder / f"{table}.csv", text)
    return tables


def _tables(function, quick):
    with threadpool_limits(1):  # the order of BLAS's sums depends on its threads
        return function(quick=quick)


def tables_of(paper: Paper, name: str, profile: str = "paper") -> dict[str, pd.DataFrame]:
    """Tables of a study as they are kept: {name: DataFrame}, empty where it was not run."""
    folder = _folder(paper, name, profile)
    mark = {"fingerprint": str}  # 12 hex digits may look like a number
    files = sorted(folder.glob("*.csv"))
    for path in files:
        paths.check_file(path)
    return {p.stem: pd.read_csv(p, dtype=mark) for p in files}


def _folder(paper, name, profile):
    root = paths.results() if profile == "paper" else paths.quick_results()
    return root / paper.name / name


def _fresh(table, mark, profile):
    if profile == "quick":  # soon computed: also where only the names of columns have changed
        return (table.fingerprint == mark).all()
    ledger = Ledger()
    return all(ledger.same_mark("study", old, mark) for old in table.fingerprint.unique())
