"""The field's picture: a toy surface whose three degrees are red, green and blue."""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone

from ldlrepro import metrics
from ldlrepro.errors import SettingsWarning
from ldlrepro.metrics import MEASURES
from ldlrepro.report.plots import panels

#: Measures beside the pictures.
SHOWN = ("kl_divergence", "chebyshev", "cosine")


def predicted(estimators, toy, random_state=0):
    """Predictions of every estimator for the surface of `make_toy`: {name: (rows, 3)}.

    Parameters
    ----------
    estimators : dict, name -> unfitted estimator; toy : bunch of `make_toy`

    See Also
    --------
    pictures : Draws them.
    """
    found = {}
    for name, estimator in estimators.items():
        model = clone(estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SettingsWarning)
            found[name] = model.fit(toy.X, toy.D).predict(toy.X_test)
    return found


def table(found, toy):
    """Measures on the surface: a row a method, by K-L.

    Parameters
    ----------
    found : of `predicted`

    See Also
    --------
    pictures : What the numbers are of.
    """
    rows = {name: [metrics.measure(m)(toy.D_test, P) for m in SHOWN] for name, P in found.items()}
    frame = pd.DataFrame.from_dict(rows, "index", columns=[MEASURES[m].label for m in SHOWN])
    return frame.sort_values("K-L").rename_axis("method")


def pictures(found, toy, columns=5):
    """The surface seen from above, as it is and as each method predicts it, by K-L.

    See Also
    --------
    predicted : What is drawn.
    """
    order = ["as it is", *table(found, toy).index]
    figure, axes = panels(len(order), columns, 2 * columns, 2.2)
    for axis, name in zip(axes.flat, order, strict=False):
        P = toy.D_test if name == "as it is" else found[name]
        side = round(len(P) ** 0.5)
        image = np.clip(P, 0, 1).reshape(side, side, 3)
        # One scale for all: the strongest degree of the truth is full colour.
        axis.imshow(np.minimum(image / toy.D_test.max(), 1), origin="lower", extent=(-1, 1, -1, 1))
        axis.set_title(name, fontsize=8)
        axis.set_xticks([])
        axis.set_yticks([])
        axis.grid(False)
    figure.tight_layout()
    return figure
