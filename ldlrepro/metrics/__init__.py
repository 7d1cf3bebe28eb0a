"""Measures of label distributions, multi-label predictions and ages, with a registry."""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Measure:
    """What a table must know of a measure; ``upper`` is its largest value for c labels.

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


def measure(name):
    """Return the function of a measure by its name.

    See Also
    --------
    Measure : What a table must know of it.
    score : All measures of label distributions at once.
    """
    return globals()[name]


def score(D, P):
    """Every measure of label distributions: {name: mean over the rows of D and P, (n, c)}.

    See Also
    --------
    measure : One of them by name.
    """
    return {name: measure(name)(D, P) for name in DISTRIBUTION}


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
    "sorensen",
    "sort_loss",
    "spearman",
    "squared_chi2",
]
