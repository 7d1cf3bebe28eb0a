"""Problem transformation: single-label learners on weighted or resampled rows."""

from ldlrepro.models.problem_transformation._ptbayes_drawn import DrawnPTBayes

__all__ = ["DrawnPTBayes"]
