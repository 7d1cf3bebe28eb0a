"""Names of `ldlrepro.protocols`: each is imported at its first use."""

from .runner import run
from .state import open_store, read, status
from .studies import study

__all__ = [
    "open_store",
    "read",
    "run",
    "status",
    "study",
]
