"""Logistic boosting of label distributions."""
