"""Photographs of natural scenes, distributions from rankings, and experiments on images."""

import zipfile

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from ldlrepro import datasets
from ldlrepro.datasets import files, registry
from ldlrepro.declare import Experiment, Method
from ldlrepro.papers.images import experiments as declared
from ldlrepro.protocols import job
from ldlrepro.protocols.environment import versions
from ldlrepro.protocols.fingerprint import fingerprint, of_data
from ldlrepro.protocols.split import partition

at_hand = pytest.mark.skipif(
    not all(
        files.locate(entry)
        for entry in (
            registry.realigned("Natural_Scene"),
            *registry.parts("natural_scene_images"),
            *registry.parts("natural_scene_rankings"),
        )
    ),
    reason="LDLREPRO_DATA names no folder with the photographs and rankings of Natural Scene",
)


def naive_distribution(rankings):
    """The rule, person by person and label by label."""
    total = np.zeros(rankings.shape[1] - 1)
    for order in rankings.tolist():
        named = order[: order.index(len(order))]
        for k, label in enumerate(named, 1):
            total[label - 1] += (len(named) + 1 - k) / sum(range(1, len(named) + 1))
    return total / total.sum()


def test_distributions_of_rankings_by_hand():
    one = [[2, 1, 4, 3], [2, 4, 1, 3], [4, 1, 2, 3]]  # 2 before 1; 2 alone; nothing
    D = datasets.rankings_to_distributions([one])
    np.testing.assert_allclose(D, [[1 / 6, 5 / 6, 0]])


def test_distributions_of_rankings_are_those_of_the_twin():
    rng = np.random.default_rng(0)
    rankings = np.array([[rng.permutation(6) + 1 for _ in range(10)] for _ in range(30)])
    D = datasets.rankings_to_distributions(rankings)
    np.testing.assert_allclose(D, [naive_distribution(image) for image in rankings], atol=1e-15)
    np.testing.assert_allclose(D.sum(axis=1), 1)


def test_bad_rankings_name_the_image():
    good = np.array([[[1, 2, 3], [2, 3, 1]]] * 3)
    twice, nothing = good.copy(), good.copy()
    twice[1, 1] = [2, 2, 3]
    nothing[2] = [3, 1, 2]
    with pytest.raises(ValueError, match=r"image 1, person 1 is no order of 1 \.\. 3: \[2, 2, 3\]"):
        datasets.rankings_to_distributions(twice)
    with pytest.raises(ValueError, match="nobody names a label for image 2"):
        datasets.rankings_to_distributions(nothing)


@pytest.mark.slow
@at_hand
def test_photographs_with_both_kinds_of_distributions():
    realigned, ranked = datasets.load_images(8), datasets.load_images(8, "rankings")
    features = datasets.load_images(None)
    assert realigned.X.shape == (2000, 8, 8, 3) and realigned.X.dtype == np.uint8
    np.testing.assert_array_equal(realigned.X, ranked.X)
    published = datasets.load("Natural_Scene", "realigned")
    np.testing.assert_array_equal(realigned.D, published.D)
    np.testing.assert_array_equal(features.X, published.X)
    assert features.sha256 == published.sha256
    assert (realigned.source, ranked.source) == ("realigned", "real")
    assert len({realigned.sha256, ranked.sha256, features.sha256}) == 3
    # Named by somebody in the one, above the least degree in the other: the same labels.
    least = realigned.D.min(axis=1, keepdims=True)
    np.testing.assert_array_equal(ranked.D > 0, realigned.D > 2 * least)


@at_hand
def test_photographs_are_the_rows_of_the_features():
    """Features are means and variances of 7 x 7 blocks: each block's brightness has its column."""
    blocks = datasets.load_images(7).X.mean(axis=3).reshape(2000, 49)
    likeness = np.corrcoef(blocks.T, datasets.load_images(None).X.T)[:49, 49:]
    assert likeness.max(axis=1).min() > 0.9
    assert len(set(likeness.argmax(axis=1))) == 49


@at_hand
def test_files_and_the_archive_give_the_same_images(tmp_path):
    from ldlrepro.models.deep._images import check_images

    path = datasets.load("natural_scene_images").path
    with zipfile.ZipFile(path) as archive:
        names = {name.split("/")[-1]: name for name in archive.namelist()}
        for i in (1, 2, 10):
            (tmp_path / f"{i}.jpg").write_bytes(archive.read(names[f"{i}.jpg"]))
    X = datasets.load_images(16).X
    files_ = check_images([tmp_path / f"{i}.jpg" for i in (1, 2, 10)], 16)
    np.testing.assert_array_equal(files_, X[[0, 1, 9]])


def test_labels_of_another_name_are_refused():
    with pytest.raises(ValueError, match="labels must be one of realigned, rankings, got 'votes'"):
        datasets.load_images(8, "votes")


def test_synthetic_scenes_show_their_degrees():
    scenes = datasets.make_scenes(50, size=40, n_labels=3, random_state=1)
    again = datasets.make_scenes(50, size=40, n_labels=3, random_state=1)
    np.testing.assert_array_equal(scenes.X, again.X)
    np.testing.assert_allclose(scenes.D.sum(axis=1), 1)
    rows = scenes.X.mean(axis=2)  # (n, height, 3)
    first = rows[scenes.D[:, 0] > 0.5][:, 0]
    assert np.ptp(first, axis=0).max() < 40  # the first band's colour, whatever the image


# Experiments


class Shapes:
    """An estimator that remembers what it is given."""

    def __init__(self):
        self.seen = []

    def get_params(self, deep=True):
        return {}

    def fit(self, X, D):
        self.seen, self.n_labels = [X.shape, X.dtype], D.shape[1]
        Shapes.last = self.seen
        return self

    def predict(self, X):
        return np.full((len(X), self.n_labels), 1 / self.n_labels)


def experiment(size=64, labels="realigned"):
    images = {"size": size, "labels": labels}
    return Experiment("e", (), ("Natural_Scene",), folds=3, images=images)


def test_a_job_gets_images_in_the_place_of_features():
    data = job.data_of(experiment(), "Natural_Scene", rows=30)
    (record,) = job.compute(experiment(), Method("m", Shapes()), data, 3, 0)
    assert Shapes.last == [(20, 32, 32, 3), np.uint8]
    assert record["n_train"] == 20 and np.isfinite(record["kl_divergence"])
    features = job.data_of(experiment(None), "SJAFFE", rows=30)
    assert features.X.ndim == 2 and features.source == "synthetic"


def test_marks_tell_sizes_labels_and_forms_apart():
    method = Method("m", Shapes())
    forms = [
        (experiment(*what), form)
        for what in ((64, "realigned"), (32, "realigned"), (64, "rankings"), (None, "rankings"))
        for form in ("real", "synthetic")
    ]
    marks = {fingerprint(method, 3, e, "Natural_Scene", form).split(".")[1] for e, form in forms}
    assert len(marks) == 4 + 2  # synthetic: images, or features
    plain = Experiment("e", (), ("Natural_Scene",), folds=3)
    assert fingerprint(method, 3, plain, "Natural_Scene", "realigned").endswith(
        of_data("Natural_Scene", "realigned")
    )


def test_features_and_images_have_the_same_folds():
    tables = {e.name: e for e in declared.TABLES}
    for labels in declared.KINDS:
        for seed in declared.SEEDS:
            tail = f"{labels}_{seed}" if seed else labels
            images, features = tables[f"images_{tail}"], tables[f"image_features_{tail}"]
            assert images.seed == features.seed == seed
            for one, two in zip(
                partition(images, 90, 10), partition(features, 90, 10), strict=True
            ):
                assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_records_of_images_name_their_packages():
    pytest.importorskip("torch", reason="torch is not installed: pip install -e '.[deep]'")
    assert set(versions(images=True)) - set(versions()) == {"torch", "pillow"}


def faces(folder, ages=(20, 23, 21, 20)):
    """A folder of grey squares, and their table."""
    for i in range(len(ages)):
        Image.new("RGB", (20, 24), (10 * i, 90, 60)).save(folder / f"{i}.png")
    return pd.DataFrame({"file": [f"{i}.png" for i in range(len(ages))], "age": ages})


def test_faces_have_normal_densities_about_their_ages(tmp_path):
    table = faces(tmp_path).assign(person=["a", "a", "b", "b"])
    table.to_csv(tmp_path / "ages.csv", index=False)
    found = datasets.load_faces(tmp_path, tmp_path / "ages.csv", sigma=2.0)
    assert found.label_names == ["20", "21", "22", "23"]
    assert [p.name for p in found.X] == list(table.file) and found.groups.tolist() == list("aabb")
    density = [np.exp(-((year - 23) ** 2) / 8) for year in range(20, 24)]
    np.testing.assert_allclose(found.D[1], np.array(density) / sum(density))
    assert found.ages.tolist() == [20, 23, 21, 20]
    assert datasets.load_faces(tmp_path, table.drop(columns="person")).groups is None


def test_a_bad_table_of_faces_is_named(tmp_path):
    good = faces(tmp_path)
    for table, message in (
        (good.rename(columns={"age": "years"}), "no column 'age'; it has: file, years"),
        (good.assign(age=[20, "old", 3, 4]), "row 1: old is no age"),
        (good.assign(age=[20, 3, 4.5, 4]), "row 2: 4.5 is no age"),
        (good.assign(file=["0.png", "1.png", "9.png", "3.png"]), "row 2: there is no file .*9.png"),
        (good.assign(age=20), "two different ages"),
    ):
        with pytest.raises(ValueError, match=message):
            datasets.load_faces(tmp_path, table)
    with pytest.raises(ValueError, match="sigma is 0"):
        datasets.load_faces(tmp_path, good, sigma=0)
