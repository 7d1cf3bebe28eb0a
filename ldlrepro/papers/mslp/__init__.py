"""MSLP (Peng et al. 2018): what is run, and what its chapter shows."""
