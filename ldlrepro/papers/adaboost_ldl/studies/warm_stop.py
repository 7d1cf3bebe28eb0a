"""Whether the warm start saves steps where a search stops early (Adaboost-LDL paper, section 2.2).

With the tolerance of our tables, 1e-12, every search of BFGS-LDL on the faces takes all its steps,
and a start near the end can save nothing. Here 1e-6 stands beside it. Steps are counted as well as
seconds of the processor: they hang on no machine.
"""

from time import process_time
from warnings import catch_warnings

import pandas as pd

from ldlrepro import SABFGS, AdaBoostLDL, datasets
from ldlrepro.errors import SettingsWarning
from ldlrepro.papers.adaboost_ldl.studies.warm_start import SETS

SEEDS, TOLERANCES = 2, (1e-12, 1e-6)


def run(quick=False):
    """Steps and seconds of boosted BFGS-LDL with and without the warm start, by tolerance.

    Returns
    -------
    dict of DataFrame
        "steps": dataset, source, tolerance, fold (a seed of the draws), steps_with, steps_without
        (of all rounds), seconds_with, seconds_without (of the processor).
    """
    if quick:
        bunches = [datasets.make_standin("Yeast_spoem", n_samples=60)]
    else:
        bunches = [datasets.load(name) for name in SETS]
    rows = []
    for bunch in bunches:
        for tolerance in TOLERANCES:
            for seed in range(1 if quick else SEEDS):
                (a, s), (b, t) = (boosted(bunch, tolerance, seed, warm) for warm in (True, False))
                rows.append((bunch.name, bunch.source, tolerance, seed, a, b, s, t))
    columns = ["dataset", "source", "tolerance", "fold", "steps_with", "steps_without"]
    columns += ["seconds_with", "seconds_without"]
    return {"steps": pd.DataFrame(rows, columns=columns)}


def boosted(bunch, tolerance, seed, warm_start):
    """(steps of all rounds, seconds of the processor) of boosting BFGS-LDL on all rows."""
    learner = SABFGS(300, penalty=0.0, scale=None, tol=tolerance)
    boosting = AdaBoostLDL(learner, warm_start=warm_start, random_state=seed)
    with catch_warnings(action="ignore", category=SettingsWarning):
        start = process_time()
        boosting.fit(bunch.X, bunch.D)
        seconds = process_time() - start
    return sum(one.n_iter_ for one in boosting.estimators_), seconds
