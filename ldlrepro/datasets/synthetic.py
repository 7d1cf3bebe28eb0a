"""Synthetic sets: the two toy problems of the papers, and stand-ins for the registered sets."""

import numpy as np
from scipy.special import ndtr, ndtri, softmax
from sklearn.utils import Bunch, check_random_state

from ldlrepro.datasets import registry
from ldlrepro.errors import DataUnavailableError
from ldlrepro.parameter_types import check_count

_W = np.array([[4.0, 2.0, 1.0], [1.0, 2.0, 4.0], [1.0, 4.0, 2.0]])

#: Rows printed for sets whose files have not been read here: StructRF paper, Table 1, and MLDF
#: paper, Table 3.
_PRINTED_ROWS = {"Human_Gene": 30542, "mediamill": 43970}

#: Kind of feature and, for label distributions, how far the log degrees spread: chosen so that
#: the K-L of the training mean is of the size that it has on the real set.
_KINDS = {
    "Yeast_spo": ("unit", 0.4),
    "Yeast_": ("unit", 0.2),
    "SJAFFE": ("histogram", 0.6),
    "SBU_3DFE": ("histogram", 0.7),
    "Movie": ("binary", 0.8),
    "SCUT_FBP": ("centred", 1.6),
    "FG-Net": ("centred", 2.5),
    "M2B": ("unit", 2.5),
    "Natural_Scene": ("unit", 2.5),
    "yeast": ("centred", None),
    "enron": ("binary", None),
    "corel16k": ("binary", None),
}
_RANK = 5  # number of hidden factors


def _toy_degrees(X):
    """Label distributions (n, 3) of rows in R^3, Eq. 11 of the MSLP paper."""
    t = X + 0.5 * X**2 + 0.2 * X**3 + 1
    phi = np.empty_like(t)
    phi[:, 0] = (t @ _W[0]) ** 2
    phi[:, 1] = (t @ _W[1] + 0.01 * phi[:, 0]) ** 2
    phi[:, 2] = (t @ _W[2] + 0.01 * phi[:, 1]) ** 2
    return phi / phi.sum(axis=1, keepdims=True)


def _bunch(name, display, task, **fields):
    targets = fields["D"] if "D" in fields else fields["Y"]
    return Bunch(
        **fields,
        label_names=[f"label {j + 1}" for j in range(targets.shape[1])],
        feature_names=None,
        name=name,
        display=display,
        task=task,
        source="synthetic",
        sha256="synthetic",
        notes=[],
    )


def make_toy(n_train=500, random_state=0):
    """Toy problem with three features and three labels (Geng 2016 [1]_, section 4.1).

    Training rows are uniform in the cube [-1, 1]^3. Test rows lie on the surface
    ``x3 = sin((x1 + x2) pi)`` over a grid of step 0.04: seen from above with the three degrees
    as red, green and blue, they make a picture.

    Parameters
    ----------
    n_train : int
        Rows of the training part.
    random_state : int, RandomState or None
        Seeds what is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` (n_train, 3), ``D`` (n_train, 3), ``X_test`` (2601, 3), ``D_test`` (2601, 3), and
        the fields of `load`. The test rows run over x1 first: reshape to (51, 51, 3).

    See Also
    --------
    make_mslp_toy : With features that depend on each other.
    make_standin : In the shape of a real set.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    """
    check_count(n_train, "n_train")
    X = check_random_state(random_state).uniform(-1, 1, size=(n_train, 3))
    grid = np.linspace(-1, 1, 51)
    x1, x2 = (axis.ravel() for axis in np.meshgrid(grid, grid))
    X_test = np.column_stack([x1, x2, np.sin((x1 + x2) * np.pi)])
    return _bunch(
        "toy", "toy", "ldl", X=X, D=_toy_degrees(X), X_test=X_test, D_test=_toy_degrees(X_test)
    )


def make_mslp_toy(n_samples=3000, noise=0.0, random_state=0):
    """Toy problem of the MSLP paper [1]_, section 3.2.

    ``x1`` and ``x2`` are uniform in [-1, 1], and ``x3 = exp(-x1^2 - x2^2)`` (Eq. 11).

    Parameters
    ----------
    n_samples : int
        Rows.
    noise : float
        Variance of the Gaussian noise added to the features; the paper's noisy set has 0.1. The
        label distributions are those of the features before the noise.
    random_state : int, RandomState or None
        Seeds what is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` (n_samples, 3), ``D`` (n_samples, 3), ``X_clean`` (features without the noise),
        and the fields of `load`.

    See Also
    --------
    make_toy : With features that do not.

    References
    ----------
    .. [1] Peng, Tao, Geng, "Label embedding based on multi-scale locality preservation", IJCAI
       2018.
    """
    check_count(n_samples, "n_samples")
    rng = check_random_state(random_state)
    plane = rng.uniform(-1, 1, size=(n_samples, 2))
    clean = np.column_stack([plane, np.exp(-(plane**2).sum(axis=1))])
    X = clean + rng.normal(scale=np.sqrt(noise), size=clean.shape)
    display = "MSLP toy, noisy" if noise else "MSLP toy"
    return _bunch("mslp_toy", display, "ldl", X=X, D=_toy_degrees(clean), X_clean=clean)


def make_standin(name, n_samples=None, random_state=0):
    """Make a synthetic stand-in with the shape of a registered set and something to learn.

    Features share a few hidden factors and come in the kind of scale of the real set (sparse
    zeros and ones, histograms that sum to 1, centred values, or values in [0, 1]). Labels are a
    smooth non-linear function of the same factors, plus noise. Nothing of the
    real data is in it, so no number from it may stand beside a published one.

    Parameters
    ----------
    name : str
        Any spelling that `resolve` knows; a set with features.
    n_samples : int or None
        Rows; None gives as many as the real set has.
    random_state : int, RandomState or None
        Seeds what is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        The fields of `load`; ``source`` and ``sha256`` are "synthetic".

    Raises
    ------
    UnknownNameError
    DataUnavailableError
        The registry does not know the set's shape (MOR-PH, and sets that are not tables).

    See Also
    --------
    load : The real sets.
    make_toy : A problem with a picture.
    """
    check_count(n_samples, "n_samples", or_none=True)
    name = registry.resolve(name)
    parts = registry.parts(name)
    entry = parts[0]
    if not (entry.features and entry.labels):
        raise DataUnavailableError(
            f"There is no stand-in for {name}: its numbers of features and labels are not known "
            "here, or it is not a table."
        )
    rows = n_samples or _PRINTED_ROWS.get(name) or sum(part.n for part in parts)
    kind, spread = next((v for k, v in _KINDS.items() if name.startswith(k)), ("unit", 1.0))
    rng = check_random_state(random_state)
    factors = rng.normal(size=(rows, _RANK))
    X = _features(kind, factors, entry.features, rng)
    scores = _scores(factors, entry.labels, rng)
    if entry.task == "ldl":
        # As if four rows in turn were of one person.
        targets = {"D": softmax(spread * scores, axis=1), "person": np.arange(rows) // 4}
    else:
        targets = {"Y": _memberships(scores, rng)}
    return _bunch(name, f"synthetic stand-in for {entry.display}", entry.task, X=X, **targets)


def _features(kind, factors, q, rng):
    signal = factors @ rng.normal(size=(_RANK, q)) / np.sqrt(_RANK)
    G = 0.8 * signal + 0.6 * rng.normal(size=signal.shape)  # about standard normal
    if kind == "unit":
        return ndtr(G)
    if kind == "histogram":
        weights = np.exp(0.5 * G)
        return weights / weights.sum(axis=1, keepdims=True)
    if kind == "binary":
        return (G < ndtri(rng.beta(0.5, 12, size=q))).astype(float)  # about 4 in 100 are ones
    return G


def _scores(factors, c, rng):
    """Scores (n, c), about standard normal, that bend and interact in the factors."""
    smooth = np.hstack([np.tanh(factors), factors[:, :2] * factors[:, 1:3] / 2])
    signal = smooth @ rng.normal(size=(smooth.shape[1], c)) / np.sqrt(_RANK)
    return 0.9 * signal + 0.3 * rng.normal(size=signal.shape) + 0.5 * rng.normal(size=c)


def _memberships(scores, rng):
    """Zeros and ones: each label has its own share of the rows, each row at least one label."""
    n, c = scores.shape
    mean_share = np.clip(4 / c, 0.03, 0.25)
    shares = rng.beta(1, 1 / mean_share - 1, size=c)
    counts = np.clip((shares * n).astype(int), min(2, n - 1), n - 1)
    ranks = n - scores.argsort(axis=0).argsort(axis=0)  # 1 for the highest score of a label
    margin = ranks / counts
    Y = margin <= 1
    Y[np.arange(n), margin.argmin(axis=1)] = True
    return Y.astype("i1")
