"""The ledger of marks whose numbers are proved equal."""

import pytest

from ldlrepro.errors import LdlreproError
from ldlrepro.protocols import ledger


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))


def entry(old, new, kind="method"):
    return {
        "kind": kind, "old": old, "new": new, "revision": "r", "compared": ["job"], "blas": "b",
    }  # fmt: skip


def test_equal_is_equal_both_ways_and_over_several_lines(empty):
    ledger.append([entry("a", "b"), entry("c", "b"), entry("x", "y", "data")])
    ledger.append([entry("c", "d")])
    book = ledger.Ledger()
    for old in "abcd":
        for new in "abcd":
            assert book.same_mark("method", old, new)
    assert not book.same_mark("data", "a", "b") and not book.same_mark("method", "a", "x")
    assert book.same("a.x", "d.y") and book.same("a.z", "b.z")
    assert not book.same("a.x", "d.z") and not book.same("a.x", "e.x")
    assert not book.same("a", "a.x") and not book.same("", "")


def test_the_ledger_is_only_appended_to(empty, tmp_path):
    ledger.append([entry("a", "b")])
    first = (tmp_path / "ledger.csv").read_text()
    ledger.append([entry("b", "c"), entry("a", "b") | {"revision": "another"}])
    assert (tmp_path / "ledger.csv").read_text().startswith(first)
    assert [(e["old"], e["revision"]) for e in ledger.entries()] == [("a", "r"), ("b", "r")]


def test_a_damaged_ledger_is_not_written_over(empty, tmp_path):
    ledger.append([entry("a", "b"), entry("b", "c")])
    text = (tmp_path / "ledger.csv").read_text().replace(",a,b,", ",a,z,")
    (tmp_path / "ledger.csv").write_text(text)
    with pytest.raises(LdlreproError, match="ledger.*damaged.*version control"):
        ledger.append([entry("c", "d")])
    assert (tmp_path / "ledger.csv").read_text() == text
