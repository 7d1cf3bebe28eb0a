"""Parameters of a notebook: what papermill or a person has set, and names that it does not have."""

from pathlib import Path

from ldlrepro.errors import LdlreproError, UnknownNameError

PROFILES = ("paper", "quick")
#: `random_state` of a fit is a thousand times the seed, and has 32 bits.
LARGEST_SEED = 1_000_000


def listed(value):
    """Names as a list: of one name, of a list, or of the text of a list; None stays None."""
    if isinstance(value, str):
        text = value.strip("[] ")
        if text.startswith("("):
            text = text[1:].removesuffix(")")
        value = [name for part in _parts(text) if (name := part.strip(" '\""))]
    if value is not None and not isinstance(value, list | tuple):
        value = [value]
    return value if value is None else list(map(str, value))


def _parts(text):
    """Parts of a text between commas, but for commas in brackets: "M(a=1, b=2), N" has two."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def check(names, known, who):
    """Raise an UnknownNameError for the first of some parameters that ``who`` does not have."""
    for name in names:
        if name not in known:
            raise UnknownNameError(f"{who} has no parameter {name!r}; it has: {', '.join(known)}.")


def seed(value):
    """``value`` as a seed.

    Returns
    -------
    int
        Or None for the seeds of the committed records.
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
    if isinstance(value, bool) or not isinstance(value, int) or value == 0 or value < -1:
        raise LdlreproError(
            f"n_jobs is a number of processes, 1, 2, ..., or -1 for all cores; got {value!r}."
        )
    return value


def check_out(name):
    """Raise an LdlreproError where a comparison cannot be written under the name of a file."""
    if Path(name).suffix.lower() not in (".html", ".csv"):
        raise LdlreproError(f"out is {str(name)!r}: write a page, .html, or records, .csv.")


def described(parameters):
    """Parameters as text: "datasets: s-JAFFE, Movie; seed: 7"."""
    lists = {name: listed(v) if name == "datasets" else v for name, v in parameters.items()}
    texts = {n: ", ".join(map(str, v)) if isinstance(v, list) else v for n, v in lists.items()}
    return "; ".join(f"{name}: {text}" for name, text in texts.items())
