"""Problem transformation: single-label learners on weighted or resampled rows."""

from ldlrepro.models.problem_transformation._package_ptbayes import PackagePTBayes
from ldlrepro.models.problem_transformation._package_ptsvm import ColumnsAsDrawn, PackagePTSVM
from ldlrepro.models.problem_transformation._ptbayes_drawn import DrawnPTBayes

__all__ = ["ColumnsAsDrawn", "DrawnPTBayes", "PackagePTBayes", "PackagePTSVM"]
