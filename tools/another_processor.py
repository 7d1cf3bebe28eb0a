"""Fit records from another processor again on this one, and note how far they are off.

    python tools/another_processor.py --made-on Intel [--dataset NAME ...] [--method CLASS ...]
                                      [--folds K ...]

Adds what is missing to ldlrepro/papers/later/another_processor.csv: a row a fold of python-ldl's
methods, with its K-L in the records and here, and the measure that is furthest off. Needs the data
and the extra ``guests``.
"""

import argparse

import pandas as pd

from ldlrepro.models.guests import PREFIX
from ldlrepro.papers.later.experiments import ANOTHER_PROCESSOR, PAPER
from ldlrepro.protocols import environment, runner
from ldlrepro.protocols.store import locked, write_whole
from ldlrepro.protocols.verify import fresh_jobs, task_of

KEY = ["experiment", "dataset", "method", "fold", "again_on"]
KL = "kl_divergence"


def row(one, again):
    """A row of the table: a job of `fresh_jobs` and the record of its fit here."""
    experiment, _, records = one["declared"]
    (before,) = records.to_dict("records")
    off = {}
    for measure in experiment.measures:
        old, new = before[measure], float(f"{again[measure]:.10g}")
        off[measure] = abs(new - old) / max(abs(old), 1e-300)
    worst = max(off, key=off.get)
    return {
        "experiment": one["experiment"],
        "dataset": one["dataset"],
        "method": one["method"],
        "fold": one["fold"],
        "again_on": environment.machine(),
        "made_on": before["machine"],
        "kl_before": before[KL],
        "kl_again": float(f"{again[KL]:.10g}"),
        "measure": worst if off[worst] else "",
        "difference": off[worst],
    }


def add(found):
    """Add a row to the table, in order, in place of an older one of the same fold."""
    with locked(ANOTHER_PROCESSOR.with_suffix(".lock")):
        known = pd.read_csv(ANOTHER_PROCESSOR) if ANOTHER_PROCESSOR.exists() else None
        table = pd.concat([known, pd.DataFrame([found])], ignore_index=True)
        table = table.drop_duplicates(KEY, keep="last").sort_values(KEY)
        write_whole(ANOTHER_PROCESSOR, table.to_csv(index=False, lineterminator="\n"))


def main():
    """Fit what is chosen and not in the table yet, the quickest first, and write after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--made-on", required=True, help="part of the machine's name in the records"
    )
    parser.add_argument("--dataset", action="append")
    parser.add_argument("--method", action="append")
    parser.add_argument("--folds", nargs="+", type=int)
    options = parser.parse_args()
    there = set()
    if ANOTHER_PROCESSOR.exists():
        there = set(pd.read_csv(ANOTHER_PROCESSOR)[KEY].itertuples(index=False, name=None))
    wanted = [
        one
        for one in fresh_jobs([PAPER])
        if options.made_on in one["declared"][2].machine.iloc[0]
        if not options.dataset or one["dataset"] in options.dataset
        if not options.method or one["method"].removeprefix(PREFIX) in options.method
        if options.folds is None or one["fold"] in options.folds
        if (*(one[k] for k in KEY[:-1]), environment.machine()) not in there
    ]
    wanted.sort(key=lambda one: one["seconds"])
    for i, again, failure in runner.results_of([task_of(one) for one in wanted], 1):
        if failure:
            raise SystemExit(f"{wanted[i]['method']} on {wanted[i]['dataset']}: {failure}")
        add(row(wanted[i], again[0]))


if __name__ == "__main__":
    main()
