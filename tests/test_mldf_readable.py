"""MLDF as its chapter shows it, in plain NumPy, against the class."""

import json

import naive_multilabel as naive
import numpy as np
import pytest

from ldlrepro import MLDF, paths
from ldlrepro.models.multilabel._confidence import confidence, measure_items
from ldlrepro.models.multilabel._mldf import log_threshold, mean, reuse
from ldlrepro.papers.mldf import readable

SIX = list(readable.LOSS)
AS_ONE_MINUS = ("average_precision", "macro_auc")
SMALL = {"n_estimators": 4, "more_estimators": 2, "max_estimators": 8, "random_state": 0}


def matrices(seed, n=25, c=6):
    """Labels, each row and each column with both kinds, and the scores of two layers."""
    rng = np.random.default_rng(seed)
    Y = rng.uniform(size=(n, c)) < 0.4
    Y[:, 0], Y[:, 1] = ~Y[:, 1], Y[:, 1]
    Y[0], Y[1] = np.arange(c) % 2 == 0, np.arange(c) % 2 == 1
    return Y, *rng.uniform(size=(2, n, 2 * c))


def two(H):
    """Scores (n, 2c) of the class as (2, n, c)."""
    return np.stack(np.split(H, 2, axis=1))


@pytest.mark.interpreted
@pytest.mark.parametrize("measure", SIX)
@pytest.mark.parametrize("seed", range(3))
def test_readable_measures_are_those_of_the_class(measure, seed):
    Y, H, _ = matrices(seed)
    H = H.round(1)  # with ties
    expected = measure_items(measure, Y, mean(H))
    losses = readable.each(readable.LOSS[measure], measure, Y, mean(H))
    np.testing.assert_allclose(losses, 1 - expected if measure in AS_ONE_MINUS else expected)


@pytest.mark.parametrize("measure", SIX)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_readable_confidence_is_that_of_the_enumeration(measure, k):
    for p in np.random.default_rng(k).uniform(size=(5, k)):
        assert readable.confidence(measure, p) == pytest.approx(naive.table2(measure, p))


@pytest.mark.interpreted
@pytest.mark.parametrize("measure", SIX)
@pytest.mark.parametrize("seed", range(3))
def test_readable_confidence_threshold_and_reuse_are_those_of_the_class(measure, seed):
    Y, H, G = matrices(seed)
    sure = readable.each(lambda p: readable.confidence(measure, p), measure, mean(H))
    np.testing.assert_allclose(sure, confidence(measure, mean(H)))
    theta = readable.threshold(measure, Y, two(H), two(G))
    assert 0 < theta == pytest.approx(np.exp(log_threshold(measure, Y, H, G)))
    assert readable.threshold(measure, Y, two(H), two(H)) == 0
    middle = sure.mean()
    kept = reuse(measure, H, G, np.log(middle))
    assert (kept == H).any() and (kept == G).any()
    np.testing.assert_array_equal(readable.reuse(measure, two(H), two(G), middle), two(kept))


@pytest.mark.parametrize("measure", ["ranking_loss", "coverage", "macro_auc"])
def test_readable_growth_is_that_of_the_class(measure):
    """The forests' outputs, taken down while the class grows, give the same layers once more."""
    rng = np.random.RandomState(0)
    X, (Y, *_) = rng.normal(size=(80, 6)), matrices(0, n=80)
    Y = Y ^ (X > 0.5)
    whole = Y.any(axis=1) & ~Y.all(axis=1)
    X, Y, seen = X[whole], Y[whole], []

    def taking_down(measure, Y, H, G):
        seen.append((H, G))
        return log_threshold(measure, Y, H, G) if len(seen) > 1 else -np.inf

    MLDF(measure, reuse=taking_down, reuse_from=2, **SMALL).fit(X, Y)
    model = MLDF(measure, **SMALL).fit(X, Y)

    def layer(t, G):
        if t > 1:
            np.testing.assert_array_equal(G, two(seen[t - 2][1]))
        return two(seen[0][1] if t == 1 else seen[t - 2][0])

    L, thetas, losses = readable.grow(layer, measure, Y)
    assert L == model.n_layers_ and len(losses) == len(model.performance_) > 3
    np.testing.assert_allclose(thetas[:L], model.thresholds_)
    losses = np.array(losses)
    performance = 1 - losses if measure in AS_ONE_MINUS else losses
    np.testing.assert_allclose(performance, model.performance_)


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="notebooks are not installed")
def test_the_check_of_the_chapter_passes_for_macro_auc_where_ties_fall_the_same_way():
    """What the chapter says of its check: a threshold a hair lower settles the ties."""
    cells = json.loads((paths.NOTEBOOKS / "mldf.ipynb").read_text(encoding="utf-8"))["cells"]
    (code,) = (s for s in ("".join(c["source"]) for c in cells) if "def plain_threshold" in s)
    for old, new in {
        "np.log(theta) if": "np.log(theta) - 1e-9 if",
        "losses, model.performance_": "losses, 1 - np.array(model.performance_)",
        '"ranking_loss"': '"macro_auc"',
    }.items():
        assert old in code
        code = code.replace(old, new)
    names = {"np": np, "readable": readable}
    exec(code, names)
    assert max(names["thetas"]) > 0
