"""The claims of the MLDF paper, each with its verdict and evidence."""

from itertools import combinations

import numpy as np
import pandas as pd

from ldlrepro import published
from ldlrepro.papers.mldf.experiments import (
    C45,
    FIGURE_2,
    MEASURES,
    METHODS,
    MORE_TREES,
    NO_REUSE,
    RIVALS,
    SMALL,
)
from ldlrepro.papers.mldf.studies.label_drop import OTHER_NUMBERS
from ldlrepro.papers.mldf.tables import BESIDE, LABEL, UP, average_ranks, decreases, duel_table
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
from ldlrepro.report.compare import LEVEL, count_significant, duels, firsts, wins
from ldlrepro.report.values import Share


def claims(chapter):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    chapter : MLDF
    """
    records = chapter.tables
    small, four = (records[records.dataset.isin(sets)] for sets in (SMALL, FIGURE_2))
    rivals_of_c45 = [(C45, rival) for rival in RIVALS]
    rivals_of_nets = [(rival, "DBPNN") for rival in RIVALS if rival != "DBPNN"]
    evidence = {
        "first-place": _first(chapter, MEASURES),
        "second-otherwise": _second(chapter.ours),
        "significantly-better": _table_4(chapter),
        "lowest-ranks": _ranks(chapter.ours),
        "by-measure": _by_measure(chapter.staged),
        "reuse-helps": order_claim(records, "MLDF", NO_REUSE, MEASURES),
        "reuse-figure-2": order_claim(four, "MLDF", NO_REUSE, MEASURES),
        "no-reuse-beats-forest": order_claim(four, NO_REUSE, "RF-PCT", MEASURES),
        "reuse-on-large": _by_size(records, chapter.names),
        "large-sets": not_run("needs eurlex-sm; mediamill was not run"),
        "folds-overfitting": not_run("needs a run without the folds"),
        "two-ways-diverse": not_run("needs a run with one way of growing alone"),
        "nets-on-small": wins_claim(small, rivals_of_nets, MEASURES),
        "c45-better": wins_claim(records, rivals_of_c45, MEASURES),
        Ours("MLDF without reuse predicts better than the five rivals"): wins_claim(
            records, [(NO_REUSE, rival) for rival in RIVALS], MEASURES
        ),
        Ours("MLDF predicts alike on either kind of trees"): same_claim(
            records, "MLDF", C45, MEASURES, 0.03
        ),
    }
    for rival in RIVALS:
        name = f"better-than-{rival.lower()}"
        evidence[name] = order_claim(records, "MLDF", rival, MEASURES)
    more_trees = wins(records, [("MLDF", MORE_TREES)], MEASURES)
    if more_trees.cells:  # the paper's forests have 100 trees: those decide
        share, text = evidence["better-than-rf-pct"]
        text += f"; against {MORE_TREES}, better in {Share(more_trees.better, more_trees.cells)}"
        evidence["better-than-rf-pct"] = share, text
    for measure in MEASURES:
        evidence[f"first-{_slug(measure)}"] = _first(chapter, [measure])
    evidence |= _table_5(chapter) | _growth_claims(chapter)
    evidence |= _label_claims(chapter.study("label_drop")["labels"])
    return claims_table(published.claims("mldf"), evidence)


def _slug(measure):
    return measure.replace("_", "-")


def first_places(means):
    """`Share` of comparisons in which MLDF is the best of Table 4's methods or level with it."""
    means = means[means.method.isin(METHODS)]
    means = means.assign(own=means.method == "MLDF", best=firsts(means))
    cells = means.assign(won=means.own & means.best).groupby(["dataset", "measure"])
    return Share.of(cells.won.any()[cells.own.any() & (cells.size() > 1)])


def _first(chapter, measures):
    """Comparisons in which MLDF is the best, of some measures."""
    ours, printed = (m[m.measure.isin(measures)] for m in (chapter.ours, chapter.table_4))
    found = first_places(ours)
    on_the_same_sets = first_places(printed[printed.dataset.isin(ours.dataset)])
    return found.ratio, (
        f"the best mean, alone or with others, in {found} comparisons; in print "
        f"{first_places(printed)}, on the same data sets {on_the_same_sets}"
    )


def _second(means):
    """Comparisons in which only one method is ahead of MLDF, of those where any is."""
    means = means[means.method.isin(METHODS)]
    loss = means["mean"].where(~means.measure.map(UP).astype(bool), -means["mean"])
    place = loss.groupby([means.dataset, means.measure]).rank(method="min")
    behind = place[(means.method == "MLDF") & (place > 1)]
    return share_claim(behind == 2, "second in", " comparisons in which it is not first")


def _ranks(means):
    """Measures by which MLDF has the lowest average rank."""
    ranks = average_ranks(means, METHODS)
    if ranks.empty:
        return NOT_RUN
    text = ", ".join(f"{label} {ranks[label].iloc[0]:.1f}" for label in ranks)
    return share_claim(ranks.iloc[0] == ranks.min(), "lowest by", f" measures; its ranks: {text}")


def grown_for_others(records):
    """Records by own measures, and pairs that compare MLDF grown for a measure with others.

    Each other MLDF takes for every measure the one grown for the measure a fixed number further.

    Parameters
    ----------
    records : of the tables, a row for each MLDF of a fit

    Returns
    -------
    DataFrame and list of pairs; None and no pairs where an MLDF lacks
    """
    grown = records[records.method == "MLDF"]
    stage = pd.Series([p.get("stage") for p in grown.parameters], index=grown.index)
    by = {m: grown[stage == m].set_index(["dataset", "seed", "fold"]) for m in MEASURES}
    if any(frame.empty for frame in by.values()):
        return None, []
    number, further = len(MEASURES), []
    for away in range(number):
        values = {
            m: by[MEASURES[(i + away) % number]][m].reindex(by[m].index)
            for i, m in enumerate(MEASURES)
        }
        further.append(by[MEASURES[0]].assign(**values, method=f"{away} further").reset_index())
    pairs = [("0 further", f"{away} further") for away in range(1, number)]
    return pd.concat(further, ignore_index=True), pairs


def _by_measure(records):
    """Comparisons by a measure of MLDF grown for it with MLDF grown for another."""
    further, pairs = grown_for_others(records)
    if further is None:
        return NOT_RUN
    share, text = wins_claim(further, pairs, MEASURES)
    worse, level = worse_and_level(further, pairs)
    return share, f"{text}; worse in {worse} and exactly level in {level}"


def worse_and_level(records, pairs):
    """Comparisons in which the first of each pair of methods is worse, and those that are level."""
    gains = relative_gains(records, pairs).gain
    return int((gains < 0).sum()), int((gains == 0).sum())


def relative_gains(records, pairs):
    """`duels` of all pairs of methods, with the gain as a share of the second one's mean."""
    fought = pd.concat([duels(records, a, [b], MEASURES) for a, b in pairs], ignore_index=True)
    second = fought.level - fought.gain * fought.measure.map({m: 1 if UP[m] else -1 for m in UP})
    return fought.assign(relative=fought.gain / second)


def _table_4(chapter):
    """Share of the paired t-tests that MLDF wins, beside the marks of Table 4."""
    table = duel_table(chapter.tables, "MLDF", chapter.table_4).set_index("measure")
    row = table.loc["all"]
    paired = row["paired t-test"]
    if not sum(paired):
        return NOT_RUN
    beside = f"; of those with a printed number {row[BESIDE]}, in print {row['printed']}"
    return paired.ratio, (
        f"{paired.won} of {sum(paired)} paired t-tests won (wins/draws/losses {paired})"
        f"{beside if BESIDE in row else ''}; by the corrected t-test {row['corrected t-test']}"
    )


def _table_5(chapter):
    """Shares of the paired t-tests that MLDF on C4.5 trees wins by each measure, and printed ones.

    The sentence counts sets that were not run as well: ours stands beside the printed share on the
    same sets. There are few tests: one of them more or less is near enough.
    """
    table = duel_table(chapter.tables, C45, chapter.table_5).set_index("measure")
    found = {}
    for measure in MEASURES:
        row = table.loc[LABEL[measure]]
        paired, printed = row["paired t-test"], row["printed"]
        evidence = NOT_RUN
        if sum(paired) and sum(printed):
            share, _ = number_claim(paired.ratio, printed.ratio, "")
            one = abs(paired.ratio - printed.ratio) <= 1 / sum(paired) + 1e-9
            corrected = wins(chapter.tables, [(C45, rival) for rival in RIVALS], [measure])
            evidence = (
                max(share, float(one)),
                f"{paired.ratio:.0%} of {sum(paired)} paired t-tests won, in print "
                f"{printed.ratio:.0%} on the same data sets (wins/draws/losses {paired}, in print "
                f"{printed}); by the corrected t-test {corrected}",
            )
        found[f"c45-{_slug(measure)}"] = evidence
    return found


def _by_size(records, names):
    """Pairs of data sets of which the larger one gains more from reuse, and both gain."""
    fought = duels(records, "MLDF", [NO_REUSE], MEASURES)
    if fought.empty:
        return NOT_RUN
    gain = (fought.gain / fought.level.abs()).groupby(fought.dataset).mean()
    rows = records.groupby("dataset").n_train.mean()
    gain = gain[rows[gain.index].sort_values().index]
    text = ", ".join(f"{names[dataset]} {value:+.1%}" for dataset, value in gain.items())
    holds = [b > a > 0 for a, b in combinations(gain, 2)]
    more = f" pairs of data sets; mean relative gain, smallest data set first: {text}"
    return share_claim(holds, "both gain, the larger one more, in", more)


def curves(chapter):
    """What holds of each curve of Figure 3: a row a data set, split and measure.

    Returns
    -------
    DataFrame with index dataset: whether layer L is better than the first ("deeper"), near the best
    ("near"; "off" is how far, as a share), no worse than the last ("no_loss"), better than RF-PCT
    with as many trees ("forest") and with each other number of trees (its columns)
    """
    study, key = chapter.study("layers"), ["dataset", "fold", "measure"]
    layers, forests = study["layers"], study["forests"].set_index(key)
    others = chapter.study("one_layer")["one_layer"].set_index([*key, "trees"]).test
    sizes = sorted(others.index.unique("trees"))
    rows = []
    for curve, line in layers.groupby(key, sort=False):
        sign = 1 if UP[curve[-1]] else -1
        test = sign * line.sort_values("layer").test.to_numpy()
        at_l = test[int(line.layer[line.final].iloc[0]) - 1]
        row = {
            "dataset": curve[0],
            "deeper": at_l > test[0],
            "near": at_l >= test.max() - 0.1 * max(test.max() - test[0], 0),
            "off": abs(at_l / test.max() - 1),
            "no_loss": at_l >= test[-1],
            "forest": at_l > sign * forests.test[curve],
        }
        rows.append(row | {k: at_l > sign * others[*curve, k] for k in sizes})
    return pd.DataFrame(rows).set_index("dataset")


def _growth_claims(chapter):
    """The claims on growth: MLDF's layer L beside its other layers and beside RF-PCT.

    Those of Figure 3 are of its data set. The claim on overfitting is of all data sets.
    """
    study, found = chapter.study("layers"), curves(chapter)
    layers, forests = study["layers"], study["forests"]
    sizes = [k for k in found.columns if isinstance(k, int | np.integer)]
    near = "within a tenth of the gain from the first layer to the best on test"
    off = found.off.groupby(level="dataset", sort=False).median()
    off = ", ".join(f"{value:.1%} on {dataset}" for dataset, value in off.items())
    # A full layer has two forests of 100 trees, and a copy of them for each of five folds.
    first = found.loc[[found.index[0]]]
    more = [f"with {k} trees {Share.of(first[k])}" for k in sizes[:-1]]
    trees = f"with {forests.trees.min()} to {forests.trees.max()}, the copies of the folds counted,"
    more = ", ".join([*more, f"{trees} {Share.of(first.forest)}"])
    full = f"RF-PCT with {sizes[-1]} trees, a full layer without its copies for the folds: better"
    several = layers[layers.final].groupby(["dataset", "fold"], sort=False).layer.nunique() > 1
    return {
        "deeper-is-better": _on_the_first(found.deeper, "better"),
        "stops-near-best": _on_the_first(
            found.near, near, more=f"; median distance from the best, as a share of it: {off}"
        ),
        "better-than-one-layer": _on_the_first(
            found[sizes[-1]], full, more=f"; on {found.index[0]} {more}"
        ),
        "growth-overfitting": _on_all(found.no_loss, "no worse"),
        "stops-by-measure": _on_the_first(several, "more than one L", "splits"),
    }


def _on_the_first(holds, how, what="curves", more=""):
    """Evidence on Figure 3, of which only the paper's set, the first of the study, counts."""
    shares = _by_set(holds)
    text = ", ".join(f"{share} {what} on {dataset}" for dataset, share in shares.items())
    return next(iter(shares.values())).ratio, f"{how} in {text}{more}"


def _on_all(holds, how):
    """Evidence on growth, of which all data sets of the study count."""
    text = ", ".join(f"{share} on {dataset}" for dataset, share in _by_set(holds).items())
    return share_claim(holds, f"{how} in", f" curves: {text}")


def _by_set(holds):
    """Dict, data set -> `Share` of its rows in which something holds."""
    return {d: Share.of(some) for d, some in holds.groupby(level="dataset", sort=False)}


def lost_and_gained(labels, measure):
    """Other labels that lose and gain significantly where one was deleted, by the paired t-test.

    Parameters
    ----------
    labels : table of the study "label_drop"
    measure : "accuracy" or "auc"

    Returns
    -------
    two results of `count_significant` (losses, gains); the number of pairs; and how many labels
    change significantly by other random numbers alone
    """
    loss, p = decreases(labels, measure)
    others = [(a, b) for a in loss.columns for b in loss.columns if a != b]
    values = np.array([p.loc[c] for c in others])
    lost = np.array([loss.loc[c] > 0 for c in others])
    losses, gains = (count_significant(values, side) for side in (lost, ~lost))
    return losses, gains, len(others), int((p.loc[OTHER_NUMBERS] < LEVEL).sum())


def _label_claims(labels):
    """Section 4.5, on the measures of the study; label names as in the file (Leaf: FallFoliage)."""
    names = "uses-correlations", "sunset-leaf", "beach-urban"
    if labels.fold.nunique() < 2 or "FallFoliage" not in set(labels.label):
        return dict.fromkeys(names, NOT_RUN)
    accuracy, p = decreases(labels, "accuracy")

    def both(a, b):
        ways = [(a, b), (b, a)]
        text = "; ".join(
            f"{a} deleted: {accuracy.loc[a, b]:+.2f}% of {b}'s accuracy lost (p {p.loc[a, b]:.3f})"
            for a, b in ways
        )
        holds = [accuracy.loc[way] > 0 and p.loc[way] < LEVEL for way in ways]
        return share_claim(holds, "a significant loss in", f" directions; {text}")

    # "Some" correlations: more significant losses than gains with all pairs taken together.
    more, texts = [], []
    for measure, word in (("accuracy", "accuracy"), ("auc", "AUC")):
        losses, gains, others, chance = lost_and_gained(labels, measure)
        more.append(losses.bh > gains.bh)
        texts.append(
            f"{word}: with all tests together (BH) {losses.bh} of {others} pairs of labels lose "
            f"and {gains.bh} gain; in single paired t-tests {losses} lose and {gains} gain; other "
            f"random numbers alone change {chance} of {p.shape[1]} labels significantly"
        )
    uses = share_claim(more, "more losses than gains by", f" measures. By {'. By '.join(texts)}")
    return dict(
        zip(names, (uses, both("Sunset", "FallFoliage"), both("Beach", "Urban")), strict=True)
    )
