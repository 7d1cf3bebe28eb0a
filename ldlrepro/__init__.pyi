"""Names of the package: `lazy_loader` reads them here and imports each at its first use."""

from . import datasets, errors, metrics, protocols, report
from .discovery import all_estimators
from .models.age._aas import AAS
from .models.age._d2ldl import D2LDL
from .models.age._iisaldl import IISALDL
from .models.age._larr import LARR
from .models.baselines._constant import MeanPredictor, UniformPredictor
from .models.baselines._raised_zeros import RaisedZeros
from .models.baselines._shrunk import Shrunk
from .models.boosting._aoso import AOSOLDLogitBoost
from .models.boosting._ldlogitboost import LDLogitBoost
from .models.deep._dldl import DLDL
from .models.deep._ldlf import DeepLDLForest
from .models.deep._ndf import DeepNDFLDL
from .models.embedding._cca import CCA
from .models.embedding._decoder import EmbeddingKNN
from .models.embedding._ldsvr import LDSVR
from .models.embedding._lpp import LPP
from .models.embedding._mslp import MSLP
from .models.embedding._npe import NPE
from .models.embedding._pca import PCA
from .models.ensemble._adaboost import AdaBoostLDL
from .models.ensemble._bagging import BaggingLDL
from .models.maxent._lcldl import LCLDL
from .models.maxent._ldllclr import LDLLCLR
from .models.maxent._ldlsf import LDLSF
from .models.maxent._sabfgs import SABFGS
from .models.maxent._saiis import SAIIS
from .models.multilabel._dbpnn import DBPNN
from .models.multilabel._ecc import ECC
from .models.multilabel._forests import ERFMLC45, ERFPCT, RFMLC45, RFPCT
from .models.multilabel._frequencies import LabelFrequencies
from .models.multilabel._mldf import MLDF, MLDFSuite
from .models.multilabel._mlfe import MLFE
from .models.multilabel._rakel import RAkEL
from .models.neighbors._aaknn import AAKNN
from .models.neural._aabp import AABP
from .models.neural._cpnn import CPNN
from .models.problem_transformation._ptbayes import PTBayes
from .models.problem_transformation._ptsvm import PTSVM
from .models.trees._ldlf import LDLForest
from .models.trees._multi_output_rf import MultiOutputRF
from .models.trees._ndf import NDFLDL
from .models.trees._single_label import SingleLabelRF
from .models.trees._structrf import StructRF
from .user.compare import compare

__version__: str

__all__ = [
    "AABP",
    "AAKNN",
    "AAS",
    "AOSOLDLogitBoost",
    "AdaBoostLDL",
    "BaggingLDL",
    "CCA",
    "CPNN",
    "D2LDL",
    "DBPNN",
    "DLDL",
    "DeepLDLForest",
    "DeepNDFLDL",
    "ECC",
    "ERFMLC45",
    "ERFPCT",
    "EmbeddingKNN",
    "IISALDL",
    "LARR",
    "LCLDL",
    "LDLForest",
    "LDLLCLR",
    "LDLSF",
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
    "RAkEL",
    "RFMLC45",
    "RFPCT",
    "RaisedZeros",
    "SABFGS",
    "SAIIS",
    "Shrunk",
    "SingleLabelRF",
    "StructRF",
    "UniformPredictor",
    "all_estimators",
    "compare",
    "datasets",
    "errors",
    "metrics",
    "protocols",
    "report",
]
