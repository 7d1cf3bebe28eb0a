"""Problem transformation: single-label learners on weighted or resampled rows."""
