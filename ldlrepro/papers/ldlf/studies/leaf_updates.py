"""Whether updates of the leaves ever raise the loss (LDLF paper, section 3.2, Eqs. 8 to 12).

Theta is held as a run leaves it shortly before an update of the leaves; Eq. 12 is then applied one
time after another to all training rows, and the loss of the trees (Eq. 3) taken after each.
"""

import numpy as np
import pandas as pd
from scipy.special import expit

from ldlrepro import LDLForest, datasets
from ldlrepro.kernels import ldlf as kernel
from ldlrepro.protocols.split import ten_folds

DATASETS = ("Movie", "SJAFFE", "Yeast_alpha")
FOLDS = 3
#: Section 4: leaves are updated 20 times after every 100 mini-batches.
TIMES, BATCHES, UPDATES = 20, 100, 10


def run(quick=False):
    """The loss before an update of the leaves and after each of its steps.

    Returns
    -------
    dict of DataFrame
        "leaf_updates": dataset, source, fold, update (from 1), step (of Eq. 12; 0 is before),
        loss (mean of Eq. 3 over trees and training rows).
    """
    folds, updates = FOLDS, UPDATES
    if quick:
        bunches, folds, updates = [datasets.make_standin("SJAFFE", n_samples=60)], 1, 2
    else:
        bunches = [datasets.load(name) for name in DATASETS]
    rows = []
    for bunch in bunches:
        for fold in range(folds):
            train, validation, _ = ten_folds(len(bunch.X), 0)[fold]
            fitted = np.concatenate([train, validation])
            X, D = bunch.X[fitted], bunch.D[fitted]
            path = tuple(BATCHES * number - 1 for number in range(1, updates + 1))
            forest = LDLForest(
                max_iter=path[-1], path=path, validation_fraction=0.0, random_state=fold
            ).fit(X, D)
            X = (X - forest.shift_) * forest.factor_
            for number, iteration in enumerate(path, 1):
                losses = losses_of_update(forest.path_[iteration], X, D)
                rows += [(bunch.name, bunch.source, fold, number, *pair) for pair in losses]
    columns = ["dataset", "source", "fold", "update", "step", "loss"]
    return {"leaf_updates": pd.DataFrame(rows, columns=columns)}


def losses_of_update(trees, X, D):
    """(step, loss) before and after each step of an update of the leaves on rows X (n, q)."""
    S = np.ascontiguousarray(expit(X @ trees.theta.astype(float)).T)
    leaves, D = trees.leaves.astype(float), np.ascontiguousarray(D.T)
    floor = np.finfo(float).eps
    for step in range(TIMES + 1):
        if step:
            kernel.update_leaves(S, trees.phi, leaves, D, floor, 1)
        g = np.empty((len(trees.phi), *D.shape))
        kernel.predict(S, trees.phi, leaves, g)
        yield step, float(-(D * np.log(np.maximum(g, floor))).sum() / (len(g) * D.shape[1]))
