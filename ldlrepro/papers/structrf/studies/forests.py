"""What the StructRF paper says of forests and gives no numbers for (sections 1 and 4.4).

Predictions near zero, errors on the rows that were fitted, a forest for each label, and few faces.
The seconds are those of the processor, of methods fitted in turn on one thread, so that other work
on the machine counts little.
"""

from time import process_time
from warnings import catch_warnings

import numpy as np
import pandas as pd

from ldlrepro import SABFGS, SAIIS, SingleLabelRF, StructRF, datasets
from ldlrepro.base import LDLEstimator
from ldlrepro.errors import SettingsWarning
from ldlrepro.metrics import kl_divergence
from ldlrepro.protocols.split import ten_folds

SETS = ("Yeast_alpha", "Yeast_spoem", "SJAFFE", "SBU_3DFE", "Movie")
FOLDS = 3
#: A degree is near zero below this share of the uniform one.
NEAR_ZERO = 0.1
#: Rows of s-BU_3DFE that are fitted: as many as of s-JAFFE, and more.
FACES, ROWS = "SBU_3DFE", (192, 500, 1000, 2250)
FOREST = {"max_depth": 20, "min_samples_split": 5}


class ForestForEachLabel(LDLEstimator):
    """StructRF on each label and its rest to 1 by themselves; what they predict is normalised."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def _fit(self, X, D):
        self.forests_ = [
            StructRF(**FOREST, random_state=self.random_state).fit(X, np.column_stack([d, 1 - d]))
            for d in D.T
        ]

    def _predict(self, X):
        P = np.column_stack([forest.predict(X)[:, 0] for forest in self.forests_])
        return P / P.sum(axis=1, keepdims=True)


def methods(seed):
    """The paper's methods, parts of them, and a forest for each label, by name."""
    return {
        "SA-IIS": SAIIS(200, scale=None, tol=0.0),
        "SA-BFGS": SABFGS(300, penalty=0.0, scale=None),
        "StructRF": StructRF(**FOREST, random_state=seed),
        "one tree": StructRF(1, **FOREST, random_state=seed),
        "RF": SingleLabelRF(**FOREST, random_state=seed),
        "RF, sqrt(q) features": SingleLabelRF(**FOREST, max_features="sqrt", random_state=seed),
        "a forest for each label": ForestForEachLabel(seed),
    }


def run(quick=False):
    """Losses, small degrees and seconds on some folds, and losses by the number of faces.

    Returns
    -------
    dict of DataFrame
        "folds": dataset, source, fold, method, near_zero (share of predicted degrees), train and
        test (K-L), fit_seconds, predict_seconds.
        "faces": rows (fitted), fold, method, test.
    """
    if quick:
        bunches = [datasets.make_standin("SJAFFE", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    folds, sizes = (1, (30, 50)) if quick else (FOLDS, ROWS)
    rows, faces = [], []
    for bunch in bunches:
        for fold, (train, validation, test) in enumerate(ten_folds(len(bunch.X), 0)[:folds]):
            fitted = np.concatenate([train, validation])
            for name, model in methods(fold).items():
                found = scores(model, bunch, fitted, test)
                rows.append((bunch.name, bunch.source, fold, name, *found))
            if quick or bunch.name == FACES:
                drawn = np.random.default_rng(fold).permutation(fitted)
                faces += [
                    (n, fold, name, scores(methods(fold)[name], bunch, drawn[:n], test)[2])
                    for n in sizes
                    for name in ("SA-IIS", "SA-BFGS", "StructRF")
                ]
    columns = ["dataset", "source", "fold", "method", "near_zero", "train", "test"]
    return {
        "folds": pd.DataFrame(rows, columns=[*columns, "fit_seconds", "predict_seconds"]),
        "faces": pd.DataFrame(faces, columns=["rows", "fold", "method", "test"]),
    }


def scores(model, bunch, fitted, test):
    """(share of degrees near zero, K-L of the fitted rows, K-L, seconds of a fit, of a test)."""
    X, D = bunch.X, bunch.D
    start = process_time()
    with catch_warnings(action="ignore", category=SettingsWarning):
        model.fit(X[fitted], D[fitted])
    fit_seconds = process_time() - start
    turns = []
    for _ in range(5):
        start = process_time()
        P = model.predict(X[test])
        turns.append(process_time() - start)
    near_zero = (P < NEAR_ZERO / D.shape[1]).mean()
    train = kl_divergence(D[fitted], model.predict(X[fitted]))
    return near_zero, train, kl_divergence(D[test], P), fit_seconds, min(turns)
