"""A comparison as text: what the command prints."""

import numpy as np
import pandas as pd

from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison.matrix import REMOVED
from ldlrepro.report.compare import LEVEL


def tables(found):
    """Text of a `Comparison`: notes, gains, and each of your methods against the others."""
    parts = [found.about, "\n".join(found.said())]
    parts.append(_summary(found) if len(found.names) == 1 else _gains(found))
    for name in found.mine:
        table = against(found, name).astype(str).to_string(index=False)
        told = f"\n\n{DIFFER}" if len(found.names) == 1 else ""
        parts.append(f"{name} against the others\n\n{table}{told}")
    if len(found.names) > 1:
        ranks = found.ranks().map("{:.2f}".format).to_string()
        parts.append(f"Average ranks over groups of related data sets\n\n{ranks}")
    return "\n\n".join(part for part in parts if part)


#: What p is below `against` on one data set.
DIFFER = f"p: below {LEVEL} the two differ significantly (corrected t-test, Holm)"


def summary(found):
    """`Comparison.summary` for readers: columns of texts, and what they are, a line each."""
    table, label = found.summary(), MEASURES[found.main].label
    shown = pd.DataFrame(
        {
            # + 0.0: no minus before a zero.
            "gain": [
                "-" if np.isnan(gain) else f"{gain:.3f}" for gain in table.gain.round(3) + 0.0
            ],
            label: found.table().iloc[:, 0].reindex(table.index).map("{:.4f}".format),
            "p": ["-" if np.isnan(p) else _p_value(p) for p in table.p],
        }
    )
    lines = [
        f"gain: share of the loss of {found.null} that is removed; 1 is perfect, 0 learns nothing",
        f"{label}: mean±standard deviation over the folds",
        f"p: below {LEVEL} a method is significantly worse than the first (corrected t-test, Holm)",
    ]
    if table.gain.isna().all():
        lines[0] = f"gain: none, since {found.null} has no loss"
    elif table.gain.iloc[0] < 0.0005:  # it shows as 0
        lines.append(f"No method gains on {found.null}.")
    elif table.p.get(found.null, 0) >= LEVEL:
        lines.append(
            f"The first is not significantly better than {found.null}: more folds or rows may tell."
        )
    if table.p[1:].isna().any():
        lines.append("no p: rounding makes as large a difference")
    return shown.rename_axis(None), lines


def against(found, name):
    """`Comparison.against` for readers; on one data set with the p-values of `summary`."""
    table = found.against(name)
    shares = table[REMOVED]  # not finite where either has no loss
    table[REMOVED] = [f"{share:+.1%}" if np.isfinite(share) else "-" for share in shares]
    if len(found.names) > 1:
        return table
    p = found.summary(against=name).p
    table = table[["against", REMOVED]]
    return table.assign(p=["-" if np.isnan(p[m]) else _p_value(p[m]) for m in table.against])


def _p_value(p):
    """With one more digit where three would hide on which side of the level it is."""
    near = 0 < abs(p - LEVEL) < 0.0005
    return "<0.001" if p < 0.001 else f"{p:.4f}" if near else f"{p:.3f}"


def _summary(found):
    """Gain, loss and test of each method on the one data set."""
    table, lines = summary(found)
    head = "" if found.about else f"{', '.join(found.names.values())}, the best method first\n\n"
    return f"{head}{table.to_string()}\n\n" + "\n".join(lines)


def _gains(found):
    """Gain of each method on each data set."""
    table = found.skill().rename(columns=found.names).rename_axis(None, axis=1).round(3) + 0.0
    return (
        f"Share of {found.null}'s loss removed ({found.main}): 1 is perfect, 0 learns nothing\n\n"
        f"{table.to_string(na_rep='-')}"
    )
