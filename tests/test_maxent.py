"""The maximum-entropy objective, its kernels and its two solvers against slow twins."""

import naive
import numpy as np
import pytest
from scipy import optimize
from scipy.optimize import approx_fprime, check_grad
from scipy.special import softmax

from ldlrepro.datasets import make_toy
from ldlrepro.kernels.lbfgs import direction
from ldlrepro.kernels.maxent import scaling_step, skinny_product, subtract_top
from ldlrepro.models.maxent._lbfgs import minimise
from ldlrepro.models.maxent._objective import Design, MaxEntLoss
from ldlrepro.models.maxent._saiis import _ScalingEquations
from ldlrepro.papers.learners import LCLDL, LDLLCLR, LDLSF, SABFGS, SAIIS

toy = make_toy(n_train=80, random_state=0)


def data(kind, n=24, q=5, c=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, q))
    if kind == "positive":
        X = np.abs(X)
    if kind == "large":
        X = 200 * np.abs(X)
    if kind == "sparse":
        X[rng.random(X.shape) < 0.9] = 0
    if kind == "zero column":
        X[:, 1] = 0
    if kind == "scales":
        X *= 10.0 ** np.arange(-2, q - 2)
    return X, rng.dirichlet(np.full(c, 0.3), n)


# --- objective and kernels -------------------------------------------------------------------


@pytest.mark.interpreted
@pytest.mark.parametrize("n", range(1, 10))
@pytest.mark.parametrize("c", range(2, 6))
def test_skinny_product(n, c):
    rng = np.random.default_rng(n)
    for q in (1, 7):
        A, B = rng.normal(size=(n, q)), rng.normal(size=(c, q))
        out = np.full((c, n), np.nan)
        skinny_product(A, B, out)
        np.testing.assert_allclose(out, B @ A.T, rtol=1e-13, atol=1e-13)


@pytest.mark.interpreted
@pytest.mark.parametrize("place", ["A", "B"])
def test_skinny_product_passes_nan_and_infinity_on(place):
    A, B = np.ones((6, 3)), np.ones((3, 3))
    (A if place == "A" else B)[1, 1] = np.nan
    (A if place == "A" else B)[2, 2] = np.inf
    out = np.zeros((3, 6))
    skinny_product(A, B, out)
    np.testing.assert_array_equal(out, B @ A.T)


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["plain", "sparse"])
@pytest.mark.parametrize("n, c", [(7, 3), (8, 2), (9, 4), (30, 5)])
def test_loss_and_gradient(kind, n, c):
    X, D = data(kind, n=n, q=12, c=c, seed=n)
    assert Design(X).sparse == (kind == "sparse")
    loss = MaxEntLoss(X, D)
    W = np.random.default_rng(1).normal(size=(c, 12))
    value, gradient = loss(W.ravel())
    expected, expected_gradient = naive.maxent_loss(X, D, W)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient.reshape(c, 12), expected_gradient, atol=1e-11)
    by_differences = approx_fprime(
        W.ravel(), lambda w: naive.maxent_loss(X, D, w.reshape(c, 12))[0]
    )
    np.testing.assert_allclose(gradient, by_differences, atol=1e-4)
    assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], W.ravel()) < 1e-4


@pytest.mark.interpreted
def test_the_top_of_each_column_is_taken_off():
    Z = np.array([[5.0, 1.0, 2.0], [3.0, 6.0, 2.0], [4.0, 2.0, 7.0]])
    left, top = Z.copy(), np.empty(3)
    subtract_top(left, top)
    assert top.tolist() == [5.0, 6.0, 7.0] and (left == Z - top).all()


@pytest.mark.interpreted
def test_loss_at_large_logits_is_finite():
    X, D = data("large")
    W = np.random.default_rng(0).normal(size=(3, 5))
    value, gradient = MaxEntLoss(X, D)(W.ravel())
    Z = X @ W.T
    shift = Z.max(axis=1, keepdims=True)
    log_p = Z - shift - np.log(np.exp(Z - shift).sum(axis=1, keepdims=True))
    assert value == pytest.approx(-(D * log_p).sum(), rel=1e-12)
    assert np.isfinite(gradient).all()


# --- SA-BFGS ---------------------------------------------------------------------------------


@pytest.mark.interpreted
def test_sabfgs_reaches_a_stationary_point():
    model = SABFGS(5000).fit(toy.X, toy.D)
    value, gradient = naive.maxent_loss(toy.X, toy.D, model.coef_)
    assert np.abs(gradient).max() < 1e-6 * len(toy.X)
    assert model.loss_ == pytest.approx(value / len(toy.X), rel=1e-12)
    assert model.n_iter_ < 5000


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_max_iter_is_obeyed(solver, steps):
    X, D = data("plain")
    assert solver(steps).fit(X, D).n_iter_ == steps


# --- starts and paths, both solvers ----------------------------------------------------------


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS])
@pytest.mark.parametrize("init", ["zeros", "identity", "random"])
def test_staged_steps_are_those_of_shorter_runs(solver, init):
    X, D = data("plain", n=40)
    model = solver(9, init=init, path=(1, 4, 9), random_state=2).fit(X, D)
    staged = dict(model.staged_predict(X))
    assert list(staged) == [1, 4, 9]
    for k, P in staged.items():
        short = solver(k, init=init, random_state=2).fit(X, D)
        np.testing.assert_array_equal(model.path_[k], short.coef_)
        np.testing.assert_array_equal(P, short.predict(X))
    assert not np.array_equal(staged[1], staged[4])


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS])
def test_steps_after_convergence_are_the_last_one(solver):
    model = solver(5000, path=(5000,)).fit(toy.X, toy.D)
    assert model.n_iter_ < 5000
    np.testing.assert_array_equal(model.path_[5000], model.coef_)


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS])
def test_start_from_coefficients(solver):
    X, D = data("plain")
    first = solver(4).fit(X, D)
    start = first.coef_.copy()
    more = solver(3, init=start).fit(X, D)
    assert more.loss_ < first.loss_
    np.testing.assert_array_equal(start, first.coef_)  # not written to
    if solver is SAIIS:  # it has no memory: 4 steps and 3 are 7
        np.testing.assert_allclose(more.coef_, SAIIS(7).fit(X, D).coef_, rtol=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS])
@pytest.mark.parametrize("init", ["ones", np.zeros((3, 4)), np.zeros(15)])
def test_wrong_start_is_named(solver, init):
    with pytest.raises(ValueError, match=r'init must be "zeros", .*"random" or .*shape \(3, 5\)'):
        solver(init=init).fit(*data("plain"))


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS, LCLDL, LDLLCLR, LDLSF])
def test_identity_gives_the_first_labels_a_feature_each(solver):
    X, D = data("plain")
    W = np.zeros((D.shape[1], X.shape[1]))
    for j in range(min(W.shape)):
        W[j, j] = 1
    named, given = solver(3, init="identity").fit(X, D), solver(3, init=W).fit(X, D)
    np.testing.assert_array_equal(named.coef_, given.coef_)
    assert not np.array_equal(named.coef_, solver(3).fit(X, D).coef_)


# --- SA-IIS ----------------------------------------------------------------------------------


def one_step(X, D, W):
    """(step taken, roots by bisection), both (c, q)."""
    P = np.ascontiguousarray(softmax(X @ W.T, axis=1).T)
    top = np.abs(X).sum(axis=1).max()
    size = np.abs(X).sum(axis=1) / top
    target = D.T @ X
    roots = [
        [naive.scaling_root(X[:, k], P[j], size, target[j, k]) / top for k in range(X.shape[1])]
        for j in range(len(P))
    ]
    return _ScalingEquations(X, D, None).roots(P), np.array(roots), top


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["plain", "positive", "large", "sparse", "scales"])
@pytest.mark.parametrize("far_out", [0.0, 1.0])
def test_one_step_solves_the_scaling_equations(kind, far_out):
    X, D = data(kind, n=60, seed=3)
    W = far_out * np.random.default_rng(4).normal(size=(3, 5)) / np.abs(X).max()
    step, roots, top = one_step(X, D, W)
    np.testing.assert_allclose(step, roots, rtol=1e-5, atol=1e-6 / top)


@pytest.mark.parametrize("kind", ["plain", "positive", "large"])
def test_both_ways_to_the_roots_are_taken(kind, monkeypatch):
    """The series where |step| f(x) <= 0.5, Newton's method elsewhere."""
    X, D = data(kind, n=60, seed=3)
    asked = []

    def spy(X, size, P, target, step, todo, max_newton):
        asked.append(todo.copy())
        scaling_step(X, size, P, target, step, todo, max_newton)

    monkeypatch.setattr("ldlrepro.models.maxent._saiis.scaling_step", spy)
    step, _, top = one_step(X, D, np.zeros((3, 5)))
    (todo,) = asked
    assert 0 < todo.sum() < todo.size
    assert (np.abs(step[~todo]) * top).max() <= 0.5 < (np.abs(step[todo]) * top).min() + 1e-6


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["plain", "positive", "large", "sparse", "zero column", "scales"])
@pytest.mark.parametrize("seed", range(4))
def test_the_loss_never_rises(kind, seed):
    X, D = data(kind, seed=seed)
    path = tuple(range(1, 31))
    model = SAIIS(30, tol=-1e30, path=path).fit(X, D)
    losses = [naive.maxent_loss(X, D, model.path_[k])[0] for k in path]
    assert (np.diff([len(X) * np.log(3), *losses]) <= 1e-10 * len(X)).all()
    assert model.loss_ == pytest.approx(losses[-1] / len(X), rel=1e-10)
    if kind == "zero column":
        np.testing.assert_array_equal(model.coef_[:, 1], 0)


@pytest.mark.interpreted
@pytest.mark.parametrize("p", [0.5, 0.01, 1e-3, 1e-6, 1e-12, 1e-40])
def test_newton_finds_far_roots(p):
    """p exp(step) = 1: far from the root when a label has almost no probability yet."""
    one, step = np.ones((1, 1)), np.ones((1, 1))
    scaling_step(one, np.ones(1), np.array([[p]]), one, step, np.array([[True]]), 100)
    assert step[0, 0] == pytest.approx(-np.log(p), rel=1e-8)


@pytest.mark.interpreted
def test_the_loss_falls_from_a_start_far_away():
    X, D = data("positive", n=60, q=5)
    X *= 30
    start = np.zeros((3, 5))
    start[0] = -1
    first, last = (SAIIS(k, init=start).fit(X, D).loss_ for k in (0, 5))
    assert last < first


@pytest.mark.interpreted
@pytest.mark.parametrize("solver", [SABFGS, SAIIS])
@pytest.mark.parametrize("iteration, steps", [(0, 4), (9, 4)])
def test_no_prediction_for_a_step_that_was_not_run(solver, iteration, steps):
    """Step 0 is the start; a step after max_iter has no coefficients."""
    X, D = data("plain")
    model = solver(steps, path=(iteration, steps)).fit(X, D)
    assert iteration not in model.path_ or not np.array_equal(model.path_[iteration], model.coef_)


@pytest.mark.interpreted
def test_both_solvers_reach_the_same_loss():
    iis, bfgs = SAIIS(20000).fit(toy.X, toy.D), SABFGS(5000).fit(toy.X, toy.D)
    assert iis.loss_ == pytest.approx(bfgs.loss_, abs=1e-9)
    np.testing.assert_allclose(iis.predict(toy.X), bfgs.predict(toy.X), atol=1e-4)


@pytest.mark.interpreted
def test_direction_is_minus_the_bfgs_inverse_hessian_times_the_gradient():
    """The recursion against the update of the full matrix, with all pairs and with the last two."""
    rng = np.random.default_rng(0)
    A = np.diag(np.arange(1.0, 6))
    S = rng.normal(size=(4, 5))
    Y, g = S @ A, rng.normal(size=5)
    rho = 1 / (S * Y).sum(axis=1)
    for used in (4, 2, 0):
        H = 0.3 * np.eye(5)
        for s, y, r in zip(S[4 - used :], Y[4 - used :], rho[4 - used :], strict=True):
            V = np.eye(5) - r * np.outer(y, s)
            H = V.T @ H @ V + r * np.outer(s, s)
        d = np.empty(5)
        direction(g, S, Y, rho, 4 - used, used, 0.3, d)
        np.testing.assert_allclose(d, -H @ g)


@pytest.mark.interpreted
@pytest.mark.parametrize("memory", [2, 5, 100])
def test_lbfgs_reaches_the_minimum_of_scipy(memory):
    def rosenbrock(w):
        return optimize.rosen(w), optimize.rosen_der(w)

    seen = []
    w, value, steps = minimise(
        rosenbrock, np.full(6, -1.0), 1000, memory, 0.0, lambda step, w: seen.append(step)
    )
    np.testing.assert_allclose(w, 1, atol=1e-5)
    assert value < 1e-10 and seen == list(range(1, steps + 1))


@pytest.mark.interpreted
def test_lbfgs_survives_a_loss_that_overflows():
    def barrier(w):
        with np.errstate(all="ignore"):
            return float(w[0] - np.log(w[0])), np.array([1 - 1 / w[0]])  # NaN below 0, minimum at 1

    w, value, _ = minimise(barrier, np.array([1e-3]), 100, 5, 0.0, lambda *_: None)
    assert w[0] == pytest.approx(1, abs=1e-6) and np.isfinite(value)
