"""Compiled kernels on disk: numba's cache, made to see kernels that import one another.

numba takes a compiled kernel for fresh while the kernel's own file is the same, and does not see a
change in a kernel called from it. Here it is fresh while no file of this folder has changed.

Processes take turns at a kernel: one compiles it, and the others wait and read what it kept. Two
that save at a time could also overwrite each other's entries in numba's index.
"""

import os
import sys
import time
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from zlib import crc32

from numba.core import event
from numba.core.caching import FunctionCache, NullCache

try:
    import fcntl
except ImportError:  # Windows: each process compiles for itself
    fcntl = None

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_STAMP = sha256(b"\0".join(path.read_bytes() for path in _SOURCES)).hexdigest()
_SECONDS = "a family of methods takes up to about 20 seconds"
_told = False
#: Seconds that a process waits for its turn. Then it compiles as well: the other may be suspended.
_PATIENCE = 120


class _Telling:
    """Tells whoever sits before a terminal what there is to wait for, once a process.

    numba asks a cache when a kernel meets new types of arguments, not at every call. Nothing is
    told in notebooks, whose outputs are kept, or where errors go to a file.
    """

    def load_overload(self, sig, target_context):
        global _told
        found = super().load_overload(sig, target_context)
        if found is not None:
            return found
        if not _told and sys.stderr and sys.stderr.isatty():
            _told = True
            print(f"ldlrepro: compiling {self.how_often} ({_SECONDS}) ...", file=sys.stderr)
        return None


class _InTurn(FunctionCache):
    """A cache that processes share. numba calls it under its own lock: one thread at a time."""

    def __init__(self, function):
        super().__init__(function)
        # The version is what numba looks at first; where it differs, old code is overwritten.
        self._cache_file._version = f"{self._cache_file._version} {_STAMP}"
        # The one that is locked, in a file for all kernels.
        self._byte = crc32(self._cache_file._index_name.encode())

    def load_overload(self, sig, target_context):
        found = self._load(sig, target_context)
        if found is None:
            self._take_turn()
            found = self._load(sig, target_context)
            if found is not None:
                self.end_turn()
        return found

    def save_overload(self, sig, data):
        with suppress(OSError):  # a full disk costs the next process its time, not this one its fit
            super().save_overload(sig, data)
        self.end_turn()

    def _load(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            pass
        except Exception:  # cut short by a full disk or a kill: as if it were not there
            with suppress(OSError):
                self._cache_file.flush()
        return None

    def _take_turn(self):
        """Wait until no other process compiles this kernel, and keep others from it.

        A kernel is waited for after those that call it, so that no two wait for each other.
        """
        end = time.monotonic() + _PATIENCE
        while not self._has_turn() and time.monotonic() < end:
            time.sleep(0.02)

    def _has_turn(self):
        if fcntl is None:
            return True
        try:
            self._impl.locator.ensure_cache_path()
            how = fcntl.LOCK_EX | fcntl.LOCK_NB
            fcntl.lockf(_lock_file(self._cache_path), how, 1, self._byte)
        except BlockingIOError:
            return False
        except OSError:  # no file to lock: it need not wait
            pass
        return True

    def end_turn(self):
        """Let others compile this kernel, as the end of the process would."""
        if fcntl is not None:
            with suppress(OSError):
                fcntl.lockf(_lock_file(self._cache_path), fcntl.LOCK_UN, 1, self._byte)


@lru_cache
def _lock_file(folder):
    # Stays open: to close it would end all turns of this process.
    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(Path(folder, "kernels.lock"), flags, 0o666)


class _Kept(_Telling, _InTurn):
    how_often = "once for this machine"


class _EndOfTurn(event.Listener):
    """An error or Ctrl-C ends a turn: the process may live on."""

    def on_start(self, event):
        pass

    def on_end(self, event):
        kernel, types = event.data["dispatcher"], event.data["args"]
        if isinstance(kernel._cache, _Kept) and tuple(types) not in kernel.overloads:
            kernel._cache.end_turn()


event.register("numba:compile", _EndOfTurn())


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
