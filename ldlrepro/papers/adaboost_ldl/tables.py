"""Tables of the chapter on Adaboost-LDL: what is left after boosting, order against flatness."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import gmean

from ldlrepro import published, stats
from ldlrepro.metrics import MEASURES, RANKING
from ldlrepro.papers.adaboost_ldl.experiments import (
    LEARNERS,
    SPLIT_LEARNERS,
    TABLE_OF,
    TERM_LEARNERS,
)
from ldlrepro.papers.adaboost_ldl.studies.starts import PUBLIC_STEPS
from ldlrepro.report.causes import of_study
from ldlrepro.report.claims import printed_numbers
from ldlrepro.report.compare import LEVEL, tally, wins
from ldlrepro.report.html import NOTHING
from ldlrepro.report.settings import declared, show_nearest, with_settings
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_by_fives, summary
from ldlrepro.report.values import Beside, Outcomes, Share

#: Measures of which the paper says how much is left on average after boosting (section 3.4), and
#: the claims that say so.
AVERAGED = ("sort_loss", "kl_divergence")
CLAIMED = ("sortloss-41", "kl-68")
#: SortLoss and measures of order and flatness.
COMPANIONS = ("sort_loss", *RANKING)
#: Measures that do not change under any increasing function of the degrees.
SCALE_FREE = ("spearman", "kendall", "ndcg")
#: Name of the row of all learners.
EVERY = "all seven"
#: Plain SA-IIS by start, as records name it -> what stands in tables.
STARTS = {
    "SA-IIS, identity start": "ones on the diagonal, as public code",
    "SA-IIS, random start": "uniformly random",
    "SA-IIS": "zeros",
}
#: Learners with public code's objective and gradient -> the paper's name.
WITH_GRADIENT = {"LC-LDL, public gradient": "LC-LDL"}


def boosted(name):
    """Name in the tables of a boosted learner."""
    return f"{name}, boosted"


#: Each learner boosted and bagged: pairs for `tally`.
AGAINST_BAGGING = [(boosted(name), f"{name}, bagged") for name in LEARNERS]
#: Boosted row -> its learner.
LEARNER_OF = {boosted(name): name for name in LEARNERS}


def agreement_by_measure(records, printed):
    """Numbers that match: a row a printed method with records, a column a measure, `Outcomes`."""
    printed = printed[printed.method.isin(records.method)]
    compared = cells(summary(records, measures=printed.measure.unique()), printed)
    table = {}
    for method, mine in compared.groupby("method", sort=False):
        mine = mine[mine.ours.notna()]
        row = {MEASURES[m].label: agreeing(some) for m, some in mine.groupby("measure", sort=False)}
        table[method] = row | {"all": agreeing(mine)}
    return pd.DataFrame(table).T.rename_axis("method")


def show_agreement(chapter):
    """Numbers that match, by method and measure."""
    table = agreement_by_measure(chapter.tables, chapter.printed_and_counted)
    rows = {"all plain": list(LEARNERS), "all boosted": list(LEARNER_OF)}
    rows["all"] = [*rows["all plain"], *rows["all boosted"]]
    for name, some in rows.items():
        there = table[table.index.isin(some)]
        table.loc[name] = [sum(c.dropna(), Outcomes(0, 0, 0, 0)) for _, c in there.items()]
    return show(table, chapter.agreement_caption(), missing="not run", folded=False)


#: Learners, and what public code does otherwise than ours.
PUBLIC_CODE = {
    "PT-Bayes": "draws labels, fits full covariances",
    "SA-IIS": "takes ten steps from ones on the diagonal",
    "LC-LDL": "has another objective and gradient",
    "CPNN": "trains by RProp, 49 steps or more",
    "BFGS-LDL": "keeps the whole inverse Hessian",
}


def matches_of_public_code(chapter):
    """Numbers that match before and after what public code does otherwise, a row a learner.

    Returns
    -------
    DataFrame of texts and `Share` of the informative numbers: learner, public code, and for the
    plain and the boosted learner: ours, as public code
    """
    public = chapter.public_start
    package = chapter.records["first_package"]
    records = {
        "PT-Bayes": chapter.records["drawn_labels"],
        "SA-IIS": public[~public.public_gradient],
        "LC-LDL": public[public.public_gradient],
        "CPNN": package,
        "BFGS-LDL": package,
    }
    printed, rows = chapter.printed_and_counted, []
    ours = agreement_by_measure(chapter.tables, printed)
    for learner, what in PUBLIC_CODE.items():
        theirs = agreement_by_measure(records[learner], printed)
        row = {"learner": learner, "public code": what}
        for form, name in (("plain", learner), ("boosted", boosted(learner))):
            for head, found in (("ours", ours), ("as public code", theirs)):
                match = found.loc[name, "all"] if name in found.index else None
                row[f"{form}, {head}"] = match and Share(match.agree, match.tell)
        rows.append(row)
    return pd.DataFrame(rows)


def show_public_code(chapter):
    """`matches_of_public_code` as HTML."""
    caption = "Informative numbers that ours match, before and after a change as in public code"
    return show(matches_of_public_code(chapter), caption, False, missing="not run")


def show_drawn_labels(chapter):
    """Numbers that match of PT-Bayes as public code runs it, in place of ours."""
    table = agreement_by_measure(chapter.records["drawn_labels"], chapter.printed_and_counted)
    caption = "PT-Bayes with drawn labels and full covariances, on Yeast: numbers that match"
    return show(table, caption, missing="not run")


def show_first_package(chapter):
    """Numbers of the printed rows that the first package's learners of their names match."""
    ours = summary(chapter.records["first_package"], measures=chapter.measures)
    printed = chapter.printed[chapter.printed.method.isin(ours.method)]
    table = agreement(cells(ours, printed), chapter.names, chapter.excluded_datasets)
    return show(table, "The first package: numbers that match", missing="N/A in print")


def named_as_printed(public):
    """Records of learners as public code starts them, under the names of their printed rows.

    Returns
    -------
    DataFrame, with a column public_gradient: whether LC-LDL is that of public code
    """
    learner, form = declared(public, "learner"), declared(public, "form")
    row = learner.replace(WITH_GRADIENT)
    row = row.where(form == "plain", row + ", boosted")
    return public.assign(method=row, public_gradient=learner.isin(list(WITH_GRADIENT)))


def agreement_of_public_start(chapter):
    """Numbers that learners match as public code starts them, beside those of the tables.

    Returns
    -------
    DataFrame of `Outcomes`, a row a printed method; a column for the learners of the tables, for
    those from the public start, and for those with public code's objective and gradient as well
    """
    public = chapter.public_start
    columns = {
        "ours, from zeros": chapter.tables,
        "public start": public[~public.public_gradient],
        "public start, objective and gradient": public[public.public_gradient],
    }
    table = {
        head: agreement_by_measure(records, chapter.printed_and_counted)["all"]
        for head, records in columns.items()
    }
    table = pd.concat(table, axis=1).dropna(thresh=2)
    return table.where(table.notna(), None)


def show_public_start(chapter):
    """`agreement_of_public_start` as HTML, and boosted LC-LDL by data set."""
    if chapter.public_start.empty:
        yield NOTHING
        return
    table = agreement_of_public_start(chapter)
    caption = "Informative numbers that ours match, by where the learners start"
    yield show(table, caption, missing="–", folded=False)
    yield show_one_fit(chapter)
    yield show_lcldl_by_set(chapter)


def show_one_fit(chapter):
    """Numbers of the printed boosted SA-IIS that one plain fit matches, by start and steps."""
    tried = chapter.records["settings"]
    tried = tried[declared(tried, "learner") == "SA-IIS"]
    steps, rows = [p["stage"] for p in tried.parameters], {}
    for (method, stage), mine in tried.groupby(["method", pd.Series(steps, tried.index)]):
        found = agreement_by_measure(
            mine.assign(method=boosted("SA-IIS")), chapter.printed_and_counted
        )
        if len(found):
            rows.setdefault(STARTS[method], {})[stage] = found.iloc[0]["all"]
    table = pd.DataFrame(rows).sort_index().rename_axis("steps")
    caption = "Printed boosted SA-IIS: numbers that one plain fit matches"
    return show(table, caption, missing="–", folded=False)


def show_lcldl_by_set(chapter):
    """SortLoss of boosted LC-LDL: printed, of the tables, and with public code's objective."""
    public, printed = chapter.public_start, chapter.printed.query("measure == 'sort_loss'")
    columns = {
        "printed": printed.assign(sort_loss=printed["mean"]),
        "ours": chapter.tables,
        "with the public objective and gradient": public[public.public_gradient],
    }
    table = {
        head: mine[mine.method == boosted("LC-LDL")].groupby("dataset").sort_loss.mean()
        for head, mine in columns.items()
    }
    shown = [d for d in chapter.names if d in table["ours"]]
    table = pd.DataFrame(table).reindex(shown).rename(index=chapter.names).rename_axis("data set")
    return show(table, "LC-LDL, boosted: SortLoss", form="{:.4f}")


def show_starts(chapter):
    """Numbers that plain SA-IIS matches from each start; the caption says what the stop does."""
    study, printed = chapter.study("starts"), chapter.printed_and_counted
    rows = {}
    for (start, steps), mine in study["starts"].groupby(["start", "steps"], sort=False):
        found = agreement_by_measure(mine.assign(method="SA-IIS"), printed)
        rows.setdefault(start, {})[f"{steps} step{'s' * (steps > 1)}"] = found.loc["SA-IIS", "all"]
    table = pd.DataFrame(rows).T.rename_axis("start")
    early = Share.of(study["stop"].steps < PUBLIC_STEPS)
    caption = (
        "SA-IIS from other starts: numbers that match. Public code's stop ends "
        f"{early} fits before their ten steps"
    )
    return show(table, caption, missing="–", folded=False)


def with_public_settings(chapter):
    """Records that count; learners of `PUBLIC_CODE` as public code has them, PT-Bayes on Yeast."""
    public, package = chapter.public_start, chapter.records["first_package"]
    public = public[public.public_gradient | (declared(public, "learner") == "SA-IIS")]
    package = package[declared(package, "learner").isin(["CPNN", "BFGS-LDL"])]
    given = chapter.counting(pd.concat([chapter.records["drawn_labels"], public, package]))
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
    """Boosting against bagging by K-L and by Spearman, then each `tally` in full."""
    yield show(against_bagging(chapter.counted), "Boosting against bagging: data sets", False)
    five = ["sort_loss", "kl_divergence", "intersection", "spearman", "ndcg"]
    for measures in (five, ["kl_divergence"], ["spearman"]):
        labels = ", ".join(MEASURES[m].label for m in measures)
        caption = (
            f"Comparisons by {labels}. Significant: corrected test at 5%, in brackets the paired "
            "one. Cannot be tested: rounding differs as much"
        )
        table = tally(chapter.counted, AGAINST_BAGGING, measures).drop(columns="second")
        heads = {c: c.replace("first", "boosted").replace("second", "bagged") for c in table}
        heads["first"] = "learner"
        table = table.assign(first=table["first"].map(LEARNER_OF)).rename(columns=heads)
        yield show(table, caption, False, folded=True)


def against_bagging(records, measures=("kl_divergence", "spearman")):
    """Data sets on which boosting and bagging have the better mean, and significantly so.

    Returns
    -------
    DataFrame, a row a learner: learner, for each measure the data sets on which the boosted
    learner has the better mean (`Share`), and significantly better means (`Changed`)
    """
    rows = []
    for first, second in AGAINST_BAGGING:
        row = {"learner": LEARNER_OF[first]}
        for measure in measures:
            found, label = wins(records, [(first, second)], [measure]), MEASURES[measure].label
            row[f"{label}: boosting better"] = Share(found.better, found.cells)
            row[f"{label}: significantly better / worse"] = Changed(
                found.shown.plain, found.worse.plain, found.cells
            )
        rows.append(row)
    return pd.DataFrame(rows)


def ratios_to_plain(means):
    """Boosted (or bagged) mean over the plain one, a row a data set, learner and measure.

    Parameters
    ----------
    means : rows of `report.summary`, or printed numbers; columns dataset, method, measure, mean
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
    """Those of the `ratios_to_plain` whose numbers are printed too; all where none is."""
    keys = ["dataset", "method", "measure"]
    return ratios.merge(printed[keys].drop_duplicates(), on=keys) if len(printed) else ratios


def reductions(ours, printed):
    """What is left of each measure after boosting, printed and ours, and after bagging.

    Means over the data sets for which the paper prints both numbers, where it prints any.

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
    table = table.assign(ratios=groups.size()).rename_axis("measure").reset_index()
    return table.assign(measure=[MEASURES[m].label for m in table.measure])


def show_share_left(chapter):
    """`reductions` of the data sets that count, and `averages` of all printed ratios."""
    left = reductions(chapter.ratios, chapter.printed_ratios)
    for label in (MEASURES[m].label for m in AVERAGED):
        heads = {c: c.removeprefix(f"{label}, ") for c in left if c.startswith(label)}
        mine = left[["learner", *heads]].rename(columns=heads)
        yield show(mine, f"{label} as a share of the plain learner's", False, form="{:.1%}")
    three = averages(ratios_to_plain(chapter.printed))
    yield show(three, "All printed ratios of boosted to plain", False, form="{:.1%}")


def sides(chapter):
    """`ratios_to_plain` of the tables, with the settings of public code, and printed.

    Ours are of the data sets for which the paper prints the number too.
    """
    printed = chapter.printed_ratios
    public = summary(with_public_settings(chapter), measures=chapter.measures)
    ours = (chapter.ratios, ratios_to_plain(public))
    return [*(in_print(ratios, printed) for ratios in ours), printed]


def three_averages(ratios, measure):
    """What boosting leaves of a measure, by three averages: dict, name -> float."""
    left = left_by_boosting(ratios, measure)
    three = {"mean": np.mean, "geometric mean": gmean, "median": np.median}
    return {name: float(average(left)) for name, average in three.items()}


def show_averages(chapter):
    """Three averages of what boosting leaves, beside the number in the paper's text."""
    of_all = ratios_to_plain(chapter.printed)
    every = [one for one in (*sides(chapter), of_all) if len(one)]
    if len(every) < 4:
        return NOTHING
    ours, public, printed, of_all = every
    said = printed_numbers(published.claims("adaboost_ldl"))
    rows = []
    for measure, claim in zip(AVERAGED, CLAIMED, strict=True):
        found = [three_averages(side, measure) for side in (of_all, printed, ours, public)]
        for name in found[0]:
            shares = [average[name] for average in found]
            rows.append((MEASURES[measure].label, name, said[claim], *shares))
    head = ["measure", "average", "the text", "all printed", "printed, without Natural Scene"]
    head += ["ours", "as public code"]
    caption = "What boosting leaves, by three averages over learners and data sets"
    return show(pd.DataFrame(rows, columns=head), caption, False, form="{:.1%}")


def left_by_learner(chapter, measure):
    """What boosting leaves of a measure, printed and ours: a row a learner, and one of all.

    Returns
    -------
    DataFrame: published, published_std, ours, ours_std; the deviations are over data sets
    """
    ours = in_print(chapter.ratios, chapter.printed_ratios)
    columns = {}
    for name, ratios in (("published", chapter.printed_ratios), ("ours", ours)):
        left = left_by_boosting(ratios, measure)
        by = left.groupby(level=0)
        for end, over, every in (("", by.mean(), left.mean()), ("_std", by.std(), left.std())):
            columns[name + end] = pd.concat([over, pd.Series({EVERY: every})])
    return pd.DataFrame(columns).reindex([*LEARNERS, EVERY])


def left_by_flattening(chapter):
    """SortLoss of plain predictions made as flat as the boosted ones, as a share of the plain.

    Means over the data sets for which the paper prints numbers: a Series by learner, and of all.
    """
    printed = chapter.printed_ratios.query("measure == 'sort_loss'")[["dataset", "method"]]
    both = chapter.matched.merge(printed.rename(columns={"method": "learner"}))
    left = both.groupby("learner").by_flatness.mean()
    return pd.concat([left, pd.Series({EVERY: both.by_flatness.mean()})])


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


def k_l_made_as_flat(chapter):
    """K-L of boosted learners against the plain ones made just as flat: `matched`, by K-L.

    Between the recorded factors K-L is interpolated. It is convex in the factor, so the plain
    prediction made as flat has at most this K-L. Where boosting made predictions no flatter, the
    plain prediction stands as it is.

    Returns
    -------
    DataFrame, a row a data set and learner: left (boosted / plain), flattened (plain made as flat
    / plain), by_order (boosted / plain made as flat)
    """
    drawn = drawn_towards("uniform", chapter.records["shrunk"])
    drawn = drawn.groupby(["dataset", "learner", "factor"])["kl_divergence"].mean().unstack()
    mean = chapter.counted.groupby(["dataset", "method"])["kl_divergence"].mean()
    rows = []
    for one in chapter.matched.itertuples():
        curve = drawn.loc[(one.dataset, one.learner)].sort_index()
        flat = np.interp(one.by_flatness, curve.index.to_numpy(), curve.to_numpy())
        plain, after = mean[one.dataset, one.learner], mean[one.dataset, boosted(one.learner)]
        rows.append((one.dataset, one.learner, after / plain, flat / plain, after / flat))
    return pd.DataFrame(rows, columns=["dataset", "learner", "left", "flattened", "by_order"])


def show_k_l_made_as_flat(chapter):
    """Means of `k_l_made_as_flat` over the data sets, a row a learner."""
    found = k_l_made_as_flat(chapter)
    if found.empty:
        return NOTHING
    groups = found.groupby("learner")
    table = groups[["left", "flattened"]].mean()
    for kind, some in by_kind(found).items():
        table[kind] = some.groupby("learner").by_order.mean()
    heads = [
        "boosted",
        "plain made as flat",
        "at equal flatness, Yeast",
        "at equal flatness, faces",
    ]
    table = table.reindex(list(LEARNERS)).dropna(how="all").set_axis(heads, axis=1)
    caption = "K-L as a share of the plain learner's, and of that of plain made as flat"
    return show(table.reset_index(), caption, False, form="{:.1%}")


class Changed(NamedTuple):
    """Data sets with a significant change for the better and for the worse: "3 / 1 of 13"."""

    better: int
    worse: int
    number: int

    def __str__(self):
        return f"{self.better} / {self.worse} of {self.number}"


def order_or_flatness(matching):
    """`matched` by learner: means over the data sets, and where the order changes significantly."""
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
            clear = mine[f"{measure}_p"] < LEVEL
            up, down = (clear & (mine[measure] > 0)).sum(), (clear & (mine[measure] < 0)).sum()
            label = MEASURES[measure].label
            row[f"{label}, change"] = mine[measure].mean()
            row[f"{label}, significantly better / worse"] = Changed(int(up), int(down), len(mine))
        rows.append(row)
    return pd.DataFrame(rows)


def by_kind(rows):
    """Rows of Yeast and of the faces, of some that count: {kind: rows}."""
    yeast = rows.dataset.astype(str).str.startswith("Yeast")
    return {"Yeast": rows[yeast], "faces": rows[~yeast]}


def show_order_or_flatness(chapter):
    """`order_or_flatness` of all sets, of Yeast and of the faces: SortLoss, then the order."""
    forms = {f"{MEASURES[m].label}, change": "{:+.4f}" for m in SCALE_FREE}
    shares = ["SortLoss left", "at equal flatness", "the same, geometric means"]
    forms |= dict.fromkeys(shares, "{:.1%}")
    kinds = {"all data sets": chapter.matched} | by_kind(chapter.matched)
    for kind, some in kinds.items():
        table = order_or_flatness(some)
        if table.empty:
            yield NOTHING
            continue
        caption = f"Boosted over plain, and over plain made as flat: {kind}"
        yield show(table[["learner", *shares]], caption, False, form=forms)
        caption = f"The order of labels, boosted minus plain: {kind}"
        yield show(table.drop(columns=shares), caption, False, form=forms)


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
            yield show(table, f"Means over the sets of {kind}", form="{:.4f}")


def show_draws_and_warm_start(chapter):
    """`means` of learners and their variants over the sets that count, and K-L by warm start."""
    records = pd.concat([chapter.counted, chapter.counting(chapter.records["terms"])])
    variants = ("", ", boosted", ", drawn uniformly", ", no warm start", ", bagged")
    methods = [f"{name}{variant}" for name in TERM_LEARNERS for variant in variants]
    table = means(records, methods, ["kl_divergence", *COMPANIONS])
    caption = "Boosting without the draws, without the warm start, and bagging: means"
    yield show(table, caption, form="{:.4f}")
    table = k_l_by_warm_start(records, chapter.names)
    yield show(table, "K-L of boosted BFGS-LDL, with and without the warm start", form="{:.5f}")


def k_l_by_warm_start(records, names):
    """K-L of boosted BFGS-LDL with and without the warm start: a row a data set."""
    wide = records.groupby(["dataset", "method"], observed=True)["kl_divergence"].mean().unstack()
    columns = {"BFGS-LDL, boosted": "with it", "BFGS-LDL, no warm start": "without it"}
    wide = wide.reindex(index=[d for d in names if d in wide.index], columns=[*columns])
    return wide.rename(columns=columns, index=names).rename_axis(index="data set", columns=None)


def show_tried_settings(chapter):
    """The setting nearest to the printed numbers of plain learners, of all that were tried."""
    records, tables = chapter.records, chapter.tables
    tried = [records["settings"], records["raised_zeros"]]
    for some, method, name in (
        (tables, "CPNN", "CPNN, 100 steps"),
        (records["first_package"], "CPNN", "CPNN, first package"),
        (records["drawn_labels"], "PT-Bayes", "PT-Bayes, drawn labels"),
        (records["first_package"], "PT-Bayes", "PT-Bayes, first package"),
    ):
        tried.append(some[some.method == method].assign(method=name))
    tried += [starts for _, starts, _ in causes_studied(chapter)]
    tried = with_settings(pd.concat(tried, ignore_index=True))
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
