"""Ensembles of any label-distribution learner."""
