"""Every estimator of the package, by task."""

from importlib import import_module

from ldlrepro.base import LDLEstimator
from ldlrepro.errors import unknown
from ldlrepro.models.multilabel import MultiLabelEstimator

TASKS = ("ldl", "multilabel", "age", "images")


def all_estimators(task=None):
    """Public estimators as sorted (name, class) pairs.

    Parameters
    ----------
    task : {"ldl", "age", "images", "multilabel"} or None
        Label distributions, distributions over ages, distributions of images (to fit takes torch),
        or sets of labels. None for all, transformers too.

    Returns
    -------
    list of (str, type)
        Names and classes.

    Raises
    ------
    UnknownNameError
        Another task.

    See Also
    --------
    compare : What they reach beside each other.
    """
    package = import_module("ldlrepro")
    pairs = [(name, getattr(package, name)) for name in sorted(package.__all__)]
    pairs = [(name, found) for name, found in pairs if hasattr(found, "fit")]
    if task is None:
        return pairs
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    return [(name, found) for name, found in pairs if _task_of(found) == task]


def _task_of(found):
    if issubclass(found, MultiLabelEstimator):
        return "multilabel"
    if issubclass(found, LDLEstimator):
        folder = found.__module__.split(".")[2]
        return {"age": "age", "deep": "images"}.get(folder, "ldl")
    return None
