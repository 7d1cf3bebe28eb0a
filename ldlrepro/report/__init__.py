"""Tables, figures and verdicts for the notebooks: records in, something to look at out.

What all chapters share is here; what one paper alone shows is in its own package. Functions return
numbers, as a rule a frame of them; those called ``show_`` and more make HTML of it.
"""

from ldlrepro.report.chapter import Chapter
from ldlrepro.report.claims import show_claims, show_headlines
from ldlrepro.report.compare import show_head_to_head, tally
from ldlrepro.report.departures import show_departures
from ldlrepro.report.provenance import show_provenance
from ldlrepro.report.rounding import show_rounding
from ldlrepro.report.settings import fixed_settings, show_nearest, with_settings
from ldlrepro.report.tables import (
    agreement,
    printed_rows,
    published_cells,
    show,
    show_by_fives,
    show_each_data_set,
    show_identities,
    summary,
)
from ldlrepro.report.yardstick import confusion_of, confusion_picture, skill_picture

__all__ = [
    "Chapter",
    "agreement",
    "confusion_of",
    "confusion_picture",
    "fixed_settings",
    "printed_rows",
    "published_cells",
    "show",
    "show_by_fives",
    "show_claims",
    "show_departures",
    "show_each_data_set",
    "show_head_to_head",
    "show_headlines",
    "show_identities",
    "show_nearest",
    "show_provenance",
    "show_rounding",
    "skill_picture",
    "summary",
    "tally",
    "with_settings",
]
