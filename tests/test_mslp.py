"""MSLP against slow loops, dense eigenproblems and LPP; bad input; the grid in one go."""

import time
import tracemalloc

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_limits

from ldlrepro import LPP, NPE, PCA
from ldlrepro.datasets import make_mslp_toy, make_standin, make_toy
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.embedding import neighbour_sets
from ldlrepro.papers.learners import MSLP, EmbeddingKNN
from ldlrepro.papers.mslp import readable

toy = make_toy(n_train=120, random_state=0)


def data(n=60, q=4, c=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.dirichlet(np.ones(c), n)


def pencil(X, model):
    """Both sides of Eq. 10, dense."""
    W = model.beta * model.W_plus_.toarray() - (1 - model.beta) * model.W_minus_.toarray()
    M = np.diag(W.sum(axis=1)) - W
    degrees = np.diag(model.W_plus_.toarray().sum(axis=1))
    return X.T @ M @ X + model.lambda_ * np.eye(X.shape[1]), X.T @ degrees @ X


# --- neighbour sets and weights --------------------------------------------------------------


def both_sets(X, D, k_plus, k_minus, alpha):
    """Nei_y and HNei as tables (n, n), by the class and by the readable code."""
    neighbours, *chosen = neighbour_sets(X, D, k_plus, k_minus, alpha)
    found = np.zeros((2, len(X), len(X)), bool)
    for table, mask in zip(found, chosen, strict=True):
        np.put_along_axis(table, neighbours, mask, axis=1)
    return found, np.array(readable.neighbour_sets(X, D, k_plus, k_minus, alpha))


@pytest.mark.parametrize("k_plus, k_minus, alpha", [(3, 3, 2), (5, 2, 5), (4, 0, 1), (2, 10, 6)])
def test_sets_and_weights_of_eqs_2_to_7(k_plus, k_minus, alpha):
    X, D = data()
    np.testing.assert_array_equal(*both_sets(X, D, k_plus, k_minus, alpha))
    model = MSLP(k_plus, k_minus=k_minus, alpha=alpha).fit(X, D)
    plus, minus = readable.weights(X, D, k_plus, k_minus, alpha)
    np.testing.assert_allclose(model.W_plus_.toarray(), plus, rtol=1e-12)
    np.testing.assert_array_equal(model.W_minus_.toarray(), minus)


@pytest.mark.parametrize("n", [5, 8, 12])
def test_with_few_rows_no_row_chooses_one_row_twice(n):
    for near, hetero in both_sets(*data(n), 3, 6, 4):
        assert (near.sum(axis=1) == 3).all() and not (near & hetero).any()
    np.testing.assert_array_equal(*both_sets(*data(n), 3, 6, 4))


def test_of_ties_in_the_labels_the_row_nearer_in_the_features_counts_as_nearer():
    X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]])
    for near, hetero in both_sets(X, np.full((6, 2), 0.5), 1, 3, 5):
        assert np.flatnonzero(near[0]).tolist() == [1]
        assert np.flatnonzero(hetero[0]).tolist() == [3]  # the last three are 3, 4 and 5


def test_there_are_hetero_neighbours_in_noise():
    X, D = data()
    assert MSLP(5, alpha=2).fit(X, D).W_minus_.nnz > 0
    smooth = make_mslp_toy(300, random_state=0)
    shares = [MSLP(5, alpha=5).fit(smooth.X, D).W_minus_.nnz for D in (smooth.D, smooth.D[::-1])]
    assert shares[0] < 0.5 * shares[1]


# --- the eigenproblem ------------------------------------------------------------------------


@pytest.mark.parametrize("beta", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("lambda_", [0, 0.1])
def test_directions_are_the_first_eigenvectors_of_eq_10(beta, lambda_):
    X, D = data(q=6)
    model = MSLP(beta=beta, lambda_=lambda_, ratio=0.5).fit(X, D)
    left, right = pencil(X, model)
    values, vectors = eigh(left, right)
    assert model.coef_.shape == (6, 3)
    np.testing.assert_allclose(model.coef_.T @ right @ model.coef_, np.eye(3), atol=1e-10)
    found = np.diag(model.coef_.T @ left @ model.coef_)
    np.testing.assert_allclose(found, values[:3], atol=1e-10)
    np.testing.assert_allclose(np.abs(model.coef_), np.abs(vectors[:, :3]), atol=1e-8)


def test_the_objective_of_eq_8_is_below_that_of_random_projections():
    X, D = data(n=40, q=6)
    model = MSLP(beta=0.5, lambda_=0.1, ratio=0.5).fit(X, D)
    _, right = pencil(X, model)
    plus, minus = model.W_plus_.toarray(), model.W_minus_.toarray()

    def objective(V):
        pulled, pushed = (readable.spread(X @ V, W) for W in (plus, minus))
        return 0.5 * pulled - 0.5 * pushed + 0.1 * np.square(V).sum()

    best = objective(model.coef_)
    root = np.linalg.inv(np.linalg.cholesky(right)).T  # V = root Q fulfils the constraint
    rng = np.random.default_rng(0)
    for _ in range(5):
        Q, _ = np.linalg.qr(rng.normal(size=(6, 3)))
        assert best < objective(root @ Q)


def test_attraction_alone_on_all_neighbours_is_lpp():
    """With D a turned copy of X both distances are the same, and so are both heat kernels."""
    rng = np.random.default_rng(0)
    D = rng.dirichlet(np.ones(4), 80)
    X = (D - D.mean(axis=0)) @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    model = MSLP(5, alpha=1, beta=1, lambda_=0, ratio=0.5).fit(X, D)
    lpp = LPP(5, variance=1.0, ratio=0.5).fit(X)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(lpp.transform(X)), atol=1e-8)


def test_a_large_penalty_leaves_whitened_components():
    """Eq. 10 then is lambda v = eta X^T D+ X v: principal components, weighted and not centred."""
    X, D = data(q=5)
    X -= X.mean(axis=0)
    model = MSLP(lambda_=1e9, ratio=0.4).fit(X, D)
    weight = np.sqrt(model.W_plus_.toarray().sum(axis=1))
    U = np.linalg.svd(weight[:, None] * X)[0][:, :2] / weight[:, None]
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(U), atol=1e-6)


def test_fewer_rows_than_features_is_exact_in_the_span_of_the_rows():
    X, D = data(n=30, q=50)
    X[:, 7] = 3.0
    model = MSLP(ratio=0.1).fit(X, D)
    left, right = pencil(X, model)
    np.testing.assert_allclose(model.coef_.T @ right @ model.coef_, np.eye(5), atol=1e-8)
    found = np.diag(model.coef_.T @ left @ model.coef_)
    # A little more on the right side makes the pencil regular, and moves its values as little.
    values = eigh(left, right + 1e-9 * np.eye(50), eigvals_only=True)[:5]
    np.testing.assert_allclose(found, values, rtol=1e-4)
    inside = X.T @ np.linalg.lstsq(X.T, model.coef_, rcond=None)[0]
    np.testing.assert_allclose(inside, model.coef_, atol=1e-8)
    assert MSLP(ratio=1.0).fit(X, D).transform(X).shape == (30, 30)


def test_prediction_averages_the_nearest_rows_of_the_embedding():
    model = MSLP(ratio=0.7, n_neighbors=4).fit(toy.X, toy.D)
    Z, Z_test = model.transform(toy.X), model.transform(toy.X_test[:20])
    nearest = np.square(Z_test[:, None] - Z[None]).sum(axis=2).argsort(axis=1)[:, :4]
    np.testing.assert_allclose(model.predict(toy.X_test[:20]), toy.D[nearest].mean(axis=1))
    uniform = kl_divergence(toy.D_test, np.full_like(toy.D_test, 1 / 3))
    assert kl_divergence(toy.D_test, model.predict(toy.X_test)) < 0.5 * uniform


@pytest.mark.parametrize("n, q", [(60, 4), (30, 50)])
@pytest.mark.parametrize("beta, lambda_", [(0.1, 0.1), (0.5, 0.01), (1.0, 0.1)])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_class_does_what_the_chapter_shows_in_plain_numpy(n, q, beta, lambda_, seed):
    X, D = data(n, q, seed=seed)
    X_new, _ = data(20, q, seed=seed + 10)
    settings = {"beta": beta, "lambda_": lambda_}
    model = MSLP(4, alpha=3, k_minus=6, **settings, ratio=0.5, n_neighbors=5).fit(X, D)
    W_plus, W_minus = readable.weights(X, D, 4, 6, 3)
    V = readable.directions(X, W_plus, W_minus, **settings, count=q // 2)
    np.testing.assert_allclose(np.abs(X @ V), np.abs(model.transform(X)), atol=1e-8)
    P = readable.predict(X, D, V, X_new, k=5)
    np.testing.assert_allclose(P, model.predict(X_new), rtol=1e-10)


# --- the grid in one go ----------------------------------------------------------------------

SHARED = {"ratio": [0.1, 0.6, 1.0], "n_neighbors": [3, 1]}
GRIDS = {
    "MSLP": (MSLP(), SHARED | {"beta": [0.1, 0.5], "k_plus": [3, 5], "lambda_": [0, 0.1]}),
    "MSLP, outer": (MSLP(n_neighbors=4), {"alpha": [2, 5], "k_minus": [1, None]}),
    "NPE": (
        EmbeddingKNN(NPE()),
        {"transformer__ratio": [0.3, 1.0], "transformer__n_neighbors": [4, 5]}
        | {"n_neighbors": [2, 5], "transformer__kernel": ["linear", "rbf"]},
    ),
    "PCA": (EmbeddingKNN(PCA(1.0)), {"n_neighbors": [2, 5]}),
    "none": (EmbeddingKNN(PCA(1.0)), {}),
}


@pytest.mark.parametrize("case", GRIDS)
def test_predict_grid_is_a_fit_for_each_point(case):
    model, grid = GRIDS[case]
    X, D = data(n=40, q=8)
    X_new, _ = data(n=9, q=8, seed=1)
    found = list(model.predict_grid(X, D, X_new, grid))
    key = sorted(str(sorted(p.items())) for p, _ in found)
    assert key == sorted(str(sorted(p.items())) for p in ParameterGrid(grid))
    for parameters, P in found:
        alone = clone(model).set_params(**parameters).fit(X, D).predict(X_new)
        np.testing.assert_allclose(P, alone, atol=1e-12)


# --- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"k_plus": 120}, "k_plus=120 with 120 training rows: choose 1 to 119"),
        ({"k_plus": 0}, "k_plus=0"),
        ({"n_neighbors": 121}, "n_neighbors=121 with 120 training rows: choose 1 to 120"),
        ({"alpha": 0.5}, "alpha=0.5: choose a number of 1 or more"),
        ({"alpha": np.nan}, "alpha(=nan| must be a number)"),
        ({"k_minus": 21}, r"k_minus=21: choose 0 to \(alpha - 1\) k_plus = 20"),
        ({"k_minus": -1}, "k_minus=-1"),
        ({"beta": 1.1}, r"beta=1.1 must lie in \[0, 1\]"),
        ({"lambda_": -1}, "lambda_=-1 be 0 or more"),
        ({"ratio": 0}, "ratio=0 of 3 features gives no dimension"),
        ({"ratio": 1.5}, "ratio=1.5"),
        ({"ratio": np.nan}, "ratio(=nan| must be a number)"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        MSLP(**parameters).fit(toy.X, toy.D)
    with pytest.raises(ValueError, match=message):
        grid = {k: [v] for k, v in parameters.items()}
        list(MSLP().predict_grid(toy.X, toy.D, toy.X, grid))


def test_a_small_ratio_leaves_one_dimension_and_alpha_is_cut_at_the_rows():
    X, D = data(n=8, q=3)
    model = MSLP(4, alpha=5, ratio=0.01, n_neighbors=8).fit(X, D)
    assert model.transform(X).shape == (8, 1)
    np.testing.assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (8, 1)))


@pytest.mark.parametrize("kind", ["identical", "zero", "twice", "one label", "in two parts"])
@pytest.mark.parametrize("beta, lambda_", [(0, 0), (0.5, 0.01), (1, 0)])
def test_degenerate_rows_give_numbers(kind, beta, lambda_):
    X, D = data(n=40)
    if kind == "identical":
        X[:] = X[0]
    if kind == "zero":
        X[:] = 0
    if kind == "twice":
        X[20:], D[20:] = X[:20], D[:20]
    if kind == "one label":
        D[:] = D[0]
    if kind == "in two parts":
        X[20:] += 1e3
    model = MSLP(beta=beta, lambda_=lambda_, ratio=0.5, alpha=2).fit(X, D)
    if kind == "in two parts":
        assert connected_components(model.W_plus_)[0] >= 2
    assert np.isfinite(model.transform(X)).all()
    P = model.predict(X)
    assert np.isfinite(P).all()
    if kind in ("identical", "zero"):
        np.testing.assert_array_equal(P, np.tile(P[0], (40, 1)))


# --- speed -----------------------------------------------------------------------------------


def test_fit_at_the_size_of_sbu_3dfe_is_fast_and_small():
    bunch = make_standin("SBU_3DFE", n_samples=2250)
    with threadpool_limits(1):
        start = time.process_time()  # the seconds of one core, whatever else runs
        MSLP().fit(bunch.X, bunch.D)
        assert time.process_time() - start < 2
        tracemalloc.start()
        MSLP().fit(bunch.X, bunch.D)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 0.9 * 2250**2 * 8  # one dense (n, n) of floats
