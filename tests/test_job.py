"""What makes a number: the seed of a fold, the rows a fit sees, what is scored and kept."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from ldlrepro import AAKNN
from ldlrepro.datasets import make_standin
from ldlrepro.declare import Experiment, Method
from ldlrepro.metrics import DISTRIBUTION, kl_divergence, score
from ldlrepro.protocols import job
from ldlrepro.protocols.split import hold_out, ten_folds

DATA = make_standin("SJAFFE", n_samples=60)
SEEN = []


class Spy(BaseEstimator):
    """Notes what it is asked; predicts the mean, flattened the more the larger ``k``."""

    def __init__(self, k=0, random_state=None):
        self.k, self.random_state = k, random_state

    def fit(self, X, D):
        SEEN.append(("fit", self.k, self.random_state, X, D))
        self.mean_ = D.mean(axis=0)
        return self

    def predict(self, X):
        SEEN.append(("predict", self.k, self.random_state, X, None))
        flat = np.full(len(self.mean_), 1 / len(self.mean_))
        return np.tile((self.mean_ + self.k * flat) / (1 + self.k), (len(X), 1))

    def staged_predict(self, X):
        for k in (0, 3, 8):
            self.k = k
            yield k, self.predict(X)


@pytest.fixture(autouse=True)
def nothing_seen():
    SEEN.clear()


def compute(method, fold=1, folds=10, **experiment):
    return job.compute(
        Experiment("e", (method,), ("SJAFFE",), **experiment), method, DATA, folds, fold
    )


@pytest.mark.parametrize(
    ("seed", "fold", "expected"), [(0, 0, 0), (0, 7, 7), (1, 0, 1000), (1, 7, 1007), (3, 2, 3002)]
)
def test_the_seed_of_a_fold(seed, fold, expected):
    """Pinned: another rule gives other numbers in every record of a randomised method."""
    compute(Method("spy", Spy()), fold, seed=seed)
    assert {seen[2] for seen in SEEN} == {expected}


def test_no_two_folds_and_seeds_share_a_seed():
    experiments = [Experiment("e", (), (), seed=seed) for seed in range(5)]
    seeds = {job.seed_of(e, fold) for e in experiments for fold in range(50)}
    assert len(seeds) == 250


def rows(kind):
    """Row numbers of each call of one kind, found again by their features."""
    where = {x.tobytes(): i for i, x in enumerate(DATA.X)}
    return [[where[x.tobytes()] for x in X] for what, _, _, X, _ in SEEN if what == kind]


def test_the_rows_a_fit_sees():
    """Fitted on training and validation rows, in this order; the test rows are predicted."""
    (record,) = compute(Method("spy", Spy()), 3)
    train, validation, test = ten_folds(60, 0)[3]
    assert rows("fit") == [[*train, *validation]] and rows("predict") == [[*test]]
    np.testing.assert_array_equal(SEEN[0][4], DATA.D[[*train, *validation]])
    assert (record["n_train"], record["n_test"]) == (54, 6)


def test_the_rows_a_choice_sees():
    """Each point is fitted on the training rows and judged on the validation rows."""
    (record,) = compute(Method("spy", Spy(), {"k": [9, 0, 4]}), 3)
    train, validation, test = ten_folds(60, 0)[3]
    assert rows("fit") == [[*train]] * 3 + [[*train, *validation]]
    assert rows("predict") == [[*validation]] * 3 + [[*test]]
    assert [seen[1] for seen in SEEN if seen[0] == "fit"] == [9, 0, 4, record["parameters"]["k"]]
    losses = {}
    for k in (9, 0, 4):
        P = Spy(k).fit(DATA.X[train], DATA.D[train]).predict(DATA.X[validation])
        losses[k] = kl_divergence(DATA.D[validation], P)
    assert record["parameters"] == {"k": min(losses, key=losses.get)}


def test_the_rows_a_choice_on_the_test_rows_sees():
    compute(Method("spy", Spy(), {"k": [9, 0]}), 3, chosen_on="test")
    train, validation, test = ten_folds(60, 0)[3]
    assert rows("fit") == [[*train, *validation]] * 3
    assert rows("predict") == [[*test]] * 3


def test_the_rows_of_a_hold_out():
    compute(Method("spy", Spy()), 4, folds=6, seed=2, test_share=0.25)
    train, validation, test = hold_out(60, 0.25, (2, 4))
    assert rows("fit") == [[*train, *validation]] and rows("predict") == [[*test]]


def test_scores_are_of_the_prediction_for_the_test_rows():
    (record,) = compute(Method("kNN", AAKNN(5)), 2)
    train, validation, test = ten_folds(60, 0)[2]
    fitted = [*train, *validation]
    P = AAKNN(5).fit(DATA.X[fitted], DATA.D[fitted]).predict(DATA.X[test])
    assert {m: record[m] for m in DISTRIBUTION} == score(DATA.D[test], P)
    assert record["fit_seconds"] > 0 and record["predict_seconds"] > 0
    assert record["parameters"] == {}


def test_only_declared_stages_and_measures_are_recorded():
    records = compute(Method("spy", Spy(), staged=(0, 8)), measures=("cosine",))
    assert [r["parameters"] for r in records] == [{"stage": 0}, {"stage": 8}]
    assert set(records[0]) & set(DISTRIBUTION) == {"cosine"}
    plain = [compute(Method("spy", Spy(k)), measures=("cosine",))[0]["cosine"] for k in (0, 8)]
    assert [r["cosine"] for r in records] == plain


def test_the_declared_estimator_is_not_touched():
    method = Method("spy", Spy(), {"k": [1, 2]})
    compute(method)
    assert method.estimator.k == 0 and not hasattr(method.estimator, "mean_")


def test_data_of_a_job():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = job.load("SJAFFE", 40)
    assert data.X.shape == (40, 243) and data.source == "synthetic"
    np.testing.assert_array_equal(data.X, make_standin("SJAFFE", n_samples=40, random_state=0).X)


def test_photographs_or_their_synthetic_stand_in(monkeypatch):
    monkeypatch.setattr(job.datasets, "load_images", lambda *what: what)
    job.load_images.cache_clear()
    assert job.load_images(64, "realigned") == (64, "realigned")
    assert len(job.load_images(64, "realigned", 8).X) == 8
    job.load_images.cache_clear()
