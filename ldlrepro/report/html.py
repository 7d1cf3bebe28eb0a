"""Tables as HTML: they scroll in a box of their own, fold, and carry their numbers as CSV."""

from html import escape
from urllib.parse import quote

import pandas as pd
from IPython.display import HTML

#: Tables of more rows come folded: the caption says what is inside.
ROWS = 8
#: What a table without rows says.
NOTHING = "nothing to show: no records of these data sets, or none of which it holds"
#: Letters of texts that are numbers for all their sign: "-0.1", "+4.2 sd", "-0.1 (p < 0.05)".
_OF_NUMBERS = frozenset("0123456789.,%±()/ e+-tosdp<>")


def as_html(
    caption, head, rows, data, folded=None, stub=None, more=False, datasets=(), controls=""
):
    """A table in the book's one form.

    Parameters
    ----------
    caption : str
        Text.
    head : list of str
        Texts of the columns.
    rows : list of lists of str
        HTML of their fields, each "<td>...</td>" with a row's head first.
    data : DataFrame
        What the link "data" saves as CSV, cells of several numbers spread over columns.
    folded : bool or None
        Whether only the caption shows at first; None: with more than `ROWS` rows.
    stub : str or None
        HTML of the first column's head, in place of its text.
    more : bool
        Whether cells have parts of class "more", which a switch shows.
    datasets : iterable of str
        Names of the data set of all cells, or of each column after the first: with the attribute
        data-run of the row's head they make the command of a cell.
    controls : str
        HTML of what stands before the links, above the table.

    Returns
    -------
    HTML
        The table, with its caption and links.
    """
    folded = len(rows) > ROWS if folded is None else folded
    heads = [f"<th scope='col'>{escape(str(text))}</th>" for text in head]
    if stub is not None and heads:
        heads[0] = f"<th scope='col'>{stub}</th>"
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    body = body or f"<tr><td colspan='{max(1, len(heads))}'>{NOTHING}</td></tr>"
    origin = f" data-datasets='{escape(' '.join(datasets), quote=True)}'" if datasets else ""
    table = f"<table{origin}><thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table>"
    switch = "<label><input type='checkbox'> details</label>" if more else ""
    links = f"<div class='links'>{controls}{switch}{_download(caption, data)}</div>"
    label = escape(caption, quote=True)
    box = f"<div class='box' tabindex='0' role='region' aria-label='{label}'>{table}</div>"
    if folded:
        return HTML(
            f"<details class='ldl'><summary>{escape(caption)}</summary>{links}{box}</details>"
        )
    return HTML(f"<div class='ldl'><div class='title'>{escape(caption)}</div>{links}{box}</div>")


def _download(caption, data):
    """A link that carries the numbers of a table with it."""
    table = for_spreadsheets(spread_out(data))
    text = quote(table.to_csv(index=False, float_format="%.10g"), safe=" ,;:.()/+*!~")
    letters = (c if c.isascii() and c.isalnum() else " " for c in caption.lower())
    name = "-".join("".join(letters).split())[:60]
    return f'<a download="{name}.csv" href="data:text/csv;charset=utf-8,{text}">data</a>'


def for_spreadsheets(frame):
    """A frame whose texts no spreadsheet takes for formulas: an apostrophe stands before those."""
    frame = frame.rename(columns=_no_formula)
    texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.assign(**{name: frame[name].map(_no_formula) for name in texts})


def _no_formula(cell):
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    signed = cell[0] in "+-" and _OF_NUMBERS.issuperset(cell)
    return cell if signed else f"'{cell}"


def spread_out(frame):
    """A frame in which cells of several numbers have a column for each of them."""
    columns = {}
    for name in frame.columns:
        values = list(frame[name])
        fields = next((type(v)._fields for v in values if hasattr(v, "_fields")), None)
        if fields is None:
            columns[str(name)] = values
            continue
        for i, field in enumerate(fields):
            columns[f"{name}, {field}"] = [v[i] if hasattr(v, "_fields") else None for v in values]
    found = pd.DataFrame(columns)
    nested = any(hasattr(v, "_fields") for name in found for v in found[name])
    return spread_out(found) if nested else found
