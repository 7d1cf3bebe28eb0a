"""Maximum-entropy models: one objective, several solvers."""

from ldlrepro.models.maxent._lcldl_published import PublishedLCLDL
from ldlrepro.models.maxent._ldllclr import objective as lclr_objective
from ldlrepro.models.maxent._package_bfgs import PackageBFGS

__all__ = ["PackageBFGS", "PublishedLCLDL", "lclr_objective"]
