"""Unverified copies that a user has accepted: files that were saved again have other digests.

They are recorded beside the downloads, by file and sha256; nothing else passes.
"""

import csv
from datetime import date

from ldlrepro import paths

_COLUMNS = ("file", "sha256", "accepted")


def path():
    """Where they are recorded."""
    return paths.downloads() / "unverified.csv"


def digests(file):
    """Every sha256 that was accepted in place of a registered file."""
    paths.check_file(path())
    try:
        with open(path(), newline="", encoding="utf-8") as rows:
            return {row["sha256"] for row in csv.DictReader(rows) if row["file"] == file}
    except FileNotFoundError:
        return set()


def add(file, sha256):
    """Record a copy."""
    path().parent.mkdir(parents=True, exist_ok=True)
    paths.check_file(path())
    new = not path().exists()
    with open(path(), "a", newline="", encoding="utf-8") as rows:
        writer = csv.writer(rows)
        if new:
            writer.writerow(_COLUMNS)
        writer.writerow([file, sha256, date.today().isoformat()])
