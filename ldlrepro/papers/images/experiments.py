"""Deep models of the LDLF paper on photographs: section 3, Figure 4, Table 3's form.

The paper's images (MORPH) and the weights that its networks start from are not to be had; the 2000
natural scenes are, with label distributions of two kinds. What is found here is found on other
data.
"""

from sklearn.base import clone

from ldlrepro import (
    DLDL,
    LDSVR,
    AOSOLDLogitBoost,
    DeepLDLForest,
    DeepNDFLDL,
    LDLogitBoost,
    MeanPredictor,
    StructRF,
    UniformPredictor,
)
from ldlrepro.declare import Experiment, Method, Paper, Study
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.papers.images.studies import images
from ldlrepro.papers.learners import AAKNN, CPNN, NDFLDL, SABFGS, SAIIS, LDLForest

SEEDS = (0, 1, 2)
KINDS = ("realigned", "rankings")
SIZE = 64
DATASETS = ("Natural_Scene",)  # the photographs are its rows

# One trunk and one budget for the three heads. Rate and epochs were seen on the validation rows of
# one fold of the re-aligned labels.
BUDGET = {"size": SIZE, "epochs": 30, "n_iter_no_change": 30, "learning_rate": 0.001,
          "device": "cpu"}  # fmt: skip
METHODS = (
    Method("DLDL", DLDL(**BUDGET)),
    Method("dLDLF", DeepLDLForest(**BUDGET)),
    Method("dNDF-LDL", DeepNDFLDL(**BUDGET)),
)
# The same folds on the 294 features of the same photographs.
_STOPPED = {"max_iter": 3000, "validation_fraction": 0.1, "n_iter_no_change": 5}
_RATES = {"scale": [None, "standard"], "learning_rate": [0.3, 3.0]}
SHALLOW = (
    Method("MeanPredictor", MeanPredictor()),
    Method("UniformPredictor", UniformPredictor()),
    Method("AA-kNN", AAKNN(), {"n_neighbors": [10, 20, 40, 80]}),
    Method("SA-IIS", SAIIS(), {"max_iter": [50, 100, 200]}),
    Method("SA-BFGS", SABFGS(), {"max_iter": [20, 50, 100, 300]}),
    Method("LDSVR", LDSVR(C=1)),
    Method("CPNN", CPNN(), {"max_iter": [10, 30, 100, 300]}),
    Method("StructRF", StructRF(), {"min_samples_split": [2, 5, 10, 20]}),
    Method("LDLogitBoost", LDLogitBoost()),
    Method("AOSO-LDLogitBoost", AOSOLDLogitBoost()),
    Method("sLDLF", LDLForest(**_STOPPED), _RATES),
    Method("sNDF-LDL", NDFLDL(**_STOPPED), _RATES),
)


def _name(what, labels, seed):
    return f"{what}_{labels}" if seed == 0 else f"{what}_{labels}_{seed}"


TABLES = tuple(
    Experiment(
        name=_name(what, labels, seed),
        methods=methods,
        datasets=DATASETS,
        seed=seed,
        measures=tuple(DISTRIBUTION),
        images={"size": size, "labels": labels},
    )
    for labels in KINDS
    for seed in SEEDS
    for what, methods, size in (("images", METHODS, SIZE), ("image_features", SHALLOW, None))
)

# The form of Table 3: six shares of the rows train, three hold-outs each. As many steps as above
# whatever the share is (the paper has one number of iterations), so more epochs where rows are few.
SHARES = (10, 20, 30, 40, 50, 60)


def _at(share):
    epochs = round(BUDGET["epochs"] * 90 / share)
    budget = BUDGET | {"epochs": epochs, "n_iter_no_change": epochs}
    return tuple(Method(m.name, clone(m.estimator).set_params(**budget)) for m in METHODS)


AT_SHARES = tuple(
    Experiment(
        name=f"{what}_share_{share}",
        methods=methods,
        datasets=DATASETS,
        folds=3,
        test_share=1 - share / 100,
        measures=tuple(DISTRIBUTION),
        images={"size": size, "labels": "realigned"},
    )
    for share in SHARES
    for what, methods, size in (("images", _at(share), SIZE), ("image_features", SHALLOW, None))
)

# Figure 4, half the budget, the rate chosen for each point on the validation rows: three hold-outs.
TREES = (1, 2, 5, 10, 20)
DEPTHS = (2, 3, 5, 7, 9, 11)
_HALF = BUDGET | {"epochs": 15}
_CHOSEN = {"learning_rate": [0.0003, 0.001, 0.003]}
FIGURE_4 = Experiment(
    name="images_figure_4",
    methods=(
        *(
            Method(
                f"{strategy}, {k} trees",
                forest(k, **_HALF),
                _CHOSEN,
                settings={"strategy": strategy, "trees": k},
            )
            for strategy, forest in (("dLDLF", DeepLDLForest), ("dNDF-LDL", DeepNDFLDL))
            for k in TREES
        ),
        *(
            # Section 4.4: one tree, tau = 2^(h - 1).
            Method(
                f"dLDLF, depth {h}",
                DeepLDLForest(1, depth=h, n_outputs=2 ** (h - 1), **_HALF),
                _CHOSEN,
                settings={"strategy": "dLDLF, one tree", "depth": h},
            )
            for h in DEPTHS
        ),
    ),
    datasets=DATASETS,
    folds=3,
    test_share=0.1,
    images={"size": SIZE, "labels": "realigned"},
)

PAPER = Paper(
    name="images",
    title="Label distribution learning forests on photographs",
    experiments=(*TABLES, FIGURE_4, *AT_SHARES),
    quick={"Natural_Scene": 60},
    studies=(Study("images", images.run, times=("seconds",)),),
)
