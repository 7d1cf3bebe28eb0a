"""Python files of a user's own: which they are, what they import, and which line failed."""

import ast
import sys
import sysconfig
import tokenize
import traceback
from functools import lru_cache
from importlib.util import find_spec, resolve_name
from pathlib import Path

from ldlrepro.paths import PACKAGE
from ldlrepro.protocols.runner import RunError


def is_own(module):
    """Whether a module, by its name, is of this package."""
    return module.partition(".")[0] == "ldlrepro"


@lru_cache
def is_installed(path):
    """Whether a file is Python's, no text of Python (or None), or of an installed package."""
    if path is None or not path.endswith(".py"):
        return True
    return "site-packages" in path or Path(path).is_relative_to(sysconfig.get_path("stdlib"))


def is_foreign(kind):
    """Whether a class or function is neither of this package nor of an installed one."""
    where = kind.__module__ or ""
    return where == "__main__" or not (is_own(where) or is_installed(file_of(kind)))


def file_of(kind):
    """File of the module of a class or function, or None."""
    return getattr(sys.modules.get(kind.__module__), "__file__", None)


def version_of(package):
    """Version of an installed package that was imported, "" where it says none."""
    return str(getattr(sys.modules.get(package), "__version__", ""))


def in_a_line(error):
    """What a user's code raised and where, in a line: the last place inside no package."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # an error of a user's own that cannot be printed
        text = "(its text cannot be printed)"
    steps = traceback.extract_tb(error.__traceback__)
    theirs = [step for step in steps if not is_installed(step.filename)]
    theirs = [step for step in theirs if not Path(step.filename).is_relative_to(PACKAGE)]
    where = f" ({theirs[-1].filename}, line {theirs[-1].lineno})" if theirs else ""
    return f"{type(error).__name__}: {text}{where}"


def add_files(path, package, files):
    """Texts of a file and of those that it imports, by path; of installed ones their versions.

    package : name of the package that relative imports start from, or ""
    """
    if path in files:
        return
    try:
        with tokenize.open(path) as file:  # in the encoding that the file names
            text = files[path] = file.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise RunError(_not_decoded(path)) from error
    for name in _imports(ast.parse(text), package):
        if is_own(name):
            continue
        outer = name.partition(".")[0]
        try:
            top = find_spec(outer)
            if top is None or (top.origin and is_installed(top.origin)):
                # Nothing inside it is looked for: that would import it.
                files[outer] = version_of(outer)
                continue
            found = find_spec(name)
        except (ImportError, ValueError, AttributeError):
            continue  # a name in a module, or what is not there
        if found and not is_installed(found.origin):
            add_files(found.origin, found.parent, files)


def _not_decoded(path):
    """Which line of a file is not in UTF-8, or not in the encoding that the file names."""
    try:
        Path(path).read_bytes().decode()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return f"{path}, line {line}, is not UTF-8: save the file as UTF-8."
    return f"{path} is not in the encoding that its first lines name: name utf-8."


def _imports(tree, package):
    """Names that an import statement may mean as modules, and the packages around them."""
    for name in _imported(tree, package):
        parts = name.split(".")
        yield from (".".join(parts[: i + 1]) for i in range(len(parts)))


def _imported(tree, package):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level and not package:
                continue  # it fails when it is run
            if node.level:
                name = resolve_name("." * node.level + name, package)
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)
