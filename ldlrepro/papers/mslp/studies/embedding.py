"""How well embeddings keep neighbours in the labels (MSLP paper, section 3.2, Figures 5-7).

The paper shows pictures. Here each picture has a number: the trustworthiness (Venna and Kaski
2001) of the embedding with respect to the label distributions, 1 where all neighbours in the
embedding are neighbours in the labels, about 0.5 where they are drawn at random. It is taken with
all rows fitted, as the pictures seem to be, and for random halves of the rows on those that were
fitted and on those that the method has not seen.
"""

from itertools import product

import numpy as np
import pandas as pd
from sklearn.manifold import trustworthiness

from ldlrepro import CCA, LPP, MSLP, PCA, datasets

SETS = ("SJAFFE", "SBU_3DFE", "SCUT_FBP", "M2B", "Natural_Scene")
NEIGHBORS = 10
FOLDS = 5
DIMENSIONS = 2
#: Points of the paper's grid (section 3.1) with beta = 0.5 and no penalty. With more features than
#: rows any embedding of the fitted rows can then be had. MSLP's default has lambda = 0.01.
UNPENALISED = {
    f"MSLP, lambda 0, k+ {k}, alpha {alpha}": {
        "k_plus": k,
        "alpha": alpha,
        "beta": 0.5,
        "lambda_": 0.0,
    }
    for k, alpha in product((5, 10), (5, 10))
}


def mslp(ratio):
    """MSLP at its default and `UNPENALISED`, by name."""
    models = {name: MSLP(**settings, ratio=ratio) for name, settings in UNPENALISED.items()}
    return {"MSLP": MSLP(ratio=ratio)} | models


def methods(q):
    """Embeddings of q features into two dimensions."""
    ratio = DIMENSIONS / q
    return {"PCA": PCA(ratio), "LPP": LPP(ratio=ratio), "CCA": CCA(ratio=ratio)} | mslp(ratio)


def samples(n, folds):
    """(number, rows to fit, {name: rows to look at}): all n rows, then random halves."""
    yield 0, np.arange(n), {"all": np.arange(n)}
    for fold in range(folds):
        fitted, new = np.array_split(np.random.default_rng(fold).permutation(n), 2)
        yield fold, fitted, {"fitted": fitted, "new": new}


def run(quick=False):
    """Trustworthiness of two-dimensional embeddings fitted on all rows and on random halves.

    Returns
    -------
    dict of DataFrame
        "trustworthiness": dataset, source, method ("features" are all features, not embedded), rows
        ("all", or of a half "fitted" or "new"), fold, trustworthiness.
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
        for fold, fitted, parts in samples(len(bunch.X), 1 if quick else FOLDS):
            X, D = bunch.X[fitted], bunch.D[fitted]
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
