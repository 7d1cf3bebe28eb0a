"""Neighbour methods."""
