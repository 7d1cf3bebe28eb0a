"""Experiments of The deep models of the LDLF paper on photographs that are not runs over folds."""
