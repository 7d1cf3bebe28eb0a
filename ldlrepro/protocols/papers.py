"""The declared papers by name: without their libraries, until one is asked for."""

from difflib import get_close_matches
from importlib import import_module

from ldlrepro import paths
from ldlrepro.errors import UnknownNameError

PROFILES = ("paper", "quick")
#: Modules beside the papers' declarations that help them.
_NO_PAPERS = ("age", "learners")


def paper_names():
    """Names of the declared papers.

    See Also
    --------
    get_paper : The declaration of one.
    """
    folder = paths.PACKAGE / "papers"
    modules = [p.stem for p in folder.glob("[a-z]*.py") if p.stem not in _NO_PAPERS]
    return sorted([*modules, *(p.parent.name for p in folder.glob("*/experiments.py"))])


def get_paper(name):
    """Return the declaration of a paper by name (UnknownNameError lists those there are).

    See Also
    --------
    paper_names : Those there are.
    paper_name : The name of any spelling.
    run : Runs it.
    """
    # Looked up by name at the call: this layer does not know the papers.
    known = paper_names()
    if name not in known:
        raise UnknownNameError(f"No paper {name!r}; there are: {', '.join(known)}.")
    folder = (paths.PACKAGE / "papers" / name).is_dir()
    return import_module(f"ldlrepro.papers.{name}{'.experiments' if folder else ''}").PAPER


def paper_name(text):
    """Name of the paper that ``text`` means: any case, any punctuation, the title of README too.

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


def meant(text, names, what):
    """The one of some ``names`` of a kind (``what``) that ``text`` spells in any way."""
    known = {_key(name): name for name in names}
    if _key(text) in known:
        return known[_key(text)]
    near = get_close_matches(_key(text), known, n=1, cutoff=0.5)
    hint = f"Did you mean {known[near[0]]}? " if near else ""
    raise UnknownNameError(f"No {what} {text!r}. {hint}There are: {', '.join(known.values())}.")


def _key(text):
    return "".join(letter for letter in text.lower() if letter.isalnum())
