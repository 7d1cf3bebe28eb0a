"""Measures of predicted ages."""

from numbers import Real

import numpy as np

from ldlrepro.entrance import public
from ldlrepro.metrics._distribution import check_pair
from ldlrepro.validation import check_finite, check_kind


@public
def mae(age, predicted):
    """Mean absolute error in years of (n,) ages [1]_; 0 or more, smaller is better.

    Parameters
    ----------
    age, predicted : (n,) array-like
        True and predicted ages in years.

    Returns
    -------
    float
        Years.

    See Also
    --------
    cumulative_score : Counts small errors.
    mae_argmax : Of distributions, whose labels are the ages.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.2.
    """
    return float(_errors(age, predicted).mean())


@public
def cumulative_score(age, predicted, within=5):
    """Share of (n,) ages predicted to within ``within`` years; in [0, 1], larger is better.

    Parameters
    ----------
    age, predicted : (n,) array-like
        True and predicted ages in years.
    within : float >= 0
        Years of error that are let pass.

    Returns
    -------
    float
        A share of the rows.

    See Also
    --------
    mae : The mean error.
    """
    if not isinstance(within, Real) or not within >= 0:
        raise ValueError(f"within={within!r}: choose a number of years, 0 or more.")
    return float((_errors(age, predicted) <= within).mean())


def _errors(age, predicted):
    """Absolute errors (n,); ValueError where these are not as many finite ages, one at least."""
    ages = []
    for a, name in ((age, "age"), (predicted, "predicted")):
        check_kind(a, name)
        a = np.asarray(a, dtype=np.float64)
        if a.ndim != 1 or not len(a):
            raise ValueError(f"{name} has shape {a.shape}: expected an age for each row, (n,).")
        check_finite(a[:, None], name)
        ages.append(a)
    if len(ages[0]) != len(ages[1]):
        raise ValueError(f"age has {len(ages[0])} rows and predicted {len(ages[1])}.")
    return np.abs(ages[0] - ages[1])


@public
def mae_argmax(D, P, per_row=False):
    """Mean absolute error in years where the age of a row is that of its largest degree [1]_.

    Parameters
    ----------
    D, P : (n, c) array-like
        Distributions whose labels are ages, a year apart. The age that a row of D stands for is
        that of its largest degree. In P the first of equals counts.
    per_row : bool
        Whether to return the error of each row.

    Returns
    -------
    float or (n,) array
        Mean of the errors, or the errors, in years.

    See Also
    --------
    mae_expectation : The predicted age is the mean of the distribution.
    mae : Of ages.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.2.
    """
    D, P = check_pair(D, P)
    errors = np.abs(np.argmax(D, axis=1) - np.argmax(P, axis=1)).astype(float)
    return errors if per_row else float(errors.mean())


@public
def mae_expectation(D, P, per_row=False):
    """As `mae_argmax`, but the predicted age is the mean of the distribution.

    Parameters
    ----------
    D, P : (n, c) array-like
        Distributions whose labels are ages, a year apart. The age that a row of D stands for is
        that of its largest degree.
    per_row : bool
        Whether to return the error of each row.

    Returns
    -------
    float or (n,) array
        Mean of the errors, or the errors, in years.

    See Also
    --------
    mae_argmax : The predicted age is that of the largest degree.
    """
    D, P = check_pair(D, P)
    errors = np.abs(np.argmax(D, axis=1) - P @ np.arange(P.shape[1]) / P.sum(axis=1))
    return errors if per_row else float(errors.mean())


def _share_within(years):
    def measure(D, P):
        return float((mae_argmax(D, P, per_row=True) <= years).mean())

    measure.__name__ = measure.__qualname__ = f"cs_{years}"
    measure.__doc__ = (
        f"Share of rows, (n, c), whose error in `mae_argmax` is {years} years at most.\n\n"
        "See Also\n--------\nmae_argmax : The mean error."
    )
    return measure


# Points of the cumulative score curve.
cs_0, cs_1, cs_2, cs_3, cs_4, cs_5, cs_6, cs_7, cs_8, cs_9, cs_10 = map(_share_within, range(11))
