"""MLDF (Yang et al. 2020): what is run, and what its chapter shows."""
