"""Variants that follow released code: the first package, and the script of LDLF."""

import naive_package as naive
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import softmax, xlogy
from scipy.stats import multivariate_normal

from ldlrepro import LDSVR, PTSVM, SABFGS, MeanPredictor
from ldlrepro.datasets import make_toy
from ldlrepro.models.embedding import PackageLDSVR
from ldlrepro.models.maxent import PackageBFGS
from ldlrepro.models.maxent import _package_bfgs as bfgs
from ldlrepro.models.neural import PackageCPNN
from ldlrepro.models.neural._package_cpnn import RProp, package_slopes
from ldlrepro.models.problem_transformation import ColumnsAsDrawn, PackagePTBayes, PackagePTSVM
from ldlrepro.models.problem_transformation._package_ptsvm import first_appearances
from ldlrepro.models.trees import ReleasedLDLForest
from ldlrepro.papers.ldlf import experiments as ldlf

toy = make_toy(random_state=0)


def small(n=30, q=4, c=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.dirichlet(np.ones(c), n)


@pytest.mark.parametrize("layer", ["gpu", "cpu"])
def test_the_released_loop_is_that_of_its_twin(layer):
    X, D = small()
    shape = {"layer": layer, "depth": 3, "n_outputs": 5, "n_estimators": 2}
    model = ReleasedLDLForest(
        **shape, max_iter=7, batch_size=8, leaf_every=3, leaf_iter=2, random_state=4
    ).fit(X, D)
    theta, leaves = naive.released_forest(X, D, 4, layer, 7, 2, 3, 5, 8, 3, 2)
    np.testing.assert_allclose(model.trees_.theta, theta, atol=2e-3 * np.abs(theta).max())
    np.testing.assert_allclose(model.trees_.leaves, leaves, atol=2e-3)
    assert np.abs(theta).max() > 1.5  # it has moved


@pytest.mark.parametrize(("layer", "rate"), [("gpu", 100 * 10 / 512), ("cpu", 100 * 10)])
def test_the_row_of_the_released_script_has_the_released_step(layer, rate):
    """By the mean over rows and trees, of which `LDLForest` takes its gradient."""
    for experiment in ldlf.SCRIPT:
        (method,) = [m for m in experiment.methods if m.settings["layer"] == layer]
        script = method.estimator
        assert script.layer == layer and script.momentum == 0.9 and script.batch_size == 1000
        assert script.max_iter == ldlf.SCRIPT_ITERATIONS[experiment.datasets[0]]
        divisor = script.n_outputs if layer == "gpu" else 1
        assert script.learning_rate * script.n_estimators / divisor == rate
    # A mini-batch of very many rows has the mean slope of all: the step is the rate times it.
    X, D = small(5)
    start = {"path": (1, 2), "leaf_every": 1, "leaf_iter": 3, "batch_size": 50_000}
    model = ReleasedLDLForest(layer, max_iter=2, random_state=1, **start).fit(X, D)
    before, after = (model.path_[i].theta.astype(float) for i in (1, 2))
    phi, leaves = model.path_[1].phi, model.path_[1].leaves.astype(float)
    inputs = np.hstack([X, np.ones((5, 1))])
    slope = naive.naive_ldlf.slope((inputs @ before).T, phi, leaves, D.T) / len(phi)
    moved = rate * inputs.T @ slope.T / 5
    np.testing.assert_allclose(before - after, moved, atol=0.05 * np.abs(moved).max())
    assert np.abs(moved).max() > 1e-3 * rate


def test_no_row_but_those_of_the_layers_is_called_the_released_script():
    named = [
        m for e in ldlf.PAPER.experiments for m in e.methods if "released script" in m.name.lower()
    ]
    assert named and all(isinstance(m.estimator, ReleasedLDLForest) for m in named)


def test_an_unknown_layer_is_named():
    with pytest.raises(ValueError, match="layer must be one of"):
        ReleasedLDLForest("tpu").fit(*small())


def test_the_update_of_the_whole_hessian_is_the_formula():
    rng = np.random.default_rng(0)
    H, full = np.eye(6, order="F"), np.eye(6)
    for _ in range(4):
        s = rng.normal(size=6)
        y = s * rng.uniform(0.5, 2, 6)
        bfgs.update(H, s, y)
        r = 1 / (s @ y)
        V = np.eye(6) - r * np.outer(s, y)
        full = V @ full @ V.T + r * np.outer(s, s)
    np.testing.assert_allclose(np.triu(H), np.triu(full))


@pytest.mark.parametrize("below", [3000, 1])  # the whole inverse Hessian, or pairs
def test_package_bfgs_starts_at_the_identity_and_ends_where_sa_bfgs_does(below, monkeypatch):
    monkeypatch.setattr(bfgs, "_WHOLE_BELOW", below)
    X, D = small(200)
    model = PackageBFGS(path=(0, 1, 400)).fit(X, D)
    np.testing.assert_array_equal(model.path_[0], np.eye(3, 4))
    np.testing.assert_array_equal(model.path_[400], model.coef_)
    assert model.loss_ == pytest.approx(SABFGS(penalty=0, scale=None).fit(X, D).loss_)


def test_package_pt_bayes_is_bayes_rule_where_covariances_are_regular():
    model = PackagePTBayes(random_state=3).fit(toy.X, toy.D)
    n, c = toy.D.shape
    rows, labels = np.divmod(
        np.random.RandomState(3).choice(n * c, size=n * c, p=toy.D.ravel() / n), c
    )
    P = np.column_stack(
        [
            (labels == j).mean()
            * multivariate_normal(
                toy.X[rows[labels == j]].mean(axis=0), np.cov(toy.X[rows[labels == j]].T)
            ).pdf(toy.X_test)
            for j in range(c)
        ]
    )
    np.testing.assert_allclose(
        model.predict(toy.X_test), P / P.sum(axis=1, keepdims=True), atol=1e-8
    )


def test_package_pt_bayes_is_uniform_where_every_density_fails():
    """More features than rows: new rows lie off every label's plane."""
    X, D = small(40, q=60)
    model = PackagePTBayes(0).fit(X[:30], D[:30])
    assert (model.densities(X[30:]) == 0).all()
    np.testing.assert_array_equal(model.predict(X[30:]), np.full((10, 3), 1 / 3))
    assert np.ptp(model.predict(X[:30]), axis=1).min() > 0.1  # rows it has seen lie on them


def test_package_pt_svm_gives_columns_in_the_order_of_first_appearance():
    X, D = small(60)
    model = PackagePTSVM(random_state=5).fit(X, D)
    machine = PTSVM(draws="labels", width=np.sqrt(2), folds=5, random_state=0)
    right = PackagePTSVM("labels", random_state=5).fit(X, D)
    assert right.machine_.get_params().keys() == machine.get_params().keys()
    assert (right.machine_.width_, right.machine_.folds) == (np.sqrt(2), 5)
    np.testing.assert_array_equal(model.predict(X), right.predict(X)[:, model.order_])
    orders = {tuple(PackagePTSVM(random_state=s).fit(X, D).order_) for s in range(6)}
    assert len(orders) > 1
    distance = PackagePTSVM(width_by="distance", random_state=0).fit(X, D)
    assert distance.machine_.width_ == PTSVM(random_state=0).fit(X, D).width_


def test_columns_as_drawn_reorder_another_prediction():
    X, D = small(20)
    model = ColumnsAsDrawn(MeanPredictor(), random_state=2).fit(X, D)
    np.testing.assert_allclose(model.predict(X)[0], D.mean(axis=0)[model.order_])
    assert sorted(model.order_) == [0, 1, 2]


@pytest.mark.parametrize("wrong", [{"columns": "names"}, {"width_by": "rows"}])
def test_package_pt_svm_names_a_wrong_word(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be one of"):
        PackagePTSVM(**wrong).fit(*small())


def test_labels_first_appear_as_in_a_sequence_of_draws():
    share, rng = np.array([0.6, 0.3, 0.1, 0.0]), np.random.RandomState(0)
    orders = np.array([first_appearances(share, rng) for _ in range(4000)])
    sequences = []
    for _ in range(4000):  # the twin: really draw until all have been seen
        drawn = rng.choice(4, size=200, p=share)
        sequences.append(list(dict.fromkeys(drawn)))
    for place in range(3):
        mine = np.bincount(orders[:, place], minlength=4) / 4000
        theirs = np.bincount([s[place] for s in sequences], minlength=4) / 4000
        np.testing.assert_allclose(mine, theirs, atol=0.04)
    assert (orders[:, 3] == 3).all()


def test_package_ldsvr_takes_a_quarter_of_the_error_and_replaces_zeros():
    X, D = small(40)
    scaled = LDSVR(1 / 16, epsilon=0.4, floor=1e-12, tol=1e-10).fit(X, D)
    np.testing.assert_allclose(PackageLDSVR().fit(X, D).predict(X), scaled.predict(X))
    D[0] = [1, 0, 0]
    raised = D.copy()
    raised[0] = np.array([1, 1 / 30, 1 / 30]) / (1 + 2 / 30)
    np.testing.assert_allclose(
        PackageLDSVR().fit(X, D).predict(X), PackageLDSVR().fit(X, raised).predict(X)
    )


def test_slopes_of_the_package_are_those_of_loops():
    X, D = small(7)
    rng = np.random.default_rng(1)
    inner, outer = rng.normal(size=(5, 6)), rng.normal(size=5)
    slopes, P = package_slopes(X, D, inner, outer)
    for mine, theirs in zip(slopes, naive.cpnn_slopes(X, D, inner, outer), strict=True):
        np.testing.assert_allclose(mine, theirs)
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize(("units", "right"), [(1, True), (3, False)])
def test_slopes_are_the_gradient_with_one_unit_alone(units, right):
    """A sum of output weights in place of a unit's own: the same where there is one unit."""
    X, D = small(6)
    rng = np.random.default_rng(2)
    inner, outer = rng.normal(size=(units, 6)), rng.normal(size=units)

    def loss(flat):
        weights = flat.reshape(units, 6)
        f = np.array(
            [[outer @ (1 / (1 + np.exp(-weights @ [*x, y, 1]))) for y in (1, 2, 3)] for x in X]
        )
        return (xlogy(D, D) - D * np.log(softmax(f, axis=1))).sum()

    (of_inner, _), _ = package_slopes(X, D, inner, outer)
    gradient = approx_fprime(inner.ravel(), loss, 1e-6).reshape(inner.shape)
    assert np.allclose(of_inner, gradient, atol=1e-4) == right


def test_steps_of_rprop_are_those_of_its_twin():
    slopes = np.random.default_rng(3).normal(size=(40, 6)) + 0.7
    slopes[5] = 0
    weights, step = np.zeros(6), RProp(6)
    for slope in slopes:
        step(weights, slope)
    np.testing.assert_allclose(weights, [naive.rprop(line) for line in slopes.T])


def test_package_cpnn_takes_at_least_49_steps_and_is_the_same_again():
    X, D = small(20)
    model = PackageCPNN(random_state=1).fit(X, D)
    assert model.n_iter_ == 49  # the error of so few rows changes by less than 5
    again = PackageCPNN(random_state=1).fit(X, D)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    assert PackageCPNN(random_state=1, max_iter=10).fit(X, D).n_iter_ == 10
