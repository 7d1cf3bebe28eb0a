"""Maximum-entropy models: one objective, several solvers."""

from ldlrepro.models.maxent._lcldl_published import PublishedLCLDL
from ldlrepro.models.maxent._ldllclr import objective as lclr_objective

__all__ = ["PublishedLCLDL", "lclr_objective"]
