"""Deep models on photographs beside shallow ones on their features: tables and figures."""

from itertools import chain

import pandas as pd

from ldlrepro import published, stats
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.ldlf import figures
from ldlrepro.protocols import rounding
from ldlrepro.report.chapter import read
from ldlrepro.report.claims import NOT_RUN, VERDICTS, share_claim, verdict
from ldlrepro.report.compare import firsts, p_value, pairs_of, wins
from ldlrepro.report.plots import legend_below, panels, plt
from ldlrepro.report.values import Spread, p_text

DEEP = ["DLDL", "dLDLF", "dNDF-LDL"]
#: Shallow methods that learn something.
RIVALS = ["AA-kNN", "SA-IIS", "SA-BFGS", "CPNN", "LDSVR", "StructRF"]
RIVALS += ["LDLogitBoost", "AOSO-LDLogitBoost", "sLDLF", "sNDF-LDL"]
LABELS = {"realigned": "re-aligned", "rankings": "from rankings"}
FIGURE_4 = "images_figure_4"
SHOWN = ("kl_divergence", "chebyshev", "clark", "cosine", "intersection")


def image_records(paper):
    """Records of all tables: data set says the kind of labels; folds of a further seed go on.

    A seed counts for a kind of labels when all its fits are there, on photographs and on features.
    """
    tables = {}
    for experiment in paper.experiments:
        if experiment.test_share is None:
            here = LABELS[experiment.images["labels"]], experiment.seed
            tables.setdefault(here, []).append(experiment)
    parts = [
        records.assign(dataset=kind, fold=records.fold + experiment.folds * seed, division=seed + 1)
        for (kind, seed), both in tables.items()
        for experiment, records in _whole(paper, both)
    ]
    return pd.concat(parts, ignore_index=True)


def share_records(paper):
    """Records on re-aligned labels by the share of the rows that train, "10%" ..., as data set.

    A share counts when all its fits are there, on photographs and on features.
    """
    shares = {}
    for experiment in paper.experiments:
        if "_share_" in experiment.name:
            share = f"{100 * (1 - experiment.test_share):.0f}%"
            shares.setdefault(share, []).append(experiment)
    parts = [
        records.assign(dataset=share)
        for share, both in shares.items()
        for _, records in _whole(paper, both)
    ]
    nothing = pd.DataFrame(columns=["dataset", "method", "fold", "kl_divergence"])
    return pd.concat(parts, ignore_index=True) if parts else nothing


def _whole(paper, experiments):
    """Pairs (experiment, records), or none where a fit of any of them is not there."""
    pairs = [(e, read(paper, e.name, "paper", list(e.datasets))) for e in experiments]
    whole = all(len(records) >= len(e.methods) * e.folds for e, records in pairs)
    return pairs if whole else []


def by_share(records):
    """Mean K-L over the hold-outs of each share, from `share_records`: the form of Table 3."""
    mean = records.groupby(["method", "dataset"]).kl_divergence.mean().unstack("dataset")
    mean = mean.rename_axis(columns="rows that train")
    return mean.sort_values(mean.columns[-1]) if len(mean.columns) else mean


def kinds(records):
    """Kinds of labels that there are records of."""
    return [kind for kind, name in LABELS.items() if name in set(records.dataset)]


def beside(records, kind):
    """Methods on one kind of labels, best K-L first: means and deviations over the folds."""
    mine = records[records.dataset == LABELS[kind]].groupby("method")
    mean, std = (getattr(mine[list(SHOWN)], f)() for f in ("mean", "std"))
    mean = mean.sort_values("kl_divergence")
    table = pd.DataFrame({"method": mean.index})
    table["from"] = ["pictures" if m in DEEP else "features" for m in mean.index]
    for measure in SHOWN:
        arrow = "↑" if MEASURES[measure].greater_is_better else "↓"
        table[f"{MEASURES[measure].label} {arrow}"] = [
            Spread(mean.at[m, measure], std.at[m, measure]) for m in mean.index
        ]
    table["folds"] = mine.fold.nunique()[mean.index].to_numpy()
    table["min. a fit"] = (mine.fit_seconds.median()[mean.index] / 60).to_numpy()
    return table


def against(records, kind):
    """K-L of each deep method less that of every other, and p of the corrected test.

    A negative difference: the deep method is better.
    """
    mine = records[records.dataset == LABELS[kind]]
    rows = []
    for rival in (m for m in (*DEEP, *RIVALS) if m in set(mine.method)):
        row = {"less that of": rival}
        for deep in DEEP:
            pair = next(pairs_of(mine, deep, rival, "kl_divergence"), None)
            if deep == rival or pair is None:
                row[deep] = None
            else:
                row[deep] = f"{pair.difference:+.3f} (p {p_text(p_value(pair))})"
        rows.append(row)
    return pd.DataFrame(rows, columns=["less that of", *DEEP])


def by_division(records):
    """Mean K-L of the deep methods by labels and division into folds, from `image_records`."""
    deep = records[records.method.isin(DEEP)].rename(columns={"dataset": "labels"})
    mean = deep.groupby(["labels", "division", "method"]).kl_divergence.mean().unstack()[DEEP]
    return mean.reindex(LABELS.values(), level="labels")  # in the order of the other tables


def moved(records):
    """How far a fold of a deep method moves by rounding and by another start, on re-aligned labels.

    Shares of the measure, the larger of the folds that were run: other kernels of torch, another
    seed; beside them the deviation over all folds as such a share.
    """
    table = rounding.spreads()
    table = table[(table.paper == "images") & table.measure.isin(SHOWN)]
    mine = records[records.dataset == LABELS["realigned"]].groupby("method")
    over = mine[list(SHOWN)].std() / mine[list(SHOWN)].mean().abs()
    return pd.DataFrame(
        {
            "method": one.method,
            "measure": MEASURES[one.measure].label,
            "other kernels": one.kernels,
            "another seed": one.seed,
            "over the folds": over.at[one.method, one.measure],
        }
        for measure in SHOWN
        for one in table[table.measure == measure].itertuples()
        if one.method in over.index
    )


def curves(study):
    """Loss of the mini-batches, and K-L of the rows held out inside the fit, by epoch."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    for axis, column, label in (
        (axes[0], "loss", "cross-entropy of the mini-batches"),
        (axes[1], "kl", "K-L of the held-out rows"),
    ):
        for method, line in study.groupby("method", sort=False):
            axis.plot(line.epoch, line[column], label=method)
        axis.set(xlabel="epoch", ylabel=label)
    axes[0].legend()
    figure.tight_layout()
    return figure


def predictions(study):
    """True and predicted distributions of some test images, a panel an image."""
    images = list(dict.fromkeys(study.image))
    figure, axes = panels(len(images), 4, 9.5, 2.3, 0.6, sharey=True)
    for axis, image in zip(axes.flat, images, strict=False):
        mine = study[study.image == image]
        for of, marker in zip(dict.fromkeys(study.of), ["", "o", "^", "s"], strict=True):
            line = mine[mine.of == of]
            if of == "truth":
                axis.bar(line.label, line.degree, color="0.8", label=of)
            else:
                axis.plot(line.label, line.degree, marker, markersize=4, label=of)
        axis.set_title(f"{image + 1}.jpg", fontsize=9)
        axis.tick_params(axis="x", rotation=60, labelsize=7)
    for axis in axes[:, 0]:
        axis.set_ylabel("degree")
    legend_below(figure, axes[0, 0], 0.06)
    return figure


def epochs(study):
    """Processor seconds of one epoch, and their ratio to the softmax head's."""
    seconds = study.groupby("method", sort=False).seconds.median()
    return pd.DataFrame({"seconds": seconds, "to DLDL": seconds / seconds["DLDL"]})


def grid_of_figure_4(paper):
    """Records of Figure 4 on these photographs (see `figures.grid_of_figure_4`).

    A panel counts when all its fits are there.
    """
    experiment = paper.experiment(FIGURE_4)
    grid = figures.grid_of_figure_4(read(paper, FIGURE_4, "paper", list(experiment.datasets)))
    whole = pd.Series(False, index=grid.index)
    for panel in ("trees", "depth"):
        points = sum(panel in method.settings for method in experiment.methods)
        mine = grid[panel].notna()
        whole |= mine & (mine.sum() == points * experiment.folds)
    return grid[whole]


def figure_4(grid):
    """K-L against trees and depth, or a line that says: not run."""
    return figures.figure_4(grid, f"Not run: ldlrepro run images --experiment {FIGURE_4}")


def claims(records, grid, shares):
    """What the paper says of deep models on faces, and what came out here, on other data.

    Parameters
    ----------
    records : of `image_records`; grid : of `grid_of_figure_4`; shares : of `share_records`
    """
    shallow = [(deep, rival) for deep in DEEP[:2] for rival in ("SA-IIS", "CPNN", "SA-BFGS")]
    others = [("dLDLF", rival) for rival in (*DEEP, *RIVALS) if rival != "dLDLF"]
    evidence = {
        "dldlf-best-on-morph": _first(records, others),
        "dldlf-beats-dldl": _better(records, [("dLDLF", "DLDL")]),
        "deep-beats-shallow": _better(records, shallow),
    }
    evidence["dldlf-every-ratio"] = _at_every_share(shares)
    evidence |= {key: (verdict(share), text) for key, (share, text) in _curves(grid)}
    listed = published.claims("ldlf").set_index("id")
    rows = [
        (
            listed.at[name, "claim"],
            listed.at[name, "section"],
            word if word == VERDICTS[-1] else f"tested on other data: {word}",
            text,
        )
        for name, (word, text) in evidence.items()
    ]
    return pd.DataFrame(rows, columns=["the paper says", "section", "verdict", "evidence"])


def _first(records, others):
    """Whether dLDLF has the best mean by each measure, on each kind of labels."""
    means = records.groupby(["dataset", "method"])[list(SHOWN)].mean().reset_index()
    means = means.melt(["dataset", "method"], var_name="measure", value_name="mean")
    first = means[firsts(means)]
    by = first.groupby(["dataset", "measure"]).method.agg(set)
    share, text = share_claim(["dLDLF" in some for some in by], "first in", " columns")
    ahead = wins(records, others, SHOWN)
    return verdict(share), f"{text}; beside each other method: {ahead}"


def _at_every_share(shares):
    """Whether dLDLF has the lowest mean K-L whatever the share of the rows that train."""
    if shares.empty:
        return VERDICTS[-1], "no records"
    means = shares.groupby(["dataset", "method"]).kl_divergence.mean()
    first = means.groupby(level="dataset").idxmin().map(lambda pair: pair[1])
    share, text = share_claim(first == "dLDLF", "lowest mean K-L at", " shares")
    said = ", ".join(f"{method} at {at}" for at, method in first.items())
    others = [("dLDLF", m) for m in (*DEEP, *RIVALS) if m != "dLDLF"]
    ahead = wins(shares, others, ["kl_divergence"])
    return verdict(share), f"{text} ({said}); beside each other method: {ahead}"


def _better(records, pairs):
    """Whether the first of each pair is shown better: there are too few cells to count means."""
    found = wins(records, pairs, SHOWN)
    if not found.cells:
        return VERDICTS[-1], "no records"
    if not found.shown.plain + found.worse.plain:
        return "no significant difference", f"{found}; {_could_be_shown(records, pairs)}"
    word = verdict(found.shown.plain / found.cells)
    return word, str(found)


def _could_be_shown(records, pairs):
    """The lead in K-L that the folds would show four times in five."""
    leads = []
    for pair in chain.from_iterable(pairs_of(records, *p, "kl_divergence") for p in pairs):
        n_train, n_test = pair.sizes
        deviation = (pair.first - pair.second).std(ddof=1)
        lead = deviation * stats.smallest_shown(len(pair.first), n_test / n_train)
        leads.append(f"{lead:.3f} (labels {pair.dataset})")
    return f"four times in five, a lead in K-L would be shown of {', '.join(leads)}"


def _curves(grid):
    """The claims on Figure 4: means over the hold-outs, one step along each curve a cell."""
    goes = []
    for strategy, sign in (("dLDLF", -1), ("dNDF-LDL", 1)):
        mean = grid[grid.strategy == strategy].groupby("trees").kl_divergence.mean()
        goes += list(sign * mean.diff().dropna() > 0)
    depth = grid.groupby("depth").kl_divergence.mean()
    if depth.empty:
        turns = NOT_RUN
    else:
        best = depth.idxmin()
        deepest = depth.index.max()
        inside = depth.index.min() < best < deepest
        by = grid.pivot_table("kl_divergence", "fold", "depth")
        rise = by[deepest] - by[best]
        turns = (
            float(inside),
            f"lowest K-L at depth {best:.0f}, of {', '.join(f'{h:.0f}' for h in depth.index)}; "
            f"at the deepest {rise.mean():.4f} more, ± {rise.std():.4f} over the hold-outs",
        )
    yield "trees-on-morph", share_claim(goes, "steps that go as said:")
    yield "depth-on-morph", turns
