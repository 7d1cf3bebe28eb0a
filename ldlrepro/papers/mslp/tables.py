"""Tables of the chapter on MSLP: two protocols, first places, what each term adds."""

import pandas as pd

from ldlrepro import stats
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.report.compare import firsts
from ldlrepro.report.settings import declared
from ldlrepro.report.tables import agreeing, cells, show, show_each_data_set, summary
from ldlrepro.report.values import Beside, Share, Spread

#: The level of the paper's t-tests (section 3.3).
LEVEL_OF_PAPER = 0.10
#: Methods that choose the number of dimensions.
WITH_U = ("LPP", "NPE", "PCA", "CCA", "MSLP")


def methods_of_paper(chapter):
    """Methods of the tables but for the two that ignore the features."""
    return [m for m in chapter.order if m not in ("MeanPredictor", "UniformPredictor")]


def show_tables_1_to_3(chapter, records, table_of, what):
    """Tables 1-3 under one of the two protocols, an HTML table a data set.

    Parameters
    ----------
    table_of : dict, data set -> number of its table; what : name of the protocol
    """
    captions = {d: f"Table {n}. {chapter.names[d]}, {what}" for d, n in table_of.items()}
    ours = summary(records, measures=chapter.measures)
    return show_each_data_set(ours, chapter.printed, captions, chapter.measures, chapter.order)


def two_protocols(inside, best, printed):
    """What choosing on the test folds explains, a row a method.

    Parameters
    ----------
    inside, best : results of `tables.cells` under the two protocols, of the sets that count
    printed : methods in the paper's order

    Returns
    -------
    DataFrame with the cells that agree (`Share`) and the median difference as a share, None where
    nothing was run
    """
    rows = []
    for method in printed:
        row = {"method": method}
        for name, compared in (("chosen inside the fold", inside), ("best on test", best)):
            mine = compared[(compared.method == method) & compared.ours.notna()]
            row[f"cells that agree, {name}"] = agreeing(mine) if len(mine) else None
            row[f"median difference, {name}"] = _worse(mine).median()
        rows.append(row)
    return pd.DataFrame(rows)


def _worse(compared):
    """By what share ours is worse than printed: similarities count by their distance from 1."""
    up = compared.measure.map(lambda m: DISTRIBUTION[m].greater_is_better).astype(bool)
    ours = compared.ours.where(~up, 1 - compared.ours)
    published = compared.published.where(~up, 1 - compared.published)
    return ours / published - 1


def protocols_beside_printed(chapter):
    """`two_protocols` of a chapter, on the data sets that are the original files."""
    best = cells(
        summary(chapter.records["best_on_test"], measures=chapter.measures), chapter.printed
    )
    some = [c[~c.dataset.isin(chapter.excluded_datasets)] for c in (chapter.compared, best)]
    return two_protocols(*some, methods_of_paper(chapter))


def first_places(records, measures, methods, printed=None):
    """How often a method is first, and not shown worse than the first at 90%.

    Parameters
    ----------
    records : records of the sets that count
    printed : cells of the paper of the same sets

    Returns
    -------
    DataFrame, one row a method: method, printed (first as printed), ours (first here), paired and
    corrected (not shown worse than the first by these t-tests), cells (number of them)
    """
    table = {m: {"printed": 0, "ours": 0, "paired": 0, "corrected": 0} for m in methods}
    number = 0
    for _, mine in records.groupby("dataset", sort=False):
        sizes = mine.n_train.mean(), mine.n_test.mean()
        for measure in measures:
            up = DISTRIBUTION[measure].greater_is_better
            wide = mine.pivot(index="fold", columns="method", values=measure)[methods]
            mean = wide.mean()
            first = mean.idxmax() if up else mean.idxmin()
            table[first]["ours"] += 1
            number += 1
            for m in methods:
                a, b = wide[first], wide[m]
                table[m]["paired"] += stats.paired_t(a, b) >= LEVEL_OF_PAPER
                table[m]["corrected"] += stats.corrected_t(a, b, *sizes) >= LEVEL_OF_PAPER
    for m in () if printed is None else printed.method[firsts(printed)]:
        table[m]["printed"] += 1
    return pd.DataFrame({"method": m, **counts, "cells": number} for m, counts in table.items())


def places_table(places):
    """`first_places` with heads that say what is counted, and of how many cells."""
    of = f"of {places.cells.max()}"
    heads = {
        "printed": f"first as printed, {of}",
        "ours": f"first here, {of}",
        "paired": "not shown worse than the first, paired t",
        "corrected": "the same, corrected t",
    }
    return places.drop(columns="cells").rename(columns=heads)


def first_as_printed(printed, method):
    """How often a method has the best printed mean, as a `Share`."""
    number = len(printed[["dataset", "measure"]].drop_duplicates())
    return Share(int((printed.method[firsts(printed)] == method).sum()), number)


def show_first_places(chapter):
    """First places under the two protocols, an HTML table each; methods without a grid in both."""
    tables, best = chapter.tables, chapter.records["best_on_test"]
    best = pd.concat([best, tables[~tables.method.isin(best.method)]])
    printed = chapter.printed[~chapter.printed.dataset.isin(chapter.excluded_datasets)]
    methods = methods_of_paper(chapter)
    for what, records in (("chosen inside the fold", tables), ("best on test", best)):
        places = first_places(chapter.counting(records), chapter.measures, methods, printed)
        yield show(places_table(places), f"First places, {what}", False)


#: Data sets of one kind, which are counted together.
KINDS = {
    "expressions (s-JAFFE, s-BU_3DFE)": ("SJAFFE", "SBU_3DFE"),
    "beauty (SCUT-FBP, M2B)": ("SCUT_FBP", "M2B"),
}


#: What of a set's data is another copy than the paper's, by what is found here: the page says how.
OTHER_COPIES = {"SCUT_FBP": "features", "M2B": "distributions"}


def agreement_by_kind(chapter):
    """`Outcomes` of every printed row on each kind of data sets: a row a method."""
    table = {}
    for kind, some in KINDS.items():
        mine = chapter.compared[chapter.compared.dataset.isin(some)]
        table[kind] = {m: agreeing(mine[mine.method == m]) for m in methods_of_paper(chapter)}
        table[kind]["all"] = agreeing(mine)
    return pd.DataFrame(table).rename_axis("method")


def best_printed_and_mean(chapter):
    """The best printed mean of each measure, whose it is, and the mean predictor on our copy.

    Returns
    -------
    DataFrame, a row a data set, a column a measure: `Beside` of two numbers, and how many of the
    printed methods the mean predictor beats
    """
    rows = []
    for dataset, mine in chapter.printed[chapter.printed.null.notna()].groupby(
        "dataset", sort=False
    ):
        row = {"data set": chapter.names[dataset]}
        for measure, cell in mine.groupby("measure", sort=False):
            up = DISTRIBUTION[measure].greater_is_better
            best = cell["mean"].max() if up else cell["mean"].min()
            null = cell.null.iloc[0]
            beaten = int(((cell["mean"] < null) if up else (cell["mean"] > null)).sum())
            row[DISTRIBUTION[measure].label] = f"{best:.4f} / {null:.4f} ({beaten})"
        rows.append(row)
    return pd.DataFrame(rows)


def features(table, names):
    """The study "features" with names for readers: a row a data set."""
    columns = {
        "n_features": "features",
        "first": "in one direction",
        "ten": "in ten",
        "ridge": "degrees, by ridge regression",
        "neighbours": "by 20 neighbours",
        "whitened": "the same, directions weighted alike",
        "forest": "by a forest",
    }
    found = table.rename(columns=columns)[list(columns.values())]
    found.insert(0, "data set", [names.get(d, d) for d in table.dataset])
    return found.astype({"features": object})


def show_sets_apart(chapter):
    """`agreement_by_kind` and `best_printed_and_mean` as HTML."""
    yield show(agreement_by_kind(chapter), "Cells that agree, by kind of data", missing="not run")
    caption = (
        "Best of the thirteen printed means / mean predictor on our copy "
        "(printed methods that are worse than it)"
    )
    yield show(best_printed_and_mean(chapter), caption, False)


def forms_of_cca(chapter):
    """Records of CCA with and without a first step, each under the name "CCA": {form: records}."""
    terms, tables = chapter.records["terms"], chapter.tables
    forms = {"CCA": tables[tables.method == "CCA"]}
    for method in terms.method[declared(terms, "learner") == "CCA"].unique():
        forms[method] = terms[terms.method == method].assign(method="CCA")
    return forms


def places_with_cca(chapter, records):
    """`first_places` of the paper's methods with these records in CCA's place, by method."""
    tables = chapter.tables[chapter.tables.method != "CCA"]
    both = chapter.counting(pd.concat([tables, records]))
    return first_places(both, chapter.measures, methods_of_paper(chapter)).set_index("method")


def beaten_by_mean(chapter, dataset):
    """`Share` of measures by which the mean predictor here beats every printed method of a set."""
    there = chapter.printed[chapter.printed.dataset == dataset]
    up = there.measure.map(lambda m: DISTRIBUTION[m].greater_is_better).to_numpy(bool)
    worse = (there["mean"] < there.null) == up
    return Share.of(worse.groupby(there.measure).all())


def show_whole_cca(chapter):
    """CCA with and without a first step: cells that agree by data set, and first places, as HTML.

    The first places are those of CCA and of MSLP, with each form of CCA in CCA's place.
    """
    printed = chapter.printed[chapter.printed.method == "CCA"]
    agree, first = {}, []
    for form, mine in forms_of_cca(chapter).items():
        compared = cells(summary(mine, measures=chapter.measures), printed)
        agree[form] = {
            chapter.names[d]: agreeing(some) for d, some in compared.groupby("dataset", sort=False)
        }
        places = places_with_cca(chapter, mine)
        of = f"of {places.cells.max()}"
        first.append(
            {
                "in CCA's place": form,
                f"CCA first, {of}": places.ours["CCA"],
                f"MSLP first, {of}": places.ours["MSLP"],
            }
        )
    yield show(pd.DataFrame(agree).T.rename_axis("in CCA's place"), "Cells that agree with CCA's")
    yield show(pd.DataFrame(first), "First places, chosen inside the fold", False)


def kept_neighbours(study, names):
    """Trustworthiness, mean and standard deviation over the folds: fitted beside new rows."""
    groups = study.groupby(["dataset", "method", "rows"], sort=False)["trustworthiness"]
    cell = groups.agg(["mean", "std"])
    table = {}
    for dataset in study.dataset.unique():
        table[names.get(dataset, f"{dataset} (synthetic)")] = {
            method: Beside(
                *(Spread(*cell.loc[(dataset, method, rows)]) for rows in ("fitted", "new"))
            )
            for method in study.method.unique()
        }
    return pd.DataFrame(table).T.rename_axis("data set")


def show_kept_neighbours(study, names):
    """`kept_neighbours` of halves, and the trustworthiness with all rows fitted, as HTML."""
    halves, every = (study[(study.rows == "all") == whole] for whole in (False, True))
    caption = "Trustworthiness of two-dimensional embeddings of halves: fitted rows / new rows"
    yield show(kept_neighbours(halves, names).T.rename_axis("method"), caption, form="{:.3f}")
    wide = every.pivot(index="method", columns="dataset", values="trustworthiness")
    wide = wide.loc[every.method.unique(), every.dataset.unique()].rename(columns=names)
    yield show(wide, "The same with all rows fitted", form="{:.3f}")


class Chosen(dict):
    """Share of the dimensions -> in how many folds it was chosen: "10% (7), 20% (3)"."""

    def __str__(self):
        return ", ".join(f"{u:.0%} ({folds})" for u, folds in self.items())


def best_ratios(best, names, methods):
    """How often each u had the lowest test K-L, a row a method, a column a data set: `Chosen`."""
    u = [p.get("ratio", p.get("transformer__ratio")) for p in best.parameters]
    best = best.assign(u=u)
    table = {
        method: {
            names[d]: Chosen(best.u[(best.method == method) & (best.dataset == d)].value_counts())
            for d in names
            if d in set(best.dataset[best.method == method])
        }
        for method in methods
    }
    return pd.DataFrame(table).T.rename_axis("method")


def terms(parts, names):
    """K-L with and without each term, a row a method, a column a data set: `Spread`."""
    kl = summary(parts, measures=["kl_divergence"])
    kl["cell"] = [Spread(m, s) for m, s in zip(kl["mean"], kl["std"], strict=True)]
    wide = kl.pivot(index="method", columns="dataset", values="cell")
    return wide[[d for d in names if d in wide]].rename(columns=names)


def pairs_of_terms(records):
    """MSLP and each variant of it or of PCA, then the two networks: pairs for `tally`."""
    variants = records.method[declared(records, "learner").isin(["MSLP", "PCA"])].unique()
    return [("MSLP", method) for method in variants] + [("CPNN, one input a label", "CPNN")]


def beside_printed(chapter, method, ours, dataset):
    """A printed row beside several of ours on one data set, a column a measure.

    Parameters
    ----------
    method : the printed row
    ours : dict, name of a row -> records

    Returns
    -------
    DataFrame: numbers, rows in this order, the printed one first
    """
    printed = chapter.printed
    printed = printed[(printed.method == method) & (printed.dataset == dataset)]
    rows = {f"{method}, printed": printed.set_index("measure")["mean"]}
    for name, records in ours.items():
        rows[name] = records[records.dataset == dataset][list(chapter.measures)].mean()
    table = pd.DataFrame(rows).T[list(chapter.measures)].rename_axis("row")
    return table.rename(columns={m: DISTRIBUTION[m].label for m in chapter.measures})


def _named(records, methods):
    return {name: records[records.method == name] for name in methods}


def show_permuted(chapter, datasets=("SBU_3DFE", "SJAFFE", "SCUT_FBP", "M2B")):
    """PT-SVM's printed row beside the first package's, with both orders of columns, as HTML.

    See Also
    --------
    show_failed : The same of PT-Bayes.
    """
    package, tables = chapter.records["first_package"], chapter.tables
    package = package[declared(package, "learner") == "PT-SVM"]
    ours = _named(package, package.method.unique())
    ours |= _named(tables, ["MeanPredictor"])
    ours |= _named(chapter.records["mean_as_drawn"], ["MeanPredictor, columns as drawn"])
    for dataset in datasets:
        caption = f"{chapter.names[dataset]}: the printed row of PT-SVM, and ours"
        yield show(beside_printed(chapter, "PT-SVM", ours, dataset), caption, form="{:.4f}")


def show_failed(chapter, datasets=("SBU_3DFE", "SJAFFE")):
    """PT-Bayes' printed row beside the first package's and the uniform predictor, as HTML.

    See Also
    --------
    show_permuted : The same of PT-SVM.
    """
    ours = _named(chapter.records["first_package"], ["PT-Bayes, first package"])
    ours |= _named(chapter.tables, ["UniformPredictor", "MeanPredictor"])
    for dataset in datasets:
        caption = f"{chapter.names[dataset]}: the printed row of PT-Bayes, and ours"
        yield show(beside_printed(chapter, "PT-Bayes", ours, dataset), caption, form="{:.4f}")
