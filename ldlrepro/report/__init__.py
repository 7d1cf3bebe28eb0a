"""Tables, plots and verdicts for the notebooks: rows in, something to look at out."""

from ldlrepro.report.compare import (
    critical_difference,
    head_to_head,
    ratios,
    tally,
)
from ldlrepro.report.pictures import one_distribution, one_search, one_split
from ldlrepro.report.plots import all_cells, curves, savings, step_process, style
from ldlrepro.report.provenance import apart, display_names, provenance, state
from ldlrepro.report.tables import (
    agreement,
    by_data_set,
    cells,
    declared,
    fixed_settings,
    nearest_settings,
    printed_rows,
    published_cells,
    show,
    side_by_side,
    summary,
    with_settings,
)

__all__ = [
    "agreement",
    "all_cells",
    "apart",
    "by_data_set",
    "cells",
    "critical_difference",
    "curves",
    "declared",
    "display_names",
    "fixed_settings",
    "head_to_head",
    "nearest_settings",
    "one_distribution",
    "one_search",
    "one_split",
    "printed_rows",
    "provenance",
    "published_cells",
    "ratios",
    "savings",
    "show",
    "side_by_side",
    "state",
    "step_process",
    "style",
    "summary",
    "tally",
    "with_settings",
]
