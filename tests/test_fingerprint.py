"""Which edits of the code, and of a declaration, make which records stale."""

import ast
import shutil
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from ldlrepro import AAKNN, SABFGS, MeanPredictor
from ldlrepro.base import LDLEstimator
from ldlrepro.datasets import registry
from ldlrepro.declare import Experiment, Method
from ldlrepro.papers import get_paper, paper_names
from ldlrepro.protocols import fingerprint as code
from ldlrepro.protocols import source
from ldlrepro.protocols.fingerprint import fingerprint, of_data, of_function, of_method

Unit = namedtuple("Unit", "paper experiment method dataset form")


def units():
    """Every declared (experiment, method, data set), with the form of its data."""
    for name in paper_names():
        paper = get_paper(name)
        for experiment in paper.experiments:
            for dataset in experiment.datasets:
                realigned = experiment.source == "realigned" or dataset == "Natural_Scene"
                form = "realigned" if realigned else "real"
                for method in experiment.methods:
                    yield Unit(paper, experiment, method, dataset, form)


UNITS = list(units())


def marks():
    """The mark of each unit, put together as `fingerprint` does, each half computed once."""
    code.clear()
    methods, data = {}, {}
    for u in UNITS:
        method, form = (id(u.experiment), id(u.method)), (id(u.experiment), u.dataset, u.form)
        if method not in methods:
            methods[method] = of_method(u.method, u.experiment.folds, u.experiment)
        if form not in data:
            data[form] = of_data(u.dataset, u.form, u.experiment.images)
        yield f"{methods[method]}.{data[form]}"


@pytest.fixture(scope="module")
def before():
    found = list(marks())
    for u, mark in list(zip(UNITS, found, strict=True))[::50]:
        assert mark == fingerprint(u.method, u.experiment.folds, u.experiment, u.dataset, u.form)
    return found


#: What was read of modules that are as they were.
READ = {}


def kept(function, copies):
    """``function(module, ...)`` of a module without a changed copy is called once for all tests."""

    def once(*key):
        if key[0] in copies:
            return function(*key)
        if (function, key) not in READ:
            READ[function, key] = function(*key)
        return READ[function, key]

    once.cache_clear = function.cache_clear
    return once


@pytest.fixture
def edit(tmp_path, monkeypatch):
    """Let the fingerprint read a changed copy of a module in place of its file."""
    path_of, copies = source.path_of, {}

    def changed(name):
        return copies.get(name) or path_of(name)

    changed.cache_clear = path_of.cache_clear
    monkeypatch.setattr(source, "path_of", changed)
    for name in ("module", "digest", "reads"):
        monkeypatch.setattr(source, name, kept(getattr(source, name), copies))

    def edited(module, old, new):
        own = Path(changed(module))
        text = own.read_text(encoding="utf-8")
        assert old in text, f"{module} has no {old!r} any more"
        copy = tmp_path / module / own.name  # a package is told by the name of its file
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(text.replace(old, new), encoding="utf-8")
        copies[module] = str(copy)
        code.clear()

    yield edited
    monkeypatch.undo()
    code.clear()


# --- which records depend on what, told by their declarations ----------------------------------


def everything(unit):
    return True


def of_images(unit):
    return bool(unit.experiment.images)


def of_features(unit):
    return not of_images(unit)


def nothing(unit):
    return False


def uses(*names):
    """The estimator, or one in its parameters, is of one of these classes."""

    def has(estimator):
        inner = [v for v in estimator.get_params(deep=False).values() if hasattr(v, "get_params")]
        return type(estimator).__name__ in names or any(map(has, inner))

    return lambda unit: has(unit.method.estimator)


def measured_by(name):
    return lambda unit: name in unit.experiment.measures


def chooses(unit):
    return bool(unit.method.grid)


def read_from(*ends):
    def files(unit):
        if unit.form == "realigned" and unit.dataset != "image":
            return [registry.realigned(unit.dataset).file]
        return [entry.file for entry in registry.parts(unit.dataset)]

    return lambda unit: any(f.endswith(ends) for f in files(unit))


def hold_outs(unit):
    return unit.experiment.test_share is not None


def grouped(unit):
    return unit.experiment.groups is not None


METRICS = "ldlrepro.metrics"
JOB, SPLIT, SELECTION, RUNNER, STORE = (
    f"ldlrepro.protocols.{name}" for name in ("job", "split", "selection", "runner", "store")
)
LOADING, READERS, FILES, REGISTRY = (
    f"ldlrepro.datasets.{name}" for name in ("loading", "readers", "files", "registry")
)

#: What is edited: (module, text, its replacement, which records depend on it).
REAL = {
    "seed + fold": (JOB, "1000 * experiment.seed", "experiment.seed", everything),
    "one seed": (JOB, "=seed_of(experiment, fold)", "=0", everything),
    "fewer rows": (JOB, ".fit(X[fitted]", ".fit(X[train]", everything),
    "scored elsewhere": (JOB, "truth[test], P", "truth[train], P", everything),
    "name to measure": (METRICS, "globals()[name]", 'globals()["cosine"]', everything),
    "folds": (
        SPLIT, "shuffle=True", "shuffle=False", lambda u: not (hold_outs(u) or grouped(u))
    ),
    "hold-outs": (SPLIT, "round(0.1 * (n", "round(0.2 * (n", hold_outs),
    "folds of groups": (SPLIT, "max(1, round(", "max(2, round(", grouped),
    "what a job takes for groups": (JOB, "data[experiment.groups]", "data.person", grouped),
    "drawn rows": (
        SPLIT, ".choice(n, n)", ".choice(n, n - 1)", lambda u: u.experiment.replacement
    ),
    "choice": (SELECTION, "return min(", "return max(", chooses),
    "sums of D squared": (
        LOADING, "return D / sums[:, None]", "return D / sums[:, None] ** 2", everything
    ),
    "front door of the data": (
        LOADING, "resolve_entry(name)", "resolve_entry(name[::-1])", of_features
    ),
    "what a job loads": (JOB, "load(name, source)", "load(name)", of_features),
    "photographs": (
        "ldlrepro.datasets.images", "Resampling.BILINEAR", "Resampling.NEAREST", of_images
    ),
    "a .mat file": (READERS, '"data" in content', '"x" in content', read_from(".mat")),
    "an .arff file": (READERS, 'first.startswith("{")', "False", read_from(".arff")),
    "an .rda file": (READERS, "def _rda(path", "def _rda(path, k=1", read_from(".rda")),
    "image put right": (
        LOADING, "range(1, 2001, 400)", "range(1, 2001, 200)",
        lambda u: u.dataset == "image" and u.form == "realigned",
    ),
    "a kernel of a measure": (
        "ldlrepro.kernels.ranking", "agree / pairs", "2 * agree / pairs", measured_by("kendall")
    ),
    "a measure": (METRICS + "._ranking", "1 / np.log2", "2 / np.log2", measured_by("ndcg")),
    "the measure that chooses": (
        METRICS + "._distribution", "np.finfo(np.float64).eps", "1e-9",
        lambda u: chooses(u) or measured_by("kl_divergence")(u) or uses(*HELD_OUT)(u),
    ),
    "the way of a measure": (
        METRICS, 'Measure("macro_auc", True', 'Measure("macro_auc", False', uses("MLDFSuite")
    ),
    "a line search": (
        "ldlrepro.models.maxent._lbfgs", "_TRIALS = ", "_TRIALS = 1 + ",
        # The last two take SABFGS where they are given no learner.
        uses(
            *("SABFGS", "PackageBFGS", "LCLDL", "PublishedLCLDL", "LDLLCLR"),
            *("AdaBoostLDL", "BaggingLDL"),
        ),
    ),
    "a default parameter": (
        "ldlrepro.models.neighbors._aaknn", "n_neighbors=None, *", "n_neighbors=7, *",
        uses("AAKNN"),
    ),
    "two-means of a forest": (
        "ldlrepro.kernels.tree", "_KMEANS_ITER = ", "_KMEANS_ITER = 1 + ",
        uses("StructRF", "SingleLabelRF"),
    ),
    "checks of D": (
        "ldlrepro.validation", "return D / total", "return D * total",
        measured_by("kl_divergence"),  # not those of multi-label data
    ),
}  # fmt: skip

#: Learners that stop by the K-L of rows held out.
HELD_OUT = ("LDLForest", "NDFLDL", "LDLogitBoost", "AOSOLDLogitBoost", "AABP", "CPNN")

HARMLESS = {
    "an error class": ("ldlrepro.errors", "class ", "class E(Exception):\n    pass\n\n\nclass "),
    "words of an error": ("ldlrepro.validation", "remove the row or fill the value", "mend it"),
    "words of a warning": ("ldlrepro.validation", "normalised.", "divided."),
    "a wrapped line": (
        "ldlrepro.models.multilabel._base", "(self, X)", "(\n        self,\n        X,\n    )"
    ),
    "a remark": (JOB, "    fitted = np", "    # what is not tested\n    fitted = np"),
    "a docstring": (SPLIT, '"""Split n rows', '"""Cut n rows'),
    "a label": (METRICS, 'label="Macro-AUC"', 'label="macro AUC"'),
    "an unused function": ("ldlrepro.kernels.maxent", "@kernel", "def f():\n    pass\n\n\n@kernel"),
    "an unused import": (JOB, "import time\n", "import os\nimport time\n"),
    "the runner": (RUNNER, "kept += 1", "kept += 2"),
    "the store": (STORE, "sha256", "sha512"),
    "a download": (FILES, "ATTEMPTS = 3", "ATTEMPTS = 4"),
    "words on an unknown name": (REGISTRY, "Did you mean", "Perhaps"),
    "an annotation": (JOB, "fold: int) -> int:", "fold: float):"),
    "settings kept out": ("ldlrepro.entrance", '"assume_finite": False', '"assume_finite": True'),
    "what prints cells": ("ldlrepro.published", "return", "return  None or"),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_a_real_edit_makes_exactly_the_records_stale_that_depend_on_it(name, before, edit):
    module, old, new, depends = REAL[name]
    edit(module, old, new)
    changed = [a != b for a, b in zip(before, marks(), strict=True)]
    expected = [bool(depends(unit)) for unit in UNITS]
    assert any(expected)
    wrong = {
        (u.paper.name, u.experiment.name, u.method.name, "stale" if c else "fresh")
        for u, c, e in zip(UNITS, changed, expected, strict=True)
        if c != e
    }
    assert not wrong, sorted(wrong)[:10]


def test_harmless_edits_make_no_record_stale(before, edit):
    for one in HARMLESS.values():
        edit(*one)
    assert list(marks()) == before


def test_a_module_that_does_not_say_where_it_is_has_no_file(monkeypatch):
    monkeypatch.setitem(sys.modules, "made_by_hand", ModuleType("made_by_hand"))
    assert source.path_of("made_by_hand") is None
    assert source.path_of("nowhere_to_be_found") is None


def test_a_moved_definition_makes_no_record_stale(before, edit):
    """Functions may change their file, as long as they mean the same there."""
    text = Path(source.path_of(JOB)).read_text(encoding="utf-8")
    node = next(n for n in ast.parse(text).body if getattr(n, "name", "") == "seed_of")
    body = ast.get_source_segment(text, node)
    edit(JOB, body, "from ldlrepro.validation import seed_of\n")
    edit("ldlrepro.validation", "import numpy as np\n", f"import numpy as np\n\n\n{body}\n")
    assert list(marks()) == before


def test_a_name_that_stands_for_another_definition_counts(edit):
    """Both were reached before, and both are after: what a name means counts."""
    method = Method("kNN", AAKNN(), {"n_neighbors": [1, 2]})
    experiment = Experiment("e", (method,), ("SJAFFE",), measures=("cosine", "kl_divergence"))
    old = of_method(method, 10, experiment)
    edit(
        SELECTION,
        "import kl_divergence",
        "import cosine as kl_divergence",
    )
    assert of_method(method, 10, experiment) != old


def test_the_code_that_runs_counts_not_the_file_of_later(monkeypatch):
    """A process that stays while its files change runs the old code, and says so."""
    old = of_method(METHOD, 10, PLAIN)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "")
    code.clear()
    assert of_method(METHOD, 10, PLAIN) == old


# --- declarations --------------------------------------------------------------------------------

PLAIN = Experiment("e", (), ("SJAFFE",))
METHOD = Method("SA-BFGS", SABFGS())


def test_the_declaration_counts():
    found = {
        of_method(method, folds, experiment)
        for method, folds, experiment in (
            (METHOD, 10, PLAIN),
            (METHOD, 5, PLAIN),
            (replace(METHOD, estimator=SABFGS(301)), 10, PLAIN),
            (replace(METHOD, grid={"max_iter": [100, 300]}), 10, PLAIN),
            (replace(METHOD, grid={"max_iter": [100, 301]}), 10, PLAIN),
            (replace(METHOD, staged=(1,)), 10, PLAIN),
            (replace(METHOD, staged=(1, 2)), 10, PLAIN),
            (replace(METHOD, estimator=MeanPredictor()), 10, PLAIN),
            (METHOD, 10, replace(PLAIN, test_share=0.1)),
            (METHOD, 10, replace(PLAIN, test_share=0.2)),
            (METHOD, 10, replace(PLAIN, replacement=True)),
            (METHOD, 10, replace(PLAIN, measures=("cosine",))),
        )
    }
    assert len(found) == 12


def test_what_is_only_a_name_does_not_count():
    mark = of_method(METHOD, 10, PLAIN)
    assert of_method(replace(METHOD, name="BFGS-LDL", settings={"k": 1}), 10, PLAIN) == mark
    assert of_method(METHOD, 10, replace(PLAIN, name="f", datasets=(), methods=(METHOD,))) == mark
    assert of_method(METHOD, 10, replace(PLAIN, chosen_on="test")) == mark  # nothing to choose
    chosen = replace(METHOD, grid={"max_iter": [1, 2]})
    assert of_method(chosen, 10, PLAIN) != of_method(chosen, 10, replace(PLAIN, chosen_on="test"))
    held = replace(PLAIN, test_share=0.1)  # a hold-out does not depend on how many there are
    assert of_method(METHOD, 10, held) == of_method(METHOD, 1, held)


class Wrapping(LDLEstimator):
    """An estimator outside the package, around another."""

    def __init__(self, base):
        self.base = base


def test_code_of_an_estimator_inside_an_estimator_counts(edit):
    method = Method("wrapped", Wrapping(SABFGS()))
    old = of_method(method, 10, PLAIN)
    other = of_method(Method("wrapped", Wrapping(SABFGS(7))), 10, PLAIN)
    assert old != other
    edit("ldlrepro.kernels.maxent", " += ", " -= ")
    assert of_method(method, 10, PLAIN) != old


def test_code_of_an_estimator_outside_the_package_counts(edit):
    method = Method("wrapped", Wrapping(AAKNN()))
    old = of_method(method, 10, PLAIN)
    edit(Wrapping.__module__, "self.base = base", "self.base = base or None")
    assert of_method(method, 10, PLAIN) != old


def test_a_set_has_another_mark_in_each_form():
    assert of_data("image", "real") != of_data("image", "realigned")
    assert of_data("Natural_Scene", "realigned") != of_data("SJAFFE", "real")
    assert of_data("SJAFFE", "real") == of_data("Movie", "real")
    assert of_data("SJAFFE", "synthetic") not in (of_data("SJAFFE", "real"), "")


#: Studies of data that they make.
MADE = {"mslp toys"}


def test_a_study_counts_all_that_it_reaches(edit):
    papers = map(get_paper, paper_names())
    every = {f"{p.name} {s.name}": s.function for p in papers for s in p.studies}
    studies = [f for name, f in every.items() if name not in MADE]
    code.clear()
    old = [of_function(f) for f in studies]
    assert len(set(old)) == len(old) >= 6
    edit(LOADING, "return D / sums", "return 2 * D / sums")
    assert all(a != of_function(f) for a, f in zip(old, studies, strict=True))


# --- reading the source --------------------------------------------------------------------------


def meaning(text):
    return source.meaning(ast.parse(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x  =  (1)"),
        ("def f():\n    'a'\n    return 1", "def f():\n    return 1"),
        ("raise E('a')", "raise E(f'b {c}')"),
        ("warnings.warn('a')", "warnings.warn('b', W, stacklevel=2)"),
        ("x = 'a' 'b'", "x = 'ab'"),
        ("def f(a: int = 1) -> str: return a", "def f(a=1): return a"),
        ("m = Measure('a', label='A')", "m = Measure('a', label='B')"),
        ("def f():\n    check_parameter_types(x)\n    return 1", "def f():\n    return 1"),
        ("with a(), one_blas_thread(x):\n    f()", "with a():\n    f()"),
        ("with a(), repeatable(x):\n    f()", "with a():\n    f()"),
        ("@public\ndef f(): return 1", "def f(): return 1"),
        ("@b\n@public\ndef f(): return 1", "@b\ndef f(): return 1"),
        ("class A(NamesOut, B): x = 1", "class A(B): x = 1"),
    ],
)
def test_what_means_the_same(one, other):
    assert meaning(one) == meaning(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = 'a # b'", "x = 'a # c'"),
        ("raise E('a')", "raise F('a')"),
        ("raise E('a')", "E('a')"),
        ("f(label='a')", "f(label='b')"),
        ("def f(a=1): return a", "def f(a=2): return a"),
        ("x = y if a else b", "x = b if a else y"),
        ("f(*a)", "f(a)"),
        ("x = a < b", "x = a <= b"),
        ("x = a[1:]", "x = a[:1]"),
        ("def f():\n    check_finite(x)\n    return 1", "def f():\n    return 1"),
        ("def f():\n    a = check_parameter_types(x)\n    return 1", "def f():\n    return 1"),
        ("with a(), b():\n    f()", "with a():\n    f()"),
        ("with a(), one_blas_thread(x) as y:\n    f()", "with a():\n    f()"),
        ("with one_blas_thread(x):\n    f()", "with a():\n    f()"),
        ("@b\ndef f(): return 1", "def f(): return 1"),
        ("@public(2)\ndef f(): return 1", "def f(): return 1"),
        ("class A(C, B): x = 1", "class A(B): x = 1"),
    ],
)
def test_what_does_not_mean_the_same(one, other):
    assert meaning(one) != meaning(other)


NAMES = """
import ldlrepro.datasets
import ldlrepro.kernels.random as drawn
from ldlrepro import kernels, metrics
from ldlrepro.validation import check_finite, check_distributions as check
TABLE = {}
for k in range(3):
    TABLE[k] = check_finite
def local(check_finite):
    return [check for check in check_finite]
def through(A):
    return metrics.cosine(A, A)
def whole(name):
    return getattr(metrics, name)
def inside(A):
    return kernels.random.uniform(A)
def dotted(A):
    return ldlrepro.validation.check_finite(A)
def renamed(A):
    return drawn.uniform(A)
def nested():
    def inner(check):
        return check
    return inner, check
class C(Base := object):
    field: "check_finite" = 1
    def method(self):
        return TABLE, lambda TABLE: TABLE
"""


@pytest.fixture
def names(tmp_path, monkeypatch):
    (tmp_path / "names_of_a_test.py").write_text(NAMES)
    monkeypatch.syspath_prepend(str(tmp_path))
    code.clear()
    yield lambda name: source.uses("names_of_a_test", name)
    code.clear()


def test_names_are_followed_to_what_they_stand_for(names):
    validation = "ldlrepro.validation"
    assert names("local") == {}
    assert names("through") == {"metrics.cosine": (METRICS + "._distribution", "cosine")}
    # A file of a package that the package does not import itself.
    assert names("inside") == {"kernels.random.uniform": ("ldlrepro.kernels.random", "uniform")}
    assert names("renamed") == {"drawn.uniform": ("ldlrepro.kernels.random", "uniform")}
    assert names("dotted") == {"ldlrepro.validation.check_finite": (validation, "check_finite")}
    assert names("nested") == {"check": (validation, "check_distributions")}
    assert names("TABLE") == {
        "check_finite": (validation, "check_finite"),
        "k": ("names_of_a_test", "k"),
    }
    assert names("C") == {"TABLE": ("names_of_a_test", "TABLE")}
    whole = names("whole")
    assert whole["metrics.kendall"] == (METRICS + "._ranking", "kendall") and len(whole) > 30


def test_functions_that_a_declaration_chooses_are_all_reached_by_some_record():
    """A name in the list of choices that nothing uses would hide edits."""
    reached = set()
    for mark in UNITS:
        reached |= set(code._by_declaration(mark.method, mark.experiment))
    declared = {code._root(f) for f in code._CHOICES}
    data = {"load", "load_images", "make_scenes", "make_standin"}
    data |= {"realigned", "image_put_right", "reader"}
    assert {name for _, name in declared} == {name for _, name in reached} | data


@pytest.mark.parametrize("python", ["python3.12", "python3.13", "python3.14"])
def test_the_text_of_the_source_is_the_same_in_each_python(python):
    found = shutil.which(python)
    script = (
        "import importlib.util, pathlib, hashlib, ast\n"
        f"spec = importlib.util.spec_from_file_location('source', {source.__file__!r})\n"
        "source = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(source)\n"
        f"root = pathlib.Path({str(Path(source.__file__).parents[1])!r})\n"
        "texts = [p.read_text('utf-8') for p in sorted(root.rglob('*.py'))]\n"
        "text = [source.meaning(ast.parse(t)) for t in texts]\n"
        "print(hashlib.sha256('\\n'.join(text).encode()).hexdigest())\n"
    )
    try:
        theirs = subprocess.run([found or python, "-c", script], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"no {python} here")
    space = {}
    exec(script.replace("print(", "result = ("), space)
    assert theirs.stdout.decode().strip() == space["result"]
