"""AdaBoostLDL against a slow twin, warm starts, failing learners; BaggingLDL."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import KNeighborsRegressor

from ldlrepro import AdaBoostLDL, BaggingLDL, MeanPredictor, RaisedZeros
from ldlrepro.datasets import make_toy
from ldlrepro.metrics import sort_loss
from ldlrepro.models.ensemble._adaboost import inverse_weights
from ldlrepro.papers.adaboost_ldl import readable
from ldlrepro.papers.learners import CPNN, LCLDL, LDLLCLR, LDLSF, SABFGS, SAIIS, PTBayes

toy = make_toy(n_train=80, random_state=0)


class Recorder(BaseEstimator):
    """Keeps what it was given; predicts a row near the mean of its sample."""

    def __init__(self, init="zeros", fail=()):
        self.init = init
        self.fail = fail

    made = 0

    def fit(self, X, D):
        type(self).made += 1
        if type(self).made in self.fail:
            raise ArithmeticError("no luck")
        self.X_, self.coef_ = X, np.full((2, 2), float(type(self).made))
        self.mean_ = np.roll(D.mean(axis=0), type(self).made)
        return self

    def predict(self, X):
        return np.tile(self.mean_, (len(X), 1))


@pytest.fixture(autouse=True)
def start_again():
    Recorder.made = 0


class Warm(BaseEstimator):
    """SABFGS without a random_state, for which boosting would draw a seed of its own."""

    def __init__(self, init="zeros"):
        self.init = init

    def fit(self, X, D):
        self.model_ = SABFGS(20, init=self.init).fit(X, D)
        self.coef_ = self.model_.coef_
        return self

    def predict(self, X):
        return self.model_.predict(X)


def learn(base):
    """A way to learn for the slow twin: clones of a learner, with its warm start if it has one."""

    def fit(X, D, last):
        learner = clone(base)
        if hasattr(learner, "init") and last is not None:
            learner.set_params(init=last.coef_)
        return learner.fit(X, D)

    return fit


@pytest.mark.parametrize("alpha", [0.0, 1.0, 4.0])
def test_boosting_is_that_of_the_twin(alpha):
    fitted = AdaBoostLDL(Recorder(), 4, alpha=alpha, random_state=5).fit(toy.X, toy.D)
    Recorder.made = 0
    learners, weights, losses = readable.boost(toy.X, toy.D, learn(Recorder()), 4, alpha, 5)
    for mine, other in zip(fitted.estimators_, learners, strict=True):
        np.testing.assert_array_equal(mine.X_, other.X_)
    np.testing.assert_allclose(fitted.sort_losses_, losses.sum(axis=1))
    np.testing.assert_allclose(fitted.estimator_weights_, weights)
    assert fitted.rounds_ == [1, 2, 3, 4]
    expected = readable.predict(learners, weights, toy.X[:2])
    np.testing.assert_allclose(fitted.predict(toy.X[:2]), expected)


@pytest.mark.interpreted
@pytest.mark.parametrize("base", [Warm(), KNeighborsRegressor(4)])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_readable_algorithm_is_the_class(base, seed):
    rng = np.random.default_rng(seed)
    X, D = rng.normal(size=(40, 3)), rng.dirichlet(np.full(4, 0.7), 40)
    D[::5, 0], D[::7] = 0, 0.25  # degrees of zero, and degrees that are equal
    D /= D.sum(axis=1, keepdims=True)
    fitted = AdaBoostLDL(base, 3, alpha=0.5, random_state=seed).fit(X[:30], D[:30])
    learners, weights, losses = readable.boost(X[:30], D[:30], learn(base), 3, 0.5, seed)
    for mine, loss in zip(fitted.estimators_, losses, strict=True):
        np.testing.assert_allclose(
            sort_loss(D[:30], mine.predict(X[:30]), per_row=True), loss, atol=1e-12
        )
    np.testing.assert_allclose(fitted.estimator_weights_, weights)
    np.testing.assert_allclose(fitted.predict(X), readable.predict(learners, weights, X))


def test_the_readable_sort_loss_is_the_measure():
    rng = np.random.default_rng(0)
    for c in (2, 3, 7):
        D, P = rng.dirichlet(np.ones(c), (2, 20))
        D[::3], P[::4] = np.round(D[::3], 1), np.round(P[::4], 1)  # with equal degrees
        D, P = (A / A.sum(axis=1, keepdims=True) for A in (D, P))
        slow = [readable.sort_loss(d, p) for d, p in zip(D, P, strict=True)]
        np.testing.assert_allclose(sort_loss(D, P, per_row=True), slow, atol=1e-15)


def test_rows_with_a_high_loss_are_drawn_more_often():
    """A learner right about the first half and wrong about the second."""

    class Half(BaseEstimator):
        def fit(self, X, D):
            self.seen_ = X[:, 0]
            return self

        def predict(self, X):
            return np.where(X[:, :1] < 0.5, [[0.8, 0.2]], [[0.2, 0.8]])

    X = np.repeat([0.0, 1.0], 200)[:, None]
    D = np.tile([0.8, 0.2], (400, 1))
    boosted = AdaBoostLDL(Half(), 8, alpha=1.0, random_state=0).fit(X, D)
    share = [(e.seen_ > 0.5).mean() for e in boosted.estimators_]
    # P of the second half: 1/2, (1/2 + 1) / 2 = 3/4, 7/8, ... 1 - 2^-i
    np.testing.assert_allclose(share, 1 - 0.5 ** np.arange(1, 9), atol=0.07)
    even = AdaBoostLDL(Half(), 8, alpha=0.0, random_state=0).fit(X, D)
    np.testing.assert_allclose([(e.seen_ > 0.5).mean() for e in even.estimators_], 0.5, atol=0.1)


@pytest.mark.interpreted
def test_staged_predictions_are_those_of_shorter_ensembles():
    fitted = AdaBoostLDL(SABFGS(20), 4, random_state=0).fit(toy.X, toy.D)
    stages = list(fitted.staged_predict(toy.X_test))
    assert len(stages) == 4
    for rounds, stage in enumerate(stages, 1):
        short = AdaBoostLDL(SABFGS(20), rounds, random_state=0).fit(toy.X, toy.D)
        np.testing.assert_allclose(stage, short.predict(toy.X_test), atol=1e-12)
    np.testing.assert_allclose(stages[-1], fitted.predict(toy.X_test), atol=1e-15)


def test_warm_start_hands_the_coefficients_on():
    fitted = AdaBoostLDL(Recorder(), 3, random_state=0).fit(toy.X, toy.D)
    first, second, third = fitted.estimators_
    assert first.init == "zeros"
    np.testing.assert_array_equal(second.init, first.coef_)
    np.testing.assert_array_equal(third.init, second.coef_)
    cold = AdaBoostLDL(Recorder(), 3, warm_start=False, random_state=0).fit(toy.X, toy.D)
    assert [e.init for e in cold.estimators_] == ["zeros"] * 3


@pytest.mark.interpreted
@pytest.mark.parametrize("base", [SABFGS, SAIIS, LCLDL, LDLLCLR, LDLSF])
def test_learners_with_coefficients_take_them(base):
    learner = base(3)
    fitted = AdaBoostLDL(learner, 2, random_state=0).fit(toy.X, toy.D)
    np.testing.assert_array_equal(fitted.estimators_[1].init, fitted.estimators_[0].coef_)
    assert fitted.estimator is learner and isinstance(learner.init, str)


@pytest.mark.interpreted
@pytest.mark.parametrize("base", [PTBayes(), CPNN(5, max_iter=5), RaisedZeros(), MeanPredictor()])
def test_any_learner_will_do(base):
    fitted = AdaBoostLDL(base, 2, random_state=0).fit(toy.X, toy.D)
    P = fitted.predict(toy.X_test)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    seeds = [e.get_params().get("random_state") for e in fitted.estimators_]
    assert seeds == [None, None] or seeds[0] != seeds[1]


def test_a_learner_of_scikit_learn_will_do():
    P = AdaBoostLDL(KNeighborsRegressor(3), 3, random_state=0).fit(toy.X, toy.D).predict(toy.X)
    np.testing.assert_allclose(P.sum(axis=1), 1)


class Plain:
    """A learner with no convention but fit and predict."""

    def fit(self, X, D):
        self.mean = D.mean(axis=0)
        return self

    def predict(self, X):
        return np.tile(self.mean, (len(X), 1))


@pytest.mark.parametrize("ensemble", [AdaBoostLDL, BaggingLDL])
def test_a_learner_with_fit_and_predict_alone_will_do(ensemble):
    model = ensemble(Plain(), 3, random_state=0).fit(toy.X, toy.D)
    assert len(model.estimators_) == 3
    np.testing.assert_allclose(model.predict(toy.X).sum(axis=1), 1)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (object(), "has no fit and no predict"),
        ("SABFGS", "'SABFGS' has no fit and no predict"),
        (type("F", (), {"fit": lambda s, X, D: s})(), "has no predict"),
        (MeanPredictor, "is a class: give an instance"),
    ],
)
@pytest.mark.parametrize("ensemble", [AdaBoostLDL, BaggingLDL])
def test_an_estimator_without_fit_or_predict_is_an_error(ensemble, estimator, message):
    with pytest.raises(TypeError, match=message):
        ensemble(estimator).fit(toy.X, toy.D)


@pytest.mark.parametrize("first", [True, False])
def test_a_round_that_fails_is_named_and_the_rest_is_kept(first):
    fail = (1,) if first else (2,)
    with pytest.warns(RuntimeWarning, match=f"round {fail[0]} of 3 .*Recorder.*no luck") as caught:
        fitted = AdaBoostLDL(Recorder(fail=fail), 3, random_state=0).fit(toy.X, toy.D)
    assert len(caught) == 1
    assert fitted.rounds_ == ([2, 3] if first else [1, 3])
    assert len(fitted.estimators_) == len(fitted.sort_losses_) == 2
    assert fitted.estimator_weights_.sum() == pytest.approx(1)
    assert len(list(fitted.staged_predict(toy.X))) == 2


def test_a_learner_that_predicts_nan_fails_its_round():
    class Broken(Recorder):
        def predict(self, X):
            P = super().predict(X)
            return P * np.nan if self.coef_[0, 0] == 2 else P

    Broken.made = 0
    with pytest.warns(RuntimeWarning, match="round 2 of 3.*P row 0, column 0 is nan"):
        fitted = AdaBoostLDL(Broken(), 3, random_state=0).fit(toy.X, toy.D)
    assert fitted.rounds_ == [1, 3] and np.isfinite(fitted.predict(toy.X)).all()


def test_when_every_round_fails_the_last_error_is_told():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with pytest.raises(RuntimeError, match="all 2 rounds failed.*ArithmeticError: no luck"):
            AdaBoostLDL(Recorder(fail=(1, 2)), 2).fit(toy.X, toy.D)


def test_sort_loss_of_0_everywhere_gives_uniform_weights():
    class Flat(BaseEstimator):
        def fit(self, X, D):
            return self

        def predict(self, X):
            return np.full((len(X), 3), 1 / 3)

    fitted = AdaBoostLDL(Flat(), 4, random_state=0).fit(toy.X, toy.D)
    np.testing.assert_array_equal(fitted.sort_losses_, 0)
    np.testing.assert_array_equal(fitted.estimator_weights_, 0.25)
    np.testing.assert_allclose(fitted.predict(toy.X), 1 / 3)


def test_inverse_weights():
    for losses in ([1.0, 2, 4], [0.0, 3, 0], [0.0, 0]):
        twin = readable.model_weights(np.array(losses))
        np.testing.assert_allclose(inverse_weights(np.array(losses)), twin)
    np.testing.assert_allclose(inverse_weights(np.array([1.0, 2, 4])), np.array([4, 2, 1]) / 7)
    np.testing.assert_array_equal(inverse_weights(np.array([0.0, 3, 0])), [0.5, 0, 0.5])
    np.testing.assert_array_equal(inverse_weights(np.zeros(2)), 0.5)
    np.testing.assert_allclose(inverse_weights(np.array([1e-310, 1.0])), [1, 0], atol=1e-300)


@pytest.mark.parametrize("wrong", [{"n_estimators": 0}, {"alpha": -0.5}])
def test_parameters_out_of_range_are_named(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name}={wrong[name]}"):
        AdaBoostLDL(**wrong).fit(toy.X, toy.D)
    if name == "n_estimators":
        with pytest.raises(ValueError, match="n_estimators"):
            BaggingLDL(**wrong).fit(toy.X, toy.D)


def test_bagging_is_the_mean_of_bootstrap_models():
    fitted = BaggingLDL(Recorder(), 4, random_state=0).fit(toy.X, toy.D)
    members = [e.predict(toy.X[:3]) for e in fitted.estimators_]
    np.testing.assert_allclose(fitted.predict(toy.X[:3]), sum(members) / 4)
    stages = list(fitted.staged_predict(toy.X[:3]))
    np.testing.assert_allclose(stages[0], members[0])
    np.testing.assert_allclose(stages[1], (members[0] + members[1]) / 2)
    np.testing.assert_allclose(stages[3], fitted.predict(toy.X[:3]))
    for learner in fitted.estimators_:  # a bootstrap: rows of X, some of them twice
        counts = np.unique(learner.X_, axis=0, return_counts=True)[1]
        assert len(learner.X_) == len(toy.X) and counts.max() > 1
