"""Speed beside what users would take instead, and time and memory as data grow."""

import numpy as np
import pandas as pd

from ldlrepro import paths
from ldlrepro.report.plots import nothing, plt
from ldlrepro.report.tables import show

#: Words of benchmarks/growth.py for a fit that ended.
FITTED = "fitted"
#: The word of benchmarks/peers.py for the other side of forests on two threads.
ONE = "one thread"
SUITE = "MLDF for six measures, two threads"
SIZES = ("n", "q", "c")
_SIZE_NAMES = {"n": "rows", "q": "features", "c": "labels"}
#: A slope of the logarithms below this counts as linear.
LINEAR = 1.35
#: A value that is off by more than this share counts as worse.
WORSE = 0.005
_MIB = 2**20
#: Seconds from which on a fit counts for a slope.
_TAKES = 0.02
_TASKS = {"ldl": "label distributions", "multilabel": "sets of labels"}
#: Methods of the page on which to use: their lines get names before others.
_ADVISED = ("SABFGS", "StructRF", "LDLForest", "NDFLDL", "AOSOLDLogitBoost", "RFPCT", "MLDF")


def ratios():
    """Rows of benchmarks/peers.py: seconds of a method and of what users would take instead."""
    return _read("bench.csv", ["dataset", "method", "peer", "seconds", "peer_seconds", "ratio"])


def fits():
    """Rows of benchmarks/growth.py: one for each size of each method."""
    columns = ["task", "method", *SIZES, "seconds", "held", "peak", "outcome", "machine", "date"]
    return _read("scale.csv", columns)


def _read(name, columns):
    path = paths.results() / name
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=columns)


def growth(fits):
    """How time and memory of each method grow with each size, the others at their smallest.

    Parameters
    ----------
    fits
        What `fits` returns.

    Returns
    -------
    DataFrame
        One row a method and size: task, method, size, largest (that was fitted within the limit),
        seconds, seconds to predict a thousand rows and bytes there, ``time`` and ``memory`` (slopes
        of the logarithms over the last three sizes, NaN where less than two fits take 20 ms or
        10 MiB), ``fits`` (of how many sizes ``time`` is).
    """
    rows = []
    base = fits[[*SIZES]].min()
    for (task, method), mine in fits[fits.outcome == FITTED].groupby(
        ["task", "method"], sort=False
    ):
        for size in SIZES:
            rest = [s for s in SIZES if s != size]
            grown = mine[(mine[rest] == base[rest]).all(axis=1)].sort_values(size)
            if grown.empty:
                continue
            last, tail = grown.iloc[-1], grown.iloc[-3:]
            taken = tail.peak - tail.held
            rows.append(
                {
                    "task": task,
                    "method": method,
                    "size": size,
                    "largest": int(last[size]),
                    "seconds": last.seconds,
                    "predict": last.get("predict_seconds", np.nan),
                    "bytes": last.peak - last.held,
                    "time": _slope(tail[size], tail.seconds, _TAKES),
                    "fits": int((tail.seconds > _TAKES).sum()),
                    "memory": _slope(tail[size], taken, 10 * _MIB),
                }
            )
    columns = ["task", "method", "size", "largest", "seconds", "predict", "bytes", "time", "fits"]
    return pd.DataFrame(rows, columns=[*columns, "memory"])


def _slope(size, value, least):
    there = (value > least).to_numpy()
    if there.sum() < 2:
        return float("nan")
    x, y = np.log(size[there].astype(float)), np.log(value[there].astype(float))
    return float(np.polyfit(x, y, 1)[0])


def show_ratios():
    """`ratios` as a table, with what either side reached."""
    table = ratios()
    table = table[table.ratio.notna() & (table.peer != ONE)]
    table["reached"] = [_reached(row, "") for row in table.to_dict("records")]
    table["reached beside"] = [_reached(row, "peer_") for row in table.to_dict("records")]
    names = ["dataset", "method", "peer", "seconds", "peer_seconds", "ratio", "reached"]
    table = table[[*names, "reached beside"]].rename(
        columns={"dataset": "data set", "peer": "beside", "peer_seconds": "seconds beside"}
    )
    form = {"seconds": "{:.2g}", "seconds beside": "{:.2g}", "ratio": "{:.2g}"}
    return show(table, "Seconds, in one run on one thread", False, form=form)


def _reached(row, side):
    """Objective, average precision and K-L of a row of `ratios`, in words."""
    said = []
    for name, form in (("objective", ".2f"), ("average_precision", ".3f"), ("kl", ".4f")):
        value = row.get(side + name, np.nan)
        if not np.isnan(value):
            words = {"kl": "K-L", "average_precision": "precision"}.get(name, name)
            said.append(f"{words} {value:{form}}")
    return ", ".join(said)


def reached_less():
    """A sentence on the rows of `ratios` in which ours reached a worse value than the other."""
    table = ratios()
    table = table[table.ratio.notna() & (table.peer != ONE)]
    behind = []
    judged = 0
    for row in table.to_dict("records"):
        both = [
            (sign * (row[name] - row[f"peer_{name}"]), WORSE * abs(row[f"peer_{name}"]))
            for name, sign in (("objective", 1), ("average_precision", -1), ("kl", 1))
            if not np.isnan(row.get(name, np.nan)) and not np.isnan(row.get(f"peer_{name}", np.nan))
        ]
        judged += bool(both)
        if any(more > allowed for more, allowed in both):
            behind.append(f"{row['method']} on {row['dataset']}")
    return (
        f"Ours reached a value that is worse by more than {WORSE:.1%} in {len(behind)} of the "
        f"{judged} rows that have both: {'; '.join(behind) or 'none'}. There a ratio flatters ours."
    )


def show_threads():
    """Forests on two threads beside one: seconds, and the share of the ideal, half the time."""
    table = ratios()
    table = table[table.peer == ONE]
    shown = pd.DataFrame(
        {
            "data set": table.dataset,
            "method": table.method,
            "seconds on one": table.peer_seconds,
            "on two": table.seconds,
            "share of ideal": 1 / (2 * table.ratio),
        }
    )
    form = {"seconds on one": "{:.2f}", "on two": "{:.2f}", "share of ideal": "{:.2f}"}
    return show(shown, "Forests and cascades on two threads", False, form=form)


def show_startup():
    """How long the import, commands and the tests take, as `tools/startup.py` timed them."""
    table = _read("startup.csv", ["command", "seconds", "machine", "date"])
    shown = table[["command", "seconds"]]
    return show(shown, "Seconds until a command has ended", False, form={"seconds": "{:.3g}"})


def suite():
    """A sentence on the fit of MLDF's six cascades."""
    table = ratios()
    rows = table[table.method == SUITE]
    if rows.empty:
        return "MLDF for its six measures at once: not measured."
    row = rows.iloc[-1]
    return (
        f"All of MLDF, with reuse and for its six measures at once, takes {row.seconds / 60:.1f} "
        f"minutes on two threads on half of the rows of {row.dataset}."
    )


def show_growth(fits):
    """`growth` as a table: a row a method, largest n first."""
    table = growth(fits)
    rows = table[table["size"] == "n"].set_index(["task", "method"])
    shown = pd.DataFrame(
        {
            "task": [_TASKS[task] for task, _ in rows.index],
            "method": [method for _, method in rows.index],
            "most rows": rows.largest.to_numpy(),
            "seconds there": rows.seconds.to_numpy(),
            "to predict 1,000": rows.predict.to_numpy(),
            "MiB there": rows.bytes.to_numpy() / _MIB,
            "memory, slope in rows": rows.memory.to_numpy(),
        }
    )
    for size in SIZES:
        slopes = table[table["size"] == size].set_index(["task", "method"]).time
        shown[f"time, slope in {_SIZE_NAMES[size]}"] = slopes.reindex(rows.index).to_numpy()
    shown = shown.sort_values(["most rows", "seconds there"], ascending=[False, True])
    form = {name: "{:.1f}" for name in shown.columns if "slope" in name}
    form |= {"seconds there": "{:.2f}", "to predict 1,000": "{:.3f}"}
    form |= {"MiB there": "{:.0f}", "most rows": "{:,}"}
    caption = f"{len(shown)} methods with their defaults (synthetic data)"
    return show(shown, caption, False, form=form)


def show_large(fits):
    """Fits beyond the series of `growth`, as a table."""
    base = fits[["q", "c"]].min()
    large = fits[(fits[["q", "c"]] != base).all(axis=1)]
    shown = large[["method", *SIZES, "seconds"]].assign(GiB=(large.peak - large.held) / 2**30)
    shown = shown.rename(columns=_SIZE_NAMES)
    form = {"rows": "{:,}", "seconds": "{:.0f}", "GiB": "{:.2f}"}
    return show(shown, "Large fits on one thread (synthetic data)", False, form=form)


def picture(fits):
    """Seconds of a fit against rows, a line a method: coloured and named where a name has room."""
    if fits.empty:
        return nothing("Not run: python benchmarks/growth.py")
    fitted = fits[fits.outcome == FITTED]
    base = fits[["q", "c"]].min()
    size = {"figsize": (6.4, 8), "height_ratios": (3, 2), "layout": "constrained"}
    figure, axes = plt.subplots(2, 1, sharex=True, **size)
    for axis, (task, title) in zip(axes, _TASKS.items(), strict=True):
        mine = fitted[(fitted.task == task) & (fitted[["q", "c"]] == base).all(axis=1)]
        ends = []
        lines = dict(list(mine.sort_values("n").groupby("method")))
        for method, rows in lines.items():
            axis.plot(rows.n, rows.seconds, color="0.8", linewidth=1)
            ends.append((rows.n.iloc[-1], rows.seconds.iloc[-1], method))
        for i, (n, seconds, method) in enumerate(_apart(sorted(ends, key=_advised_first))):
            rows, colour = lines[method], f"C{i % 6}"
            axis.plot(rows.n, rows.seconds, "o-", color=colour, markersize=3, linewidth=1.5)
            place = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
            axis.annotate(method, (n, seconds), color=colour, fontsize=9, **place)
        axis.set(xscale="log", yscale="log", title=title, xlim=(800, 6e6))
        axis.set_ylabel("seconds of a fit, one thread")
    axes[-1].set_xlabel("rows")
    return figure


def _advised_first(end):
    return end[2] not in _ADVISED, end


def _apart(ends):
    """Of the ends of lines (n, seconds, name) those whose names do not lie over each other."""
    kept = []
    for n, seconds, name in ends:
        near = (abs(np.log10(n / m)) < 1 and abs(np.log10(seconds / s)) < 0.25
                for m, s, _ in kept)  # fmt: skip
        if not any(near):
            kept.append((n, seconds, name))
    return kept


def advice(fits):
    """Sentences in Markdown: what stays linear in the rows, and what needs their square."""
    table = growth(fits)
    rows = table[table["size"] == "n"]
    if rows.empty:
        return "Not run: `python benchmarks/growth.py`."
    linear = rows[(rows.time < LINEAR) & ~(rows.memory >= LINEAR)]
    square = rows[rows.memory >= LINEAR]
    most = rows[rows.largest == rows.largest.max()].sort_values("seconds")
    slow = most[most.predict > 1]
    later = "".join(
        f" {r.method} searches when it predicts: a thousand rows take {r.predict:.1f} seconds."
        for r in slow.itertuples()
    )
    return "\n".join(
        (
            f"- **Time to fit linear in the rows**, as far as run (slope below {LINEAR}): "
            f"{_named(linear)}. Of these, two sizes alone took long enough to tell: "
            f"{_named(linear[linear.fits == 2])}.",
            f"- **Memory grows faster than the rows**: {_named(square)}.",
            f"- **{rows.largest.max():,} rows fitted within the limit**: {_named(most)}.{later}",
        )
    )


def _named(rows):
    return ", ".join(rows.method) or "none"


def made(table):
    """Machine and date of measured rows, as text."""
    if table.empty or "machine" not in table:
        return ""
    dates = " to ".join(dict.fromkeys((table.date.min(), table.date.max())))
    return f"{', '.join(table.machine.unique())}; {dates}"
