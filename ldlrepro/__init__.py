"""Five papers on label-distribution and multi-label learning, reproduced number by number."""

from importlib import import_module as _import_module

from ldlrepro.models.age._aas import AAS
from ldlrepro.models.age._d2ldl import D2LDL
from ldlrepro.models.age._iisaldl import IISALDL
from ldlrepro.models.age._larr import LARR
from ldlrepro.models.baselines._constant import MeanPredictor, UniformPredictor
from ldlrepro.models.baselines._raised_zeros import RaisedZeros
from ldlrepro.models.baselines._shrunk import Shrunk
from ldlrepro.models.boosting._aoso import AOSOLDLogitBoost
from ldlrepro.models.boosting._ldlogitboost import LDLogitBoost
from ldlrepro.models.deep._dldl import DLDL
from ldlrepro.models.deep._ldlf import DeepLDLForest
from ldlrepro.models.deep._ndf import DeepNDFLDL
from ldlrepro.models.embedding._cca import CCA, KernelCCA
from ldlrepro.models.embedding._decoder import EmbeddingKNN
from ldlrepro.models.embedding._ldsvr import LDSVR
from ldlrepro.models.embedding._lpp import LPP, KernelLPP
from ldlrepro.models.embedding._mslp import MSLP
from ldlrepro.models.embedding._npe import NPE, KernelNPE
from ldlrepro.models.embedding._pca import PCA, KernelPCA
from ldlrepro.models.ensemble._adaboost import AdaBoostLDL
from ldlrepro.models.ensemble._bagging import BaggingLDL
from ldlrepro.models.maxent._lcldl import LCLDL
from ldlrepro.models.maxent._ldllclr import LDLLCLR
from ldlrepro.models.maxent._ldlsf import LDLSF
from ldlrepro.models.maxent._sabfgs import SABFGS
from ldlrepro.models.maxent._saiis import SAIIS
from ldlrepro.models.multilabel._dbpnn import DBPNN
from ldlrepro.models.multilabel._ecc import ECC
from ldlrepro.models.multilabel._forests import ERFMLC45, ERFPCT, RFMLC45, RFPCT
from ldlrepro.models.multilabel._frequencies import LabelFrequencies
from ldlrepro.models.multilabel._mldf import MLDF, MLDFSuite
from ldlrepro.models.multilabel._mlfe import MLFE
from ldlrepro.models.multilabel._rakel import RAkEL
from ldlrepro.models.neighbors._aaknn import AAKNN
from ldlrepro.models.neural._aabp import AABP
from ldlrepro.models.neural._cpnn import CPNN
from ldlrepro.models.problem_transformation._ptbayes import PTBayes
from ldlrepro.models.problem_transformation._ptsvm import PTSVM
from ldlrepro.models.trees._ldlf import LDLForest
from ldlrepro.models.trees._multi_output_rf import MultiOutputRF
from ldlrepro.models.trees._ndf import NDFLDL
from ldlrepro.models.trees._single_label import SingleLabelRF
from ldlrepro.models.trees._structrf import StructRF

__version__ = "0.1.0"

__all__ = [
    "AABP",
    "AAKNN",
    "AAS",
    "AOSOLDLogitBoost",
    "AdaBoostLDL",
    "BaggingLDL",
    "CCA",
    "CPNN",
    "ERFMLC45",
    "ERFPCT",
    "D2LDL",
    "DBPNN",
    "DLDL",
    "DeepLDLForest",
    "DeepNDFLDL",
    "ECC",
    "EmbeddingKNN",
    "IISALDL",
    "KernelCCA",
    "KernelLPP",
    "KernelNPE",
    "KernelPCA",
    "LARR",
    "LCLDL",
    "LDLLCLR",
    "LDLSF",
    "LDLForest",
    "LDLogitBoost",
    "LDSVR",
    "LPP",
    "LabelFrequencies",
    "MLDF",
    "MLDFSuite",
    "MLFE",
    "MSLP",
    "MeanPredictor",
    "MultiOutputRF",
    "NDFLDL",
    "NPE",
    "PCA",
    "PTBayes",
    "PTSVM",
    "RFMLC45",
    "RFPCT",
    "RAkEL",
    "RaisedZeros",
    "SABFGS",
    "SAIIS",
    "Shrunk",
    "SingleLabelRF",
    "StructRF",
    "UniformPredictor",
]

#: What reaches beyond the models is imported at its first use.
_LATER = {"all_estimators": "ldlrepro.discovery", "compare": "ldlrepro.comparing"}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(_LATER[name]), name)
