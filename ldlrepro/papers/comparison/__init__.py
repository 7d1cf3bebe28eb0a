"""Every method on every data set: what is run, and what its chapter shows."""
