"""The matrix of all methods on all data sets, and what several papers print."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

from ldlrepro import AAKNN, MeanPredictor, paths, protocols
from ldlrepro.datasets import make_toy
from ldlrepro.declare import Experiment, Method
from ldlrepro.errors import UnknownNameError
from ldlrepro.papers.comparison import across, choice, exhibits, matrix, persons, toy
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison.studies import time_limit
from ldlrepro.protocols.studies import tables_of
from ldlrepro.report.plots import plt

KL, NULL = "kl_divergence", "MeanPredictor"


def records(values, folds=10, spread=0.01):
    """(method, data set) -> mean K-L; the folds lie around it, alike for all methods."""
    rng = np.random.default_rng(0)
    noise = {d: rng.normal(0, spread, folds) for _, d in values}
    rows = [
        {
            "paper": "p",
            "dataset": dataset,
            "method": method,
            "fold": fold,
            "source": "real",
            KL: mean * (1 + noise[dataset][fold]),
            "cosine": 1 - mean / 2,
            "fit_seconds": 2.0 if method == "slow" else 1.0,
            "n_train": 90,
            "n_test": 10,
        }
        for (method, dataset), mean in values.items()
        for fold in range(folds)
    ]
    return pd.DataFrame(rows)


SETS = ("Yeast_alpha", "Yeast_cdc", "SJAFFE", "Movie")
VALUES = {
    **{(NULL, d): 0.2 for d in SETS},
    **{("slow", d): 0.1 for d in SETS},
    **{("near", d): 0.1005 for d in SETS},
    **{("partial", d): 0.05 for d in SETS[:2]},
    **{("bad", d): 2.0 for d in SETS},
}


def test_skill_is_the_share_of_the_loss_that_is_removed():
    table = matrix.skill(records(VALUES), NULL, KL)
    assert table.loc["slow"].tolist() == pytest.approx([0.5] * 4)
    assert table.loc["bad"].tolist() == pytest.approx([-9.0] * 4)
    # Methods with every data set first, then the others.
    assert table.index.tolist() == ["slow", "near", NULL, "bad", "partial"]
    # A set without the null predictor has no skill.
    lone = {k: v for k, v in VALUES.items() if k != (NULL, "Movie")}
    assert len(lone) < len(VALUES) and "Movie" not in matrix.skill(records(lone), NULL, KL)
    similarity = matrix.skill(records(VALUES), NULL, "cosine")
    assert similarity.loc["slow"].tolist() == pytest.approx([0.5] * 4)


def test_partitions_have_what_all_have():
    other = {k: v for k, v in VALUES.items() if k != ("near", "Yeast_cdc")}
    other |= {(m, "SJAFFE"): v for m, v in (("slow", 0.1), ("bad", 0.05), (NULL, 0.2))}
    partitions = {"first": records(VALUES), "second": records(other)}
    found = matrix.by_partition(partitions, ["bad", "slow", "near", "nobody"], NULL, KL)
    assert found.index.tolist() == ["slow", "bad"]  # near has a hole
    assert found.loc["slow", ["first", "second"]].tolist() == pytest.approx([0.5, 0.5])
    # Skill of bad is 0.75 on s-JAFFE and -9 on the other families, Yeast and Movie.
    assert found.loc["bad", "second"] == pytest.approx((0.75 - 9 - 9) / 3)
    assert found.loc["bad", "rank, first"] == 2
    assert found.loc["bad", "rank, second"] == pytest.approx((1 + 2 + 2) / 3)
    text = matrix.steady(partitions, ["bad", "slow"], NULL, KL)
    assert text.startswith(
        "Two methods keep their order under all 2 divisions in 3 of 4 comparisons."
    )
    assert "median difference in gain is 9.5 where the order turns, and 9.5 where it stays." in text
    alone = matrix.steady(partitions, ["slow"], NULL, KL)
    assert alone == "No two methods were run on several partitions yet."


def test_ranks_count_a_family_once():
    values = dict(VALUES)
    values["near", "SJAFFE"] = values["near", "Movie"] = 0.09
    found = matrix.ranks(records(values), KL)
    # Yeast is one family of three: slow is first there, second on the two others.
    assert found["slow"] == pytest.approx((1 + 2 + 2) / 3)
    assert found["near"] == pytest.approx((2 + 1 + 1) / 3)
    assert "partial" not in found.index
    assert matrix.leaders(records(values), KL, 2) == ["near", "slow"]


def test_one_method_against_the_others():
    table = matrix.against(records(VALUES), "slow", KL).set_index("against")
    assert table.loc["bad", "better on"] == (4, 4)
    assert table.loc["bad", "rival's loss removed"] == pytest.approx(0.95)
    assert table.loc["bad", "significantly better"].plain == 4
    assert table.loc["partial", "better on"] == (0, 2)
    assert table.index[0] == "partial"  # the hardest first


def test_practical_equivalence():
    found = matrix.practical(records(VALUES, spread=0.05), ["slow", "near", "bad"], NULL, KL)
    by = found.set_index(["first", "second"])
    # A quarter of a hundredth of the mean predictor's loss is no difference; 9.5 times it is one.
    assert by.loc[("slow", "near")].tolist() == [0, 4, 0, 0]
    assert by.loc[("slow", "bad")].tolist() == [4, 0, 0, 0]
    assert by.loc[("near", "bad"), "first better"] == 4


def test_advice_takes_the_fastest_of_those_as_good():
    names = {d: d for d in SETS}
    table = choice.advice(records(VALUES | {("near", d): 0.1 for d in SETS}), NULL, KL, names)
    (movie,) = table[table.data == "Movie"].to_dict("records")
    assert movie["best"] == "slow" and movie["as good"] == "near"
    assert (movie["fastest"], movie["its fit (s)"]) == ("near", 1.0)
    (yeast,) = table[table.data == "Yeast"].to_dict("records")
    assert (yeast["rows"], yeast["features"], yeast["labels"]) == ("2465", "24", "15 to 18")
    assert yeast["data sets"] == 2 and yeast["best"] == "partial" and yeast["as good"] == ""


def test_the_front_is_what_nothing_is_both_faster_and_better_than():
    found = choice.front(records(VALUES), NULL, KL)
    assert list(found.index) == ["near", NULL, "bad", "slow"]
    assert list(found.index[found.front]) == ["near", "slow"]
    assert found.seconds.tolist() == pytest.approx([1, 1, 1, 2])
    assert found.skill["bad"] == matrix.LEAST and found.skill[NULL] == 0


def test_every_mark_of_the_front_has_its_name():
    found = choice.front(records(VALUES | {("a <b> $c$", d): 0.15 for d in SETS}), NULL, KL)
    figure = choice.front_picture(found, KL, ["bad"])
    said = [text.get_text() for text in figure.axes[0].texts]
    assert len(found) <= choice.FEW and len(said) == len(found) == 5
    shown = choice.show_front(found, KL).data
    titles = re.findall(r"<title>(.*?)</title>", shown)
    assert sorted(map(unescape, titles)) == sorted(found.index)
    assert "aria-label='" not in shown and 'role="img"' in shown
    assert shown == choice.show_front(found, KL).data  # stored outputs are compared with new ones
    many = pd.concat([found, *(found[~found.front].add_prefix(f"{i} ", axis=0) for i in range(4))])
    texts = choice.front_picture(many, KL).axes[0].texts
    assert [text.get_text() for text in texts] == list(found.index[found.front])
    plt.close("all")


def test_the_matrix_stands_in_groups():
    table = matrix.skill(records(VALUES), NULL, KL)
    groups = {"own": ("near", "partial"), "none": ("nobody",), "others": ("slow", NULL, "bad")}
    (axis,) = matrix.skill_picture(table, {}, groups=groups).axes
    labels = axis.get_yticklabels()
    assert [one.get_text() for one in labels] == [
        "own",
        "near",
        "partial",
        "others",
        "slow",
        NULL,
        "bad",
    ]
    assert [one.get_weight() for one in labels].count("bold") == 2
    assert axis.xaxis.get_ticks_position() == "top"
    assert all(float(one.get_text() or 0) != 0 or "-" not in one.get_text() for one in axis.texts)
    assert {one.get_fontsize() for one in axis.texts} == {9}
    plt.close("all")


def test_every_method_stands_in_one_group():
    names = [name for group in exhibits.GROUPS.values() for name in group]
    assert sorted(names) == sorted(m.name for m in comparison.TABLES.methods)


def test_the_comparison_answers_from_its_records(monkeypatch):
    whole = records({key: v for key, v in VALUES.items() if key[0] != "partial"})
    monkeypatch.setattr(matrix, "open_matrix", lambda *_: (whole, {d: d for d in SETS}))
    here = exhibits.open_comparison()
    with pytest.raises(UnknownNameError, match="shows no 'matrx'; there are: answer, matrix"):
        here.show("matrx")
    assert exhibits.answer(here) == "**slow is the best method on all 3 kinds of data.**"
    here.tables = records(VALUES | {("near", "Movie"): 0.01})
    del here.advice
    assert exhibits.answer(here).endswith("On 3 kinds of data 3 methods come first.**")
    part = exhibits.open_comparison(datasets=["Movie"])
    assert "committed records of all" in part.known()["answer"](part).data


def test_the_best_method_for_a_time_and_by_a_measure():
    methods = (Method("slow", AAKNN()), Method("near", AAKNN()), Method(NULL, MeanPredictor()))
    declared = Experiment("tables", methods, SETS)
    every = records({key: v for key, v in VALUES.items() if key[0] != "partial"})
    found = choice.best_in_time(every, declared, NULL, KL, (1.5, 1.8, 3))
    assert found.iloc[:, :3].to_numpy().tolist() == [[1.5, "near", "AAKNN"], [3, "slow", "AAKNN"]]
    assert found.gain.tolist() == pytest.approx([0.4975, 0.5])
    assert found["at most 0.01 lower"].tolist() == ["", "near"]
    by = choice.best_by_measure(every, NULL, [KL, "cosine"])
    assert by.best.tolist() == ["slow", "slow"] and by["place of slow"].tolist() == [1, 1]


def test_without_shared_persons_soft_trees_lose_their_lead():
    """Which method says so, and that StructRF* comes within 0.01 in less than a second."""
    declared = comparison.TABLES
    records, _ = matrix.open_matrix(comparison.PAPER, "tables")
    every, timed = matrix.filled(records, declared, NULL), matrix.in_time(records, declared)
    limits, soft = (0.01, 0.05, 1, 3, 10), {"sLDLF", "sNDF-LDL"}
    found = choice.best_in_time(every, declared, NULL, KL, limits, timed)
    assert soft <= set(found.method)
    every, timed = (r[~r.dataset.isin(persons.SEVERAL)] for r in (every, timed))
    found = choice.best_in_time(every, declared, NULL, KL, limits, timed).set_index("method")
    near = found["at most 0.01 lower"]
    assert not soft & {*found.index, *"; ".join(near).split("; ")}
    assert found["typical fit up to (s)"]["StructRF*"] <= 1 and "StructRF*" in near.iloc[-1]


def test_seconds_of_other_records_count():
    declared = Experiment("tables", (), SETS, without=(("near", "Movie", "time limit"),))
    there = records({key: v for key, v in VALUES.items() if key != ("near", "Movie")})
    every = matrix.filled(there, declared, NULL)
    found = choice.front(every, NULL, KL, matrix.in_time(there, declared))
    assert found.skill["near"] == pytest.approx(2 / 3 * 0.4975)  # 0 on Movie
    assert found.seconds["near"] == pytest.approx(1)


def test_persons_apart_lower_a_gain(monkeypatch):
    def of(**loss):
        return pd.DataFrame({"method": list(loss), KL: loss.values(), "n_test": 9})

    rows, apart = of(null=1.0, a=0.5, b=0.6, c=2.0), of(null=1.0, a=0.6, b=0.65, c=0.9)
    both = {"age_rows": rows, "age_persons": apart}
    monkeypatch.setattr(persons.age, "age_records", lambda _: both)
    text = persons.in_words("null")
    assert "2 of them beat" in text and "2 of 2 gain less, by 0.05 to 0.10." in text
    assert text.endswith(
        "a falls from 0.50 to 0.40. Among these, a and b are first and second both times."
    )
    there = records({("a", d): 0.1 for d in SETS} | {(NULL, d): 0.2 for d in SETS})
    faces = there[there.dataset == "Movie"].assign(dataset=persons.FACES)
    text = persons.without(pd.concat([there, faces]), there, NULL)
    assert text == (
        "Without FG-Net, a and MeanPredictor have the best average ranks, 1.0 and 2.0. a has the "
        "highest mean gain, 0.50."
    )
    # The leader leads on faces alone.
    sets = (*SETS, "FG-Net", "SBU_3DFE")
    losses = {(NULL, d): 0.2 for d in sets}
    losses |= {("a", d): 0.1 if d in persons.SEVERAL else 0.3 for d in sets}
    losses |= {("b", d): 0.25 if d in persons.SEVERAL else 0.19 for d in sets}
    there = records(losses)
    text = persons.without(there, there, NULL)
    assert "Without all three sets, b and MeanPredictor have the best average ranks" in text
    assert text.endswith(
        "There a has place 3, with 3.0. So its lead rests on these sets. They differ from the "
        "others in more than shared persons."
    )


def test_grids_are_counted():
    grid = {"a": [1, 2], "b": [1, 2, 3]}
    methods = Method("plain", None), Method("chosen", None, grid), Method("fixed", None)
    table = matrix.grid_sizes(Experiment("e", methods, ("x",)))
    assert table.to_numpy().tolist() == [[1, "plain; fixed"], [6, "chosen"]]


class Sleepless(MeanPredictor):
    """Never ends."""

    def fit(self, X, D):
        while True:
            pass


def test_standing_and_holes():
    placed = matrix.standing(records(VALUES), ["slow", "partial", "nobody"], KL)
    assert placed.loc["slow"].to_dict() == {
        "Yeast": "2 of 5",
        "SJAFFE": "1 of 4",
        "Movie": "1 of 4",
    }
    assert placed.loc["partial", "Movie"] == "" and "nobody" not in placed.index
    experiment = Experiment(
        "e",
        (Method("slow", None), Method("partial", None), Method("new", None)),
        SETS,
        without=(("partial", "Movie", "an hour a fold"),),
    )
    found = matrix.holes(records(VALUES), experiment, {d: d for d in SETS}).values.tolist()
    assert found[:2] == [
        ["partial", "not run yet", "SJAFFE"],
        ["partial", "an hour a fold", "Movie"],
    ]
    assert found[2][0] == "new" and found[2][2] == ", ".join(SETS)
    text = matrix.coverage(records(VALUES), experiment)
    assert (
        text.startswith("6 of 12 pairs") and "the 4 methods" in text and "the 4 data sets" in text
    )


def test_over_the_limit_is_the_mean_predictor_in_ranks():
    methods = tuple(Method(m, None) for m in ("slow", "near", "bad", "partial", NULL))
    without = tuple(("partial", d, "time limit") for d in SETS[2:])
    experiment = Experiment("e", methods, (*SETS, "M2B"), without=(*without, ("bad", "M2B", "t")))
    there = records(VALUES)
    over = matrix.over_limit(there, experiment)  # of M2B there is nothing
    assert over == [("partial", d) for d in SETS[2:]]
    whole = matrix.filled(there, experiment, NULL)
    table = matrix.skill(whole, NULL, KL)
    assert table.loc["partial"].tolist() == pytest.approx([0.75, 0.75, 0, 0])
    stand_ins = whole[len(there) :]
    assert len(stand_ins) == 20 and stand_ins.fit_seconds.isna().all()
    assert set(matrix.in_time(there, experiment).dataset) == set(SETS[:2])

    found = matrix.ranks_and_limits(there, experiment, NULL, KL, {d: d.lower() for d in SETS})
    # First on Yeast, tied with the mean predictor for the third place on the two others.
    assert found.loc["partial", "average rank"] == pytest.approx((1 + 3.5 + 3.5) / 3)
    assert found.loc["partial", "where all end in time"] == 1
    assert found["over the limit on"].to_dict() == {
        **dict.fromkeys(("slow", "near", "bad", NULL), ""),
        "partial": "sjaffe, movie",
    }
    text = matrix.coverage(there, experiment)
    assert "2 are over the time limit, on SJAFFE, Movie." in text
    assert text.endswith("others may lead.")
    whole = Experiment("e", methods, SETS, without=without)
    assert matrix.coverage(there, whole).endswith("Seconds leave such a data set out.")


def test_worth_of_grids():
    small = {("slow", d): 0.12 for d in SETS[:3]} | {("near", d): 0.1005 for d in SETS[:3]}
    found = matrix.worth_of_grids(records(VALUES), records(small), NULL, KL)
    slow, near = found.to_dict("records")
    assert slow["method"] == "slow" and slow["data sets"] == 3
    assert slow["gain, large grid"] == pytest.approx(0.5)
    assert slow["gain, small grid"] == pytest.approx(0.4, abs=0.01)
    assert slow["large better"] == (3, 3) and slow["significantly better"].plain == 3
    assert near["method"] == "near" and near["large better"].whole == 3


def test_what_became_of_the_widest():
    found = pd.DataFrame(
        [
            ("SA-IIS", "SJAFFE", KL, "structrf", 0.1, 0.2),
            ("SA-IIS", "SJAFFE", KL, "mslp", 0.3, 0.2),
            ("SA-IIS", "Movie", KL, "structrf", 0.1, 0.2),
            ("SA-IIS", "Movie", KL, "mslp", 0.2, 0.2),
            ("CPNN", "Movie", KL, "structrf", 0.1, 0.2),
            ("CPNN", "Movie", KL, "mslp", 0.1, 0.2),
        ],
        columns=["method", "dataset", "measure", "paper", "printed", "ours"],
    )
    columns, both = ["printed", "state", "by", "datasets"], ["SJAFFE", "Movie"]
    first = [("SA-IIS", "unexplained", "", both), ("CPNN", "unexplained", "", both)]
    second = [("IIS-LDL", "explained", "steps: 3", both)]
    first, second = (pd.DataFrame(rows, columns=columns) for rows in (first, second))
    table = across.widest(found, KL, {"structrf": first, "mslp": second}, number=2)
    assert table.to_numpy().tolist() == [
        [
            "SA-IIS",
            "s-JAFFE 3.00, Movie 2.00",
            "StructRF: unexplained; MSLP: explained, by steps: 3",
        ]
    ]
    kinds = [
        ("IIS-LDL", "explained", "steps: 3", ["SJAFFE"]),
        ("IIS-LDL", "unexplained", "", ["SBU_3DFE"]),
    ]
    second = pd.DataFrame(kinds, columns=columns)
    table = across.widest(found, KL, {"structrf": first, "mslp": second})
    assert table.iloc[0, 2] == "StructRF: unexplained; MSLP: explained, by steps: 3"
    assert table.iloc[1, 2] == "StructRF: unexplained; MSLP: other data here"


@pytest.mark.slow
def test_a_first_fold_is_ended_at_the_limit():
    slow = Method("slow", Sleepless())
    quick = Method("quick", MeanPredictor())
    experiment = Experiment("e", (slow, quick), ("SJAFFE",))
    assert 0 < time_limit.seconds_of(experiment, quick, "SJAFFE", rows=60) < time_limit.LIMIT
    assert np.isnan(time_limit.seconds_of(experiment, slow, "SJAFFE", rows=60, limit=1))
    folds = pd.DataFrame(
        {"method": ["a", "b"], "dataset": "d", "limit": 120, "seconds": [np.nan, 3.0]}
    )
    text = matrix.left_out(folds)
    assert text.startswith("A method has 120 seconds") and "limit 1 pairs were stopped." in text
    assert text.endswith("were stopped. b on d ends after 3 seconds.")
    assert matrix.left_out(folds[:1]).endswith("1 pairs were stopped.")


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="records are committed, not installed")
def test_the_time_limit_is_the_same_for_all():
    folds = tables_of(comparison.PAPER, "time_limit")["first_folds"]
    ended = folds[folds.seconds.isna()]
    declared = [(m, d) for m, d, why in comparison.TABLES.without if why == time_limit.OVER]
    assert sorted(zip(ended.method, ended.dataset, strict=True)) == sorted(declared)
    within = folds[folds.seconds.notna()]
    assert set(zip(within.method, within.dataset, strict=True)) == set(time_limit.NEAR)
    assert within.seconds.max() < time_limit.LIMIT
    # What was run kept within it: fits of a fold times their median seconds, or as measured.
    records = protocols.read(comparison.PAPER, comparison.TABLES)
    fits = {m.name: protocols.state.fits_of(m) for m in comparison.TABLES.methods}
    seconds = (records.fit_seconds + records.predict_seconds) * records.method.map(fits)
    median = seconds.groupby([records.method, records.dataset]).median()
    assert set(median.index[median > time_limit.LIMIT]) == set(time_limit.NEAR)


@pytest.mark.skipif(not paths.IN_CHECKOUT, reason="records are committed, not installed")
def test_what_several_papers_print():
    found = across.printed_by_several()
    key = ["method", "dataset", "measure"]
    assert (found.groupby(key).paper.nunique() > 1).all()
    cell = found[(found.method == "SA-BFGS") & (found.dataset == "SJAFFE") & (found.measure == KL)]
    assert dict(zip(cell.paper, cell.printed, strict=True)) == {
        "structrf": 0.0861,
        "mslp": 0.0674,
        "adaboost_ldl": 0.0748,
    }
    assert cell.ours.notna().all()
    ratio = across.spread(found).loc[("SA-BFGS", "SJAFFE"), KL]
    assert ratio == pytest.approx(0.0861 / 0.0674)
    shown = across.side_by_side(found, KL, {"SJAFFE": "s-JAFFE"})
    row = shown[(shown.method == "SA-BFGS") & (shown["data set"] == "s-JAFFE")].iloc[0]
    assert row["StructRF (Chen et al. 2018)"].startswith("0.0861 / ")


def test_every_method_stands_once():
    names = [m.name for m in comparison.TABLES.methods]
    assert len(set(names)) == len(names) and set(comparison.WINNERS) <= set(names)


def test_the_toy_is_drawn_for_every_method():
    data = make_toy(n_train=40, random_state=0)
    found = toy.predicted({"mean": MeanPredictor(), "neighbours": AAKNN()}, data)
    table = toy.table(found, data)
    assert table.index.tolist() == ["neighbours", "mean"]
    figure = toy.pictures(found, data, columns=3)
    titles = [axis.get_title() for axis in figure.axes]
    assert titles == ["as it is", "neighbours", "mean"]
    truth, _, mean = (axis.images[0].get_array() for axis in figure.axes)
    assert truth.shape == (51, 51, 3) and np.ptp(np.asarray(mean), axis=(0, 1)).max() == 0
    # Seen from above: x1 runs to the right, x2 upwards.
    corner = data.D_test[(data.X_test[:, :2] == [1, -1]).all(axis=1)][0]
    assert np.allclose(truth[0, -1], corner / data.D_test.max())
