"""The studies of MLDF's layers, of a label deleted between two of them, of depth and of ties."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ldlrepro import MLDF, RFPCT, MLDFSuite, datasets, metrics
from ldlrepro.metrics import MULTILABEL
from ldlrepro.papers.mldf.studies import depth, label_drop, layers, ties
from ldlrepro.protocols.split import hold_out

QUICK = datasets.make_standin("scene", n_samples=60)
TRAIN, VALIDATION, TEST = hold_out(60, 0.5, (0, 0))
FITTED = [*TRAIN, *VALIDATION]


def fit(mldf):
    return mldf.fit(QUICK.X[FITTED], QUICK.Y[FITTED])


@pytest.mark.parametrize(
    ("measure", "performance", "expected"),
    [
        ("hamming_loss", [0.5, 0.4, 0.45, 0.42, 0.41, 0.1], 2),  # stopped before the best
        ("hamming_loss", [0.5, 0.6, 0.6, 0.4, 0.6], 4),  # better just in time
        ("average_precision", [0.5, 0.6, 0.55, 0.6, 0.58, 0.9], 2),  # as good is not better
        ("macro_auc", [0.5, 0.6, 0.7, 0.8], 4),
        ("one_error", [0.3, 0.3, 0.3, 0.3, 0.3, 0.3], 1),
        ("coverage", [0.3, 0.4, 0.5, 0.6, 0.2], 1),
        ("ranking_loss", [0.5], 1),  # fewer layers than patience
        ("ranking_loss", [0.5, 0.4], 2),
        ("ranking_loss", [0.5, 0.6, 0.7], 1),
    ],
)
def test_final_layer_is_that_of_algorithm_3(measure, performance, expected):
    assert layers.final_layer(measure, performance) == expected


@pytest.fixture(scope="module")
def grown():
    return layers.run(quick=True)


@pytest.mark.parametrize("measure", list(MULTILABEL))
def test_final_layer_of_the_study_is_the_one_where_growth_stops(grown, measure):
    settings = {"max_layers": 5, "n_estimators": 3, "max_estimators": 5, "more_estimators": 1}
    mldf = fit(MLDF(measure, random_state=0, **settings))
    table = grown["layers"].query("measure == @measure")
    assert set(table.source) == {"synthetic"} and table.layer.tolist() == [1, 2, 3, 4, 5]
    (final,) = table[table.final].itertuples()
    assert final.layer == mldf.n_layers_
    np.testing.assert_allclose(table.train[: len(mldf.performance_)], mldf.performance_, rtol=1e-12)
    score, truth = getattr(metrics, measure), QUICK.Y[TEST]
    for row, P in zip(table.itertuples(), mldf.staged_predict_proba(QUICK.X[TEST]), strict=False):
        assert row.test == pytest.approx(score(truth, P), abs=1e-12)
    P = mldf.predict_proba(QUICK.X[TEST])
    assert final.test == pytest.approx(score(truth, P), abs=1e-12)

    (forest,) = grown["forests"].query("measure == @measure").itertuples()
    trees = 2 * 5 * min(3 + final.layer - 1, 5)  # two forests, five folds
    rf = fit(RFPCT(trees, random_state=0))
    assert forest.trees == trees
    assert forest.test == pytest.approx(score(truth, rf.predict_proba(QUICK.X[TEST])), abs=1e-12)


def test_every_label_is_deleted_once_and_deleting_changes_the_second_layer():
    table = label_drop.run(quick=True)["labels"]
    names = list(QUICK.label_names)
    plain, other = label_drop.NOTHING, label_drop.OTHER_NUMBERS
    assert table.deleted.drop_duplicates().tolist() == [plain, other, *names]
    assert len(table) == (len(names) + 2) * len(names)

    settings = {"n_estimators": 3, "max_estimators": 3, "max_layers": 2, "growth": False}
    values = {way: rows[["accuracy", "auc"]].values for way, rows in table.groupby("deleted")}
    truth, x = QUICK.Y[TEST], QUICK.X[TEST]
    for drop, way in [(None, plain), *enumerate(names)]:
        P = fit(MLDF(random_state=0, drop_label=drop, **settings)).predict_proba(x)
        accuracy = np.mean((P > 0.5) == truth, axis=0)
        auc = [
            roc_auc_score(*pair) if 0 < pair[0].sum() < 30 else np.nan
            for pair in zip(truth.T, P.T, strict=True)
        ]
        np.testing.assert_allclose(values[way], np.transpose([accuracy, auc]), atol=1e-12)
        assert way == plain or not np.allclose(values[way], values[plain], equal_nan=True)
    assert not np.allclose(values[other], values[plain], equal_nan=True)


def test_study_of_depth_holds_every_forest_and_cascade():
    table = depth.run(quick=True)["depth"]
    assert set(table.source) == {"synthetic"} and not table.test.isna().any()
    assert len(table) == 6 * (len(depth.DEPTHS) + len(depth.MORE_DEPTHS))
    truth, x = QUICK.Y[TEST], QUICK.X[TEST]
    found = table.fillna({"depth": 0}).set_index(["method", "depth", "measure"])
    for levels in depth.DEPTHS:
        S = fit(RFPCT(5, max_depth=levels, random_state=0)).predict_proba(x)
        for measure in MULTILABEL:
            cell = found.loc[depth.FOREST, levels or 0, measure]
            assert cell.test == pytest.approx(getattr(metrics, measure)(truth, S), abs=1e-12)
            assert cell.layers == 1
    settings = {"max_layers": 3, "n_estimators": 3, "max_estimators": 5, "more_estimators": 1}
    for levels in depth.MORE_DEPTHS:
        suite = fit(MLDFSuite(reuse=False, more_depth=levels, random_state=0, **settings))
        best = {cascade.measure: cascade.best for cascade in suite.cascades_}
        for measure, S in suite.staged_predict(x):
            cell = found.loc[depth.CASCADE, levels, measure]
            assert cell.test == pytest.approx(getattr(metrics, measure)(truth, S), abs=1e-12)
            assert cell.layers == best[measure]


def test_treatments_by_hand():
    """Three rows whose only relevant label is level with an irrelevant one."""
    Y = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0]])
    S = np.array([[0.6, 0.6, 0.2]] * 3)
    found = {
        way: [getattr(metrics, m)(Y, T) for m in MULTILABEL]
        for way, T in ties.treatments(Y, S, np.random.default_rng(0)).items()
    }
    drawn = found.pop("at random")
    expected = {  # Hamming loss, one-error, coverage, ranking loss, average precision, macro-AUC
        ties.AS_DEFINED: [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1 / 2],
        "against the prediction": [1 / 3, 1, 1 / 3, 1 / 2, 1 / 2, 0],
        "for the prediction": [1 / 3, 0, 0, 0, 1, 1],
        "first column first": [1 / 3, 1 / 3, 1 / 9, 1 / 6, 5 / 6, 1 / 2],
    }
    assert list(found) == list(expected)
    for way, values in expected.items():
        assert found[way] == pytest.approx(values), way
    worst, best = expected["against the prediction"], expected["for the prediction"]
    for value, low, high in zip(drawn, worst, best, strict=True):
        assert min(low, high) <= value <= max(low, high)


def test_random_treatment_is_between_and_moves_with_the_numbers_drawn():
    Y, S = np.tile([1, 0], (200, 1)), np.zeros((200, 2))
    losses = [
        metrics.ranking_loss(Y, ties.treatments(Y, S, np.random.default_rng(seed))["at random"])
        for seed in (0, 0, 1)
    ]
    assert losses[0] == losses[1] != losses[2]
    assert losses[0] == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize("half", [False, True])
def test_no_treatment_changes_untied_scores(half):
    rng = np.random.default_rng(0)
    Y = rng.integers(2, size=(20, 5))
    S = (rng.permutation(100).reshape(20, 5) + (0 if half else 0.5)) / 100
    assert (S == 0.5).sum() == half
    # A step lifts a score of exactly 0.5 over the threshold: hamming loss is not for treatments.
    ranking = [m for m in MULTILABEL if not (half and m == "hamming_loss")]
    expected = [getattr(metrics, m)(Y, S) for m in ranking]
    for way, T in ties.treatments(Y, S, rng).items():
        assert [getattr(metrics, m)(Y, T) for m in ranking] == expected, way


def test_the_study_of_ties_has_every_treatment_and_trees_once_a_hold_out():
    (table,) = ties.run(quick=True).values()
    ways = list(ties.treatments(np.zeros((1, 2)), np.zeros((1, 2)), np.random.default_rng(0)))
    assert len(ways) == 5 and ways[0] == ties.AS_DEFINED
    keys = table[["dataset", "source", "fold", "trees", "ties"]].to_numpy().tolist()
    assert keys == [["scene", "synthetic", 0, trees, way] for trees in (5, 10) for way in ways]
    assert list(table.columns[5:]) == list(MULTILABEL)

    bunch = datasets.make_standin("scene", n_samples=60)
    train, validation, test = hold_out(60, 0.5, (0, 0))
    fitted = [*train, *validation]
    S = RFPCT(5, random_state=0).fit(bunch.X[fitted], bunch.Y[fitted]).predict_proba(bunch.X[test])
    expected = [getattr(metrics, m)(bunch.Y[test], S) for m in MULTILABEL]
    assert table.loc[0, list(MULTILABEL)].tolist() == pytest.approx(expected)
    five = table[table.trees == 5].set_index("ties")
    assert five.ranking_loss["for the prediction"] < five.ranking_loss["against the prediction"]
    assert five.ranking_loss["against the prediction"] == pytest.approx(expected[3])
