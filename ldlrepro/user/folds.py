"""What single folds say: how far a method's folds are apart, beside the others'."""

import numpy as np

from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison.matrix import LEAST, NO_LOSS, by_families, skill
from ldlrepro.report.plots import in_short, nothing, plt

#: Methods that are drawn at most, the best and the user's.
MOST = 30


def folds_picture(records, null, measure, mine=()):
    """Skill in every fold, a dot each, a line a method; bars are the skill over all folds.

    What is below `LEAST` is drawn there.

    Parameters
    ----------
    records : DataFrame
        A row a data set, method and fold.
    null : str
        Method at skill 0.
    mine : iterable of str
        Names of methods that are drawn whatever their place.
    """
    table = skill(records, null, measure)
    if table.empty:
        return nothing("No records.")
    order = list(table.index)
    shown = [m for i, m in enumerate(order) if i < MOST or m in mine or m == null]
    value = records.set_index(["method", "dataset", "fold"])[measure]
    loss = 1 - value if MEASURES[measure].greater_is_better else value
    of_null = loss.xs(null).reindex(loss.index.droplevel("method")).to_numpy()
    share = 1 - loss / np.where(of_null > NO_LOSS, of_null, np.nan)
    figure, axis = plt.subplots(figsize=(9, 1.2 + 0.24 * len(shown)))
    gain, jitter = by_families(table).mean(axis=1), np.random.default_rng(0)
    for row, method in enumerate(shown):
        dots = share.xs(method).dropna().clip(lower=LEAST)
        color = "C1" if method in mine else "C0"
        height = row + jitter.uniform(-0.22, 0.22, len(dots))
        axis.scatter(dots, height, s=10, alpha=0.5, color=color, linewidths=0)
        bar = max(gain[method], LEAST)
        axis.plot([bar] * 2, [row - 0.35, row + 0.35], color=color, linewidth=2)
    axis.set_yticks(range(len(shown)), [f"{'▶ ' * (m in mine)}{in_short(m, shown)}" for m in shown])
    axis.set_ylim(len(shown) - 0.4, -0.6)
    axis.axvline(0, color="0.6", linewidth=0.8)
    axis.set_xlabel(f"share of {null}'s loss removed in a fold ({MEASURES[measure].label})")
    figure.tight_layout()
    return figure
