"""Gradients of CPNN and AA-BP by finite differences; what an order of labels does."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import log_softmax, softmax, xlogy

from ldlrepro.datasets import make_toy
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.neural import _aabp, _cpnn
from ldlrepro.papers.learners import AABP, CPNN

toy = make_toy(n_train=200, random_state=0)


def data(n=12, q=4, c=3):
    rng = np.random.default_rng(0)
    D = rng.dirichlet(np.ones(c), n)
    D[0] = np.eye(c)[0]
    return rng.normal(size=(n, q)), D


@pytest.mark.interpreted
@pytest.mark.parametrize("codes", [np.eye(3), np.array([[-1.0], [0.0], [1.0]])])
def test_cpnn_loss_and_gradient(codes):
    X, D = data()
    loss = _cpnn.CPNNLoss(X, D, codes, np.zeros(D.shape[1]))
    w = _cpnn._start(np.random.default_rng(1), 4, codes.shape[1], 5, outer=True)
    value, gradient = loss(w)
    V, U, b, o, last = _cpnn._unpack(w, 4, codes.shape[1], 5)
    F = np.array(
        [[np.tanh((x @ V + y @ U + b) / 2) @ o / 2 + o.sum() / 2 + last for y in codes] for x in X]
    )
    assert value == pytest.approx(kl_divergence(D, softmax(F, axis=1)), rel=1e-9)
    np.testing.assert_allclose(gradient, approx_fprime(w, lambda v: loss(v)[0]), atol=1e-6)


@pytest.mark.interpreted
def test_cpnn_loss_far_out():
    """Features that add up to thousands: units of 0 and 1, finite numbers."""
    X, D = data()
    loss = _cpnn.CPNNLoss(X, D, np.eye(3), np.zeros(3))
    w = _cpnn._start(np.random.default_rng(1), 4, 3, 5, outer=True)
    w[:20] *= 1e4
    value, gradient = loss(w)
    F = _cpnn._forward(X, np.eye(3), _cpnn._unpack(w, 4, 3, 5))[1]
    assert value == pytest.approx((xlogy(D, D) - D * log_softmax(F, axis=1)).sum() / len(D))
    assert np.isfinite(gradient).all()


@pytest.mark.interpreted
def test_the_loss_of_cpnn_is_the_divergence_of_its_predictions():
    model = CPNN(max_iter=20, random_state=0).fit(toy.X, toy.D)
    assert model.loss_ == pytest.approx(kl_divergence(toy.D, model.predict(toy.X)), rel=1e-9)


def test_aabp_loss_and_gradient():
    X, D = data()
    w = _aabp.start(np.random.default_rng(1), 4, 5, 3)
    value, gradient = _aabp.loss_and_gradient(w, X, D, 5)
    P = _aabp.forward(X, _aabp.unpack(w, 4, 5))[1]
    assert value == pytest.approx(0.5 * np.square(P - D).sum(axis=1).mean())
    by_differences = approx_fprime(w, lambda v: _aabp.loss_and_gradient(v, X, D, 5)[0])
    np.testing.assert_allclose(gradient, by_differences, atol=1e-6)


@pytest.mark.parametrize("model", [CPNN(random_state=0), AABP(random_state=0)])
def test_nets_learn(model):
    uniform = kl_divergence(toy.D_test, np.full_like(toy.D_test, 1 / 3))
    P = model.fit(toy.X, toy.D).predict(toy.X_test)
    assert kl_divergence(toy.D_test, P) < 0.25 * uniform


def test_losses_fall():
    assert CPNN(max_iter=50).fit(toy.X, toy.D).loss_ < CPNN(max_iter=5).fit(toy.X, toy.D).loss_
    path = AABP(random_state=0).fit(toy.X, toy.D).loss_path_
    assert len(path) == 100 and path[-1] < 0.3 * path[0]


def test_a_penalty_leaves_the_biases():
    """With a high price of the weights the net is left with the mean of the rows, not uniform."""
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(300, 4)), rng.dirichlet([8, 1, 3], 300)
    model = AABP(penalty=10.0, random_state=0).fit(X, D)
    np.testing.assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (300, 1)), atol=0.02)


@pytest.mark.interpreted
def test_a_number_as_input_orders_the_labels():
    """One hidden unit, two directions: labels in the order of the net can be told from others."""
    order = [1, 0, 2]

    def change(encoding):
        def fitted(columns):
            model = CPNN(2, encoding=encoding, max_iter=300, random_state=0)
            return model.fit(toy.X, toy.D[:, columns]).loss_

        return abs(fitted(order) / fitted([0, 1, 2]) - 1)

    assert change("number") > 0.05


def test_features_of_any_scale():
    for model in (CPNN(random_state=0), AABP(random_state=0)):
        P = model.fit(toy.X, toy.D).predict(toy.X)
        Q = model.fit(1e-3 * toy.X + 5, toy.D).predict(1e-3 * toy.X + 5)
        np.testing.assert_allclose(P, Q, atol=1e-2)


@pytest.mark.parametrize(
    "wrong, message",
    [
        (CPNN(0), "n_hidden=0"),
        (CPNN(max_iter=0), "max_iter=0"),
        (CPNN(encoding="binary"), "encoding='binary'"),
        (AABP(0), "n_hidden=0"),
        (AABP(epochs=0), "epochs=0"),
        (AABP(batch_size=0), "batch_size=0"),
        (AABP(learning_rate=0), "learning_rate=0"),
        (AABP(penalty=-1), "penalty must be finite and 0 or more, got -1"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong.fit(*data())
