"""What a user gets who names no settings, beside the mean predictor and other packages."""

import numpy as np
import pandas as pd

from ldlrepro import datasets as data
from ldlrepro import published
from ldlrepro.metrics import MEASURES
from ldlrepro.papers import get_paper
from ldlrepro.report import provenance
from ldlrepro.report.chapter import data_sets, read
from ldlrepro.report.plots import heat_map, nothing
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import show

NULL = "MeanPredictor"
#: K-L up to this many times the mean predictor's counts as no worse.
NO_WORSE = 1.05
#: What looks at nothing, and what learns only the largest label of each row.
BY_DESIGN = ("UniformPredictor", "SingleLabelRF")
#: How two packages name what is called otherwise here.
NAMES = {
    "SA-BFGS": "SABFGS",
    "SA-IIS": "SAIIS",
    "AA-kNN": "AAKNN",
    "AA-BP": "AABP",
    "PT-Bayes": "PTBayes",
    "PT-SVM": "PTSVM",
}


def records(experiment="defaults", profile="paper"):
    """Records of an experiment of the comparison, on all data sets."""
    paper = get_paper("comparison")
    return read(paper, experiment, profile, data_sets(paper))


def ratios(records):
    """K-L divided by the mean predictor's, means over the folds.

    Returns
    -------
    DataFrame, a row a method in the order of their mean over the sets, a column a data set
    """
    means = records.groupby(["method", "dataset"], sort=False)["kl_divergence"].mean().unstack()
    table = means / means.loc[NULL]
    table = table[[d for d in data_sets(get_paper("comparison")) if d in table]].drop(index=NULL)
    return table.loc[np.exp(np.log(table).mean(axis=1)).sort_values().index]


def names(records):
    """Names of the data sets in tables, {name: text}: the re-aligned set is named so."""
    listed = data.list().drop_duplicates("name")
    return provenance.display_names(records, dict.fromkeys(records.dataset), listed)


def worse(table):
    """Number of data sets on which each method is worse than the mean predictor, by `NO_WORSE`."""
    return (table > NO_WORSE).sum(axis=1)


def worse_in_words(table, names):
    """How many defaults are better and worse than the mean predictor, on how many data sets.

    The two rows that are worse by design are left out.

    Parameters
    ----------
    table : of `ratios`; names : of `names`
    """
    table = table.drop(index=list(BY_DESIGN), errors="ignore")
    at_all, much = (table > 1).sum(axis=1), worse(table)
    most, share = at_all.idxmax(), (table > 1).mean()
    bad = [names[d] for d in table if share[d] > 0.5] or ["no data set"]
    return (
        f"Two are worse by design, and are not counted. Of the other {table.size} ratios "
        f"{(table < 1).sum().sum()} are below one, "
        f"{(table < 2 - NO_WORSE).sum().sum()} of them by more than a twentieth{_by_kind(table)}. "
        f"Of the {len(table)} defaults {(at_all > 0).sum()} are worse on some data set, by however "
        f"little. {most} is worse on {at_all[most]} of {table.shape[1]} data sets. More than half "
        f"of the defaults are worse on {', '.join(bad)}. By more than a twentieth "
        f"{(much > 0).sum()} are worse, each on at most {much.max()} data sets."
    )


def _by_kind(table):
    """How many ratios are more than a twentieth below one on Yeast, and on the other sets."""
    yeast = table.columns.str.startswith("Yeast")
    if yeast.all() or not yeast.any():
        return ""
    on, off = (table.loc[:, of] < 2 - NO_WORSE for of in (yeast, ~yeast))
    return (
        f": {on.sum().sum()} of {on.size} on Yeast and {off.sum().sum()} of {off.size} on the other"
        " sets"
    )


def ratios_picture(table, names):
    """`ratios` as a picture: blue is better than the mean predictor, red worse."""
    if table.empty:
        return nothing("No records of this experiment.")
    colours = np.clip(np.log2(table.to_numpy()), -1, 1)
    texts = table.map(lambda v: f"{v:.2f}" if v < 10 else f"{v:.0f}").to_numpy()
    title = "K-L divided by the mean predictor's: blue is better than the mean, red is worse"
    return heat_map(colours, texts, table.index, [names[d] for d in table], title, "RdBu_r")


def show_ratios(table, names):
    """`ratios` as HTML, the sets of Yeast in a table of their own."""
    yeast = [d for d in table if d.startswith("Yeast")]
    for some, which in ((yeast, "Yeast"), (table.columns.drop(yeast), "other data")):
        caption = f"K-L divided by the mean predictor's, {which}"
        frame = table[list(some)].rename(columns=names).rename_axis("method")
        yield show(frame, caption, form="{:.2f}", folded=True)


def show_worse(table, names):
    """Methods whose defaults are worse than the mean predictor somewhere, and where, as HTML."""
    rows = []
    for method, count in worse(table).items():
        if count:
            there = table.loc[method][table.loc[method] > NO_WORSE].sort_values(ascending=False)
            which = ", ".join(f"{names[d]} {value:.2f}" for d, value in there.items())
            rows.append((method, int(count), which))
    frame = pd.DataFrame(rows, columns=["method", "data sets", "which, and K-L / mean predictor's"])
    caption = (
        f"Defaults with a K-L above {NO_WORSE} times the mean predictor's, "
        f"of {table.shape[1]} data sets"
    )
    return show(frame.sort_values("data sets", kind="stable"), caption, False)


def show_against_chapter(tables):
    """K-L of LDLForest's default beside that of its chapter's settings on the same folds, as HTML.

    Parameters
    ----------
    tables : records of the chapter
    """
    mine = records("ldlforest")
    default = mine.groupby("dataset", sort=False)["kl_divergence"].mean()
    chosen = tables[tables.method == "sLDLF"].groupby("dataset")["kl_divergence"].mean()
    called, there = names(mine), [d for d in default.index if d in chosen]
    rows = [(called[d], default[d], chosen[d], default[d] / chosen[d]) for d in there]
    rows.append(("mean of the ratios", None, None, np.mean([row[-1] for row in rows])))
    columns = ["data set", "default", "chosen in the chapter", "ratio"]
    return show(pd.DataFrame(rows, columns=columns), "K-L of LDLForest", False, form="{:.4f}")


def packages_table():
    """K-L and other measures of s-JAFFE, ten times ten folds: two packages and ours.

    Returns
    -------
    DataFrame, a row a method and where it comes from, a column a measure
    """
    printed = published.load("packages")
    measures = list(dict.fromkeys(printed.measure))
    names = [e.name for e in get_paper("comparison").experiments if e.datasets == ("SJAFFE",)]
    ours = pd.concat([records(name) for name in names])
    ours = ours.assign(learner=declared(ours, "learner"), form=declared(ours, "form"))
    means = ours.groupby(["learner", "form"])[measures].mean()
    rows = []
    for theirs, own in NAMES.items():
        for who, mine in printed[printed.method == theirs].groupby("note", sort=False):
            values = mine.set_index("measure")["mean"]
            rows.append((theirs, f"printed: {who}", *values[measures]))
        for form, where in (("default", "ours, default"), ("paper", "ours, as in papers")):
            if (own, form) in means.index:
                rows.append((theirs, where, *means.loc[(own, form), measures]))
    return pd.DataFrame(rows, columns=["method", "of", *(MEASURES[m].label for m in measures)])
