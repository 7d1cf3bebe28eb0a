"""Folders for files that last no longer than a process."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ldlrepro.protocols.store import fcntl, locked

_PREFIX, _LOCK = "ldlrepro-", "lock"
#: Seconds after which a folder without a holder is nobody's: one that is being made has none yet.
_OLD = 60


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder of this process; those that killed processes left are removed."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        with locked(Path(folder) / _LOCK):
            yield Path(folder)


def _sweep(place):
    """Remove our folders that no process holds: the lock of a dead one is free."""
    if fcntl is None:
        return
    for lock in place.glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError):
            there = lock.parent.lstat()
            if there.st_uid != os.geteuid() or time.time() - there.st_mtime < _OLD:
                continue
            handle = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent)
            finally:
                os.close(handle)
