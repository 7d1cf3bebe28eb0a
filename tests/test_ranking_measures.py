"""Spearman, Kendall, NDCG and flatness against scipy and scikit-learn."""

import time

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import ndcg_score

from ldlrepro import metrics
from ldlrepro.metrics import RANKING, flatness, kendall, ndcg, sort_loss, spearman


def pairs(c, ties, n=40, seed=0):
    rng = np.random.default_rng(seed)
    D, P = rng.dirichlet(np.ones(c), n), rng.dirichlet(np.ones(c), n)
    if ties:
        D, P = np.round(D * 4) + 1, np.round(P * 4) + 1
        D, P = (A / A.sum(axis=1, keepdims=True) for A in (D, P))
    return D, P


def slow_spearman(d, p):
    return 0.0 if np.ptp(d) == 0 or np.ptp(p) == 0 else stats.spearmanr(d, p).statistic


def slow_kendall(d, p):
    return 0.0 if np.ptp(d) == 0 or np.ptp(p) == 0 else stats.kendalltau(d, p).statistic


def slow_ndcg(d, p):
    return ndcg_score(d[None], p[None])


def slow_flatness(d, p):
    return stats.entropy(p) / np.log(len(p))


SLOW = {
    "spearman": slow_spearman,
    "kendall": slow_kendall,
    "ndcg": slow_ndcg,
    "flatness": slow_flatness,
}


@pytest.mark.interpreted
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("c", [2, 3, 6, 18])
@pytest.mark.parametrize("name", RANKING)
def test_against_libraries(name, c, ties):
    D, P = pairs(c, ties)
    expected = [SLOW[name](d, p) for d, p in zip(D, P, strict=True)]
    measure = getattr(metrics, name)
    np.testing.assert_allclose(measure(D, P, per_row=True), expected, atol=1e-12)
    assert measure(D, P) == pytest.approx(np.mean(expected), abs=1e-12)


def test_ndcg_of_all_rows_is_scikit_learns():
    D, P = pairs(7, True)
    assert ndcg(D, P) == pytest.approx(ndcg_score(D, P), abs=1e-12)


@pytest.mark.interpreted
def test_best_and_worst_orders():
    D = np.array([[0.1, 0.2, 0.3, 0.4]])
    for measure in (spearman, kendall):
        assert measure(D, D) == pytest.approx(1)
        assert measure(D, D[:, ::-1]) == pytest.approx(-1)
    assert ndcg(D, D) == pytest.approx(1)
    assert 0 < ndcg(D, D[:, ::-1]) < 1


@pytest.mark.interpreted
@pytest.mark.parametrize("measure", [spearman, kendall])
def test_constant_rows_have_no_correlation(measure):
    rows, flat = np.array([[0.2, 0.3, 0.5]]), np.full((1, 3), 1 / 3)
    for D, P in ((rows, flat), (flat, rows), (flat, flat)):
        assert measure(D, P) == 0


@pytest.mark.interpreted
@pytest.mark.parametrize("name", ["spearman", "kendall", "ndcg"])
def test_flattening_changes_sort_loss_and_flatness_only(name):
    D, P = pairs(6, False)
    flat = 0.1 * P + 0.9 / 6
    measure = getattr(metrics, name)
    np.testing.assert_allclose(measure(D, P, per_row=True), measure(D, flat, per_row=True))
    assert sort_loss(D, flat) == pytest.approx(0.1 * sort_loss(D, P))
    assert flatness(D, flat) > flatness(D, P)


def test_flatness():
    D = np.full((3, 4), 0.25)
    P = np.array([[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0], [0.5, 0.5, 0, 0]])
    np.testing.assert_allclose(flatness(D, P, per_row=True), [1, 0, 0.5], atol=1e-12)


@pytest.mark.parametrize("name", RANKING)
def test_bad_input_names_the_place(name):
    measure = getattr(metrics, name)
    D = np.full((2, 3), 1 / 3)
    with pytest.raises(ValueError, match=r"D has shape \(2, 3\) and P \(2, 2\)"):
        measure(D, D[:, :2])
    P = D.copy()
    P[1, 2] = np.nan
    with pytest.raises(ValueError, match="P row 1, column 2 is nan"):
        measure(D, P)


@pytest.mark.interpreted
def test_registry():
    assert list(RANKING) == list(SLOW)
    assert [m.label for m in RANKING.values()] == ["Spearman", "Kendall", "NDCG", "Flatness"]
    D, P = pairs(5, False)
    for name, measure in RANKING.items():
        swapped = getattr(metrics, name)(P, D, per_row=True)
        same = np.allclose(getattr(metrics, name)(D, P, per_row=True), swapped)
        assert same == measure.symmetric and measure.upper == "1"


def test_ten_thousand_rows_of_68_labels_take_about_a_second():
    rng = np.random.default_rng(0)
    D, P = rng.dirichlet(np.ones(68), (2, 10_000))
    for name in RANKING:
        measure = getattr(metrics, name)
        measure(D[:2], P[:2])  # compiles
        start = time.perf_counter()
        measure(D, P)
        assert time.perf_counter() - start < 3, name
