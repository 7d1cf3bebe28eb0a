"""The rows that train, validate and test under an experiment's protocol."""

import numpy as np
from sklearn.model_selection import KFold


def partition(experiment, n, folds):
    """Split n rows as an Experiment says: folds, hold-outs, or folds of rows drawn anew.

    Returns
    -------
    list of ``folds`` triples (train, validation, test), arrays of row numbers

    Raises
    ------
    ValueError
        Fewer rows than folds, or a test share that leaves a part empty.
    """
    if experiment.test_share is not None:
        return [
            hold_out(n, experiment.test_share, (experiment.seed, time)) for time in range(folds)
        ]
    if experiment.replacement:
        return drawn_folds(n, experiment.seed, folds)
    return ten_folds(n, experiment.seed, folds)


def ten_folds(n, seed, folds=10):
    """Split n rows 8:1:1 in ten ways (StructRF paper, section 4.2).

    Fold f is the test part, fold f + 1 (the last: fold 0) the validation part, the rest trains.

    Returns
    -------
    list of (train, validation, test), arrays of row numbers

    Raises
    ------
    ValueError
        Fewer rows than folds.
    """
    if n < folds:
        raise ValueError(f"{n} rows cannot be split into {folds} folds: use at most {n} folds.")
    splitter = KFold(folds, shuffle=True, random_state=seed)
    parts = [test for _, test in splitter.split(np.empty(n))]
    result = []
    for f, test in enumerate(parts):
        validation = parts[(f + 1) % folds]
        rest = np.setdiff1d(np.arange(n), np.concatenate([test, validation]))
        result.append((rest, validation, test))
    return result


def drawn_folds(n, seed, folds):
    """`ten_folds` of n rows drawn with replacement: a row may be in a training and a test part."""
    drawn = np.random.default_rng(seed).choice(n, n)
    return [tuple(drawn[part] for part in fold) for fold in ten_folds(n, seed, folds)]


def hold_out(n, test_share, seed):
    """One random split of n rows: (train, validation, test); a tenth of the rest validates.

    Raises
    ------
    ValueError
        A test share that leaves a part empty.
    """
    n_test = round(test_share * n)
    n_validation = round(0.1 * (n - n_test))
    if not 0 < n_test < n - n_validation:
        raise ValueError(
            f"A test share of {test_share} leaves a part of the {n} rows empty: choose another."
        )
    order = np.random.default_rng(seed).permutation(n)
    test, validation, train = np.split(order, [n_test, n_test + n_validation])
    return np.sort(train), np.sort(validation), np.sort(test)
