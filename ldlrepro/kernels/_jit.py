"""The one decorator of the kernels: compiled, cached on disk, without the interpreter lock."""

from functools import partial

from numba import njit

try:
    from ldlrepro.kernels._cache import cache_of
except ImportError:  # numba's inner parts have moved: compiled in every process, never stale
    cache_of = None

try:
    from numba.core.options import DefaultOptions

    _UNCOUNTED = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}
except ImportError:  # the same: slower
    _UNCOUNTED = {}


def kernel(function=None, **options):
    """Compile ``function`` with numba (nogil, disk cache, IEEE arithmetic unless options say)."""
    if function is None:
        return partial(kernel, **options)
    compiled = njit(function, nogil=True, **options)
    if cache_of is not None:
        compiled._cache = cache_of(function)  # as numba's own enable_caching does
    return compiled


#: A kernel for the loops of others, compiled into them: around a call they would count references
#: to their arrays, which takes longer than the call.
part = kernel(forceinline=True)

#: A kernel that makes no array and no view of one, and so need not count references to those that
#: it gets: at small nodes of trees, the counting takes a fifth of the time.
bare = partial(kernel, error_model="numpy", **_UNCOUNTED)
