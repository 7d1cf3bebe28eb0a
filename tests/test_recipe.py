"""CONTRIBUTING's pattern of a small paper runs, and a chapter says which method it lacks."""

import re
import sys

import execute
import matplotlib.pyplot as plt
import nbformat
import pytest

from ldlrepro import papers, paths, protocols, published
from ldlrepro.report.chapter import COMMON, Chapter

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="not installed")
ROOT = paths.PACKAGE.parent


@pytest.fixture
def pattern(tmp_path, monkeypatch):
    """The chapter of the recipe's paper, with made-up printed numbers, as the registry finds it."""
    recipe = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Add a paper")[1]
    experiments, chapter = re.findall(r"^```python\n(.*?)^```$", recipe, re.S | re.M)
    folder = tmp_path / "papers" / "plainknn"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "experiments.py").write_text(experiments, encoding="utf-8")
    (folder / "chapter.py").write_text(chapter, encoding="utf-8")
    head = re.search(r"`(table,dataset,[a-z,]+)`", recipe)[1]
    cells = [
        f"{table},{dataset},{method},{measure},0.5,0.1,,"
        for table, dataset in ((1, "SJAFFE"), (2, "Yeast_spoem"))
        for method in ("AA-kNN", "PT-Bayes")
        for measure in ("chebyshev", "kl_divergence", "cosine")
    ]
    (tmp_path / "plainknn.csv").write_text("\n".join([head, *cells]))
    ids = ("beats-bayes", "faster-than-bayes", "million-rows")
    head = re.search(r"`(id,section,[a-z,]+)`", recipe)[1]
    claims = [f"{name},4; Table 1,A claim called {name},,yes" for name in ids]
    (tmp_path / "plainknn_claims.csv").write_text("\n".join([head, *claims]))
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path / "papers")])
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    monkeypatch.setattr(paths, "quick_results", lambda: tmp_path / "quick")
    yield papers.get_chapter("plainknn")
    for name in [name for name in sys.modules if name.startswith("ldlrepro.papers.plainknn")]:
        del sys.modules[name]
    plt.close("all")


def test_the_pattern_of_the_recipe_runs(pattern, capsys):
    protocols.run(pattern.paper, profile="quick", progress=False)
    chapter = pattern("quick")
    chapter.show(*chapter.known())
    assert set(COMMON) < set(chapter.known())
    verdicts = chapter.claims.set_index("id").verdict
    assert verdicts["million-rows"] == "not tested"
    assert verdicts["faster-than-bayes"] != "not tested"  # seconds decide which of the others
    assert set(chapter.findings()) == set(published.claims("plainknn").id)
    assert chapter.is_own("AA-kNN") and not chapter.is_own("PT-Bayes")


@pytest.mark.parametrize("name", ["judge", "answer", "findings"])
def test_a_chapter_says_which_method_it_lacks(name):
    class Bare(Chapter):
        paper = papers.get_paper("structrf")

    with pytest.raises(NotImplementedError, match=rf"Bare in papers/structrf.*no {name}\(self\)"):
        getattr(Bare(), name)()


def test_execute_keeps_outputs_and_no_times(tmp_path):
    path = tmp_path / "one.ipynb"
    cell = nbformat.v4.new_code_cell("1 + 1")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    execute.execute(path)
    (done,) = nbformat.read(path, as_version=4).cells
    assert done.outputs[0]["data"]["text/plain"] == "2" and not done.metadata
