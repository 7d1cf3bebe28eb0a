"""Experiments of Adaboost-LDL (Shen et al. 2020) that are not runs over folds."""
