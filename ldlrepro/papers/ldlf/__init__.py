"""LDLF (Shen et al. 2017): what is run, and what its chapter shows."""
