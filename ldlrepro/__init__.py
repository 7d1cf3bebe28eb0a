"""Five papers on label-distribution and multi-label learning, reproduced number by number."""

from ldlrepro.models.baselines._constant import MeanPredictor, UniformPredictor
from ldlrepro.models.baselines._raised_zeros import RaisedZeros
from ldlrepro.models.boosting._aoso import AOSOLDLogitBoost
from ldlrepro.models.boosting._ldlogitboost import LDLogitBoost
from ldlrepro.models.maxent._sabfgs import SABFGS
from ldlrepro.models.maxent._saiis import SAIIS
from ldlrepro.models.neighbors._aaknn import AAKNN
from ldlrepro.models.trees._multi_output_rf import MultiOutputRF
from ldlrepro.models.trees._single_label import SingleLabelRF
from ldlrepro.models.trees._structrf import StructRF

__version__ = "0.1.0"

__all__ = [
    "AAKNN",
    "AOSOLDLogitBoost",
    "LDLogitBoost",
    "MeanPredictor",
    "MultiOutputRF",
    "RaisedZeros",
    "SABFGS",
    "SAIIS",
    "SingleLabelRF",
    "StructRF",
    "UniformPredictor",
]
