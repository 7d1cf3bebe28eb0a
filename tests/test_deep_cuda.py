"""Deep models on a CUDA device against the same on the CPU; skipped where there is none."""

import gc
import pickle

import numpy as np
import pytest
from test_deep import MODELS, case, scenes, small

from ldlrepro import DLDL
from ldlrepro.datasets import make_scenes

try:
    import torch
except ImportError:
    torch = None

pytestmark = pytest.mark.skipif(
    torch is None or not torch.cuda.is_available(), reason="torch sees no CUDA device"
)


@pytest.fixture(autouse=True)
def whole_floats(monkeypatch):
    """Without TF32, whose products of 10 bits are farther from those of a CPU."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


@pytest.mark.parametrize("model", MODELS)
def test_training_begins_as_on_the_cpu(model):
    """Same weights, mini-batches and leaves: later epochs drift apart by rounding."""
    on_cpu, on_cuda = (
        small(model, epochs=1, device=device).fit(scenes.X, scenes.D) for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(on_cuda.loss_curve_, on_cpu.loss_curve_, rtol=1e-3)
    np.testing.assert_allclose(on_cuda.predict(scenes.X), on_cpu.predict(scenes.X), atol=0.02)


@pytest.mark.parametrize("model", MODELS)
def test_a_fitted_model_is_on_the_cpu_and_predicts_on_both(model):
    fitted = small(model, device="auto").fit(scenes.X, scenes.D)
    assert {value.device.type for value in fitted.network_.state_dict().values()} == {"cpu"}
    copy = pickle.loads(pickle.dumps(fitted)).set_params(device="cpu")
    np.testing.assert_allclose(copy.predict(scenes.X), fitted.predict(scenes.X), atol=1e-5)


def test_a_fit_leaves_no_memory_taken():
    taken = []
    for _ in range(3):  # the first takes what torch's own libraries keep
        small(DLDL, device="cuda").fit(scenes.X, scenes.D).predict(scenes.X)
        gc.collect()
        taken.append(torch.cuda.memory_allocated())
    assert taken[1] == taken[2]


def test_auto_is_cuda_and_its_generator_is_left_as_it_was():
    torch.cuda.reset_peak_memory_stats()
    peak, state = torch.cuda.max_memory_allocated(), torch.cuda.get_rng_state()
    small(DLDL, device="auto").fit(scenes.X, scenes.D)
    assert torch.cuda.max_memory_allocated() > peak
    assert torch.equal(torch.cuda.get_rng_state(), state)


@pytest.mark.parametrize("trunk", ["alexnet", "vgg16"])
def test_large_trunks(trunk):
    """They warn of nothing, and differ from fit to fit by rounding at most."""
    pictures = make_scenes(12, size=80, random_state=0)
    one, two = (
        small(DLDL, device="cuda", trunk=trunk, size=80, epochs=2, learning_rate=1e-5)
        .fit(pictures.X, pictures.D)
        .predict(pictures.X)
        for _ in range(2)
    )
    np.testing.assert_allclose(one, two, atol=1e-4)


@pytest.mark.parametrize("later", ["cuda", "cpu"])
@pytest.mark.parametrize("name", ["DLDL", "DeepLDLForest", "DeepLDLForest fresh", "DeepNDFLDL"])
def test_a_stopped_fit_goes_on_here_or_on_a_cpu(name, later, tmp_path, monkeypatch):
    from ldlrepro.models.deep import _training

    write, path = _training.write_whole, tmp_path / "checkpoint.pt"

    def write_then_stop(path, state):
        write(path, state)
        if state["progress"][0] == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_training, "write_whole", write_then_stop)
        case(name, path).set_params(device="cuda").fit(scenes.X, scenes.D)
    resumed = case(name, path).set_params(device=later).fit(scenes.X, scenes.D)
    whole = case(name, None).set_params(device="cuda").fit(scenes.X, scenes.D)
    assert resumed.n_iter_ == whole.n_iter_ == 4
    if later == "cuda":
        np.testing.assert_array_equal(resumed.loss_curve_, whole.loss_curve_)
        np.testing.assert_array_equal(resumed.predict(scenes.X), whole.predict(scenes.X))
    np.testing.assert_allclose(resumed.loss_curve_, whole.loss_curve_, rtol=0.02)
