"""Measures of the order of labels, and how flat predictions are; companions of ``sort_loss``.

SortLoss falls when a prediction is flattened, whatever its order. The first three here are the
same for every increasing function of the predicted degrees of a row.

As for the measures of distributions: D and P are (n, c), and the mean over rows comes back, or
with ``per_row=True`` the (n,) values.
"""

import numpy as np
from scipy.special import entr
from scipy.stats import rankdata

from ldlrepro.kernels.ranking import tau_b
from ldlrepro.metrics._distribution import _measure, _ratio


@_measure
def spearman(D, P):
    """Spearman's rank correlation, mean ranks on ties; in [-1, 1], larger is better.

    0 where a row of D or of P is constant: it has no order to agree with.

    Parameters
    ----------
    D, P : (n, c) array-like
        True and predicted degrees.
    per_row : bool
        Whether to return the value of each row.

    Returns
    -------
    float or (n,) array
        Mean over the rows, or their values.

    See Also
    --------
    kendall : By pairs of labels.
    sort_loss : Depends on the scale too.
    """
    a, b = (rankdata(A, axis=1) - (A.shape[1] + 1) / 2 for A in (D, P))
    return _ratio((a * b).sum(axis=1), np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1)))


@_measure
def kendall(D, P):
    """Kendall's tau-b, which corrects for ties; in [-1, 1], larger is better.

    0 where a row of D or of P is constant: it has no order to agree with.

    Parameters
    ----------
    D, P : (n, c) array-like
        True and predicted degrees.
    per_row : bool
        Whether to return the value of each row.

    Returns
    -------
    float or (n,) array
        Mean over the rows, or their values.

    See Also
    --------
    spearman : By ranks.
    sort_loss : Depends on the scale too.
    """
    values = np.empty(len(D))
    tau_b(D, P, values)
    return values


@_measure
def ndcg(D, P):
    r"""Normalised discounted cumulative gain; in [0, 1], larger is better.

    .. math:: \sum_j d_j / \log_2(r_j + 1),

    ranks r by falling prediction, over its largest value. Labels with equal predictions share the
    mean discount of their ranks, as in scikit-learn's ``ndcg_score``.

    Parameters
    ----------
    D, P : (n, c) array-like
        True and predicted degrees.
    per_row : bool
        Whether to return the value of each row.

    Returns
    -------
    float or (n,) array
        Mean over the rows, or their values.

    See Also
    --------
    sort_loss : The same discount, for pairs in the wrong order.
    """
    c = D.shape[1]
    discount = 1 / np.log2(np.arange(2, c + 2))
    summed = np.concatenate([[0], np.cumsum(discount)])
    first = rankdata(-P, method="min", axis=1).astype(int)
    last = rankdata(-P, method="max", axis=1).astype(int)
    shared = (summed[last] - summed[first - 1]) / (last - first + 1)
    return _ratio((D * shared).sum(axis=1), -np.sort(-D, axis=1) @ discount)


@_measure
def flatness(D, P):
    """Entropy of the predicted distribution over ln c, its largest value; in [0, 1].

    How flat P is, not how good: neither direction is better. D has no part in it, and is taken, and
    its shape checked, so that the measure is called like every other. 1 for a uniform prediction.

    Parameters
    ----------
    D, P : (n, c) array-like
        True and predicted degrees.
    per_row : bool
        Whether to return the value of each row.

    Returns
    -------
    float or (n,) array
        Mean over the rows, or their values.

    See Also
    --------
    sort_loss : Rewards flat predictions.
    """
    return entr(P).sum(axis=1) / np.log(max(P.shape[1], 2))
