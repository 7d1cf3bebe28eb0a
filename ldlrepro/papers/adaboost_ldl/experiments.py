"""Shen, Xu, Yu, Jia: Label distribution ensemble learning (in Chinese, 2020)."""

from ldlrepro import AdaBoostLDL, BaggingLDL, MeanPredictor, Shrunk, UniformPredictor
from ldlrepro.declare import Experiment, Method, Paper, Study, by_iterations, variant
from ldlrepro.metrics import DISTRIBUTION, RANKING
from ldlrepro.models.maxent import PackageBFGS
from ldlrepro.models.neural import PackageCPNN
from ldlrepro.models.problem_transformation import DrawnPTBayes, PackagePTBayes
from ldlrepro.papers.adaboost_ldl.studies import on_faces, starts, warm_start, warm_stop
from ldlrepro.papers.learners import (
    CPNN,
    LCLDL,
    LDLLCLR,
    LDLSF,
    SABFGS,
    SAIIS,
    PTBayes,
    PublishedLCLDL,
)
from ldlrepro.papers.structrf.experiments import PACKAGE, YEAST, zeros_raised

#: Tables 4-6 in the paper's order.
DATASETS = (*YEAST, "SJAFFE", "SBU_3DFE", "Natural_Scene")
#: Table -> the measure it prints.
TABLE_OF = {4: "sort_loss", 5: "kl_divergence", 6: "intersection"}
MEASURES = tuple(TABLE_OF.values())

#: The seven base learners in the order of the tables, "with the default parameters of their
#: papers" (section 3.3).
LEARNERS = {
    "PT-Bayes": PTBayes(),
    "SA-IIS": SAIIS(),
    "CPNN": CPNN(),
    "BFGS-LDL": SABFGS(),
    "LDL-LCLR": LDLLCLR(),
    "LDL-LS": LDLSF(),
    "LC-LDL": LCLDL(),
}
ROUNDS, ALPHA = 5, 1.0  # section 3.4
# Ten hold-outs. The paper does not give the tested share; public code that runs its experiment
# (github.com/DreamWalker1412/LDL_Package) tests a tenth.
SHARE = 0.1
_HOLD_OUTS = {"test_share": SHARE, "measures": (*DISTRIBUTION, *RANKING)}


def _plain(name, learner, form="plain"):
    return Method(name, learner, settings={"learner": name, "form": form})


def _boosted(name, learner, what="boosted", **options):
    return Method(
        f"{name}, {what}",
        AdaBoostLDL(learner, ROUNDS, **({"alpha": ALPHA} | options)),
        settings={"learner": name, "form": "boosted", **options},
    )


def _bagged(name, learner):
    return Method(
        f"{name}, bagged",
        BaggingLDL(learner, ROUNDS),
        settings={"learner": name, "form": "bagged"},
    )


def _plain_and_boosted(learners):
    """Methods of learners (dict, name -> learner), each plain and boosted."""
    return tuple(
        method
        for name, learner in learners.items()
        for method in (_plain(name, learner), _boosted(name, learner))
    )


TABLES = Experiment(
    name="tables",
    methods=(
        *(
            method
            for name, learner in LEARNERS.items()
            for method in (_plain(name, learner), _boosted(name, learner), _bagged(name, learner))
        ),
        _plain("MeanPredictor", MeanPredictor(), "constant"),
        _plain("UniformPredictor", UniformPredictor(), "constant"),
    ),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

SPLIT_LEARNERS = ("PT-Bayes", "BFGS-LDL", "LDL-LS", "LC-LDL")

# How the numbers move with the tested share.
SPLITS = tuple(
    Experiment(
        name=f"tested_{round(100 * share)}",
        why="share of the rows that is tested",
        methods=_plain_and_boosted({name: LEARNERS[name] for name in SPLIT_LEARNERS}),
        datasets=DATASETS,
        **_HOLD_OUTS | {"test_share": share},
    )
    for share in (0.2, 0.3, 0.5)
)

# What flatness alone does to SortLoss.
FACTORS = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
SHRUNK = Experiment(
    name="shrunk",
    methods=tuple(
        Method(
            f"{name}, towards the {target}",
            Shrunk(learner, factors=FACTORS, target=target),
            staged=FACTORS,
            settings={"learner": name, "target": target},
        )
        for name, learner in LEARNERS.items()
        for target in ("mean", "uniform")
    ),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

TERM_LEARNERS = ("BFGS-LDL", "LDL-LS", "LC-LDL")

# What the draws by SortLoss and the warm start add.
TERMS = Experiment(
    name="terms",
    methods=tuple(
        method
        for name in TERM_LEARNERS
        for method in (
            _boosted(name, LEARNERS[name], "drawn uniformly", alpha=0.0),
            _boosted(name, LEARNERS[name], "no warm start", warm_start=False),
        )
    ),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

# LDL-LS predicts with a linear model: how much of its K-L is the bound on degrees below zero.
RAISED_ZEROS = Experiment(
    name="raised_zeros",
    why="degrees below zero",
    methods=(zeros_raised("LDL-LS", LDLSF()),),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

# Why plain PT-Bayes, SA-IIS and CPNN differ: settings that the paper leaves to their papers.
_STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200)
SETTINGS = Experiment(
    name="settings",
    why="steps and start, floor of variances",
    methods=(
        by_iterations("SA-IIS", SAIIS, _STEPS),
        by_iterations("SA-IIS", SAIIS, _STEPS, "random start", init="random"),
        by_iterations("SA-IIS", SAIIS, _STEPS, "identity start", init="identity"),
        *(
            variant("PT-Bayes", f"variances from {v:g}", PTBayes, variance_floor=v)
            for v in (1e-9, 1e-4, 1e-3, 1e-2, 0.1)
        ),
        *(variant("CPNN", f"{k} steps", CPNN, max_iter=k) for k in (1, 3, 10, 30)),
    ),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

# PT-Bayes as public code runs it. On the other sets its covariances are singular, as on those of
# faces where the paper has N/A.
DRAWN = Experiment(
    name="drawn_labels",
    why="labels drawn, full covariances, as public code has them",
    methods=_plain_and_boosted({"PT-Bayes": DrawnPTBayes()}),
    datasets=YEAST,
    **_HOLD_OUTS,
)

# Learners as public code starts them, with ones on the diagonal of the coefficients; SA-IIS stops
# after 10 steps there, LC-LDL has a gradient of its own.
_PUBLIC_START = {
    "SA-IIS": SAIIS(10, init="identity"),
    "BFGS-LDL": SABFGS(init="identity"),
    "LDL-LCLR": LDLLCLR(init="identity"),
    "LDL-LS": LDLSF(init="identity"),
    "LC-LDL": LCLDL(init="identity"),
    "LC-LDL, public gradient": PublishedLCLDL(init="identity"),
}
PUBLIC = Experiment(
    name="public_start",
    why="start, steps and gradient of public code",
    methods=_plain_and_boosted(_PUBLIC_START),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

# The MATLAB package that came with Geng's paper of 2016, of which that public code has copies.
_PACKAGE = {"PT-Bayes": PackagePTBayes(), "CPNN": PackageCPNN(), "BFGS-LDL": PackageBFGS()}
FIRST_PACKAGE = Experiment(
    name="first_package",
    why=PACKAGE,
    methods=_plain_and_boosted(_PACKAGE),
    datasets=DATASETS,
    **_HOLD_OUTS,
)

PAPER = Paper(
    name="adaboost_ldl",
    title="Label distribution ensemble learning (Adaboost-LDL)",
    experiments=(TABLES, SHRUNK, *SPLITS, TERMS, RAISED_ZEROS, SETTINGS, DRAWN, PUBLIC)
    + (FIRST_PACKAGE,),
    quick={"Yeast_spoem": 90, "Yeast_spo": 150},
    studies=(
        Study("warm_start", warm_start.run, times=("with_start", "without_start")),
        Study("starts", starts.run),
        Study("warm_stop", warm_stop.run, times=("seconds_with", "seconds_without")),
        Study("on_faces", on_faces.run),
    ),
    tables={str(number): (("tables",), ()) for number in TABLE_OF},
)
