"""Methods of users: files of theirs, what they predict, and how they fail."""

import os
import signal
import sys
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from own_methods import Mean, rows
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier

import ldlrepro
from ldlrepro.declare import Experiment, Method
from ldlrepro.errors import UnknownNameError
from ldlrepro.protocols import environment, runner
from ldlrepro.protocols.store import RecordStore
from ldlrepro.user import data as userdata
from ldlrepro.user import runs as own
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.foreign import OnSimplex, Scores
from ldlrepro.user.marks import _classes, mark_of
from ldlrepro.user.methods import load_methods


def test_foreign_predictions_are_put_on_the_simplex():
    X, D = rows()
    model = OnSimplex(Ridge()).fit(X, D)
    with pytest.warns(UserWarning, match="off the simplex"):
        P = model.predict(10 * X)
    assert P.min() >= 0 and np.allclose(P.sum(axis=1), 1)
    raw = np.maximum(Ridge().fit(X, D).predict(10 * X), 0)
    assert np.allclose(P, raw / raw.sum(axis=1, keepdims=True))

    class Zeros(Mean):
        def predict(self, X):
            return np.zeros((len(X), 3))

    with pytest.warns(UserWarning, match="off the simplex"):
        assert np.allclose(OnSimplex(Zeros()).fit(X, D).predict(X), 1 / 3)

    class Flat(Mean):
        def predict(self, X):
            return self.mean

    with pytest.raises(ValueError, match=r"Flat.predict gave shape \(3,\): expected \(40, 3\)"):
        OnSimplex(Flat()).fit(X, D).predict(X)


def test_scores_of_a_list_of_arrays():
    X, _ = rows()
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 9])  # nobody has the second label
    S = Scores(RandomForestClassifier(5, random_state=0)).fit(X, Y.astype(float)).predict_proba(X)
    assert S.shape == Y.shape and not S[:, 1].any()
    assert S[Y[:, 0], 0].min() > S[~Y[:, 0], 0].max()


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.DataConversionWarning")
@pytest.mark.filterwarnings("ignore:Label not:UserWarning")
@pytest.mark.parametrize(
    "learner", [RandomForestClassifier(5), OneVsRestClassifier(LogisticRegression())]
)
def test_scores_of_one_label(learner):
    """Classifiers take one column for classes, of which there may be one."""
    X, _ = rows()
    for Y in (X[:, :1] > 0, np.zeros((40, 1)), np.ones((40, 1))):
        S = Scores(learner).fit(X, Y.astype(float)).predict_proba(X)
        assert S.shape == (40, 1) and np.mean((S > 0.5) == Y) > 0.9


def test_methods_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    path = tmp_path / "of_a_user.py"
    path.write_text(
        "from sklearn.linear_model import Ridge\n"
        "class Needs:\n    def __init__(self, k): pass\n    def fit(self): pass\n"
        "class Raises(Needs):\n    def __init__(self): 1 / 0\n"
        "mine = Ridge(2)\n"
    )
    (tmp_path / "dotted.v2.py").write_text("mine = 1\n")
    found = load_methods([f"{path}:mine", "StructRF"])
    assert found["mine"].alpha == 2 and isinstance(found["StructRF"], ldlrepro.StructRF)
    for name, message in (
        (f"{tmp_path}/no.py:mine", "There is no file"),
        (f"{tmp_path}:mine", "is a folder: name a file"),
        (f"{path}:", "Name a class of .* after the colon; it has: Ridge"),
        (":mine", ":mine names no file"),
        (f"{path}:mine(alpha=1)", "mine of .* is an object, and settings are for classes"),
        (f"{path}:yours", "has no yours; it has: Ridge, Needs, Raises, mine"),
        (f"{path}:Needs", "Needs.. of .* Give its parameters defaults"),
        (f"{path}:Raises", r"fails: ZeroDivisionError: division by zero .*of_a_user.py, line 6\)"),
        (f"{tmp_path}/dotted.v2.py:mine", "end it in .py, without other dots"),
    ):
        with pytest.raises(CompareError, match=message):
            load_methods([name])
    for name, message in (
        ("", "No method ''"),
        (
            "StructForest",
            r"No method 'StructForest'\. Did you mean StructRF\? There are: .*\. A class of yours",
        ),
        (f"{path}:Needs(j=1)", "No parameter of Needs 'j'; there are: k."),
        ("sLDLF", "the book's sLDLF is LDLForest.scale=None. here"),
        ("CCA", r"the book's CCA is EmbeddingKNN\(n_neighbors=5, transformer=CCA\(\)\) here"),
        ("StructRF(stp=1)", "No parameter of StructRF 'stp'. Did you mean step"),
    ):
        with pytest.raises(UnknownNameError, match=message):
            load_methods([name])
    for twice in ([f"{path}:mine"] * 2, [f"{path}:mine", f"{tmp_path}/./{path.name}:mine"]):
        with pytest.raises(CompareError, match="is named twice"):
            load_methods(twice)
    with pytest.raises(CompareError, match="StructRF is named twice"):
        load_methods(["StructRF", "StructRF"])
    monkeypatch.setenv("HOME", str(tmp_path))
    assert set(load_methods([f"~/{path.name}:mine"])) == {"mine"}
    (tmp_path / "broken.py").write_text("\nimport not_there\n")
    (tmp_path / "uses_broken.py").write_text("import broken\n")
    message = r"uses_broken.py cannot be imported: ModuleNotFoundError.*/broken.py, line 2\)"
    with pytest.raises(CompareError, match=message):
        load_methods([f"{tmp_path}/uses_broken.py:mine"])
    (tmp_path / "of_stored_name.py").write_text("class AAKNN:\n    fit = predict = print\n")
    both = [f"{tmp_path}/of_stored_name.py:AAKNN", "AAKNN"]
    for order in (both, both[::-1]):
        assert list(load_methods(order)) == order
    assert list(load_methods(both[:1])) == ["AAKNN"]
    (tmp_path / "json.py").write_text("")
    with pytest.raises(CompareError, match="has the name of an installed module"):
        load_methods([f"{tmp_path}/json.py:mine"])


def test_settings_stand_behind_a_name(tmp_path, monkeypatch, here):
    monkeypatch.setattr(sys, "path", sys.path[:])
    folder = tmp_path / "with (brackets)"
    folder.mkdir()
    path = folder / "with_settings.py"
    path.write_text(
        "class Shifted:\n"
        "    def __init__(self, by=0.0): self.by = by\n"
        "    def fit(self, X, D): self.mean = D.mean(0); return self\n"
        "    def predict(self, X): return [[*self.mean[:-1], self.mean[-1] + self.by]] * len(X)\n"
    )
    names = ["StructRF", "StructRF(n_estimators=3, step='adaptive')", f"{path}:Shifted(by=0.5)"]
    found = load_methods([*names, f"{path}:Shifted"])
    assert list(found) == [*names[:2], "Shifted(by=0.5)", "Shifted"]
    assert list(
        load_methods(["AAKNN(\n  n_neighbors = 3 )", "AAKNN()", "StructRF(min_samples_split=9)"])
    ) == [
        "AAKNN(n_neighbors=3)",
        "AAKNN",
        "StructRF(min_samples_split=9)",
    ]
    assert found[names[1]].get_params() == ldlrepro.StructRF(3, step="adaptive").get_params()
    inside = load_methods(["EmbeddingKNN(transformer=CCA(ratio=0.5))"])
    ((name, model),) = inside.items()
    assert name == "EmbeddingKNN(transformer=CCA(ratio=0.5))"
    assert isinstance(model.transformer, ldlrepro.CCA) and model.transformer.ratio == 0.5
    assert (found["Shifted(by=0.5)"].by, found["Shifted"].by) == (0.5, 0.0)
    for twice in (
        [f"{path}:Shifted(by=0.5)", f"{path}:Shifted( by = 0.50 )"],
        ["AAKNN", "AAKNN()"],
        ["AAKNN(n_neighbors=3)", "AAKNN( n_neighbors=3)"],
    ):
        for load in (load_methods, lambda names: compare(names, *rows(), folds=2)):
            with pytest.raises(CompareError, match="is named twice"):
                load(twice)
    (folder / "of_names.py").write_text(
        "import ldlrepro\nclass AAKNN(ldlrepro.AAKNN): pass\n"
        "class Seeded(ldlrepro.StructRF):\n"
        "    def __init__(self, random_state=None):\n"
        "        super().__init__(3, random_state=random_state)\n"
    )
    both = [f"{folder}/of_names.py:AAKNN(n_neighbors=3)", "AAKNN(n_neighbors=3)"]
    assert list(load_methods(both)) == both
    with pytest.raises(CompareError, match="Seeded has random_state among its settings"):
        load_methods([f"{folder}/of_names.py:Seeded(random_state=7)"])

    X, D = rows()
    named = compare(names, X, D, folds=2).table()
    made = compare({"plain": ldlrepro.StructRF(), "set": found[names[1]]}, X, D, folds=2).table()
    assert (named.loc[names[:2]].to_numpy() == made.loc[["plain", "set"]].to_numpy()).all()
    assert named.loc["Shifted(by=0.5)"].item() != named.loc["MeanPredictor"].item()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("StructRF(5)", "The settings of .* cannot be read: 5 has no name. Write name=value"),
        ("StructRF(step=adaptive)", "adaptive is 'adaptive' for a text, adaptive.. for a class"),
        ("EmbeddingKNN(transformer=Ridge())", "Ridge is no estimator of this package"),
        ("StructRF(step='all', step='all')", "cannot be read"),
        ("StructRF(**{'step': 'all'})", "cannot be read"),
        ("StructRF(step='all')()", "cannot be read"),
        ("StructRF(max_depth=5", "cannot be read"),
        ("mine.py:M(max_depth=5", "cannot be read"),
        ("AdaBoostLDL(estimator=NDFLDL(random_state=3))", "NDFLDL has random_state"),
        ("StructRF(step='a.py:b' + 'c')", "cannot be read"),
        ("StructRF(step='all') + f(a=1)", "cannot be read"),
        ("StructRF(n_estimators='5')", "StructRF: n_estimators must be an int, got '5'"),
        ("StructRF(random_state=1)", "leave it out. One seed"),
        ("python-ldl:LDL_LRR(random_state=1)", "leave it out. One seed"),
    ],
)
def test_settings_that_cannot_be_are_one_line(text, message):
    with pytest.raises(CompareError, match=message):
        load_methods([text])


def test_method_files_of_one_name_and_links(tmp_path, monkeypatch, here):
    monkeypatch.setattr(sys, "path", sys.path[:])
    for folder, constant in (("one", 0.2), ("two", 0.5)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "method_of_one_name.py").write_text(
            "import numpy as np\n"
            "class Mine:\n"
            "    def fit(self, X, D):\n        self.c = D.shape[1]\n"
            "    def predict(self, X):\n"
            f"        first = np.full((len(X), 1), {constant})\n"
            "        rest = np.full((len(X), self.c - 1), (1 - first[0, 0]) / (self.c - 1))\n"
            "        return np.hstack([first, rest])\n"
        )
    first, second = (f"{tmp_path}/{d}/method_of_one_name.py:Mine" for d in ("one", "two"))
    named = load_methods([first, second])
    assert list(named) == ["Mine", second]
    X, D = rows(20)
    firsts = [model.predict(X)[0, 0] for model in named.values() if not model.fit(X, D)]
    assert firsts == [0.2, 0.5]
    found = compare(named, X, D, folds=2).records
    direct = compare({"other": load_methods([second])["Mine"]}, X, D, folds=2).records
    for method, other in (("Mine", False), (second, True)):
        mine = found[found.method == method].kl_divergence.to_numpy()
        same = mine == direct[direct.method == "other"].kl_divergence.to_numpy()
        assert same.all() == other
    with pytest.raises(CompareError, match="is named twice"):
        load_methods([first, first, first])
    (tmp_path / "links").mkdir()
    try:
        (tmp_path / "links" / "a_link.py").symlink_to(tmp_path / "one" / "method_of_one_name.py")
    except OSError:
        pytest.skip("no links here")
    linked = load_methods([f"{tmp_path}/links/a_link.py:Mine"])
    assert type(linked["Mine"]).__module__ == "a_link"


@pytest.mark.slow
def test_method_files_of_one_name_in_other_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "method_in_processes.py").write_text(
            "import numpy as np\n"
            "class Mine:\n"
            "    def fit(self, X, D):\n        pass\n"
            f"    def predict(self, X):\n        raise ValueError('from {folder}')\n"
        )
    X, D = rows(20)
    paths = [f"{tmp_path}/{d}/method_in_processes.py:Mine" for d in ("one", "two")]
    for name, model in load_methods(paths).items():
        with pytest.raises(runner.RunError, match="from one" if name == "Mine" else "from two"):
            compare({"mine": model}, X, D, folds=2, n_jobs=2)


class Sparse(OneVsRestClassifier):
    """Predicts sparse matrices, as scikit-multilearn's classes do."""

    def __init__(self, estimator=None, kind=sparse.lil_matrix, proba=True):
        super().__init__(estimator)
        self.kind, self.proba = kind, proba

    def predict_proba(self, X):
        return self.kind(super().predict_proba(X))


class Lists:
    """Predicts an array a label."""

    def __init__(self, shape):
        self.shape = shape

    def fit(self, X, Y):
        self.share = Y.mean(axis=0)

    def predict(self, X):
        return self.predict_proba(X) > 0.5

    def predict_proba(self, X):
        share = np.tile(self.share, (len(X), 1))
        if self.shape == "label":
            return list(share.T)
        if self.shape == "row":
            return list(share)
        two = [np.column_stack([1 - s, s]) for s in share.T]
        return [sparse.csr_matrix(s) for s in two] if self.shape == "sparse" else two


def test_scores_that_are_sparse_or_lists_are_taken(here):
    X, D = rows(40)
    Y = (D > 0.3).astype(int)
    dense = OneVsRestClassifier(LogisticRegression())
    kinds = (sparse.lil_matrix, sparse.csr_array, sparse.coo_matrix)
    methods = {k.__name__: Sparse(LogisticRegression(), k) for k in kinds} | {"dense": dense}
    table = compare(methods, X, Y, folds=2).table().map(str)
    for name in methods:
        assert (table.loc[name] == table.loc["dense"]).all()
    methods = {shape: Lists(shape) for shape in ("label", "row", "two", "sparse")}
    table = compare(methods, X, Y, folds=2).table().map(str)
    for shape in methods:
        assert (table.loc[shape] == table.loc["LabelFrequencies"]).all(), shape
    model = OnSimplex(SparseDegrees()).fit(X, D)
    np.testing.assert_allclose(model.predict(X), np.tile(D.mean(axis=0), (40, 1)))


def test_a_list_that_does_not_tell_the_class_of_a_label_is_refused(here):
    X, D = rows(40)
    Y = np.column_stack([D > 0.3, np.ones(40)]).astype(int)
    model = Scores(HandsOn(RandomForestClassifier(5, random_state=0))).fit(X, Y)
    with pytest.raises(ValueError, match=r"gave no array .* the class is not known"):
        model.predict_proba(X)
    model.fitted_.classes_ = model.fitted_.inner.classes_
    assert (model.predict_proba(X)[:, -1] == 1).all()


class HandsOn:
    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, Y):
        self.inner.fit(X, Y)

    def predict(self, X):
        return self.inner.predict(X)

    def predict_proba(self, X):
        return self.inner.predict_proba(X)


def test_settings_that_copies_would_lose_are_refused(tmp_path):
    path = tmp_path / "of_kwargs.py"
    path.write_text(
        "from sklearn.base import BaseEstimator\n"
        "class Kw(BaseEstimator):\n"
        "    def __init__(self, **kw): pass\n"
        "    fit = predict = None\n"
    )
    with pytest.raises(CompareError, match="Kw of .* takes power, .* copies lose it. Name power"):
        load_methods([f"{path}:Kw(power=3)"])


class SparseDegrees(Mean):
    """Predicts a sparse matrix of degrees."""

    def predict(self, X):
        return sparse.csr_matrix(super().predict(X))


class Turned(Mean):
    """Predicts a frame with the labels in another order."""

    names = ("d_3", "d_1", "d_2")

    def predict(self, X):
        P = pd.DataFrame(super().predict(X), columns=["d_1", "d_2", "d_3"])
        return P[["d_3", "d_1", "d_2"]].set_axis(list(self.names), axis=1)


class Numbered(Turned):
    names = (0, 1, 2)


def test_predicted_labels_are_paired_by_their_names(here, tmp_path):
    X, D = rows()
    D = pd.DataFrame(D, columns=["d_1", "d_2", "d_3"])
    found = compare({"a": Turned(), "b": Mean(), "c": Numbered()}, X, D, folds=2).skill()
    assert found.loc["a"].equals(found.loc["b"]) and not found.loc["c"].equals(found.loc["b"])
    with pytest.raises(
        own.RunError, match="predicts the columns d_3, d_1, d_2, and the labels are r,"
    ):
        compare({"a": Turned()}, X, D.set_axis(["r", "g", "b"], axis=1), folds=2)
    Y = (D > 0.3).astype(int)
    scores = compare({"a": Turned(), "b": Mean()}, X, Y, folds=2).skill()
    assert scores.loc["a"].equals(scores.loc["b"])


class Unnamed(Mean):
    def __repr__(self):
        raise RuntimeError("no text of me")


def test_a_method_without_parameters_and_without_a_text_is_taken(here, tmp_path):
    for _ in range(2):
        found = compare({"m": Unnamed()}, *rows(), folds=2, records=tmp_path)
        assert "m" in found.skill().index and found.to_csv(tmp_path / "t.csv") is None


class Leaves(Mean):
    def fit(self, X, D):
        sys.exit("bye")


class Complex(Mean):
    def predict(self, X):
        return super().predict(X) * (1 + 5j)


class Huge(Mean):
    def predict(self, X):
        return np.full((len(X), 3), 1e308)


def test_what_methods_do_besides_errors(here, tmp_path):
    X, D = rows()
    for method, message in ((Leaves(), "SystemExit: bye"), (Complex(), "Complex data not support")):
        with pytest.raises(runner.RunError, match=message):
            compare({"m": method}, X, D, folds=2)
    equal = compare({"huge": Huge(), "even": ldlrepro.UniformPredictor()}, X, D, folds=2).skill()
    assert equal.loc["huge"].item() == pytest.approx(equal.loc["even"].item())
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(CompareError, match="cannot be imported: SystemExit: 3"):
        load_methods([f"{tmp_path}/ends.py:A"])


class Secret(Mean):
    """Ends whoever asks for what it does not have."""

    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


def test_attributes_in_slots_are_told_apart(here, tmp_path):
    for held, fits in ((1, 2), (1, 2), (2, 4), (Mean(), 6)):
        compare({"m": Slots(held)}, *rows(), folds=2, records=tmp_path)
        assert Slots.fits == fits
    assert Mean in _classes(Slots(Mean()), {})


class Warns(Mean):
    def fit(self, X, D):
        super().fit(X, D)
        for i in range(1000):
            warnings.warn(f"step {i}\nof many", stacklevel=1)


def test_many_warnings_are_a_few_lines_and_a_count(here):
    found = compare({"m": Warns()}, *rows(), folds=2)
    assert len(found.notes["m"]) == 1000
    assert found.said()[0] == "m: step 0 of many."
    assert found.said()[5:] == ["m: and 995 warnings more."]


class Locked(Mean):
    def __init__(self):
        self.lock = threading.Lock()


@pytest.mark.parametrize("method", [Secret, Locked])
def test_a_method_that_cannot_be_read_is_one_line(here, method):
    with pytest.raises(runner.RunError, match="^m cannot be read, .*: (RuntimeError|TypeError)"):
        compare({"m": method()}, *rows(), folds=2)


class Raises(Mean):
    def __init__(self, error):
        self.error = error

    def fit(self, X, D):
        raise self.error


class Predicts(Mean):
    def __init__(self, found):
        self.found = found

    def predict(self, X):
        return self.found(np.tile(self.mean, (len(X), 1)))


class NoArray:
    def __array__(self, *_, **__):
        raise RuntimeError("detach me")  # as a tensor that has a gradient does


class Slots:
    """A method whose attributes stand in slots."""

    __slots__ = ("held", "mean")
    fits, fit, predict = 0, Mean.fit, Mean.predict

    def __init__(self, held=None):
        self.held = held


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "method, message",
    [
        (Raises(GeneratorExit("bye")), "GeneratorExit: bye"),
        (Raises(SystemExit("a\nb")), "SystemExit: a b"),
        (Raises(Unspeakable()), "Unspeakable: .its text cannot be printed"),
        (Predicts(lambda P: P[:, :2]), r"Predicts.predict gave shape"),
        (Predicts(lambda P: P * np.nan), "Predicts.predict gave NaN or inf in row 0"),
        (Predicts(lambda P: None), r"Predicts.predict gave shape \(\)"),
        (Predicts(lambda P: P.astype(str).astype(object) + "x"), "a ndarray: could not convert"),
        (Predicts(lambda P: P + 1j), "Predicts.predict gave no array .*: Complex data not support"),
        (Predicts(lambda P: np.ma.masked_greater(P, 0.4)), "Predicts.predict gave .* masked array"),
        (Predicts(lambda P: "abc"), "Predicts.predict gave no array of numbers, .n, c., but a str"),
        (Predicts(lambda P: {"a": 1}), "Predicts.predict gave no array .*but a dict"),
        (Predicts(lambda P: (p for p in P)), "Predicts.predict gave no array .*but a generator"),
        (Predicts(lambda P: [*P[1:].tolist(), [1]]), "Predicts.predict gave no array .*but a list"),
        (
            Predicts(lambda P: NoArray()),
            "Predicts.predict gave no array .*but a NoArray: detach me",
        ),
    ],
    ids=lambda value: "",
)
def test_a_fit_that_fails_is_one_line_and_the_others_are_kept(here, tmp_path, method, message):
    with pytest.raises(runner.RunError, match=message) as caught:
        compare({"bad": method, "mean": Mean()}, *rows(), folds=2, records=tmp_path)
    told = str(caught.value)
    assert "\n" not in told and "bad on data, fold 0: " in told and "Mend that method" in told
    assert set(RecordStore(tmp_path / "own").read("data").method) == {"mean", "MeanPredictor"}


def test_a_fit_that_fails_without_a_folder_says_that_all_are_lost(here):
    with pytest.raises(runner.RunError) as caught:
        compare({"bad": Raises(ValueError("no"))}, *rows(), folds=2)
    told = str(caught.value)
    assert "the others are lost, since records= names no folder" in told
    assert "goes on" not in told and "command" not in told


@pytest.mark.parametrize("found", [lambda P: P.tolist(), pd.DataFrame])
def test_lists_and_frames_are_predictions(here, found):
    got = compare({"p": Predicts(found)}, *rows(), folds=2).skill()
    assert got.loc["p"].item() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(3), GeneratorExit()])
def test_a_method_that_cannot_be_asked_is_one_line(error):
    class Closed:
        def __getattr__(self, name):
            raise error

    with pytest.raises(CompareError, match="^m cannot be asked for fit and predict: .*__getattr__"):
        compare({"m": Closed()}, *rows(), folds=2)


def test_a_method_file_in_another_encoding_and_beside_files_with_names_of_modules(
    tmp_path, monkeypatch
):
    """As Windows saves it, or as the file itself says; a pandas.py there is not pandas."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    text = "# coding: {}\nclass M:\n    'Ä'\n    def fit(self, X, D): pass\n    predict = fit\n"
    data, experiment = userdata.bunch(*rows()), Experiment(own.EXPERIMENT, (), ("data",), folds=3)
    for coding in ("utf-8-sig", "latin-1"):
        path = tmp_path / f"of_{coding[:3]}.py"
        path.write_text(text.format(coding), encoding=coding)
        (model,) = load_methods([f"{path}:M"]).values()
        assert mark_of(Method("m", OnSimplex(model)), experiment, data)
    assert sys.path[-1] == str(tmp_path)


def test_a_file_that_is_not_utf8_is_named_with_its_line(here, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "in_latin_1.py").write_bytes(b"\n\n# \xe4\n")
    path = tmp_path / "of_late_import.py"
    text = "class M:\n    def fit(self, X, D): import in_latin_1\n    predict = fit\n"
    path.write_text(text)
    with pytest.raises(runner.RunError, match="^/.*in_latin_1.py, line 3, is not UTF-8: save"):
        compare(load_methods([f"{path}:M"]), *rows(), folds=2)


class Deadly(Mean):
    """Kills its process in the fit."""

    def fit(self, X, D):
        os._exit(9)


def test_a_worker_that_dies_is_one_line_and_the_others_are_kept(here, tmp_path, monkeypatch):
    X, D = rows()
    compare({"mean": Mean()}, X, D, folds=3, records=tmp_path)
    monkeypatch.setattr(environment, "fixed", lambda: {"OPENBLAS_CORETYPE": "Haswell"})
    message = "^A worker process died .* at deadly on data, fold 0, .*; what was finished is kept"
    with pytest.raises(runner.RunError, match=message):
        compare({"mean": Mean(), "deadly": Deadly()}, X, D, folds=3, records=tmp_path)


class Crashes(Mean):
    def fit(self, X, D):
        os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_crash_of_a_worker_is_one_line(here, monkeypatch, capfd):
    monkeypatch.setattr(environment, "fixed", lambda: {"OPENBLAS_CORETYPE": "Haswell"})
    with pytest.raises(runner.RunError, match="^A worker process died .SIGSEGV; with PYTHONFAULT"):
        compare({"crashes": Crashes()}, *rows(), folds=2)
    assert capfd.readouterr().err == ""


def test_names_of_methods_and_measures_that_are_unknown(here):
    found = compare({"ridge": Ridge()}, *rows(), folds=2)
    with pytest.raises(UnknownNameError, match="No method 'Ridge'. Did you mean ridge"):
        found.against("Ridge")
    with pytest.raises(UnknownNameError, match="Did you mean kl_divergence"):
        found.skill("kl_divergense")
    for path in (None, 3, "", b"a", [1]):
        for write in (found.to_csv, found.to_html):
            with pytest.raises(CompareError, match="give a path"):
                write(path)


def test_an_estimator_inside_a_plain_class_is_seeded(here):
    class Holds:
        def __init__(self):
            self.inner = ldlrepro.StructRF(n_estimators=3)

        def fit(self, X, D):
            self.inner.fit(X, D)

        def predict(self, X):
            return self.inner.predict(X)

    found = [compare({"m": Holds()}, *rows(), folds=2).table() for _ in range(2)]
    assert (found[0] == found[1]).all().all()
