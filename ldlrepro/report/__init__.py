"""Tables, plots and verdicts for the notebooks: rows in, something to look at out."""

from ldlrepro.report.plots import all_cells, curves, style
from ldlrepro.report.provenance import apart, display_names, provenance, state
from ldlrepro.report.tables import (
    agreement,
    cells,
    nearest_settings,
    published_cells,
    show,
    side_by_side,
    summary,
)

__all__ = [
    "agreement",
    "all_cells",
    "apart",
    "cells",
    "curves",
    "display_names",
    "nearest_settings",
    "provenance",
    "published_cells",
    "show",
    "side_by_side",
    "state",
    "style",
    "summary",
]
