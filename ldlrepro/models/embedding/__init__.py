"""Regression and embeddings before a neighbour decoder."""

from ldlrepro.models.embedding._mslp import neighbour_sets

__all__ = ["neighbour_sets"]
