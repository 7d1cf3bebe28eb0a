"""Settings that methods declare, and which of those tried comes nearest to print."""

import pandas as pd

from ldlrepro.report.tables import agreeing, cells_by_setting, show
from ldlrepro.report.values import Outcomes, Spread


def declared(records, key):
    """A setting that the methods declare, of every record.

    Parameters
    ----------
    records : DataFrame
        Records with ``settings`` (dict: see `declare.Method`).
    key : str
        Name of a setting.

    Returns
    -------
    Series
        With the index of ``records``; None or NaN where a method says nothing of it.
    """
    return pd.Series([s.get(key) for s in records.settings], index=records.index)


def with_settings(records, stages="steps"):
    """Staged and unstaged records with columns ``stage`` and ``setting`` (a text).

    Parameters
    ----------
    records : DataFrame
        Records of methods with ``settings``, staged or not.
    stages : str
        What the stages of methods are, "rounds" for boosting.

    Returns
    -------
    DataFrame
        The records with the two columns more.

    See Also
    --------
    show_nearest : Takes such records.
    """
    stage = [p.get("stage") for p in records.parameters]
    setting = [
        method
        if s is None
        else f"{method}, cut at {s}"
        if isinstance(s, str)
        else f"{method}, zeros raised to {s:g}"
        if s < 1
        else f"{method}, {s} {stages}"
        for method, s in zip(records.method, stage, strict=True)
    ]
    return records.assign(stage=stage, setting=setting)


def nearest_settings(records, printed, method, names):
    """Which of the tried settings comes nearest to a method's printed numbers.

    An explanation, not a result: the setting is picked by the printed numbers.

    Parameters
    ----------
    records : DataFrame
        Records with a column ``setting``.
    printed : DataFrame
        Printed numbers of the paper; only those of ``method`` count.
    names : dict of str
        Names of the data sets in the table.

    Returns
    -------
    DataFrame
        One row a data set: nearest setting, numbers that match, K-L printed and with it.
    """
    compared = cells_by_setting(records, printed[printed.method == method])
    compared["miss"] = compared.difference.abs() / compared.tolerance
    compared = compared[compared.ours.notna()]
    columns = ["data set", "nearest setting", "numbers that match", "K-L printed", "K-L with it"]
    rows = []
    for dataset in (d for d in names if d in set(compared.dataset)):
        mine = compared[compared.dataset == dataset]
        setting = mine.groupby("setting", sort=False).miss.mean().idxmin()
        mine = mine[mine.setting == setting]
        kl = mine.set_index("measure").loc["kl_divergence"]
        theirs, own = Spread(kl.published, kl.published_std), Spread(kl.ours, kl.ours_std)
        rows.append((names[dataset], setting, agreeing(mine), theirs, own))
    return pd.DataFrame(rows, columns=columns)


def show_nearest(
    records, printed, methods, names, caption="{}: the setting nearest to the printed numbers"
):
    """``nearest_settings`` of several learners, an HTML table each.

    Parameters
    ----------
    records : DataFrame
        Records with a column ``setting``, of any learners.
    printed : DataFrame
        Printed numbers of the paper.
    methods : list of str
        Printed rows, one a table.
    names : dict of str
        Names of the data sets in tables.
    caption : str
        Its braces stand for the learner.

    Yields
    ------
    HTML
        A table a learner.

    See Also
    --------
    fixed_settings : The same setting for all sets.
    with_settings : Adds the column.
    """
    learner = declared(records, "learner")
    for method in methods:
        nearest = nearest_settings(records[learner == method], printed, method, names)
        yield show(nearest, caption.format(method), False)


def fixed_settings(tried, printed, excluded=()):
    """Numbers that match under settings that are the same for all data sets.

    Parameters
    ----------
    tried : dict of DataFrame
        For each printed row the records to judge it by, with a column ``setting``.
    printed : DataFrame
        Printed numbers of the paper.
    excluded : iterable of str
        Data sets that are not counted.

    Returns
    -------
    DataFrame
        A row a printed row and setting: method, setting, numbers that match.

    See Also
    --------
    show_nearest : Settings by data set.
    """
    rows = []
    for method, records in tried.items():
        mine = records[~records.dataset.isin(excluded)]
        compared = cells_by_setting(mine, printed[printed.method == method])
        found = {s: agreeing(some) for s, some in compared.groupby("setting")}
        rows += [(method, s, found.get(s, Outcomes(0, 0, 0, 0))) for s in records.setting.unique()]
    return pd.DataFrame(rows, columns=["method", "setting", "numbers that match"])
