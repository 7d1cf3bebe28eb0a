"""The claims of the MLDF paper, each with its verdict and evidence."""

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.papers.mldf.figures import RADAR
from ldlrepro.papers.mldf.studies.label_drop import OTHER_NUMBERS
from ldlrepro.papers.mldf.tables import (
    LABEL,
    MEASURES,
    UP,
    average_ranks,
    decreases,
    duel_table,
    of_table,
)
from ldlrepro.report.claims import (
    NOT_RUN,
    Ours,
    claims_table,
    not_run,
    number_claim,
    order_claim,
    same_claim,
    share_claim,
    wins_claim,
)
from ldlrepro.report.compare import LEVEL, duels, firsts, held, wins
from ldlrepro.report.values import Share

#: Sets of at most a few thousand rows.
SMALL = ("CAL500", "enron", "image", "scene", "yeast")


def claims(chapter, growth, labels, methods, c45, no_reuse):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    chapter : result of `with_own_measures`
    growth, labels : of the studies "layers" (both tables) and "label_drop"
    methods : of Table 4, MLDF first; c45, no_reuse : names of two more
    """
    records, printed = chapter.tables, of_table(chapter, 4)
    grown = chapter.records["tables"]
    mldf, *rivals = methods
    four = records[records.dataset.isin(RADAR)]
    evidence = {
        "first-place": _first(records, printed, methods),
        "second-otherwise": _second(_means(records), methods),
        "significantly-better": _table_4(records, mldf, rivals, printed),
        "lowest-ranks": _ranks(records, methods),
        "by-measure": _by_measure(grown[grown.method == mldf]),
        "reuse-helps": order_claim(records, mldf, no_reuse, MEASURES),
        "reuse-figure-2": order_claim(four, mldf, no_reuse, MEASURES),
        "no-reuse-beats-forest": order_claim(four, no_reuse, "RF-PCT", MEASURES),
        "reuse-on-large": _by_size(records, mldf, no_reuse),
        "large-sets": not_run("needs eurlex-sm; mediamill was not run"),
        "folds-overfitting": not_run("needs a run without the folds"),
        "two-ways-diverse": not_run("needs a run with one way of growing alone"),
        "nets-on-small": wins_claim(
            records[records.dataset.isin(SMALL)],
            [(rival, "DBPNN") for rival in rivals if rival != "DBPNN"],
            MEASURES,
        ),
        "c45-better": wins_claim(records, [(c45, rival) for rival in rivals], MEASURES),
        Ours("MLDF without reuse is better than the rivals"): wins_claim(
            records, [(no_reuse, rival) for rival in rivals], MEASURES
        ),
        Ours("The two blocks differ little"): same_claim(records, mldf, c45, MEASURES, 0.03),
    }
    for rival in rivals:
        name = f"better-than-{rival.lower()}"
        evidence[name] = order_claim(records, mldf, rival, MEASURES)
    for measure in MEASURES:
        evidence[f"first-{_slug(measure)}"] = _first(records, printed, methods, measure)
    evidence |= _won(records, c45, rivals, of_table(chapter, 5))
    others = chapter.study("one_layer")["one_layer"]
    evidence |= _growth_claims(growth["layers"], growth["forests"], others)
    evidence |= _label_claims(labels)
    return claims_table(published.claims("mldf"), evidence)


def _means(records):
    there = records.groupby(["dataset", "method"], sort=False)[list(MEASURES)].mean()
    return there.melt(ignore_index=False, var_name="measure", value_name="mean").reset_index()


def _firsts(means, methods):
    """`Share` of cells in which the first of the methods is the best or level with it."""
    there = means[means.method.isin(methods)]
    there = there.assign(best=firsts(there), own=there.method == methods[0])
    cells = there.groupby(["dataset", "measure"])
    fought = cells["own"].any() & (cells.size() > 1)
    won = there[there.own & there.best].groupby(["dataset", "measure"]).size()
    return Share(int(won.reindex(fought.index[fought]).notna().sum()), int(fought.sum()))


def _first(records, printed, methods, measure=None):
    """Cells in which the first method is the best, of one measure or of all."""
    means = _means(records)
    if measure is not None:
        means, printed = (m[m.measure == measure] for m in (means, printed))
    theirs = _firsts(printed, methods)
    ours = _firsts(means, methods)
    beside = _firsts(printed[printed.dataset.isin(records.dataset)], methods)
    text = f"first or level in {ours} cells; printed numbers: {theirs}, on the same sets {beside}"
    return ours.ratio, text


def _second(means, methods):
    """Cells in which only one method is ahead of the first of them, of those where any is."""
    there = means[means.method.isin(methods)]
    loss = there["mean"].where(~there.measure.map(UP).astype(bool), -there["mean"])
    place = loss.groupby([there.dataset, there.measure]).rank(method="min")
    behind = place[(there.method == methods[0]) & (place > 1)]
    return share_claim(behind == 2, "second in", " cells in which it is not first")


def _ranks(records, methods):
    """Measures by which the first method has the lowest average rank."""
    ranks = average_ranks(_means(records), methods)
    if ranks.empty:
        return NOT_RUN
    text = ", ".join(f"{label} {ranks[label].iloc[0]:.1f}" for label in ranks)
    return share_claim(ranks.iloc[0] == ranks.min(), f"ranks {text}; the lowest by", " measures")


def _by_measure(grown):
    """Cells of a measure in which MLDF grown for it is better than MLDF grown for another.

    Each other MLDF takes for every measure the one grown for the measure a fixed number further.
    """
    stage = pd.Series([p.get("stage") for p in grown.parameters], index=grown.index)
    fit = ["dataset", "seed", "fold"]
    by = {m: grown[stage == m].set_index(fit) for m in MEASURES}
    if any(frame.empty for frame in by.values()):
        return NOT_RUN
    number, parts = len(MEASURES), []
    for away in range(number):
        values = {
            m: by[MEASURES[(i + away) % number]][m].reindex(by[m].index)
            for i, m in enumerate(MEASURES)
        }
        parts.append(by[MEASURES[0]].assign(**values, method=f"{away} further").reset_index())
    pairs = [("0 further", f"{away} further") for away in range(1, number)]
    return wins_claim(pd.concat(parts, ignore_index=True), pairs, MEASURES)


def _table_4(records, method, rivals, printed):
    """Share of the paired t-tests that a method wins, beside the marks of Table 4."""
    row = duel_table(records, method, rivals, printed).set_index("measure").loc["all"]
    paired = row["paired t-test"]
    if not sum(paired):
        return NOT_RUN
    text = (
        f"wins/draws/losses {paired}, as marked on the same sets {row['printed']}; by the "
        f"corrected t-test {row['corrected t-test']}"
    )
    return paired.won / sum(paired), text


def _won(records, method, rivals, printed):
    """Shares of the paired t-tests that a method wins by each measure, beside the printed ones.

    The sentence counts sets that were not run as well: ours stands beside the printed share on the
    same sets. There are few tests: one of them more or less is near enough.
    """
    table = duel_table(records, method, rivals, printed).set_index("measure")
    found = {}
    for measure in MEASURES:
        row = table.loc[LABEL[measure]]
        paired, said = row["paired t-test"], row["printed"]
        evidence = NOT_RUN
        if sum(paired) and sum(said):
            share, text = number_claim(
                paired.won / sum(paired),
                said.won / sum(said),
                f"wins/draws/losses by the paired t-test {paired}, printed on the same sets "
                f"{said}; won",
                ".0%",
            )
            one = abs(paired.won / sum(paired) - said.won / sum(said)) <= 1 / sum(paired) + 1e-9
            share = max(share, float(one))
            corrected = wins(records, [(method, rival) for rival in rivals], [measure])
            evidence = share, f"{text}; by the corrected test {corrected}"
        found[f"c45-{_slug(measure)}"] = evidence
    return found


def _slug(measure):
    return measure.replace("_", "-")


def _by_size(records, first, second):
    fought = duels(records, first, [second], MEASURES)
    if fought.empty:
        return NOT_RUN
    relative = (fought.gain / fought.level.abs()).groupby(fought.dataset).mean()
    rows = records.groupby("dataset")["n_train"].mean()
    order = [d for d in rows.sort_values().index if d in relative.index]
    text = "mean relative gain by number of rows, smallest set first: " + ", ".join(
        f"{d} {relative[d]:+.1%}" for d in order
    )
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    if not pairs:
        return float("nan"), text
    return float(np.mean([relative[b] > relative[a] > 0 for a, b in pairs])), text


def _growth_claims(layers, forests, others):
    """The claims on growth; ``others`` has RF-PCT with other numbers of trees than ``forests``."""
    others = others.set_index(["dataset", "fold", "measure", "trees"]).test
    sizes = sorted(others.index.unique("trees"))
    by = layers.groupby(["dataset", "fold", "measure"], sort=False)
    rows = []
    for (dataset, fold, measure), mine in by:
        sign = 1 if UP[measure] else -1
        test = sign * mine.sort_values("layer").test.to_numpy()
        final = int(mine.layer[mine.final].iloc[0]) - 1
        forest = forests[(forests.dataset == dataset) & (forests.fold == fold)]
        forest = sign * forest.test[forest.measure == measure].iloc[0]
        span = test.max() - test[0]
        rows.append(
            {
                "dataset": dataset,
                "deeper": test[final] > test[0],
                "near": test[final] >= test.max() - 0.1 * max(span, 0),
                "off": abs(test[final] / test.max() - 1),
                "no_loss": test[final] >= test[-1],
                "forest": test[final] > forest,
            }
            | {k: test[final] > sign * others[dataset, fold, measure, k] for k in sizes}
        )
    table = pd.DataFrame(rows)
    by_set = table.groupby("dataset", sort=False)
    said = {
        "deeper-is-better": ("deeper", "better"),
        "stops-near-best": (
            "near",
            "within a tenth of the gain from the first layer to the best on test",
        ),
    }
    counts = {
        column: by_set[column].agg(["sum", "size"])
        for column in table
        if column not in ("dataset", "off")
    }
    found = {
        claim: _on_the_first(counts[column], how, "curves") for claim, (column, how) in said.items()
    }
    share, text = found["stops-near-best"]
    off = ", ".join(f"{value:.1%} on {d}" for d, value in by_set.off.median().items())
    found["stops-near-best"] = (
        share,
        f"{text}; median distance from the best, as a share of it: {off}",
    )
    # A full layer has two forests of 100 trees, and a copy of them for each of five folds.
    share, text = _on_the_first(counts[sizes[-1]], "better", "curves")
    more = [f"with {k} trees {Share(*counts[k].iloc[0])}" for k in sizes[:-1]]
    trees = f"with {forests.trees.min()} to {forests.trees.max()}, the copies of the folds counted,"
    more.append(f"{trees} {Share(*counts['forest'].iloc[0])}")
    found["better-than-one-layer"] = (
        share,
        f"RF-PCT with {sizes[-1]} trees, a full layer without its copies for the folds: {text}; "
        f"on {counts['forest'].index[0]} {', '.join(more)}",
    )
    found["growth-overfitting"] = _on_the_first(counts["no_loss"], "no worse", "curves")
    last = layers[layers.final].groupby(["dataset", "fold"], sort=False).layer.nunique() > 1
    count = last.groupby("dataset", sort=False).agg(["sum", "size"])
    return found | {"stops-by-measure": _on_the_first(count, "more than one L", "splits")}


def _on_the_first(count, how, what):
    """Evidence on Figure 3, of which only the paper's set, the first of the study, counts."""
    text = ", ".join(f"{n} of {size} {what} on {d}" for d, (n, size) in count.iterrows())
    return float(count["sum"].iloc[0] / count["size"].iloc[0]), f"{how} in {text}"


def _label_claims(labels):
    """Section 4.5, on the measures of the study; label names as in the file."""
    names = "uses-correlations", "sunset-leaf", "beach-urban"
    if labels.fold.nunique() < 2 or "FallFoliage" not in set(labels.label):
        return dict.fromkeys(names, NOT_RUN)
    accuracy, p = decreases(labels, "accuracy")

    def both(a, b):
        cells = [(a, b), (b, a)]
        text = "; ".join(
            f"{a} deleted: {accuracy.loc[a, b]:+.2f}% of {b}'s accuracy lost (p {p.loc[a, b]:.3f})"
            for a, b in cells
        )
        holds = [accuracy.loc[c] > 0 and p.loc[c] < LEVEL for c in cells]
        return share_claim(holds, f"{text}; a loss is shown in", " ways")

    others = [(a, b) for a in accuracy.columns for b in accuracy.columns if a != b]
    values = np.array([p.loc[c] for c in others])
    lost = np.array([accuracy.loc[c] > 0 for c in others])
    chance = (p.loc[OTHER_NUMBERS] < LEVEL).sum()
    more = (
        f" pairs of labels, {held(values, lost)}; gained in {held(values, ~lost)}; changed by "
        f"other random numbers alone for {chance} of {p.shape[1]} labels"
    )
    found = Share.of(lost & (values < LEVEL))
    # "Some" correlations: losses that are shown with all pairs taken together, more than gains.
    uses = (
        float(held(values, lost).bh > held(values, ~lost).bh),
        f"accuracy lost, paired t-test, in {found}{more}",
    )
    return dict(
        zip(names, (uses, both("Sunset", "FallFoliage"), both("Beach", "Urban")), strict=True)
    )
