"""Which methods take too long on which data sets for the comparison of everything.

Each pair that its declaration leaves out for its time gets the limit for a first fold, the choice
of parameters included, in a process of its own; so do those that are run and come near to it.
Seconds are those of the processor, on one thread, so that other work on the machine counts little.
"""

import math
from time import process_time

import pandas as pd
from joblib.externals.loky.process_executor import TerminatedWorkerError

from ldlrepro.papers import get_paper
from ldlrepro.protocols import job
from ldlrepro.protocols.worker import executor

LIMIT = 120  # seconds
#: Why a pair is left out, in its declaration.
OVER = "time limit"
#: (method, data set) pairs whose fits, each as long as the last one of a fold, would exceed it.
NEAR = (("sLDLF", "FG-Net"),)


def run(quick=False):
    """First folds of what the comparison leaves out for its time, and of `NEAR`.

    Returns
    -------
    dict of DataFrame
        "first_folds": method, dataset, limit, seconds (NaN where the process was ended at the
        limit).
    """
    experiment = get_paper("comparison").experiment("tables")
    methods = {m.name: m for m in experiment.methods}
    pairs = [(name, dataset) for name, dataset, why in experiment.without if why == OVER]
    pairs += NEAR
    rows = []
    for name, dataset in pairs[:1] if quick else pairs:
        seconds = seconds_of(experiment, methods[name], dataset, 60 if quick else None)
        rows.append((name, dataset, LIMIT, seconds))
    return {"first_folds": pd.DataFrame(rows, columns=["method", "dataset", "limit", "seconds"])}


def seconds_of(experiment, method, dataset, rows=None, limit=LIMIT):
    """Seconds of the processor for the first fold of a method; NaN where it was ended at the limit.

    Parameters
    ----------
    experiment : Experiment; method : Method
    dataset : registry name
    rows : int, of a synthetic stand-in; None for the real data
    limit : float, seconds
    """
    try:
        with executor(1) as process:
            return process.submit(_first_fold, experiment, method, dataset, rows, limit).result()
    except TerminatedWorkerError as error:
        if "SIGXCPU" not in str(error):  # ended by something else, for want of memory say
            raise
        return math.nan


def _first_fold(experiment, method, dataset, rows, limit):
    import resource  # of Unix alone

    data = job.load(dataset, rows, experiment.source)
    start = process_time()
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(start + limit), most))
    job.compute(experiment, method, data, experiment.folds, 0)
    return process_time() - start
