"""Regression and embeddings before a neighbour decoder."""
