"""What more than one paper prints: the same method, data set and measure side by side."""

import pandas as pd

from ldlrepro import datasets as data
from ldlrepro import published
from ldlrepro.metrics import DISTRIBUTION, MEASURES
from ldlrepro.papers import chapter_names, get_chapter
from ldlrepro.report.chapter import data_sets, read
from ldlrepro.report.provenance import excluded

#: One name for each method.
NAMES = {"BFGS-LDL": "SA-BFGS", "IIS-LDL": "SA-IIS", "AA-kNN": "AA-KNN"}


def chapters():
    """{name: class} of the chapters whose tables have label distributions, in the book's order."""
    classes = sorted(map(get_chapter, chapter_names()), key=lambda chapter: chapter.place)
    return {c.paper.name: c for c in classes if set(c.measures) <= set(DISTRIBUTION)}


def printed_by_several():
    """Numbers that more than one paper prints, and ours under each paper's settings.

    A chapter that takes records of another for a method has no number of its own there.

    Returns
    -------
    DataFrame, a row a method, data set, measure and paper: printed, ours
    """
    printed, ours = [], []
    for name, chapter in chapters().items():
        cells = published.load(name)
        cells = cells[cells["mean"].notna() & cells.method.ne("") & cells.measure.isin(MEASURES)]
        printed.append(cells.assign(paper=name))
        paper, experiments = chapter.paper, chapter.experiments_of_tables
        records = pd.concat([read(paper, e, "paper", data_sets(paper)) for e in experiments])
        records = records[~records.dataset.isin(excluded(records))]
        measures = [m for m in records if m in MEASURES]
        means = records.groupby(["method", "dataset"])[measures].mean()
        means = means.rename_axis(columns="measure").stack().rename("ours").reset_index()
        ours.append(means.assign(paper=name))
    printed, ours = (
        f.assign(method=f.method.replace(NAMES)) for f in map(pd.concat, (printed, ours))
    )
    key = ["method", "dataset", "measure"]
    printed = printed.drop_duplicates([*key, "paper"])
    several = printed.groupby(key).paper.transform("nunique") > 1
    found = printed[several].merge(ours, on=[*key, "paper"], how="left")
    order = {p: i for i, p in enumerate(chapters())}
    found = found.assign(order=found.paper.map(order)).sort_values([*key, "order"])
    return found[[*key, "paper", "mean", "ours"]].rename(columns={"mean": "printed"})


def spread(found):
    """How far the papers are apart: largest printed value divided by the smallest.

    Parameters
    ----------
    found : of `printed_by_several`

    Returns
    -------
    DataFrame, a row a method and data set: papers, and the ratio of each measure
    """
    groups = found.groupby(["method", "dataset", "measure"]).printed
    ratio = (groups.max() / groups.min()).unstack()
    papers = found.groupby(["method", "dataset"]).paper.agg(lambda p: len(set(p)))
    return ratio[[m for m in MEASURES if m in ratio]].assign(papers=papers)


def side_by_side(found, measure, names):
    """One measure: a row a method and data set, printed and ours of each paper as "printed / ours".

    Parameters
    ----------
    names : dict, data set -> name
    """
    mine = found[found.measure == measure]
    text = [
        f"{p:.4f} / {'–' if pd.isna(o) else f'{o:.4f}'}"
        for p, o in zip(mine.printed, mine.ours, strict=True)
    ]
    table = mine.assign(text=text).pivot(
        index=["method", "dataset"], columns="paper", values="text"
    )
    known = chapters()
    table = table.reindex(columns=[p for p in known if p in table])
    table = table.rename(columns={p: c.title for p, c in known.items()})
    frame = table.reset_index()
    return frame.assign(dataset=[names.get(d, d) for d in frame.dataset]).rename(
        columns={"dataset": "data set"}
    )


def widest(found, measure, states, number=20):
    """Where the papers are furthest apart by one measure, and what the chapters found there.

    Parameters
    ----------
    found : of `printed_by_several`
    states : dict, paper -> `causes.states` of its chapter, with ``datasets``: those of a row
    number : of pairs of a method and a data set

    Returns
    -------
    DataFrame, a row a method and the papers that print it, the widest first: the data sets with the
    ratio of each, and for each paper what became of its row of the method, over all of its data
    sets of the kind
    """
    became = {
        (paper, NAMES.get(row.printed, row.printed), dataset): f"{row.state}, by {row.by}"
        if row.by
        else row.state
        for paper, state in states.items()
        for row in state.itertuples()
        for dataset in row.datasets
    }
    counted = {(paper, dataset) for paper, _, dataset in became}
    short = {p: c.title.partition(" (")[0] for p, c in chapters().items()}
    ratios = spread(found)[measure].dropna().sort_values(ascending=False).head(number)
    rows = []
    for (method, dataset), ratio in ratios.items():
        here = found.method.eq(method) & found.dataset.eq(dataset) & found.measure.eq(measure)
        said = [
            f"{short[paper]}: "
            + (
                became.get((paper, method, dataset), "unexplained")
                if (paper, dataset) in counted
                else "other data here"
            )
            for paper in found.paper[here]
        ]
        rows.append((method, "; ".join(said), f"{names()[dataset]} {ratio:.2f}"))
    table = pd.DataFrame(rows, columns=["method", "became", "ratio"])
    table = table.groupby(["method", "became"], sort=False).ratio.agg(", ".join).reset_index()
    heads = {
        "became": "what became of the printed rows",
        "ratio": "largest / smallest, by data set",
    }
    return table[["method", "ratio", "became"]].rename(columns=heads)


def names():
    """Data set -> its name in tables."""
    return data.list().drop_duplicates("name").set_index("name").display.to_dict()
