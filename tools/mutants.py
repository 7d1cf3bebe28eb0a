"""Do the tests notice a changed program? Seeded mutants of measures, protocols and kernels.

    python tools/mutants.py --number 200 --out data/mutants.csv

cosmic-ray (`pip install cosmic-ray`, in an environment of its own with ``--python`` for that of the
tests) makes the changes, in a clone of a commit: of all places that it knows to change some are
drawn, and of each place one change. The tests nearest to a file run first (`NEAREST`), all others
where these notice nothing. Kernels run interpreted, so that nothing stale is compiled. What is
there is not run again: a stopped run goes on.

Before the nearest, the tests that reach the line run, those that reach the least first, where files
of coverage say which these are (``--covered``, repeatable):

    COVERAGE_FILE=reached NUMBA_DISABLE_JIT=1 pytest tests --cov=ldlrepro/kernels --cov-context=test

A row a mutant: number, file, line, definition, operator, before, after, outcome ("noticed", "by all
tests" or "survived"), and by which test; ``judged`` is written by people.
"""

import argparse
import csv
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ("number", "file", "line", "definition", "operator", "before", "after", "outcome", "test")
PATTERNS = ("metrics/*.py", "protocols/*.py", "kernels/*.py", "declare.py", "stats.py")
PATTERNS += ("papers/refit.py",)
#: Changes that no test can notice: a kernel without its decorator is the interpreted kernel.
LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter")
_FORESTS = ("structrf", "kernels", "single_label_rf", "boosting", "multilabel_forests")
NEAREST = {
    "metrics/": ("metrics", "ranking_measures", "habits", "age", "stats", "fuzz"),
    "kernels/boosting": ("boosting",),
    "kernels/label": ("multilabel_forests", "kernels", "mldf"),
    "kernels/lbfgs": ("maxent", "maxent_correlations"),
    "kernels/ldlf": ("ldlf",),
    "kernels/maxent": ("maxent", "maxent_correlations"),
    "kernels/mlfe": ("multilabel_baselines", "kernels"),
    "kernels/ranking": ("metrics", "ranking_measures"),
    "kernels/svm": ("multilabel_baselines", "kernels", "embedding"),
    "kernels/kernel_svm": ("problem_transformation",),
    "kernels/gain": ("adaptive_step",),
    "kernels/cpnn": ("neural",),
    "kernels/exponential": ("kernels", "neural", "maxent"),
    "kernels/_cache": ("kernel_cache",),
    "kernels/": _FORESTS,
    "protocols/environment": ("worker", "runner", "verify"),
    "protocols/fingerprint": ("fingerprint", "verify"),
    "protocols/journal": ("runner", "interruptions", "worker"),
    "protocols/ledger": ("ledger", "verify", "fingerprint", "runner"),
    "user/runs": ("comparing", "runner"),
    "user/marks": ("comparing_kept", "user_methods"),
    "user/scripts": ("comparing_kept", "user_methods"),
    "papers/refit": ("against", "practical", "report", "verify"),
    "protocols/rounding": ("report_rounding", "verify", "cli"),
    "protocols/source": ("fingerprint",),
    "protocols/split": ("protocols", "job", "age"),
    "protocols/selection": ("protocols", "job"),
    "protocols/verify": ("verify", "against", "runner"),
    "stats": ("stats", "comparison", "claims"),
    "protocols/studies": ("runner", "mldf_studies", "adaptive_step", "verify"),
    "declare": ("seed", "declared", "job", "runner"),
    "protocols/": ("job", "store", "merge", "runner", "worker", "verify", "seed", "protocols"),
}


def main():
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commit", default="HEAD", help="what is changed and tested")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "mutants.csv")
    parser.add_argument("--python", default=sys.executable, help="that has ldlrepro and pytest")
    parser.add_argument("--covered", type=Path, action="append", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--nearest-only", action="store_true", help="leave out the long runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clones = SimpleQueue()
        for job in range(options.jobs):
            clone = Path(folder) / str(job) / "clone"
            subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
            _git(clone, "checkout", "-q", options.commit)
            _git(clone, "tag", "unchanged")
            clones.put(clone)
        drawn = draw(clone, options.number, options.seed)
        rows, lock, waiting = _read(options.out), Lock(), []
        for number, mutant in enumerate(drawn):
            there = rows.get(number, {})
            if there and (there["file"], there["line"], there["operator"]) != mutant[:3]:
                sys.exit(f"{options.out}, mutant {number}, is of other code: give another --out.")
            done = there.get("outcome")
            if not done or (done == "survived the nearest" and not options.nearest_only):
                waiting.append((number, mutant, done is not None))

        def run(task):
            number, mutant, known = task
            clone = clones.get()
            try:
                row = {"number": number} | judge(clone, mutant, options, known)
            finally:
                _git(clone, "reset", "-q", "--hard", "unchanged")
                clones.put(clone)
            with lock:
                rows[number] = row
                _write(options.out, rows)
                print(row, flush=True)

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(run, waiting))


def draw(clone, number, seed):
    """Draw mutants: a list of (file below ldlrepro, line, operator, occurrence, definition)."""
    from cosmic_ray.commands.init import _all_work_items

    files = sorted(p for pattern in PATTERNS for p in (clone / "ldlrepro").glob(pattern))
    places = {}
    for item in _all_work_items(files, {}):
        spec = item.mutations[0]
        if not any(word in spec.operator_name for word in LEFT_OUT):
            name = Path(spec.module_path).relative_to(clone).as_posix()
            places.setdefault((name, spec.start_pos, spec.end_pos), []).append(spec)
    rng = random.Random(seed)
    specs = [rng.choice(places[place]) for place in rng.sample(sorted(places), number)]
    return [
        (
            Path(spec.module_path).relative_to(clone / "ldlrepro").as_posix(),
            str(spec.start_pos[0]),
            spec.operator_name.removeprefix("core/"),
            spec.occurrence,
            spec.definition_name or "",
        )
        for spec in specs
    ]


def judge(clone, mutant, options, nearest_known):
    """Change one place in a commit of its own and run tests; the row of the mutant."""
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator

    name, line, operator, occurrence, definition = mutant
    path, at = clone / "ldlrepro" / name, int(line) - 1
    before = path.read_text(encoding="utf-8").splitlines()[at]
    with use_mutation(path, get_operator(f"core/{operator}")(), occurrence):
        after = path.read_text(encoding="utf-8").splitlines()[at]
        # Some tests clone what they test. A float that one more does not change is no mutant.
        _git(clone, "commit", "-qam", "mutant", "--allow-empty")
        outcome, test = "survived the nearest", ""
        if not nearest_known and after != before:
            reached = reaching(options.covered, name, int(line))
            if reached:
                test = _failing(clone, name, reached, options.python, seconds=100)
            if test in ("", "timeout"):  # they may just be long
                near = next(tests for start, tests in NEAREST.items() if name.startswith(start))
                files = [f"tests/test_{t}.py" for t in near]
                files = [f for f in files if (clone / f).exists()]  # of an older commit
                test = _failing(clone, name, files, options.python)
            outcome = "noticed" if test else outcome
        if not test and not options.nearest_only:
            every = ["tests", "--ignore", "tests/pages"]
            test = _failing(clone, name, every, options.python, seconds=7200)
            outcome = "by all tests" if test else "survived"
    return {
        "file": name,
        "line": line,
        "definition": definition,
        "operator": operator,
        "before": before.strip(),
        "after": after.strip(),
        "outcome": outcome,
        "test": test,
    }


def reaching(covered, name, line, most=40):
    """Tests that reach a line, or the start of its statement; those of the fewest lines first.

    Parameters
    ----------
    covered : paths of files of coverage, with the test as context
    """
    tests = Counter()
    for path in covered:
        from coverage.numbits import numbits_to_nums

        with sqlite3.connect(path) as base:
            rows = base.execute(
                "select context, numbits from line_bits join file on file.id = file_id "
                "join context on context.id = context_id where path like ?",
                [f"%/ldlrepro/{name}"],
            ).fetchall()
        lines = {context.split("|")[0]: set(numbits_to_nums(bits)) for context, bits in rows}
        lines.pop("", None)
        known = set().union(*lines.values())
        start = max((n for n in known if n <= line), default=None)
        tests.update({test: -len(there) for test, there in lines.items() if start in there})
    return [test for test, _ in tests.most_common(most)]


def _git(clone, *words):
    who = ("-c", "user.name=mutants", "-c", "user.email=mutants@localhost")
    subprocess.run(["git", *who, *words], cwd=clone, check=True)


def _failing(clone, name, tests, python, seconds=900):
    """The first test that fails, "timeout", or "" where all pass."""
    variables = {"PYTHONPATH": str(clone), "NUMBA_CACHE_DIR": str(clone / "compiled")}
    command = [python, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
    if name.startswith("kernels/") and "_cache" not in name:
        variables["NUMBA_DISABLE_JIT"] = "1"
        command += ["-m", "interpreted"]
    try:
        done = subprocess.run(
            command, cwd=clone, env=os.environ | variables, capture_output=True, text=True,
            timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode in (0, 4, 5):  # 4 and 5: none of these tests is there
        return ""
    lines = done.stdout.splitlines()
    failed = [s.split(" - ")[0] for s in lines if s.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" ", 1)[1] if failed else f"exit {done.returncode}"


def _read(path):
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {int(row["number"]): row for row in csv.DictReader(file)}


def _write(path, rows):
    columns = (*COLUMNS, "judged")
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns, lineterminator="\n", restval="")
        table.writeheader()
        table.writerows(rows[number] for number in sorted(rows))


if __name__ == "__main__":
    main()
