"""PT-Bayes against scikit-learn's naive Bayes; the pieces of PT-SVM against their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import multivariate_normal
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from ldlrepro import PTSVM, MeanPredictor
from ldlrepro.datasets import make_toy
from ldlrepro.kernels.kernel_svm import kernel_dual
from ldlrepro.metrics import kl_divergence
from ldlrepro.models._rbf import rbf
from ldlrepro.models.problem_transformation._ptbayes_drawn import DrawnPTBayes
from ldlrepro.models.problem_transformation._ptsvm import _draw, couple, platt
from ldlrepro.papers.learners import PTBayes

toy = make_toy(n_train=200, random_state=0)


# --- PT-Bayes --------------------------------------------------------------------------------


@pytest.mark.parametrize("floor", [1e-9, 0.1])
def test_ptbayes_is_naive_bayes_on_weighted_copies(floor):
    theirs = GaussianNB(var_smoothing=floor).fit(
        np.repeat(toy.X, 3, axis=0), np.tile(range(3), 200), sample_weight=toy.D.ravel()
    )
    ours = PTBayes(floor).fit(toy.X, toy.D)
    np.testing.assert_allclose(ours.variance_, theirs.var_, rtol=1e-9)
    np.testing.assert_allclose(
        ours.predict(toy.X_test), theirs.predict_proba(toy.X_test), atol=1e-9
    )


def test_ptbayes_is_safe_with_many_features_and_labels_without_weight():
    X = np.hstack([toy.X] * 200) + 1e6
    D = np.hstack([toy.D, np.zeros((200, 1))])
    P = PTBayes().fit(X, D).predict(np.vstack([X, X + 1e6]))
    assert np.isfinite(P).all() and not P[:, 3].any()
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_a_large_floor_gives_the_mean():
    P = PTBayes(1e12).fit(toy.X, toy.D).predict(toy.X_test)
    np.testing.assert_allclose(P, MeanPredictor().fit(toy.X, toy.D).predict(toy.X_test), atol=1e-6)


@pytest.mark.parametrize("floor", [0, -1, np.nan, np.inf])
def test_ptbayes_wrong_floor_is_named(floor):
    with pytest.raises(ValueError, match=f"variance_floor(={floor}| must be a number, finite)"):
        PTBayes(floor).fit(toy.X, toy.D)


# --- PT-SVM ----------------------------------------------------------------------------------


def pairs_of(P):
    share = P[:, :, None] / (P[:, :, None] + P[:, None, :])
    share[:, range(P.shape[1]), range(P.shape[1])] = 0.5
    return share


@pytest.mark.parametrize("c", [2, 3, 7])
def test_coupling_finds_consistent_probabilities(c):
    P = np.random.default_rng(c).dirichlet(np.ones(c), 20)
    np.testing.assert_allclose(couple(pairs_of(P)), P, atol=1e-9)


def test_coupling_minimises_the_squared_disagreement():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.uniform(0.05, 0.95, size=(4, 4)), 1)
    share = upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(4)

    def disagreement(p):
        return sum(
            (share[b, a] * p[a] - share[a, b] * p[b]) ** 2 for a in range(4) for b in range(4)
        )

    best = minimize(
        disagreement,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(couple(share[None])[0], best.x, atol=1e-5)


def test_coupling_at_the_edge_of_the_pairs():
    share = np.full((1, 3, 3), 0.5)
    for a, b in ((0, 1), (1, 2), (2, 0)):  # each surely beats the next: no order at all
        share[0, a, b], share[0, b, a] = 1 - 1e-7, 1e-7
    np.testing.assert_allclose(couple(share), 1 / 3, atol=1e-6)


def test_platt_finds_a_sigmoid():
    rng = np.random.default_rng(0)
    decision = rng.normal(size=20000)
    slope, shift = platt(decision, rng.random(20000) < expit(2 * decision - 0.5), np.ones(20000))
    assert (slope, shift) == (pytest.approx(2, abs=0.1), pytest.approx(-0.5, abs=0.1))
    slope, shift = platt(np.repeat([-1.0, 1.0], 50), np.repeat([False, True], 50), np.ones(100))
    assert np.isfinite([slope, shift]).all()  # separable: the smoothed targets keep it finite


def test_platt_counts_a_weight_as_copies():
    rng = np.random.default_rng(0)
    decision, positive = rng.normal(size=50), rng.random(50) < 0.4
    weight = rng.integers(1, 4, size=50)
    copies = [np.repeat(a, weight) for a in (decision, positive, np.ones(50))]
    np.testing.assert_allclose(platt(decision, positive, weight), platt(*copies), atol=1e-4)


@pytest.mark.interpreted
@pytest.mark.parametrize("C", [0.1, 1, 100])
@pytest.mark.parametrize("held_out", [0, 40])
def test_a_machine_is_that_of_libsvm_on_copies_of_the_rows(C, held_out):
    rng = np.random.default_rng(0)
    X = np.vstack([toy.X[:100], toy.X[:3]])  # three rows stand twice
    K = rbf(X, X, 1.0)
    weights = C * rng.choice([0, 0.3, 1, 2], size=(len(X), 2))
    weights[len(X) - held_out :] = 0
    rows, label = np.nonzero(weights)
    theirs = SVC(kernel="precomputed", C=1, tol=1e-6)
    theirs.fit(K[np.ix_(rows, rows)], label == 0, sample_weight=weights[rows, label])
    inside = weights[:, 0] - weights[:, 1]
    b, decisions, offset, converged = kernel_dual(K, weights, inside, 1e-6, 10**6)
    assert converged
    np.testing.assert_allclose(decisions, theirs.decision_function(K[:, rows]), atol=1e-4)
    np.testing.assert_allclose(decisions, K @ b + offset, atol=1e-8)
    assert (-weights[:, 1] <= b).all() and (b <= weights[:, 0]).all()
    assert b.sum() == pytest.approx(0, abs=1e-9)
    elsewhere, _, _, _ = kernel_dual(K, weights, rng.normal(size=len(X)), 1e-6, 10**6)
    np.testing.assert_allclose(K @ elsewhere, K @ b, atol=1e-3)  # wherever it starts


@pytest.mark.parametrize("draws", [1, 5, "labels", None])
def test_ptsvm_learns(draws):
    P = PTSVM(draws=draws, random_state=0).fit(toy.X, toy.D).predict(toy.X_test)
    mean = MeanPredictor().fit(toy.X, toy.D).predict(toy.X_test)
    assert kl_divergence(toy.D_test, P) < 0.6 * kl_divergence(toy.D_test, mean)


@pytest.mark.interpreted
def test_ptsvm_labels_that_are_never_drawn():
    D = np.hstack([toy.D, np.zeros((200, 2))])
    P = PTSVM(random_state=0).fit(toy.X, D).predict(toy.X_test)
    assert np.isfinite(P).all()
    assert P[:, 3:].max() < 0.05
    few = PTSVM(random_state=0).fit(toy.X[:2], D[:2]).predict(toy.X_test)
    assert np.isfinite(few).all()


def test_degrees_as_weights_are_what_many_draws_come_to():
    D = toy.D[:60]
    off = [abs(_draw(D, k, np.random.default_rng(0)) / k - D).max() for k in (10, 20_000)]
    assert off[1] < 0.02 < off[0]


@pytest.mark.interpreted
def test_ptsvm_without_chance_learns_the_same_machines_from_weights_and_from_draws():
    D = np.eye(3)[toy.D.argmax(axis=1)]  # each row has one label, which every draw finds
    weighted, drawn = (PTSVM(draws=d, random_state=0).fit(toy.X, D) for d in (None, "labels"))
    for ours, theirs in zip(weighted.machines_, drawn.machines_, strict=True):
        for a, b in zip(ours[:3], theirs[:3], strict=True):  # rows, coefficients, offset
            np.testing.assert_array_equal(a, b)


def test_ptsvm_does_not_learn_noise_where_degrees_are_nearly_equal():
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(300, 4)), rng.dirichlet(np.full(4, 200.0), 300)
    mean = MeanPredictor().fit(X[:200], D[:200]).predict(X[200:])
    P, drawn = (
        PTSVM(draws=d, random_state=0).fit(X[:200], D[:200]).predict(X[200:])
        for d in (None, "labels")
    )
    assert kl_divergence(D[200:], P) < 1.05 * kl_divergence(D[200:], mean)
    assert kl_divergence(D[200:], drawn) > 1.2 * kl_divergence(D[200:], mean)


@pytest.mark.parametrize(
    "wrong", [{"C": 0}, {"width": 0}, {"draws": 0}, {"draws": "all"}, {"folds": 1}]
)
def test_ptsvm_wrong_parameters_are_named(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        PTSVM(**wrong).fit(toy.X, toy.D)


def test_drawn_pt_bayes_is_bayes_rule_with_the_gaussians_of_the_drawn_rows():
    model = DrawnPTBayes(random_state=3).fit(toy.X, toy.D)
    n, c = toy.D.shape
    drawn = np.random.RandomState(3).choice(n * c, size=n * c, p=toy.D.ravel() / n)
    rows, labels = drawn // c, drawn % c
    P = np.column_stack(
        [
            (labels == j).mean()
            * multivariate_normal(
                toy.X[rows[labels == j]].mean(axis=0), np.cov(toy.X[rows[labels == j]].T, bias=True)
            ).pdf(toy.X_test)
            for j in range(c)
        ]
    )
    np.testing.assert_allclose(
        model.predict(toy.X_test), P / P.sum(axis=1, keepdims=True), atol=1e-8
    )


def test_drawn_pt_bayes_without_enough_rows():
    with pytest.raises(ValueError, match="singular"):
        DrawnPTBayes(0).fit(np.hstack([toy.X] * 2), toy.D)


def test_drawn_pt_bayes_gives_a_label_that_is_never_drawn_no_degree():
    D = np.hstack([toy.D, np.zeros((len(toy.D), 1))])
    assert (DrawnPTBayes(0).fit(toy.X, D).predict(toy.X_test)[:, -1] == 0).all()
