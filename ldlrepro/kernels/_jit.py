"""The one decorator of the kernels: compiled, cached on disk, without the interpreter lock."""

from numba import njit


def kernel(function):
    """Compile ``function`` with numba (nogil, disk cache, IEEE arithmetic)."""
    return njit(function, nogil=True, cache=True)
