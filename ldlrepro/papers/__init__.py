"""The papers, a folder each: what is run, its studies, its chapter. The registry finds them.

A folder with a file experiments.py is a paper. It is loaded when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ldlrepro.errors import UnknownNameError

if TYPE_CHECKING:  # the registry loads no more than it must
    from ldlrepro.declare import Paper
    from ldlrepro.report.chapter import Chapter

__all__ = [
    "chapter_names",
    "get_chapter",
    "get_paper",
    "get_papers",
    "open_chapter",
    "paper_name",
    "paper_names",
]


def paper_names() -> list[str]:
    """Names of the papers.

    Returns
    -------
    list of str
        In alphabetical order.

    See Also
    --------
    get_paper : The declaration of one.
    """
    return _folders_with("experiments.py")


def get_paper(name: str) -> Paper:
    """Return the declaration of a paper by name (UnknownNameError lists those there are).

    Parameters
    ----------
    name : str
        One of `paper_names`.

    Returns
    -------
    Paper
        Its experiments and studies.

    See Also
    --------
    paper_names : Those there are.
    paper_name : The name of any spelling.
    ldlrepro.protocols.run : Runs it.
    """
    known = paper_names()
    if name not in known:
        raise UnknownNameError(f"No paper {name!r}; there are: {', '.join(known)}.")
    return import_module(f"ldlrepro.papers.{name}.experiments").PAPER


def get_papers(names: list[str] | None = None) -> list[Paper]:
    """Declarations of papers by name.

    Parameters
    ----------
    names : list of str or None
        Some of `paper_names`; None or an empty list stands for all.

    Returns
    -------
    list of Paper
        In the order of the names.

    See Also
    --------
    get_paper : Of one.
    """
    return [get_paper(name) for name in names or paper_names()]


def chapter_names() -> list[str]:
    """Names of the papers that have a chapter, a file chapter.py, in their folder.

    Returns
    -------
    list of str
        In alphabetical order.

    See Also
    --------
    get_chapter : The class of one.
    """
    return _folders_with("chapter.py")


def get_chapter(name: str) -> type[Chapter]:
    """The class of a paper's chapter.

    Parameters
    ----------
    name : str
        One of `chapter_names`.

    Returns
    -------
    type
        A subclass of `ldlrepro.report.Chapter`.

    See Also
    --------
    open_chapter : With what is missing run.
    """
    from ldlrepro.report.chapter import Chapter

    if name not in chapter_names():
        raise UnknownNameError(f"No chapter on {name!r}; there are: {', '.join(chapter_names())}.")
    module = import_module(f"ldlrepro.papers.{name}.chapter")
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type)]
    (own,) = [k for k in kinds if issubclass(k, Chapter) and k.__module__ == module.__name__]
    return own


def open_chapter(
    name: str,
    *,
    profile: str = "paper",
    datasets: list[str] | None = None,
    seed: int | None = None,
    n_jobs: int = 1,
    recompute: bool = False,
) -> Chapter:
    """Run what a paper lacks and open its chapter, as its notebook does.

    Parameters
    ----------
    name : str
        That of the paper.
    profile : {"paper", "quick"}
        "quick" takes small synthetic data.
    datasets : list of str or None
        Names of data sets, None for all.
    seed : int or None
        Added to the seeds that the paper declares; records lie apart then, in ldlrepro-records.
        None for the committed ones.
    n_jobs : int
        Processes for records that are missing.
    recompute : bool
        True computes records again that are there.

    Returns
    -------
    Chapter
        With the paper's records, tables and claims.

    Raises
    ------
    UnknownNameError
        A paper or a data set of it that does not exist.

    See Also
    --------
    ldlrepro.protocols.run : What it runs.
    """
    from ldlrepro.report.chapter import open_chapter as opened

    return opened(
        get_chapter(name),
        profile=profile,
        datasets=datasets,
        seed=seed,
        n_jobs=n_jobs,
        recompute=recompute,
    )


def paper_name(text: str) -> str:
    """Name of the paper that ``text`` means: any case, any punctuation, the title of README too.

    Parameters
    ----------
    text : str
        "Struct RF", for example.

    Returns
    -------
    str
        One of `paper_names`.

    Raises
    ------
    UnknownNameError
        With the nearest name, where there is no such paper.

    See Also
    --------
    paper_names : Those there are.
    get_paper : The declaration of one.
    """
    return meant(text, paper_names(), "paper")


def meant(text: str, names: Iterable[str], what: str) -> str:
    """The one of some ``names`` of a kind (``what``) that ``text`` spells in any way."""
    known = {_key(name): name for name in names}
    if _key(text) in known:
        return known[_key(text)]
    near = get_close_matches(_key(Path(text).stem), known, n=1, cutoff=0.5)  # of a file, too
    hint = f"Did you mean {known[near[0]]}? " if near else ""
    raise UnknownNameError(f"No {what} {text!r}. {hint}There are: {', '.join(known.values())}.")


def _folders_with(file):
    return sorted(p.parent.name for folder in __path__ for p in Path(folder).glob(f"*/{file}"))


def _key(text):
    return "".join(letter for letter in text.lower() if letter.isalnum())
