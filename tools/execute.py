"""Execute notebooks where they are stored, and keep their outputs. No network.

    python tools/execute.py notebooks/structrf.ipynb book/intro.ipynb

`ldlrepro notebooks` writes copies elsewhere. This replaces the notebooks that tests and book read.
Nothing is replaced by a notebook with a cell that failed, and no stored picture of real data by one
of a synthetic stand-in: set LDLREPRO_DATA to draw those again.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from ldlrepro.protocols.store import write_whole
from ldlrepro.report.plots import ON_STANDIN


def execute(path):
    """Execute one notebook in its folder, without the times of its cells."""
    made, stored = (nbformat.read(path, as_version=4) for _ in range(2))
    folder = {"metadata": {"path": str(path.parent)}}
    # What a cell prints is one output, however the kernel sends it.
    options = {"record_timing": False, "coalesce_streams": True}
    NotebookClient(made, timeout=None, resources=folder, **options).execute()
    for new, old in zip(made.cells, stored.cells, strict=True):
        if on_standin(new) and old.outputs and not on_standin(old):
            new.outputs = old.outputs
            print(f"{path}: no data, so {new.source.splitlines()[0]} keeps its stored picture")
    write_whole(path, nbformat.writes(made) + "\n")


def on_standin(cell):
    """Whether a cell shows a picture of a synthetic stand-in."""
    texts = (one.get("data", {}).get("text/plain", "") for one in cell.get("outputs", []))
    return any(ON_STANDIN in text for text in texts)


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("Which notebooks? For example: python tools/execute.py notebooks/structrf.ipynb")
    for name in sys.argv[1:]:
        execute(Path(name))
