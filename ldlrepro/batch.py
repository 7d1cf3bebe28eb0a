"""Batches of notebooks with papermill: checked before, resumed, with a page that lists them."""

import ast
import hashlib
import logging
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from html import escape
from queue import Empty, SimpleQueue

import nbformat
import papermill
import yaml
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from nbclient.exceptions import DeadKernelError

from ldlrepro import errors, paths
from ldlrepro.papers import get_paper, paper_names
from ldlrepro.parameters import PROFILES, check, check_out, described, listed, processes, seed
from ldlrepro.protocols.progress import waiting
from ldlrepro.protocols.store import locked, probe, write_whole
from ldlrepro.report.chapter import chosen

#: Parameters under which the same notebook comes out: what the title leaves out.
_NO_MATTER = ("n_jobs", "recompute")
#: Seconds that notebooks get to write what they have when a stop is asked for.
_GRACE = 0.7
#: Parameters of the comparison that are paths.
_PATHS = {"data": "a file of yours", "records": "a folder", "out": "a file to write"}

logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what goes wrong is told here


class NotebookError(errors.LdlreproError):
    """A notebook stopped at a cell; what it had written so far is kept."""


class ParameterError(errors.LdlreproError, ValueError):
    """Parameters that cannot be read."""


def parse(value):
    """Read a parameter from the command line: a Python literal where it is one, else text."""
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        text = value.strip()
        uneven = text.strip("[]() ") and any(
            text.count(a) != text.count(b) for a, b in ("[]", "()")
        )
        if uneven and (text[0] in "[(" or text[-1] in "])"):
            raise ParameterError(f"{value!r} has a bracket that is not closed or opened.") from None
        return value


def parse_yaml(text):
    """Read parameters as papermill's ``-y`` does: "{datasets: [s-JAFFE], seed: 7}"."""
    try:
        found, root = yaml.safe_load(text), yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        found = " ".join(str(error).split())
    except RecursionError:
        found = "too many brackets in each other"
    if not isinstance(found, dict):
        raise ParameterError(f"-y {text!r} is no YAML of the form '{{name: value}}': {found}.")
    names = [key.value for key, _ in root.value]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"Parameter {name!r} is given twice in -y {text!r}. Give it once.")
    return found


def _plain(name, value):
    """A value as a notebook can take it: text, number, True, False, None, or lists of these."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(name, one) for one in value]
    raise ParameterError(
        f"Parameter {name!r} is {value!r}, a {type(value).__name__}: give a text, a number, or a "
        "list of these. Quotes make a text of anything."
    )


def run(papers, parameters, out, jobs=1, fresh=False):
    """Run the notebooks of some papers (all if none is named).

    A notebook that is there, finished, from the same parameters, code and records, is kept. The
    page index.html in the folder lists all that is there.

    Parameters
    ----------
    papers : list of str
        Those whose records are fitted again.
    parameters : dict
        Only names that every chosen notebook has.
    out : Path or str
        A folder, made where it is missing.
    jobs : int
        Notebooks at a time, each with its own kernel.
    fresh : bool
        True runs all of them.

    Returns
    -------
    list of (path, bool)
        Each notebook, and whether it was run.

    Raises
    ------
    UnknownNameError
        A paper without a notebook, or a parameter or data set that a notebook does not have.
    NotebookError
        A cell failed; the other notebooks are finished first.
    """
    there = {p.stem: p for p in sorted(paths.NOTEBOOKS.glob("*.ipynb"))}
    if not there:
        raise errors.UnknownNameError(
            "The notebooks are not installed: run this in a clone of the project."
        )
    for name in papers:
        if name not in there:
            raise errors.UnknownNameError(f"No notebook {name!r}; there are: {', '.join(there)}.")
    wanted = list(dict.fromkeys(papers)) or list(there)
    for name, value in parameters.items():
        try:
            parameters = parameters | {name: _plain(name, value)}
        except RecursionError:
            raise ParameterError(
                f"Parameter {name!r} is a list that holds itself, or too many lists in each other: "
                "give a text, a number, or a list of these."
            ) from None
    if "datasets" in parameters:
        parameters = parameters | {"datasets": listed(parameters["datasets"])}
    folder = paths.expanded(out).absolute()
    for name in wanted:
        _check(there[name], parameters, folder)
    paths.settle()
    if paths.target(folder) == paths.target(paths.NOTEBOOKS):
        raise errors.UnknownFolderError(
            f"{folder} holds the notebooks themselves: name another folder by --out."
        )
    _make(folder)
    paths.check_file(folder / "index.html")
    for name in wanted:
        target = folder / f"{name}.ipynb"
        for path in (target, _beside(target), _failed(target)):
            paths.check_file(path)
        if _is_of_another(target):
            raise errors.NoFileError(
                f"{target} was not written by this command, which would replace it: "
                "move it away, or name another folder by --out."
            )
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(variable, threads)

    def one(name):
        target = folder / f"{name}.ipynb"
        if not fresh and _is_finished(target, there[name], parameters):
            return target, False, None
        return target, True, _execute(there[name], target, parameters, running)

    running = _Running(len(wanted))
    with _alone(folder):
        try:
            with waiting(running.told):
                results = _in_threads(one, wanted, jobs, running)
        finally:
            for name in wanted:  # a stop may come before a thread does it
                _keep_unfinished(folder / f"{name}.ipynb")
            with suppress(OSError):  # what went wrong before is the reason to tell
                write_whole(folder / "index.html", page(folder))
    failed = [f"{target}: {why}" for target, _, why in results if why]
    if failed:
        raise NotebookError(
            f"{len(failed)} of {len(wanted)} notebooks failed:\n" + "\n".join(failed)
        )
    return [(target, was_run) for target, was_run, _ in results]


def _make(folder):
    try:
        probe(folder)
    except OSError as error:
        why = paths.obstacle(folder) or error.strerror
        raise errors.UnknownFolderError(
            f"Notebooks cannot be written to {folder}: {why}. Nothing was run; name "
            "another folder by --out."
        ) from error


@contextmanager
def _alone(folder):
    """Hold a folder's lock; NotebookError where another batch runs in the folder."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(folder / ".lock", wait=False))
        except BlockingIOError:
            raise NotebookError(
                f"Another batch runs in {folder}: wait for its end, or name another folder by "
                "--out."
            ) from None
        yield


class _Running:
    """The notebooks that run now: where they are, and their kernels, to be ended by a stop."""

    def __init__(self, number):
        self.number, self.done, self.cells, self.kernels, self.over = number, 0, {}, [], False

    def told(self):
        now = ", ".join(f"{name} (cell {i})" for name, i in sorted(self.cells.items()))
        return f"{self.done} of {self.number} notebooks done; {now or 'looking'}"

    def stop(self):
        """End every kernel with all that it has started, and let notebooks be written."""
        self.over = True
        for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            for kernel in list(self.kernels):
                kernel.end(number)
            time.sleep(_GRACE / 2)


def _in_threads(one, names, jobs, running):
    """Results of ``one`` for all names, in their order.

    The threads are daemons: none keeps a process from its end when a stop is asked for.
    """
    todo, results = SimpleQueue(), SimpleQueue()
    for item in enumerate(names):
        todo.put(item)

    def work():
        with suppress(Empty):
            while not running.over:
                i, name = todo.get_nowait()
                try:
                    results.put((i, one(name), None))
                except BaseException as error:
                    results.put((i, None, error))
                running.done += 1

    for _ in range(jobs):
        threading.Thread(target=work, daemon=True).start()
    found = {}
    try:
        for _ in names:
            i, result, error = results.get()
            if error is not None:
                raise error
            found[i] = result
    except BaseException:
        running.stop()
        raise
    return [found[i] for i in sorted(found)]


class _Kernel(AsyncKernelManager):
    """The kernel of this Python, whatever kernels are installed, in a session of its own."""

    running = None  # the `_Running` that it is to be found in

    @property
    def kernel_spec(self):
        # -P: a random.py in the folder is no module of the kernel's.
        argv = [sys.executable, "-P", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        argv.append("--log-level=CRITICAL")  # an interrupt is no error, and its port no warning
        return KernelSpec(argv=argv, display_name="Python 3", language="python")

    async def _async_start_kernel(self, **more):
        # A backend that the user names for scripts would leave notebooks without pictures.
        more["env"] = {n: v for n, v in os.environ.items() if n != "MPLBACKEND"}
        self.running.kernels.append(self)
        await super()._async_start_kernel(**more)
        if self.running.over:  # the stop came while it started
            self.end(getattr(signal, "SIGKILL", signal.SIGTERM))

    start_kernel = _async_start_kernel

    def end(self, number):
        """Send a signal to the kernel and all processes that it has started."""
        process = getattr(self.provisioner, "process", None)
        if process is not None:
            with suppress(OSError):
                if os.name == "posix":
                    os.killpg(process.pid, number)
                else:
                    process.kill()


def _check(notebook, parameters, folder):
    """Stop before anything is run where a name is wrong. ``folder`` is made for the notebooks."""
    check(parameters, papermill.inspect_notebook(str(notebook)), notebook.name)
    for name, value in parameters.items():
        if isinstance(value, str) and not value.strip() and name != "datasets":
            raise ParameterError(f"Parameter {name!r} is empty: give a value, or leave it out.")
    seed(parameters.get("seed"))
    processes(parameters.get("n_jobs", 1))
    folds = parameters.get("folds", 2)
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise ParameterError(f"folds is a number of folds, 2 or more; got {folds!r}.")
    if not isinstance(parameters.get("recompute", False), bool):
        raise ParameterError(f"recompute is True or False; got {parameters['recompute']!r}.")
    for name, what in _PATHS.items():
        if not isinstance(value := parameters.get(name), str | None):
            raise ParameterError(f"{name} is {what}; got {value!r}.")
    for name in ("labels", "groups"):
        if parameters.get(name) is not None and parameters.get("data") is None:
            raise ParameterError(f"{name} is of a table of yours: give data, its file, too.")
    if parameters.get("out") is not None:
        check_out(parameters["out"])
        where = paths.expanded(parameters["out"]).absolute().parent
        if where != folder and not where.is_dir():
            raise ParameterError(f"out: there is no folder {where}. Make it, or name another.")
    methods = parameters.get("methods")
    names = listed(methods or "") if isinstance(methods, str | None) else methods
    if not isinstance(names, list) or not all(map(_is_name, names)):
        raise ParameterError(f"methods is a name or a list of names; got {methods!r}.")
    profile = parameters.get("profile", "paper")
    if profile not in PROFILES:
        raise errors.UnknownNameError(f"No profile {profile!r}; there are: {', '.join(PROFILES)}.")
    if notebook.stem in paper_names():
        chosen(get_paper(notebook.stem), parameters.get("datasets"), profile)


def _is_name(value):
    return isinstance(value, str) and not value.startswith("{")


def _execute(notebook, target, parameters, running):
    """Run a notebook beside its target, and put it in place; what went wrong, or None.

    A notebook that does not come to its end replaces none that did: it is kept as NAME.failed.
    """
    beside = _beside(target)
    try:
        why = _executed(notebook, beside, parameters, running)
        if why is None:
            os.replace(beside, target)
            _failed(target).unlink(missing_ok=True)
        return why
    except DeadKernelError:
        why = "its process died (killed, or out of memory?)"
    except OSError as error:
        why = f"it cannot be written: {error.strerror or error}"
    except Exception as error:  # whatever papermill and Jupyter may meet
        why = f"{type(error).__name__}: {error}"
    finally:
        running.cells.pop(notebook.stem, None)
        _keep_unfinished(target)
    return f"{why}; the cells before and all finished fits are kept, the same command goes on"


def _beside(target):
    """Where a notebook is written while it runs."""
    return target.with_name(f".{target.stem}.running.ipynb")


def _failed(target):
    """Where a notebook that did not come to its end is kept beside one that did."""
    return target.with_name(f"{target.stem}.failed.ipynb")


def _keep_unfinished(target):
    """Put what was written of a notebook in its place, or beside a finished one that is there."""
    beside = _beside(target)
    with suppress(OSError):  # there is none where the notebook is finished
        there = _made(target)
        is_finished = there is not None and _outcome(there) == "finished"
        os.replace(beside, _failed(target) if is_finished else target)


def _executed(notebook, target, parameters, running):
    made = nbformat.read(notebook, as_version=4)
    made.metadata.ldlrepro = {"code": _mark_of_code(notebook)}
    _name_in_title(made, parameters)
    nbformat.write(made, target)
    try:
        papermill.execute_notebook(
            str(target),
            str(target),
            parameters=parameters,
            kernel_name="python3",
            progress_bar=False,
            kernel_manager_class=type("_Kernel", (_Kernel,), {"running": running}),
            on_cell_start=lambda cell, cell_index: running.cells.update(
                {notebook.stem: cell_index}
            ),
        )
    except papermill.PapermillExecutionError as error:
        ours = isinstance(getattr(errors, error.ename, None), type)
        return error.evalue if ours else str(error)
    # Taken afterwards: a notebook computes records that are missing.
    made = nbformat.read(target, as_version=4)
    if _without_pictures(made, notebook):
        return _NO_PICTURES
    made.metadata.ldlrepro.records = _mark_of(paths.results(), "*.csv")
    nbformat.write(made, target)


def _name_in_title(notebook, parameters):
    text = described({n: v for n, v in parameters.items() if n not in _NO_MATTER})
    for cell in notebook.cells:
        if text and cell.cell_type == "markdown" and cell.source.startswith("# "):
            title, *rest = cell.source.split("\n")
            cell.source = "\n".join([f"{title} ({text})", *rest])
            return


def _is_finished(target, notebook, parameters):
    made = _made(target)
    if made is None or _outcome(made) != "finished" or _without_pictures(made, notebook):
        return False
    ours = made.metadata.get("ldlrepro", {})
    return (
        made.metadata.papermill.get("parameters") == parameters
        and ours.get("code") == _mark_of_code(notebook)
        and ours.get("records") == _mark_of(paths.results(), "*.csv")
    )


_NO_PICTURES = (
    "cells that show a picture in the book show none: is matplotlib-inline installed for this "
    "Python?"
)


def _without_pictures(made, notebook):
    """Whether cells have no picture that have one in the notebook as it is stored."""
    wanted = {c.source for c in nbformat.read(notebook, as_version=4).cells if _has_picture(c)}
    there = {c.source for c in made.cells if _has_picture(c)}
    return not wanted <= there


def _has_picture(cell):
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def _made(path):
    """A notebook that papermill wrote, or None."""
    try:
        paths.check_file(path)
        made = nbformat.read(path, as_version=4)
        _row(path, made)  # what it says of its run has the types that papermill writes
        made.metadata.get("ldlrepro", {}).get("code")
        return made
    except Exception:  # whatever else lies there: no notebook, or half of one
        return None


def _is_of_another(path):
    """Whether a notebook is there that neither a batch nor papermill wrote: a user's own."""
    try:
        made = nbformat.read(path, as_version=4)
        return bool(len(made.cells)) and not {"papermill", "ldlrepro"} & set(made.metadata)
    except Exception:  # no notebook
        return False


#: What papermill says of cells that did not come to their end.
_LEFT = ("pending", "running")


def _outcome(made):
    state = made.metadata.papermill
    if any(c.metadata.get("papermill", {}).get("exception") for c in made.cells):
        return "failed"
    # papermill notes an end where the kernel dies, too.
    left = any(c.metadata.get("papermill", {}).get("status") in _LEFT for c in made.cells)
    return "finished" if state.get("end_time") and not left else "stopped"


def _mark_of_code(notebook):
    """Digest of the package and of a notebook's source (not of the outputs stored in it)."""
    sources = [cell.source for cell in nbformat.read(notebook, as_version=4).cells]
    package = _mark_of(paths.PACKAGE, "*.py")
    return hashlib.sha256("\n".join([package, *sources]).encode()).hexdigest()[:16]


def _mark_of(folder, pattern):
    """Digest of the files below a folder."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob(pattern)):
        found.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        paths.check_file(path)
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def page(folder):
    """HTML that lists the notebooks of a batch's folder; it needs no other file."""
    rows = []
    for path in sorted(folder.glob("*.ipynb")):
        made = None if path.name.startswith(".") else _made(path)
        if made is not None:
            rows.append(_row(path, made))
    return _PAGE.format(rows="\n".join(rows))


def _row(path, made):
    state, outcome = made.metadata.papermill, _outcome(made)
    began = datetime.fromisoformat(state.start_time) if state.get("start_time") else None
    cells = [
        f'<a href="{escape(path.name)}">{escape(path.stem)}</a>',
        f'<span class="{outcome}">{outcome}</span>',
        escape(described(state.get("parameters", {})) or "those of the notebook"),
        f"{began:%Y-%m-%d %H:%M} {began.tzname() or ''}" if began else "",
        f"{state.duration:.0f} s" if state.get("duration") else "",
    ]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A batch of notebooks</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
div {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #ccc; }}
.finished {{ color: #17692c; }} .failed {{ color: #a31515; }} .stopped {{ color: #8a5300; }}
</style>
</head>
<body>
<h1>A batch of notebooks</h1>
<p>Written by <code>ldlrepro notebooks</code>. A notebook that stopped or failed is kept as far as
it came; the same command runs it again and keeps those that are finished.</p>
<div><table>
<thead><tr><th>notebook</th><th>outcome</th><th>parameters</th><th>begun</th><th>time</th></tr></thead>
<tbody>
{rows}
</tbody>
</table></div>
</body>
</html>
"""
