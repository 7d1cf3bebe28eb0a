"""Every chapter runs with every data set that it lists as valid, and says what it cannot show.

The cells run in this process, on the committed records alone: nothing is fitted.
"""

import contextlib
import io
from functools import cache
from itertools import combinations
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import pytest

from ldlrepro import paths, protocols
from ldlrepro.papers import get_paper, paper_names
from ldlrepro.papers.structrf.tables import show_table_3
from ldlrepro.protocols import rounding
from ldlrepro.protocols.store import RecordStore
from ldlrepro.report import chapter
from ldlrepro.report.compare import family
from ldlrepro.report.html import NOTHING

CHAPTERS = sorted({p.stem for p in paths.NOTEBOOKS.glob("*.ipynb")} & set(paper_names()))
SETS = {name: chapter.data_sets(get_paper(name)) for name in CHAPTERS}
#: Sets that have few records, or none of some methods: what single sets broke on.
HARD = {
    "structrf": ["Human_Gene"],
    "ldlf": ["Natural_Scene"],
    "mldf": ["mediamill"],
    "adaboost_ldl": ["Natural_Scene"],
    "comparison": ["CAL500"],
    "mslp": ["Natural_Scene"],
}
#: Chapters that take longest: each night.
LONG = ("comparison", "ldlf", "mldf")
SINGLE = [(name, [d]) for name in CHAPTERS for d in SETS[name]]

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="records are committed")


def kinds(name):
    """A data set of each kind: sets that share rows are one."""
    return list({family(d): d for d in reversed(SETS[name])}.values())


PAIRS = [(name, list(pair)) for name in CHAPTERS for pair in combinations(kinds(name), 2)]


@pytest.fixture(scope="module", autouse=True)
def records_only():
    """Nothing is fitted, and what many chapters read is read once."""
    read_from_disk, spreads = RecordStore.read, cache(rounding.spreads)

    @cache
    def kept(folder, measures, dataset, columns):
        return read_from_disk(RecordStore(folder, measures), dataset, columns)

    def read(self, dataset=None, columns=None):
        measures = tuple(c for c in self._numbers if not c.endswith("_seconds"))
        return kept(self.folder, measures, dataset, columns and tuple(columns)).copy()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocols, "run", lambda *_, **__: {})
        patch.setattr(RecordStore, "read", read)
        patch.setattr(rounding, "spreads", lambda *a: spreads(*a))
        yield
    plt.close("all")


@cache
def cells(name):
    made = nbformat.read(paths.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    # What a chapter teaches its method with hangs on no data set; nbval runs it.
    sources = [
        (i, c.source)
        for i, c in enumerate(made.cells)
        if c.cell_type == "code" and "method" not in c.metadata.get("tags", ())
    ]
    return [compile(source, f"{name}.ipynb, cell {i}", "exec") for i, source in sources]


def opened(name, datasets):
    """Names of a chapter after all of its cells have run with some data sets, and what it said."""
    declared, *rest = cells(name)
    names, said = {"__name__": "__main__"}, io.StringIO()
    exec(declared, names)
    names["datasets"] = datasets
    with contextlib.redirect_stdout(said):
        for cell in rest:
            exec(cell, names)
            plt.close("all")
    return names, said.getvalue()


def one(name, datasets):
    names, _ = opened(name, datasets)
    assert names["chapter"].wanted == datasets
    assert set(names["chapter"].tables.dataset) <= set(datasets)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in LONG)) for n in CHAPTERS]
)
def test_a_chapter_runs_with_a_set_of_few_records(name):
    one(name, HARD.get(name, SETS[name][:1]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, datasets", SINGLE, ids=lambda v: v if isinstance(v, str) else v[0])
def test_a_chapter_runs_with_every_single_set(name, datasets):
    one(name, datasets)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name, datasets", PAIRS, ids=lambda v: v if isinstance(v, str) else "-".join(v)
)
def test_a_chapter_runs_with_every_pair_of_kinds(name, datasets):
    one(name, datasets)


def test_a_table_without_rows_says_so():
    paper = get_paper("structrf")
    none = protocols.open_store(paper, paper.experiment("times")).read("no such set")
    shown = show_table_3(SimpleNamespace(records={"times": none}, names={})).data
    assert NOTHING in shown and "training s, printed" in shown
