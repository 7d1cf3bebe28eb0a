"""Folds of the papers' protocols."""

import numpy as np
from sklearn.model_selection import KFold


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
