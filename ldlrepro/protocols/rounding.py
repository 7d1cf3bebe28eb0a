"""How far rounding alone moves a number: other kernels of BLAS, numpy and torch, loops compiled in
another way, other orders of rows.

The order of a sum's terms is a choice of the library and of the file, not of the method. Where a
fit amplifies it, a difference that is smaller than this spread says nothing, and `verify` on
another kind of machine cannot ask for more.
"""

import json
import os

import joblib
import numpy as np
import pandas as pd
from joblib.externals import loky
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ldlrepro import metrics, paths
from ldlrepro.errors import DataCorruptError, DataUnavailableError
from ldlrepro.protocols import environment, job, state, worker
from ldlrepro.protocols.fingerprint import fingerprint
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.progress import Progress
from ldlrepro.protocols.split import partition
from ldlrepro.protocols.store import Table, locked, write_table

#: Experiments whose methods are run: tables of the papers, and of the photographs.
EXPERIMENTS = ("tables", "boosting", "images_realigned")
#: Folds that are run, and random orders of their training rows.
FOLDS = (0, 1)
ORDERS = (1, 2, 3)
#: Spread in these folds from which on a method amplifies rounding: all its folds are run, since how
#: much is a matter of the fold.
AMPLIFIES = 1e-6
#: How loops are compiled in variants: for a processor with wider vectors, and for one without.
COMPILED = {
    "loops arranged for AVX-512": {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": ""},
    "loops with AVX2": {"NUMBA_CPU_NAME": "znver3"},
}
#: Variants: the fixed kernels with rows as in the file, and with another ``random_state``. Where
#: that moves the numbers the method draws, and another order of rows is another draw.
FIXED, SEED = "fixed", "another seed"
COLUMNS = (
    "paper", "experiment", "dataset", "method", "estimator", "fold", "variant", "measures",
    "fingerprint",
)  # fmt: skip
_JOB = ("paper", "experiment", "method")
_FIT = ("paper", "experiment", "dataset", "method", "estimator")


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


def name_of(estimator):
    """Class of an estimator, with those of the estimators in its parameters."""
    inner = [name_of(one) for one in _inside(estimator)]
    name = type(estimator).__name__
    return f"{name}({', '.join(inner)})" if inner else name


def _inside(estimator):
    """The estimators in the parameters of an estimator."""
    return [
        value
        for _, value in sorted(estimator.get_params(deep=False).items())
        if hasattr(value, "get_params") and not isinstance(value, type)
    ]


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
    there, book, jobs = _rows(), Ledger(), []
    marks = {_key(row): row["fingerprint"] for row in there}
    table = spreads()
    amplifying = {tuple(r) for r in table[table.kernels > AMPLIFIES][[*_FIT]].to_numpy()}
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
                    name = name_of(method.estimator)
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
                            if book.same(marks.get(_key(row), ""), mark):
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


def _path():
    return paths.results() / "rounding.csv"


def _key(row):
    return tuple(row[c] for c in COLUMNS[:-2])


def _rows():
    path = _path() if _path().exists() else paths.shipped_results() / "rounding.csv"
    table = Table(path, COLUMNS, key=_key)
    table.warn(path)
    return table.good


def _keep(new):
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock")):
        rows = {_key(row): row for row in _rows()} | {_key(row): row for row in new}
        write_table(path, COLUMNS, [rows[key] for key in sorted(rows)])


def spreads(folds=FOLDS):
    """Relative spreads, a row for each paper, experiment, dataset, method and measure.

    Parameters
    ----------
    folds : tuple of int, those that count; None for all that were run

    Returns
    -------
    DataFrame
        Also estimator, kernels, orders and seed: the range of the measure over kernel sets, over
        row orders (NaN for methods that draw) and over two seeds (NaN for methods without), as a
        share of its size with fixed kernels, the larger of the folds.
    """
    fits = {}
    for row in _rows():
        if folds is not None and int(row["fold"]) not in folds:
            continue
        variant = row["fingerprint"], json.loads(row["measures"])
        fits.setdefault(tuple(row[c] for c in (*_FIT, "fold")), {})[row["variant"]] = variant
    draws, book = _draw(fits), Ledger()
    found = []
    for names, variants in fits.items():
        # Variants of other code are no rounding: each has to have the mark of the fixed one.
        fixed, values = variants.get(FIXED, (None, {}))
        same = {v: m for v, (mark, m) in variants.items() if fixed and book.same(mark, fixed)}
        orders = {v: m for v, m in same.items() if v.startswith("row order")}
        kernels = [m for v, m in same.items() if v not in orders and v != SEED]
        for measure in values:
            moved = drawn = np.nan
            if SEED in same:
                drawn = _range([values, same[SEED]], measure, values)
            if orders and _job(names) not in draws:
                moved = _range([values, *orders.values()], measure, values)
            found.append([*names[:-1], measure, _range(kernels, measure, values), moved, drawn])
    key, ranges = [*_FIT, "measure"], ["kernels", "orders", "seed"]
    frame = pd.DataFrame(found, columns=[*key, *ranges])
    return frame.groupby(key, sort=False)[ranges].max().reset_index()


def _draw(fits):
    """Methods (paper, experiment, method) that another seed moves, by any measure anywhere."""
    return {
        _job(names)
        for names, variants in fits.items()
        if FIXED in variants and variants.get(SEED, variants[FIXED])[1] != variants[FIXED][1]
    }


def _job(names):
    return tuple(name for column, name in zip(_FIT, names, strict=False) if column in _JOB)


def _range(variants, measure, fixed):
    """Range of a measure over some variants, as a share of its size with fixed kernels."""
    values = [v[measure] for v in variants if not np.isnan(v.get(measure, np.nan))]
    if len(set(values)) <= 1:
        return 0.0
    return (max(values) - min(values)) / max(abs(fixed[measure]), 1e-300)


class Spreads:
    """The stated spreads, as read once; of an estimator the largest of its methods and folds."""

    def __init__(self):
        table = spreads(folds=None)
        table["spread"] = table[["kernels", "orders"]].max(axis=1).astype(float)
        self._largest = table.groupby(["estimator", "dataset", "measure"])["spread"].max()
        self._keys = set(self._largest.index.droplevel("measure"))

    def of(self, estimator, dataset):
        """Relative spread of an estimator on a data set: {measure: float}, none where not run.

        One that was not run has the largest of the estimators in it, which it fits: for `Shrunk`
        and its like, which change predictions only, that is the spread; for others part of it.
        """
        key = name_of(estimator), dataset
        if key in self._keys:
            return dict(self._largest.loc[key])
        found = {}
        for one in _inside(estimator):
            for measure, spread in self.of(one, dataset).items():
                found[measure] = max(spread, found.get(measure, 0.0))
        return found
