"""Every setting, grid and departure of a chapter's methods, from declarations and docstrings."""

import inspect
from html import escape
from itertools import pairwise

import pandas as pd
from IPython.display import HTML

from ldlrepro.report.tables import show

#: Parameters that say nothing of a method.
_UNTOLD = {"random_state", "n_jobs", "path", "memory_limit"}


def settings_of(experiment):
    """How each method of an experiment is set.

    Returns
    -------
    DataFrame
        Method, estimator (with the parameters in which it departs from the package's defaults),
        defaults kept, chosen inside the fold ("" for nothing).
    """
    rows = []
    for method in experiment.methods:
        own, kept = _parameters(method.estimator)
        name = type(method.estimator).__name__
        rows.append((method.name, f"{name}({own})", kept, _grid(method)))
    return pd.DataFrame(rows, columns=["method", "estimator", "defaults kept", "chosen"])


def other_grids(paper):
    """Grids of a paper's experiments that are not those of its tables.

    Returns
    -------
    DataFrame
        Method, chosen, experiments, a row for each method and grid.
    """
    tables = {(m.name, _grid(m)) for m in paper.experiment("tables").methods}
    where = {}
    for experiment in paper.experiments:
        for method in experiment.methods:
            if method.grid and (method.name, _grid(method)) not in tables:
                where.setdefault((method.name, _grid(method)), []).append(experiment.name)
    rows = [(*key, ", ".join(names)) for key, names in where.items()]
    return pd.DataFrame(rows, columns=["method", "chosen", "experiments"])


def _grid(method):
    return "; ".join(f"{name}: {_list(values)}" for name, values in method.grid.items())


def notes_of(experiment, also=()):
    """Sections "Notes" of an experiment's estimators: departures, and what papers leave open.

    Returns
    -------
    dict
        Name of a class -> text of its section "Notes".
    """
    estimators = [*(method.estimator for method in experiment.methods), *also]
    classes = dict.fromkeys(type(e) for one in estimators for e in _estimators(one))
    notes = {c.__name__: _section(inspect.getdoc(c) or "", "Notes") for c in classes}
    return {name: text for name, text in notes.items() if text}


def show_departures(chapter, also=()):
    """A closed box: settings, grids and departures of the methods in a chapter's tables.

    Below them, the grids of its other experiments, and the experiments whose settings were chosen
    after the printed numbers were seen.

    Parameters
    ----------
    chapter : Chapter
        The chapter, opened.
    also : iterable of estimators
        Estimators whose notes are shown as well.

    Returns
    -------
    HTML
        The box.

    See Also
    --------
    show_nearest : What such an experiment found.
    """
    experiment = chapter.paper.experiment("tables")
    split = f"{experiment.folds} folds"
    if experiment.test_share is not None:
        split = f"{experiment.folds} hold-outs of {experiment.test_share:.0%}"
    chosen = any(m.grid for m in experiment.methods)
    rule = "; chosen by the lowest K-L on the validation part" if chosen else ""
    caption = f"Settings in the tables; {split}, seed {experiment.seed}{rule}"
    parts = [show(settings_of(experiment), caption, False).data]
    others = other_grids(chapter.paper)
    if len(others):
        parts.append(show(others, "Grids of other experiments", False).data)
    seen = [(e.name, e.why) for e in chapter.paper.experiments if e.why]
    if seen:
        frame = pd.DataFrame(seen, columns=["experiment", "looks for"])
        caption = "Settings chosen after seeing the printed numbers"
        parts.append(show(frame, caption, False).data)
    for name, text in notes_of(experiment, also).items():
        parts.append(f"<p><b>{escape(name)}</b></p>{_html(text)}")
    return HTML(
        "<details class='departures'><summary>Departures and settings</summary>"
        f"{''.join(parts)}</details>"
    )


def _estimators(estimator):
    yield estimator
    for value in estimator.get_params(deep=False).values():
        if hasattr(value, "get_params") and not isinstance(value, type):
            yield from _estimators(value)


def _parameters(estimator):
    """Texts of the parameters that differ from their defaults, and of the others."""
    own, kept = [], []
    defaults = type(estimator)().get_params(deep=False)
    for name, value in estimator.get_params(deep=False).items():
        if name in _UNTOLD:
            continue
        if hasattr(value, "get_params"):
            own.append(f"{name}={type(value).__name__}({_parameters(value)[0]})")
        elif value == defaults[name]:
            kept.append(f"{name}={_one(value)}")
        else:
            own.append(f"{name}={_one(value)}")
    return ", ".join(own), ", ".join(kept)


def _one(value):
    if isinstance(value, tuple | list):
        return f"({_list(value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _list(values):
    return ", ".join(_one(v) for v in values)


def _section(doc, name):
    """Text of a docstring's section: up to the next line that is underlined."""
    lines = doc.splitlines()
    heads = [i for i in range(len(lines) - 1) if lines[i + 1].startswith("---")] + [len(lines)]
    for start, end in pairwise(heads):
        if lines[start] == name:
            return "\n".join(lines[start + 2 : end]).strip()
    return ""


def _html(text):
    """Paragraphs of a docstring as HTML, without numbers of references."""
    for number in range(1, 10):
        text = text.replace(f" [{number}]_", "")
    # What stands between back-quotes is every second piece.
    pieces = escape(text).replace("``", "`").split("`")
    text = "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))
    return "".join(f"<p>{part}</p>" for part in text.split("\n\n"))
