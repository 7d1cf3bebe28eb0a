"""CUDA made to repeat itself. No record depends on it: they are made on CPUs."""

import os
import warnings
from contextlib import contextmanager

from ldlrepro.models.deep._packages import device_of, needed


@contextmanager
def repeatable(device):
    """Inside, CUDA computes the same bits each time, as a CPU does; then torch is as before.

    But for the gradient of the average pooling of "alexnet" and "vgg16", of which torch 2.11 has no
    such kernel.
    """
    torch = needed("torch")
    if device_of(device).type == "cpu":
        yield
        return
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # torch asks for it
    before = torch.are_deterministic_algorithms_enabled()
    only_warned = torch.is_deterministic_algorithms_warn_only_enabled()
    try:
        torch.use_deterministic_algorithms(True, warn_only=True)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*does not have a deterministic implementation")
            yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=only_warned)
