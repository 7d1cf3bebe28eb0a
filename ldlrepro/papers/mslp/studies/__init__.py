"""Experiments of MSLP (Peng et al. 2018) that are not runs over folds."""
