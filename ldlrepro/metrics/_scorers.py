"""scikit-learn's scorers for the measures: for `cross_val_score` and `GridSearchCV`."""

import numpy as np
from sklearn.metrics import make_scorer

from ldlrepro.errors import unknown
from ldlrepro.validation import check_kind

#: Rows may miss 1 by this, as float32 does.
_NEAR = 1e-5


def check_simplex(A, name):
    """Return A (n, c) as float64 with c >= 2; ValueError naming the first row off the simplex."""
    check_kind(A, name)
    A = np.asarray(A, dtype=np.float64)
    if A.ndim != 2 or A.shape[1] < 2 or not len(A):
        raise ValueError(f"{name} has shape {A.shape}: expected (rows, labels), 2 labels or more.")
    off = ~(np.abs(A.sum(axis=1) - 1) <= _NEAR)
    if off.any():
        row = int(np.argmax(off))
        raise ValueError(
            f"{name} row {row} has the sum {A[row].sum():.6g} over {A.shape[1]} labels: label "
            "distributions sum to 1. Divide per cent or counts by the sums of their rows first. "
            "Zeros and ones, the labels of rows, are scored by score_labels, and the order of "
            "labels by spearman, kendall and ndcg."
            if np.isfinite(A[row]).all()
            else f"{name} row {row} has NaN or infinity: remove the row or fill the value."
        )
    return A


def scorer(name, measures, function):
    """Scorer of a measure, larger is better; a loss has "neg_" before its name.

    Parameters
    ----------
    name : str
        "intersection", "neg_kl_divergence" and so on.
    measures : dict of Measure
        Measures by name.
    function : callable
        Gives the function of a measure by its name.

    Raises
    ------
    UnknownNameError
        No such measure, or a loss without "neg_".
    """
    known = {("" if m.greater_is_better else "neg_") + n: m for n, m in measures.items()}
    if not isinstance(name, str) or name not in known:
        raise unknown("scorer", name, known)
    measure = known[name]
    return make_scorer(
        function(measure.name),
        greater_is_better=measure.greater_is_better,
        response_method="predict",
    )
