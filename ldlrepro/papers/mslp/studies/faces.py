"""Which emotions lie near each other in two dimensions (MSLP paper, section 3.2, Figure 7).

The paper reads three things from a picture of s-JAFFE. Here the means of the groups of like faces
are taken in the embedding of all rows and in those of random halves, on rows that were fitted and
on new ones.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from ldlrepro import LPP, datasets
from ldlrepro.datasets.registry import EMOTIONS
from ldlrepro.papers.mslp.studies.embedding import DIMENSIONS, FOLDS, mslp, samples

NEUTRAL = "neutral"
#: Faces with a neutral expression among the 213 of JAFFE.
NEUTRAL_FACES = 30


def groups(D, neutral=NEUTRAL_FACES):
    """Number (n,) of each row's strongest emotion, the number of labels for the neutral ones.

    Which faces are neutral is not in the data: the rows nearest to the uniform distribution, as
    many as JAFFE has neutral faces, stand for them.
    """
    group = D.argmax(axis=1)
    entropy = -(D * np.log(np.maximum(D, 1e-12))).sum(axis=1)
    group[np.argsort(-entropy, kind="stable")[:neutral]] = D.shape[1]
    return group


def run(quick=False):
    """Distances between the means of groups, as a share of their mean over all pairs.

    Returns
    -------
    dict of DataFrame
        "distances": dataset, source, method, rows ("all", or of a half "fitted" or "new"), fold,
        first, second (two of `EMOTIONS` and `NEUTRAL`), distance.
    """
    bunch = datasets.make_standin("SJAFFE", n_samples=120) if quick else datasets.load("SJAFFE")
    names, group = (*EMOTIONS, NEUTRAL), groups(bunch.D)
    ratio = DIMENSIONS / bunch.X.shape[1]
    models = mslp(ratio) | {"LPP": LPP(ratio=ratio)}
    rows = []
    for fold, fitted, parts in samples(len(bunch.X), 1 if quick else FOLDS):
        for method, model in models.items():
            model.fit(bunch.X[fitted], bunch.D[fitted])
            for part, there in parts.items():
                Z = model.transform(bunch.X[there])
                means = {k: Z[group[there] == k].mean(axis=0) for k in np.unique(group[there])}
                pairs = list(combinations(means, 2))
                distance = np.array([np.linalg.norm(means[a] - means[b]) for a, b in pairs])
                rows += [
                    (bunch.name, bunch.source, method, part, fold, names[a], names[b], d)
                    for (a, b), d in zip(pairs, distance / distance.mean(), strict=True)
                ]
    columns = ["dataset", "source", "method", "rows", "fold", "first", "second", "distance"]
    return {"distances": pd.DataFrame(rows, columns=columns)}
