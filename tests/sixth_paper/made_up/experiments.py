"""A made-up paper: nearest neighbours on two data sets."""

from ldlrepro import AAKNN, MeanPredictor
from ldlrepro.declare import Experiment, Method, Paper

MEASURES = ("kl_divergence", "chebyshev")
TABLE_OF = {"SJAFFE": 1, "Movie": 2}

TABLES = Experiment(
    name="tables",
    methods=(Method("kNN", AAKNN(5)), Method("MeanPredictor", MeanPredictor())),
    datasets=tuple(TABLE_OF),
    folds=5,
)
NEIGHBOURS = Experiment(
    name="neighbours",
    methods=tuple(
        Method(f"kNN, k = {k}", AAKNN(k), settings={"learner": "kNN", "k": k}) for k in (1, 5, 20)
    ),
    datasets=("SJAFFE",),
    folds=5,
)
PAPER = Paper(
    name="made_up",
    title="Neighbours are enough",
    experiments=(TABLES, NEIGHBOURS),
    quick={"SJAFFE": 60},
    tables={"1": (("tables",), ("SJAFFE",)), "2": (("tables",), ("Movie",))},
)
