"""Studies that are not runs over folds: each function returns tables (DataFrames) by name."""
