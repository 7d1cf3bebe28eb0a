"""Maximum-entropy models: one objective, several solvers."""
