"""Defaults for users: what scaling, offsets and early stops do, and what the papers run instead."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

import ldlrepro
from ldlrepro import AAKNN, CPNN, LCLDL, LDLLCLR, LDLSF, MSLP, SABFGS, SAIIS, SingleLabelRF
from ldlrepro.datasets import make_toy
from ldlrepro.errors import SettingsWarning
from ldlrepro.papers import learners

toy = make_toy(n_train=80, random_state=0)
MEAN = toy.D.mean(axis=0)
LEARNERS = sorted(n for n in vars(learners) if n[0].isupper())


def scaled(X):
    """Columns of mean 0 and variance 1, by hand."""
    return (X - toy.X.mean(axis=0)) / toy.X.std(axis=0)


def test_sabfgs_is_the_penalised_optimum_on_scaled_features():
    X, n = scaled(toy.X), len(toy.X)

    def slow(w):
        W = w.reshape(3, -1)
        P = log_softmax(X @ W.T + np.log(MEAN), axis=1)
        return -(toy.D * P).sum() / n + 0.05 * (w @ w)

    best = minimize(slow, np.zeros(3 * X.shape[1]), tol=1e-12)
    fitted = SABFGS(penalty=0.1).fit(toy.X, toy.D)
    np.testing.assert_allclose(fitted.loss_, best.fun, rtol=1e-8)
    expected = softmax(scaled(toy.X_test) @ best.x.reshape(3, -1).T + np.log(MEAN), axis=1)
    np.testing.assert_allclose(fitted.predict(toy.X_test), expected, atol=1e-4)


@pytest.mark.parametrize("model", [SABFGS, SAIIS, LCLDL, LDLLCLR])
def test_coefficients_of_0_predict_the_training_mean(model):
    (_, P), _ = model(1, path=(0, 1)).fit(toy.X, toy.D).staged_predict(toy.X_test)
    np.testing.assert_allclose(P, np.tile(MEAN, (len(P), 1)))


def test_cpnn_without_a_better_step_predicts_the_mean_of_its_rows():
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(60, 40)), rng.dirichlet(np.ones(3), 60)
    fitted = CPNN(validation_fraction=0.5, n_iter_no_change=1, random_state=0).fit(X, D)
    assert fitted.n_iter_ == 0
    np.testing.assert_allclose(fitted.predict(X[:2]), [D.mean(axis=0)] * 2)


# CPNN's steps amplify what rounding leaves: at most 1e-10 after 20, 2e-3 after 100 (12 seeds).
# Only a short fit tells a difference of scale from one of rounding.
@pytest.mark.parametrize(
    ("model", "atol"),
    [
        (SABFGS(), 2e-3),
        (SAIIS(), 2e-3),
        (LCLDL(), 2e-3),
        (LDLLCLR(), 2e-3),
        (LDLSF(), 2e-3),
        (CPNN(max_iter=20), 1e-7),
    ],
)
def test_units_of_features_do_not_matter(model, atol):
    rng = np.random.default_rng(0)
    units = 10.0 ** rng.integers(-3, 4, toy.X.shape[1])
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    one = model.fit(toy.X, toy.D).predict(toy.X_test)
    other = model.fit(toy.X * units + 5 * units, toy.D).predict(toy.X_test * units + 5 * units)
    np.testing.assert_allclose(other, one, atol=atol)


def test_cpnn_keeps_the_weights_of_the_lowest_held_out_loss():
    short = CPNN(5, max_iter=40, validation_fraction=0.3, n_iter_no_change=40, random_state=0)
    stopped = short.fit(toy.X, toy.D)
    again = CPNN(5, max_iter=40, validation_fraction=0.3, n_iter_no_change=3, random_state=0)
    assert again.fit(toy.X, toy.D).n_iter_ <= stopped.n_iter_ <= 40


def test_neighbours_are_30_or_all_rows():
    np.testing.assert_allclose(
        AAKNN().fit(toy.X, toy.D).predict(toy.X_test),
        AAKNN(30).fit(toy.X, toy.D).predict(toy.X_test),
    )
    few = AAKNN().fit(toy.X[:7], toy.D[:7]).predict(toy.X_test[:2])
    np.testing.assert_allclose(few, np.tile(toy.D[:7].mean(axis=0), (2, 1)))
    assert MSLP().fit(toy.X[:12], toy.D[:12]).predict(toy.X_test[:2]).shape == (2, 3)


@pytest.mark.parametrize("scale", ["Standard", 1, True])
def test_another_scale_is_refused(scale):
    for model in (SABFGS, LDLSF):
        with pytest.raises(ValueError, match='scale must be "standard" or None'):
            model(scale=scale).fit(toy.X, toy.D)


@pytest.mark.parametrize(
    "model, words",
    [
        (SABFGS(penalty=-1), "penalty=-1"),
        (LDLSF(floor=1.0), "floor=1.0"),
        (CPNN(validation_fraction=1.0), "validation_fraction=1.0"),
    ],
)
def test_parameters_out_of_range_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(toy.X, toy.D)


def test_settings_that_predict_badly_are_warned_of():
    wide = np.random.default_rng(0).normal(size=(20, 30))
    with pytest.warns(SettingsWarning, match="30 features and 20 rows without a penalty"):
        SABFGS(5, penalty=0).fit(wide, toy.D[:20])
    with pytest.warns(SettingsWarning, match="largest label of each row alone"):
        SingleLabelRF(3).fit(toy.X, toy.D)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SABFGS(5).fit(wide, toy.D[:20])
        SABFGS(5, penalty=0).fit(toy.X, toy.D)
        SingleLabelRF(3).fit(toy.X, np.eye(3)[toy.D.argmax(axis=1)])


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_of_the_papers_are_those_classes_with_other_settings(name):
    paper, own = getattr(learners, name)(), getattr(ldlrepro, name, None)
    if own is not None:
        assert type(paper) is own
        assert paper.get_params() != own().get_params()


def test_learners_take_positions_as_the_classes_do():
    assert learners.SAIIS(7).max_iter == 7 and learners.SAIIS().max_iter == 200
    assert learners.SABFGS(7, penalty=0.5).penalty == 0.5
