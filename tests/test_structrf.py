"""StructRF against its slow twin, node by node, and what its API promises."""

import json
import re
from functools import partial

import naive
import numpy as np
import pytest

from ldlrepro import MultiOutputRF, StructRF, paths
from ldlrepro.datasets import make_toy
from ldlrepro.kernels import split as kernel
from ldlrepro.kernels.columns import Sorted, in_order
from ldlrepro.kernels.nodes import LEAF
from ldlrepro.kernels.random import uniform
from ldlrepro.models.trees._forest import _prepare
from ldlrepro.papers.structrf import readable


def data(kind, n=90, seed=0):
    rng = np.random.default_rng(seed)
    D = rng.dirichlet(np.ones(4), n)
    X = rng.normal(size=(n, 5)) + D[:, :1]
    if kind == "ties":
        X = np.round(X)
    if kind == "mixed":
        X[:, 1:4] = X[:, 1:4] > 0.7
        X[:, 4] = 2.0
    if kind == "binary":
        X = (X > rng.normal(size=5)).astype(float)
    return X, D


def best_gain(X, cluster):
    return max((g for g, _, _ in readable.search(X, cluster)), default=0.0)


def walk(model, X, D, weight, seed, min_samples_split, max_depth):
    """Check every node of a one-tree forest against the definition; returns the nodes seen."""
    rng = naive.SplitMix(seed)
    seen = []

    def node(at, rows, depth):
        seen.append(at)
        w = weight[rows]
        assert model.samples_[at] == w.sum()
        f = model.feature_[at]
        drawn = np.repeat(rows, w)  # Eq. 2 on the bootstrap sample itself
        best = 0.0
        if len(rows) > 1 and w.sum() >= min_samples_split and depth < max_depth:
            cluster = readable.two_means(D[drawn], rng.uniform)
            best = best_gain(X[drawn], cluster)
        if best <= 1e-9:
            assert f == LEAF
            expected = np.average(D[rows], axis=0, weights=w)
            np.testing.assert_allclose(model.leaves_[model.left_[at]], expected)
            return
        goes_left = X[rows, f] < model.threshold_[at]
        taken = readable.gain(cluster, np.repeat(goes_left, w))
        assert taken == pytest.approx(best, abs=1e-9)
        node(model.left_[at], rows[goes_left], depth + 1)
        node(model.right_[at], rows[~goes_left], depth + 1)

    node(0, np.flatnonzero(weight), 0)
    return seen


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["plain", "ties", "mixed", "binary"])
@pytest.mark.parametrize("min_samples_split, max_depth", [(2, 20), (10, 20), (2, 3)])
def test_every_node_takes_the_largest_gain(kind, min_samples_split, max_depth):
    X, D = data(kind)
    model = StructRF(
        1, min_samples_split=min_samples_split, max_depth=max_depth, random_state=5
    ).fit(X, D)
    seed = np.random.RandomState(5).randint(2**31 - 1, size=1)[0]
    rows = np.random.RandomState(seed).randint(len(X), size=int(0.8 * len(X)))
    weight = np.bincount(rows, minlength=len(X))
    seen = walk(model, X, D, weight, int(seed), min_samples_split, max_depth)
    assert sorted(seen) == list(range(model.n_nodes_)) and len(seen) > 3


@pytest.mark.interpreted
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("kind", "n", "step", "smallest"),
    [("plain", 120, "all", 12), ("plain", 400, "adaptive", 40), ("ties", 400, "adaptive", 40)],
)
def test_the_readable_forest_predicts_the_same(seed, kind, n, step, smallest):
    """In larger nodes: in small ones several cuts have one gain, and rounding chooses."""
    X, D = data(kind, n, seed)
    model = StructRF(3, min_samples_split=smallest, max_depth=5, step=step, random_state=seed)
    model.fit(X, D)
    trees, alpha = [], 0.25 if step == "adaptive" else 0.0
    for drawn in np.random.RandomState(seed).randint(2**31 - 1, size=3):
        rows = np.sort(np.random.RandomState(drawn).randint(n, size=int(0.8 * n)))
        draws = partial(uniform, np.array([drawn], np.uint64))
        trees.append(readable.grow(X, D, rows, draws, smallest, depth=5, alpha=alpha))
    new, _ = data(kind, 50, seed + 100)
    np.testing.assert_allclose(readable.predict(trees, new), model.predict(new), rtol=1e-12)
    assert len(np.unique(model.predict(new), axis=0)) > 10


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
def test_solutions_of_the_chapter_print_what_stands_below_them(capsys):
    text = (paths.NOTEBOOKS / "structrf.ipynb").read_text(encoding="utf-8")
    names, solutions = {}, []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if "method" in cell["metadata"].get("tags", []):
            exec(source, names)
        solutions += re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", source, re.S)
    capsys.readouterr()
    assert len(solutions) == 3
    for code, printed in solutions:
        exec(code, names)
        assert capsys.readouterr().out == printed


@pytest.mark.interpreted
def test_adaptive_step_visits_the_thresholds_of_equation_5():
    rng = np.random.default_rng(0)
    for n in (7, 50, 400):
        x = rng.normal(size=n)
        classes = (x + rng.normal(size=n) > 0).astype(int)
        _, entry = in_order(x[None])
        many = Sorted(entry, x[None], np.zeros(1, np.int32))
        t = kernel.entropy_table(n)
        all1 = classes.sum()
        base = t[all1] + t[n - all1] - t[n]
        packed = 1 + classes.astype(np.int64) * kernel.CLUSTER1
        node, step = kernel.Node(n, all1, base), kernel.Step(True, 0.25, 8.0)
        at, best, count = kernel.scan_adaptive(many, 0, 0, n, packed, node, t, base, step)
        expected = list(readable.search(x[:, None], classes, 0.25, 8.0))
        assert (best - base) / n == pytest.approx(max(expected)[0])
        assert count == len(expected) < n
        at, best = kernel.scan_all(many, 0, 0, n, packed, node, t, base)
        assert (best - base) / n == pytest.approx(best_gain(x[:, None], classes))


def test_adaptive_forest_is_nearly_as_good():
    toy = make_toy(random_state=0)
    errors = {}
    for step in ("all", "adaptive"):
        P = StructRF(step=step, random_state=0).fit(toy.X, toy.D).predict(toy.X_test)
        errors[step] = np.abs(P - toy.D_test).mean()
    uniform = np.abs(1 / 3 - toy.D_test).mean()
    assert errors["adaptive"] < 1.2 * errors["all"] < 0.5 * uniform


@pytest.mark.interpreted
def test_apply_leaves_and_importances():
    X, D = data("mixed")
    model = StructRF(7, random_state=0).fit(X, D)
    reached = model.apply(X)
    assert reached.shape == (90, 7)
    assert reached.tolist() == [[naive.reach(model, x, at) for at in model.roots_] for x in X]
    assert (model.feature_[reached] == LEAF).all()
    by_hand = 0.0
    for tree in range(7):  # in this order: another one rounds otherwise
        by_hand = by_hand + model.leaves_[model.left_[reached[:, tree]]]
    np.testing.assert_array_equal(by_hand / 7, model.predict(X))
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() == 0  # the only column that carries D
    assert model.feature_importances_[4] == 0  # constant


@pytest.mark.interpreted
def test_trees_that_are_one_leaf():
    X, D = data("plain")
    model = StructRF(3, min_samples_split=1000, random_state=0).fit(X, D)
    assert model.apply(X[:2]).tolist() == [[0, 1, 2]] * 2
    np.testing.assert_allclose(model.predict(X[:2]), [model.leaves_.mean(axis=0)] * 2)


@pytest.mark.interpreted
def test_left_is_below_the_threshold_even_between_neighbouring_floats():
    x = np.array([1.0, np.nextafter(1.0, 2.0), 3.0])
    X = np.repeat(x, 10)[:, None]
    D = np.repeat(np.eye(3), 10, axis=0)
    model = StructRF(20, min_samples_split=2, random_state=0).fit(X, D)
    assert (model.predict(X).argmax(axis=1) == np.repeat([0, 1, 2], 10)).all()


@pytest.mark.interpreted
def test_prepare_splits_columns_by_kind():
    X, _ = data("mixed")
    (entry, values, many), (start, index, rare_is_low, threshold, two) = _prepare(X)
    assert many.tolist() == [0] and two.tolist() == [1, 2, 3]
    ascending = values[0, entry[0] & np.uint64(2**32 - 1)]
    np.testing.assert_array_equal(ascending, np.sort(X[:, 0]))
    rises = np.diff((entry[0] >> np.uint64(32)).astype(int))
    np.testing.assert_array_equal(rises, np.diff(ascending) > 0)
    assert threshold.tolist() == [0.5] * 3
    dense = np.zeros((90, 3), bool)
    dense[np.repeat(np.arange(90), np.diff(start)), index] = True
    np.testing.assert_array_equal(np.where(rare_is_low, ~dense, dense), X[:, 1:4] == 1)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"step": "some"}, 'step must be "all" or "adaptive"'),
        ({"min_samples_split": 1}, "min_samples_split 2 or more"),
        ({"sampling_ratio": 0.0}, "sampling_ratio=0.0 must be in"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    X, D = data("plain")
    with pytest.raises(ValueError, match=message):
        StructRF(**parameters).fit(X, D)


def test_a_ratio_of_one_is_all_rows_as_an_int_too():
    toy = make_toy(60, random_state=0)
    one, whole = (
        MultiOutputRF(3, sampling_ratio=r, random_state=0).fit(toy.X, toy.D).predict(toy.X)
        for r in (1, 1.0)
    )
    np.testing.assert_array_equal(one, whole)
