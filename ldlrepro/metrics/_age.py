"""Measures of predicted ages."""

import numpy as np


def mae(age, predicted):
    """Mean absolute error in years of (n,) ages [1]_; 0 or more, smaller is better.

    See Also
    --------
    cumulative_score : Counts small errors.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.2.
    """
    return float(np.abs(np.asarray(age, float) - np.asarray(predicted, float)).mean())


def cumulative_score(age, predicted, within=5):
    """Share of (n,) ages predicted to within ``within`` years; in [0, 1], larger is better.

    See Also
    --------
    mae : The mean error.
    """
    return float((np.abs(np.asarray(age, float) - np.asarray(predicted, float)) <= within).mean())
