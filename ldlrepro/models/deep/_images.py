"""Checks of images, and the reading of image files."""

import os

import numpy as np

from ldlrepro.models.deep._checks import check_coloured
from ldlrepro.models.deep._packages import needed


def check_images(images, size):
    """Images as one array, resized to ``size`` x ``size`` pixels.

    Parameters
    ----------
    images : (n, h, w, 3) uint8 or sequence of paths
        Photographs, or their files.

    Returns
    -------
    (n, size, size, 3) uint8
        All of one size.

    Raises
    ------
    ValueError
        Another shape or dtype; grey images; a file that cannot be read: with its name or row.
    """
    if _are_paths(images):
        return np.stack([_read(path, row, size) for row, path in enumerate(images)])
    images = _as_array(images)
    if images.ndim == 3 or (images.ndim == 4 and images.shape[-1] == 1):
        raise ValueError(
            f"images have shape {images.shape}: grey images, from row 0 on. Colour is expected, "
            "(n, h, w, 3): repeat the one channel three times."
        )
    if images.ndim != 4 or images.shape[-1] != 3 or 0 in images.shape[1:]:
        raise ValueError(
            f"images have shape {images.shape}: expected (n, h, w, 3), or a list of paths."
        )
    if images.dtype != np.uint8:
        raise ValueError(
            f"images have dtype {images.dtype}: expected uint8, values from 0 to 255"
            f"{_first_not_finite(images)}."
        )
    if images.shape[1:3] == (size, size):
        return np.ascontiguousarray(images)
    from_array = needed("PIL.Image").fromarray
    return np.stack([_resized(from_array(np.ascontiguousarray(i)), size) for i in images])


def _are_paths(images):
    if isinstance(images, str | bytes | os.PathLike):
        raise ValueError(f"images is one path, {images!r}: expected a list of paths.")
    if isinstance(images, np.ndarray) and images.dtype.kind not in "OUS":
        return False
    if not hasattr(images, "__len__") or len(images) == 0:
        return False
    return any(isinstance(i, str | os.PathLike) for i in images)


def _as_array(images):
    if not isinstance(images, np.ndarray) and hasattr(images, "__len__") and len(images):
        shapes = [np.shape(image) for image in images]
        row = next((i for i, shape in enumerate(shapes) if shape != shapes[0]), None)
        if row is not None:
            raise ValueError(
                f"images: row {row} has shape {shapes[row]}, but row 0 has {shapes[0]}: bring all "
                "images to one size, or give paths."
            )
    return np.asarray(images)


def _first_not_finite(images):
    """Where the first NaN or infinity is, as the end of a sentence."""
    if images.dtype.kind != "f" or np.isfinite(images).all():
        return ""
    row = int(np.argwhere(~np.isfinite(images))[0][0])
    return f"; row {row} has NaN or infinity"


def _read(path, row, size):
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"images: row {row} is no path, but {type(path).__name__}.")
    Image = needed("PIL.Image")
    try:
        with Image.open(path) as image:
            mode = image.mode
            coloured = image.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(
            f"{os.fspath(path)} (row {row}) cannot be read as an image: {error}. Remove it or put "
            "a good file in its place."
        ) from error
    if mode in ("1", "L", "LA", "I", "I;16", "F"):
        raise ValueError(
            f"{os.fspath(path)} (row {row}) is a grey image, mode {mode}: save it in colour (RGB)."
        )
    check_coloured(coloured, mode, path, row)
    return _resized(coloured, size)


def _resized(image, size):
    if image.size != (size, size):
        image = image.resize((size, size), needed("PIL.Image").Resampling.BILINEAR)
    return np.asarray(image)
