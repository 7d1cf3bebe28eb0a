"""Photographs as inputs: 2000 natural scenes with distributions of two kinds, and a stand-in."""

import io
import zipfile

import numpy as np
from scipy.special import softmax
from sklearn.utils import Bunch, check_random_state

from ldlrepro.datasets import files, loading, readers, registry
from ldlrepro.parameter_types import check_count

LABELS = ("realigned", "rankings")


def load_images(size=64, labels="realigned"):
    """The 2000 photographs of natural scenes [1]_ with label distributions over nine labels.

    Parameters
    ----------
    size : int or None
        Side in pixels to which photographs are brought, their proportions not kept. None: no
        photographs; ``X`` has the 294 features, row by row of the same photographs.
    labels : {"realigned", "rankings"}
        "realigned" the published label rows, matched to the photographs (see `load`). "rankings":
        by the rule of `rankings_to_distributions` from what ten people named.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` (2000, size, size, 3) uint8, 1.jpg first, or (2000, 294) float64; ``D`` (2000, 9);
        the other fields of `load`. ``source`` is "realigned" or, for the rankings, "real".

    Raises
    ------
    DataUnavailableError, DataCorruptError
        As `load`.

    See Also
    --------
    load : Sets of features.
    rankings_to_distributions : The rule.
    make_scenes : A synthetic set of images.

    References
    ----------
    .. [1] Geng, Luo, "Multilabel ranking with inconsistent rankers", CVPR 2014.
    """
    if labels not in LABELS:
        raise ValueError(f"labels must be one of {', '.join(LABELS)}, got {labels!r}.")
    bunch = loading.realigned("Natural_Scene")
    digests = [bunch.sha256]
    if labels == "rankings":
        (entry,) = registry.parts("natural_scene_rankings")
        path = files.obtain(entry)
        bunch.D = rankings_to_distributions(readers.read(path, entry)["rankings"])
        bunch.source, bunch.display = "real", "Natural Scene (rankings)"
        del bunch["exact"]
        digests.append(files.verify(path, entry))
    if size is not None:
        (entry,) = registry.parts("natural_scene_images")
        path = files.obtain(entry)
        bunch.X, bunch.feature_names = _photographs(readers.read(path, entry), size), None
        digests.append(files.verify(path, entry))
    if len(digests) > 1:
        bunch.sha256 = registry.joined_digest(digests)
    return bunch


def _photographs(content, size):
    from PIL import Image  # slow to import

    with zipfile.ZipFile(content["path"]) as archive:
        names = {name.split("/")[-1]: name for name in archive.namelist()}
        X = np.empty((len(content["filenames"]), size, size, 3), np.uint8)
        for i, filename in enumerate(content["filenames"]):
            with Image.open(io.BytesIO(archive.read(names[filename]))) as photograph:
                colour = photograph.convert("RGB")
                X[i] = np.asarray(colour.resize((size, size), Image.Resampling.BILINEAR))
    return X


def rankings_to_distributions(rankings):
    """Label distributions of what people named, in order, for each image.

    Who names r labels gives the k-th of them (r + 1 - k) / (1 + 2 + ... + r); a label's degree is
    the mean over the people who named any. A label that nobody named has the degree 0.

    Parameters
    ----------
    rankings : (n, people, c + 1) int
        Each row orders the labels 1 .. c and the mark c + 1, after which none is relevant.

    Returns
    -------
    (n, c) float64
        Rows on the simplex.

    Raises
    ------
    ValueError
        A row that is no order of these numbers, or an image for which nobody names a label.

    See Also
    --------
    load_images : The photographs that ten people ranked labels for.

    Notes
    -----
    This rule is of this package. Geng and Luo, who collected the rankings, sought for each image
    the distribution most compatible with all of them; how, could not be established from the text
    that is to be had in public. Their distributions are those of ``labels="realigned"``.
    """
    rankings = np.asarray(rankings)
    n, people, marks = rankings.shape
    bad = (np.sort(rankings, axis=2) != np.arange(1, marks + 1)).any(axis=2)
    if bad.any():
        image, person = np.argwhere(bad)[0]
        raise ValueError(
            f"rankings: image {image}, person {person} is no order of 1 .. {marks}: "
            f"{rankings[image, person].tolist()}."
        )
    place = rankings.argsort(axis=2)  # of each label, 0 for the first; of the mark: r
    named = place[..., -1:]
    shares = np.maximum(named - place[..., :-1], 0) / np.maximum(named * (named + 1) / 2, 1)
    total = shares.sum(axis=1)
    nobody = np.flatnonzero(total.sum(axis=1) == 0)
    if len(nobody):
        raise ValueError(f"rankings: nobody names a label for image {nobody[0]}: remove it.")
    return total / total.sum(axis=1, keepdims=True)


def make_scenes(n_samples=200, size=32, n_labels=4, random_state=0):
    """Synthetic images: bands of one colour a label, as high as its degree, under noise.

    Parameters
    ----------
    n_samples : int
        Rows.
    size : int
        Side in pixels.
    n_labels : int
        How many labels.
    random_state : int, RandomState or None
        Seeds what is drawn.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` (n_samples, size, size, 3) uint8, ``D`` (n_samples, n_labels) and the fields of
        `load`; ``source`` and ``sha256`` are "synthetic".

    See Also
    --------
    load_images : Photographs.
    make_standin : Synthetic features.
    """
    check_count(n_samples, "n_samples")
    check_count(size, "size")
    check_count(n_labels, "n_labels")
    rng = check_random_state(random_state)
    D = softmax(1.5 * rng.normal(size=(n_samples, n_labels)), axis=1)
    colours = rng.uniform(30, 225, size=(n_labels, 3))
    heights = (np.arange(size) + 0.5) / size
    band = (heights[None, :, None] > D.cumsum(axis=1)[:, None, :-1]).sum(axis=2)  # (n, size)
    X = colours[band][:, :, None, :] + rng.normal(scale=25, size=(n_samples, size, size, 3))
    return Bunch(
        X=np.clip(X, 0, 255).astype(np.uint8),
        D=D,
        label_names=[f"label {j + 1}" for j in range(n_labels)],
        feature_names=None,
        name="scenes",
        display="synthetic scenes",
        task="ldl",
        source="synthetic",
        sha256="synthetic",
        notes=[],
    )
