"""The packages of the extra ``deep``: imported when they are needed, and named where missing."""

from contextlib import contextmanager
from importlib import import_module

from ldlrepro.errors import MissingPackageError, command_for
from ldlrepro.threads import one_at_a_time


def needed(package):
    """Import a package of the extra; MissingPackageError with the command where it is missing."""
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackageError(
            f"Deep models need {package.split('.')[0]}, which cannot be imported ({error}): "
            f"{command_for('deep')}; the README says how to get the small build for the CPU."
        ) from error


@one_at_a_time
@contextmanager
def own_state(n_threads):
    """Inside, torch has ``n_threads`` threads and random numbers of its own; then as before.

    Both belong to the whole process: fits in several threads take turns.
    """
    torch = needed("torch")
    before = torch.get_num_threads()
    try:
        with torch.random.fork_rng():
            torch.set_num_threads(n_threads)
            yield
    finally:
        torch.set_num_threads(before)


def device_of(name):
    """The torch device for "auto" (CUDA where there is one), "cpu", "cuda" or "cuda:1".

    Raises
    ------
    ValueError
        No such device here.
    """
    torch = needed("torch")
    there = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda" if there else "cpu")
    if name != "cpu" and not (str(name).startswith("cuda") and there):
        raise ValueError(
            f"device={name!r} is not to be had here: use 'auto' or 'cpu'"
            + (", or 'cuda'." if there else "; torch sees no CUDA device.")
        )
    return torch.device(name)
