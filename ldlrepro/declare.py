"""What a paper declares: methods, experiments, data sets. Plain data, no behaviour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ldlrepro.metrics import DISTRIBUTION


@dataclass(frozen=True)
class Method:
    """A named estimator and how it is run.

    Attributes
    ----------
    name : str
        As in the paper's tables.
    estimator : unfitted LDL estimator
    grid : dict of lists
        Parameters chosen on the validation part (lowest K-L); {} for none.
    staged : tuple of int
        Stages that are recorded, () for none: records are made of what ``staged_predict`` yields at
        each of them (predictions, numbered from 1, or pairs (stage, predictions)) in place of what
        ``predict`` returns.
    settings : dict
        What the name says of the settings, as data: {"trees": 20, "depth": 5}; goes into every
        record.
    """

    name: str
    estimator: Any
    grid: dict[str, list] = field(default_factory=dict)
    staged: tuple[int, ...] = ()
    settings: dict = field(default_factory=dict)


def variant(
    learner: str, what: str, model: type, grid: dict[str, list] | None = None, **settings: Any
) -> Method:
    """A method called "learner, what", with settings that are recorded.

    Parameters
    ----------
    learner, what : str
        Parts of its name.
    model : type
        Class of the estimator.
    grid : dict of lists or None
        Parameters chosen on the validation part.
    **settings : dict
        Parameters of the class, which go into every record.

    Returns
    -------
    Method
        Named after the learner and the settings.
    """
    settings_of_record = {"learner": learner, **settings}
    return Method(f"{learner}, {what}", model(**settings), grid or {}, settings=settings_of_record)


def by_iterations(
    learner: str, model: type, path: tuple[int, ...], what: str | None = None, **settings: Any
) -> Method:
    """A method that is recorded after several numbers of iterations.

    Parameters
    ----------
    learner : str
        First part of its name.
    model : type
        Class of the estimator; it takes the number of iterations and ``path``.
    path : tuple of int
        Iterations after which it is recorded.
    what : str or None
        What the settings are, as the other part of its name.
    **settings : dict
        Parameters of the class, which go into every record.

    Returns
    -------
    Method
        With a stage for each number in ``path``.
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
    folds : int
        Number of folds, or of hold-outs.
    seed : int
    test_share : float, tuple or None
        The tested share of the rows (or groups) of each hold-out, of groups also a tuple that
        hold-outs take in turn; None for folds.
    replacement : bool
        True draws the rows with replacement before they are cut into folds, so that copies of a row
        come into training and test parts.
    groups : str or None
        Name of an array of the data, (n,), rows with one value of which stay together ("person"):
        as many folds as values leave one out; None where rows are split.
    chosen_on : {"validation", "test"}
        "test": parameters with the lowest K-L on the very test rows, after fitting all others.
    measures : iterable of str
        Names of the measures that are recorded.
    images : arguments of `datasets.load_images`, which then gives the data in place of
        `datasets.load`: {"size": 64, "labels": "realigned"}; {} for sets of features.
    source
        As for `datasets.load`; "realigned" runs the re-aligned form of a set.
    borrows : bool
        True takes records of the same fits (estimator, grid and protocol alike) that other
        experiments hold, and runs what none has.
    without : tuple of (method, data set, why)
        What is not run.
    quick : bool
        False leaves it out of the quick profile.
    why : str
        What is looked for, by somebody who has seen the printed numbers; "" for what a paper
        declares or a question of another kind. The quick profile leaves such experiments out.
    """

    name: str
    methods: tuple[Method, ...]
    datasets: tuple[str, ...]
    folds: int = 10
    seed: int = 0
    test_share: float | tuple[float, ...] | None = None
    replacement: bool = False
    chosen_on: str = "validation"
    measures: tuple[str, ...] = tuple(DISTRIBUTION)
    source: str = "auto"
    why: str = ""
    groups: str | None = None
    images: dict = field(default_factory=dict)
    borrows: bool = False
    without: tuple[tuple[str, str, str], ...] = ()
    quick: bool = True

    def methods_on(self, dataset: str) -> tuple[Method, ...]:
        """Methods that are run on a data set.

        Parameters
        ----------
        dataset : str
            Name in the registry.

        Returns
        -------
        tuple of Method
            All but those that ``without`` names.
        """
        left_out = {(method, name) for method, name, _ in self.without}
        return tuple(m for m in self.methods if (m.name, dataset) not in left_out)


@dataclass(frozen=True)
class Study:
    """A question that is not a run over folds.

    Attributes
    ----------
    name : str
        That of the folder in data/results/<paper>/.
    function : callable
        Its tables: ``function(quick=False)`` returns {name: DataFrame}.
    times : tuple of str
        Names of columns that no two runs have in common.
    """

    name: str
    function: Callable
    times: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments, and the synthetic data sets of the quick profile.

    Attributes
    ----------
    name, title : str
    experiments : tuple of Experiment
    quick : dict of int
        Rows of the synthetic stand-in of each data set.
    studies : tuple of Study
    null : str
        Name of the method in the tables that ignores the features: a printed number that it
        matches is uninformative.
    tables : dict
        For the number of a table or the name of a figure: (experiments or study, data sets or ()).
    lenders : tuple of Paper
        Where experiments that borrow look for records of the same fits.
    seed : int or None
        What `reseeded` added to the seeds that are declared.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    quick: dict[str, int]
    studies: tuple[Study, ...] = ()
    null: str = "MeanPredictor"
    tables: dict = field(default_factory=dict)
    lenders: tuple[Paper, ...] = ()
    seed: int | None = None

    def experiment(self, name: str) -> Experiment:
        """One of the experiments.

        Parameters
        ----------
        name : str
            That of the experiment.

        Returns
        -------
        Experiment
            The one of this name.

        Raises
        ------
        KeyError
            No such experiment; the message names those there are.
        """
        for e in self.experiments:
            if e.name == name:
                return e
        raise KeyError(
            f"{self.name} has no experiment {name!r}: {[e.name for e in self.experiments]}"
        )


def checked(paper: Paper) -> Paper:
    """The paper itself, if it is one.

    Parameters
    ----------
    paper : Paper
        What is checked.

    Returns
    -------
    Paper
        The same.

    Raises
    ------
    TypeError
        Anything but a `Paper`.
    """
    if not isinstance(paper, Paper):
        raise TypeError(
            f"paper must be a Paper, got {paper!r}: `ldlrepro.papers.get_paper(name)` gives one."
        )
    return paper


def reseeded(paper: Paper, seed: int | None) -> Paper:
    """The paper with other seeds.

    Its records lie in a folder of the user's, and none are borrowed from the committed ones.

    Parameters
    ----------
    paper : Paper
        As it is declared.
    seed : int or None
        Added to the seeds of the experiments.

    Returns
    -------
    Paper
        With these seeds; the paper itself for None.
    """
    if seed is None:
        return paper
    experiments = tuple(replace(e, seed=e.seed + seed, borrows=False) for e in paper.experiments)
    return replace(paper, experiments=experiments, seed=seed)
