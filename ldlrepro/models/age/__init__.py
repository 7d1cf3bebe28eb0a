"""Methods for the age of a face, from features: labels are ages, a year apart, from 0."""

from ldlrepro.models.age._ages import ages_of, normal

__all__ = ["ages_of", "normal"]
