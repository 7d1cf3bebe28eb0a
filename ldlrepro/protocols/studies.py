"""Tables of studies: computed once, kept beside the records, never served when stale."""

import pandas as pd
from threadpoolctl import threadpool_limits

from ldlrepro import paths
from ldlrepro.protocols.fingerprint import of_function
from ldlrepro.protocols.runner import get_paper, machine
from ldlrepro.protocols.store import write_whole


def study(paper, name, profile="paper", recompute=False):
    """Tables of a paper's study, computed where they are missing or stale.

    Parameters
    ----------
    paper : str or Paper
    name : str, of the study
    profile : "paper", or "quick" (small synthetic data, kept in _build)

    Returns
    -------
    dict of DataFrame, each with the columns ``machine`` and ``fingerprint``

    Raises
    ------
    KeyError
        No study of this name.
    DataUnavailableError
        It has to be computed and its data are not at hand.
    """
    paper = get_paper(paper) if isinstance(paper, str) else paper
    (function,) = [s.function for s in paper.studies if s.name == name] or [None]
    if function is None:
        raise KeyError(f"{paper.name} has no study {name!r}: {[s.name for s in paper.studies]}")
    root = paths.results() if profile == "paper" else paths.quick_results()
    folder = root / paper.name / name
    mark = of_function(function)
    if not recompute:
        stored = {p.stem: pd.read_csv(p) for p in sorted(folder.glob("*.csv"))}
        if stored and all((t.fingerprint == mark).all() for t in stored.values()):
            return stored
    with threadpool_limits(1):  # the order of BLAS's sums depends on its threads
        tables = function(quick=profile == "quick")
    folder.mkdir(parents=True, exist_ok=True)
    for table, frame in tables.items():
        tables[table] = frame.assign(machine=machine(), fingerprint=mark)
        text = tables[table].to_csv(index=False, float_format="%.10g", lineterminator="\n")
        write_whole(folder / f"{table}.csv", text)
    return tables
