"""Chen, Wang, Feng, Liu: Structured Random Forest for Label Distribution Learning (2018)."""

from ldlrepro import (
    SABFGS,
    SAIIS,
    MeanPredictor,
    SingleLabelRF,
    StructRF,
    UniformPredictor,
)
from ldlrepro.protocols.declare import Experiment, Method, Paper

#: Tables 4-18 in the paper's order. Human_Gene runs where its file can be fetched.
DATASETS = (
    "Yeast_alpha",
    "Yeast_cdc",
    "Yeast_elu",
    "Yeast_diau",
    "Yeast_heat",
    "Yeast_spo",
    "Yeast_cold",
    "Yeast_dtt",
    "Yeast_spo5",
    "Yeast_spoem",
    "Human_Gene",
    "Natural_Scene",
    "SJAFFE",
    "SBU_3DFE",
    "Movie",
)
MEASURES = ("chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection")

# Section 4.4 gives 50 trees, depth 20, 0.8 m rows, 200 and 300 steps. The smallest node that is
# split is not printed: it is chosen on the validation part.
_STRUCTRF_GRID = {"min_samples_split": [2, 5, 10, 20]}

TABLES = Experiment(
    name="tables",
    methods=(
        Method("RF", SingleLabelRF(), {"min_samples_split": [5, 20]}),
        Method("SA-IIS", SAIIS()),
        Method("SA-BFGS", SABFGS()),
        Method("StructRF", StructRF(), _STRUCTRF_GRID),
        Method("StructRF*", StructRF(step="adaptive"), _STRUCTRF_GRID),
        Method("MeanPredictor", MeanPredictor()),
        Method("UniformPredictor", UniformPredictor()),
    ),
    datasets=DATASETS,
)

PAPER = Paper(
    name="structrf",
    title="Structured Random Forest for Label Distribution Learning",
    experiments=(TABLES,),
    quick={"Yeast_spoem": 150, "SJAFFE": 120},
)
