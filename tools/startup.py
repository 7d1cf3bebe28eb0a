"""How long a user waits for the import, the command line and the tests.

    .venv/bin/python tools/startup.py

Times each command in processes of its own and writes data/results/startup.csv, which the book's
page on speed shows. Of the short commands the least of seven times counts, of `status` after a
change the least of three, each after one that is not counted; `make test` runs once. The machine
should have nothing else to do.
"""

import argparse
import csv
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from ldlrepro.protocols.environment import machine

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "ldlrepro"]
#: What `status` does where nothing is kept from the call before.
ANEW = (
    "from ldlrepro import papers, protocols\n"
    "for paper in papers.get_papers({names}): protocols.status(paper)"
)
#: What stands in the table: (words, command, how often it is timed).
TIMED = (
    ("import ldlrepro", [sys.executable, "-c", "import ldlrepro"], 7),
    ("import ldlrepro, all names", [sys.executable, "-c", "from ldlrepro import *"], 7),
    ("ldlrepro --help", [*COMMAND, "--help"], 7),
    ("ldlrepro data list", [*COMMAND, "data", "list"], 7),
    ("ldlrepro status structrf", [*COMMAND, "status", "structrf"], 7),
    (
        "ldlrepro status structrf, after a change",
        [sys.executable, "-c", ANEW.format(names=["structrf"])],
        3,
    ),
    ("ldlrepro status", [*COMMAND, "status"], 7),
    (
        "ldlrepro status, after a change",
        [sys.executable, "-c", ANEW.format(names=None)],
        3,
    ),
    ("make test", ["make", "test"], 1),
)


def seconds(command, times):
    """The least wall time of a command in seconds; RuntimeError where it fails."""
    found = []
    for _ in range(times + (times > 1)):
        start = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        found.append(time.perf_counter() - start)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return min(found[times > 1 :])


def main():
    """Time all commands, or all but the tests, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out `make test`")
    wanted = TIMED[:-1] if parser.parse_args().quick else TIMED
    made = {"machine": machine(), "date": date.today().isoformat()}
    rows = [{"command": w, "seconds": f"{seconds(c, n):.3g}"} | made for w, c, n in wanted]
    path = ROOT / "data" / "results" / "startup.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
