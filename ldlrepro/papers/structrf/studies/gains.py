"""How much the information gain differs between neighbouring thresholds (StructRF paper, 3.4).

The variable step of the search rests on it. Every threshold of the first cut of a tree.
"""

import numpy as np
import pandas as pd

from ldlrepro import datasets
from ldlrepro.kernels import gain as kernel
from ldlrepro.papers.structrf.studies.adaptive_step import _cluster

SETS, FOLDS = ("Yeast_alpha", "SJAFFE", "SBU_3DFE"), 3


def run(quick=False):
    """Differences of gains, as shares of the largest gain of the feature.

    Returns
    -------
    dict of DataFrame
        "gains": dataset, source, fold (a clustering), feature, thresholds (number), median and
        most (the 95th percentile) of the differences between neighbours. Features with fewer than
        ten thresholds are left out.
    """
    if quick:
        bunches = [datasets.make_standin("SJAFFE", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    rows = []
    for bunch in bunches:
        XT = np.ascontiguousarray(bunch.X.T)
        order = np.argsort(XT, axis=1, kind="stable")
        for fold in range(1 if quick else FOLDS):
            visited, gains = np.zeros(XT.shape, bool), np.zeros(XT.shape)
            kernel.search(XT, order, _cluster(bunch.D, fold), 0.0, 0.0, visited, gains)
            for feature, (there, gain) in enumerate(zip(visited, gains, strict=True)):
                if there.sum() < 10:
                    continue
                moves = np.abs(np.diff(gain[there])) / gain[there].max()
                found = np.quantile(moves, [0.5, 0.95])
                rows.append((bunch.name, bunch.source, fold, feature, int(there.sum()), *found))
    columns = ["dataset", "source", "fold", "feature", "thresholds", "median", "most"]
    return {"gains": pd.DataFrame(rows, columns=columns)}
