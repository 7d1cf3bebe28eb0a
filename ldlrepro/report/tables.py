"""Tables of records and published cells. A record is one row; see protocols/store.py."""

from html import escape

import pandas as pd

from ldlrepro import published
from ldlrepro.metrics import DISTRIBUTION, MEASURES
from ldlrepro.report.html import as_html
from ldlrepro.report.values import Beside, Outcomes, Spread

#: How a table marks the outcome of a cell.
MARKS = {published.MATCHES: "✓", published.DIFFERS: "✗", published.UNINFORMATIVE: "?"}
_STUB = "<b>ours</b><br>printed"


def summary(records, by=("dataset", "method"), measures=tuple(DISTRIBUTION)):
    """Mean and standard deviation over the folds, long form.

    Parameters
    ----------
    records : DataFrame
        Records of an experiment.
    by : tuple of str
        Columns whose values tell the groups apart.
    measures : tuple of str
        Names of measures.

    Returns
    -------
    DataFrame
        It has ``by``, measure, mean, std, folds, source and origin: what ``ldlrepro run`` needs to
        compute the folds again (missing for records that do not say where they are from).

    See Also
    --------
    agreement : Sets it beside printed numbers.
    """
    keys = [*by, "source", "origin"]
    long = records.assign(origin=_origins(records)).melt(
        id_vars=keys, value_vars=list(measures), var_name="measure"
    )
    groups = long.groupby([*by, "source", "measure"], sort=False)
    found = groups["value"].agg(mean="mean", std="std", folds="count")
    return found.assign(origin=groups["origin"].first()).reset_index()


def _origins(records):
    if not {"paper", "experiment", "method"} <= set(records):
        return None
    method = records.method
    if "declared" in records:
        method = records.declared.fillna(method)
    return records.paper + " --experiment " + records.experiment + ' --method "' + method + '"'


def published_cells(paper, tables, measures):
    """Printed numbers of some tables of a paper, those of the given measures.

    Parameters
    ----------
    paper : str
        Name of the paper.
    tables : iterable of int
        Numbers of the tables.
    measures : list of str
        Names of measures.

    Returns
    -------
    DataFrame
        Rows of ``published.load``.

    See Also
    --------
    printed_rows : A table as printed.
    show_identities : What is wrong with them.
    """
    rows = published.load(paper)
    return rows[rows.table.isin(tables) & rows.measure.isin(measures)]


def cells(ours, printed):
    """Every printed cell beside ours (see `published.compare`)."""
    return published.compare(
        ours[["dataset", "method", "measure", "mean", "std", "source"]], printed
    )


def cells_by_setting(records, printed):
    """`cells` of one printed row under every setting that was tried for it.

    Parameters
    ----------
    records : DataFrame
        Records with a column ``setting``.
    printed : DataFrame
        Printed numbers of one method.

    Returns
    -------
    DataFrame
        As of `cells`, with ``setting`` in place of method, settings in order of appearance.
    """
    records = records[records.source != "synthetic"]
    measures = [m for m in printed.measure.unique() if m in records]
    ours = summary(records, by=("dataset", "setting"), measures=measures)
    tried = pd.DataFrame({"setting": ours.setting.unique()}).astype(str)
    return published.compare(
        ours, printed.merge(tried, how="cross"), on=("dataset", "setting", "measure")
    )


def with_null(printed, records, null):
    """Printed numbers with the mean of a predictor that ignores the features in column ``null``.

    Parameters
    ----------
    null : str
        Name of its method in ``records``.
    """
    measures = [m for m in printed.measure.unique() if m in records]
    own = summary(records[records.method == null], measures=measures)
    own = own.rename(columns={"mean": "null"})[["dataset", "measure", "null"]]
    return printed.drop(columns="null", errors="ignore").merge(
        own, on=["dataset", "measure"], how="left"
    )


def agreeing(compared):
    """``Outcomes`` of compared cells; those that repeat another one are not counted."""
    there = (compared.within.notna() & ~compared.repeated).to_numpy(bool)
    tells, within = (
        compared[column].to_numpy(bool, na_value=False)[there] for column in ("tells", "within")
    )
    counts = (tells & within, tells, ~tells & within, ~tells)
    return Outcomes(*(int(count.sum()) for count in counts))


def agreement(compared, names, excluded=()):
    """Outcomes of cells, for each method and data set.

    Parameters
    ----------
    compared : DataFrame
        Result of ``cells``.
    names : dict of str
        Names of the data sets in the table.
    excluded : iterable of str
        Data sets that are shown but not counted in the total.

    Returns
    -------
    DataFrame
        ``Outcomes``, one row a data set and a last one "all counted", one column a method; None
        where nothing was run, a text where numbers that were run cannot be judged.

    See Also
    --------
    tally : Methods against each other, not against the paper.
    """
    table = {}
    for method in compared.method.unique():
        mine = compared[compared.method == method]
        column = {names[d]: mine[mine.dataset == d] for d in compared.dataset.unique()}
        column["all counted"] = mine[~mine.dataset.isin(excluded)]
        table[method] = {row: _outcomes(some) for row, some in column.items()}
    return pd.DataFrame(table).rename_axis("data set")


def _outcomes(compared):
    found = agreeing(compared)
    if any(found):
        return found
    return "not judged" if compared.ours.notna().any() else None


def side_by_side(ours, printed, caption, measures, order, folded=None):
    """One data set: a row a method, a column a measure; in each cell ours above the printed mean.

    On demand also standard deviations and the difference, in published standard deviations, where
    the paper prints none in percent of the printed mean. A tick: the cell agrees; a cross: it
    differs; a question mark: it is uninformative.
    """
    arrows = {m: "↑" if MEASURES[m].greater_is_better else "↓" for m in measures}
    heads = {m: f"{MEASURES[m].label} {arrows[m]}" for m in measures}
    return _grid(ours, printed, caption, "measure", heads, order, folded)


def show_each_data_set(ours, printed, captions, measures, order):
    """``side_by_side`` for each data set that was run.

    Before them, all cells in one table that a page of the book can search and sort.

    Parameters
    ----------
    ours : DataFrame
        Result of `summary`.
    printed : DataFrame
        Printed numbers.
    captions : dict of str
        Caption of each data set that is shown.
    measures : list of str
        Names of measures.
    order : list of str
        Methods.

    Yields
    ------
    HTML
        A table, or a note in its place.

    See Also
    --------
    show_by_fives : All sets in one measure.
    """
    compared = cells(ours, printed)
    compared = compared[compared.dataset.isin(captions) & compared.ours.notna()]
    if len(compared):
        yield _one_row_a_cell(compared, captions)
    for dataset in (d for d in captions if d in set(ours.dataset)):
        mine, theirs = (rows[rows.dataset == dataset] for rows in (ours, printed))
        yield side_by_side(mine, theirs, captions[dataset], measures, order, folded=True)


def _one_row_a_cell(compared, captions):
    frame = pd.DataFrame(
        {
            "table": compared.dataset.map(captions),
            "method": compared.method,
            "measure": [MEASURES[m].label for m in compared.measure],
            "printed": [Spread(c.published, c.published_std) for c in compared.itertuples()],
            "ours": [Spread(c.ours, c.ours_std) for c in compared.itertuples()],
            "difference": [_away(c) for c in compared.itertuples()],
            "outcome": compared.outcome,
        }
    )
    return show(
        frame, f"All {len(frame)} printed numbers of these tables in one", False, folded=True
    )


def by_data_set(ours, printed, caption, heads, order):
    """One measure: a row a method, a column a data set; cells as in ``side_by_side``.

    Parameters
    ----------
    ours, printed : DataFrame
        Rows of one measure.
    heads : dict
        Data set -> head of its column.
    """
    return _grid(ours, printed, caption, "dataset", heads, order)


def show_by_fives(ours, printed, measure, names, order, caption=None):
    """``by_data_set`` for one measure of all, in tables of at most five data sets.

    Parameters
    ----------
    ours : DataFrame
        Result of `summary`.
    printed : DataFrame
        Printed numbers.
    measure : str
        Name of the measure.
    names : dict of str
        Names of the data sets in tables.
    order : list of str
        Methods.
    caption : str or None
        What stands above; None for a sentence with the names.

    Yields
    ------
    HTML
        A table of five data sets.

    See Also
    --------
    show_each_data_set : A table a data set.
    """
    caption = caption or MEASURES[measure].label
    there = [d for d in names if d in set(ours.dataset)]
    for some in (there[i : i + 5] for i in range(0, len(there), 5)):
        mine, theirs = (
            rows[(rows.measure == measure) & rows.dataset.isin(some)] for rows in (ours, printed)
        )
        yield by_data_set(mine, theirs, caption, {d: names[d] for d in some}, order)


def _grid(ours, printed, caption, column, heads, order, folded=None):
    compared = cells(ours, printed)
    shown = compared.set_index(["method", column])
    mine = ours.set_index(["method", column])
    body = []
    for method in (m for m in order if m in set(ours.method)):
        origin = ours.origin[ours.method == method].iloc[0]
        run = f" data-run='{escape(origin, quote=True)}'" if pd.notna(origin) else ""
        row = [f"<th scope='row'{run}>{escape(method)}</th>"]
        for key in heads:
            if (method, key) not in mine.index:
                row.append("<td>not run</td>")
                continue
            own = mine.loc[(method, key)]
            cell = shown.loc[(method, key)] if (method, key) in shown.index else None
            row.append(_beside(own, cell))
        body.append(row)
    counted = agreeing(compared)
    data = ours.merge(
        compared[["dataset", "method", "measure", "published", "published_std", "outcome"]],
        on=["dataset", "method", "measure"],
        how="left",
    ).drop(columns=["source", "origin"])
    if any(counted):
        caption = f"{caption} ({counted})"
    sets = tuple(heads) if column == "dataset" else tuple(ours.dataset.unique())
    return as_html(
        caption, ["", *heads.values()], body, data, folded, _STUB, more=True, datasets=sets
    )


def _beside(own, cell):
    """A cell: ours and its outcome, below it the printed number; both in full on demand."""
    mine = f"<b>{own['mean']:.4f}</b>{_more(own['std'])}"
    if cell is None or pd.isna(cell.ours):
        return f"<td>{mine}<br>–</td>"
    theirs = f"{cell.published:.4f}{_more(cell.published_std)}"
    away = f"<span class='more'><br>{_away(cell)}</span>"
    mark = MARKS.get(cell.outcome, "")
    if cell.repeated:
        why = "1 minus Intersection: not counted"
        return f"<td title='{why}'>{mine} ({mark})<br>{theirs}{away}</td>"
    kind = f" class='{cell.outcome.replace(' ', '-')}'" if mark else ""
    return f"<td{kind}>{mine} {mark}<br>{theirs}{away}</td>"


def _more(std):
    return "" if pd.isna(std) else f"<span class='more'>±{std:.4f}</span>"


def show(frame, caption, index=True, form="{}", missing="–", folded=None):
    """A DataFrame as an HTML table with a caption: numbers become text here.

    Parameters
    ----------
    frame : DataFrame
        What is shown.
    caption : str
        What stands above.
    index : bool
        Whether the index is the first column.
    form : str or dict
        How floats, ``Spread`` and ``Beside`` are written, "{:.1%}" say, or by the head of a column.
    missing : str
        Text in place of None and NaN.
    folded : bool or None
        Whether only the caption shows at first; None: if the table is long.

    Returns
    -------
    HTML
        The table.

    See Also
    --------
    summary : The numbers of many of the tables.
    """
    frame = frame.reset_index() if index else frame
    forms = form if isinstance(form, dict) else dict.fromkeys(frame.columns, form)
    columns = [
        [_cell(_written(value, forms.get(head, "{}"), missing)) for value in frame[head]]
        for head in frame.columns
    ]
    return as_html(caption, frame.columns, list(zip(*columns, strict=True)), frame, folded)


def _written(value, form, missing):
    if value is None or value is pd.NA or (isinstance(value, float) and pd.isna(value)):
        return missing
    return form.format(value) if isinstance(value, float | Spread | Beside) else str(value)


def _cell(text):
    kind = "long" if len(text) > 40 else "name" if _is_name(text) else ""
    return f"<td class='{kind}'>{escape(text)}</td>" if kind else f"<td>{escape(text)}</td>"


def _is_name(text):
    """Whether a text may break into lines: more than a column is wide, words or two numbers."""
    letters = sum(map(str.isalpha, text))
    return len(text) > 14 and " " in text and (letters > len(text) / 3 or " / " in text)


def _away(cell):
    if pd.isna(cell.published_std):
        return f"{100 * cell.difference / abs(cell.published):+.1f}%"
    return f"{round(cell.difference_in_stds, 1) + 0.0:+.1f} sd"


def printed_rows(paper, table):
    """A printed table as it is: a row a method, a column a measure.

    Parameters
    ----------
    paper : str
        Name of the paper.
    table : int
        Number of the table.

    Returns
    -------
    DataFrame
        The table, with the means as numbers.

    See Also
    --------
    published_cells : The cells in long form.
    """
    rows = published.load(paper)
    rows = rows[rows.table == table]
    wide = rows.pivot_table(
        index="method", columns="measure", values="mean_printed", aggfunc="first", sort=False
    )
    return wide.reset_index()


def show_identities(paper):
    """Printed numbers of a paper that break an identity, as HTML, or a line that says none does.

    Parameters
    ----------
    paper : str
        Name of the paper.

    Returns
    -------
    HTML
        The table or the line.

    See Also
    --------
    published_cells : The cells looked at.
    """
    broken = published.identities(published.load(paper))
    broken = broken[["table", "dataset", "method", "rule", "printed", "excess", "rounding"]]
    if len(broken):
        return show(broken.round(4), "Printed numbers that break an identity", False)
    print("Every stored cell obeys the identities of the errata page.")
