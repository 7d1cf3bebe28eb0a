"""Readers of the file formats: a path in, arrays and names out, nothing judged or changed."""

import json
import lzma
import re
import warnings
import zipfile
from pathlib import Path

import numpy as np
import scipy.io

#: Order of the label columns of Natural Scene, by the note that comes with its rankings; the
#: supports of the label file and of the rankings agree column by column.
NATURAL_SCENE_LABELS = [
    "plant", "sky", "cloud", "snow", "building", "desert", "mountain", "water", "sun",
]  # fmt: skip


def read(path, entry):
    """Read the file of one registry entry.

    Parameters
    ----------
    path : Path
        The file.
    entry : Entry
        What the registry says of it.

    Returns
    -------
    dict
        ``X`` (n, q) float64 with ``D`` (n, c) as stored or ``Y`` (n, c) int8 in {0, 1}; also
        ``label_names``, ``feature_names`` and what else the file holds.
    """
    return reader(entry)(path)


def reader(entry):
    """Return the function that reads the file of a registry entry: a path in, a dict out."""
    name = Path(entry.file).name
    if name in _READERS:
        return _READERS[name]
    if Path(name).suffix in _READERS:
        return _READERS[Path(name).suffix]
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


def _fg_net(path):
    """With the person of each row: rows go person by person, in each by rising age."""
    arrays = _mat(path)
    arrays["person"] = persons(arrays["age"])
    return arrays


def persons(age):
    """Number of the person of each row of FG-Net, (n,) int from 0: one starts where the age falls.

    But for the row of age 2 after the first fourteen: it belongs to the first person, whose ages
    are known in public to start at 2, and the second person's start at 3.
    """
    person = np.concatenate([[0], np.cumsum(np.diff(age) < 0)])
    person[14] = 0
    return person


def _dense(matrix):
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.array(dense, dtype=np.float64, order="C")


def _arff(path):
    """ARFF, dense or sparse, in which the nominal attributes {0,1} are the labels."""
    with open(path, encoding="utf-8") as file:
        names, is_label = _arff_header(file)
        first = next(_arff_rows(file), None)
    if first is None:
        raise ValueError("it has no data rows")
    X, Y = (_arff_sparse if first.startswith("{") else _arff_dense)(path, names, is_label)
    return {
        "X": X,
        "Y": Y,
        "feature_names": [name for name, label in zip(names, is_label, strict=True) if not label],
        "label_names": [name for name, label in zip(names, is_label, strict=True) if label],
    }


_ATTRIBUTE = re.compile(
    r"""@attribute\s+ ( '(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | \S+ ) \s+ (\{.*\}|\S+)""",
    re.IGNORECASE | re.VERBOSE,
)


def _arff_header(file):
    """Read up to the line @data: the attributes' names, and which of them are labels (bool)."""
    names, is_label = [], []
    for line in file:
        line = line.strip()
        if line.lower().startswith("@data"):
            return names, np.array(is_label, dtype=bool)
        if line.lower().startswith("@attribute"):
            match = _ATTRIBUTE.fullmatch(line)
            kind = "".join(match[2].lower().split()) if match else None
            if kind not in ("{0,1}", "numeric", "real", "integer"):
                raise ValueError(
                    f"attribute {len(names) + 1} is neither numeric nor {{0,1}}: {line}"
                )
            quoted = match[1][0] in "'\""
            names.append(re.sub(r"\\(.)", r"\1", match[1][1:-1]) if quoted else match[1])
            is_label.append(kind == "{0,1}")
    raise ValueError("it has no line @data")


def _arff_rows(file):
    """What follows on the header, line by line, without comments and blank lines."""
    lines = (line.strip() for line in file)
    return (line for line in lines if line and not line.startswith("%"))


def _arff_dense(path, names, is_label):
    with open(path, encoding="utf-8") as file:
        _arff_header(file)
        try:
            values = np.loadtxt(_arff_rows(file), delimiter=",", ndmin=2, comments=None)
        except ValueError:
            values = None
    if values is None or values.shape[1] != len(names):
        _explain_dense(path, names)
    Y = values[:, is_label]
    wrong = ((Y != 0) & (Y != 1)).any(axis=1)
    if wrong.any():
        raise ValueError(f"row {wrong.argmax() + 1} of the data has a label that is not 0 or 1")
    return np.ascontiguousarray(values[:, ~is_label]), Y.astype("i1")


def _explain_dense(path, names):
    """Raise the error that names the first bad row, which `loadtxt` does not do reliably."""
    with open(path, encoding="utf-8") as file:
        _arff_header(file)
        for number, row in enumerate(_arff_rows(file), 1):
            values = row.split(",")
            if len(values) != len(names):
                raise ValueError(
                    f"row {number} of the data has {len(values)} values, "
                    f"but the file declares {len(names)} attributes"
                )
            for name, value in zip(names, values, strict=True):
                if not _is_number(value):
                    raise ValueError(
                        f"row {number} of the data has {value.strip()!r} for {name!r}, not a number"
                    )
    raise ValueError("its data are not rows of numbers")


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _arff_sparse(path, names, is_label):
    """Rows ``{index value, ...}`` of what is not 0; written straight into the dense arrays."""
    with open(path, encoding="utf-8") as file:
        _arff_header(file)
        n = sum(1 for _ in _arff_rows(file))
    features, labels = np.flatnonzero(~is_label), np.flatnonzero(is_label)
    X, Y = np.zeros((n, len(features))), np.zeros((n, len(labels)), dtype="i1")
    with open(path, encoding="utf-8") as file:
        _arff_header(file)
        for i, row in enumerate(_arff_rows(file)):
            try:
                values = _sparse_row(row, len(names))
                if not np.isin(values[labels], (0, 1)).all():
                    raise ValueError("has a label that is not 0 or 1")
            except ValueError as error:
                raise ValueError(f"row {i + 1} of the data {error}") from None
            X[i], Y[i] = values[features], values[labels]
    return X, Y


def _sparse_row(row, length):
    if not (row.startswith("{") and row.endswith("}")):
        raise ValueError("does not stand in braces, as the sparse rows of this file do")
    values = np.zeros(length)
    if not row[1:-1].strip():
        return values
    pairs = row[1:-1].split(",")
    try:
        index, given = np.loadtxt(pairs, ndmin=2, comments=None).T
    except ValueError:
        split = [pair.split() for pair in pairs]
        bad = (w for w in split if len(w) != 2 or not all(map(_is_number, w)))
        words = next(bad, split[0])
        raise ValueError(f"has {' '.join(words)!r}, not an index and a number") from None
    outside = ~((index >= 0) & (index < length) & (index % 1 == 0))
    if outside.any():
        raise ValueError(
            f"has the index {index[outside][0]:g}, but the indices of this file are 0 to "
            f"{length - 1}"
        )
    values[index.astype(int)] = given
    return values


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


def _natural_scene(path):
    return {"D": np.load(path, allow_pickle=False), "label_names": NATURAL_SCENE_LABELS}


#: By the name of a file, or by its suffix.
_READERS = {
    "FG-Net.mat": _fg_net,
    "natural_scene_rankings.mat": _rankings,
    ".mat": _mat,
    ".arff": _arff,
    ".rda": _rda,
    ".npz": _npz,
    ".npy": _natural_scene,
    ".zip": _images,
}
