"""What every notebook begins with: run what is missing, read records, compare printed cells."""

from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd
from IPython.display import Markdown, display

from ldlrepro import datasets as data
from ldlrepro import parameters, protocols
from ldlrepro.declare import Paper, reseeded
from ldlrepro.errors import UnknownNameError
from ldlrepro.protocols.state import datasets_of
from ldlrepro.report import provenance
from ldlrepro.report.plots import style
from ldlrepro.report.tables import cells, published_cells, summary, with_null


@dataclass
class Chapter:
    """Records of a paper, and its tables beside the printed ones.

    Attributes
    ----------
    paper : Paper
    measures : names of those that its tables print
    printed : cells that they print, with the mean of a predictor that ignores the features
    profile : "paper" or "quick"
    wanted : data sets asked for, in the paper's order
    records : dict, experiment -> records of these data sets
    tables : records of the methods in the tables
    recompute : whether its studies are computed again, each once
    """

    paper: Paper
    measures: tuple
    printed: pd.DataFrame
    profile: str
    wanted: list
    records: dict
    tables: pd.DataFrame
    recompute: bool = False
    _studies: dict = field(default_factory=dict)

    def __post_init__(self):
        self.printed = with_null(self.printed, self.tables, self.paper.null)

    @cached_property
    def names(self):
        """Every data set of the paper -> its name in tables."""
        copies = provenance.unverified(pd.concat(self.records.values()))
        return provenance.display_names(self.tables, data_sets(self.paper), data.list(), copies)

    @cached_property
    def apart(self):
        """Data sets that are not the original files: shown and named so, never counted."""
        copies = provenance.unverified(pd.concat(self.records.values()))
        return sorted({*provenance.apart(self.tables), *copies})

    def counting(self, records):
        """Those of the records that totals count: in the quick profile all, though synthetic."""
        return records[~records.dataset.isin(self.apart)] if self.profile == "paper" else records

    @cached_property
    def counted(self):
        """Records of the tables that totals count."""
        return self.counting(self.tables)

    @cached_property
    def ours(self):
        """`summary` of the tables."""
        return summary(self.tables, measures=self.measures)

    @cached_property
    def compared(self):
        """Every printed cell beside ours."""
        return cells(self.ours, self.printed)

    @property
    def order(self):
        """Methods in the order of the tables."""
        return [m.name for m in self.paper.experiment("tables").methods]

    def joined(self, experiment, methods):
        """Records of an experiment, below those of some methods in the tables."""
        there = self.tables[self.tables.method.isin(methods)]
        return pd.concat([there, self.records[experiment]])

    def bunch(self, name):
        """Rows to draw: a data set, or a synthetic stand-in where it is not at hand."""
        return data.load_or_standin(name) if self.profile == "paper" else data.make_standin(name)

    def study(self, name):
        """Tables of a study, {name: DataFrame}."""
        if name not in self._studies:
            tables = protocols.study(self.paper, name, self.profile, self.recompute)
            self._studies[name] = tables
        return self._studies[name]

    @property
    def part(self):
        """Whether these are not the committed records of all data sets."""
        return bool(self.paper.seed) or set(self.wanted) < set(data_sets(self.paper))

    def state(self):
        """Text on what was not run and what is stale."""
        status = protocols.status(self.paper, self.profile)
        if self.profile == "paper":
            status = [row for row in status if row["dataset"] in self.wanted]
        seed = f" --seed {self.paper.seed}" if self.paper.seed else ""
        which = "Every data set asked for" if self.part else "Every data set"
        return provenance.state(status, self.names, self.paper.name + seed, which)


def open_chapter(paper, measures, tables, profile, datasets, n_jobs, recompute, seed):
    """Run what a paper lacks and open its ``Chapter``.

    Parameters
    ----------
    measures, tables : what is set beside the paper's cells: measures and numbers of its tables
    profile, datasets, n_jobs, recompute : of the notebook, as for `ldlrepro.protocols.run`
    seed : added to the seeds that the paper declares; records lie apart then, in
        ldlrepro-records. None for the committed ones

    Raises
    ------
    UnknownNameError
        A data set that the paper does not have, or a parameter that the notebook does not have.

    See Also
    --------
    ldlrepro.protocols.run : What it runs.
    show_provenance : Where records come from.
    """
    style()
    show_given()
    paper = reseeded(paper, parameters.seed(seed))
    datasets, n_jobs = chosen(paper, datasets, profile), parameters.processes(n_jobs)
    protocols.run(
        paper,
        datasets=datasets,
        profile=profile,
        n_jobs=n_jobs,
        recompute=recompute,
        progress=False,
    )
    return read_chapter(paper, measures, tables, profile, datasets, recompute)


def read_chapter(paper, measures, tables, profile="paper", datasets=None, recompute=False):
    """The `Chapter` of a paper as it stands; parameters as for `open_chapter`."""
    wanted = datasets or data_sets(paper)
    records = {e.name: read(paper, e.name, profile, wanted) for e in paper.experiments}
    printed = published_cells(paper.name, tables, measures)
    return Chapter(paper, measures, printed, profile, wanted, records, records["tables"], recompute)


def data_sets(paper, profile="paper"):
    """Every data set of a paper, in the order of its experiments."""
    names = (d for e in paper.experiments for d in datasets_of(paper, e, profile))
    return list(dict.fromkeys(names))


def chosen(paper, datasets, profile):
    """Registry names of the data sets that a parameter names (`parameters.listed`), None for all.

    Raises
    ------
    UnknownNameError
        One that the paper does not have under this profile.
    """
    names, found = parameters.listed(datasets), []
    if datasets is None:
        return None
    if not all(names) or not names:
        raise UnknownNameError("datasets names no data set: give names, or None for all.")
    there = data_sets(paper, profile)
    for name in names:
        try:
            found.append(data.resolve(name))
        except UnknownNameError:
            found.append(None)
        if found[-1] not in there:
            raise UnknownNameError(
                f"No data set {name!r} in {paper.name}, profile {profile!r}; there are: "
                f"{', '.join(there)}."
            )
    return found


def show_given():
    """Under parameters of papermill, a line that names them: the words around are of the book."""
    given = parameters.given()
    if given:
        text = "The prose below is about the committed records of all data sets"
        display(Markdown(f"**Run with {parameters.told(given)}.** {text}."))


def read(paper, experiment, profile, wanted):
    """Records of one experiment on some data sets."""
    records = protocols.read(paper, paper.experiment(experiment), profile)
    return records.query("dataset in @wanted")
