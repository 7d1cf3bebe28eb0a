"""Time of a fit as a ratio to what users would take instead, measured in one run on one thread;
of forests and cascades on two threads beside one too.

Peers: scikit-learn for StructRF and the multi-label learners, python-ldl (extra ``bench``) for the
others. Data sets that are not at hand are replaced by synthetic stand-ins, and named so.
"""

import argparse
import os
import time
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from ldlrepro import (
    ECC,
    ERFPCT,
    LDSVR,
    MLDF,
    PTSVM,
    RFMLC45,
    RFPCT,
    MLDFSuite,
    SingleLabelRF,
    StructRF,
    datasets,
    memory,
)
from ldlrepro.errors import UnknownNameError
from ldlrepro.metrics import average_precision, kl_divergence
from ldlrepro.models.maxent import lclr_objective
from ldlrepro.papers.learners import AABP, AAKNN, CPNN, LDLLCLR, MSLP, SABFGS, SAIIS, PTBayes
from ldlrepro.protocols import environment
from ldlrepro.protocols.store import write_whole

FOREST = dict(max_depth=20, random_state=0)
FOREST_SETS = ("Yeast_alpha", "SBU_3DFE", "SCUT_FBP", "Movie")
MAXENT_SETS = ("Yeast_alpha", "SJAFFE", "SBU_3DFE")
BASELINE_SETS = ("SJAFFE", "SBU_3DFE")
LABEL_FOREST = dict(max_features="sqrt", random_state=0)
LABEL_SETS = {
    "RFPCT": ("yeast", "scene", "corel16k001"),
    "ERFPCT": ("yeast", "corel16k001"),
    "RFMLC45": ("yeast",),
    "ECC": ("yeast",),
}
THREADS_SETS = ("yeast", "corel16k001")
CHAINS = 20
LAYERS = 4
BFGS_STEPS = 300
IIS_STEPS = 200
EPOCHS = 100
ONE = "one thread"
SUITE = "MLDF for six measures, two threads"
#: The weights that python-ldl has by default: both then minimise the same.
_LCLR = {f"lambda{i}": 1e-4 for i in (1, 2, 3, 4)}
_HUMAN_GENE = """
from ldlrepro import StructRF
from ldlrepro.datasets import make_standin
b = make_standin("Human_Gene")
StructRF(random_state=0).fit(b.X, b.D)
report(rows=len(b.X))
"""


def run(names=None, repeats=3):
    """Measure, data set by data set; the best time of ``repeats`` counts, ours and the peer's taken
    in turn.

    Returns
    -------
    iterator of dict: dataset, method, peer, seconds, peer_seconds, ratio, kl, peer_kl (training
    K-L); of LDLLCLR objective, peer_objective (what both minimise); for multi-label learners
    average_precision, peer_average_precision (of rows not trained on)

    Raises
    ------
    UnknownNameError
        A data set that does not exist, or that nothing is timed on.
    UnknownFolderError
    """
    return _rows(None if names is None else _known(names), repeats)


def _rows(names, repeats):
    for measure, timed in (
        (_forests, FOREST_SETS),
        (_maxent, MAXENT_SETS),
        (_baselines, BASELINE_SETS),
        (_multilabel, LABEL_SETS["RFPCT"]),
    ):
        for name in names or timed:
            if name in timed:
                bunch = datasets.load_or_standin(name)
                with threadpool_limits(1):
                    rows = list(measure(bunch, repeats))
                yield from rows
    if names is None:
        yield _memory()
        yield _suite()


def _known(names):
    """Registry names of the data sets ``names``, each of which something is timed on."""
    timed = list(dict.fromkeys((*FOREST_SETS, *MAXENT_SETS, *BASELINE_SETS, *LABEL_SETS["RFPCT"])))
    names = [datasets.resolve(name) for name in names]
    for name in names:
        if name not in timed:
            raise UnknownNameError(
                f"Nothing is timed on {name}; there are timings on: {', '.join(timed)}."
            )
    return names


def _compare(bunch, method, peer, ours, theirs, repeats, objectives=None):
    """``ours`` and ``theirs`` fit on (X, D) and return a function that predicts, or None.

    objectives : two functions that give the value of what both minimise, after their last fits
    """
    ours(bunch.X[:50], bunch.D[:50])  # compiles
    best = {ours: float("inf"), theirs: float("inf")}
    loss = {}
    for _ in range(repeats):
        for fit in best:
            start = time.perf_counter()
            predict = fit(bunch.X, bunch.D)
            best[fit] = min(best[fit], time.perf_counter() - start)
            loss[fit] = kl_divergence(bunch.D, predict(bunch.X)) if predict else float("nan")
    values = [round(of(), 4) for of in objectives or ()]
    return {
        "dataset": bunch.display,
        "method": method,
        "peer": peer,
        "seconds": round(best[ours], 4),
        "peer_seconds": round(best[theirs], 4),
        "ratio": round(best[ours] / best[theirs], 3),
        "kl": round(loss[ours], 6),
        "peer_kl": round(loss[theirs], 6),
    } | dict(zip(("objective", "peer_objective"), values, strict=False))


def _forests(bunch, repeats):
    yield _compare(
        bunch,
        "StructRF",
        "scikit-learn RandomForestRegressor",
        lambda X, D: StructRF(50, min_samples_split=2, **FOREST).fit(X, D).predict,
        lambda X, D: RandomForestRegressor(50, max_samples=0.8, **FOREST).fit(X, D).predict,
        repeats if bunch.X.size < 10**7 else 1,
    )
    yield from _two_threads(bunch, repeats)


def _two_threads(bunch, repeats):
    """Forests on two threads beside themselves on one: half the time would be ideal."""
    for forest in (StructRF, SingleLabelRF):

        def fit(X, D, n_jobs=1, forest=forest):
            return forest(50, n_jobs=n_jobs, **FOREST).fit(X, D).predict

        both = partial(fit, n_jobs=2)
        yield _compare(bunch, f"{forest.__name__}, two threads", ONE, both, fit, repeats)


def _peer():
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras  # noqa: F401  # its nets ask for it late; without torch it cannot be imported
    from pyldl import algorithms

    return algorithms


def _absent(bunch, methods):
    reason = "python-ldl or its torch is not installed: pip install -e '.[bench]'"
    return [{"dataset": bunch.display, "method": m, "peer": reason} for m in methods]


def _maxent(bunch, repeats):
    try:
        peer = _peer()
    except ImportError:
        return _absent(bunch, ("SAIIS", "SABFGS"))
    enough = _steps_to(bunch, peer.SA_BFGS, repeats)
    pairs = (
        ("SABFGS", SABFGS(BFGS_STEPS), peer.SA_BFGS, BFGS_STEPS, repeats),
        # In as many steps ours often comes much further; this stops where the peer comes to.
        (f"SABFGS, {enough} steps", SABFGS(enough), peer.SA_BFGS, BFGS_STEPS, repeats),
        # The peer keeps ten pairs; with twenty ours comes as far or further in as many steps.
        (
            "SABFGS, memory 20",
            SABFGS(BFGS_STEPS, memory=20),
            peer.SA_BFGS,
            BFGS_STEPS,
            repeats,
        ),
        # Ours starts from zero, the peer at random: a tenth more steps, so that K-L is no worse.
        ("SAIIS", SAIIS(IIS_STEPS * 11 // 10), peer.SA_IIS, IIS_STEPS, 1),
    )
    rows = []
    for method, ours, theirs, steps, times in pairs:

        def fit_peer(X, D, theirs=theirs, steps=steps):
            model = theirs()
            model.fit(X, D, max_iterations=steps)
            return model.predict

        rows.append(
            _compare(
                bunch,
                method,
                "python-ldl",
                lambda X, D, ours=ours: ours.fit(X, D).predict,
                fit_peer,
                times,
            )
        )
    return rows


def _steps_to(bunch, peer, repeats):
    """Steps of SABFGS after which the training K-L is as low as the peer's best of some runs."""
    lowest = np.inf
    for _ in range(repeats):
        model = peer()
        model.fit(bunch.X, bunch.D, max_iterations=BFGS_STEPS)
        lowest = min(lowest, kl_divergence(bunch.D, model.predict(bunch.X)))
    model = SABFGS(BFGS_STEPS, path=tuple(range(1, BFGS_STEPS + 1))).fit(bunch.X, bunch.D)
    for step, P in model.staged_predict(bunch.X):
        if kl_divergence(bunch.D, P) <= lowest:
            return step
    return BFGS_STEPS


def _baselines(bunch, repeats):
    """Baselines of the MSLP paper, and LDLLCLR; prediction of the same rows is part of the time.

    Networks run as many passes over the rows as the peer's, which take the rows in one batch; ours
    take 32 rows a step (AA-BP) or are L-BFGS steps (CPNN). MSLP, for which there is no peer, is
    set beside scikit-learn's PCA with its neighbours.
    """
    try:
        peer = _peer()
    except ImportError:
        return _absent(bunch, ("AAKNN", "AABP", "CPNN", "LDSVR", "PTBayes", "PTSVM", "LDLLCLR"))
    epochs = {"epochs": EPOCHS}
    pairs = (
        ("AAKNN", AAKNN(5), peer.AA_KNN(k=5), {}, repeats),
        ("AABP", AABP(epochs=EPOCHS, random_state=0), peer.AA_BP(), epochs, 1),
        ("CPNN", CPNN(max_iter=EPOCHS, random_state=0), peer.CPNN(n_hidden=50), epochs, 1),
        ("LDSVR", LDSVR(), peer.LDSVR(), {}, repeats),
        ("PTBayes", PTBayes(0.1), peer.PT_Bayes(var_smoothing=0.1), {}, repeats),
        ("PTSVM", PTSVM(draws="labels", random_state=0), peer.PT_SVM(), {}, 1),
        ("LDLLCLR", LDLLCLR(**_LCLR), peer.LDL_LCLR(), {}, repeats),
        (
            "LDLLCLR, 10 rounds",
            LDLLCLR(10, **_LCLR, rho=1e-6),
            peer.LDL_LCLR(),
            {},
            repeats,
        ),
    )
    rows = []
    for method, ours, theirs, options, times in pairs:
        objectives = None
        if method.startswith("LDLLCLR"):
            objectives = (lambda ours=ours: ours.objective_), _objective_of(bunch, theirs)

        def fit_peer(X, D, theirs=theirs, options=options):
            theirs.fit(X, D, **options)
            P = np.asarray(theirs.predict(X))
            return lambda _: P

        def fit_ours(X, D, ours=ours):
            P = ours.fit(X, D).predict(X)
            return lambda _: P

        rows.append(_compare(bunch, method, "python-ldl", fit_ours, fit_peer, times, objectives))
        if method == "AAKNN":
            part = "AAKNN, scikit-learn's search in it", partial(_search, k=5)
            rows.append(_compare(bunch, part[0], "python-ldl", part[1], fit_peer, times))
    return rows + _embedding(bunch, repeats)


def _search(X, D, k):
    """Only the search for neighbours: what it costs is a limit of what it can be done in."""
    NearestNeighbors(n_neighbors=k).fit(X).kneighbors(X, return_distance=False)


def _objective_of(bunch, model):
    """A function that gives the objective of LDLLCLR at what python-ldl's has learnt."""

    def value():
        P = np.asarray(model.predict(bunch.X))
        return lclr_objective(P, bunch.D, model._W, model._S, *_LCLR.values())

    return value


def _embedding(bunch, repeats):
    """MSLP's fit, and the searches in it: the peer looks for neighbours when it predicts."""
    pca = make_pipeline(PCA(0.98, svd_solver="full"), KNeighborsRegressor(5))
    ours = {
        "MSLP": lambda X, D: MSLP().fit(X, D).predict,
        "MSLP, scikit-learn's search in it": partial(_search, k=25),
    }
    return [
        _compare(
            bunch,
            name,
            "scikit-learn PCA and KNeighborsRegressor",
            fit,
            lambda X, D: pca.fit(X, D).predict,
            repeats,
        )
        for name, fit in ours.items()
    ]


def _multilabel(bunch, repeats):
    """Forests of 100 trees and the chains of MLDF's chapter; RAkEL, MLFE, DBPNN have no peer."""
    pairs = {
        "RFPCT": (
            "scikit-learn RandomForestRegressor",
            _scores(RFPCT(100, random_state=0)),
            _scores(RandomForestRegressor(100, **LABEL_FOREST)),
        ),
        "ERFPCT": (
            "scikit-learn ExtraTreesRegressor",
            _scores(ERFPCT(100, random_state=0)),
            _scores(ExtraTreesRegressor(100, **LABEL_FOREST)),
        ),
        "RFMLC45": (
            "scikit-learn RandomForestClassifier",
            _scores(RFMLC45(100, random_state=0)),
            _scores(RandomForestClassifier(100, criterion="entropy", **LABEL_FOREST)),
        ),
        "ECC": (
            "scikit-learn ClassifierChain and LinearSVC",
            _scores(ECC(CHAINS, random_state=0)),
            _fit_chains,
        ),
    }
    rows = []
    for method, (peer, ours, theirs) in pairs.items():
        if bunch.name in LABEL_SETS[method]:
            times = repeats if bunch.X.size < 10**6 else 1
            rows += _compare_labels(bunch, method, peer, ours, theirs, times)
    if bunch.name in THREADS_SETS:
        rows += _label_forests_on_two_threads(bunch, repeats)
    return rows


def _label_forests_on_two_threads(bunch, repeats):
    """As `_two_threads`; of a cascade a fixed number of layers, timed once."""
    forests = {
        "RFPCT": partial(RFPCT, 100),
        "ERFPCT": partial(ERFPCT, 100),
        "MLDF": partial(MLDF, max_layers=LAYERS, growth=False),
    }
    for name, forest in forests.items():
        one, two = (_scores(forest(random_state=0, n_jobs=n)) for n in (1, 2))
        fit, _ = _compare_labels(bunch, name, ONE, two, one, repeats if name != "MLDF" else 1)
        yield fit | {"method": f"{name}, two threads"}


def _scores(model):
    """A function that fits the model on (X, Y) and returns one that scores the labels."""

    def fit(X, Y):
        model.fit(X, Y)
        if not hasattr(model, "predict_proba"):
            return model.predict
        return predict_proba

    def predict_proba(X):
        P = model.predict_proba(X)
        if isinstance(P, list):  # scikit-learn's: for each label the shares of its classes
            P = np.column_stack([p @ k for p, k in zip(P, model.classes_, strict=True)])
        return P

    return fit


def _fit_chains(X, Y):
    """As ECC: scaled features, bootstrap rows, the same loss and tolerance, soft votes."""
    rng = np.random.RandomState(0)
    scaler = MinMaxScaler().fit(X)
    scaled, chains = scaler.transform(X), []
    for number in range(CHAINS):
        drawn = rng.randint(len(X), size=len(X))
        svm = LinearSVC(loss="hinge", tol=0.1, random_state=0)
        chain = ClassifierChain(svm, order="random", random_state=number)
        chains.append(chain.fit(scaled[drawn], Y[drawn]))

    def predict_proba(X):
        Z = scaler.transform(X)
        return np.mean([expit(chain.decision_function(Z)) for chain in chains], axis=0)

    return predict_proba


def _compare_labels(bunch, method, peer, ours, theirs, repeats):
    """Fit on a random half of the rows and score the others, in a row of the table each."""
    X, Y, test, train = _halves(bunch)
    ours(X[train[:50]], Y[train[:50]])(X[test[:50]])  # compiles
    best = {ours: [np.inf, np.inf], theirs: [np.inf, np.inf]}
    precision = {}
    for _ in range(repeats):
        for fit in best:
            start = time.perf_counter()
            predict_proba = fit(X[train], Y[train])
            fitted = time.perf_counter()
            P = predict_proba(X[test])
            spent = fitted - start, time.perf_counter() - fitted
            best[fit] = np.minimum(best[fit], spent).tolist()
            precision[fit] = round(average_precision(Y[test], P), 4)
    return [
        {
            "dataset": bunch.display,
            "method": f"{method}, {part}",
            "peer": peer,
            "seconds": round(a, 4),
            "peer_seconds": round(b, 4),
            "ratio": round(a / b, 3),
            "average_precision": precision[ours],
            "peer_average_precision": precision[theirs],
        }
        for part, a, b in zip(("fit", "prediction"), best[ours], best[theirs], strict=True)
    ]


def _memory():
    """Peak memory of a StructRF fit at the size of Human Gene, in a process of its own."""
    values, peak = memory.peak(_HUMAN_GENE)
    return {
        "dataset": f"synthetic stand-in for Human_Gene ({values['rows']} rows)",
        "method": "StructRF",
        "peer": f"peak memory {peak / 2**30:.2f} GiB",
    }


def _suite():
    """MLDF for its six measures at once, on two threads. Timed once, on half of the rows as in the
    chapter; the precision is that of the layers for hamming loss."""
    bunch = datasets.load_or_standin("corel16k001")
    X, Y, test, train = _halves(bunch)
    MLDFSuite(max_layers=1, random_state=0).fit(X[:50], Y[:50])  # compiles
    with threadpool_limits(1):
        start = time.perf_counter()
        suite = MLDFSuite(random_state=0, n_jobs=2).fit(X[train], Y[train])
        seconds = time.perf_counter() - start
    return {
        "dataset": bunch.display,
        "method": SUITE,
        "seconds": round(seconds, 1),
        "average_precision": round(average_precision(Y[test], suite.predict_proba(X[test])), 4),
    }


def _halves(bunch):
    """Features, labels, and a random half of the rows to test on and one to train on."""
    X, Y = bunch.X, np.asarray(bunch.Y, dtype=float)
    return X, Y, *np.array_split(np.random.default_rng(0).permutation(len(X)), 2)


def main():
    """Time the methods beside their peers; a file keeps each row as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--dataset", action="append", help="only this one (repeatable)")
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--out", type=Path, metavar="FILE", help="CSV file that keeps the table")
    given = parser.parse_args()
    rows, made = [], {"machine": environment.machine(), "date": date.today().isoformat()}
    for row in run(given.dataset, given.repeats):
        rows.append(row)
        print(row)
        if given.out:
            write_whole(given.out, pd.DataFrame(rows).assign(**made).to_csv(index=False))


if __name__ == "__main__":
    main()
