"""Data sets: the registry, downloads with verification, loaders, checks and synthetic sets."""

from ldlrepro.datasets.checking import UNVERIFIED, accept, check
from ldlrepro.datasets.faces import load_faces
from ldlrepro.datasets.files import fetch
from ldlrepro.datasets.images import load_images, make_scenes, rankings_to_distributions
from ldlrepro.datasets.loading import load, load_or_standin
from ldlrepro.datasets.loading import overview as list  # the public name, as in the documentation
from ldlrepro.datasets.registry import is_current, names, resolve
from ldlrepro.datasets.synthetic import make_mslp_toy, make_standin, make_toy

__all__ = [
    "UNVERIFIED",
    "accept",
    "check",
    "fetch",
    "is_current",
    "list",
    "load",
    "load_faces",
    "load_images",
    "load_or_standin",
    "make_mslp_toy",
    "make_scenes",
    "make_standin",
    "make_toy",
    "names",
    "rankings_to_distributions",
    "resolve",
]
