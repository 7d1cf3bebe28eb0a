"""Peng, Tao, Geng: Label Embedding Based on Multi-Scale Locality Preservation (IJCAI 2018)."""

from dataclasses import replace

from ldlrepro import CCA, LDSVR, LPP, NPE, PCA, MeanPredictor, UniformPredictor
from ldlrepro.declare import Experiment, Method, Paper, Study, by_iterations, variant
from ldlrepro.models.embedding import PackageLDSVR
from ldlrepro.models.maxent import PackageBFGS
from ldlrepro.models.neural import PackageCPNN
from ldlrepro.models.problem_transformation import ColumnsAsDrawn, PackagePTBayes, PackagePTSVM
from ldlrepro.papers.learners import (
    AABP,
    AAKNN,
    CPNN,
    MSLP,
    PTSVM,
    SABFGS,
    SAIIS,
    EmbeddingKNN,
    PTBayes,
)
from ldlrepro.papers.mslp.studies import embedding, faces, features, toys
from ldlrepro.papers.structrf.experiments import PACKAGE

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


def _variant(what, **fixed):
    """MSLP with parameters that nothing is chosen from; ``what`` says so in the name."""
    grid = _MSLP_GRID | {name: [value] for name, value in fixed.items()}
    return variant("MSLP", what, MSLP, grid, **fixed)


def _whole_cca(what, kernels, **settings):
    grid = _PCA_GRID | {"transformer__variance": [1.0], "transformer__kernel": kernels}
    settings = {"learner": "CCA", "variance": 1.0, **settings}
    return Method(f"CCA, {what}", EmbeddingKNN(CCA()), grid, settings=settings)


# What each term of Eq. 8 adds, and how far its constraint alone goes: whitened components are the
# limit of a large lambda, but for the weights D+ and the mean.
TERMS = Experiment(
    name="terms",
    why="one part changed: terms of Eq. 8, components before CCA, whitening, the input of CPNN",
    methods=(
        _variant("attraction only", beta=1.0),
        _variant("hetero-neighbours only", beta=0),
        # With alpha k+ above the number of rows Eq. 5 is Eq. 3.
        _variant("neighbours among all rows", alpha=1e9),
        _variant("no penalty", lambda_=0),
        Method(
            "PCA, whitened",
            EmbeddingKNN(PCA(whiten=True)),
            _NEIGHBORS | {"transformer__ratio": _RATIOS},
            settings={"learner": "PCA", "whiten": True},
        ),
        # Every fold of s-JAFFE chose components before CCA, of which the paper says nothing.
        _whole_cca("all components", ["linear", "rbf"]),
        _whole_cca("all components, linear", ["linear"], kernel="linear"),
        variant("CPNN", "one input a label", CPNN, _NET_STEPS, encoding="one_hot"),
    ),
    datasets=DATASETS,
)

# The same grids, each point fitted on all training rows and the lowest test K-L of a fold kept: how
# far choosing on the test folds would carry every method.
BEST_ON_TEST = Experiment(
    name="best_on_test",
    why="every parameter chosen on the test folds",
    methods=tuple(m for m in TABLES.methods if m.grid),
    datasets=DATASETS,
    chosen_on="test",
)


# Why the methods without a printed grid differ: settings that the paper does not give.
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
SETTINGS = Experiment(
    name="settings",
    why="settings that the paper does not give",
    methods=(
        *(variant("CPNN", f"{k} steps", CPNN, max_iter=k) for k in (1, 3, 10, 30, 100, 300)),
        *(variant("LDSVR", f"C = {C:g}", LDSVR, C=C) for C in (0.01, 0.1, 1, 10, 100)),
        by_iterations("BFGS-LDL", SABFGS, _STEPS),
        by_iterations("IIS-LDL", SAIIS, _STEPS),
        by_iterations("IIS-LDL", SAIIS, _STEPS, "random start", init="random"),
        *(variant("AA-BP", f"{k} epochs", AABP, epochs=k) for k in (1, 3, 10, 30, 100, 300)),
        *(variant("PT-SVM", f"C = {C:g}", PTSVM, C=C) for C in (0.1, 1, 10, 100)),
        *(
            variant("PT-Bayes", f"variances from {v:g}", PTBayes, variance_floor=v)
            for v in (1e-9, 1e-6, 1e-3, 0.1, 1, 10)
        ),
    ),
    datasets=DATASETS,
)


# The MATLAB package that came with Geng's paper of 2016, by the group of this one.
def _package(learner, model, what="first package", **settings):
    settings = {"learner": learner, "as_in": "first package", **settings}
    return Method(f"{learner}, {what}", model, settings=settings)


_PACKAGE_STEPS = (100, 200, 300, 400)
FIRST_PACKAGE = Experiment(
    name="first_package",
    why=PACKAGE,
    methods=(
        by_iterations(
            "IIS-LDL", SAIIS, (5, 8, 10, 20, 50, 100, 200), "identity start", init="identity"
        ),
        replace(
            _package("BFGS-LDL", PackageBFGS(path=_PACKAGE_STEPS)),
            staged=_PACKAGE_STEPS,
        ),
        _package("CPNN", PackageCPNN()),
        _package("LDSVR", PackageLDSVR()),
        _package("PT-Bayes", PackagePTBayes()),
        *(
            _package(
                "PT-SVM",
                PackagePTSVM(columns, width_by=width),
                f"first package, columns as {order}, width by {width}",
                columns=columns,
                width_by=width,
            )
            for columns, order in (("drawn", "drawn"), ("labels", "labels"))
            for width in ("features", "distance")
        ),
    ),
    datasets=DATASETS,
    without=(
        ("PT-Bayes, first package", "SCUT_FBP", "covariances are not positive definite even so"),
    ),
)

# What the order of PT-SVM's columns alone does to the training mean: it needs no features, so it
# tells whether the distributions of a set are the paper's.
MEAN_AS_DRAWN = Experiment(
    name="mean_as_drawn",
    methods=(
        Method(
            "MeanPredictor, columns as drawn",
            ColumnsAsDrawn(MeanPredictor()),
            settings={"learner": "MeanPredictor", "as_in": "first package"},
        ),
    ),
    datasets=DATASETS,
)

# What beta, lambda and u do, the rest fixed.
BETAS = (0, 0.1, 0.25, 0.5, 0.75, 1)
LAMBDAS = (0, 1e-4, 1e-3, 0.01, 0.1, 1)


def _fixed(beta=0.1, lambda_=0.01, ratio=0.1):
    settings = {"beta": beta, "lambda_": lambda_, "ratio": ratio}
    model = MSLP(5, alpha=5, n_neighbors=10, **settings)
    return Method(f"beta {beta:g}, lambda {lambda_:g}, u {ratio:g}", model, settings=settings)


SENSITIVITY = Experiment(
    name="sensitivity",
    methods=tuple(
        {
            method.name: method
            for method in (
                *(_fixed(beta=b, lambda_=v) for b in BETAS for v in (0, 0.01)),
                *(_fixed(lambda_=v) for v in LAMBDAS),
                *(_fixed(ratio=u, lambda_=v) for u in _RATIOS for v in (0, 0.01, 0.1)),
            )
        }.values()
    ),
    datasets=DATASETS,
)

PAPER = Paper(
    name="mslp",
    title="Label Embedding Based on Multi-Scale Locality Preservation",
    experiments=(TABLES, TERMS, BEST_ON_TEST, SETTINGS, FIRST_PACKAGE, MEAN_AS_DRAWN, SENSITIVITY),
    quick={"SJAFFE": 90},
    studies=(
        Study("embedding", embedding.run),
        Study("faces", faces.run),
        Study("features", features.run),
        Study("toys", toys.run),
    ),
    tables={
        **{
            str(number): (("tables",), tuple(d for d in DATASETS if TABLE_OF[d] == number))
            for number in (1, 2, 3)
        },
        "figure 7": (("embedding", "faces"), ()),
    },
)
