"""What stands around the package: citation, badges, archive, guides; what is never unpickled."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile

import numpy as np
import pytest
import readme
import yaml

from ldlrepro import paths, scoreboard
from ldlrepro.errors import UnknownNameError
from ldlrepro.papers import chapter_names, get_paper
from ldlrepro.user import data as userdata

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="not installed")
ROOT = paths.PACKAGE.parent


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_citation_file_names_the_papers():
    found = yaml.safe_load(text("CITATION.cff"))
    assert found["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= found.keys() and found["type"] == "software"
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert (found["version"], found["license"]) == (project["version"], project["license"])
    names = [one.paper.name for one in scoreboard.chapters()]
    made = readme.references(names, text("book/references.bib"))
    assert text("CITATION.cff").endswith(f"references:\n{made}"), "run: python tools/readme.py"
    entries = re.findall(r"@\w+\{(\w+),(.*?)\n\}", text("book/references.bib"), re.S)
    bib = {key: dict(re.findall(r"(\w+)\s*= \{(.*)\}", body)) for key, body in entries}
    papers = [
        bib[key] for key in bib if key.endswith(tuple(k.split("_")[0] for k in chapter_names()))
    ]
    assert len(papers) == len(found["references"]) == len(chapter_names())
    for reference, paper in zip(found["references"], papers, strict=True):
        assert reference["type"] in ("article", "conference-paper")
        assert (reference["title"], str(reference["year"])) == (paper["title"], paper["year"])
        names = [f"{a['family-names']}, {a['given-names']}" for a in reference["authors"]]
        assert " and ".join(names) == paper["author"]


def test_a_paper_without_an_entry_in_the_references_is_named():
    with pytest.raises(UnknownNameError, match="for the paper 'new_one'.*key ends with 'new'"):
        readme.references(["structrf", "new_one"], text("book/references.bib"))


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


def test_badges_are_current(board):
    expected = readme.facts(board)
    assert {p.stem for p in readme.FOLDER.glob("*.svg")} == set(expected)
    for name, fact in expected.items():
        stored = (readme.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        assert stored == readme.svg(*fact), "run: python tools/readme.py"
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
    there = {name: list(get_paper(name).tables) for name in chapter_names()}
    assert listed == there, "run: python tools/readme.py"


def test_pickles_are_refused(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (exec, ("raise SystemExit('it ran')",))

    np.savez(tmp_path / "objects.npz", X=np.array([Bomb()], dtype=object), D=np.ones((1, 2)))
    (tmp_path / "damaged.mat").write_bytes(b"no mat file" * 50)
    for name, message in (
        ("objects.npz", "Pickled objects are refused"),
        ("damaged.mat", "is no .mat file, or it is damaged or cut short"),
    ):
        with pytest.raises(userdata.UserDataError, match=message) as caught:
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
    assert others == {"user/runs.py"}  # between processes of one run
