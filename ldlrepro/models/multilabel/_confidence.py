"""Confidence in predictions without labels, and the measures row by row or label by label."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import rankdata

from ldlrepro.errors import UnknownNameError
from ldlrepro.kernels import ranking
from ldlrepro.metrics import MULTILABEL

LABEL_BASED = ("hamming_loss", "macro_auc")  # the others are of instances (section 2.1)
_OF_ROWS = {
    "one_error": ranking.one_error,
    "coverage": ranking.coverage,
    "ranking_loss": ranking.ranking_loss,
    "average_precision": ranking.average_precision,
}


def check_measure(measure):
    """Raise UnknownNameError, listing the six, where ``measure`` is none of them."""
    if measure not in MULTILABEL:
        raise UnknownNameError(f"No measure {measure!r}; the six are: {', '.join(MULTILABEL)}.")


def log_confidence(measure, P, sort=True):
    """Logarithm of the confidence in scores (Yang et al. 2020, Table 2).

    Parameters
    ----------
    measure
        One of the six names of ``ldlrepro.metrics.MULTILABEL``.
    P : (n, c) float64 in [0, 1]
        Probabilities of the labels, taken as independent.
    sort : bool
        False leaves them in the order of the columns where Table 2 sorts them.

    Returns
    -------
    (c,)
        For the label-based measures hamming loss and macro-AUC, (n,) for the others: of labels or
        rows, in [-inf, 0].

    Raises
    ------
    UnknownNameError

    Notes
    -----
    Ranking loss, average precision and macro-AUC sum, over the k + 1 ways to cut the k sorted
    probabilities into relevant and irrelevant ones, the probability that the truth is just that;
    products over thousands of rows underflow, hence logarithms. In the printed sums j runs from 0
    and an empty product is 1, as the worked example of section 3.2 shows. Coverage is 1 - E / c
    with E the expected rank of the worst relevant label (0 where none is relevant).
    """
    check_measure(measure)
    A = P.T if measure in LABEL_BASED else P
    n, k = A.shape
    with np.errstate(divide="ignore"):
        if measure == "hamming_loss":
            return np.log(np.maximum(A, 1 - A).mean(axis=1))
        if measure == "one_error":
            return np.log(A.max(axis=1))
        if sort:
            A = -np.sort(-A, axis=1)
        if measure == "coverage":
            none_after = np.ones((n, k))
            none_after[:, :-1] = np.cumprod(1 - A[:, :0:-1], axis=1)[:, ::-1]
            rank = (np.arange(1, k + 1) * A * none_after).sum(axis=1)
            return np.log(np.maximum(1 - rank / k, 0))
        terms = np.zeros((n, k + 1))
        np.cumsum(np.log(A), axis=1, out=terms[:, 1:])
        terms[:, :-1] += np.cumsum(np.log1p(-A[:, ::-1]), axis=1)[:, ::-1]
        return np.minimum(logsumexp(terms, axis=1), 0)


def confidence(measure, P):
    """Confidence of Table 2 in [0, 1]; see `log_confidence`."""
    return np.exp(log_confidence(measure, P))


def measure_items(measure, Y, P):
    """A measure of each row, or of each label where it is label-based.

    Parameters
    ----------
    measure
        Name.
    Y : (n, c) bool
        Labels, 0 or 1.
    P : (n, c) float64
        C-contiguous.

    Returns
    -------
    (n,) or (c,) float64
        NaN where not defined; the mean of the others is the measure of ``ldlrepro.metrics``.
    """
    if measure == "hamming_loss":
        return ((P > 0.5) != Y).mean(axis=0)
    if measure == "macro_auc":
        n, positive = len(Y), Y.sum(axis=0)
        out = np.full(Y.shape[1], np.nan)
        both = (positive > 0) & (positive < n)
        positive = positive[both]
        ranks = np.where(Y[:, both], rankdata(P[:, both], axis=0), 0).sum(axis=0)
        out[both] = (ranks - positive * (positive + 1) / 2) / (positive * (n - positive))
        return out
    out = np.empty(len(Y))
    _OF_ROWS[measure](Y, P, out)
    return out


def better(measure, a, b):
    """Whether values a of the measure are better than b (arrays or numbers; NaN is not)."""
    return a > b if MULTILABEL[measure].greater_is_better else a < b
