"""Data files: where they lie, whether they are the right ones, and how they get here."""

import hashlib
import http.client
import os
import tempfile
import threading
import time
import warnings
from functools import lru_cache
from pathlib import Path

import requests
import urllib3
from tqdm import TqdmWarning, tqdm

from ldlrepro import paths
from ldlrepro.datasets import accepted, registry
from ldlrepro.datasets.registry import locate
from ldlrepro.errors import DataCorruptError, DataUnavailableError, UnverifiedCopyWarning

with warnings.catch_warnings():
    # In notebooks pooch asks for widgets, which nothing here shows.
    warnings.simplefilter("ignore", TqdmWarning)
    import pooch

ATTEMPTS = 3
BACKOFF = 1.0  # seconds before the second attempt; doubled before each further one
TIMEOUT = (5, 30)  # seconds to connect, and between two pieces of the answer
TOTAL_SECONDS = 1800  # of one download
TOTAL_BYTES = 2**30
PROBE_SECONDS = 4
#: What a failed exchange ends in. A malformed answer gets past what requests wraps: a length that
#: is no number or a redirect to no address is a plain ValueError, for one.
FAULTS = (
    requests.exceptions.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    ValueError,
)


class _LimitError(requests.exceptions.RequestException):
    """A download is larger, or takes longer, than any file of the registry may."""


class _Bar(tqdm):
    """A bar that ends a download which is too large."""

    def __bool__(self):  # pooch asks; without a total, tqdm says no, and nothing would be counted
        return True

    def update(self, n=1):
        if max(self.n + n, self.total) > TOTAL_BYTES:
            raise _LimitError(f"more than {TOTAL_BYTES:,} bytes")
        return super().update(n)


def transport(url, target):
    """Download ``url`` into the file ``target``; tests put another function in its place."""
    faults = []

    def run():
        # Wiped also where the download breaks off, so that a message has a line of its own.
        try:
            with _Bar(total=0, unit="B", unit_scale=True, ncols=79, ascii=True, leave=False) as bar:
                pooch.HTTPDownloader(progressbar=bar, timeout=TIMEOUT)(url, str(target), None)
        except Exception as error:
            faults.append(error)

    # A thread, because a server that sends a byte now and then never meets a time-out.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(TOTAL_SECONDS)
    if thread.is_alive():
        raise _LimitError(f"not finished after {TOTAL_SECONDS} seconds")
    if faults:
        raise faults[0]


@lru_cache(maxsize=256)
def _digests(path, size, mtime_ns):
    content = Path(path).read_bytes()
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "git blob id": hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(),
    }


def digests(path):
    """Both digests of a file, as ``{"sha256": ..., "git blob id": ...}``.

    The git blob id is sha1 of ``"blob <bytes>\\0"`` and the content. A file is read again only
    when its size or its time of change has changed.
    """
    status = os.stat(path)
    return _digests(str(path), status.st_size, status.st_mtime_ns)


def verify(path, entry):
    """Return the sha256 of the file ``path``, having compared it with the registry.

    Where the registry has no digest any file passes; its shape is checked when it is loaded.

    Raises
    ------
    DataCorruptError
        With the path, both digests and the remedy.
    """
    kind, expected = entry.expected
    found = digests(path)
    if expected and found[kind] != expected:
        if found["sha256"] in accepted.digests(entry.file):
            text = f"{path} is an unverified copy of {entry.file}, accepted in {accepted.path()}."
            warnings.warn(text, UnverifiedCopyWarning, stacklevel=2)
            return found["sha256"]
        remedy = "Put a good copy in its place."
        if entry.url:
            remedy = f"Delete it and run `ldlrepro data fetch {entry.name}`."
        remedy += f" If you know that it was only saved again: `ldlrepro data accept {entry.name}`."
        raise DataCorruptError(
            f"{path} is damaged, cut short or another file: its {kind} is {found[kind]}, "
            f"expected {expected} ({entry.name}). {remedy}"
        )
    return found["sha256"]


def is_unverified(entry):
    """Whether the file at hand is a copy that was accepted, and not the registered file."""
    path, (kind, expected) = locate(entry), entry.expected
    return path is not None and bool(expected) and digests(path)[kind] != expected


def unavailable(entry, reason):
    """Return the error that tells how to get the file of ``entry`` by hand."""
    kind, digest = entry.expected
    if entry.url:
        known = f"Address: {entry.url} {kind}: {digest}."
    elif digest:
        known = f"It has no public address. {kind}: {digest}."
    else:
        known = f"No address that serves the file itself is known. Its source: {entry.citation}."
    message = (
        f"{entry.display} ({entry.file}) is not at hand: {reason}. {known} "
        f"Put the file at {paths.downloads() / entry.file}, or at "
        f"{entry.file} inside the folder that LDLREPRO_DATA names."
    )
    if entry.features and entry.labels:
        message += " For a labelled synthetic stand-in ask for source='synthetic'."
    return DataUnavailableError(message)


def obtain(entry):
    """Path of the verified file of ``entry``, downloaded where it is not at hand.

    Raises
    ------
    DataCorruptError, DataUnavailableError
    """
    path = locate(entry)
    if path is None:
        # Without a network a notebook asks for many files: one short probe each, no retries.
        if entry.url and not reachable(entry.url):
            raise unavailable(entry, "its address does not answer as it should")
        return download(entry)
    verify(path, entry)
    return path


def fetch(name, force=False):
    """Download the files of a data set, unless good ones are at hand.

    Parameters
    ----------
    name : str
        Any spelling that `resolve` knows.
    force : bool
        Download even if good files are at hand.

    Returns
    -------
    list of pathlib.Path
        The verified files (as they are, where the registry has no digest).

    Raises
    ------
    UnknownNameError, DataUnavailableError, DataCorruptError
        The last one also for a damaged file in the folder of ``LDLREPRO_DATA``, which is the
        user's own and never written to. A damaged download is replaced.

    See Also
    --------
    load : Fetches and reads.
    check : What files at hand are like.
    """
    found = []
    for entry in registry.parts(name):
        path = locate(entry)
        own = path is not None and path != paths.downloads() / entry.file
        kind, expected = entry.expected
        good = path is not None and (not expected or digests(path)[kind] == expected)
        if own and not good:
            verify(path, entry)
        found.append(path if good and not force else download(entry))
    return found


def download(entry):
    """Download the file of ``entry`` into the downloads folder and return its path.

    The content goes to a temporary file, which takes the final name only once it is verified;
    so a kill midway, or a damaged download, leaves an older file as it was.

    Raises
    ------
    DataUnavailableError
        No address, no network, the server refuses, or its answer is malformed or cut short.
    DataCorruptError
        What the address serves is not the file that the registry names.
    """
    if not entry.url:
        raise unavailable(entry, "there is nowhere to fetch it from")
    target = paths.downloads() / entry.file
    target.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(ATTEMPTS):
        last = attempt == ATTEMPTS - 1
        handle, name = tempfile.mkstemp(prefix=".partial-", dir=target.parent)
        os.close(handle)
        try:
            transport(entry.url, Path(name))
            kind, expected = entry.expected
            found = digests(name)[kind]
            if found == expected:
                os.chmod(name, 0o644)
                os.replace(name, target)
                return target
            if last:
                raise DataCorruptError(
                    f"{entry.url} served another file than {entry.file}: its {kind} is {found}, "
                    f"expected {expected}. Nothing was replaced. Try again later, or put the "
                    f"right file at {target} by hand."
                )
        except DataCorruptError:
            raise
        except FAULTS as error:
            if last or _refused(error):
                reason = (
                    f"the download failed ({_short(error)}), nothing was replaced, and the same "
                    "command goes on from here"
                )
                raise unavailable(entry, reason) from error
        finally:
            Path(name).unlink(missing_ok=True)
        time.sleep(BACKOFF * 2**attempt)


def _refused(error):
    """Whether asking again will not help: the server said no (4xx), or sends too much."""
    if isinstance(error, _LimitError):
        return True
    answer = getattr(error, "response", None)
    return answer is not None and 400 <= answer.status_code < 500 and answer.status_code != 429


def _short(error):
    text = " ".join(str(error).split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return f"{type(error).__name__}: {text[:157]}{'...' if len(text) > 157 else ''}"


@lru_cache(maxsize=16)
def reachable(url):
    """Whether ``url`` answers within a few seconds; asked once per address and process."""
    answer = []

    def ask():
        try:
            probe = pooch.HTTPDownloader(timeout=PROBE_SECONDS)
            answer.append(probe(url, None, None, check_only=True))
        except FAULTS:
            pass

    # A thread, because a time-out does not bound the look-up of the host name.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PROBE_SECONDS)
    return bool(answer and answer[0])
