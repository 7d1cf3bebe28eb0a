"""Regression and embeddings before a neighbour decoder."""

from ldlrepro.models.embedding._mslp import neighbour_sets
from ldlrepro.models.embedding._package_ldsvr import PackageLDSVR

__all__ = ["PackageLDSVR", "neighbour_sets"]
