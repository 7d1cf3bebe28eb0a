"""Readers of the file formats: a path in, arrays and names out, nothing judged or changed."""

import json
import lzma
import re
import warnings
import zipfile

import numpy as np
import scipy.io

#: Order of the label columns of Natural Scene, by the note that comes with its rankings; the
#: supports of the label file and of the rankings agree column by column.
NATURAL_SCENE_LABELS = [
    "plant", "sky", "cloud", "snow", "building", "desert", "mountain", "water", "sun",
]  # fmt: skip


def read(path, entry):
    """Read the file of one registry entry.

    Returns
    -------
    dict
        ``X`` (n, q) float64 with ``D`` (n, c) as stored or ``Y`` (n, c) int8 in {0, 1}; also
        ``label_names``, ``feature_names`` and what else the file holds.
    """
    name = path.name
    if name == "natural_scene_rankings.mat":
        return _rankings(path)
    if name.endswith(".mat"):
        return _mat(path)
    if name.endswith(".arff"):
        return _arff(path)
    if name.endswith(".rda"):
        return _rda(path)
    if name.endswith(".npz"):
        return _npz(path)
    if name.endswith(".npy"):
        return {"D": np.load(path, allow_pickle=False), "label_names": NATURAL_SCENE_LABELS}
    if name.endswith(".zip"):
        return _images(path)
    raise ValueError(f"no reader for {entry.file}")


def _mat(path):
    """Two layouts: features/labels with distributions, or data/target with labels in rows."""
    content = scipy.io.loadmat(path)
    if "data" in content:
        return {"X": _dense(content["data"]), "Y": (_dense(content["target"]).T > 0).astype("i1")}
    arrays = {"X": _dense(content["features"]), "D": _dense(content["labels"])}
    if "age" in content:  # FG-Net: the labels are the ages 0, 1, ..., 69
        arrays["age"] = content["age"].ravel().astype(int)
    if "x" in content:
        arrays["label_names"] = [str(age) for age in content["x"].ravel()]
    if path.name == "Natural_Scene.mat":
        arrays["label_names"] = NATURAL_SCENE_LABELS
    return arrays


def _dense(matrix):
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.array(dense, dtype=np.float64, order="C")


def _arff(path):
    """Dense ARFF in which the nominal attributes {0,1} are the labels."""
    attributes, labels = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.lower().startswith("@data"):
                break
            if line.lower().startswith("@attribute"):
                _, name, kind = line.split(None, 2)
                attributes.append(name)
                labels.append(kind.startswith("{"))
        values = np.loadtxt(file, delimiter=",", ndmin=2)
    labels = np.array(labels)
    attributes = np.array(attributes)
    return {
        "X": np.ascontiguousarray(values[:, ~labels]),
        "Y": values[:, labels].astype("i1"),
        "feature_names": attributes[~labels].tolist(),
        "label_names": attributes[labels].tolist(),
    }


def _rda(path):
    """R data frame of the package mldr.datasets, with its label columns named beside it."""
    import rdata  # slow to import

    stream = _numbers_for_digits(lzma.decompress(path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the R class "mldr" is read as the list that it is
        (content,) = rdata.conversion.convert(rdata.parser.parse_data(stream)).values()
    table = content["dataset"]
    labels = [str(label) for label in content["labels"].index]
    features = [str(table.columns[i - 1]) for i in content["attributesIndexes"]]
    return {
        "X": np.ascontiguousarray(table[features].to_numpy(dtype=float)),
        "Y": table[labels].to_numpy(dtype=float).astype("i1"),
        "feature_names": features,
        "label_names": labels,
    }


def _numbers_for_digits(stream):
    """Turn R's character vectors of "0" and "1" into integer vectors.

    The binary features are stored as seven million one-letter strings, each of which `rdata`
    reads as an object of its own: more than a minute, against a second as integers. In R's
    serialisation a vector is a type word (16 character, 13 integer), a length word and its
    elements; a one-letter string is two words and the letter.
    """

    def replace(match):
        length = int.from_bytes(match[1], "big")
        letters = np.frombuffer(match[2], dtype="u1")[8::9]
        if len(letters) != length:
            return match[0]
        return b"\0\0\0\x0d" + match[1] + (letters - ord("0")).astype(">i4").tobytes()

    letter = rb"\0\x04\0\x09\0\0\0\x01[01]"
    return re.sub(rb"\0\0\0\x10(.{4})((?:" + letter + rb")+)", replace, stream, flags=re.DOTALL)


def _npz(path):
    with np.load(path, allow_pickle=False) as content:
        return {
            "X": content["features"].astype(float),
            "D": content["labels"].astype(float),
            "label_names": NATURAL_SCENE_LABELS,
            "exact": content["exact"],
        }


def _images(path):
    """Zip of 1.jpg, 2.jpg, ... with one row of targets in {-1, 1} for each image."""
    with zipfile.ZipFile(path) as archive:
        targets = [json.loads(line) for line in archive.read("labels.json").splitlines() if line]
        header = archive.read("data.csv").split(None, 1)[0].decode()
    return {
        "path": path,
        "filenames": [f"{i + 1}.jpg" for i in range(len(targets))],
        "Y": (np.array(targets) > 0).astype("i1"),
        "label_names": header.split(",")[1:],
    }


def _rankings(path):
    """For each image, ten people's rankings of nine labels; 10 ends the relevant ones."""
    rankings = scipy.io.loadmat(path)["pic"]["label"][0]
    return {"rankings": np.stack(rankings), "label_names": NATURAL_SCENE_LABELS}
