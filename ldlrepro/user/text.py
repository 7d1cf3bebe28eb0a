"""A comparison as text: what the command prints."""

import numpy as np
import pandas as pd

from ldlrepro.papers.comparison.matrix import REMOVED

_WIDE = ("display.width", 200, "display.max_columns", 30, "display.max_rows", 500)


def tables(found):
    """Text of a `Comparison`: notes, gains, and each of your methods against the others."""
    parts = ["\n".join(found.said())] if found.notes or found.groups else []
    parts.append(_summary(found) if len(found.names) == 1 else _gains(found))
    for name in found.mine:
        table = found.against(name)
        shares = table[REMOVED].map("{:+.1%}".format)
        table = table.assign(**{REMOVED: shares}).astype(str)
        with pd.option_context(*_WIDE):
            parts.append(f"{name} against the others\n\n{table.to_string(index=False)}")
    if len(found.names) > 1:
        ranks = found.ranks().map("{:.2f}".format).to_string()
        parts.append(f"Average ranks over groups of related data sets\n\n{ranks}")
    return "\n\n".join(part for part in parts if part)


def _summary(found):
    """Gain, loss and test of each method on the one data set."""
    (name,) = found.names.values()
    table = found.summary()
    spreads = zip(table["mean"], table["std"], strict=True)
    lines = pd.DataFrame(
        {
            "gain": (table.gain.round(3) + 0.0).map("{:.3f}".format),  # no minus before a zero
            found.main: [f"{mean:.4f}±{std:.4f}" for mean, std in spreads],
            "p": ["" if np.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}" for p in table.p],
        },
        index=table.index,
    )
    return (
        f"{name}, the best method first\n\n{lines.rename_axis(None).to_string()}\n\n"
        f"gain: share of {found.null}'s loss removed; 1 is perfect, 0 learns nothing\n"
        f"{found.main}: mean and standard deviation over the folds\n"
        "p: below 0.05 a method is significantly worse than the first (corrected t-test, Holm)"
    )


def _gains(found):
    """Gain of each method on each data set."""
    table = found.skill().rename(columns=found.names).rename_axis(None, axis=1).round(3) + 0.0
    return (
        f"Share of {found.null}'s loss removed ({found.main}): 1 is perfect, 0 learns nothing\n\n"
        f"{table.to_string(na_rep='-')}"
    )
