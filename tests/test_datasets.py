import hashlib
import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.spatial.distance import cdist
from sklearn.preprocessing import scale

from ldlrepro import datasets, paths
from ldlrepro.datasets import files, loading, readers, registry
from ldlrepro.errors import DataUnavailableError, UnknownNameError

REAL = paths.local_copies()


def needs(*names):
    """Skip unless LDLREPRO_DATA has the files of these sets ("NAME (re-aligned)" too)."""
    wanted = []
    for name in names:
        entry = registry.resolve_entry(name)
        wanted += [entry] if entry.part == "realigned" else registry.parts(name)
    missing = [e.file for e in wanted if REAL is None or not (REAL / e.file).is_file()]
    reason = "LDLREPRO_DATA is not set" if REAL is None else f"LDLREPRO_DATA lacks {missing}"
    return pytest.mark.skipif(bool(missing), reason=reason)


# --- the registry -------------------------------------------------------------------------


def test_registry_is_complete():
    for entry in registry.entries():
        assert entry.task in ("ldl", "multilabel", "images")
        assert len(entry.git_blob_sha1) in (0, 40) and len(entry.sha256) in (0, 64)
        if not entry.expected[1]:  # what the loader checks instead is the shape
            assert entry.task == "multilabel" and entry.features and entry.labels
            assert not entry.url and "http://" in entry.citation
        assert entry.citation and entry.licence
        assert entry.url.startswith("https://raw.githubusercontent.com/") or not entry.url
        assert not Path(entry.file).is_absolute()
    files_named = [entry.file for entry in registry.entries()]
    assert len(set(files_named)) == len(files_named)


def test_names_do_not_clash():
    owner = {}
    for entry in registry.entries():
        for name in (entry.name, entry.display, *filter(None, entry.aliases.split(";"))):
            if entry.part != "realigned" or name != entry.name:
                owned = entry.name, entry.part == "realigned"
                assert owner.setdefault(registry.key(name), owned) == owned


@pytest.mark.parametrize(
    "spelling, name",
    [
        ("Yeast-alpha", "Yeast_alpha"),
        ("yeast_ALPHA", "Yeast_alpha"),
        ("yeast", "yeast"),
        ("s-JAFFE", "SJAFFE"),
        ("sjaffe", "SJAFFE"),
        ("s-BU_3DFE", "SBU_3DFE"),
        ("SCUT-FBP", "SCUT_FBP"),
        ("Human Gene", "Human_Gene"),
        ("Natural Scene", "Natural_Scene"),
        ("Natural Scene (re-aligned)", "Natural_Scene"),
        ("corel16k-s1", "corel16k001"),
        ("MORPH", "MOR-PH"),
        ("EUR-Lex (subject matters)", "eurlex-sm"),
    ],
)
def test_resolve(spelling, name):
    assert datasets.resolve(spelling) == name


def test_unknown_name_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean .*Yeast_alpha"):
        datasets.load("Yeast_alfa")
    with pytest.raises(UnknownNameError, match="Known: Yeast_alpha"):
        datasets.fetch("????")
    with pytest.raises(ValueError, match="source must be"):
        datasets.load("Movie", source="fake")


def test_book_table_is_the_registry():
    page = paths.PACKAGE.parent / "book" / "datasets.md"
    if not page.is_file():
        pytest.skip("no checkout: the book is not here")
    for row in datasets.list().astype(object).fillna("").to_dict("records"):
        cells = [row[k] for k in ("name", "display", "task", "n", "features", "labels")]
        parts = registry.parts(row["name"])
        where = ", ".join(f"`{entry.file}`" for entry in parts)
        fetched = all(entry.url and entry.sha256 for entry in parts)
        had = "yes" if fetched else "not reached" if parts[0].url else "no address"
        assert "| " + " | ".join(map(str, cells)) + f" | {where} | {had} |\n" in page.read_text()
    entry = registry.realigned("Natural_Scene")
    assert f"| 9 | `{entry.file}` | no address |\n" in page.read_text() and not entry.url


def test_list():
    table = datasets.list()
    assert table["name"].is_unique and set(table["at_hand"]) <= {"yes", "no", "re-aligned only"}
    row = table.set_index("name").loc["image"]
    assert (row["n"], row["features"], row["labels"]) == (2000, 294, 5)
    assert set(datasets.list("multilabel")["task"]) == {"multilabel"}


def test_no_realigned_form():
    with pytest.raises(DataUnavailableError, match="no re-aligned form"):
        datasets.load("Movie", source="realigned")


# --- readers --------------------------------------------------------------------------------


def test_arff(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(
        "@relation r\n\n@ATTRIBUTE x1 numeric\n@attribute x2 numeric\n@attribute red {0,1}\n"
        "@attribute blue {0,1}\n@data\n\n0.5,2,1,0\n1,-3e-2,0,1\n"
    )
    arrays = readers._arff(path)
    np.testing.assert_array_equal(arrays["X"], [[0.5, 2], [1, -0.03]])
    np.testing.assert_array_equal(arrays["Y"], [[1, 0], [0, 1]])
    assert arrays["label_names"] == ["red", "blue"] and arrays["feature_names"] == ["x1", "x2"]


HEADER = (
    "% a comment\n@RELATION 'made up: -C 2'\n\n@attribute first {0, 1}\n"
    "@attribute 'the price of\tbread' numeric\n@ATTRIBUTE \"it's\" REAL\n"
    "@attribute 'isn\\'t' integer\n@attribute 'a last label' {0,1}\n\n@data\n"
)
DENSE = "1,0.5,0,-3e-2,0\n\n% between\n0,0,0,0,0\n0, 0, 7, 0, 1\n"
SPARSE = "{0 1,1 0.5,3 -3e-2}\n\n% between\n{ }\n{2 7, 4 1}\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_sparse_and_dense_arff_agree(tmp_path, end):
    for data in (DENSE, SPARSE):
        path = tmp_path / "a.arff"
        path.write_bytes((HEADER + data).replace("\n", end).encode())
        arrays = readers._arff(path)
        np.testing.assert_array_equal(arrays["X"], [[0.5, 0, -0.03], [0, 0, 0], [0, 7, 0]])
        np.testing.assert_array_equal(arrays["Y"], [[1, 0], [0, 0], [0, 1]])
        assert arrays["X"].dtype == np.float64 and arrays["Y"].dtype == np.int8
        assert arrays["X"].flags.c_contiguous
        assert arrays["feature_names"] == ["the price of\tbread", "it's", "isn't"]
        assert arrays["label_names"] == ["first", "a last label"]


@pytest.mark.parametrize(
    "row, message",
    [
        ("0,1,2,3", "row 2 of the data has 4 values, but the file declares 5 attributes"),
        ("0,1,two,3,0", "row 2 of the data has 'two' for \"it's\", not a number"),
        ("0,1,2,3,0.5", "row 2 of the data has a label that is not 0 or 1"),
        ("{1 2}", "row 2 of the data has 1 values"),
        ("{5 1}", "row 2 of the data has the index 5, but .* 0 to 4"),
        ("{-1 1}", "row 2 of the data has the index -1"),
        ("{1.5 1}", "row 2 of the data has the index 1.5"),
        ("{1 two}", "row 2 of the data has '1 two', not an index and a number"),
        ("{1 2,3}", "row 2 of the data has '3', not an index and a number"),
        ("{x 2}", "row 2 of the data has 'x 2', not an index and a number"),
        ("{4 2}", "row 2 of the data has a label"),
        ("{1 2", "row 2 of the data does not stand in braces"),
    ],
)
def test_bad_row_of_arff(tmp_path, row, message):
    first = DENSE if row[0] != "{" or row == "{1 2}" else SPARSE
    path = tmp_path / "a.arff"
    path.write_text(HEADER + first.split("\n")[0] + "\n" + row + "\n")
    with pytest.raises(ValueError, match=message):
        readers._arff(path)


@pytest.mark.parametrize(
    "content, message",
    [
        ("<html>not found</html>", "no line @data"),
        (HEADER, "no data rows"),
        ("@attribute x string\n@data\na\n", "attribute 1 is neither numeric"),
        ("@attribute x {1,0}\n@data\n1\n", "attribute 1 is neither numeric"),
    ],
)
def test_no_arff_of_ours(tmp_path, content, message):
    path = tmp_path / "a.arff"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        readers._arff(path)


def test_numbers_for_digits():
    letters = b"".join(b"\0\x04\0\x09\0\0\0\x01" + bytes([c]) for c in b"0110")
    stream = b"before" + b"\0\0\0\x10\0\0\0\x04" + letters + b"after"
    numbers = np.array([0, 1, 1, 0], dtype=">i4").tobytes()
    expected = b"before" + b"\0\0\0\x0d\0\0\0\x04" + numbers + b"after"
    assert readers._numbers_for_digits(stream) == expected
    other = stream.replace(b"\x01" + b"0", b"\x01" + b"a")  # not all digits: left alone
    assert readers._numbers_for_digits(other) == other


def test_normalise_leaves_good_rows_alone():
    D = np.array([[0.25, 0.75]])
    assert loading.normalise(D) == (D, None)


# --- the real files -------------------------------------------------------------------------

TABLES = [name for task in ("ldl", "multilabel") for name in datasets.names(task)]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs(n)) for n in TABLES],
)
def test_real_file(name):
    data = datasets.load(name, source="real")
    row = datasets.list().set_index("name").loc[name]
    targets = data.D if data.task == "ldl" else data.Y
    if not pd.isna(row["n"]):
        assert len(data.X) == row["n"]
    assert data.X.shape[1] == row["features"] and len(targets) == len(data.X)
    assert targets.shape[1] == len(data.label_names) == row["labels"]
    assert data.X.dtype == np.float64 and np.isfinite(data.X).all()
    if data.task == "ldl":
        assert data.D.min() >= 0
        np.testing.assert_allclose(data.D.sum(axis=1), 1, atol=1e-9)
    else:
        assert set(np.unique(data.Y)) == {0, 1}
    for entry in registry.parts(name):
        if entry.git_blob_sha1:
            assert files.digests(REAL / entry.file)["git blob id"] == entry.git_blob_sha1


REPEATED = {"SJAFFE": 1, "SBU_3DFE": 2, "M2B": 4, "Movie": 0, "CAL500": 1, "enron": 141}
REPEATED |= {name: 30 for name in TABLES if name.startswith("Yeast_")}


@pytest.mark.parametrize("name", [pytest.param(n, marks=needs(n)) for n in REPEATED])
def test_real_repeated_rows(name):
    row = datasets.check(name)[0]
    assert (row["file"], row["shape"]) == ("ok", "ok")
    assert row["repeated_rows"] == REPEATED[name] and row["constant_features"] == 0


@needs("FG-Net", "SCUT_FBP")
def test_real_sums():
    ages = datasets.load("FG-Net")
    assert "0.5664904" in ages.notes[0] and len(ages.age) == 1002
    assert ages.label_names[:2] == ["0", "1"]
    assert "1.000003" in datasets.load("SCUT_FBP").notes[0]


@needs("image", "Natural Scene (re-aligned)", "natural_scene_images")
def test_real_image_put_right():
    published, right = datasets.load("image"), datasets.load("image", source="realigned")
    np.testing.assert_array_equal(published.X, right.X)
    assert (published.Y != right.Y).any(axis=1).sum() == 217
    assert right.display == "image (re-aligned)" and right.sha256 != published.sha256
    # Against the targets that came with the images themselves.
    images = datasets.load("natural_scene_images")
    assert sorted(map(tuple, images.Y)) == sorted(map(tuple, right.Y))
    by_image = datasets.load("Natural_Scene", source="realigned").X
    for i in (0, 9, 57, 401, 1999):
        row = np.abs(right.X - by_image[i]).max(axis=1).argmin()
        np.testing.assert_array_equal(right.Y[row], images.Y[i])
    assert published.n_train == 1501 and published.label_names == images.label_names


@needs("image", "Natural Scene (re-aligned)", "natural_scene_images")
def test_real_photographs_say_which_features_are_theirs():
    """Mean luminance of 7 x 7 blocks of a photograph, found again among the features."""
    images = datasets.load("natural_scene_images")
    rows = np.arange(0, 2000, 10)
    blocks = []
    with zipfile.ZipFile(images.path) as archive:
        names = {Path(name).name: name for name in archive.namelist()}
        for i in rows:
            photograph = Image.open(io.BytesIO(archive.read(names[images.filenames[i]])))
            grey = np.asarray(photograph.convert("L"), dtype=float)
            strips = [np.array_split(strip, 7, axis=1) for strip in np.array_split(grey, 7)]
            blocks.append([block.mean() for strip in strips for block in strip])
    blocks = scale(np.array(blocks))
    X = datasets.load("Natural_Scene", source="realigned").X  # in the order of the photographs
    like = (scale(X[rows]).T @ blocks / len(rows)).argmax(axis=0)  # the feature most like a block
    nearest = cdist(blocks, scale(X)[:, like]).argmin(axis=1)
    assert (nearest == rows).mean() > 0.9  # 0.965; one in 2000 by chance


@needs("Natural Scene (re-aligned)", "Natural_Scene_labels", "natural_scene_rankings")
def test_real_natural_scene():
    data = datasets.load("natural scene (re-aligned)")
    assert data.source == "realigned" and data.exact.sum() == 471
    labels = datasets.load("Natural_Scene_labels")
    assert labels.X is None and labels.D.shape == (2000, 9)
    rankings = datasets.load("natural_scene_rankings").rankings
    assert rankings.shape == (2000, 10, 10)
    # Columns of the label file are in the order of the rankings: the same share of images.
    relevant = np.zeros((2000, 9), dtype=bool)
    for image, ranking in zip(*np.nonzero(rankings == 10)[:2], strict=True):
        end = list(rankings[image, ranking]).index(10)
        relevant[image, rankings[image, ranking, :end] - 1] = True
    np.testing.assert_array_equal(relevant.sum(axis=0), (labels.D > 1e-3).sum(axis=0))


@needs("corel16k001")
def test_real_corel():
    data = datasets.load("corel16k-s1")
    assert set(np.unique(data.X)) == {0, 1}
    assert data.X.mean() == pytest.approx(0.01682623855876798, rel=1e-12)  # read the slow way
    assert data.Y[:, data.label_names.index("animal")].sum() == 125  # as the file itself says


@needs("Movie", "Natural Scene (re-aligned)")
def test_real_check_of_all():
    rows = {(row["name"], row["source"]): row for row in datasets.check()}
    assert {row["file"] for row in rows.values()} == {"ok"}
    assert {row["shape"] for row in rows.values()} == {"ok"}
    assert rows["Movie", "real"]["n"] == 7755
    assert rows["Natural_Scene", "realigned"]["repeated_rows"] == 0


def test_digest_of_a_joined_set_is_that_of_its_parts():
    one, two = (part.sha256 for part in registry.parts("scene"))
    joined = hashlib.sha256((one + two).encode()).hexdigest()
    there = datasets.is_current("scene", pd.Series([joined, one, "other"]))
    assert there.tolist() == [True, True, False]
    right = hashlib.sha256(
        (registry.joined_digest(p.sha256 for p in registry.parts("image"))).encode()
        + registry.realigned("Natural_Scene").sha256.encode()
    ).hexdigest()
    assert datasets.is_current("image", pd.Series([right, "other"])).tolist() == [True, False]


def test_texts_take_the_papers_names():
    text = registry.with_display_names("SJAFFE 2, SBU_3DFE; Yeast_spo5x, Yeast_spo5, Natural_Scene")
    assert text == "s-JAFFE 2, s-BU_3DFE; Yeast_spo5x, Yeast-spo5, Natural Scene"
