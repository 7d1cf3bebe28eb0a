"""Names of `ldlrepro.datasets`: each is imported at its first use."""

from .checking import UNVERIFIED, accept, check
from .faces import load_faces
from .files import fetch
from .images import load_images, make_scenes, rankings_to_distributions
from .listing import list
from .loading import load, load_or_standin
from .registry import is_current, names, resolve
from .synthetic import make_mslp_toy, make_standin, make_toy

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
