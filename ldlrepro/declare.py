"""What a paper declares: methods, experiments, data sets. Plain data, no behaviour."""

from dataclasses import dataclass, field, replace
from typing import Any

from ldlrepro.metrics import DISTRIBUTION


@dataclass(frozen=True)
class Method:
    """A named estimator and how it is run.

    Attributes
    ----------
    name : str, as in the paper's tables
    estimator : unfitted LDL estimator
    grid : dict of lists, parameters chosen on the validation part (lowest K-L); {} for none
    staged : tuple of the stages recorded, () for none: records are made of what ``staged_predict``
        yields at each of them (predictions, numbered from 1, or pairs (stage, predictions)) in
        place of what ``predict`` returns
    settings : dict, what the name says of the settings, as data: {"trees": 20, "depth": 5}; goes
        into every record
    """

    name: str
    estimator: Any
    grid: dict = field(default_factory=dict)
    staged: tuple = ()
    settings: dict = field(default_factory=dict)


def variant(learner, what, model, grid=None, **settings):
    """Return the Method "learner, what": the class ``model`` with settings, which are recorded."""
    settings_of_record = {"learner": learner, **settings}
    return Method(f"{learner}, {what}", model(**settings), grid or {}, settings=settings_of_record)


def by_iterations(learner, model, path, what=None, **settings):
    """Return a Method that is recorded after each of the iterations in ``path``.

    ``what`` says in its name what the settings are.
    """
    return Method(
        f"{learner}, {what}" if what else learner,
        model(max(path), path=path, **settings),
        staged=path,
        settings={"learner": learner, **settings},
    )


@dataclass(frozen=True)
class Experiment:
    """Methods run on data sets over folds; records go to data/results/<paper>/<name>/.

    Attributes
    ----------
    name : str
    methods : tuple of Method
    datasets : tuple of registry names
    folds : int, number of folds, or of hold-outs
    seed : int
    test_share : float, the tested share of the rows (or groups) of each hold-out, of groups also a
        tuple that hold-outs take in turn; None for folds
    replacement : True draws the rows with replacement before they are cut into folds, so that
        copies of a row come into training and test parts
    groups : name of an array of the data, (n,), rows with one value of which stay together
        ("person"): as many folds as values leave one out; None where rows are split
    chosen_on : "validation", or "test": parameters with the lowest K-L on the very test rows,
        after fitting all others
    measures : names of the measures that are recorded
    images : arguments of `datasets.load_images`, which then gives the data in place of
        `datasets.load`: {"size": 64, "labels": "realigned"}; {} for sets of features
    source : as for `datasets.load`; "realigned" runs the re-aligned form of a set
    borrows : True takes records of the same fits (estimator, grid and protocol alike) that other
        experiments hold, and runs what none has
    without : (method, data set, why) triples that are not run
    quick : False leaves it out of the quick profile
    why : what is looked for, by somebody who has seen the printed numbers; "" for what a paper
        declares or a question of another kind. The quick profile leaves such experiments out
    """

    name: str
    methods: tuple
    datasets: tuple
    folds: int = 10
    seed: int = 0
    test_share: float | None = None
    replacement: bool = False
    chosen_on: str = "validation"
    measures: tuple = tuple(DISTRIBUTION)
    source: str = "auto"
    why: str = ""
    groups: str | None = None
    images: dict = field(default_factory=dict)
    borrows: bool = False
    without: tuple = ()
    quick: bool = True

    def methods_on(self, dataset):
        """Methods that are run on a data set."""
        left_out = {(method, name) for method, name, _ in self.without}
        return tuple(m for m in self.methods if (m.name, dataset) not in left_out)


@dataclass(frozen=True)
class Study:
    """A question that is not a run over folds.

    Attributes
    ----------
    name : str, of the folder in data/results/<paper>/
    function : ``function(quick=False)`` returns {name: DataFrame}
    times : names of columns that no two runs have in common
    """

    name: str
    function: Any
    times: tuple = ()


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments, and the synthetic data sets of the quick profile.

    Attributes
    ----------
    name : str; title : str
    experiments : tuple of Experiment
    quick : dict, registry name -> rows of its synthetic stand-in
    studies : tuple of Study
    null : name of the method in the tables that ignores the features: what it agrees with, a
        printed cell cannot tell
    tables : dict, number of a table or name of a figure -> (experiments or study, data sets or ())
    lenders : tuple of Paper, where experiments that borrow look for records of the same fits
    seed : int, of a paper that is run with other seeds than declared: `reseeded`
    """

    name: str
    title: str
    experiments: tuple
    quick: dict
    studies: tuple = ()
    null: str = "MeanPredictor"
    tables: dict = field(default_factory=dict)
    lenders: tuple = ()
    seed: int | None = None

    def experiment(self, name):
        """Return the experiment called ``name`` (KeyError names those there are)."""
        for e in self.experiments:
            if e.name == name:
                return e
        raise KeyError(
            f"{self.name} has no experiment {name!r}: {[e.name for e in self.experiments]}"
        )


def checked(paper):
    """The paper itself; TypeError for anything but a `Paper`."""
    if not isinstance(paper, Paper):
        raise TypeError(
            f"paper must be a Paper, got {paper!r}: `ldlrepro.papers.get_paper(name)` gives one."
        )
    return paper


def reseeded(paper, seed):
    """The paper with ``seed`` added to the seeds of its experiments; itself for None.

    Its records lie in a folder of the user's, and none are borrowed from the committed ones.
    """
    if seed is None:
        return paper
    experiments = tuple(replace(e, seed=e.seed + seed, borrows=False) for e in paper.experiments)
    return replace(paper, experiments=experiments, seed=seed)
