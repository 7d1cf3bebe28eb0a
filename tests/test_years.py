"""Ten years on: what its tables and its picture make of records, also of a part of them."""

import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ldlrepro.papers.later import answers, baselines, left_out, processors, rivals, tuning, years
from ldlrepro.papers.later.experiments import AS_RELEASED, GRIDS, RELEASED, TUNED
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
    figure = years.years_picture(
        years.by_year(records, KL), {"SJAFFE": "s-JAFFE"}, years.without_year(records, KL)
    )
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == ["s-JAFFE", "Yeast"]
    assert shown[0].texts[0].get_text() == "LDL-LRR, tuned"
    plt.close(figure)
    none = years.by_year(records[records.method == "MeanPredictor"], KL)
    without = years.without_year(records, KL)
    assert without.method.tolist() == ["RF", "RF"] and without.skill["SJAFFE"] == pytest.approx(
        0.7, abs=0.01
    )
    assert none.empty and "No records" in (
        years.years_picture(none, {}, without).axes[0].texts[0].get_text()
    )
    better = years.years_picture(years.by_year(records, KL), {}, without.assign(skill=0.9))
    assert all(axis.texts[-1].get_text() == "RF" for axis in better.axes[:2])
    plt.close("all")


def test_the_best_later_methods_against_the_best_of_the_papers(records):
    later, papers = rivals.best_of_each(records, KL)
    # LDL-LRR once, in its better form.
    assert later == ["python-ldl:LDL_LRR, tuned", "python-ldl:LDL_DPA"]
    assert papers == ["StructRF", "SA-BFGS, penalised", "LDSVR"]
    table = rivals.best_against_best(records, KL)
    assert len(table) == 6
    first = table.iloc[0]
    assert (first["later"], first["of this book"]) == ("LDL-LRR, tuned", "StructRF")
    assert first["better on"] == (3, 3) and first["significantly better"] == (3, 3, 3)
    assert first["significantly worse"].plain == 0
    old = records[~records.method.str.contains("LRR|DPA")]
    assert rivals.best_against_best(old, KL).empty


def test_baselines_beside_those_of_this_package(records):
    plain = records[records.method == "CPNN"].assign(method="SA-BFGS")
    table = baselines.baselines(pd.concat([records, plain]), KL)
    assert table.method.tolist() == ["SA-BFGS", "SA-BFGS"]
    row = table.iloc[0]
    assert (row["our name"], row["data sets"]) == ("SA-BFGS, penalised", 3)
    assert row["gain in python-ldl"] == pytest.approx(0.3, abs=0.01)
    assert row["gain here"] == pytest.approx(0.5, abs=0.01) and row["ours better on"] == (3, 3)
    every = pd.concat([records, plain])
    names = {"SJAFFE": "s-JAFFE"}
    words = baselines.baselines_in_words(table, every, names, KL)
    assert words.startswith("The table has 2 rows for 1 methods. In 1 of the rows")
    assert "gains more, and on 3 of 6 pairs of a row and a data set." in words
    assert "Its gains differ by less than 0.01 on 0 of 1 other sets and 0 of 2 Yeast sets." in words
    assert "Where both gain more than -0.5, they differ by at most 0.20 (" in words
    far = every.assign(**{KL: every[KL].where(every.method != "SA-BFGS", 2.0)})
    told = baselines.baselines_in_words(table, far, names, KL)
    assert "Where one gains less than -0.5, they differ by at most 1.3" in told
    assert "both gain" not in told
    some = table[table["our name"] != "SA-BFGS"]
    assert "for memory and stopping" not in baselines.baselines_in_words(some, every, names, KL)


def test_progress_says_what_is_there_and_what_is_left_out(records, monkeypatch):
    text = left_out.progress(records)
    without = (*RELEASED.without, *TUNED.without)
    versions = len(RELEASED.methods) + len(TUNED.methods)
    every = versions * len(RELEASED.datasets)
    assert text.startswith(f"{versions} versions of methods on 17 data sets make {every} pairs.")
    assert "11 pairs have all ten folds." in text
    over = sum(why == left_out.OVER for _, _, why in without)
    assert f"In {over} a first fold takes" in text and f"and {len(without) - over} fail." in text
    wanted = every - len(without)
    assert f"Not all folds are there for {wanted - 11} more, " in text
    later = re.search(r"not complete: (\d+) of (\d+) pairs", answers.answer(records, {}, KL))
    waiting, every = int(later[1]), int(later[2])
    assert 0 < waiting < every < wanted and every - waiting == 8
    assert left_out.later_to_come(records).startswith(f"{waiting} of {every} pairs of a later")
    names = {d: d for d in SETS}
    missing = left_out.missing(records, names)
    assert "python-ldl:LDL_DPA" in set(missing.method)
    lacking = missing[missing.method == "python-ldl:LDL_DPA"]
    assert list(lacking["data sets"]) == ["Yeast_cold"]
    assert f"{waiting} of a later method." in text
    number = years.later_methods()
    assert text.endswith(
        f"Of the {number} later methods 0 have records of all data sets as released."
    )
    every = pd.concat(
        records[records.method == "python-ldl:LDL_LRR"].assign(dataset=d) for d in RELEASED.datasets
    )
    assert "later methods 1 have records of all data sets" in left_out.progress(every)
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
    monkeypatch.setattr(baselines, "FIRST_FOLDS", table)
    monkeypatch.setattr(left_out, "FIRST_FOLDS", table)
    found = baselines.seconds_and_skill(records, KL)
    assert list(found.index) == ["LDL-LRR", "SA-BFGS"] and found.seconds.tolist() == [1, 1]
    assert found.skill.tolist() == pytest.approx([0.65, 0.3], abs=0.01)
    assert found.front.tolist() == [True, False] and found.colour.nunique() == 2
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
    assert "and another measure of a fold by at most 20.0%." in words
    assert "In the other 1 the K-L of a fold moves by at most 0.0%" in words


def test_measures_other_than_the_first_are_compared_too(records):
    names = {"SJAFFE": "s-JAFFE"}
    # By Clark RF leads on s-JAFFE, and LDL-LRR, tuned, on Yeast.
    first = (records.method == "RF") & (records.dataset == "SJAFFE")
    both = records.assign(clark=records[KL].where(~first, 0.1))
    table = rivals.by_measure(both, names, [KL, "clark"], KL)
    assert table.measure.tolist() == ["K-L", "Clark"]
    assert [str(share) for share in table["a later method leads on"]] == ["2 of 2", "1 of 2"]
    assert table.which.tolist() == [
        "LDL-LRR, tuned on s-JAFFE; LDL-LRR, tuned on Yeast",
        "LDL-LRR, tuned on Yeast",
    ]
    assert table["their gain by K-L"].tolist() == ["0.80; 0.80", "0.80"]
    assert table["significantly better"].tolist() == [3, 2]
    assert table["significantly worse"].tolist() == [0, 1]
    told = answers.answer(both, names, KL, others=["clark"])
    lead = "By 1 other measures a later one leads only on Yeast, significantly on at most 2 of 3"
    assert lead in told
    told = answers.answer(
        records.assign(clark=records[KL].mask(records.method == "RF", 0.1)), {}, KL
    )
    assert "a later one leads nowhere, significantly on at most 0 of 3 data sets." in told


def test_older_methods_of_python_ldl_are_rivals_too(records):
    strong = records.assign(
        **{KL: records[KL].where(records.method != "python-ldl:SA_BFGS", 0.1 * records[KL])}
    )
    table = rivals.best_of_families(strong, KL, {})
    assert set(table["best up to 2020"]) == {"SA-BFGS (python-ldl)"} and not table.ahead.any()


def test_what_is_left_without_several_pictures_of_a_person_is_told(records):
    names = {"SJAFFE": "s-JAFFE", "SBU_3DFE": "s-BU_3DFE"}
    table = rivals.best_of_families(records, KL, names)
    told = answers.persons_in_words(table, names)
    assert told.startswith("FG-Net, s-JAFFE and s-BU_3DFE have several pictures of a person")
    assert told.endswith(
        "On the other 1 kinds of data a later method leads on 1. By Holm's correction the best "
        "later one is significantly worse on 0 of the 2 Yeast sets."
    )
    assert answers.persons_in_words(table[table.data == "Yeast"], names) == ""


def test_of_methods_that_rounding_parts_the_released_one_is_named(records):
    tuned = records.method == "python-ldl:LDL_LRR, tuned"
    alike = records[records.method == "python-ldl:LDL_LRR"].assign(
        method="python-ldl:LDL_LRR, tuned"
    )
    alike = alike.assign(**{KL: alike[KL] - 1e-9})
    table = rivals.best_of_families(pd.concat([records[~tuned], alike]), KL, {})
    assert set(table["best later"]) == {"LDL-LRR"}


def test_the_best_tuned_methods_are_told(records):
    table = tuning.what_choosing_gains(records, KL)
    told = tuning.shared_in_words(table)
    assert told.endswith("LDL-LRR of 2023 gains most: 0.80.")
    head = "tuned, on shared kinds"
    other = table.assign(method="LDLLC", year=2018, **{head: table[head] - 0.5 * years.NEAR})
    told = tuning.shared_in_words(pd.concat([other, table]))
    assert "LDLLC of 2018 and LDL-LRR of 2023 gain most: 0.80, nearer than 0.01" in told
    assert tuning.shared_in_words(table.assign(**{head: np.nan})) == ""
    chosen = [{"scale": "standard", "parameters": {"beta": 0.01}}] * len(records)
    told = tuning.favourite_in_words(records.assign(parameters=chosen))
    assert told == (
        "LDL-LRR chose these settings in 30 of 30 folds, and the same penalty on features as given "
        "in 0. So try both."
    )


def test_means_are_of_both_sides_and_of_a_linear_method(records):
    table = rivals.means(records, KL)
    assert table.method.tolist()[0] == "LDL-LRR, tuned" and "SA-BFGS, penalised" in set(
        table.method
    )
    assert table.gain.is_monotonic_decreasing and table.gain[0] == pytest.approx(0.8, abs=0.01)
    assert table.year[0] == "2023"
    told = answers.means_in_words(table)
    assert told.startswith("By mean gain the best of these later ones is LDL-LRR, tuned: 0.80.")
    assert told.endswith("SA-BFGS, penalised, a linear method of 2016, gains 0.50.")
    assert answers.means_in_words(table[table.method != "SA-BFGS, penalised"]) == ""


def test_the_answer_counts_kinds_of_data_and_tests(records):
    names = {"SJAFFE": "s-JAFFE"}
    table = rivals.best_of_families(records, KL, names)
    assert table.data.tolist() == ["s-JAFFE", "Yeast"]
    # The best of the comparison may be a method that no paper proposed for distributions.
    assert table["best up to 2020"].tolist() == ["RF", "RF"]
    assert table["best later"].tolist() == ["LDL-LRR, tuned"] * 2 and table.ahead.all()
    assert table.year.tolist() == [2023, 2023]
    assert [share.part for share in table["later methods"]] == [2, 1]
    # Of both packages; the mean predictor is no rival.
    assert [share.part for share in table["older methods"]] == [6, 6]
    assert [held.plain for held in table["significantly worse"]] == [0, 0]
    assert table["data sets"].tolist() == [1, 2]
    assert f"{years.later_methods()} later methods count on s-JAFFE (2) and Yeast (1)." in (
        answers.few_in_words(table, records)
    )
    assert "are not run yet, fail or" in answers.few_in_words(table, records)
    assert answers.few_in_words(table[:0], records) == ""
    every = table.assign(**{"later methods": [Share(2, 2), Share(1, 2)]})
    assert answers.few_in_words(every, records) == ""
    text = answers.answer(records, names, KL)
    number = years.later_methods()
    assert text.startswith("- **By K-L, a later method is the best on 2 of 2 kinds of data: s-JA")
    assert f"We ran {number} later methods of" in text and f"3 of {2 * number} pairs of a" in text
    worse = "the best later one is significantly worse than the best older one on"
    assert f"{worse} 0 of the 1 single data sets and on 0 of the 2 Yeast sets." in text
    tuned, scaled = years.forms()
    assert "other measures" not in text
    assert "All 1 older methods that are best on a kind are this book's code. 1 of them" in text
    assert f"Of the later ones we tuned {tuned}, chose for {scaled} whether features" in text
    assert (
        "On 2 of 2 kinds python-ldl's best later method gains more than its best older one, b"
        in text
    )
    assert "significantly better on 3 of 3 data sets." in text
    ahead = records.method.map(LOSS).where(records.method != "RF", 0.1)
    noise = 0.002 * np.random.default_rng(1).normal(size=len(records))
    text = answers.answer(records.assign(**{KL: ahead + noise}), names, KL)
    assert text.startswith("- **By K-L, no later method is the best on any of 2 kinds of data.**")
    assert f"{worse} 1 of the 1 single data sets and on 2 of the 2 Yeast sets." in text
    tests = rivals.best_against_best(records, KL)
    better = sum(held.holm for held in tests["significantly better"])
    words = answers.against_in_words(tests)
    assert better > 0 and f"significantly better in {better} of 15 comparisons" in words
    assert f"these {tests.later.nunique()} later methods" in words
    few = records[~records.method.str.contains("LRR|DPA")]
    assert answers.answer(few, {}, KL) == "No later method has records yet."


def test_later_methods_stand_beside_the_earlier_ones_of_the_package(records):
    table = rivals.best_of_families(records, KL, {"SJAFFE": "s-JAFFE"}, inside=True)
    assert table["best up to 2020"].tolist() == ["SA-BFGS", "SA-BFGS"]
    assert table["best later"].tolist() == ["LDL-LRR", "LDL-LRR"] and table.ahead.all()
    assert [held.holm for held in table["significantly better"]] == [1, 2]
    assert [held.holm for held in table["significantly worse"]] == [0, 0]
    words = answers.inside_in_words(table, records)
    assert "on 2 of 2 kinds of data." in words
    assert "significantly better on 3 of 3 data sets, and significantly worse on none." in words


def test_points_are_what_the_tuned_methods_try():
    table = tuning.points().set_index("in the command")
    assert list(table.index) == [f"python-ldl:{m.estimator.name}" for m in TUNED.methods]
    assert table.loc["python-ldl:LDL_DPA", "point 2"] == "alpha=0.1, beta=0.1, gamma=0"
    assert table.loc["python-ldl:LDL_LRR", "as released"] == "alpha=0.001, beta=0"
    assert table.loc["python-ldl:Delta_LDL"].tolist() == ["Delta-LDL", "none", "", "", ""]
    for one, points in GRIDS.items():
        assert points[0] == {} and all(set(point) <= set(AS_RELEASED[one]) for point in points)


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


def test_how_often_the_strongest_penalty_is_chosen_is_told(records, tmp_path, monkeypatch):
    wider = tmp_path / "wider_grid.csv"
    m = '"python-ldl:LDL_LRR, tuned"'
    wider.write_text(
        "dataset,method,times,scale,validation,test\n"
        f"SJAFFE,{m},1,,1.0,1.0\nSJAFFE,{m},10,,0.9,0.8\nSJAFFE,{m},100,,2.0,2.0\n"
        f"SJAFFE,{m},10,standard,1.1,0.1\n"  # not the one that is chosen
        f"Yeast_cold,{m},1,,1.0,1.0\nYeast_cold,{m},10,,1.5,1.5\nYeast_cold,{m},100,,2.0,2.0\n"
        f"M2B,{m},1,,1.0,1.0\nM2B,{m},10,,0.5,0.5\nM2B,{m},100,,2.0,2.0\n"  # no record
    )
    monkeypatch.setattr(tuning, "WIDER_GRID", wider)
    tuned = records.method == "python-ldl:LDL_LRR, tuned"
    strongest = {"scale": None, "parameters": {"beta": 0.01}}
    chosen = [
        strongest if is_tuned and fold < 4 else {}
        for is_tuned, fold in zip(tuned, records.fold, strict=True)
    ]
    told = tuning.edges_in_words(records.assign(parameters=chosen))
    assert told.startswith("In 12 of 30 folds the linear methods choose the strongest")
    assert "and in none more weight for the term" in told
    assert "in 2 first folds that chose this penalty." in told
    assert "is better in 1, and a hundred times in none." in told
    assert told.endswith("it changes the K-L of the test part by -20% to -20%.")
    wider.write_text(
        "dataset,method,times,scale,validation,test\n"
        + "".join(f"SJAFFE,{m},{times},,{times},1\n" for times in (1, 10, 100))
    )
    assert tuning.edges_in_words(records.assign(parameters=chosen)).endswith("times in none.")
    assert tuning.edges_in_words(records[~tuned]) == ""
    wider.write_text("dataset,method,times,scale,validation,test\n")
    assert tuning.edges_in_words(records.assign(parameters=chosen)).endswith("are named for.")


def test_what_choosing_gains_is_of_the_data_sets_of_both(records):
    table = tuning.what_choosing_gains(records, KL).set_index("method")
    assert list(table.index) == ["LDL-LRR"]
    assert table.loc["LDL-LRR", "data sets"] == 3
    assert table.loc["LDL-LRR", "as released"] == pytest.approx(0.65, abs=0.01)
    assert table.loc["LDL-LRR", "tuned"] == pytest.approx(0.8, abs=0.01)
    assert table.loc["LDL-LRR", "tuned, on shared kinds"] == pytest.approx(0.8, abs=0.01)
    assert str(table.loc["LDL-LRR", "tuned is better on"]) == "3 of 3"
    assert table.loc["LDL-LRR", "significantly better"].plain == 3


def test_scaled_features_of_first_folds_are_told(records, tmp_path, monkeypatch):
    file = tmp_path / "scaled.csv"
    head = "dataset,method,scaled\n"
    file.write_text(
        f"{head}SJAFFE,python-ldl:LDL_DPA,0.1\nYeast_alpha,python-ldl:LDL_DPA,0.9\n"
        "Yeast_cold,python-ldl:LDL_DPA,\n"  # did not end
    )
    monkeypatch.setattr(tuning, "SCALED", file)
    records = records[records.method != "python-ldl:LDL_LRR, tuned"]
    table = tuning.scaled(records, {"SJAFFE": "s-JAFFE"}).set_index("data")
    shares = table.pop("scaled features are better in")
    assert [(s.part, s.whole) for s in shares] == [(1, 1), (0, 1)]
    # On s-JAFFE the pair takes the scaled features, on Yeast-alpha those as given.
    assert table.loc["s-JAFFE"].tolist() == pytest.approx([0.7, 0.65, 0.9], abs=0.01)
    assert table.loc["Yeast"].tolist() == pytest.approx([0.7, 0.65, 0.65], abs=0.01)
    told = tuning.scaled_in_words(table.assign(**{shares.name: shares}).reset_index())
    assert "better in 1 of 2 pairs" in told and "lead on 1 of 2 kinds" in told
    file.write_text(head)
    assert tuning.scaled_in_words(tuning.scaled(records, {})) == ""


def test_which_later_methods_to_try_is_told(records):
    table = rivals.best_of_families(records, KL, {"SJAFFE": "s-JAFFE"})
    told = answers.which_later(table, rivals.means(records, KL))
    assert told == (
        "Of the later methods that ran on all data sets, LDL-LRR gains most when tuned: 0.80 in "
        "the mean over kinds of data. SA-BFGS, penalised, of 2016, gains 0.50."
    )
    ahead = (records.method == "python-ldl:LDL_DPA") & (records.dataset == "SJAFFE")
    other = records.assign(**{KL: records[KL].mask(ahead, 0.01)})
    table = rivals.best_of_families(other, KL, {"SJAFFE": "s-JAFFE"})
    told = answers.which_later(table, rivals.means(other, KL))
    assert told.endswith(" LDL-DPA is the best later one on s-JAFFE (0.99).")
    assert answers.which_later(table, rivals.means(other, KL)[:0]) == ""


def test_printed_losses_of_the_package_stand_beside_ours(records):
    ours = {"SA_BFGS": 0.05, "AA_BP": 0.2, "SA_IIS": 0.0510001}
    rows = [{"method": f"python-ldl:{m}", "dataset": "SJAFFE", KL: k} for m, k in ours.items()]
    told = baselines.printed_in_words(pd.DataFrame(rows))
    assert "for 3 methods" in told and "2 of them come within 2% of it." in told
    assert "AA-BP has 0.200 here, and 0.073 there." in told


def test_scaled_features_are_of_later_methods_that_never_choose_them():
    known = pd.read_csv(tuning.SCALED)
    tuned = {f"python-ldl:{name}" for name in GRIDS}
    there = {(m.name, d) for d in RELEASED.datasets for m in RELEASED.methods_on(d)}
    assert set(zip(known.method, known.dataset, strict=True)) == {
        (m, d) for m, d in there if years.facts().later[m] and m not in tuned
    }
