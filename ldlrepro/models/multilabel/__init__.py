"""Multi-label learners: MLDF, its forests, and what the paper compares them with."""
