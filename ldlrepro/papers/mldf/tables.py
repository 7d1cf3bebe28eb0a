"""Tables of the chapter on MLDF: own measures, duels, depth, ties, reuse, layers, `image`."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro import MLDF, stats
from ldlrepro.metrics import MULTILABEL
from ldlrepro.papers.mldf.experiments import (
    C45,
    DEEP,
    LARGE,
    MEASURES,
    METHODS,
    MORE_TREES,
    NO_REUSE,
    ORDER,
    RIVALS,
)
from ldlrepro.papers.mldf.studies.depth import CASCADE, FOREST
from ldlrepro.papers.mldf.studies.label_drop import NOTHING, OTHER_NUMBERS
from ldlrepro.papers.mldf.studies.ties import AS_DEFINED
from ldlrepro.report.causes import of_study
from ldlrepro.report.compare import LEVEL, duels, show_head_to_head, tally
from ldlrepro.report.departures import settings_of, show_departures
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_each_data_set, summary
from ldlrepro.report.values import Outcomes, Share, Spread

LABEL = {m: MULTILABEL[m].label for m in MEASURES}
UP = {m: MULTILABEL[m].greater_is_better for m in MEASURES}
#: How our measures rank tied scores.
OUR_TIES = "against the prediction; half in macro-AUC, first column in one-error"


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


def show_agreement(chapter):
    """Printed numbers that ours match, by data set and method.

    RAKEL's printed row is lost but for two numbers.
    """
    table = agreement(chapter.compared, chapter.names, chapter.excluded_datasets)
    table = table.drop(columns="RAKEL", errors="ignore")
    yield show(table, chapter.agreement_caption(), missing="not run", folded=False)
    yield chapter.state()


def splits(numbers):
    """Text on how many splits a table rests on, where the methods differ.

    Parameters
    ----------
    numbers : Series, method -> number of splits
    """
    most = numbers.max()
    fewer = [f"{m}: {n}" for m, n in numbers.items() if n < most]
    text = f"{most} split{'s' if most > 1 else ''}"
    return text + "".join(f"; {one}" for one in fewer)


def show_table_4(chapter):
    """Table 4 and more methods below it, a table a data set; then MLDF against its rivals."""
    numbers = chapter.tables.groupby(["dataset", "method"])["fold"].nunique()
    captions = {
        d: f"{name}; {splits(numbers[d])}" for d, name in chapter.names.items() if d in numbers
    }
    yield from show_each_data_set(chapter.ours, chapter.printed, captions, MEASURES, ORDER)
    yield from show_rivals(chapter)


def average_ranks(means, methods):
    """Average rank of each method over the data sets by each measure, 1 the best.

    Parameters
    ----------
    means : DataFrame with dataset, method, measure, mean; data sets that lack a method do not count
    """
    table = {}
    for measure in MEASURES:
        wide = means[means.measure == measure]
        wide = wide.pivot_table(index="dataset", columns="method", values="mean", sort=False)
        wide = wide.reindex(columns=list(methods)).dropna()
        if len(wide):
            table[LABEL[measure]] = stats.ranks(wide.to_numpy(), UP[measure]).mean(axis=0)
    return pd.DataFrame(table, index=pd.Index(methods, name="method"))


def show_rivals(chapter):
    """MLDF against its rivals: tests, and average ranks on the small sets, ours and printed."""
    caption = "MLDF against the five of Table 4: wins/draws/losses"
    yield show(duel_table(chapter.tables, "MLDF", chapter.table_4), caption, False)
    small = chapter.ours[~chapter.ours.dataset.isin(LARGE)]
    printed = chapter.table_4_beside_ours
    printed = printed[printed.dataset.isin(small.dataset)]
    five = [m for m in METHODS if m != "RAKEL"]  # whose printed row is lost but for two numbers
    for caption, means, methods in (
        ("Average rank on the small data sets, ours (all six methods)", small, METHODS),
        ("Average rank on the same data sets, printed (without RAKEL)", printed, five),
        ("Average rank on the same data sets, ours (without RAKEL)", small, five),
    ):
        yield show(average_ranks(means, methods), caption, form="{:.2f}")


def show_table_5(chapter):
    """MLDF on C4.5 trees against the rivals, and against MLDF on its own trees."""
    caption = "MLDF on C4.5 trees against the five of Table 4: wins/draws/losses"
    yield show(duel_table(chapter.tables, C45, chapter.table_5), caption, False)
    caption = "MLDF on either kind of trees, on the splits run with both; significance as above"
    yield show(against(chapter.tables, [("MLDF", C45)]), caption, False)


def against(records, pairs):
    """`tally` of pairs of methods A and B by all measures, with short heads.

    Comparisons on one split, which have no test, are counted apart where there are any.
    """
    table = tally(records, pairs, MEASURES)
    better, single = [], []
    for first, second in pairs:
        fought = duels(records, first, [second], MEASURES)
        better.append(Share.of(fought.gain > 0))
        single.append(Share.of(fought.gain[fought.p.isna()] > 0))
    found = pd.DataFrame(
        {
            "A": table["first"],
            "B": table["second"],
            "A better": better,
            "of these on one split": single,
            "A significantly better": table["first better, significant"],
            "Holm / BH": table["first better, Holm / BH"],
            "B significantly better": table["second better, significant"],
            "B, Holm / BH": table["second better, Holm / BH"],
        }
    )
    return found if any(some.whole for some in single) else found.drop(columns=found.columns[3])


#: Head of our tests of those comparisons that are printed.
BESIDE = "paired t-test of these"


class Score(NamedTuple):
    """Duels won, drawn and lost: "3/2/1"."""

    won: int
    drawn: int
    lost: int

    def __str__(self):
        return f"{self.won}/{self.drawn}/{self.lost}"

    @property
    def ratio(self):
        """Share of the duels that are won, NaN of none."""
        return self.won / sum(self) if sum(self) else float("nan")


def duel_table(records, first, printed):
    """`Score` of a method against MLDF's rivals by the t-test at 5%, printed and ours.

    Sets with a single split, and rivals that were not run, have no test and do not count.

    Parameters
    ----------
    printed : rows of Table 4 (marks of the rivals) or 5 (counts of ``first``), in column ``note``

    Returns
    -------
    DataFrame, one row a measure and a last one "all". Where the printed numbers are those of
    rivals, our tests of the comparisons that are printed have a column of their own.
    """
    fought = duels(records, first, RIVALS, MEASURES).dropna(subset=["p"])
    printed = printed[printed.dataset.isin(fought.dataset)]
    printed = printed[printed.method.isin([first, *fought.rival])]
    marked = printed[printed.method != first]
    marked = fought.merge(
        marked[["dataset", "measure", "method"]].rename(columns={"method": "rival"})
    )
    rows = []
    for measure in (*MEASURES, "all"):
        theirs, ours, beside = (
            rows if measure == "all" else rows[rows.measure == measure]
            for rows in (printed, fought, marked)
        )
        row = {"measure": LABEL.get(measure, measure), "printed": printed_score(theirs)}
        if len(marked):
            row[BESIDE] = score(beside, "p")
        row |= {"paired t-test": score(ours, "p"), "corrected t-test": score(ours, "p_corrected")}
        rows.append(row)
    return pd.DataFrame(rows)


def score(fought, column):
    """`Score` of duels by the p-values in a column."""
    shown = fought[column] < LEVEL
    won, lost = (shown & (fought.gain > 0)).sum(), (shown & (fought.gain < 0)).sum()
    return Score(int(won), len(fought) - int(won + lost), int(lost))


def printed_score(printed):
    """`Score` that a printed table marks or counts."""
    counted = printed.note.str.extract(r"wins/draws/losses (\d+)/(\d+)/(\d+)").dropna()
    if len(counted):
        return Score(*(int(n) for n in counted.astype(int).sum()))
    marks = printed.note[printed.method != "MLDF"]
    better = marks.str.contains("MLDF better").sum()
    worse = marks.str.contains("MLDF worse").sum()
    return Score(int(better), len(marks) - int(better + worse), int(worse))


def show_growth(chapter):
    """Where growth stops and what that costs: means over the splits of Figure 3."""
    study = chapter.study("layers")
    caption = "Test measures by layer, means over three splits"
    table = growth(study["layers"], study["forests"], chapter.names)
    return show(table, caption, False, form="{:.4f}")


def growth(layers, forests, names):
    """Where growth stops and what that costs: means over the splits of the study "layers"."""
    rows = []
    for (dataset, measure), curves in layers.groupby(["dataset", "measure"], sort=False):
        by_fold = curves.groupby("fold", sort=False).test
        best = by_fold.max() if UP[measure] else by_fold.min()
        trees = forests[(forests.dataset == dataset) & (forests.measure == measure)]
        rows.append(
            {
                "data set": names[dataset],
                "measure": LABEL[measure],
                "L of each split": ", ".join(map(str, curves.layer[curves.final])),
                "layer 1": curves.test[curves.layer == 1].mean(),
                "layer L": curves.test[curves.final].mean(),
                "last layer": curves.test[curves.layer == curves.layer.max()].mean(),
                "best layer": best.mean(),
                "RF-PCT": trees.test.mean(),
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


def defect(published, put_right):
    """The `image` file as published and with its labels put right, on the splits run with both.

    Returns
    -------
    DataFrame, one row a method of Table 4: `Change` of each measure
    """
    rows = []
    for method in METHODS:
        a, b = (f[f.method == method].set_index("fold") for f in (published, put_right))
        both = a.index.intersection(b.index)
        if len(both):
            before, after = (f.loc[both, list(MEASURES)].mean() for f in (a, b))
            change = {LABEL[m]: Change(before[m], after[m]) for m in MEASURES}
            rows.append({"method": method} | change)
    return pd.DataFrame(rows)


def show_defect(chapter):
    """`defect`, and which of the two matches the printed numbers."""
    published = chapter.tables.query("dataset == 'image'")
    put_right = own_measures(chapter.records["image_put_right"]).query("dataset == 'image'")
    if put_right.empty:
        return
    changes = defect(published, put_right)
    for some in (MEASURES[:3], MEASURES[3:]):
        heads = [LABEL[m] for m in some]
        caption = f"image as published → with each row's own labels: {', '.join(heads)}"
        yield show(changes[["method", *heads]], caption, False)
    both = {"as published": published, "put right": put_right.assign(source="real")}
    tables = []
    for method in (m for m in METHODS if m != "RAKEL"):
        ways = {f"{method}, {what}": r[r.method == method] for what, r in both.items()}
        tables.append(agreement_as(chapter.table_4, method, ways))
    caption = "Informative numbers printed for image that ours match, either way"
    yield show(pd.concat(tables), caption, False, folded=True)


def agreement_as(printed, method, alternatives):
    """Printed numbers of a method that are matched, if each alternative stood in its place.

    Parameters
    ----------
    printed : rows of Table 4
    alternatives : dict, name in the table -> records, or rows of the study "ties"

    Returns
    -------
    DataFrame of `Outcomes`, one row an alternative, one column a measure, and "all"
    """
    rows = []
    for name, records in alternatives.items():
        ours = summary(records.assign(method=method), measures=MEASURES)
        compared = cells(ours, printed[printed.method == method])
        row = {"method": name}
        row |= {LABEL[m]: agreeing(compared[compared.measure == m]) for m in MEASURES}
        rows.append(row | {"all": agreeing(compared)})
    return pd.DataFrame(rows, columns=["method", *LABEL.values(), "all"])


def measures_down(table):
    """`agreement_as` turned: a row a measure, a column an alternative."""
    return table.set_index("method").T.rename_axis("measure").rename_axis(None, axis=1)


def informative(table):
    """`Outcomes` of a table as shares of the informative numbers."""
    return table.map(
        lambda found: (
            Share(found.agree, found.tell) if isinstance(found, Outcomes) and found.tell else found
        )
    )


def _matched(row, where=""):
    """Caption of `agreement_as`."""
    return f"Informative numbers of {row}'s printed row that are matched{where}"


def by_ties(chapter):
    """`agreement_as` of RF-PCT by trees and ways to rank tied scores, with columns for both."""
    groups = dict(list(chapter.study("ties")["ties"].groupby(["trees", "ties"], sort=False)))
    ways = {f"{n} trees, {way}": rows for (n, way), rows in groups.items()}
    table = agreement_as(chapter.table_4, "RF-PCT", ways)
    return table.assign(trees=[f"{n} trees" for n, _ in groups], ties=[way for _, way in groups])


def show_ties_in_short(chapter):
    """Numbers of RF-PCT's printed row that are matched: a row a way, a column a number of trees."""
    table = by_ties(chapter)
    wide = table.pivot_table(
        index="ties", columns="trees", values="all", aggfunc="first", sort=False
    )
    wide = wide.rename({AS_DEFINED: f"{AS_DEFINED} ({OUR_TIES})"})
    wide = wide.rename_axis("how tied scores are ranked").rename_axis(None, axis=1)
    return show(informative(wide), _matched("RF-PCT", ", by trees and ties (the small data sets)"))


def show_other_forests(chapter):
    """Trees of other depths, RF-PCT with more trees, and with a forest a fold."""
    yield from show_depths(chapter)
    table = by_ties(chapter).drop(columns=["trees", "ties"])
    caption = _matched("RF-PCT", " with other trees and ways to rank ties")
    yield show(table, caption, False, folded=True)
    yield show_forests_by_fold(chapter)


def show_forests_by_fold(chapter):
    """`agreement_as` of RF-PCT on the small sets, by trees and with a forest a fold."""
    records = chapter.with_methods("folded", ["RF-PCT", MORE_TREES])
    records = records[~records.dataset.isin(LARGE)]
    names = {
        "RF-PCT": "100 trees",
        MORE_TREES: "500 trees",
        "RF-PCT, a forest for each fold": "100 trees for each of five folds, averaged",
    }
    ways = {names[method]: rows for method, rows in records.groupby("method", sort=False)}
    table = measures_down(agreement_as(chapter.table_4, "RF-PCT", ways))
    return show(table, _matched("RF-PCT", " with a forest for each fold"), folded=True)


def show_other_rivals(chapter):
    """ECC and DBPNN with other cuts, votes and features."""
    yield from show_cuts(chapter)
    yield from show_nets(chapter)


def show_cuts(chapter):
    """Hamming loss of ECC and DBPNN by vote and by cut, below the printed ones."""
    cuts = chapter.records["cuts"]
    if cuts.empty:
        return
    stage = [p["stage"] for p in cuts.parameters]
    cuts = cuts.assign(learner=declared(cuts, "learner"), stage=stage)
    printed = chapter.table_4.query("measure == 'hamming_loss'")
    rows = {}
    for learner, own in cuts.groupby("learner"):
        row = printed[(printed.method == learner) & printed.dataset.isin(own.dataset)]
        rows[f"{learner}, printed"] = {c.dataset: Spread(c.mean, c.std) for c in row.itertuples()}
        for (method, cut), some in own.groupby(["method", "stage"], sort=False):
            where = "cut at 0.5" if cut == "0.5" else "cut at the training cardinality"
            by = some.groupby("dataset").hamming_loss
            rows[f"{method}, {where}"] = {d: Spread(v.mean(), v.std()) for d, v in by}
    table = pd.DataFrame(rows).T.rename_axis("method")
    table = table[[d for d in chapter.names if d in table]].rename(columns=chapter.names)
    caption = "Hamming loss by vote and by cut"
    yield show(table, caption, form="{:.3f}", missing="not run", folded=True)


def below_printed(chapter, row, records, dataset):
    """Means of each method on a data set below a printed row, with their numbers of splits.

    Parameters
    ----------
    row : method of Table 4
    """
    printed = chapter.table_4_beside_ours.query("method == @row and dataset == @dataset")
    printed = printed.set_index("measure")["mean"].reindex(MEASURES)
    rows = [("printed", "", *printed)]
    for method, some in records[records.dataset == dataset].groupby("method", sort=False):
        rows.append((method, str(some.fold.nunique()), *some[list(MEASURES)].mean()))
    return pd.DataFrame(rows, columns=["method", "splits", *LABEL.values()])


def show_nets(chapter):
    """DBPNN on features as they are and with few epochs: numbers that match, then means."""
    nets = chapter.records["nets"]
    if nets.empty:
        return
    records = chapter.with_methods("nets", ["DBPNN", "DBPNN, fine-tuned"])
    records = records[records.dataset.isin(nets.dataset)]
    ways = dict(list(records.groupby("method", sort=False)))
    table = agreement_as(chapter.table_4, "DBPNN", ways)
    yield show(measures_down(table), _matched("DBPNN"), folded=True)
    for dataset in nets.dataset.unique():
        table = below_printed(chapter, "DBPNN", records, dataset).drop(columns="splits")
        caption = f"DBPNN on {chapter.names[dataset]}: means"
        yield show(table, caption, False, form="{:.3f}", folded=True)


def show_readings(chapter):
    """Readings of reuse beside MLDF with and without it, on the splits run with each."""
    reuse = chapter.records["reuse"]
    if reuse.empty:
        return
    tables = chapter.tables[chapter.tables.method.isin(["MLDF", NO_REUSE, DEEP])]
    records = pd.concat([tables, own_measures(reuse)])
    for dataset in reuse.dataset.unique():
        caption = f"Readings of reuse on {chapter.names[dataset]}: means"
        table = below_printed(chapter, "MLDF", records, dataset)
        yield show(table, caption, False, form="{:.4f}", folded=True)


#: The rows of `show_readings_in_short`: what was run -> how the reading is called.
READINGS = {
    "MLDF": "reuse as printed",
    "MLDF, reuse from layer 2": "reuse from layer 2",
    "MLDF, rules of released code": "reuse by rules of the released code",
    NO_REUSE: "no reuse",
    "MLDF, deep trees": "reuse as printed, deep trees",
    "MLDF, rules of released code, deep trees": "reuse by rules of the released code, deep trees",
    DEEP: "no reuse, deep trees",
}


def matched_by_reading(chapter):
    """`Outcomes` of MLDF's printed row on the small sets, by reading of the paper: Series."""
    table = _readings(chapter)
    return pd.Series(dtype=object) if table is None else table.set_index("method")["all"]


def show_readings_in_short(chapter):
    """Numbers of MLDF's printed row that are matched on the small sets, a row a reading."""
    table = _readings(chapter)
    if table is None:
        return None
    table = table[["method", "all"]].rename(columns={"method": "reading", "all": "matched"})
    return show(informative(table), _matched("MLDF", ", by reading of the paper"), False)


def _readings(chapter):
    """`agreement_as` of MLDF's printed row, a row a reading; None without records."""
    tables = chapter.tables[chapter.tables.method.isin(["MLDF", NO_REUSE, DEEP])]
    records = pd.concat([tables, own_measures(chapter.records["reuse"])])
    records = records[~records.dataset.isin(LARGE)]
    ways = {text: records[records.method == name] for name, text in READINGS.items()}
    ways = {text: some for text, some in ways.items() if len(some)}
    if not ways:
        return None
    return agreement_as(chapter.table_4, "MLDF", ways)


def show_reuse(chapter):
    """What reuse does: matched numbers, each data set by each measure, thresholds, readings."""
    methods = ["MLDF", NO_REUSE, DEEP, MORE_TREES]
    records = chapter.tables[chapter.tables.method.isin(methods)]
    large = records.dataset.isin(LARGE)
    for where, some in (("the small data sets", records[~large]), ("corel16k", records[large])):
        ways = {m: some[some.method == m] for m in methods if m in set(some.method)}
        table = agreement_as(chapter.table_4, "MLDF", ways)
        if len(table) and any(any(found) for found in table["all"]):  # one split judges nothing
            caption = _matched("MLDF", f" if this method stood there: {where}")
            yield show(table, caption, False, folded=True)
    for measure in MEASURES:
        yield show_head_to_head(chapter.tables, "MLDF", NO_REUSE, chapter.names, measure=measure)
    yield show_thresholds(chapter)
    yield from show_readings(chapter)


def show_with_and_without(chapter):
    """MLDF with reuse and without, and RF-PCT, against each other."""
    pairs = [("MLDF", NO_REUSE), ("MLDF", "RF-PCT"), ("MLDF", MORE_TREES)]
    pairs += [(NO_REUSE, MORE_TREES), (DEEP, NO_REUSE), (DEEP, MORE_TREES)]
    caption = (
        "Methods A and B in comparisons, one for each data set and measure; significant at 5% "
    )
    caption += "by the corrected t-test, in brackets by the paired one"
    return show(against(chapter.tables, pairs), caption, False)


#: Experiments with settings of their own; those of cuts and of a forest a fold wrap other methods.
OTHER_SETTINGS = ("table_5", "reuse", "nets")


def show_all_settings(chapter):
    """Settings and departures of the tables, then what the other experiments set otherwise."""
    yield show_departures(chapter, [MLDF()])
    others = {name: settings_of(chapter.paper.experiment(name)) for name in OTHER_SETTINGS}
    table = pd.concat([rows.assign(experiment=name) for name, rows in others.items()])
    table = table[["experiment", "method", "estimator"]]
    caption = "What other experiments set otherwise"
    yield show(table, caption, False, folded=True)


def show_thresholds(chapter):
    """MLDF under other rules for the threshold: means over the splits of the study."""
    rules = chapter.study("thresholds")["thresholds"]
    rules = rules.replace({"rule": {"mean (Algorithm 2)": "mean (section 3.2)"}})
    rules = rules.groupby(["measure", "rule"], sort=False)
    rules = rules[["layers", "train", "test"]].mean().round(4).reset_index()
    rules = rules.assign(measure=rules["measure"].map(LABEL))
    caption = "MLDF on scene under other rules for the threshold, three splits"
    return show(rules, caption, False, form={"layers": "{:.1f}"}, folded=True)


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
    printed = printed[printed.dataset.isin(table.dataset) & printed.method.isin(["MLDF", FOREST])]
    rows = [(cell.method, "printed", cell.measure, cell.mean) for cell in printed.itertuples()]
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


def depth_gaps(table, printed, names):
    """How far MLDF without reuse is from its printed row, in percent, by levels a layer adds.

    Parameters
    ----------
    table : rows of the study "depth"
    printed : rows of Table 4
    names : dict, data set -> name in the table

    Returns
    -------
    DataFrame, one row a data set and depth, one column a measure; of the printed value, positive
    where ours is higher
    """
    own = table[(table.method == CASCADE) & table.dataset.isin(printed.dataset)]
    if own.empty:
        return pd.DataFrame(columns=["data set", "levels a layer", *LABEL.values()])
    means = own.groupby(["dataset", "depth", "measure"], sort=False).test.mean().reset_index()
    print_ = printed[printed.method == "MLDF"].set_index(["dataset", "measure"])["mean"]
    keys = pd.MultiIndex.from_frame(means[["dataset", "measure"]])
    said = print_.reindex(keys).to_numpy(float)
    means = means.assign(gap=100 * (means.test / said - 1), measure=means.measure.map(LABEL))
    wide = means.pivot_table(
        index=["dataset", "depth"], columns="measure", values="gap", sort=False
    ).reset_index()
    heads = [label for label in LABEL.values() if label in wide]
    wide = wide.assign(
        **{"data set": wide.dataset.map(names), "levels a layer": wide.depth.astype(int)}
    )
    return wide[["data set", "levels a layer", *heads]].rename_axis(None, axis=1)


def show_depth_gaps(chapter):
    """`depth_gaps` where real records stand beside the printed numbers."""
    table, printed = chapter.study("depth")["depth"], chapter.table_4_beside_ours
    printed = printed[printed.dataset.isin(chapter.wanted)]
    found = depth_gaps(table, printed, chapter.names)
    own = table[(table.method == CASCADE) & table.dataset.isin(printed.dataset)]
    numbers = own.groupby("dataset", sort=False).fold.nunique()
    where = "; ".join(f"{chapter.names[d]}, {splits(numbers[[d]])}" for d in numbers.index)
    caption = "Distance from the printed MLDF in percent, by the levels that each layer adds"
    caption += "; plus is worse, but better for average precision and macro-AUC"
    caption += f" ({where})" if where else ""
    return show(found, caption, False, form="{:+.1f}")


def show_depths(chapter):
    """`depths` of each data set of the study."""
    for dataset, rows in chapter.study("depth")["depth"].groupby("dataset", sort=False):
        numbers = rows.groupby("dataset").fold.nunique()
        name = chapter.names.get(dataset, dataset)
        caption = f"Trees of several depths on {name}, {splits(numbers)}: means"
        table = depths(rows, chapter.table_4_beside_ours)
        yield show(table, caption, False, form="{:.3f}", folded=True)


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
