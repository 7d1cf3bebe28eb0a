"""Predictors that ignore the features: every table has them as rows."""
