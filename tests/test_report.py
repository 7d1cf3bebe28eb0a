"""Tables, tests and verdicts made from rows."""

import numpy as np
import pandas as pd
import pytest

from ldlrepro import report
from ldlrepro.datasets import make_standin
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.report import compare, pictures, tables

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
    return report.published_cells("structrf", [16], ["kl_divergence"])


def test_summary_is_mean_and_sample_deviation():
    mine = records()
    row = report.summary(mine, measures=["kl_divergence"]).iloc[0]
    assert row["mean"] == pytest.approx(mine.kl_divergence.mean())
    assert row["std"] == pytest.approx(np.std(mine.kl_divergence, ddof=1))
    assert row.folds == 10


@pytest.mark.parametrize("shift, share", [(0.0, "1 of 1"), (0.05, "0 of 1")])
def test_agreement_counts_cells_within_the_tolerance(shift, share):
    ours = report.summary(records(shift=shift), measures=["kl_divergence"])
    table = report.agreement(report.cells(ours, printed()), NAMES)
    assert table.loc["s-JAFFE", "StructRF"] == share
    assert table.loc["s-JAFFE", "RF"] == "not run"
    apart = report.agreement(report.cells(ours, printed()), NAMES, apart=["SJAFFE"])
    assert apart.loc["all that count", "StructRF"] == "not run"


def test_synthetic_numbers_are_never_set_beside_printed_ones():
    ours = report.summary(records(source="synthetic"), measures=["kl_divergence"])
    assert report.cells(ours, printed()).ours.isna().all()
    html = report.side_by_side(ours, printed(), "x", ["kl_divergence"], ["StructRF"]).data
    assert "0.0544±0.0117" not in html and "sd" not in html
    names = report.display_names(
        records(source="synthetic"),
        ["SJAFFE"],
        pd.DataFrame({"name": ["SJAFFE"], "display": ["J"]}),
    )
    assert names["SJAFFE"] == "synthetic stand-in for J"


def test_side_by_side_shows_paper_ours_and_difference():
    ours = report.summary(records(shift=0.0117), measures=["kl_divergence"])
    html = report.side_by_side(ours, printed(), "T", ["kl_divergence"], ["StructRF"]).data
    assert "0.0544±0.0117" in html and "K-L ↓" in html
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
    text = report.state(rows, NAMES, "structrf")
    assert "Movie: not run" in text and "--dataset Movie" in text
    assert "3 of 10 records are STALE" in text
    rows = [r | {"done": 10, "stale": 0} for r in rows]
    assert "no record is stale" in report.state(rows, NAMES, "structrf")


def test_head_to_head_and_tally_find_the_better_method():
    both = pd.concat([records(), records(method="RF", shift=0.03)])
    (row,) = compare.head_to_head(both, "StructRF", "RF", NAMES).to_dict("records")
    assert row["better"] == "StructRF" and float(row["p, corrected"]) < 0.01
    up = compare.tally(both, [("StructRF", "RF")], ["cosine", "kl_divergence"]).iloc[0]
    assert up["cells"] == 2 and up["first better"] == 1  # of cosine, more is better
    assert up["first better, shown"] == up["second better, shown"] == "1 (1)"
    same = pd.concat([records(), records(method="RF")])
    assert compare.tally(same, [("StructRF", "RF")], ["kl_divergence"])["first better"][0] == 0


@pytest.mark.parametrize("share, word", [(1.0, "reproduced"), (0.6, "partly"), (0.1, "not")])
def test_verdicts(share, word):
    assert compare.verdict(share) == word
    assert compare.verdict(float("nan")) == "not run"


def test_claims_by_their_evidence():
    four = pd.concat(
        records(method=m, shift=0.01 * i)
        for i, m in enumerate(["StructRF", "SA-BFGS", "SA-IIS", "RF"])
    )
    assert compare.order_claim(four, "StructRF", "RF", ["kl_divergence"])[0] == 1
    assert compare.order_claim(four, "RF", "StructRF", ["kl_divergence"])[0] == 0
    near = pd.concat([records(), records(method="StructRF*", shift=0.0001)])
    assert compare.same_claim(near, "StructRF", "StructRF*", ["kl_divergence"])[0] == 1
    assert compare.same_claim(four, "StructRF", "RF", ["kl_divergence"])[0] == 0


def test_nearest_and_fixed_settings():
    near = records(parameters={"stage": 200}, method="SA-IIS", shift=0.0156)  # printed: 0.070
    far = records(parameters={"stage": 5}, method="SA-IIS", shift=0.2)
    steps = tables.with_settings(pd.concat([near, far]))
    cells = report.published_cells("structrf", [16], ["kl_divergence"])
    row = report.nearest_settings(steps, cells, "SA-IIS", NAMES).iloc[0]
    assert row["nearest setting"] == "SA-IIS, 200 steps" and row["cells that agree"] == "1 of 1"
    fixed = report.fixed_settings(steps, cells, {"SA-IIS": ["SA-IIS, 5 steps"]})
    assert fixed["cells that agree"][0] == "0 of 1"


def test_ratios_to_a_method():
    two = pd.concat([records(), records(method="SA-BFGS").assign(fit_seconds=4.0)])
    rows = report.published_cells("structrf", [3], ["fit_seconds", "predict_seconds"])
    row = report.ratios(two, "SA-BFGS", NAMES, rows).iloc[0]
    assert row["ratio, ours"] == "0.500"
    assert row["ratio to SA-BFGS, printed"] == f"{1.3 / 93:.3f}"


def test_printed_text_is_escaped_and_pictures_draw():
    assert "&lt;b&gt;" in tables.show(pd.DataFrame({"a": ["<b>"]}), "c").data
    bunch = make_standin("SJAFFE", n_samples=60)
    for draw in (pictures.one_distribution, pictures.one_split, pictures.one_search):
        assert draw(bunch).axes
