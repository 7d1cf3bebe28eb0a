"""Names of `ldlrepro.protocols`: each is imported at its first use."""

from .papers import PROFILES, get_paper, paper_name, paper_names
from .runner import run
from .state import open_store, read, status
from .studies import study

__all__ = [
    "PROFILES",
    "get_paper",
    "open_store",
    "paper_name",
    "paper_names",
    "read",
    "run",
    "status",
    "study",
]
