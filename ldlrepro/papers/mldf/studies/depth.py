"""What the depth of the trees does to RF-PCT and MLDF (MLDF paper, section 4.1, Table 4).

MLDF's trees have three levels in the first layer and three more in each further one; how deep those
of RF-PCT are, the paper does not say. Here RF-PCT has trees of several depths, and MLDF, without
reuse, as many more levels a layer as printed, three times and ten times as many.
"""

import pandas as pd

from ldlrepro import RFPCT, MLDFSuite, datasets, metrics
from ldlrepro.metrics import MULTILABEL
from ldlrepro.protocols.split import hold_out

#: Hold-outs of each set, the first of the tables'.
HOLD_OUTS = {"yeast": 3, "corel16k001": 1}
TREES = 500
DEPTHS = (3, 6, 9, 15, 30, None)
MORE_DEPTHS = (3, 9, 30)
FOREST, CASCADE = "RF-PCT", "MLDF, no reuse"


def run(quick=False):
    """The six measures of both at each depth.

    Returns
    -------
    dict of DataFrame
        "depth": dataset, source, fold (a hold-out), method (`FOREST` or `CASCADE`), depth (of the
        trees; of MLDF's, levels more in each layer; NaN is no limit), measure, layers (L; 1 for
        RF-PCT), test.
    """
    folds, trees, settings = HOLD_OUTS, TREES, {}
    if quick:
        bunches, folds, trees = [datasets.make_standin("scene", n_samples=60)], {"scene": 1}, 5
        settings = {"max_layers": 3, "n_estimators": 3, "max_estimators": 5, "more_estimators": 1}
    else:
        bunches = [datasets.load(name) for name in folds]
    rows = []
    for bunch in bunches:
        X, Y = bunch.X, bunch.Y
        for fold in range(folds[bunch.name]):
            train, validation, test = hold_out(len(X), 0.5, (0, fold))
            fitted = [*train, *validation]
            where = bunch.name, bunch.source, fold
            for depth in DEPTHS:
                forest = RFPCT(trees, max_depth=depth, random_state=fold).fit(X[fitted], Y[fitted])
                S = forest.predict_proba(X[test])
                for measure in MULTILABEL:
                    score = getattr(metrics, measure)(Y[test], S)
                    rows.append((*where, FOREST, depth, measure, 1, score))
            for depth in MORE_DEPTHS:
                suite = MLDFSuite(reuse=False, more_depth=depth, random_state=fold, **settings)
                suite.fit(X[fitted], Y[fitted])
                layers = {cascade.measure: cascade.best for cascade in suite.cascades_}
                for measure, S in suite.staged_predict(X[test]):
                    score = getattr(metrics, measure)(Y[test], S)
                    rows.append((*where, CASCADE, depth, measure, layers[measure], score))
    columns = ["dataset", "source", "fold", "method", "depth", "measure", "layers", "test"]
    return {"depth": pd.DataFrame(rows, columns=columns)}
