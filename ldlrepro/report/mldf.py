"""What only the chapter on MLDF counts: own measures, duels, layers, labels, `image`."""

import numpy as np
import pandas as pd

from ldlrepro.metrics import MULTILABEL
from ldlrepro.protocols import stats
from ldlrepro.report.compare import LEVEL, duels
from ldlrepro.report.tables import cells, show, summary
from ldlrepro.studies.depth import CASCADE, FOREST
from ldlrepro.studies.label_drop import NOTHING, OTHER_NUMBERS

MEASURES = tuple(MULTILABEL)
LABEL = {m: MULTILABEL[m].label for m in MEASURES}
UP = {m: MULTILABEL[m].greater_is_better for m in MEASURES}
#: Rows of the tables: those of the paper's, then others.
ORDER = (
    "MLDF",
    "RF-PCT",
    "DBPNN",
    "MLFE",
    "ECC",
    "RAKEL",
    "MLDF, C4.5",
    "MLDF, no reuse",
    "MLDF, no reuse, deep trees",
    "RF-PCT, 500 trees",
    "RF-PCT, depth 3",
    "Label frequencies",
)
#: Labels of a set, and the most that one of its rows has.
MOST_LABELS = {
    "CAL500": (174, 48),
    "enron": (53, 12),
    "image": (5, 3),
    "scene": (6, 3),
    "yeast": (14, 11),
    "corel16k001": (153, 5),
    "corel16k002": (164, 5),
}


def own_measures(records):
    """One row a fit, with each measure taken from the MLDF that was grown for it.

    Parameters
    ----------
    records : staged ones have a measure's name as parameters["stage"], a row for each of the six
    """
    records = records.reset_index(drop=True)  # joined records may repeat row numbers
    stage = pd.Series([p.get("stage") for p in records.parameters], dtype=object)
    staged = records[stage.notna()]
    fit = ["experiment", "dataset", "method", "seed", "fold"]
    own = staged[stage[staged.index] == MEASURES[0]].set_index(fit)
    for measure in MEASURES[1:]:
        there = staged[stage[staged.index] == measure].set_index(fit)
        own[measure] = there[measure].reindex(own.index)
    return pd.concat([own.reset_index(), records[stage.isna()]])[records.columns]


def splits(numbers):
    """Text on how many splits lie behind a table, where the methods differ.

    Parameters
    ----------
    numbers : Series, method -> number of splits
    """
    most = numbers.max()
    fewer = [f"{m}: {n}" for m, n in numbers.items() if n < most]
    text = f"{most} split{'s' if most > 1 else ''}"
    return text + "".join(f"; {one}" for one in fewer)


def table_3(printed, registry):
    """Table 3 beside the registry; "≠" marks where they differ, "–" what is not known here."""
    wide = printed.pivot_table(index="dataset", columns="measure", values="mean", sort=False)
    registry = registry.set_index("name")
    rows = []
    for dataset, said in wide.iterrows():
        row = {"data set": registry.display[dataset]}
        for column in ("n", "features", "labels"):
            here = registry.loc[dataset, column]
            differ = "" if pd.isna(here) or here == said[column] else " ≠"
            row[f"{column}, printed"] = f"{said[column]:.0f}"
            row[f"{column}, here"] = "–" if pd.isna(here) else f"{here}{differ}"
        rows.append(row)
    return show(pd.DataFrame(rows), "Table 3", False)


def average_ranks(means, methods):
    """Average rank of each method over the data sets by each measure, 1 the best.

    Parameters
    ----------
    means : DataFrame with dataset, method, measure, mean; data sets that lack a method do not count
    """
    table = {}
    for measure in MEASURES:
        wide = means[(means.measure == measure) & means.method.isin(methods)]
        wide = wide.pivot_table(index="dataset", columns="method", values="mean", sort=False)
        if not set(methods) <= set(wide.columns):
            continue
        wide = wide[list(methods)].dropna()
        if wide.empty:
            continue
        ranks = stats.ranks(wide.to_numpy(), UP[measure]).mean(axis=0)
        table[LABEL[measure]] = [f"{rank:.2f}" for rank in ranks]
    return pd.DataFrame(table, index=pd.Index(methods, name="method"))


def duel_table(records, first, rivals, printed):
    """Wins/draws/losses of a method by the t-test at 5%, by measure, printed and ours.

    Parameters
    ----------
    printed : rows of Table 4 (marks of the rivals) or 5 (counts of ``first``), in column ``note``
    """
    fought = duels(records, first, rivals, MEASURES)
    tested = fought.dropna(subset=["p"]).dataset
    there = printed[printed.dataset.isin(tested) & printed.method.isin([first, *rivals])]
    rows = []
    for measure in MEASURES:
        mine = fought[fought.measure == measure]
        rows.append(
            {
                "measure": LABEL[measure],
                "printed": slashed(_said(there[there.measure == measure])),
                "paired t-test": slashed(won_drawn_lost(mine, "p")),
                "corrected t-test": slashed(won_drawn_lost(mine, "p_corrected")),
            }
        )
    table = pd.DataFrame(rows)
    total = {"printed": _said(there), "paired t-test": won_drawn_lost(fought, "p")}
    total["corrected t-test"] = won_drawn_lost(fought, "p_corrected")
    table.loc[len(table)] = ["all"] + [slashed(score) for score in total.values()]
    return table


def won_drawn_lost(fought, column):
    """Numbers of duels shown better, not shown, and shown worse by the p-values in a column."""
    fought = fought.dropna(subset=[column])  # one split: no test
    shown = fought[column] < LEVEL
    won, lost = (shown & (fought.gain > 0)).sum(), (shown & (fought.gain < 0)).sum()
    return int(won), len(fought) - int(won + lost), int(lost)


def _said(printed):
    """Wins, draws and losses that a printed table marks or counts."""
    counted = printed.note.str.extract(r"wins/draws/losses (\d+)/(\d+)/(\d+)").dropna()
    if len(counted):
        return tuple(int(n) for n in counted.astype(int).sum())
    marks = printed.note[printed.method != "MLDF"]
    better = marks.str.contains("MLDF better").sum()
    worse = marks.str.contains("MLDF worse").sum()
    return int(better), len(marks) - int(better + worse), int(worse)


def slashed(counts):
    """Wins, draws and losses as text: 3/2/1."""
    return "/".join(str(n) for n in counts)


def growth(layers, forests, names):
    """Where growth stops and what that costs: means over the splits of the study "layers"."""
    rows = []
    for (dataset, measure), mine in layers.groupby(["data", "measure"], sort=False):
        by = mine.groupby("time", sort=False)
        pick = by.test.max() if UP[measure] else by.test.min()
        trees = forests[(forests.data == dataset) & (forests.measure == measure)]
        rows.append(
            {
                "data set": names[dataset],
                "measure": LABEL[measure],
                "L of each split": ", ".join(str(n) for n in mine.layer[mine.final]),
                "first layer": f"{mine.test[mine.layer == 1].mean():.4f}",
                "layer L": f"{mine.test[mine.final].mean():.4f}",
                "last layer grown": f"{mine.test[mine.layer == mine.layer.max()].mean():.4f}",
                "best on test": f"{pick.mean():.4f}",
                "RF-PCT, as many trees": f"{trees.test.mean():.4f}",
            }
        )
    return pd.DataFrame(rows)


def decreases(labels, measure):
    """Relative decrease of a label's accuracy or AUC where another was deleted, in percent.

    Parameters
    ----------
    labels : table of the study "label_drop"
    measure : "accuracy" or "auc"

    Returns
    -------
    (mean, p): DataFrames, deleted label (and `OTHER_NUMBERS`) by label; p of the paired t-test
    """
    wide = labels.pivot(index=["time", "label"], columns="deleted", values=measure)
    order = list(dict.fromkeys(labels.label))
    relative = 100 * wide.rsub(wide[NOTHING], axis=0).div(wide[NOTHING], axis=0)
    mean, p = {}, {}
    for deleted in [*order, OTHER_NUMBERS]:
        by_label = relative[deleted].unstack("label")[order]
        mean[deleted] = by_label.mean()
        p[deleted] = [stats.paired_t(c.to_numpy(), np.zeros(len(c))) for _, c in by_label.items()]
    return pd.DataFrame(mean).T, pd.DataFrame(p, index=order).T


def defect(published, right, order):
    """The `image` file as published and with its labels put right, on the splits run with both.

    Returns
    -------
    DataFrame, one row a method: "as published → put right" for each measure
    """
    rows = []
    for method in order:
        a, b = (f[f.method == method].set_index("fold") for f in (published, right))
        both = a.index.intersection(b.index)
        if len(both):
            before, after = (f.loc[both, list(MEASURES)].mean() for f in (a, b))
            change = {LABEL[m]: f"{before[m]:.3f} → {after[m]:.3f}" for m in MEASURES}
            rows.append({"method": method} | change)
    return pd.DataFrame(rows)


def agreement_as(printed, method, alternatives):
    """Cells that agree with a method's printed ones, if each alternative stood in its place.

    Parameters
    ----------
    printed : rows of Table 4
    alternatives : dict, name in the table -> records, or rows of the study "ties"

    Returns
    -------
    DataFrame, one row an alternative, one column a measure, and "all"
    """
    rows = []
    for name, mine in alternatives.items():
        ours = summary(mine.assign(method=method), measures=MEASURES)
        compared = cells(ours, printed[printed.method == method])
        compared = compared[compared.ours.notna()]
        row = {"in its place": name}
        for measure in (*MEASURES, "all"):
            there = compared if measure == "all" else compared[compared.measure == measure]
            label = "all" if measure == "all" else LABEL[measure]
            row[label] = f"{int(there.agrees.sum())} of {len(there)}"
        rows.append(row)
    return pd.DataFrame(rows)


def depths(table, printed):
    """RF-PCT and MLDF with trees of several depths, below their printed rows.

    Parameters
    ----------
    table : rows of the study "depth" for one data set
    printed : rows of Table 4

    Returns
    -------
    DataFrame, one row a method and depth: mean over the hold-outs of each measure
    """
    rows = []
    for cell in printed[printed.dataset.isin(table.data)].itertuples():
        if cell.method in ("MLDF", FOREST):
            rows.append((cell.method, "printed", cell.measure, cell.mean))
    for cell in table.itertuples():
        levels = "no limit" if np.isnan(cell.depth) else f"{cell.depth:.0f}"
        if cell.method == CASCADE:
            levels += " more a layer"
        rows.append((cell.method, levels, cell.measure, cell.test))
    long = pd.DataFrame(rows, columns=["method", "levels", "measure", "value"])
    wide = long.pivot_table(
        index=["method", "levels"], columns="measure", values="value", sort=False
    )
    wide = wide[[m for m in MEASURES if m in wide]].rename(columns=LABEL)
    return wide.map("{:.3f}".format).reset_index()


def impossible(printed):
    """Printed cells of Table 4 that no predictions on the data can have.

    Let every row have at least one and at most r of c labels. A row whose lowest relevant label
    stands below k irrelevant ones has a ranking loss of at most k / (c - its labels) and a coverage
    of at least k / c: coverage is at least the ranking loss times 1 - r / c. A row whose top label
    is irrelevant has an average precision of at most r / (r + 1), where all its labels are tied
    just below: average precision is at most 1 - one-error / (r + 1). Means keep both. Sets whose
    labels are not at hand are left out.
    """
    wide = printed.pivot_table(
        index=["dataset", "method"], columns="measure", values="mean", sort=False
    )
    rows = []
    for (dataset, method), cell in wide.iterrows():
        if dataset not in MOST_LABELS:
            continue
        c, r = MOST_LABELS[dataset]
        least = (cell.ranking_loss - 0.0005) * (1 - r / c)
        if cell.coverage + 0.0005 < least:
            text = f"coverage {cell.coverage:.3f}, ranking loss {cell.ranking_loss:.3f}"
            rows.append((dataset, method, text, f"coverage at least {least:.3f}"))
        most = 1 - (cell.one_error - 0.0005) / (r + 1)
        if cell.average_precision - 0.0005 > most:
            text = f"AP {cell.average_precision:.3f}, one-error {cell.one_error:.3f}"
            rows.append((dataset, method, text, f"average precision at most {most:.3f}"))
    return pd.DataFrame(rows, columns=["data set", "method", "printed", "what must hold"])


def marks_against_means(printed):
    """Cells of Table 4 whose mark says the contrary of the printed means (equal means: either)."""
    mldf = printed[printed.method == "MLDF"].set_index(["dataset", "measure"])["mean"]
    rows = []
    for cell in printed[printed.note.str.contains("mark: MLDF")].itertuples():
        own = mldf.get((cell.dataset, cell.measure), np.nan)
        ahead = own > cell.mean if UP[cell.measure] else own < cell.mean
        said = "MLDF better" in cell.note
        if own != cell.mean and not np.isnan(own) and ahead != said:
            mark = "MLDF better" if said else "MLDF worse"
            said = f"MLDF {own:.3f}, {cell.method} {cell.mean:.3f}"
            rows.append((cell.dataset, LABEL[cell.measure], said, mark))
    return pd.DataFrame(rows, columns=["data set", "measure", "printed means", "printed mark"])
