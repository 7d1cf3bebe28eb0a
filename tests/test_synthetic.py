from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

from ldlrepro import datasets
from ldlrepro.errors import DataUnavailableError, UnknownNameError


def on_simplex(D):
    return D.min() >= 0 and np.allclose(D.sum(axis=1), 1, atol=1e-12)


def degrees_by_hand(x):
    """Eq. 11 of the MSLP paper for one row, written out."""
    t1, t2, t3 = (v + 0.5 * v**2 + 0.2 * v**3 + 1 for v in x)
    phi1 = (4 * t1 + 2 * t2 + t3) ** 2
    phi2 = (t1 + 2 * t2 + 4 * t3 + 0.01 * phi1) ** 2
    phi3 = (t1 + 4 * t2 + 2 * t3 + 0.01 * phi2) ** 2
    return np.array([phi1, phi2, phi3]) / (phi1 + phi2 + phi3)


def test_toy():
    toy = datasets.make_toy()
    assert toy.X.shape == toy.D.shape == (500, 3)
    assert toy.X_test.shape == toy.D_test.shape == (2601, 3)
    assert np.abs(toy.X).max() <= 1 and toy.source == "synthetic"
    assert on_simplex(toy.D) and on_simplex(toy.D_test)
    x1, x2, x3 = toy.X_test.T
    np.testing.assert_allclose(x3, np.sin((x1 + x2) * np.pi))
    np.testing.assert_allclose(np.unique(np.round(np.diff(np.unique(x1)), 10)), 0.04)
    for i in (0, 17, 499):
        np.testing.assert_allclose(toy.D[i], degrees_by_hand(toy.X[i]))
    # At the origin t = (1, 1, 1): 49, 7.49^2 and (7 + 0.01 * 7.49^2)^2.
    middle = toy.D_test.reshape(51, 51, 3)[25, 25]
    phi = np.array([49, 7.49**2, (7 + 0.01 * 7.49**2) ** 2])
    np.testing.assert_allclose(middle, phi / phi.sum())


@pytest.mark.parametrize(
    ("value", "error"),
    [(2.5, TypeError), ("3", TypeError), (True, TypeError), (-1, ValueError), (10**30, ValueError),
     (10**5000, ValueError)],
    ids=lambda value: "" if isinstance(value, int) else str(value),
)  # fmt: skip
def test_numbers_of_rows_that_are_none_are_named(value, error):
    with pytest.raises(error, match="n_train must be a whole number"):
        datasets.make_toy(n_train=value)
    for make in (
        datasets.make_mslp_toy,
        datasets.make_scenes,
        partial(datasets.make_standin, "Movie"),
    ):
        with pytest.raises(error, match="n_samples must be a whole number"):
            make(n_samples=value)


def test_mslp_toy():
    clean = datasets.make_mslp_toy()
    assert clean.X.shape == clean.D.shape == (3000, 3)
    np.testing.assert_allclose(clean.X[:, 2], np.exp(-(clean.X[:, 0] ** 2) - clean.X[:, 1] ** 2))
    np.testing.assert_array_equal(clean.X, clean.X_clean)
    np.testing.assert_allclose(clean.D[7], degrees_by_hand(clean.X[7]))
    noisy = datasets.make_mslp_toy(noise=0.1)
    np.testing.assert_array_equal(noisy.D, clean.D)
    assert (noisy.X - noisy.X_clean).var() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("make", [datasets.make_toy, datasets.make_mslp_toy])
def test_random_state_alone_decides(make):
    first = make(random_state=3).X
    make(random_state=None)
    np.testing.assert_array_equal(first, make(random_state=3).X)
    assert not np.array_equal(first, make(random_state=4).X)


@pytest.mark.parametrize("name", datasets.names("ldl") + datasets.names("multilabel"))
def test_standin_of_every_set(name):
    if name == "MOR-PH":
        with pytest.raises(DataUnavailableError, match="MOR-PH"):
            datasets.make_standin(name)
        return
    standin = datasets.make_standin(name, n_samples=60)
    row = datasets.list().set_index("name").loc[name]
    assert standin.X.shape == (60, row["features"]) and standin.X.dtype == np.float64
    assert standin.source == standin.sha256 == "synthetic"
    assert standin.display == f"synthetic stand-in for {row['display']}"
    assert len(standin.label_names) == row["labels"]
    if standin.task == "ldl":
        assert standin.D.shape == (60, row["labels"]) and on_simplex(standin.D)
    else:
        assert standin.Y.shape == (60, row["labels"]) and set(np.unique(standin.Y)) == {0, 1}
        assert standin.Y.sum(axis=1).min() >= 1
        assert standin.Y.sum(axis=0).min() >= 2 and standin.Y.sum(axis=0).max() < 60


def test_standin_has_all_rows_by_default():
    assert datasets.make_standin("s-JAFFE").X.shape == (213, 243)
    assert datasets.make_standin("scene").X.shape == (2407, 294)
    again = datasets.load("Yeast-spoem", source="synthetic")
    np.testing.assert_array_equal(again.D, datasets.make_standin("Yeast_spoem").D)


def test_standin_scales():
    assert set(np.unique(datasets.make_standin("Movie", n_samples=50).X)) == {0, 1}
    np.testing.assert_allclose(datasets.make_standin("SJAFFE").X.sum(axis=1), 1)
    assert datasets.make_standin("Yeast_alpha", n_samples=50).X.min() >= 0
    assert datasets.make_standin("yeast", n_samples=50).X.min() < 0


@pytest.mark.parametrize("name", ["Yeast_alpha", "SJAFFE", "Movie", "Natural_Scene"])
def test_standin_distributions_can_be_learnt(name):
    data = datasets.make_standin(name, n_samples=600)
    train, test = slice(0, 400), slice(400, 600)
    predicted = KNeighborsRegressor(10).fit(data.X[train], data.D[train]).predict(data.X[test])
    error = np.abs(predicted - data.D[test]).mean()
    assert error < 0.9 * np.abs(data.D[train].mean(axis=0) - data.D[test]).mean()


@pytest.mark.parametrize("name", ["scene", "enron"])
def test_standin_labels_can_be_learnt(name):
    data = datasets.make_standin(name, n_samples=600)
    label = np.abs(data.Y.mean(axis=0) - 0.3).argmin()
    y = data.Y[:, label]
    model = LogisticRegression(max_iter=500).fit(data.X[:400], y[:400])
    scores = model.decision_function(data.X[400:])
    ones, zeros = scores[y[400:] == 1], scores[y[400:] == 0]
    assert (ones[:, None] > zeros).mean() > 0.65  # area under the ROC curve


def test_standin_of_an_unknown_set():
    with pytest.raises(UnknownNameError, match="Movie"):
        datasets.make_standin("Movies!")
