"""sLDLF and sNDF-LDL against slow twins, and what their API promises."""

import re
import warnings

import naive_ldlf as naive
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from ldlrepro import MeanPredictor
from ldlrepro.datasets import make_toy
from ldlrepro.kernels import ldlf as kernel
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.trees._differentiable import FLOOR, SplitFeatures, index_functions, split
from ldlrepro.papers.ldlf import readable
from ldlrepro.papers.learners import NDFLDL, LDLForest

toy = make_toy(random_state=0)
FAST = {"depth": 4, "n_outputs": 16, "batch_size": 50, "leaf_batches": 10, "leaf_iter": 5}


def data(n=70, depth=4, c=3, trees=2, seed=0, zeros=False, hard=1.0):
    """Outputs F (t, n), phi (K, N), leaves (K, L, c) and labels (c, n)."""
    rng = np.random.default_rng(seed)
    splits = 2 ** (depth - 1) - 1
    phi = index_functions(np.random.RandomState(seed), trees, depth, splits + 2)
    Q = rng.dirichlet(np.full(c, 0.6), (trees, splits + 1))
    D = rng.dirichlet(np.full(c, 0.6), n)
    if zeros:
        D[:, 0] = 0
        D[: n // 2] = np.eye(c)[rng.integers(1, c, n // 2)]
        D /= D.sum(axis=1, keepdims=True)
    return hard * rng.normal(size=(splits + 2, n)), phi, Q, np.ascontiguousarray(D.T)


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_prediction_is_the_mixture_of_eq_1_and_2(depth):
    F, phi, Q, D = data(depth=depth)
    out = np.empty((len(phi), *D.shape))
    kernel.predict(split(F.copy()), phi, Q, out)
    np.testing.assert_allclose(out, naive.forest(F, phi, Q), rtol=1e-12)
    np.testing.assert_allclose(out.sum(axis=1), 1)


@pytest.mark.interpreted
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("depth", [2, 4])
def test_gradient_is_eq_6_and_that_of_the_loss(depth, zeros):
    F, phi, Q, D = data(depth=depth, zeros=zeros)
    S, out, G = split(F.copy()), np.empty((len(phi), *D.shape)), np.empty_like(F)
    kernel.gradient(S, phi, Q, D, FLOOR, out, G)
    np.testing.assert_allclose(out, naive.forest(F, phi, Q), rtol=1e-12)
    few = slice(0, 3)
    np.testing.assert_allclose(
        G[:, few], naive.slope(F[:, few], phi, Q, D[:, few]), rtol=1e-9, atol=1e-12
    )
    e, i = 1e-5, 1
    one = slice(i, i + 1)
    for f in range(len(F)):
        step = np.zeros((len(F), 1))
        step[f] = e
        above, below = (naive.loss(F[:, one] + s * step, phi, Q, D[:, one]) for s in (1, -1))
        assert G[f, i] == pytest.approx((above - below) / (2 * e), abs=1e-8)


@pytest.mark.interpreted
@pytest.mark.parametrize("zeros", [False, True])
def test_leaf_update_is_eq_12(zeros):
    F, phi, Q, D = data(zeros=zeros)
    weights = np.random.default_rng(1).integers(1, 4, F.shape[1]).astype(float)
    expected = Q
    for _ in range(3):
        expected = np.array(
            [naive.leaf_update(F, o, q, D, weights) for o, q in zip(phi, expected, strict=True)]
        )
    kernel.update_leaves(split(F.copy()), phi, Q, weights * D, FLOOR, 3)
    np.testing.assert_allclose(Q, expected, rtol=1e-9, atol=1e-15)


@pytest.mark.interpreted
@pytest.mark.parametrize("seed", range(12))
def test_leaf_update_never_raises_the_loss(seed):
    rng = np.random.default_rng(seed)
    c, depth, hard = rng.integers(2, 7), rng.integers(2, 7), rng.choice([0.1, 1, 20])
    F, phi, Q, D = data(130, depth, c, 3, seed, zeros=seed % 2, hard=hard)
    Q = (Q + 0.01) / (Q + 0.01).sum(axis=2, keepdims=True)  # else a leaf may lack a label for good
    S, weights = split(F), rng.integers(1, 5, 130).astype(float)
    out = np.empty((3, *D.shape))
    losses = []
    for _ in range(15):
        kernel.predict(S, phi, Q, out)
        losses.append(-(weights * D * np.log(np.maximum(out, FLOOR))).sum(axis=(1, 2)))
        kernel.update_leaves(S, phi, Q, weights * D, FLOOR, 1)
        np.testing.assert_allclose(Q.sum(axis=2), 1)
    losses = np.array(losses)
    assert (np.diff(losses, axis=0) <= 1e-12 * losses[:-1]).all()
    assert (losses[-1] < losses[0]).all()


@pytest.mark.interpreted
def test_a_leaf_that_no_row_reaches_keeps_its_distribution():
    F, phi, Q, D = data(trees=1)
    F[phi[0, 0]] = 2000.0  # every row goes left at the root, for certain
    before = Q.copy()
    kernel.update_leaves(split(F), phi, Q, D, FLOOR, 4)
    half = Q.shape[1] // 2
    np.testing.assert_array_equal(Q[:, half:], before[:, half:])
    assert np.abs(Q[:, :half] - before[:, :half]).max() > 0.01


@pytest.mark.interpreted
def test_repeated_mini_batches_are_weights():
    F, phi, Q, D = data()
    rows = np.random.default_rng(0).integers(0, F.shape[1], 200)
    counts = np.bincount(rows, minlength=F.shape[1]).astype(float)
    S, again = split(F), Q.copy()
    kernel.update_leaves(S, phi, Q, counts * D, FLOOR, 5)
    repeated = np.ascontiguousarray(S[:, rows]), phi, again, np.ascontiguousarray(D[:, rows])
    kernel.update_leaves(*repeated, FLOOR, 5)
    np.testing.assert_allclose(Q, again, rtol=1e-10)


@pytest.mark.interpreted
@pytest.mark.parametrize("density", [0.05, 0.5])
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(("n", "t"), [(25, 7), (kernel.WIDTH + 9, kernel.TILE + 7)])
def test_features_are_one_matrix_product_whatever_their_form(density, centred, n, t):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n, 40)) * (rng.random((2 * n, 40)) < density)
    shift = X.mean(axis=0) if centred else np.zeros(40)
    factor = rng.uniform(1, 2, 40) if centred else np.ones(40)
    features = SplitFeatures(X, shift, factor, "float64")
    assert features.sparse == (density < 0.1)
    T, G, rows = rng.normal(size=(40, t)), rng.normal(size=(t, n)), rng.permutation(2 * n)[:n]
    Z = (X - shift) * factor
    np.testing.assert_allclose(features.outputs(T, rows), (Z[rows] @ T).T, atol=1e-12)
    np.testing.assert_allclose(features.back(G, rows), Z[rows].T @ G.T, atol=1e-12)
    assert features.length == pytest.approx(np.linalg.norm(Z) / np.sqrt(2 * n))


@pytest.mark.parametrize("scale", [None, "standard"])
def test_compressed_rows_give_the_same_forest(scale, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 30)) * (rng.random((90, 30)) < 0.06)
    forest = LDLForest(max_iter=40, scale=scale, dtype="float64", random_state=0, **FAST)
    D = rng.dirichlet(np.ones(4), 90)
    sparse = forest.fit(X, D).predict(X)
    monkeypatch.setattr("ldlrepro.models.trees._differentiable._SPARSE_BATCHES_BELOW", 0)
    np.testing.assert_allclose(forest.fit(X, D).predict(X), sparse, atol=1e-10)


@pytest.mark.interpreted
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_steps_are_those_of_the_optimizer(optimizer):
    """Three steps on all rows, from the same start, in plain numpy with the twins."""
    X, D = toy.X[:12], toy.D[:12]
    settings = {"depth": 3, "n_outputs": 4, "n_estimators": 2, "leaf_batches": 1, "leaf_iter": 2}
    settings |= {"optimizer": optimizer, "learning_rate": 0.05, "dtype": "float64"}
    forest = LDLForest(max_iter=3, path=(0, 1, 2, 3), random_state=0, **settings).fit(X, D)
    trees = forest.path_[0]
    T, Q, first, second = trees.theta.copy(), trees.leaves, 0, 0
    for t in (1, 2, 3):
        F = (X @ T).T
        assert forest.loss_curve_[t - 1] == pytest.approx(
            naive.loss(F, trees.phi, Q, D.T) / (2 * len(X))
        )
        gradient = X.T @ naive.slope(F, trees.phi, Q, D.T).T / (2 * len(X))
        if optimizer == "sgd":
            first = 0.9 * first + 0.05 * gradient
            T -= first
        else:
            first, second = (
                b * m + (1 - b) * g
                for b, m, g in ((0.9, first, gradient), (0.999, second, gradient**2))
            )
            T -= 0.05 * first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
        for _ in range(2):
            Q = np.array(
                [
                    naive.leaf_update((X @ T).T, o, q, D.T, np.ones(len(X)))
                    for o, q in zip(trees.phi, Q, strict=True)
                ]
            )
        np.testing.assert_allclose(forest.path_[t].theta, T, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(forest.path_[t].leaves, Q, rtol=1e-8)


def test_phi_has_no_repetition_within_a_tree_and_is_drawn_anew_for_each():
    phi = index_functions(np.random.RandomState(0), 6, 7, 64)
    assert phi.shape == (6, 63)
    assert all(len(set(outputs)) == 63 for outputs in phi)
    assert len({tuple(outputs) for outputs in phi}) == 6


def test_settings_of_the_paper_and_of_the_script_are_accepted():
    paper = LDLForest(max_iter=1, random_state=0).fit(toy.X, toy.D)
    assert paper.trees_.phi.shape == (5, 63) and paper.trees_.leaves.shape == (5, 64, 3)
    script = LDLForest(10, depth=5, n_outputs=512, learning_rate=100, max_iter=1, random_state=0)
    trees = script.fit(toy.X, toy.D).trees_
    assert trees.phi.shape == (10, 15)
    assert len(np.unique(trees.phi)) == trees.theta.shape[1] < 150  # some outputs are shared


@pytest.mark.parametrize("method", [LDLForest, NDFLDL])
def test_too_few_outputs_state_the_rule(method):
    with pytest.raises(ValueError, match=r"depth=8 has 2\^\(depth-1\) - 1 = 127 split.*64 must be"):
        method(depth=8).fit(toy.X, toy.D)
    method(depth=3, n_outputs=3, max_iter=5).fit(toy.X, toy.D)


def test_too_much_memory_is_refused_before_it_is_taken():
    with pytest.raises(ValueError, match=r"depth=30.*takes about \S+ GiB, more than memory_limit"):
        LDLForest(1, depth=30, n_outputs=2**29).fit(toy.X, toy.D)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_estimators", 0),
        ("depth", 1),
        ("leaf_iter", 0),
        ("learning_rate", 0),
        ("momentum", 1),
        ("optimizer", "rmsprop"),
        ("scale", "minmax"),
        ("dtype", "float16"),
        ("validation_fraction", 1.0),
        ("path", (0, 2000)),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=rf"{name} must be .*got {re.escape(repr(value))}"):
        LDLForest(**{name: value}).fit(toy.X, toy.D)


def test_single_and_double_precision_agree():
    one, two = (
        LDLForest(max_iter=50, dtype=dtype, random_state=0, **FAST).fit(toy.X, toy.D)
        for dtype in ("float32", "float64")
    )
    assert one.trees_.theta.dtype == "float32" and two.trees_.theta.dtype == "float64"
    np.testing.assert_allclose(one.loss_curve_, two.loss_curve_, rtol=1e-5)
    np.testing.assert_allclose(one.predict(toy.X_test), two.predict(toy.X_test), atol=1e-4)


@pytest.mark.parametrize("method", [LDLForest, NDFLDL])
def test_same_seed_same_numbers(method):
    one, two, other = (
        method(max_iter=50, random_state=seed, **FAST).fit(toy.X, toy.D).predict(toy.X_test)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert np.abs(one - other).max() > 1e-6


def test_the_toy_data_are_learned():
    forest = LDLForest(validation_fraction=0, random_state=0).fit(toy.X, toy.D)
    assert forest.n_iter_ == len(forest.loss_curve_) == forest.best_iter_ == 1000
    assert forest.loss_curve_[-50:].mean() < forest.loss_curve_[:50].mean()
    ours = kl_divergence(toy.D_test, forest.predict(toy.X_test))
    mean = kl_divergence(toy.D_test, MeanPredictor().fit(toy.X, toy.D).predict(toy.X_test))
    assert ours < mean / 4


def test_stages_are_truncated_runs():
    forest = LDLForest(max_iter=45, path=(0, 7, 20, 45), random_state=0, **FAST)
    stages = dict(forest.fit(toy.X, toy.D).staged_predict(toy.X_test))
    assert list(stages) == [0, 7, 20, 45]
    np.testing.assert_array_equal(stages[45], forest.predict(toy.X_test))
    for stop in (7, 20):
        short = LDLForest(max_iter=stop, random_state=0, **FAST).fit(toy.X, toy.D)
        np.testing.assert_array_equal(stages[stop], short.predict(toy.X_test))
    assert np.abs(stages[0] - stages[7]).max() > 1e-6


@pytest.mark.interpreted
def test_early_stopping_keeps_the_best_trees():
    rng = np.random.default_rng(0)  # nothing to learn: the first trees are about the best
    X, D = rng.normal(size=(120, 20)), rng.dirichlet(np.ones(4), 120)
    settings = FAST | {"validation_fraction": 0.25, "n_iter_no_change": 3, "learning_rate": 5.0}
    forest = LDLForest(max_iter=500, path=(0, 10, 500), random_state=0, **settings).fit(X, D)
    iterations, losses = zip(*forest.validation_curve_, strict=True)
    assert iterations[0] == 0 and forest.n_iter_ == iterations[-1] < 500
    assert forest.best_iter_ == iterations[int(np.argmin(losses))] == iterations[-4]
    stages = dict(forest.staged_predict(X))
    np.testing.assert_array_equal(stages[500], forest.predict(X))  # after the end
    held_out = np.sort(np.random.RandomState(0).permutation(120)[:30])
    np.testing.assert_allclose(
        min(losses), kl_divergence(D[held_out], forest.predict(X[held_out])), rtol=1e-5
    )


@pytest.mark.parametrize("method", [LDLForest, NDFLDL])
@pytest.mark.parametrize("rate", [1e6, 1e30])
def test_divergence_is_reported_with_its_iteration(method, rate):
    forest = method(learning_rate=rate, max_iter=60, random_state=0, **FAST)
    with pytest.warns(ConvergenceWarning, match=r"diverged at iteration \d+: .*lower learning_"):
        forest.fit(toy.X, toy.D)
    P = forest.predict(toy.X_test)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert forest.n_iter_ < 60


def test_stages_after_a_divergence_are_those_of_the_trees_kept():
    forest = LDLForest(learning_rate=1e30, max_iter=60, path=(0, 1, 2, 60), **FAST)
    with pytest.warns(ConvergenceWarning):
        forest.fit(toy.X, toy.D)
    for _, P in forest.staged_predict(toy.X_test):
        np.testing.assert_array_equal(P, forest.predict(toy.X_test))


def test_zeros_in_the_labels_are_learned():
    D = np.eye(3)[toy.D.argmax(axis=1)]
    D[:, 2] = 0
    D[D.sum(axis=1) == 0, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = LDLForest(max_iter=200, random_state=0, **FAST).fit(toy.X, D)
    P = forest.predict(toy.X_test)
    assert np.isfinite(forest.loss_curve_).all()
    np.testing.assert_array_equal(P[:, 2], 0)  # no leaf can give it
    assert kl_divergence(D, forest.predict(toy.X)) < 0.3


def test_standard_scale_is_that_of_the_training_rows():
    forest = LDLForest(max_iter=30, dtype="float64", random_state=0, **FAST)
    Z = (toy.X - toy.X.mean(axis=0)) / toy.X.std(axis=0)
    by_hand = forest.fit(Z, toy.D).predict(Z)
    inside = forest.set_params(scale="standard").fit(7 * toy.X + 3, toy.D).predict(7 * toy.X + 3)
    np.testing.assert_allclose(inside, by_hand, atol=1e-8)


def test_trees_in_turn_share_the_mini_batches_and_nothing_else():
    many = NDFLDL(4, max_iter=42, random_state=0, **FAST).fit(toy.X, toy.D)
    assert [len(curve) for curve in many.loss_curves_] == [10] * 4 and many.n_iter_ == 40
    own = NDFLDL(4, max_iter=10, shared_budget=False, random_state=0, **FAST).fit(toy.X, toy.D)
    np.testing.assert_array_equal(own.predict(toy.X_test), many.predict(toy.X_test))
    one = NDFLDL(1, max_iter=10, random_state=0, **FAST).fit(toy.X, toy.D)
    stages = dict(many.staged_predict(toy.X_test))
    assert list(stages) == [1, 2, 3, 4]
    np.testing.assert_array_equal(stages[1], one.predict(toy.X_test))
    np.testing.assert_array_equal(stages[4], many.predict(toy.X_test))
    forest = LDLForest(1, max_iter=10, random_state=0, **FAST).fit(toy.X, toy.D)
    np.testing.assert_allclose(one.predict(toy.X), forest.predict(toy.X))


def test_fewer_mini_batches_than_trees_is_an_error():
    with pytest.raises(ValueError, match="max_iter=3 mini-batches for n_estimators=4 trees"):
        NDFLDL(4, max_iter=3).fit(toy.X, toy.D)


@pytest.mark.interpreted
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("iterations", [19, 20, 21])  # before, at and after an update
def test_the_readable_code_learns_the_same_forest(seed, iterations):
    rng = np.random.default_rng(seed)
    X, D = rng.normal(size=(25, 4)), rng.dirichlet(np.ones(3), 25)
    D[:5] = np.eye(3)[rng.integers(3, size=5)]
    shape = {"depth": 4, "n_outputs": 9, "max_iter": iterations, "leaf_batches": 10, "leaf_iter": 3}
    plain = {"momentum": 0, "scale": None, "validation_fraction": 0, "dtype": "float64"}
    forest = LDLForest(3, learning_rate=2, path=(0,), random_state=seed, **shape, **plain)
    start, end = forest.fit(X, D).path_[0], forest.trees_
    theta, leaves = readable.fit(X, D, start.theta, start.phi, 2, iterations, 10, 3)
    np.testing.assert_allclose(theta, end.theta, rtol=1e-9)
    np.testing.assert_allclose(leaves, end.leaves, rtol=1e-9)
    np.testing.assert_allclose(
        readable.predict(X, theta, start.phi, leaves), forest.predict(X), rtol=1e-9
    )
    assert np.abs(theta - start.theta).max() > 0.01


@pytest.mark.interpreted
def test_a_leaf_that_no_row_reaches_stays_in_both():
    F = np.array([[800.0, 800.0, 800.0]])  # all rows go left, with a chance of exactly one
    D = np.array([[0.9, 0.6, 0.1], [0.1, 0.4, 0.9]])
    before = np.array([[0.5, 0.5], [0.3, 0.7]])
    with np.errstate(divide="raise", invalid="raise"):
        after = readable.leaf_step(readable.split(F.T), before, D.T)
    np.testing.assert_allclose(after, [D.mean(axis=1), before[1]], rtol=1e-12)
    ours = before[None].copy()
    kernel.update_leaves(split(F.copy()), np.array([[0]]), ours, D, FLOOR, 1)
    np.testing.assert_allclose(ours[0], after, rtol=1e-12)
    np.testing.assert_array_equal(before, [[0.5, 0.5], [0.3, 0.7]])  # not in place
