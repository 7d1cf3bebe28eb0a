"""The estimators: one folder a family, one file an algorithm."""
