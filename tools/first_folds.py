"""First folds of python-ldl's methods: who ends within the comparison's limit, and in what time.

    python tools/first_folds.py [--dataset NAME ...] [--method CLASS ...]

Adds what is missing to ldlrepro/papers/later/first_folds.csv, from which the declaration takes
what it leaves out: a row a method and data set, with the seconds of the processor on one thread
(none where the process was ended at the limit), the share of predictions off the simplex, and what
the method raised. Needs the data and the extra ``guests``. A row of another release is measured
again.
"""

import argparse
import math
import time
import warnings

import pandas as pd
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ldlrepro import datasets
from ldlrepro.errors import ProjectedWarning
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.guests import PREFIX, RELEASE, guest_named
from ldlrepro.papers.comparison.studies.time_limit import LIMIT
from ldlrepro.papers.later.experiments import FIRST_FOLDS, RELEASED
from ldlrepro.protocols import environment, job
from ldlrepro.protocols.split import partition
from ldlrepro.protocols.store import locked, write_whole
from ldlrepro.protocols.worker import executor

COLUMNS = ("dataset", "class", "limit", "seconds", "off", "failure", "release", "machine", "date")


def first_fold(method, dataset, scale=None, limit=LIMIT):
    """What a first fold takes and gives: a dict.

    Seconds of the processor, the share of rows off the simplex, what the method raised, and the
    K-L of the test part.
    """
    data = datasets.load(dataset)
    train, validation, test = partition(RELEASED, len(data.X), RELEASED.folds)[0]
    fitted = [*train, *validation]
    guest_named(method.name)  # imports take seconds, and are no part of it
    model = clone(method.estimator).set_params(scale=scale, random_state=job.seed_of(RELEASED, 0))
    start = time.process_time()
    end_at(start + limit)
    failure, loss = "", math.nan
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ProjectedWarning)
        try:
            model.fit(data.X[fitted], data.D[fitted])
            loss = kl_divergence(data.D[test], model.predict(data.X[test]))
        except Exception as error:  # whatever the method of another package raises
            failure = f"{type(error).__name__}: {error}".split("\n")[0]
    seconds = time.process_time() - start
    off = getattr(model, "off_simplex_", math.nan)
    return {"seconds": seconds, "off": off, "failure": failure, "loss": loss}


def end_at(seconds):
    """End this process when it has taken so many seconds of the processor."""
    import resource  # of Unix alone

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), most))


def measure(pairs, done, scale=None):
    """Yield the row of each (method, data set), one process as long as none has to be ended.

    Parameters
    ----------
    pairs : iterable of (Method, data set)
    done : callable (Method, data set, dict of `first_fold`) -> row
    scale : as in `Guest`
    """
    waiting = list(pairs)
    while waiting:
        try:
            with executor(1) as process:
                while waiting:
                    found = process.submit(first_fold, *waiting[0], scale).result()
                    yield done(*waiting[0], found)
                    waiting.pop(0)
        except TerminatedWorkerError as error:
            if "SIGXCPU" not in str(error):  # ended by something else, for want of memory say
                raise
            over = {"seconds": math.nan, "off": math.nan, "failure": "", "loss": math.nan}
            yield done(*waiting.pop(0), over)


def row(method, dataset, found):
    """A row of the table."""
    return {
        "dataset": dataset,
        "class": method.estimator.name,
        "limit": LIMIT,
        **found,
        "release": RELEASE,
        "machine": environment.machine(),
        "date": time.strftime("%Y-%m-%d"),
    }


def known():
    """Rows of the table, of this release."""
    table = pd.read_csv(FIRST_FOLDS, keep_default_na=False, na_values={"seconds": "", "off": ""})
    return table[table.release == RELEASE].to_dict("records")


def add(found):
    """Add a row to the table, in the order of the declaration, beside what others add meanwhile."""
    with locked(FIRST_FOLDS.with_suffix(".lock")):
        write([*known(), found])


def write(rows):
    """Write the table, in the order of the declaration."""
    sets = list(RELEASED.datasets)
    names = [m.estimator.name for m in RELEASED.methods]
    table = pd.DataFrame(rows, columns=COLUMNS)
    place = table.dataset.map(sets.index) * len(names) + table["class"].map(names.index)
    table = table.iloc[place.argsort(kind="stable")]
    table = table.assign(seconds=table.seconds.round(2), off=table.off.round(4))
    write_whole(FIRST_FOLDS, table.to_csv(index=False, lineterminator="\n"))


def main():
    """Measure what is missing, and write after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", action="append")
    parser.add_argument("--method", action="append")
    options = parser.parse_args()
    there = {(one["class"], one["dataset"]) for one in known()}
    wanted = [
        (method, dataset)
        for dataset in options.dataset or RELEASED.datasets
        for method in RELEASED.methods
        if not options.method or method.name.removeprefix(PREFIX) in options.method
        if (method.estimator.name, dataset) not in there
    ]
    for found in measure(wanted, row):
        add(found)
        print(*found.values(), flush=True)


if __name__ == "__main__":
    main()
