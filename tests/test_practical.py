"""What stands around the package: continuous integration, container, citation, badges, guides."""

import csv
import json
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile

import numpy as np
import pytest
import yaml

from ldlrepro import badges, paths, protocols, scoreboard, userdata
from ldlrepro.scoreboard import BOARDS

pytestmark = [
    pytest.mark.skipif(not paths.IN_CHECKOUT, reason="not installed"),
    pytest.mark.jit_only("of files"),
]
ROOT = paths.PACKAGE.parent


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def two_commands():
    """Those of the README, under its heading of this name."""
    block = text("README.md").split("## Two commands")[1].split("```bash\n")[1].split("```")[0]
    return [line.split("#")[0].strip() for line in block.splitlines()]


def pythons():
    """Supported versions."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    first, beyond = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"]).groups()
    return [f"3.{minor}" for minor in range(int(first), int(beyond))]


@pytest.fixture(scope="module")
def jobs():
    workflow = yaml.safe_load(text(".github/workflows/ci.yml"))
    assert workflow[True] == {"push": {"branches": ["main"]}, "pull_request": None}  # "on" is True
    return workflow["jobs"]


def runs(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def test_ci_runs_the_two_commands_everywhere(jobs):
    assert two_commands() == ["make book", "make test"] == runs(jobs["test"])
    matrix = jobs["test"]["strategy"]["matrix"]
    assert matrix["python"] == pythons() == ["3.11", "3.12", "3.13"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos"}
    assert jobs["test"]["runs-on"] == "${{ matrix.os }}"


def test_ci_publishes_what_make_builds(jobs):
    targets = set(re.findall(r"^(\w+):(?!=)", text("Makefile"), re.M))
    for job in jobs.values():
        assert {command.removeprefix("make ") for command in runs(job)} <= targets
    paths_ = [s["with"]["path"] for s in jobs["book"]["steps"] if "path" in s.get("with", {})]
    assert paths_ == ["_build/ldlrepro-book.zip", "_build/html"]
    assert all(path.removesuffix(".zip").split("/")[-1] in text("Makefile") for path in paths_)
    assert jobs["publish"]["needs"] == ["test", "book"]
    assert jobs["publish"]["if"] == "github.event_name == 'push'"


def test_every_step_of_ci_runs_or_uses_one_thing(jobs):
    for job in jobs.values():
        assert "runs-on" in job
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/x@v1"))


def test_the_container_runs_the_two_commands():
    lines = [x.split(maxsplit=1) for x in text("Dockerfile").splitlines() if x and x[0] != "#"]
    known = {"FROM", "RUN", "WORKDIR", "COPY", "EXPOSE", "CMD"}
    assert {word for word, _ in lines} == known and lines[0][0] == "FROM"
    commands = [rest for word, rest in lines if word == "RUN"]
    assert commands[0].startswith("apt-get update && ")  # git and make, which the README asks for
    assert {"git", "make"} < set(shlex.split(commands[0]))
    assert commands[1:] == two_commands()
    stages = [rest.split(" AS ") for word, rest in lines if word == "FROM"]
    assert [s[0] for s in stages[1:]] == ["book", "book"] == [stages[0][1], stages[0][1]]
    assert stages[0][0].removeprefix("python:").removesuffix("-slim") in pythons()
    assert json.loads(lines[-1][1])[0] == ".venv/bin/python"


def test_what_git_ignores_comes_into_no_container():
    ignored = {line.strip("/") for line in text(".gitignore").splitlines()}
    assert {".venv", "_build", "data/raw", "shared", "ldlrepro-records"} <= ignored
    left_out = set(text(".dockerignore").splitlines())
    assert {".venv", "_build", "data/raw", "shared", "ldlrepro-records"} <= left_out


def test_the_citation_file_names_the_papers():
    found = yaml.safe_load(text("CITATION.cff"))
    assert found["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= found.keys() and found["type"] == "software"
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert (found["version"], found["license"]) == (project["version"], project["license"])
    entries = re.findall(r"@\w+\{(\w+),(.*?)\n\}", text("book/references.bib"), re.S)
    bib = {key: dict(re.findall(r"(\w+)\s*= \{(.*)\}", body)) for key, body in entries}
    papers = [bib[key] for key in bib if key.endswith(tuple(k.split("_")[0] for k in BOARDS))]
    assert len(papers) == len(found["references"]) == len(BOARDS)
    for reference, paper in zip(found["references"], papers, strict=True):
        assert reference["type"] in ("article", "conference-paper")
        assert (reference["title"], str(reference["year"])) == (paper["title"], paper["year"])
        names = [f"{a['family-names']}, {a['given-names']}" for a in reference["authors"]]
        assert " and ".join(names) == paper["author"]


def test_the_archive_is_one_folder(tmp_path):
    recipe = text("Makefile").split("\narchive: book\n")[1].splitlines()[0]
    _, flag, script = shlex.split(recipe)
    page = tmp_path / "_build" / "html" / "book" / "intro.html"
    page.parent.mkdir(parents=True)
    page.write_text("a page")
    subprocess.run([sys.executable, flag, script], cwd=tmp_path, check=True)
    with zipfile.ZipFile(tmp_path / "_build" / "ldlrepro-book.zip") as archive:
        names = archive.namelist()
    assert "html/book/intro.html" in names and all(n.startswith("html/") for n in names)


def test_badges_are_current():
    expected = badges.facts(scoreboard.scoreboard())
    assert {p.stem for p in badges.FOLDER.glob("*.svg")} == set(expected)
    for name, fact in expected.items():
        stored = (badges.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert stored == badges.svg(*fact), "run: python -m ldlrepro.badges"
        assert f"](book/_static/badges/{name}.svg)" in text("README.md")


def rows(page, heading):
    """First cells of the tables with some heading in a page: lists of texts."""
    table = page.split(heading)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_guide_lists_every_parameter():
    there = {}
    for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        (cell,) = [c for c in cells if "parameters" in c["metadata"].get("tags", [])]
        for line in "".join(cell["source"]).splitlines():
            name, default = line.split("#")[0].strip().split(" = ")
            there.setdefault((name, default), set()).add(path.stem)
    every = {path.stem for path in paths.NOTEBOOKS.glob("*.ipynb")}
    words = {"all": every, "all but `compare`": every - {"compare"}, "`compare`": {"compare"}}
    table = rows(text("book/rerun.md"), "| parameter | default | what it is | notebooks |")
    listed = {(name.strip("`"), value.strip("`")): words[who] for name, value, _, who in table}
    assert listed == there


def test_the_guide_lists_every_table():
    table = rows(text("book/rerun.md"), "| paper | `--table` |")
    listed = {name: re.findall("`(.+?)`", keys) for name, keys in table}
    assert listed == {name: list(protocols.get_paper(name).tables) for name in BOARDS}


def test_pickles_are_refused(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (exec, ("raise SystemExit('it ran')",))

    np.savez(tmp_path / "objects.npz", X=np.array([Bomb()], dtype=object), D=np.ones((1, 2)))
    (tmp_path / "damaged.mat").write_bytes(b"no mat file" * 50)
    for name in ("objects.npz", "damaged.mat"):
        with pytest.raises(userdata.UserDataError, match="Pickled objects are refused") as caught:
            userdata.read(tmp_path / name)
        assert "\n" not in str(caught.value)


_DANGEROUS = (
    r"np\.load\([^)]*\)|(?:torch|joblib)\.load\([^)]*\)|pickle\.loads?\(|read_pickle\("
    r"|(?<!str)\.extract(?:all)?\([^\n]*"
)


def test_no_reader_unpickles_or_unpacks_into_a_folder():
    safe = ("allow_pickle=False", "weights_only=True", 'filter="data"')
    found = [
        (path.relative_to(paths.PACKAGE).as_posix(), call)
        for path in sorted(paths.PACKAGE.rglob("*.py"))
        for call in re.findall(_DANGEROUS, path.read_text(encoding="utf-8"))
    ]
    assert len(found) >= 7
    others = {where for where, call in found if not any(s in call for s in safe)}
    assert others == {"protocols/own.py"}  # between processes of one run


def test_tests_notice_mutants():
    """At least 95% of those that change anything; each that the nearest missed is judged."""
    rows = list(csv.DictReader(text("data/mutants.csv").splitlines()))
    assert [int(r["number"]) for r in rows] == list(range(200))
    missed = [r["judged"] for r in rows if r["outcome"] != "noticed"]
    kinds = ("changes nothing", "not tested", "test added", "test extended", "test there")
    assert all(judged.startswith(kinds) for judged in missed)
    nothing, untested = (sum(j.startswith(kind) for j in missed) for kind in kinds[:2])
    changed = len(rows) - nothing
    noticed, later = changed - untested, len(missed) - nothing - untested
    assert noticed >= 0.95 * changed
    guide = text("CONTRIBUTING.md")
    assert f"{nothing} change nothing" in guide
    assert f"notice {noticed} of the other {changed}, {later} of them" in guide
    endless = [r["judged"] for r in rows if r["test"] == "timeout"]
    assert len(endless) == 3 and all(judged.startswith("does not end: ") for judged in endless)
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("*.py"))
    for name in re.findall(r"test (?:added|extended).*?: (test_\w+)", "\n".join(missed)):
        assert f"def {name}(" in tests
