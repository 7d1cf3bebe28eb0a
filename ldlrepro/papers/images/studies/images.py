"""Deep models on photographs seen closely: learning curves, predictions, time of an epoch.

One fold of the re-aligned natural scenes; the folds' numbers are those of the experiments.
"""

import time

import numpy as np
import pandas as pd
from sklearn.base import clone

from ldlrepro import DLDL, DeepLDLForest, DeepNDFLDL, datasets
from ldlrepro.metrics import kl_divergence
from ldlrepro.protocols.split import ten_folds

#: As the experiments have it (papers.images).
BUDGET = {"size": 64, "epochs": 30, "n_iter_no_change": 30, "learning_rate": 0.001,
          "device": "cpu"}  # fmt: skip
#: Test images whose distributions are kept, and fits for the time of an epoch.
SHOWN, TIMES = 8, 5


def run(quick=False):
    """Fit the three models on one fold and time epochs of the heads in turn.

    Returns
    -------
    dict of DataFrame
        "curves": method, epoch (from 1), loss (mean cross-entropy of the mini-batches), kl (K-L
        divergence of the rows held out inside the fit).
        "predictions": image (row of the set, from 0; 1.jpg is 0), of ("truth" or a method), label,
        degree, kl (of the image; of the truth 0).
        "epochs": method, repetition, seconds of processor time for one epoch.
    """
    bunch, budget = _scenes(quick), BUDGET | ({"epochs": 2} if quick else {})
    train, validation, test = ten_folds(len(bunch.X), 0)[0]
    fitted = np.concatenate([train, validation])
    models = {
        "DLDL": DLDL(**budget, random_state=0),
        "dLDLF": DeepLDLForest(**budget, random_state=0),
        "dNDF-LDL": DeepNDFLDL(**budget, random_state=0),
    }
    shown = np.random.default_rng(0).permutation(test)[:SHOWN]
    curves, predictions = [], _degrees(shown, "truth", bunch, bunch.D[shown])
    for name, model in models.items():
        model = clone(model).fit(bunch.X[fitted], bunch.D[fitted])
        pairs = zip(model.loss_curve_, model.validation_curve_, strict=True)
        curves += [(name, epoch, *pair) for epoch, pair in enumerate(pairs, 1)]
        predictions += _degrees(shown, name, bunch, model.predict(bunch.X[shown]))
    epochs = [
        (name, repetition, _seconds(model, bunch.X[fitted], bunch.D[fitted]))
        for repetition in range(1 if quick else TIMES)
        for name, model in models.items()
    ]
    columns = ["image", "of", "label", "degree", "kl"]
    return {
        "curves": pd.DataFrame(curves, columns=["method", "epoch", "loss", "kl"]),
        "predictions": pd.DataFrame(predictions, columns=columns),
        "epochs": pd.DataFrame(epochs, columns=["method", "repetition", "seconds"]),
    }


def _scenes(quick):
    return datasets.make_scenes(60) if quick else datasets.load_images(BUDGET["size"])


def _degrees(images, of, bunch, P):
    loss = kl_divergence(bunch.D[images], P, per_row=True)
    return [
        (image, of, label, degree, kl)
        for image, p, kl in zip(images, P, loss, strict=True)
        for label, degree in zip(bunch.label_names, p, strict=True)
    ]


def _seconds(model, X, D):
    """Processor time of one epoch: of a fit with two less that of a fit with one."""
    taken = []
    for epochs in (1, 2):
        start = time.process_time()
        clone(model).set_params(epochs=epochs, validation_fraction=0.0).fit(X, D)
        taken.append(time.process_time() - start)
    return taken[1] - taken[0]
