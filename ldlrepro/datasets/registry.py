"""The registry ``data/datasets.csv``: what is known about each data file, and the names."""

import csv
import difflib
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from ldlrepro import paths
from ldlrepro.datasets import accepted
from ldlrepro.errors import UnknownNameError

_COUNTS = ("n", "features", "labels")
#: Labels of s-JAFFE in the order of JAFFE's ratings: row 0 is 2.87 2.52 2.10 1.97 1.97 2.06, the
#: ratings of its first picture, divided by their sum.
EMOTIONS = ("happiness", "sadness", "surprise", "anger", "disgust", "fear")
#: Names of labels that files do not bring. The ARFF files of `image` only number them; these are
#: the names in the archive of the images, whose targets agree with them row by row. SCUT-FBP has
#: the shares of the rates from 1 to 5.
LABELS = {
    "SJAFFE": EMOTIONS,
    "SCUT_FBP": tuple(f"rate {k}" for k in range(1, 6)),
    "image": ("desert", "mountains", "sea", "sunset", "trees"),
}


@dataclass(frozen=True)
class Entry:
    """One row of the registry, that is, one file.

    ``n``, ``features`` and ``labels`` are None where they are not known, and the other fields
    are empty strings. ``part`` is "train" or "test" for files that are joined into one set,
    "realigned" for the substitute of a set, and otherwise empty.
    """

    name: str
    display: str
    task: str
    part: str
    n: int | None
    features: int | None
    labels: int | None
    file: str
    url: str
    sha256: str
    git_blob_sha1: str
    aliases: str
    citation: str
    licence: str

    @property
    def expected(self):
        """Pair (kind, hexadecimal digest) that the file must have; sha256 where it is known.

        The digest is empty where none is known: such a file is judged by its shape.
        """
        if self.sha256:
            return "sha256", self.sha256
        return "git blob id", self.git_blob_sha1


@lru_cache(maxsize=1)
def entries():
    """All rows of the registry, as a tuple of `Entry` in file order."""
    with open(paths.REGISTRY, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.update({key: int(row[key]) if row[key] else None for key in _COUNTS})
    return tuple(Entry(**row) for row in rows)


def names(task=None):
    """Names of the registered data sets, in registry order.

    Parameters
    ----------
    task : {"ldl", "multilabel", "images"} or None
        Only the sets of this kind; None gives all.

    Returns
    -------
    list of str
        Names that `load` takes.

    See Also
    --------
    list : A table of the sets.
    resolve : The name of any spelling.
    """
    return list(dict.fromkeys(e.name for e in entries() if task in (None, e.task)))


def key(name):
    """``name`` in lower case without spaces and punctuation: the form in which names compare."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())


@lru_cache(maxsize=1)
def _known():
    known = {}
    for entry in entries():
        for name in (entry.name, entry.display, *entry.aliases.split(";")):
            if name:  # the first row wins: the original stands before its substitute
                known.setdefault(key(name), entry)
    return known


def with_display_names(text):
    """A text with the papers' names of data sets where it has those of the registry."""
    other = {e.name: e.display for e in reversed(entries()) if e.name != e.display}
    names = "|".join(map(re.escape, other))
    return re.sub(rf"\b({names})\b", lambda found: other[found[1]], text)


def resolve(name):
    """Registry name of ``name``: any case, any punctuation, any alias.

    Parameters
    ----------
    name : str
        Any spelling, "s-JAFFE" for example.

    Returns
    -------
    str
        The name in the registry, "SJAFFE".

    Raises
    ------
    UnknownNameError
        With the nearest names, where there is no such data set.

    See Also
    --------
    names : All names.
    """
    return resolve_entry(name).name


def resolve_entry(name):
    """Return the `Entry` that ``name`` stands for; for a joined set, one of its parts."""
    known = _known()
    if key(name) in known:
        return known[key(name)]
    near = difflib.get_close_matches(key(name), known, n=5, cutoff=0.5)
    near = list(dict.fromkeys(known[k].name for k in near))
    hint = f"Did you mean {', '.join(near)}?" if near else f"Known: {', '.join(names())}."
    raise UnknownNameError(f"There is no data set named {str(name)!r}. {hint}")


def parts(name):
    """Entries of the files that make up the set ``name``, without a re-aligned substitute."""
    name = resolve(name)
    return [e for e in entries() if e.name == name and e.part != "realigned"]


def realigned(name):
    """Entry of the re-aligned file of the set ``name``, or None."""
    name = resolve(name)
    return next((e for e in entries() if e.name == name and e.part == "realigned"), None)


def locate(entry):
    """Path of the file of ``entry`` where one is at hand, or None; nothing is verified.

    The folder of ``LDLREPRO_DATA`` comes first, then the downloads.
    """
    folders = [paths.local_copies(), paths.downloads()]
    places = [folder / entry.file for folder in folders if folder is not None]
    return next((place for place in places if place.is_file()), None)


def is_current(name, sha256, unverified=True):
    """Which digests a set can have by the registry.

    Any is taken where the registry does not know the sha256 of a file.

    Parameters
    ----------
    name : str
        Name in the registry.
    sha256 : pandas.Series of str
        Digests that records carry.
    unverified : bool
        Whether to take those of copies too that the user has accepted.

    Returns
    -------
    pandas.Series of bool
        Whether the set can have this digest.

    See Also
    --------
    fetch : Verifies files by the same digests.
    """
    name = resolve(name)
    known = {e.sha256 for e in entries() if e.name == name}
    of_parts = [
        {p.sha256} | (accepted.digests(p.file) if unverified else set()) for p in parts(name)
    ]
    known |= {d[0] if len(d) == 1 else joined_digest(d) for d in product(*of_parts)}
    if name == "image":  # put right by the re-aligned file: see `load`
        digests = (joined_digest(p.sha256 for p in parts(name)), realigned("Natural_Scene").sha256)
        known.add(joined_digest(digests))
    return sha256.isin(known) | ("" in known)


def joined_digest(digests):
    """sha256 of what is made from several files: of their digests, written one after the other."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()
