"""What is declared, what of it is done, stale or missing."""

from importlib import import_module

from ldlrepro import datasets as data
from ldlrepro import paths
from ldlrepro.errors import UnknownNameError
from ldlrepro.protocols.fingerprint import fingerprint
from ldlrepro.protocols.ledger import Ledger
from ldlrepro.protocols.store import RecordStore

PROFILES = ("paper", "quick")
QUICK_FOLDS = 3
#: Modules beside the papers' declarations that help them.
_NO_PAPERS = ("age", "images", "learners")


def paper_names():
    """Names of the declared papers.

    See Also
    --------
    get_paper : The declaration of one.
    """
    modules = (p.stem for p in (paths.PACKAGE / "papers").glob("[a-z]*.py"))
    return sorted(name for name in modules if name not in _NO_PAPERS)


def get_paper(name):
    """Return the declaration of a paper by name (UnknownNameError lists those there are).

    See Also
    --------
    paper_names : Those there are.
    run : Runs it.
    """
    # Looked up by name at the call: this layer does not know the papers.
    known = paper_names()
    if name not in known:
        raise UnknownNameError(f"No paper {name!r}; there are: {', '.join(known)}.")
    return import_module(f"ldlrepro.papers.{name}").PAPER


def open_store(paper, experiment, profile="paper", root=None):
    """Return the RecordStore of a paper's experiment under a profile.

    Parameters
    ----------
    paper : Paper; experiment : Experiment
    root : folder of the records, None for that of the profile

    See Also
    --------
    run : Writes there.
    status : What is in it.
    """
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {', '.join(PROFILES)}, got {profile!r}.")
    if root is None:
        root = paths.results() if profile == "paper" else paths.quick_results()
    return RecordStore(root / paper.name / experiment.name, experiment.measures)


def datasets_of(paper, experiment, profile):
    """Data sets of an experiment under a profile."""
    return experiment.datasets if profile == "paper" else tuple(paper.quick)


def folds_of(experiment, profile):
    """Numbers of the folds of an experiment under a profile."""
    return range(experiment.folds if profile == "paper" else QUICK_FOLDS)


def done(paper, experiment, method, dataset, records, profile="paper", ledger=None):
    """Folds of a method on a data set whose records are fresh, and of staged methods complete.

    Parameters
    ----------
    records : DataFrame of the data set's records in the experiment
    ledger : Ledger, None reads it
    """
    records = records[(records.method == method.name) & (records.seed == experiment.seed)]
    records = records[records.fold.isin(folds_of(experiment, profile))]
    if profile == "paper":
        records = records[data.is_current(dataset, records.data_sha256)]
    else:
        records = records[records.n_train + records.n_test == paper.quick[dataset]]
    if records.empty:
        return set()
    ledger = Ledger() if ledger is None else ledger
    folds = len(folds_of(experiment, profile))
    fresh = {
        (mark, form): ledger.same(mark, fingerprint(method, folds, experiment, dataset, form))
        for mark, form in set(zip(records.fingerprint, records.source, strict=True))
    }
    records = records[[fresh[k] for k in zip(records.fingerprint, records.source, strict=True)]]
    if not method.staged:
        return set(records.fold)
    wanted = set(method.staged)
    return {
        fold
        for fold, mine in records.groupby("fold")
        if wanted == {parameters.get("stage") for parameters in mine.parameters}
    }


def status(paper, profile="paper"):
    """State of a paper's records: a list of dicts, one for each experiment, data set and method.

    Keys: experiment, dataset, method, done, stale, total (numbers of folds).

    See Also
    --------
    run : Does what is missing.
    """
    paper = get_paper(paper) if isinstance(paper, str) else paper
    ledger, rows = Ledger(), []
    for experiment in paper.experiments:
        store = open_store(paper, experiment, profile)
        for name in datasets_of(paper, experiment, profile):
            records = store.read(name)
            for method in experiment.methods:
                there = set(records.fold[records.method == method.name])
                fresh = done(paper, experiment, method, name, records, profile, ledger)
                rows.append(
                    {
                        "experiment": experiment.name,
                        "dataset": name,
                        "method": method.name,
                        "done": len(fresh),
                        "stale": len(there - fresh),
                        "total": len(folds_of(experiment, profile)),
                    }
                )
    return rows
