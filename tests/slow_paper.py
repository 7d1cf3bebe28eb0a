"""A paper whose fits take a while, and a command line on it: for tests of interruptions.

The variable PACE multiplies what they take.
"""

import os
import sys
import time

from ldlrepro import MeanPredictor, cli, commands
from ldlrepro.declare import Experiment, Method, Paper

SET = "Yeast_spoem"


class Slow(MeanPredictor):
    """The mean, after ``seconds``."""

    def __init__(self, seconds=1.0):
        self.seconds = seconds

    def _fit(self, X, D, weight):
        time.sleep(self.seconds * float(os.environ.get("PACE", 0)))
        super()._fit(X, D, weight)

    def staged_predict(self, X):
        """Yield two stages."""
        yield 1, self._predict(X)
        yield 2, self._predict(X)


METHODS = (
    *(Method(f"slow {i}", Slow(0.9 + 0.02 * i)) for i in range(6)),
    Method("staged", Slow(0.9), staged=(1, 2)),
)
PAPER = Paper(
    "slow",
    "A slow paper",
    (Experiment("main", METHODS, (SET,)), Experiment("more", METHODS[:3], (SET,))),
    {SET: 60, "SJAFFE": 60},
)
#: Jobs of the quick profile: three folds, two sets, ten methods.
JOBS = 60

if __name__ == "__main__":
    import slow_paper  # so that workers find its classes by this name

    commands.get_paper, commands.paper_name = lambda name: slow_paper.PAPER, str
    sys.exit(cli.main())
