"""Tables of the chapter on MSLP: two protocols, first places, what each term adds."""

import pandas as pd

from ldlrepro import stats
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.papers.mslp.experiments import TABLE_OF
from ldlrepro.report.compare import firsts, tally
from ldlrepro.report.settings import declared, show_nearest, with_settings
from ldlrepro.report.tables import agreeing, agreement, cells, show, show_each_data_set, summary
from ldlrepro.report.values import Beside, Share, Spread
from ldlrepro.report.yardstick import confusion

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
#: Names of methods in records, and what tables show in their place.
_PLAIN = {"columns as drawn": "columns permuted", "columns as labels": "columns in order"}


def methods_with(records, **settings):
    """Names of the methods that declare these settings, in order of appearance."""
    holds = [settings.items() <= s.items() for s in records.settings]
    return list(records.method[holds].unique())


def show_agreement(chapter):
    """Printed numbers that ours match, a row a method; by kind of data; and the mean predictor."""
    table = agreement(chapter.compared, chapter.names, chapter.excluded_datasets)
    table = table.T.rename_axis("method")
    yield show(table, chapter.agreement_caption(), missing="not run", folded=False)
    caption = "Informative numbers that ours match, by kind of data"
    yield show(agreement_by_kind(chapter), caption, missing="not run")
    caption = (
        "Best of the thirteen printed means / mean predictor on our copy "
        "(printed methods that are worse than it)"
    )
    yield show(best_printed_and_mean(chapter), caption, False)


def show_tables_1_to_3(chapter):
    """Tables 1-3 under both protocols."""
    for experiment, protocol in PROTOCOLS.items():
        how = protocol.removeprefix("chosen ")
        captions = {d: f"Table {n}. {chapter.names[d]}, {how}" for d, n in TABLE_OF.items()}
        ours = summary(chapter.records[experiment], measures=chapter.measures)
        yield from show_each_data_set(
            ours, chapter.printed, captions, chapter.measures, chapter.order
        )


def show_two_protocols(chapter):
    """`two_protocols` on the data sets that count."""
    best = summary(chapter.records["best_on_test"], measures=chapter.measures)
    inside, best = (
        compared[~compared.dataset.isin(chapter.excluded_datasets)]
        for compared in (chapter.compared, cells(best, chapter.printed))
    )
    table = two_protocols(inside, best, chapter.printed_methods)
    return show(table, "Two protocols against the printed numbers", False, form="{:+.1%}")


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


def show_nearest_settings(chapter):
    """The tried settings that come nearest to the printed numbers, a table a learner.

    First those of our classes, then those of the first package.
    """
    for experiment, of in (("settings", ""), ("first_package", ", first package")):
        records = with_settings(in_plain_words(chapter.records[experiment]))
        tried = set(declared(records, "learner"))
        learners = [m for m in chapter.printed_methods if m in tried]
        caption = f"{{}}{of}: the setting nearest to the printed numbers"
        yield from show_nearest(records, chapter.printed, learners, chapter.names, caption)


def in_plain_words(records):
    """Records whose methods have the names that tables show."""
    return records.assign(method=records.method.replace(_PLAIN, regex=True))


def first_places(chapter, records):
    """How often a method is first, and not significantly worse than the first at the 10% level.

    Parameters
    ----------
    records : records of the sets that count

    Returns
    -------
    DataFrame, one row a method of the paper: printed (first as printed, of the original files),
    ours (first here), paired and corrected (not significantly worse than the first by these
    t-tests), cells (number of comparisons)
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
    """First places under the two protocols; what the protocols explain; other forms of CCA.

    Methods without a grid stand in both protocols.
    """
    first = first_as_printed(chapter)
    share = f"{first} ({first.ratio:.1%})"
    yield f"In print MSLP is first in {share} of all comparisons, Natural Scene included."
    both = chapter.tables, chapter.best_on_test
    for protocol, records in zip(PROTOCOLS.values(), both, strict=True):
        places = first_places(chapter, chapter.counting(records))
        yield show(places_table(places), f"First places, {protocol}")
    yield show_two_protocols(chapter)
    yield from show_forms_of_cca(chapter)


def places_table(places):
    """`first_places` with heads that say what is counted, and of how many comparisons."""
    of = f"of {places.cells.max()}"
    heads = {
        "printed": f"first in print, {of}",
        "ours": f"first here, {of}",
        "paired": "not significantly worse than the first, paired t-test",
        "corrected": "the same, corrected t-test",
    }
    return places.drop(columns="cells").rename(columns=heads)


def show_who_matches(chapter):
    """`who_matches` of the methods that match at least half of MSLP's numbers on expressions."""
    table = who_matches(chapter)
    expressions = next(iter(KINDS))
    share = table[expressions].map(lambda found: found.ratio)
    best = share[share >= 0.5].sort_values(ascending=False, kind="stable").index
    caption = (
        "MSLP's informative numbers that our methods match (informative: by each method's own "
        "deviation); in brackets the uninformative ones, and how many of these ours miss"
    )
    return show(table.loc[best], caption)


def agreement_by_kind(chapter):
    """`Outcomes` of every printed row on each kind of data sets: a row a method."""
    table = {}
    for kind, datasets in KINDS.items():
        mine = chapter.compared[chapter.compared.dataset.isin(datasets)]
        table[kind] = {m: agreeing(mine[mine.method == m]) for m in chapter.printed_methods}
        table[kind]["all"] = agreeing(mine)
    return pd.DataFrame(table).rename_axis("method")


def who_matches(chapter):
    """How many of MSLP's printed numbers each method of ours matches, by kind of data.

    Returns
    -------
    DataFrame of `Outcomes`, a row a method of ours, a column a kind of data
    """
    own = chapter.printed[chapter.printed.method == "MSLP"]
    columns = {}
    for kind, datasets in KINDS.items():
        printed = own[own.dataset.isin(datasets)]
        found = confusion(chapter.tables, printed, chapter.order)
        columns[kind] = found.loc["MSLP"] if "MSLP" in found.index else None
    return pd.DataFrame(columns, index=chapter.order).dropna(how="all").rename_axis("ours")


def best_printed_and_mean(chapter):
    """The best printed mean of each measure beside the mean predictor on our copy.

    Returns
    -------
    DataFrame, a row a measure, a column a data set: a text with both numbers, and how many of the
    printed methods the mean predictor beats
    """
    printed = chapter.printed[chapter.printed.null.notna()]
    columns = {"measure": [DISTRIBUTION[m].label for m in printed.measure.unique()]}
    for dataset, mine in printed.groupby("dataset", sort=False):
        column = columns[chapter.names[dataset]] = []
        for measure, row in mine.groupby("measure", sort=False):
            up = DISTRIBUTION[measure].greater_is_better
            best = row["mean"].max() if up else row["mean"].min()
            null = row.null.iloc[0]
            column.append(f"{best:.3f} / {null:.3f} ({_beaten(row).sum()})")
    return pd.DataFrame(columns)


def _beaten(printed):
    """Which printed numbers the mean predictor on our copy beats."""
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
        "first": "one direction",
        "ten": "ten directions",
        "ridge": "ridge regression",
        "neighbours": "20 neighbours",
        "whitened": "20 neighbours, whitened",
        "forest": "forest",
    }
    found = table.rename(columns=columns)[list(columns.values())]
    found.insert(0, "data set", [chapter.names.get(d, d) for d in table.dataset])
    found = found.astype({"features": object})
    caption = (
        "Variance of the features in one and ten directions; variance of the degrees explained "
        "(below zero: worse than their mean)"
    )
    return show(found, caption, False, form="{:.1%}")


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
    caption = "Informative numbers of CCA's printed row that ours match"
    yield show(pd.DataFrame(agree).T.rename_axis("in CCA's place"), caption)
    yield show(pd.DataFrame(first), "First places, chosen inside the fold", False)


def places_with_cca(chapter, records):
    """`first_places` with the records of a form of CCA in CCA's place."""
    others = chapter.tables[chapter.tables.method != "CCA"]
    both = pd.concat([others, records.assign(method="CCA")])
    return first_places(chapter, chapter.counting(both))


def show_kept_neighbours(chapter):
    """`kept_neighbours` of halves, toys before real data; and with all rows fitted."""
    study, names = chapter.study("embedding")["trustworthiness"], chapter.names
    halves, every = (study[(study.rows == "all") == whole] for whole in (False, True))
    caption = "Trustworthiness in two dimensions, {}: fitted rows / new rows"
    table = kept_neighbours(halves, names).T.rename_axis("method")
    toys = [head for head in table if head.endswith(" (synthetic)")]
    for what, heads in (("toys", toys), ("real data", [h for h in table if h not in toys])):
        for some in (heads[i : i + 2] for i in range(0, len(heads), 2)):
            yield show(table[some], caption.format(what), form="{:.3f}", folded=True)
    wide = every.pivot(index="method", columns="dataset", values="trustworthiness")
    wide = wide.loc[every.method.unique(), every.dataset.unique()].rename(columns=names)
    yield show(wide, "Trustworthiness in two dimensions, all rows fitted", form="{:.3f}")


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


def kept_faces(chapter):
    """Mean trustworthiness on s-JAFFE: a row a method, columns all, fitted and new."""
    study = chapter.study("embedding")["trustworthiness"]
    faces = study[study.dataset == "SJAFFE"]
    wide = faces.pivot_table(index="method", columns="rows", values="trustworthiness", sort=False)
    return wide[["all", "fitted", "new"]]


def with_u(best):
    """Records with the share of the dimensions that was chosen, u: NaN of methods without one."""
    u = [p.get("ratio", p.get("transformer__ratio")) for p in best.parameters]
    return best.assign(u=pd.Series(u, best.index, float))


def show_best_dimensions(chapter):
    """`best_dimensions` of the records chosen on the test folds."""
    table = best_dimensions(chapter.records["best_on_test"], chapter.names)
    return show(table, "In how many folds each u had the lowest test K-L", False)


def best_dimensions(best, names):
    """In how many folds each u had the lowest test K-L: a row a data set and method."""
    best = with_u(best)
    best = best[best.method.isin([*EMBEDDINGS, "MSLP"])]
    values = sorted(best.u.unique())
    rows = []
    for dataset in (d for d in names if d in set(best.dataset)):
        for method in (*EMBEDDINGS, "MSLP"):
            mine = best.u[(best.dataset == dataset) & (best.method == method)]
            if len(mine):
                counts = {f"{u:.0%}": int((mine == u).sum()) for u in values}
                rows.append({"data set": names[dataset], "method": method} | counts)
    return pd.DataFrame(rows)


def show_terms(chapter):
    """K-L with and without each term, a row a method, and comparisons in which a term is better."""
    records, names = chapter.terms, chapter.names
    kl = summary(records, measures=["kl_divergence"])
    kl["both"] = [Spread(m, s) for m, s in zip(kl["mean"], kl["std"], strict=True)]
    wide = kl.pivot(index="method", columns="dataset", values="both")
    wide = wide[[d for d in names if d in wide]].rename(columns=names)
    fine = kl.groupby("dataset")["std"].median() < 0.01
    forms = {names[d]: "{:.4f}" if fine[d] else "{:.3f}" for d in fine.index}
    yield show(wide, "K-L with and without each term", form=forms)
    variants = [m for learner in ("MSLP", "PCA") for m in methods_with(records, learner=learner)]
    pairs = [("MSLP", variant) for variant in variants]
    pairs += [(one_input, "CPNN") for one_input in methods_with(records, encoding="one_hot")]
    found = duel_table(tally(chapter.counting(records), pairs, chapter.measures, LEVEL_OF_PAPER))
    caption = (
        f"All six measures; significant at {LEVEL_OF_PAPER:.0%} by the corrected (paired) t-test; "
        "Holm / BH: what is left of the corrected ones in view of all tests of a row"
    )
    yield show(found, caption, False, folded=False)


def duel_table(tallied):
    """Results of `tally` with the two names in one column."""
    if tallied.empty:
        return tallied
    sides = zip(tallied["first"], tallied["second"], strict=True)
    better = zip(tallied["first better"], tallied["comparisons"], strict=True)
    table = {
        "first / second": [f"{a} / {b.removeprefix(f'{a}, ')}" for a, b in sides],
        "first better": [str(Share(*both)) for both in better],
        "first better, significant": tallied["first better, significant"],
        "of these, Holm / BH": tallied["first better, Holm / BH"],
        "second better, significant": tallied["second better, significant"],
        "of those, Holm / BH": tallied["second better, Holm / BH"],
        "cannot be tested": tallied["cannot be tested"],
    }
    return pd.DataFrame(table)


def show_permuted_row(chapter):
    """PT-SVM's printed row beside the first package's, with both orders of columns."""
    package, tables = chapter.records["first_package"], chapter.tables
    records = [
        package[declared(package, "learner") == "PT-SVM"],
        tables[tables.method == "MeanPredictor"],
        chapter.records["mean_as_drawn"],
    ]
    datasets = ("SBU_3DFE", "SJAFFE", *BEAUTY)
    return _show_beside_printed(chapter, "PT-SVM", in_plain_words(pd.concat(records)), datasets)


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
        table = beside_printed(chapter, method, records, dataset)
        yield show(table, caption, form="{:.4f}", folded=False)


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
