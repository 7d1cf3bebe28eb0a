"""Time and memory of each method against rows n, features q and labels c, on synthetic data.

Every fit runs in a process of its own, on one thread, with the method's defaults. One size grows at
a time; a method stops growing where the next fit would take longer than the limit.
"""

import argparse
import subprocess
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from ldlrepro import memory
from ldlrepro.discovery import all_estimators
from ldlrepro.errors import UnknownNameError
from ldlrepro.protocols import environment
from ldlrepro.protocols.store import write_whole
from ldlrepro.report import speed

#: Sizes of the smallest fit, and those that grow from it.
BASE = {"n": 1000, "q": 30, "c": 10}
SIZES = {
    "n": (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    "q": (30, 100, 300, 1000),
    "c": (10, 30, 100),
}
#: Seconds of a fit.
LIMIT = 10.0
#: A fit as large as gene expressions come, without a limit.
LARGE = ("ldl", "StructRF", {"n": 1_000_000, "q": 36, "c": 68})
#: Wrap other estimators, or change what they predict.
_WRAPPERS = ("BaggingLDL", "AdaBoostLDL", "RaisedZeros", "Shrunk")
COLUMNS = ("task", "method", "n", "q", "c", "seconds", "predict_seconds", "held", "peak",
           "outcome", "machine", "date")  # fmt: skip
FITTED, STOPPED, REFUSED, FAILED = "fitted", "over the limit", "refused", "failed"
#: Where a fit in a process of its own finds this module.
FOLDER = str(Path(__file__).parent)
_FIT = """
import time, warnings
import numpy as np
from threadpoolctl import threadpool_limits
import ldlrepro
from ldlrepro.errors import TooLargeError
sys.path.insert(0, sys.argv.pop(1))
from growth import synthetic

warnings.simplefilter("ignore")
task, method, n, q, c = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
model = getattr(ldlrepro, method)()
if "random_state" in model.get_params():
    model.set_params(random_state=0)
with threadpool_limits(1):
    model.fit(*synthetic(task, 60, q, c))  # compiles
    X, T = synthetic(task, n, q, c)
    before, start = held(), time.perf_counter()
    try:
        model.fit(X, T)
    except TooLargeError:
        report(outcome="refused", held=before)
        sys.exit()
    fitted = time.perf_counter()
    model.predict(X[:1000])
    spent = fitted - start, time.perf_counter() - fitted
report(outcome="fitted", seconds=spent[0], predict_seconds=spent[1], held=before)
"""


def synthetic(task, n, q, c):
    """Features (n, q) and label distributions or, for "multilabel", labels (n, c) that depend on
    five of them.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, q))
    Z = X[:, :5] @ rng.normal(size=(min(q, 5), c))
    Z += rng.normal(size=(n, c))
    if task == "multilabel":
        return X, (Z > np.quantile(Z, 0.8)).astype(float)
    Z = np.exp(Z - Z.max(axis=1, keepdims=True))
    return X, Z / Z.sum(axis=1, keepdims=True)


def methods(names=None):
    """(task, method) of the estimators of label distributions and labels; UnknownNameError."""
    known = [
        (task, name)
        for task in ("ldl", "multilabel")
        for name, _ in all_estimators(task)
        if name not in _WRAPPERS
    ]
    for name in names or ():
        if name not in {method for _, method in known}:
            raise UnknownNameError(
                f"No method {name!r}; there are: {', '.join(method for _, method in known)}."
            )
    return [(task, name) for task, name in known if names is None or name in names]


def run(names=None, limit=LIMIT, sizes=None, tell=print, out=None, large=False):
    """Grow the sizes, method by method.

    Parameters
    ----------
    names : list of str, methods, or None for all
    limit : float, seconds of a fit
    sizes : dict as `SIZES`, or None for it
    tell : called with a line for each fit
    large : bool, whether to fit `LARGE` too, which takes half an hour
    out : path of a CSV file that is written after each method, or None; methods that it has are
        not run again

    Returns
    -------
    DataFrame with `COLUMNS`; held and peak are bytes before the fit and at most
    """
    rows = []
    if out is not None and Path(out).exists():
        rows = pd.read_csv(out).to_dict("records")
    done = {(row["task"], row["method"]) for row in rows}
    for task, method in methods(names):
        if (task, method) in done:
            continue
        first = _measure(task, method, BASE, limit)
        rows.append(first)
        tell(_line(first))
        for size, steps in (sizes or SIZES).items():
            last = first
            for smaller, larger in pairwise(steps):
                # Time grows at least as the size does.
                if last["outcome"] != FITTED or last["seconds"] * larger / smaller > limit:
                    break
                last = _measure(task, method, BASE | {size: larger}, limit)
                rows.append(last)
                tell(_line(last))
        if large and (task, method) == LARGE[:2]:
            rows.append(_measure(*LARGE, None))
            tell(_line(rows[-1]))
        if out is not None:
            write_whole(Path(out), pd.DataFrame(rows, columns=COLUMNS).to_csv(index=False))
    return pd.DataFrame(rows, columns=COLUMNS)


def _measure(task, method, sizes, limit):
    row = {"task": task, "method": method, **sizes}
    row |= {"machine": environment.machine(), "date": date.today().isoformat()}
    try:
        # Beside the fit: imports, compilation, data and the fit of sixty rows.
        found, row["peak"] = memory.peak(
            _FIT, FOLDER, task, method, *map(str, sizes.values()), limit=limit and 2 * limit + 60
        )
    except subprocess.TimeoutExpired:
        return row | {"outcome": STOPPED}
    except subprocess.CalledProcessError as error:
        why = (error.stderr.strip().splitlines() or [f"status {error.returncode}"])[-1]
        return row | {"outcome": f"{FAILED}: {why[:200]}"}
    outcome = found.pop("outcome")
    row |= {name: float(value) for name, value in found.items()}
    return row | {"outcome": outcome}


def _line(row):
    size = f"{row['method']}, {row['n']} x {row['q']} -> {row['c']}: {row['outcome']}"
    if row["outcome"] == FITTED:
        size += f", {row['seconds']:.2f} s, {(row['peak'] - row['held']) / 2**20:.0f} MiB"
    return size


def main():
    """Time the methods that the file does not have, and print how they grow."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--method", action="append", help="only this one (repeatable)")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of a fit (default: 10)")
    parser.add_argument("--large", action="store_true", help="StructRF on a million rows too")
    parser.add_argument("--out", type=Path, metavar="FILE", help="CSV file that keeps the table")
    given = parser.parse_args()
    table = run(given.method, given.limit, out=given.out, large=given.large)
    print(speed.growth(table).to_string(index=False))


if __name__ == "__main__":
    main()
