"""What papers declare of their methods: stages and settings, as data that reports read."""

import ast
import json
from dataclasses import FrozenInstanceError

import pandas as pd
import pytest

from ldlrepro import MLDFSuite, paths
from ldlrepro.declare import Method
from ldlrepro.models.multilabel import CUTS, CutAtCardinality
from ldlrepro.papers import get_paper, paper_names
from ldlrepro.papers.mldf import experiments as mldf
from ldlrepro.protocols import open_store
from ldlrepro.report.settings import declared

METHODS = [
    (paper, experiment, method)
    for paper in map(get_paper, paper_names())
    for experiment in paper.experiments
    for method in experiment.methods
]
STAGED = [(p, e, m) for p, e, m in METHODS if m.staged]


def test_no_stages_and_no_settings_unless_declared():
    assert Method("a", None).staged == () and Method("a", None).settings == {}


def test_what_is_declared_cannot_be_changed():
    paper = get_paper("ldlf")
    for one in (paper, paper.experiments[0], paper.experiments[0].methods[0], *paper.studies):
        with pytest.raises(FrozenInstanceError):
            one.name = "another"


def test_the_stages_are_those_that_the_estimator_yields():
    for paper, _, method in STAGED:
        assert isinstance(method.staged, tuple), method.name
        parameters = method.estimator.get_params(deep=False)
        known = [parameters[p] for p in ("path", "floors", "factors") if parameters.get(p)]
        if known:
            assert [method.staged] == known, method.name
        elif isinstance(method.estimator, CutAtCardinality):
            assert method.staged == CUTS
        elif paper is mldf.PAPER or isinstance(method.estimator, MLDFSuite):
            assert method.staged == tuple(mldf.MEASURES), method.name
        else:  # every number up to so many
            assert max(method.staged) <= parameters.get("n_estimators", 500), method.name
    assert len(STAGED) > 20


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="records are committed, not installed")
@pytest.mark.parametrize("paper", paper_names())
def test_every_committed_fold_has_the_declared_stages(paper):
    paper, checked = get_paper(paper), 0
    if not (paths.results() / paper.name).exists():
        pytest.skip(f"{paper.name} has not been run")
    for experiment in paper.experiments:
        for dataset in experiment.datasets:
            records = open_store(paper, experiment).read(dataset, ("method", "fold", "parameters"))
            stages = {}
            for row in records.itertuples():
                fold = stages.setdefault(row.method, {}).setdefault(row.fold, [])
                fold.append(row.parameters.get("stage"))
            for method in experiment.methods:
                for fold, mine in stages.get(method.name, {}).items():
                    where = experiment.name, dataset, method.name, fold
                    assert len(mine) == max(1, len(method.staged)), where
                    assert set(mine) - {None} == set(method.staged), where
                    checked += 1
    assert checked > 100


#: Settings whose names are the paper's, and the parameters of the estimators that they are.
PARAMETERS = {
    "trees": ("n_estimators",),
    "ratio": ("sampling_ratio", "ratio"),
    "depth": ("max_depth", "depth"),
}
WORDS = {"learner", "form", "strategy", "as_in", "scaled"}  # no parameters


def test_settings_are_those_of_the_estimator():
    for _, _, method in METHODS:
        assert json.loads(json.dumps(method.settings)) == method.settings
        parameters = method.estimator.get_params()
        inner = {k.split("__")[-1]: value for k, value in parameters.items() if "__" in k}
        parameters |= inner
        assert method.settings.get("learner", "") in method.name
        for key, value in method.settings.items():
            if key in WORDS:
                continue
            found = [parameters[p] for p in PARAMETERS.get(key, (key,)) if p in parameters]
            assert found and found[0] == value, (method.name, key)
        if "," in method.name:  # what follows the learner in a name is declared
            assert set(method.settings) - {"learner"}, method.name


def test_settings_tell_methods_of_an_experiment_apart():
    for experiment in (e for p in paper_names() for e in get_paper(p).experiments):
        texts = [json.dumps(m.settings, sort_keys=True) for m in experiment.methods if m.settings]
        assert len(set(texts)) == len(texts), experiment.name


def test_declared_settings_of_records():
    records = pd.DataFrame({"settings": [{"trees": 5}, {"depth": 2}]}, index=[7, 7])
    trees = declared(records, "trees")
    assert trees.iloc[0] == 5 and pd.isna(trees.iloc[1]) and trees.index.tolist() == [7, 7]
    assert declared(records.iloc[:0], "trees").empty


def parsing(source):
    """Where a source takes the names of methods apart, or could by a regular expression."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] + [getattr(node, "module", None)]
            if "re" in names:
                yield f"line {node.lineno}: import re"
        if isinstance(node, ast.Attribute) and node.attr == "str":
            if ast.unparse(node.value).endswith(("method", "method']")):
                yield f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            taken = node.func.attr in (
                "split",
                "startswith",
                "endswith",
                "partition",
                "removesuffix",
            )
            if taken and ast.unparse(node.func.value) in ("m", "name", "method", "plain"):
                yield f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize(
    "source",
    [
        "import re",
        "from re import match",
        "x = records.method.str.extract('a')",
        "x = usual['method'].str[0]",
        "x = [m.split(',')[0] for m in mean.method]",
    ],
)
def test_a_planted_parser_is_found(source):
    assert len(list(parsing(source))) == 1


def test_no_report_takes_a_name_apart():
    found = {}
    folders = (paths.PACKAGE / "report", paths.PACKAGE / "papers")
    modules = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    for path in (path for path in modules if path.stem != "experiments"):
        found[str(path)] = list(parsing(path.read_text(encoding="utf-8")))
    for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        found[path.name] = [fault for source in code for fault in parsing(source)]
    assert len(found) > 25 and not any(found.values()), found
