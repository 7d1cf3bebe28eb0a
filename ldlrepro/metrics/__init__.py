"""Measures of label distributions, multi-label predictions and ages, with a registry."""

from dataclasses import dataclass

from ldlrepro.entrance import by_name, public
from ldlrepro.metrics._age import (
    cs_0,
    cs_1,
    cs_2,
    cs_3,
    cs_4,
    cs_5,
    cs_6,
    cs_7,
    cs_8,
    cs_9,
    cs_10,
    cumulative_score,
    mae,
    mae_argmax,
    mae_expectation,
)
from ldlrepro.metrics._distribution import (
    KL_CLIP,
    canberra,
    chebyshev,
    clark,
    cosine,
    euclidean,
    fidelity,
    intersection,
    kl_divergence,
    sorensen,
    sort_loss,
    squared_chi2,
)
from ldlrepro.metrics._multilabel import (
    average_precision,
    coverage,
    hamming_loss,
    macro_auc,
    one_error,
    ranking_loss,
)
from ldlrepro.metrics._ranking import flatness, kendall, ndcg, spearman
from ldlrepro.metrics._scorers import scorer
from ldlrepro.validation import check_columns, check_simplex


@dataclass(frozen=True)
class Measure:
    """What a table must know of a measure.

    Parameters
    ----------
    name : str
        That of its function.
    greater_is_better : bool
        Whether it is a similarity or a score, not a distance or a loss.
    upper : str
        Its largest value for c labels, as a formula.
    symmetric : bool
        Whether truth and prediction can change places.
    label : str
        What tables print.

    See Also
    --------
    measure : Gives the function of a name.
    """

    name: str
    greater_is_better: bool
    upper: str
    symmetric: bool
    label: str


#: The measures of label distributions, in the order of tables.
DISTRIBUTION = {
    m.name: m
    for m in (
        Measure("chebyshev", False, "1", True, label="Chebyshev"),
        Measure("clark", False, "sqrt(c)", True, label="Clark"),
        Measure("canberra", False, "c", True, label="Canberra"),
        Measure("kl_divergence", False, "inf", False, label="K-L"),
        Measure("cosine", True, "1", True, label="Cosine"),
        Measure("intersection", True, "1", True, label="Intersection"),
        Measure("euclidean", False, "sqrt(2)", True, label="Euclidean"),
        Measure("sorensen", False, "1", True, label="Sorensen"),
        Measure("squared_chi2", False, "2", True, label="Squared chi2"),
        Measure("fidelity", True, "1", True, label="Fidelity"),
        Measure("sort_loss", False, "1", False, label="SortLoss"),
    )
}

#: Companions of SortLoss that do not depend on the scale of predictions, and their flatness.
RANKING = {
    m.name: m
    for m in (
        Measure("spearman", True, "1", True, label="Spearman"),
        Measure("kendall", True, "1", True, label="Kendall"),
        Measure("ndcg", True, "1", False, label="NDCG"),
        # No direction is better; the field must have one, and a flat prediction is no merit.
        Measure("flatness", False, "1", False, label="Flatness"),
    )
}

#: The multi-label measures of the MLDF paper, Table 1.
MULTILABEL = {
    m.name: m
    for m in (
        Measure("hamming_loss", False, "1", False, label="Hamming loss"),
        Measure("one_error", False, "1", False, label="One-error"),
        Measure("coverage", False, "1", False, label="Coverage"),
        Measure("ranking_loss", False, "1", False, label="Ranking loss"),
        Measure("average_precision", True, "1", False, label="Average precision"),
        Measure("macro_auc", True, "1", False, label="Macro-AUC"),
    )
}

#: Measures of distributions whose labels are ages, a year apart; cs_<k> is the share of rows
#: predicted to within k years.
AGE = {
    m.name: m
    for m in (
        Measure("mae_argmax", False, "c", True, label="MAE, arg-max"),
        Measure("mae_expectation", False, "c", False, label="MAE, expectation"),
        *(Measure(f"cs_{k}", True, "1", True, label=f"within {k} years") for k in range(11)),
    )
}

#: Every measure by name.
MEASURES = DISTRIBUTION | RANKING | MULTILABEL | AGE


@by_name
def measure(name):
    """Return the function of a measure by its name.

    Parameters
    ----------
    name : str
        One of ``MEASURES``, "clark" for example.

    Returns
    -------
    callable
        The function of this name.

    Raises
    ------
    UnknownNameError
        Another name; the message lists those there are.

    See Also
    --------
    Measure : What a table must know of it.
    score : All measures of label distributions at once.
    """
    return globals()[name]


@public
def score(D, P):
    """Every measure of label distributions.

    Parameters
    ----------
    D, P : (n, c) array-like
        True and predicted distributions.

    Returns
    -------
    dict of float
        Mean over the rows by the name of the measure.

    Raises
    ------
    ValueError
        A row of D or P does not sum to 1, a degree is negative or not finite, shapes differ, or
        two DataFrames name their columns differently.

    See Also
    --------
    score_labels : Of multi-label predictions.
    get_scorer : One of them, for scikit-learn's searches.
    """
    check_columns(D, P, "D", "P")
    D, P = check_simplex(D, "D"), check_simplex(P, "P")
    return {name: measure(name)(D, P) for name in DISTRIBUTION}


@public
def score_labels(Y, S):
    """Every multi-label measure.

    Parameters
    ----------
    Y : (n, c) array-like of 0 and 1
        Labels that a row has.
    S : (n, c) array-like
        Scores, larger for more relevant labels.

    Returns
    -------
    dict of float
        Value by the name of the measure.

    Raises
    ------
    ValueError
        An entry of Y that is not 0 or 1, one of S that is not finite, or shapes that differ.

    See Also
    --------
    score : Of label distributions.
    """
    return {name: measure(name)(Y, S) for name in MULTILABEL}


def get_scorer(name):
    """Scorer of a measure of label distributions, for ``cross_val_score`` or ``GridSearchCV``.

    Parameters
    ----------
    name : str
        That of a similarity, "intersection", or that of a distance with a minus before it,
        "neg_kl_divergence": larger is better.

    Returns
    -------
    callable
        What ``scoring`` takes.

    Raises
    ------
    UnknownNameError
        Another name; the message lists those there are.

    See Also
    --------
    score : All measures at once.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from ldlrepro import MeanPredictor
    >>> from ldlrepro.datasets import make_toy
    >>> toy = make_toy(random_state=0)
    >>> scorer = get_scorer("neg_kl_divergence")
    >>> values = cross_val_score(MeanPredictor(), toy.X, toy.D, scoring=scorer, cv=3)
    >>> bool((values < 0).all())
    True
    """
    return scorer(name, DISTRIBUTION | RANKING, measure)


__all__ = [
    "AGE",
    "DISTRIBUTION",
    "KL_CLIP",
    "MEASURES",
    "MULTILABEL",
    "Measure",
    "RANKING",
    "average_precision",
    "canberra",
    "chebyshev",
    "clark",
    "cosine",
    "coverage",
    "cs_0",
    "cs_1",
    "cs_2",
    "cs_3",
    "cs_4",
    "cs_5",
    "cs_6",
    "cs_7",
    "cs_8",
    "cs_9",
    "cs_10",
    "cumulative_score",
    "euclidean",
    "fidelity",
    "flatness",
    "get_scorer",
    "hamming_loss",
    "intersection",
    "kendall",
    "kl_divergence",
    "macro_auc",
    "mae",
    "mae_argmax",
    "mae_expectation",
    "measure",
    "ndcg",
    "one_error",
    "ranking_loss",
    "score",
    "score_labels",
    "sorensen",
    "sort_loss",
    "spearman",
    "squared_chi2",
]
