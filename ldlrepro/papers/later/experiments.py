"""The methods of python-ldl on the comparison's data sets and folds."""

from pathlib import Path

import pandas as pd

from ldlrepro.declare import Experiment, Method, Paper
from ldlrepro.models.guests import PREFIX, Guest
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison.studies.time_limit import OVER

#: Every label-distribution method that the release names: class, name, year, venue and title of its
#: paper, and why it does not run where it does not.
GUESTS = pd.read_csv(Path(__file__).with_name("guests.csv"), keep_default_na=False)
#: Classes of those that run.
RUN = tuple(GUESTS["class"][GUESTS.does_not_run == ""])

#: Data set -> methods that do not end a first fold there within the comparison's limit.
SLOW = {}

# As released, on the folds of the comparison; its own records stand beside these.
RELEASED = Experiment(
    name="released",
    methods=tuple(
        Method(f"{PREFIX}{name}", Guest(name), settings={"learner": name}) for name in RUN
    ),
    datasets=comparison.TABLES.datasets,
    without=tuple((f"{PREFIX}{m}", d, OVER) for d, methods in SLOW.items() for m in methods),
)

PAPER = Paper(
    name="later",
    title="Ten years on",
    experiments=(RELEASED,),
    quick={},  # what runs in the quick profile needs no extra
)
