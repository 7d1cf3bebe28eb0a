"""Folds and the choice of parameters."""

from dataclasses import replace

import numpy as np
import pytest

from ldlrepro import AAKNN, MeanPredictor
from ldlrepro.base import LDLEstimator
from ldlrepro.datasets import make_toy
from ldlrepro.declare import Experiment
from ldlrepro.metrics import kl_divergence
from ldlrepro.protocols.selection import choose
from ldlrepro.protocols.split import partition, ten_folds

toy = make_toy(n_train=60, random_state=0)


# --- folds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [10, 57, 200])
def test_ten_folds_are_disjoint_and_cover(n):
    folds = ten_folds(n, seed=3)
    assert len(folds) == 10
    for train, validation, test in folds:
        assert sorted([*train, *validation, *test]) == list(range(n))
        assert all(n // 10 <= len(part) <= -(-n // 10) for part in (validation, test))
    for part in (1, 2):  # each row is tested once, and validates once
        assert sorted(np.concatenate([f[part] for f in folds])) == list(range(n))
    for f in range(10):
        np.testing.assert_array_equal(folds[f][1], folds[(f + 1) % 10][2])


def test_ten_folds_are_8_1_1_and_seeded():
    folds = ten_folds(200, seed=3)
    assert {tuple(map(len, f)) for f in folds} == {(160, 20, 20)}
    again, other = ten_folds(200, seed=3), ten_folds(200, seed=4)
    np.testing.assert_array_equal(folds[5][2], again[5][2])
    assert set(folds[5][2]) != set(other[5][2])
    assert folds[0][2].max() - folds[0][2].min() > 19  # shuffled


def test_too_few_rows_for_the_folds():
    with pytest.raises(ValueError, match="9 rows cannot be split into 10 folds"):
        ten_folds(9, seed=0)
    assert len(ten_folds(3, 0, folds=3)) == 3


def test_hold_outs_are_drawn_anew():
    experiment = Experiment("e", (), (), test_share=0.3)
    parts = partition(experiment, 50, 4)
    for train, validation, test in parts:
        assert sorted([*train, *validation, *test]) == list(range(50))
        assert (len(train), len(validation), len(test)) == (31, 4, 15)
    assert len({tuple(test) for _, _, test in parts}) == 4
    np.testing.assert_array_equal(partition(experiment, 50, 2)[1][2], parts[1][2])
    other = partition(replace(experiment, seed=1), 50, 4)
    assert not np.array_equal(other[0][2], parts[0][2])


@pytest.mark.parametrize("share", [0.0, 0.001, 1.0])
def test_a_hold_out_without_rows(share):
    with pytest.raises(ValueError, match="leaves a part of the 50 rows empty"):
        partition(Experiment("e", (), (), test_share=share), 50, 1)


def test_rows_with_replacement_are_one_draw_cut_into_folds():
    parts = partition(Experiment("e", (), (), replacement=True), 300, 10)
    drawn = np.sort(np.concatenate([test for _, _, test in parts]))
    for train, validation, test in parts:
        np.testing.assert_array_equal(np.sort([*train, *validation, *test]), drawn)
    assert 0.55 < len(set(drawn)) / 300 < 0.72
    copied = np.mean([np.isin(test, train).mean() for train, _, test in parts])
    assert 0.4 < copied < 0.7  # 1 - exp(-0.8) expected


# --- selection -------------------------------------------------------------------------------


def test_choose_takes_the_lowest_kl_on_the_validation_rows():
    train, validation, _ = ten_folds(60, 0)[0]
    grid = {"n_neighbors": [1, 2, 4, 8, 16, 40]}
    losses = {
        k: kl_divergence(
            toy.D[validation], AAKNN(k).fit(toy.X[train], toy.D[train]).predict(toy.X[validation])
        )
        for k in grid["n_neighbors"]
    }
    best = min(losses, key=losses.get)
    assert best not in (1, 40)
    estimator = AAKNN(5)
    assert choose(estimator, grid, toy.X, toy.D, train, validation) == {"n_neighbors": best}
    assert estimator.n_neighbors == 5 and not hasattr(estimator, "D_")


def test_choose_sees_no_other_rows():
    train, validation, test = ten_folds(60, 0)[0]
    X, D = toy.X.copy(), toy.D.copy()
    X[test] = np.nan
    grid = {"n_neighbors": [1, 4, 40]}
    spoilt = choose(AAKNN(), grid, X, D, train, validation)
    assert spoilt == choose(AAKNN(), grid, toy.X, toy.D, train, validation)


class NeverFitted(LDLEstimator):
    def __init__(self, k=0):
        self.k = k

    def fit(self, X, D):
        raise AssertionError("fitted")


@pytest.mark.parametrize("grid, chosen", [({}, {}), ({"k": [7]}, {"k": 7})])
def test_nothing_is_fitted_where_there_is_no_choice(grid, chosen):
    assert choose(NeverFitted(), grid, toy.X, toy.D, [0], [1]) == chosen


class SameWhatever(MeanPredictor):
    def __init__(self, k=0):
        self.k = k


def test_the_first_of_equals_is_chosen():
    rows = np.arange(30)
    chosen = choose(SameWhatever(), {"k": [3, 1, 2]}, toy.X, toy.D, rows, rows + 30)
    assert chosen == {"k": 3}
