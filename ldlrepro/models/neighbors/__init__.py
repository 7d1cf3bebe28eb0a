"""Neighbour methods."""

from ldlrepro.models.neighbors._aaknn import neighbours_of as neighbours_of
