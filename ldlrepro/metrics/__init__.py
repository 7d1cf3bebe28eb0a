"""Measures of label distributions, multi-label predictions and ages, with a registry."""

from dataclasses import dataclass

from ldlrepro.metrics._age import cumulative_score, mae
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
    """What a table must know of a measure; ``upper`` is its largest value for c labels."""

    name: str
    label: str
    greater_is_better: bool
    upper: str
    symmetric: bool


#: The measures of label distributions, in the order of tables.
DISTRIBUTION = {
    m.name: m
    for m in (
        Measure("chebyshev", "Chebyshev", False, "1", True),
        Measure("clark", "Clark", False, "sqrt(c)", True),
        Measure("canberra", "Canberra", False, "c", True),
        Measure("kl_divergence", "K-L", False, "inf", False),
        Measure("cosine", "Cosine", True, "1", True),
        Measure("intersection", "Intersection", True, "1", True),
        Measure("euclidean", "Euclidean", False, "sqrt(2)", True),
        Measure("sorensen", "Sorensen", False, "1", True),
        Measure("squared_chi2", "Squared chi2", False, "2", True),
        Measure("fidelity", "Fidelity", True, "1", True),
        Measure("sort_loss", "SortLoss", False, "1", False),
    )
}

#: Companions of SortLoss that do not depend on the scale of predictions, and their flatness.
RANKING = {
    m.name: m
    for m in (
        Measure("spearman", "Spearman", True, "1", True),
        Measure("kendall", "Kendall", True, "1", True),
        Measure("ndcg", "NDCG", True, "1", False),
        # No direction is better; the field must have one, and a flat prediction is no merit.
        Measure("flatness", "Flatness", False, "1", False),
    )
}

#: The multi-label measures of the MLDF paper, Table 1.
MULTILABEL = {
    m.name: m
    for m in (
        Measure("hamming_loss", "Hamming loss", False, "1", False),
        Measure("one_error", "One-error", False, "1", False),
        Measure("coverage", "Coverage", False, "1", False),
        Measure("ranking_loss", "Ranking loss", False, "1", False),
        Measure("average_precision", "Average precision", True, "1", False),
        Measure("macro_auc", "Macro-AUC", True, "1", False),
    )
}

#: Every measure by name.
MEASURES = DISTRIBUTION | RANKING | MULTILABEL


def score(D, P):
    """Every measure of label distributions: {name: mean over the rows of D and P, (n, c)}."""
    return {name: globals()[name](D, P) for name in DISTRIBUTION}


__all__ = [
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
    "ndcg",
    "one_error",
    "ranking_loss",
    "score",
    "sorensen",
    "sort_loss",
    "spearman",
    "squared_chi2",
]
