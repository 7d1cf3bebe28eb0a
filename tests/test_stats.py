"""Tests over folds against scipy and values worked out by hand."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ldlrepro.protocols import stats

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


def test_ranks():
    values = [[0.1, 0.3, 0.2], [0.5, 0.5, 0.1]]
    assert stats.ranks(values, greater_is_better=False).tolist() == [[1, 3, 2], [2.5, 2.5, 1]]
    assert stats.ranks(values, greater_is_better=True).tolist() == [[3, 1, 2], [1.5, 1.5, 3]]
