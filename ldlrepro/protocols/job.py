"""What makes a number: rows, seed, choice of parameters, fit, prediction, scores.

A job is one fold of one method on one data set. The runner says when it runs, the store keeps what
it returns; nothing outside this module and what it calls has a part in its numbers.
"""

import time
from functools import lru_cache

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from ldlrepro import datasets, metrics
from ldlrepro.declare import Experiment, Method
from ldlrepro.protocols.selection import choose
from ldlrepro.protocols.split import by_groups, partition


@lru_cache(maxsize=2)
def load(name: str, rows: int | None = None, source: str = "auto") -> Bunch:
    """Data of a job: a registered set, or with ``rows`` its synthetic stand-in."""
    if rows is None:
        return datasets.load(name, source)
    return datasets.make_standin(name, n_samples=rows, random_state=0)


@lru_cache(maxsize=2)
def load_images(size: int, labels: str, rows: int | None = None) -> Bunch:
    """Photographs of a job, or with ``rows`` a synthetic set of images."""
    if rows is None:
        return datasets.load_images(size, labels)
    return datasets.make_scenes(n_samples=rows, random_state=0)


def data_of(experiment: Experiment, name: str, rows: int | None = None) -> Bunch:
    """Data of a job, as its Experiment says; ``rows`` are those of a stand-in, or None."""
    images = experiment.images
    if not images or (rows is not None and images["size"] is None):
        return load(name, rows, experiment.source)
    return load_images(**images, rows=rows)


def seed_of(experiment: Experiment, fold: int) -> int:
    """``random_state`` of an estimator in a fold: another one in each fold of each seed."""
    return 1000 * experiment.seed + fold


def compute(
    experiment: Experiment, method: Method, data: Bunch, folds: int, fold: int
) -> list[dict]:
    """Run one job.

    Parameters
    ----------
    experiment : Experiment
        One of the paper's.
    method : Method
        One of the experiment's.
    data : Bunch
        Holds X (n, q) and D (n, c), or Y (n, c).
    folds : int
        How many there are.
    fold : int
        From 0.

    Returns
    -------
    list of dict
        ``parameters`` (the chosen ones, or {"stage": ...} of a staged method: one dict a stage),
        the experiment's measures on the test rows, fit_seconds, predict_seconds, n_train, n_test.
        The estimator is fitted on training and validation rows; the parameters are chosen before,
        on the validation rows of a fit on the training rows alone, or where the experiment says so
        on the test rows.
    """
    X, truth = data.X, data.D if "D" in data else data.Y
    if experiment.groups:
        train, validation, test = by_groups(experiment, data[experiment.groups], folds)[fold]
    else:
        train, validation, test = partition(experiment, len(X), folds)[fold]
    fitted = np.concatenate([train, validation])
    estimator = clone(method.estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed_of(experiment, fold))
    parameters = {}
    if method.grid:
        on_test = experiment.chosen_on == "test"
        learnt, judged = (fitted, test) if on_test else (train, validation)
        parameters = choose(estimator, method.grid, X, truth, learnt, judged)
        estimator.set_params(**parameters)

    start = time.perf_counter()
    estimator.fit(X[fitted], truth[fitted])
    fit_seconds = time.perf_counter() - start
    start = time.perf_counter()
    predicted = getattr(estimator, "predict_proba", estimator.predict)(X[test])
    predict_seconds = time.perf_counter() - start

    def record(parameters, P):
        return {
            "parameters": parameters,
            "fit_seconds": fit_seconds,
            "predict_seconds": predict_seconds,
            "n_train": len(fitted),
            "n_test": len(test),
        } | {name: metrics.measure(name)(truth[test], P) for name in experiment.measures}

    if not method.staged:
        return [record(parameters, predicted)]
    records = []
    for number, item in enumerate(estimator.staged_predict(X[test]), 1):
        stage, P = item if isinstance(item, tuple) else (number, item)
        if method.staged is True or stage in method.staged:
            records.append(record({"stage": stage}, P))
    return records
