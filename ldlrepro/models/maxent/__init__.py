"""Maximum-entropy models: one objective, several solvers."""

from ldlrepro.models.maxent._lcldl_published import PublishedLCLDL

__all__ = ["PublishedLCLDL"]
