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
from ldlrepro.report.values import Share, Spread, in_text, p_text

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
    table["s a fit"] = mine.fit_seconds.median()[mean.index].to_numpy()
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
    """Processor seconds of one epoch: median, its ratio to the softmax head's, least and most."""
    seconds = study.groupby("method", sort=False).seconds
    median = seconds.median()
    columns = {"seconds, median": median, "to DLDL": median / median["DLDL"]}
    return pd.DataFrame(columns | {"least": seconds.min(), "most": seconds.max()})


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

    Verdicts go by the rule of all chapters, over what the column "counted" names.

    Parameters
    ----------
    records : of `image_records`; grid : of `grid_of_figure_4`; shares : of `share_records`
    """
    shallow = [(deep, rival) for deep in DEEP[:2] for rival in ("SA-IIS", "CPNN", "SA-BFGS")]
    share, text = _better(records, shallow)
    abler = wins(records, [pair for pair in shallow if pair[1] != "CPNN"], SHOWN)
    shallower = share, f"{text}; without CPNN {abler}"
    evidence = {
        "dldlf-best-on-morph": ("columns, best mean", *_first(records)),
        "dldlf-beats-dldl": ("comparisons of means", *_better(records, [("dLDLF", "DLDL")])),
        "deep-beats-shallow": ("comparisons of means", *shallower),
        "dldlf-every-ratio": ("shares, significantly best", *_at_every_share(shares)),
        "trees-on-morph": ("steps along the curves", *_by_trees(grid)),
        "depth-on-morph": ("falls and rises in the hold-outs", *_by_depth(grid)),
    }
    listed = published.claims("ldlf").set_index("id")
    rows = [
        (
            listed.at[name, "claim"],
            listed.at[name, "section"],
            word if (word := verdict(share)) == VERDICTS[-1] else f"tested on other data: {word}",
            counted,
            text,
        )
        for name, (counted, share, text) in evidence.items()
    ]
    return pd.DataFrame(
        rows, columns=["the paper says", "section", "verdict", "counted", "evidence"]
    )


def heads_apart(records):
    """Text on dNDF-LDL beside the two other heads by the measures other than K-L."""
    rest = SHOWN[1:]
    pairs = [("dNDF-LDL", head) for head in DEEP[:2]]
    behind = [m for m in rest if wins(records, pairs, [m]).worse.plain]
    if not behind:
        return "By no other measure is dNDF-LDL significantly behind another head."
    names = in_text(MEASURES[m].label for m in behind)
    found = wins(records, pairs, rest).worse
    cells = 2 * len(rest) * records.dataset.nunique()
    return (
        f"By {names} dNDF-LDL is significantly behind another head, in {found.plain} of the "
        f"{cells} comparisons by other measures than K-L (Holm {found.holm}, BH {found.bh})."
    )


def _others():
    """dLDLF beside each other method that learns something."""
    return [("dLDLF", rival) for rival in (*DEEP, *RIVALS) if rival != "dLDLF"]


def _first(records):
    """Whether dLDLF has the best mean by each measure, on each kind of labels."""
    means = records.groupby(["dataset", "method"])[list(SHOWN)].mean().reset_index()
    means = means.melt(["dataset", "method"], var_name="measure", value_name="mean")
    first = means[firsts(means)]
    by = first.groupby(["dataset", "measure"]).method.agg(set)
    share, text = share_claim(["dLDLF" in some for some in by], "first in", " columns")
    return share, f"{text}; beside each other method: {wins(records, _others(), SHOWN)}"


def _at_every_share(shares):
    """Whether dLDLF is significantly best by K-L whatever the share of the rows that train."""
    if shares.empty:
        return NOT_RUN
    means = shares.groupby(["dataset", "method"]).kl_divergence.mean()
    first = means.groupby(level="dataset").idxmin().map(lambda pair: pair[1])
    said = ", ".join(f"{method} at {at}" for at, method in first.items())
    found = [wins(mine, _others(), ["kl_divergence"]) for _, mine in shares.groupby("dataset")]
    best = [one.shown.plain == one.cells > 0 for one in found]
    share, text = share_claim(best, "significantly better than every other method at", " shares")
    return share, (
        f"{text}; lowest mean K-L at {Share.of(first == 'dLDLF')} ({said}); beside each other "
        f"method: {wins(shares, _others(), ['kl_divergence'])}"
    )


def _better(records, pairs):
    """Whether the first of each pair has the better mean; where no lead is shown, what would be."""
    found = wins(records, pairs, SHOWN)
    if not found.cells:
        return NOT_RUN
    shown = found.shown.plain + found.worse.plain
    return found.ratio, str(found) if shown else f"{found}; {_could_be_shown(records, pairs)}"


def _could_be_shown(records, pairs):
    """The lead in K-L that the test would find four times in five."""
    leads = []
    for pair in chain.from_iterable(pairs_of(records, *p, "kl_divergence") for p in pairs):
        n_train, n_test = pair.sizes
        deviation = (pair.first - pair.second).std(ddof=1)
        lead = deviation * stats.smallest_shown(len(pair.first), n_test / n_train)
        leads.append(f"{lead:.3f} (labels {pair.dataset})")
    return f"the test would find a K-L lead of {' or '.join(leads)} with a probability of 80%"


def _by_trees(grid):
    """The claim on Figure 4a: means over the hold-outs, one step along each curve a cell."""
    goes = []
    for strategy, sign in (("dLDLF", -1), ("dNDF-LDL", 1)):
        mean = grid[grid.strategy == strategy].groupby("trees").kl_divergence.mean()
        goes += list(sign * mean.diff().dropna() > 0)
    return share_claim(goes, "as said:", " steps")


def _by_depth(grid):
    """The claim on Figure 4b: in each hold-out a fall to the depth of the lowest mean, and a rise.

    Any curve with its lowest mean inside falls and rises, so the means alone could not fail it.
    """
    by = grid.pivot_table("kl_divergence", "fold", "depth")
    if by.empty:
        return NOT_RUN
    best = by.mean().idxmin()
    first, deepest = by.columns.min(), by.columns.max()
    fall, rise = by[first] - by[best], by[deepest] - by[best]
    share, _ = share_claim([*(fall > 0), *(rise > 0)], "as said:")
    depths = ", ".join(f"{depth:.0f}" for depth in by.columns)
    return share, (
        f"lowest mean K-L at depth {best:.0f}, of {depths}; it falls to there in "
        f"{Share.of(fall > 0)} hold-outs, by {fall.mean():.4f} ± {fall.std():.4f}, and then rises "
        f"in {Share.of(rise > 0)}, by {rise.mean():.4f} ± {rise.std():.4f} (mean and deviation)"
    )
