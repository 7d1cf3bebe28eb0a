"""Named errors and warnings; each message says what is wrong, where, and what to do."""

import sys


def outside():
    """``stacklevel`` of a warning that names the line outside of this package that led to it."""
    level, frame = 1, sys._getframe(1)
    package = __name__.partition(".")[0]
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level


class LdlreproError(Exception):
    """Base of the errors that this package raises on purpose."""

    def _render_traceback_(self):
        """What a notebook shows: the message, which is for people, and no traceback."""
        return [f"{type(self).__name__}: {self}"]


class UnknownNameError(LdlreproError, KeyError, ValueError):
    """A data set, paper, method or measure that does not exist."""

    def __str__(self):
        return self.args[0] if self.args else ""


def unknown(what, name, known):
    """UnknownNameError for a ``name`` that is none of those ``known``, with the nearest of them."""
    from difflib import get_close_matches

    known = list(map(str, known))
    lower = {one.lower(): one for one in known}
    near = isinstance(name, str) and get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    if not known:
        return UnknownNameError(f"No {what} {name!r}: it has none.")
    there = f". Did you mean {lower[near[0]]}? There are" if near else "; there are"
    return UnknownNameError(f"No {what} {name!r}{there}: {', '.join(known)}.")


class DataUnavailableError(LdlreproError, OSError):
    """A data file is neither at hand nor to be fetched."""


class UnknownFolderError(LdlreproError, OSError):
    """A folder that a setting names does not exist."""


class NoFileError(LdlreproError, OSError):
    """A folder, a FIFO or a socket is in the place of a file."""


class DataCorruptError(LdlreproError, ValueError):
    """A data file is damaged, cut short, or another file than the one named."""


class RecordDamagedWarning(UserWarning):
    """A record file held rows that could not be read; they were set aside."""


class UnverifiedCopyWarning(UserWarning):
    """A data file is not the registered one; the user has accepted it."""


class NormalisationWarning(UserWarning):
    """Rows of D did not sum to 1 and were normalised."""


class RowNamesWarning(UserWarning):
    """Two tables name their rows differently, and were paired by position."""


class ProjectedWarning(UserWarning):
    """Predictions of a foreign estimator were off the simplex and were put on it."""


class SettingsWarning(UserWarning):
    """Settings under which a method is known to predict badly."""


class TooLargeError(LdlreproError, MemoryError):
    """A method needs more memory for its data than is free; the message says how much."""


def command_for(extra):
    """The command that installs an extra of this package: no index has it."""
    return f"pip install -e '.[{extra}]', in a clone of this project"


class MissingPackageError(LdlreproError, ImportError):
    """A package of an extra is not installed."""
