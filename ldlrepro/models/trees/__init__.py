"""Forests that predict label distributions."""
