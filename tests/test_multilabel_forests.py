"""Forests of multi-label trees against slow twins and scikit-learn's forests."""

import naive_multilabel as naive
import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ldlrepro import ERFMLC45, ERFPCT, RFMLC45, RFPCT
from ldlrepro.kernels.labels import Rule, grow
from ldlrepro.kernels.nodes import Limits
from ldlrepro.models.multilabel._trees import Columns, grow_forest, label_rows

FORESTS = [RFPCT, ERFPCT, RFMLC45, ERFMLC45]


def data(n=60, seed=0, two_valued=3, ties=True):
    """Numeric columns (with ties), two-valued columns, and labels that depend on them."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n, 4))
    if ties:
        X = X.round(1)
    X = np.hstack([X, (rng.uniform(size=(n, two_valued)) < 0.3) * 2.0 - 1])
    scores = X @ rng.normal(size=(X.shape[1], 5)) + rng.normal(size=(n, 5))
    return X, (scores > 0.8).astype(float)


def one_tree(X, Y, weight=None, entropy=False, random_cut=False):
    columns, limits = Columns(X), Limits(50, 2, X.shape[1])
    weight = np.ones(len(X), np.int32) if weight is None else weight.astype(np.int32)
    state, rule = np.array([7], np.uint64), Rule(entropy, random_cut)
    features = columns.numeric, columns.two_valued
    return grow(*features, label_rows(Y), Y.shape[1], weight, rule, limits, state)


def nodes(tree, X, keep):
    """(node, rows there) of the nodes that are cut."""
    feature, threshold, left = tree[:3]
    stack = [(0, keep)]
    while stack:
        node, here = stack.pop()
        if feature[node] >= 0:
            yield node, here
            low = X[:, feature[node]] <= threshold[node]
            stack += [(left[node], here & low), (left[node] + 1, here & ~low)]


@pytest.mark.interpreted
@pytest.mark.parametrize("entropy", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_every_node_has_the_best_cut(seed, entropy):
    X, Y = data(seed=seed)
    weight = np.random.RandomState(seed).randint(0, 3, size=len(X))
    tree = one_tree(X, Y, weight, entropy=entropy)
    cut = 0
    for node, here in nodes(tree, X, weight > 0):
        best, _, _ = naive.best_cut(X[here], Y[here], weight[here], entropy)
        goes_left = X[here, tree[0][node]] <= tree[1][node]
        got = naive.cut_quality(Y[here], weight[here], goes_left, entropy)
        assert got == pytest.approx(best, abs=1e-8)
        cut += 1
    assert cut > 10


@pytest.mark.interpreted
def test_columns_that_vary_are_found_among_many_of_two_values():
    X, Y = np.zeros((40, 200)), np.array([(i % 2, i // 2 % 2) for i in range(40)], float)
    X[0] = 1  # most columns vary with the first row alone
    X[:, [140, 150]] = Y
    assert {*one_tree(X, Y)[0].tolist()} == {-1, 140, 150}
    assert sum(1 for _ in nodes(one_tree(X, Y), X, np.ones(40, bool))) == 3


@pytest.mark.interpreted
@pytest.mark.parametrize("entropy", [False, True])
@pytest.mark.parametrize("values", [2, 3])
def test_a_cut_without_gain_is_not_made(values, entropy):
    X = np.repeat(np.arange(float(values)), 6)[:, None]
    Y = np.tile([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]], (2 * values, 1))  # the same at each value
    assert one_tree(X, Y, entropy=entropy)[0].tolist() == [-1]


@pytest.mark.interpreted
@pytest.mark.parametrize("entropy", [False, True])
def test_random_cuts_are_uniform_and_the_best_feature_is_taken(entropy):
    X, Y = data(n=80, ties=False)
    thresholds = []
    for seed in range(300):
        forest = grow_forest(
            Columns(X[:, :1]),
            label_rows(Y),
            5,
            np.arange(80),
            seed=seed,
            n_estimators=1,
            entropy=entropy,
            random_cut=True,
            bootstrap=False,
            max_depth=1,
        )
        thresholds.append(forest.trees[0][1][0])
    low, high = X[:, 0].min(), X[:, 0].max()
    assert low <= min(thresholds) and max(thresholds) < high
    assert np.mean(thresholds) == pytest.approx((low + high) / 2, abs=0.05 * (high - low))
    assert np.std(thresholds) == pytest.approx((high - low) / 12**0.5, rel=0.1)
    two = np.hstack([X[:, 4:], np.zeros((80, 1))])  # one cut a feature: nothing is random
    tree = one_tree(two, Y, entropy=entropy, random_cut=True)
    for node, here in nodes(tree, two, np.ones(80, bool)):
        best, _, _ = naive.best_cut(two[here], Y[here], np.ones(here.sum()), entropy)
        goes_left = two[here, tree[0][node]] <= tree[1][node]
        got = naive.cut_quality(Y[here], np.ones(here.sum()), goes_left, entropy)
        assert got == pytest.approx(best, abs=1e-8)


@pytest.mark.interpreted
@pytest.mark.parametrize("forest", FORESTS)
def test_prediction_is_the_mean_of_the_leaves_reached(forest):
    X, Y = data()
    fitted = forest(7, random_state=0).fit(X[:40], Y[:40])
    P = [[naive.walk(t, x, 5) for t in fitted.forest_.trees] for x in X[40:]]
    np.testing.assert_allclose(fitted.predict_proba(X[40:]), np.mean(P, axis=1), atol=1e-15)


@pytest.mark.interpreted
@pytest.mark.parametrize("forest", FORESTS)
def test_leaves_hold_the_shares_of_their_rows(forest):
    X, Y = data()
    fitted = forest(1, bootstrap=False, max_depth=2, random_state=0).fit(X, Y)
    P = fitted.predict_proba(X)
    for p in np.unique(P, axis=0):
        np.testing.assert_allclose(Y[(p == P).all(axis=1)].mean(axis=0), p)


@pytest.mark.interpreted
@pytest.mark.parametrize("forest", FORESTS)
def test_a_full_tree_repeats_its_rows(forest):
    X, Y = data(ties=False)
    P = forest(1, bootstrap=False, random_state=0).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(P, Y)


@pytest.mark.interpreted
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_tree_is_that_of_scikit_learn(depth):
    X, Y = data(n=200, ties=False)
    settings = {"bootstrap": False, "max_features": None, "max_depth": depth}
    ours = RFPCT(1, **settings).fit(X, Y)
    theirs = DecisionTreeRegressor(max_depth=depth).fit(X, Y)
    new = data(n=100, seed=5, ties=False)[0]
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict(new), atol=1e-12)
    ours = RFMLC45(1, **settings).fit(X, Y)
    theirs = DecisionTreeClassifier(criterion="entropy", max_depth=depth).fit(X, Y)
    P = np.stack([p[:, 1] for p in theirs.predict_proba(new)], axis=1)
    np.testing.assert_allclose(ours.predict_proba(new), P, atol=1e-12)


@pytest.mark.parametrize(
    "ours, theirs", [(RFPCT, RandomForestRegressor), (ERFPCT, ExtraTreesRegressor)]
)
def test_forests_agree_with_scikit_learn_up_to_the_draws(ours, theirs):
    X, Y = data(n=150)
    new = data(n=100, seed=5)[0]
    a = ours(400, random_state=0).fit(X, Y).predict_proba(new)
    b = ours(400, random_state=1).fit(X, Y).predict_proba(new)
    s = theirs(400, max_features="sqrt", random_state=0).fit(X, Y).predict(new)
    among_seeds = np.abs(a - b).mean()
    assert 0 < among_seeds < 0.03
    assert np.abs(a - s).mean() < 1.3 * among_seeds


@pytest.mark.interpreted
@pytest.mark.parametrize("forest", FORESTS)
def test_two_valued_columns_are_counted_as_they_would_be_sorted(forest):
    X, Y = data(two_valued=4)
    wide = np.vstack([X, X[:1]])
    wide[-1, 4:] = 0.1  # a third value, in a row left out: the columns count as numeric
    settings = {"n_labels": 5, "rows": np.arange(len(X)), "seed": 0, "n_estimators": 5}
    settings |= {"entropy": forest._entropy, "random_cut": False, "bootstrap": False}
    settings |= {"max_features": None, "max_depth": 3}
    bits = grow_forest(Columns(X), label_rows(Y), **settings)
    values = grow_forest(Columns(wide), label_rows(np.vstack([Y, Y[:1]])), **settings)
    assert [len(Columns(A).two_valued.cut) for A in (X, wide)] == [4, 0]
    np.testing.assert_allclose(bits.predict(X), values.predict(X), atol=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("forest", FORESTS)
def test_rows_of_bits_are_walked_as_rows_of_values(forest):
    X, Y = data(seed=2, two_valued=70)
    X = X[:, 4:]
    fitted = forest(5, random_state=0).fit(X, Y).forest_
    new = np.random.RandomState(0).normal(size=(9000, 70))  # more than a block, and other values
    P = fitted.predict(new)
    assert fitted.cuts is not None
    fitted.cuts = None
    np.testing.assert_array_equal(P, fitted.predict(new))


@pytest.mark.interpreted
def test_columns_joined_are_those_of_the_joined_features():
    X, _ = data()
    both, whole = Columns(X[:, :5]) | Columns(X[:, 5:]), Columns(X)
    assert both.n_features == whole.n_features
    for kind in ("numeric", "two_valued"):
        for a, b in zip(getattr(both, kind), getattr(whole, kind), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.interpreted
def test_depth_and_node_size_are_kept():
    X, Y = data(n=200)
    for depth in (1, 2, 4):
        (tree,) = RFPCT(1, max_depth=depth, random_state=0).fit(X, Y).forest_.trees
        assert 2**depth >= (tree.feature < 0).sum() > 2 ** (depth - 1)
    (tree,) = (
        RFPCT(1, min_samples_split=30, bootstrap=False, random_state=0).fit(X, Y).forest_.trees
    )
    feature, threshold = tree[:2]
    assert all(here.sum() >= 30 for _, here in nodes(tree, X, np.ones(200, bool)))
    assert (feature >= 0).any() and np.isfinite(threshold).all()


@pytest.mark.interpreted
@pytest.mark.parametrize("forest", FORESTS)
def test_labels_of_one_class_have_a_constant_score(forest):
    X, Y = data()
    Y[:, 1], Y[:, 3] = 0, 1
    P = forest(10, random_state=0).fit(X, Y).predict_proba(X)
    assert (P[:, 1] == 0).all() and (P[:, 3] == 1).all()
    assert 0 <= P.min() and P.max() <= 1


@pytest.mark.parametrize(
    "parameter, value",
    [
        ("n_estimators", 0),
        ("min_samples_split", 1),
        ("max_features", "third"),
    ],
)
def test_a_parameter_out_of_range_is_named(parameter, value):
    with pytest.raises(ValueError, match=f"{parameter} is {value!r}: expected a whole number"):
        RFPCT(**{parameter: value}).fit(*data())
