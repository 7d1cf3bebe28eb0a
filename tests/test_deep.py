"""Deep models: the heads against twins of the shallow ones, the training loop, images, refusals."""

import json
import os
import pickle
import re
import subprocess
import sys
import warnings

import naive_ldlf as naive
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import ldlrepro
from ldlrepro import DLDL, DeepLDLForest, DeepNDFLDL, LDLForest, MeanPredictor
from ldlrepro.datasets import make_scenes, make_toy
from ldlrepro.errors import MissingPackageError, NormalisationWarning
from ldlrepro.metrics import kl_divergence
from ldlrepro.models.deep._images import check_images
from ldlrepro.protocols import environment, worker

try:
    import torch
except ImportError:
    torch = None

needs_torch = pytest.mark.skipif(
    torch is None, reason="torch is not installed: pip install -e '.[deep]'"
)
MODELS = (DLDL, DeepLDLForest, DeepNDFLDL)
FAST = {"size": 16, "epochs": 3, "batch_size": 16, "random_state": 0}
SMALL_TREES = {"n_estimators": 2, "depth": 3, "leaf_batches": 4}
scenes = make_scenes(60, size=16)
toy = make_toy(random_state=0)


def small(model, **more):
    trees = {} if model is DLDL else SMALL_TREES
    outputs = {"n_outputs": 5} if model is DeepLDLForest else {}
    return model(**(FAST | trees | outputs | more))


# Without torch


def test_the_package_does_not_import_torch():
    code = "import sys, ldlrepro; print('torch' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


@pytest.mark.parametrize("model", MODELS)
def test_without_torch_the_command_is_named(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match=r"torch.*pip install -e '.\[deep\]'"):
        small(model).fit(scenes.X, scenes.D)


def test_images_are_refused_with_their_place(tmp_path):
    from PIL import Image

    good, grey, broken, cut = (tmp_path / f"{n}.png" for n in ("good", "grey", "broken", "cut"))
    Image.fromarray(scenes.X[0]).save(good)
    Image.fromarray(scenes.X[0, :, :, 0]).save(grey)
    broken.write_bytes(b"no image at all")
    cut.write_bytes(good.read_bytes()[:200])
    deep, listed = tmp_path / "deep.tif", tmp_path / "listed.png"
    Image.fromarray(np.full((8, 8), 300, ">u2")).save(deep)
    Image.fromarray(scenes.X[0, :, :, 0]).convert("P").save(listed)
    wild = tmp_path / "wild.ppm"
    wild.write_bytes(b"P3 1 1 255\n300 0 0\n")
    X = scenes.X
    for images, message in (
        ([good, broken], r"broken\.png \(row 1\) cannot be read as an image"),
        ([good, cut], r"cut\.png \(row 1\) cannot be read"),
        ([good, wild], r"wild\.ppm \(row 1\) cannot be read"),
        ([good, tmp_path / "none.jpg"], r"none\.jpg \(row 1\) cannot be read"),
        ([good, good, grey], r"grey\.png \(row 2\) is a grey image, mode L"),
        ([good, deep], r"deep\.tif \(row 1\) is a grey image, mode I;16"),
        ([good, listed], r"listed\.png \(row 1\) is a grey image, mode P"),
        ([good, X[0]], r"row 1 is no path, but ndarray"),
        (str(good), "is one path"),
        (X[..., 0], r"\(60, 16, 16\): grey images"),
        (X[..., :1], r"\(60, 16, 16, 1\): grey images"),
        (X[0, 0], r"shape \(16, 3\): expected \(n, h, w, 3\)"),
        (X.transpose(0, 3, 1, 2), r"shape \(60, 3, 16, 16\)"),
        (X / 255, "dtype float64: expected uint8"),
        (np.where(np.arange(60)[:, None, None, None] == 7, np.nan, X), "row 7 has NaN"),
        ([X[0], X[1], X[2, :8]], r"row 2 has shape \(8, 16, 3\), but row 0 has \(16, 16, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            check_images(images, 16)


def test_paths_and_arrays_are_brought_to_one_size(tmp_path):
    from PIL import Image

    paths = [tmp_path / f"{i}.png" for i in range(3)]
    for path, image in zip(paths, scenes.X, strict=False):
        Image.fromarray(image).save(path)
    np.testing.assert_array_equal(check_images([str(p) for p in paths], 16), scenes.X[:3])
    resized = check_images(paths, 8)
    assert resized.shape == (3, 8, 8, 3) and resized.dtype == np.uint8
    np.testing.assert_array_equal(resized, check_images(scenes.X[:3], 8))
    Image.fromarray(scenes.X[0]).convert("P").save(tmp_path / "palette.png")
    assert check_images([tmp_path / "palette.png"], 16).shape == (1, 16, 16, 3)


# The same digits on every processor

OF_A_WORKER = """
import json
from ldlrepro import DLDL, DeepLDLForest, DeepNDFLDL, metrics
from ldlrepro.datasets import make_scenes
from ldlrepro.protocols import environment

scenes, found = make_scenes(72, size=64), {}
for model in DLDL, DeepLDLForest, DeepNDFLDL:
    fitted = model(epochs=6, random_state=0).fit(scenes.X[:48], scenes.D[:48])
    loss = metrics.kl_divergence(scenes.D[48:], fitted.predict(scenes.X[48:]))
    found[model.__name__] = round(float(loss), 9)
print(json.dumps([environment.maker(True)["cpu"]["torch"], found]))
"""


@pytest.mark.slow
@needs_torch
@pytest.mark.skipif(not environment.fixable(), reason="kernels are fixed on x86 with AVX2")
def test_workers_get_the_same_digits_whatever_the_processor(monkeypatch):
    for name in environment.TORCH_KERNELS:
        monkeypatch.delenv(name, raising=False)
    made = subprocess.check_output(
        [sys.executable, "-c", OF_A_WORKER],
        env=os.environ | worker.variables() | {"MKL_VERBOSE": "1", "ONEDNN_VERBOSE": "1"},
        text=True,
    )
    assert re.search(r"cpu,isa:Intel AVX2\n", made)
    assert set(re.findall(r"CNR:(\w+)", made)) == {"COMPATIBLE"}
    kernels, found = json.loads(made.splitlines()[-1])
    assert kernels == "loops AVX2, oneDNN AVX2, MKL COMPATIBLE"
    # Made on an AMD processor with AVX-512, which gives other digits when it is let to.
    wanted = {"DLDL": 0.396847169, "DeepLDLForest": 0.469227905, "DeepNDFLDL": 0.533681484}
    assert found == pytest.approx(wanted, abs=2e-9)


# Bad input and parameters


@needs_torch
@pytest.mark.parametrize("model", MODELS)
def test_bad_input_names_the_place(model):
    def put(row, column, value):
        D = scenes.D.copy()
        D[row, column] = value
        return D

    for X, D, message in (
        (scenes.X, put(3, 2, np.nan), "D contains NaN at row 3, column 2"),
        (scenes.X, put(5, 0, -0.1), "row 5, column 0 is -0.1"),
        (scenes.X, put(5, slice(None), 0), "D row 5 is all zero"),
        (scenes.X, scenes.D[:, :1], "1 label: .*at least 2"),
        (scenes.X, None, "requires y"),
        (scenes.X[:-1], scenes.D, r"inconsistent numbers of samples: \[59, 60\]"),
        (scenes.X[:1], scenes.D[:1], "1 sample"),
        (scenes.X[:0], scenes.D[:0], "0 sample"),
        (scenes.X, np.eye(4)[np.full(60, 2)], "label 2 .* in each of 60 rows: one class"),
        (scenes.X[..., 0], scenes.D, "grey"),
    ):
        with pytest.raises(ValueError, match=message):
            small(model).fit(X, D)
    with pytest.raises(NotFittedError):
        small(model).predict(scenes.X)
    with pytest.raises(ValueError, match="0 sample"):
        small(model).fit(scenes.X, scenes.D).predict(scenes.X[:0])


@needs_torch
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trunk", "resnet"),
        ("size", 8),
        ("epochs", 0),
        ("batch_size", 0),
        ("learning_rate", 0),
        ("momentum", 1),
        ("weight_decay", -1),
        ("optimizer", "rmsprop"),
        ("schedule", "steps"),
        ("validation_fraction", 1.0),
        ("device", "tpu"),
        ("depth", 1),
        ("leaf_iter", 0),
    ],
)
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=rf"{name}( must be .*got |=){re.escape(repr(value))}"):
        small(DeepLDLForest, **{name: value}).fit(scenes.X, scenes.D)


@needs_torch
def test_too_few_outputs_state_the_rule():
    with pytest.raises(ValueError, match=r"depth=4 has 2\^\(depth-1\) - 1 = 7 split.*5 must be 7"):
        small(DeepLDLForest, depth=4).fit(scenes.X, scenes.D)


# The head of trees


def head(depth=3, c=3, n=20, seed=0, by_turns=False):
    """A head in float64 with random leaves, f (n, t) and labels (n, c)."""
    from ldlrepro.models.deep._heads import Trees
    from ldlrepro.models.trees._differentiable import index_functions

    rng = np.random.default_rng(seed)
    splits = 2 ** (depth - 1) - 1
    phi = index_functions(np.random.RandomState(seed), 2, depth, splits + 2)
    trees = Trees(4, c, phi, True, by_turns).double()
    trees.leaves.copy_(torch.as_tensor(rng.dirichlet(np.ones(c), (2, splits + 1))))
    F = torch.as_tensor(rng.normal(size=(n, trees.outputs.out_features)))
    return trees, F, torch.as_tensor(rng.dirichlet(np.ones(c), n))


@needs_torch
@pytest.mark.parametrize("depth", [2, 3, 5])
def test_mixtures_and_loss_are_those_of_the_twin(depth):
    trees, F, D = head(depth)
    of_twin = F.numpy().T, trees.phi.numpy(), trees.leaves.numpy()
    g = trees.mixtures(F, slice(None)).numpy()
    np.testing.assert_allclose(g.transpose(0, 2, 1), naive.forest(*of_twin), rtol=1e-12)
    np.testing.assert_allclose(trees.predict(F), g.mean(axis=0), rtol=1e-12)
    loss = naive.loss(*of_twin, D.numpy().T) / (2 * len(D))
    assert trees.loss(F, D, None).item() == pytest.approx(loss, rel=1e-12)


@needs_torch
@pytest.mark.parametrize("depth", [2, 4])
def test_gradient_is_eq_6_and_that_of_finite_differences(depth):
    trees, F, D = head(depth, n=5)
    F.requires_grad_()
    trees.loss(F, D, None).backward()
    of_twin = F.detach().numpy().T, trees.phi.numpy(), trees.leaves.numpy()
    slope = naive.slope(*of_twin, D.numpy().T).T / (2 * len(D))
    np.testing.assert_allclose(F.grad.numpy(), slope, rtol=1e-9, atol=1e-14)
    assert torch.autograd.gradcheck(lambda f: trees.loss(f, D, None), (F,))


@needs_torch
@pytest.mark.parametrize("model", MODELS)
def test_gradient_of_the_whole_network(model):
    """Of the loss of a mini-batch by weights of the trunk and of the head."""
    fitted = small(model, epochs=1).fit(scenes.X, scenes.D)
    network = fitted.network_.double().train()
    X, D = scenes.X[:6], torch.as_tensor(scenes.D[:6])
    network.trunk.forward = lambda x, forward=network.trunk.forward: forward(x.double())

    def loss():
        return network.head.loss(network(X), D, np.random.RandomState(0))

    loss().backward()
    for weights in (network.trunk.blocks[1].first.weight, network.head.outputs.weight):
        place = np.unravel_index(int(weights.grad.abs().flatten().argmax()), weights.shape)
        values, e = [], 1e-6
        with torch.no_grad():
            for change in (e, -2 * e):
                weights[place] += change
                values.append(loss().item())
            weights[place] += e
        slope = (values[0] - values[1]) / (2 * e)
        assert slope == pytest.approx(weights.grad[place].item(), rel=1e-4)


@needs_torch
def test_leaf_update_is_eq_12():
    trees, F, D = head(4)
    weights = np.random.default_rng(1).integers(1, 4, len(D)).astype(float)
    expected = trees.leaves.numpy()
    for _ in range(3):
        expected = [
            naive.leaf_update(F.numpy().T, o, q, D.numpy().T, weights)
            for o, q in zip(trees.phi.numpy(), expected, strict=True)
        ]
    trees.update(F.numpy().copy(), D.numpy() * weights[:, None], 3)
    np.testing.assert_allclose(trees.leaves.numpy(), expected, rtol=1e-9, atol=1e-15)


@needs_torch
def test_trees_by_turns_take_one_at_a_time_and_share_no_output():
    trees, F, D = head(by_turns=True)
    F.requires_grad_()
    losses = {round(trees.loss(F, D, np.random.RandomState(s)).item(), 12) for s in range(9)}
    assert len(losses) == 2
    trees.loss(F, D, np.random.RandomState(0)).backward()
    used = F.grad.abs().sum(dim=0) > 0
    assert used.sum() == trees.phi.shape[1]
    phi = DeepNDFLDL(3, depth=4).index_functions(None)
    assert phi.shape == (3, 7) and len(np.unique(phi)) == 21


SHALLOW = {"depth": 4, "n_outputs": 16, "leaf_batches": 10, "leaf_iter": 5, "random_state": 0}
IDENTITY = SHALLOW | {
    "trunk": None,
    "optimizer": "sgd",
    "schedule": None,
    "weight_decay": 0.0,
    "refresh": True,
    "n_iter_no_change": 1000,
}


@needs_torch
def test_without_a_trunk_it_is_the_shallow_forest():
    both = {"learning_rate": 1.0, "batch_size": 1000, "validation_fraction": 0.0}
    shallow = LDLForest(3, max_iter=40, scale=None, **SHALLOW, **both).fit(toy.X, toy.D)
    deep = DeepLDLForest(3, epochs=40, **IDENTITY, **both).fit(toy.X, toy.D)
    np.testing.assert_array_equal(deep.network_.head.phi, shallow.trees_.phi)
    np.testing.assert_allclose(deep.loss_curve_, shallow.loss_curve_, atol=1e-5)
    P = deep.predict(toy.X_test)
    np.testing.assert_allclose(P, shallow.predict(toy.X_test), atol=1e-5)


@needs_torch
def test_without_a_trunk_mini_batches_are_those_of_the_shallow_forest(monkeypatch):
    """Mini-batches of both from one list; the deep one's first update takes each row once."""
    from ldlrepro.models.deep._training import Trainer
    from ldlrepro.models.trees._differentiable import _Learner

    n, steps = len(toy.X), 45
    rng = np.random.default_rng(0)
    drawn = [np.sort(rng.permutation(n)[:50]) for _ in range(steps)]
    first, later = np.array_split(np.arange(n), 10), iter(drawn)

    def draw(learner):
        rows = first.pop() if first else next(later)
        learner.counts[rows] += 1
        return rows

    monkeypatch.setattr(_Learner, "draw", draw)
    monkeypatch.setattr(Trainer, "draw", lambda trainer: drawn)
    both = {"learning_rate": 1.0, "batch_size": 50, "validation_fraction": 0.0}
    shallow = LDLForest(3, max_iter=steps, scale=None, **SHALLOW, **both).fit(toy.X, toy.D)
    deep = DeepLDLForest(3, epochs=1, **IDENTITY, **both).fit(toy.X, toy.D)
    np.testing.assert_allclose(deep.predict(toy.X_test), shallow.predict(toy.X_test), atol=1e-5)
    assert deep.loss_curve_[0] * n == pytest.approx(50 * shallow.loss_curve_.sum(), rel=1e-5)


# The training loop


@needs_torch
@pytest.mark.parametrize(
    "model", [DeepLDLForest, *(pytest.param(m, marks=pytest.mark.slow) for m in (DLDL, DeepNDFLDL))]
)
def test_images_are_learned(model):
    scenes = make_scenes(360, size=16)
    more = {"epochs": 12, "learning_rate": 0.01, "augment": False}
    fitted = small(model, **more).fit(scenes.X[:300], scenes.D[:300])
    P = fitted.predict(scenes.X[300:])
    assert P.shape == (60, 4) and P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-6)
    mean = MeanPredictor().fit(np.zeros((300, 1)), scenes.D[:300]).predict(np.zeros((60, 1)))
    assert kl_divergence(scenes.D[300:], P) < 0.6 * kl_divergence(scenes.D[300:], mean)
    assert fitted.loss_curve_[-1] < fitted.loss_curve_[0]
    assert fitted.best_iter_ == 1 + int(fitted.validation_curve_.argmin())


@needs_torch
@pytest.mark.parametrize("model", MODELS)
def test_same_seed_same_numbers_and_torch_as_it_was(model):
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    one, two, other = (
        small(model, random_state=seed).fit(scenes.X, scenes.D).predict(scenes.X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert np.abs(one - other).max() > 1e-6
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), state)


@needs_torch
@pytest.mark.parametrize("model", MODELS)
def test_pickles_and_clones(model):
    fitted = small(model, epochs=1).fit(scenes.X, scenes.D)
    P = fitted.predict(scenes.X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(scenes.X), P)
    np.testing.assert_array_equal(clone(fitted).fit(scenes.X, scenes.D).predict(scenes.X), P)


@needs_torch
def test_rows_that_do_not_sum_to_1_are_normalised_with_a_warning():
    with pytest.warns(NormalisationWarning, match="60 of 60"):
        P = small(DLDL, epochs=1).fit(scenes.X, 2 * scenes.D).predict(scenes.X)
    same = small(DLDL, epochs=1).fit(scenes.X, scenes.D).predict(scenes.X)
    np.testing.assert_allclose(P, same, atol=1e-6)


def case(name, path):
    """A model whose kept mini-batches are not used up at the end of an epoch."""
    more = {"refresh": True} if "fresh" in name else {}
    if "sgd" in name:
        more = {"optimizer": "sgd", "learning_rate": 0.05}
    return small(getattr(ldlrepro, name.split()[0]), epochs=4, checkpoint=path, **more)


def assert_goes_on(name, path):
    """A fit from the checkpoint gives the bits of one that was not interrupted."""
    resumed = case(name, path).fit(scenes.X, scenes.D)
    whole = case(name, None).fit(scenes.X, scenes.D)
    assert resumed.n_iter_ == whole.n_iter_ == 4
    np.testing.assert_array_equal(resumed.loss_curve_, whole.loss_curve_)
    np.testing.assert_array_equal(resumed.validation_curve_, whole.validation_curve_)
    states = (fitted.network_.state_dict() for fitted in (resumed, whole))
    for one, two in zip(*(state.values() for state in states), strict=True):
        assert torch.equal(one, two)
    np.testing.assert_array_equal(resumed.predict(scenes.X), whole.predict(scenes.X))


_KILLED = """
import os, sys
sys.path.insert(0, {tests!r})
from test_deep import case, scenes
from ldlrepro.models.deep import _training
write = _training.write_whole
def write_then_die(path, state):
    write(path, state)
    if state["progress"][0] == 2:
        os.kill(os.getpid(), 9)
_training.write_whole = write_then_die
case("DeepLDLForest", {path!r}).fit(scenes.X, scenes.D)
"""


@needs_torch
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.slow
def test_a_killed_fit_goes_on_bit_for_bit(tmp_path):
    path = str(tmp_path / "checkpoint.pt")
    code = _KILLED.format(tests=os.path.dirname(__file__), path=path)
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert os.listdir(tmp_path) == ["checkpoint.pt"]
    assert_goes_on("DeepLDLForest", path)


@needs_torch
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("DLDL", "DeepLDLForest fresh")),
        *("DLDL sgd", "DeepNDFLDL"),
    ],
)
def test_a_fit_that_was_stopped_goes_on_bit_for_bit(name, tmp_path, monkeypatch):
    from ldlrepro.models.deep import _training

    write, path = _training.write_whole, tmp_path / "checkpoint.pt"

    def write_then_stop(path, state):
        write(path, state)
        if state["progress"][0] == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_training, "write_whole", write_then_stop)
        case(name, path).fit(scenes.X, scenes.D)
    assert_goes_on(name, path)


@needs_torch
def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    path = tmp_path / "checkpoint.pt"
    small(DLDL, epochs=1, checkpoint=path).fit(scenes.X, scenes.D)
    for model, X in ((small(DLDL, epochs=2), scenes.X), (small(DLDL, epochs=1), scenes.X[::-1])):
        with pytest.raises(ValueError, match=r"checkpoint\.pt is of other data or other settings"):
            model.set_params(checkpoint=path).fit(X, scenes.D)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"checkpoint\.pt cannot be read.*Delete the file"):
        small(DLDL, epochs=1, checkpoint=path).fit(scenes.X, scenes.D)


@needs_torch
def test_a_checkpoint_knows_the_state_of_a_generator(tmp_path):
    path, expected = tmp_path / "checkpoint.pt", small(DLDL, epochs=2, random_state=3)
    expected = expected.fit(scenes.X, scenes.D).loss_curve_
    for _ in range(2):  # the second goes on from what the first wrote
        rng = np.random.RandomState(3)
        model = small(DLDL, epochs=2, checkpoint=path, random_state=rng).fit(scenes.X, scenes.D)
        assert len(model.loss_curve_) == len(expected)
    with pytest.raises(ValueError, match="other settings"):
        model.set_params(random_state=np.random.RandomState(4)).fit(scenes.X, scenes.D)


@needs_torch
def test_only_public_weights_bring_their_channels():
    from ldlrepro.models.deep import _training

    rows = np.arange(10)
    own = _training.channels(scenes.X, rows, False)
    assert np.allclose(own[0], scenes.X[rows].mean(axis=(0, 1, 2)) / 255)
    assert _training.channels(scenes.X, rows, True)[0] == (0.485, 0.456, 0.406)


@needs_torch
def test_a_write_that_fails_leaves_the_former_checkpoint(tmp_path, monkeypatch):
    from ldlrepro.models.deep._training import write_whole

    write_whole(tmp_path / "c.pt", {"a": 1})

    def fail(state, file):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OSError, match="no space"):
        write_whole(tmp_path / "c.pt", {"a": 2})
    assert os.listdir(tmp_path) == ["c.pt"]
    assert torch.load(tmp_path / "c.pt", weights_only=True) == {"a": 1}


@needs_torch
def test_early_stopping_keeps_the_best_epoch():
    rng = np.random.default_rng(0)  # nothing to learn
    D = rng.dirichlet(np.ones(4), 60)
    model = small(DLDL, epochs=40, n_iter_no_change=3, schedule=None, learning_rate=0.01)
    model.fit(scenes.X, D)
    assert model.n_iter_ == model.best_iter_ + 3 < 40
    held_out = np.sort(np.random.RandomState(0).permutation(60)[:6])
    best = kl_divergence(D[held_out], model.predict(scenes.X[held_out]))
    assert best == pytest.approx(model.validation_curve_.min(), rel=1e-6)


@needs_torch
@pytest.mark.parametrize("model", MODELS)
def test_divergence_is_reported_and_the_best_weights_are_kept(model):
    fast = small(model, optimizer="sgd", learning_rate=1e30, schedule=None, epochs=4)
    with pytest.warns(ConvergenceWarning, match=r"diverged in epoch \d.*lower learning_rate"):
        fast.fit(scenes.X, scenes.D)
    P = fast.predict(scenes.X)
    assert np.isfinite(P).all() and fast.n_iter_ < 4


@needs_torch
def test_predictions_that_are_no_numbers_are_divergence_too():
    """Weights that give a finite loss on mini-batches, and none on the held-out rows."""
    from ldlrepro.models.deep import _training

    fast = small(DLDL, optimizer="sgd", learning_rate=1e2, schedule=None, epochs=6)
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            _training.Network,
            "predict",
            lambda self, X, rows=None: asked.append(0) or np.full((len(rows), 4), np.nan),
        )
        with pytest.warns(ConvergenceWarning, match="diverged in epoch 1: .* epoch 0 are kept"):
            fast.set_params(validation_fraction=0.2).fit(scenes.X, scenes.D)
    assert len(asked) == 1 and fast.n_iter_ == 0 and not len(fast.loss_curve_)
    assert np.isfinite(fast.predict(scenes.X)).all()


@needs_torch
def test_one_row_to_train_on_is_an_error():
    with pytest.raises(ValueError, match="validation_fraction=0.5 leaves 1 of 2 rows"):
        small(DLDL, validation_fraction=0.5).fit(scenes.X[:2], scenes.D[:2])


@needs_torch
def test_without_a_trunk_the_weights_at_the_start_come_from_the_seed():
    X = scenes.X.reshape(len(scenes.X), -1)[:, :20].astype(float)

    def predicted(seed, state):
        torch.manual_seed(state)
        model = small(DLDL, trunk=None, random_state=seed)
        return model.fit(X, scenes.D).predict(X)

    np.testing.assert_array_equal(predicted(0, 0), predicted(0, 1))
    assert not np.array_equal(predicted(0, 0), predicted(1, 0))


@needs_torch
def test_zeros_in_the_labels_are_learned():
    D = np.eye(4)[scenes.D.argmax(axis=1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for model in MODELS:
            fitted = small(model).fit(scenes.X, D)
            assert np.isfinite(fitted.loss_curve_).all()
            assert np.isfinite(fitted.predict(scenes.X)).all()


# Trunks


@needs_torch
@pytest.mark.parametrize(
    ("name", "size", "weights"),
    # Without the last layer; with one for 1000 labels the known 61.1 and 138.4 million.
    [
        ("small", 64, 307_536),
        ("alexnet", 63, 57_003_840),
        pytest.param("vgg16", 32, 134_260_544, marks=pytest.mark.slow),
    ],
)
def test_trunks_have_their_layers(name, size, weights):
    from ldlrepro.models.deep._trunks import make_trunk

    trunk = make_trunk(name)
    assert sum(p.numel() for p in trunk.parameters()) == weights
    with torch.no_grad():
        assert trunk.eval()(torch.zeros(1, 3, size, size)).shape == (1, trunk.width)


@pytest.mark.slow
@needs_torch
@pytest.mark.parametrize("model", MODELS)
def test_large_pictures_and_alexnet_under_each_head(model):
    pictures = make_scenes(4, size=128, random_state=0)
    for trunk in ("small", "alexnet"):
        fitted = small(model, trunk=trunk, size=128, epochs=1).fit(pictures.X, pictures.D)
        P = fitted.predict(pictures.X)
        assert P.shape == pictures.D.shape
        np.testing.assert_allclose(P.sum(axis=1), 1)
    assert fitted.network_.trunk.width == 4096


@needs_torch
@pytest.mark.slow
def test_weights_come_from_a_file_and_another_trunk_s_are_refused(tmp_path):
    from ldlrepro.models.deep._trunks import make_trunk

    path, trunk = tmp_path / "weights.pt", make_trunk("alexnet")
    last = {"classifier.6.weight": torch.zeros(1000, 4096), "classifier.6.bias": torch.zeros(1000)}
    torch.save(trunk.state_dict() | last, path)
    again = make_trunk("alexnet", path)
    assert all(
        torch.equal(a, b) for a, b in zip(trunk.parameters(), again.parameters(), strict=True)
    )
    with pytest.raises(ValueError, match="not those of trunk='small': stem.weight is missing"):
        small(DLDL, weights=path).fit(scenes.X, scenes.D)
    torch.save({"code": os.system}, path)
    with pytest.raises(ValueError, match="cannot be read"):
        make_trunk("alexnet", path)
    with pytest.raises(ValueError, match="trunk is None"):
        DLDL(trunk=None, weights=path).fit(toy.X, toy.D)
