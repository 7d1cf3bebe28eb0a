"""Small studies behind single claims, in their quick form, against plain counts."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from ldlrepro import LPP, RFPCT, SAIIS, StructRF, datasets, metrics
from ldlrepro.papers.adaboost_ldl.studies import on_faces, warm_stop
from ldlrepro.papers.ldlf.studies import modes
from ldlrepro.papers.mldf.studies import one_layer
from ldlrepro.papers.mslp.studies import toys
from ldlrepro.papers.structrf import readable
from ldlrepro.papers.structrf.studies import forests, gains
from ldlrepro.papers.structrf.studies.adaptive_step import _cluster
from ldlrepro.protocols.split import hold_out, ten_folds


def test_forests_of_the_paper_and_their_rivals():
    found = forests.run(quick=True)
    folds = found["folds"].set_index("method")
    assert set(folds.index) == set(forests.methods(0))
    bunch = datasets.make_standin("SJAFFE", n_samples=60)
    train, validation, test = ten_folds(60, 0)[0]
    fitted = np.concatenate([train, validation])
    model = StructRF(**forests.FOREST, random_state=0).fit(bunch.X[fitted], bunch.D[fitted])
    P = model.predict(bunch.X[test])
    assert folds.test["StructRF"] == pytest.approx(metrics.kl_divergence(bunch.D[test], P))
    train_loss = metrics.kl_divergence(bunch.D[fitted], model.predict(bunch.X[fitted]))
    assert folds.train["StructRF"] == pytest.approx(train_loss)
    assert folds.near_zero["StructRF"] == np.mean([p < 0.1 / 6 for row in P for p in row])
    faces = found["faces"]
    assert sorted(set(faces.rows)) == [30, 50] and len(faces) == 6
    drawn = np.random.default_rng(0).permutation(fitted)[:30]
    iis = SAIIS(200, scale=None, tol=0.0).fit(bunch.X[drawn], bunch.D[drawn])
    expected = metrics.kl_divergence(bunch.D[test], iis.predict(bunch.X[test]))
    few = faces[(faces.rows == 30) & (faces.method == "SA-IIS")].test
    assert few.tolist() == pytest.approx([expected])


def test_a_forest_for_each_label_learns_one_column_at_a_time():
    toy = datasets.make_toy(100, random_state=0)
    model = forests.ForestForEachLabel(0).fit(toy.X, toy.D)
    columns = []
    for d in toy.D.T:
        alone = StructRF(**forests.FOREST, random_state=0).fit(toy.X, np.array([d, 1 - d]).T)
        columns.append(alone.predict(toy.X)[:, 0])
    expected = np.array(columns).T / np.sum(columns, axis=0)[:, None]
    np.testing.assert_allclose(model.predict(toy.X), expected)


def test_gains_of_neighbouring_thresholds():
    found = gains.run(quick=True)["gains"]
    bunch = datasets.make_standin("SJAFFE", n_samples=60)
    cluster = _cluster(bunch.D, 0)
    row = found.iloc[7]
    x = bunch.X[:, row.feature]
    cuts = np.unique(x)
    gain = [readable.gain(cluster, x < t) for t in (cuts[1:] + cuts[:-1]) / 2]
    moves = sorted(abs(a - b) for a, b in zip(gain, gain[1:], strict=False))
    assert len(gain) == row.thresholds
    middle = np.median(moves) / max(gain)
    assert row["median"] == pytest.approx(middle) and row.most > row["median"]


@pytest.mark.parametrize(
    ("row", "number"),
    [
        ([0.1, 0.2, 0.4, 0.2, 0.1], 1),
        ([0.4, 0.1, 0.1, 0.1, 0.3], 2),
        ([0.2, 0.3, 0.3, 0.1, 0.1], 1),
        ([0.3, 0.1, 0.3, 0.0, 0.3], 3),
        ([0.2, 0.2, 0.2, 0.2, 0.2], 1),
    ],
)
def test_modes_are_counted(row, number):
    assert modes.number_of_modes(np.array([row])).tolist() == [number]


def test_rows_with_one_mode_and_with_several():
    found = modes.run(quick=True)["modes"]
    (several,) = {len(m.modes) for _, m in found.groupby("method")}
    assert several == 2 and set(found.method) == {"BFGS-LDL", "sLDLF", "StructRF"}
    bunch = datasets.make_standin("SCUT_FBP", n_samples=60)
    test = ten_folds(60, 0)[0][2]
    assert found.groupby("method").rows.sum().tolist() == [len(test)] * 3
    one = (modes.number_of_modes(bunch.D[test]) == 1).sum()
    assert set(found.rows[found.modes == "one"]) == {one}


def test_what_can_be_fitted_on_faces():
    works = on_faces.run(quick=True)["works"].groupby("learner").works.agg(list).to_dict()
    assert works == {"PT-Bayes": [0, 0], "SA-IIS": [1, 1]}  # fewer rows than features


def test_one_layer_has_the_hold_outs_of_the_layers():
    found = one_layer.run(quick=True)["one_layer"].set_index("measure").test
    bunch = datasets.make_standin("scene", n_samples=60)
    train, validation, test = hold_out(60, 0.5, (0, 0))
    fitted = [*train, *validation]
    P = RFPCT(5, random_state=0).fit(bunch.X[fitted], bunch.Y[fitted]).predict_proba(bunch.X[test])
    assert found["coverage"] == metrics.coverage(bunch.Y[test], P) and len(found) == 6


def test_toys_on_every_point_of_the_grid():
    found = toys.run(quick=True)["toys"]
    of_mslp = found[found.method == "MSLP"]
    assert (of_mslp.groupby("dataset").size() == 3 * 3 * 2 * 2).all()
    assert not of_mslp.duplicated(["dataset", *toys.GRID]).any()
    bunch = datasets.make_mslp_toy(200, noise=0.1, random_state=0)
    Z = LPP(ratio=2 / 3).fit(bunch.X, bunch.D).transform(bunch.X)
    lpp = found[(found.method == "LPP") & (found.dataset == "noisy toy")].trustworthiness
    assert lpp.tolist() == [pytest.approx(trustworthiness(bunch.D, Z, n_neighbors=10))]


def test_steps_with_and_without_the_warm_start():
    found = warm_stop.run(quick=True)["steps"].set_index("tolerance")
    columns = ["steps_with", "steps_without"]
    assert (found.loc[1e-6, columns] < found.loc[1e-12, columns]).all()
    assert (found[columns] <= 5 * 300).all(axis=None)
