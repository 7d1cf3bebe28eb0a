"""Measures of multi-label predictions (Yang et al. 2020, Table 1).

Y (n, c) holds 0 and 1, S (n, c) scores, larger for more relevant labels. Rows without a relevant
or without an irrelevant label have no pair to rank: they are left out of ranking loss, average
precision and one-error; coverage counts them as 0. Labels with one class are left out of macro-AUC.
"""

import numpy as np
from sklearn.metrics import roc_auc_score

from ldlrepro.entrance import public
from ldlrepro.kernels import ranking
from ldlrepro.validation import check_columns, check_kind


def _check(Y, S):
    check_kind(Y, "Y")
    check_kind(S, "S")
    check_columns(Y, S, "Y", "S")
    Y, S = np.asarray(Y, dtype=np.float64), np.asarray(S, dtype=np.float64)
    if Y.shape != S.shape or Y.ndim != 2 or not Y.size:
        raise ValueError(
            f"Y has shape {Y.shape} and S {S.shape}: both must be (rows, labels), the same, with a "
            "row and a label at least."
        )
    if not np.isin(Y, (0, 1)).all():
        row, column = np.argwhere(~np.isin(Y, (0, 1)))[0]
        raise ValueError(f"Y row {row}, column {column} is {Y[row, column]}: labels are 0 or 1.")
    if not np.isfinite(S).all():
        row, column = np.argwhere(~np.isfinite(S))[0]
        raise ValueError(f"S row {row}, column {column} is {S[row, column]}: not finite.")
    return Y == 1, S


def _rows(measure, Y, S):
    values = np.empty(len(Y))
    measure(np.ascontiguousarray(Y), np.ascontiguousarray(S), values)
    return values


def _mean(values):
    return float(np.mean(values)) if len(values) else float("nan")


def _of_ranked(measure, Y, S):
    """Mean over the rows with both a relevant and an irrelevant label."""
    Y, S = _check(Y, S)
    return _mean(_rows(measure, Y, S)[Y.any(axis=1) & ~Y.all(axis=1)])


@public
def hamming_loss(Y, S, threshold=0.5):
    """Share of wrong entries after S > threshold [1]_; in [0, 1], smaller is better.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.
    threshold : float
        A label is predicted where its score is above.

    Returns
    -------
    float
        Share of all entries.

    See Also
    --------
    macro_auc : By label too, without a threshold.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020, Table 1.
    """
    Y, S = _check(Y, S)
    return float(((S > threshold) != Y).mean())


@public
def one_error(Y, S):
    """Share of rows whose top label is irrelevant [1]_; smaller is better.

    Which label is on top of a tie the table leaves open: here the first one.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.

    Returns
    -------
    float
        Mean over the rows with both kinds of label; NaN without such a row.

    See Also
    --------
    coverage : Looks at every relevant label.
    average_precision : Looks at their ranks.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020, Table 1.
    """
    return _of_ranked(ranking.one_error, Y, S)


@public
def coverage(Y, S):
    """Steps down the ranking to reach every relevant label, over the number of labels [1]_.

    (rank of the worst relevant label - 1) / c; in [0, 1), smaller is better; 0 for a row without a
    relevant label. How ties are ranked the table leaves open: here the worse rank counts.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.

    Returns
    -------
    float
        Mean over the rows.

    See Also
    --------
    one_error : Looks at the top label.
    ranking_loss : Looks at all pairs.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020, Table 1.
    """
    return _mean(_rows(ranking.coverage, *_check(Y, S)))


@public
def ranking_loss(Y, S):
    """Share of (relevant, irrelevant) pairs in the wrong order [1]_; smaller is better.

    Ties count as wrong, as in the table.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.

    Returns
    -------
    float
        Mean over the rows with both kinds of label; NaN without such a row.

    See Also
    --------
    average_precision : By rank.
    macro_auc : Of the rows of a label.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020, Table 1.
    """
    return _of_ranked(ranking.ranking_loss, Y, S)


@public
def average_precision(Y, S):
    """Mean over relevant labels of the precision at their rank [1]_; larger is better.

    How ties are ranked the table leaves open: here the worse rank counts.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.

    Returns
    -------
    float
        Mean over the rows with both kinds of label; NaN without such a row.

    See Also
    --------
    ranking_loss : By pairs.
    coverage : The worst relevant label.
    one_error : The top label.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020, Table 1.
    """
    return _of_ranked(ranking.average_precision, Y, S)


@public
def macro_auc(Y, S):
    """Mean over labels of the area under the ROC curve [1]_; larger is better.

    Ties count half, as usual. In the table they count fully, in favour of the prediction.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.

    Returns
    -------
    float
        Mean over the labels that some rows have and some have not; NaN without such a label.

    See Also
    --------
    ranking_loss : Of the labels of a row.

    References
    ----------
    .. [1] Yang, Wu, Jiang, Zhou, "Multi-label learning with deep forest", ECAI 2020, Table 1.
    """
    Y, S = _check(Y, S)
    labels = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
    return _mean([roc_auc_score(Y[:, j], S[:, j]) for j in labels])
