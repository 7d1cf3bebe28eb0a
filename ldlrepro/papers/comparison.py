"""Every label-distribution method beside every other, whichever paper it came with."""

import ldlrepro
from ldlrepro.papers import ldlf, learners, mslp, structrf
from ldlrepro.protocols.declare import Experiment, Method, Paper

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
    experiments=(DEFAULTS, LDLFOREST, *PACKAGES),
    quick={"SJAFFE": 90},
)
