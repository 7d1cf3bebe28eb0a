"""Batches of notebooks: names checked before, titles, resuming, the page, plain papermill."""

import json
import os
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from ldlrepro import batch, cli, errors, parameters, paths
from ldlrepro.protocols import store

DECLARED = "profile = 'paper'\ndatasets = None\nseed = None\nn_jobs = 1\nrecompute = False"
OPENING = """
from ldlrepro import parameters
from ldlrepro.declare import reseeded
from ldlrepro.papers import get_paper
from ldlrepro.report import chapter
chapter.show_given(profile="paper", datasets=datasets, seed=seed, recompute=False)
paper = reseeded(get_paper("structrf"), parameters.seed(seed))
print(chapter.chosen(paper, datasets, "paper"), paper.seed)
"""


def notebook(folder, name, *sources, title="# A title\n\nIts text."):
    cells = [nbformat.v4.new_code_cell(s) for s in sources]
    cells[0].metadata["tags"] = ["parameters"]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(title), *cells])
    nb.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(nb, folder / f"{name}.ipynb")


@pytest.fixture
def away(tmp_path, monkeypatch):
    """A folder of notebooks, and one of records."""
    monkeypatch.setattr(paths, "NOTEBOOKS", tmp_path)
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path / "results"))
    return tmp_path


def printed(path):
    cells = nbformat.read(path, as_version=4).cells
    outputs = [o for c in cells for o in c.get("outputs", [])]
    return "".join(o.text for o in outputs if o.output_type == "stream")


@pytest.mark.parametrize(
    "given",
    [
        ["-p", "datasets", "s-JAFFE"],
        ["-p", "datasets", "['s-JAFFE']"],
        ["-p", "datasets", "[s-JAFFE]"],
        ["-y", "{datasets: [s-JAFFE]}"],
    ],
)
def test_data_sets_are_given_in_many_ways(away, monkeypatch, given):
    seen = []
    monkeypatch.setattr(batch, "_execute", lambda nb, target, given, _: seen.append(given))
    notebook(away, "structrf", DECLARED)
    assert cli.main(["notebooks", *given, "--out", str(away / "out")]) == 0
    assert seen == [{"datasets": ["s-JAFFE"]}]


@pytest.mark.parametrize(
    "given, message",
    [
        (["-p", "data_sets", "Movie"], "no parameter 'data_sets'; it has: profile, datasets, seed"),
        (["-p", "datasets", "Moovie"], "No data set 'Moovie' in structrf, profile 'paper'; there"),
        (["-p", "datasets", ""], "datasets names no data set"),
        (["-p", "datasets", "["], "datasets names no data set"),
        (["-p", "datasets", "CAL500"], "there are: Yeast_alpha, "),
        (["-p", "profile", "fast"], "No profile 'fast'; there are: paper, quick"),
        (["-p", "seed", "-1"], "seed is a whole number from 0"),
        (["-y", "[Movie]"], "is no YAML of the form '{name: value}'"),
        (["-y", "{datasets: [Movie"], "is no YAML of the form '{name: value}'"),
        (["-y", "{datasets: 2020-01-01}"], "Parameter 'datasets' is datetime.date(2020, 1, 1), a"),
        (["-y", "{profile: {a: 1}}"], "Parameter 'profile' is {'a': 1}, a dict"),
        (["-y", "{profile: !!set {a}}"], "Parameter 'profile' is {'a'}, a set"),
        (["-y", "{datasets: [[2020-01-01]]}"], "a date: give a text, a number"),
        (["-y", "{datasets: &a [*a]}"], "Parameter 'datasets' is a list that holds itself"),
        (["-y", "{datasets: " + "[" * 999 + "]" * 999 + "}"], "too many brackets in each other"),
        (["-y", "{seed: 2, profile: quick, seed: 3}"], "Parameter 'seed' is given twice in -y"),
        (["-y", "{[a]: 1}"], "is no YAML of the form '{name: value}'"),
        (["-y", "{2020-01-01: 1}"], "no parameter datetime.date(2020, 1, 1); it has"),
        (["-p", "profile", "b'quick'"], "Parameter 'profile' is b'quick', a bytes"),
        (["-p", "profile", "{[]: 1}"], "No profile '{[]: 1}'"),
        (["-p", "datasets", "5"], "No data set '5' in structrf"),
        (["-p", "n_jobs", "many"], "n_jobs is a number of processes, 1, 2, ..., or -1 for all"),
        (["-p", "n_jobs", "0"], "n_jobs is a number of processes"),
        (["-p", "n_jobs", "True"], "n_jobs is a number of processes"),
        (["-p", "recompute", "perhaps"], "recompute is True or False; got 'perhaps'"),
        (["-p", "seed", "True"], "seed is a whole number from 0"),
    ],
)
def test_a_wrong_name_is_one_line(away, capsys, given, message):
    notebook(away, "structrf", DECLARED)
    assert cli.main(["notebooks", *given, "--out", str(away / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (away / "out").exists()


def test_titles_name_parameters(away):
    notebook(away, "n", "datasets = None\nn_jobs = 1", "print(datasets)")
    given = {"datasets": "s-JAFFE, Movie", "n_jobs": 2}
    ((path, was_run),) = batch.run([], given, away / "out")
    title = nbformat.read(path, as_version=4).cells[0].source
    assert title == "# A title (datasets: s-JAFFE, Movie)\n\nIts text."
    assert was_run and printed(path) == "['s-JAFFE', 'Movie']\n"


def test_a_batch_resumes(away):
    notebook(away, "n", "n = 1", "print(n)")
    there = away / "there"
    notebook(away, "m", "n = 1", f"import os\nassert os.path.exists({str(there)!r})")
    out = away / "out"

    def runs(given, fresh=False):
        return [was_run for _, was_run in batch.run([], given, out, fresh=fresh)]

    with pytest.raises(batch.NotebookError, match="1 of 2 notebooks failed"):
        batch.run([], {}, out)
    there.write_text("")
    assert runs({}) == [True, False]  # what failed is run again, what finished is kept
    assert runs({}) == [False, False]
    assert runs({}, fresh=True) == [True, True]
    assert runs({"n": 2}) == [True, True]
    assert printed(out / "n.ipynb") == "2\n"
    notebook(away, "n", "n = 1", "print(n + 1)")
    assert runs({"n": 2}) == [False, True]
    (away / "results").mkdir()
    (away / "results" / "new.csv").write_text("a record\n")
    assert runs({"n": 2}) == [True, True]


def test_two_at_a_time_go_into_one_relative_folder(away, monkeypatch):
    monkeypatch.chdir(away)
    for name in ("a", "b"):
        notebook(away, name, "n = 1", "import time; time.sleep(0.3 * n)")
    assert [path for path, _ in batch.run([], {}, "out", jobs=2)] == [
        away / "out" / "a.ipynb",
        away / "out" / "b.ipynb",
    ]


PICTURE = """import matplotlib.pyplot as plt
plt.plot([1, 2]);"""


def with_picture(folder, name, source):
    """A notebook whose last cell shows a picture as it is stored."""
    notebook(folder, name, "n = 1", source)
    made = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    shown = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="})
    made.cells[-1].outputs = [shown]
    nbformat.write(made, folder / f"{name}.ipynb")


def test_what_the_users_environment_may_do_to_a_batch(away, monkeypatch):
    """A backend for scripts, another Python's kernel, a module's name: none of it counts."""
    for folder in (away, away / "out"):
        folder.mkdir(exist_ok=True)
        (folder / "types.py").write_text("raise OSError")
    kernel = away / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    other = {"argv": ["/bin/false"], "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(other))
    monkeypatch.setenv("JUPYTER_PATH", str(away / "jupyter"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(away)
    monkeypatch.setenv("LDLREPRO_RESULTS", "records")
    monkeypatch.setenv("LDLREPRO_DATA", "")
    asked = "import sys\nfrom ldlrepro import paths\n"
    asked += "print(sys.executable, paths.results(), paths.local_copies())\n"
    with_picture(away, "n", asked + PICTURE)
    ((path, _),) = batch.run([], {}, "out")
    assert printed(path) == f"{sys.executable} {away / 'records'} None\n"
    assert "image/png" in path.read_text()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cells": 1, "nbformat": 4}', "null", "\0"])
def test_a_file_that_is_no_notebook_is_in_nobodys_way(away, monkeypatch, text):
    out = away / "out"
    out.mkdir()
    for name in ("n", "other"):
        (out / f"{name}.ipynb").write_text(text)
    ran = []
    monkeypatch.setattr(batch, "_execute", lambda *a: ran.append(a))
    notebook(away, "n", "n = 1")
    assert batch.run([], {}, out) == [(out / "n.ipynb", True)] and len(ran) == 1
    assert "<tr><td>" not in (out / "index.html").read_text(encoding="utf-8")


def test_a_notebook_without_its_pictures_is_not_finished(away):
    with_picture(away, "n", "print(n)")
    with pytest.raises(batch.NotebookError, match="n.ipynb: cells that show a picture in the book"):
        batch.run([], {}, away / "out")
    notebook(away, "n", "n = 1", "print(n)")  # the book's shows none either
    made = nbformat.read(away / "out" / "n.ipynb", as_version=4)
    assert not batch._without_pictures(made, away / "n.ipynb")


def test_a_notebook_whose_kernel_dies_is_one_line(away, capsys, caplog):
    notebook(away, "n", "n = 1", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    notebook(away, "structrf", "n = 1", "print(n)")
    assert cli.main(["notebooks", "--out", str(away / "out")]) == 1
    first, line = capsys.readouterr().err.splitlines()
    assert "1 of 2 notebooks failed" in first
    assert "n.ipynb: its process died" in line and "the same command goes on" in line
    assert not caplog.records  # a line of papermill's would be printed too
    assert printed(away / "out" / "structrf.ipynb") == "1\n"


def test_a_file_where_the_folder_belongs_is_told_before(away):
    notebook(away, "n", "n = 1")
    (away / "out").write_text("")
    with pytest.raises(errors.LdlreproError, match="Notebooks cannot be written to .*out: "):
        batch.run([], {}, away / "out")
    (away / "link").symlink_to("nowhere")
    with pytest.raises(errors.LdlreproError, match="link is a link to nowhere, which does not"):
        batch.run([], {}, away / "link" / "out")
    (away / "loop").symlink_to("loop")
    with pytest.raises(errors.LdlreproError, match="Notebooks cannot be written to .*loop: "):
        batch.run([], {}, away / "loop")


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("name", ["n.ipynb", "n.failed.ipynb", ".n.running.ipynb", "index.html"])
def test_what_is_no_file_where_a_file_belongs_is_told_before(away, monkeypatch, make, name):
    notebook(away, "n", "n = 1")
    (away / "out").mkdir()
    make(away / "out" / name)
    monkeypatch.setattr(batch, "_execute", lambda *_: pytest.fail("run"))
    with pytest.raises(errors.NoFileError, match=f"{name} is a .*, and a file belongs there"):
        batch.run([], {}, away / "out")


def test_a_page_waits_for_no_fifo(tmp_path):
    os.mkfifo(tmp_path / "another.ipynb")
    assert "another" not in batch.page(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_batch_stops_at_once_and_leaves_no_kernel(away, number):
    """Though a cell is in compiled code, or takes signals for something else."""
    deaf = "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    deaf += "open('pid', 'w').write(str(os.getpid()))\ntime.sleep(600)"
    notebook(away, "n", "n = 1", "print(n)", deaf)
    script = "import pathlib, sys\nfrom ldlrepro import cli, paths\n"
    script += f"paths.NOTEBOOKS = pathlib.Path({str(away)!r})\n"
    script += "sys.argv[1:] = ['notebooks', '--out', 'out']\nsys.exit(cli.main())"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=away,
        env=os.environ | {"PYTHONPATH": str(paths.PACKAGE.parent)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 120
    while not ((away / "pid").is_file() and (away / "pid").read_text()):
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 10  # two seconds, on a machine that does nothing else
    assert process.returncode == 128 + number
    assert "stopped; what was finished is kept" in err and "Traceback" not in err
    state = Path("/proc") / (away / "pid").read_text() / "stat"
    assert not state.exists() or state.read_text().rsplit(") ", 1)[1][0] == "Z"
    assert printed(away / "out" / "n.ipynb") == "1\n"
    assert "stopped" in (away / "out" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("killed", ["the program", "the kernel"])
def test_a_notebook_that_was_stopped_is_run_again(away, killed):
    notebook(away, "n", "n = 1", "print(n)")
    ((path, _),) = batch.run([], {}, away / "out")
    made = nbformat.read(path, as_version=4)
    if killed == "the program":
        made.metadata.papermill.end_time = None
    else:  # papermill goes on to its end then
        made.cells[-1].metadata.papermill.status = "pending"
    nbformat.write(made, path)
    assert "stopped" in batch.page(away / "out")
    assert [was_run for _, was_run in batch.run([], {}, away / "out")] == [True]


@pytest.mark.parametrize(
    "change",
    [
        {"papermill": 3},
        {"papermill": {}},
        {"papermill": {"start_time": 3}},
        {"papermill": {"start_time": "yesterday"}},
        {"papermill": {"duration": "long"}},
        {"papermill": {"parameters": [1]}},
        {"ldlrepro": "x"},
        {"ldlrepro": None},
    ],
    ids=str,
)
def test_a_notebook_whose_metadata_are_of_another_form_is_run_again(away, monkeypatch, change):
    notebook(away, "n", "n = 1", "print(n)")
    monkeypatch.setattr(batch, "_execute", lambda notebook, target, parameters, running: None)
    made = nbformat.read(away / "n.ipynb", as_version=4)
    made.metadata |= {"papermill": {"end_time": "now", "parameters": {}}} | change
    (away / "out").mkdir()
    nbformat.write(made, away / "out" / "n.ipynb")
    assert [was_run for _, was_run in batch.run([], {}, away / "out")] == [True]
    assert (away / "out" / "index.html").exists()


def test_a_notebook_of_the_users_is_not_replaced(away, monkeypatch):
    notebook(away, "n", "n = 1", "print(n)")
    (away / "out").mkdir()
    notebook(away / "out", "n", "n = 1", "print('mine')")
    for fresh in (False, True):
        with pytest.raises(errors.NoFileError, match="n.ipynb was not written by this command"):
            batch.run([], {}, away / "out", fresh=fresh)
    assert "mine" in (away / "out" / "n.ipynb").read_text(encoding="utf-8")


class _Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.cells, self.other = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.other += [v for k, v in attributes if k in ("src", "style")]
        if tag == "a":
            self.links.append(dict(attributes)["href"])

    def handle_data(self, data):
        self.cells.append(data.strip())


def test_a_page_lists_the_batch(away):
    notebook(away, "good", "n = 1", "print(n)")
    notebook(away, "bad", "n = 1", "raise OSError('<disk>')")
    with pytest.raises(batch.NotebookError):
        batch.run([], {"n": "<3>"}, away / "out")
    page = _Tags((away / "out" / "index.html").read_text(encoding="utf-8"))
    assert page.links == ["bad.ipynb", "good.ipynb"] and page.other == []
    assert all((away / "out" / link).is_file() for link in page.links)
    cells = [c for c in page.cells if c]
    for name, outcome in {"bad": "failed", "good": "finished"}.items():
        at = cells.index(name)
        assert cells[at + 1 : at + 3] == [outcome, "n: <3>"]
        assert cells[at + 3][:2] == "20" and cells[at + 4].endswith(" s")


def test_what_a_batch_says_of_an_error_of_ours(away):
    source = "from ldlrepro.datasets import resolve\nresolve('Moovie')"
    notebook(away, "n", "n = 1", source)
    with pytest.raises(batch.NotebookError) as caught:
        batch.run([], {}, away / "out")
    _, line = str(caught.value).splitlines()
    assert line.endswith("There is no data set named 'Moovie'. Did you mean Movie?")


def papermill(folder, *given):
    command = [sys.executable, "-m", "papermill", "n.ipynb", "out.ipynb", "--no-progress-bar"]
    environment = os.environ | {"PYTHONPATH": str(paths.PACKAGE.parent)}
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    return subprocess.run([*command, *given], **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "given, seen",
    [
        (["-p", "datasets", "s-JAFFE"], "['SJAFFE'] None"),
        (["-p", "datasets", "['s-JAFFE']"], "['SJAFFE'] None"),
        (["-y", "{datasets: [s-JAFFE]}", "-p", "seed", "7"], "['SJAFFE'] 7"),
    ],
)
def test_plain_papermill(tmp_path, given, seen):
    notebook(tmp_path, "n", "datasets = None\nseed = None", OPENING)
    assert papermill(tmp_path, *given).returncode == 0
    assert printed(tmp_path / "out.ipynb") == seen + "\n"
    assert "**Run with datasets: s-JAFFE" in (tmp_path / "out.ipynb").read_text()


@pytest.mark.slow
def test_plain_papermill_stops_at_a_wrong_data_set(tmp_path):
    notebook(tmp_path, "n", "datasets = None\nseed = None", OPENING)
    assert papermill(tmp_path, "-p", "datasets", "Moovie").returncode != 0
    cells = json.loads((tmp_path / "out.ipynb").read_text())["cells"]
    (error,) = [o for c in cells for o in c.get("outputs", []) if o["output_type"] == "error"]
    (line,) = error["traceback"]  # no frames of ours
    assert line.startswith("UnknownNameError: No data set 'Moovie' in structrf, profile 'paper'")


@pytest.mark.parametrize(
    "value, names",
    [
        (None, None),
        ("s-JAFFE", ["s-JAFFE"]),
        ("['s-JAFFE', \"Movie\"]", ["s-JAFFE", "Movie"]),
        ("s-JAFFE, Movie", ["s-JAFFE", "Movie"]),
        (("a", "b"), ["a", "b"]),
        ([], []),
        ("M(a=1, b='x'), N", ["M(a=1, b='x')", "N"]),
        ("['M(a=1, b=2)']", ["M(a=1, b=2)"]),
        ("M(a=1, b=(1, 2)), N", ["M(a=1, b=(1, 2))", "N"]),
        (batch.parse("M(a=1, b=[1, 2])"), ["M(a=1, b=[1, 2])"]),
        (batch.parse("N, M(a=1)"), ["N", "M(a=1)"]),
    ],
)
def test_names_as_a_list(value, names):
    assert parameters.listed(value) == names


def test_a_seed_is_a_number():
    assert parameters.seed(None) is None and parameters.seed(0) is None and parameters.seed(3) == 3
    for wrong in ("3", 1.5, -1, 10**7):
        with pytest.raises(errors.LdlreproError, match="whole number"):
            parameters.seed(wrong)


def test_a_run_that_fails_replaces_no_finished_notebook(away):
    notebook(away, "n", "n = 1", "print(1 / n)")
    out = away / "out"
    batch.run([], {}, out)
    whole = (out / "n.ipynb").read_bytes()
    with pytest.raises(batch.NotebookError, match="ZeroDivisionError"):
        batch.run([], {"n": 0}, out)
    assert (out / "n.ipynb").read_bytes() == whole
    text = (out / "index.html").read_text(encoding="utf-8")
    assert ">n<" in text and ">n.failed<" in text
    batch.run([], {"n": 2}, out)
    assert [path.name for path in out.glob("*.ipynb")] == ["n.ipynb"]
    assert printed(out / "n.ipynb") == "0.5\n"


def test_a_second_batch_in_a_folder_is_told(away, capsys):
    notebook(away, "structrf", "n = 1")
    (away / "out").mkdir()
    with store.locked(away / "out" / ".lock"):
        assert cli.main(["notebooks", "--out", str(away / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "Another batch runs in " in line


def test_an_empty_parameter_is_told(away, capsys):
    notebook(away, "structrf", "n = 1")
    assert cli.main(["notebooks", "-p", "n", "", "--out", str(away / "out")]) == 1
    assert "Parameter 'n' is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("profile", "fast", "No profile 'fast'; there are: paper, quick"),
        ("profile", "None", "No profile None; there are: paper, quick"),
        ("data", "5", "data is a file of yours; got 5"),
        ("records", "True", "records is a folder; got True"),
        ("out", "['x.csv']", "out is a file to write; got ['x.csv']"),
        ("out", "x.txt", "out is 'x.txt': write a page, .html, or records, .csv"),
        ("out", "x", "out is 'x': write a page"),
        ("out", "nowhere/x.csv", "nowhere. Make it, or name another"),
        ("methods", "{a: 1}", "methods is a name or a list of names; got '{a: 1}'"),
        ("methods", "[AAKNN, {a: 1}]", "methods is a name or a list of names; got"),
        ("methods", "['AAKNN', 5]", "methods is a name or a list of names; got"),
        ("methods", "5", "methods is a name or a list of names; got 5"),
    ],
)
def test_a_wrong_value_of_the_comparison_is_told_before_it_runs(
    tmp_path, monkeypatch, capsys, name, value, message
):
    monkeypatch.setattr(batch, "_execute", lambda *_: pytest.fail("run"))
    out = tmp_path / "out"
    assert cli.main(["notebooks", "compare", "-p", name, value, "--out", str(out)]) == 1
    assert message in capsys.readouterr().err and not out.exists()


@pytest.mark.parametrize("end", ["html", "HTML", "csv"])
def test_what_the_comparison_takes_is_run(tmp_path, monkeypatch, end):
    seen = []
    monkeypatch.setattr(batch, "_execute", lambda nb, target, given, _: seen.append(given))
    given = {"out": f"x.{end}", "data": "my.csv", "methods": ["a.py:A", "AAKNN"], "records": None}
    batch.run(["compare"], given, tmp_path / "out")
    assert seen == [given]
    wrote = []
    found = SimpleNamespace(
        to_html=lambda _: wrote.append("html"), to_csv=lambda _: wrote.append("csv")
    )
    last = nbformat.read(paths.NOTEBOOKS / "compare.ipynb", as_version=4).cells[-1]
    exec(last.source, {"found": found, "out": given["out"]})
    assert wrote == [end.lower()]


def test_a_notebook_that_is_named_twice_is_run_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(batch, "_execute", lambda *_: None)
    assert cli.main(["notebooks", "compare", "Compare", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.count("compare.ipynb") == 1
