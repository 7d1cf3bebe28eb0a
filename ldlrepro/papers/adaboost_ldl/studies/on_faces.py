"""Whether learners as public code has them can be fitted on the faces (Adaboost-LDL paper, 3.4).

The paper says that the public PT-Bayes and SA-IIS do not work on the two sets of faces. Here are
our versions of them: labels really drawn and full covariances, and ten steps from the identity.
"""

import numpy as np
import pandas as pd

from ldlrepro import SAIIS, datasets
from ldlrepro.models.problem_transformation import DrawnPTBayes
from ldlrepro.protocols.split import hold_out

SETS = ("SJAFFE", "SBU_3DFE")
#: As in the tables: a tenth of the rows is tested.
HOLD_OUTS, SHARE = 10, 0.1


def run(quick=False):
    """Whether each learner is fitted and predicts finite degrees.

    Returns
    -------
    dict of DataFrame
        "works": dataset, source, fold (a hold-out), learner, works (0 or 1).
    """
    names = [(name, 40 if quick else None) for name in SETS]
    bunches = [datasets.make_standin(d, n) if quick else datasets.load(d) for d, n in names]
    rows = []
    for bunch in bunches:
        for fold in range(1 if quick else HOLD_OUTS):
            train, validation, test = hold_out(len(bunch.X), SHARE, (0, fold))
            fitted = [*train, *validation]
            learners = {
                "PT-Bayes": DrawnPTBayes(random_state=fold),
                "SA-IIS": SAIIS(10, scale=None, init="identity"),
            }
            for name, learner in learners.items():
                try:
                    P = learner.fit(bunch.X[fitted], bunch.D[fitted]).predict(bunch.X[test])
                    works = bool(np.isfinite(P).all())
                except ValueError:  # a singular covariance
                    works = False
                rows.append((bunch.name, bunch.source, fold, name, int(works)))
    columns = ["dataset", "source", "fold", "learner", "works"]
    return {"works": pd.DataFrame(rows, columns=columns)}
