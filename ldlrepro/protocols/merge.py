"""Brings the records of shards, or of other machines, into one store, with checks."""

from pathlib import Path

import pandas as pd

from ldlrepro.errors import LdlreproError
from ldlrepro.protocols import state
from ldlrepro.protocols.ledger import Ledger


class MergeError(LdlreproError):
    """A folder that holds no records, or records of the same job with different numbers."""


def merge(folders, profile="paper"):
    """Copy fresh and complete records from other stores into that of the profile.

    Parameters
    ----------
    folders : list of paths, each laid out as data/results

    Returns
    -------
    dict
        "added" jobs, "there" (already, with the same numbers), "stale" or incomplete ones, which
        are left where they are.

    Raises
    ------
    MergeError
        A folder without records, or jobs whose numbers differ from those that are there: they are
        named, and nothing of their data set is written.
    """
    ledger, found = Ledger(), {"added": 0, "there": 0, "stale": 0}
    papers = [state.get_paper(name) for name in state.paper_names()]
    differ = []
    for folder in map(Path, folders):
        seen = False
        for paper in papers:
            for experiment in paper.experiments:
                theirs = state.open_store(paper, experiment, profile, folder)
                ours = state.open_store(paper, experiment, profile)
                for dataset in theirs.datasets():
                    seen = True
                    if dataset in state.datasets_of(paper, experiment, profile):
                        arguments = paper, experiment, dataset, profile, ledger
                        differ += _merge_set(theirs, ours, arguments, found)
        if not seen:
            raise MergeError(f"{folder} holds no records: it should be laid out as data/results.")
    if differ:
        raise MergeError(
            f"{len(differ)} jobs have other numbers than those that are there; their data sets "
            f"were left as they were. The first: {differ[0]}. Find out which is right, with "
            "`ldlrepro verify` say, and delete the other."
        )
    return found


def _merge_set(theirs, ours, arguments, found):
    """Merge one data set of an experiment; the jobs that differ, as texts."""
    paper, experiment, dataset, profile, ledger = arguments
    new, old = theirs.read(dataset), ours.read(dataset)
    added, same, differ, stale = [], 0, [], 0
    for method in experiment.methods:
        mine, there = new[new.method == method.name], old[old.method == method.name]
        fresh = state.done(paper, experiment, method, dataset, mine, profile, ledger)
        kept = state.done(paper, experiment, method, dataset, there, profile, ledger)
        stale += len(set(mine.fold) - fresh)
        for fold in sorted(fresh):
            job = mine[mine.fold == fold]
            if fold not in kept:
                added.append(job.to_dict("records"))
            elif _numbers(job, experiment).equals(_numbers(there[there.fold == fold], experiment)):
                same += 1
            else:
                differ.append(f"{experiment.name} of {paper.name}: {method.name} on {dataset}, "
                              f"fold {fold}")  # fmt: skip
    if not differ:
        if added:
            ours.put_all(added)
        found["added"] += len(added)
        found["there"] += same
        found["stale"] += stale
    return differ


def _numbers(job, experiment):
    rows = job.assign(stage=[str(p.get("stage")) for p in job.parameters]).sort_values("stage")
    return pd.DataFrame(rows, columns=["stage", *experiment.measures]).reset_index(drop=True)
