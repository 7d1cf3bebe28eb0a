"""How numbers are made: folds, selection, the runner and the store of records."""

from ldlrepro.protocols.runner import PROFILES, get_paper, open_store, paper_names, run, status
from ldlrepro.protocols.studies import study

__all__ = ["PROFILES", "get_paper", "open_store", "paper_names", "run", "status", "study"]
