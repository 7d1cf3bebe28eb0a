"""What rounding alone does to the numbers of a chapter, beside the spread over its folds."""

import pandas as pd
from IPython.display import Markdown

from ldlrepro.metrics import MEASURES
from ldlrepro.protocols import rounding
from ldlrepro.report.tables import show
from ldlrepro.report.values import Share

#: Spreads below this share are the last digits of float64 and their sums, and are not shown.
SHOWN_FROM = 1e-6


def amplified(spreads, records, measures):
    """Methods that amplify rounding, each on the data set where it is worst.

    Parameters
    ----------
    spreads
        Result of `stated` for these records.
    records : DataFrame
        Those of the chapter's tables.
    measures : iterable of str
        Names of measures; of each method the one that moves most.

    Returns
    -------
    DataFrame
        A row a method, by falling spread: data set, measure, kernels and row orders (range of a
        fold's value as a share of it; NaN for methods that draw), folds (standard deviation over
        the folds as such a share), sets (number of data sets on which it is above `SHOWN_FROM`,
        of those run).
    """
    table = spreads[spreads.measure.isin(list(measures))]
    table = table.assign(largest=table[["kernels", "orders"]].max(axis=1).astype(float))
    rows = []
    for method, mine in table.groupby("method", sort=False):
        worst = mine.loc[mine.largest.idxmax()]
        if worst.largest < SHOWN_FROM:
            continue
        mine_here = (records.method == method) & (records.dataset == worst.dataset)
        values = records[worst.measure][mine_here & (records.source != "synthetic")]
        by_set = mine.groupby("dataset").largest.max()
        rows.append(
            {
                "method": method,
                "dataset": worst.dataset,
                "measure": worst.measure,
                "kernels": worst.kernels,
                "orders": worst.orders,
                "folds": values.std() / abs(values.mean()),
                "sets": Share(int((by_set >= SHOWN_FROM).sum()), len(by_set)),
                "largest": worst.largest,
            }
        )
    columns = ["method", "dataset", "measure", "kernels", "orders", "folds", "sets", "largest"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values("largest", ascending=False, ignore_index=True)


def show_rounding(chapter):
    """Yield the table of methods that amplify rounding, and a line on the others.

    Parameters
    ----------
    chapter : Chapter
        The chapter, opened.

    Yields
    ------
    HTML
        The table, then the line.

    See Also
    --------
    tally : Differences that count in spite of it.
    """
    spreads = stated(chapter.tables, chapter.names)
    moved = amplified(spreads, chapter.tables, chapter.measures)
    still = unmoved(spreads, chapter.tables, moved)
    if len(moved):
        table = moved.drop(columns="largest").rename(
            columns={
                "dataset": "data set",
                "kernels": "other kernels",
                "orders": "other row orders",
                "folds": "over the folds",
                "sets": "data sets that move",
            }
        )
        table["data set"] = table["data set"].map(chapter.names)
        table["measure"] = [MEASURES[name].label for name in table.measure]
        caption = "How far a fold's value moves by rounding, and over the folds, where most"
        shares = ("other kernels", "other row orders", "over the folds")
        yield show(table, caption, False, form=dict.fromkeys(shares, "{:.2%}"), missing="it draws")
    if still:
        yield Markdown(
            f"Below a millionth wherever it was measured: {', '.join(still)}. Methods that draw "
            "are measured under other kernels only: another order of rows is another draw."
        )
    if not len(moved) and not still:
        yield Markdown("Not measured for these records.")


def unmoved(spreads, records, moved):
    """Names of the methods of the tables that were run and are not among the `amplified`."""
    return [m for m in records.method.unique() if m in set(spreads.method) - set(moved.method)]


def stated(records, names):
    """Stated spreads of the methods of these records, by the names that they have here.

    Parameters
    ----------
    records : DataFrame
        Those of the chapter's tables.
    names : dict of str
        Names of the data sets in the table.
    """
    declared = records.get("declared", records.method)
    here = dict(zip(zip(records.paper, declared, strict=True), records.method, strict=True))
    table = rounding.spreads()
    keys = zip(table.paper, table.method, strict=True)
    table = table.assign(method=[here.get(key) for key in keys])
    return table[table.method.notna() & table.dataset.isin(list(names))]
