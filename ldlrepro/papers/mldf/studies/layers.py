"""MLDF layer by layer, past the layer at which it stops (MLDF paper, section 4.4, Figure 3).

The paper shows one curve a measure on yeast. Here are several hold-outs, those of the tables, and
CAL500 as well. RF-PCT is grown with as many trees as MLDF's final layer holds, folds counted.
"""

import pandas as pd

from ldlrepro import MLDF, RFPCT, datasets, metrics
from ldlrepro.metrics import MULTILABEL
from ldlrepro.models.multilabel import best_layer
from ldlrepro.protocols.split import hold_out

SETS = ("yeast", "CAL500")
HOLD_OUTS = 3
PATIENCE = 3


def final_layer(measure, performance):
    """L of Algorithm 3 (from 1), given the training performance of every layer up to T."""
    for t in range(1, len(performance) + 1):
        best, stop = best_layer(measure, performance[:t], PATIENCE)
        if stop:
            break
    return best


def run(quick=False):
    """The six measures after every one of 20 layers.

    Returns
    -------
    dict of DataFrame
        "layers": dataset, source, fold (a hold-out), measure, layer, train (what growth looks
        at), test, final (whether it is the layer L of Algorithm 3).
        "forests": dataset, source, fold, measure, trees, test, of RF-PCT.
    """
    if quick:
        bunches = [datasets.make_standin("scene", n_samples=60)]
        settings = {"max_layers": 5, "n_estimators": 3, "max_estimators": 5, "more_estimators": 1}
    else:
        bunches, settings = [datasets.load(name) for name in SETS], {}
    layers, forests = [], []
    for bunch in bunches:
        X, Y = bunch.X, bunch.Y
        for fold in range(1 if quick else HOLD_OUTS):
            train, validation, test = hold_out(len(X), 0.5, (0, fold))
            fitted = [*train, *validation]
            grown = {}
            for measure in MULTILABEL:
                mldf = MLDF(measure, growth=False, random_state=fold, **settings)
                mldf.fit(X[fitted], Y[fitted])
                final = final_layer(measure, mldf.performance_)
                score = getattr(metrics, measure)
                where = bunch.name, bunch.source, fold, measure
                for t, P in enumerate(mldf.staged_predict_proba(X[test]), 1):
                    shown = mldf.performance_[t - 1], score(Y[test], P), t == final
                    layers.append((*where, t, *shown))
                trees = sum(len(forest.trees) for forest in mldf.cascade_.layers[final - 1])
                if trees not in grown:
                    forest = RFPCT(trees, random_state=fold).fit(X[fitted], Y[fitted])
                    grown[trees] = forest.predict_proba(X[test])
                forests.append((*where, trees, score(Y[test], grown[trees])))
    where = ["dataset", "source", "fold", "measure"]
    return {
        "layers": pd.DataFrame(layers, columns=[*where, "layer", "train", "test", "final"]),
        "forests": pd.DataFrame(forests, columns=[*where, "trees", "test"]),
    }
