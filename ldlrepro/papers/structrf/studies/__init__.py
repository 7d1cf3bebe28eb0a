"""Experiments of StructRF (Chen et al. 2018) that are not runs over folds."""
