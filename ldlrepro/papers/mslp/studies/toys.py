"""How well MSLP keeps neighbours on the toys for each beta of the paper's grid (section 3.2).

The study `embedding` has MSLP's default and points with beta = 0.5. The grid has beta = 0 too,
which drops the attraction term. Here are all points of the grid (section 3.1), all rows fitted.
"""

from itertools import product

import pandas as pd
from sklearn.manifold import trustworthiness

from ldlrepro import LPP, MSLP, datasets
from ldlrepro.papers.mslp.studies.embedding import DIMENSIONS, NEIGHBORS

GRID = {
    "beta": (0.0, 0.1, 0.5),
    "lambda_": (0.0, 0.01, 0.1),
    "k_plus": (5, 10),
    "alpha": (5, 10),
}
#: Draws of the rows.
DRAWS = 5


def run(quick=False):
    """Trustworthiness, with respect to the degrees, of embeddings into two dimensions.

    Returns
    -------
    dict of DataFrame
        "toys": dataset ("toy", "noisy toy"), fold (a draw), method ("LPP" or "MSLP"), the
        parameters of the grid (0 for LPP, which has none of them), trustworthiness.
    """
    n, draws = (200, 1) if quick else (3000, DRAWS)
    points = [dict(zip(GRID, values, strict=True)) for values in product(*GRID.values())]
    rows = []
    for fold in range(draws):
        for name, noise in (("toy", 0.0), ("noisy toy", 0.1)):
            bunch = datasets.make_mslp_toy(n, noise=noise, random_state=fold)
            ratio = DIMENSIONS / bunch.X.shape[1]
            models = {("LPP", *[0.0] * len(GRID)): LPP(ratio=ratio)}
            models |= {("MSLP", *p.values()): MSLP(**p, ratio=ratio) for p in points}
            for key, model in models.items():
                Z = model.fit(bunch.X, bunch.D).transform(bunch.X)
                kept = trustworthiness(bunch.D, Z, n_neighbors=NEIGHBORS)
                rows.append((name, fold, *key, kept))
    columns = ["dataset", "fold", "method", *GRID, "trustworthiness"]
    return {"toys": pd.DataFrame(rows, columns=columns)}
