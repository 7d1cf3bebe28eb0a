"""Experiments of MLDF (Yang et al. 2020) that are not runs over folds."""
