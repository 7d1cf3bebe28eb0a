"""Peng, Tao, Geng: Label Embedding Based on Multi-Scale Locality Preservation (IJCAI 2018)."""

from ldlrepro import (
    AABP,
    AAKNN,
    CCA,
    CPNN,
    LDSVR,
    LPP,
    MSLP,
    NPE,
    PCA,
    PTSVM,
    SABFGS,
    SAIIS,
    EmbeddingKNN,
    MeanPredictor,
    PTBayes,
    UniformPredictor,
)
from ldlrepro.protocols.declare import Experiment, Method, Paper

#: Tables 1-3 in the paper's order.
DATASETS = ("SJAFFE", "SBU_3DFE", "SCUT_FBP", "M2B", "Natural_Scene")
TABLE_OF = {"SJAFFE": 1, "SBU_3DFE": 1, "SCUT_FBP": 2, "M2B": 2, "Natural_Scene": 3}
MEASURES = ("chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection")

# Grids of section 3.1.
_NEIGHBORS = {"n_neighbors": [5, 10, 15]}
_RATIOS = [round(0.1 * tenths, 1) for tenths in range(1, 11)]
_MSLP_GRID = _NEIGHBORS | {
    "k_plus": [5, 10],
    "alpha": [5, 10],
    "beta": [0, 0.1, 0.5],
    "lambda_": [0, 0.01, 0.1],
    "ratio": _RATIOS,
}
# "Allowed to be extended to their kernel version". The paper does not say whether principal
# components come before LPP and NPE; with fewer rows than features CCA needs them as well.
_PCA_GRID = _NEIGHBORS | {"transformer__ratio": _RATIOS, "transformer__kernel": ["linear", "rbf"]}
_CCA_GRID = _PCA_GRID | {"transformer__variance": [0.98, 1.0]}
_GRAPH_GRID = _CCA_GRID | {"transformer__n_neighbors": [5, 10, 15]}

# Not printed: prices, tubes, steps and floors are chosen on the validation part.
_NET_STEPS = {"max_iter": [3, 10, 30, 100]}

TABLES = Experiment(
    name="tables",
    methods=(
        Method("CPNN", CPNN(), _NET_STEPS),
        Method("LDSVR", LDSVR(), {"C": [0.1, 1, 10, 100], "floor": [0.001, 0.01]}),
        Method("BFGS-LDL", SABFGS()),
        Method("IIS-LDL", SAIIS()),
        Method("AA-BP", AABP(), {"epochs": [10, 30, 100], "learning_rate": [0.001, 0.003]}),
        Method("AA-KNN", AAKNN(), _NEIGHBORS),
        Method("PT-SVM", PTSVM(), {"C": [0.1, 1, 10]}),
        Method("PT-Bayes", PTBayes(), {"variance_floor": [1e-9, 1e-3, 0.1, 1, 10, 100]}),
        Method("LPP", EmbeddingKNN(LPP()), _GRAPH_GRID),
        Method("NPE", EmbeddingKNN(NPE()), _GRAPH_GRID),
        Method("PCA", EmbeddingKNN(PCA()), _PCA_GRID),
        Method("CCA", EmbeddingKNN(CCA()), _CCA_GRID),
        Method("MSLP", MSLP(), _MSLP_GRID),
        Method("MeanPredictor", MeanPredictor()),
        Method("UniformPredictor", UniformPredictor()),
    ),
    datasets=DATASETS,
)

# What each term of Eq. 8 adds, and how far its constraint alone goes: whitened components are the
# limit of a large lambda, but for the weights D+ and the mean.
TERMS = Experiment(
    name="terms",
    methods=(
        Method("MSLP, attraction only", MSLP(beta=1.0), _MSLP_GRID | {"beta": [1.0]}),
        Method("MSLP, hetero-neighbours only", MSLP(beta=0), _MSLP_GRID | {"beta": [0]}),
        Method("MSLP, no penalty", MSLP(lambda_=0), _MSLP_GRID | {"lambda_": [0]}),
        Method(
            "PCA, whitened",
            EmbeddingKNN(PCA(whiten=True)),
            _NEIGHBORS | {"transformer__ratio": _RATIOS},
        ),
        Method("CPNN, one input a label", CPNN(encoding="one_hot"), _NET_STEPS),
    ),
    datasets=DATASETS,
)

PAPER = Paper(
    name="mslp",
    title="Label Embedding Based on Multi-Scale Locality Preservation",
    experiments=(TABLES, TERMS),
    quick={"SJAFFE": 120, "M2B": 150},
    tables={
        str(number): (("tables",), tuple(d for d in DATASETS if TABLE_OF[d] == number))
        for number in (1, 2, 3)
    },
)
