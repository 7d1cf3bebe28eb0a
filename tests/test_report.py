"""Tables, tests and verdicts made from rows."""

from io import StringIO
from urllib.parse import unquote

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ldlrepro import paths
from ldlrepro.datasets import make_standin
from ldlrepro.errors import UnknownNameError
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.papers import get_paper, needs, open_chapter, paper_names
from ldlrepro.papers.structrf import figures
from ldlrepro.papers.structrf.tables import running_times
from ldlrepro.report import claims, compare, plots, provenance, settings, tables, yardstick
from ldlrepro.report.chapter import Chapter
from ldlrepro.report.html import spread_out
from ldlrepro.report.values import Beside, Difference, Held, Outcomes, Share, Shown, Spread, Wins

NAMES = {"SJAFFE": "s-JAFFE", "Movie": "Movie"}


def records(dataset="SJAFFE", method="StructRF", shift=0.0, source="real", folds=10, **more):
    """Ten folds around the printed K-L of StructRF on s-JAFFE, 0.0544."""
    rng = np.random.default_rng(0)
    rows = []
    for fold in range(folds):
        row = dict.fromkeys(DISTRIBUTION, 0.0544 + shift + 0.002 * rng.normal())
        row |= {"dataset": dataset, "method": method, "source": source, "fold": fold}
        row |= {"n_train": 90, "n_test": 10, "fit_seconds": 2.0, "predict_seconds": 0.1}
        rows.append(row | {"parameters": {}} | more)
    return pd.DataFrame(rows)


def printed():
    return tables.published_cells("structrf", [16], ["kl_divergence"])


class Small(Chapter):
    """The chapter on StructRF, of one measure and of records that are handed to it."""

    paper = get_paper("structrf")
    measures = ("kl_divergence",)
    printed_tables = (16,)

    def __init__(self, profile, datasets, records, **options):
        super().__init__(profile, datasets, **options)
        self.records = records


def opened(profile, **sources):
    """A chapter on StructRF, with RF in another experiment; the source of each data set."""
    sets = [records(d, source=source) for d, source in sources.items()]
    rivals = pd.concat([records(d, "RF", source=source) for d, source in sources.items()])
    there = {"tables": pd.concat(sets), "other": rivals}
    return Small(profile, list(sources), records=there)


@pytest.mark.parametrize("recompute", [False, True])
def test_a_chapter_computes_its_studies_again_only_where_opened_so_and_once(monkeypatch, recompute):
    asked = []

    def study(paper, name, profile, again):
        asked.append((name, again))
        return {name: len(asked)}

    monkeypatch.setattr("ldlrepro.report.chapter.protocols.study", study)
    chapter = Small("paper", ["SJAFFE"], {}, recompute=recompute)
    for name in ("depth", "ties", "depth"):
        assert set(chapter.study(name)) == {name}
    assert asked == [("depth", recompute), ("ties", recompute)]


def test_opening_a_chapter_hands_recompute_on(monkeypatch):
    given = []
    monkeypatch.setattr("ldlrepro.report.chapter.protocols.run", lambda *_, **k: given.append(k))
    chapter = open_chapter("mldf", datasets=["yeast"], recompute=True)
    assert chapter.recompute and given[0]["recompute"]


def test_a_chapter_counts_the_original_files_and_in_the_quick_profile_all():
    sources = {"SJAFFE": "real", "Movie": "realigned", "Natural_Scene": "synthetic"}
    chapter = opened("paper", **sources)
    assert chapter.excluded_datasets == ["Movie", "Natural_Scene"]
    assert set(chapter.counted.dataset) == {"SJAFFE"}
    assert set(chapter.counting(chapter.records["other"]).dataset) == {"SJAFFE"}
    quick = opened("quick", **sources)
    assert set(quick.counted.dataset) == set(sources)
    assert list(chapter.names)[:2] == ["Yeast_alpha", "Yeast_cdc"] and len(chapter.names) == 15
    assert chapter.names["Movie"] == "Movie (re-aligned)"
    assert chapter.names["Human_Gene"] == "Human Gene"


def test_a_chapter_sets_printed_cells_beside_ours():
    chapter = opened("paper", SJAFFE="real")
    assert chapter.order[:2] == ["RF", "SA-IIS"]
    assert chapter.ours.measure.unique().tolist() == ["kl_divergence"]
    assert tables.agreeing(chapter.compared) == (1, 1, 0, 0)
    both = chapter.with_methods("other", ["StructRF"])
    assert both.method.value_counts().to_dict() == {"StructRF": 10, "RF": 10}
    assert chapter.with_methods("other", ["SA-IIS"]).method.unique().tolist() == ["RF"]


def test_a_table_a_data_set_and_tables_of_five():
    names = {f"set {i}": f"Set {i}" for i in range(12)}
    ours = pd.concat([records(d) for d in list(names)[:11]])
    ours = tables.summary(ours, measures=["kl_divergence"])
    captions = {d: f"K-L on {d}" for d in names}
    shown = list(
        tables.show_each_data_set(ours, printed(), captions, ["kl_divergence"], ["StructRF"])
    )
    assert [f"K-L on set {i}<" in html.data for i, html in enumerate(shown)] == [True] * 11
    fives = list(tables.show_by_fives(ours, printed(), "kl_divergence", names, ["StructRF"]))
    assert "<div class='title'>K-L</div>" in fives[0].data
    assert [html.data.count("<th scope='col'>Set ") for html in fives] == [5, 5, 1]
    together = tables.show_each_data_set(
        tables.summary(records(), measures=["kl_divergence"]),
        printed(),
        {"SJAFFE": "s-JAFFE"},
        ["kl_divergence"],
        ["StructRF"],
    )
    first, second = (html.data for html in together)
    assert "All 1 printed numbers" in first and "<td>matches</td>" in first
    assert "<summary>s-JAFFE (1 of 1)</summary>" in second and "class='matches'" in second


def test_a_table_carries_its_numbers_and_long_ones_are_folded():
    frame = pd.DataFrame({"set": ["a", "b"], "K-L": [Spread(1 / 3, 0.1), None], "x": [0.5, None]})
    html = tables.show(frame, "K-L, two <sets>", False).data
    assert "K-L, two &lt;sets&gt;" in html and "<details" not in html
    link = html.split('href="data:text/csv;charset=utf-8,')[1].split('"')[0]
    found = pd.read_csv(StringIO(unquote(link)))
    assert list(found) == ["set", "K-L, mean", "K-L, std", "x"]
    assert found["K-L, mean"][0] == pytest.approx(1 / 3, rel=1e-9)
    assert found.iloc[1, 1:].isna().all() and 'download="k-l-two-sets.csv"' in html
    long = tables.show(pd.concat([frame] * 5), "long", False)
    assert long.data.startswith("<details") and "<summary>long</summary>" in long.data
    assert "<details" not in tables.show(pd.concat([frame] * 5), "l", False, folded=False).data


def test_values_of_several_numbers_in_each_other_have_a_column_each():
    wins = Wins(1, 2, Held(3, 4, 5), Held(6, 7, 8), 0, 0)
    found = spread_out(pd.DataFrame({"wins": [wins]}))
    assert found["wins, shown, holm"][0] == 4 and found["wins, worse, bh"][0] == 8


def test_what_is_drawn_is_told_by_a_hash():
    def figure(values, colour="C0", title="t"):
        made, axis = plt.subplots()
        axis.plot(values, color=colour)
        axis.bar([0, 1], [2.0, values[0]])
        axis.set_title(title)
        plt.close(made)
        return plots.drawn(made)

    same = figure([1.0, 2.0])
    assert same == figure([1.0 + 1e-12, 2.0], colour="red")
    assert len({same, figure([1.001, 2.0]), figure([2.0, 1.0]), figure([1.0, 2.0], title="u")}) == 4
    standin = figure([1.0, 2.0], title="synthetic stand-in for A, row 1")
    assert standin.endswith(plots.ON_STANDIN) and not same.endswith(plots.ON_STANDIN)


def test_the_lowest_panel_of_each_column_names_its_axis():
    rows = [(d, "m", step, 1.0 / step) for d in "abcd" for step in (1, 2)]
    long = pd.DataFrame(rows, columns=["dataset", "method", "stage", "mean"])
    for sets, named in (("a", "a"), ("ab", "ab"), ("abcd", "bcd")):
        figure = plots.curves(long, {}, {d: d for d in sets})
        shown = [axis for axis in figure.axes if axis.get_visible()]
        assert [a.get_title() for a in shown if a.get_xlabel()] == list(named)
        plt.close(figure)


def test_summary_is_mean_and_sample_deviation():
    mine = records()
    row = tables.summary(mine, measures=["kl_divergence"]).iloc[0]
    assert row["mean"] == pytest.approx(mine.kl_divergence.mean())
    assert row["std"] == pytest.approx(np.std(mine.kl_divergence, ddof=1))
    assert row.folds == 10


def test_a_row_says_how_to_run_it_where_its_records_do():
    def shown(mine):
        ours = tables.summary(mine, measures=["kl_divergence"])
        order = ["StructRF", "RF"]
        return tables.side_by_side(ours, printed(), "T", ["kl_divergence"], order).data

    told = records(paper="structrf", experiment="tables")
    html = shown(pd.concat([told, records(method="RF")]))
    command = "structrf --experiment tables --method &quot;StructRF&quot;"
    assert f"<th scope='row' data-run='{command}'>StructRF</th>" in html
    assert "<th scope='row'>RF</th>" in html and html.count("data-run") == 1
    assert "data-run" not in shown(records())


@pytest.mark.parametrize("shift, share", [(0.0, (1, 1, 0, 0)), (0.05, (0, 1, 0, 0))])
def test_agreement_counts_cells_within_the_tolerance(shift, share):
    ours = tables.summary(records(shift=shift), measures=["kl_divergence"])
    table = tables.agreement(tables.cells(ours, printed()), NAMES)
    assert table.loc["s-JAFFE", "StructRF"] == share
    assert table.loc["all counted", "StructRF"] == share
    assert table.loc["s-JAFFE", "RF"] is None
    html = tables.show(table[["RF", "StructRF"]], "c", missing="not run").data
    assert f"<td>s-JAFFE</td><td>not run</td><td>{share[0]} of 1</td>" in html
    apart = tables.agreement(tables.cells(ours, printed()), NAMES, excluded=["SJAFFE"])
    assert apart.loc["all counted", "StructRF"] is None


def test_a_cell_without_any_deviation_is_not_judged():
    one = records()[lambda rows: rows.fold == 0]
    ours = tables.summary(one, measures=["kl_divergence"])
    table = tables.agreement(tables.cells(ours, printed().assign(std=np.nan)), NAMES)
    assert table.loc["s-JAFFE", "StructRF"] == "not judged"
    assert table.loc["s-JAFFE", "RF"] is None


def test_what_the_mean_predictor_agrees_with_tells_nothing():
    mine = pd.concat([records(), records(method="RF", shift=0.2), records(method="mean")])
    rows = tables.with_null(printed(), mine, "mean")
    ours = tables.summary(mine, measures=["kl_divergence"])
    compared = tables.cells(ours, rows)
    (cell,) = compared[compared.method == "StructRF"].itertuples()
    assert cell.outcome == "uninformative" and cell.within and not cell.tells
    assert tables.agreeing(compared[compared.method == "StructRF"]) == (0, 0, 1, 1)
    html = tables.side_by_side(ours, rows, "T", ["kl_divergence"], ["StructRF"]).data
    assert "<td class='uninformative'>" in html and " ?<br>" in html
    # Far from the mean of our folds the same cell tells.
    told = tables.with_null(printed(), mine.assign(kl_divergence=1.0), "mean")
    compared = tables.cells(ours, told)
    assert tables.agreeing(compared[compared.method == "StructRF"]) == (1, 1, 0, 0)


def test_confusion_of_printed_rows_and_our_methods():
    mine = pd.concat(
        [
            records(),
            records(method="SA-IIS", shift=0.0156),
            records(method="MeanPredictor", shift=0.5),
        ]
    )
    rows = tables.with_null(
        tables.published_cells("structrf", [16], ["kl_divergence"]), mine, "MeanPredictor"
    )
    table = yardstick.confusion(mine, rows, ["StructRF", "SA-IIS", "MeanPredictor"])
    assert table.loc["StructRF", "StructRF"] == (1, 1, 0, 0)
    assert table.loc["SA-IIS", "SA-IIS"] == (1, 1, 0, 0)
    assert [table.loc[m, "MeanPredictor"] for m in table.index] == [(0, 1, 0, 0)] * len(table)
    apart = yardstick.confusion(mine, rows, ["StructRF"], excluded=["SJAFFE"])
    assert apart.empty or (apart["StructRF"] == (0, 0, 0, 0)).all()


def test_skill_is_the_share_of_the_mean_predictors_loss_removed():
    means = pd.DataFrame(
        {
            "dataset": ["a", "a", "b", "c"],
            "measure": ["kl_divergence", "cosine", "cosine", "cosine"],
            "mean": [0.05, 0.95, 0.70, 0.9],
        },
        index=[5, 6, 7, 8],
    )
    null = means.assign(null=[0.2, 0.8, 0.8, np.nan])
    found = yardstick.skill(means, null)
    assert found.index.tolist() == [5, 6, 7, 8]
    np.testing.assert_allclose(found, [0.75, 0.75, -0.5, np.nan])


def test_pictures_of_the_yardstick_draw_and_say_when_there_is_nothing():
    mine = pd.concat([records(), records(method="MeanPredictor", shift=0.5)])
    rows = tables.with_null(printed(), mine, "MeanPredictor")
    table = yardstick.confusion(mine, rows, ["StructRF", "MeanPredictor"])
    assert yardstick.total(table) == (1, 1, 0, 0)
    (axis,) = yardstick.confusion_picture(table).axes
    assert "1" in [text.get_text() for text in axis.texts]
    assert "StructRF (of 1)" in [text.get_text() for text in axis.get_yticklabels()]
    ours = tables.summary(mine, measures=["kl_divergence"])
    (axis,) = yardstick.skill_picture(ours, rows, NAMES, ["StructRF"]).axes
    drawn = [c.get_offsets()[0, 0] for c in axis.collections if len(c.get_offsets())]
    skills = yardstick.skill_table(ours, rows)
    skills = skills[skills.method == "StructRF"].skill
    np.testing.assert_allclose(sorted(drawn), sorted(skills))
    for empty in (
        yardstick.confusion_picture(table.iloc[:0]),
        yardstick.skill_picture(ours.iloc[:0], rows.iloc[:0], NAMES, ["StructRF"]),
    ):
        assert not empty.axes[0].axison and len(empty.axes[0].texts[0].get_text()) > 20


def test_frames_of_the_confusion_picture_lie_on_its_diagonal():
    """Columns in another order than the rows; more of them than fit beside each other."""
    names = [f"m{i}" for i in range(7)]
    others = [f"x{i}" for i in range(9)]
    columns = [*others[:4], *names[::-1], *others[4:]]
    found = {c: [Outcomes(2, 3 + (c == "x1"), 0, 0)] * 7 for c in columns}
    table = pd.DataFrame(found, index=names)
    left, right = yardstick.confusion_picture(table).axes
    frames = [patch.get_xy() for patch in left.patches]
    assert frames == [(i, i) for i in range(7)] and not right.patches
    assert [t.get_text() for t in right.get_xticklabels()] == others
    assert {t.get_text() for t in left.texts} == {"2/3"}
    (one,) = yardstick.confusion_picture(table.drop(columns="x1")).axes
    assert {t.get_text() for t in one.texts} == {"2"} and len(one.patches) == 7
    assert one.get_yticklabels()[0].get_text() == "m0 (of 3)"


def test_synthetic_numbers_are_never_set_beside_printed_ones():
    ours = tables.summary(records(source="synthetic"), measures=["kl_divergence"])
    assert tables.cells(ours, printed()).ours.isna().all()
    html = tables.side_by_side(ours, printed(), "x", ["kl_divergence"], ["StructRF"]).data
    assert "0.0544±0.0117" not in html and "sd" not in html
    names = provenance.display_names(
        records(source="synthetic"),
        ["SJAFFE"],
        pd.DataFrame({"name": ["SJAFFE"], "display": ["J"]}),
    )
    assert names["SJAFFE"] == "synthetic stand-in for J"


def test_side_by_side_shows_paper_ours_and_difference():
    ours = tables.summary(records(shift=0.0117), measures=["kl_divergence"])
    html = tables.side_by_side(ours, printed(), "T", ["kl_divergence"], ["StructRF"]).data
    assert "0.0544<span class='more'>±0.0117</span>" in html and "K-L ↓" in html
    difference = (ours["mean"][0] - 0.0544) / 0.0117
    assert f"{difference:+.1f} sd" in html


def test_state_names_what_is_missing_stale_and_how_to_run_it():
    rows = [
        {
            "experiment": "tables",
            "dataset": "Movie",
            "method": "a",
            "done": 0,
            "stale": 0,
            "total": 10,
        },
        {
            "experiment": "tables",
            "dataset": "SJAFFE",
            "method": "a",
            "done": 7,
            "stale": 3,
            "total": 10,
        },
    ]
    text = provenance.state(rows, NAMES, "structrf")
    assert "Movie: not run" in text and "--dataset Movie" in text
    assert "3 of 10 records are STALE" in text
    rows = [r | {"done": 10, "stale": 0} for r in rows]
    assert "no record is stale" in provenance.state(rows, NAMES, "structrf")


def test_head_to_head_and_tally_find_the_better_method():
    both = pd.concat([records(), records(method="RF", shift=0.03)])
    (row,) = compare.head_to_head(both, "StructRF", "RF", NAMES).to_dict("records")
    assert row["better"] == "StructRF" and row["p, corrected"] < 0.01
    means = [both.kl_divergence[both.method == m].mean() for m in ("StructRF", "RF")]
    assert [row[m].mean for m in ("StructRF", "RF")] == means
    assert row["difference"] == (means[0] - means[1], means[0] / means[1] - 1)
    html = compare.show_head_to_head(both, "StructRF", "RF", NAMES).data
    assert "K-L: StructRF and RF" in html and f"<td>{row['p, corrected']:.4f}</td>" in html
    up = compare.tally(both, [("StructRF", "RF")], ["cosine", "kl_divergence"]).iloc[0]
    assert up["comparisons"] == 2 and up["first better"] == 1  # of cosine, more is better
    assert up["first better, significant"] == up["second better, significant"] == (1, 1)
    assert up["first better, Holm / BH"] == (1, 1) and up["cannot be tested"] == 0
    assert "StructRF significantly better on 1 (Holm 1, BH 1), RF on 0 of 1 sets tested" in html
    same = pd.concat([records(), records(method="RF")])
    assert compare.tally(same, [("StructRF", "RF")], ["kl_divergence"])["first better"][0] == 0


def test_tests_of_a_family_are_corrected_for_their_number():
    p = [0.9, 0.03, 0.001, 0.015, 0.02]
    # Holm: 0.001 * 5, 0.015 * 4 = 0.06. BH: 0.02 * 5/3, 0.02 * 5/3, 0.03 * 5/4 = 0.0375.
    assert compare.count_significant(p, [True] * 5) == (4, 1, 4)
    assert compare.count_significant(p, [True, True, False, True, True]) == (3, 0, 3)
    assert compare.count_significant(p, [True] * 5, level=0.01) == (1, 1, 1)
    assert compare.count_significant([], []) == (0, 0, 0)
    assert str(compare.count_significant(p, [True] * 5)) == "4 (Holm 1, BH 4)"
    assert str(compare.count_significant([0.9], [True])) == "0"


def test_what_cannot_be_tested_is_no_part_of_the_family():
    ten = pd.concat([records(), records(method="RF", shift=0.03)])
    one = pd.concat([records("Movie", folds=1), records("Movie", "RF", 0.03, folds=1)])
    alone = records("Yeast_alpha", "RF")
    found = compare.wins(pd.concat([ten, one, alone]), [("StructRF", "RF")], ["kl_divergence"])
    assert found == (2, 2, (1, 1, 1), (0, 0, 0), 1, 1) and found.ratio == 1
    assert str(found) == (
        "better in 2 of 2 comparisons, significantly in 1 (Holm 1, BH 1), "
        "significantly worse in 0; "
        "1 cannot be tested; 1 more were not run with both"
    )


def test_firsts_are_the_best_of_their_cells_ties_included():
    cells = pd.DataFrame(
        [
            ("A", "kl_divergence", "a", 1.0),
            ("A", "kl_divergence", "b", 1.0),
            ("A", "cosine", "a", 1.0),
            ("A", "cosine", "b", 0.5),
            ("B", "kl_divergence", "a", np.nan),
            ("B", "kl_divergence", "b", 2.0),
        ],
        columns=["dataset", "measure", "method", "mean"],
    )
    assert compare.firsts(cells).tolist() == [True, True, True, False, False, True]


def test_claims_table():
    evidence = {
        claims.Ours("is it?"): (0.5, "?"),
        "other": claims.not_run("needs images"),
        "one": (1.0, "in all"),
    }
    table = claims.claims_table(LISTED, evidence)
    assert table.verdict.tolist() == ["holds", "not tested", "holds in part"]
    assert table.ours.tolist() == [False, False, True]
    assert table.section.tolist() == ["4.1", "abstract; 5", ""]
    rules, *shown = claims.show_claims(table)
    of_paper, own = (html.data for html in shown)
    for text in ("All 2 claims", "it is not", "0.073", "4.1", "needs images"):
        assert text in of_paper and text not in own
    assert "at least 95%" in rules and "at least 50%" in rules
    assert "value='not-tested'> not tested (1)" in of_paper
    cards = claims.show_headlines(table).data
    assert "✔ holds" in cards and "it is so" in cards and "Section 4.1" in cards
    assert "it is not" not in cards and "<small>(" not in cards
    assert (
        "✔ holds</b> <small>(hardly)</small>"
        in claims.show_headlines(table, {"one": "hardly"}).data
    )
    assert "✔ the claim holds in at least 95% of its comparisons, ◐ in at least 50%" in cards
    assert claims.findings_in_markdown(table, {"one": "So."}) == "**✔ holds: it is so.** So."
    with pytest.raises(UnknownNameError, match="headline claims are \\['one'\\]"):
        claims.findings_in_markdown(table, {"other": "So."})
    assert "Questions of our own" in own and "is it?" in own and "is it?" not in of_paper


LISTED = pd.DataFrame(
    [("one", "4.1", "it is so", "0.073"), ("other", "abstract; 5", "it is not", "")],
    columns=["id", "section", "claim", "printed"],
).assign(headline=["yes", ""])


def test_a_list_of_claims_and_their_evidence_go_together():
    both = {"one": claims.NOT_RUN, "other": claims.NOT_RUN}
    for evidence in ({"one": claims.NOT_RUN}, both | {"third": claims.NOT_RUN}):
        with pytest.raises(UnknownNameError, match="other|third"):
            claims.claims_table(LISTED, evidence)


def test_evidence_of_shares_and_numbers():
    assert claims.share_claim([True, False, True], "in", " cells") == (2 / 3, "in 2 of 3 cells")
    assert claims.share_claim([], "in") == claims.NOT_RUN
    assert claims.number_claim(0.0752, 0.073, "K-L") == (0.0, "K-L 0.0752")  # 3.01% away
    assert claims.number_claim(0.0709, 0.073, "K-L")[0] == 1.0  # 2.9%
    assert claims.number_claim(0.59, 0.412, "left", ".0%") == (0.0, "left 59%")
    assert claims.number_claim(float("nan"), 1, "") == claims.NOT_RUN
    assert claims.number_claim(None, 1, "") == claims.NOT_RUN
    several = LISTED.assign(printed=["41.2%", "10% to 90%"])
    assert claims.printed_numbers(LISTED) == {"one": 0.073}
    assert claims.printed_numbers(several) == {"one": pytest.approx(0.412)}


@pytest.mark.parametrize(
    "share, word", [(1.0, "holds"), (0.6, "holds in part"), (0.1, "does not hold")]
)
def test_verdicts(share, word):
    assert claims.verdict(share) == word
    assert claims.verdict(float("nan")) == "not tested"


def test_claims_by_their_evidence():
    four = pd.concat(
        records(method=m, shift=0.01 * i)
        for i, m in enumerate(["StructRF", "SA-BFGS", "SA-IIS", "RF"])
    )
    assert claims.order_claim(four, "StructRF", "RF", ["kl_divergence"])[0] == 1
    assert claims.order_claim(four, "RF", "StructRF", ["kl_divergence"])[0] == 0
    share, text = claims.wins_claim(four, [("RF", "StructRF")], ["cosine"], 0.1, True)
    assert share == 1 and text.endswith("(10% level)")
    near = pd.concat([records(), records(method="StructRF*", shift=0.0001)])
    assert claims.same_claim(near, "StructRF", "StructRF*", ["kl_divergence"])[0] == 1
    assert claims.same_claim(four, "StructRF", "RF", ["kl_divergence"])[0] == 0


def test_nearest_and_fixed_settings():
    near = records(parameters={"stage": 200}, method="SA-IIS", shift=0.0156)  # printed: 0.070
    far = records(parameters={"stage": 5}, method="SA-IIS", shift=0.2)
    steps = settings.with_settings(pd.concat([near, far]))
    cells = tables.published_cells("structrf", [16], ["kl_divergence"])
    row = settings.nearest_settings(steps, cells, "SA-IIS", NAMES).iloc[0]
    assert row["nearest setting"] == "SA-IIS, 200 steps" and row["numbers that match"] == (
        1,
        1,
        0,
        0,
    )
    fixed = settings.fixed_settings({"SA-IIS": steps[steps.stage == 5]}, cells)
    assert fixed.setting.tolist() == ["SA-IIS, 5 steps"]
    rounds = settings.with_settings(pd.concat([near, far]), "rounds").setting
    assert set(rounds) == {"SA-IIS, 200 rounds", "SA-IIS, 5 rounds"}
    assert fixed["numbers that match"][0] == (0, 1, 0, 0)


def test_sets_of_a_family_count_as_one():
    level = {"a": (0, 0, 0, 0.3), "b": (0.1, 0.1, 0.1, 0.2), "c": (0.2, 0.2, 0.2, 0.1)}
    sets = ("Yeast_alpha", "Yeast_cdc", "SJAFFE", "Movie")
    mine = pd.concat(
        records(d, m, shift=by)
        for m, shifts in level.items()
        for d, by in zip(sets, shifts, strict=False)
    )
    ranks, number = compare.family_ranks(mine, list(level), "kl_divergence")
    assert ranks.index.tolist() == ["Yeast", "SJAFFE", "Movie"] and number == 4
    assert ranks.loc["Movie"].tolist() == [3, 2, 1]
    np.testing.assert_allclose(ranks.mean(), [5 / 3, 2, 7 / 3])  # with the sets apart 1.5, 2, 2.5
    figure = compare.critical_difference(mine, list(level), "kl_divergence", "Ranks")
    assert "over 3 groups of related data sets (4 sets)" in figure.axes[0].get_xlabel()
    (bar,) = figure.axes[0].collections[1].get_paths()  # all three alike
    assert bar.vertices[:, 1].tolist() == [-0.25, 2.25]
    plt.close("all")


@pytest.mark.parametrize("k, q", [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_nemenyi_has_the_printed_critical_values(k, q):
    """Demsar (2006), Table 5: ranks further apart than q sqrt(k (k + 1) / 6n) differ at 5%."""
    apart = q * np.sqrt(k * (k + 1) / (6 * 7))
    p = compare.nemenyi(np.array([1, 1 + apart, *[2] * (k - 2)]), 7)
    assert p[0, 1] == pytest.approx(0.05, abs=2e-4)


def test_bars_join_neighbours_that_do_not_differ():
    p = np.array([[1, 0.5, 0.01], [0.5, 1, 0.2], [0.01, 0.2, 1]])
    assert compare._groups(p) == [(0, 1), (1, 2)]
    assert compare._groups(np.eye(2)) == [] and compare._groups(np.ones((4, 4))) == [(0, 3)]


def test_running_times_as_ratios_to_a_method():
    two = pd.concat([records(), records(method="SA-BFGS").assign(fit_seconds=4.0)])
    rows = tables.published_cells("structrf", [3], ["fit_seconds", "predict_seconds"])
    row = running_times(two, "SA-BFGS", NAMES, rows).iloc[0]
    assert row.ratio_ours == pytest.approx(0.5)
    assert row.ratio_printed == pytest.approx(1.3 / 93)


def test_printed_text_is_escaped_and_pictures_draw():
    assert "&lt;b&gt;" in tables.show(pd.DataFrame({"a": ["<b>"]}), "c").data
    bunch = make_standin("SJAFFE", n_samples=60)
    assert len(figures.one_distribution(bunch).axes) == 3
    clusters, rows, gains = figures.clusters_and_cuts(bunch, n=40).axes
    assert len(clusters.lines) == 40 + 2 and "40 rows" not in clusters.texts[0].get_text()
    (x, _), *_ = rows.lines[0].get_xydata()
    every, visited, _ = (line.get_xydata() for line in gains.lines)
    assert x == every[every[:, 1].argmax(), 0] and {*map(tuple, visited)} < {*map(tuple, every)}


def test_numbers_become_text_where_a_table_is_shown():
    frame = pd.DataFrame({"a": [0.5, np.nan], "b": ["x", None], "c": [3, 4]})
    frame["d"] = [Spread(0.25, 0.125), Beside(0.25, 0.5)]

    def rows(**more):
        _, *rows = tables.show(frame, "caption", False, **more).data.split("<tr><td>")
        return [row.split("</td></tr>")[0].split("</td><td>") for row in rows]

    first, second = rows()
    assert first == ["0.5", "x", "3", "0.2500±0.1250"] and second == ["–", "–", "4", "0.25 / 0.5"]
    first, second = rows(form="{:.1%}", missing="not run")
    assert first == ["50.0%", "x", "3", "25.0%±12.5%"]
    assert second == ["not run", "not run", "4", "25.0% / 50.0%"]
    assert rows(form={"a": "{:+.2f}"})[0] == ["+0.50", "x", "3", "0.2500±0.1250"]


def test_values_as_text():
    assert [str(v) for v in (Share(1, 3), Shown(1, 2))] == ["1 of 3", "1 (2)"]
    assert (Outcomes(3, 4, 1, 5).outside, Outcomes(3, 4, 1, 5).near) == (4, 4)
    assert Outcomes(3, 4, 1, 5).cells == 9 and Share.of([True, False, True]) == (2, 3)
    some = [Outcomes(3, 4, 1, 2), Outcomes(3, 4, 0, 0), Outcomes(0, 0, 1, 2), Outcomes(0, 0, 0, 0)]
    assert [str(v) for v in some] == ["3 of 4 (+2, 1 off)", "3 of 4", "none (+2, 1 off)", "0 of 0"]
    assert some[0] + some[1] == (6, 8, 1, 2) and some[0].ratio == 0.75 and np.isnan(some[2].ratio)
    assert Share(1, 4).ratio == 0.25 and np.isnan(Share(0, 0).ratio)
    assert str(Spread(0.12345, np.nan)) == "0.1235" and f"{Spread(1, 2):.1f}" == "1.0±2.0"
    assert str(Difference(0.01, -0.2)) == "+0.0100 (-20.0%)"


def test_the_clock_of_the_recompute_has_every_chapter():
    parts = pd.read_csv(paths.results() / "recompute.csv")
    # The first records of later papers were not computed again yet.
    first = {"adaboost_ldl", "comparison", "images", "ldlf", "mldf", "mslp", "structrf"}
    assert first <= set(parts.paper) <= set(paper_names())
    shown = needs.show_recompute().data
    assert f"{parts.minutes.sum() / 60:.1f}" in shown
