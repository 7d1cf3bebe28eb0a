"""What the adaptive variable step saves (StructRF paper, section 4.5, Table 20, Figures 5 and 6).

The paper's task is the root of one tree on 10,000 rows of Human Gene with 36 features. Where that
file is not at hand, a real set of like size takes its place: each image of Natural Scene
(re-aligned) has 294 features, cut into eight consecutive pieces of 36; every piece carries its
image's distribution.
"""

import time

import numpy as np
import pandas as pd

from ldlrepro import datasets
from ldlrepro.errors import DataUnavailableError
from ldlrepro.kernels import gain as scratch
from ldlrepro.kernels import split as running
from ldlrepro.kernels.clustering import two_means
from ldlrepro.kernels.columns import Sorted, in_order

ALPHA, BETA = 0.25, 8.0
STEP = running.Step(True, ALPHA, BETA)
ROWS = 10_000
SIZES = (100, 300, 1000, 3000, 10_000)
FOLDS = 5


def task(quick=False):
    """Features (n, 36), distributions and the name of the data."""
    if quick:
        bunch = datasets.make_standin("Human_Gene", n_samples=400)
        return bunch.X, bunch.D, bunch.display, bunch.source
    try:
        bunch = datasets.load("Human_Gene")
        X, D, name, source = bunch.X, bunch.D, bunch.display, bunch.source
    except DataUnavailableError:
        bunch = datasets.load("Natural_Scene")
        X = bunch.X[:, : 8 * 36].reshape(-1, 36)
        D = np.repeat(bunch.D, 8, axis=0)
        name, source = f"pieces of {bunch.display}", bunch.source
    rows = np.random.default_rng(0).choice(len(X), ROWS, replace=False)
    return X[rows], D[rows], name, source


def run(quick=False):
    """Time four searches for the best split of a root node.

    Returns
    -------
    dict of DataFrame
        "searches": n, fold, counts ("from scratch", "running"), step ("all", "adaptive"),
        evaluations, milliseconds (sort included), gain, feature, threshold, dataset, source.
        "visits": feature, position, gain of what the two searches from scratch evaluated at the
        full size; of the search over all thresholds at most 100 a feature.
    """
    X, D, name, source = task(quick)
    sizes = [s for s in SIZES if s <= len(X)]
    rows, visits = [], []
    for n in sizes:
        for fold in range(FOLDS):
            some = np.random.default_rng(fold).permutation(len(X))[:n]
            if n == len(X):
                some = np.arange(n)
            XT, cluster = np.ascontiguousarray(X[some].T), _cluster(D[some], fold)
            for step in ("all", "adaptive"):
                one, seen = _from_scratch(XT, cluster, step)
                rows.append({"n": n, "fold": fold, "step": step} | one)
                if n == sizes[-1] and fold == 0:
                    visits.append(seen)
                rows.append({"n": n, "fold": fold, "step": step} | _running(XT, cluster, step))
    searches = pd.DataFrame(rows).assign(dataset=name, source=source)
    return {"searches": searches, "visits": pd.concat(visits)}


def _cluster(D, seed):
    cluster = np.empty(len(D), np.uint8)
    state = np.array([seed], np.uint64)
    two_means(np.ascontiguousarray(D), np.ones(len(D)), 100, state, cluster)
    return cluster


def _from_scratch(XT, cluster, step):
    q, n = XT.shape
    visited, gains = np.zeros((q, n), bool), np.zeros((q, n))
    alpha = ALPHA if step == "adaptive" else 0.0
    _warm_up()
    start = time.perf_counter()
    order = np.argsort(XT, axis=1, kind="stable")
    f, t, g, count = scratch.search(XT, order, cluster, alpha, BETA, visited, gains)
    row = _row("from scratch", start, count, g, f, t)
    feature, position = np.nonzero(visited)
    seen = pd.DataFrame({"step": step, "feature": feature, "position": position})
    seen["gain"] = gains[visited]
    if step == "all":
        seen = seen[seen.position % max(1, n // 100) == 0]
    return row, seen


def _running(XT, cluster, step):
    q, n = XT.shape
    packed = np.int64(1) + cluster.astype(np.int64) * (1 << 32)
    all1 = int(cluster.sum())
    _warm_up()
    start = time.perf_counter()
    t = running.entropy_table(n)
    base = t[all1] + t[n - all1] - t[n]
    node = running.Node(n, all1, base)
    best, best_f, best_at, count = base, 0, 0, 0
    for f in range(q):
        (order,), entry = in_order(XT[f : f + 1])
        one = Sorted(entry, XT[f : f + 1], np.zeros(1, np.int32))
        if step == "adaptive":
            at, g, more = running.scan_adaptive(one, 0, 0, n, packed, node, t, best, STEP)
            count += more
        else:
            at, g = running.scan_all(one, 0, 0, n, packed, node, t, best)
            count += int(entry[0, -1] >> 32)  # the highest rank
        if at >= 0:
            best, best_f = g, f
            best_at = 0.5 * (XT[f][order[at]] + XT[f][order[at + 1]])
    return _row("running", start, count, (best - base) / n, best_f, best_at)


def _row(counts, start, evaluations, gain, feature, threshold):
    return {
        "counts": counts,
        "evaluations": int(evaluations),
        "milliseconds": 1000 * (time.perf_counter() - start),
        "gain": gain,
        "feature": int(feature),
        "threshold": threshold,
    }


_warm = []


def _warm_up():
    """Compile before the clock starts."""
    if _warm:
        return
    _warm.append(True)
    XT = np.random.default_rng(0).normal(size=(2, 20))
    cluster = (XT[0] > 0).astype(np.uint8)
    for step in ("all", "adaptive"):
        _from_scratch(XT, cluster, step)
        _running(XT, cluster, step)
