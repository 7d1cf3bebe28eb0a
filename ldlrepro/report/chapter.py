"""A chapter: a paper's records and its printed numbers, and what its notebook shows of them."""

from collections.abc import Iterator
from functools import cached_property

import pandas as pd
from IPython.display import Markdown, display

from ldlrepro import datasets as data
from ldlrepro import parameters, protocols
from ldlrepro.declare import reseeded
from ldlrepro.errors import UnknownNameError
from ldlrepro.parameters import described, listed
from ldlrepro.protocols.state import datasets_of
from ldlrepro.report import provenance
from ldlrepro.report.claims import findings_in_markdown, show_claims, show_headlines
from ldlrepro.report.departures import show_departures
from ldlrepro.report.evidence import evidence_picture
from ldlrepro.report.plots import Figure, style
from ldlrepro.report.rounding import show_rounding
from ldlrepro.report.tables import (
    agreement,
    cells,
    published_cells,
    show,
    show_identities,
    summary,
    with_null,
)
from ldlrepro.report.yardstick import confusion_of, confusion_picture, skill_picture


class Exhibits:
    """Tables, figures and texts that a notebook shows by name.

    Attributes
    ----------
    title : str
    exhibits : dict, name -> function of the object that returns what `show` displays
    profile : "paper" or "quick"
    is_partial : whether these are not the committed records of all data sets
    """

    title = ""
    exhibits = {}

    def known(self):
        """What `show` can show: {name: function of the object}."""
        return self.exhibits

    def show(self, *names):
        """Show tables, figures or texts in a notebook, by their names among the exhibits.

        Raises
        ------
        UnknownNameError
            No exhibit of this name.
        """
        known = self.known()
        for name in names:
            if name not in known:
                there = ", ".join(known)
                raise UnknownNameError(f"{self.title} shows no {name!r}; there are: {there}.")
            shown = known[name](self)
            for one in shown if isinstance(shown, Iterator) else [shown]:
                if isinstance(one, str):
                    print(one)
                elif one is not None and not isinstance(one, Figure):  # notebooks show these
                    display(one)

    def in_words(self, text):
        """What ``text()`` says, where the committed records of all data sets are shown."""
        if self.profile != "paper":
            return Markdown("Conclusions are drawn from real data alone. These are synthetic.")
        if self.is_partial:
            return Markdown("Conclusions are drawn from the committed records of all data sets.")
        return Markdown(text())


class Chapter(Exhibits):
    """What every chapter has. A paper's own chapter is a subclass in its folder.

    A subclass sets the attributes from ``paper`` to ``exhibits``, and defines ``judge``,
    ``answer`` and ``findings``. It defines ``is_own`` where several printed rows are the paper's.

    Parameters
    ----------
    profile : "paper" or "quick"
        The small synthetic data, or the real ones.
    datasets : iterable of str
        Registry names of data sets, None for all of the paper.
    seed : int or None
        Added to the seeds that the paper declares; None for the committed records.
    recompute : bool
        Whether studies are computed again, each once.

    Attributes
    ----------
    paper : Paper
    title : str
        The method with authors and year.
    place : int
        Its place in the book.
    measures : iterable of str
        Names of the measures that its tables print.
    own_method : str
        Name of the printed row that the picture at the head shows.
    lead_measure : str
        The measure of that picture.
    null_in_words : str
        What it calls the predictor that ignores the features.
    printed_tables : tuple of int
        Numbers of the printed tables that stand beside the experiment "tables".
    experiments_of_tables : tuple of str
        Names of the experiments whose methods stand in printed tables.
    exhibits : dict
        Name -> function of the chapter that returns what `show` displays.
    remarks : dict
        Id of a headline claim -> what its card says beside the mark, on the committed records.
    wanted : iterable of str
        Data sets that are shown, in the paper's order.

    See Also
    --------
    ldlrepro.papers.open_chapter : Opens one as its notebook does.
    """

    paper = None
    place = 0
    measures = ()
    own_method = ""
    lead_measure = "kl_divergence"
    remarks = {}
    null_in_words = "the mean predictor"
    printed_tables = ()
    experiments_of_tables = ("tables",)

    def __init__(self, profile="paper", datasets=None, seed=None, recompute=False):
        self.paper = reseeded(self.paper, seed)
        self.profile, self.recompute = profile, recompute
        self.wanted = datasets or data_sets(self.paper)
        self._studies = {}

    # What a paper's chapter says.

    def is_own(self, method):
        """Whether a printed row is one of the paper's own method."""
        if not self.own_method:
            raise NotImplementedError(
                f"{type(self).__name__} in papers/{self.paper.name}/chapter.py has no own_method. "
                "Name the printed row of its method, or define is_own(self, method)."
            )
        return method == self.own_method

    def judge(self):
        """The claims with verdict and evidence, as of `claims.claims_table`."""
        raise self._lacks("judge", "the claims with verdict and evidence (`claims_table`)")

    def answer(self):
        """What anybody should know of the result: a text of at most 25 words and one number."""
        raise self._lacks("answer", "a text of at most 25 words and one number")

    def findings(self):
        """Dict, id of a headline claim -> a short paragraph with numbers from the records."""
        raise self._lacks("findings", "{id of a headline claim: a short paragraph}")

    def _lacks(self, name, what):
        return NotImplementedError(
            f"{type(self).__name__} in papers/{self.paper.name}/chapter.py has no {name}(self). "
            f"Define it: it returns {what}."
        )

    def records_of_tables(self):
        """Records of the methods in the tables."""
        return self.records["tables"]

    def more_methods(self):
        """Records of methods that `confusion_of` shows beside those of the tables, or None."""
        return None

    def cause_options(self):
        """Keyword arguments for `causes.causes`, beside the chapter."""
        return {}

    def parts(self):
        """The chapter by what of its data sets counts: (name, chapter); the first one in totals."""
        return [("", self)]

    # What it reads.

    @cached_property
    def records(self):
        """Dict, experiment -> records of the wanted data sets."""
        return {
            e.name: read(self.paper, e.name, self.profile, self.wanted)
            for e in self.paper.experiments
        }

    @cached_property
    def tables(self):
        """Records of the methods in the tables."""
        return self.records_of_tables()

    @cached_property
    def printed(self):
        """Printed cells, with the mean of a predictor that ignores the features."""
        there = published_cells(self.paper.name, self.printed_tables, self.measures)
        return with_null(there, self.tables, self.paper.null)

    @cached_property
    def names(self):
        """Every data set of the paper -> its name in tables."""
        copies = provenance.unverified(pd.concat(self.records.values()))
        return provenance.display_names(self.tables, data_sets(self.paper), data.list(), copies)

    @cached_property
    def excluded_datasets(self):
        """Data sets that are not the original files: shown and named so, never counted."""
        copies = provenance.unverified(pd.concat(self.records.values()))
        return sorted({*provenance.excluded(self.tables), *copies})

    def counting(self, records):
        """Those of the records that totals count: in the quick profile all, though synthetic."""
        if self.profile != "paper":
            return records
        return records[~records.dataset.isin(self.excluded_datasets)]

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

    def with_methods(self, experiment, methods):
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

    @cached_property
    def claims(self):
        """The claims of the paper and our own questions, with verdict and evidence."""
        return self.judge()

    @property
    def is_partial(self):
        """Whether these are not the committed records of all data sets."""
        return bool(self.paper.seed) or set(self.wanted) < set(data_sets(self.paper))

    def state(self):
        """Text on what was not run and what is stale."""
        status = protocols.status(self.paper, self.profile)
        if self.profile == "paper":
            status = [row for row in status if row["dataset"] in self.wanted]
        seed = f" --seed {self.paper.seed}" if self.paper.seed else ""
        which = "Every data set asked for" if self.is_partial else "Every data set"
        return provenance.state(status, self.names, self.paper.name + seed, which)

    # What it shows.

    def known(self):
        """What `show` can show: what every chapter has, and its own."""
        return COMMON | self.exhibits

    def evidence(self):
        """The picture at the head: the method of the paper, a row a data set."""
        return evidence_picture(self, self.own_method, self.lead_measure, self.null_in_words)

    def agreement_caption(self):
        """Caption of the table of numbers that match."""
        numbers = list(self.printed_tables)
        many = f"s {min(numbers)}-{max(numbers)}" if len(numbers) > 1 else f" {numbers[0]}"
        return (
            f"Informative numbers of Table{many} that ours match; in brackets the uninformative "
            "ones, and how many of these ours miss"
        )


def show_agreement(chapter):
    """Printed numbers that ours match, by data set and method."""
    table = agreement(chapter.compared, chapter.names, chapter.excluded_datasets)
    return show(table, chapter.agreement_caption(), missing="not run", folded=False)


#: Exhibits of every chapter.
COMMON = {
    "answer": lambda chapter: chapter.in_words(lambda: f"**{chapter.answer()}**"),
    "headlines": lambda c: show_headlines(c.claims, c.remarks if c.profile == "paper" else {}),
    "evidence": lambda chapter: chapter.evidence(),
    "findings": lambda c: c.in_words(lambda: findings_in_markdown(c.claims, c.findings())),
    "agreement": show_agreement,
    "state": Chapter.state,
    "confusion": lambda c: confusion_picture(confusion_of(c, c.more_methods())),
    "skill": lambda c: skill_picture(c.ours, c.printed, c.names, c.order),
    "claims": lambda chapter: show_claims(chapter.claims),
    "departures": show_departures,
    "identities": lambda chapter: show_identities(chapter.paper.name),
    "rounding": show_rounding,
    "provenance": lambda chapter: provenance.show_provenance(chapter.records),
}


def open_chapter(kind, *, profile="paper", datasets=None, seed=None, n_jobs=1, recompute=False):
    """Run what a paper lacks and open its chapter.

    Parameters
    ----------
    kind : type
        Subclass of `Chapter`.
    profile, datasets
        Those of the notebook, as for `ldlrepro.protocols.run`.
    seed : int or None
        Added to the seeds that the paper declares; records lie apart then, in ldlrepro-records.
        None for the committed ones.
    n_jobs, recompute
        As for `ldlrepro.protocols.run`.

    Raises
    ------
    UnknownNameError
        A data set that the paper does not have, or a parameter that the notebook does not have.

    See Also
    --------
    ldlrepro.protocols.run : What it runs.
    """
    style()
    show_given(profile=profile, datasets=datasets, seed=seed, recompute=recompute)
    seed = parameters.seed(seed)
    paper = reseeded(kind.paper, seed)
    datasets = chosen(paper, datasets, profile)
    protocols.run(
        paper,
        datasets=datasets,
        profile=profile,
        n_jobs=parameters.processes(n_jobs),
        recompute=recompute,
        progress=False,
    )
    return kind(profile, datasets, seed, recompute)


def data_sets(paper, profile="paper"):
    """Every data set of a paper, in the order of its experiments."""
    names = (d for e in paper.experiments for d in datasets_of(paper, e, profile))
    return list(dict.fromkeys(names))


def chosen(paper, datasets, profile):
    """Registry names of the data sets that a parameter names (`listed`), None for all.

    Raises
    ------
    UnknownNameError
        One that the paper does not have under this profile.
    """
    names, found = listed(datasets), []
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


def show_given(**parameters):
    """Under parameters that are not the defaults, a line that names them.

    The words around are about the committed records of all data sets.
    """
    defaults = {"profile": "paper", "datasets": None, "seed": None, "recompute": False}
    given = {name: value for name, value in parameters.items() if value != defaults[name]}
    if given:
        text = "The prose below is about the committed records of all data sets"
        display(Markdown(f"**Run with {described(given)}.** {text}."))


def read(paper, experiment, profile, wanted):
    """Records of one experiment on some data sets."""
    records = protocols.read(paper, paper.experiment(experiment), profile)
    return records.query("dataset in @wanted")
