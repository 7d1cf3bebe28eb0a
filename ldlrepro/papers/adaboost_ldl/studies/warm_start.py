"""Whether boosting is faster with its warm start (Adaboost-LDL paper, section 2.2).

Seconds of runs at different times cannot be compared. Here the two are fitted in turn, and the
seconds of the processor are taken, on one thread, so that other work on the machine counts little.
"""

from time import process_time
from warnings import catch_warnings

import pandas as pd

from ldlrepro import LCLDL, LDLSF, SABFGS, AdaBoostLDL, datasets
from ldlrepro.errors import SettingsWarning

SETS = (
    *(f"Yeast_{name}" for name in ("alpha", "cdc", "elu", "diau", "heat")),
    *(f"Yeast_{name}" for name in ("spo", "cold", "dtt", "spo5", "spoem")),
    "SJAFFE",
    "SBU_3DFE",
)
SEEDS = 4
#: With the settings of the tables.
LEARNERS = {
    "BFGS-LDL": SABFGS(penalty=0.0, scale=None),
    "LDL-LS": LDLSF(lambda1=1e-4, lambda2=1e-2, rho=1e-3, scale=None, floor=0.0),
    "LC-LDL": LCLDL(lambda1=0.1, scale=None),
}


def run(quick=False):
    """Seconds of training with and without the warm start, in turn.

    Returns
    -------
    dict of DataFrame
        "seconds": dataset, source, learner, fold (a seed of the draws), with_start, without_start
        (seconds of the processor).
    """
    if quick:
        bunches = [datasets.make_standin("Yeast_spoem", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    rows = []
    for bunch in bunches:
        for name, learner in LEARNERS.items():
            seconds_of(learner, True, 0, bunch)  # not counted: the first of its kind
            for seed in range(1 if quick else SEEDS):
                turns = (True, False) if seed % 2 else (False, True)
                seconds = {warm: seconds_of(learner, warm, seed, bunch) for warm in turns}
                rows.append((bunch.name, bunch.source, name, seed, seconds[True], seconds[False]))
    columns = ["dataset", "source", "learner", "fold", "with_start", "without_start"]
    return {"seconds": pd.DataFrame(rows, columns=columns)}


def seconds_of(learner, warm_start, seed, bunch):
    """Seconds of the processor to boost a learner on all rows."""
    boosting = AdaBoostLDL(learner, warm_start=warm_start, random_state=seed)
    with catch_warnings(action="ignore", category=SettingsWarning):
        start = process_time()
        boosting.fit(bunch.X, bunch.D)
        return process_time() - start
