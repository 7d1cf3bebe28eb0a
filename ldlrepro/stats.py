"""Comparison of methods over folds and over data sets."""

import numpy as np
from scipy import optimize, special, stats


def paired_t(a, b):
    """Two-sided p of Student's paired t-test over folds, as in the papers.

    Folds share training rows, so this p is too small; `corrected_t` stands beside it.

    Parameters
    ----------
    a, b : (k,)
        Values of two methods on the same folds; p is 1 where they are equal.
    """
    difference = np.asarray(a, float) - np.asarray(b, float)
    return _two_sided(difference, 1 / len(difference))


def corrected_t(a, b, n_train, n_test):
    """Two-sided p of the corrected resampled t-test (Nadeau and Bengio 2003).

    The variance of the mean difference is (1/k + n_test/n_train) s^2 in place of s^2/k.

    Parameters
    ----------
    a, b : (k,)
        Values of two methods on the same k folds.
    n_train, n_test : float
        Rows in the training and test parts.
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
    return float(2 * special.stdtr(len(difference) - 1, -abs(t)))


def correlated_posterior(difference, region):
    """Posterior of the mean difference of two methods on one data set, over k folds.

    The Bayesian counterpart of `corrected_t` (Corani and Benavoli 2015): a t distribution with
    k - 1 degrees of freedom, whose variance is (1/k + 1/(k - 1)) s^2.

    Parameters
    ----------
    difference : (k,)
        Differences of losses, the second method's minus the first's.
    region : float
        A mean difference up to this counts as none.

    Returns
    -------
    tuple of three
        Probabilities: the first is better, there is no difference, the second is better.

    See Also
    --------
    corrected_t : A p-value from the same variance.
    """
    difference = np.asarray(difference, float)
    k, mean = len(difference), difference.mean()
    scale = np.sqrt(difference.var(ddof=1) * (1 / k + 1 / (k - 1)))
    if scale == 0:
        return float(mean > region), float(abs(mean) <= region), float(mean < -region)
    below, above = (special.stdtr(k - 1, (sign * region - mean) / scale) for sign in (-1, 1))
    return 1 - above, above - below, below


def holm(p):
    """p-values adjusted for their number by Holm's steps: as they are below a level, so are these.

    The chance that any true hypothesis is rejected stays below the level. For the expected share of
    them among those rejected there is ``scipy.stats.false_discovery_control``.

    Parameters
    ----------
    p : (m,)
        Values of one family of tests.

    Returns
    -------
    (m,) array
        At most 1.
    """
    p = np.asarray(p, float)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1)


def smallest_shown(folds, ratio, level=0.05, power=0.8):
    """The smallest difference that `corrected_t` shows with some probability.

    The mean difference is taken to have the variance that the test gives it, so that the statistic
    has a noncentral t distribution.

    Parameters
    ----------
    folds : int
        At least 2.
    ratio : float
        Rows tested / rows fitted: 1/9 for ten folds, 1 for halves.
    level : float
        That of the two-sided test.
    power : float
        The probability.

    Returns
    -------
    float
        In standard deviations of the differences over the folds.
    """
    df, factor = folds - 1, np.sqrt(1 / folds + ratio)
    least = stats.t.isf(level / 2, df)

    def lacking(shift):  # shown the right way round: the other tail is beyond precision
        return stats.nct.sf(least, df, shift) - power

    return factor * optimize.brentq(lacking, 0, 20 * least)


def ranks(values, greater_is_better):
    """Rank of each method on each data set, 1 for the best, means on ties.

    Parameters
    ----------
    values : (data sets, methods) array
        A row a data set, a column a method.
    """
    values = np.asarray(values, float)
    return stats.rankdata(-values if greater_is_better else values, axis=1)
