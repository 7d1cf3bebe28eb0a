"""Comparison of methods over folds and over data sets."""

import numpy as np
from scipy import stats


def paired_t(a, b):
    """Two-sided p of Student's paired t-test over folds, as in the papers.

    Folds share training rows, so this p is too small; `corrected_t` stands beside it.

    Parameters
    ----------
    a, b : (k,) values of two methods on the same folds; p is 1 where they are equal
    """
    difference = np.asarray(a, float) - np.asarray(b, float)
    return _two_sided(difference, 1 / len(difference))


def corrected_t(a, b, n_train, n_test):
    """Two-sided p of the corrected resampled t-test (Nadeau and Bengio 2003).

    The variance of the mean difference is (1/k + n_test/n_train) s^2 in place of s^2/k.

    Parameters
    ----------
    a, b : (k,) values of two methods on the same k folds
    n_train, n_test : float, rows in the training and test parts
    """
    difference = np.asarray(a, float) - np.asarray(b, float)
    return _two_sided(difference, 1 / len(difference) + n_test / n_train)


def _two_sided(difference, factor):
    if len(difference) < 2:
        raise ValueError("A t-test needs at least two folds.")
    spread = difference.std(ddof=1)
    if spread == 0:
        return 1.0 if difference.mean() == 0 else 0.0
    t = difference.mean() / (spread * np.sqrt(factor))
    return float(2 * stats.t.sf(abs(t), len(difference) - 1))


def ranks(values, greater_is_better):
    """Rank of each method on each data set, 1 for the best, means on ties.

    Parameters
    ----------
    values : (data sets, methods) array
    """
    values = np.asarray(values, float)
    return stats.rankdata(-values if greater_is_better else values, axis=1)
