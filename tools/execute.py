"""Execute notebooks where they are stored, and keep their outputs. No network.

    python tools/execute.py notebooks/structrf.ipynb book/intro.ipynb

`ldlrepro notebooks` writes copies elsewhere. This replaces the notebooks that tests and book read.
Nothing is replaced by a notebook with a cell that failed.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from ldlrepro.protocols.store import write_whole


def execute(path):
    """Execute one notebook in its folder, without the times of its cells."""
    made = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(made, timeout=None, record_timing=False, resources=folder).execute()
    write_whole(path, nbformat.writes(made) + "\n")


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("Which notebooks? For example: python tools/execute.py notebooks/structrf.ipynb")
    for name in sys.argv[1:]:
        execute(Path(name))
