"""How well embeddings keep neighbours in the labels (MSLP paper, section 3.2, Figures 5-7).

The paper shows pictures. Here each picture has a number: the trustworthiness (Venna and Kaski
2001) of the embedding with respect to the label distributions, 1 where all neighbours in the
embedding are neighbours in the labels, about 0.5 where they are drawn at random. It is taken on
the rows that were embedded and on rows that the method has not seen.
"""

import numpy as np
import pandas as pd
from sklearn.manifold import trustworthiness

from ldlrepro import CCA, LPP, MSLP, PCA, datasets

SETS = ("SJAFFE", "SBU_3DFE", "SCUT_FBP", "M2B", "Natural_Scene")
NEIGHBORS = 10
FOLDS = 5
DIMENSIONS = 2
#: With lambda = 0 and more features than rows any embedding of the training rows can be had.
FITTED_TO_ROWS = "MSLP, beta 1, lambda 0"


def methods(q):
    """Embeddings of q features into two dimensions."""
    ratio = DIMENSIONS / q
    return {
        "PCA": PCA(ratio),
        "LPP": LPP(ratio=ratio),
        "CCA": CCA(ratio=ratio),
        "MSLP": MSLP(ratio=ratio),
        FITTED_TO_ROWS: MSLP(beta=1.0, lambda_=0.0, ratio=ratio),
    }


def run(quick=False):
    """Trustworthiness of two-dimensional embeddings fitted on a random half of the rows.

    Returns
    -------
    dict of DataFrame
        "trustworthiness": dataset, source, method ("features" are all features, not embedded), rows
        ("fitted" or "new"), fold, trustworthiness.
    """
    toys = {
        "toy": datasets.make_mslp_toy(300 if quick else 3000),
        "noisy toy": datasets.make_mslp_toy(300 if quick else 3000, noise=0.1),
    }
    if quick:
        real = {"SJAFFE": datasets.make_standin("SJAFFE", n_samples=120)}
    else:
        real = {name: datasets.load(name) for name in SETS}
    rows = []
    for name, bunch in (toys | real).items():
        for fold in range(1 if quick else FOLDS):
            order = np.random.default_rng(fold).permutation(len(bunch.X))
            parts = dict(zip(("fitted", "new"), np.array_split(order, 2), strict=True))
            X, D = bunch.X[parts["fitted"]], bunch.D[parts["fitted"]]
            embeddings = {"features": lambda X: X} | {
                method: model.fit(X, D).transform for method, model in methods(X.shape[1]).items()
            }
            for method, embed in embeddings.items():
                for part, there in parts.items():
                    score = trustworthiness(
                        bunch.D[there], embed(bunch.X[there]), n_neighbors=NEIGHBORS
                    )
                    rows.append((name, bunch.source, method, part, fold, score))
    columns = ["dataset", "source", "method", "rows", "fold", "trustworthiness"]
    return {"trustworthiness": pd.DataFrame(rows, columns=columns)}
