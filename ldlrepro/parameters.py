"""Parameters of a notebook: what papermill or a person has set, and names that it does not have."""

import ast
from itertools import pairwise

from ldlrepro.errors import LdlreproError, UnknownNameError

PROFILES = ("paper", "quick")
#: First line of the cell that papermill puts behind the one with the parameters.
_INJECTED = "# Parameters\n"
#: `random_state` of a fit is a thousand times the seed, and has 32 bits.
LARGEST_SEED = 1_000_000


def listed(value):
    """Names as a list: of one name, of a list, or of the text of a list; None stays None."""
    if isinstance(value, str):
        value = [name for part in value.strip("[]() ").split(",") if (name := part.strip(" '\""))]
    if value is not None and not isinstance(value, list | tuple):
        value = [value]
    return value if value is None else list(map(str, value))


def given():
    """What papermill set in the notebook that calls this: {name: value}, {} anywhere else.

    Raises
    ------
    UnknownNameError
        A name that the notebook's parameters do not have: papermill itself goes on.
    """
    values, cells = _notebook()
    for declared, injected in pairwise(cells):
        if injected.startswith(_INJECTED):
            known = _assigned(declared)
            names = [n for n in _assigned(injected) if not n.startswith("PAPERMILL_")]
            check(names, known, "This notebook")
            return {name: values[name] for name in names}
    return {}


def check(names, known, who):
    """Raise an UnknownNameError for the first of some parameters that ``who`` does not have."""
    for name in names:
        if name not in known:
            raise UnknownNameError(f"{who} has no parameter {name!r}; it has: {', '.join(known)}.")


def seed(value):
    """``value`` as a seed.

    Returns
    -------
    int, or None for the seeds of the committed records
    """
    if value in (None, 0):
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST_SEED:
        raise LdlreproError(
            f"seed is a whole number from 0 to {LARGEST_SEED}, or None for the committed records; "
            f"got {value!r}."
        )
    return value


def processes(value):
    """``value`` as a number of processes: 1, 2, ..., or -1 for all cores."""
    if isinstance(value, bool) or not isinstance(value, int) or not value:
        raise LdlreproError(
            f"n_jobs is a number of processes, 1, 2, ..., or -1 for all cores; got {value!r}."
        )
    return value


def told(parameters):
    """Parameters as text: "datasets: s-JAFFE, Movie; seed: 7"."""
    lists = {name: listed(v) if name == "datasets" else v for name, v in parameters.items()}
    texts = {n: ", ".join(map(str, v)) if isinstance(v, list) else v for n, v in lists.items()}
    return "; ".join(f"{name}: {text}" for name, text in texts.items())


def _notebook():
    """Names of the running notebook with their values, and its cells so far."""
    from IPython import get_ipython

    shell = get_ipython()
    values = shell.user_ns if shell else {}
    return values, values.get("In", [])


def _assigned(text):
    nodes = ast.walk(ast.parse(text))
    return [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
