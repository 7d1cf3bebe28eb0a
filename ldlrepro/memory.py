"""How much memory is free, how much a process took, and refusals of what cannot fit."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from ldlrepro.errors import TooLargeError

_LIMITS = Path("/sys/fs/cgroup")  # of a container


def free():
    """Bytes that a process may still take; where the system does not say, all that there are."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable"))
        found.append(int(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):  # "max" where there is no limit
        limit = int((_LIMITS / "memory.max").read_text())
        found.append(limit - int((_LIMITS / "memory.current").read_text()))
    return min(found)


def check_square(model, n, matrices):
    """Refuse a fit that holds some matrices of n x n float64 numbers where they do not fit.

    Raises
    ------
    TooLargeError
        Naming the method, what it would take, what is free, and how many rows would fit.
    """
    needed, there = 8 * matrices * n**2, free()
    if needed > there:
        rows = int((there / (8 * matrices)) ** 0.5)
        raise TooLargeError(
            f"{type(model).__name__} with {n} rows holds {matrices} matrices of {n} x {n} numbers "
            f"at a time, {needed / 2**30:.1f} GiB, and {there / 2**30:.1f} GiB are free: take at "
            f"most {rows} rows, or a method whose memory is linear in the rows (StructRF, SABFGS)."
        )


def peak(code, *arguments, limit=None):
    """Run Python code in a new process of its own.

    Parameters
    ----------
    code : str
        Run with ``held()``, the largest memory so far in bytes, and ``report(**values)``, which is
        to be called once.
    arguments : str
        Its ``sys.argv[1:]``.
    limit : float
        Seconds until it is stopped, or None.

    Returns
    -------
    (values, bytes)
        The values that it reported, as text, and the largest memory that it held. A child inherits
        the peak of the process that starts it in what the operating system counts for it; Linux
        keeps that of the program alone beside.

    Raises
    ------
    subprocess.TimeoutExpired, subprocess.CalledProcessError
    """
    command = [sys.executable, "-c", _CHILD + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    values = dict(pair.split("=", 1) for pair in done.stdout.splitlines()[-1].split(";"))
    return values, int(values.pop("peak"))


_CHILD = """
import resource, sys
from pathlib import Path

def held():
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

def report(**values):
    print(";".join(f"{name}={value}" for name, value in (values | {"peak": held()}).items()))

"""
