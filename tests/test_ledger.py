"""The ledger of marks whose numbers are proved equal."""

import os

import pytest

from ldlrepro.errors import LdlreproError, NoFileError, RecordDamagedWarning
from ldlrepro.protocols import ledger, store


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


@pytest.mark.parametrize("cell", ["", "[", "{}", "3"])
def test_an_entry_that_lists_no_jobs_is_damaged(empty, tmp_path, cell):
    ledger.append([entry("a", "b"), entry("c", "d")])
    path = tmp_path / "ledger.csv"
    table = store.Table(path, ledger.COLUMNS, key=ledger._key)
    table.good[0]["compared"] = cell
    store.write_table(path, ledger.COLUMNS, table.good)
    with pytest.warns(RecordDamagedWarning, match="1 damaged row.* Put that file back from vers"):
        assert [one["old"] for one in ledger.entries()] == ["c"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_ledger_that_is_no_file_is_named(empty, tmp_path, make):
    make(tmp_path / "ledger.csv")
    with pytest.raises(NoFileError, match="ledger.csv is a .*a file belongs there"):
        ledger.entries()
