"""The rows that train, validate and test under an experiment's protocol."""

import numpy as np

from ldlrepro.protocols.splits import ten_folds


def partition(experiment, n, folds):
    """Split n rows as an Experiment says.

    Hold-outs draw the test rows anew each time; a tenth of the rest validates. With
    ``replacement`` row numbers repeat, and so may stand in the training and the test part.

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
    parts = ten_folds(n, experiment.seed, folds)
    if not experiment.replacement:
        return parts
    drawn = np.random.default_rng(experiment.seed).choice(n, n)
    return [tuple(drawn[part] for part in fold) for fold in parts]


def hold_out(n, test_share, seed):
    """One random split of n rows: (train, validation, test)."""
    n_test = round(test_share * n)
    n_validation = round(0.1 * (n - n_test))
    if not 0 < n_test < n - n_validation:
        raise ValueError(
            f"A test share of {test_share} leaves a part of the {n} rows empty: choose another."
        )
    order = np.random.default_rng(seed).permutation(n)
    test, validation, train = np.split(order, [n_test, n_test + n_validation])
    return np.sort(train), np.sort(validation), np.sort(test)
