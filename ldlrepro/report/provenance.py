"""Where numbers come from: names of data sets by source, what was not run, machines, versions."""

import pandas as pd

from ldlrepro.datasets import is_current
from ldlrepro.report.tables import show


def display_names(records, datasets, registry, copies=()):
    """Names for tables: a re-aligned or synthetic set or an unverified copy is always named so.

    Parameters
    ----------
    records : DataFrame
        Records with dataset and source.
    datasets : iterable of str
        Registry names.
    registry : DataFrame
        It has name and display (``datasets.list()``).
    copies : iterable of str
        Data sets of which other records come from an unverified copy.

    Returns
    -------
    dict
        Registry name -> name in tables.
    """
    plain = registry.set_index("name")["display"]
    form = {
        "real": "{}",
        "unverified": "{} (unverified copy)",
        "realigned": "{} (re-aligned)",
        "synthetic": "synthetic stand-in for {}",
    }
    source = records.groupby("dataset")["source"].first().to_dict()
    source |= dict.fromkeys([*unverified(records), *copies], "unverified")
    return {d: form[source.get(d, "real")].format(plain[d]) for d in datasets}


def excluded(records):
    """Data sets that no total counts: those that are not the original files."""
    return sorted({*records[records.source != "real"].dataset, *unverified(records)})


def unverified(records):
    """Data sets of which some records were made from a copy that the user has accepted."""
    if "data_sha256" not in records:
        return []
    return [
        name
        for name, digests in records[records.source == "real"].groupby("dataset")["data_sha256"]
        if (is_current(name, digests) & ~is_current(name, digests, unverified=False)).any()
    ]


def state(status, names, paper, which="Every data set"):
    """Text on what was not run and what is stale, with the command that runs it.

    Parameters
    ----------
    status : list of dict
        Rows of `protocols.status`.
    which : str
        Data sets these are, where nothing is lacking.
    """
    frame = pd.DataFrame(status)
    groups = frame.groupby(["dataset", "experiment"], sort=False)[["done", "stale", "total"]].sum()
    lacking = {}
    for (dataset, experiment), row in groups.iterrows():
        if row.stale:
            what = f"{row.stale} of {row.total} records are STALE (made by other code)"
        elif row.done < row.total:
            what = "not run" if row.done == 0 else f"{row.total - row.done} of {row.total} not run"
        else:
            continue
        lacking.setdefault((dataset, what), []).append(experiment)
    lines = []
    for (dataset, what), experiments in lacking.items():
        lines.append(f"{names.get(dataset, dataset)}: {what} ({', '.join(experiments)})")
        only = f" --experiment {experiments[0]}" if len(experiments) == 1 else ""
        lines.append(f"    to run: ldlrepro run {paper} --dataset {dataset}{only}")
    return "\n".join(lines) or f"{which} was run, and no record is stale."


def provenance(records):
    """One row a machine and set of versions: fits, data sets and minutes of fitting.

    Parameters
    ----------
    records : dict
        Experiment -> records.
    """
    # A staged fit has a record for each stage.
    fits = pd.concat(records.values()).drop_duplicates(
        ["experiment", "dataset", "method", "seed", "fold"]
    )
    rows = fits.assign(
        versions=fits.versions.map(
            lambda v: ", ".join(f"{name} {number}" for name, number in sorted(v.items()))
        )
    )
    groups = rows.groupby(["machine", "versions"], sort=False)
    return pd.DataFrame(
        {
            "machine": machine,
            "versions": versions,
            "fits": len(mine),
            "data sets": mine.dataset.nunique(),
            "minutes of fitting": mine.fit_seconds.sum() / 60,
        }
        for (machine, versions), mine in groups
    )


def show_provenance(records):
    """``provenance`` as an HTML table.

    Parameters
    ----------
    records : DataFrame
        Records of an experiment.

    Returns
    -------
    HTML
        A row an experiment.

    See Also
    --------
    ldlrepro.papers.open_chapter : Reads the records.
    """
    return show(provenance(records), "All records of this chapter", False, form="{:.1f}")
