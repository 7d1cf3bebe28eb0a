"""`load`: a name in, a bunch of verified arrays out."""

import numpy as np
from scipy.spatial import cKDTree
from sklearn.utils import Bunch

from ldlrepro.datasets import files, readers, registry
from ldlrepro.datasets.synthetic import make_standin
from ldlrepro.errors import DataCorruptError, DataUnavailableError

SOURCES = ("auto", "real", "realigned", "synthetic")


def load(name, source="auto"):
    """Load a data set, its files verified.

    Parameters
    ----------
    name : str
        Any spelling that `resolve` knows: "Yeast_alpha", "Yeast-alpha", "s-JAFFE", ... "Natural
        Scene (re-aligned)" is Natural_Scene with ``source="realigned"``.
    source : {"auto", "real", "realigned", "synthetic"}
        "real" reads the files, fetching them where they are not at hand. "realigned" gives
        Natural_Scene with label rows matched to the images by people's rankings, or ``image`` with
        its misplaced labels put right (both need the local file of the re-aligned set). "synthetic"
        is `make_standin`. "auto" is "real"; for Natural_Scene it falls back on "realigned" where
        the original can be had neither here nor from its address. It never gives synthetic data.

    Returns
    -------
    sklearn.utils.Bunch
        ``X`` (n, q) float64; ``D`` (n, c) float64 with rows on the simplex, or, for multi-label
        sets, ``Y`` (n, c) int8 in {0, 1}; ``label_names``; ``feature_names`` or None; ``name``
        (of the registry); ``display`` (for tables); ``task``; ``source`` in {"real", "realigned",
        "synthetic"}; ``sha256`` (joined sets: of the digests of the parts, written one after the
        other; synthetic sets: "synthetic"); ``notes`` (list of str: what the loader changed, and
        whether it could check no more than the shape).
        Some have more: ``age`` and ``person`` (FG-Net, (n,) int), ``exact`` (re-aligned Natural
        Scene: rows that are certain), ``n_train`` (joined sets: the first rows are the usual
        training part).
        Sets of the task "images" have what their file holds, and X is None.

    Raises
    ------
    UnknownNameError
    DataUnavailableError
        Neither at hand nor to be fetched; the message says where to put the file by hand.
    DataCorruptError
        A file is not the one that the registry names; where no digest is known, its numbers of
        rows, features and labels are not those of the registry.

    See Also
    --------
    list : The sets there are.
    make_standin : Synthetic data of the same shape.
    check : What the files are like.
    """
    if source not in SOURCES:
        raise ValueError(f"source must be one of {', '.join(SOURCES)}, got {source!r}")
    asked = registry.resolve_entry(name)
    name = asked.name
    if source == "synthetic":
        return make_standin(name)
    if asked.part == "realigned" and source == "auto":
        source = "realigned"
    if source == "realigned" or (source == "auto" and _only_realigned(name)):
        return image_put_right() if name == "image" else realigned(name)
    return _bunch(registry.parts(name), "real")


def load_or_standin(name):
    """`load`, or a synthetic stand-in (named so) where the data cannot be had: for pictures.

    Parameters
    ----------
    name : str
        Any spelling that `resolve` knows.

    Returns
    -------
    sklearn.utils.Bunch
        As of `load` or `make_standin`.

    See Also
    --------
    load : Raises where the data cannot be had.
    make_standin : The stand-in.
    """
    try:
        return load(name)
    except DataUnavailableError:
        return make_standin(name)


def _only_realigned(name):
    """Whether "auto" has to make do with the re-aligned file; the network is asked once."""
    substitute = registry.realigned(name)
    if substitute is None or files.locate(substitute) is None:
        return False
    (original,) = registry.parts(name)
    if files.locate(original) is not None:
        return False
    if not files.reachable(original.url):
        return True
    try:
        files.download(original)
    except DataUnavailableError:
        return True
    return False


def realigned(name):
    """Bunch of a set's re-aligned file."""
    entry = registry.realigned(name)
    if entry is None:
        raise DataUnavailableError(f"There is no re-aligned form of {name}.")
    return _bunch([entry], "realigned")


def read_parts(entries):
    """Read and join the files of one set; returns the arrays as stored, and the sha256."""
    contents, hashes = [], []
    for entry in entries:
        path = files.obtain(entry)
        hashes.append(files.verify(path, entry))
        try:
            contents.append(readers.read(path, entry))
        except (KeyError, ValueError, NotImplementedError) as error:
            if not entry.expected[1]:
                raise _not_the_set(path, entry, f"cannot be read: {error}") from error
            raise DataCorruptError(
                f"{path} has the right digest but not the known form: {error}"
            ) from error
        if not entry.expected[1]:
            _check_shape(path, entry, contents[-1])
    arrays = contents[0]
    if len(contents) == 1:
        return arrays, hashes[0]
    arrays["n_train"] = len(arrays["X"])
    for field in ("X", "Y"):
        arrays[field] = np.concatenate([content[field] for content in contents])
    return arrays, registry.joined_digest(hashes)


def _check_shape(path, entry, arrays):
    """Compare shapes with the registry, for a multi-label file of which no digest is known."""
    counts = {
        "rows": (len(arrays["X"]), entry.n),
        "features": (arrays["X"].shape[1], entry.features),
        "labels": (arrays["Y"].shape[1], entry.labels),
    }
    differ = [
        f"{found} {what} (expected {known})"
        for what, (found, known) in counts.items()
        if known not in (None, found)
    ]
    if differ:
        raise _not_the_set(path, entry, f"has {', '.join(differ)}")


def _not_the_set(path, entry, what):
    return DataCorruptError(
        f"{path} {what}. It is damaged or not the file of {entry.display} that is meant: put "
        f"another copy in its place. Its source: {entry.citation}."
    )


def normalise(D):
    """Rows of ``D`` (n, c) divided by their sums, and the note that says so (or None)."""
    sums = D.sum(axis=1)
    off = np.abs(sums - 1) > 1e-9
    if not off.any():
        return D, None
    note = (
        f"{off.sum()} of {len(D)} label rows did not sum to 1 in the file (sums {sums.min():.7g} "
        f"to {sums.max():.7g}) and were divided by their sums"
    )
    return D / sums[:, None], note


def _bunch(entries, source):
    arrays, sha256 = read_parts(entries)
    notes = [
        f"no digest of {entry.file} is known: only its shape was checked"
        for entry in entries
        if not entry.expected[1]
    ]
    if "D" in arrays:
        arrays["D"], note = normalise(arrays["D"])
        notes += [note] if note else []
    name = entries[0].name
    if name in registry.LABELS:
        arrays["label_names"] = list(registry.LABELS[name])
    if "label_names" not in arrays:
        targets = arrays["D"] if "D" in arrays else arrays["Y"]
        arrays["label_names"] = [f"label {j + 1}" for j in range(targets.shape[1])]
    fields = {"X": None, "feature_names": None} | arrays
    return Bunch(
        **fields,
        name=name,
        display=entries[0].display,
        task=entries[0].task,
        source=source,
        sha256=sha256,
        notes=notes,
    )


def image_put_right():
    """`image` with each row's own labels.

    Within each block of 400 images the published features are in the string order of the file
    names (1, 10, 100, ...) and the labels in numeric order. Which image a feature row belongs
    to is found in the re-aligned file of Natural Scene, whose rows 1 ... 2000 are those images.
    """
    bunch = _bunch(registry.parts("image"), "realigned")
    reference = registry.realigned("Natural_Scene")
    path = files.obtain(reference)
    by_image = readers.read(path, reference)["X"]

    distance, image = cKDTree(by_image).query(bunch.X)  # 0, but for single precision
    if distance.max() > 1e-4 or len(np.unique(image)) != len(bunch.X):
        raise DataCorruptError(f"The rows of `image` do not match those of {path} one to one.")

    blocks = [sorted(range(start, start + 400), key=str) for start in range(1, 2001, 400)]
    string_order = np.concatenate(blocks) - 1
    labels_of = np.argsort(string_order)[image]  # the image whose labels the row carries
    row_with_labels_of = np.argsort(labels_of)
    right = bunch.Y[row_with_labels_of[image]]
    bunch.notes.append(
        f"{(right != bunch.Y).any(axis=1).sum()} of {len(right)} rows carry another image's "
        "labels in the published files; put right here"
    )
    bunch.Y = right
    bunch.display += " (re-aligned)"
    bunch.sha256 = registry.joined_digest((bunch.sha256, files.verify(path, reference)))
    return bunch
