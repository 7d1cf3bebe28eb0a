"""Tables and figures of the page on photographs, from records made up for the test."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ldlrepro import paths
from ldlrepro.metrics import DISTRIBUTION
from ldlrepro.papers.images import tables as images
from ldlrepro.papers.images.experiments import PAPER

pytestmark = pytest.mark.skipif(not paths.IN_CHECKOUT, reason="printed claims are not installed")


def fits(losses, kinds=("re-aligned", "from rankings"), folds=10):
    """Records in which a method's K-L is about a number, the other measures follow it."""
    rng = np.random.default_rng(0)
    rows = []
    for kind in kinds:
        for fold in range(folds):
            common = rng.normal(scale=0.01)
            for method, loss in losses.items():
                kl = loss + common + rng.normal(scale=0.002)
                values = {m: -kl if s.greater_is_better else kl for m, s in DISTRIBUTION.items()}
                rows.append(
                    {"paper": "images", "dataset": kind, "method": method, "fold": fold, **values}
                    | {"fit_seconds": 60.0, "n_train": 1800, "n_test": 200, "declared": method}
                )
    return pd.DataFrame(rows)


SHARES = ["10%", "60%"]
GRID = pd.DataFrame(
    [("dLDLF", k, None, 1.0 - 0.01 * k, fold) for k in (1, 2, 5) for fold in (0, 1)]
    + [("dNDF-LDL", k, None, 1.0 + 0.01 * k, fold) for k in (1, 2, 5) for fold in (0, 1)]
    + [
        ("dLDLF, one tree", None, h, abs(h - 5) * (1 + fold) + 1.0, fold)
        for h in (2, 5, 9)
        for fold in (0, 1)
    ],
    columns=["strategy", "trees", "depth", "kl_divergence", "fold"],
)
DEEP = {"DLDL": 0.6, "dLDLF": 0.5, "dNDF-LDL": 0.7}
LOSSES = DEEP | {"SA-IIS": 0.9, "SA-BFGS": 0.8, "StructRF": 0.4}


def test_methods_are_those_that_are_declared():
    for experiment in PAPER.experiments:
        names = {m.name for m in experiment.methods} - {"MeanPredictor", "UniformPredictor"}
        if experiment.name != images.FIGURE_4:  # whose methods are named by trees and depth
            assert names in (set(images.DEEP), set(images.RIVALS))


def test_methods_are_in_the_order_of_their_loss_and_say_what_they_saw():
    table = images.beside(fits(LOSSES), "rankings")
    assert list(table.method) == sorted(LOSSES, key=LOSSES.get)
    assert set(table[table["from"] == "pictures"].method) == set(DEEP)
    assert set(table.folds) == {10}
    assert table["s a fit"].tolist() == pytest.approx([60.0] * 6)


def test_a_verdict_says_that_it_is_of_other_data():
    shares = fits(LOSSES, kinds=SHARES, folds=3)
    found = images.claims(fits(LOSSES), GRID, shares)
    verdicts = found.verdict.tolist()
    for row in (3, 0):  # StructRF has the least loss here
        assert verdicts.pop(row) == "tested on other data: does not hold"
    assert "first in 0 of 10 columns" in found.evidence[0]
    assert "lowest mean K-L at 0 of 2 (StructRF at 10%, StructRF at 60%)" in found.evidence[3]
    assert set(verdicts) == {"tested on other data: holds"}
    falls = "lowest mean K-L at depth 5, of 2, 5, 9; it falls to there in 2 of 2 hold-outs, by "
    rises = "4.5000 ± 2.1213, and then rises in 2 of 2, by 6.0000 ± 2.8284 (mean and deviation)"
    assert found.evidence[5] == falls + rises
    better = {"StructRF": 0.7}
    shares = fits(LOSSES | better, kinds=SHARES, folds=3)
    found = images.claims(fits(LOSSES | better), GRID, shares)
    assert set(found.verdict) == {"tested on other data: holds"}
    near = images.claims(fits(LOSSES | {"dLDLF": 0.6003}), GRID, shares)
    assert "significantly in 0, significantly worse in 0" in near.evidence[1]
    better = int(near.evidence[1].split()[2])  # the means decide, whatever is significant
    words = "does not hold" if better < 5 else "holds in part" if better < 10 else "holds"
    assert near.verdict[1] == f"tested on other data: {words}"
    leads = re.findall(r"(0\.\d{3}) \(labels", near.evidence[1])
    assert len(leads) == 2 and all(float(lead) > 0.0012 for lead in leads)
    level = fits(LOSSES | {"StructRF": 0.7}, kinds=SHARES, folds=3)
    level.loc[level.method == "dLDLF", "kl_divergence"] += 0.0985  # lowest, but not significantly
    found = images.claims(fits(LOSSES), GRID, level)
    assert "at 0 of 2 shares; lowest mean K-L at 2 of 2" in found.evidence[3]
    assert found.verdict[3] == "tested on other data: does not hold"
    noisy = GRID.copy()
    noisy.loc[(noisy.depth == 9) & (noisy.fold == 0), "kl_divergence"] = 0.9
    found = images.claims(fits(LOSSES), noisy, level)
    assert "then rises in 1 of 2" in found.evidence[5]
    assert found.verdict[5] == "tested on other data: holds in part"
    flat = GRID.assign(kl_divergence=1.0)
    worse = images.claims(fits(LOSSES | {"dLDLF": 0.95}), flat, shares)
    said = dict(zip(worse["the paper says"], worse.verdict, strict=True))
    assert [v for c, v in said.items() if "dLDLF is better than DLDL" in c] == [
        "tested on other data: does not hold"
    ]
    assert all(verdict.startswith("tested on other data: ") for verdict in worse.verdict)


def test_differences_are_of_the_deep_method_and_tested():
    table = images.against(fits(LOSSES), "realigned").set_index("less that of")
    assert pd.isna(table.at["DLDL", "DLDL"])
    assert (
        table.at["SA-IIS", "dLDLF"].startswith("-0.4") and "p < 0.001" in table["dLDLF"]["SA-IIS"]
    )
    assert table.at["StructRF", "dNDF-LDL"].startswith("+0.3")
    one = fits(LOSSES, kinds=["re-aligned"])
    assert images.against(one, "rankings").empty and images.kinds(one) == ["realigned"]


def test_a_division_has_its_own_means():
    first, second = fits(LOSSES), fits(DEEP | {"DLDL": 0.4})
    records = pd.concat([first.assign(division=1), second.assign(division=2)])
    table = images.by_division(records)
    assert list(table.columns) == images.DEEP and len(table) == 4
    assert (table.idxmin(axis=1).xs(1, level="division") == "dLDLF").all()
    assert (table.idxmin(axis=1).xs(2, level="division") == "DLDL").all()
    mine = first[(first.method == "dLDLF") & (first.dataset == "re-aligned")]
    assert table.at[("re-aligned", 1), "dLDLF"] == pytest.approx(mine.kl_divergence.mean())


def test_what_moves_a_fold_is_set_beside_the_folds(monkeypatch):
    columns = ["paper", "method", "measure", "kernels", "orders", "seed"]
    rows = [("images", "DLDL", "kl_divergence", 0.03, np.nan, 0.05)]
    rows += [("mslp", "DLDL", "kl_divergence", 0.5, np.nan, 0.5)]
    rows += [("images", "DLDL", "canberra", 0.1, np.nan, 0.1)]  # not shown on the page
    table = pd.DataFrame(rows, columns=columns)
    monkeypatch.setattr(images.rounding, "spreads", lambda: table)
    records = fits(LOSSES)
    (row,) = images.moved(records).itertuples(index=False, name=None)
    kl = records.kl_divergence[(records.method == "DLDL") & (records.dataset == "re-aligned")]
    assert row[:4] == ("DLDL", "K-L", 0.03, 0.05)
    assert row[4] == pytest.approx(kl.std() / kl.mean())


def test_what_was_not_run_is_said():
    nothing = GRID.iloc[:0]
    found = images.claims(fits(LOSSES), nothing, fits(LOSSES).iloc[:0])
    assert (found.verdict == "not tested").sum() == 3
    (axis,) = images.figure_4(nothing).axes
    assert axis.texts[0].get_text().startswith("Not run: ldlrepro run images")


def test_committed_records_have_all_folds_of_the_kinds_that_are_there():
    records = images.image_records(PAPER)
    assert set(records.dataset) <= set(images.LABELS.values())
    count = records.groupby(["dataset", "method"]).fold.nunique()
    assert (count % 10 == 0).all(), count[count % 10 > 0]


def test_a_seed_counts_when_all_its_fits_are_there(monkeypatch):
    declared = {experiment.name: experiment for experiment in PAPER.experiments}

    def read(paper, name, profile, datasets):
        methods, lacks = declared[name].methods, name == "images_realigned_1"
        rows = [(m.name, fold) for m in methods for fold in range(10)][lacks:]
        return pd.DataFrame(rows, columns=["method", "fold"])

    monkeypatch.setattr(images, "read", read)
    folds = images.image_records(PAPER).groupby("dataset").fold.agg(set)
    assert folds["from rankings"] == set(range(30))
    assert folds["re-aligned"] == {*range(10), *range(20, 30)}


def test_a_share_counts_when_all_its_fits_are_there(monkeypatch):
    declared = {experiment.name: experiment for experiment in PAPER.experiments}

    def read(paper, name, profile, datasets):
        methods, lacks = declared[name].methods, name == "image_features_share_20"
        rows = [(m.name, fold, 0.1 * fold) for m in methods for fold in range(3)][lacks:]
        return pd.DataFrame(rows, columns=["method", "fold", "kl_divergence"])

    monkeypatch.setattr(images, "read", read)
    table = images.by_share(images.share_records(PAPER))
    assert table.columns.tolist() == ["10%", "30%", "40%", "50%", "60%"]
    assert set(table.index) == {*images.DEEP, *images.RIVALS, "MeanPredictor", "UniformPredictor"}
    np.testing.assert_allclose(table, 0.1)


def test_a_panel_of_figure_4_counts_when_all_its_fits_are_there(monkeypatch):
    experiment = PAPER.experiment(images.FIGURE_4)
    rows = [(m.settings, {}, fold) for m in experiment.methods for fold in range(3)]
    whole = pd.DataFrame(rows, columns=["settings", "parameters", "fold"])
    kept = {}
    for lacking in ("dLDLF", "dNDF-LDL", "dLDLF, one tree", None):
        mine = whole.index[[s["strategy"] == lacking for s in whole.settings]]
        cut = whole.drop(index=mine[:1])
        monkeypatch.setattr(images, "read", lambda *_, cut=cut: cut)
        kept[lacking] = images.grid_of_figure_4(PAPER)[["trees", "depth"]].notna().sum().tolist()
    assert kept == {
        "dLDLF": [0, 18],
        "dNDF-LDL": [0, 18],
        "dLDLF, one tree": [30, 0],
        None: [30, 18],
    }


def test_a_panel_without_records_says_what_was_not_run():
    trees, depth = images.figure_4(GRID[GRID.trees.notna()]).axes
    assert depth.texts[0].get_text().startswith("Not run: ldlrepro run images")
    assert not trees.texts and len(trees.containers) == 2
    plt.close("all")


def test_figures_show_every_method():
    curves = pd.DataFrame(
        [(m, e, 2.0 / e, 1.0 / e) for m in images.DEEP for e in (1, 2, 3)],
        columns=["method", "epoch", "loss", "kl"],
    )
    left, right = images.curves(curves).axes
    assert [line.get_label() for line in left.lines] == images.DEEP
    assert right.lines[0].get_ydata().tolist() == pytest.approx([1.0, 0.5, 1 / 3])
    rows = [
        (image, of, label, degree, 0.1)
        for image in (7, 3)
        for of in ("truth", *images.DEEP)
        for label, degree in (("sky", 0.75), ("sea", 0.25))
    ]
    shown = pd.DataFrame(rows, columns=["image", "of", "label", "degree", "kl"])
    titles = [axis.get_title() for axis in images.predictions(shown).axes if axis.get_visible()]
    assert titles == ["8.jpg", "4.jpg"]
    trees, depth = images.figure_4(GRID).axes
    assert (len(trees.containers), len(depth.containers)) == (2, 1)
    assert [tick.get_text() for tick in trees.get_xticklabels()] == ["1", "2", "5"]
    plt.close("all")


def test_time_of_an_epoch_is_set_beside_the_softmax():
    study = pd.DataFrame(
        {"method": ["DLDL", "dLDLF"] * 3, "seconds": [1.0, 1.2, 3.0, 9.0, 2.0, 3.0]}
    )
    table = images.epochs(study)
    assert table["to DLDL"].tolist() == pytest.approx([1.0, 1.5])
    assert table[["least", "most"]].to_numpy().tolist() == [[1.0, 3.0], [1.2, 9.0]]
