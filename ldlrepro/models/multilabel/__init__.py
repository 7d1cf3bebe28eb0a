"""Multi-label learners: MLDF, its forests, and what the paper compares them with."""

from ldlrepro.models.multilabel._averaged_folds import AveragedFolds
from ldlrepro.models.multilabel._base import MultiLabelEstimator
from ldlrepro.models.multilabel._confidence import better, log_confidence, measure_items
from ldlrepro.models.multilabel._cut import CUTS, CutAtCardinality
from ldlrepro.models.multilabel._mldf import best_layer, mean, reuse
from ldlrepro.models.multilabel._unscaled_dbpnn import UnscaledDBPNN

__all__ = [
    "CUTS",
    "AveragedFolds",
    "CutAtCardinality",
    "MultiLabelEstimator",
    "UnscaledDBPNN",
    "best_layer",
    "better",
    "log_confidence",
    "mean",
    "measure_items",
    "reuse",
]
