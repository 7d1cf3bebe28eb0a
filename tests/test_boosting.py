"""LDLogitBoost and AOSO-LDLogitBoost against slow twins, and what their API promises."""

import naive_boosting as naive
import numpy as np
import pytest

from ldlrepro import AOSOLDLogitBoost, LDLogitBoost, MeanPredictor
from ldlrepro.datasets import make_toy
from ldlrepro.kernels import boosting as kernel
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.boosting._rounds import prepare

BOTH = [LDLogitBoost, AOSOLDLogitBoost]
toy = make_toy(random_state=0)


def data(kind, n=60, seed=0):
    rng = np.random.default_rng(seed)
    D = rng.dirichlet(np.full(4, 0.7), n)
    X = rng.normal(size=(n, 5)) + D[:, :1]
    if kind == "mixed":
        X[:, 1:4] = X[:, 1:4] > [0.1, 0.7, -0.5]
        X[:, 4] = 2.0
    if kind == "zeros":
        D[:, 0] = 0
        D[:10] = np.eye(4)[rng.integers(1, 4, 10)]
        D /= D.sum(axis=1, keepdims=True)
    return X, D, naive.softmax(rng.normal(size=D.shape))


@pytest.mark.interpreted
def test_terms_are_the_derivatives_of_the_loss():
    rng = np.random.default_rng(0)
    e = 1e-4
    for _ in range(20):
        d, f = rng.dirichlet(np.ones(5)), rng.normal(size=5)
        p = naive.softmax(f)
        r, s = rng.permutation(5)[:2]
        for direction, (g, h) in [
            (np.eye(5)[r], kernel.label_terms(d[r], p[r])),
            (naive.pair_direction(r, s, 5), kernel.pair_terms(d[r], p[r], d[s], p[s])),
        ]:
            below, at, above = (naive.loss(d, f + t * direction) for t in (-e, 0, e))
            assert g == pytest.approx(-(above - below) / (2 * e), abs=1e-7)
            assert h == pytest.approx((above - 2 * at + below) / e**2, abs=1e-5)


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["plain", "mixed", "zeros"])
def test_pair_rule(kind):
    _, D, P = data(kind)
    rng = np.random.default_rng(1)
    seen = set()
    for k in (1, 2, 5, 20, 60):
        rows = rng.permutation(60)[:k].astype(np.int32)
        pair = kernel.choose_pair(D, P, rows)
        assert pair == naive.choose_pair(D[rows], P[rows])
        seen.add(pair)
    assert len(seen) > 1


@pytest.mark.interpreted
@pytest.mark.parametrize("min_samples_leaf", [1, 7])
@pytest.mark.parametrize("kind", ["plain", "mixed"])
def test_split_has_the_largest_gain(kind, min_samples_leaf):
    X, D, P = data(kind)
    binned, sparse = prepare(X)
    b = len(sparse.feature)
    scratch = kernel.Scratch(np.empty((256, 3)), np.zeros((b, 3)), np.empty(b, np.int32))
    names = np.concatenate([binned.feature, sparse.feature])
    rng = np.random.default_rng(2)
    for k in (60, 30, 15):
        rows = rng.permutation(60)[:k].astype(np.int32)
        g, h = naive.terms(D[rows], P[rows], naive.pair_direction(0, 2, 4))
        gain, f, _ = kernel.best_cut(rows, g, h, min_samples_leaf, binned, sparse, scratch)
        expected, column, _ = naive.best_cut(X[rows], g, h, min_samples_leaf)
        assert gain == pytest.approx(expected)
        assert names[f] == column
        assert not scratch.count.any()  # left clean for the next node


@pytest.mark.interpreted
@pytest.mark.parametrize("label", [-1, 0, 3])
@pytest.mark.parametrize("kind", ["plain", "mixed", "zeros"])
@pytest.mark.parametrize("size", [(8, 60, 1), (60, 3, 2), (5, 60, 10), (200, 60, 1)])
def test_tree_is_that_of_the_slow_twin(kind, label, size):
    X, D, P = data(kind)
    tree = kernel.grow(D, P, label, kernel.Size(*size), *prepare(X))
    feature, _, _, _, r, s, _ = tree
    assert (s == -1).all() if label >= 0 else (r != s).all()
    F = np.zeros(D.shape)
    kernel.add_trees(X, np.array([0]), *tree, F)
    expected = naive.grow(X, D, P, label, *size)
    assert (feature == kernel.LEAF).sum() == len(expected) > 2
    for rows, step in expected:
        np.testing.assert_allclose(F[rows], np.tile(step, (len(rows), 1)), atol=1e-9)


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["plain", "mixed"])
@pytest.mark.parametrize("label", [-1, 0])
def test_rows_that_agree_are_not_split(kind, label):
    """Their sums differ by rounding from one cut to the next, which is no gain."""
    X, D, P = data(kind)
    D[:], P[:] = D[0], 0.25
    tree = kernel.grow(D, P, label, kernel.Size(8, 60, 1), *prepare(X))
    assert list(tree.feature) == [kernel.LEAF]


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "model, one_round", [(LDLogitBoost, "ldlogitboost_round"), (AOSOLDLogitBoost, "aoso_round")]
)
def test_rounds_are_those_of_the_slow_twin(model, one_round):
    X, D, _ = data("mixed")
    fitted = model(
        4, learning_rate=0.3, max_leaf_nodes=4, min_samples_leaf=5, n_iter_no_change=None
    ).fit(X, D)
    F = np.zeros(D.shape)
    for P in fitted.staged_predict(X):
        F = getattr(naive, one_round)(
            X, D, F, 0.3, max_leaf_nodes=4, max_depth=99, min_samples_leaf=5
        )
        np.testing.assert_allclose(P, naive.softmax(F), atol=1e-9)
    assert fitted.n_estimators_ == 4 and fitted.validation_loss_ is None


@pytest.mark.parametrize("model", BOTH)
def test_training_loss_falls_every_round(model):
    fitted = model(60, n_iter_no_change=None).fit(toy.X, toy.D)
    assert (np.diff(fitted.train_loss_) < 0).all()
    assert fitted.train_loss_[-1] == pytest.approx(kl_divergence(toy.D, fitted.predict(toy.X)))
    assert fitted.train_loss_[-1] < 0.1 * fitted.train_loss_[0]


@pytest.mark.interpreted
@pytest.mark.parametrize("model", BOTH)
def test_early_stopping_keeps_the_best_round(model):
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(150, 4)), rng.dirichlet(np.ones(3), 150)  # nothing to learn
    fitted = model(200, n_iter_no_change=7, validation_fraction=0.2, random_state=1).fit(X, D)
    assert len(fitted.validation_loss_) == fitted.n_estimators_ + 7 < 200
    assert fitted.n_estimators_ == fitted.validation_loss_.argmin() + 1
    held = np.random.RandomState(1).permutation(150)[:30]
    loss = [kl_divergence(D[held], P) for P in fitted.staged_predict(X[held])]
    np.testing.assert_allclose(loss, fitted.validation_loss_[: fitted.n_estimators_])
    other = np.setdiff1d(np.arange(150), held)
    alone = model(fitted.n_estimators_, n_iter_no_change=None).fit(X[other], D[other])
    np.testing.assert_array_equal(alone.predict(X), fitted.predict(X))


@pytest.mark.parametrize("model", BOTH)
def test_staged_predictions_end_in_predict(model):
    fitted = model(30, random_state=0).fit(toy.X, toy.D)
    stages = list(fitted.staged_predict(toy.X_test))
    assert len(stages) == fitted.n_estimators_
    np.testing.assert_array_equal(stages[-1], fitted.predict(toy.X_test))
    assert kl_divergence(toy.D_test, stages[-1]) < kl_divergence(toy.D_test, stages[0])


@pytest.mark.parametrize("model", BOTH)
def test_a_prediction_does_not_depend_on_the_other_rows(model):
    fitted = model(30, random_state=0).fit(toy.X, toy.D)
    batch = fitted.predict(toy.X_test[:40])
    alone = np.vstack([fitted.predict(toy.X_test[i : i + 1]) for i in range(40)])
    np.testing.assert_allclose(batch, alone, rtol=1e-12)


@pytest.mark.parametrize("model", BOTH)
def test_beats_the_mean_clearly(model):
    P = model(random_state=0).fit(toy.X, toy.D).predict(toy.X_test)
    mean = MeanPredictor().fit(toy.X, toy.D).predict(toy.X_test)
    assert kl_divergence(toy.D_test, P) < 0.25 * kl_divergence(toy.D_test, mean)


@pytest.mark.parametrize("model", BOTH)
def test_one_hot_degrees_stay_finite(model):
    D = np.eye(4)[(toy.X[:, 0] > 0) + 2 * (toy.X[:, 1] > 0).astype(int)]
    D = np.hstack([D, np.zeros((len(D), 1))])  # and a label that never occurs
    fitted = model(300, learning_rate=1.0, min_samples_leaf=1, n_iter_no_change=None).fit(toy.X, D)
    P = fitted.predict(toy.X)
    assert np.isfinite(P).all() and np.isfinite(fitted.train_loss_).all()
    assert fitted.train_loss_[-1] < 1e-3 and P[:, 4].max() < 1e-3


def test_prepare_bins_columns_by_kind():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(size=3000),  # more values than bins
            rng.integers(0, 9, 3000),
            rng.random(3000) < 0.9,
            np.ones(3000),
            np.where(rng.random(3000) < 0.5, -9.0, rng.normal(size=3000)),  # half of it one value
        ]
    )
    (bins, n_bins, cuts, many), (start, index, rare_is_low, threshold, two) = prepare(X)
    assert many.tolist() == [0, 1, 4] and two.tolist() == [2]
    assert n_bins[:2].tolist() == [256, 9] and 120 < n_bins[2] <= 256
    assert np.bincount(bins[0]).max() <= 13  # 3000 / 256 = 11.7
    for f, column in enumerate(many):
        used = cuts[f, : n_bins[f] - 1]
        assert (np.diff(used) > 0).all()
        assert not np.isin(used, X[:, column]).any()
        np.testing.assert_array_equal(bins[f], (X[:, [column]] >= used).sum(axis=1))
        assert len(np.unique(bins[f])) == n_bins[f]
    assert rare_is_low.tolist() == [True] and threshold.tolist() == [0.5]
    np.testing.assert_array_equal(np.diff(start), 1 - X[:, 2])


@pytest.mark.parametrize("model", BOTH)
def test_left_is_below_the_threshold_even_between_neighbouring_floats(model):
    x = np.array([1.0, np.nextafter(1.0, 2.0), 3.0])
    X = np.repeat(x, 10)[:, None]
    D = np.repeat(np.eye(3), 10, axis=0)
    fitted = model(200, min_samples_leaf=1, n_iter_no_change=None).fit(X, D)
    loss = kl_divergence(D, fitted.predict(X))
    assert loss == pytest.approx(fitted.train_loss_[-1]) and loss < 0.01


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_estimators": 0}, "n_estimators and min_samples_leaf must be 1 or more"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes 2 or more"),
        ({"max_depth": 0}, "max_depth=0 must be 1 or more, or None"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"validation_fraction": 1.0}, "validation_fraction must lie in"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be 1 or more"),
    ],
)
def test_wrong_parameters_are_named(model, parameters, message):
    with pytest.raises(ValueError, match=message):
        model(**parameters).fit(toy.X, toy.D)
