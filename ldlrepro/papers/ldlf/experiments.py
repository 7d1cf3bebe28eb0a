"""Shen, Zhao, Guo, Yuille: Label Distribution Learning Forests (NIPS 2017)."""

from dataclasses import replace

from ldlrepro import LDSVR, MeanPredictor, StructRF
from ldlrepro.declare import Experiment, Method, Paper, Study
from ldlrepro.models.trees import ReleasedLDLForest
from ldlrepro.papers.ldlf.age import experiments as age
from ldlrepro.papers.ldlf.studies import leaf_updates, modes, widths
from ldlrepro.papers.learners import AAKNN, NDFLDL, SABFGS, LDLForest
from ldlrepro.papers.structrf import experiments as structrf

#: Table 1, and the other sets of the StructRF chapter, whose records of the rivals are used.
TABLE_1 = ("Movie", "Human_Gene", "Natural_Scene")
DATASETS = (*TABLE_1, *(d for d in structrf.DATASETS if d not in TABLE_1))
MEASURES = structrf.MEASURES_19
#: Rivals from the StructRF chapter: the same folds, chosen and fitted in the same way.
RIVALS = {
    "AOSO-LDLogitBoost": "boosting",
    "LDLogitBoost": "boosting",
    "SA-BFGS": "tables",
    "SA-IIS": "tables",
    "StructRF": "tables",
    "MeanPredictor": "tables",
    "UniformPredictor": "tables",
}

# Section 4 prints 25000 iterations; on a clean split the lowest loss comes long before, so a part
# of the training rows stops them. The rate is not printed and features differ in scale by set:
# both are chosen on the validation part.
STOPPED_EARLY = {"max_iter": 3000, "validation_fraction": 0.1, "n_iter_no_change": 5}
RATE_GRID = {"scale": [None, "standard"], "learning_rate": [0.3, 3.0]}

TABLES = Experiment(
    name="tables",
    methods=(
        Method("sLDLF", LDLForest(**STOPPED_EARLY), RATE_GRID, settings={"learner": "sLDLF"}),
        Method("LDSVR", LDSVR(C=1)),  # a fit on Movie takes most of a minute: nothing is chosen
    ),
    datasets=DATASETS,
)

# What the protocol does. The released script draws rows with replacement before it folds them, and
# keeps the lowest test K-L over the iterations.
PROTOCOL_SETS = ("Movie", "Natural_Scene", "SJAFFE", "SBU_3DFE", "Yeast_alpha")
# The script runs 2000 iterations on Movie, 3000 on its other sets.
_PATH = (100, 200, 300, 500, 700, 1000, 1500, 2000)
_BFGS_STEPS = (5, 10, 20, 50, 100, 200, 300)
_PROTOCOL_METHODS = (
    Method(
        # The released script's trees and rate, the rate for another gradient than the script's.
        "sLDLF, rate 100",
        LDLForest(10, depth=5, n_outputs=512, learning_rate=100.0, max_iter=2000, path=_PATH),
        staged=_PATH,
        settings={"learner": "sLDLF", "learning_rate": 100.0},
    ),
    Method(
        "sLDLF, section 4",
        LDLForest(learning_rate=3.0, max_iter=2000, path=_PATH),
        staged=_PATH,
        settings={"learner": "sLDLF", "as_in": "section 4"},
    ),
    Method(
        "sLDLF, section 4, features scaled",
        LDLForest(learning_rate=0.3, scale="standard", max_iter=2000, path=_PATH),
        staged=_PATH,
        settings={"learner": "sLDLF", "as_in": "section 4", "scale": "standard"},
    ),
    Method("SA-BFGS", SABFGS(300, path=_BFGS_STEPS), staged=_BFGS_STEPS),
    Method("StructRF", StructRF()),
    Method("1-nearest-neighbour", AAKNN(1)),
    Method("MeanPredictor", MeanPredictor()),
)
CLEAN = Experiment(
    name="distinct_rows",
    why="iterations and settings, on a clean split",
    methods=_PROTOCOL_METHODS,
    datasets=PROTOCOL_SETS,
)
# On a clean split the stopped sLDLF is that of Table 1.
STOPPED = "sLDLF, stopped on validation rows"
DRAWN = Experiment(
    name="drawn_rows",
    why="duplicated rows: drawn with replacement before the folds",
    methods=(
        *_PROTOCOL_METHODS,
        Method(
            STOPPED,
            LDLForest(**STOPPED_EARLY),
            RATE_GRID,
            settings={"learner": "sLDLF", "validation_fraction": 0.1},
        ),
    ),
    datasets=PROTOCOL_SETS,
    replacement=True,
)

# The released script as it is, with the step of either of its layers: its iterations by data set,
# on a clean split and on rows drawn as it draws them.
LAYERS = {"gpu": "the layer for graphics cards", "cpu": "the layer for CPUs"}
SCRIPT_ITERATIONS = {"Movie": 2000, "Natural_Scene": 3000}


def _script(layer, iterations):
    path = tuple(range(50, iterations + 1, 50))
    return Method(
        f"sLDLF, released script, {LAYERS[layer]}",
        ReleasedLDLForest(layer, max_iter=iterations, path=path),
        staged=path,
        settings={"learner": "sLDLF", "as_in": "released script", "layer": layer},
    )


SCRIPT = tuple(
    Experiment(
        name=f"script_{dataset.lower()}_{'drawn' if drawn else 'distinct'}",
        why="the released script as it is, "
        + ("with duplicated rows" if drawn else "on a clean split"),
        methods=tuple(_script(layer, iterations) for layer in LAYERS),
        datasets=(dataset,),
        replacement=drawn,
        quick=False,
    )
    for dataset, iterations in SCRIPT_ITERATIONS.items()
    for drawn in (True, False)
)

# Figure 4, on five folds.
TREES = (1, 2, 5, 10, 20, 50, 100)
DEPTHS = (2, 3, 5, 7, 9, 11)
_FIGURE = {"learning_rate": 3.0, "max_iter": 1000}
FIGURE_4 = Experiment(
    name="figure_4",
    methods=(
        *(
            Method(
                f"{strategy}, {k} trees",
                forest(k, **_FIGURE),
                settings={"strategy": strategy, "trees": k},
            )
            for strategy, forest in (("sLDLF", LDLForest), ("sNDF-LDL", NDFLDL))
            for k in TREES
        ),
        Method(
            "sNDF-LDL, each its own iterations",
            NDFLDL(TREES[-2], shared_budget=False, **_FIGURE),
            staged=TREES[:-1],
            settings={"strategy": "sNDF-LDL, each its own iterations"},
        ),
        *(
            # Section 4.4: one tree, tau = 2^(h - 1).
            Method(
                f"sLDLF, depth {h}",
                LDLForest(1, depth=h, n_outputs=2 ** (h - 1), **_FIGURE),
                settings={"strategy": "sLDLF, one tree", "depth": h},
            )
            for h in DEPTHS
        ),
    ),
    datasets=("Movie",),
    folds=5,
)

# At one rate more trees learn more slowly: the rate chosen for each number, on both kinds of rows.
_CHOSEN = {"learning_rate": [1.0, 3.0, 10.0, 30.0, 100.0]}
_CHOSEN_FOR_TREES = tuple(
    Method(
        f"{strategy}, {k} trees, rate chosen",
        forest(k, max_iter=_FIGURE["max_iter"]),
        _CHOSEN,
        settings={"strategy": f"{strategy}, rate chosen", "trees": k},
    )
    for strategy, forest in (("sLDLF", LDLForest), ("sNDF-LDL", NDFLDL))
    for k in (1, 5, 20, 100)
)
RATES = Experiment(name="figure_4_rates", methods=_CHOSEN_FOR_TREES, datasets=("Movie",), folds=5)
RATES_DRAWN = replace(RATES, name="figure_4_rates_drawn", replacement=True)

# As deep as the paper's Figure 4(b): one hold-out, for a fit of depth 15 takes ten minutes, each
# level more over twice that, and depth 18 some 6 GiB.
DEEP = Experiment(
    name="figure_4_deep",
    methods=tuple(
        Method(
            f"sLDLF, depth {h}",
            LDLForest(1, depth=h, n_outputs=2 ** (h - 1), memory_limit=16.0, **_FIGURE),
            settings={"strategy": "sLDLF, one tree", "depth": h},
        )
        for h in (2, 5, 7, 9, 11, 13, 15, 16, 18)
    ),
    datasets=("Movie",),
    folds=1,
    test_share=0.2,
    quick=False,
)

PAPER = Paper(
    name="ldlf",
    title="Label Distribution Learning Forests",
    experiments=(TABLES, CLEAN, DRAWN, *SCRIPT, FIGURE_4, RATES, RATES_DRAWN, DEEP)
    + age.EXPERIMENTS,
    studies=(
        Study("leaf_updates", leaf_updates.run),
        Study("age_widths", widths.run),
        Study("modes", modes.run),
    ),
    quick={"SJAFFE": 90},
    tables={
        "1": (("tables",), TABLE_1),
        "2": (("age_morph",), ()),
        "3": (tuple(e.name for e in age.MORPH_SHARES), ()),
        "FG-Net": (("age_persons", "age_rows", "age_shares"), ()),
        "figure 4": (("figure_4", "figure_4_rates", "figure_4_rates_drawn", "figure_4_deep"), ()),
    },
)
