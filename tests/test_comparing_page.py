"""Tables, tests and the page of a user's comparison."""

import os
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from own_methods import Mean, rows
from sklearn.linear_model import Ridge

import ldlrepro
from ldlrepro import stats
from ldlrepro.errors import LdlreproError, UnknownNameError
from ldlrepro.metrics import MEASURES
from ldlrepro.papers.comparison import choice, matrix
from ldlrepro.report.html import for_spreadsheets
from ldlrepro.report.plots import in_short
from ldlrepro.user import compare as comparing
from ldlrepro.user import data as userdata
from ldlrepro.user.compare import CompareError, compare
from ldlrepro.user.folds import folds_picture
from ldlrepro.user.text import _p_value, against, tables


@pytest.mark.parametrize("name", [b"caf\xe9.csv", b"a\nb.csv", b"a\\b.csv", b"$50_%.csv"])
def test_names_of_files_are_shown_as_far_as_they_can_be(name, tmp_path, here):
    X, D = rows(12)
    path = comparing.Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    table = pd.DataFrame(np.hstack([X, D]), columns=[*"abcd", "d_1", "d_2", "d_3"])
    try:
        table.to_csv(path, index=False)
    except OSError:
        pytest.skip("this file system takes no such name")
    data = userdata.read(path, "d_*")
    assert data.name.encode().decode().isprintable()
    found = compare({"$m_1$ <b>": Mean()}, data, folds=2, records=tmp_path / "records")
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "$m_1$ &lt;b&gt;" in page and "<b>" not in page
    assert len(list((tmp_path / "records" / "own").glob("*.csv"))) == 1


def test_names_with_dollar_signs_are_no_formulas(here):
    X, D = rows(20)
    data = userdata.bunch(X, D, "$frac{$ 50% a_b")
    found = compare({r"$\sqrt$": Mean(), "a $ b": Mean()}, data, folds=2)
    with matplotlib.rc_context({"text.usetex": False}):
        for figure in (found.picture(), found.folds_picture(), found.time_picture()):
            figure.canvas.draw()
            plt.close(figure)


@pytest.mark.parametrize("name", ["W" * 240, "\u65e5\u672c"])
@pytest.mark.filterwarnings("error")
def test_names_that_are_long_or_in_other_scripts_fit_into_the_page(here, tmp_path, name):
    X, D = rows(20)
    found = compare({name: Mean()}, userdata.bunch(X, D, name[:200]), folds=2)
    found.to_html(tmp_path / "page.html")
    assert name in (tmp_path / "page.html").read_text()


def test_the_page_leaves_the_style_of_the_user(here, tmp_path):
    X, D = rows(20)
    found = compare({"mean": Mean()}, X, D, folds=2)
    with matplotlib.rc_context({"text.usetex": True, "font.size": 31}):
        found.to_html(tmp_path / "page.html")
        assert matplotlib.rcParams["text.usetex"] and matplotlib.rcParams["font.size"] == 31


def test_no_cell_is_a_formula_of_a_spreadsheet(here, tmp_path):
    X, D = rows(20)
    names = ["=cmd()", "+1+cmd", "-cmd", "@cmd", "\tcmd"]
    data = userdata.bunch(X, D, "=data")
    found = compare({name: Mean() for name in names}, data, folds=2)
    found.to_csv(tmp_path / "records.csv")
    table = pd.read_csv(tmp_path / "records.csv")
    assert {f"'{name}" for name in names} <= set(table.method)
    assert set(table.dataset) == {"'=data"} and table.kl_divergence.dtype == float
    frame = pd.DataFrame({"=a": ["=b", "-0.1", "+1.5%", "x=y"], "n": [-1.0, 2, 3, 4]})
    safe = for_spreadsheets(frame)
    assert list(safe) == ["'=a", "n"] and safe.n.tolist() == [-1, 2, 3, 4]
    assert safe["'=a"].tolist() == ["'=b", "-0.1", "+1.5%", "x=y"]


def test_a_null_predictor_without_a_loss_has_no_skill():
    frame = pd.DataFrame({"method": ["a", "null"] * 2, "dataset": ["x", "x", "y", "y"], "fold": 0})
    frame = frame.assign(kl_divergence=[-4e-17, 2e-17, 0.1, 0.2], fit_seconds=1.0)
    table = matrix.skill(frame, "null", "kl_divergence")
    assert list(table) == ["y"] and table.loc["a", "y"] == pytest.approx(0.5)
    only = frame[frame.dataset == "x"]
    assert matrix.skill(only, "null", "kl_divergence").empty
    for figure in (
        folds_picture(only, "null", "kl_divergence"),
        choice.front_picture(choice.front(only, "null", "kl_divergence"), "kl_divergence"),
    ):
        ((said,),) = [axis.texts for axis in figure.axes]
        assert said.get_text().startswith("No ")


@pytest.mark.parametrize("write", ["to_html", "to_csv"])
def test_a_page_is_written_whole_or_not_at_all(here, tmp_path, monkeypatch, write):
    X, D = rows()
    found = compare({"mean": Mean()}, X, D, folds=3)
    path = tmp_path / "page"
    path.write_text("the good one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        getattr(found, write)(path)
    assert path.read_text() == "the good one" and [p.name for p in tmp_path.iterdir()] == ["page"]


@pytest.mark.parametrize("write", ["to_html", "to_csv"])
def test_a_missing_folder_is_one_line(here, tmp_path, write):
    found = compare({"ridge": Ridge()}, *rows(), folds=2)
    with pytest.raises(CompareError, match="there is no folder .*nowhere"):
        getattr(found, write)(tmp_path / "nowhere" / "a.html")
    with pytest.raises(LdlreproError, match="is a folder"):
        getattr(found, write)(tmp_path)


def test_the_summary_is_gain_spread_and_a_test_against_the_first(here):
    X, D = rows(60)
    found = compare({"m": Mean(), "near": ldlrepro.AAKNN()}, X, D, folds=4)
    table = found.summary()
    assert table.index[0] == "near" and list(table.columns) == ["gain", "mean", "std", "p"]
    near, mean = (found.records[found.records.method == m].kl_divergence for m in ("near", "m"))
    assert table.gain["near"] == pytest.approx(1 - near.mean() / mean.mean())
    assert list(table.loc["m", ["mean", "std"]]) == pytest.approx([mean.mean(), mean.std()])
    once = stats.corrected_t(near.to_numpy(), mean.to_numpy(), 45, 15)
    assert table.p["m"] == pytest.approx(2 * once)  # two tests, of equal p
    assert np.isnan(table.p["near"]) and table.p["m"] == table.p["MeanPredictor"]

    shown = tables(found)
    assert re.search(r"^near +0\.\d{3} +0\.\d{4}±0\.\d{4} +-$", shown, re.M)
    assert re.search(r"^m +0\.000 .*±.* (0\.\d{3}|<0\.001)$", shown, re.M)
    assert found.summary("cosine").index[0] == "near"
    several = compare({"m": Mean()}, X, D, folds=2)
    several.names["other"] = "other"
    with pytest.raises(CompareError, match="of one data set, and here are 2"):
        several.summary()


def test_the_page_has_all_measures_and_tests_the_best(here, tmp_path):
    X, D = rows(60)
    found = compare(["AAKNN", "SABFGS"], X, D, folds=3)
    found.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    best = found.summary().index[0]
    assert "against the others" not in page  # the first table has the test
    heads = re.findall("<th scope='col'>([^<]*)", page)
    assert {MEASURES[m].label for m in found.measures} <= set(heads)
    assert found.measures_table().loc[best, "Clark"] == pytest.approx(
        found.records[found.records.method == best].clark.mean()
    )


def test_a_baseline_without_a_loss_leaves_no_gain(here):
    """Each row has the most frequent labels: label frequencies rank them without a fault."""
    X, rng = rows(40)[0], np.random.default_rng(0)
    Y = (np.arange(4) < rng.integers(1, 4, 40)[:, None]).astype(int)
    found = compare("RFPCT(n_estimators=3)", X, Y, folds=3)
    table = found.summary()
    assert table.gain.isna().all() and table["mean"].is_monotonic_increasing
    shown = tables(found)
    assert "gain: none, since LabelFrequencies has no loss" in shown and "nan" not in shown
    assert found._repr_html_() and str(found) == shown and len(repr(found)) < 80
    assert set(against(found, "RFPCT(n_estimators=3)").iloc[:, 1]) == {"-"}


def test_p_is_told_from_the_level():
    told = [_p_value(p) for p in (0.0004, 0.0496, 0.05, 0.0503, 0.051, 1.0)]
    assert told == ["<0.001", "0.0496", "0.050", "0.0503", "0.051", "1.000"]


def test_two_settings_of_a_class_have_two_names_in_pictures():
    long = [f"StructRF(n_estimators=100, max_depth={d}, step='adaptive')" for d in (5, 9)]
    assert in_short(long[0]) == in_short(long[1]) and len(in_short(long[0])) == 40
    cut = [in_short(one, long) for one in long]
    assert "epth=5" in cut[0] and "epth=9" in cut[1] and max(map(len, cut)) <= 40
    assert in_short("AAKNN", long) == "AAKNN"


def test_measures_of_a_data_set_that_is_not_there(here):
    with pytest.raises(
        UnknownNameError, match=r"No data set 'dat'\. Did you mean data\? There are:"
    ):
        compare("AAKNN", *rows(), folds=2).measures_table("dat")
