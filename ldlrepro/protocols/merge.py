"""Brings the records of shards, or of other machines, into one store, with checks."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ldlrepro import paths
from ldlrepro.declare import Paper
from ldlrepro.errors import LdlreproError
from ldlrepro.protocols import state
from ldlrepro.protocols.ledger import Ledger


class MergeError(LdlreproError):
    """A folder that holds no records, or records of the same job with different numbers."""


def merge(
    folders: Iterable[str | Path], papers: list[Paper], profile: str = "paper"
) -> pd.DataFrame:
    """Copy fresh and complete records from other stores into that of the profile.

    Parameters
    ----------
    folders : list of paths
        Each laid out as data/results; one that is named twice counts once.
    papers : list of Paper
        Their records are looked for; `reseeded` as in the runs.
    profile : {"paper", "quick"}
        That of the runs.

    Returns
    -------
    dict
        "added" jobs, "there" (already, with the same numbers), "stale" or incomplete ones, which
        are left where they are.

    Raises
    ------
    MergeError
        A folder without records, the one that is merged into, or jobs whose numbers differ
        from those that are there or in another folder. Nothing is written then.
    """
    ledger, found = Ledger(), {"added": 0, "there": 0, "stale": 0}
    differ = []
    added: dict = {}
    for folder in {paths.target(f): Path(f) for f in folders}.values():
        seen = False
        for paper in papers:
            for experiment in paper.experiments:
                theirs = state.open_store(paper, experiment, profile, folder)
                ours = state.open_store(paper, experiment, profile)
                if paths.target(theirs.folder) == paths.target(ours.folder):
                    raise MergeError(
                        f"{folder} is the folder that records are merged into: name the others "
                        "alone."
                    )
                for dataset in theirs.datasets():
                    seen = True
                    if dataset not in state.datasets_of(paper, experiment, profile):
                        continue
                    there = added.setdefault((ours.folder, dataset), (ours, {}))[1]
                    records = theirs.read(dataset), ours.read(dataset)
                    arguments = paper, experiment, dataset, profile, ledger
                    differ += _merge_set(records, there, arguments, found, folder)
        if not seen:
            raise MergeError(
                f"{folder} holds no records: it should be laid out as data/results. Nothing was "
                "written."
            )
    if differ:
        raise MergeError(
            f"{len(differ)} jobs have other numbers than those that are there; nothing was "
            f"written. The first: {differ[0]}. Find out which is right, with "
            "`ldlrepro verify` say, and delete the other."
        )
    for ours, jobs in added.values():
        if jobs:
            ours.put_all([job.to_dict("records") for job in jobs.values()])
    return found


def _merge_set(records, added, arguments, found, folder):
    """Collect in ``added`` what one folder has of a data set; jobs that differ, as texts."""
    paper, experiment, dataset, profile, ledger = arguments
    new, old = records
    differ = []
    done = [state.done(paper, experiment, dataset, r, profile, ledger) for r in (new, old)]
    for method in experiment.methods:
        mine, there = new[new.method == method.name], old[old.method == method.name]
        fresh, kept = (folds[method.name] for folds in done)
        found["stale"] += len(set(mine.fold) - fresh)
        for fold in sorted(fresh):
            job = mine[mine.fold == fold]
            other = there[there.fold == fold] if fold in kept else added.get((method.name, fold))
            if other is None:
                added[method.name, fold] = job
                found["added"] += 1
            elif _numbers(job, experiment).equals(_numbers(other, experiment)):
                found["there"] += 1
            else:
                what = f"{method.name} on {dataset}, fold {fold}"
                differ.append(f"{experiment.name} of {paper.name}: {what}, in {folder}")
    return differ


def _numbers(job, experiment):
    rows = job.assign(stage=[str(p.get("stage")) for p in job.parameters]).sort_values("stage")
    return pd.DataFrame(rows, columns=["stage", *experiment.measures]).reset_index(drop=True)
