"""Batches of notebooks with papermill."""

import ast
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ldlrepro import paths
from ldlrepro.errors import LdlreproError, UnknownNameError


class NotebookError(LdlreproError):
    """A notebook stopped at a cell; what it had written so far is kept."""


def parse(value):
    """Read a parameter from the command line: a Python literal where it is one, else text."""
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def run(papers, parameters, out, jobs=1):
    """Run the notebooks of some papers (all if none is named) and return the written paths.

    Parameters
    ----------
    papers : list of str
    parameters : dict, only names that every chosen notebook has
    out : folder, made where it is missing
    jobs : int, notebooks at a time, each with its own kernel

    Raises
    ------
    UnknownNameError
        A paper without a notebook, or a parameter that a notebook does not have.
    NotebookError
        A cell failed; the other notebooks are finished first.
    """
    import papermill  # slow to import, and only this command needs it

    there = {p.stem: p for p in sorted(paths.NOTEBOOKS.glob("*.ipynb"))}
    if not there:
        raise UnknownNameError(
            "The notebooks are not installed: run this in a clone of the project."
        )
    for name in papers:
        if name not in there:
            raise UnknownNameError(f"No notebook {name!r}; there are: {', '.join(there)}.")
    chosen = papers or list(there)
    for name in chosen:
        known = papermill.inspect_notebook(str(there[name]))
        for parameter in parameters:
            if parameter not in known:
                raise UnknownNameError(
                    f"{name}.ipynb has no parameter {parameter!r}; it has: {', '.join(known)}."
                )
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    for variable in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(variable, threads)

    def one(name):
        target = folder / f"{name}.ipynb"
        try:
            papermill.execute_notebook(
                str(there[name]),
                str(target),
                parameters=parameters,
                kernel_name="python3",
                progress_bar=False,
                cwd=str(folder),
            )
        except papermill.PapermillExecutionError as error:
            return target, f"{target}: {error}"
        return target, None

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(one, chosen))
    failed = [message for _, message in results if message]
    if failed:
        raise NotebookError(
            f"{len(failed)} of {len(chosen)} notebooks failed:\n" + "\n".join(failed)
        )
    return [target for target, _ in results]
