"""Methods of python-ldl as estimators: with a small stand-in for that package, and with itself."""

import inspect
import random
import re
import sys
import tomllib
import warnings
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType, SimpleNamespace

import another_processor
import first_folds
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

import ldlrepro
from ldlrepro import paths
from ldlrepro.cli import main
from ldlrepro.datasets import make_toy
from ldlrepro.errors import MissingPackageError, ProjectedWarning, UnknownNameError
from ldlrepro.models.guests import PREFIX, RELEASE, Guest, _guest, guest_named, guest_names
from ldlrepro.papers import get_paper
from ldlrepro.papers.comparison.studies.time_limit import OVER
from ldlrepro.papers.later import experiments
from ldlrepro.papers.later.experiments import GUESTS, RUN
from ldlrepro.protocols import environment, fingerprint
from ldlrepro.user.compare import compare
from ldlrepro.user.methods import load_methods

toy = make_toy(n_train=60, random_state=0)


def installed():
    try:
        return version("python-ldl") == RELEASE
    except PackageNotFoundError:
        return False


with_extra = pytest.mark.skipif(not installed(), reason="the extra guests is not installed")


class Base:
    def __init__(self, n_hidden=4, random_state=None, **kwargs):
        assert not kwargs
        self.n_hidden = n_hidden

    def fit(self, X, D, epochs=3, **kwargs):
        print("epoch 1")
        self.seen = X, epochs, sys.modules["torch"].threads, sys.modules["keras"].kind
        self.drawn = np.random.random(), random.random()  # noqa: NPY002
        self.c = D.shape[1]


class Drawn(Base):
    """Predicts what it has drawn: rows off the simplex, a degree below 0, a row of zeros."""

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def predict(self, X):
        P = np.full((len(X), self.c), self.alpha, dtype=np.float32)
        P[:, 0] = self.drawn[0]
        P[0], P[1, 1] = 0, -1
        return P


class Exact(Base):
    def predict(self, X):
        return np.full((len(X), self.c), 1 / self.c)


class Broken(Base):
    def predict(self, X):
        P = np.full((len(X), self.c), 1 / self.c)
        P[2, 0] = np.nan
        return P


class Flat(Base):
    def predict(self, X):
        return np.zeros(len(X))


class Net(Exact):
    _batch_size, _make_dataset = 4, None


KINDS = {kind.__name__: kind for kind in (Drawn, Exact, Broken, Flat, Net)}


@pytest.fixture
def stand_in(monkeypatch):
    """python-ldl, Keras and torch, a few lines each, in place of whatever is installed."""
    for kind in (Base, *KINDS.values()):
        monkeypatch.setattr(kind, "__module__", "pyldl.algorithms._some")

    def missing(name):
        if name == "Unbuilt":
            raise ModuleNotFoundError("No module named 'pyldl.algorithms._tree'")
        return KINDS[name]

    algorithms = ModuleType("pyldl.algorithms")
    algorithms._ldl__, algorithms.__getattr__ = [*KINDS, "Unbuilt", "_Base"], missing

    keras = ModuleType("keras")
    keras.kind, keras.small, keras.devices, keras.name = "float64", 1e-3, [], "torch"

    @contextmanager
    def device(name):
        keras.devices.append(name)
        yield

    keras.device, keras.backend = device, SimpleNamespace(backend=lambda: keras.name)
    keras.config = SimpleNamespace(
        floatx=lambda: keras.kind,
        set_floatx=lambda kind: setattr(keras, "kind", kind),
        epsilon=lambda: keras.small,
        set_epsilon=lambda value: setattr(keras, "small", value),
    )

    torch = ModuleType("torch")
    torch.threads, torch.state = 4, 7
    torch.get_rng_state, torch.manual_seed = (
        lambda: torch.state,
        lambda s: setattr(torch, "state", s),
    )
    torch.set_rng_state = torch.manual_seed
    torch.get_num_threads = lambda: torch.threads
    torch.set_num_threads = lambda number: setattr(torch, "threads", number)

    made = {"keras": keras, "torch": torch, "pyldl.algorithms": algorithms}
    for name, module in ({"pyldl": ModuleType("pyldl")} | made).items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(_guest, "version", lambda package: RELEASE)
    return SimpleNamespace(keras=keras, torch=torch)


@pytest.fixture
def no_extra(monkeypatch):
    def nothing(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(_guest, "version", nothing)


# --- the adapter ---------------------------------------------------------------------------------


def test_predictions_off_the_simplex_are_put_on_it_and_counted(stand_in):
    model = Guest("Drawn", random_state=0).fit(toy.X, toy.D)
    with pytest.warns(ProjectedWarning, match="^10 of 10 predictions off the simplex"):
        P = model.predict(toy.X_test[:10])
    assert model.off_simplex_ == 1 and np.allclose(P.sum(axis=1), 1) and P.min() >= 0
    assert np.allclose(P[0], 1 / 3) and P[1, 1] == 0
    drawn = model.fitted_.drawn[0]
    assert np.allclose(P[2], np.array([drawn, 1, 1]) / (drawn + 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Guest("Exact").fit(toy.X, toy.D)
        model.predict(toy.X_test)
    assert model.off_simplex_ == 0


def test_rounding_is_no_leaving_of_the_simplex():
    P = np.array([[0.5, 0.5 + 5e-6], [0.5, 0.51], [1.0, -5e-6]])
    on, off = ldlrepro.validation.on_simplex(P)
    assert off.tolist() == [False, True, False] and np.allclose(on.sum(axis=1), 1, atol=1e-15)


def test_random_state_decides_and_the_process_keeps_its_states(stand_in):
    def drawn(seed):
        return Guest("Exact", random_state=seed).fit(toy.X, toy.D).fitted_.drawn

    np.random.seed(3)  # noqa: NPY002
    random.seed(3)
    first = drawn(0)
    assert (np.random.random(), random.random()) == _after_3()  # noqa: NPY002
    assert stand_in.torch.state == 7
    assert drawn(0) == first and drawn(1) != first
    assert drawn(np.random.RandomState(0)) == first


def _after_3():
    return np.random.RandomState(3).random_sample(), random.Random(3).random()


def test_one_thread_single_precision_the_cpu_and_nothing_printed(stand_in, capsys):
    model = Guest("Exact").fit(toy.X, toy.D)
    _, _, threads, kind = model.fitted_.seen
    assert (threads, kind) == (1, "float32") and set(stand_in.keras.devices) == {"cpu"}
    assert (stand_in.torch.threads, stand_in.keras.kind, stand_in.keras.small) == (
        4,
        "float64",
        1e-3,
    )
    assert capsys.readouterr().out == ""


def test_states_are_put_back_after_an_error(stand_in, monkeypatch):
    monkeypatch.setattr(Exact, "fit", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Guest("Exact").fit(toy.X, toy.D)
    assert (stand_in.torch.threads, stand_in.torch.state, stand_in.keras.kind) == (
        4,
        7,
        "float64",
    )


def test_parameters_go_to_the_class_and_to_fit(stand_in):
    given = {"alpha": 2.0, "n_hidden": 9, "epochs": 5}
    model = Guest("Drawn", given).fit(toy.X, toy.D).fitted_
    assert (model.alpha, model.n_hidden, model.seen[1]) == (2.0, 9, 5)
    released = Guest("Drawn").fit(toy.X, toy.D).fitted_
    assert (released.alpha, released.n_hidden, released.seen[1]) == (1.0, 4, 3)
    with pytest.raises(UnknownNameError, match="no parameter 'beta'; it has: alpha, epochs, n_hid"):
        Guest("Drawn", {"beta": 1}).fit(toy.X, toy.D)


def test_nets_read_a_batch_at_once(stand_in):
    net = Guest("Net").fit(toy.X, toy.D).fitted_
    assert net._make_dataset.func is _guest._batches and net._make_dataset.args == (net,)
    assert not hasattr(Guest("Exact").fit(toy.X, toy.D).fitted_, "_make_dataset")


@pytest.mark.parametrize("size", [4, 7, 60, 100])
def test_batches_and_what_is_drawn_are_those_of_a_plain_loader(size):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    data = torch.utils.data
    X, Y = torch.from_numpy(toy.X).float(), torch.from_numpy(toy.D).float()
    told = []
    for loader in (
        data.DataLoader(data.TensorDataset(X, Y), batch_size=size),
        _guest._batches(SimpleNamespace(_batch_size=size), X, Y),
    ):
        torch.manual_seed(0)
        batches = [part.numpy() for _ in range(2) for batch in loader for part in batch]
        told.append((batches, torch.rand(3).tolist()))
    (plain, drawn), (mine, also) = told
    assert drawn == also and len(mine) == len(plain)
    assert all((a == b).all() for a, b in zip(mine, plain, strict=True))


def test_scale_brings_features_to_mean_0_and_variance_1_beside_a_column_of_ones(stand_in):
    X = Guest("Exact", scale="standard").fit(toy.X, toy.D).fitted_.seen[0]
    assert np.allclose(X[:, :-1].mean(axis=0), 0) and np.allclose(X[:, :-1].std(axis=0), 1)
    assert X.shape[1] == toy.X.shape[1] + 1 and (X[:, -1] == 1).all()
    assert (Guest("Exact").fit(toy.X, toy.D).fitted_.seen[0] == toy.X).all()
    with pytest.raises(ValueError, match="scale must be None or 'standard', got 'minmax'"):
        Guest("Exact", scale="minmax").fit(toy.X, toy.D)


def test_predictions_that_are_none(stand_in):
    with pytest.raises(ValueError, match="python-ldl:Broken predicted NaN or inf in row 2 of X"):
        Guest("Broken").fit(toy.X, toy.D).predict(toy.X_test)
    with pytest.raises(
        ValueError, match=r"python-ldl:Flat predicted shape \(5,\): expected \(5, 3"
    ):
        Guest("Flat").fit(toy.X, toy.D).predict(toy.X_test[:5])


def test_keras_is_told_its_backend_before_it_is_imported(stand_in, monkeypatch):
    seen = []

    def imported(name):
        seen.append((name, _guest.os.environ.get("KERAS_BACKEND")))
        return sys.modules[name]

    monkeypatch.setattr(_guest, "import_module", imported)
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    Guest("Exact").fit(toy.X, toy.D)
    assert seen[0] == ("keras", "torch") and _guest.os.environ["KERAS_BACKEND"] == "jax"
    monkeypatch.delenv("KERAS_BACKEND")
    Guest("Exact").fit(toy.X, toy.D)
    assert "KERAS_BACKEND" not in _guest.os.environ
    stand_in.keras.name = "jax"
    with pytest.raises(MissingPackageError, match="backend jax: set KERAS_BACKEND=torch before"):
        Guest("Exact").fit(toy.X, toy.D)


def test_a_copy_is_unfitted_and_equal(stand_in):
    model = Guest("Drawn", {"alpha": 2.0}, scale="standard", random_state=1).fit(toy.X, toy.D)
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "fitted_")


# --- names ---------------------------------------------------------------------------------------


def test_names(stand_in):
    assert guest_names() == [*KINDS, "Unbuilt"]
    assert guest_named("python-ldl:Exact").get_params() == Guest("Exact").get_params()
    scaled = guest_named("python-ldl:Exact", {"scale": "standard"})
    assert scaled.get_params() == Guest("Exact", scale="standard").get_params()
    with pytest.raises(UnknownNameError, match="no method 'Exakt' .* Did you mean Exact"):
        guest_named("python-ldl:Exakt")
    with pytest.raises(MissingPackageError, match="names Unbuilt, and cannot import it: .*_tree"):
        guest_named("python-ldl:Unbuilt")


def test_compare_takes_names(stand_in, monkeypatch):
    assert [*load_methods(["python-ldl:Exact", "StructRF"])] == ["python-ldl:Exact", "StructRF"]
    named = {}
    maker = dict.fromkeys(("versions", "machine", "blas", "cpu"))

    def made(packages=()):
        named[packages] = True
        return maker

    # In this process, where the stand-ins are.
    monkeypatch.setattr(environment, "fixed", dict)
    monkeypatch.setattr(environment, "maker", made)
    found = compare(["python-ldl:Exact", "AAKNN"], toy.X, toy.D, folds=3)
    assert {"python-ldl:Exact", "AAKNN", "MeanPredictor"} == set(found.skill().index)
    assert found.skill().loc["python-ldl:Exact"].iloc[0] < 0  # the uniform distribution
    assert [*named] == [Guest.packages, ()]


def test_a_record_names_the_versions_of_the_packages():
    assert environment.versions(packages=("pandas",))["pandas"] == version("pandas")
    assert "pandas" not in environment.versions() and "torch" not in environment.maker()["cpu"]


def test_without_the_extra_a_line_says_what_to_install(no_extra, capsys):
    assert main(["compare", "python-ldl:LDL_LRR", "--dataset", "s-JAFFE"]) == 1
    lines = capsys.readouterr().err.splitlines()
    command = "pip install -e '.[guests]', in a clone of this project."
    assert len(lines) == 1 and lines[0].endswith(command)
    with pytest.raises(MissingPackageError, match="guests"):
        Guest().fit(toy.X, toy.D)


def test_another_release_is_not_taken_for_this_one(stand_in, monkeypatch):
    monkeypatch.setattr(_guest, "version", lambda package: "9.9")
    with pytest.raises(MissingPackageError, match=f"9.9 is installed, and .* runs {RELEASE}"):
        Guest("Exact").fit(toy.X, toy.D)


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pyproject.toml is not installed")
def test_the_extras_pin_the_release_of_the_records():
    text = (Path(ldlrepro.__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    assert f"python-ldl=={RELEASE}" in extras["guests"]
    assert set(extras["guests"]) == set(extras["bench"])


def test_the_release_counts_in_the_mark_of_a_record():
    reached = fingerprint.reached([(_guest.__name__, "Guest")])
    assert (_guest.__name__, "RELEASE") in reached


# --- what is declared ----------------------------------------------------------------------------


def test_every_guest_that_runs_is_declared_once():
    experiment = get_paper("later").experiment("released")
    assert [m.name for m in experiment.methods] == [f"{PREFIX}{name}" for name in RUN]
    assert [m.estimator.name for m in experiment.methods] == [*RUN]
    comparison = get_paper("comparison").experiment("tables")
    for field in ("datasets", "folds", "seed", "measures", "test_share", "chosen_on"):
        assert getattr(experiment, field) == getattr(comparison, field)
    known = {*experiment.datasets}, {m.name for m in experiment.methods}
    assert {(d in known[0], m in known[1]) for m, d, _ in experiment.without} <= {(True, True)}


def test_every_guest_has_its_paper():
    assert GUESTS["class"].is_unique and GUESTS.name.is_unique
    assert GUESTS.year.between(2010, 2026).all() and GUESTS.title.str.len().min() > 10
    assert GUESTS.does_not_run[GUESTS.does_not_run != ""].str.len().min() > 20


def test_what_does_not_end_or_fails_is_left_out(tmp_path, monkeypatch):
    table = tmp_path / "first_folds.csv"
    for module in (first_folds, experiments):
        monkeypatch.setattr(module, "FIRST_FOLDS", table)
    methods = {m.estimator.name: m for m in experiments.RELEASED.methods}
    found = {
        ("LALOT", "Movie"): {"seconds": np.nan, "off": np.nan, "failure": ""},
        ("LDL_LRR", "Movie"): {"seconds": 1.23456, "off": 0.25, "failure": ""},
        ("AA_KNN", "SJAFFE"): {"seconds": 0.5, "off": np.nan, "failure": "ValueError: x, y"},
    }
    rows = [first_folds.row(methods[name], d, one) for (name, d), one in found.items()]
    first_folds.write([*rows, rows[0] | {"dataset": "M2B", "release": "0.0.1"}])
    assert [*experiments._left_out()] == [
        ("AA_KNN", "SJAFFE", "ValueError: x, y"),
        ("LALOT", "Movie", OVER),
    ]
    assert ",1.23,0.25,," in table.read_text(encoding="utf-8")
    # two runs at once: each adds its row to what is there by then
    first_folds.add(first_folds.row(methods["AA_KNN"], "Movie", found["LDL_LRR", "Movie"]))
    assert table.read_text(encoding="utf-8").count("\n") == 5


def test_what_another_processor_changes_is_noted_once_a_fold(tmp_path, monkeypatch):
    table = tmp_path / "another_processor.csv"
    monkeypatch.setattr(another_processor, "ANOTHER_PROCESSOR", table)
    before = pd.DataFrame({"machine": ["Intel"], "kl_divergence": [0.5], "clark": [2.0]})
    measures = SimpleNamespace(measures=("kl_divergence", "clark"))
    one = {"experiment": "released", "dataset": "SJAFFE", "method": "python-ldl:LDL_LRR", "fold": 1}
    one["declared"] = measures, None, before
    for again in (0.5, 0.6):  # the second time in place of the first
        another_processor.add(another_processor.row(one, {"kl_divergence": again, "clark": 2.1}))
    (found,) = pd.read_csv(table).to_dict("records")
    assert (found["made_on"], found["kl_before"], found["kl_again"]) == ("Intel", 0.5, 0.6)
    assert found["measure"] == "kl_divergence" and found["difference"] == pytest.approx(0.2)
    same = another_processor.row(one, {"kl_divergence": 0.5, "clark": 2.0})
    assert (same["measure"], same["difference"]) == ("", 0.0)


def test_methods_that_choose_have_at_most_eight_points_and_the_released_one():
    for method in experiments.TUNED.methods:
        points = [*ParameterGrid(method.grid)]
        weights = experiments.AS_RELEASED[method.estimator.name]
        assert len(points) == (8 if weights else 2), method.name
        assert {"scale": None, "parameters": {}} in points, method.name
    assert experiments.TUNED.chosen_on == "validation"


def test_more_penalty_was_tried_for_every_grid():
    table = pd.read_csv(experiments.WIDER_GRID)
    linear = [m for m in experiments.TUNED.methods if m.grid["parameters"][-1]]
    tried = len(linear) * len(experiments.TIMES) * len(linear[0].grid["scale"])
    assert set(table.method) == {m.name for m in linear}
    assert (table.groupby("dataset").size() == tried).all()


# --- with the package itself ---------------------------------------------------------------------


@with_extra
def test_the_table_has_what_the_release_has():
    assert sorted(GUESTS["class"]) == sorted(guest_names())
    for name, why in zip(GUESTS["class"], GUESTS.does_not_run, strict=True):
        if why.startswith("its module"):
            with pytest.raises(MissingPackageError, match="_tree"):
                guest_named(PREFIX + name)
        elif why:
            with pytest.raises(TypeError, match="'pos' and 'neg'"):
                Guest(name).fit(toy.X, toy.D)
        else:
            assert re.fullmatch(r"\w+", name) and guest_named(PREFIX + name).name == name


@with_extra
@pytest.mark.parametrize("name", ["LDL_LRR", "BD_LDL", "S_KLD"])
def test_a_method_of_the_package_learns_and_can_be_repeated(name):
    parameters = {"epochs": 30} if name == "S_KLD" else None
    model = Guest(name, parameters, random_state=0).fit(toy.X, toy.D)
    P = model.predict(toy.X_test)
    assert P.dtype == np.float64 and np.allclose(P.sum(axis=1), 1)
    again = clone(model).fit(toy.X, toy.D).predict(toy.X_test)
    assert (P == again).all() and model.score(toy.X, toy.D) > -1


@with_extra
@pytest.mark.parametrize("size", [None, 16])
@pytest.mark.parametrize("name", ["Delta_LDL", "LDL_HVLC", "S_SCL", "CPNN"])
def test_a_net_learns_what_it_learns_as_released(name, size, monkeypatch):
    parameters = {"epochs": 5, "batch_size": size}
    P = Guest(name, parameters, random_state=0).fit(toy.X, toy.D).predict(toy.X_test)
    monkeypatch.setattr(_guest, "_batches", lambda net, X, Y: net._torch_make_dataset(X, Y))
    released = Guest(name, parameters, random_state=0).fit(toy.X, toy.D).predict(toy.X_test)
    assert (P == released).all()


@with_extra
def test_the_weights_that_are_tried_are_those_of_the_classes():
    for method in experiments.TUNED.methods:
        kind = _guest._class_of(method.estimator.name)
        for parameters in method.grid["parameters"]:
            assert _guest._arguments(kind, parameters) == (parameters, {})
        weights = inspect.signature(kind).parameters
        for name, value in experiments.AS_RELEASED[method.estimator.name].items():
            assert weights[name].default == value
