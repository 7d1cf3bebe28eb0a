"""Fetching, verifying and choosing files, with a small set and a network that the test steers."""

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import requests
import scipy.io

from ldlrepro import cli, datasets, paths
from ldlrepro.datasets import accepted, files, registry
from ldlrepro.errors import DataCorruptError, DataUnavailableError, UnverifiedCopyWarning
from ldlrepro.report import provenance


class Server:
    """Stands in for the network: serves its contents one after the other, the last one on."""

    def __init__(self, *contents):
        self.contents, self.calls = list(contents), 0

    def __call__(self, url, target):
        content = self.contents[min(self.calls, len(self.contents) - 1)]
        self.calls += 1
        if isinstance(content, Exception):
            raise content
        target.write_bytes(content)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Registry of one set; empty folders for local copies and downloads; no network."""
    source = tmp_path / "tiny.mat"
    D = np.array([[0.5, 0.5], [0.2, 0.3], [0.25, 0.75]])
    scipy.io.savemat(source, {"features": np.arange(6.0).reshape(3, 2), "labels": D})
    content = source.read_bytes()
    entry = replace(
        registry.parts("SJAFFE")[0],
        name="tiny",
        display="Tiny",
        aliases="",
        n=3,
        features=2,
        labels=2,
        file="ldl/tiny.mat",
        url="https://example.org/tiny.mat",
        sha256=hashlib.sha256(content).hexdigest(),
        git_blob_sha1=hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest(),
    )
    use_registry(monkeypatch, entry)
    (tmp_path / "local").mkdir()
    monkeypatch.setenv("LDLREPRO_DATA", str(tmp_path / "local"))
    monkeypatch.setattr(paths, "downloads", lambda: tmp_path / "raw")
    monkeypatch.setattr(files, "BACKOFF", 0)
    monkeypatch.setattr(files, "transport", Server(requests.exceptions.ConnectionError("no net")))
    monkeypatch.setattr(files, "reachable", lambda url: True)
    return entry, content


def use_registry(monkeypatch, *entries):
    monkeypatch.setattr(registry, "entries", lambda: entries)
    known = {}
    for entry in entries:
        known.setdefault(registry.key(entry.name), entry)
    monkeypatch.setattr(registry, "_known", lambda: known)


def place(folder, entry, content):
    path = folder / entry.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def leftovers(tmp_path):
    return [p for p in tmp_path.rglob("*") if p.name.startswith(".partial-")]


@pytest.mark.parametrize("known_by", ["sha256", "git blob id"])
def test_fetch_and_load(tiny, tmp_path, monkeypatch, known_by):
    entry, content = tiny
    if known_by == "git blob id":
        entry = replace(entry, sha256="")
        use_registry(monkeypatch, entry)
    server = Server(content)
    monkeypatch.setattr(files, "transport", server)
    assert datasets.fetch("tiny") == [tmp_path / "raw/ldl/tiny.mat"]
    data = datasets.load("TINY", source="real")
    assert server.calls == 1 and not leftovers(tmp_path)
    assert data.sha256 == hashlib.sha256(content).hexdigest() and data.source == "real"
    assert data.X.dtype == np.float64 and data.X.flags.c_contiguous
    np.testing.assert_allclose(data.D, [[0.5, 0.5], [0.4, 0.6], [0.25, 0.75]])
    assert "1 of 3 label rows" in data.notes[0]
    datasets.fetch("tiny")
    assert server.calls == 1
    datasets.fetch("tiny", force=True)
    assert server.calls == 2


def test_a_passing_fault_is_tried_again(tiny, monkeypatch):
    entry, content = tiny
    server = Server(requests.exceptions.Timeout("slow"), content[:50], content)
    monkeypatch.setattr(files, "transport", server)
    assert datasets.load("tiny").X.shape == (3, 2)
    assert server.calls == 3


def test_a_damaged_download_leaves_the_good_file(tiny, tmp_path, monkeypatch):
    entry, content = tiny
    good = place(tmp_path / "raw", entry, content)
    monkeypatch.setattr(files, "transport", Server(b"<html>not found</html>"))
    with pytest.raises(DataCorruptError, match=f"(?s)example.org.*expected {entry.sha256}"):
        datasets.fetch("tiny", force=True)
    assert good.read_bytes() == content and not leftovers(tmp_path)


def test_a_damaged_cached_file_is_named_and_fetch_replaces_it(tiny, tmp_path, monkeypatch):
    entry, content = tiny
    path = place(tmp_path / "raw", entry, content[:-7])
    found = hashlib.sha256(content[:-7]).hexdigest()
    for source in ("auto", "real"):
        with pytest.raises(DataCorruptError) as caught:
            datasets.load("tiny", source=source)
        for part in (str(path), found, entry.sha256, "ldlrepro data fetch tiny"):
            assert part in str(caught.value)
    with pytest.raises(DataUnavailableError):
        datasets.fetch("tiny")
    assert path.read_bytes() == content[:-7]
    monkeypatch.setattr(files, "transport", Server(content))
    datasets.fetch("tiny")
    assert path.read_bytes() == content
    datasets.load("tiny")


def test_local_copies_come_first_and_are_never_written(tiny, tmp_path):
    entry, content = tiny
    place(tmp_path / "raw", entry, content)
    own = place(tmp_path / "local", entry, content)
    assert files.locate(entry) == own
    own.write_bytes(b"damaged")
    for call in (datasets.load, datasets.fetch):
        with pytest.raises(DataCorruptError, match=str(own)):
            call("tiny")
    assert own.read_bytes() == b"damaged"


def test_without_network(tiny, tmp_path):
    entry, _ = tiny
    with pytest.raises(DataUnavailableError) as caught:
        datasets.load("tiny")  # never synthetic in silence
    where = str(tmp_path / "raw" / "ldl" / "tiny.mat")
    for part in (entry.url, entry.sha256, where, "LDLREPRO_DATA"):
        assert part in str(caught.value)
    assert files.transport.calls == files.ATTEMPTS and not leftovers(tmp_path)
    assert datasets.check() == []
    assert datasets.check("tiny")[0]["file"] == "not at hand"


def test_a_refusal_is_not_repeated(tiny, monkeypatch):
    answer = requests.Response()
    answer.status_code = 404
    server = Server(requests.exceptions.HTTPError("404 Not Found", response=answer))
    monkeypatch.setattr(files, "transport", server)
    with pytest.raises(DataUnavailableError, match="404"):
        datasets.load("tiny")
    assert server.calls == 1


# --- answers that are no HTTP, or break off ----------------------------------------------------

OK = b"HTTP/1.1 200 OK\r\n"
FOUND = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n"
BAD_ANSWERS = {
    "nothing": b"",
    "no status line": bytes(range(256)),
    "a length that is no number": OK + b"Content-Length: nonsense\r\n\r\nabc",
    "a length of 5000 digits": OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nabc",
    "two lengths": OK + b"Content-Length: 3\r\nContent-Length: 7\r\n\r\nabc",
    "a header without end": OK + b"X: " + b"a" * 70000 + b"\r\n\r\n",
    "cut short": OK + b"Content-Length: 300\r\n\r\nabc",
    "a chunk of no size": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
    "a chunk below zero": OK + b"Transfer-Encoding: chunked\r\n\r\n-10\r\nabc\r\n",
    "a chunk cut short": OK + b"Transfer-Encoding: chunked\r\n\r\n10\r\nabc",
    "no gzip": OK + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    "sent to no address": FOUND + b"Location: http://[bad/\r\n\r\n",
    "sent to no name": FOUND + b"Location: http://a..b/\r\n\r\n",
    "sent to no text": FOUND + b"Location: http://\xff\xfe/\r\n\r\n",
}
TRANSPORT, REACHABLE = files.transport, files.reachable.__wrapped__  # without its memory


@pytest.fixture
def answering(monkeypatch):
    """A function: the address of a server on this machine that sends ``answer`` every time."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    sockets = []

    def start(answer):
        server = socket.create_server(("127.0.0.1", 0))
        sockets.append(server)

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:  # closed: the test is over
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/tiny.mat"

    yield start
    for server in sockets:
        server.close()


@pytest.mark.parametrize("what", BAD_ANSWERS)
def test_a_malformed_answer_ends_in_one_line(what, tiny, tmp_path, monkeypatch, answering, capsys):
    entry, content = tiny
    entry = replace(entry, url=answering(BAD_ANSWERS[what]))
    use_registry(monkeypatch, entry)
    monkeypatch.setattr(files, "transport", TRANSPORT)
    good = place(tmp_path / "raw", entry, content)
    with pytest.raises(DataUnavailableError) as caught:
        datasets.fetch("tiny", force=True)
    message = str(caught.value)
    assert message.isprintable()  # no line break, no control character
    for part in ("the download failed (", "nothing was replaced", "the same command", entry.url):
        assert part in message
    assert good.read_bytes() == content and not leftovers(tmp_path)
    good.unlink()
    assert cli.main(["data", "fetch", "tiny"]) == 1
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert error.splitlines()[-1].startswith("ldlrepro: Tiny (ldl/tiny.mat) is not at hand")


@pytest.mark.parametrize("what", BAD_ANSWERS)
def test_a_probe_that_gets_a_malformed_answer_says_nothing(what, answering, monkeypatch):
    faults = []  # of the thread that asks; each would be printed as a traceback
    monkeypatch.setattr(threading, "excepthook", faults.append)
    assert REACHABLE(answering(BAD_ANSWERS[what])) in (True, False)
    assert faults == []


def test_a_good_answer_of_the_same_server(tiny, tmp_path, monkeypatch, answering):
    entry, content = tiny
    length = b"Content-Length: %d\r\n\r\n" % len(content)
    use_registry(monkeypatch, replace(entry, url=answering(OK + length + content)))
    monkeypatch.setattr(files, "transport", TRANSPORT)
    assert datasets.fetch("tiny") == [tmp_path / "raw/ldl/tiny.mat"]


def test_no_address(tiny, monkeypatch):
    entry, _ = tiny
    use_registry(monkeypatch, replace(entry, url=""))
    with pytest.raises(DataUnavailableError, match="no public address"):
        datasets.load("tiny")


# --- sets of which no digest is known --------------------------------------------------------

COLLECTION = "http://mulan.sourceforge.net/datasets-mlc.html"


@pytest.fixture
def no_digest(tmp_path, monkeypatch):
    """Empty folders for local copies and downloads, beside the real registry."""
    (tmp_path / "local").mkdir()
    monkeypatch.setenv("LDLREPRO_DATA", str(tmp_path / "local"))
    monkeypatch.setattr(paths, "downloads", lambda: tmp_path / "raw")
    monkeypatch.setattr(files, "transport", lambda *_: pytest.fail("there is no address"))


def sparse_arff(entry, rows=3, features=None):
    features = features or entry.features
    lines = [f"@attribute 'word {i}' numeric" for i in range(features)]
    lines += [f"@attribute label{j} {{0,1}}" for j in range(entry.labels)]
    last = features + entry.labels - 1
    return "\n".join([*lines, "@data", *[f"{{0 0.5,{last} 1}}"] * rows, ""]).encode()


def test_a_set_without_digest_loads_by_its_shape(no_digest, tmp_path):
    (entry,) = registry.parts("mediamill")
    content = sparse_arff(entry)
    path = place(tmp_path / "local", entry, content)
    data = datasets.load("mediamill")
    assert data.X.shape == (3, 120) and data.Y.shape == (3, 101)
    assert data.X.sum() == 1.5 and data.Y.sum() == 3 and data.label_names[-1] == "label100"
    assert data.sha256 == hashlib.sha256(content).hexdigest() and data.source == "real"
    assert data.notes == ["no digest of mll/mediamill.arff is known: only its shape was checked"]
    assert datasets.fetch("mediamill") == [path]
    assert datasets.is_current("mediamill", pd.Series([data.sha256])).all()
    (row,) = datasets.check("mediamill")
    assert (row["file"], row["shape"], row["n"], row["c"]) == ("ok", "ok", 3, 101)


def test_a_set_without_digest_of_another_shape(no_digest, tmp_path):
    (entry,) = registry.parts("eurlex-sm")
    path = place(tmp_path / "raw", entry, sparse_arff(entry, features=4999))
    with pytest.raises(DataCorruptError) as caught:
        datasets.load("eurlex_sm")
    for part in (
        str(path),
        "has 3 rows (expected 19348), 4999 features (expected 5000).",
        "put another copy in its place",
        COLLECTION,
    ):
        assert part in str(caught.value)
    (row,) = datasets.check("eurlex-sm")
    assert "expected 19348" in row["file"]


def test_a_set_without_digest_that_cannot_be_read(no_digest, tmp_path):
    (entry,) = registry.parts("mediamill")
    path = place(tmp_path / "local", entry, sparse_arff(entry) + b"{221 1}\n")
    with pytest.raises(DataCorruptError, match="row 4 of the data has the index 221") as caught:
        datasets.load("mediamill")
    assert str(path) in str(caught.value) and COLLECTION in str(caught.value)


@pytest.mark.parametrize("call", [datasets.load, datasets.fetch])
def test_a_set_without_digest_that_is_not_here(no_digest, tmp_path, call):
    with pytest.raises(DataUnavailableError) as caught:
        call("eurlex-sm")
    for part in (
        "No address that serves the file itself is known",
        COLLECTION,
        str(tmp_path / "raw" / "mll" / "eurlex-sm.arff"),
        "LDLREPRO_DATA",
    ):
        assert part in str(caught.value)
    assert datasets.check("eurlex-sm")[0]["file"] == "not at hand"


def test_killed_midway(tiny, tmp_path):
    """What a killed process leaves behind is never taken for the file."""
    entry, content = tiny
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from dataclasses import replace\n"
        "from ldlrepro import paths\n"
        "from ldlrepro.datasets import files, registry\n"
        "def half(url, target):\n"
        "    target.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.transport = half\n"
        "paths.downloads = lambda: Path(sys.argv[1])\n"
        "files.download(replace(registry.parts('SJAFFE')[0], file='ldl/tiny.mat'))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path / "raw")])
    assert ended.returncode == -9 and len(leftovers(tmp_path)) == 1
    assert files.locate(entry) is None
    with pytest.raises(DataUnavailableError):
        datasets.load("tiny")


def test_a_changed_file_is_verified_again(tiny, tmp_path):
    entry, content = tiny
    path = place(tmp_path / "raw", entry, content)
    datasets.load("tiny")
    before = path.stat()
    path.write_bytes(content[:-1] + b"x")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(DataCorruptError):
        datasets.load("tiny")


def test_right_digest_but_unknown_form(tiny, tmp_path, monkeypatch):
    entry, _ = tiny
    scipy.io.savemat(tmp_path / "other.mat", {"something": np.eye(2)})
    content = (tmp_path / "other.mat").read_bytes()
    use_registry(monkeypatch, replace(entry, sha256=hashlib.sha256(content).hexdigest()))
    place(tmp_path / "raw", entry, content)
    with pytest.raises(DataCorruptError, match="known form"):
        datasets.load("tiny")


def test_check_of_a_small_set(tiny, tmp_path):
    entry, content = tiny
    path = place(tmp_path / "raw", entry, content)
    (row,) = datasets.check()
    assert (row["file"], row["shape"], row["n"], row["q"], row["c"]) == ("ok", "ok", 3, 2, 2)
    assert (row["x_min"], row["x_max"], row["d_min"], row["d_max"]) == (0, 5, 0.2, 0.75)
    assert row["rows_not_summing_to_1"] == 1 and row["repeated_rows"] == 0
    path.write_bytes(b"damaged")
    (row,) = datasets.check("tiny")
    assert "expected" in row["file"] and row["n"] is None


# --- the choice between Natural Scene and its substitute ------------------------------------


@pytest.fixture
def substitute(tiny, tmp_path, monkeypatch):
    """The tiny set with a re-aligned file beside it, at hand among the local copies."""
    entry, content = tiny
    path = tmp_path / "realigned.npz"
    X, D = np.ones((3, 2)), np.full((3, 2), 0.5)
    np.savez(path, features=X, labels=D, exact=np.array([True, False, True]))
    other = replace(
        entry,
        part="realigned",
        display="Tiny (re-aligned)",
        file="derived/tiny.npz",
        url="",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    use_registry(monkeypatch, entry, other)
    place(tmp_path / "local", other, path.read_bytes())
    monkeypatch.setattr(files, "reachable", lambda url: False)
    return entry, content


def test_substitute_where_the_original_cannot_be_had(substitute, monkeypatch):
    data = datasets.load("tiny")
    assert (data.source, data.display, data.name) == ("realigned", "Tiny (re-aligned)", "tiny")
    assert data.exact.sum() == 2 and files.transport.calls == 0
    assert datasets.list()["at_hand"].tolist() == ["re-aligned only"]
    assert [row["source"] for row in datasets.check("tiny")] == ["realigned"]
    with pytest.raises(DataUnavailableError):
        datasets.load("tiny", source="real")
    monkeypatch.setattr(files, "reachable", lambda url: True)  # answers, then fails
    assert datasets.load("tiny").source == "realigned"


def test_original_goes_first(substitute, tmp_path, monkeypatch):
    entry, content = substitute
    monkeypatch.setattr(files, "reachable", lambda url: True)
    monkeypatch.setattr(files, "transport", Server(content))
    assert datasets.load("tiny").source == "real"
    monkeypatch.setattr(files, "reachable", lambda url: pytest.fail("asked in vain"))
    assert datasets.load("tiny").source == "real"
    assert datasets.load("tiny", source="realigned").source == "realigned"
    (tmp_path / "raw" / entry.file).write_bytes(b"damaged")
    with pytest.raises(DataCorruptError):  # not replaced in silence
        datasets.load("tiny")


def test_reachable_gives_up_soon(monkeypatch):
    def hang(*args, **kwargs):
        import time

        time.sleep(5)
        raise requests.exceptions.ConnectionError("at last")

    monkeypatch.setattr(requests, "head", hang)
    monkeypatch.setattr(files, "PROBE_SECONDS", 0.05)
    assert files.reachable("https://example.org/hangs") is False


def test_an_address_that_does_not_answer_is_not_tried_again(tiny, monkeypatch):
    monkeypatch.setattr(files, "reachable", lambda url: False)
    with pytest.raises(DataUnavailableError, match="its address does not answer.*Put the file at"):
        datasets.load("tiny")
    assert files.transport.calls == 0


# --- copies that a user has accepted -----------------------------------------------------------


@pytest.fixture
def again(tiny, tmp_path):
    """The set of `tiny`, saved again: the same arrays under another digest, nothing in place."""
    content = scipy.io.loadmat(tmp_path / "tiny.mat")
    copy = tmp_path / "saved again.mat"
    arrays = {k: content[k] for k in ("features", "labels")}
    scipy.io.savemat(copy, arrays, do_compression=True)
    return copy


def test_a_copy_that_was_saved_again_can_be_accepted(again, tiny, tmp_path, capsys):
    place(tmp_path / "raw", tiny[0], again.read_bytes())
    with pytest.raises(DataCorruptError, match="`ldlrepro data accept tiny`"):
        datasets.load("tiny")
    assert cli.main(["data", "check", "tiny"]) == 1
    assert cli.main(["data", "accept", "tiny"]) == 0
    with pytest.warns(UnverifiedCopyWarning, match="unverified copy of ldl/tiny.mat, accepted in"):
        found = datasets.load("tiny")
    np.testing.assert_array_equal(found.X, np.arange(6.0).reshape(3, 2))
    assert found.sha256 == hashlib.sha256(again.read_bytes()).hexdigest()
    assert cli.main(["data", "check", "tiny"]) == 0
    assert datasets.check("tiny")[0]["file"] == datasets.UNVERIFIED
    digests = pd.Series([found.sha256, tiny[0].sha256, "other"])
    assert datasets.is_current("tiny", digests).tolist() == [True, True, False]
    assert datasets.is_current("tiny", digests, False).tolist() == [False, True, False]
    (tmp_path / "raw" / "ldl" / "tiny.mat").write_bytes(b"damaged since")
    with pytest.raises(DataCorruptError):
        datasets.load("tiny")


def test_a_copy_elsewhere_is_put_in_place(again, tmp_path):
    path = datasets.accept("tiny", again)
    assert path == tmp_path / "raw" / "ldl" / "tiny.mat"
    assert path.read_bytes() == again.read_bytes()


def test_the_registered_file_needs_no_acceptance(tiny, tmp_path):
    place(tmp_path / "raw", *tiny)
    datasets.accept("tiny")
    assert not accepted.path().exists() and datasets.check("tiny")[0]["file"] == "ok"


@pytest.mark.parametrize(
    "arrays, message",
    [
        ({"features": np.ones((2, 2)), "labels": np.ones((2, 2))}, r"2 rows \(expected 3\)"),
        ({"features": np.ones((3, 4)), "labels": np.ones((3, 2))}, r"4 features \(expected 2\)"),
        ({"features": np.ones((3, 2)), "labels": np.ones((3, 5))}, r"5 labels \(expected 2\)"),
        ({"features": np.full((3, 2), np.nan), "labels": np.ones((3, 2))}, "no numbers"),
        ({"other": np.ones((3, 2))}, "cannot be read"),
    ],
)
def test_another_set_is_not_accepted(tiny, tmp_path, arrays, message):
    scipy.io.savemat(tmp_path / "copy.mat", arrays)
    with pytest.raises(DataCorruptError, match=message):
        datasets.accept("tiny", tmp_path / "copy.mat")
    assert not (tmp_path / "raw").exists()


def test_what_is_not_there_is_not_accepted(tiny, tmp_path):
    for path in (None, tmp_path / "none.mat"):
        with pytest.raises(DataUnavailableError, match="no copy at"):
            datasets.accept("tiny", path)


def test_tables_name_an_unverified_copy(again, tiny):
    datasets.accept("tiny", again)
    registered, copy = tiny[0].sha256, hashlib.sha256(again.read_bytes()).hexdigest()
    registry_frame = pd.DataFrame({"name": ["tiny"], "display": ["Tiny"]})
    for digests, name, left_out in [
        ([registered] * 2, "Tiny", []),
        ([registered, copy], "Tiny (unverified copy)", ["tiny"]),
    ]:
        records = pd.DataFrame({"dataset": "tiny", "source": "real", "data_sha256": digests})
        names = provenance.display_names(records, ["tiny"], registry_frame)
        assert names == {"tiny": name} and provenance.excluded(records) == left_out


# --- limits of a download ----------------------------------------------------------------------


def test_a_download_has_a_largest_size(tiny, tmp_path, monkeypatch, answering):
    monkeypatch.setattr(files, "TOTAL_BYTES", 5000)
    monkeypatch.setattr(files, "transport", TRANSPORT)
    endless = OK + b"\r\n" + b"a" * 10**5
    for answer in (OK + b"Content-Length: 5001\r\n\r\n" + b"a" * 5001, endless):
        use_registry(monkeypatch, replace(tiny[0], url=answering(answer)))
        with pytest.raises(DataUnavailableError, match="more than 5,000 bytes") as caught:
            datasets.fetch("tiny")
        assert "\n" not in str(caught.value) and not leftovers(tmp_path)


def test_a_download_has_a_longest_time(tiny, tmp_path, monkeypatch):
    held = threading.Event()
    monkeypatch.setattr(files, "transport", TRANSPORT)
    monkeypatch.setattr(files, "TOTAL_SECONDS", 0.1)
    monkeypatch.setattr(files.pooch.HTTPDownloader, "__call__", lambda *_: held.wait(30))
    with pytest.raises(DataUnavailableError, match="not finished after 0.1 seconds"):
        datasets.fetch("tiny")
    held.set()
    assert not leftovers(tmp_path)


def test_a_copy_is_accepted_in_a_clone_without_downloads(again, tmp_path):
    shutil.rmtree(tmp_path / "raw", ignore_errors=True)
    first = datasets.accept("tiny", again)
    assert datasets.accept("tiny", first) == first  # the file that is in place, by its name
    assert first.read_bytes() == again.read_bytes()


def test_the_registered_file_of_another_set_is_not_accepted(again, tiny, monkeypatch):
    entry = tiny[0]
    digest = hashlib.sha256(again.read_bytes()).hexdigest()
    other = replace(entry, name="other", display="Other", file="ldl/other.mat", sha256=digest)
    use_registry(monkeypatch, entry, other)
    with pytest.raises(DataCorruptError, match="is the registered file of Other, not of"):
        datasets.accept("tiny", again)
