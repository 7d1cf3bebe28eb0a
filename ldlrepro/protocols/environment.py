"""The machine that makes numbers: how it is fixed, and how it is named.

The last digits of a sum depend on the order of its terms, and BLAS and numpy choose theirs by the
processor, as numba does when it turns a loop into vector instructions, and torch in its loops, its
convolutions (oneDNN) and its products (MKL). Optimisers that stop before they converge carry such
digits into the third one. So workers run with one set of kernels, that of x86 processors with AVX2,
and with loops compiled for one of them, unless the variables below are set already.
"""

import os
import platform
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import joblib
import numpy as np
from threadpoolctl import threadpool_info

from ldlrepro.errors import LdlreproError

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "ldlrepro")
#: Those that numbers from images depend on besides.
OF_IMAGES = ("torch", "pillow")
BLAS_KERNELS = "Haswell"
#: Loops are compiled for this processor, with the features that it has and no more.
NUMBA_CPU = "haswell"
NUMBA_FEATURES = "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse4.1,+sse4.2"
_LOOPS = {"NUMBA_CPU_NAME": NUMBA_CPU, "NUMBA_CPU_FEATURES": NUMBA_FEATURES}
#: What else moves the digits of loops, as numba has it where nobody sets it: no record names these.
_COMPILER = {
    "NUMBA_OPT": "3",
    "NUMBA_LOOP_VECTORIZE": "1",
    "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_ENABLE_AVX": "1",
    "NUMBA_DISABLE_JIT": "0",
}
#: MKL takes no other set by its name on processors of every maker; its products here are small.
TORCH_KERNELS = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",
}
_X86 = ("x86_64", "AMD64")


class KernelsError(LdlreproError):
    """A process whose kernels no record could name."""


def fixed() -> dict[str, str]:
    """Environment variables that fix kernels and compiled loops in a new process.

    Empty off x86, on processors without AVX2, and where this process has these kernels. A variable
    that is set keeps its value, but for numba's that no record names.

    Raises
    ------
    KernelsError
        A processor for loops without its features, or features without a processor: numba takes
        the missing half from the machine, so that each machine would make other digits.
    """
    if not fixable():
        return {}
    wanted = dict(TORCH_KERNELS) if find_spec("torch") else {}
    loops = {name: os.environ[name] for name in _LOOPS if name in os.environ}
    if not loops.items() <= _LOOPS.items() and len(loops) < len(_LOOPS):
        (there,), (missing,) = loops, _LOOPS.keys() - loops.keys()
        raise KernelsError(
            f"{there} is set to {loops[there]!r}, but {missing} is not set: numba would take it "
            f"from this machine, and the last digits with it. Set both, or unset {there}."
        )
    wanted |= _LOOPS
    if any(i["internal_api"] == "openblas" and _kernels(i) for i in threadpool_info()):
        wanted["OPENBLAS_CORETYPE"] = BLAS_KERNELS
    if wider_features():
        wanted["NPY_DISABLE_CPU_FEATURES"] = wider_features()
    wanted = {name: value for name, value in wanted.items() if name not in os.environ}
    return wanted | {
        n: value for n, value in _COMPILER.items() if os.environ.get(n, value) != value
    }


def fixable() -> bool:
    """Whether this is an x86 processor that can run the fixed kernels."""
    return platform.machine() in _X86 and bool({"AVX2", "X86_V3"} & set(_numpy_features()))


def wider_features() -> str:
    """Features of numpy beyond AVX2 that this process uses, as numpy wants them named."""
    found = _numpy_features()
    return " ".join(name for name in found if name.startswith("AVX512") or name == "X86_V4")


def _kernels(info):
    return info.get("architecture") != BLAS_KERNELS


def _numpy_features():
    return np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])


@lru_cache
def versions(images: bool = False, packages: tuple[str, ...] = ()) -> dict[str, str]:
    """Versions of Python and of the packages that numbers depend on, from images too.

    ``packages`` are more of them, on which a method of another package depends.
    """
    packages = (*PACKAGES, *(OF_IMAGES if images else ()), *packages)
    return {"python": platform.python_version()} | {p: version(p) for p in packages}


def missing(packages: Iterable[str]) -> list[str]:
    """Those of some packages that are not installed."""
    return [name for name in packages if not _is_installed(name)]


def _is_installed(package):
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


@lru_cache
def machine() -> str:
    """Processor and number of cores of this machine."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            name = next(line.split(":")[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        pass
    return f"{name}, {joblib.cpu_count()} cores, {platform.system()}"


def blas() -> str:
    """Name, version and kernel set of each BLAS in this process."""
    found = {
        " ".join(filter(None, (i["internal_api"], i.get("version"), i.get("architecture"))))
        for i in threadpool_info()
        if i["user_api"] == "blas"
    }
    return ", ".join(sorted(found))


@lru_cache
def cpu() -> dict[str, str]:
    """Vector features that numpy dispatches to, and the processor that numba compiles for."""
    from llvmlite import binding

    own = binding.get_host_cpu_features()
    vector = [
        n for n, there in own.items() if there and n.startswith(("avx", "fma", "neon", "sve"))
    ]
    return {
        "numpy": " ".join(_numpy_features()),
        "numba": os.environ.get("NUMBA_CPU_NAME", binding.get_host_cpu_name()),
        # Set to nothing is a choice too: loops without any vectors.
        "features": os.environ.get("NUMBA_CPU_FEATURES", " ".join(sorted(vector))),
    }


def torch_kernels() -> str:
    """Vector features of torch's loops, and what bounds those of its libraries."""
    import torch

    loops = torch.backends.cpu.get_cpu_capability()
    convolutions, products = (
        os.environ.get(name) or "own" for name in ("ONEDNN_MAX_CPU_ISA", "MKL_CBWR")
    )
    return f"loops {loops}, oneDNN {convolutions}, MKL {products}"


def maker(images: bool = False, packages: tuple[str, ...] = ()) -> dict:
    """What a record says of the process that made it, from images or not.

    Parameters
    ----------
    images : bool
        Whether it is made from images.
    packages : tuple of str
        Packages that a method brings along, as `versions` takes them.

    Returns
    -------
    dict
        Versions, machine, blas and cpu.
    """
    kernels = cpu() | ({"torch": torch_kernels()} if images or "torch" in packages else {})
    return {
        "versions": versions(bool(images), packages),
        "machine": machine(),
        "blas": blas(),
        "cpu": kernels,
    }
