"""The claims of the MLDF paper, each with its verdict and evidence."""

import numpy as np
import pandas as pd

from ldlrepro.report.claims import NOT_RUN, Ours, claims_table, order_claim
from ldlrepro.report.compare import LEVEL, duels, firsts
from ldlrepro.report.mldf.tables import MEASURES, UP, decreases, score
from ldlrepro.report.values import Share


def claims(records, printed, layers, forests, labels, methods, c45, no_reuse):
    """The claims of the paper, each with its verdict and evidence.

    Parameters
    ----------
    records : result of `own_measures` for what counts
    printed : rows of Table 4; layers, forests, labels : tables of the studies
    methods : of Table 4, MLDF first; c45, no_reuse : names of two more
    """
    mldf, *rivals = methods
    evidence = {"MLDF is first in 98.46% of cases (section 4.2)": _first(records, printed, methods)}
    for rival in rivals:
        evidence[f"MLDF is better than {rival} (Table 4)"] = order_claim(
            records, mldf, rival, MEASURES
        )
    evidence["Reuse helps: MLDF is better than without (sections 1 and 4.3)"] = order_claim(
        records, mldf, no_reuse, MEASURES
    )
    evidence[Ours("MLDF without reuse is better than the rivals")] = _all_rivals(
        records, no_reuse, rivals
    )
    evidence["Reuse does more on larger sets (section 4.3)"] = _by_size(records, mldf, no_reuse)
    evidence.update(_growth_claims(layers, forests))
    evidence["MLDF on C4.5 trees is better than the rivals too (section 4.6)"] = _all_rivals(
        records, c45, rivals
    )
    evidence[Ours("The two blocks differ little")] = _block(records, mldf, c45)
    evidence.update(_label_claims(labels))
    return claims_table(evidence)


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


def _first(records, printed, methods):
    theirs = _firsts(printed, methods)
    ours = _firsts(_means(records), methods)
    beside = _firsts(printed[printed.dataset.isin(records.dataset)], methods)
    text = f"first or level in {ours} cells; printed numbers: {theirs}, on the same sets {beside}"
    return ours.ratio, text


def _all_rivals(records, method, rivals):
    fought = duels(records, method, rivals, MEASURES)
    if fought.empty:
        return NOT_RUN
    text = (
        f"better in {(fought.gain > 0).sum()} of {len(fought)} comparisons; wins/draws/losses by "
        f"the corrected t-test {score(fought, 'p_corrected')}, by the paired one "
        f"{score(fought, 'p')}"
    )
    return float((fought.gain > 0).mean()), text


def _block(records, first, second):
    fought = duels(records, first, [second], MEASURES)
    if fought.empty:
        return NOT_RUN
    near = (fought.gain.abs() <= 0.03 * fought.level.abs()).mean()
    shown = score(fought, "p_corrected")
    text = (
        f"means within 3% in {near:.0%} of {len(fought)} cells; PCT shown better in {shown.won}, "
        f"C4.5 in {shown.lost}, corrected t-test"
    )
    return float(near), text


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


def _growth_claims(layers, forests):
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
                "no_loss": test[final] >= test[-1],
                "forest": test[final] > forest,
            }
        )
    table = pd.DataFrame(rows)
    by_set = table.groupby("dataset", sort=False)
    said = {
        "Layer L is better than the first (Figure 3)": ("deeper", "better"),
        "Growth stops almost at the best layer (Figure 3)": (
            "near",
            "within a tenth of the gain from the first layer to the best on test",
        ),
        Ours("Stopping is no loss: layer L is no worse than the last"): (
            "no_loss",
            "no worse",
        ),
        "MLDF is better than RF-PCT with as many trees (Figure 3)": ("forest", "better"),
    }
    found = {}
    for claim, (column, how) in said.items():
        # The verdict is on the paper's set, the first of the study.
        count = by_set[column].agg(["sum", "size"])
        text = ", ".join(f"{n} of {size} curves on {d}" for d, (n, size) in count.iterrows())
        found[claim] = float(count["sum"].iloc[0] / count["size"].iloc[0]), f"{how} in {text}"
    return found


def _label_claims(labels):
    """Section 4.5, on the measures of the study; label names as in the file."""
    if labels.fold.nunique() < 2 or "FallFoliage" not in set(labels.label):
        return {}
    accuracy, p = decreases(labels, "accuracy")

    def both(a, b):
        cells = [(a, b), (b, a)]
        share = np.mean([accuracy.loc[c] > 0 and p.loc[c] < LEVEL for c in cells])
        text = "; ".join(
            f"{a} deleted: {accuracy.loc[a, b]:+.2f}% of {b}'s accuracy lost (p {p.loc[a, b]:.3f})"
            for a, b in cells
        )
        return float(share), text

    return {
        "Sunset and Leaf (FallFoliage) affect each other, by accuracy (Figure 4)": both(
            "Sunset", "FallFoliage"
        ),
        "Beach and Urban are correlated, by accuracy (Figure 4)": both("Beach", "Urban"),
    }
