"""Five papers on label-distribution and multi-label learning, reproduced number by number."""

from ldlrepro.models.baselines._constant import MeanPredictor, UniformPredictor
from ldlrepro.models.baselines._raised_zeros import RaisedZeros
from ldlrepro.models.boosting._aoso import AOSOLDLogitBoost
from ldlrepro.models.boosting._ldlogitboost import LDLogitBoost
from ldlrepro.models.embedding._cca import CCA, KernelCCA
from ldlrepro.models.embedding._decoder import EmbeddingKNN
from ldlrepro.models.embedding._ldsvr import LDSVR
from ldlrepro.models.embedding._lpp import LPP, KernelLPP
from ldlrepro.models.embedding._mslp import MSLP
from ldlrepro.models.embedding._npe import NPE, KernelNPE
from ldlrepro.models.embedding._pca import PCA, KernelPCA
from ldlrepro.models.maxent._sabfgs import SABFGS
from ldlrepro.models.maxent._saiis import SAIIS
from ldlrepro.models.neighbors._aaknn import AAKNN
from ldlrepro.models.neural._aabp import AABP
from ldlrepro.models.neural._cpnn import CPNN
from ldlrepro.models.problem_transformation._ptbayes import PTBayes
from ldlrepro.models.problem_transformation._ptsvm import PTSVM
from ldlrepro.models.trees._multi_output_rf import MultiOutputRF
from ldlrepro.models.trees._single_label import SingleLabelRF
from ldlrepro.models.trees._structrf import StructRF

__version__ = "0.1.0"

__all__ = [
    "AABP",
    "AAKNN",
    "AOSOLDLogitBoost",
    "CCA",
    "CPNN",
    "EmbeddingKNN",
    "KernelCCA",
    "KernelLPP",
    "KernelNPE",
    "KernelPCA",
    "LDLogitBoost",
    "LDSVR",
    "LPP",
    "MSLP",
    "MeanPredictor",
    "MultiOutputRF",
    "NPE",
    "PCA",
    "PTBayes",
    "PTSVM",
    "RaisedZeros",
    "SABFGS",
    "SAIIS",
    "SingleLabelRF",
    "StructRF",
    "UniformPredictor",
]
