"""Measures between label distributions; sources in the book's page on measures.

Every function takes D, the true description degrees, and P, the predicted ones, both (n, c), and
returns the mean over rows, or with ``per_row=True`` the (n,) values.
"""

from functools import wraps

import numpy as np

from ldlrepro.entrance import public
from ldlrepro.validation import LARGEST, check_columns, check_kind

#: Predictions are raised to this value inside K-L: float64 machine epsilon, 2.2e-16.
KL_CLIP = np.finfo(np.float64).eps


def _measure(per_row_values):
    @public
    @wraps(per_row_values)
    def measure(D, P, per_row=False):
        values = per_row_values(*check_pair(D, P))
        return values if per_row else float(values.mean())

    return measure


def check_pair(D, P):
    """D and P as float64; ValueError where they are not degrees of the same rows and labels."""
    check_kind(D, "D")
    check_kind(P, "P")
    check_columns(D, P, "D", "P")
    D, P = np.asarray(D, dtype=np.float64), np.asarray(P, dtype=np.float64)
    if D.shape != P.shape or D.ndim != 2 or not len(D) or D.shape[1] < 2:
        raise ValueError(
            f"D has shape {D.shape} and P {P.shape}: both must be (rows, labels), the same, with a "
            "row and two labels at least."
        )
    for A, name in ((D, "D"), (P, "P")):
        bad = ~((A >= 0) & (A <= LARGEST))  # NaN is neither
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ValueError(
                f"{name} row {row}, column {column} is {A[row, column]}: degrees are finite, "
                f"0 or more and at most {LARGEST:g}."
            )
    return D, P


def _ratio(a, b):
    """a / b with 0 / 0 = 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


@_measure
def chebyshev(D, P):
    r"""Chebyshev distance [1]_; in [0, 1], smaller is better.

    .. math:: \max_j \lvert d_j - p_j\rvert

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
    intersection : One minus it, for two or three labels.
    euclidean : Of all differences.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    return np.abs(D - P).max(axis=1)


@_measure
def clark(D, P):
    r"""Clark distance, with 0/0 = 0 [1]_; in [0, sqrt(c)], smaller is better.

    .. math:: \sqrt{\sum_j (d_j - p_j)^2 / (d_j + p_j)^2}

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
    canberra : The sum of the parts, not of their squares.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    return np.sqrt(np.square(_ratio(D - P, D + P)).sum(axis=1))


@_measure
def canberra(D, P):
    r"""Canberra metric, with 0/0 = 0 [1]_; in [0, c], smaller is better.

    .. math:: \sum_j \lvert d_j - p_j\rvert / (d_j + p_j)

    The StructRF paper, Table 2, prints a squared numerator; its numbers are those of this form.

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
    clark : Of squares.
    sorensen : Divides the sums.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    return _ratio(np.abs(D - P), D + P).sum(axis=1)


@_measure
def kl_divergence(D, P):
    r"""K-L divergence, with 0 ln 0 = 0 [1]_; in [0, 37], smaller is better.

    .. math:: \sum_j d_j \ln (d_j / p_j)

    Predictions below ``KL_CLIP`` (2.2e-16) are raised to it, so that the largest value is finite.

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
    squared_chi2 : Symmetric, and bounded.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    log_d = np.log(D, out=np.zeros_like(D), where=D > 0)
    return (D * (log_d - np.log(np.maximum(P, KL_CLIP)))).sum(axis=1)


@_measure
def cosine(D, P):
    r"""Cosine coefficient [1]_; in [0, 1], larger is better.

    .. math:: \sum_j d_j p_j \Big/ \sqrt{\textstyle\sum_j d_j^2 \sum_j p_j^2}

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
    fidelity : Of the square roots of degrees.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    norms = np.sqrt(np.square(D).sum(axis=1) * np.square(P).sum(axis=1))
    return _ratio((D * P).sum(axis=1), norms)


@_measure
def intersection(D, P):
    r"""Intersection similarity [1]_; in [0, 1], larger is better.

    .. math:: \sum_j \min(d_j, p_j)

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
    sorensen : One minus it.
    chebyshev : One minus it too, for two or three labels.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    return np.minimum(D, P).sum(axis=1)


@_measure
def euclidean(D, P):
    r"""Euclidean distance [1]_; in [0, sqrt(2)], smaller is better.

    .. math:: \sqrt{\sum_j (d_j - p_j)^2}

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
    chebyshev : The largest difference.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.1.
    """
    return np.sqrt(np.square(D - P).sum(axis=1))


@_measure
def sorensen(D, P):
    r"""Sorensen distance [1]_; in [0, 1], smaller is better.

    .. math:: \sum_j \lvert d_j - p_j\rvert \Big/ \sum_j (d_j + p_j)

    For distributions it is 1 - intersection.

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
    intersection : One minus it.
    canberra : Divides degree by degree.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.1.
    """
    return _ratio(np.abs(D - P).sum(axis=1), (D + P).sum(axis=1))


@_measure
def squared_chi2(D, P):
    r"""Squared chi2 distance, with 0/0 = 0 [1]_; in [0, 2], smaller is better.

    .. math:: \sum_j (d_j - p_j)^2 / (d_j + p_j)

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
    clark : Divides by the squared sum.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.1.
    """
    return _ratio(np.square(D - P), D + P).sum(axis=1)


@_measure
def fidelity(D, P):
    r"""Fidelity [1]_; in [0, 1], larger is better.

    .. math:: \sum_j \sqrt{d_j p_j}

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
    cosine : Of the degrees themselves.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017, section 4.1.
    """
    return np.sqrt(D * P).sum(axis=1)


@_measure
def sort_loss(D, P):
    r"""SortLoss (Shen et al. 2020 [1]_, Eq. 3); in [0, 1], smaller is better.

    Labels are ranked by falling true degree (equal degrees by column); :math:`\hat h_j` is the
    predicted degree of the label of rank j. Every pair that the prediction puts in the other order
    costs the difference, and the less the further down the better of its two ranks is:

    .. math::

       \frac{\sum_{j=1}^{c-1} \sum_{k=j+1}^{c} \max(\hat h_k - \hat h_j,\, 0) / \log_2(j+1)}
       {\sum_{j=1}^{c-1} 1 / \log_2(j+1)}.

    A constant prediction has the loss 0, its optimum.

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
    ndcg : The gain of the order, whatever the scale.
    flatness : What lowers this loss without a better order.

    References
    ----------
    .. [1] Shen, Xu, Yu, Jia, "Label distribution ensemble learning" (in Chinese), Journal of
       Nanjing University of Science and Technology 44(6), 2020.
    """
    H = np.take_along_axis(P, np.argsort(-D, axis=1, kind="stable"), axis=1)
    discount = 1.0 / np.log2(np.arange(2, H.shape[1] + 1))
    loss = np.zeros(len(H))
    for j, weight in enumerate(discount):
        loss += weight * np.maximum(H[:, j + 1 :] - H[:, j : j + 1], 0).sum(axis=1)
    return loss / discount.sum()
