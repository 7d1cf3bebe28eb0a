"""Compiled kernels on disk: numba's cache, made to see kernels that import one another.

numba takes a compiled kernel for fresh while the kernel's own file is the same, and does not see a
change in a kernel called from it. Here it is fresh while no file of this folder has changed.
"""

import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from numba.core.caching import FunctionCache, NullCache

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_STAMP = sha256(b"\0".join(path.read_bytes() for path in _SOURCES)).hexdigest()
_compiling = []  # files of the kernels under way, each called by the one before it
_told = set()


class _Telling:
    """Tells whoever sits before a terminal what there is to wait for, once a file.

    numba asks a cache when a kernel meets new types of arguments, not at every call.
    """

    def load_overload(self, sig, target_context):
        found = None
        with suppress(OSError):
            found = super().load_overload(sig, target_context)
        if found is None:
            if not _compiling and self.file not in _told and sys.stderr and sys.stderr.isatty():
                _told.add(self.file)
                print(f"ldlrepro: compiling {self.file}, {self.how_often}", file=sys.stderr)
            _compiling.append(self.file)
        return found

    def save_overload(self, sig, data):
        _compiling.pop()
        with suppress(OSError):  # a full disk costs the next process its time, not this one its fit
            super().save_overload(sig, data)


class _Kept(_Telling, FunctionCache):
    how_often = "once"

    def __init__(self, function):
        super().__init__(function)
        # The version is what numba looks at first; where it differs, old code is overwritten.
        self._cache_file._version = f"{self._cache_file._version} {_STAMP}"


class _NotKept(_Telling, NullCache):
    how_often = "in every process: no folder to keep it in can be written"


def cache_of(function):
    """The cache of a kernel; one that keeps nothing where numba has none to offer."""
    try:
        if not _SOURCES:  # inside an archive: changes would not be seen
            raise FileNotFoundError
        cache = _Kept(function)
    except Exception:  # no folder can be written, or numba's inner parts have moved
        cache = _NotKept()
    cache.file = f"{function.__module__.replace('.', '/')}.py"
    return cache
