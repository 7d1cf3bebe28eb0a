"""`list`: the registered data sets, and which are at hand."""

from ldlrepro.datasets import registry


def rows(task=None):
    """Rows of `list` as dicts, made without a library."""
    found = []
    for name in registry.names(task):
        parts = registry.parts(name)
        substitute = registry.realigned(name)
        at_hand = "no"
        if all(registry.locate(part) for part in parts):
            at_hand = "yes"
        elif substitute and registry.locate(substitute):
            at_hand = "re-aligned only"
        found.append(
            {
                "name": name,
                "display": parts[0].display,
                "task": parts[0].task,
                "n": sum(p.n for p in parts) if all(p.n for p in parts) else None,
                "features": parts[0].features,
                "labels": parts[0].labels,
                "at_hand": at_hand,
            }
        )
    return found


def list(task=None):
    """Table of the registered data sets.

    Parameters
    ----------
    task : {"ldl", "multilabel", "images"} or None
        Only the sets of this kind; None gives all.

    Returns
    -------
    pandas.DataFrame
        One row a set: name, display, task, n, features, labels (missing where unknown) and
        at_hand, which is "yes", "re-aligned only" or "no". Files are looked for, not verified.

    See Also
    --------
    load : One of them.
    names : The names alone.
    """
    from pandas import DataFrame  # the command line makes do with the rows

    return DataFrame(rows(task)).astype({"n": "Int64", "features": "Int64", "labels": "Int64"})
