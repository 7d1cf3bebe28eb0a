"""Ten years on: methods that came after the five papers, and others that python-ldl has."""
