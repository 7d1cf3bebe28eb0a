"""How numbers are made, kept and proved: jobs, the runner, the store of records, verification."""

from ldlrepro.protocols.runner import run
from ldlrepro.protocols.state import PROFILES, get_paper, open_store, paper_names, read, status
from ldlrepro.protocols.studies import study

__all__ = ["PROFILES", "get_paper", "open_store", "paper_names", "read", "run", "status", "study"]
