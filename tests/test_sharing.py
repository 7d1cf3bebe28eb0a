"""How processes share the tests: see conftest.py."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ONE = """
import os, pathlib, pytest

@pytest.mark.parametrize("i", range(4))
def test_one(i):
    with open("seen", "a") as file:
        file.write(f"{__name__} {os.environ['PYTEST_XDIST_WORKER']}\\n")
"""


def test_a_group_stays_in_one_process_and_the_long_ones_begin(tmp_path):
    here = Path(__file__).with_name("conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(here, encoding="utf-8")
    names = ["test_age", "test_claims", "test_contract", "test_deep", "test_ldlf", "test_report"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(ONE)
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--no-loadscope-reorder"]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = [line.split() for line in (tmp_path / "seen").read_text().splitlines()]
    workers = defaultdict(set)
    for name, worker in seen:
        workers["chapters" if name in ("test_claims", "test_report") else name].add(worker)
    assert len(workers) == 5 and all(len(there) == 1 for there in workers.values())
    assert len(set.union(*workers.values())) == 2
    assert {name for name, _ in seen[:4]} <= {"test_claims", "test_report", "test_contract"}
