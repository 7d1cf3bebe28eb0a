"""How numbers are made: folds, selection, the runner and the store of records."""

from ldlrepro.protocols.runner import get_paper, open_store, run, status

__all__ = ["get_paper", "open_store", "run", "status"]
