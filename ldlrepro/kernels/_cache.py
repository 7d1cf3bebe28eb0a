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
_SECONDS = "a family of methods takes up to about 20 seconds"
_told = False


class _Telling:
    """Tells whoever sits before a terminal what there is to wait for, once a process.

    numba asks a cache when a kernel meets new types of arguments, not at every call. Nothing is
    told in notebooks, whose outputs are kept, or where errors go to a file.
    """

    def load_overload(self, sig, target_context):
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except OSError:
            pass
        except Exception:  # cut short by a full disk or a kill: as if it were not there
            with suppress(OSError):
                self._cache_file.flush()
        if found is None:
            self._tell()
        return found

    def save_overload(self, sig, data):
        with suppress(OSError):  # a full disk costs the next process its time, not this one its fit
            super().save_overload(sig, data)

    def _tell(self):
        global _told
        if not _told and sys.stderr and sys.stderr.isatty():
            _told = True
            print(f"ldlrepro: compiling {self.how_often} ({_SECONDS}) ...", file=sys.stderr)


class _Kept(_Telling, FunctionCache):
    how_often = "once for this machine"

    def __init__(self, function):
        super().__init__(function)
        # The version is what numba looks at first; where it differs, old code is overwritten.
        self._cache_file._version = f"{self._cache_file._version} {_STAMP}"


class _NotKept(_Telling, NullCache):
    how_often = "in every process, since no folder to keep the code in can be written"


def cache_of(function):
    """The cache of a kernel; one that keeps nothing where numba has none to offer."""
    try:
        if not _SOURCES:  # inside an archive: changes would not be seen
            raise FileNotFoundError
        return _Kept(function)
    except Exception:  # no folder can be written, or numba's inner parts have moved
        return _NotKept()
