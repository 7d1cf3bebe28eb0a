"""Experiments of Every method on every data set that are not runs over folds."""
