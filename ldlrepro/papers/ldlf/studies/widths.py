"""How wide the label distribution of an age should be (LDLF paper, section 4.2, Figure 1a).

The file of FG-Net has normal densities of three years. Here two models learn from narrower and
wider ones, with each person left out as in the chapter; their error in years on other persons, held
out of those that train, says which width is taken.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone

from ldlrepro import SABFGS, LDLForest, datasets
from ldlrepro.declare import Experiment
from ldlrepro.metrics import mae_argmax, mae_expectation
from ldlrepro.models.age import ages_of, normal
from ldlrepro.protocols.split import by_groups

#: Deviations of the densities, in years.
WIDTHS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
#: As the chapter has them (papers.age), at one point of their grids.
_BFGS = SABFGS(max_iter=20, penalty=0.0, scale=None)
_FOREST = LDLForest(
    depth=5,
    batch_size=100,
    max_iter=400,
    leaf_iter=5,
    learning_rate=30.0,
    scale=None,
    validation_fraction=0.0,
    n_iter_no_change=10,
)
MODELS = {"SA-BFGS": _BFGS, "sLDLF": _FOREST}


def run(quick=False):
    """Errors of both models at each width, a person at a time.

    Returns
    -------
    dict of DataFrame
        "age_widths": method, fold (the person left out), width (years), validation (MAE in years by
        the largest degree on a tenth of the other persons, of a fit on the rest), argmax and
        expectation (MAE on the person, of a fit on all others), n_test (faces).
    """
    bunch = datasets.make_standin("FG-Net", n_samples=60) if quick else datasets.load("FG-Net")
    folds = 3 if quick else len(np.unique(bunch.person))
    models = {"SA-BFGS": _BFGS} if quick else MODELS
    people = Experiment("", (), ("FG-Net",), folds=folds, groups="person")
    X, D, rows = bunch.X, bunch.D, []
    ages, c = ages_of(D), D.shape[1]
    for fold, (train, validation, test) in enumerate(by_groups(people, bunch.person, folds)):
        fitted = np.concatenate([train, validation])
        for width in WIDTHS:
            labels = normal(ages, width, c)
            for name, model in models.items():
                model = clone(model)
                if "random_state" in model.get_params():
                    model.set_params(random_state=fold)
                judged = model.fit(X[train], labels[train]).predict(X[validation])
                P = model.fit(X[fitted], labels[fitted]).predict(X[test])
                errors = (
                    mae_argmax(D[validation], judged),
                    mae_argmax(D[test], P),
                    mae_expectation(D[test], P),
                )
                rows.append((name, fold, width, *errors, len(test)))
    columns = ["method", "fold", "width", "validation", "argmax", "expectation", "n_test"]
    return {"age_widths": pd.DataFrame(rows, columns=columns)}
