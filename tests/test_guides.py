"""The code of the guides runs as it stands, block after block, in an empty folder."""

import os
import re
import subprocess
import sys

import pytest

from ldlrepro import datasets, paths
from ldlrepro.errors import DataUnavailableError

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="pages are not installed")
BOOK = paths.PACKAGE.parent / "book"
GUIDES = ("your_data", "add_method")
_BLOCK = re.compile(
    r"^```(?:(python|bash)|\{code-block\} python\n:caption: (\S+)\n)\n(.*?)^```", re.S | re.M
)
#: The command of this checkout.
_COMMAND = 'ldlrepro() { "$PYTHON" -m ldlrepro.cli "$@"; }\nset -e\n'


def needs(text):
    """Registered data sets that a block names."""
    return re.findall(r"--dataset (\S+)", text)


def at_hand(name):
    try:
        return bool(datasets.load(name))
    except DataUnavailableError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_runs(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = (BOOK / f"{guide}.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(text)
    assert len(blocks) == text.count("```") / 2 >= 4  # none is passed over
    names = {"__name__": guide}
    for language, file, code in blocks:
        if file:
            (tmp_path / file).write_text(code)
        elif language == "python":
            exec(compile(code, guide, "exec"), names)
        elif all(map(at_hand, needs(code))):
            environment = os.environ | {
                "PYTHON": sys.executable,
                "PYTHONPATH": str(paths.PACKAGE.parent),
            }
            done = subprocess.run(
                ["bash", "-c", _COMMAND + code], capture_output=True, text=True, env=environment
            )
            assert done.returncode == 0, done.stderr
            assert "removed" in done.stdout  # the table of skill


def test_every_page_with_code_of_ours_is_run():
    def has_python(page):
        return "```python" in page.read_text(encoding="utf-8")

    pages = {page.stem for page in BOOK.glob("*.md") if has_python(page)}
    assert pages - {"datasets"} == set(GUIDES)  # that one loads real data
