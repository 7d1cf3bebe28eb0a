"""What MLDF's second layer loses without one label (MLDF paper, section 4.5, Figure 4).

The paper deletes a label from the first layer's representation, trains the second layer and looks
at the decrease of accuracy on every label. Whether a decrease is more than chance it does not say:
here there are ten hold-outs, and for comparison the same two layers with other random numbers and
nothing deleted.
"""

import pandas as pd

from ldlrepro import MLDF, datasets
from ldlrepro.models.multilabel import measure_items
from ldlrepro.protocols.split import hold_out

HOLD_OUTS = 10
NOTHING, OTHER_NUMBERS = "nothing", "nothing, other random numbers"


def run(quick=False):
    """Accuracy and AUC of every label after two layers, one label deleted in between.

    Returns
    -------
    dict of DataFrame
        "labels": dataset, source, fold (a hold-out), deleted (a label, `NOTHING` or
        `OTHER_NUMBERS`), label, accuracy, auc, on the test rows.
    """
    settings = {"max_layers": 2, "growth": False}
    if quick:
        bunch = datasets.make_standin("scene", n_samples=60)
        settings |= {"n_estimators": 3, "max_estimators": 3}
    else:
        bunch = datasets.load("scene")
    X, Y, names = bunch.X, bunch.Y, bunch.label_names
    rows = []
    for fold in range(1 if quick else HOLD_OUTS):
        train, validation, test = hold_out(len(X), 0.5, (0, fold))
        fitted = [*train, *validation]
        ways = {NOTHING: {}, OTHER_NUMBERS: {"random_state": 1000 + fold}}
        ways |= {name: {"drop_label": j} for j, name in enumerate(names)}
        for deleted, way in ways.items():
            mldf = MLDF(**settings | {"random_state": fold} | way).fit(X[fitted], Y[fitted])
            P = mldf.predict_proba(X[test])
            accuracy = 1 - measure_items("hamming_loss", Y[test] > 0, P)
            auc = measure_items("macro_auc", Y[test] > 0, P)
            rows += [
                (bunch.name, bunch.source, fold, deleted, *values)
                for values in zip(names, accuracy, auc, strict=True)
            ]
    columns = ["dataset", "source", "fold", "deleted", "label", "accuracy", "auc"]
    return {"labels": pd.DataFrame(rows, columns=columns)}
