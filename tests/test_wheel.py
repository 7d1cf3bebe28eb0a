"""An installed wheel, outside any checkout: what it has and what it can do."""

import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from ldlrepro.datasets import list as list_data
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.protocols import read

ROOT = Path(__file__).resolve().parents[1]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("hatchling"), reason="hatchling is not installed"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run Python with the wheel's package, in an empty folder."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    (folder / "empty").mkdir()

    def with_wheel(*arguments, **variables):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder / "empty",
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(folder / "site")} | variables,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return with_wheel


def test_it_is_the_wheel_that_runs(run):
    assert "wheel" in run("-c", "import ldlrepro; print(ldlrepro.__file__)")


def test_its_types_are_offered(run):
    assert (
        run("-c", "from ldlrepro import paths; print((paths.PACKAGE / 'py.typed').is_file())")
        == "True\n"
    )


def test_it_has_every_record_that_compare_reads(run):
    count = (
        "from ldlrepro import paths\n"
        "from ldlrepro.papers.comparison import experiments as c\n"
        "from ldlrepro.protocols import read\n"
        "for e in (c.TABLES, c.MULTILABEL):\n"
        "    print(len(read(c.PAPER, e, root=paths.shipped_results())))\n"
    )
    here = [len(read(comparison.PAPER, e)) for e in (comparison.TABLES, comparison.MULTILABEL)]
    assert min(here) > 500
    assert [int(line) for line in run("-c", count).split()] == here


def test_status_knows_the_records(run):
    told = run("-m", "ldlrepro.cli", "status", "comparison")
    assert "comparison: 0 of" not in told and "folds done" in told


@pytest.mark.skipif(
    (list_data().set_index("name").at_hand[["SJAFFE"]] == "no").all(),
    reason="s-JAFFE is not at hand",
)
def test_a_method_of_a_file_stands_beside_stored_ones(run, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "class Mine:\n"
        "    def fit(self, X, D):\n        self.mean = D.mean(axis=0)\n"
        "    def predict(self, X):\n        return np.tile(self.mean, (len(X), 1))\n"
    )
    command = ["-m", "ldlrepro.cli", "compare", f"{tmp_path / 'mine.py'}:Mine"]
    told = run(*command, "--dataset", "s-JAFFE", "--out", str(tmp_path / "page.html"))
    assert "Mine against the others" in told and "StructRF" in told
    assert (tmp_path / "page.html").stat().st_size > 100_000
