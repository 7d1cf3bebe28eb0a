"""MLDF: confidences, thresholds, reuse, growth, and the six measures side by side."""

import naive_multilabel as naive
import numpy as np
import pytest

from ldlrepro import ERFPCT, MLDF, RFPCT, MLDFSuite, metrics
from ldlrepro.errors import UnknownNameError
from ldlrepro.metrics import MULTILABEL
from ldlrepro.models.multilabel._confidence import (
    LABEL_BASED,
    better,
    confidence,
    log_confidence,
    measure_items,
)
from ldlrepro.models.multilabel._mldf import best_layer, log_threshold, mean, reuse

SIX = list(MULTILABEL)
SMALL = {"n_estimators": 4, "more_estimators": 2, "max_estimators": 8, "max_layers": 5}


def data(n=90, seed=0):
    rng = np.random.RandomState(seed)
    X = np.hstack([rng.normal(size=(n, 6)), rng.randint(0, 2, size=(n, 3))])
    scores = X @ np.random.RandomState(0).normal(size=(9, 5)) + rng.normal(size=(n, 5))
    return X, (scores > 0.8).astype(int)


X, Y = data()
X_NEW, _ = data(seed=1)


def scores(n, c, seed):
    return np.random.RandomState(seed).uniform(size=(n, c))


# Table 2


def test_worked_example_of_the_paper():
    p = np.array([[0.9, 0.6, 0.4, 0.3]])
    assert confidence("hamming_loss", p.T)[0] == pytest.approx(0.7)
    p = p[0]
    # {0000, 1000, 1100, 1110, 1111} have zero ranking loss
    five = sum(np.concatenate([p[:j], 1 - p[j:]]).prod() for j in range(5))
    for measure in ("ranking_loss", "average_precision"):
        assert confidence(measure, p[None, ::-1])[0] == pytest.approx(five)
    assert confidence("macro_auc", p[:, None])[0] == pytest.approx(five)
    assert confidence("one_error", p[None])[0] == 0.9


@pytest.mark.parametrize("measure", SIX)
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_confidence_is_that_of_the_enumeration(measure, k):
    P = scores(5, k, seed=k)
    expected = [naive.table2(measure, p) for p in P]
    got = confidence(measure, P.T if measure in LABEL_BASED else P)
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("measure", SIX)
def test_sure_scores_have_confidence_1(measure):
    P = (scores(4, 6, seed=0) > 0.5).astype(float)
    P[:, 0], P[:, 1] = 1, 0
    if measure == "coverage":  # the confidence is 1 - expected rank / c
        np.testing.assert_allclose(confidence(measure, P), 1 - P.sum(axis=1) / 6)
    else:
        np.testing.assert_allclose(confidence(measure, P), 1)


@pytest.mark.parametrize("measure", ["hamming_loss", "ranking_loss", "average_precision"])
def test_surer_scores_have_more_confidence(measure):
    rows = [[0.5 + d, 0.5 + d, 0.5 - d, 0.5 - d] for d in np.linspace(0, 0.5, 6)]
    P = np.array(rows).T if measure == "hamming_loss" else np.array(rows)
    assert (np.diff(confidence(measure, P)) > 0).all()


def test_products_over_thousands_of_rows_do_not_underflow():
    P = scores(5000, 2, seed=0)
    P[:, 1] = P[:, 1].round()
    logs = log_confidence("macro_auc", P)
    assert -5000 < logs[0] < np.log(1e-300)
    assert logs[1] == pytest.approx(0)


def test_confidence_does_not_depend_on_the_order_of_labels():
    P = scores(6, 7, seed=2)
    for measure in set(SIX) - set(LABEL_BASED):
        np.testing.assert_allclose(confidence(measure, P), confidence(measure, P[:, ::-1]))


# measures item by item


@pytest.mark.interpreted
@pytest.mark.parametrize("measure", SIX)
@pytest.mark.parametrize("seed", range(3))
def test_items_average_to_the_measure(measure, seed):
    rng = np.random.RandomState(seed)
    truth, P = rng.uniform(size=(40, 6)) < 0.4, rng.uniform(size=(40, 6)).round(1)
    truth[0], truth[1], truth[:, 2] = False, True, False
    items = measure_items(measure, truth, P)
    assert items.shape == ((6,) if measure in LABEL_BASED else (40,))
    expected = getattr(metrics, measure)(truth, P)
    assert np.nanmean(items) == pytest.approx(expected, abs=1e-12)


# Algorithms 1 and 2


@pytest.mark.parametrize("measure", SIX)
def test_reuse_touches_exactly_what_is_below_the_threshold(measure):
    H, G = scores(30, 12, seed=0), scores(30, 12, seed=1)
    sure = log_confidence(measure, mean(H))
    threshold = np.median(sure)
    new = reuse(measure, H, G, threshold)
    kept = sure >= threshold
    if measure in LABEL_BASED:
        new, old, before = (A.reshape(30, 2, 6).swapaxes(0, 2) for A in (new, H, G))
    else:
        old, before = H, G
    assert kept.any() and not kept.all()
    np.testing.assert_array_equal(new[kept], old[kept])
    np.testing.assert_array_equal(new[~kept], before[~kept])
    np.testing.assert_array_equal(reuse(measure, H, G, -np.inf), H)


@pytest.mark.interpreted
@pytest.mark.parametrize("measure", SIX)
def test_threshold_is_the_mean_confidence_where_the_layer_is_worse(measure):
    truth = scores(25, 6, seed=4) < 0.4
    H, G = scores(25, 12, seed=0), scores(25, 12, seed=1)
    now, then = measure_items(measure, truth, mean(H)), measure_items(measure, truth, mean(G))
    worse = better(measure, then, now)
    assert worse.any() and not worse.all()
    expected = confidence(measure, mean(H))[worse].mean()
    assert np.exp(log_threshold(measure, truth, H, G)) == pytest.approx(expected)
    assert log_threshold(measure, truth, H, H) == -np.inf  # nothing is worse: no reuse


# Algorithm 3


def test_growth_stops_three_layers_after_the_best():
    losses = [0.5, 0.4, 0.41, 0.42, 0.4, 0.3]
    answers = [best_layer("one_error", losses[:t], 3) for t in range(1, 7)]
    assert answers[:4] == [(1, False), (2, False), (2, False), (2, False)]
    assert answers[4] == (2, True)  # an equal loss is no better, and the run ends here
    assert best_layer("one_error", [0.5, 0.4, 0.41, 0.39, 0.4, 0.4], 3) == (4, False)
    assert best_layer("macro_auc", losses, 3) == (1, True)
    assert best_layer("one_error", [float("nan")] * 4, 3) == (1, True)


@pytest.mark.parametrize("measure", ["one_error", "macro_auc"])
def test_layers_kept_are_those_up_to_the_best(measure):
    settings = SMALL | {"max_layers": 12, "patience": 2, "random_state": 0}
    fitted = MLDF(measure, **settings).fit(X, Y)
    grown = len(fitted.performance_)
    assert fitted.n_layers_ == fitted.layer_index_ < grown
    assert grown == 12 or grown == fitted.n_layers_ + 2
    all_layers = MLDF(measure, growth=False, **settings).fit(X, Y)
    assert (all_layers.n_layers_, len(all_layers.performance_)) == (12, 12)
    assert all_layers.performance_[:grown] == fitted.performance_
    stages = list(all_layers.staged_predict_proba(X_NEW))
    L = fitted.n_layers_
    np.testing.assert_array_equal(stages[L - 1], fitted.predict_proba(X_NEW))
    np.testing.assert_array_equal(stages[-1], all_layers.predict_proba(X_NEW))


# the whole


def test_first_layer_is_the_two_forests_averaged_over_folds():
    settings = {"max_layers": 1, "more_depth": 20, "n_estimators": 200, "max_estimators": 200}
    P = MLDF(random_state=0, **settings).fit(X, Y).predict_proba(X_NEW)
    forests = [f(400, random_state=1).fit(X, Y).predict_proba(X_NEW) for f in (RFPCT, ERFPCT)]
    assert np.abs(P - np.mean(forests, axis=0)).mean() < 0.02


def test_thresholds_start_at_the_third_layer_and_follow_the_layers():
    fitted = MLDF("one_error", growth=False, random_state=0, **SMALL).fit(X, Y)
    assert (fitted.thresholds_[:2] == 0).all() and (fitted.thresholds_[2:] > 0).any()
    stages = list(fitted.staged_predict_proba(X_NEW))
    G = None
    for t in range(fitted.n_layers_):
        Z = X_NEW if G is None else np.hstack([X_NEW, G])
        H = np.hstack([forest.predict(Z) for forest in fitted.cascade_.layers[t]])
        if t >= 2:
            low = mean(H).max(axis=1) < fitted.thresholds_[t]
            H[low] = G[low]
        np.testing.assert_allclose(stages[t], mean(H))
        G = H


def test_readings_of_the_released_code():
    model = MLDF("ranking_loss", reuse_from=2, random_state=0, growth=False, **SMALL).fit(X, Y)
    assert model.thresholds_[0] == 0 and model.thresholds_[1] > 0
    usual, unsorted = (
        MLDF("ranking_loss", sort_scores=s, random_state=0, growth=False, **SMALL).fit(X, Y)
        for s in (True, False)
    )
    np.testing.assert_array_equal(usual.thresholds_[:2], unsorted.thresholds_[:2])
    assert usual.thresholds_[2] != unsorted.thresholds_[2]
    p = np.array([[0.3, 0.9, 0.6]])
    five = sum(np.concatenate([p[0, :j], 1 - p[0, j:]]).prod() for j in range(4))
    assert np.exp(log_confidence("ranking_loss", p, sort=False)) == pytest.approx(five)
    assert best_layer("coverage", [0.5, 0.46, 0.45], 3) == (3, False)
    assert best_layer("coverage", [0.5, 0.46, 0.45], 3, min_gain=0.02) == (2, False)
    assert best_layer("macro_auc", [0.5, 0.56, 0.57], 3, min_gain=0.02) == (2, False)


def test_performance_is_out_of_fold():
    fitted = MLDF("hamming_loss", growth=False, random_state=0, **SMALL).fit(X, Y)
    last = list(fitted.staged_predict_proba(X))[-1]
    assert metrics.hamming_loss(Y, last) < fitted.performance_[-1]


@pytest.mark.parametrize("settings", [{}, {"reuse": False}, {"block": "c45", "growth": False}])
def test_suite_is_six_mldf(settings):
    settings = SMALL | settings | {"random_state": 5}
    suite = MLDFSuite(**settings).fit(X, Y)
    yielded = dict(suite.staged_predict(X_NEW))
    assert list(yielded) == SIX
    for cascade in suite.cascades_:
        alone = MLDF(cascade.measure, **settings).fit(X, Y)
        assert alone.performance_ == cascade.performance
        assert alone.layer_index_ == cascade.best
        np.testing.assert_array_equal(alone.predict_proba(X_NEW), yielded[cascade.measure])
    np.testing.assert_array_equal(suite.predict_proba(X_NEW), yielded["hamming_loss"])


def test_measures_share_the_layers_with_equal_inputs():
    settings = SMALL | {"growth": False, "random_state": 0}
    with_reuse = MLDFSuite(**settings).fit(X, Y).cascades_
    without = MLDFSuite(reuse=False, **settings).fit(X, Y).cascades_
    for t in range(5):
        assert len({id(c.layers[t]) for c in without}) == 1
        assert (len({id(c.layers[t]) for c in with_reuse}) == 1) == (t < 3)


def test_a_dropped_label_is_not_seen_by_the_second_layer():
    settings = SMALL | {"max_layers": 3, "growth": False, "random_state": 0}
    whole = MLDF("hamming_loss", **settings).fit(X, Y)
    dropped = MLDF("hamming_loss", drop_label=2, **settings).fit(X, Y)
    stages = [list(m.staged_predict_proba(X_NEW)) for m in (whole, dropped)]
    np.testing.assert_array_equal(stages[0][0], stages[1][0])
    assert np.abs(stages[0][1] - stages[1][1]).max() > 0
    width = [
        max(tree[0].max() for forest in m.cascade_.layers[1] for tree in forest.trees)
        for m in (whole, dropped)
    ]
    assert width[0] == X.shape[1] + 9 and width[1] == X.shape[1] + 7


def test_blocks_differ():
    pct, c45 = (MLDF(block=b, random_state=0, **SMALL).fit(X, Y) for b in ("pct", "c45"))
    assert np.abs(pct.predict_proba(X_NEW) - c45.predict_proba(X_NEW)).max() > 0


@pytest.mark.parametrize("measure", SIX)
def test_an_empty_or_full_label_has_a_constant_score(measure):
    truth = Y.copy()
    truth[:, 1], truth[:, 3] = 0, 1
    P = MLDF(measure, random_state=0, **SMALL).fit(X, truth).predict_proba(X_NEW)
    assert (P[:, 1] == 0).all() and (P[:, 3] == 1).all()
    assert np.isfinite(P).all()


@pytest.mark.interpreted
def test_labels_without_a_measure_are_fitted():
    fitted = MLDF("macro_auc", random_state=0, **SMALL).fit(X, np.zeros_like(Y))
    assert np.isnan(fitted.performance_).all() and fitted.n_layers_ == 1
    assert (fitted.predict_proba(X_NEW) == 0).all()


def test_an_unknown_measure_lists_the_six():
    with pytest.raises(UnknownNameError, match="'f1'.*" + ".*".join(SIX)):
        MLDF("f1").fit(X, Y)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"n_folds": 91}, "n_folds=91 with n_samples=90: more folds than rows"),
        ({"n_folds": 1}, "n_folds is 1: .* at least 2"),
        ({"max_layers": 0}, "max_layers is 0: .* at least 1"),
        ({"block": "cart"}, "block is 'cart': expected one of pct, c45"),
        ({"drop_label": 5}, "drop_label is 5: labels are 0 to 4"),
    ],
)
def test_a_parameter_out_of_range_is_named(settings, message):
    for estimator in (MLDF, MLDFSuite):
        with pytest.raises(ValueError, match=message):
            estimator(**settings).fit(X, Y)
