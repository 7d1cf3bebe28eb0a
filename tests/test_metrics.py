"""Every measure against numbers worked out by hand, a slow loop twin, or scikit-learn."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk

from ldlrepro import SABFGS, LabelFrequencies, MeanPredictor, metrics
from ldlrepro.datasets import make_toy
from ldlrepro.errors import UnknownNameError
from ldlrepro.metrics import DISTRIBUTION, KL_CLIP, MULTILABEL

NAMES = list(DISTRIBUTION)


def twin(name, d, p):
    """One row, written out from the definition with Python floats."""
    pairs = [(float(x), float(y)) for x, y in zip(d, p, strict=True)]
    both = [(x, y) for x, y in pairs if x + y > 0]
    if name == "chebyshev":
        return max(abs(x - y) for x, y in pairs)
    if name == "clark":
        return math.sqrt(sum(((x - y) / (x + y)) ** 2 for x, y in both))
    if name == "canberra":
        return sum(abs(x - y) / (x + y) for x, y in both)
    if name == "kl_divergence":
        return sum(x * math.log(x / max(y, 2.0**-52)) for x, y in pairs if x > 0)
    if name == "cosine":
        product = sum(x * y for x, y in pairs)
        return product / math.hypot(*(x for x, _ in pairs)) / math.hypot(*(y for _, y in pairs))
    if name == "intersection":
        return sum(min(x, y) for x, y in pairs)
    if name == "euclidean":
        return math.dist([x for x, _ in pairs], [y for _, y in pairs])
    if name == "sorensen":
        return sum(abs(x - y) for x, y in pairs) / sum(x + y for x, y in pairs)
    if name == "squared_chi2":
        return sum((x - y) ** 2 / (x + y) for x, y in both)
    if name == "fidelity":
        return sum(math.sqrt(x * y) for x, y in pairs)
    ranked = [y for _, _, y in sorted((-x, j, y) for j, (x, y) in enumerate(pairs))]
    loss = weights = 0.0
    for j in range(1, len(ranked)):
        weights += 1 / math.log2(j + 1)
        for k in range(j + 1, len(ranked) + 1):
            loss += max(ranked[k - 1] - ranked[j - 1], 0) / math.log2(j + 1)
    return loss / weights


def distributions(n, c):
    """Rows from nearly vertices to nearly uniform; some with zeros, some equal to the other."""
    rng = np.random.default_rng(c)
    sharp = rng.choice([0.05, 1.0, 20.0], size=(n, 1))
    D, P = (rng.gamma(np.broadcast_to(sharp, (n, c))) + 1e-12 for _ in range(2))
    D[::5, 0] = P[::7, 0] = P[::5, 0] = 0
    P[3] = D[3]
    D[4], P[4] = np.eye(c)[0], np.eye(c)[1]
    return D / D.sum(axis=1, keepdims=True), P / P.sum(axis=1, keepdims=True)


def upper(measure, c):
    return eval(measure.upper, {"sqrt": math.sqrt, "c": c, "inf": math.inf})


# --- distributions ---------------------------------------------------------------------------

D2, P2 = [[0.5, 0.3, 0.2]], [[0.2, 0.2, 0.6]]
BY_HAND = {
    "chebyshev": 0.4,
    "clark": math.sqrt((3 / 7) ** 2 + (1 / 5) ** 2 + (1 / 2) ** 2),
    "canberra": 3 / 7 + 1 / 5 + 1 / 2,
    "kl_divergence": 0.5 * math.log(2.5) + 0.3 * math.log(1.5) + 0.2 * math.log(1 / 3),
    "cosine": 0.28 / math.sqrt(0.38 * 0.44),
    "intersection": 0.6,
    "euclidean": math.sqrt(0.26),
    "sorensen": 0.4,
    "squared_chi2": 0.09 / 0.7 + 0.01 / 0.5 + 0.16 / 0.8,
    "fidelity": math.sqrt(0.1) + math.sqrt(0.06) + math.sqrt(0.12),
    "sort_loss": (0.4 + 0.4 / math.log2(3)) / (1 + 1 / math.log2(3)),
}


@pytest.mark.parametrize("name", NAMES)
def test_value_by_hand(name):
    assert getattr(metrics, name)(D2, P2) == pytest.approx(BY_HAND[name], rel=1e-12)


@pytest.mark.parametrize("c", [2, 3, 7])
@pytest.mark.parametrize("name", NAMES)
def test_slow_twin_and_range(name, c):
    D, P = distributions(40, c)
    measure = getattr(metrics, name)
    values = measure(D, P, per_row=True)
    expected = [twin(name, d, p) for d, p in zip(D, P, strict=True)]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12)
    assert measure(D, P) == pytest.approx(values.mean(), rel=1e-14)
    assert values.min() > -1e-12 and values.max() < upper(DISTRIBUTION[name], c) + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_the_best_value_is_at_the_truth(name):
    D, P = distributions(60, 4)
    measure, declared = getattr(metrics, name), DISTRIBUTION[name]
    best = upper(declared, 4) if declared.greater_is_better else 0.0
    np.testing.assert_allclose(measure(D, D, per_row=True), best, atol=1e-12)
    off = measure(D, P, per_row=True) - best
    assert (off <= 1e-12).all() if declared.greater_is_better else (off >= -1e-12).all()
    assert np.abs(off).max() > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_the_other_end_of_the_range_is_reached(name):
    """Disjoint supports that cover every label, and for SortLoss the reversed vertex."""
    D, P = [[1.0, 0, 0, 0]], [[0, 0, 0, 1.0]]
    if name in ("clark", "canberra"):
        P = [[0, 0.2, 0.3, 0.5]]
    declared = DISTRIBUTION[name]
    if name == "kl_divergence":
        worst = -math.log(KL_CLIP)
    else:
        worst = 0.0 if declared.greater_is_better else upper(declared, 4)
    assert getattr(metrics, name)(D, P) == pytest.approx(worst, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_symmetry_flag(name):
    D, P = distributions(30, 4)
    measure = getattr(metrics, name)
    gap = np.abs(measure(D, P, per_row=True) - measure(P, D, per_row=True)).max()
    assert (gap < 1e-12) == DISTRIBUTION[name].symmetric


def test_zero_degrees():
    D, P = np.array([[0.0, 0.5, 0.5]]), np.array([[0.0, 0.25, 0.75]])
    for name in ("clark", "canberra", "squared_chi2", "kl_divergence"):
        with np.errstate(all="raise"):
            whole = getattr(metrics, name)(D, P)
        assert whole == pytest.approx(getattr(metrics, name)(D[:, 1:], P[:, 1:]), rel=1e-14)
    assert metrics.kl_divergence([[0, 1]], [[0.5, 0.5]]) == pytest.approx(math.log(2))
    assert metrics.kl_divergence([[0.5, 0.5]], [[0, 1]]) == pytest.approx(
        0.5 * math.log(0.5 / KL_CLIP) + 0.5 * math.log(0.5)
    )
    assert 36 < metrics.kl_divergence([[1, 0]], [[0, 1]]) < 37


def test_sorensen_is_one_minus_intersection():
    D, P = distributions(50, 6)
    total = metrics.sorensen(D, P, per_row=True) + metrics.intersection(D, P, per_row=True)
    np.testing.assert_allclose(total, 1, rtol=1e-14)


def test_sort_loss_of_the_papers_example():
    """Shen et al. 2020, section 2.1; they print 0.0734, their Eq. 3 gives 0.0704."""
    D, P = [[0.2, 0.3, 0.4, 0.1]], [[0.1, 0.4, 0.3, 0.2]]
    by_hand = (0.1 / 1 + 0.1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)
    assert metrics.sort_loss(D, P) == pytest.approx(by_hand)
    assert round(by_hand, 4) == 0.0704


def test_sort_loss_of_constants_and_ties():
    D, _ = distributions(30, 5)
    np.testing.assert_array_equal(metrics.sort_loss(D, np.full_like(D, 0.2), per_row=True), 0)
    # Equal true degrees are ranked by column: only a rising prediction costs.
    assert metrics.sort_loss([[0.5, 0.5]], [[0.6, 0.4]]) == 0
    assert metrics.sort_loss([[0.5, 0.5]], [[0.4, 0.6]]) == pytest.approx(0.2)


def test_score_has_every_measure_and_leaves_its_input_alone():
    D, P = distributions(20, 3)
    before = D.copy(), P.copy()
    assert metrics.score(D, P) == {n: getattr(metrics, n)(D, P) for n in NAMES}
    np.testing.assert_array_equal((D, P), before)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -0.1])
def test_bad_degrees_are_named(name, value):
    D, P = distributions(10, 3)
    P[6, 2] = P[8, 0] = value  # the first is named
    with pytest.raises(ValueError, match=f"P row 6, column 2 is {value}"):
        getattr(metrics, name)(D, P)
    with pytest.raises(ValueError, match=f"D row 6, column 2 is {value}"):
        getattr(metrics, name)(P, D)


@pytest.mark.parametrize("shape", [(10, 4), (9, 3), (10,)])
def test_wrong_shapes_are_named(shape):
    with pytest.raises(ValueError, match=r"D has shape \(10, 3\) and P \(.*the same"):
        metrics.chebyshev(np.ones((10, 3)), np.ones(shape))


# --- multi-label -----------------------------------------------------------------------------

Y1 = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1]])
S1 = np.array([[0.9, 0.8, 0.3, 0.1], [0.7, 0.6, 0.2, 0.1], [0.9, 0.4, 0.6, 0.8]])


@pytest.mark.interpreted
def test_multilabel_values_by_hand():
    values = {name: getattr(metrics, name)(Y1, S1) for name in MULTILABEL}
    assert values == pytest.approx(
        {
            "hamming_loss": 5 / 12,
            "one_error": 1 / 3,
            "coverage": (2 + 1 + 3) / 4 / 3,
            "ranking_loss": (1 / 4 + 1 / 3 + 1 / 3) / 3,
            "average_precision": ((1 + 2 / 3) / 2 + 1 / 2 + (1 + 1 + 3 / 4) / 3) / 3,
            "macro_auc": (1 + 0 + 0.5 + 1) / 4,
        }
    )


def random_labels(ties):
    rng = np.random.default_rng(0)
    Y = rng.integers(2, size=(60, 6))
    Y[:, 0], Y[:, 1] = 1, 0  # every row has both kinds; columns 0 and 1 have one class
    S = rng.random(Y.shape)
    return Y, np.round(S, 1) if ties else S


@pytest.mark.interpreted
@pytest.mark.parametrize("ties", [False, True])
def test_multilabel_equals_scikit_learn(ties):
    Y, S = random_labels(ties)
    assert metrics.hamming_loss(Y, S) == pytest.approx(sk.hamming_loss(Y, S > 0.5))
    assert metrics.coverage(Y, S) == pytest.approx((sk.coverage_error(Y, S) - 1) / 6)
    assert metrics.ranking_loss(Y, S) == pytest.approx(sk.label_ranking_loss(Y, S))
    assert metrics.average_precision(Y, S) == pytest.approx(
        sk.label_ranking_average_precision_score(Y, S)
    )
    both = slice(2, None)
    assert metrics.macro_auc(Y, S) == pytest.approx(sk.roc_auc_score(Y[:, both], S[:, both]))
    top = [Y[i, max(range(6), key=lambda j: S[i, j])] for i in range(60)]  # the first of equals
    assert metrics.one_error(Y, S) == pytest.approx(1 - np.mean(top))


@pytest.mark.interpreted
def test_ties_are_counted_as_documented():
    Y, flat = [[0, 1, 1, 0]], [[0.5] * 4]
    assert metrics.hamming_loss(Y, flat) == 0.5  # 0.5 is not above the threshold
    assert metrics.hamming_loss(Y, flat, threshold=0.4) == 0.5
    assert metrics.one_error(Y, flat) == 1 and metrics.one_error([[1, 0, 0, 0]], flat) == 0
    assert metrics.coverage(Y, flat) == 3 / 4
    assert metrics.ranking_loss(Y, flat) == 1
    assert metrics.average_precision(Y, flat) == 2 / 4
    assert metrics.macro_auc([[0, 1], [1, 0]], [[0.5, 0.5], [0.5, 0.5]]) == 0.5


@pytest.mark.interpreted
@pytest.mark.parametrize("name", ["one_error", "ranking_loss", "average_precision"])
def test_rows_without_a_pair_are_left_out(name):
    measure = getattr(metrics, name)
    Y = np.vstack([Y1, np.zeros((2, 4)), np.ones((1, 4))])
    S = np.vstack([S1, S1])
    assert measure(Y, S) == pytest.approx(measure(Y1, S1))
    assert math.isnan(measure(Y[3:], S[3:]))


@pytest.mark.interpreted
def test_coverage_of_rows_without_or_with_all_labels():
    assert metrics.coverage([[0, 0, 0, 0]], [[0.4, 0.3, 0.2, 0.1]]) == 0
    assert metrics.coverage([[1, 1, 1, 1]], [[0.4, 0.3, 0.2, 0.1]]) == 3 / 4


def test_labels_with_one_class_are_left_out_of_macro_auc():
    Y, S = [[1, 1, 0], [1, 0, 0], [1, 0, 0]], [[0.1, 0.5, 0.3], [0.2, 0.7, 0.2], [0.3, 0.2, 0.1]]
    assert metrics.macro_auc(Y, S) == 0.5
    assert math.isnan(metrics.macro_auc([[1, 0], [1, 0]], [[0.5, 0.1], [0.2, 0.3]]))


@pytest.mark.interpreted
@pytest.mark.parametrize("name", MULTILABEL)
def test_multilabel_direction_and_range(name):
    Y, _ = random_labels(False)
    measure, declared = getattr(metrics, name), MULTILABEL[name]
    right, wrong = measure(Y, Y.astype(float)), measure(Y, 1.0 - Y)
    assert (right > wrong) == declared.greater_is_better
    assert 0 <= min(right, wrong) and max(right, wrong) <= upper(declared, 6)


@pytest.mark.parametrize("name", MULTILABEL)
def test_multilabel_bad_input_is_named(name):
    measure = getattr(metrics, name)
    bad = S1.copy()
    bad[2, 1] = np.nan
    with pytest.raises(ValueError, match="S row 2, column 1 is nan"):
        measure(Y1, bad)
    with pytest.raises(ValueError, match=r"Y row 0, column 0 is 0\.9.*labels are 0 or 1"):
        measure(S1, S1)
    bad = np.where(np.arange(Y1.size).reshape(Y1.shape) == 5, 2, Y1)
    with pytest.raises(ValueError, match="Y row 1, column 1 is 2"):
        measure(bad, S1)
    with pytest.raises(ValueError, match=r"Y has shape \(3, 4\) and S \(3, 3\)"):
        measure(Y1, S1[:, :3])


# --- ages ------------------------------------------------------------------------------------


def test_ages():
    age, predicted = [20, 30, 41, 60], [25, 30, 35.5, 70]
    assert metrics.mae(age, predicted) == (5 + 0 + 5.5 + 10) / 4
    assert metrics.cumulative_score(age, predicted) == 2 / 4  # 5 years off still counts
    assert metrics.cumulative_score(age, predicted, within=6) == 3 / 4
    assert metrics.cumulative_score(age, predicted, within=0) == 1 / 4
    for within in (-0.5, np.nan):
        with pytest.raises(ValueError, match=f"within={within}: choose"):
            metrics.cumulative_score(age, predicted, within=within)


def test_score_refuses_what_is_no_distribution():
    D = np.array([[0.5, 0.5], [1.0, 0.0]])
    assert metrics.score(D, D)["kl_divergence"] == pytest.approx(0)
    with pytest.raises(ValueError, match="P row 1 has the sum 2 over 2 labels: .*score_labels"):
        metrics.score(D, [[0.5, 0.5], [1, 1]])
    with pytest.raises(ValueError, match="D row 0 has NaN or infinity"):
        metrics.score([[np.nan, 0.5], [1, 0]], D)
    for shape in ((0, 3), (4, 1), (4,)):
        with pytest.raises(ValueError, match=r"expected \(rows, labels\), 2 labels or more"):
            metrics.score(np.ones(shape), np.ones(shape))


@pytest.mark.interpreted
def test_score_of_labels_has_every_measure():
    Y, S = np.array([[1, 0], [0, 1], [1, 0]]), np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.3]])
    found = metrics.score_labels(Y, S)
    assert list(found) == list(metrics.MULTILABEL)
    assert found["hamming_loss"] == pytest.approx(1 / 3) and found["one_error"] == pytest.approx(
        1 / 3
    )


@pytest.mark.interpreted
def test_scorers_are_larger_for_better_predictions():
    X = np.random.default_rng(0).normal(size=(30, 2))
    D = np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)
    for name in metrics.DISTRIBUTION | metrics.RANKING:
        if name in ("sort_loss", "flatness"):
            continue  # a flat prediction has none
        up = metrics.MEASURES[name].greater_is_better
        scorer = metrics.get_scorer(name if up else f"neg_{name}")
        values = [scorer(model().fit(X, D), X, D) for model in (MeanPredictor, SABFGS)]
        assert values[1] > values[0]
        expected = getattr(metrics, name)(D, SABFGS().fit(X, D).predict(X))
        assert values[1] == pytest.approx(expected if up else -expected)
    with pytest.raises(
        UnknownNameError,
        match=r"No scorer .kl_divergence.\. Did you mean neg_kl_divergence\? There are",
    ):
        metrics.get_scorer("kl_divergence")


@pytest.mark.parametrize("name", MULTILABEL)
def test_labels_and_scores_do_not_change_places(name):
    Y, S = np.eye(3), np.full((3, 3), 0.3)
    assert not MULTILABEL[name].symmetric
    with pytest.raises(ValueError, match="0 or 1"):
        getattr(metrics, name)(S, Y)


@pytest.mark.parametrize("name", [*metrics.DISTRIBUTION, "flatness"])
def test_a_measure_takes_no_per_cent(name):
    D, P = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([[0.3, 0.7], [0.4, 0.6]])
    for given, message in (((100 * D, P), "D row 0 has the sum 100 "), ((D, 3 * P), "P row 0 ")):
        with pytest.raises(ValueError, match=message):
            metrics.measure(name)(*given)
    measure = metrics.measure(name)
    assert measure(D, np.float32(P)) == pytest.approx(measure(D, P), rel=1e-5)


def test_a_measure_of_the_order_takes_any_degrees():
    D, P = np.array([[0.2, 0.5, 0.3]]), np.array([[0.2, 0.7, 0.1]])
    for name in ("spearman", "kendall", "ndcg", "mae_argmax", "mae_expectation"):
        measure = metrics.measure(name)
        assert measure(100 * D, 3 * P) == pytest.approx(measure(D, P))


def test_a_scorer_refuses_per_cent_and_labels():
    toy = make_toy(random_state=0)
    scorer = metrics.get_scorer("neg_kl_divergence")
    with pytest.raises(ValueError, match="sum 100 over .* Divide per cent"):
        scorer(MeanPredictor().fit(toy.X, toy.D), toy.X, 100 * toy.D)
    Y = (toy.D > 0.3).astype(int)
    Y[0], Y[1] = 1, 0
    with pytest.raises(ValueError, match="scored by score_labels, .* by spearman"):
        scorer(LabelFrequencies().fit(toy.X, Y), toy.X, Y)
