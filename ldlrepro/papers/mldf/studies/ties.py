"""What the treatment of tied scores does to RF-PCT's measures (MLDF paper, Tables 1 and 4).

Trees of full depth give many labels of a row the score 0. Table 1 counts ties against the
prediction in ranking loss and for it in macro-AUC; how they are ranked, for coverage and average
precision, it leaves open, and programs often break them by the order of the columns. More trees
leave fewer ties: the paper's RF-PCT has 100, which "all methods use the 5-fold cross-validation"
may make 500.
"""

import numpy as np
import pandas as pd

from ldlrepro import RFPCT, datasets, metrics
from ldlrepro.metrics import MULTILABEL
from ldlrepro.protocols.split import hold_out

SETS = ("CAL500", "enron", "image", "scene", "yeast")
HOLD_OUTS = 10
TREES = (100, 500)
STEP = 1e-9  # below any difference between two scores
AS_DEFINED = "as in our tables"


def treatments(Y, S, rng):
    """Scores S (n, c) with ties broken in several ways, by name; Y (n, c)."""
    return {
        AS_DEFINED: S,
        "against the prediction": S - STEP * Y,
        "for the prediction": S + STEP * Y,
        "at random": S + STEP * rng.uniform(size=S.shape),
        "first column first": S - STEP * np.arange(S.shape[1]) / S.shape[1],
    }


def run(quick=False):
    """The six measures of RF-PCT under each treatment.

    Returns
    -------
    dict of DataFrame
        "ties": dataset, source, fold (a hold-out), trees, ties, and a column for each measure.
    """
    if quick:
        bunches = [datasets.make_standin("scene", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    rows = []
    for bunch in bunches:
        X, Y = bunch.X, bunch.Y
        for fold in range(1 if quick else HOLD_OUTS):
            train, validation, test = hold_out(len(X), 0.5, (0, fold))
            fitted = [*train, *validation]
            for trees in (5, 10) if quick else TREES:
                forest = RFPCT(trees, random_state=fold).fit(X[fitted], Y[fitted])
                S = forest.predict_proba(X[test])
                for ties, T in treatments(Y[test], S, np.random.default_rng(fold)).items():
                    # A step may carry a score of 0.5 over the threshold, which is no tie.
                    scored = {m: S if m == "hamming_loss" else T for m in MULTILABEL}
                    scores = [getattr(metrics, m)(Y[test], A) for m, A in scored.items()]
                    rows.append((bunch.name, bunch.source, fold, trees, ties, *scores))
    columns = ["dataset", "source", "fold", "trees", "ties", *MULTILABEL]
    return {"ties": pd.DataFrame(rows, columns=columns)}
