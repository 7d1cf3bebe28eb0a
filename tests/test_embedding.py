"""The transformers against dense solutions and scikit-learn; LDSVR against its objective."""

import naive_ldsvr as naive
import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import logit
from sklearn import cross_decomposition, decomposition
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.manifold import LocallyLinearEmbedding

from ldlrepro import CCA, LDSVR, LPP, NPE, PCA
from ldlrepro.datasets import make_toy
from ldlrepro.metrics import kl_divergence
from ldlrepro.models._rbf import average_distance, rbf
from ldlrepro.models.embedding._graph import feature_neighbours, heat, link, scatter
from ldlrepro.models.embedding._npe import reconstruction_weights
from ldlrepro.papers.learners import AAKNN, EmbeddingKNN
from ldlrepro.papers.mslp import readable

KINDS = [(kind, kernel) for kernel in ("linear", "rbf") for kind in (LPP, NPE, PCA, CCA)]
NAMES = [f"{kind.__name__}-{kernel}" for kind, kernel in KINDS]
TRANSFORMERS = [kind(kernel=kernel) for kind, kernel in KINDS]
each = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=NAMES)
toy = make_toy(n_train=80, random_state=0)


def data(n=50, q=5, c=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)) * np.arange(1, q + 1), rng.dirichlet(np.ones(c), n)


def same_up_to_sign(A, B, atol=1e-7):
    np.testing.assert_allclose(np.abs(A), np.abs(B), atol=atol)


# --- graphs ----------------------------------------------------------------------------------


def test_graph_weights_and_scatter():
    X, _ = data(n=25)
    neighbours = feature_neighbours(X, 3)
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    by_hand = np.argsort(squared + np.diag(np.full(25, np.inf)), axis=1)[:, :3]
    np.testing.assert_array_equal(neighbours, by_hand)
    chosen = np.zeros((25, 25), bool)
    chosen[np.arange(25)[:, None], by_hand] = True
    linked = chosen | chosen.T
    W = heat(link(neighbours), X)
    dense = np.where(linked, np.exp(-squared / squared[linked].mean()), 0)
    np.testing.assert_allclose(W.toarray(), dense, rtol=1e-12)
    V = np.random.default_rng(1).normal(size=(5, 2))
    expected = readable.spread(X @ V, dense)
    assert np.trace(V.T @ scatter(W, X) @ V) == pytest.approx(expected, rel=1e-10)


# --- transformers ----------------------------------------------------------------------------


def test_lpp_is_the_dense_solution():
    X, _ = data()
    found = LPP(4, ratio=0.6, variance=1.0).fit(X).transform(X)
    Z = X - X.mean(axis=0)
    W = heat(link(feature_neighbours(X, 4)), X).toarray()
    S = np.diag(W.sum(axis=1))
    same_up_to_sign(found, Z @ eigh(Z.T @ (S - W) @ Z, Z.T @ S @ Z)[1][:, :3])


def test_npe_is_the_dense_solution():
    X, _ = data()
    found = NPE(4, ratio=0.6, variance=1.0).fit(X).transform(X)
    Z = X - X.mean(axis=0)
    neighbours = feature_neighbours(X, 4)
    W = np.zeros((50, 50))
    for i, row in enumerate(neighbours):
        off = X[row] - X[i]
        gram = off @ off.T
        w = np.linalg.solve(gram + 1e-3 * np.trace(gram) * np.eye(4), np.ones(4))
        W[i, row] = w / w.sum()
    np.testing.assert_allclose(
        reconstruction_weights(X, neighbours), np.take_along_axis(W, neighbours, 1), rtol=1e-8
    )
    R = Z - W @ Z
    same_up_to_sign(found, Z @ eigh(R.T @ R, Z.T @ Z)[1][:, :3])


def test_npe_without_a_bound_on_directions_is_locally_linear_embedding():
    """With more features than rows every embedding is linear in the features."""
    X, _ = data(n=30, q=60)
    found = NPE(6, ratio=0.05, variance=1.0).fit(X).transform(X)
    lle = LocallyLinearEmbedding(n_neighbors=6, n_components=3, eigen_solver="dense")
    expected = lle.fit_transform(X)
    expected -= expected.mean(axis=0)
    found, expected = (Z / np.linalg.norm(Z, axis=0) for Z in (found, expected))
    same_up_to_sign(found, expected, atol=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_pca_is_that_of_scikit_learn(kernel):
    X, _ = data()
    found = PCA(0.6, kernel=kernel).fit(X).transform(X)
    gamma = 0.5 / average_distance(X) ** 2
    theirs = decomposition.KernelPCA(3, kernel=kernel, gamma=gamma).fit_transform(X)
    same_up_to_sign(found, theirs)
    white = PCA(0.6, kernel=kernel, whiten=True).fit(X).transform(X)
    np.testing.assert_allclose(white, found / found.std(axis=0))


def test_cca_is_that_of_scikit_learn_with_unit_variances():
    X, D = data(c=4)
    found = CCA(0.6).fit(X, D).transform(X)
    theirs = cross_decomposition.CCA(3, max_iter=5000, tol=1e-12).fit(X, D).transform(X)
    same_up_to_sign(found, theirs / theirs.std(axis=0), atol=1e-4)
    np.testing.assert_allclose(found.T @ found / 50, np.eye(3), atol=1e-8)
    assert CCA(1.0).fit(X, D).transform(X).shape == (50, 3)  # c - 1


@each
def test_ratios_are_nested_and_capped(transformer):
    X, D = data(n=20, q=30, c=5)
    wide = clone(transformer).set_params(ratio=1.0).fit(X, D).transform(X)
    narrow = clone(transformer).set_params(ratio=0.1).fit(X, D).transform(X)
    assert narrow.shape == (20, 3) and 3 < wide.shape[1] <= 19 or isinstance(transformer, CCA)
    np.testing.assert_allclose(wide[:, : narrow.shape[1]], narrow, atol=1e-7)
    assert clone(transformer).set_params(ratio=1e-3).fit(X, D).transform(X).shape == (20, 1)


@each
@pytest.mark.parametrize("kind", ["identical", "constant column", "twice", "in two parts", "one D"])
def test_degenerate_rows_give_numbers(transformer, kind):
    X, D = data(n=24)
    if kind == "identical":
        X[:] = 0.1
    if kind == "constant column":
        X[:, 1] = 0.1
    if kind == "twice":
        X[12:] = X[:12]
    if kind == "in two parts":
        X[12:] += 1e3
    if kind == "one D":
        D[:] = D[0]
    Z = clone(transformer).fit(X, D).transform(X)
    assert Z.shape[1] >= 1 and np.isfinite(Z).all()
    assert kind != "identical" or not Z.any()
    P = EmbeddingKNN(transformer, 3).fit(X, D).predict(X)
    assert np.isfinite(P).all()


WRONG = {
    "ratio": ({"ratio": 0.0}, "ratio=0.0 of 5 features gives no dimension"),
    "variance": ({"variance": 0}, "variance=0: choose a share"),
    "kernel": ({"kernel": "poly"}, "kernel='poly'"),
    "width": ({"kernel": "rbf", "width": 0}, "width=0: choose"),
    "n_neighbors": ({"n_neighbors": 50}, "n_neighbors=50 with 50 rows.*choose 1 to 49"),
}


@pytest.mark.parametrize("case", WRONG)
@each
def test_wrong_parameters_are_named(transformer, case):
    parameters, message = WRONG[case]
    if not set(parameters) <= set(transformer.get_params()):
        return
    with pytest.raises(ValueError, match=message):
        clone(transformer).set_params(**parameters).fit(*data())


def test_cca_wants_degrees_and_the_decoder_rows():
    X, D = data()
    with pytest.raises(ValueError, match="CCA requires y to be passed"):
        CCA().fit(X)
    with pytest.raises(ValueError, match="n_neighbors=51 with 50 training rows"):
        EmbeddingKNN(n_neighbors=51).fit(X, D)


def test_all_components_before_the_decoder_are_aaknn():
    model = EmbeddingKNN(PCA(1.0), 7).fit(toy.X, toy.D)
    np.testing.assert_allclose(
        model.predict(toy.X_test), AAKNN(7).fit(toy.X, toy.D).predict(toy.X_test)
    )
    other = EmbeddingKNN(decomposition.PCA(3), 7).fit(toy.X, toy.D)  # any transformer will do
    np.testing.assert_allclose(model.predict(toy.X_test), other.predict(toy.X_test))


# --- LDSVR -----------------------------------------------------------------------------------


@pytest.mark.parametrize("C, epsilon", [(0.3, 0.0), (1.0, 0.3), (100.0, 1.0)])
def test_ldsvr_minimises_its_objective(C, epsilon):
    X, D = data(n=8)
    model = LDSVR(C, epsilon=epsilon, tol=1e-12, max_iter=500).fit(X, D)
    K, Y = rbf(X, X, model.width_), logit(np.clip(D, 0.01, 0.99))

    def objective(w):
        return naive.joint_svr_objective(K, Y, w[:24].reshape(8, 3), w[24:], C, epsilon)

    at = objective(np.concatenate([model.dual_coef_.ravel(), model.intercept_]))
    assert model.objective_ == pytest.approx(at, rel=1e-9)
    best = minimize(objective, np.zeros(27), method="L-BFGS-B", options={"maxfun": 10**6}).fun
    assert at <= best * (1 + 1e-5)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=0), 0, atol=1e-4 * C)


def test_ldsvr_without_a_tube_is_kernel_ridge_regression_of_logits():
    X, D = data(n=30)
    model = LDSVR(2.0, epsilon=0.0, tol=1e-12).fit(X, D)
    Y = logit(np.clip(D, 0.01, 0.99))
    ridge = KernelRidge(alpha=1 / 4, kernel="precomputed").fit(
        rbf(X, X, model.width_), Y - model.intercept_
    )
    np.testing.assert_allclose(model.dual_coef_, ridge.dual_coef_, atol=1e-9)


def test_ldsvr_rows_in_the_tube_carry_no_weight_and_labels_share_it():
    model = LDSVR(1.0, epsilon=0.3, tol=1e-12).fit(toy.X, toy.D)
    inside = np.abs(model.dual_coef_) < 1e-5
    assert 20 < inside.all(axis=1).sum() < 60
    np.testing.assert_array_equal(inside.all(axis=1), inside.any(axis=1))
    uniform = kl_divergence(toy.D_test, np.full_like(toy.D_test, 1 / 3))
    assert kl_divergence(toy.D_test, model.predict(toy.X_test)) < 0.2 * uniform
    wide = LDSVR(epsilon=100.0).fit(toy.X, toy.D)  # every row lies in the tube
    np.testing.assert_allclose(wide.predict(toy.X), 1 / 3)


def test_ldsvr_takes_zeros_and_ones():
    D = np.eye(3)[np.arange(80) % 3]
    assert np.isfinite(LDSVR().fit(toy.X, D).predict(toy.X)).all()


@pytest.mark.parametrize(
    "wrong", [{"C": 0}, {"epsilon": -1}, {"floor": 0.5}, {"max_iter": 0}, {"width": 0}]
)
def test_ldsvr_wrong_parameters_are_named(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value}"):
        LDSVR(**wrong).fit(toy.X, toy.D)


def test_average_distance():
    X = np.array([[0.0, 0], [3, 4], [0, 0]])
    assert average_distance(X) == pytest.approx(10 / 3)
    assert average_distance(np.ones((3, 2))) == 1
    assert rbf(X[:1], X, 5.0).tolist() == [[1, pytest.approx(np.exp(-0.5)), 1]]
