"""RF-PCT with other numbers of trees beside MLDF's layers (MLDF paper, section 4.4, Figure 3).

The paper says that RF-PCT has 100 trees, and that it has as many as MLDF's final layer. A layer has
two forests of up to 100 trees each, and a copy of them for each of five folds. The study `layers`
counts the copies; here is RF-PCT with 100 trees and with as many as one copy of two full forests
has, on the same hold-outs.
"""

import pandas as pd

from ldlrepro import RFPCT, datasets, metrics
from ldlrepro.metrics import MULTILABEL
from ldlrepro.papers.mldf.studies.layers import HOLD_OUTS, SETS
from ldlrepro.protocols.split import hold_out

TREES = (100, 200)


def run(quick=False):
    """The six measures of RF-PCT on the tested rows.

    Returns
    -------
    dict of DataFrame
        "one_layer": dataset, source, fold (a hold-out), trees, measure, test.
    """
    if quick:
        bunches, sizes = [datasets.make_standin("scene", n_samples=60)], (5,)
    else:
        bunches, sizes = [datasets.load(name) for name in SETS], TREES
    rows = []
    for bunch in bunches:
        for fold in range(1 if quick else HOLD_OUTS):
            train, validation, test = hold_out(len(bunch.X), 0.5, (0, fold))
            fitted = [*train, *validation]
            for trees in sizes:
                forest = RFPCT(trees, random_state=fold).fit(bunch.X[fitted], bunch.Y[fitted])
                P = forest.predict_proba(bunch.X[test])
                rows += [
                    (
                        bunch.name,
                        bunch.source,
                        fold,
                        trees,
                        m,
                        getattr(metrics, m)(bunch.Y[test], P),
                    )
                    for m in MULTILABEL
                ]
    columns = ["dataset", "source", "fold", "trees", "measure", "test"]
    return {"one_layer": pd.DataFrame(rows, columns=columns)}
