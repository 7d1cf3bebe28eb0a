"""Tables of the chapter on StructRF: other settings, running times, boosting, the adaptive step."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.papers.structrf.experiments import ITERATIONS, MEASURES_19, STEPS_OF_IIS, TABLE_OF
from ldlrepro.report.compare import show_head_to_head, tally
from ldlrepro.report.settings import (
    declared,
    fixed_settings,
    nearest_settings,
    show_nearest,
    with_settings,
)
from ldlrepro.report.tables import (
    printed_rows,
    published_cells,
    show,
    show_each_data_set,
    side_by_side,
    summary,
    with_null,
)
from ldlrepro.report.values import Outcomes

#: The paper's numbers of steps.
STEPS_OF_PAPER = {"SA-IIS": STEPS_OF_IIS, "SA-BFGS": 300}
BOOSTERS = ("AOSO-LDLogitBoost", "LDLogitBoost")
#: Clustering against variance reduction, with all features and with some drawn at a node.
CRITERIA = (
    ("StructRF", "RF on D"),
    ("StructRF, sqrt(q) features", "RF on D, sqrt(q) features"),
    ("StructRF, sqrt(q) features", "StructRF"),
)


def show_tables_4_to_18(chapter):
    """A table for each data set, ours above the printed means."""
    names = {d: f"Table {number}. {chapter.names[d]}" for d, number in TABLE_OF.items()}
    return show_each_data_set(chapter.ours, chapter.printed, names, chapter.measures, chapter.order)


def show_steps(chapter):
    """SA-IIS and SA-BFGS after other numbers of steps, and from other starts."""
    steps, printed = chapter.steps, chapter.printed
    order = [method.name for method in ITERATIONS.methods]
    steps = steps.sort_values("method", key=lambda names: names.map(order.index), kind="stable")
    learner = declared(steps, "learner")
    alike = {m: steps[(learner == m) & (steps.stage == n)] for m, n in STEPS_OF_PAPER.items()}
    fixed = fixed_settings(alike, printed, chapter.excluded_datasets)
    yield show(fixed, "Numbers that match, the same setting for all data sets", False)
    yield from show_nearest(steps, printed, STEPS_OF_PAPER, chapter.names)
    package = with_settings(chapter.records["first_package"])
    caption = "{}: steps nearest to the printed numbers, from the MATLAB package's start"
    yield from show_nearest(package, printed, STEPS_OF_PAPER, chapter.names, caption)


def show_nodes_and_zeros(chapter):
    """RF with other smallest nodes, and with raised zeros: numbers that match, and what is nearest.

    Behind the titles of what is nearest, the numbers that match with one setting a data set.
    """
    records, printed, names = chapter.records, chapter.printed, chapter.names
    excluded = chapter.excluded_datasets
    sizes = pd.concat([records["node_sizes"], records["node_sizes_between"]])
    tried = {"nodes": with_settings(sizes), "zeros": with_settings(records["raised_zeros"])}
    both = pd.concat(tried.values())
    fixed = fixed_settings({"RF": both}, printed, excluded)
    yield show(fixed, "RF: numbers that match under one setting for all data sets", False)
    for what, mine in zip(("smallest node", "floor"), tried.values(), strict=True):
        nearest = nearest_settings(mine, printed, "RF", names)
        counted = ~nearest["data set"].isin([names[d] for d in excluded])
        total = sum(nearest["numbers that match"][counted], Outcomes(0, 0, 0, 0))
        yield show(nearest, f"RF: the {what} nearest to the printed numbers ({total})", False)


def running_times(records, base, names, printed):
    """Training seconds as ratios to one method's, printed and ours, one row a data set and method.

    Parameters
    ----------
    printed : cells of the paper with the measures fit_seconds and predict_seconds

    Returns
    -------
    DataFrame with dataset, method, printed, ours (seconds of training), ratio_printed, ratio_ours,
    test_printed, test_ours (seconds of testing); NaN where nothing is printed
    """
    ours = records.groupby(["dataset", "method"], sort=False)[
        ["fit_seconds", "predict_seconds"]
    ].median()
    theirs = printed.pivot(index=["dataset", "method"], columns="measure", values="mean")
    columns = ["dataset", "method", "printed", "ours", "ratio_printed", "ratio_ours"]
    columns += ["test_printed", "test_ours"]
    real = set(records[records.source != "synthetic"].dataset)
    rows = []
    for (dataset, method), seconds in ours.iterrows():
        known = dataset in real and (dataset, method) in theirs.index
        said = theirs.loc[(dataset, method)] if known else dict.fromkeys(theirs, np.nan)
        rows.append(
            {
                "dataset": names[dataset],
                "method": method,
                "printed": said["fit_seconds"],
                "ours": seconds.fit_seconds,
                "ratio_printed": said["fit_seconds"]
                / theirs.fit_seconds.get((dataset, base), np.nan),
                "ratio_ours": seconds.fit_seconds / ours.fit_seconds[dataset, base],
                "test_printed": said["predict_seconds"],
                "test_ours": seconds.predict_seconds,
            }
        )
    return pd.DataFrame(rows, columns=columns)


def show_table_3(chapter):
    """Table 3: `running_times` beside the printed ones."""
    printed = published_cells("structrf", [3], ["fit_seconds", "predict_seconds"])
    base = "SA-BFGS"
    heads = {  # of `running_times`, with their forms
        "data set": "{}",
        "method": "{}",
        "training s, printed": "{:g}",
        "ours": "{:.3f}",
        f"ratio to {base}, printed": "{:.3f}",
        "ratio, ours": "{:.3f}",
        "test s, printed": "{:g}",
        "ours ": "{:.4f}",
    }
    times = running_times(chapter.records["times"], base, chapter.names, printed).set_axis(
        list(heads), axis=1
    )
    return show(times, "Table 3. Running times", False, form=heads)


def show_table_19(chapter):
    """Table 19, what is nearest to its cells, and the comparison on every data set."""
    both = chapter.with_methods("boosting", ["StructRF", "MeanPredictor"])
    rounds, measures, names = chapter.records["boosting_rounds"], MEASURES_19, chapter.names
    printed = with_null(published_cells("structrf", [19], measures), both, "MeanPredictor")
    movie = summary(both[both.dataset == "Movie"], measures=measures)
    order = ["StructRF", *BOOSTERS, "MeanPredictor"]
    yield side_by_side(movie, printed, "Table 19. Movie", measures, order)
    caption = "{}: size and rounds nearest to the printed numbers"
    yield from show_nearest(with_settings(rounds, "rounds"), printed, BOOSTERS, names, caption)
    for method in BOOSTERS:
        yield show_head_to_head(both, "StructRF", method, names)


#: Of Figure 4: what is varied, its values, and what stays the same.
STEPS = (
    ("depth", (2, 5, 10, 15, 20, 25), {"trees": 20, "ratio": 0.8}),
    ("ratio", (0.2, 0.4, 0.6, 0.8, 1.0), {"trees": 20, "depth": 20}),
    ("trees", (10, 20, 50, 100), {"ratio": 0.8, "depth": 20}),
)


def show_steps_of_figure_4(chapter):
    """What each further step of one setting of Figure 4 changes."""
    caption = "Figure 4 in numbers: what each further step changes"
    return show(steps_of_figure_4(chapter.grid), caption, False)


def steps_of_figure_4(grid):
    """What each further step of one setting changes in Chebyshev, the others held.

    Parameters
    ----------
    grid : records of Figure 4 with columns trees, ratio and depth
    """
    rows = []
    for what, values, held in STEPS:
        there = grid[np.logical_and.reduce([grid[key] == value for key, value in held.items()])]
        wide = there.pivot(index=["dataset", "seed", "fold"], columns=what, values="chebyshev")
        for first, second in zip(values, values[1:], strict=False):
            if not {first, second} <= set(wide):
                continue
            change = (wide[second] - wide[first]).dropna()
            rows.append(
                {
                    "step": f"{what} {first} to {second}",
                    "held": ", ".join(f"{key} {value}" for key, value in held.items()),
                    "Chebyshev": f"{wide[first].mean():.4f} to {wide[second].mean():.4f}",
                    "change": f"{change.mean() / wide[first].mean():+.1%}",
                    "folds lower": f"{(change < 0).sum()} of {len(change)}",
                }
            )
    return pd.DataFrame(rows)


#: Names of the two searches of Table 20.
PLAIN_STEPS = {"adaptive": "variable step", "all": "every threshold"}


def show_table_20(chapter):
    """Table 20, ours and as printed."""
    searches = chapter.study("adaptive_step")["searches"]
    yield f"Data: {searches.dataset[0]}"
    ours = table_20(searches).rename(columns={"share": "share of the largest gain"})
    full = searches[(searches.n == searches.n.max()) & (searches.step == "all")]
    found = len(full[["feature", "threshold"]].drop_duplicates())
    what = f"{full.fold.nunique()} starts of the clustering, with {found} different results"
    yield show(ours, f"Table 20. Means over {what}", False)
    yield show(printed_rows("structrf", 20), "Table 20 as printed", False)


def table_20(searches):
    """Table 20: means over the clusterings of the largest number of rows."""
    full = searches[searches.n == searches.n.max()]
    gain = full.pivot(index=["counts", "fold"], columns="step", values="gain")
    share = gain.div(gain["all"], axis=0).groupby("counts").mean().stack()
    table = full.groupby(["counts", "step"])[["evaluations", "milliseconds", "gain"]].mean()
    return table.assign(share=share).round(4).reset_index().replace({"step": PLAIN_STEPS})


class Steps(NamedTuple):
    """StructRF minus StructRF*, printed (a text) and ours (None where it was not run)."""

    printed: str
    ours: float

    def __str__(self):
        return f"{self.printed} / " + ("not run" if self.ours is None else f"{self.ours:+.4f}")


def show_table_21(chapter):
    """Table 21: StructRF minus StructRF*."""
    difference = table_21(chapter.ours, chapter.names, chapter.measures)
    caption = "Table 21. StructRF minus StructRF*, printed / ours"
    return show(difference.set_index("data set").T.rename_axis("measure"), caption)


def table_21(ours, names, measures):
    """Table 21: StructRF minus StructRF*, a row a data set, a column a measure.

    Parameters
    ----------
    ours : result of `summary`
    """
    printed = published_cells("structrf", [21], measures)
    mean = ours[ours.source != "synthetic"]
    mean = mean.pivot_table(index=["dataset", "measure"], columns="method", values="mean")
    rows = []
    for dataset, mine in printed.groupby("dataset", sort=False):
        theirs = mine.set_index("measure")["mean_printed"]
        row = {"data set": names[dataset]}
        for measure in measures:
            there = (dataset, measure) in mean.index
            values = mean.loc[(dataset, measure)] if there else None
            own = values["StructRF"] - values["StructRF*"] if there else None
            row[DISTRIBUTION[measure].label] = Steps(theirs[measure], own)
        rows.append(row)
    return pd.DataFrame(rows)


def show_clustering(chapter):
    """Clustering beside variance reduction: how often each is better, and K-L."""
    forests = chapter.with_methods("criteria", ["StructRF"])
    wins = tally(chapter.counting(forests), CRITERIA, chapter.measures)
    caption = "Comparisons (data set x measure); significant at 5% by the corrected (paired) t-test"
    yield show(wins, caption, False)
    for first, second in CRITERIA:
        yield show_head_to_head(forests, first, second, chapter.names)


def show_median_seconds(chapter):
    """Median seconds of a fit of the forests with clusters and with variance."""
    forests = chapter.with_methods("criteria", ["StructRF"])
    caption = "Median seconds of a fit, from runs at different times: only large ratios count"
    return show(median_seconds(forests, chapter.names), caption)


def median_seconds(records, names):
    """Median seconds of a fit, a row a data set, a column a method."""
    seconds = records.groupby(["dataset", "method"], sort=False).fit_seconds.median()
    return seconds.unstack().round(2).rename(index=names)
