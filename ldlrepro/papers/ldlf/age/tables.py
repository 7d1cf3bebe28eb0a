"""Ages from features: FG-Net with persons apart and not, and the printed tables of MORPH."""

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.metrics import MEASURES
from ldlrepro.report.chapter import read
from ldlrepro.report.plots import legend_below, nothing, plt
from ldlrepro.report.values import p_text
from ldlrepro.stats import corrected_t, holm

ARGMAX, EXPECTATION, FIVE = "mae_argmax", "mae_expectation", "cs_5"
YEARS = range(11)
#: Width of the labels in the file of FG-Net, in years.
OF_THE_FILE = 3.0
#: Names in other papers of methods that were run here.
OURS = {"IIS-LLD": "SA-IIS", "LARR": "LARR"}
#: Names in tables of methods that are not those of their papers in full.
READINGS = {"D2LDL": "D2LDL (our reading)", "AAS": "AAS (k-means and ridge)"}


def age_records(paper):
    """Records on FG-Net: {"age_persons", "age_rows", "age_shares"} -> DataFrame."""
    names = ("age_persons", "age_rows", "age_shares")
    found = {name: read(paper, name, "paper", ["FG-Net"]) for name in names}
    return {name: mine.replace({"method": READINGS}) for name, mine in found.items()}


def pooled(records, measures, by=("method",)):
    """Mean over all tested rows, whichever fold they are in: one row for each of ``by``."""
    by = list(by)
    weighted = records[list(measures)].mul(records.n_test, axis=0)
    sums = pd.concat([records[[*by, "n_test"]], weighted], axis=1).groupby(by, sort=False).sum()
    return sums[list(measures)].div(sums.n_test, axis=0)


def over_persons(records):
    """One person left out: a row a method, best first; means over faces.

    The deviations are between persons, so each has a column of its own.
    """
    mean = pooled(records, (ARGMAX, EXPECTATION, FIVE, "kl_divergence")).sort_values(ARGMAX)
    spread = records.groupby("method")[[ARGMAX, EXPECTATION]].std()
    table = pd.DataFrame(index=mean.index)
    for measure in (ARGMAX, EXPECTATION):
        table[MEASURES[measure].label] = mean[measure]
    table[MEASURES[FIVE].label] = mean[FIVE]
    table["K-L"] = mean.kl_divergence
    for measure, way in ((ARGMAX, "arg-max"), (EXPECTATION, "expectation")):
        table[f"between persons, {way}"] = spread[measure]
    table["persons"] = records.groupby("method").fold.nunique()
    return table


def apart_and_not(persons, rows):
    """MAE by arg-max with persons apart, with rows at random, and what the second leaves out."""
    apart, mixed = (pooled(r, (ARGMAX, EXPECTATION)) for r in (persons, rows))
    table = pd.DataFrame({"persons apart": apart[ARGMAX], "rows at random": mixed[ARGMAX]})
    table["difference"] = table["persons apart"] - table["rows at random"]
    table["difference, expectation"] = apart[EXPECTATION] - mixed[EXPECTATION]
    return table.dropna().sort_values("persons apart").rename_axis("method")


def by_share(records, test_shares, measure=ARGMAX):
    """MAE for each share of the persons that train, in percent: the form of Table 3.

    test_shares : the tested shares, which the hold-outs take in turn
    """
    tested = records.fold.map(lambda fold: test_shares[fold % len(test_shares)])
    share = (100 * (1 - tested)).round().astype(int)
    mean = pooled(records.assign(share=share), (measure,), ("method", "share"))[measure]
    table = mean.unstack("share").sort_index(axis=1)
    return table.sort_values(table.columns[-1])


def printed_shares():
    """Table 3 as printed, with what is said of ours: MORPH was not run."""
    rows = published.load("ldlf")
    rows = rows[rows.table == 3].assign(share=lambda r: r.dataset.str[-2:] + "%")
    wide = rows.pivot(index="method", columns="share", values="mean_printed")
    wide = wide.loc[rows.method.unique()]
    return wide.assign(ours="MORPH: not run").rename_axis(columns=None)


def printed_morph():
    """Table 2 as printed, with what is said of ours: MORPH was not run."""
    rows = published.load("ldlf")
    rows = rows[rows.table == 2]
    printed = rows.mean_printed + "±" + rows.std_printed
    return pd.DataFrame(
        {"method": rows.method, "MAE, printed": printed, "ours": "MORPH: not run"}
    ).set_index("method")


def known_figures(persons):
    """Figures of other papers on FG-Net beside ours, where the method was run here.

    "ours is" names that method as it is called here.
    """
    rows = published.load("fgnet").set_index("method")
    own = pooled(persons, (ARGMAX,))[ARGMAX]
    table = pd.DataFrame({"MAE, printed": rows.mean_printed})
    table["ours is"] = [OURS.get(method, "") for method in rows.index]
    table["ours"] = [own.get(OURS.get(method)) for method in rows.index]
    table["difference"] = table.ours - rows["mean"]
    table["paper, protocol, list"] = rows.note
    return table


def score_curves(records, methods=None):
    """Cumulative scores: the share of rows within 0 ... 10 years, a curve a method."""
    if records.empty:
        return nothing("No records of this experiment.")
    scores = pooled(records, [f"cs_{k}" for k in YEARS]).sort_values(FIVE, ascending=False)
    scores = scores if methods is None else scores.loc[[m for m in scores.index if m in methods]]
    figure, axis = plt.subplots(figsize=(7, 4.6))
    styles = _styles(scores.index)
    for method, line in scores.iterrows():
        axis.plot(YEARS, line, label=method, **styles[method])
    axis.set(xlabel="years", ylabel="share of rows within", ylim=(0, 1))
    axis.set_title("FG-Net, one person left out, age by arg-max")
    legend_below(figure, axis, 0.22, columns=4)
    return figure


def _styles(methods):
    """Colour, dash and mark of each line: no two alike, and the same for the same methods."""
    colours = len(plt.rcParams["axes.prop_cycle"])
    marks = "os^Dvx+"
    return {
        method: {
            "color": f"C{i % colours}",
            "linestyle": ("-", "--", ":")[i // colours % 3],
            "marker": marks[(i + 3 * (i // colours)) % len(marks)],
            "markersize": 4,
        }
        for i, method in enumerate(sorted(methods))
    }


def share_curves(table):
    """MAE against the share of persons that train (form of Figure 3), from `by_share`."""
    figure, axis = plt.subplots(figsize=(7, 4.6))
    styles = _styles(table.index)
    for method, line in table.iterrows():
        axis.plot(line.index, line, label=method, **styles[method])
    axis.set(xlabel="% of persons that train", ylabel="MAE in years, arg-max")
    legend_below(figure, axis, 0.22, columns=4)
    return figure


def figure_1a(bunch, row=0):
    """Figure 1(a): the label distribution of a face, one mode at its age."""
    figure, axis = plt.subplots(figsize=(5, 2.8))
    axis.bar(range(bunch.D.shape[1]), bunch.D[row])
    axis.set(xlabel="age", ylabel="description degree")
    axis.set_title(f"{bunch.display}, row {row}: age {int(np.argmax(bunch.D[row]))}", fontsize=9)
    figure.tight_layout()
    return figure


def best(persons):
    """The best method by each of the two ways to an age: mean over faces."""
    mean = pooled(persons, (ARGMAX, EXPECTATION))
    rows = []
    for measure in (ARGMAX, EXPECTATION):
        method = mean[measure].idxmin()
        rows.append((MEASURES[measure].label, method, mean.at[method, measure]))
    return pd.DataFrame(rows, columns=["measure", "best method", "mean"])


def against_first(persons, measure=ARGMAX):
    """The method of the lowest error beside every other one; a person is one value.

    Returns
    -------
    DataFrame with a row a rival: how much lower the mean over persons of the first is, the
    deviation of that between persons, the number of persons on whom it is lower, and p of the
    corrected paired test, alone and by Holm's steps
    """
    first = pooled(persons, (measure,))[measure].idxmin()
    wide = persons.pivot(index="fold", columns="method", values=measure)
    sizes = persons[["n_train", "n_test"]].mean()
    rows = []
    for rival in wide.columns.drop(first):
        lower = (wide[rival] - wide[first]).dropna()
        p = corrected_t(lower, np.zeros(len(lower)), *sizes)
        on = f"{(lower > 0).sum()} of {len(lower)}"
        rows.append((rival, lower.mean(), lower.std(), on, p))
    columns = [f"{first} lower by", "deviation", "on persons", "p"]
    table = pd.DataFrame(rows, columns=["method", *columns]).set_index("method")
    table = table.assign(Holm=holm(table.p)).sort_values(columns[0])
    return table.assign(p=table.p.map(p_text), Holm=table.Holm.map(p_text))


def by_width(study):
    """MAE by the width of the labels that a model learns from, from the study "age_widths".

    Returns
    -------
    DataFrame with a row a width, and one of the width that had the lowest error on held-out persons
    in each fold (the first of equals), with how often which was taken; means over faces. p is of
    the corrected paired test by arg-max, person by person, beside the width of the file
    """
    if study.empty:
        return pd.DataFrame()
    best = study.loc[study.groupby(["method", "fold"]).validation.idxmin()]
    taken = best.groupby("method").width.value_counts().sort_index()
    rows = {f"{width:g}": group for width, group in study.groupby("width")}
    table = {}
    for name, group in {**rows, "chosen": best}.items():
        mean = pooled(group, ("argmax", "expectation")).sort_index()
        for method, errors in mean.iterrows():
            row = table.setdefault(name, {})
            row[f"{method}, arg-max"], row[f"{method}, expectation"] = errors
    table = pd.DataFrame(table).T.rename_axis("width in years")
    for method in study.method.unique():
        counts = taken.get(method, pd.Series(dtype=int))
        table[f"{method} takes it"] = [
            str(counts.get(float(w), 0)) if w != "chosen" else "" for w in table.index
        ]
        errors = {w: g[g.method == method].set_index("fold").argmax for w, g in rows.items()}
        errors["chosen"] = best[best.method == method].set_index("fold").argmax
        faces = study[(study.method == method) & (study.width == OF_THE_FILE)].n_test
        sizes = faces.sum() - faces.mean(), faces.mean()
        given = errors[f"{OF_THE_FILE:g}"]
        table[f"{method}, p"] = [
            "" if w == f"{OF_THE_FILE:g}" else p_text(corrected_t(errors[w], given, *sizes))
            for w in table.index
        ]
    return table
