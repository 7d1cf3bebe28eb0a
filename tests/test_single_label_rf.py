"""SingleLabelRF against scikit-learn's entropy trees, and forests that search some features."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from ldlrepro import SingleLabelRF, StructRF
from ldlrepro.kernels.nodes import LEAF

pytestmark = pytest.mark.interpreted


def data(n=300, seed=0, binary=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    if binary:
        X[:, 2:] = X[:, 2:] > 0.5
    D = rng.dirichlet(np.ones(4), n) + np.abs(np.c_[X[:, :3], X[:, 0] * X[:, 1]])
    return X, D / D.sum(axis=1, keepdims=True)


def bootstrap(seed, n):
    tree_seed = np.random.RandomState(seed).randint(2**31 - 1, size=1)[0]
    rows = np.random.RandomState(tree_seed).randint(n, size=int(0.8 * n))
    return np.bincount(rows, minlength=n)


def information(tree_leaf, label, weight):
    """Conditional entropy of the label in the leaves, on the bootstrap sample."""
    total = 0.0
    for leaf in np.unique(tree_leaf[weight > 0]):
        there = (tree_leaf == leaf) & (weight > 0)
        counts = np.bincount(label[there], weights=weight[there])
        p = counts[counts > 0] / counts.sum()
        total -= counts.sum() * (p * np.log(p)).sum()
    return total / weight.sum()


@pytest.mark.parametrize("binary, decimals", [(False, 9), (True, 9), (False, 0), (False, 1)])
@pytest.mark.parametrize("depth", [1, 3])
def test_same_trees_as_scikit_learn(binary, decimals, depth):
    """Greedy entropy trees may differ by ties only: the information they leave is the same."""
    X, D = data(binary=binary)
    X = X.round(decimals)
    label, weight = D.argmax(axis=1), bootstrap(5, 300)
    ours = SingleLabelRF(1, max_depth=depth, min_samples_split=2, random_state=5).fit(X, D)
    theirs = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0)
    theirs.fit(X, label, sample_weight=weight)
    mine = information(ours.apply(X)[:, 0], label, weight)
    assert mine == pytest.approx(information(theirs.apply(X), label, weight), abs=1e-9)


def test_leaves_are_class_frequencies():
    X, D = data()
    label, weight = D.argmax(axis=1), bootstrap(5, 300)
    model = SingleLabelRF(1, min_samples_split=40, random_state=5).fit(X, D)
    leaf, P = model.apply(X)[:, 0], model.predict(X)
    for one in np.unique(leaf):
        there = leaf == one
        counts = np.bincount(label[there], weights=weight[there], minlength=4)
        np.testing.assert_allclose(P[there][0], counts / counts.sum())


def test_a_label_that_is_never_the_largest_is_predicted_zero():
    X, D = data()
    D = np.c_[0.9 * D, np.full(len(D), 0.1)]
    D[:, 4] = np.minimum(D[:, 4], 0.5 * D[:, :4].max(axis=1))
    P = SingleLabelRF(5, random_state=0).fit(X, D / D.sum(axis=1, keepdims=True)).predict(X)
    assert (P[:, 4] == 0).all() and P[:, :4].sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("forest", [StructRF, SingleLabelRF])
def test_some_features_are_drawn_at_each_node(forest):
    X, D = data(binary=True)
    all_features = forest(30, max_depth=1, random_state=0).fit(X, D)
    one_feature = forest(30, max_features=1, max_depth=1, random_state=0).fit(X, D)
    roots = [np.bincount(m.feature_[m.roots_], minlength=6) for m in (all_features, one_feature)]
    assert (roots[0] > 0).sum() < 6 and (roots[1] > 0).all()  # every column is somewhere the root


@pytest.mark.parametrize("forest", [StructRF, SingleLabelRF])
def test_constant_draws_do_not_make_a_leaf(forest):
    """Below the root nine of ten columns are constant; the search goes on to the tenth."""
    X, D = data()
    X = np.c_[np.repeat((X[:, :1] > 0).astype(float), 9, axis=1), X[:, 0]]
    model = forest(10, max_features=1, min_samples_split=2, random_state=0).fit(X, D)
    inner = model.feature_ != LEAF
    assert (model.feature_[inner] == 9).mean() > 0.9
    assert (~inner).sum() > 10 * 50


def test_wrong_max_features_is_named():
    X, D = data()
    with pytest.raises(ValueError, match='max_features must be None, "sqrt" or 1 to 6, got 7'):
        StructRF(max_features=7).fit(X, D)
