"""Tables of records and published cells. A record is one row; see protocols/store.py."""

from html import escape

import pandas as pd
from IPython.display import HTML

from ldlrepro import published
from ldlrepro.metrics import DISTRIBUTION, MEASURES


def summary(records, by=("dataset", "method"), measures=tuple(DISTRIBUTION)):
    """Mean and standard deviation over the folds, long form.

    Returns
    -------
    DataFrame with ``by``, measure, mean, std, folds, source
    """
    by = list(by)
    long = records.melt(id_vars=[*by, "source"], value_vars=list(measures), var_name="measure")
    groups = long.groupby([*by, "source", "measure"], sort=False)["value"]
    return groups.agg(mean="mean", std="std", folds="count").reset_index()


def published_cells(paper, tables, measures):
    """Printed cells of some tables of a paper, those of the given measures."""
    rows = published.load(paper)
    return rows[rows.table.isin(tables) & rows.measure.isin(measures)]


def cells(ours, printed):
    """Every printed cell beside ours (see `published.compare`)."""
    return published.compare(
        ours[["dataset", "method", "measure", "mean", "std", "source"]], printed
    )


def agreement(compared, names, apart=()):
    """Share of cells that agree, for each method and data set.

    Parameters
    ----------
    compared : result of `cells`
    names : dict, data set -> name in the table
    apart : data sets that are shown but not counted in the total

    Returns
    -------
    DataFrame, one row a data set and a last one "all that count", one column a method: "5 of 6"
    """
    there = compared[compared.ours.notna()]

    def share(rows):
        return f"{int(rows.agrees.sum())} of {len(rows)}" if len(rows) else "not run"

    table = {}
    for method in compared.method.unique():
        mine = there[there.method == method]
        column = {names[d]: share(mine[mine.dataset == d]) for d in compared.dataset.unique()}
        counted = mine[~mine.dataset.isin(apart)]
        percent = f" ({100 * counted.agrees.mean():.0f}%)" if len(counted) else ""
        column["all that count"] = share(counted) + percent
        table[method] = column
    return pd.DataFrame(table).rename_axis("data set")


def side_by_side(ours, printed, caption, measures, order):
    """One data set: a row a method, a column a measure; in each cell paper, ours, difference.

    The difference is in published standard deviations, where the paper prints none in percent of
    the printed mean; a tick says that it is within the stated tolerance.
    """
    arrows = {m: "↑" if MEASURES[m].greater_is_better else "↓" for m in measures}
    heads = {m: f"{MEASURES[m].label} {arrows[m]}" for m in measures}
    return _grid(ours, printed, caption, "measure", heads, order)


def by_data_set(ours, printed, caption, heads, order):
    """One measure: a row a method, a column a data set; cells as in `side_by_side`.

    Parameters
    ----------
    ours, printed : rows of one measure
    heads : dict, data set -> head of its column
    """
    return _grid(ours, printed, caption, "dataset", heads, order)


def _grid(ours, printed, caption, column, heads, order):
    compared = cells(ours, printed).set_index(["method", column])
    mine = ours.set_index(["method", column])
    body = []
    for method in (m for m in order if m in set(ours.method)):
        row = [f"<th scope='row'>{escape(method)}</th>"]
        for key in heads:
            if (method, key) not in mine.index:
                row.append("<td>not run</td>")
                continue
            own = _pm(mine.loc[(method, key), "mean"], mine.loc[(method, key), "std"])
            c = compared.loc[(method, key)] if (method, key) in compared.index else None
            if c is not None and pd.notna(c.ours):
                mark = "✓" if c.agrees else "✗"
                lines = f"{_pm(c.published, c.published_std)}<br><b>{own}</b><br>{_away(c)} {mark}"
            else:
                lines = f"–<br><b>{own}</b>"
            row.append(f"<td>{lines}</td>")
        body.append(f"<tr>{''.join(row)}</tr>")
    head = "".join(f"<th>{escape(text)}</th>" for text in heads.values())
    return HTML(
        f"<table class='ldl'><caption>{escape(caption)}</caption>"
        f"<thead><tr><th>paper<br><b>ours</b><br>difference</th>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def show(frame, caption, index=True):
    """A small DataFrame as an HTML table with a caption; text as it is."""
    frame = frame.reset_index() if index else frame
    head = "".join(f"<th>{escape(str(c))}</th>" for c in frame.columns)
    rows = "".join(
        "<tr>" + "".join(_cell(str(value)) for value in row) + "</tr>"
        for row in frame.itertuples(index=False)
    )
    return HTML(
        f"<table class='ldl'><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def declared(records, key):
    """A setting that the methods declare, of every record.

    Parameters
    ----------
    records : records with ``settings`` (dict: see `protocols.declare.Method`)
    key : str

    Returns
    -------
    Series with the index of ``records``; None or NaN where a method says nothing of it
    """
    return pd.Series([s.get(key) for s in records.settings], index=records.index)


def with_settings(records, unit="steps"):
    """Staged and unstaged records with columns ``stage`` and ``setting`` (a text)."""
    stage = [p.get("stage") for p in records.parameters]
    setting = [
        method
        if s is None
        else f"{method}, zeros raised to {s:g}"
        if s < 1
        else f"{method}, {s} steps"
        for method, s in zip(records.method, stage, strict=True)
    ]
    return records.assign(stage=stage, setting=setting)


def nearest_settings(records, printed, method, names):
    """Which of the tried settings comes nearest to a method's printed cells.

    An explanation, not a result: the setting is picked by the printed numbers.

    Parameters
    ----------
    records : records with a column ``setting``
    printed : cells of the paper; only those of ``method`` count
    names : dict, data set -> name in the table

    Returns
    -------
    DataFrame, one row a data set: nearest setting, cells that agree, K-L printed and with it
    """
    records = records[records.source != "synthetic"]
    ours = summary(records, by=("dataset", "setting"), measures=printed.measure.unique())
    printed = printed[printed.method == method]
    columns = ["data set", "nearest setting", "cells that agree", "K-L printed", "K-L with it"]
    rows = []
    for dataset in (d for d in names if d in set(ours.dataset) & set(printed.dataset)):
        mine = ours[ours.dataset == dataset]
        best = None
        for setting, settled in mine.groupby("setting", sort=False):
            compared = cells(settled.assign(method=method), printed[printed.dataset == dataset])
            miss = (compared.difference.abs() / compared.tolerance).mean()
            if best is None or miss < best[0]:
                best = miss, setting, compared.set_index("measure")
        _, setting, compared = best
        kl = compared.loc["kl_divergence"]
        share = f"{int(compared.agrees.sum())} of {len(compared)}"
        theirs, own = _pm(kl.published, kl.published_std), _pm(kl.ours, kl.ours_std)
        rows.append((names[dataset], setting, share, theirs, own))
    return pd.DataFrame(rows, columns=columns)


def fixed_settings(records, printed, settings, apart=()):
    """Cells that agree under settings that are the same for all data sets.

    Parameters
    ----------
    records : records with a column ``setting``
    settings : dict, method of the paper -> settings
    apart : data sets that are not counted
    """
    records = records[(records.source != "synthetic") & ~records.dataset.isin(apart)]
    rows = []
    for method, ours in settings.items():
        for setting in ours:
            mine = summary(
                records[records.setting == setting].assign(method=method),
                measures=printed.measure.unique(),
            )
            compared = cells(mine, printed[printed.method == method])
            there = compared[compared.ours.notna()]
            rows.append((method, setting, f"{int(there.agrees.sum())} of {len(there)}"))
    return pd.DataFrame(rows, columns=["method", "setting", "cells that agree"])


def printed_rows(paper, table):
    """A printed table as it is: a row a method, a column a measure."""
    rows = published.load(paper)
    rows = rows[rows.table == table]
    wide = rows.pivot_table(
        index="method", columns="measure", values="mean_printed", aggfunc="first", sort=False
    )
    return wide.reset_index()


def _cell(text):
    long = " class='long'" if len(text) > 40 else ""
    return f"<td{long}>{escape(text)}</td>"


def _away(cell):
    if pd.isna(cell.published_std):
        return f"{100 * cell.difference / abs(cell.published):+.1f}%"
    return f"{round(cell.difference_in_stds, 1) + 0.0:+.1f} sd"


def _pm(mean, std):
    return f"{mean:.4f}" if pd.isna(std) else f"{mean:.4f}±{std:.4f}"
