"""Experiments of LDLF (Shen et al. 2017) that are not runs over folds."""
