"""Threads of BLAS inside a fit or a prediction.

No mark of a record counts this module (see `protocols.source`): records are made by processes
whose BLAS has one thread.
"""

from contextlib import contextmanager
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

#: Numbers in X up to which BLAS has one thread: its products are small then, and threads wait for
#: each other longer than they save, the more of them there are.
SMALL = 1_000_000


@contextmanager
def one_blas_thread(X):
    """Give BLAS one thread inside, where X has no more than `SMALL` numbers.

    Sums of BLAS then have the order that they have in records, whatever the number of cores.
    """
    if np.size(X) > SMALL:
        yield
        return
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries():
    """Those loaded at the first fit; looking for them takes longer than a small prediction."""
    return ThreadpoolController()
