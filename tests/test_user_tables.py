"""Tables of users: what is read as it stands, and what is refused with its place."""

import os
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from own_methods import Mean, rows
from scipy import sparse
from scipy.io import savemat

from ldlrepro import cli
from ldlrepro.errors import LdlreproError, NormalisationWarning
from ldlrepro.protocols.store import write_whole
from ldlrepro.user import data as userdata
from ldlrepro.user.compare import compare
from ldlrepro.user.data import UserDataError


def test_tables_of_every_kind_give_the_same(tmp_path):
    X, D = rows(12)
    names = [f"x{j}" for j in range(4)], ["d_a", "d_b", "d_c"]
    frame = pd.DataFrame(np.hstack([X, D]), columns=sum(names, []))
    frame.to_csv(tmp_path / "t.csv", index=False)
    np.savez(tmp_path / "t.npz", X=X, D=D)
    savemat(tmp_path / "t.mat", {"features": X, "labels": D})
    read = [userdata.read(tmp_path / f"t.{kind}", "d_*") for kind in ("csv", "npz", "mat")]
    assert len({round(one.D.sum(), 9) for one in read}) == 1
    assert read[0].label_names == names[1] and read[0].feature_names == names[0]
    assert read[0].name == "t" and read[0].task == "ldl"
    assert userdata.read(tmp_path / "t.csv", "d_c,d_a").label_names == ["d_a", "d_c"]
    assert userdata.bunch(X, (D > 0.4).astype(int)).task == "multilabel"
    assert userdata.bunch(X, np.eye(3)[np.arange(12) % 3]).task == "ldl"  # each row has one


def test_degrees_in_per_cent_are_put_on_the_simplex():
    X, D = rows(12)
    with pytest.warns(NormalisationWarning, match="12 of 12 rows of D do not sum to 1"):
        percent = userdata.bunch(X, 100 * D)
    assert np.allclose(percent.D, D) and percent.sha256 != userdata.bunch(X, D).sha256
    with pytest.raises(UserDataError, match="Negative values in D: row 2, column 0"):
        userdata.bunch(X, np.where(np.arange(12)[:, None] == 2, -D, D))


def test_a_bad_table_is_named(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,name,d_1,d_2\n1,ann,.5,.5\n2,bob,1,0\n")
    (tmp_path / "t.txt").write_text("")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "semicolons.csv").write_text("x;d_1;d_2\n1;0,5;0,5\n")
    (tmp_path / "counted.csv").write_text(",x,d_1,d_2\n0,1,.5,.5\n1,2,1,0\n")
    (tmp_path / "ragged.csv").write_text("x,d_1,d_2\n1,.5,.5\n2,1,0,7\n")
    (tmp_path / "latin.csv").write_bytes("x,d_\xe9,d_2\n1,.5,.5\n".encode("latin-1"))
    np.savez(tmp_path / "t.npz", A=np.eye(2))
    for path, labels, message in (
        (tmp_path / "no.csv", "d_*", "There is no file"),
        (tmp_path / "t.txt", "d_*", "files are .csv, .parquet, .npz or .mat, not '.txt'"),
        (tmp_path / "t.npz", None, "has no array X or features; it has: A"),
        (tmp_path / "empty.csv", "d_*", "is empty"),
        (tmp_path / "semicolons.csv", "d_*", "its separator seems to be ';'"),
        (tmp_path / "counted.csv", "d_*", "first column without a name that counts the rows"),
        (tmp_path / "ragged.csv", "d_*", "ragged.csv is no table: Expected .*line 3, saw 4"),
        (tmp_path / "latin.csv", "d_*", "latin.csv is not in UTF-8"),
        (table, None, "Which columns of .* are labels.*there are: x, name, d_1, d_2"),
        (table, "e_*", "No column of .* is called 'e_\\*'"),
        (table, "*", "no feature is left"),
        (table, "d_*", "X row 0 .line 2., column 'name': 'ann' is no number"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.read(path, labels)
    with pytest.raises(UserDataError, match=r"2 rows, targets 3"):
        userdata.bunch(np.eye(2), np.eye(3))


def test_labels_and_paths_of_other_types(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,d_1,d_2\n1,.5,.5\n2,1,0\n")
    for labels in (5, [5]):
        with pytest.raises(UserDataError, match="No column of .* is called '5'; there are: x, d_1"):
            userdata.read(path, labels)
    assert userdata.read(path, pd.Index(["d_1", "d_2"])).feature_names == ["x"]
    with pytest.raises(UserDataError, match="path is no text but of the type DataFrame"):
        userdata.read(pd.DataFrame(), "d_*")


@pytest.mark.filterwarnings("error:overflow")
def test_the_largest_degrees_are_degrees():
    D = np.array([[1e308, 1e308, 1e307], [2, 2, 5]])
    with pytest.warns(NormalisationWarning):
        assert np.allclose(userdata.bunch(np.eye(2), D).D[0], [10 / 21, 10 / 21, 1 / 21])
    with pytest.raises(UserDataError, match="Column 2 of the labels is the sum of the others"):
        userdata.bunch(np.eye(2), [[1e308, 0, 1e308], [1, 2, 3]])


def test_names_with_brackets_are_names(tmp_path):
    (tmp_path / "t.csv").write_text("x,d[1],d[2]\n1,.5,.5\n2,1,0\n")
    assert userdata.read(tmp_path / "t.csv", "d[1],d[2]").label_names == ["d[1]", "d[2]"]


def test_what_a_conversion_to_numbers_would_lose_is_refused():
    X, D = rows(12)
    frame = pd.DataFrame(X, columns=list("abcd"))
    holed = np.where(np.arange(12)[:, None] == 3, np.nan, X)
    for bad, message in (
        (frame.assign(when=pd.Timestamp("2020-01-01")), "Dates or times not supported: X column 4"),
        (frame.astype(complex), "Complex data not supported: X column 0"),
        (np.ma.masked_greater(X, 1), "X is a masked array"),
        (holed, "X row 3, column 0 is nan"),
        (pd.DataFrame(X, columns=list("abca")), "X has two columns called 'a'"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.bunch(bad, D)
    with pytest.raises(UserDataError, match="D row 0, column 0 is 0.*targets are 0 or 1"):
        userdata.bunch(X, D, task="multilabel")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "first column without a name that counts the rows"),
        ('"",x,d_1,d_2\n"7",1,.5,.5\n"3",2,1,0\n', "first column without a name that counts"),
        (" ,x,d_1,d_2\n5.0,1,.5,.5\n2,2,1,0\n", "first column without a name that counts"),
        ("x,,d_1,d_2\n1,9,.5,.5\n2,2,1,0\n", "has a column without a name that counts"),
        ("index,x,d_1,d_2\n1,1,.5,.5\n0,2,1,0\n", "first column called 'index' that counts"),
        ("rownames,x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "first column called 'rownames' that counts"),
        ("x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "4 values in its first row and 3 names above them"),
        ("x,d_1,d_2\n", "has names of columns and no rows"),
        ("x,x,d_1,d_2\n1,1,.5,.5\n2,2,1,0\n", "two columns called 'x': give each its name"),
        ("x,d_1,d_2,d_1 \n1,1,.5,.5\n2,2,1,0\n", "two columns called 'd_1'"),
        ("x;d_1;d_2\n1;0,5;0,5\n", "its separator seems to be ';'"),
        ("x\td_1\td_2\n1\t0,5\t0,5\n", "its separator seems to be a tab"),
        ("x|d_1|d_2\n1|0,5|0,5\n2|1|0\n", r"its separator seems to be '\|'"),
        ("\nx d_1 d_2\n1 .5 .5\n", "its separator seems to be a space"),
        ("x,d_1,d_2,\n1,.5,.5,\n2,1,0,\n", "last column without a name and without values"),
        ("# made by us\nx,d_1,d_2\n1,.5,.5\n", "begins with the line '# made by us': remove it"),
        ("sep=,\nx,d_1,d_2\n1,.5,.5\n", "begins with the line 'sep=,': remove it"),
        ("x,y,d_1,d_2\n1,1,.5,.5\n2,1e308,1,0\n", "X row 1 .*, column 'y': 1e\\+308 is too large"),
        ("x,d_1,d_2\n1,.5,.5\n,1,0\n", "X row 1 .line 3., column 'x': the value is missing"),
        (
            "x,d_1,d_2\n1,.5,.5\n2,inf,0\n",
            "D row 1 .line 3., column 'd_1': inf is no finite number",
        ),
        (f"x,d_1,d_2\n1,.5,.5\n{10**400},1,0\n", "X row 1 .*column 'x': .* is too large; scale"),
        (
            f"x,d_1,d_2\n1,.5,.5\n2,{10**309},0\n",
            "D row 1 .*'d_1': inf is .*, or a larger one .*scale",
        ),
        (
            "My table of 2020\nx,d_1,d_2\n1,.5,.5\n",
            "begins with the line 'My table of 2020', a tit",
        ),
        (
            'x,d_1,d_2\n1,"0,5",.5\n',
            "row 0 .line 2., column 'd_1': '0,5' has a decimal comma; save",
        ),
        ('x,d_1,d_2\n"1,234.5",.5,.5\n', "'1,234.5' has commas between thousands; leave"),
        ("x,d_1,d_2\n1,50%,50%\n", "'50%' has a percent sign; leave it out"),
        ("x,d_1,d_2\n\u22121.5,.5,.5\n", "'\u22121.5' has a dash where a minus"),
        ("x,d_1,d_2\n?,.5,.5\n", "'\\?' is no number; where it marks a missing value"),
        ("x;d_1;d_2\n1;0,5;0,5\n2;0,5;0,5\n", "its separator seems to be ';'"),
        ('x,d_1,d_2\n1,.5,".5\n2,1,0\n', "a quotation mark is opened and not closed"),
        (",x,d_1,d_2\nann,1,.5,.5\nbob,2,1,0\n", "with texts such as 'ann': names of the rows"),
        ("x,d_1,d_2\n--1,.5,.5\n", "'--1' is no number; encode"),
        ("x,d_1,d_2\n\u00a01.5,.5,.5\n", "has the sign NO-BREAK SPACE; remove it"),
        ("x,d_1,d_2\n1 234,.5,.5\n", "'1 234' has the sign SPACE; remove it"),
        ("x,d_1,d_2\n\u0661,.5,.5\n", "has digits of another script; write them as 0 to 9"),
        (
            'x,y,d_1,d_2\n1,"3\n",.5,.5\n\n2,,1,0\n',
            "X row 1 .line 5., column 'y': the value is mis",
        ),
        ("x,d_1,d_2\n1,.5,.5\n\n2,0,0\n", "D row 1 .line 4. is all zero"),
        ("x,d_1,d_2\n1,.5,.5\n2,-1,2\n", "Negative values in D: row 1 .line 3., column 'd_1'"),
    ],
)
def test_a_table_of_another_program_is_told(text, message, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(UserDataError, match=message):
        userdata.read(tmp_path / "t.csv", "d_*")


def test_columns_without_a_name_that_count_no_rows_are_features(tmp_path):
    for first in ("1.5,2", "3,3"):
        one, two = first.split(",")
        (tmp_path / "t.csv").write_text(f",d_1,d_2\n{one},.5,.5\n{two},1,0\n")
        assert userdata.read(tmp_path / "t.csv", "d_*").X[:, 0].tolist() == [float(one), float(two)]
    (tmp_path / "t.csv").write_text('a, "b c" , d_1,d_2\n1, 4, .5,.5\n2,5, 1, 0\n')
    read = userdata.read(tmp_path / "t.csv", "d_*")
    assert read.feature_names == ["a", "b c"] and read.X[:, 1].tolist() == [4, 5]


def test_numbers_in_objects_are_numbers_and_the_largest_are_told():
    X, D = rows(4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for kind in (Fraction, Decimal):
        np.testing.assert_array_equal(userdata.bunch(frame.map(kind), D).X, X)
    for value, message in (
        (10**400, "an integer of 1329 bits is too large"),
        ([1, 2], "the cell holds a list"),
        (object, "is no number"),
    ):
        bad = frame.astype(object).map(lambda _, value=value: value)
        with pytest.raises(UserDataError, match=f"X row 0, column 'a': .*{message}"):
            userdata.bunch(bad, D)
    with pytest.raises(UserDataError, match="X is no array of numbers"):
        userdata.bunch([[10**400]] * 4, D)


def test_row_numbers_in_a_frame_are_told():
    X, D = rows(12)
    frame = pd.DataFrame(X, columns=list("abcd"))
    shuffled = frame.sample(frac=1, random_state=0)
    for bad in (
        shuffled.rename_axis("Unnamed: 0").reset_index(),
        shuffled.reset_index(),
        frame.assign(level_0=range(5, 17)),
        frame.assign(id=range(5, 17)),
        frame.assign(X=range(1, 13)),
    ):
        with pytest.raises(UserDataError, match="X has a .*column .* that counts the rows"):
            userdata.bunch(bad, D)
        with pytest.raises(UserDataError, match="X has a .*column .* that counts the rows"):
            compare({"mean": Mean()}, bad, D, folds=2)
    assert userdata.bunch(shuffled.to_numpy(), D).X.shape == (12, 4)


@pytest.mark.parametrize(
    "name", ["../../escaped", "a/b", "a\\b", "..", "", " ", "a\0b", "a\nb", "x" * 201, "caf\udce9"]
)
def test_a_name_that_is_a_path_is_refused(name, tmp_path):
    X, D = rows(12)
    with pytest.raises(UserDataError, match="records go into a file of this name"):
        userdata.bunch(X, D, name)
    made = userdata.bunch(X, D)
    made.name = name  # a bunch of somebody's own
    with pytest.raises(UserDataError, match="records go into a file of this name"):
        compare({"mean": Mean()}, made, folds=2, records=tmp_path / "records")
    assert not (tmp_path / "records").exists()


def test_damaged_and_newer_files_are_told(tmp_path, monkeypatch):
    (tmp_path / "new.mat").write_bytes(
        b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM"
    )
    with pytest.raises(UserDataError, match="version 7.3, which is not read.*'-v7'"):
        userdata.read(tmp_path / "new.mat")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")

    def damaged(path):
        raise OSError("Couldn't deserialize thrift: TProtocolException")

    monkeypatch.setattr(pd, "read_parquet", damaged)
    with pytest.raises(UserDataError, match="bad.parquet is damaged, or no .parquet file .OSError"):
        userdata.read(tmp_path / "bad.parquet", "d_*")


def test_files_of_arrays_that_hold_none_are_told(tmp_path):
    X, D = rows(12)
    np.savez(tmp_path / "good.npz", X=X, D=D)
    savemat(tmp_path / "good.mat", {"X": X, "D": D})
    np.savez(tmp_path / "pickled.npz", X=np.array([{}], dtype=object), D=D)
    savemat(tmp_path / "cell.mat", {"X": np.array([[1, "a"]], dtype=object), "D": D})
    savemat(tmp_path / "struct.mat", {"X": {"a": 1}, "D": D})
    np.savez(tmp_path / "records.npz", X=np.zeros(12, [("a", float), ("b", float)]), D=D)
    for kind in ("npz", "mat"):
        (tmp_path / f"empty.{kind}").write_bytes(b"")
        (tmp_path / f"text.{kind}").write_text("x,y\n1,2\n" * 40)
        content = (tmp_path / f"good.{kind}").read_bytes()
        (tmp_path / f"cut.{kind}").write_bytes(content[: len(content) // 2])
    for name, message in (
        ("empty.npz", "is empty"),
        ("empty.mat", "is empty"),
        ("text.npz", "is no .npz file, or one that was cut short"),
        ("cut.npz", "is no .npz file, or one that was cut short"),
        ("text.mat", "is no .mat file, or it is damaged or cut short"),
        ("cut.mat", "is no .mat file, or it is damaged or cut short"),
        ("pickled.npz", "has an array of objects.*Pickled objects are refused"),
        ("cell.mat", "X is a cell array, a struct or a table of records"),
        ("struct.mat", "X is a cell array, a struct or a table of records"),
        ("records.npz", "X is a cell array, a struct or a table of records"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.read(tmp_path / name)


def test_columns_that_became_an_index_in_parquet_are_columns_again(tmp_path, monkeypatch):
    X, D = rows(12)
    table = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    (tmp_path / "t.parquet").write_bytes(b"")
    for index, names in ((["b"], "bacd"), (["c", "a"], "cabd"), (["d_1"], "abcd")):
        monkeypatch.setattr(pd, "read_parquet", lambda path, by=index: table.set_index(by))
        read = userdata.read(tmp_path / "t.parquet", "d_*")
        assert read.feature_names == list(names) and read.D.shape == (12, 3)
        np.testing.assert_array_equal(read.X, table[list(names)])
    monkeypatch.setattr(pd, "read_parquet", lambda path: table.set_index("b").assign(b=1))
    with pytest.raises(UserDataError, match="two columns called 'b'"):
        userdata.read(tmp_path / "t.parquet", "d_*")
    monkeypatch.setattr(pd, "read_parquet", lambda path: table.rename_axis("id").iloc[::-1])
    with pytest.raises(UserDataError, match="first column called 'id' that counts the rows"):
        userdata.read(tmp_path / "t.parquet", "d_*")


def test_sparse_arrays_of_matlab_are_read(tmp_path):
    X, D = rows(12)
    labels = (D > 0.3).astype(float)
    savemat(tmp_path / "t.mat", {"X": sparse.csc_matrix(X), "Y": sparse.csc_matrix(labels)})
    read = userdata.read(tmp_path / "t.mat")
    np.testing.assert_array_equal(read.X, X)
    np.testing.assert_array_equal(read.Y, labels)


def test_tables_without_rows_or_features_are_told():
    X, D = rows(12)
    for bad in ((X[:0], D[:0]), (X[:, :0], D), (X, D[:, :0])):
        with pytest.raises(UserDataError, match="a row, a feature and a label are needed"):
            userdata.bunch(*bad)


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".mat"])
def test_a_table_that_is_no_file_is_named(tmp_path, suffix):
    for make in (os.mkfifo, os.mkdir):
        path = tmp_path / f"{make.__name__}{suffix}"
        make(path)
        with pytest.raises(LdlreproError, match=f"^{path} is a .*a file belongs there"):
            userdata.read(path)
        with pytest.raises(LdlreproError, match=f"^{path} is a .*a file belongs there"):
            write_whole(path, "text")


def test_arrays_under_two_names_are_told(tmp_path):
    X, D = rows()
    np.savez(tmp_path / "t.npz", X=X, features=X, D=D)
    with pytest.raises(UserDataError, match="has both X and features: leave one of them out"):
        userdata.read(tmp_path / "t.npz")


@pytest.mark.parametrize(
    "name", ["Id", "Index", "idx", "row", "row_id", "...1", "rn", "No.", "nr", "RowNumber", "#"]
)
def test_a_column_that_numbers_rows_is_refused_by_its_name(name):
    X = pd.DataFrame({"a": np.linspace(0, 1, 6), name: [7, 3, 5, 1, 2, 9], "b": 0.5})
    with pytest.raises(userdata.UserDataError, match="counts the rows"):
        userdata.bunch(X, np.full((6, 2), 0.5))


@pytest.mark.parametrize("start", [0, 1])
def test_a_first_or_last_column_that_counts_is_refused(start):
    n = 24
    D, a, count = np.full((n, 2), 0.5), np.linspace(0, 1, n), np.arange(start, start + n)
    for X in (pd.DataFrame({"time": count, "a": a}), pd.DataFrame({"a": a, "time": count})):
        with pytest.raises(userdata.UserDataError, match="'time' that counts.*scale it, or give X"):
            userdata.bunch(X, D)
        userdata.bunch(X.to_numpy(), D)  # the ways out that the message names
        userdata.bunch(X.assign(time=X.time / n), D)
    userdata.bunch(pd.DataFrame({"a": a, "time": count, "b": a}), D)


def test_a_total_among_the_labels_is_refused(tmp_path):
    D = np.array([[1.0, 2, 7], [3, 3, 4], [5, 1, 1]])
    frame = pd.DataFrame(D, columns=["d_a", "d_b", "d_c"]).assign(f=[0.1, 0.5, 0.2])
    with pytest.warns(NormalisationWarning):
        userdata.bunch(frame[["f"]], frame[["d_a", "d_b", "d_c"]])
    frame.assign(d_total=D.sum(axis=1)).to_csv(tmp_path / "t.csv", index=False)
    for labels in ("d_*", "d_a,d_b,d_c,d_total"):
        with pytest.raises(UserDataError, match="'d_total'.* is the sum .*--drop .* take it out"):
            userdata.read(tmp_path / "t.csv", labels)
    assert len(userdata.read(tmp_path / "t.csv", "d_a,d_b,d_c", drop="d_total").label_names) == 3
    rounded = np.array([[33.0, 33, 33], [20, 30, 51], [60, 20, 20]])
    with pytest.raises(UserDataError, match="Column 3 of the labels is the sum"):
        userdata.bunch(frame[["f"]], np.c_[rounded, np.full(3, 100)])
    np.savez(tmp_path / "t.npz", X=frame[["f"]], D=np.c_[D, D.sum(axis=1)])
    with pytest.raises(UserDataError, match="Leave this column out.$"):
        userdata.read(tmp_path / "t.npz")


#: Two folds of a quick method.
COMMAND = "compare AAKNN --data t.csv --labels d_* --folds 2 --n-jobs 1".split()


def test_columns_that_are_left_out(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(np.arange(24).reshape(8, 3) % 5, columns=["x", "seen", "d_a"])
    frame = frame.assign(d_b=1.5, d_sum=frame.d_a + 1.5, day=[f"{i} May" for i in range(8)])
    frame.to_csv("t.csv", index=False)
    read = userdata.read("t.csv", "d_*", drop="d_sum, day,se*")
    assert read.feature_names == ["x"] and read.label_names == ["d_a", "d_b"]
    assert (userdata.read("t.csv", "d_*", drop=["d_sum", "day", "seen"]).X == read.X).all()
    cli.main([*COMMAND, "--drop", "d_sum,day,seen"])
    assert "t: 8 rows, 1 feature (x), 2 labels (d_a, d_b)" in capsys.readouterr().out
    np.savez("t.npz", X=read.X, D=read.D)
    for given, message in (
        (("t.csv", "d_*", "d_sum"), "'0 May' is no number; .* is left out by --drop"),
        (("t.csv", "d_*", "day"), "d_sum.* is the sum of the others .*column out. --drop .* does"),
        (("t.csv", "d_*", "dya"), "No column of .* 'dya'. Did you mean day"),
        (("t.csv", "d_a,d_b", "d_a"), "'d_a' of t.csv is to be dropped, and is named for labels"),
        (("t.npz", None, "x"), "drop is for tables"),
        (("t.csv", "d_*", "*"), "--drop names every column of t.csv. Name fewer"),
        (("t.csv", "d_*", "d_*,day"), "--drop names every column .* that 'd_\\*' of --labels fits"),
    ):
        path, labels, drop = given
        with pytest.raises(UserDataError, match=message):
            userdata.read(path, labels, drop=drop)


def test_a_column_of_this_very_name_is_meant_before_those_that_a_pattern_fits(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x1,x*,d_1,d_*\n1,2,.5,.5\n3,4,1,0\n2,2,0,1\n")
    read = userdata.read(path, "d_1,d_*", drop="x*")
    assert read.feature_names == ["x1"] and read.label_names == ["d_1", "d_*"]
    assert userdata.read(path, "d_1,x*", drop="d_*").label_names == ["x*", "d_1"]


def test_rows_in_another_order_are_refused():
    X, D = (pd.DataFrame(A) for A in rows(12))
    for one, other in ((X, D[::-1]), (X[::-1], D), (X.rename(index=str), D[::-1].rename(str))):
        with pytest.raises(UserDataError, match=r"D has the names .* another order. Give D.loc"):
            userdata.bunch(one, other)
    assert (userdata.bunch(X[::-1], D[::-1]).D == userdata.bunch(X, D).D[::-1]).all()


def test_names_that_stand_for_several_rows_are_told():
    X, D = (pd.DataFrame(A, index=[*"aab"] * 4) for A in rows(12))
    with pytest.raises(UserDataError, match="names that stand for several rows, in two orders"):
        userdata.bunch(X, D[::-1])
    other = D.set_axis([*"abb"] * 4)
    with pytest.raises(UserDataError) as caught:
        userdata.bunch(X, other)
    assert "another order" not in str(caught.value)


def test_what_leaves_no_feature_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x1,x2,d_1,d_2\n1,2,.5,.5\n3,4,1,0\n2,2,0,1\n")
    with pytest.raises(UserDataError, match="--drop leaves no feature of"):
        userdata.read(path, "d_*", drop="x*")
    path.write_text('x1,"d,1",d_2\n1,.5,.5\n')
    with pytest.raises(
        UserDataError, match=r"A comma parts names: write \? for one inside a name."
    ):
        userdata.read(path, "d,1,d_2")
    assert userdata.read(path, "d?1,d_2").label_names == ["d,1", "d_2"]


def test_degrees_that_were_divided_once_stay(here, tmp_path):
    X, D = rows(40, c=8)
    with pytest.warns(NormalisationWarning):
        data = userdata.bunch(X, 37.3 * D)
    assert userdata.again(data).sha256 == data.sha256
    Mean.fits = 0
    for given in ((X, 37.3 * D), (data,), (data,)):
        compare({"mean": Mean()}, *given, folds=3, records=tmp_path)
    assert Mean.fits == 3


def test_one_label_and_folds_without_an_order_are_told(here):
    X, D = rows(30)
    with pytest.raises(LdlreproError, match="one label .* ranking loss, .* needs two"):
        compare("MLFE", X, (D[:, :1] > 0.3).astype(int), task="multilabel", folds=2)
    Y = np.zeros((30, 3), int)
    Y[:3, 0] = 1
    found = compare("RFPCT", X, Y, folds=5)
    empty = int(found.records.query("method == 'RFPCT'").ranking_loss.isna().sum())
    assert empty and f"Ranking loss is not defined on {empty} of 5 folds" in str(found)


def test_bad_values_name_their_column():
    X, D = rows(12)
    X, D = pd.DataFrame(X), pd.DataFrame(D, columns=["d_a", "d_b", "d_c"])
    wrong = D.copy()
    wrong.iloc[3, 1] = -0.1
    for given, message in (
        ((X, wrong), "row 3, column 'd_b' is -0.1"),
        ((X.assign(z=1j), D), "Complex data not supported: X column 4"),
    ):
        with pytest.raises(UserDataError, match=message):
            userdata.bunch(*given)
    with pytest.raises(UserDataError, match="'patient_id' that counts the rows"):
        userdata.bunch(X.assign(patient_id=np.arange(100, 112)), D)
