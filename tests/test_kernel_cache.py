"""Compiled kernels on disk: fresh while no kernel has changed, and not needed."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ldlrepro

PACKAGE = Path(ldlrepro.__file__).parent
INNER = """
from ldlrepro.kernels._jit import kernel

@kernel
def inner(x):
    return x + 1.0
"""
OUTER = """
from ldlrepro.kernels._jit import kernel
from ldlrepro.kernels.inner import inner

@kernel
def outer(x):
    return 10.0 * inner(x)
"""
CALL = """
import io, sys

class Terminal(io.StringIO):
    def isatty(self):
        return True

sys.stderr = Terminal()
from ldlrepro.kernels.outer import outer
value = outer(2.0)
print(value, sum(outer.stats.cache_hits.values()), sys.stderr.getvalue().replace("\\n", ";"))
"""


def python(code, folder, **more):
    """Output and error output of a process that imports from ``folder``."""
    env = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | more
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.fixture
def kernels(tmp_path):
    """Folder with two kernel files, one calling the other."""
    kernels = tmp_path / "ldlrepro" / "kernels"
    kernels.mkdir(parents=True)
    for name in ("_jit.py", "_cache.py"):
        shutil.copy(PACKAGE / "kernels" / name, kernels)
    files = {"../__init__.py": "", "__init__.py": "", "inner.py": INNER, "outer.py": OUTER}
    for name, text in files.items():
        (kernels / name).write_text(text)
    return kernels


@pytest.fixture
def two_kernels(kernels, tmp_path):
    """A function that runs them in a process, and returns value, hits and what was told."""

    def run(inner=INNER, jit=None):
        (kernels / "inner.py").write_text(inner)
        if jit is not None:
            (kernels / "_cache.py").write_text(jit)
        return python(CALL, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))[0].split(" ", 2)

    return run


def test_a_change_in_an_imported_kernel_is_seen(two_kernels):
    told = "ldlrepro: compiling once for this machine (a family of methods takes up to about 20"
    told += " seconds) ...;"
    assert two_kernels() == ["30.0", "0", told]
    assert two_kernels() == ["30.0", "1"]
    changed = INNER.replace("1.0", "2.0")
    assert two_kernels(changed) == ["40.0", "0", told]
    assert two_kernels(changed) == ["40.0", "1"]


def test_who_does_not_sit_at_a_terminal_is_told_nothing(kernels, tmp_path):
    code = "from ldlrepro.kernels.outer import outer; print(outer(2.0))"
    assert python(code, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == ("30.0", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "before, after",
    [
        ("import FunctionCache", "import no_such_name, FunctionCache"),
        ("_cache_file._version", "_cache_file._no_such_name"),
    ],
)
def test_without_numbas_inner_parts_nothing_is_kept(two_kernels, before, after):
    text = (PACKAGE / "kernels" / "_cache.py").read_text()
    assert before in text
    for _ in range(2):
        assert two_kernels(jit=text.replace(before, after))[:2] == ["30.0", "0"]


@pytest.mark.slow
def test_without_a_folder_to_write_kernels_are_compiled(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "ldlrepro", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "ldlrepro" / "kernels" / "__pycache__").touch()  # a file: root could write a folder
    nowhere = {name: str(file / "x") for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
    code = (
        "import numpy as np, ldlrepro; from ldlrepro.metrics import kendall;"
        "from ldlrepro.kernels.ranking import tau_b;"
        "D = np.array([[.1, .2, .7]]); print(round(kendall(D, D), 9), tau_b.stats.cache_path)"
    )
    assert python(code, tmp_path, **nowhere) == ("1.0 None", "")


@pytest.mark.parametrize(
    "pattern, share",
    [
        ("*.nbi", 0),
        ("*.nbc", 0.5),
        pytest.param("*.nbi", 0.5, marks=pytest.mark.slow),
        pytest.param("*.nbc", 0, marks=pytest.mark.slow),
    ],
)
def test_code_that_is_cut_short_is_missing(two_kernels, tmp_path, pattern, share):
    """A full disk or a kill leaves such files: they are compiled again, and kept."""
    two_kernels()
    cut = list((tmp_path / "cache").rglob(pattern))
    for path in cut:
        os.truncate(path, int(path.stat().st_size * share))
    assert cut and two_kernels()[:2] == ["30.0", "0"]
    assert two_kernels() == ["30.0", "1"]


#: A process that begins to compile, and lets another ask for the same kernel meanwhile.
BUSY = """
import os, time
from pathlib import Path
from numba.core import event
from ldlrepro.kernels.outer import outer

class Compiling(event.Listener):
    def on_start(self, _):
        Path("begun").touch()
        while not Path("asked").exists():
            time.sleep(0.01)
        time.sleep(0.5)
        {then}

    def on_end(self, _):
        pass

with event.install_listener("numba:compile", Compiling()):
    try:
        outer(2.0)
    except KeyboardInterrupt:
        time.sleep(60)
"""
ASK = f"from pathlib import Path; Path('asked').touch(){CALL}"


@pytest.mark.skipif(sys.platform == "win32", reason="no turns there")
@pytest.mark.parametrize(
    "then, hits",
    [("pass", "1"), ("raise KeyboardInterrupt", "0"), ("os.kill(os.getpid(), 9)", "0")],
    ids=["to its end", "until Ctrl-C", "until it is killed"],
)
def test_processes_take_turns_to_compile(kernels, tmp_path, then, hits):
    """The second reads what the first has compiled, and compiles where the first did not."""
    variables = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", BUSY.format(then=then)]
    first = subprocess.Popen(command, cwd=tmp_path, env=os.environ | variables)
    try:
        while not (tmp_path / "begun").exists():
            assert first.poll() is None
            time.sleep(0.01)
        second, _ = python(ASK, tmp_path, NUMBA_CACHE_DIR=variables["NUMBA_CACHE_DIR"])
        assert second.split(" ")[:2] == ["30.0", hits]
    finally:
        first.kill()
        first.wait()
