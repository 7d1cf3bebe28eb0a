"""Chen, Wang, Feng, Liu: Structured Random Forest for Label Distribution Learning (2018)."""

from ldlrepro import (
    SABFGS,
    SAIIS,
    MeanPredictor,
    RaisedZeros,
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
#: Tables of the paper that hold one data set each.
TABLE_OF = dict(zip(DATASETS, range(4, 19), strict=True))
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

# Why SA-IIS and SA-BFGS differ from the printed numbers: steps, start, memory of the Hessian.
_IIS_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_BFGS_STEPS = (5, 10, 20, 50, 100, 200, 300, 500, 1000, 2000, 3000)
_UP_TO_300 = tuple(k for k in _BFGS_STEPS if k <= 300)

ITERATIONS = Experiment(
    name="iterations",
    methods=(
        Method("SA-IIS", SAIIS(1000, path=_IIS_STEPS), staged=True),
        Method("SA-IIS, random start", SAIIS(1000, init="random", path=_IIS_STEPS), staged=True),
        Method("SA-BFGS", SABFGS(3000, path=_BFGS_STEPS), staged=True),
        Method("SA-BFGS, random start", SABFGS(3000, init="random", path=_BFGS_STEPS), staged=True),
        Method("SA-BFGS, memory 100", SABFGS(memory=100, path=_UP_TO_300), staged=True),
    ),
    datasets=DATASETS,
)

# How small a node RF may split: the paper does not say.
NODE_SIZES = Experiment(
    name="node_sizes",
    methods=tuple(
        Method(f"RF, nodes of {k} split", SingleLabelRF(min_samples_split=k))
        for k in (2, 10, 30, 100)
    ),
    datasets=tuple(d for d in DATASETS if d not in ("Human_Gene", "Natural_Scene", "Movie")),
)

# How much of RF's K-L is the bound on degrees that no tree votes for.
RAISED_ZEROS = Experiment(
    name="raised_zeros",
    methods=(
        Method(
            "RF",
            RaisedZeros(SingleLabelRF(min_samples_split=20), floors=(1e-6, 1e-4, 1e-3, 1e-2, 2e-2)),
            staged=True,
        ),
    ),
    datasets=DATASETS,
)

PAPER = Paper(
    name="structrf",
    title="Structured Random Forest for Label Distribution Learning",
    experiments=(TABLES, ITERATIONS, NODE_SIZES, RAISED_ZEROS),
    quick={"Yeast_spoem": 150, "SJAFFE": 120},
)
