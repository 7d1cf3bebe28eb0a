"""Yang, Wu, Jiang, Zhou: Multi-Label Learning with Deep Forest (ECAI 2020)."""

from ldlrepro import DBPNN, ECC, MLFE, RFPCT, LabelFrequencies, MLDFSuite, RAkEL
from ldlrepro.declare import Experiment, Method, Paper, Study, variant
from ldlrepro.metrics import MULTILABEL
from ldlrepro.models.multilabel import CUTS, AveragedFolds, CutAtCardinality, UnscaledDBPNN
from ldlrepro.papers.mldf.studies import depth, label_drop, layers, one_layer, thresholds, ties

#: Tables 4 and 5 in the paper's order.
SMALL = ("CAL500", "enron", "image", "scene", "yeast")
LARGE = ("corel16k001", "corel16k002", "eurlex-sm", "mediamill")
MEASURES = tuple(MULTILABEL)
# Section 4.1: half of the rows train, half are tested; section 4.2: ten times.
_HALVES = {"test_share": 0.5, "measures": MEASURES}
#: Of Table 4, in its order: the paper's own method and its rivals.
METHODS = ("MLDF", "RF-PCT", "DBPNN", "MLFE", "ECC", "RAKEL")
RIVALS = METHODS[1:]
#: Published name of MLDF on the other block (Table 5).
C45 = "MLDF, C4.5"
NO_REUSE = "MLDF, no reuse"
DEEP = "MLDF, no reuse, deep trees"
MORE_TREES = "RF-PCT, 500 trees"
#: Rows of the tables: those of the paper's, then others.
ORDER = (*METHODS, C45, NO_REUSE, DEEP, MORE_TREES, "RF-PCT, depth 3", "Label frequencies")
#: Sets of Figure 2.
FIGURE_2 = ("CAL500", "yeast", "corel16k001", "corel16k002")


def _mldf(name, **settings):
    """MLDF with settings. A suite yields the scores of six, one for each measure: the stage."""
    settings_of_record = {"learner": "MLDF", **settings}
    return Method(name, MLDFSuite(**settings), staged=MEASURES, settings=settings_of_record)


TABLES = Experiment(
    name="tables",
    methods=(
        _mldf("MLDF"),
        Method("RF-PCT", RFPCT(), settings={"learner": "RF-PCT"}),
        # 100 in each of five folds?
        Method(MORE_TREES, RFPCT(500), settings={"learner": "RF-PCT", "trees": 500}),
        # As deep as MLDF's first layer.
        Method("RF-PCT, depth 3", RFPCT(max_depth=3), settings={"learner": "RF-PCT", "depth": 3}),
        Method("DBPNN", DBPNN(), settings={"learner": "DBPNN"}),
        variant("DBPNN", "fine-tuned", DBPNN, fine_tune=True),
        Method("MLFE", MLFE()),
        Method("ECC", ECC()),
        Method("RAKEL", RAkEL()),
        Method("Label frequencies", LabelFrequencies()),
        _mldf(NO_REUSE, reuse=False),
        # Trees hardly bounded: thirty more levels a layer in place of three.
        _mldf(DEEP, reuse=False, more_depth=30),
    ),
    datasets=SMALL,
    **_HALVES,
)

TABLE_5 = Experiment(name="table_5", methods=(_mldf(C45, block="c45"),), datasets=SMALL, **_HALVES)

# One split, which is what fits.
TABLES_LARGE = Experiment(
    name="tables_large", methods=TABLES.methods, datasets=LARGE, folds=1, **_HALVES
)

# The rows of `image` with their own labels: what the defect of the published file costs.
PUT_RIGHT = Experiment(
    name="image_put_right",
    methods=tuple(m for m in TABLES.methods if m.name in METHODS),
    datasets=("image",),
    folds=5,
    source="realigned",
    **_HALVES,
)


# Where scores are cut into labels, and how chains vote: hamming loss looks at nothing else.
def _cut(learner, what, model, **settings):
    return Method(
        f"{learner}{what}",
        CutAtCardinality(model(**settings)),
        staged=CUTS,
        settings={"learner": learner, **settings},
    )


CUT = Experiment(
    name="cuts",
    why="threshold by the training cardinality, hard votes",
    methods=(
        _cut("ECC", "", ECC),
        _cut("ECC", ", hard votes", ECC, voting="hard"),
        _cut("DBPNN", "", DBPNN),
        _cut("DBPNN", ", fine-tuned", DBPNN, fine_tune=True),
    ),
    datasets=SMALL,
    **_HALVES,
)

# Readings of reuse: trees hardly bounded, from the second layer on, and with two more rules of
# released code: confidences of unsorted scores, layers that must gain more than 1e-4. Its other
# logic, as which scores a layer hands on, is not followed.
_RULES = {"reuse_from": 2, "sort_scores": False, "min_gain": 1e-4}
REUSE = Experiment(
    name="reuse",
    why="readings of reuse, deep trees",
    methods=(
        _mldf("MLDF, deep trees", more_depth=30),
        _mldf("MLDF, reuse from layer 2", reuse_from=2),
        _mldf("MLDF, rules of released code", **_RULES),
        _mldf("MLDF, rules of released code, deep trees", more_depth=30, **_RULES),
    ),
    datasets=SMALL,
    **_HALVES,
)

# "For fairness, all methods use the 5-fold cross-validation" (section 4.2): a forest for each fold,
# averaged, would be one reading.
FOLDED = Experiment(
    name="folded",
    why="a forest for each of five folds",
    methods=(
        Method(
            "RF-PCT, a forest for each fold",
            AveragedFolds(RFPCT(), n_folds=5),
            settings={"learner": "RF-PCT", "n_folds": 5},
        ),
    ),
    datasets=SMALL,
    **_HALVES,
)

# Nets that hardly learn: units that features as they are saturate, and few epochs.
NETS = Experiment(
    name="nets",
    why="features as they are, four epochs",
    methods=(
        Method(
            "DBPNN, features as they are",
            UnscaledDBPNN(),
            settings={"learner": "DBPNN", "scaled": False},
        ),
        Method(
            "DBPNN, fine-tuned, features as they are, four epochs",
            UnscaledDBPNN(fine_tune=True, epochs=4),
            settings={"learner": "DBPNN", "fine_tune": True, "scaled": False, "epochs": 4},
        ),
    ),
    datasets=SMALL,
    **_HALVES,
)

PAPER = Paper(
    name="mldf",
    title="Multi-Label Learning with Deep Forest",
    experiments=(TABLES, TABLE_5, PUT_RIGHT, TABLES_LARGE, CUT, FOLDED, REUSE, NETS),
    quick={"scene": 90},
    null="Label frequencies",
    studies=(
        Study("layers", layers.run),
        Study("label_drop", label_drop.run),
        Study("ties", ties.run),
        Study("thresholds", thresholds.run),
        Study("depth", depth.run),
        Study("one_layer", one_layer.run),
    ),
    tables={
        "4": (("tables", "tables_large"), ()),
        "5": (("tables", "table_5", "tables_large"), ()),
        "figure 2": (("tables", "tables_large"), FIGURE_2),
        "figure 3": (("layers",), ()),
        "figure 4": (("label_drop",), ()),
    },
)
