"""Flattened predictions, and what flattening does to SortLoss."""

import numpy as np
import pytest

from ldlrepro import Shrunk
from ldlrepro.datasets import make_toy
from ldlrepro.metrics import kl_divergence, sort_loss
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
