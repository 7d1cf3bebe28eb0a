"""A method or a table of a user beside the stored rivals: what `ldlrepro.compare` is made of."""
