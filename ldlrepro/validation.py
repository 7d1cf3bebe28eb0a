"""Checks of features X and label distributions D; every message names the first bad row."""

import warnings

import numpy as np

from ldlrepro.errors import NormalisationWarning, outside

SUM_TOLERANCE = 1e-5  # float32 rounding: nearer rows are normalised without a word
#: Features of this size and below: squares and sums of them are finite, and so are float32.
LARGEST = 1e30


def check_given(targets):
    """Raise ValueError where no targets are passed, in the words that scikit-learn expects."""
    if targets is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")


def check_kind(A, name):
    """Raise ValueError for arrays whose meaning a conversion to numbers would lose."""
    if np.ma.isMaskedArray(A):
        raise ValueError(f"{name} is a masked array: fill the values or remove the rows first.")
    A = A if hasattr(A, "dtype") or hasattr(A, "dtypes") else np.asarray(A)
    types = np.atleast_1d(A.dtypes) if hasattr(A, "dtypes") else [A.dtype]  # of a DataFrame
    for column, kind in enumerate(getattr(t, "kind", None) for t in types):
        if kind in ("c", "m", "M"):
            what = "Complex data" if kind == "c" else "Dates or times"
            raise ValueError(f"{what} not supported: {name} column {column}; give real numbers.")


def check_columns(A, B, a, b):
    """Raise ValueError where two DataFrames name their columns differently, or in another order."""
    if not (hasattr(A, "columns") and hasattr(B, "columns")):
        return
    for column, (of_a, of_b) in enumerate(zip(A.columns, B.columns, strict=False)):
        if of_a != of_b:
            raise ValueError(
                f"Column {column} is {of_a!r} in {a} and {of_b!r} in {b}: give both the same "
                "labels in the same order."
            )


def check_scale(X, name):
    """Raise ValueError naming the first entry of the 2-d array ``X`` larger than `LARGEST`."""
    if X.max() <= LARGEST and X.min() >= -LARGEST:
        return
    row, column = np.argwhere(np.abs(X) > LARGEST)[0]
    raise ValueError(
        f"{name} row {row}, column {column} is {X[row, column]:.3g}: features up to {LARGEST:g} "
        "are taken; scale the column, for instance to variance 1."
    )


def check_predicted(P, X):
    """Return predictions P (m, c) of X (m, q); ValueError naming the first row not finite."""
    if not np.isfinite(P.sum()):
        row = int(np.argmin(np.isfinite(P).all(axis=1)))
        raise ValueError(
            f"X row {row} (largest value {np.abs(X[row]).max():.3g}) is too far from the training "
            "rows for a finite prediction: scale the features as in training."
        )
    return P


def check_finite(A, name):
    """Raise ValueError naming the first NaN or infinite entry of the 2-d array ``A``."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(A.sum()) or np.isfinite(A).all():
            return
    row, column = np.argwhere(~np.isfinite(A))[0]
    kind = "NaN" if np.isnan(A[row, column]) else "infinity (inf)"
    raise ValueError(
        f"{name} contains {kind} at row {row}, column {column}: remove the row or fill the value."
    )


def check_simplex(A, name):
    """Return A (n, c) as float64 with c >= 2; ValueError naming the first row off the simplex."""
    check_kind(A, name)
    A = np.asarray(A, dtype=np.float64)
    if A.ndim != 2 or A.shape[1] < 2 or not len(A):
        raise ValueError(f"{name} has shape {A.shape}: expected (rows, labels), 2 labels or more.")
    off = ~(np.abs(A.sum(axis=1) - 1) <= SUM_TOLERANCE)
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


def check_distributions(D, name="D"):
    """Check degrees and return rows that sum to 1.

    Parameters
    ----------
    D : (n, c) float64, c >= 2
        Label distributions.

    Raises
    ------
    ValueError
        Not two-dimensional, fewer than two labels, NaN or infinity, a negative degree, or a row
        of zeros.

    Warns
    -----
    NormalisationWarning
        Once, when rows do not sum to 1: how many, and the furthest.
    """
    if D.ndim != 2:
        raise ValueError(f"{name} has shape {D.shape}: expected rows of c >= 2 degrees, (n, c).")
    if D.shape[1] < 2:
        raise ValueError(
            f"{name} has {D.shape[1]} label: a label distribution needs at least 2 columns."
        )
    check_finite(D, name)
    if D.min() < 0:
        row, column = np.argwhere(D < 0)[0]
        raise ValueError(
            f"Negative values in {name}: row {row}, column {column} is {D[row, column]:.6g}; "
            "description degrees are 0 or more."
        )
    with np.errstate(over="ignore"):
        total = D.sum(axis=1)
    large = np.isinf(total)
    if large.any():  # degrees are finite, and their sum is not
        D = np.where(large[:, None], D / D.max(axis=1, keepdims=True), D)
        total = D.sum(axis=1)
    if not total.all():
        row = int(np.flatnonzero(total == 0)[0])
        raise ValueError(
            f"{name} row {row} is all zero: it has no distribution; remove it or give it degrees."
        )
    off = np.abs(total - 1)
    if off.max() > SUM_TOLERANCE:
        worst = int(off.argmax())
        warnings.warn(
            f"{int((off > SUM_TOLERANCE).sum())} of {len(D)} rows of {name} do not sum to 1 "
            f"(furthest: row {worst}, sum {total[worst]:.6g}); normalised.",
            NormalisationWarning,
            stacklevel=outside(),
        )
    return D / total[:, None]


def on_simplex(P):
    """Predictions (m, c) put on the simplex, and which rows were off it (m,).

    Negative degrees become 0, rows are divided by their sum, and a row of zeros becomes uniform.
    """
    with np.errstate(over="ignore"):
        off = (P.min(axis=1) < -SUM_TOLERANCE) | (np.abs(P.sum(axis=1) - 1) > SUM_TOLERANCE)
    P = np.maximum(P, 0)
    P /= np.maximum(P.max(axis=1, keepdims=True), 1)  # so that no sum overflows
    total = P.sum(axis=1, keepdims=True)
    return np.where(total > 0, P / np.where(total > 0, total, 1), 1 / P.shape[1]), off
