"""The methods of python-ldl on the comparison's data sets and folds."""

from pathlib import Path

import pandas as pd

from ldlrepro.declare import Experiment, Method, Paper
from ldlrepro.models.guests import PREFIX, RELEASE, Guest
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison.studies.time_limit import OVER

#: Every label-distribution method that the release names: class, name, year, venue and title of its
#: paper, and why it does not run where it does not.
GUESTS = pd.read_csv(Path(__file__).with_name("guests.csv"), keep_default_na=False)
#: Classes of those that run.
RUN = tuple(GUESTS["class"][GUESTS.does_not_run == ""])

#: What took how long: a row a data set and method, made by tools/first_folds.py. No seconds where a
#: first fold did not end within the comparison's limit.
FIRST_FOLDS = Path(__file__).with_name("first_folds.csv")

#: What another processor changes: a row a fold that was fitted again on one, made by
#: tools/another_processor.py.
ANOTHER_PROCESSOR = Path(__file__).with_name("another_processor.csv")

#: What more penalty than the grid's would do: made by tools/wider_grid.py.
WIDER_GRID = Path(__file__).with_name("wider_grid.csv")
#: Times the penalty of a grid's last point that it tries.
TIMES = (1, 10, 100)

#: K-L of first folds with scaled features, of later methods that are not tuned: made by
#: tools/scaled.py.
SCALED = Path(__file__).with_name("scaled.csv")


def _left_out():
    """(class, data set, why) of what does not end in time, or fails, on a data set."""
    found = pd.read_csv(FIRST_FOLDS, keep_default_na=False)
    found = found[(found.release == RELEASE) & ((found.seconds == "") | (found.failure != ""))]
    for name, dataset, failure in zip(found["class"], found.dataset, found.failure, strict=True):
        yield name, dataset, failure or OVER


#: Weights that are tried where a method chooses: as released, more of what the method is named for,
#: more of its penalty. Four points each, with features as given and scaled: eight. Delta-LDL has no
#: weights, and chooses whether features are scaled. No paper of theirs was at hand. The package's
#: page advises to tune and to scale.
GRIDS = {
    "BD_LDL": [{}, {"alpha": 0.1}, {"beta": 1.0}, {"beta": 100.0}],
    "LDLLC": [{}, {"alpha": 0.1}, {"beta": 0.1}, {"beta": 10.0}],
    "LDL_DPA": [{}, {"alpha": 0.1, "beta": 0.1}, {"gamma": 0.1}, {"gamma": 10.0}],
    "LDL_LRR": [{}, {"alpha": 0.1}, {"beta": 1e-4}, {"beta": 1e-2}],
    "Delta_LDL": [{}],
}
#: The same weights in the release.
AS_RELEASED = {
    "BD_LDL": {"alpha": 1e-3, "beta": 1e-2},
    "LDLLC": {"alpha": 1e-3, "beta": 0.0},
    "LDL_DPA": {"alpha": 1e-3, "beta": 1e-3, "gamma": 0.0},
    "LDL_LRR": {"alpha": 1e-3, "beta": 0.0},
    "Delta_LDL": {},
}
_LEFT_OUT = tuple(_left_out())

# As released, on the folds of the comparison; its own records stand beside these.
RELEASED = Experiment(
    name="released",
    methods=tuple(
        Method(f"{PREFIX}{name}", Guest(name), settings={"learner": name}) for name in RUN
    ),
    datasets=comparison.TABLES.datasets,
    without=tuple((f"{PREFIX}{name}", dataset, why) for name, dataset, why in _LEFT_OUT),
)

# Chosen inside the fold by K-L, as the comparison chooses.
TUNED = Experiment(
    name="tuned",
    methods=tuple(
        Method(
            f"{PREFIX}{name}, tuned",
            Guest(name),
            {"scale": [None, "standard"], "parameters": points},
            settings={"learner": name, "form": "tuned"},
        )
        for name, points in GRIDS.items()
    ),
    datasets=RELEASED.datasets,
    without=(
        # With a point of the grid, the line search of the package's optimiser raises an IndexError.
        *(
            (f"{PREFIX}LDLLC, tuned", dataset, "fails: its line search raises an IndexError")
            for dataset in ("SJAFFE", "FG-Net")
        ),
        # One fit does not end in time.
        (f"{PREFIX}Delta_LDL, tuned", "Movie", OVER),
    ),
)

PAPER = Paper(
    name="later",
    title="Ten years on",
    experiments=(RELEASED, TUNED),
    quick={},  # what runs in the quick profile needs no extra
)
