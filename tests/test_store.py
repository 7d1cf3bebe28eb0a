"""The record store under kills, full disks, damaged files and two writers."""

import errno
import math
import multiprocessing
import os
import stat
import time
import warnings

import pytest

from ldlrepro.errors import NoFileError, RecordDamagedWarning
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.protocols import store as storing
from ldlrepro.protocols.store import RecordStore


def record(fold=0, method="A", seed=0, **more):
    numbers = {name: 0.125 + fold / 8 for name in DISTRIBUTION}
    return {
        "paper": "p",
        "experiment": "e",
        "dataset": "set",
        "source": "synthetic",
        "data_sha256": "synthetic",
        "method": method,
        "parameters": {"k": 5, "name": 'a "quoted", word'},
        "settings": {"trees": 20},
        "seed": seed,
        "fold": fold,
        "fit_seconds": 0.25,
        "predict_seconds": 1e-7,
        "n_train": 90,
        "n_test": 10,
        "versions": {"python": "3.11"},
        "machine": "Prozessor, 2 Kerne (größer)",
        "blas": "openblas 0.3 Haswell",
        "cpu": {"numba": "znver5"},
        "fingerprint": "0123456789ab.0123456789ab",
        **numbers,
        **more,
    }


@pytest.fixture
def store(tmp_path):
    store = RecordStore(tmp_path / "p" / "e")
    for fold in range(4):
        store.put([record(fold)])
    return store


def content(store):
    return (store.folder / "set.csv").read_text(encoding="utf-8")


def folds(store):
    return store.read("set").fold.tolist()


def strays(store):
    return sorted(p.name for p in store.folder.iterdir() if p.name not in ("set.csv", "set.lock"))


def test_round_trip(store):
    frame = store.read("set")
    assert list(frame.columns) == list(store.columns)
    assert frame.to_dict("records") == [record(fold) for fold in range(4)]
    assert strays(store) == []


def test_numbers_have_ten_digits(store):
    store.put([record(0, cosine=1 / 3, fit_seconds=1e-9 / 3)])
    row = store.read("set").iloc[0]
    assert row.cosine == 0.3333333333 and row.fit_seconds == 3.333333333e-10


def test_read_all_or_none(store):
    store.put([record(dataset="other")])
    assert sorted(store.read().dataset) == ["other", *["set"] * 4]
    assert len(store.read("absent")) == 0 and list(store.read("absent")) == list(store.columns)
    assert len(RecordStore(store.folder / "nowhere").read()) == 0


def test_only_the_same_job_is_replaced(store):
    store.put([record(2, fingerprint="new")])
    store.put([record(2, method="B")])
    store.put([record(2, seed=1)])
    frame = store.read("set")
    found = list(zip(frame.method, frame.seed, frame.fold, strict=True))
    assert found == [*[("A", 0, f) for f in range(4)], ("A", 1, 2), ("B", 0, 2)]
    assert frame.fingerprint[(frame.method == "A") & (frame.seed == 0)].tolist() == [
        *["0123456789ab.0123456789ab"] * 2,
        "new",
        "0123456789ab.0123456789ab",
    ]


def test_steps_of_one_job_are_replaced_together(store):
    store.put([record(9, parameters={"stage": k}) for k in (1, 2, 3)])
    store.put([record(9, parameters={"stage": k}) for k in (1, 5)])
    frame = store.read("set")
    assert [p["stage"] for p in frame.parameters[frame.fold == 9]] == [1, 5]


def test_order_of_writing_does_not_matter(store, tmp_path):
    other = RecordStore(tmp_path / "other")
    for fold in (3, 1, 0, 2):
        other.put([record(fold)])
    assert content(other) == content(store)


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
def test_full_disk_leaves_the_old_file(store, monkeypatch, call):
    before = content(store)

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        store.put([record(7)])
    monkeypatch.undo()
    assert content(store) == before and strays(store) == []
    store.put([record(7)])
    assert folds(store) == [0, 1, 2, 3, 7]


@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_file_cut_short_keeps_its_good_rows(store, part):
    lines = content(store).splitlines(keepends=True)
    cut = "".join(lines[:3]) + lines[3][: int(part * len(lines[3]))]
    (store.folder / "set.csv").write_text(cut, encoding="utf-8")
    with pytest.warns(RecordDamagedWarning, match="1 damaged row.*line 4.*2 good rows"):
        assert folds(store) == [0, 1]
    assert content(store) == cut and strays(store) == []  # reading never writes
    with pytest.warns(RecordDamagedWarning, match="a copy is in set.csv.damaged-"):
        store.put([record(2)])
    (aside,) = strays(store)
    assert (store.folder / aside).read_text(encoding="utf-8") == cut
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert folds(store) == [0, 1, 2]


DAMAGE = {
    "an edited digit": ("0.25", "0.26"),
    "a lost quote": ('"{""k', '{""k'),
    "a lost cell": (",90,10,", ",90,"),
    "zero bytes": ("set", "\0" * 200_000),
}


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("first_to_see", ["read", "put"])
def test_damage_costs_its_own_row_only(store, kind, first_to_see):
    lines = content(store).split("\n")
    old, new = DAMAGE[kind]
    assert old in lines[2]
    lines[2] = lines[2].replace(old, new, 1)
    (store.folder / "set.csv").write_text("\n".join(lines), encoding="utf-8")
    with pytest.warns(RecordDamagedWarning, match="1 damaged row.*line 3.*3 good rows"):
        if first_to_see == "read":
            assert folds(store) == [0, 2, 3]
        else:
            store.put([record(3)])
            assert folds(store) == [0, 2, 3]
    assert len(strays(store)) == (first_to_see == "put")


def put_quietly(store, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordDamagedWarning)
        store.put(rows)


def test_copies_that_are_set_aside_never_overwrite_each_other(store, monkeypatch):
    monkeypatch.setattr(time, "strftime", lambda *_: "now")
    for damage in ("one", "two", "three"):
        with open(store.folder / "set.csv", "a") as file:
            file.write(damage)
        put_quietly(store, [record(0)])
    ends = {(store.folder / name).read_text(encoding="utf-8")[-3:] for name in strays(store)}
    assert ends == {"one", "two", "ree"}


@pytest.mark.parametrize("first", ["", "\ufeff", "paper,fold\n", "<<<<<<< ours\n", "\0\0\n"])
def test_a_damaged_header_costs_no_row(store, first):
    header, rows = content(store).split("\n", 1)
    head = first + header + "\n" if first == "\ufeff" else first
    (store.folder / "set.csv").write_text(head + rows, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordDamagedWarning)
        assert folds(store) == [0, 1, 2, 3]
    put_quietly(store, [record(4)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert folds(store) == [0, 1, 2, 3, 4]


def test_a_byte_order_mark_is_no_damage(store):
    (store.folder / "set.csv").write_text("\ufeff" + content(store), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert folds(store) == [0, 1, 2, 3]


def test_rows_under_a_header_without_their_columns_are_damaged(store):
    """As many columns, other names: the check of a row covers both."""
    text = content(store).replace("chebyshev,", "hamming_loss,", 1)
    (store.folder / "set.csv").write_text(text, encoding="utf-8")
    other = RecordStore(store.folder, ("hamming_loss", *list(DISTRIBUTION)[1:]))
    with pytest.warns(RecordDamagedWarning, match="4 damaged row"):
        assert len(other.read("set")) == 0


def test_a_measure_that_was_added_since_costs_no_row(store):
    """Such rows are stale by their fingerprint; they are kept, without the measure."""
    wider = RecordStore(store.folder, (*DISTRIBUTION, "ndcg"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = wider.read("set")
        assert frame.fold.tolist() == [0, 1, 2, 3] and frame.ndcg.isna().all()
        assert frame.cosine.tolist() == store.read("set").cosine.tolist()
        wider.put([record(1, ndcg=0.5)])
        assert wider.read("set").ndcg.notna().tolist() == [False, True, False, False]
        assert folds(wider) == [0, 1, 2, 3]
    assert strays(store) == []


def test_conflict_marks_cost_no_row(store):
    """What a merge leaves: marks between the two sides' rows, and the rows of both."""
    header, *rows = content(store).splitlines(keepends=True)
    ours = [rows[0], rows[1].replace(",90,", ",91,")]
    text = header + "<<<<<<< ours\n" + "".join(rows[:2]) + "=======\n" + "".join(rows[1:])
    (store.folder / "set.csv").write_text(text + ">>>>>>> theirs\n", encoding="utf-8")
    assert ours[1] != rows[1]
    with pytest.warns(RecordDamagedWarning) as caught:
        assert folds(store) == [0, 1, 2, 3]
    told = " ".join(str(w.message) for w in caught)
    assert "3 damaged row(s), first at line 2" in told and "1 row(s) stand there twice" in told


def test_of_a_row_that_stands_twice_the_last_counts(store):
    old = content(store)
    store.put([record(1, fit_seconds=7.0)])
    (newer,) = [line for line in content(store).splitlines(keepends=True) if ",7," in line]
    (store.folder / "set.csv").write_text(old + newer, encoding="utf-8")
    with pytest.warns(RecordDamagedWarning, match="1 row.* twice"):
        frame = store.read("set")
    assert sorted(frame.fold) == [0, 1, 2, 3]
    assert frame.fit_seconds[frame.fold == 1].tolist() == [7.0]


def test_stages_of_a_job_are_no_doubles(store):
    store.put([record(9, parameters={"stage": k}) for k in (1, 2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert folds(store).count(9) == 2


# --- makers ------------------------------------------------------------------------------------


def test_makers_stand_once_and_before_the_rows(store, monkeypatch):
    text = store.makers.read_text(encoding="utf-8")
    assert len(text.splitlines()) == 2 and "größer" in text and "größer" not in content(store)
    store.put([record(5, machine="another")])
    assert len(store.makers.read_text(encoding="utf-8").splitlines()) == 3
    seen = []
    write = storing.write_table
    monkeypatch.setattr(
        storing, "write_table", lambda path, *rest: (seen.append(path.name), write(path, *rest))
    )
    store.put([record(6, machine="a third")])
    assert seen == ["makers.csv", "set.csv"]
    assert set(store.read("set").machine) == {
        "Prozessor, 2 Kerne (größer)",
        "another",
        "a third",
    }


def test_rows_of_an_unknown_maker_are_kept_but_not_used(store):
    store.put([record(5, machine="another")])
    makers = store.makers.read_text(encoding="utf-8")
    header, *lines = makers.splitlines(keepends=True)
    store.makers.write_text(header + "".join(x for x in lines if "another" not in x), "utf-8")
    with pytest.warns(RecordDamagedWarning, match=r"makers of 1\s+row"):
        assert folds(store) == [0, 1, 2, 3]
    store.put([record(6)])
    store.makers.write_text(makers, encoding="utf-8")
    assert sorted(folds(store)) == [0, 1, 2, 3, 5, 6]


def test_a_maker_whose_content_does_not_give_its_id_is_none(store):
    table = storing.Table(store.makers, ("made_by", *storing.MAKER), key=lambda row: row["made_by"])
    (row,) = table.good
    forged = [row | {"machine": "a better one"}]
    storing.write_table(store.makers, ("made_by", *storing.MAKER), forged)
    with pytest.warns(RecordDamagedWarning, match="makers of 4"):
        assert folds(store) == []


def test_damaged_makers_are_to_be_put_back(store):
    store.makers.write_text(store.makers.read_text("utf-8") + "a,row,cut", "utf-8")
    with pytest.warns(RecordDamagedWarning, match="makers.csv: 1 damaged row.* Put that file back"):
        assert folds(store) == [0, 1, 2, 3]
    with pytest.warns(RecordDamagedWarning, match="a copy is in makers.*good rows.* Put that file"):
        store.put([record(5, machine="another")])


def test_the_folder_is_flushed_after_the_move(store, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace

    def flushed(handle):
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", lambda *a: (calls.append("move"), replace(*a)))
    store.put([record(1)])
    assert calls == ["file", "move", "folder"]


def test_line_ends_of_another_system_are_no_damage(store):
    text = content(store)
    (store.folder / "set.csv").write_bytes(text.replace("\n", "\r\n").encode())
    assert folds(store) == [0, 1, 2, 3]


def write_some(folder, method):
    for fold in range(15):
        RecordStore(folder).put([record(fold, method=method)])


@pytest.mark.parametrize("damaged", [False, True])
def test_two_writers_lose_nothing(store, damaged):
    """Not even where both find a damaged row to set aside."""
    fork = multiprocessing.get_context("fork")
    if damaged:
        with open(store.folder / "set.csv", "a") as file:
            file.write("half a row")
    writers = [fork.Process(target=write_some, args=(store.folder, m)) for m in ("B", "C")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordDamagedWarning)
        for w in writers:
            w.start()
        while any(w.is_alive() for w in writers):
            assert len(store.read("set")) >= 4
    assert [w.exitcode for w in writers] == [0, 0]
    assert store.read("set").groupby("method").fold.apply(list).to_dict() == {
        "A": list(range(4)),
        "B": list(range(15)),
        "C": list(range(15)),
    }


def test_a_lock_writes_nothing_and_follows_no_link(store, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("all of it")
    (store.folder / "set.lock").unlink()
    (store.folder / "set.lock").symlink_to(precious)
    with pytest.raises(OSError, match="set.lock is a symbolic link where a lock file belongs"):
        store.put([record(7)])
    assert precious.read_text() == "all of it"
    (store.folder / "set.lock").unlink()
    (store.folder / "set.lock").write_text("of another program")
    store.put([record(7)])
    assert (store.folder / "set.lock").read_text() == "of another program"


def test_a_fifo_in_the_place_of_a_lock_is_named(store):
    (store.folder / "set.lock").unlink()
    os.mkfifo(store.folder / "set.lock")
    with pytest.raises(NoFileError, match="set.lock is a FIFO, a socket or a device"):
        store.put([record(7)])


@pytest.mark.parametrize("mode", [0o770, 0o700, 0o777])
def test_a_lock_is_as_open_to_others_as_its_folder(store, mode):
    (store.folder / "set.lock").unlink()
    store.folder.chmod(mode)
    store.put([record(7)])
    assert (store.folder / "set.lock").stat().st_mode & 0o777 == 0o600 | (mode & 0o066)


def test_a_lock_that_can_only_be_read_is_taken(store, monkeypatch):
    """That of another user, made before: it is opened to be read."""
    real = os.open

    def of_another(path, flags, *mode):
        if str(path).endswith(".lock") and flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *mode)

    monkeypatch.setattr(os, "open", of_another)
    store.put([record(7)])
    assert 7 in folds(store)


def test_temporary_files_of_killed_writers_go(store):
    old, young, other = (store.folder / f".{n}.tmp" for n in ("set-abc", "set-def", "note-x"))
    for path in (old, young, other):
        path.write_text("half")
    for path in (old, other):
        os.utime(path, (1, 1))
    store.put([record(7)])
    assert strays(store) == [other.name, young.name]


@pytest.mark.filterwarnings("ignore::ldlrepro.errors.RecordDamagedWarning")
def test_columns_of_a_newer_version_stay(store, monkeypatch):
    """An older one adds a row and rewrites the files: the newer reads what it wrote as before."""
    newer = RecordStore(store.folder, (*DISTRIBUTION, "new_measure"))
    newer.put([record(5, new_measure=0.75)])
    store.put([record(6)])
    there = newer.read("set").set_index("fold").new_measure
    assert there[5] == 0.75 and math.isnan(there[6]) and len(there) == 6
    wider = (*storing.MAKER, "weather")
    with monkeypatch.context() as patch:
        patch.setattr(storing, "MAKER", wider)
        newest = RecordStore(store.folder)
        newest.put([record(8, weather="fine")])
        assert 8 in set(newest.read("set").fold)
    store.put([record(9, machine="another")])
    with monkeypatch.context() as patch:
        patch.setattr(storing, "MAKER", wider)
        assert newest.read("set").set_index("fold").weather[8] == "fine"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_named_and_not_waited_for(store, make):
    for path in (store.folder / "other.csv", store.makers):
        path.unlink(missing_ok=True)
        make(path)
        with pytest.raises(NoFileError, match=f"^{path} is a .*a file belongs there"):
            store.read("other")


@pytest.mark.parametrize(
    "column, cell",
    [
        ("parameters", '{"k": 5'),
        ("parameters", ""),
        ("parameters", "[1]"),
        ("settings", "nonsense"),
        ("fold", "first"),
        ("seed", "0.5"),
        ("fit_seconds", "long"),
        ("kl_divergence", ""),
    ],
)
def test_a_row_whose_check_is_right_and_whose_cells_are_not_is_damaged(store, column, cell):
    path = store.folder / "set.csv"
    table = store._parsed("set")
    table.good[0][column] = cell
    storing.write_table(path, table.columns, table.good)
    with pytest.warns(RecordDamagedWarning, match="1 damaged row"):
        assert folds(store) == [1, 2, 3]
