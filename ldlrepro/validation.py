"""Checks of features X and label distributions D; every message names the first bad row."""

import warnings

import numpy as np

from ldlrepro.errors import NormalisationWarning

SUM_TOLERANCE = 1e-5  # float32 rounding: nearer rows are normalised without a word


def check_given(targets):
    """Raise ValueError where no targets are passed, in the words that scikit-learn expects."""
    if targets is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")


def check_finite(A, name):
    """Raise ValueError naming the first NaN or infinite entry of the 2-d array ``A``."""
    if np.isfinite(A.sum()) or np.isfinite(A).all():
        return
    row, column = np.argwhere(~np.isfinite(A))[0]
    kind = "NaN" if np.isnan(A[row, column]) else "infinity (inf)"
    raise ValueError(
        f"{name} contains {kind} at row {row}, column {column}: remove the row or fill the value."
    )


def check_distributions(D, name="D"):
    """Check degrees and return rows that sum to 1.

    Parameters
    ----------
    D : (n, c) float64, c >= 2

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
            stacklevel=4,
        )
    return D / total[:, None]
