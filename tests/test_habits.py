"""Habits of scikit-learn: names of labels, weights of rows, score."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

import ldlrepro
from ldlrepro import (
    AAKNN,
    LCLDL,
    MLDF,
    RFPCT,
    SABFGS,
    SAIIS,
    BaggingLDL,
    MeanPredictor,
    PTBayes,
    metrics,
)
from ldlrepro.datasets import make_toy
from ldlrepro.discovery import all_estimators
from ldlrepro.models.maxent._objective import MaxEntLoss

toy = make_toy(n_train=40, random_state=0)
frame_X = pd.DataFrame(toy.X, columns=["u", "v", "w"], index=range(100, 140))
frame_D = pd.DataFrame(toy.D, columns=["red", "green", "blue"], index=frame_X.index)

WEIGHTED = {
    "MeanPredictor": MeanPredictor(),
    "PTBayes": PTBayes(),
    "SAIIS": SAIIS(max_iter=30),
    "SAIIS as published": SAIIS(max_iter=30, scale=None),
    "SABFGS": SABFGS(tol=1e-15),
    "SABFGS as published": SABFGS(max_iter=20, penalty=0, scale=None),
    "LCLDL": LCLDL(tol=1e-15),
    "LCLDL as published": LCLDL(max_iter=20, scale=None, correlation="weights"),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weight_counts_rows(name):
    model, rng = WEIGHTED[name], np.random.default_rng(0)
    times = rng.integers(0, 4, len(toy.X))
    weighted = model.fit(toy.X, toy.D, sample_weight=times).predict(toy.X_test)
    repeated = model.fit(np.repeat(toy.X, times, axis=0), np.repeat(toy.D, times, axis=0))
    np.testing.assert_allclose(weighted, repeated.predict(toy.X_test), atol=1e-6)
    assert np.abs(weighted - model.fit(toy.X, toy.D).predict(toy.X_test)).max() > 1e-4


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_of_one_change_nothing(name):
    model = WEIGHTED[name]
    plain = model.fit(toy.X, toy.D).predict(toy.X_test)
    ones = model.fit(toy.X, toy.D, sample_weight=np.ones(len(toy.X))).predict(toy.X_test)
    np.testing.assert_allclose(ones, plain, atol=1e-7)


def test_methods_with_weights_are_those_listed():
    takes = {
        name
        for name in ldlrepro.__all__
        if isinstance(getattr(ldlrepro, name), type)
        and has_fit_parameter(getattr(ldlrepro, name), "sample_weight")
    }
    assert takes == {name.split()[0] for name in WEIGHTED}


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(40), "Negative values"),
        (np.zeros(40), "at least one non-zero"),
        (np.ones(39), "sample_weight.shape == .39,., expected .40,."),
        (np.full(40, np.nan), "contains NaN"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        SABFGS().fit(toy.X, toy.D, sample_weight=weight)


def test_weighted_loss_is_the_weighted_sum_of_its_rows():
    rng = np.random.default_rng(1)
    weight, w = rng.uniform(size=len(toy.X)), rng.normal(size=9)
    value, gradient = MaxEntLoss(toy.X, toy.D, weight=weight)(w)
    rows = [MaxEntLoss(toy.X[[i]], toy.D[[i]])(w) for i in range(len(toy.X))]
    assert value == pytest.approx(sum(v * one for v, (one, _) in zip(weight, rows, strict=True)))
    expected = sum(v * one for v, (_, one) in zip(weight, rows, strict=True))
    np.testing.assert_allclose(gradient, expected, atol=1e-12)


def test_names_of_labels_come_back():
    model = SABFGS().fit(frame_X, frame_D)
    P = model.predict(frame_X)
    assert list(P.columns) == list(model.label_names_in_) == ["red", "green", "blue"]
    assert P.index.equals(frame_X.index)
    plain = SABFGS().fit(toy.X, toy.D)
    assert not hasattr(plain, "label_names_in_")
    np.testing.assert_array_equal(P.to_numpy(), plain.predict(toy.X))
    assert isinstance(model.fit(toy.X, toy.D).predict(toy.X), np.ndarray)  # names are forgotten


def test_names_go_through_pipelines_ensembles_and_searches():
    for model in (
        make_pipeline(StandardScaler(), AAKNN()),
        BaggingLDL(MeanPredictor(), n_estimators=2, random_state=0),
        GridSearchCV(AAKNN(), {"n_neighbors": [2, 5]}, cv=2),
    ):
        P = model.fit(frame_X, frame_D).predict(frame_X)
        assert list(P.columns) == ["red", "green", "blue"]


def test_columns_without_text_are_no_names():
    model = MeanPredictor().fit(frame_X, pd.DataFrame(toy.D))
    assert isinstance(model.predict(frame_X), np.ndarray)


@pytest.mark.parametrize(
    "model",
    [RFPCT(n_estimators=3, random_state=0), MLDF(max_layers=1, n_estimators=3, random_state=0)],
)
def test_names_of_multilabel(model):
    Y = (frame_D > 0.34).astype(int)
    model.fit(frame_X, Y)
    assert list(model.predict(frame_X).columns) == list(Y.columns)
    assert model.predict_proba(frame_X).index.equals(frame_X.index)
    assert model.score(frame_X, Y) == model.score(frame_X, Y.to_numpy())


def test_measures_refuse_labels_in_another_order():
    P = frame_D[["green", "red", "blue"]]
    for measure in (metrics.score, metrics.kl_divergence, metrics.spearman):
        with pytest.raises(ValueError, match="Column 0 is 'red' in D and 'green' in P"):
            measure(frame_D, P)
    Y = (frame_D > 0.3).astype(int)
    with pytest.raises(ValueError, match="Column 0 is 'red' in Y and 'green' in S"):
        metrics.score_labels(Y, P)


def test_score_is_minus_kl():
    model = SABFGS().fit(toy.X, toy.D)
    P = model.predict(toy.X_test)
    expected = -metrics.kl_divergence(toy.D_test, P)
    assert model.score(toy.X_test, toy.D_test) == pytest.approx(expected, rel=1e-12)
    weight = np.arange(len(P))
    rows = metrics.kl_divergence(toy.D_test, P, per_row=True)
    weighted = model.score(toy.X_test, toy.D_test, sample_weight=weight)
    assert weighted == pytest.approx(-(rows @ weight) / weight.sum())
    by_name = cross_val_score(
        model, toy.X, toy.D, scoring=metrics.get_scorer("neg_kl_divergence"), cv=3
    )
    np.testing.assert_allclose(cross_val_score(model, toy.X, toy.D, cv=3), by_name, rtol=1e-12)
    with pytest.raises(ValueError, match="D has 2 labels, and 3 were learnt"):
        model.score(toy.X, toy.D[:, :2] / toy.D[:, :2].sum(axis=1, keepdims=True))
    for bad in (-weight, 0 * weight, weight[:1], weight[:, None]):
        with pytest.raises(ValueError, match="sample_weight (must be finite|has shape)"):
            model.score(toy.X_test, toy.D_test, sample_weight=bad)


def test_score_refuses_labels_in_another_order():
    model = SABFGS().fit(frame_X, frame_D)
    assert model.score(frame_X, frame_D) == model.score(frame_X, frame_D.to_numpy())
    with pytest.raises(ValueError, match="D has the labels .'green', 'red', 'blue'.*were learnt"):
        model.score(frame_X, frame_D[["green", "red", "blue"]])


def test_bagging_repeats_rows_of_learners_that_take_weights():
    class Rows(MeanPredictor):
        def _fit(self, X, D, weight):
            assert weight is None
            self.n_distinct_ = len(np.unique(X, axis=0))
            super()._fit(X, D, weight)

    model = BaggingLDL(Rows(), n_estimators=2, random_state=0).fit(toy.X, toy.D)
    assert all(one.n_distinct_ < len(toy.X) for one in model.estimators_)


MULTILABEL = [cls for _, cls in all_estimators("multilabel")]
SMALL = {"n_estimators": 2, "more_estimators": 0, "max_layers": 1, "rbm_epochs": 2, "epochs": 2}
Y = (toy.D > 0.34).astype(int)


def small(cls, **more):
    """An estimator that is fitted in a moment."""
    model = cls()
    known = model.get_params()
    return model.set_params(**{k: v for k, v in (SMALL | more).items() if k in known})


@pytest.mark.parametrize("cls", MULTILABEL)
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_scores_of_labels_by_cross_validation(cls, columns):
    model, target = small(cls, random_state=0), Y[:, :columns]
    S = cross_val_predict(model, toy.X, target, cv=2, method="predict_proba")
    half = model.fit(toy.X[20:], target[20:]).predict_proba(toy.X[:20])
    np.testing.assert_array_equal(S[:20], half)
    assert len(model.classes_) == columns and list(model.classes_[0]) == [0, 1]


def test_scorers_of_scikit_learn_take_scores_of_labels():
    model = RFPCT(n_estimators=3, random_state=0).fit(toy.X, Y)
    found = get_scorer("roc_auc")(model, toy.X, Y)
    assert found == pytest.approx(metrics.macro_auc(Y, model.predict_proba(toy.X)))


@pytest.mark.parametrize("cls", MULTILABEL)
def test_score_of_labels_takes_weights(cls):
    model = small(cls, random_state=0).fit(toy.X, Y)
    plain, right = model.score(toy.X, Y), (model.predict(toy.X) == Y).mean(axis=1)
    assert model.score(toy.X, Y, sample_weight=np.ones(40)) == pytest.approx(plain)
    weight = np.arange(40)
    weighted = model.score(toy.X, Y, sample_weight=weight)
    assert weighted == pytest.approx(right @ weight / weight.sum())
    for bad in (-weight, 0 * weight, weight[:1], weight[:, None]):
        with pytest.raises(ValueError, match="sample_weight (must be finite|has shape)"):
            model.score(toy.X, Y, sample_weight=bad)


def test_every_max_iter_has_an_n_iter():
    """By the documented attributes; each class's own tests have the numbers."""
    for name, cls in all_estimators():
        if "max_iter" in cls().get_params():
            assert "n_iter_ : int" in cls.__doc__ or "n_iter_, loss_" in cls.__doc__, name
