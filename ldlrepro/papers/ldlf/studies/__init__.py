"""Experiments of Label distribution learning forests (Shen et al. 2017) that are not runs over folds."""
