"""Every directory the project reads or writes, in one place."""

import os
from pathlib import Path

from ldlrepro.errors import NoFileError, UnknownFolderError

PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = PACKAGE.parent
IN_CHECKOUT = (_CHECKOUT / "data" / "datasets.csv").is_file()

#: Registry and published numbers: the checkout's, or the copies inside an installed wheel.
DATA = _CHECKOUT / "data" if IN_CHECKOUT else PACKAGE / "_data"
REGISTRY = DATA / "datasets.csv"
PUBLISHED = DATA / "published"
#: All of them in a checkout; in a wheel the one for a user's own methods and data.
NOTEBOOKS = (_CHECKOUT if IN_CHECKOUT else DATA) / "notebooks"


def named(variable) -> Path | None:
    """Path that an environment variable names, absolute; one that is empty counts as not set."""
    text = os.environ.get(variable)
    return expanded(text).absolute() if text else None


def expanded(path) -> Path:
    """A path with the user's folder for ``~``; with ``~`` as it is where nobody has that name."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def settle():
    """Make what the environment names absolute: what is started from here may run elsewhere."""
    for variable in ("LDLREPRO_RESULTS", "LDLREPRO_DATA"):
        if named(variable):
            os.environ[variable] = str(named(variable))


def results() -> Path:
    """Folder of the committed records (``LDLREPRO_RESULTS`` moves it)."""
    default = _CHECKOUT / "data" / "results" if IN_CHECKOUT else Path.cwd() / "results"
    return _for_records(named("LDLREPRO_RESULTS") or default)


def shipped_results() -> Path:
    """Folder of the records that `compare` sets methods beside: the committed ones, or copies."""
    return results() if IN_CHECKOUT else DATA / "results"


def known_results() -> list[Path]:
    """Folders of records that count as there: the user's, and those that are installed."""
    return list(dict.fromkeys([results(), shipped_results()]))


def quick_results() -> Path:
    """Folder of the quick profile's records: synthetic, never committed."""
    return (_CHECKOUT if IN_CHECKOUT else Path.cwd()) / "_build" / "quick-results"


def results_of_seed(seed, profile) -> Path:
    """Folder of records of another seed than the declared ones: where the user works."""
    name = f"seed-{seed}{'' if profile == 'paper' else '-quick'}"
    return _for_records(Path.cwd() / "ldlrepro-records" / name)


def _for_records(folder):
    """A folder that may still be missing; UnknownFolderError where it cannot be made."""
    if why := obstacle(folder):
        raise UnknownFolderError(
            f"Records belong in the folder {folder}, and {why}. Move it away, or "
            "name another folder (LDLREPRO_RESULTS names that of the papers' records)."
        )
    return folder


def check_results():
    """Raise UnknownFolderError where ``LDLREPRO_RESULTS`` names a folder that is not there."""
    if named("LDLREPRO_RESULTS") and not results().is_dir():
        raise UnknownFolderError(
            f"LDLREPRO_RESULTS names {str(results())!r}, which does not exist. Set it to the "
            "folder that holds your records, or unset it. `ldlrepro run` makes the folder."
        )


def obstacle(folder) -> str | None:
    """What is in a folder's place, as text: a file, or a link to nothing; None without any."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if os.path.isdir(there):
        return None
    if os.path.exists(there):
        return f"{there} is no folder"
    return f"{there} is a link to {os.readlink(there)}, which does not exist"


def target(path) -> Path:
    """The file that a path means for writing: of a symbolic link, what it points to."""
    return Path(os.path.realpath(expanded(path)))


def is_short(path) -> bool:
    """Whether a file can be written under a name: a longer one stands beside it meanwhile."""
    return len(os.fsencode(Path(path).name)) <= 240


def check_file(path):
    """Raise NoFileError where something else is in a file's place: a FIFO would be waited for."""
    if os.path.exists(path) and not os.path.isfile(path):
        what = "a folder" if os.path.isdir(path) else "a FIFO, a socket or a device"
        raise NoFileError(
            f"{path} is {what}, and a file belongs there. Move it away, or name a file."
        )


def cache() -> Path:
    """Folder for what is made again where it is lost."""
    return _CHECKOUT / "_build" / "cache" if IN_CHECKOUT else _of_user()


def downloads() -> Path:
    """Folder that downloads are kept in."""
    return _CHECKOUT / "data" / "raw" if IN_CHECKOUT else _of_user()


def _of_user():
    from platformdirs import user_cache_path

    return user_cache_path("ldlrepro")


def local_copies() -> Path | None:
    """Folder of local copies that the user named in ``LDLREPRO_DATA``, or None.

    Raises
    ------
    UnknownFolderError
        It is not there: files would be fetched, or missed, that the user has.
    """
    folder = named("LDLREPRO_DATA")
    if folder and not folder.is_dir():
        raise UnknownFolderError(
            f"LDLREPRO_DATA names {str(folder)!r}, which is not a folder. Set it to the folder "
            "that holds your copies of the data, or unset it to use the downloads alone."
        )
    return folder
