"""Checks of images and labels that do nothing but raise: no number depends on them."""

import os

import numpy as np


def check_coloured(image, mode, path, row):
    """ValueError for greys in other modes: of 16 bits in another order, or of a palette."""
    in_palette = mode in ("P", "PA") and not np.ptp(image, axis=2).any()
    if in_palette or mode.startswith("I;16"):
        raise ValueError(
            f"{os.fspath(path)} (row {row}) is a grey image, mode {mode}: save it in colour (RGB)."
        )


def check_some(images):
    """ValueError where there is no image."""
    if not len(images):
        raise ValueError("images: found 0 sample(s), at least 1 is needed.")


def check_two_classes(D):
    """ValueError where the degrees (n, c) of all rows are at one label."""
    (there,) = np.nonzero(D.any(axis=0))
    if len(there) == 1:
        raise ValueError(
            f"D: label {there[0]} (from 0) has all of the degree in each of {len(D)} rows: one "
            "class, nothing to tell apart."
        )
