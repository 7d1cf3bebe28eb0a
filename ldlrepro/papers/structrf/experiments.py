"""Chen, Wang, Feng, Liu: Structured Random Forest for Label Distribution Learning (2018)."""

from ldlrepro import (
    AOSOLDLogitBoost,
    LDLogitBoost,
    MeanPredictor,
    MultiOutputRF,
    RaisedZeros,
    SingleLabelRF,
    StructRF,
    UniformPredictor,
)
from ldlrepro.declare import Experiment, Method, Paper, Study, by_iterations, variant
from ldlrepro.models.maxent import PackageBFGS
from ldlrepro.papers.learners import SABFGS, SAIIS
from ldlrepro.papers.structrf.studies import adaptive_step, forests, gains

YEAST = (
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
)
#: Tables 4-18 in the paper's order. Human_Gene runs where its file can be fetched.
DATASETS = (*YEAST, "Human_Gene", "Natural_Scene", "SJAFFE", "SBU_3DFE", "Movie")
#: Tables of the paper that hold one data set each.
TABLE_OF = dict(zip(DATASETS, range(4, 19), strict=True))
TABLE_21 = ("Yeast_alpha", "Human_Gene", "Natural_Scene", "SJAFFE", "SBU_3DFE", "Movie")
MEASURES = ("chebyshev", "clark", "canberra", "kl_divergence", "cosine", "intersection")
MEASURES_19 = (
    "kl_divergence",
    "euclidean",
    "sorensen",
    "squared_chi2",
    "fidelity",
    "intersection",
)

# Section 4.4 gives 50 trees, depth 20, 0.8 m rows, 200 and 300 steps. The smallest node that is
# split is not printed: it is chosen on the validation part.
_FOREST_GRID = {"min_samples_split": [2, 5, 10, 20]}

TABLES = Experiment(
    name="tables",
    methods=(
        Method("RF", SingleLabelRF(), _FOREST_GRID),
        Method("SA-IIS", SAIIS()),
        Method("SA-BFGS", SABFGS()),
        Method("StructRF", StructRF(), _FOREST_GRID),
        Method("StructRF*", StructRF(step="adaptive"), _FOREST_GRID),
        Method("MeanPredictor", MeanPredictor()),
        Method("UniformPredictor", UniformPredictor()),
    ),
    datasets=DATASETS,
)

# Why SA-IIS and SA-BFGS differ from the printed numbers: steps, start, memory of the Hessian.
#: Steps of SA-IIS in the paper.
STEPS_OF_IIS = 200
_IIS_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_BFGS_STEPS = (5, 10, 20, 50, 100, 200, 300, 500, 1000, 2000, 3000)
_UP_TO_300 = tuple(k for k in _BFGS_STEPS if k <= 300)

ITERATIONS = Experiment(
    name="iterations",
    why="number of steps, start, memory of the Hessian",
    methods=(
        by_iterations("SA-IIS", SAIIS, _IIS_STEPS),
        by_iterations("SA-IIS", SAIIS, _IIS_STEPS, "random start", init="random"),
        by_iterations("SA-BFGS", SABFGS, _BFGS_STEPS),
        by_iterations("SA-BFGS", SABFGS, _BFGS_STEPS, "random start", init="random"),
        by_iterations("SA-BFGS", SABFGS, _UP_TO_300, "memory 100", memory=100),
    ),
    datasets=DATASETS,
)

# How small a node RF may split: the paper does not say. 20, the grid's edge, was chosen everywhere.
_NODE_SIZES = (2, 10, 30, 100, 200, 400)
NODE_SIZES = Experiment(
    name="node_sizes",
    why="smallest node that is split, features searched",
    methods=(
        *(
            variant("RF", f"nodes of {k} split", SingleLabelRF, min_samples_split=k)
            for k in _NODE_SIZES
        ),
        # Section 2.2.1 gives a tree a random subset of the features; it does not say how many.
        *(
            variant(
                "RF",
                f"sqrt(q) features, nodes of {k} split",
                SingleLabelRF,
                min_samples_split=k,
                max_features="sqrt",
            )
            for k in _NODE_SIZES
        ),
    ),
    datasets=DATASETS,
)

# Sizes between those above, and beyond the grid of the tables.
NODE_SIZES_BETWEEN = Experiment(
    name="node_sizes_between",
    why="smallest node that is split, sizes between",
    methods=tuple(
        variant("RF", f"nodes of {k} split", SingleLabelRF, min_samples_split=k)
        for k in (15, 20, 40, 50, 60, 80, 250, 300)
    ),
    datasets=DATASETS,
)

# The MATLAB package that came with Geng's paper of 2016: coefficients start with ones on the
# diagonal, and SA-BFGS keeps the whole inverse Hessian. It has 10 to 200 steps of SA-IIS.
PACKAGE = "the conventions of the first package"
FIRST_PACKAGE = Experiment(
    name="first_package",
    why=PACKAGE,
    methods=(
        by_iterations(
            "SA-IIS",
            SAIIS,
            (5, 8, 10, 20, 50, 100, 130, 150, 200),
            "identity start",
            init="identity",
        ),
        Method(
            "SA-BFGS, first package",
            PackageBFGS(path=(100, 200, 300, 400)),
            staged=(100, 200, 300, 400),
            settings={"learner": "SA-BFGS", "as_in": "first package"},
        ),
    ),
    datasets=DATASETS,
)

# How much of RF's K-L is the bound on degrees that no tree votes for.
_FLOORS = (1e-6, 1e-4, 1e-3, 1e-2, 2e-2)


def zeros_raised(learner, estimator):
    """Return the Method that raises a learner's zeros to each of some floors."""
    raised = RaisedZeros(estimator, floors=_FLOORS)
    return Method(learner, raised, staged=_FLOORS, settings={"learner": learner})


RAISED_ZEROS = Experiment(
    name="raised_zeros",
    why="degrees that no tree votes for",
    methods=(zeros_raised("RF", SingleLabelRF(min_samples_split=20)),),
    datasets=DATASETS,
)

# Table 19, and where boosting is better on the other sets. Both stop early on rows held out of
# the training part.
BOOSTING = Experiment(
    name="boosting",
    methods=(
        Method("AOSO-LDLogitBoost", AOSOLDLogitBoost()),
        Method("LDLogitBoost", LDLogitBoost()),
    ),
    datasets=DATASETS,
)

# Why the boosting methods differ from the printed numbers: rounds and size of the trees.
BOOSTING_ROUNDS = Experiment(
    name="boosting_rounds",
    why="rounds and leaves of a tree",
    methods=tuple(
        Method(
            f"{name}, {leaves} leaves",
            method(500, max_leaf_nodes=leaves, n_iter_no_change=None),
            staged=(10, 25, 50, 100, 150, 200, 300, 400, 500),
            settings={"learner": name, "max_leaf_nodes": leaves},
        )
        for name, method in (
            ("AOSO-LDLogitBoost", AOSOLDLogitBoost),
            ("LDLogitBoost", LDLogitBoost),
        )
        for leaves in (2, 4, 8, 20)
    ),
    datasets=("Movie",),
)

# What the clustering adds: the same forests split by the variance of D, and feature subsets.
CRITERIA = Experiment(
    name="criteria",
    methods=(
        variant("StructRF", "sqrt(q) features", StructRF, _FOREST_GRID, max_features="sqrt"),
        variant("RF on D", "sqrt(q) features", MultiOutputRF, _FOREST_GRID, max_features="sqrt"),
        Method("RF on D", MultiOutputRF(), _FOREST_GRID, settings={"learner": "RF on D"}),
    ),
    datasets=DATASETS,
)

DEPTHS = (2, 5, 10, 15, 20, 25)
RATIOS = (0.2, 0.4, 0.6, 0.8, 1.0)
TREES = (10, 20, 50, 100)

FIGURE_4 = Experiment(
    name="figure_4",
    methods=tuple(
        Method(
            f"{trees} trees, ratio {ratio}, depth {depth}",
            StructRF(trees, sampling_ratio=ratio, max_depth=depth),
            settings={"trees": trees, "ratio": ratio, "depth": depth},
        )
        for depth in DEPTHS
        for trees, ratio in (*((20, r) for r in RATIOS), *((t, 0.8) for t in TREES if t != 20))
    ),
    datasets=("SBU_3DFE",),
)

# Table 3. Run with one process and nothing beside it: the seconds are the result.
TIMES = Experiment(
    name="times",
    methods=(
        Method("SA-IIS", SAIIS(tol=0.0)),
        Method("SA-BFGS", SABFGS()),
        Method("RF", SingleLabelRF()),
        Method("RF*", SingleLabelRF(step="adaptive")),
        Method("StructRF", StructRF()),
        Method("StructRF*", StructRF(step="adaptive")),
    ),
    datasets=TABLE_21,
)

PAPER = Paper(
    name="structrf",
    title="Structured Random Forest for Label Distribution Learning",
    experiments=(
        TABLES,
        ITERATIONS,
        NODE_SIZES,
        NODE_SIZES_BETWEEN,
        FIRST_PACKAGE,
        RAISED_ZEROS,
        BOOSTING,
        BOOSTING_ROUNDS,
        CRITERIA,
        FIGURE_4,
        TIMES,
    ),
    quick={"Yeast_spoem": 150, "SJAFFE": 120},
    studies=(
        Study("adaptive_step", adaptive_step.run, times=("milliseconds",)),
        Study("forests", forests.run, times=("fit_seconds", "predict_seconds")),
        Study("gains", gains.run),
    ),
    tables={
        "3": (("times",), ()),
        **{str(number): (("tables",), (name,)) for name, number in TABLE_OF.items()},
        "19": (("tables", "boosting"), ("Movie",)),
        "20": (("adaptive_step",), ()),
        "21": (("tables",), TABLE_21),
        "figure 4": (("figure_4",), ()),
        "figure 5": (("adaptive_step",), ()),
        "figure 6": (("adaptive_step",), ()),
    },
)
