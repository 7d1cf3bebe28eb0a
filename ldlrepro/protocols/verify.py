"""Proof that records can be made again: by this code on this machine, or by the code of a revision.

`verify` fits a random sample of records again. `against` compares the code of a revision with the
working tree for every mark that a change made stale, and notes in the ledger where it moved no
number.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress

import numpy as np
import pandas as pd

from ldlrepro import paths
from ldlrepro.declare import Paper
from ldlrepro.errors import DataCorruptError, DataUnavailableError, LdlreproError
from ldlrepro.protocols import environment, job, ledger, rounding, runner, state, worker
from ldlrepro.protocols.fingerprint import fingerprint, of_data, of_function
from ldlrepro.protocols.progress import waiting
from ldlrepro.protocols.scratch import scratch
from ldlrepro.protocols.studies import tables_of

#: What a sampled record can turn out to be.
OUTCOMES = (
    "equal",
    "within the spread",
    "another processor",
    "differs",
    "failed",
    "data not at hand",
    "package not installed",
)
#: Those of a record that could not be fitted here.
NOT_RUN = OUTCOMES[-2:]
#: Relative difference up to which a record is told from one made on another kind of processor by
#: nothing but that: compiled loops take vectors as wide as the processor has.
ELSEWHERE = 1e-6
#: How many times the stated spread such a record may be off: the range of the few kernels that
#: were run says little of one more. Of 512 jobs of methods that amplify rounding, fitted again on
#: another processor, 61 were off by more than their range, 12 by more than twice, 8 by more than
#: three times, all of them of one method on one data set whose fits take over a second: not all of
#: its folds were run.
RANGES = 3.0
_SAME_ALWAYS = ("n_train", "n_test")
#: Seconds from which on a fold is not cheap.
LONG = 60.0
#: Seconds: comparisons that take longer are noted at once, lest they are lost when it is stopped.
_AT_ONCE = 5.0
#: The module that ran single jobs before papers had folders.
_REFIT_BEFORE = "ldlrepro.protocols.refit"


class RevisionError(LdlreproError):
    """The code of a revision cannot be run beside the working tree."""


def verify(
    papers: list[Paper],
    sample: int = 20,
    seed: int = 0,
    max_seconds: float | None = None,
    n_jobs: int = 1,
    progress: bool = True,
) -> pd.DataFrame:
    """Fit a random sample of fresh records again and compare them.

    Parameters
    ----------
    papers : list of Paper
        Their records are fitted again.
    sample : int
        How many jobs (a job's stages are compared together).
    seed : int
        Draws the sample.
    max_seconds : float or None
        Only jobs whose recorded fit, times the points of its grid, took at most so long.
    n_jobs : int
        Processes.

    Returns
    -------
    DataFrame
        One row a job: paper, experiment, dataset, method, fold, outcome (of `OUTCOMES`), measure
        and relative difference furthest off, and the spread that is stated for it.
    """
    with waiting("reading the records and the code that they depend on"):
        there = fresh_jobs(papers)
    if max_seconds is not None:
        there = [one for one in there if one["seconds"] <= max_seconds]
    chosen = np.random.default_rng(seed).permutation(len(there))[:sample]
    rows, tasks, kept = [], [], []
    for one in (there[i] for i in sorted(chosen)):
        row = {k: one[k] for k in ("paper", "experiment", "dataset", "method", "fold")}
        experiment, method, records = one["declared"]
        absent = environment.missing(getattr(method.estimator, "packages", ()))
        if absent:
            why = f"needs {', '.join(absent)}"
            rows.append(row | {"outcome": "package not installed", "why": why})
            continue
        try:
            tasks.append(task_of(one))
        except (DataUnavailableError, DataCorruptError):
            rows.append(row | {"outcome": "data not at hand"})
            continue
        kept.append((row, records, experiment.measures))
    spreads = rounding.Spreads()
    with runner.Progress([1.0] * len(tasks), shown=progress) as bar:
        for i, again, failure in _each(tasks, n_jobs):
            row, records, measures = kept[i]
            bar.step(i, str(tasks[i]))
            if failure:
                rows.append(row | {"outcome": "failed", "why": failure.strip().split("\n")[-1]})
                continue
            spread = spreads.of(tasks[i].method.estimator, row["dataset"])
            here = _made_here(records)
            if here:
                rows.append(row | _compared(records, again, measures, spread))
                continue
            wider = {name: RANGES * value for name, value in spread.items()}
            rows.append(row | _compared(records, again, measures, wider, ELSEWHERE))
    columns = [*kept[0][0]] if kept else ["paper", "experiment", "dataset", "method", "fold"]
    columns += ["outcome", "measure", "difference", "spread", "why"]
    return pd.DataFrame(rows, columns=columns)


def task_of(one: dict) -> worker.Task:
    """What fits a job of `fresh_jobs` again; raises where its data cannot be had."""
    experiment, method, _ = one["declared"]
    form = job.data_of(experiment, one["dataset"]).source
    mark = fingerprint(method, experiment.folds, experiment, one["dataset"], form)
    where = one["dataset"], None, experiment.folds, one["fold"], mark
    return worker.Task(one["paper"], experiment, method, *where)


def _each(tasks, n_jobs):
    """`runner.results_of`, where a worker that dies is a failure of the fits that it takes along.

    What is left is run again, one fit a process: only that at which it dies has failed.
    """
    done = set()
    try:
        for i, again, failure in runner.results_of(tasks, n_jobs):
            done.add(i)
            yield i, again, failure
        return
    except BrokenProcessPool:
        pass
    for i, task in enumerate(tasks):
        if i not in done:
            try:
                yield from ((i, *rest) for _, *rest in runner.results_of([task], 1))
            except BrokenProcessPool as error:
                yield i, None, f"its process died ({worker.cause(error)})"


def fresh_jobs(papers: list[Paper]) -> list[dict]:
    """All jobs with fresh records, with what is needed to run them again."""
    known, found = ledger.Ledger(), []
    for paper in papers:
        for experiment in paper.experiments:
            store = state.open_store(paper, experiment)
            for dataset in store.datasets():
                if dataset not in experiment.datasets:
                    continue
                records = store.read(dataset)
                done = state.done(paper, experiment, dataset, records, ledger=known)
                for method in experiment.methods:
                    mine = records[records.method == method.name]
                    mine = mine[mine.fold.isin(done[method.name])]
                    for fold, rows in mine.groupby("fold"):
                        found.append(
                            {
                                "paper": paper.name,
                                "experiment": experiment.name,
                                "dataset": dataset,
                                "method": method.name,
                                "fold": int(fold),
                                "seconds": _seconds(rows.iloc[0], method),
                                "declared": (experiment, method, rows),
                            }
                        )
    return found


def _made_here(records):
    """Whether records come from loops compiled as here, and say which kernels torch used.

    Old ones do not say: they are from before kernels were fixed, whatever machine they name.
    """
    makers = zip(records.versions, records.cpu, strict=True)
    if any("torch" in versions and "torch" not in cpu for versions, cpu in makers):
        return False
    cpu, fixed = environment.cpu(), environment.fixed()
    features = fixed.get("NUMBA_CPU_FEATURES", cpu["features"])
    own = fixed.get("NUMBA_CPU_NAME", cpu["numba"]), _wide({"features": features})
    return all("numba" in cpu and (cpu["numba"], _wide(cpu)) == own for cpu in records.cpu)


def _wide(cpu):
    """Whether loops may use vectors of 512 bits."""
    return "avx512f" in cpu.get("features", "").replace(",", " ").replace("+", "").split()


def _compared(records, again, measures, spread, least=0.0):
    """Outcome of a job fitted again; ``spread`` maps measures to relative differences.

    ``least`` is what another processor may change, 0 where the records were made on one like this.
    """
    worst = {"outcome": "equal", "measure": "", "difference": 0.0, "spread": np.nan}
    stored = {json.dumps(p, sort_keys=True): r for p, r in _by_parameters(records)}
    made = {json.dumps(r["parameters"], sort_keys=True): r for r in again}
    if stored.keys() != made.keys():
        why = f"parameters {', '.join(sorted(made))} in place of {', '.join(sorted(stored))}"
        return worst | {"outcome": "differs", "why": why}
    for key, record in made.items():
        for measure in measures:
            old, new = stored[key][measure], float(f"{record[measure]:.10g}")
            if old == new or (np.isnan(old) and np.isnan(new)):
                continue
            away = abs(new - old) / max(abs(old), 1e-300)
            stated = spread.get(measure, 0.0)
            inside = away <= max(stated, least)
            if not inside or worst["outcome"] == "equal" or away > worst["difference"]:
                if worst["outcome"] == "differs" and (inside or away < worst["difference"]):
                    continue
                small = "within the spread" if away <= stated else "another processor"
                worst = {
                    "outcome": small if inside else "differs",
                    "measure": measure,
                    "difference": away,
                    "spread": stated,
                }
    return worst


def _by_parameters(records):
    return [(r["parameters"], r) for r in records.to_dict("records")]


def against(revision: str, papers: list[Paper], refit: bool, progress: bool = True) -> pd.DataFrame:
    """Compare the code of a git revision with the working tree for all that is stale.

    Of every stale (experiment, method) the cheapest recorded fold is run by both, of every stale
    way to read a data set the arrays are compared, of every stale study the quick tables. Marks
    that gave equal numbers go into the ledger.

    Returns
    -------
    DataFrame
        One row a comparison: kind, what, old and new mark, outcome ("equal", "differs",
        "not of this revision", "failed") and why.

    Raises
    ------
    RevisionError
        No checkout with git, no such revision, or one that cannot run single jobs.
    """
    _commit(revision)  # a wrong name is told before anything is read
    with waiting("looking for what is stale"):
        wanted = _stale(papers)
    if not wanted:
        return pd.DataFrame(columns=["kind", "what", "old", "new", "outcome", "why"])
    rows, entries, known = [], [], ledger.Ledger()
    with (
        _code_of(revision, refit) as (commit, folder, theirs),
        _process(theirs, folder) as then,
        _process(refit) as now,
    ):
        bar = runner.Progress([w["seconds"] for w in wanted], shown=progress)
        with bar:
            for i, one in enumerate(wanted):
                for process in (then, now):
                    _ask(process, one["request"])
                old, new = _reply(then), _reply(now)
                outcome, why = _judged(one, old, new, known)
                what = " ".join(str(v) for v in one["request"].values())
                rows.append(
                    {k: one[k] for k in ("kind", "old", "new")}
                    | {"what": what, "outcome": outcome, "why": why}
                )
                if outcome == "equal":
                    entries.append(
                        {k: one[k] for k in ("kind", "old", "new")}
                        | {"revision": commit, "compared": [what], "blas": new["blas"]}
                    )
                bar.step(i, what)
                if one["seconds"] > _AT_ONCE or i % 20 == 19 or i == len(wanted) - 1:
                    pending = {(w["kind"], w["old"], w["new"]) for w in wanted[i + 1 :]}
                    ledger.append(_joined(entries, rows, pending))
    return pd.DataFrame(rows)[["kind", "what", "old", "new", "outcome", "why"]]


def _joined(entries, rows, pending):
    """One entry for each pair of marks; none where a comparison failed or is still to come."""
    bad = {(r["kind"], r["old"], r["new"]) for r in rows if r["outcome"] != "equal"} | pending
    joined = {}
    for entry in entries:
        key = entry["kind"], entry["old"], entry["new"]
        if key in bad:
            continue
        if key in joined:
            joined[key]["compared"] = joined[key]["compared"] + entry["compared"]
        else:
            joined[key] = dict(entry)
    return list(joined.values())


def _stale(papers):
    """What to compare: a dict with kind, old and new mark, request and expected seconds."""
    known, found = ledger.Ledger(), {}
    for paper in papers:
        for experiment in paper.experiments:
            store = state.open_store(paper, experiment)
            for dataset in store.datasets():
                records = store.read(dataset)
                for method in experiment.methods:
                    mine = records[records.method == method.name]
                    _stale_marks(paper, experiment, method, dataset, mine, known, found)
        for study in paper.studies:
            new = of_function(study.function)
            for table in tables_of(paper, study.name).values():
                for old in table.fingerprint.unique():
                    if not known.same_mark("study", old, new):
                        request = {"paper": paper.name, "study": study.name}
                        found["study", old, new, paper.name, study.name] = {
                            "request": request, "seconds": 30.0, "times": study.times,
                        }  # fmt: skip
    return _cheaper(
        [{"kind": key[0], "old": key[1], "new": key[2]} | one for key, one in found.items()]
    )


def _stale_marks(paper, experiment, method, dataset, records, known, found):
    for (mark, form), rows in records.groupby(["fingerprint", "source"]):
        old_method, _, old_data = mark.partition(".")
        new_data = of_data(dataset, form, experiment.images)
        if not known.same_mark("data", old_data, new_data):
            request = {"dataset": dataset, "source": form}
            if experiment.images:
                request["images"] = experiment.images
            found["data", old_data, new_data, dataset] = {"request": request, "seconds": 0.1}
        new = fingerprint(method, experiment.folds, experiment, dataset, form).split(".")[0]
        if known.same_mark("method", old_method, new):
            continue
        cheapest = rows.loc[rows.fit_seconds.idxmin()]
        key = "method", old_method, new, paper.name, experiment.name, method.name
        if key not in found or found[key]["seconds"] > _seconds(cheapest, method):
            request = {
                "paper": paper.name,
                "experiment": experiment.name,
                "dataset": dataset,
                "method": method.name,
                "fold": int(cheapest.fold),
            }
            found[key] = {
                "request": request,
                "seconds": _seconds(cheapest, method),
                "measures": experiment.measures,
                "alike": (
                    paper.name,
                    repr(method.estimator),
                    experiment.measures,
                    experiment.source,
                    repr(experiment.images),
                ),
            }


def _seconds(record, method):
    """Expected seconds of a job: its recorded fit, as often as it is fitted."""
    return record.fit_seconds * state.fits_of(method)


def _cheaper(found):
    """Where all folds of a pair take long, run it on a set that the paper runs elsewhere."""
    best = {}
    for one in found:
        if one["kind"] == "method":
            key = one["alike"]
            if key not in best or best[key]["seconds"] > one["seconds"]:
                best[key] = one
    for one in found:
        if one["kind"] == "method" and one["seconds"] > LONG:
            other = best[one["alike"]]
            one["request"] |= {"dataset": other["request"]["dataset"], "fold": 0}
            one["seconds"] = other["seconds"]
    return sorted(found, key=lambda one: one["seconds"])


def _judged(one, old, new, known):
    """Outcome of one comparison, and why."""
    for name, reply in (("the revision", old), ("the working tree", new)):
        if "error" in reply:
            return "failed", f"{name}: {reply['error']}"
    marks = [reply["fingerprint"].split(".")[0] for reply in (old, new)]
    if not known.same_mark(one["kind"], one["old"], marks[0]):
        return "not of this revision", f"the revision's mark is {marks[0]}"
    if marks[1] != one["new"]:
        return "failed", f"the working tree's mark is {marks[1]}: did it change meanwhile?"
    if one["kind"] == "data":
        same = old["digest"] == new["digest"]
        return ("equal", "") if same else ("differs", "the arrays are not the same")
    if one["kind"] == "study":
        return _same_tables(old["tables"], new["tables"], one["times"])
    told = [_told(reply["records"], one["measures"]) for reply in (old, new)]
    if told[0] == told[1]:
        return "equal", ""
    return "differs", _first_difference(*told)


def _told(records, measures):
    """The numbers of a job to ten digits."""
    return [
        {"parameters": json.dumps(r["parameters"], sort_keys=True)}
        | {name: r[name] for name in _SAME_ALWAYS}
        | {name: f"{r[name]:.10g}" for name in measures}
        for r in records
    ]


def _first_difference(old, new):
    if len(old) != len(new):
        return f"{len(old)} records, {len(new)} now"
    for a, b in zip(old, new, strict=True):
        for name in a:
            if a[name] != b[name]:
                return f"{name}: {a[name]}, {b[name]} now"


def _same_tables(old, new, times):
    if old.keys() != new.keys():
        return "differs", f"tables {sorted(old)}, {sorted(new)} now"
    for name in old:
        a, b = (
            pd.read_json(io.StringIO(t[name])).drop(columns=[*times], errors="ignore")
            for t in (old, new)
        )
        try:
            pd.testing.assert_frame_equal(a, b, rtol=1e-9, atol=1e-12)
        except AssertionError as error:
            return "differs", f"{name}: {str(error).splitlines()[0]}"
    return "equal", ""


@contextmanager
def _code_of(revision, refit):
    """(Commit, folder with the package, its module refit) as they were at a revision."""
    root, commit = paths.PACKAGE.parent, _commit(revision)
    there = _git(root, "ls-tree", "-r", "--name-only", commit).decode().split("\n")
    theirs = [m for m in (refit, _REFIT_BEFORE) if f"{m.replace('.', '/')}.py" in there]
    if not theirs:
        raise RevisionError(
            f"The code of {revision} cannot run single jobs (it has no module refit): take "
            "a later revision."
        )
    parts = ["ldlrepro", "data/datasets.csv", "data/published", "data/results/ledger.csv"]
    parts = [p for p in parts if any(name == p or name.startswith(f"{p}/") for name in there)]
    with scratch() as folder:
        archive = _git(root, "archive", commit, *parts)
        tarfile.open(fileobj=io.BytesIO(archive)).extractall(folder, filter="data")
        yield commit, folder, theirs[0]


def _commit(revision):
    """The commit that a name of a revision stands for."""
    root = paths.PACKAGE.parent
    try:
        return _git(root, "rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    except OSError as error:
        raise RevisionError(
            f"git cannot be run ({error.strerror or error}): install it, or put it on the PATH."
        ) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        if "dubious ownership" in said:
            raise RevisionError(
                f"git does not read {root}, since it belongs to another user. `git config --global "
                f"--add safe.directory {root}` allows it."
            ) from error
        if "not a git repository" in said:
            raise RevisionError(f"{root} is no git checkout: only there are revisions.") from error
        raise RevisionError(
            f"{revision!r} is no revision of the git checkout at {root}: `git log` lists them."
        ) from error


def _git(root, *arguments):
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


@contextmanager
def _process(refit, folder=None):
    """A process of the module refit, with the package in ``folder`` (None: this one)."""
    folder = paths.PACKAGE.parent if folder is None else folder
    data = (paths.local_copies() or paths.downloads()).resolve()
    variables = worker.variables() | {"PYTHONPATH": str(folder), "LDLREPRO_DATA": str(data)}
    with worker.undisturbed():
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", refit],
            cwd=folder,
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()


def _ask(process, request):
    with suppress(OSError):  # it has ended: `_reply` says so
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()


def _reply(process):
    line = process.stdout.readline()
    if not line:
        return {"error": f"the process ended with status {process.wait()}"}
    return json.loads(line)


def machine_line() -> str:
    """One line on the kernels that re-fits use, for the head of a report."""
    fixed = " ".join(f"{name}={value!r}" for name, value in environment.fixed().items())
    return f"{environment.machine()}; workers with {fixed or 'the kernels of this process'}"
