"""Tables of the chapter on LDL forests: the rivals, and what the protocol does."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.declare import reseeded
from ldlrepro.protocols.split import partition
from ldlrepro.report.chapter import read
from ldlrepro.report.claims import printed_numbers
from ldlrepro.report.compare import show_head_to_head, tally
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import show
from ldlrepro.report.values import Spread

#: How the two papers name the same method.
PAPER_NAMES = {"SA-BFGS": "BFGS-LDL", "SA-IIS": "IIS-LDL"}
#: How the names of the experiments with the released script begin.
SCRIPT = "script_"
PROTOCOLS = {"distinct_rows": "distinct rows", "drawn_rows": "drawn rows"}
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


def with_rivals(chapter, paper, rivals):
    """Records of the tables with those of another paper, under the names of this one.

    Parameters
    ----------
    paper : the other Paper, taken with the chapter's seed
    rivals : dict, method there -> experiment
    """
    paper = reseeded(paper, chapter.paper.seed)
    records = [chapter.records["tables"]]
    for name in sorted(set(rivals.values())):
        there = read(paper, name, chapter.profile, chapter.wanted)
        records.append(there[there.method.isin(rivals)])
    both = pd.concat(records)
    return both.assign(declared=both.method).replace({"method": PAPER_NAMES})


def show_against_rivals(chapter, rivals):
    """sLDLF against rivals: cells in which it is better, and K-L on every data set, as HTML."""
    present = set(chapter.tables.method)
    pairs = [("sLDLF", rival) for rival in rivals if present >= {"sLDLF", rival}]
    if pairs:
        caption = "Cells (data set x six measures); shown at 5% by the corrected (paired) t-test"
        yield show(tally(chapter.counted, pairs, chapter.measures), caption, False)
    for first, second in pairs:
        yield show_head_to_head(chapter.tables, first, second, chapter.names)


def protocol_records(records, stopped):
    """Records of the two kinds of rows, {experiment: records}, with those of the released script.

    All have the sLDLF that stops early.

    Parameters
    ----------
    records : dict, experiment -> records
    stopped : name of that sLDLF among the drawn rows; on distinct rows it is that of Table 1
    """
    clean = records["distinct_rows"]
    mine = records["tables"].query("method == 'sLDLF'").assign(method=stopped)
    mine = mine[mine.dataset.isin(clean.dataset)]
    found = {"distinct_rows": [clean, mine], "drawn_rows": [records["drawn_rows"]]}
    for experiment, frame in records.items():
        if experiment.startswith(SCRIPT) and len(frame):
            kind = "drawn_rows" if experiment.endswith("_drawn") else "distinct_rows"
            found[kind].append(frame)
    return {kind: pd.concat(frames) for kind, frames in found.items()}


def printed_kl(chapter):
    """K-L printed for sLDLF on the data sets that are the original files: {data set: K-L}."""
    printed = chapter.printed
    kl = printed[(printed.measure == "kl_divergence") & (printed.method == "sLDLF")]
    return kl[~kl.dataset.isin(chapter.excluded_datasets)].set_index("dataset")["mean"].to_dict()


def protocol_cells(records):
    """K-L of every method under the four protocols, and the fold values behind it.

    Parameters
    ----------
    records : dict, "distinct_rows" and "drawn_rows" -> records; staged ones have a stage

    Returns
    -------
    DataFrame: dataset, method, settings, rows, kept ("last" or "lowest on test"), fold,
    kl_divergence; what is not staged has one number for both
    """
    parts = []
    for name, frame in records.items():
        frame = frame.reset_index(drop=True)  # joined records may repeat row numbers
        frame = frame.assign(stage=[p.get("stage", 0) for p in frame.parameters])
        groups = frame.groupby(["dataset", "method", "fold"], sort=False)
        last = frame.loc[groups["stage"].idxmax()].assign(kept="last")
        lowest = frame.loc[groups["kl_divergence"].idxmin()].assign(kept="lowest on test")
        parts += [f.assign(rows=PROTOCOLS[name]) for f in (last, lowest)]
    columns = ["dataset", "method", "settings", "rows", "kept", "fold", "kl_divergence"]
    return pd.concat(parts)[columns]


def script_on_movie(cells):
    """K-L of the released script on Movie's drawn rows, as a text: of each of its layers.

    Parameters
    ----------
    cells : result of `protocol_cells`
    """
    mine = cells.assign(layer=declared(cells, "layer")).dropna(subset="layer")
    mine = mine[(mine.dataset == "Movie") & (mine.rows == PROTOCOLS["drawn_rows"])]
    lowest = (
        mine[mine.kept == "lowest on test"].groupby("layer", sort=False)["kl_divergence"].mean()
    )
    return " and ".join(f"{kl:.4f} with its {layer.upper()} layer" for layer, kl in lowest.items())


def by_iterations(records, dataset):
    """Mean K-L of each sLDLF on a data set after each recorded number of iterations.

    Returns
    -------
    DataFrame, a row a method, a column a number of iterations that all of them have
    """
    mine = records[(records.dataset == dataset) & (declared(records, "learner") == "sLDLF")]
    mine = mine.assign(stage=[p.get("stage", np.nan) for p in mine.parameters])
    wide = mine.pivot_table(index="method", columns="stage", values="kl_divergence")
    return wide.dropna(axis=1).rename(columns=int)


class Near(NamedTuple):
    """Mean and standard deviation, marked where the mean is near the printed one."""

    spread: Spread
    near: bool

    def __str__(self):
        return f"{self.spread}" + (" ← printed" if self.near else "")


def protocol_table(cells, dataset, order, printed=None):
    """One data set: a row a method, a column a protocol; cells near a printed K-L marked.

    Returns
    -------
    DataFrame of `Near`, None where nothing was run
    """
    mine = cells[cells.dataset == dataset]
    mean = mine.groupby(["method", "rows", "kept"])["kl_divergence"].agg(["mean", "std"])
    columns = [(r, k) for r in PROTOCOLS.values() for k in ("last", "lowest on test")]
    table = {}
    for method in (m for m in order if m in set(mine.method)):
        table[method] = {}
        for rows, kept in columns:
            cell = None
            if (method, rows, kept) in mean.index:
                spread = Spread(*mean.loc[(method, rows, kept)])
                near = printed is not None and abs(spread.mean - printed) <= 0.03 * printed
                cell = Near(spread, near)
            table[method][f"{rows}, {kept}"] = cell
    return pd.DataFrame(table).T.rename_axis("method")


def show_four_protocols(chapter, cells, printed):
    """`protocol_table` of each data set that was run, as HTML.

    Parameters
    ----------
    printed : dict, data set -> printed K-L of sLDLF
    """
    scripts = [e for e in chapter.paper.experiments if e.name.startswith(SCRIPT)]
    shown = (*scripts[:1], chapter.paper.experiment("drawn_rows"))
    order = [m.name for e in shown for m in e.methods]
    for name in chapter.paper.experiment("distinct_rows").datasets:
        if name in set(cells.dataset):
            said = printed.get(name) if chapter.profile == "paper" else None
            table = protocol_table(cells, name, order, said)
            caption = f"{chapter.names[name]}: K-L under four protocols"
            yield show(table, caption, missing="not run")


def section_4_4(grid):
    """Numbers that section 4.4 prints for Movie, beside ours.

    Parameters
    ----------
    grid : result of `figures.grid_of`

    Returns
    -------
    DataFrame, a row a number; None where nothing was run
    """
    said = printed_numbers(published.claims("ldlf"))
    columns = {
        "one rate": ("sLDLF", "sLDLF, one tree"),
        "rate chosen": ("sLDLF, rate chosen", None),
        "rate chosen, drawn rows": ("sLDLF, rate chosen, drawn rows", None),
        "one rate, one hold-out": (None, "sLDLF, one tree, one hold-out"),
    }
    rows = []
    for key, text, column, value in (
        ("kl-at-20-trees", "20 trees", "trees", 20),
        ("kl-at-100-trees", "100 trees", "trees", 100),
        ("kl-at-depth-9", "one tree of depth 9", "depth", 9),
        ("kl-at-depth-18", "one tree of depth 18", "depth", 18),
    ):
        row = {"K-L of": text, "printed": said[key]}
        for head, strategies in columns.items():
            mine = grid[(grid.strategy == strategies[column == "depth"]) & (grid[column] == value)]
            values = mine["kl_divergence"]
            row[head] = Spread(values.mean(), values.std()) if len(values) else None
        rows.append(row)
    return pd.DataFrame(rows)


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
                "rises": int((np.diff(losses, axis=1) > 1e-12).sum()),
                "by the first": ((losses[0] - losses[1]) / fall).mean(),
                "by the first five": ((losses[0] - losses[5]) / fall).mean(),
            }
        )
    return pd.DataFrame(rows)


def copied(experiment, n):
    """Share of test rows of which a copy is among the training rows, mean over the folds."""
    return np.mean(
        [
            np.isin(test, np.concatenate([train, validation])).mean()
            for train, validation, test in partition(experiment, n, experiment.folds)
        ]
    )


def copies(paper, n):
    """`copied` under the two protocols, for n rows."""
    share = "test rows with a copy among the rows fitted"
    return pd.DataFrame(
        {"protocol": rows, share: copied(paper.experiment(name), n)}
        for name, rows in PROTOCOLS.items()
    )


def causes_of_rivals(chapter, paper):
    """(cause, records, what their stages are) for `causes`: rivals that another paper looked at.

    Parameters
    ----------
    paper : the other Paper; records on the data sets of this chapter's printed cells count
    """
    for name, stages in (
        ("iterations", "steps"),
        ("boosting_rounds", "rounds"),
        ("first_package", "steps"),
    ):
        records = read(paper, name, chapter.profile, chapter.wanted)
        settings = [
            s | {"learner": PAPER_NAMES.get(s["learner"], s["learner"])} for s in records.settings
        ]
        yield paper.experiment(name).why, records.assign(settings=settings), stages
