"""Every label-distribution method beside every other, whichever paper it came with."""

import ldlrepro
from ldlrepro.declare import Experiment, Method, Paper, Study
from ldlrepro.papers import learners
from ldlrepro.papers.adaboost_ldl import experiments as adaboost_ldl
from ldlrepro.papers.comparison.studies import time_limit
from ldlrepro.papers.ldlf import experiments as ldlf
from ldlrepro.papers.mldf import experiments as mldf
from ldlrepro.papers.mslp import experiments as mslp
from ldlrepro.papers.structrf import experiments as structrf

#: Sets with label distributions that are at hand, by kind.
DATASETS = (
    *structrf.YEAST,
    "SJAFFE",
    "SBU_3DFE",
    "SCUT_FBP",
    "M2B",
    "Natural_Scene",
    "Movie",
)
#: Estimators with the settings that a user gets who names none. RaisedZeros and Shrunk change
#: predictions of another.
PLAIN = (
    "StructRF",
    "MultiOutputRF",
    "SingleLabelRF",
    "AOSOLDLogitBoost",
    "LDLogitBoost",
    "LDLForest",
    "NDFLDL",
    "SABFGS",
    "SAIIS",
    "LCLDL",
    "LDLLCLR",
    "LDLSF",
    "AdaBoostLDL",
    "BaggingLDL",
    "MSLP",
    "EmbeddingKNN",
    "AAKNN",
    "LDSVR",
    "PTSVM",
    "PTBayes",
    "AABP",
    "CPNN",
    "MeanPredictor",
    "UniformPredictor",
)


def _of(experiment, *names):
    """Methods of an experiment, in the order of the names."""
    by_name = {m.name: m for m in experiment.methods}
    return [by_name[name] for name in names]


# Four to eight points where a paper prints no grid: as published, or scaled with a penalty.
_SCALES = {"scale": [None, "standard"]}
_ENSEMBLES = [
    m for m in adaboost_ldl.TABLES.methods if m.settings.get("form") in ("boosted", "bagged")
]

#: Pairs that do not end a first fold within the limit; the study of the same name runs them.
_SLOW = {
    "Movie": (
        *("PT-SVM", "MSLP", "LPP", "NPE", "PCA", "CCA", "MSLP, attraction only", "LDSVR"),
        "LDL-LCLR",
    ),
}

# Ten folds, parameters chosen inside the fold by K-L, all measures. What a chapter holds under
# this protocol is not run twice.
TABLES = Experiment(
    name="tables",
    methods=(
        *_of(structrf.TABLES, "StructRF", "StructRF*", "RF"),
        *_of(structrf.CRITERIA, "RF on D"),
        *_of(structrf.BOOSTING, "AOSO-LDLogitBoost", "LDLogitBoost"),
        *_of(ldlf.TABLES, "sLDLF"),
        Method("sNDF-LDL", ldlrepro.NDFLDL(**ldlf.STOPPED_EARLY), ldlf.RATE_GRID),
        *_of(structrf.TABLES, "SA-IIS", "SA-BFGS"),
        Method(
            "SA-BFGS, penalised",
            ldlrepro.SABFGS(),
            _SCALES | {"penalty": [0.01, 0.1, 1.0, 10.0]},
            settings={"learner": "SA-BFGS", "form": "penalised"},
        ),
        Method("LC-LDL", ldlrepro.LCLDL(), _SCALES | {"lambda1": [0.1, 1.0, 20.0, 100.0]}),
        Method("LDL-LCLR", ldlrepro.LDLLCLR(), _SCALES | {"lambda1": [1e-3, 1.0, 20.0, 100.0]}),
        Method("LDL-LS", ldlrepro.LDLSF(), _SCALES | {"lambda1": [1e-4, 0.1, 10.0, 100.0]}),
        *_of(mslp.TABLES, "PT-Bayes", "PT-SVM", "AA-KNN", "AA-BP", "CPNN", "LDSVR"),
        *_of(mslp.TABLES, "MSLP", "LPP", "NPE", "PCA", "CCA"),
        *_of(mslp.TERMS, "MSLP, attraction only"),
        *(Method(m.name, m.estimator, settings=m.settings) for m in _ENSEMBLES),
        *_of(structrf.TABLES, "MeanPredictor", "UniformPredictor"),
    ),
    datasets=(*DATASETS, "FG-Net"),
    borrows=True,
    without=tuple((m, d, time_limit.OVER) for d, methods in _SLOW.items() for m in methods),
)

#: What the papers propose, and what its learners are without it.
WINNERS = (
    "StructRF",
    "sLDLF",
    "MSLP",
    *(m.name for m in _ENSEMBLES if m.settings["form"] == "boosted"),
)

# The papers' methods on two other partitions into folds, where every method ends in time.
OTHER_FOLDS = tuple(
    Experiment(
        name=f"other_folds_{seed}",
        methods=tuple(m for m in TABLES.methods if m.name in (*WINNERS, "MeanPredictor")),
        datasets=tuple(d for d in DATASETS if d not in _SLOW),
        seed=seed,
    )
    for seed in (1, 2)
)

# Eight points, as most have that choose, for the methods whose paper searches up to a thousand.
_FEW = {"n_neighbors": [5, 15]}
_FEW_COMPONENTS = _FEW | {
    "transformer__ratio": [0.3, 1.0],
    "transformer__kernel": ["linear", "rbf"],
}
SMALL_GRIDS = Experiment(
    name="small_grids",
    methods=(
        Method("MSLP", ldlrepro.MSLP(), _FEW | {"beta": [0.1, 0.5], "ratio": [0.3, 1.0]}),
        *(
            Method(name, ldlrepro.EmbeddingKNN(getattr(ldlrepro, name)()), _FEW_COMPONENTS)
            for name in ("LPP", "NPE", "PCA", "CCA")
        ),
    ),
    datasets=tuple(d for d in TABLES.datasets if d != "Movie"),  # where all five end in time
)

# The multi-label methods, under the MLDF paper's protocol. Its chapter holds them all.
MULTILABEL = Experiment(
    name="multilabel",
    methods=(*mldf.TABLES.methods, *mldf.REUSE.methods, *mldf.FOLDED.methods),
    datasets=mldf.TABLES.datasets,
    test_share=mldf.TABLES.test_share,
    measures=mldf.TABLES.measures,
    borrows=True,
)

# Half of the rows train, half are tested, and the other way round.
DEFAULTS = Experiment(
    name="defaults",
    methods=tuple(Method(name, getattr(ldlrepro, name)()) for name in PLAIN),
    datasets=DATASETS,
    folds=2,
)


def _by_default_and_as_published():
    for name in ("SABFGS", "SAIIS", "AAKNN", "AABP", "PTBayes", "PTSVM"):
        yield Method(
            f"{name}, default",
            getattr(ldlrepro, name)(),
            settings={"learner": name, "form": "default"},
        )
        if hasattr(learners, name):
            published = getattr(learners, name)()
            yield Method(
                f"{name}, as in papers", published, settings={"learner": name, "form": "paper"}
            )


# Ten times ten folds, as two other packages report them (data/published/packages.csv).
PACKAGES = tuple(
    Experiment(
        name=f"packages_{seed}",
        methods=tuple(_by_default_and_as_published()),
        datasets=("SJAFFE",),
        seed=seed,
        measures=mslp.MEASURES,
    )
    for seed in range(10)
)

# On the folds of its chapter's tables, beside the settings chosen there.
LDLFOREST = Experiment(
    name="ldlforest",
    methods=(Method("LDLForest", ldlrepro.LDLForest()),),
    datasets=tuple(d for d in DATASETS if d in ldlf.DATASETS),
)

PAPER = Paper(
    name="comparison",
    title="Every method on every data set",
    experiments=(TABLES, *OTHER_FOLDS, SMALL_GRIDS, MULTILABEL, DEFAULTS, LDLFOREST, *PACKAGES),
    quick={"SJAFFE": 90, "scene": 60},
    lenders=(adaboost_ldl.PAPER, ldlf.PAPER, mldf.PAPER, mslp.PAPER, structrf.PAPER),
    studies=(Study("time_limit", time_limit.run, times=("seconds",)),),
)
