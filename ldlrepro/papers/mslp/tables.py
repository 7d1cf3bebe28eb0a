"""Tables of the chapter on MSLP: two protocols, first places, what each term adds."""

import pandas as pd

from ldlrepro import stats
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.papers.mslp.experiments import TABLE_OF
from ldlrepro.report.compare import firsts, tally
from ldlrepro.report.settings import declared, show_nearest, with_settings
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_each_data_set, summary
from ldlrepro.report.values import Beside, Share, Spread

#: The level of the paper's t-tests (section 3.3).
LEVEL_OF_PAPER = 0.10
#: The two protocols, by experiment.
PROTOCOLS = {"tables": "chosen inside the fold", "best_on_test": "best on test"}
#: Rivals that choose the number of dimensions, as MSLP does.
EMBEDDINGS = ("LPP", "NPE", "PCA", "CCA")
#: Data sets of one kind, which are counted together. Those of beauty are other copies than the
#: paper's: SCUT-FBP by its features, M2B by its distributions.
EXPRESSIONS = ("SJAFFE", "SBU_3DFE")
BEAUTY = ("SCUT_FBP", "M2B")
KINDS = {
    "expressions (s-JAFFE, s-BU_3DFE)": EXPRESSIONS,
    "beauty (SCUT-FBP, M2B)": BEAUTY,
}


def methods_with(records, **settings):
    """Names of the methods that declare these settings, in order of appearance."""
    holds = [settings.items() <= s.items() for s in records.settings]
    return list(records.method[holds].unique())


def show_agreement(chapter):
    """Cells that agree, a row a method: they are many, the data sets few."""
    table = agreement(chapter.compared, chapter.names, chapter.excluded_datasets)
    table = table.T.rename_axis("method")
    return show(table, chapter.agreement_caption(), missing="not run", folded=False)


def show_tables_1_to_3(chapter, experiment):
    """Tables 1-3 under the protocol of an experiment: "tables" or "best_on_test"."""
    captions = {
        d: f"Table {n}. {chapter.names[d]}, {PROTOCOLS[experiment]}" for d, n in TABLE_OF.items()
    }
    ours = summary(chapter.records[experiment], measures=chapter.measures)
    return show_each_data_set(ours, chapter.printed, captions, chapter.measures, chapter.order)


def show_two_protocols(chapter):
    """`two_protocols` on the data sets that count."""
    best = summary(chapter.records["best_on_test"], measures=chapter.measures)
    inside, best = (
        compared[~compared.dataset.isin(chapter.excluded_datasets)]
        for compared in (chapter.compared, cells(best, chapter.printed))
    )
    table = two_protocols(inside, best, chapter.printed_methods)
    return show(table, "Two protocols against the printed cells", False, form="{:+.1%}")


def two_protocols(inside, best, methods):
    """What the choice of parameters on the test folds explains, a row a method.

    Parameters
    ----------
    inside, best : results of `tables.cells` under the two protocols, of the sets that count
    methods : those of the rows

    Returns
    -------
    DataFrame with the numbers that match (`Outcomes`) and the median difference as a share, None
    where nothing was run
    """
    rows = []
    for method in methods:
        row = {"method": method}
        for name, compared in zip(PROTOCOLS.values(), (inside, best), strict=True):
            mine = compared[(compared.method == method) & compared.ours.notna()]
            row[f"numbers that match, {name}"] = agreeing(mine) if len(mine) else None
            row[f"median difference, {name}"] = _worse(mine).median()
        rows.append(row)
    return pd.DataFrame(rows)


def _worse(compared):
    """By what share ours is worse than printed: similarities count by their distance from 1."""
    up = compared.measure.map(lambda m: DISTRIBUTION[m].greater_is_better).astype(bool)
    ours = compared.ours.where(~up, 1 - compared.ours)
    published = compared.published.where(~up, 1 - compared.published)
    return ours / published - 1


def show_nearest_settings(chapter, experiment):
    """The settings of an experiment that come nearest to the printed cells, a table a learner."""
    records = with_settings(chapter.records[experiment])
    tried = set(declared(records, "learner"))
    learners = [m for m in chapter.printed_methods if m in tried]
    return show_nearest(records, chapter.printed, learners, chapter.names)


def first_places(chapter, records):
    """How often a method is first, and not shown worse than the first at 90%.

    Parameters
    ----------
    records : records of the sets that count

    Returns
    -------
    DataFrame, one row a method of the paper: printed (first as printed, of the original files),
    ours (first here), paired and corrected (not shown worse than the first by these t-tests),
    cells (number of them)
    """
    methods = chapter.printed_methods
    table = {m: {"printed": 0, "ours": 0, "paired": 0, "corrected": 0} for m in methods}
    number = 0
    for _, mine in records.groupby("dataset", sort=False):
        sizes = mine.n_train.mean(), mine.n_test.mean()
        for measure in chapter.measures:
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
    printed = chapter.printed[~chapter.printed.dataset.isin(chapter.excluded_datasets)]
    for m in printed.method[firsts(printed)]:
        table[m]["printed"] += 1
    return pd.DataFrame(table).T.assign(cells=number).rename_axis("method")


def first_as_printed(chapter):
    """How often MSLP has the best printed mean, as a `Share`."""
    printed = chapter.printed
    return Share.of(firsts(printed)[printed.method == "MSLP"])


def show_first_places(chapter):
    """First places under the two protocols; methods without a grid stand in both."""
    first = first_as_printed(chapter)
    share = f"{first} ({first.ratio:.1%})"
    yield f"As printed, MSLP is first in {share} of all cells, Natural Scene included."
    both = chapter.tables, chapter.best_on_test
    for protocol, records in zip(PROTOCOLS.values(), both, strict=True):
        places = first_places(chapter, chapter.counting(records))
        yield show(places_table(places), f"First places, {protocol}")


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


def show_kinds(chapter):
    """`agreement_by_kind` and `best_printed_and_mean`."""
    yield show(agreement_by_kind(chapter), "Cells that agree, by kind of data", missing="not run")
    caption = (
        "Best of the thirteen printed means / mean predictor on our copy "
        "(printed methods that are worse than it)"
    )
    yield show(best_printed_and_mean(chapter), caption, False)


def agreement_by_kind(chapter):
    """`Outcomes` of every printed row on each kind of data sets: a row a method."""
    table = {}
    for kind, datasets in KINDS.items():
        mine = chapter.compared[chapter.compared.dataset.isin(datasets)]
        table[kind] = {m: agreeing(mine[mine.method == m]) for m in chapter.printed_methods}
        table[kind]["all"] = agreeing(mine)
    return pd.DataFrame(table).rename_axis("method")


def best_printed_and_mean(chapter):
    """The best printed mean of each measure beside the mean predictor on our copy.

    Returns
    -------
    DataFrame, a row a data set, a column a measure: a text with both numbers, and how many of the
    printed methods the mean predictor beats
    """
    rows = []
    printed = chapter.printed[chapter.printed.null.notna()]
    for dataset, mine in printed.groupby("dataset", sort=False):
        row = {"data set": chapter.names[dataset]}
        for measure, cell in mine.groupby("measure", sort=False):
            up = DISTRIBUTION[measure].greater_is_better
            best = cell["mean"].max() if up else cell["mean"].min()
            null = cell.null.iloc[0]
            row[DISTRIBUTION[measure].label] = f"{best:.4f} / {null:.4f} ({_beaten(cell).sum()})"
        rows.append(row)
    return pd.DataFrame(rows)


def _beaten(printed):
    """Which printed cells the mean predictor on our copy beats."""
    up = printed.measure.map(lambda m: DISTRIBUTION[m].greater_is_better).to_numpy(bool)
    return (printed["mean"] < printed.null).where(up, printed["mean"] > printed.null)


def beaten_by_mean(chapter, dataset):
    """`Share` of measures by which the mean predictor here beats every printed method of a set."""
    printed = chapter.printed[chapter.printed.dataset == dataset]
    return Share.of(_beaten(printed).groupby(printed.measure).all())


def show_features(chapter):
    """The study "features" with names for readers: a row a data set."""
    table = chapter.study("features")["features"]
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
    found.insert(0, "data set", [chapter.names.get(d, d) for d in table.dataset])
    found = found.astype({"features": object})
    return show(found, "What the features can say", False, form="{:.1%}")


def show_forms_of_cca(chapter):
    """CCA with and without a first step: numbers that match by data set, and first places.

    The first places are those of CCA and of MSLP, with each form of CCA in CCA's place.
    """
    terms = chapter.terms
    cca = terms[(terms.method == "CCA") | (declared(terms, "learner") == "CCA")]
    printed = chapter.printed[chapter.printed.method == "CCA"]
    agree, first = {}, []
    for form, mine in cca.groupby("method", sort=False):
        ours = summary(mine.assign(method="CCA"), measures=chapter.measures)
        compared = cells(ours, printed).groupby("dataset", sort=False)
        agree[form] = {chapter.names[d]: agreeing(some) for d, some in compared}
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


def places_with_cca(chapter, records):
    """`first_places` with the records of a form of CCA in CCA's place."""
    others = chapter.tables[chapter.tables.method != "CCA"]
    both = pd.concat([others, records.assign(method="CCA")])
    return first_places(chapter, chapter.counting(both))


def show_kept_neighbours(chapter):
    """`kept_neighbours` of halves, and the trustworthiness with all rows fitted."""
    study, names = chapter.study("embedding")["trustworthiness"], chapter.names
    halves, every = (study[(study.rows == "all") == whole] for whole in (False, True))
    caption = "Trustworthiness of two-dimensional embeddings of halves: fitted rows / new rows"
    yield show(kept_neighbours(halves, names).T.rename_axis("method"), caption, form="{:.3f}")
    wide = every.pivot(index="method", columns="dataset", values="trustworthiness")
    wide = wide.loc[every.method.unique(), every.dataset.unique()].rename(columns=names)
    yield show(wide, "The same with all rows fitted", form="{:.3f}")


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


class Chosen(dict):
    """Share of the dimensions -> in how many folds it was chosen: "10% (7), 20% (3)"."""

    def __str__(self):
        return ", ".join(f"{u:.0%} ({folds})" for u, folds in self.items())


def with_u(best):
    """Records with the share of the dimensions that was chosen, u: NaN of methods without one."""
    u = [p.get("ratio", p.get("transformer__ratio")) for p in best.parameters]
    return best.assign(u=pd.Series(u, best.index, float))


def show_best_dimensions(chapter):
    """`best_dimensions` of the records chosen on the test folds."""
    caption = "The u with the lowest test K-L (in how many of the folds)"
    return show(best_dimensions(chapter.records["best_on_test"], chapter.names), caption)


def best_dimensions(best, names):
    """How often each u had the lowest test K-L, a row a method, a column a data set: `Chosen`."""
    best = with_u(best)
    table = {}
    for method in (*EMBEDDINGS, "MSLP"):
        mine = best[best.method == method]
        table[method] = {
            names[d]: Chosen(mine.u[mine.dataset == d].value_counts())
            for d in names
            if d in set(mine.dataset)
        }
    return pd.DataFrame(table).T.rename_axis("method")


def show_terms(chapter):
    """K-L with and without each term, a row a method, and cells in which a term is better."""
    records, names = chapter.terms, chapter.names
    kl = summary(records, measures=["kl_divergence"])
    kl["cell"] = [Spread(m, s) for m, s in zip(kl["mean"], kl["std"], strict=True)]
    wide = kl.pivot(index="method", columns="dataset", values="cell")
    wide = wide[[d for d in names if d in wide]].rename(columns=names)
    yield show(wide, "K-L with and without each term")
    variants = [m for learner in ("MSLP", "PCA") for m in methods_with(records, learner=learner)]
    pairs = [("MSLP", variant) for variant in variants]
    pairs += [(one_input, "CPNN") for one_input in methods_with(records, encoding="one_hot")]
    wins = tally(chapter.counting(records), pairs, chapter.measures)
    yield show(wins, "Cells; shown at 5% by the corrected (paired) t-test", False)


def show_permuted_row(chapter):
    """PT-SVM's printed row beside the first package's, with both orders of columns."""
    package, tables = chapter.records["first_package"], chapter.tables
    records = [
        package[declared(package, "learner") == "PT-SVM"],
        tables[tables.method == "MeanPredictor"],
        chapter.records["mean_as_drawn"],
    ]
    datasets = ("SBU_3DFE", "SJAFFE", *BEAUTY)
    return _show_beside_printed(chapter, "PT-SVM", pd.concat(records), datasets)


def show_uniform_row(chapter):
    """PT-Bayes' printed row beside the first package's and the uniform predictor."""
    package, tables = chapter.records["first_package"], chapter.tables
    records = [
        package[declared(package, "learner") == "PT-Bayes"],
        tables[tables.method == "UniformPredictor"],
        tables[tables.method == "MeanPredictor"],
    ]
    return _show_beside_printed(chapter, "PT-Bayes", pd.concat(records), ("SBU_3DFE", "SJAFFE"))


def _show_beside_printed(chapter, method, records, datasets):
    for dataset in datasets:
        caption = f"{chapter.names[dataset]}: the printed row of {method}, and ours"
        yield show(beside_printed(chapter, method, records, dataset), caption, form="{:.4f}")


def beside_printed(chapter, method, records, dataset):
    """A printed row beside several of ours on one data set, a column a measure.

    Parameters
    ----------
    method : the printed row
    records : of the methods that make a row each

    Returns
    -------
    DataFrame: numbers, the printed row first, ours in order of appearance
    """
    measures = list(chapter.measures)
    printed = chapter.printed
    printed = printed[(printed.method == method) & (printed.dataset == dataset)]
    rows = {f"{method}, printed": printed.set_index("measure")["mean"]}
    for name, ours in records.groupby("method", sort=False):
        rows[name] = ours[ours.dataset == dataset][measures].mean()
    labels = {m: DISTRIBUTION[m].label for m in measures}
    return pd.DataFrame(rows).T[measures].rename_axis("row").rename(columns=labels)
