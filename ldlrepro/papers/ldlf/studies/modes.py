"""Maximum entropy and forests on rows with one mode and with several (LDLF paper, sections 1, 2).

The labels of these data sets are rates, which have an order: a mode is a label, or several level
ones, with a larger degree than those on both sides.
"""

from warnings import catch_warnings

import numpy as np
import pandas as pd

from ldlrepro import SABFGS, LDLForest, StructRF, datasets
from ldlrepro.errors import SettingsWarning
from ldlrepro.metrics import kl_divergence
from ldlrepro.protocols.split import ten_folds

SETS, FOLDS = ("Movie", "SCUT_FBP", "M2B"), 3


def run(quick=False):
    """K-L on the tested rows with one mode and with several.

    Returns
    -------
    dict of DataFrame
        "modes": dataset, source, fold, method, modes ("one" or "several"), rows, kl_divergence.
    """
    if quick:
        bunches = [datasets.make_standin("SCUT_FBP", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    rows = []
    for bunch in bunches:
        several = number_of_modes(bunch.D) > 1
        for fold, (train, validation, test) in enumerate(ten_folds(len(bunch.X), 0)):
            if fold == (1 if quick else FOLDS):
                break
            fitted = np.concatenate([train, validation])
            models = {
                "BFGS-LDL": SABFGS(random_state=fold),
                "sLDLF": LDLForest(max_iter=10 if quick else 3000, random_state=fold),
                "StructRF": StructRF(random_state=fold),
            }
            for name, model in models.items():
                with catch_warnings(action="ignore", category=SettingsWarning):
                    model.fit(bunch.X[fitted], bunch.D[fitted])
                for kind, some in (("one", ~several[test]), ("several", several[test])):
                    there = test[some]
                    if len(there):
                        kl = kl_divergence(bunch.D[there], model.predict(bunch.X[there]))
                        rows.append((bunch.name, bunch.source, fold, name, kind, len(there), kl))
    columns = ["dataset", "source", "fold", "method", "modes", "rows", "kl_divergence"]
    return {"modes": pd.DataFrame(rows, columns=columns)}


def number_of_modes(D):
    """(n,) modes of each row of D (n, c), level neighbours counted once."""
    found = []
    for d in D:
        steps = np.sign(np.diff(np.concatenate([[-1.0], d, [-1.0]])))
        steps = steps[steps != 0]
        found.append(int(((steps[:-1] > 0) & (steps[1:] < 0)).sum()))
    return np.array(found)
