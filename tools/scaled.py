"""What scaled features do to python-ldl's later methods that never choose them: first folds.

    python tools/scaled.py [--dataset NAME ...] [--method CLASS ...]

Fits with scaled features what ended within the limit as released, on the same rows, and adds the
K-L of the test part to ldlrepro/papers/later/scaled.csv: a row a method and data set, without a
K-L where the method raised something or was ended at the limit. Needs the data and the extra
``guests``.
"""

import argparse
import time

import pandas as pd
from first_folds import measure

from ldlrepro.models.guests import PREFIX
from ldlrepro.papers.later.experiments import RELEASED, SCALED, TUNED
from ldlrepro.papers.later.years import facts
from ldlrepro.protocols import environment
from ldlrepro.protocols.store import write_whole

COLUMNS = ("dataset", "method", "scaled", "seconds", "failure", "machine", "date")


def wanted():
    """Pairs of a later method and a data set with records as released, if it is never tuned."""
    tuned = {m.estimator.name for m in TUNED.methods}
    later = facts().later
    for dataset in RELEASED.datasets:
        for method in RELEASED.methods_on(dataset):
            if later[method.name] and method.estimator.name not in tuned:
                yield method, dataset


def row(method, dataset, found):
    """A row of the table."""
    return {
        "dataset": dataset,
        "method": method.name,
        "scaled": round(found["loss"], 6),
        "seconds": round(found["seconds"], 2),
        "failure": found["failure"],
        "machine": environment.machine(),
        "date": time.strftime("%Y-%m-%d"),
    }


def main():
    """Measure what is missing, and write after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", action="append")
    parser.add_argument("--method", action="append")
    options = parser.parse_args()
    rows = pd.read_csv(SCALED, keep_default_na=False).to_dict("records") if SCALED.exists() else []
    there = {(one["method"], one["dataset"]) for one in rows}
    pairs = [
        (method, dataset)
        for method, dataset in wanted()
        if not options.dataset or dataset in options.dataset
        if not options.method or method.name.removeprefix(PREFIX) in options.method
        if (method.name, dataset) not in there
    ]
    for one in measure(pairs, row, scale="standard"):
        rows.append(one)
        print(*one.values(), flush=True)
        table = pd.DataFrame(rows, columns=COLUMNS).sort_values(["dataset", "method"])
        write_whole(SCALED, table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    main()
