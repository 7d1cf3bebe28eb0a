"""Forests that predict label distributions."""

from ldlrepro.models.trees._released import ReleasedLDLForest

__all__ = ["ReleasedLDLForest"]
