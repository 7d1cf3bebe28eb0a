"""How far rounding alone moves a number, from the fits that tools/rounding.py made.

The order of a sum's terms is a choice of the library and of the file, not of the method. Where a
fit amplifies it, a difference that is smaller than this spread says nothing, and `verify` on
another kind of machine cannot ask for more.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ldlrepro import paths
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.store import PUT_BACK, Table

#: Folds that were run of every method.
FOLDS = (0, 1)
#: Variants: the fixed kernels with rows as in the file, and with another ``random_state``. Where
#: that moves the numbers the method draws, and another order of rows is another draw.
FIXED, SEED = "fixed", "another seed"
COLUMNS = (
    "paper", "experiment", "dataset", "method", "estimator", "fold", "variant", "measures",
    "fingerprint",
)  # fmt: skip
_JOB = ("paper", "experiment", "method")
FIT = ("paper", "experiment", "dataset", "method", "estimator")


def name_of(estimator: Any) -> str:
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


def path_of_fits() -> Path:
    """File of the fits that are kept."""
    return paths.results() / "rounding.csv"


def key_of(row: dict) -> tuple:
    """What names a fit among the kept ones."""
    return tuple(row[c] for c in COLUMNS[:-2])


def rows_of_fits() -> list[dict]:
    """The kept fits, a dict each."""
    path = path_of_fits() if path_of_fits().exists() else paths.shipped_results() / "rounding.csv"
    table = Table(path, COLUMNS, key=key_of)
    table.warn(path, rest=PUT_BACK)
    return table.good


def spreads(folds: tuple[int, ...] | None = FOLDS) -> pd.DataFrame:
    """Relative spreads, a row for each paper, experiment, dataset, method and measure.

    Parameters
    ----------
    folds : tuple of int
        Folds that count; None for all that were run.

    Returns
    -------
    DataFrame
        Also estimator, kernels, orders and seed: the range of the measure over kernel sets, over
        row orders (NaN for methods that draw) and over two seeds (NaN for methods without), as a
        share of its size with fixed kernels, the larger of the folds.
    """
    fits: dict[tuple, dict] = {}
    for row in rows_of_fits():
        if folds is not None and int(row["fold"]) not in folds:
            continue
        variant = row["fingerprint"], json.loads(row["measures"])
        fits.setdefault(tuple(row[c] for c in (*FIT, "fold")), {})[row["variant"]] = variant
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
    key, ranges = [*FIT, "measure"], ["kernels", "orders", "seed"]
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
    return tuple(name for column, name in zip(FIT, names, strict=False) if column in _JOB)


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

    def of(self, estimator: Any, dataset: str) -> dict[str, float]:
        """Relative spread of an estimator on a data set: {measure: float}, none where not run.

        One that was not run has the largest of the estimators in it, which it fits: for `Shrunk`
        and its like, which change predictions only, that is the spread; for others part of it.
        """
        key = name_of(estimator), dataset
        if key in self._keys:
            return dict(self._largest.loc[key])
        found: dict[str, float] = {}
        for one in _inside(estimator):
            for measure, spread in self.of(one, dataset).items():
                found[measure] = max(spread, found.get(measure, 0.0))
        return found
