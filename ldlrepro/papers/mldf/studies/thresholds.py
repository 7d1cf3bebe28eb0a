"""Whether another threshold would make MLDF's reuse help (MLDF paper, section 3.2, Algorithm 2).

Where the scores of the layer before are kept is decided by a threshold on the confidence: "simply,
we can take an average". Beside this mean stand no reuse, the lowest confidence in place of the
mean, and the threshold (of ten quantiles and none) that makes the measure best on the training
rows, layer by layer.
"""

import numpy as np
import pandas as pd

from ldlrepro import MLDF, datasets, metrics
from ldlrepro.models.multilabel import (
    best_layer,
    better,
    log_confidence,
    mean,
    measure_items,
    reuse,
)
from ldlrepro.protocols.split import hold_out

HOLD_OUTS = 3
STUDIED = ("hamming_loss", "average_precision")


def lowest(measure, Y, H, G):
    """As Algorithm 2, with the lowest confidence in place of the mean one."""
    now, before = (measure_items(measure, Y, mean(A)) for A in (H, G))
    worse = better(measure, before, now)
    if not worse.any():
        return -np.inf
    return log_confidence(measure, mean(H))[worse].min()


def best_in_training(measure, Y, H, G):
    """The threshold with the best measure on the training rows; no reuse where it is as good."""
    confidence = log_confidence(measure, mean(H))
    tried = [-np.inf, *np.quantile(confidence, np.arange(1, 11) / 10)]
    scores = []
    for threshold in tried:
        kept = mean(reuse(measure, H, G, threshold))
        scores.append(np.nanmean(measure_items(measure, Y, kept)))
    return tried[best_layer(measure, scores, len(scores))[0] - 1]


RULES = {
    "none: no reuse": False,
    "mean (Algorithm 2)": True,
    "lowest": lowest,
    "best on the training rows": best_in_training,
}


def run(quick=False):
    """MLDF under each rule, on scene.

    Returns
    -------
    dict of DataFrame
        "thresholds": dataset, source, fold (a hold-out), measure, rule, layers (L), train, test
    """
    if quick:
        bunch = datasets.make_standin("scene", n_samples=60)
        settings = {"max_layers": 5, "n_estimators": 3, "max_estimators": 5, "more_estimators": 1}
    else:
        bunch, settings = datasets.load("scene"), {}
    X, Y = bunch.X, bunch.Y
    rows = []
    for fold in range(1 if quick else HOLD_OUTS):
        train, validation, test = hold_out(len(X), 0.5, (0, fold))
        fitted = [*train, *validation]
        for measure in STUDIED:
            for name, rule in RULES.items():
                mldf = MLDF(measure, reuse=rule, random_state=fold, **settings)
                mldf.fit(X[fitted], Y[fitted])
                score = getattr(metrics, measure)(Y[test], mldf.predict_proba(X[test]))
                trained = mldf.performance_[mldf.n_layers_ - 1]
                where = bunch.name, bunch.source, fold, measure, name
                rows.append((*where, mldf.n_layers_, trained, score))
    columns = ["dataset", "source", "fold", "measure", "rule", "layers", "train", "test"]
    return {"thresholds": pd.DataFrame(rows, columns=columns)}
