"""Parts that kernels share, each against a slow twin."""

import naive
import numpy as np
import pytest

from ldlrepro import metrics
from ldlrepro.kernels import clustering, columns, label_split, labels, nodes, random, ranking, split
from ldlrepro.models._columns import by_kind, middle
from ldlrepro.models.multilabel._trees import Columns, label_rows
from ldlrepro.papers.mldf.readable import LOSS
from ldlrepro.papers.structrf import readable

MEASURES = ["one_error", "coverage", "ranking_loss", "average_precision"]

pytestmark = pytest.mark.interpreted


def state(seed):
    return np.array([seed], np.uint64)


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_draws(seed):
    ours, theirs = state(seed), naive.SplitMix(seed)
    assert [random.uniform(ours) for _ in range(50)] == [theirs.uniform() for _ in range(50)]
    weight = np.array([0.0, 2.0, 0.0, 1.0, 5.0, 0.0])
    got = [random.pick(weight, 8.0, ours) for _ in range(300)]
    assert got == [readable.draw(weight, theirs.uniform) for _ in range(300)]
    assert set(got) == {1, 3, 4}
    items, expected = np.arange(20), list(range(20))
    order = [random.shuffled(items, i, ours) for i in range(20)]
    assert order == naive.shuffle(expected, theirs) == items.tolist()
    assert order != sorted(order) == list(range(20))


def test_splitmix_is_the_published_one():
    """First outputs for the seed 1234567, from its reference implementation."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    ours = state(1234567)
    assert [random.uniform(ours) for _ in range(3)] == [(z >> 11) / 2**53 for z in expected]


def by_columns(Z):
    """Z by columns, with the row of scratch."""
    return np.vstack([Z.T, np.empty(len(Z))])


@pytest.mark.parametrize("seed", range(6))
def test_two_means(seed):
    rng = np.random.default_rng(seed)
    Z, w = rng.dirichlet(np.ones(3), 40), rng.integers(1, 4, 40).astype(float)
    got = np.empty(40, np.uint8)
    assert clustering.two_means(Z, w, 100, state(seed), got)
    w_times = w.astype(int)
    expected = readable.two_means(np.repeat(Z, w_times, axis=0), naive.SplitMix(seed).uniform)
    np.testing.assert_array_equal(np.repeat(got, w_times), expected)
    one = clustering.two_seeds(Z, by_columns(Z), w, w.sum(), state(seed))
    assert one[0] == readable.draw(w, naive.SplitMix(seed).uniform) and 0 <= one[1] != one[0]


def test_equal_rows_are_no_two_clusters():
    Z = np.repeat([[0.2, 0.8]], 5, axis=0)
    assert not clustering.two_means(Z, np.ones(5), 100, state(0), np.empty(5, np.uint8))
    assert clustering.two_seeds(Z, by_columns(Z), np.ones(5), 5.0, state(0))[1] == -1


def test_entropy_table_and_purity():
    t = split.entropy_table(30)
    np.testing.assert_allclose(t[1:], np.arange(1, 31) * np.log(np.arange(1, 31)))
    assert t[0] == 0 and len(split.entropy_table(0)) == 1
    classes = np.repeat([0, 1, 0, 1], [6, 2, 3, 9])
    goes_left = np.arange(20) < 8
    base = t[11] + t[9] - t[20]
    gain = (split.purity(t, 2, 8, 11, 20) - base) / 20
    assert gain == pytest.approx(readable.gain(classes, goes_left))
    classes = np.repeat([0, 1, 2, 2, 0], [4, 3, 1, 7, 5])
    side, counts = np.array([4, 3, 1]), np.array([9, 3, 8])
    gain = (split.class_purity(t, side, 8, counts, 20) - t[counts].sum() + t[20]) / 20
    assert gain == pytest.approx(readable.gain(classes, goes_left))


def test_partition():
    rng = np.random.default_rng(0)
    for k in (0, 1, 7, 40):
        rows = rng.permutation(50)[:k].astype(np.int32)
        goes_left = rng.integers(0, 2, 50).astype(np.uint8)
        expected = naive.partition(rows, goes_left)
        count = nodes.partition(rows, goes_left, np.empty(k, np.int32))
        assert rows.tolist() == expected and count == goes_left[rows].sum()


@pytest.mark.parametrize("n, k", [(5, 1), (40, columns.FEW), (40, 17), (64, 64), (300, 130)])
def test_rows_are_sorted(n, k):
    rng = np.random.RandomState(n)
    X = rng.normal(size=(n, 3))
    both = Columns(X)
    rows = rng.permutation(n)[:k].astype(np.uint32)
    # A type of the package: types of a test would lie in the disk cache of the kernels.
    work = labels.prepare(rows, both.two_valued, label_rows(np.ones((n, 1))), 1, 3, k, False)
    for sort in [columns.mark_rows] + [columns.insert_rows] * (k <= columns.FEW):
        work.ordered[:] = 0
        sort(rows, both.numeric, 1, work)
        in_order = work.ordered[:k] & np.uint64(2**32 - 1)
        np.testing.assert_array_equal(in_order, rows[np.argsort(X[rows, 1])])
        assert not work.words.any()


def test_an_entry_is_a_row_and_the_rank_of_its_value():
    values = np.array([[2.0, -1.0, 2.0, 0.5, -1.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    order, entry = columns.in_order(values)
    np.testing.assert_array_equal(order, [[1, 4, 3, 0, 2], [0, 1, 2, 3, 4]])
    np.testing.assert_array_equal(entry & np.uint64(2**32 - 1), order)
    np.testing.assert_array_equal(entry >> np.uint64(32), [[0, 0, 1, 2, 2], [0, 0, 0, 0, 0]])
    assert columns.same_value(entry[0, 3], entry[0, 4])
    assert not columns.same_value(entry[0, 2], entry[0, 3])


def test_rows_left_out_leave_sorted_columns():
    rng = np.random.default_rng(0)
    order, entry = columns.in_order(rng.normal(size=(3, 30)))
    weight = rng.integers(0, 3, 30)
    m = (weight > 0).sum()
    np.testing.assert_array_equal(
        columns.kept(entry, weight, m),
        [
            [e for e, r in zip(*pair, strict=True) if weight[r]]
            for pair in zip(entry, order, strict=True)
        ],
    )


def test_columns_by_kind():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    X[:, 1:4] = X[:, 1:4] > [0.1, 0.7, -0.5]
    X[:, 4] = 2.0
    many, sparse = by_kind(X)
    assert many.tolist() == [0, 5] and sparse.feature.tolist() == [1, 2, 3]
    assert sparse.threshold.tolist() == [0.5] * 3
    rows = np.arange(60).astype(np.int32)
    for f, column in enumerate(sparse.feature):
        goes_left = np.full(60, 9, np.uint8)
        columns.send_by_sparse(rows, f, sparse, goes_left)
        np.testing.assert_array_equal(goes_left, X[:, column] < 0.5)
        rarer = X[:, column] == (not sparse.rare_is_low[f])
        assert rarer.sum() == (sparse.index == f).sum() <= 30


def test_thresholds_between_neighbouring_floats():
    a, b = 1.0, np.nextafter(1.0, 2.0)
    assert columns.midpoint(a, b) == b and middle(np.array([a]), np.array([b])) == b  # left is <
    assert label_split.between(a, b) == a  # left is <=
    for between in (columns.midpoint, label_split.between, middle):
        assert between(1.0, 2.0) == 1.5


@pytest.mark.parametrize("b", [1, 63, 64, 65, 130])
def test_two_valued_features_that_vary(b):
    rng = np.random.default_rng(b)
    X = (rng.uniform(size=(40, b)) < 0.1) * 1.0
    X[:2] = [[0.0], [1.0]]
    two_valued = Columns(X).two_valued
    for k in (1, 2, 5):
        rows = rng.permutation(40)[:k].astype(np.uint32)
        varying = np.full(two_valued.words.shape[1], 5, np.uint64)
        labels.find_varying(rows, two_valued, varying)
        got = [int(varying[f // 64]) >> f % 64 & 1 for f in range(b)]
        np.testing.assert_array_equal(got, X[rows].min(axis=0) < X[rows].max(axis=0))


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_of_rows(measure):
    rng = np.random.default_rng(0)
    Y, P = rng.uniform(size=(50, 9)) < 0.3, rng.uniform(size=(50, 9)).round(1)  # with ties
    Y[0], Y[1] = False, True
    out = np.empty(50)
    getattr(ranking, measure)(Y, P, out)
    assert np.isnan(out[:2]).all() == (measure != "coverage")
    there = np.flatnonzero(~np.isnan(out))
    expected = np.array([LOSS[measure](Y[i], P[i]) for i in there])
    if measure == "average_precision":  # a loss there
        expected = 1 - expected
    np.testing.assert_allclose(out[there], expected, rtol=1e-14)
    assert len(there) > 40 and getattr(metrics, measure)(Y, P) == np.mean(out[there])


def test_measures_of_rows_with_ties_and_without_a_pair():
    Y = np.array([[True, False], [True, True], [False, False]])
    P = np.array([[0.5, 0.5], [0.2, 0.1], [0.1, 0.2]])
    got = {measure: np.empty(3) for measure in MEASURES}
    for measure, out in got.items():
        getattr(ranking, measure)(Y, P, out)
    np.testing.assert_array_equal(got["one_error"], [0, np.nan, np.nan])  # the first column on ties
    np.testing.assert_array_equal(got["coverage"], [0.5, 0.5, 0])
    np.testing.assert_array_equal(got["ranking_loss"], [1, np.nan, np.nan])  # a tie is wrong
    np.testing.assert_array_equal(got["average_precision"], [0.5, np.nan, np.nan])
