"""How far rounding alone moves a number: other kernels of BLAS, numpy and torch, loops compiled in
another way, other orders of rows.

    .venv/bin/python tools/rounding.py mslp --max-seconds 0.5

The methods of the papers' tables are fitted again in ways that differ in rounding alone. What was
fitted is kept in data/results/rounding.csv; `ldlrepro.protocols.rounding` reads it.
"""

import argparse
import json
import os

import joblib
import numpy as np
from joblib.externals import loky
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ldlrepro import metrics
from ldlrepro.errors import DataCorruptError, DataUnavailableError
from ldlrepro.papers import get_papers, paper_name
from ldlrepro.protocols import environment, job, rounding, state, worker
from ldlrepro.protocols.fingerprint import fingerprint
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.progress import Progress
from ldlrepro.protocols.rounding import COLUMNS, FIT, FIXED, FOLDS, SEED
from ldlrepro.protocols.split import partition
from ldlrepro.protocols.store import locked, write_table

#: Experiments whose methods are run: tables of the papers, and of the photographs.
EXPERIMENTS = ("tables", "boosting", "images_realigned")
#: Random orders of the training rows.
ORDERS = (1, 2, 3)
#: Spread in these folds from which on a method amplifies rounding: all its folds are run, since how
#: much is a matter of the fold.
AMPLIFIES = 1e-6
#: How loops are compiled in variants: for a processor with wider vectors, and for one without.
COMPILED = {
    "loops arranged for AVX-512": {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": ""},
    "loops with AVX2": {"NUMBA_CPU_NAME": "znver3"},
}


def kernel_sets():
    """Environments that this processor can run, beside the fixed one: {name: variables}."""
    if not environment.fixable():
        return {}
    wider = os.environ.get("NPY_DISABLE_CPU_FEATURES") or environment.wider_features()
    sets = {"Sandybridge, AVX2": ("Sandybridge", wider)}
    if wider:
        sets["Haswell, AVX-512"] = ("Haswell", "")
        sets["SkylakeX, AVX-512"] = ("SkylakeX", "")
    found = {
        name: {"OPENBLAS_CORETYPE": blas, "NPY_DISABLE_CPU_FEATURES": off}
        for name, (blas, off) in sets.items()
    }
    # Without wide vectors the loops are those of the fixed set.
    return found | COMPILED if wider else found


def torch_sets():
    """The same for fits on photographs, whose sums are torch's."""
    if not environment.fixable():
        return {}
    chosen = environment.TORCH_KERNELS | {"MKL_CBWR": "AUTO"}
    sets = {"torch, products of MKL's choice": chosen}
    if environment.wider_features():
        wide = {"ATEN_CPU_CAPABILITY": "avx512", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE"}
        sets["torch, AVX-512"] = chosen | wide
    return sets


def run(papers, max_seconds=1.0, n_jobs=1, progress=True):
    """Run the methods of the papers' tables under other kernels and orders; keeps what it made.

    Where other kernels move the numbers of the first two folds, all folds are run with these
    kernels, but for photographs, whose fits take minutes. Methods take the parameters that their
    records name. Only fits that took at most ``max_seconds`` are run.

    Returns
    -------
    int, the number of fits
    """
    count = 0
    while jobs := _wanted(papers, max_seconds):  # the first folds tell which need the others
        _run_jobs(jobs, n_jobs, progress)
        count += len(jobs)
    return count


def _run_jobs(jobs, n_jobs, progress):
    bar = Progress([one["seconds"] for one in jobs], shown=progress)
    with bar:
        numbered = list(enumerate(jobs))
        for name, variables in {FIXED: {}, **kernel_sets(), **torch_sets()}.items():
            mine = [(i, one) for i, one in numbered if one["kernels"] == name]
            if mine:
                _run_set(mine, worker.variables() | variables, n_jobs, bar)


def _run_set(numbered, variables, n_jobs, bar):
    """Run the jobs of one set of kernels, and keep their rows a hundred at a time."""
    arguments = [one["arguments"] for _, one in numbered]
    rows = []
    with loky.ProcessPoolExecutor(
        joblib.effective_n_jobs(n_jobs),
        initializer=worker.end_with,
        initargs=(os.getpid(),),
        env=variables,
    ) as pool:
        for (i, one), measures in zip(numbered, pool.map(_fit, *zip(*arguments, strict=True)),
                                      strict=True):  # fmt: skip
            digits = {name: float(f"{value:.12g}") for name, value in measures.items()}
            rows.append(one["row"] | {"measures": json.dumps(digits, sort_keys=True)})
            bar.step(i, f"{one['row']['dataset']} {one['row']['method']}, {one['row']['variant']}")
            if len(rows) % 100 == 0 or len(rows) == len(numbered):
                _keep(rows)


def _fit(experiment, method, parameters, dataset, fold, order, seed):
    """Measures of one fold: order 0 leaves the training rows as they are, seed 0 the seed."""
    data = job.data_of(experiment, dataset)
    X, truth = data.X, data.D if "D" in data else data.Y
    train, validation, test = partition(experiment, len(X), experiment.folds)[fold]
    fitted = np.concatenate([train, validation])
    if order:
        fitted = np.random.default_rng(order).permutation(fitted)
    estimator = clone(method.estimator).set_params(**parameters)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=job.seed_of(experiment, fold) + seed)
    with threadpool_limits(1):
        estimator.fit(X[fitted], truth[fitted])
        P = getattr(estimator, "predict_proba", estimator.predict)(X[test])
    return {name: metrics.measure(name)(truth[test], P) for name in experiment.measures}


def _wanted(papers, max_seconds):
    """Jobs that have no row of the present code."""
    there, book, jobs = rounding.rows_of_fits(), Ledger(), []
    marks = {rounding.key_of(row): row["fingerprint"] for row in there}
    table = rounding.spreads()
    amplifying = {tuple(r) for r in table[table.kernels > AMPLIFIES][[*FIT]].to_numpy()}
    for paper in papers:
        for experiment in [e for e in paper.experiments if e.name in EXPERIMENTS]:
            photographs = bool(experiment.images)
            store = state.open_store(paper, experiment)
            for dataset in store.datasets():
                records = store.read(dataset)
                try:
                    form = job.data_of(experiment, dataset).source
                except (DataUnavailableError, DataCorruptError):
                    continue
                for method in experiment.methods:
                    mark = fingerprint(method, experiment.folds, experiment, dataset, form)
                    mine = records[records.method == method.name]
                    name = rounding.name_of(method.estimator)
                    fit = paper.name, experiment.name, dataset, method.name, name
                    if photographs or fit not in amplifying:
                        mine = mine[mine.fold.isin(FOLDS)]
                    for record in mine.drop_duplicates("fold").itertuples():
                        if record.fit_seconds > max_seconds:
                            continue
                        first = record.fold in FOLDS
                        for kernels, variant, *change in _variants(
                            method.estimator, first, photographs
                        ):
                            row = {
                                "paper": paper.name,
                                "experiment": experiment.name,
                                "dataset": dataset,
                                "method": method.name,
                                "estimator": name,
                                "fold": str(record.fold),
                                "variant": variant,
                                "fingerprint": mark,
                            }
                            if book.same(marks.get(rounding.key_of(row), ""), mark):
                                continue
                            chosen = {} if method.staged else record.parameters
                            jobs.append(
                                {
                                    "row": row,
                                    "kernels": kernels,
                                    "seconds": record.fit_seconds + 0.01,
                                    "arguments": (
                                        experiment, method, chosen, dataset, record.fold, *change,
                                    ),
                                }
                            )  # fmt: skip
    return jobs


def _variants(estimator, orders=True, photographs=False):
    """(Set of kernels, name, order, seed) of each variant; without ``orders`` those of kernels."""
    yield FIXED, FIXED, 0, 0
    for name in torch_sets() if photographs else kernel_sets():
        yield name, name, 0, 0
    if not orders:
        return
    if "random_state" in estimator.get_params():
        yield FIXED, SEED, 0, 1
    for order in () if photographs else ORDERS:  # deep models draw: another order, another draw
        yield FIXED, f"row order {order}", order, 0


def _keep(new):
    path = rounding.path_of_fits()
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock")):
        rows = {rounding.key_of(row): row for row in rounding.rows_of_fits()} | {
            rounding.key_of(row): row for row in new
        }
        write_table(path, COLUMNS, [rows[key] for key in sorted(rows)])


def main():
    """Fit what is missing, and print the largest spreads."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="default: all of them")
    parser.add_argument("--max-seconds", type=float, default=1.0, help="leave out longer fits")
    parser.add_argument("--n-jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    papers = get_papers([paper_name(name) for name in options.papers])
    fits = run(papers, options.max_seconds, options.n_jobs)
    print(f"{fits} fits; the largest spreads, as a share of the measure:")
    spreads = rounding.spreads().groupby("estimator")[["kernels", "orders"]].max()
    print(spreads.sort_values("kernels", ascending=False).head(20).to_string())


if __name__ == "__main__":
    main()
