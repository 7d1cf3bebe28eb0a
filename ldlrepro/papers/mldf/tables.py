"""Tables of the chapter on MLDF: own measures, duels, depth, ties, reuse, layers, `image`."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro import stats
from ldlrepro.metrics import MULTILABEL
from ldlrepro.papers.mldf.studies.depth import CASCADE, FOREST
from ldlrepro.papers.mldf.studies.label_drop import NOTHING, OTHER_NUMBERS
from ldlrepro.report.causes import of_study
from ldlrepro.report.compare import LEVEL, duels, show_head_to_head, tally
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_each_data_set, summary
from ldlrepro.report.values import Spread

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


def records_by_own_measures(chapter):
    """`own_measures` of all that the tables show (in the quick profile: small sets)."""
    shown = ["tables", "table_5"] + ["tables_large"] * (chapter.profile == "paper")
    tables = [own_measures(chapter.records[name]) for name in shown]
    return pd.concat(tables, ignore_index=True)


def large(chapter):
    """Data sets of which time allowed one split."""
    return chapter.paper.experiment("tables_large").datasets


def of_table(chapter, number):
    """Printed cells of one table."""
    return chapter.printed[chapter.printed.table == number]


def to_stand_beside(chapter, number):
    """Printed cells of one table, none in the quick profile, whose numbers are synthetic."""
    return of_table(chapter, number) if chapter.profile == "paper" else chapter.printed[:0]


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


def show_table_4(chapter):
    """Table 4 and more methods below it, an HTML table a data set."""
    numbers = chapter.tables.groupby(["dataset", "method"])["fold"].nunique()
    captions = {
        d: f"Table 4. {name}; {splits(numbers[d])}"
        for d, name in chapter.names.items()
        if d in numbers
    }
    return show_each_data_set(chapter.ours, chapter.printed, captions, MEASURES, ORDER)


def agreement_of_methods(chapter, methods):
    """`report.agreement` of those of some methods that have printed cells."""
    table = agreement(chapter.compared, chapter.names)
    return table[[m for m in methods if m in table]]


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
        table[LABEL[measure]] = ranks
    return pd.DataFrame(table, index=pd.Index(methods, name="method"))


def show_average_ranks(chapter, methods):
    """`average_ranks` on the small sets, here and printed, with and without RAKEL, as HTML."""
    small = chapter.ours[~chapter.ours.dataset.isin(large(chapter))]
    printed = to_stand_beside(chapter, 4)
    printed = printed[printed.dataset.isin(small.dataset)]
    five = [m for m in methods if m != "RAKEL"]  # whose printed row is lost but for two cells
    for caption, means, some in (
        ("Average rank on the small sets, here (all six methods)", small, methods),
        ("Average rank on the same sets, printed (without RAKEL)", printed, five),
        ("Average rank on the same sets, here (without RAKEL)", small, five),
    ):
        yield show(average_ranks(means, some), caption, form="{:.2f}")


class Score(NamedTuple):
    """Duels won, drawn and lost: "3/2/1"."""

    won: int
    drawn: int
    lost: int

    def __str__(self):
        return f"{self.won}/{self.drawn}/{self.lost}"


def duel_table(records, first, rivals, printed):
    """`Score` of a method by the t-test at 5%, by measure and of all, printed and ours.

    Parameters
    ----------
    printed : rows of Table 4 (marks of the rivals) or 5 (counts of ``first``), in column ``note``
    """
    fought = duels(records, first, rivals, MEASURES)
    tested = fought.dropna(subset=["p"]).dataset
    there = printed[printed.dataset.isin(tested) & printed.method.isin([first, *rivals])]
    parts = {LABEL[m]: (there[there.measure == m], fought[fought.measure == m]) for m in MEASURES}
    parts["all"] = there, fought
    return pd.DataFrame(
        {
            "measure": label,
            "printed": _said(said),
            "paired t-test": score(mine, "p"),
            "corrected t-test": score(mine, "p_corrected"),
        }
        for label, (said, mine) in parts.items()
    )


def score(fought, column):
    """`Score` of duels by the p-values in a column; one split is no test."""
    fought = fought.dropna(subset=[column])
    shown = fought[column] < LEVEL
    won, lost = (shown & (fought.gain > 0)).sum(), (shown & (fought.gain < 0)).sum()
    return Score(int(won), len(fought) - int(won + lost), int(lost))


def _said(printed):
    """`Score` that a printed table marks or counts."""
    counted = printed.note.str.extract(r"wins/draws/losses (\d+)/(\d+)/(\d+)").dropna()
    if len(counted):
        return Score(*(int(n) for n in counted.astype(int).sum()))
    marks = printed.note[printed.method != "MLDF"]
    better = marks.str.contains("MLDF better").sum()
    worse = marks.str.contains("MLDF worse").sum()
    return Score(int(better), len(marks) - int(better + worse), int(worse))


class Layers(tuple):
    """Numbers of layers: "7, 5, 6"."""

    def __str__(self):
        return ", ".join(map(str, self))


def growth(layers, forests, names):
    """Where growth stops and what that costs: means over the splits of the study "layers"."""
    rows = []
    for (dataset, measure), mine in layers.groupby(["dataset", "measure"], sort=False):
        by = mine.groupby("fold", sort=False)
        pick = by.test.max() if UP[measure] else by.test.min()
        trees = forests[(forests.dataset == dataset) & (forests.measure == measure)]
        rows.append(
            {
                "data set": names[dataset],
                "measure": LABEL[measure],
                "L of each split": Layers(mine.layer[mine.final]),
                "first layer": mine.test[mine.layer == 1].mean(),
                "layer L": mine.test[mine.final].mean(),
                "last layer grown": mine.test[mine.layer == mine.layer.max()].mean(),
                "best on test": pick.mean(),
                "RF-PCT, as many trees": trees.test.mean(),
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
    wide = labels.pivot(index=["fold", "label"], columns="deleted", values=measure)
    order = list(dict.fromkeys(labels.label))
    relative = 100 * wide.rsub(wide[NOTHING], axis=0).div(wide[NOTHING], axis=0)
    mean, p = {}, {}
    for deleted in [*order, OTHER_NUMBERS]:
        by_label = relative[deleted].unstack("label")[order]
        mean[deleted] = by_label.mean()
        p[deleted] = [stats.paired_t(c.to_numpy(), np.zeros(len(c))) for _, c in by_label.items()]
    return pd.DataFrame(mean).T, pd.DataFrame(p, index=order).T


class Change(NamedTuple):
    """A number before and after: "0.300 → 0.200"."""

    before: float
    after: float

    def __str__(self):
        return f"{self.before:.3f} → {self.after:.3f}"


def defect(published, right, order):
    """The `image` file as published and with its labels put right, on the splits run with both.

    Returns
    -------
    DataFrame, one row a method: `Change` of each measure
    """
    rows = []
    for method in order:
        a, b = (f[f.method == method].set_index("fold") for f in (published, right))
        both = a.index.intersection(b.index)
        if len(both):
            before, after = (f.loc[both, list(MEASURES)].mean() for f in (a, b))
            change = {LABEL[m]: Change(before[m], after[m]) for m in MEASURES}
            rows.append({"method": method} | change)
    return pd.DataFrame(rows)


def show_defect(chapter, methods):
    """`defect`, and which of the two agrees with the printed cells, as HTML."""
    published = chapter.tables.query("dataset == 'image'")
    right = own_measures(chapter.records["image_put_right"]).query("dataset == 'image'")
    if right.empty:
        return
    caption = "image: as published → with each row's own labels; means over the same splits"
    yield show(defect(published, right, methods), caption, False)
    both = {"as published": published, "put right": right.assign(source="real")}
    rows = []
    for method in (m for m in methods if m != "RAKEL"):
        ways = {f"{method}, {what}": r[r.method == method] for what, r in both.items()}
        rows.append(agreement_as(of_table(chapter, 4), method, ways))
    yield show(
        pd.concat(rows), "Cells of the printed column for image that agree, either way", False
    )


def agreement_as(printed, method, alternatives):
    """Cells that agree with a method's printed ones, if each alternative stood in its place.

    Parameters
    ----------
    printed : rows of Table 4
    alternatives : dict, name in the table -> records, or rows of the study "ties"

    Returns
    -------
    DataFrame of `Share`, one row an alternative, one column a measure, and "all"
    """
    rows = []
    for name, mine in alternatives.items():
        ours = summary(mine.assign(method=method), measures=MEASURES)
        compared = cells(ours, printed[printed.method == method])
        row = {"in its place": name}
        for measure in (*MEASURES, "all"):
            there = compared if measure == "all" else compared[compared.measure == measure]
            label = "all" if measure == "all" else LABEL[measure]
            row[label] = agreeing(there)
        rows.append(row)
    return pd.DataFrame(rows)


def ties_of_rf_pct(printed, ties):
    """`agreement_as` of RF-PCT with other numbers of trees and other ways to rank ties.

    Parameters
    ----------
    printed : rows of Table 4
    ties : table of the study "ties"
    """
    groups = ties.groupby(["trees", "ties"], sort=False)
    ways = {f"{n} trees, ties {way}": mine for (n, way), mine in groups}
    return agreement_as(printed, "RF-PCT", ways)


def show_head_to_head_by_measure(chapter, first, second):
    """`show_head_to_head` of two methods, a table a measure."""
    for measure, label in LABEL.items():
        caption = f"{label}: {first} and {second}"
        yield show_head_to_head(chapter.tables, first, second, chapter.names, caption, measure)


def show_forests_by_fold(chapter):
    """`agreement_as` of RF-PCT on the small sets, by trees and with a forest a fold, as HTML."""
    tables, folded = chapter.tables, chapter.records["folded"]
    small = set(folded.dataset)
    ways = {
        "100 trees": tables[(tables.method == "RF-PCT") & tables.dataset.isin(small)],
        "500 trees": tables[(tables.method == "RF-PCT, 500 trees") & tables.dataset.isin(small)],
        "100 trees for each of five folds, averaged": folded,
    }
    caption = "Cells of RF-PCT's printed row that agree: trees, and forests by fold"
    return show(agreement_as(of_table(chapter, 4), "RF-PCT", ways), caption, False)


def show_cuts(chapter):
    """Hamming loss of ECC and DBPNN by vote and by cut, below the printed ones, as HTML."""
    cuts = chapter.records["cuts"]
    if cuts.empty:
        return
    stage = [p["stage"] for p in cuts.parameters]
    rows = {}
    for printed, row in of_table(chapter, 4).query("measure == 'hamming_loss'").groupby("method"):
        if printed in ("ECC", "DBPNN"):
            mine = row[row.dataset.isin(cuts.dataset)]
            rows[f"{printed}, printed"] = dict(
                zip(mine.dataset, map(Spread, mine["mean"], mine["std"]), strict=True)
            )
            own = cuts.assign(stage=stage)[declared(cuts, "learner") == printed]
            for (method, cut), some in own.groupby(["method", "stage"], sort=False):
                where = "cut at 0.5" if cut == "0.5" else "cut at the training cardinality"
                by = some.groupby("dataset").hamming_loss
                rows[f"{method}, {where}"] = {d: Spread(v.mean(), v.std()) for d, v in by}
    table = pd.DataFrame(rows).T.rename_axis("method")
    table = table[[d for d in chapter.names if d in table]].rename(columns=chapter.names)
    yield show(table, "Hamming loss by vote and by cut", form="{:.3f}", missing="not run")


def show_nets(chapter):
    """DBPNN on features as they are and with few epochs: cells that agree, then means, as HTML."""
    nets = chapter.records["nets"]
    if nets.empty:
        return
    names = ["DBPNN", "DBPNN, fine-tuned"]
    there = chapter.tables[chapter.tables.dataset.isin(nets.dataset)]
    ways = {n: there[there.method == n] for n in names}
    ways |= {n: nets[nets.method == n] for n in nets.method.unique()}
    caption = "Cells of DBPNN's printed row that agree"
    yield show(agreement_as(of_table(chapter, 4), "DBPNN", ways), caption, False)
    printed = to_stand_beside(chapter, 4).query("method == 'DBPNN'")
    for dataset in nets.dataset.unique():
        theirs = printed[printed.dataset == dataset].set_index("measure")["mean"]
        rows = [("printed", *(theirs.get(m, np.nan) for m in MEASURES))]
        for way, some in ways.items():
            rows.append((way, *some[some.dataset == dataset][list(MEASURES)].mean()))
        frame = pd.DataFrame(rows, columns=["method", *LABEL.values()])
        yield show(frame, f"DBPNN on {chapter.names[dataset]}: means", False, form="{:.3f}")


def show_in_place_of_mldf(chapter, methods):
    """`agreement_as` of methods in MLDF's place, on the small sets and on corel16k, as HTML."""
    there = chapter.tables[chapter.tables.method.isin(methods)]
    of_one_split = there.dataset.isin(large(chapter))
    for where, some in (
        ("the small sets", there[~of_one_split]),
        ("corel16k", there[of_one_split]),
    ):
        ways = {m: some[some.method == m] for m in methods if m in set(some.method)}
        caption = f"Cells of MLDF's printed row that agree, if this method stood there: {where}"
        table = agreement_as(of_table(chapter, 4), "MLDF", ways)
        if len(table) and any(any(found) for found in table["all"]):  # one split judges nothing
            yield show(table, caption, False)


def rules_for_thresholds(thresholds):
    """MLDF under other rules for the threshold: means over the splits of the study "thresholds"."""
    rules = thresholds.groupby(["measure", "rule"], sort=False)
    rules = rules[["layers", "train", "test"]].mean().round(4).reset_index()
    return rules.assign(measure=rules["measure"].map(LABEL))


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
    for cell in printed[printed.dataset.isin(table.dataset)].itertuples():
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
    return wide.reset_index()


def show_depths(chapter, table):
    """`depths` of each data set, as HTML."""
    for name, mine in table.groupby("dataset", sort=False):
        numbers = mine.groupby("dataset").fold.nunique()
        caption = f"{chapter.names.get(name, name)}, {splits(numbers)}"
        yield show(depths(mine, to_stand_beside(chapter, 4)), caption, False, form="{:.3f}")


def causes_studied(chapter):
    """(cause, records, what their stages are) for `causes`: ties of RF-PCT, depth of the trees."""
    ties, depth = chapter.study("ties")["ties"], chapter.study("depth")["depth"]
    keys = ["dataset", "source", "fold", "method", "depth"]
    depth = depth.pivot_table(index=keys, columns="measure", values="test", dropna=False)
    depth = depth.dropna(how="all").reset_index()
    depth["levels"] = depth.depth.map("{:.0f}".format).where(depth.depth.notna(), "unlimited")
    ranked = ties.trees.astype(str) + " trees, ties " + ties.ties
    forest, cascade = (depth[depth.method == name] for name in (FOREST, CASCADE))
    deep = "500 trees of depth " + forest.levels
    deeper = "no reuse, " + cascade.levels + " more levels a layer"
    why = "depth of the trees, first splits"
    return [
        ("how tied scores are ranked", of_study(ties, "RF-PCT", ranked), ""),
        (why, of_study(forest, "RF-PCT", deep), ""),
        (why, of_study(cascade, "MLDF", deeper), ""),
    ]


def show_reuse(chapter, no_reuse, deep, forest="RF-PCT, 500 trees"):
    """MLDF's printed row with other methods in its place, and those against each other, as HTML."""
    yield from show_in_place_of_mldf(chapter, ["MLDF", no_reuse, deep, forest])
    pairs = [("MLDF", no_reuse), ("MLDF", "RF-PCT"), ("MLDF", forest)]
    pairs += [(no_reuse, forest), (deep, no_reuse), (deep, forest)]
    caption = "Cells (data set x six measures); shown at 5% by the corrected (paired) t-test"
    yield show(tally(chapter.tables, pairs, MEASURES), caption, False)


def show_readings(chapter, no_reuse, deep):
    """Readings of reuse beside MLDF with and without it, on the splits run with each, as HTML.

    Printed means of MLDF's row first; the number of splits behind a row stands beside it.
    """
    records = chapter.records["reuse"]
    if records.empty:
        return
    there = chapter.tables[chapter.tables.method.isin(["MLDF", no_reuse, deep])]
    every = pd.concat([there, own_measures(records)])
    printed = to_stand_beside(chapter, 4).query("method == 'MLDF'")
    for dataset in records.dataset.unique():
        mine = every[every.dataset == dataset]
        theirs = printed[printed.dataset == dataset].set_index("measure")["mean"]
        rows = [("printed", "", *(theirs.get(m, np.nan) for m in MEASURES))]
        for method, some in mine.groupby("method", sort=False):
            rows.append((method, str(some.fold.nunique()), *some[list(MEASURES)].mean()))
        frame = pd.DataFrame(rows, columns=["method", "splits", *LABEL.values()])
        caption = f"Readings of reuse on {chapter.names[dataset]}: means"
        yield show(frame, caption, False, form="{:.4f}")


def show_blocks(chapter, c45, rivals, printed):
    """MLDF on C4.5 trees against the rivals, and against MLDF on its own block, as HTML.

    Parameters
    ----------
    printed : rows of Table 5
    """
    caption = "MLDF on C4.5 trees against the five of Table 4: wins/draws/losses"
    yield show(duel_table(chapter.tables, c45, rivals, printed), caption, False)
    caption = "The two blocks, on the splits run with both"
    yield show(tally(chapter.tables, [("MLDF", c45)], MEASURES), caption, False)
