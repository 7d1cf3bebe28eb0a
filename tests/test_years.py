"""Ten years on: what its tables and its picture make of records, also of a part of them."""

import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ldlrepro.papers.later import left_out, processors, rivals, years
from ldlrepro.papers.later.experiments import RELEASED, TUNED
from ldlrepro.report.values import Share

KL = "kl_divergence"
SETS = ("SJAFFE", "Yeast_alpha", "Yeast_cold")
#: Mean K-L of methods on all sets: the mean predictor's is 1.
LOSS = {
    "MeanPredictor": 1.0,
    "CPNN": 0.9,
    "LDSVR": 0.6,
    "SA-BFGS, penalised": 0.5,
    "StructRF": 0.4,
    "RF": 0.3,  # no year: no paper proposed it for distributions
    "python-ldl:SA_BFGS": 0.7,
    "python-ldl:LDL_LRR": 0.35,
    "python-ldl:LDL_LRR, tuned": 0.2,
    "python-ldl:LDL_DPA": 0.45,
}


@pytest.fixture
def records():
    rng = np.random.default_rng(0)
    rows = [
        {
            "method": method,
            "dataset": dataset,
            "seed": 0,
            "fold": fold,
            KL: loss + 0.002 * rng.normal(),
            "n_train": 90,
            "n_test": 10,
            "paper": "p",
            "experiment": "e",
            "source": "real",
            "data_sha256": "a",
            "parameters": {},
            "settings": {},
        }
        for method, loss in LOSS.items()
        for dataset in SETS
        if (method, dataset) != ("python-ldl:LDL_DPA", "Yeast_cold")
        for fold in range(10)
    ]
    return pd.DataFrame(rows)


def test_years_are_of_methods_that_are_declared():
    known = years.facts()
    assert set(years.YEARS.index) <= set(known.index[~known.guest])
    assert known.guest.sum() == len(RELEASED.methods) + len(TUNED.methods)
    assert known.year[known.guest].notna().all() and np.isnan(known.year["RF"])
    assert known.label["python-ldl:LDL_LRR, tuned"] == "LDL-LRR, tuned"
    assert known.learner["python-ldl:LDL_LRR, tuned"] == "LDL-LRR"
    # Later is what came after the five papers, not all that the package has.
    assert known.later["python-ldl:LDL_LRR"] and not known.later["python-ldl:SA_BFGS"]
    assert years.later_methods() == known[known.later & (known.label == known.learner)].shape[0]


def test_skill_by_year_counts_families_and_methods_that_have_them_whole(records):
    found = years.by_year(records, KL)
    assert set(found.family) == {"SJAFFE", "Yeast"}
    assert "RF" not in set(found.method)
    dpa = found[found.method == "python-ldl:LDL_DPA"]
    assert list(dpa.family) == ["SJAFFE"] and dpa.skill.iloc[0] == pytest.approx(0.55, abs=0.01)
    best = years.best_so_far(found[found.family == "Yeast"])
    assert best.is_monotonic_increasing and best.index[0] == 2013
    assert best.loc[2023] == pytest.approx(0.8, abs=0.01)


def test_the_picture_has_a_panel_a_family(records):
    figure = years.years_picture(years.by_year(records, KL), {"SJAFFE": "s-JAFFE"})
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == ["s-JAFFE", "Yeast"]
    assert shown[0].texts[0].get_text() == "LDL-LRR, tuned"
    plt.close(figure)
    none = years.by_year(records[records.method == "MeanPredictor"], KL)
    assert none.empty and "No records" in years.years_picture(none, {}).axes[0].texts[0].get_text()
    plt.close("all")


def test_the_best_later_methods_against_the_best_of_the_papers(records):
    later, papers = rivals.best_of_each(records, KL)
    # LDL-LRR once, in its better form.
    assert later == ["python-ldl:LDL_LRR, tuned", "python-ldl:LDL_DPA"]
    assert papers == ["StructRF", "SA-BFGS, penalised", "LDSVR"]
    table = rivals.best_against_best(records, KL)
    assert len(table) == 6
    first = table.iloc[0]
    assert (first["later"], first["of the papers"]) == ("LDL-LRR, tuned", "StructRF")
    assert first["better on"] == (3, 3) and first["significantly better"] == (3, 3, 3)
    assert first["significantly worse"].plain == 0
    old = records[~records.method.str.contains("LRR|DPA")]
    assert rivals.best_against_best(old, KL).empty


def test_baselines_beside_those_of_this_package(records):
    plain = records[records.method == "CPNN"].assign(method="SA-BFGS")
    table = rivals.baselines(pd.concat([records, plain]), KL)
    assert table.method.tolist() == ["SA-BFGS", "SA-BFGS"]
    row = table.iloc[0]
    assert (row["our name"], row["data sets"]) == ("SA-BFGS, penalised", 3)
    assert row["gain in python-ldl"] == pytest.approx(0.3, abs=0.01)
    assert row["gain here"] == pytest.approx(0.5, abs=0.01) and row["ours better on"] == (3, 3)
    every = pd.concat([records, plain])
    words = rivals.baselines_in_words(table, every, KL)
    assert words.startswith("Ours gain more on 3 of 6 pairs of a method and a data set.")
    assert "By the mean, 1 of 1 methods gain more here." in words
    assert "A row of at most 3 data sets says little, as for 1 of the 1 methods." in words
    assert "All 1 with 3 data sets gain more here." in words
    assert "Its gains differ by less than 0.01 on 0 of 3 data sets." in words
    assert words.endswith("The means are 0.10 here and 0.30 there.")
    some = table[table["our name"] != "SA-BFGS"]
    assert "for memory and stopping" not in rivals.baselines_in_words(some, every, KL)


def test_progress_says_what_is_there_and_what_is_left_out(records, monkeypatch):
    text = left_out.progress(records)
    wanted = int(re.match(r"\d+ of (\d+) pairs", text)[1])
    assert text.startswith(f"{wanted - 11} of ") and "are not run yet." in text
    later = re.search(r"not complete: (\d+) of (\d+) pairs", rivals.answer(records, {}, KL))
    waiting, every = int(later[1]), int(later[2])
    assert 0 < waiting < every < wanted and every - waiting == 8
    assert left_out.later_to_come(records).startswith(f"{waiting} of {every} pairs of a later")
    names = {d: d for d in SETS}
    missing = left_out.missing(records, names)
    assert "python-ldl:LDL_DPA" in set(missing.method)
    lacking = missing[missing.method == "python-ldl:LDL_DPA"]
    assert list(lacking["data sets"]) == ["Yeast_cold"]
    known, number = years.facts(), years.later_methods()
    out = {m for m, _, _ in RELEASED.without if known.later[m]}
    # None has all data sets here, and so has none all records.
    assert f"Of the {number} later methods, 0 have records of all data sets as released." in text
    assert f"On some data set {len(out)} fail" in text
    assert f"Fits of {number} are not run yet. {len(out)} of these {number} are among" in text
    every = pd.concat(
        records[records.method == "python-ldl:LDL_LRR"].assign(dataset=d) for d in RELEASED.datasets
    )
    text = left_out.progress(every)
    assert "1 have records of all data sets" in text
    assert f"Fits of {number - 1} are not run yet." in text
    table = left_out.later_table(every).set_index("method")
    assert len(table) == number and table.loc["LDL-LRR", "in the command"] == "python-ldl:LDL_LRR"
    assert table.loc["LDL-LRR", "data sets with records"] == (len(RELEASED.datasets),) * 2
    assert table.loc["LDL-DPA", "data sets with records"].part == 0


def test_time_is_that_of_first_folds(records, tmp_path, monkeypatch):
    table = tmp_path / "first_folds.csv"
    table.write_text(
        "dataset,class,seconds,off\nSJAFFE,LDL_LRR,1.0,0\nYeast_alpha,LDL_LRR,4.0,0.5\n"
        "Yeast_cold,LDL_LRR,,\nSJAFFE,SA_BFGS,1.0,0.1\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(rivals, "FIRST_FOLDS", table)
    monkeypatch.setattr(left_out, "FIRST_FOLDS", table)
    found = rivals.seconds_and_skill(records, KL)
    assert list(found.index) == ["LDL-LRR", "SA-BFGS"] and found.seconds.tolist() == [1, 1]
    assert found.skill.tolist() == pytest.approx([0.65, 0.3], abs=0.01)
    assert found.front.tolist() == [True, False]
    off = left_out.off_the_simplex()
    assert off.to_numpy().tolist() == [["LDL_LRR", 1, 0.5], ["SA_BFGS", 1, 0.1]]


def test_what_another_processor_changes_is_told_by_method(tmp_path, monkeypatch):
    table = tmp_path / "another_processor.csv"
    table.write_text(
        "experiment,dataset,method,fold,kl_before,kl_again,measure,difference\n"
        "released,SJAFFE,python-ldl:LDL_LRR,0,1.0,1.1,clark,0.2\n"
        "released,SJAFFE,python-ldl:LDL_LRR,1,1.0,0.9,kl_divergence,0.1\n"
        "released,SJAFFE,python-ldl:SA_BFGS,0,0.5,0.5,,0.0\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(processors, "ANOTHER_PROCESSOR", table)
    same, off = processors.another_processor().itertuples(index=False)
    assert same[:2] == ("SA-BFGS", (1, 1)) and same[2:4] == (0, 0)
    assert np.isnan(off[4]) and np.isnan(same[4])  # not all ten folds
    assert off[:2] == ("LDL-LRR", (0, 2)) and off[2:4] == pytest.approx((0.2, 0.1))
    words = processors.processors_in_words(processors.another_processor())
    assert "We fitted 3 folds of 2 methods" in words and "1 have the same digits." in words
    assert "In LDL-LRR the K-L of a fold moves by at most 10.0%" in words
    assert "In the other 1 the K-L of a fold moves by at most 0.0%" in words


def test_the_answer_counts_kinds_of_data_and_tests(records):
    names = {"SJAFFE": "s-JAFFE"}
    table = rivals.best_of_families(records, KL, names)
    assert table.data.tolist() == ["s-JAFFE", "Yeast"]
    # The best of the comparison may be a method that no paper proposed for distributions.
    assert table["best up to 2020"].tolist() == ["RF", "RF"]
    assert table["best later"].tolist() == ["LDL-LRR, tuned"] * 2 and table.ahead.all()
    assert table.year.tolist() == [2023, 2023]
    assert [share.part for share in table["later methods there"]] == [2, 1]
    assert [held.plain for held in table["significantly worse"]] == [0, 0]
    assert table["data sets"].tolist() == [1, 2]
    assert f"{years.later_methods()} later methods count on s-JAFFE (2), Yeast (1)." in (
        rivals.few_in_words(table, records)
    )
    assert "are not run yet, fail or" in rivals.few_in_words(table, records)
    assert rivals.few_in_words(table[:0], records) == ""
    every = table.assign(**{"later methods there": [Share(2, 2), Share(1, 2)]})
    assert rivals.few_in_words(every, records) == (
        "On s-JAFFE all of them ran. There the best one is not significantly worse than the best "
        "method up to 2020, by Holm's correction."
    )
    both = every.assign(**{"later methods there": [Share(2, 2), Share(2, 2)]})
    told = "is significantly worse than the best method up to 2020 on none of 3 sets, by"
    assert told in rivals.few_in_words(both, records)
    text = rivals.answer(records, names, KL)
    assert text.startswith("We ran 2 later methods of python-ldl with their released settings.")
    assert "One is the best on 2 of 2 kinds of data: s-JAFFE, Yeast." in text
    assert "On none of the 2, the best later method is significantly worse" in text
    ahead = records.method.map(LOSS).where(records.method != "RF", 0.1)
    noise = 0.002 * np.random.default_rng(1).normal(size=len(records))
    text = rivals.answer(records.assign(**{KL: ahead + noise}), names, KL)
    assert "As far as they ran, none is the best on any of 2 kinds of data." in text
    behind = rivals.best_of_families(records.assign(**{KL: ahead + noise}), KL, names)
    assert rivals.own_class_in_words(behind).startswith("No later method is the best on any kind")
    assert rivals.own_class_in_words(table) == "" == rivals.own_class_in_words(table[:0])
    assert "On 2 of the 2, the best later method is significantly worse" in text
    tests = rivals.best_against_best(records, KL)
    better = sum(held.holm for held in tests["significantly better"])
    words = rivals.against_in_words(tests)
    assert better > 0 and f"significantly better in {better} of 15 comparisons" in words
    assert f"these {tests.later.nunique()} later methods" in words
    few = records[~records.method.str.contains("LRR|DPA")]
    assert rivals.answer(few, {}, KL) == "No later method has records yet."


def test_later_methods_stand_beside_the_earlier_ones_of_the_package(records):
    table = rivals.best_of_families(records, KL, {"SJAFFE": "s-JAFFE"}, inside=True)
    assert table["best up to 2020"].tolist() == ["SA-BFGS", "SA-BFGS"]
    assert table["best later"].tolist() == ["LDL-LRR", "LDL-LRR"] and table.ahead.all()
    assert [held.holm for held in table["significantly better"]] == [1, 2]
    assert [held.holm for held in table["significantly worse"]] == [0, 0]
    words = rivals.inside_in_words(table)
    assert "on 2 of 2 kinds of data." in words
    assert "significantly better on 3 of 3 data sets, and significantly worse on none." in words


def test_points_are_what_the_tuned_methods_try():
    table = rivals.points().set_index("in the command")
    assert list(table.index) == [f"python-ldl:{m.estimator.name}" for m in TUNED.methods]
    tried = TUNED.methods[2].grid["parameters"]
    assert table.loc["python-ldl:LDL_DPA", "point 2"] == "alpha=0.1, beta=0.1"
    assert (table["point 1"] == "as released").all() and len(tried) == table.shape[1] - 1


def test_methods_that_fail_on_one_data_set_of_a_kind_are_told(records, monkeypatch):
    names = {d: d for d in SETS}
    assert left_out.where_some_fail(records, KL, names) == ""
    failing = SimpleNamespace(**vars(RELEASED))
    failing.without = [("python-ldl:LDL_DPA", "Yeast_cold", "ValueError: x")]
    monkeypatch.setattr(left_out, "RELEASED", failing)
    text = left_out.where_some_fail(records, KL, names)
    assert text == (
        "LDL-DPA fail on Yeast_cold, and do not count for Yeast. By the mean over its other 1 data "
        "sets, none of them gains more than LDL-LRR, tuned."
    )
    failing.without = [("python-ldl:LDL_DPA", "Yeast_cold", left_out.OVER)]
    assert left_out.where_some_fail(records, KL, names) == ""


def test_how_often_the_strongest_penalty_is_chosen_is_told(records):
    tuned = records.method == "python-ldl:LDL_LRR, tuned"
    strongest = {"scale": None, "parameters": {"beta": 0.01}}
    chosen = [
        strongest if is_tuned and fold < 4 else {}
        for is_tuned, fold in zip(tuned, records.fold, strict=True)
    ]
    told = rivals.edges_in_words(records.assign(parameters=chosen))
    assert told.startswith("In 12 of 30 folds the tuned methods choose the strongest")
    assert rivals.edges_in_words(records[~tuned]) == ""


def test_what_choosing_gains_is_of_the_data_sets_of_both(records):
    table = rivals.what_choosing_gains(records, KL).set_index("method")
    assert list(table.index) == ["LDL-LRR"]
    assert table.loc["LDL-LRR", "data sets"] == 3
    assert table.loc["LDL-LRR", "as released"] == pytest.approx(0.65, abs=0.01)
    assert table.loc["LDL-LRR", "tuned"] == pytest.approx(0.8, abs=0.01)
    assert str(table.loc["LDL-LRR", "better tuned on"]) == "3 of 3"
    assert table.loc["LDL-LRR", "significantly better"].plain == 3
    assert rivals.choosing_in_words(records, {d: d for d in SETS}, KL) == ""
    tuned = records.method == "python-ldl:LDL_LRR, tuned"
    worse = records.assign(**{KL: records[KL].where(~tuned | (records.dataset != "SJAFFE"), 1.5)})
    assert rivals.choosing_in_words(worse, {"SJAFFE": "s-JAFFE"}, KL).startswith(
        "On s-JAFFE no tuned method beats the mean predictor: the best gains -0.50."
    )
