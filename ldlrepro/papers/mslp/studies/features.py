"""What the features of a data set can say of its labels (MSLP paper, Tables 1-3).

On SCUT-FBP and M2B few methods beat the training mean. Here the features of each set are looked at
without any method of the field: how much of their variance lies in one direction, and what share of
the degrees' variance plain regressions explain on rows that they have not seen.
"""

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldlrepro import datasets

SETS = ("SJAFFE", "SBU_3DFE", "SCUT_FBP", "M2B", "Natural_Scene")
FOLDS, SEED = 10, 0
NEIGHBOURS = 20
COMPONENTS = 20
PENALTIES = tuple(10.0**k for k in range(-3, 6))
#: Regressions by name, on features that are scaled to the same variance.
REGRESSIONS = {
    "ridge": (RidgeCV(PENALTIES),),
    "neighbours": (KNeighborsRegressor(NEIGHBOURS),),
    "whitened": (PCA(COMPONENTS, whiten=True, random_state=0), KNeighborsRegressor(NEIGHBOURS)),
    "forest": (ExtraTreesRegressor(100, min_samples_leaf=5, random_state=0),),
}


def run(quick=False):
    """Shares of variance, of the features and of the degrees.

    Returns
    -------
    dict of DataFrame
        "features": dataset, source, n_features, first, ten (shares of the variance of the
        standardised features in their first and first ten principal components), and the shares of
        the variance of the degrees, all labels together, that `REGRESSIONS` explain out of ten
        folds: ridge regression, 20 neighbours, 20 neighbours by the first 20 components with equal
        weight, a forest. Below 0 is worse than the training mean.
    """
    if quick:
        bunches = [datasets.make_standin("SJAFFE", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    rows = []
    for bunch in bunches:
        X, D = bunch.X, bunch.D
        spread = np.linalg.svd(StandardScaler().fit_transform(X), compute_uv=False) ** 2
        spread /= spread.sum()
        shares = [
            explained(make_pipeline(StandardScaler(), *steps), X, D)
            for steps in REGRESSIONS.values()
        ]
        where = bunch.name, bunch.source, X.shape[1]
        rows.append((*where, spread[0], spread[:10].sum(), *shares))
    columns = ["dataset", "source", "n_features", "first", "ten", *REGRESSIONS]
    return {"features": pd.DataFrame(rows, columns=columns)}


def explained(model, X, D):
    """Share of the variance of D that predictions for rows left out explain."""
    folds = KFold(FOLDS, shuffle=True, random_state=SEED)
    P = cross_val_predict(model, X, D, cv=folds)
    return 1 - np.square(D - P).sum() / np.square(D - D.mean(axis=0)).sum()
