"""Tables of the chapter on Adaboost-LDL: what is left after boosting, order against flatness."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from ldlrepro import stats
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.adaboost_ldl.studies.starts import PUBLIC_STEPS
from ldlrepro.report.causes import of_study
from ldlrepro.report.compare import LEVEL, tally
from ldlrepro.report.settings import declared, with_settings
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_by_fives, summary
from ldlrepro.report.values import Beside, Share
from ldlrepro.report.yardstick import confusion, diagonal

#: Measures that do not change under any increasing function of the degrees.
SCALE_FREE = ("spearman", "kendall", "ndcg")
#: Learners with the gradient of public code -> the paper's name.
WITH_GRADIENT = {"LC-LDL, public gradient": "LC-LDL"}
#: Forms of a learner in the table of terms.
VARIANTS = ("", ", boosted", ", drawn uniformly", ", no warm start", ", bagged")


def boosted(name):
    """Name in the tables of a boosted learner."""
    return f"{name}, boosted"


def bagged(name):
    """Name in the tables of the mean of five bootstrap models."""
    return f"{name}, bagged"


def against_bagging(learners):
    """Each learner boosted and bagged: pairs for `tally`."""
    return [(boosted(name), bagged(name)) for name in learners]


def agreement_by_measure(compared, apart):
    """Cells that agree: a row a method, a column a measure, `Share` or None where it was not run.

    Parameters
    ----------
    apart : data sets that are not counted
    """
    there = compared[compared.ours.notna() & ~compared.dataset.isin(apart)]
    table = {}
    for method in compared.method.unique():
        mine = there[there.method == method]
        row = {MEASURES[m].label: agreeing(some) for m, some in mine.groupby("measure", sort=False)}
        table[method] = row | {"all": agreeing(mine)}
    return pd.DataFrame(table).T.rename_axis("method")


def agreement_of_drawn_labels(chapter):
    """`agreement_by_measure` of PT-Bayes as public code runs it, in place of ours."""
    ours = summary(chapter.records["drawn_labels"], measures=chapter.measures)
    compared = cells(ours, chapter.printed)
    return agreement_by_measure(compared[compared.ours.notna()], chapter.excluded_datasets)


def agreement_of_package(chapter):
    """`agreement` of the first package's learners with the printed rows of the same names."""
    ours = summary(chapter.records["first_package"], measures=chapter.measures)
    compared = cells(ours, chapter.printed)
    compared = compared[compared.method.isin(ours.method)]
    return agreement(compared, chapter.names, chapter.excluded_datasets)


def agreement_of_public_start(chapter):
    """Cells that agree with learners as public code starts them, beside those of the tables.

    Returns
    -------
    DataFrame of `Outcomes`, a row a printed method; a column for the learners of the tables, for
    those from the public start, and for those with the public gradient as well
    """
    public = chapter.records["public_start"]
    names = declared(public, "learner").map(WITH_GRADIENT)
    gradient = public[names.notna()]
    forms = zip(names.dropna(), declared(gradient, "form"), strict=True)
    gradient = gradient.assign(method=[n if form == "plain" else boosted(n) for n, form in forms])
    sides = {
        "from zero (the tables)": chapter.tables,
        "from the public start": public[names.isna()],
        "with the public gradient too": gradient,
    }
    table = {
        what: diagonal(
            confusion(mine, chapter.printed, set(mine.method), chapter.excluded_datasets)
        )
        for what, mine in sides.items()
    }
    table = pd.DataFrame(table).rename_axis("method").dropna(thresh=2)
    return table.astype(object).where(table.notna(), None)


def lcldl_by_set(chapter):
    """SortLoss of boosted LC-LDL: printed, of the tables, and with the public gradient.

    Returns
    -------
    DataFrame, a row a data set
    """
    public = chapter.records["public_start"]
    public = public[public.method == "LC-LDL, public gradient, boosted"]
    mine = chapter.tables[chapter.tables.method == boosted("LC-LDL")]
    printed = chapter.printed.query("measure == 'sort_loss'")
    sides = {
        "printed": printed[printed.method == boosted("LC-LDL")].groupby("dataset")["mean"].mean(),
        "ours": mine.groupby("dataset").sort_loss.mean(),
        "with the public gradient": public.groupby("dataset").sort_loss.mean(),
    }
    table = pd.DataFrame(sides).reindex([d for d in chapter.names if d in sides["ours"]])
    return table.rename(index=chapter.names).rename_axis("data set").reset_index()


def show_starts(chapter, study):
    """Cells of plain SA-IIS that agree from each start, as HTML; the caption tells of the stop.

    Parameters
    ----------
    study : tables of the study "starts"
    """
    printed = chapter.printed[chapter.printed.method == "SA-IIS"]
    printed = printed[~printed.dataset.isin(chapter.excluded_datasets)]
    rows = {}
    for (start, steps), mine in study["starts"].groupby(["start", "steps"], sort=False):
        means = summary(mine.assign(method="SA-IIS"), measures=chapter.measures)
        rows.setdefault(start, {})[f"{steps} steps"] = agreeing(cells(means, printed))
    table = pd.DataFrame(rows).T.rename_axis("start")
    early = Share.of(study["stop"].steps < PUBLIC_STEPS)
    caption = (
        f"SA-IIS: cells that agree. Public code's stop ends {early} fits before their ten steps"
    )
    return show(table, caption, missing="–", folded=False)


def with_public_settings(chapter):
    """Records that count; PT-Bayes (on Yeast), SA-IIS and LC-LDL as public code has them."""
    drawn, public = (chapter.records[name] for name in ("drawn_labels", "public_start"))
    names = declared(public, "learner").replace(WITH_GRADIENT)
    forms = declared(public, "form")
    public = public.assign(
        method=[n if f == "plain" else boosted(n) for n, f in zip(names, forms, strict=True)]
    )
    gradient = declared(public, "learner").isin(WITH_GRADIENT)
    public = public[gradient | (names == "SA-IIS")]
    given = chapter.counting(pd.concat([drawn, public]))
    keys = ["dataset", "method"]
    there = pd.MultiIndex.from_frame(chapter.counted[keys])
    kept = chapter.counted[~there.isin(pd.MultiIndex.from_frame(given[keys]))]
    return pd.concat([kept, given])


def causes_studied(chapter):
    """(cause, records, what their stages are) for `causes`: starts of plain SA-IIS."""
    starts = chapter.study("starts")["starts"]
    tried = of_study(starts, "SA-IIS", "start " + starts.start, "steps")
    return [("coefficients drawn from other densities", tried, "steps")]


def in_print(ratios, printed):
    """Those of the `ratios_to_plain` whose cells are printed too; all where none is."""
    keys = ["dataset", "method", "measure"]
    return ratios.merge(printed[keys].drop_duplicates(), on=keys) if len(printed) else ratios


def show_against_bagging(records, learners):
    """`tally` of boosting against bagging, by five measures together and by two alone, as HTML."""
    pairs = against_bagging(learners)
    some = ["sort_loss", "kl_divergence", "intersection", "spearman", "ndcg"]
    labels = ", ".join(MEASURES[m].label for m in some)
    caption = f"Cells (data set x {labels}); 5%, corrected (paired)"
    yield show(tally(records, pairs, some), caption, False)
    for measure in ("kl_divergence", "spearman"):
        caption = f"{MEASURES[measure].label} alone"
        yield show(tally(records, pairs, [measure]), caption, False)


def ratios_to_plain(summary, learners):
    """Boosted (or bagged) mean over the plain one, a row a data set, learner and measure.

    Parameters
    ----------
    summary : rows of `report.summary`, or printed cells; columns dataset, method, measure, mean
    """
    wide = summary.pivot_table(index=["dataset", "measure"], columns="method", values="mean")
    rows = []
    for (dataset, measure), cell in wide.iterrows():
        for name in learners:
            for kind, other in (("boosted", boosted(name)), ("bagged", bagged(name))):
                if other in cell and np.isfinite(cell.get(name, np.nan)) and cell[name] > 0:
                    rows.append((dataset, name, measure, kind, cell[other] / cell[name]))
    columns = ["dataset", "method", "measure", "kind", "ratio"]
    return pd.DataFrame(rows, columns=columns).dropna()


def reductions(ours, theirs, learners, measures):
    """What is left of each measure after boosting, printed and ours, and after bagging.

    Means over the cells that the paper prints too, where it prints any.

    Parameters
    ----------
    ours, theirs : results of `ratios_to_plain`
    """
    ours = in_print(ours, theirs)
    rows = []
    for name in (*learners, "all"):
        row = {"learner": name}
        for measure in measures:
            label = MEASURES[measure].label
            for what, frame, kind in (
                ("boosted, printed", theirs, "boosted"),
                ("boosted, ours", ours, "boosted"),
                ("bagged, ours", ours, "bagged"),
            ):
                mine = frame[(frame.measure == measure) & (frame.kind == kind)]
                mine = mine if name == "all" else mine[mine.method == name]
                row[f"{label}, {what}"] = mine.ratio.mean()
        rows.append(row)
    return pd.DataFrame(rows)


def geometric_mean(values):
    """Geometric mean of positive numbers, NaN of none."""
    return np.exp(np.log(values).mean())


def averages(theirs):
    """Three ways of averaging the printed ratios: the paper does not say which it took."""
    rows = []
    for measure, mine in theirs[theirs.kind == "boosted"].groupby("measure", sort=False):
        rows.append(
            {
                "measure": MEASURES[measure].label,
                "mean of the ratios": mine.ratio.mean(),
                "geometric mean": geometric_mean(mine.ratio),
                "median": mine.ratio.median(),
                "cells": len(mine),
            }
        )
    return pd.DataFrame(rows)


def drawn_towards(target, shrunk):
    """Records of the predictions drawn towards a constant, with their learner and factor."""
    mine = shrunk[declared(shrunk, "target") == target]
    factor = [p["stage"] for p in mine.parameters]
    return mine.assign(learner=declared(mine, "learner"), factor=factor)


def matched(tables, shrunk, learners):
    """SortLoss of boosted learners against the plain ones made just as flat.

    A plain prediction drawn towards the uniform distribution keeps its order, and its SortLoss
    falls in proportion. The factor that gives it the boosted learner's flatness comes by
    interpolation between the recorded factors; what SortLoss then lacks of the boosted one's is
    order, not flatness.

    Returns
    -------
    DataFrame, a row a data set and learner: left (boosted / plain), by_flatness (factor, above 1
    where boosting made predictions sharper), by_order (boosted / plain made as flat), and the
    differences boosted - plain of the scale-free measures with the corrected test
    """
    uniform = drawn_towards("uniform", shrunk)
    flat = uniform.groupby(["dataset", "learner", "factor"])["flatness"].mean().unstack()
    mean = tables.groupby(["dataset", "method"])[["sort_loss", "flatness"]].mean()
    rows, columns = [], ["dataset", "learner", "left", "by_flatness", "by_order"]
    columns += [f"{m}{end}" for m in SCALE_FREE for end in ("", "_p")]
    for dataset in tables.dataset.unique():
        mine = tables[tables.dataset == dataset]
        sizes = mine.n_train.mean(), mine.n_test.mean()
        for name in learners:
            if (dataset, name) not in flat.index or (dataset, boosted(name)) not in mean.index:
                continue
            plain, after = mean.loc[(dataset, name)], mean.loc[(dataset, boosted(name))]
            # The entropy falls off with the square of the factor: interpolate in its root.
            curve = np.sqrt(np.maximum(1 - flat.loc[(dataset, name)], 0)).sort_index()
            wanted = np.sqrt(max(1 - after.flatness, 0))
            factor = np.interp(wanted, curve.to_numpy(), curve.index.to_numpy())
            if wanted > curve.iloc[-1]:  # sharper than the plain one: in proportion
                factor = wanted / curve.iloc[-1]
            row = {
                "dataset": dataset,
                "learner": name,
                "left": after.sort_loss / plain.sort_loss,
                "by_flatness": factor,
                "by_order": after.sort_loss / (factor * plain.sort_loss),
            }
            for measure in SCALE_FREE:
                wide = mine.pivot(index="fold", columns="method", values=measure)
                a, b = wide[boosted(name)], wide[name]
                row[measure] = (a - b).mean()
                row[f"{measure}_p"] = stats.corrected_t(a, b, *sizes)
            rows.append(row)
    return pd.DataFrame(rows, columns=columns)


class Changed(NamedTuple):
    """Data sets on which a change is shown for the better and for the worse: "3 / 1 of 13"."""

    better: int
    worse: int
    number: int

    def __str__(self):
        return f"{self.better} / {self.worse} of {self.number}"


def order_or_flatness(matching, learners):
    """`matched` by learner: means over the data sets, and where the order was shown to change."""
    rows = []
    for name in (*learners, "all"):
        mine = matching if name == "all" else matching[matching.learner == name]
        if mine.empty:
            continue
        geometric = Beside(geometric_mean(mine.left), geometric_mean(mine.by_order))
        row = {
            "learner": name,
            "SortLoss left": mine.left.mean(),
            "at equal flatness": mine.by_order.mean(),
            "the same, geometric means": geometric,
        }
        for measure in SCALE_FREE:
            shown = mine[f"{measure}_p"] < LEVEL
            up, down = (shown & (mine[measure] > 0)).sum(), (shown & (mine[measure] < 0)).sum()
            label = MEASURES[measure].label
            row[f"{label}, change"] = mine[measure].mean()
            row[f"shown better / worse, {label}"] = Changed(int(up), int(down), len(mine))
        rows.append(row)
    return pd.DataFrame(rows)


def show_order_or_flatness(matching, learners):
    """`order_or_flatness` of all sets, of Yeast and of the faces, an HTML table each."""
    changes = {f"{MEASURES[m].label}, change": "{:+.4f}" for m in SCALE_FREE}
    shares = ("SortLoss left", "at equal flatness", "the same, geometric means")
    yeast = matching.dataset.astype(str).str.startswith("Yeast")
    for what, some in (
        ("all sets that count", matching),
        ("Yeast", matching[yeast]),
        ("faces", matching[~yeast]),
    ):
        table = order_or_flatness(some, learners)
        caption = f"Order or flatness: {what}"
        yield show(table, caption, False, form=changes | dict.fromkeys(shares, "{:.1%}"))


def show_tables_4_to_6(chapter, table_of):
    """Tables 4-6, a row a method, a column a data set, as HTML.

    Parameters
    ----------
    table_of : dict, number of the table -> the measure that it prints
    """
    for number, measure in table_of.items():
        caption = f"Table {number}. {MEASURES[measure].label}"
        yield from show_by_fives(
            chapter.ours, chapter.printed, measure, chapter.names, chapter.order, caption
        )


def means(records, methods, measures):
    """Mean over all records: a row a method, a column a measure."""
    mean = summary(records[records.method.isin(methods)], by=("method",), measures=measures)
    wide = mean.pivot(index="method", columns="measure", values="mean").reindex(methods)
    return (
        wide.reindex(columns=list(measures))
        .rename(columns={m: MEASURES[m].label for m in measures})
        .round(4)
    )


def show_means_by_kind(chapter, measures):
    """`means` of Yeast and of the faces among the sets that count, an HTML table each."""
    yeast = chapter.counted.dataset.str.startswith("Yeast")
    for what, some in (("Yeast", chapter.counted[yeast]), ("faces", chapter.counted[~yeast])):
        if len(some):
            yield show(means(some, chapter.order, measures), f"Means over the sets of {what}")


def means_of_terms(chapter, learners, measures):
    """`means` of learners and their variants over the sets that count."""
    records = pd.concat([chapter.counted, chapter.counting(chapter.records["terms"])])
    methods = [f"{name}{what}" for name in learners for what in VARIANTS]
    return means(records, methods, measures)


def tried_settings(chapter):
    """Records of every setting tried of the plain learners, that of the tables too."""
    records, tables = chapter.records, chapter.tables
    default = tables[tables.method == "CPNN"].assign(method="CPNN, 100 steps")
    return with_settings(pd.concat([records["settings"], records["raised_zeros"], default]))


def by_share(records, learners, measures):
    """Means of plain and boosted learners for each tested share, over the data sets.

    Parameters
    ----------
    records : dict, tested share -> records
    """
    rows = []
    for share, frame in sorted(records.items()):
        mean = frame.groupby(["dataset", "method"])[list(measures)].mean()
        for name in learners:
            row = {"tested share": share, "learner": name}
            for measure in measures:
                wide = mean[measure].unstack()
                there = name in wide and boosted(name) in wide
                left = (wide[boosted(name)] / wide[name]).mean() if there else None
                label = MEASURES[measure].label
                row[f"{label}, mean over sets"] = wide[name].mean() if there else None
                row[f"{label}, boosted / plain"] = left
            rows.append(row)
    return pd.DataFrame(rows)


def show_by_share(chapter, learners, measures):
    """`by_share` for a tenth, which is that of the tables, and the other shares, as HTML."""
    records = {0.1: chapter.counted}
    for percent in (20, 30, 50):
        records[percent / 100] = chapter.counting(chapter.records[f"tested_{percent}"])
    forms = {"tested share": "{:.0%}"}
    for label in (MEASURES[m].label for m in measures):
        forms |= {f"{label}, mean over sets": "{:.4f}", f"{label}, boosted / plain": "{:.1%}"}
    caption = "How the numbers move with the share of tested rows"
    return show(by_share(records, learners, measures), caption, False, forms, "not run")
