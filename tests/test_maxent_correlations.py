"""LCLDL, LDLLCLR and LDLSF against slow twins, finite differences and their optimality."""

import naive_correlations as naive
import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import softmax

from ldlrepro.datasets import make_toy
from ldlrepro.models.maxent import _lcldl, _ldllclr, _ldlsf
from ldlrepro.models.maxent._lcldl_published import PublishedLCLDL, PublishedLoss
from ldlrepro.papers.learners import LCLDL, LDLLCLR, LDLSF, SABFGS

toy = make_toy(n_train=80, random_state=0)
METHODS = {"LCLDL": LCLDL, "LDLLCLR": LDLLCLR, "LDLSF": LDLSF}


def data(n=20, q=4, c=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.dirichlet(np.full(c, 1.5), n)


def entropy(D):
    return -(D * np.log(D)).sum()


# --- LCLDL -----------------------------------------------------------------------------------


@pytest.mark.interpreted
@pytest.mark.parametrize("of", ["labels", "weights"])
@pytest.mark.parametrize("c", [2, 3, 6])
def test_lcldl_objective_and_gradient(of, c):
    X, D = data(c=c)
    W = np.random.default_rng(1).normal(size=(c, 4))
    signs = _lcldl.correlation_signs(D.T) if of == "labels" else None
    loss = _lcldl.CorrelationLoss(X, D, 0.3, 2.0, signs)
    value, gradient = loss(W.ravel())
    expected = naive.lcldl(X, D, W, 0.3, 2.0, D.T if of == "labels" else W)
    assert value == pytest.approx(expected + entropy(D), rel=1e-9)
    slope = approx_fprime(W.ravel(), lambda w: loss(w)[0], 1e-7)
    np.testing.assert_allclose(gradient, slope, atol=1e-4)


def test_gradient_of_distances_where_rows_are_equal_is_0():
    value, slope = _lcldl.distance_penalty(np.ones((3, 2)), np.ones((3, 3)) - np.eye(3))
    assert value < 1e-4
    np.testing.assert_array_equal(slope, 0)


def test_correlation_signs():
    up = np.arange(5.0)
    A = np.array([up, 3 * up + 1, -up, np.full(5, 0.1), np.full(5, 1 / 3), [1, -2, 0, 2, -1.0]])
    signs = _lcldl.correlation_signs(A)
    expected = [[np.sign(round(naive.pearson(a, b), 9)) for b in A] for a in A]
    np.fill_diagonal(expected := np.array(expected), 0)
    np.testing.assert_array_equal(signs, expected)
    assert signs[0].tolist() == [0, 1, -1, 0, 0, 0]  # constant rows, and one of correlation 0
    assert not _lcldl.correlation_signs(np.zeros((3, 4))).any()


@pytest.mark.interpreted
def test_lcldl_reaches_the_optimum():
    X, D = data(n=40)
    fitted = LCLDL(lambda2=0.5, tol=1e-13, max_iter=2000).fit(X, D)
    best = min(
        minimize(lambda w: naive.lcldl(X, D, w.reshape(3, 4), 0.1, 0.5, D.T), start, tol=1e-10).fun
        for start in (np.zeros(12) + 1e-3 * np.arange(12), fitted.coef_.ravel())
    )
    assert fitted.objective_ - entropy(D) < best + 1e-4


@pytest.mark.interpreted
def test_lcldl_without_its_terms_is_sabfgs():
    P = LCLDL(lambda1=0, lambda2=0, tol=1e-12, max_iter=300).fit(toy.X, toy.D).predict(toy.X)
    np.testing.assert_allclose(P, SABFGS().fit(toy.X, toy.D).predict(toy.X), atol=1e-6)


@pytest.mark.interpreted
def test_published_lcldl_is_what_its_loops_say():
    """Objective and search direction of public code, term by term."""
    X, D = data()
    W = np.random.RandomState(3).normal(size=(D.shape[1], X.shape[1]))
    W[-1] = 0.5  # constant: no correlation
    c, q = W.shape
    P = softmax(X @ W.T, axis=1)
    value, slope = -np.sum(D * np.log(P)), (P - D).T @ X
    for j in range(c):
        for i in range(q):
            value += 0.3 * W[j, i] ** 2
            slope[j, i] += 0.3 * 2 * np.sign(W[j, i])
        for k in range(c):
            if c - 1 in (j, k) or j == k:
                continue
            rho, r = np.corrcoef(W[j], W[k])[0, 1], np.linalg.norm(W[j] - W[k])
            value += 0.7 * rho * r / 2
            slope[j] += 0.7 * np.sign(rho) * np.abs(W[j] - W[k]) / (r + 1e-5)
    got, gradient = PublishedLoss(X, D, 0.3, 0.7)(W.ravel())
    np.testing.assert_allclose(got, value, rtol=1e-12)
    np.testing.assert_allclose(gradient.reshape(c, q), slope, rtol=1e-10, atol=1e-12)
    model = PublishedLCLDL(init="identity").fit(X, D)
    assert model.objective_ < PublishedLoss(X, D, 0.1, 0.01)(np.eye(c, q).ravel())[0]


@pytest.mark.interpreted
def test_lcldl_draws_correlated_labels_together_and_others_apart():
    """Labels 0 and 1 rise together, 2 and 3 against them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    D = softmax(X @ np.array([[2.0, 1, -2, -1], [0, 1, 0, -1], [0, 0, 1, -1]]), axis=1)
    weak, strong = (LCLDL(lambda1=0.5, lambda2=v).fit(X, D).coef_ for v in (0.0, 20.0))
    signs = _lcldl.correlation_signs(D.T)
    assert signs[0, 1] == 1 and signs[0, 2] == -1
    assert np.linalg.norm(strong[0] - strong[1]) < 0.5 * np.linalg.norm(weak[0] - weak[1])
    assert np.linalg.norm(strong[0] - strong[2]) > np.linalg.norm(weak[0] - weak[2])


# --- LDLLCLR ---------------------------------------------------------------------------------


def test_clusters_do_not_change_the_sum_of_squared_distances():
    _, D = data(n=60, c=5)
    whole = naive.clustered_distances(D, 1)
    for clusters in (2, 4, 9):
        np.testing.assert_allclose(naive.clustered_distances(D, clusters), whole, rtol=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("c", [2, 3, 6])
def test_lclr_augmented_loss_and_gradient(c):
    X, D = data(c=c)
    rng = np.random.default_rng(1)
    loss = _ldllclr.AugmentedLoss(X, D, 0.3, 0.7)
    S, B = rng.normal(size=(c, c)), rng.normal(size=(c, len(X)))
    loss.pull_towards(S, B)
    w = rng.normal(size=c * 4)
    value, gradient = loss(w)
    P = softmax(X @ w.reshape(c, 4).T, axis=1)
    expected = -(D * np.log(P)).sum() + 0.3 * (w**2).sum()
    expected += 0.35 * ((B.T - P @ S) ** 2).sum()
    assert value == pytest.approx(expected, rel=1e-12)
    slope = approx_fprime(w, lambda v: loss(v)[0], 1e-7)
    np.testing.assert_allclose(gradient, slope, atol=2e-5)


def test_lclr_objective():
    X, D = data(n=30)
    rng = np.random.default_rng(1)
    W, S, lambdas = rng.normal(size=(3, 4)), rng.normal(size=(3, 3)), (0.1, 0.2, 0.3, 0.4)
    P = softmax(X @ W.T, axis=1)
    expected = naive.lclr(X, D, W, S, lambdas)
    assert _ldllclr.objective(P, D, W, S, *lambdas) == pytest.approx(expected, rel=1e-12)
    one_hot = np.eye(3)[[0, 1, 2]]
    assert np.isfinite(_ldllclr.objective(one_hot[[1, 1, 2]], one_hot, W, S, *lambdas))


def test_steps_of_admm_minimise_what_they_state():
    rng = np.random.default_rng(0)
    A, target = rng.normal(size=(3, 7)), rng.normal(size=(3, 3))
    P, B, pull = rng.random((3, 7)), rng.random((3, 7)), rng.normal(size=(3, 3))

    def check(found, loss):
        value = loss(found)
        for _ in range(50):
            for size in (1e-4, 1e-2, 1.0):
                assert value <= loss(found + size * rng.normal(size=found.shape)) + 1e-15

    check(
        _ldllclr.correlation_step(P, B, target, pull),
        lambda S: 0.5 * (((B - S.T @ P) ** 2).sum() + ((S - target) ** 2).sum()) - (pull * S).sum(),
    )
    for by in (0.1, 2.0):
        check(
            _ldllclr.shrink_rows(A, by),
            lambda E, by=by: 0.5 * ((E - A) ** 2).sum() + by * np.linalg.norm(E, axis=1).sum(),
        )
        check(
            _ldllclr.shrink_singular_values(target, by),
            lambda Z, by=by: 0.5 * ((Z - target) ** 2).sum() + by * np.linalg.norm(Z, "nuc"),
        )
        check(
            _ldlsf.soft_threshold(A, by),
            lambda M, by=by: 0.5 * ((M - A) ** 2).sum() + by * np.abs(M).sum(),
        )
    np.testing.assert_array_equal(_ldllclr.shrink_rows(np.zeros((2, 3)), 0.1), 0)


@pytest.mark.interpreted
def test_lclr_rounds_are_those_of_the_twin():
    X, D = data(n=25)
    lambdas = (0.05, 0.3, 0.2, 0.01)
    names = dict(zip(["lambda1", "lambda2", "lambda3", "lambda4"], lambdas, strict=True))
    for rounds in (1, 4):
        fitted = LDLLCLR(rounds, **names, rho=0.8, tol=0).fit(X, D)
        W, S = naive.lclr_admm(X, D, lambdas, 0.8, rounds)
        assert fitted.n_iter_ == rounds
        np.testing.assert_allclose(fitted.correlation_, S, atol=2e-3)
        np.testing.assert_allclose(softmax(X @ W.T, axis=1), fitted.predict(X), atol=2e-3)
        assert fitted.objective_ == pytest.approx(naive.lclr(X, D, W, S, lambdas), rel=1e-3)


@pytest.mark.interpreted
def test_lclr_meets_its_constraints_where_the_objective_has_a_minimum():
    X, D = data(n=60)
    fitted = LDLLCLR(3000, lambda2=0.1, lambda3=0.1, lambda4=1e-3, tol=1e-5).fit(X, D)
    assert fitted.n_iter_ < 3000
    P = fitted.predict(X)
    lambdas = (1e-3, 0.1, 0.1, 1e-3)
    rng = np.random.default_rng(0)
    for _ in range(30):  # no better point near by
        S = fitted.correlation_ + 0.01 * rng.normal(size=(3, 3))
        assert fitted.objective_ <= _ldllclr.objective(P, D, fitted.coef_, S, *lambdas) + 1e-6


# --- LDLSF -----------------------------------------------------------------------------------


def test_ldlsf_objective_and_laplacian():
    X, D = data(c=4)
    rng = np.random.default_rng(1)
    M, M1, M2 = rng.normal(size=(3, 4, 4))
    lambdas = (0.1, 0.2, 0.3)
    found = _ldlsf.objective(X, D, M, M1, M2, _ldlsf.laplacian(D), *lambdas)
    assert found == pytest.approx(naive.ldlsf(X, D, M, M1, M2, lambdas), rel=1e-10)
    D[:, 1] = 0.25
    assert not _ldlsf.laplacian(D)[1].any()


def test_ldlsf_step_is_where_the_gradient_is_0():
    X, D = data()
    rng = np.random.default_rng(1)
    M12, V1, v2 = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=20)
    L = _ldlsf.laplacian(D)
    M = _ldlsf.CoefficientStep(X, D, L, 0.05, 0.7)(M12, V1, v2)

    def augmented(m):
        M = m.reshape(4, 3)
        F, off = X @ M, (X @ M).sum(axis=1) - 1
        value = 0.5 * ((F - D) ** 2).sum() + 0.05 * np.trace(F @ L @ F.T)
        value += 0.35 * ((M - M12) ** 2).sum() + (V1 * (M - M12)).sum()
        return value + 0.35 * (off**2).sum() + v2 @ off

    assert np.abs(approx_fprime(M.ravel(), augmented, 1e-6)).max() < 1e-4
    scale = np.abs(approx_fprime(M.ravel() + 0.1, augmented, 1e-6)).max()
    assert scale > 0.1  # the check can fail


def test_ldlsf_rounds_are_those_of_the_twin():
    X, D = data(n=30)
    X = np.abs(X)
    for lambdas, rho in (((1e-2, 2e-2, 5e-2), 0.1), ((1e-4, 1e-2, 1e-3), 1e-3)):
        for rounds in (1, 6):
            found = LDLSF(
                rounds,
                *[],
                lambda1=lambdas[0],
                lambda2=lambdas[1],
                lambda3=lambdas[2],
                rho=rho,
                tol=0,
            ).fit(X, D)
            M, M1, M2 = naive.ldlsf_admm(X, D, lambdas, rho, rounds)
            np.testing.assert_allclose(found.coef_, M.T, atol=1e-7)
            np.testing.assert_allclose(found.specific_, M1.T, atol=1e-7)
            np.testing.assert_allclose(found.common_, M2.T, atol=1e-7)
            expected = naive.ldlsf(X, D, M, M1, M2, lambdas)
            assert found.objective_ == pytest.approx(expected, rel=1e-6)


def test_ldlsf_selects_features():
    """Feature 0 serves all labels, 1 only the first two, 2 and 3 none."""
    rng = np.random.default_rng(0)
    X = np.hstack([np.ones((300, 1)), rng.normal(size=(300, 3))])
    D = np.full((300, 3), 1 / 3)
    D[:, 0] += 0.05 * X[:, 1]
    D[:, 1] -= 0.05 * X[:, 1]
    D = np.abs(D) / np.abs(D).sum(axis=1, keepdims=True)
    fitted = LDLSF(2000, lambda1=1.0, lambda2=1.0, rho=1.0, tol=1e-8).fit(X, D)
    used = np.abs(fitted.specific_ + fitted.common_) > 1e-4
    assert used[:, 0].all() and used[:2, 1].all() and not used[2:, 1].any()
    assert not used[:, 2:].any()


def test_ldlsf_predicts_negative_degrees_as_0_and_rows_without_degrees_as_uniform():
    fitted = LDLSF().fit(toy.X, toy.D)
    fitted.coef_ = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0]])
    P = fitted.predict([[1.0, 3, 0], [2, -1, 0], [0, -1, 5]])
    np.testing.assert_allclose(P, [[0.25, 0, 0.75], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])


def test_ldlsf_says_when_lambda3_is_too_large():
    X, D = data()
    with pytest.raises(ValueError, match="lambda3=100 is too large"):
        LDLSF(lambda3=100).fit(X, D)


# --- all three -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_odd_labels_are_fitted(name):
    """Constant columns, one of them 0; one-hot rows; two rows; a feature for each row."""
    X = toy.X
    constant = np.column_stack(
        [
            0.9 * toy.D[:, :2] / toy.D[:, :2].sum(axis=1, keepdims=True),
            np.full(len(X), 0.1),
            np.zeros(len(X)),
        ]
    )
    one_hot = np.eye(3)[toy.D.argmax(axis=1)]
    rng = np.random.default_rng(0)
    for A, D in (
        (X, constant),
        (X, one_hot),
        (X, np.full((len(X), 4), 0.25)),
        (X[:2], toy.D[:2]),
        (rng.normal(size=(5, 50)), toy.D[:5]),
        (1e3 * X, toy.D),
        (1e-6 * X, toy.D),
    ):
        P = METHODS[name]().fit(A, D).predict(A)
        assert np.isfinite(P).all() and P.min() >= 0
        np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "estimator, message",
    [
        (LCLDL(lambda1=-1), "lambda1=-1"),
        (LCLDL(correlation="features"), "correlation='features'"),
        (LDLLCLR(lambda3=-0.5), r"\(0.001, 0.01, -0.5, 0.01\) must be 0 or more"),
        (LDLLCLR(rho=0), "rho=0"),
        (LDLLCLR(max_iter_w=0), "max_iter_w=0"),
        (LDLSF(lambda2=-1), r"\(0.0001, -1, 0.001\)"),
        (LDLSF(rho=-1), "rho=-1"),
        (LDLSF(0), "max_iter=0"),
        (LCLDL(init="ones"), "init must be"),
        (LDLLCLR(init=np.ones((2, 2))), "init must be .* shape"),
        (LDLSF(init=np.ones((2, 2))), "init must be .* shape"),
    ],
)
def test_parameters_out_of_range_are_named(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(toy.X, toy.D)


@pytest.mark.parametrize("name", METHODS)
def test_a_start_at_the_optimum_ends_there_sooner(name):
    tight = {"tol": 1e-6, "max_iter": 1000}
    cold = METHODS[name](**tight).fit(toy.X, toy.D)
    warm = METHODS[name](**tight, init=cold.coef_).fit(toy.X, toy.D)
    assert warm.n_iter_ <= cold.n_iter_
    np.testing.assert_allclose(warm.predict(toy.X), cold.predict(toy.X), atol=1e-3)


@pytest.mark.interpreted
@pytest.mark.parametrize("method", [LCLDL, LDLLCLR])
def test_path(method):
    fitted = method(3, path=(0, 2, 3)).fit(toy.X, toy.D)
    stages = dict(fitted.staged_predict(toy.X))
    np.testing.assert_allclose(stages[0], 1 / 3)
    short = method(2).fit(toy.X, toy.D)
    np.testing.assert_allclose(stages[2], short.predict(toy.X))
    np.testing.assert_array_equal(stages[3], fitted.predict(toy.X))
