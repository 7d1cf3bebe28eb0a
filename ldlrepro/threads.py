"""Threads of BLAS and torch inside a fit or a prediction.

No mark of a record counts this module (see `protocols.source`): records are made by processes
whose BLAS has one thread.
"""

import os
from contextlib import contextmanager
from functools import cache, wraps
from threading import Lock, RLock

import numpy as np
from threadpoolctl import ThreadpoolController

#: Numbers in X up to which BLAS has one thread: its products are small then, and threads wait for
#: each other longer than they save, the more of them there are.
SMALL = 1_000_000


class _OneThread:
    """BLAS with one thread in the whole process, from the first that enters to the last to leave.

    Fits in several threads overlap: each would note the limit of another as what was there before,
    and put that back.
    """

    def __init__(self):
        self._inside, self._before = 0, []
        self.renew()

    def renew(self):
        """Forget who holds the lock: in a forked process, where that thread is not."""
        self._lock = Lock()

    @contextmanager
    def held(self):
        """Hold the limit."""
        with self._lock:
            if not self._inside:
                self._before = [(one, one.num_threads) for one in _libraries()]
                _set((one, 1) for one, _ in self._before)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    _set(self._before)


def _set(numbers):
    """Set (library, number of threads); who leaves last need not be who entered first.

    threadpoolctl lets only the thread that set a limit of OpenBLAS set another: it is told that
    none does.
    """
    for library, number in numbers:
        release = getattr(library, "clear_controlling_thread", lambda force: None)
        release(force=True)
        library.set_num_threads(number)
        release(force=True)


@contextmanager
def one_blas_thread(X):
    """Give BLAS one thread inside, where X has no more than `SMALL` numbers.

    Sums of BLAS then have the order that they have in records, whatever the number of cores.
    """
    if np.size(X) > SMALL:
        yield
        return
    with _BLAS.held():
        yield


@contextmanager
def one_thread():
    """Give BLAS and OpenMP one thread inside, whatever the data.

    OpenMP's limit is that of the thread which sets it: fits that overlap do not share it.
    """
    _libraries.cache_clear()  # the user's classes may have loaded others
    with ThreadpoolController().select(user_api="openmp").limit(limits=1), _BLAS.held():
        yield


def one_at_a_time(context):
    """Decorator of a context that changes the whole process: one thread is inside, others wait."""
    lock = RLock()

    @wraps(context)
    @contextmanager
    def alone(*arguments, **keywords):
        with lock, context(*arguments, **keywords) as inside:
            yield inside

    return alone


@cache
def _libraries():
    """Those of BLAS at the first fit; to look for them takes longer than a small prediction."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


_BLAS = _OneThread()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_BLAS.renew)
