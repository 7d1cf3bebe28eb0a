"""Tests over folds against scipy and values worked out by hand."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ldlrepro import stats

a = np.array([0.11, 0.12, 0.10, 0.13, 0.12])
b = np.array([0.13, 0.13, 0.13, 0.14, 0.15])


def test_paired_t_is_scipys():
    assert stats.paired_t(a, b) == pytest.approx(scipy_stats.ttest_rel(a, b).pvalue)


def test_corrected_t_by_hand():
    """d = -.02 -.01 -.03 -.01 -.03: mean -.02, s = .01; t = -.02 / (.01 sqrt(1/5 + 1/4))."""
    t = 2 / np.sqrt(0.45)
    assert stats.corrected_t(a, b, n_train=80, n_test=20) == pytest.approx(
        2 * scipy_stats.t.sf(t, 4)
    )
    assert stats.corrected_t(a, b, 80, 20) > stats.paired_t(a, b)


def test_equal_values_and_constant_differences():
    assert stats.paired_t(a, a) == 1.0
    assert stats.paired_t(np.full(5, 2.0), np.full(5, 1.0)) == 0.0
    with pytest.raises(ValueError, match="at least two folds"):
        stats.paired_t([1.0], [2.0])


def test_holm_by_hand():
    """The smallest of m times m, the next times m - 1; at least a smaller one's, at most 1."""
    assert stats.holm([0.04, 0.01, 0.03, 0.5]) == pytest.approx([0.09, 0.04, 0.09, 0.5])
    assert stats.holm([0.6, 0.7]).tolist() == [1, 1]
    assert stats.holm([]).size == 0


@pytest.mark.parametrize("folds, ratio", [(10, 1 / 9), (5, 1)])
def test_the_smallest_difference_shown_is_shown_as_often_as_said(folds, ratio):
    """Folds as the test takes them: correlated by the rows that they share."""
    shift = stats.smallest_shown(folds, ratio)
    rng = np.random.default_rng(0)
    number = 4000
    own, shared = rng.normal(size=(number, folds)), rng.normal(size=(number, 1))
    differences = shift + own + np.sqrt(ratio) * shared
    p = [stats.corrected_t(d, np.zeros(folds), 1.0, ratio) for d in differences]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.8, abs=0.02)
    assert stats.smallest_shown(folds, ratio, power=0.5) < shift
    assert stats.smallest_shown(folds, ratio, level=0.1) < shift


def test_ranks():
    values = [[0.1, 0.3, 0.2], [0.5, 0.5, 0.1]]
    assert stats.ranks(values, greater_is_better=False).tolist() == [[1, 3, 2], [2.5, 2.5, 1]]
    assert stats.ranks(values, greater_is_better=True).tolist() == [[3, 1, 2], [1.5, 1.5, 3]]


def test_correlated_posterior():
    """Values that baycomp 1.0.3 gave (`two_on_single` with rope 0.01), and equal differences."""
    found = stats.correlated_posterior([0.02, 0.05, -0.01, 0.03], 0.01)
    assert found == pytest.approx([0.720297827918, 0.186056805315, 0.093645366767]) and sum(
        found
    ) == pytest.approx(1)
    assert stats.correlated_posterior([0.02, 0.02], 0.01) == (1, 0, 0)
    assert stats.correlated_posterior([0.005, 0.005], 0.01) == (0, 1, 0)
