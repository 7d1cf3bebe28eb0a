"""The deep models of the LDLF paper on photographs: what is run, and what its chapter shows."""
