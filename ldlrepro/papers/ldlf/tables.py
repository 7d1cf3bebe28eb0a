"""Tables of the chapter on LDL forests: the rivals, and what the protocol does."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.declare import reseeded
from ldlrepro.papers.ldlf.experiments import (
    DRAWN,
    LAYERS,
    PROTOCOL_SETS,
    RIVALS,
    SCRIPT,
    STOPPED,
    TABLE_1,
)
from ldlrepro.papers.structrf.experiments import PAPER as STRUCTRF
from ldlrepro.protocols.split import partition
from ldlrepro.report.chapter import read
from ldlrepro.report.claims import NEAR, printed_numbers
from ldlrepro.report.compare import head_to_head, tally, wins
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import show, show_by_fives, show_each_data_set
from ldlrepro.report.values import Spread

#: How the two papers name the same method.
PAPER_NAMES = {"SA-BFGS": "BFGS-LDL", "SA-IIS": "IIS-LDL"}
CLEAN_SPLIT, DUPLICATED = "clean split", "duplicated rows"
#: Experiments on the two kinds of rows, and what readers call them.
PROTOCOLS = {"distinct_rows": CLEAN_SPLIT, "drawn_rows": DUPLICATED}
#: Which iteration of a fold counts, in the words of a table's head.
KEPT = {"last": "last iteration", "lowest on test": "lowest on test rows"}
#: Methods of records -> their names in tables and figures, where these differ.
SHOWN_AS = PAPER_NAMES | {
    **{
        f"sLDLF, released script, {words}": f"released script, {layer.upper()} layer"
        for layer, words in LAYERS.items()
    },
    "sLDLF, rate 100": "sLDLF, learning rate 100",
    "sLDLF, section 4": "sLDLF, as in section 4",
    "sLDLF, section 4, features scaled": "sLDLF, section 4, scaled features",
    STOPPED: "sLDLF, stopped early",
    "1-nearest-neighbour": "nearest neighbour",
}
#: Strategies of Figure 4 in records -> their names in tables, where these differ.
STRATEGIES = {
    f"{forest}, rate chosen{more}": f"{forest}{more}"
    for forest in ("sLDLF", "sNDF-LDL")
    for more in ("", f", {DUPLICATED}")
} | {
    "sNDF-LDL": "sNDF-LDL, iterations shared",
    "sNDF-LDL, each its own iterations": "sNDF-LDL, full iterations each",
}
#: Rows of the tables: those of the paper's, then others.
ORDER = (
    "sLDLF",
    "AOSO-LDLogitBoost",
    "LDLogitBoost",
    "LDSVR",
    "BFGS-LDL",
    "IIS-LDL",
    "StructRF",
    "MeanPredictor",
    "UniformPredictor",
)


def with_rivals(chapter):
    """Records of the tables with those of the StructRF chapter, under the names of this paper."""
    paper = reseeded(STRUCTRF, chapter.paper.seed)
    records = [chapter.records["tables"]]
    for name in sorted(set(RIVALS.values())):
        theirs = read(paper, name, chapter.profile, chapter.wanted)
        records.append(theirs[theirs.method.isin(RIVALS)])
    both = pd.concat(records)
    return both.assign(declared=both.method).replace({"method": PAPER_NAMES})


def causes_of_rivals(chapter):
    """(cause, records, what their stages are) for `causes`: rivals that StructRF's chapter tried.

    Its records on the data sets of this chapter's printed numbers count.
    """
    for name, stages in (
        ("iterations", "steps"),
        ("boosting_rounds", "rounds"),
        ("first_package", "steps"),
    ):
        records = read(STRUCTRF, name, chapter.profile, chapter.wanted)
        settings = [
            s | {"learner": PAPER_NAMES.get(s["learner"], s["learner"])} for s in records.settings
        ]
        yield STRUCTRF.experiment(name).why, records.assign(settings=settings), stages


def show_table_1(chapter):
    """Table 1: each of its data sets that was run, ours above the printed means."""
    names = {d: f"Table 1. {chapter.names[d]}" for d in TABLE_1}
    return show_each_data_set(chapter.ours, chapter.printed, names, chapter.measures, ORDER)


def show_all_data_sets(chapter):
    """K-L of every method on all data sets."""
    return show_by_fives(chapter.ours, chapter.printed, "kl_divergence", chapter.names, ORDER)


#: Heads of `tally` where the first method is always sLDLF.
_HEADS = {
    "second": "rival",
    "first better": "sLDLF better",
    "first better, significant": "significantly",
    "first better, Holm / BH": "Holm / BH",
    "second better, significant": "rival significantly better",
    "second better, Holm / BH": "Holm / BH, rival",
    "cannot be tested": "untested",
}


def show_rivals(chapter):
    """sLDLF against rivals: comparisons in which it is better, and K-L on every data set."""
    present = set(chapter.tables.method)
    rivals = ("StructRF", "AOSO-LDLogitBoost", "BFGS-LDL", "LDSVR", "MeanPredictor")
    pairs = [("sLDLF", rival) for rival in rivals if present >= {"sLDLF", rival}]
    if pairs:
        table = tally(chapter.counted, pairs, chapter.measures).drop(columns="first")
        counted = chapter.counted.dataset.nunique()
        caption = (
            f"sLDLF beside four rivals and the mean predictor: {counted} data sets by six "
            "measures; significant at 5% in the corrected (paired) t-test"
        )
        yield show(table.rename(columns=_HEADS), caption, False)
    others = sorted(set(chapter.tables.dataset) & set(chapter.excluded_datasets))
    names = " and ".join(chapter.names[d] for d in others)
    also = f"; {names} is not counted" if others else ""
    for first, second in pairs:
        table = head_to_head(chapter.tables, first, second, chapter.names)
        found = wins(chapter.counted, [(first, second)], ["kl_divergence"])
        words = {"no significant difference": "neither", second: "the rival"}
        better = table.pop("better").replace(words)
        caption = (
            f"K-L: {first} and {second} ({first} significantly better on {found.shown}, "
            f"{second} on {found.worse} of {found.cells - found.untested} data sets{also})"
        )
        yield show(table.assign(**{"significantly better": better}), caption, False, "{:.4f}")


def protocol_records(records):
    """Records of clean splits and of duplicated rows, with those of the released script.

    Both have the sLDLF that stops early; on a clean split it is that of Table 1.

    Parameters
    ----------
    records : dict, experiment -> records

    Returns
    -------
    dict, "distinct_rows" and "drawn_rows" -> records
    """
    distinct, tables = records["distinct_rows"], records["tables"]
    stopped = tables[(tables.method == "sLDLF") & tables.dataset.isin(distinct.dataset)]
    found = {
        "distinct_rows": [distinct, stopped.assign(method=STOPPED)],
        "drawn_rows": [records["drawn_rows"]],
    }
    for experiment in SCRIPT:
        if len(frame := records[experiment.name]):
            found["drawn_rows" if experiment.replacement else "distinct_rows"].append(frame)
    return {kind: pd.concat(frames) for kind, frames in found.items()}


def stages(records):
    """Stage of every record, a Series; NaN where its method has none."""
    found = [p.get("stage", np.nan) for p in records.parameters]
    return pd.Series(found, index=records.index, dtype=float)


def protocol_cells(records):
    """K-L of every method under the four protocols, and the fold values behind it.

    Parameters
    ----------
    records : result of `protocol_records`; staged ones have a stage

    Returns
    -------
    DataFrame: dataset, method, settings, rows, kept ("last" or "lowest on test"), fold,
    kl_divergence; what is not staged has one number for both
    """
    found = []
    for name, frame in records.items():
        frame = frame.reset_index(drop=True)  # joined records may repeat row numbers
        frame = frame.assign(stage=stages(frame).fillna(0), rows=PROTOCOLS[name])
        groups = frame.groupby(["dataset", "method", "fold"], sort=False)
        found.append(frame.loc[groups["stage"].idxmax()].assign(kept="last"))
        found.append(frame.loc[groups["kl_divergence"].idxmin()].assign(kept="lowest on test"))
    columns = ["dataset", "method", "settings", "rows", "kept", "fold", "kl_divergence"]
    return pd.concat(found)[columns]


def script_on_movie(cells):
    """K-L of the released script on Movie with duplicated rows, by its layers.

    The iteration is the one with the lowest K-L on the test rows.

    Parameters
    ----------
    cells : result of `protocol_cells`

    Returns
    -------
    Series, layer ("gpu", "cpu") -> K-L
    """
    script = cells.assign(layer=declared(cells, "layer")).dropna(subset="layer")
    script = script[(script.dataset == "Movie") & (script.rows == PROTOCOLS["drawn_rows"])]
    lowest = script[script.kept == "lowest on test"]
    return lowest.groupby("layer", sort=False)["kl_divergence"].mean()


class Near(NamedTuple):
    """Mean and standard deviation, marked where the mean is near the printed one."""

    spread: Spread
    near: bool

    def __str__(self):
        return f"{self.spread}" + (" ← printed" if self.near else "")


def protocol_table(cells, dataset, order, printed=None):
    """One data set: a row a method, a column a protocol; K-L near a printed one is marked.

    Returns
    -------
    DataFrame of `Near`, NaN where nothing was run
    """
    cells = cells[cells.dataset == dataset]
    table = {f"{r}, {k}": {} for r in PROTOCOLS.values() for k in KEPT.values()}
    kl = cells.groupby(["rows", "kept", "method"])["kl_divergence"].agg(["mean", "std"])
    for (rows, kept, method), *spread in kl.itertuples():
        near = printed is not None and abs(spread[0] - printed) <= NEAR * printed
        table[f"{rows}, {KEPT[kept]}"][method] = Near(Spread(*spread), near)
    methods = [m for m in order if m in set(cells.method)]
    return pd.DataFrame(table, index=methods).rename_axis("method")


def show_four_protocols(chapter):
    """`protocol_table` of each data set that was run."""
    cells, names = chapter.protocol_cells, chapter.names
    order = [m.name for experiment in (SCRIPT[0], DRAWN) for m in experiment.methods]
    for dataset in (d for d in PROTOCOL_SETS if d in set(cells.dataset)):
        table = protocol_table(cells, dataset, order, chapter.printed_kl.get(dataset))
        table = table.rename(index=SHOWN_AS)
        yield show(table, f"{names[dataset]}: K-L under four protocols", missing="not run")


def show_copies_and_iterations(chapter):
    """How many test rows of Movie have a copy, and what further iterations bring there."""
    copies = share_of_copies(chapter.paper, len(chapter.bunch("Movie").X))
    caption = "How many test rows of Movie have a copy among the rows fitted"
    yield show(copies, caption, False, form="{:.1%}")
    records = chapter.protocol_records["distinct_rows"]
    records = records[(records.dataset == "Movie") & (declared(records, "learner") == "sLDLF")]
    wide = records.assign(stage=stages(records)).pivot_table(
        index="method", columns="stage", values="kl_divergence"
    )
    wide = wide.dropna(axis=1).rename(columns=int)  # iterations that all of them have
    caption = "K-L on Movie after so many iterations, clean split"
    yield show(wide.rename(index=SHOWN_AS), caption, form="{:.4f}")


def share_of_copies(paper, n):
    """Share of test rows with a copy among the rows fitted, of n rows: a row a protocol."""
    rows = []
    for name, protocol in PROTOCOLS.items():
        experiment = paper.experiment(name)
        copied = [
            np.isin(test, np.concatenate([train, validation])).mean()
            for train, validation, test in partition(experiment, n, experiment.folds)
        ]
        rows.append((protocol, np.mean(copied)))
    return pd.DataFrame(rows, columns=["split", "share of the test rows"])


def show_section_4_4(chapter):
    """Numbers that section 4.4 prints for Movie, beside ours."""
    caption = "Section 4.4: K-L on Movie, printed and ours"
    return show(section_4_4(chapter.grid), caption, False, missing="not run")


def section_4_4(grid):
    """Numbers that section 4.4 prints for Movie, beside ours.

    Parameters
    ----------
    grid : result of `figures.grid_of`

    Returns
    -------
    DataFrame, a row a number; None where nothing was run
    """
    printed = printed_numbers(published.claims("ldlf"))
    columns = {  # strategies by number of trees, and by depth
        "one learning rate": ("sLDLF", "sLDLF, one tree"),
        "learning rate chosen": ("sLDLF, rate chosen", None),
        "chosen, duplicated rows": (f"sLDLF, rate chosen, {DUPLICATED}", None),
        "one rate, one hold-out": (None, "sLDLF, one tree, one hold-out"),
    }
    rows = []
    for key, text, column, value in (
        ("kl-at-20-trees", "20 trees", "trees", 20),
        ("kl-at-100-trees", "100 trees", "trees", 100),
        ("kl-at-depth-9", "one tree of depth 9", "depth", 9),
        ("kl-at-depth-18", "one tree of depth 18", "depth", 18),
    ):
        row = {"K-L of": text, "printed": printed[key]}
        for head, strategies in columns.items():
            strategy = strategies[column == "depth"]
            kl = grid[(grid.strategy == strategy) & (grid[column] == value)]["kl_divergence"]
            row[head] = Spread(kl.mean(), kl.std()) if len(kl) else None
        rows.append(row)
    return pd.DataFrame(rows)


def show_figure_4(chapter):
    """The numbers of Figure 4: K-L on Movie by the number of trees, and by depth."""
    grid = chapter.grid
    chosen = grid.strategy.str.contains("rate chosen")
    for some, by, words in (
        (grid[~chosen], "trees", "number of trees, one learning rate"),
        (grid[chosen], "trees", "number of trees, learning rate chosen"),
        (grid, "depth", "depth of one tree"),
    ):
        yield show(figure_4(some, by), f"Figure 4 in numbers: K-L on Movie by {words}")


def figure_4(grid, by):
    """K-L of every strategy, a row a number of trees or a depth.

    Parameters
    ----------
    grid : result of `figures.grid_of`; by : "trees" or "depth"

    Returns
    -------
    DataFrame of `Spread`, None where nothing was run
    """
    there = grid[grid[by].notna()]
    kl = there.groupby(["strategy", by], sort=False)["kl_divergence"].agg(["mean", "std"])
    found = {key: Spread(*spread) for key, spread in zip(kl.index, kl.to_numpy(), strict=True)}
    sizes = sorted(there[by].unique())
    columns = {
        STRATEGIES.get(strategy, strategy): [found.get((strategy, size)) for size in sizes]
        for strategy in there.strategy.unique()
    }
    return pd.DataFrame(columns, index=pd.Index(sizes, name=by, dtype=int), dtype=object)


def show_leaf_updates(chapter):
    """What updates of the leaves do to the loss, by data set."""
    table = leaf_updates(chapter.study("leaf_updates")["leaf_updates"])
    table["data set"] = table["data set"].map(lambda d: chapter.names.get(d, d))
    caption = "Updates of the leaves, three folds: the share of the fall of all steps by the first"
    return show(table, caption, False, "{:.1%}")


def leaf_rises(study):
    """Number of steps of an update of the leaves that raise the loss."""
    losses = study.pivot_table(index=["dataset", "fold", "update"], columns="step", values="loss")
    return int((np.diff(losses, axis=1) > 1e-12).sum())


def leaf_updates(study):
    """What updates of the leaves do to the loss, by data set.

    Returns
    -------
    DataFrame: data set, updates, steps, steps that raise the loss, the share of the fall of an
    update that its first step and its first five bring (means)
    """
    rows = []
    for dataset, mine in study.groupby("dataset", sort=False):
        losses = mine.pivot_table(index=["fold", "update"], columns="step", values="loss")
        fall = losses[0] - losses[losses.columns[-1]]
        rows.append(
            {
                "data set": dataset,
                "updates": len(losses),
                "steps": losses.shape[0] * (losses.shape[1] - 1),
                "steps that raise the loss": leaf_rises(mine),
                "share of the fall: first step": ((losses[0] - losses[1]) / fall).mean(),
                "first five steps": ((losses[0] - losses[5]) / fall).mean(),
            }
        )
    return pd.DataFrame(rows)
