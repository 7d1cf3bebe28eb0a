"""The rows that train, validate and test under an experiment's protocol."""

from itertools import cycle

import numpy as np
from sklearn.model_selection import KFold

from ldlrepro.declare import Experiment

#: Row numbers: train, validation, test.
Split = tuple[np.ndarray, ...]


def partition(experiment: Experiment, n: int, folds: int) -> list[Split]:
    """Split n rows as an Experiment says: folds, hold-outs, or folds of rows drawn anew.

    Returns
    -------
    list of (train, validation, test)
        Row numbers, a triple of arrays for each of the ``folds``.

    Raises
    ------
    ValueError
        Fewer rows than folds, or a test share that leaves a part empty.
    """
    if experiment.test_share is not None:
        return [
            hold_out(n, experiment.test_share, (experiment.seed, time))  # type: ignore[arg-type]
            for time in range(folds)
        ]
    if experiment.replacement:
        return drawn_folds(n, experiment.seed, folds)
    return ten_folds(n, experiment.seed, folds)


def ten_folds(n: int, seed: int, folds: int = 10) -> list[Split]:
    """Split n rows 8:1:1 in ten ways (StructRF paper, section 4.2).

    Fold f is the test part, fold f + 1 (the last: fold 0) the validation part, the rest trains.

    Returns
    -------
    list of (train, validation, test)
        Row numbers, a triple of arrays for each.

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
    return result  # type: ignore[return-value]


def drawn_folds(n: int, seed: int, folds: int) -> list[Split]:
    """`ten_folds` of n rows drawn with replacement: a row may be in a training and a test part."""
    drawn = np.random.default_rng(seed).choice(n, n)
    return [tuple(drawn[part] for part in fold) for fold in ten_folds(n, seed, folds)]


def by_groups(experiment: Experiment, groups: np.ndarray, folds: int) -> list[Split]:
    """`partition` of (n,) group names: no group has rows in two of the parts.

    Folds test one group each where there are as many (in the order of the names), else a random
    share of them; a tenth of the other groups validates, drawn anew in each fold. Hold-outs test a
    share of the groups; of several shares each is taken in turn.

    Raises
    ------
    ValueError
        Fewer groups than folds, or than three; a test share that leaves a part empty.
    """
    names, group = np.unique(groups, return_inverse=True)
    times = [(experiment.seed, time) for time in range(folds)]
    if experiment.test_share is not None:
        shares = cycle(np.atleast_1d(experiment.test_share))
        parts = [
            hold_out(len(names), share, time) for share, time in zip(shares, times, strict=False)
        ]
    elif len(names) < max(folds, 3):
        raise ValueError(f"{len(names)} groups cannot be split into {folds} folds.")
    else:
        shuffled = {"shuffle": True, "random_state": experiment.seed} if folds < len(names) else {}
        tests = [test for _, test in KFold(folds, **shuffled).split(names)]
        parts = [_with_validation(len(names), *each) for each in zip(tests, times, strict=True)]
    return [tuple(np.flatnonzero(np.isin(group, part)) for part in parts_) for parts_ in parts]


def _with_validation(n, test, seed):
    rest = np.random.default_rng(seed).permutation(np.setdiff1d(np.arange(n), test))
    held = max(1, round(0.1 * len(rest)))
    return rest[held:], rest[:held], test


def hold_out(n: int, test_share: float, seed: int | tuple[int, int]) -> Split:
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
