"""Flattened predictions, and what flattening does to SortLoss."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from ldlrepro import RFPCT, RaisedZeros, Shrunk, StructRF
from ldlrepro.datasets import make_toy
from ldlrepro.metrics import kl_divergence, sort_loss
from ldlrepro.models.multilabel._cut import CutAtCardinality
from ldlrepro.papers.learners import AAKNN

toy = make_toy(100, random_state=0)


def test_towards_the_mean():
    model = Shrunk(AAKNN(3), factors=(1, 0.25, 0)).fit(toy.X, toy.D)
    plain = AAKNN(3).fit(toy.X, toy.D).predict(toy.X_test)
    mean = toy.D.mean(axis=0)
    stages = dict(model.staged_predict(toy.X_test))
    np.testing.assert_allclose(stages[1], plain)  # D is normalised twice: the last digit
    np.testing.assert_allclose(stages[0.25], 0.25 * plain + 0.75 * mean)
    np.testing.assert_allclose(stages[0], np.tile(mean, (len(plain), 1)))
    np.testing.assert_array_equal(model.predict(toy.X_test), stages[0])


def test_towards_the_uniform_distribution_sort_loss_falls_by_the_factor_and_the_order_stays():
    model = Shrunk(AAKNN(3), factors=(1, 0.4), target="uniform").fit(toy.X, toy.D)
    stages = dict(model.staged_predict(toy.X_test))
    before = sort_loss(toy.D_test, stages[1], per_row=True)
    np.testing.assert_allclose(
        sort_loss(toy.D_test, stages[0.4], per_row=True), 0.4 * before, atol=1e-15
    )
    assert before.max() > 0.001
    np.testing.assert_array_equal(stages[1].argsort(axis=1), stages[0.4].argsort(axis=1))
    assert kl_divergence(toy.D_test, stages[0.4]) > 2 * kl_divergence(toy.D_test, stages[1])


@pytest.mark.parametrize(
    "options", [{"target": "median"}, {"factors": ()}, {"factors": (0.5, 1.2)}]
)
def test_bad_parameters(options):
    with pytest.raises(ValueError, match="target must be|factors="):
        Shrunk(**options).fit(toy.X, toy.D)


HOLDERS = [
    (lambda inner, **given: Shrunk(inner, **given), StructRF, toy.D),
    (lambda inner, **given: RaisedZeros(inner, **given), StructRF, toy.D),
    (lambda inner, **given: CutAtCardinality(inner, **given), RFPCT, (toy.D > 0.4).astype(int)),
]


@pytest.mark.parametrize("holder, forest, target", HOLDERS)
def test_the_inner_seed_stays_unless_one_is_given(holder, forest, target):
    def last(inner, **given):
        return [P for _, P in holder(inner, **given).fit(toy.X, target).staged_predict(toy.X)][-1]

    seeded = last(forest(3, random_state=0))
    np.testing.assert_array_equal(last(forest(3, random_state=0)), seeded)
    np.testing.assert_array_equal(last(forest(3), random_state=0), seeded)
    assert not np.array_equal(last(forest(3, random_state=0), random_state=1), seeded)


@pytest.mark.parametrize("holder, forest, target", HOLDERS)
def test_stages_check_what_they_predict(holder, forest, target):
    model = holder(forest(3, random_state=0))
    with pytest.raises(NotFittedError):
        next(model.staged_predict(toy.X))
    X = pd.DataFrame(toy.X, columns=["x", "y", "z"])
    model.fit(X, target)
    with pytest.raises(ValueError, match="feature names should match"):
        next(model.staged_predict(X[["z", "y", "x"]]))
