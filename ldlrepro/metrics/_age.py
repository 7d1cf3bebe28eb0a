"""Measures of predicted ages."""

import numpy as np


def mae(age, predicted):
    """Mean absolute error in years of (n,) ages; 0 or more, smaller is better."""
    return float(np.abs(np.asarray(age, float) - np.asarray(predicted, float)).mean())


def cumulative_score(age, predicted, within=5):
    """Share of (n,) ages predicted to within ``within`` years; in [0, 1], larger is better."""
    return float((np.abs(np.asarray(age, float) - np.asarray(predicted, float)) <= within).mean())
