"""What only the chapter on MLDF counts: own measures, duels, layers, `image`, claims."""

import numpy as np
import pandas as pd

from ldlrepro.metrics import MULTILABEL
from ldlrepro.protocols import stats
from ldlrepro.report.compare import LEVEL, duels, order_claim, verdict
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
    "ECC, 10 chains",
    "RAKEL",
    "MLDF, C4.5",
    "MLDF, no reuse",
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
                "printed": _score(_said(there[there.measure == measure])),
                "paired t-test": _score(_counts(mine, "p")),
                "corrected t-test": _score(_counts(mine, "p_corrected")),
            }
        )
    table = pd.DataFrame(rows)
    total = {"printed": _said(there), "paired t-test": _counts(fought, "p")}
    total["corrected t-test"] = _counts(fought, "p_corrected")
    table.loc[len(table)] = ["all"] + [_score(score) for score in total.values()]
    return table


def _counts(fought, column):
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


def _score(counts):
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


def claims(records, printed, layers, forests, labels, methods, c45, no_reuse):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    records : result of `own_measures` for what counts
    printed : rows of Table 4; layers, forests, labels : tables of the studies
    methods : of Table 4, MLDF first; c45, no_reuse : names of two more
    """
    mldf, *rivals = methods
    evidence = {"MLDF is first in 98.46% of cases (section 4.2)": _first(records, printed, methods)}
    for rival in rivals:
        evidence[f"MLDF is better than {rival} (Table 4)"] = order_claim(
            records, mldf, rival, MEASURES
        )
    evidence["Reuse helps: MLDF is better than without (sections 1 and 4.3)"] = order_claim(
        records, mldf, no_reuse, MEASURES
    )
    evidence["MLDF without reuse is better than the rivals (not claimed)"] = _all_rivals(
        records, no_reuse, rivals
    )
    evidence["Reuse does more on larger sets (section 4.3)"] = _by_size(records, mldf, no_reuse)
    evidence.update(_growth_claims(layers, forests))
    evidence["MLDF on C4.5 trees is better than the rivals too (section 4.6)"] = _all_rivals(
        records, c45, rivals
    )
    evidence["The two blocks differ little (our comparison)"] = _block(records, mldf, c45)
    evidence.update(_label_claims(labels))
    rows = [(claim, verdict(share), text) for claim, (share, text) in evidence.items()]
    return pd.DataFrame(rows, columns=["claim", "verdict", "evidence"])


def _means(records):
    there = records.groupby(["dataset", "method"], sort=False)[list(MEASURES)].mean()
    return there.melt(ignore_index=False, var_name="measure", value_name="mean").reset_index()


def _firsts(means, methods):
    """(cells in which the first of the methods is the best or level with it, cells)."""
    won = cells = 0
    for (_, measure), mine in means[means.method.isin(methods)].groupby(["dataset", "measure"]):
        mine = mine.set_index("method")["mean"]
        if methods[0] not in mine or len(mine) < 2:
            continue
        cells += 1
        best = mine.max() if UP[measure] else mine.min()
        won += mine[methods[0]] == best
    return int(won), cells


def _first(records, printed, methods):
    theirs = _firsts(printed, methods)
    ours = _firsts(_means(records), methods)
    same = printed[printed.dataset.isin(records.dataset)]
    beside = _firsts(same, methods)
    text = (
        f"first or level in {ours[0]} of {ours[1]} cells; printed numbers: {theirs[0]} of "
        f"{theirs[1]}, on the same sets {beside[0]} of {beside[1]}"
    )
    return (ours[0] / ours[1] if ours[1] else float("nan")), text


def _all_rivals(records, method, rivals):
    fought = duels(records, method, rivals, MEASURES)
    if fought.empty:
        return float("nan"), "not run"
    won, drawn, lost = _counts(fought, "p_corrected")
    text = (
        f"better in {(fought.gain > 0).sum()} of {len(fought)} comparisons; wins/draws/losses by "
        f"the corrected t-test {won}/{drawn}/{lost}, by the paired one "
        f"{_score(_counts(fought, 'p'))}"
    )
    return float((fought.gain > 0).mean()), text


def _block(records, first, second):
    fought = duels(records, first, [second], MEASURES)
    if fought.empty:
        return float("nan"), "not run"
    near = (fought.gain.abs() <= 0.03 * fought.level.abs()).mean()
    won, drawn, lost = _counts(fought, "p_corrected")
    text = (
        f"means within 3% in {near:.0%} of {len(fought)} cells; PCT shown better in {won}, C4.5 in "
        f"{lost}, corrected t-test"
    )
    return float(near), text


def _by_size(records, first, second):
    fought = duels(records, first, [second], MEASURES)
    if fought.empty:
        return float("nan"), "not run"
    relative = (fought.gain / fought.level.abs()).groupby(fought.dataset).mean()
    rows = records.groupby("dataset")["n_train"].mean()
    order = [d for d in rows.sort_values().index if d in relative.index]
    text = "mean relative gain by number of rows, smallest set first: " + ", ".join(
        f"{d} {relative[d]:+.1%}" for d in order
    )
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    if not pairs:
        return float("nan"), text
    return float(np.mean([relative[b] > relative[a] > 0 for a, b in pairs])), text


def _growth_claims(layers, forests):
    by = layers.groupby(["data", "time", "measure"], sort=False)
    rows = []
    for (data, time, measure), mine in by:
        sign = 1 if UP[measure] else -1
        test = sign * mine.sort_values("layer").test.to_numpy()
        final = int(mine.layer[mine.final].iloc[0]) - 1
        forest = forests[(forests.data == data) & (forests.time == time)]
        forest = sign * forest.test[forest.measure == measure].iloc[0]
        span = test.max() - test[0]
        rows.append(
            {
                "data": data,
                "deeper": test[final] > test[0],
                "near": test[final] >= test.max() - 0.1 * max(span, 0),
                "no_loss": test[final] >= test[-1],
                "forest": test[final] > forest,
            }
        )
    table = pd.DataFrame(rows)
    by_set = table.groupby("data", sort=False)
    said = {
        "Layer L is better than the first (Figure 3)": ("deeper", "better"),
        "Growth stops almost at the best layer (Figure 3)": (
            "near",
            "within a tenth of the gain from the first layer to the best on test",
        ),
        "Stopping is no loss: layer L is no worse than the last (our test)": (
            "no_loss",
            "no worse",
        ),
        "MLDF is better than RF-PCT with as many trees (Figure 3)": ("forest", "better"),
    }
    found = {}
    for claim, (column, how) in said.items():
        # The verdict is on the paper's set, the first of the study.
        count = by_set[column].agg(["sum", "size"])
        text = ", ".join(f"{n} of {size} curves on {d}" for d, (n, size) in count.iterrows())
        found[claim] = float(count["sum"].iloc[0] / count["size"].iloc[0]), f"{how} in {text}"
    return found


def _label_claims(labels):
    """Section 4.5, on the measures of the study; label names as in the file."""
    if labels.time.nunique() < 2 or "FallFoliage" not in set(labels.label):
        return {}
    accuracy, p = decreases(labels, "accuracy")

    def both(a, b):
        cells = [(a, b), (b, a)]
        share = np.mean([accuracy.loc[c] > 0 and p.loc[c] < LEVEL for c in cells])
        text = "; ".join(
            f"{a} deleted: {accuracy.loc[a, b]:+.2f}% of {b}'s accuracy lost (p {p.loc[a, b]:.3f})"
            for a, b in cells
        )
        return float(share), text

    return {
        "Sunset and Leaf (FallFoliage) affect each other, by accuracy (Figure 4)": both(
            "Sunset", "FallFoliage"
        ),
        "Beach and Urban are correlated, by accuracy (Figure 4)": both("Beach", "Urban"),
    }
