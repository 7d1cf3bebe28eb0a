"""What a run of the chapters takes: hours by the records, memory of a fit, data and their terms."""

import pandas as pd

from ldlrepro import memory, paths, protocols
from ldlrepro.datasets import registry
from ldlrepro.papers import get_papers
from ldlrepro.protocols.state import fits_of
from ldlrepro.report.tables import show

_FIT = """
from ldlrepro import StructRF
from ldlrepro.datasets import make_standin
data = make_standin(sys.argv[1])
StructRF(10, random_state=0).fit(data.X, data.D)
report()
"""


def fits():
    """Every recorded fit: paper, title, machine, seconds with the choice of parameters.

    A choice costs fits on the grid before the one that is recorded (`state.fits_of`); those are
    counted at the seconds of the recorded one. Borrowed records count where they are held.
    """
    frames = []
    for paper in get_papers():
        for experiment in paper.experiments:
            # A staged fit has a record for each stage.
            one = protocols.open_store(paper, experiment).read()
            one = one.drop_duplicates(["dataset", "method", "seed", "fold"])
            times = {m.name: fits_of(m) for m in experiment.methods}
            one = one[one.method.isin(times.keys())]
            seconds = (one.fit_seconds + one.predict_seconds) * one.method.map(times)
            frames.append(one.assign(paper=paper.name, title=paper.title, seconds=seconds))
    return pd.concat(frames)[["paper", "title", "dataset", "machine", "seconds"]]


def show_hours(every):
    """`fits` as a table: hours of one core for each chapter."""
    groups = every.groupby(["paper", "title"], sort=False).seconds
    table = groups.agg(fits="size", hours="sum", longest="max").reset_index()
    table = table.assign(hours=table.hours / 3600, longest=table.longest / 60)
    table.loc[len(table)] = ["all", "", len(every), table.hours.sum(), table.longest.max()]
    table = table.rename(columns={"longest": "longest job, minutes"})
    caption = "Hours of one core, by the seconds in the records"
    form = {"hours": "{:.1f}", "longest job, minutes": "{:.1f}"}
    return show(table, caption, False, form=form, folded=False)


def show_machines(every):
    """The machines of `fits`."""
    hours = every.groupby("machine", sort=False).seconds.sum().div(3600).rename("hours")
    return show(hours.reset_index(), "On these machines", False, form="{:.1f}")


def show_recompute():
    """The last recompute of all records, by the clock: its parts with minutes, and their sum."""
    parts = pd.read_csv(paths.results() / "recompute.csv", dtype={"jobs": str})
    table = parts.assign(hours=parts.minutes / 60).drop(columns="minutes")
    table.loc[len(table)] = ["all", "", "", "", table.hours.sum()]
    table = table.rename(columns={"jobs": "jobs at a time"})
    caption = "All records computed again, by the clock"
    return show(table, caption, False, form={"hours": "{:.1f}"}, folded=False)


def show_memory(names):
    """Peak memory of a process that fits ten trees of StructRF to stand-ins of some sizes."""
    rows = []
    for name in names:
        entry = registry.parts(name)[0]
        _, peak = memory.peak(_FIT, name)
        size = f"{entry.n} x {entry.features}"
        rows.append({"data set": entry.display, "size": size, "GiB": peak / 2**30})
    caption = "Peak memory of a process that fits ten trees (synthetic stand-ins of these sizes)"
    return show(pd.DataFrame(rows), caption, False, form="{:.2f}")


def show_disk():
    """Megabytes of what a clone has of records and of printed numbers."""
    folders = {"records": paths.results(), "printed numbers": paths.PUBLISHED}
    rows = [
        {"what": what, "MB": sum(p.stat().st_size for p in folder.rglob("*.csv")) / 1e6}
        for what, folder in folders.items()
    ]
    return show(pd.DataFrame(rows), "Text files of a clone", False, form="{:.1f}")


def show_terms():
    """Source and licence of every data set, as far as they are known."""
    table = pd.DataFrame(
        {
            "data set": entry.display,
            "to be cited": entry.citation,
            "licence; public copy": f"{entry.licence}; {_copy(entry.url)}",
        }
        for entry in registry.entries()
    ).drop_duplicates()
    same = ["to be cited", "licence; public copy"]
    names = table.groupby(same, sort=False)["data set"]
    table = names.agg(lambda found: ", ".join(dict.fromkeys(found))).reset_index()
    return show(table[["data set", *same]], "Terms of the data", False)


def _copy(url):
    """Owner and name of the repository on GitHub that serves a file."""
    return "/".join(url.split("/")[3:5]) or "no address"
