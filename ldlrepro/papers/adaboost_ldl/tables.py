"""Tables of the chapter on Adaboost-LDL: what is left after boosting, order against flatness."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import gmean

from ldlrepro import stats
from ldlrepro.metrics import MEASURES, RANKING
from ldlrepro.papers.adaboost_ldl.experiments import (
    LEARNERS,
    SPLIT_LEARNERS,
    TABLE_OF,
    TERM_LEARNERS,
)
from ldlrepro.papers.adaboost_ldl.studies.starts import PUBLIC_STEPS
from ldlrepro.report.causes import of_study
from ldlrepro.report.compare import LEVEL, tally
from ldlrepro.report.html import NOTHING
from ldlrepro.report.settings import declared, show_nearest, with_settings
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_by_fives, summary
from ldlrepro.report.values import Beside, Share

#: Measures of which the paper says how much is left on average after boosting (section 3.4).
AVERAGED = ("sort_loss", "kl_divergence")
#: SortLoss and measures of order and flatness.
COMPANIONS = ("sort_loss", *RANKING)
#: Measures that do not change under any increasing function of the degrees.
SCALE_FREE = ("spearman", "kendall", "ndcg")
#: Learners with the gradient of public code -> the paper's name.
WITH_GRADIENT = {"LC-LDL, public gradient": "LC-LDL"}


def boosted(name):
    """Name in the tables of a boosted learner."""
    return f"{name}, boosted"


#: Each learner boosted and bagged: pairs for `tally`.
AGAINST_BAGGING = [(boosted(name), f"{name}, bagged") for name in LEARNERS]


def agreement_by_measure(records, printed):
    """Cells that agree: a row a printed method that has records, a column a measure, `Outcomes`."""
    printed = printed[printed.method.isin(records.method)]
    compared = cells(summary(records, measures=printed.measure.unique()), printed)
    table = {}
    for method, mine in compared.groupby("method", sort=False):
        mine = mine[mine.ours.notna()]
        row = {MEASURES[m].label: agreeing(some) for m, some in mine.groupby("measure", sort=False)}
        table[method] = row | {"all": agreeing(mine)}
    return pd.DataFrame(table).T.rename_axis("method")


def show_agreement(chapter):
    """Cells that agree, by method and measure."""
    table = agreement_by_measure(chapter.tables, chapter.printed_and_counted)
    return show(table, "Cells that agree with Tables 4-6", missing="not run", folded=False)


def show_drawn_labels(chapter):
    """Cells that agree of PT-Bayes as public code runs it, in place of ours."""
    table = agreement_by_measure(chapter.records["drawn_labels"], chapter.printed_and_counted)
    caption = "PT-Bayes with drawn labels and full covariances, on Yeast: numbers that match"
    return show(table, caption, missing="not run")


def show_first_package(chapter):
    """Cells that agree of the first package's learners with the printed rows of their names."""
    ours = summary(chapter.records["first_package"], measures=chapter.measures)
    printed = chapter.printed[chapter.printed.method.isin(ours.method)]
    table = agreement(cells(ours, printed), chapter.names, chapter.excluded_datasets)
    return show(table, "The first package: numbers that match", missing="N/A in print")


def named_as_printed(public):
    """Records of learners as public code starts them, under the names of their printed rows.

    Returns
    -------
    DataFrame, with a column public_gradient: whether LC-LDL has the gradient of public code
    """
    learner, form = declared(public, "learner"), declared(public, "form")
    row = learner.replace(WITH_GRADIENT)
    row = row.where(form == "plain", row + ", boosted")
    return public.assign(method=row, public_gradient=learner.isin(list(WITH_GRADIENT)))


def agreement_of_public_start(chapter):
    """Cells that agree with learners as public code starts them, beside those of the tables.

    Returns
    -------
    DataFrame of `Outcomes`, a row a printed method; a column for the learners of the tables, for
    those from the public start, and for those with the public gradient as well
    """
    public = chapter.public_start
    columns = {
        "from zero (the tables)": chapter.tables,
        "from the public start": public[~public.public_gradient],
        "with the public gradient too": public[public.public_gradient],
    }
    table = {
        head: agreement_by_measure(records, chapter.printed_and_counted)["all"]
        for head, records in columns.items()
    }
    table = pd.concat(table, axis=1).dropna(thresh=2)
    return table.where(table.notna(), None)


def show_public_start(chapter):
    """`agreement_of_public_start` as HTML."""
    if chapter.public_start.empty:
        return NOTHING
    table = agreement_of_public_start(chapter)
    return show(table, "Cells that agree, by where the learners start", missing="–")


def show_lcldl_by_set(chapter):
    """SortLoss of boosted LC-LDL: printed, of the tables, and with the public gradient."""
    public, printed = chapter.public_start, chapter.printed.query("measure == 'sort_loss'")
    columns = {
        "printed": printed.assign(sort_loss=printed["mean"]),
        "ours": chapter.tables,
        "with the public gradient": public[public.public_gradient],
    }
    table = {
        head: mine[mine.method == boosted("LC-LDL")].groupby("dataset").sort_loss.mean()
        for head, mine in columns.items()
    }
    shown = [d for d in chapter.names if d in table["ours"]]
    table = pd.DataFrame(table).reindex(shown).rename(index=chapter.names).rename_axis("data set")
    return show(table, "LC-LDL, boosted: SortLoss", form="{:.4f}")


def show_starts(chapter):
    """Cells of plain SA-IIS that agree from each start; the caption says what the stop does."""
    study, printed = chapter.study("starts"), chapter.printed_and_counted
    rows = {}
    for (start, steps), mine in study["starts"].groupby(["start", "steps"], sort=False):
        found = agreement_by_measure(mine.assign(method="SA-IIS"), printed)
        rows.setdefault(start, {})[f"{steps} steps"] = found.loc["SA-IIS", "all"]
    table = pd.DataFrame(rows).T.rename_axis("start")
    early = Share.of(study["stop"].steps < PUBLIC_STEPS)
    caption = (
        f"SA-IIS: numbers that match. Public code's stop ends {early} fits before their ten steps"
    )
    return show(table, caption, missing="–", folded=False)


def with_public_settings(chapter):
    """Records that count; PT-Bayes (on Yeast), SA-IIS and LC-LDL as public code has them."""
    public = chapter.public_start
    public = public[public.public_gradient | (declared(public, "learner") == "SA-IIS")]
    given = chapter.counting(pd.concat([chapter.records["drawn_labels"], public]))
    keys = ["dataset", "method"]
    own = pd.MultiIndex.from_frame(chapter.counted[keys])
    kept = chapter.counted[~own.isin(pd.MultiIndex.from_frame(given[keys]))]
    return pd.concat([kept, given])


def causes_studied(chapter):
    """(cause, records, what their stages are) for `causes`: starts of plain SA-IIS."""
    starts = chapter.study("starts")["starts"]
    tried = of_study(starts, "SA-IIS", "start " + starts.start, "steps")
    return [("coefficients drawn from other densities", tried, "steps")]


def show_against_bagging(chapter):
    """`tally` of boosting against bagging, by five measures together and by two alone."""
    five = ["sort_loss", "kl_divergence", "intersection", "spearman", "ndcg"]
    labels = ", ".join(MEASURES[m].label for m in five)
    caption = f"Cells (data set x {labels}); 5%, corrected (paired)"
    yield show(tally(chapter.counted, AGAINST_BAGGING, five), caption, False)
    for measure in ("kl_divergence", "spearman"):
        caption = f"{MEASURES[measure].label} alone"
        yield show(tally(chapter.counted, AGAINST_BAGGING, [measure]), caption, False)


def ratios_to_plain(means):
    """Boosted (or bagged) mean over the plain one, a row a data set, learner and measure.

    Parameters
    ----------
    means : rows of `report.summary`, or printed cells; columns dataset, method, measure, mean
    """
    wide = means.pivot_table(index=["dataset", "measure"], columns="method", values="mean")
    rows = []
    for (dataset, measure), cell in wide.iterrows():
        for name in LEARNERS:
            for kind in ("boosted", "bagged"):
                other = f"{name}, {kind}"
                if other in cell and 0 < cell.get(name, 0) < np.inf:
                    rows.append((dataset, name, measure, kind, cell[other] / cell[name]))
    columns = ["dataset", "method", "measure", "kind", "ratio"]
    return pd.DataFrame(rows, columns=columns).dropna()


def left_by_boosting(ratios, measure):
    """Those of the `ratios_to_plain` that are of boosting and one measure: Series by learner."""
    mine = ratios[(ratios.measure == measure) & (ratios.kind == "boosted")]
    return mine.set_index("method").ratio


def in_print(ratios, printed):
    """Those of the `ratios_to_plain` whose cells are printed too; all where none is."""
    keys = ["dataset", "method", "measure"]
    return ratios.merge(printed[keys].drop_duplicates(), on=keys) if len(printed) else ratios


def reductions(ours, printed):
    """What is left of each measure after boosting, printed and ours, and after bagging.

    Means over the cells that the paper prints too, where it prints any.

    Parameters
    ----------
    ours, printed : results of `ratios_to_plain`
    """
    ours, columns = in_print(ours, printed), {}
    for measure in AVERAGED:
        for head, ratios, kind in (
            ("boosted, printed", printed, "boosted"),
            ("boosted, ours", ours, "boosted"),
            ("bagged, ours", ours, "bagged"),
        ):
            mine = ratios[(ratios.measure == measure) & (ratios.kind == kind)]
            left = mine.groupby("method").ratio.mean().reindex([*LEARNERS, "all"])
            left["all"] = mine.ratio.mean()
            columns[f"{MEASURES[measure].label}, {head}"] = left
    return pd.DataFrame(columns).rename_axis("learner").reset_index()


def averages(printed):
    """Three ways of averaging the printed ratios: the paper does not say which it took."""
    groups = printed[printed.kind == "boosted"].groupby("measure", sort=False).ratio
    three = {"mean of the ratios": "mean", "geometric mean": gmean, "median": "median"}
    table = pd.DataFrame({head: groups.agg(how) for head, how in three.items()})
    table = table.assign(cells=groups.size()).rename_axis("measure").reset_index()
    return table.assign(measure=[MEASURES[m].label for m in table.measure])


def show_share_left(chapter):
    """`reductions` of the cells that count, and `averages` of all printed ones."""
    left = reductions(chapter.ratios, chapter.printed_ratios)
    yield show(left, "Boosted and bagged as a share of plain", False, form="{:.1%}")
    three = averages(ratios_to_plain(chapter.printed))
    yield show(three, "All printed cells: boosted as a share of plain", False, form="{:.1%}")


def drawn_towards(target, shrunk):
    """Records of the predictions drawn towards a constant, with their learner and factor."""
    mine = shrunk[declared(shrunk, "target") == target]
    factor = [p["stage"] for p in mine.parameters]
    return mine.assign(learner=declared(mine, "learner"), factor=factor)


def matched(tables, shrunk):
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
        for name in LEARNERS:
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


def order_or_flatness(matching):
    """`matched` by learner: means over the data sets, and where the order was shown to change."""
    rows = []
    for name in (*LEARNERS, "all"):
        mine = matching if name == "all" else matching[matching.learner == name]
        if mine.empty:
            continue
        geometric = Beside(gmean(mine.left), gmean(mine.by_order))
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


def by_kind(rows):
    """Rows of Yeast and of the faces, of some that count: {kind: rows}."""
    yeast = rows.dataset.astype(str).str.startswith("Yeast")
    return {"Yeast": rows[yeast], "faces": rows[~yeast]}


def show_order_or_flatness(chapter):
    """`order_or_flatness` of all sets, of Yeast and of the faces."""
    forms = {f"{MEASURES[m].label}, change": "{:+.4f}" for m in SCALE_FREE}
    shares = ("SortLoss left", "at equal flatness", "the same, geometric means")
    forms |= dict.fromkeys(shares, "{:.1%}")
    kinds = {"all sets that count": chapter.matched} | by_kind(chapter.matched)
    for kind, some in kinds.items():
        yield show(order_or_flatness(some), f"Order or flatness: {kind}", False, form=forms)


def show_tables_4_to_6(chapter):
    """Tables 4-6, a row a method, a column a data set."""
    for number, measure in TABLE_OF.items():
        caption = f"Table {number}. {MEASURES[measure].label}"
        yield from show_by_fives(
            chapter.ours, chapter.printed, measure, chapter.names, chapter.order, caption
        )


def means(records, methods, measures):
    """Mean over all records: a row a method, a column a measure."""
    mean = records.groupby("method")[list(measures)].mean().reindex(methods).round(4)
    return mean.set_axis([MEASURES[m].label for m in measures], axis=1)


def show_means_by_kind(chapter):
    """`means` of Yeast and of the faces among the sets that count."""
    for kind, some in by_kind(chapter.counted).items():
        if len(some):
            table = means(some, chapter.order, COMPANIONS)
            yield show(table, f"Means over the sets of {kind}")


def show_draws_and_warm_start(chapter):
    """`means` of learners and their variants over the sets that count."""
    records = pd.concat([chapter.counted, chapter.counting(chapter.records["terms"])])
    variants = ("", ", boosted", ", drawn uniformly", ", no warm start", ", bagged")
    methods = [f"{name}{variant}" for name in TERM_LEARNERS for variant in variants]
    table = means(records, methods, ["kl_divergence", *COMPANIONS])
    return show(table, "Means over the data sets that count")


def show_tried_settings(chapter):
    """The setting nearest to the printed cells of plain learners, that of the tables too."""
    records, tables = chapter.records, chapter.tables
    default = tables[tables.method == "CPNN"].assign(method="CPNN, 100 steps")
    tried = with_settings(pd.concat([records["settings"], records["raised_zeros"], default]))
    learners = ["SA-IIS", "PT-Bayes", "CPNN", "LDL-LS"]
    return show_nearest(tried, chapter.printed, learners, chapter.names)


def by_share(records):
    """Means of plain and boosted learners for each tested share, over the data sets.

    Parameters
    ----------
    records : dict, tested share -> records
    """
    rows = []
    for share, frame in sorted(records.items()):
        mean = frame.groupby(["dataset", "method"])[list(AVERAGED)].mean()
        for name in SPLIT_LEARNERS:
            row = {"tested share": share, "learner": name}
            for measure in AVERAGED:
                wide = mean[measure].unstack().reindex(columns=[name, boosted(name)])
                label = MEASURES[measure].label
                row[f"{label}, mean over sets"] = wide[name].mean()
                row[f"{label}, boosted / plain"] = (wide[boosted(name)] / wide[name]).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def show_tested_shares(chapter):
    """`by_share` for a tenth, which is that of the tables, and the other shares."""
    records = {0.1: chapter.counted}
    for percent in (20, 30, 50):
        records[percent / 100] = chapter.counting(chapter.records[f"tested_{percent}"])
    forms = {"tested share": "{:.0%}"}
    for label in (MEASURES[m].label for m in AVERAGED):
        forms |= {f"{label}, mean over sets": "{:.4f}", f"{label}, boosted / plain": "{:.1%}"}
    caption = "How the numbers move with the share of tested rows"
    return show(by_share(records), caption, False, forms, "not run")
