"""What single chapters compute from records, on records made up for the purpose."""

import numpy as np
import pandas as pd
import pytest

from ldlrepro.report import adaboost_ldl, ldlf, mslp
from ldlrepro.report.compare import wins
from ldlrepro.report.plots import nothing


def rows(values, measure="kl_divergence", dataset="A", **more):
    """Records of one measure: a method's value on each fold."""
    return pd.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "fold": fold,
            measure: value,
            "n_train": 90,
            "n_test": 10,
            "parameters": [{}],
        }
        | more
        for method, per_fold in values.items()
        for fold, value in enumerate(per_fold)
    ).explode("parameters", ignore_index=True)


# --- MSLP --------------------------------------------------------------------------------------


def test_first_places_count_ties_with_the_first():
    records = pd.concat(
        [
            rows({"a": [1, 1.1, 0.9], "b": [1.05, 1.02, 0.9], "c": [5, 5.2, 5.1]}),
            rows({"a": [3, 3.1, 3.0], "b": [1, 1.1, 1.0], "c": [9, 9.5, 9.2]}, dataset="B"),
        ]
    )
    printed = pd.DataFrame(
        {"dataset": "A", "measure": "kl_divergence", "method": ["a", "b", "c"], "mean": [2, 1, 1]}
    )
    table = mslp.first_places(records, ["kl_divergence"], ["a", "b", "c"], printed)
    table = table.set_index("method")
    assert table.columns[1] == "first here, of 2"
    assert table.iloc[:, 0].tolist() == [0, 1, 1]  # printed: b and c share the first place
    assert table.iloc[:, 1].tolist() == [0, 2, 0]
    assert table.iloc[:, 2].tolist() == [1, 2, 0]  # on A a is not shown worse than b


def test_two_protocols_sign_of_similarities():
    compared = pd.DataFrame(
        {
            "method": "a",
            "measure": ["cosine", "cosine"],
            "ours": [0.8, 0.8],
            "published": [0.9, 0.9],
            "agrees": [False, False],
        }
    )
    table = mslp.two_protocols(compared, compared.iloc[:0], ["a"])
    # 1 - 0.8 is twice 1 - 0.9: a hundred percent worse.
    assert table["median difference, chosen inside the fold"].tolist() == ["+100.0%"]
    assert table["cells that agree, best on test"].tolist() == ["–"]


# --- Adaboost-LDL --------------------------------------------------------------------------------


def shrunk_records(flat):
    """Plain predictions drawn towards the uniform: 1 - flatness falls with the squared factor."""
    frames = [
        rows({"L, towards the uniform": [1 - (1 - flat) * f**2] * 3}, "flatness").assign(
            parameters=[{"stage": f}] * 3
        )
        for f in (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
    ]
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize(
    ("loss", "flatness", "factor"), [(0.05, 0.91, 0.5), (0.06, 0.91, 0.5), (0.3, 0.4775, 1.2)]
)
def test_matched_flatness(loss, flatness, factor):
    plain_flat = 1 - 0.36 if factor == 0.5 else 1 - 0.5225 / 1.44
    tables = rows({"L": [0.1] * 3, "L, boosted": [loss] * 3}, "sort_loss")
    tables["flatness"] = [plain_flat] * 3 + [flatness] * 3
    for k, measure in enumerate(("spearman", "kendall", "ndcg")):
        tables[measure] = [0.5, 0.51, 0.52, 0.6 + k, 0.62 + k, 0.61 + k]
    found = adaboost_ldl.matched(tables, shrunk_records(plain_flat), ["L"]).iloc[0]
    assert found.left == pytest.approx(loss / 0.1)
    assert found.by_flatness == pytest.approx(factor, rel=1e-6)
    assert found.by_order == pytest.approx(loss / (0.1 * factor), rel=1e-6)
    assert found.spearman == pytest.approx(0.1) and found.spearman_p < 0.05


def test_ratios_and_reductions():
    summary = pd.DataFrame(
        {
            "dataset": ["A", "A", "A", "B", "B"],
            "measure": "sort_loss",
            "method": ["L", "L, boosted", "L, bagged", "L", "L, boosted"],
            "mean": [0.1, 0.05, 0.08, 0.2, 0.2],
        }
    )
    found = adaboost_ldl.ratios(summary, ["L", "M"], ["sort_loss"])
    assert found[found.kind == "boosted"].ratio.tolist() == pytest.approx([0.5, 1.0])
    assert found[found.kind == "bagged"].ratio.tolist() == pytest.approx([0.8])
    table = adaboost_ldl.reductions(found, found.iloc[:0], ["L", "M"], ["sort_loss"])
    assert table["SortLoss, boosted, ours"].tolist() == ["75.0%", "–", "75.0%"]
    assert table["SortLoss, boosted, printed"].tolist() == ["–"] * 3


# --- LDLF ----------------------------------------------------------------------------------------


def test_protocol_cells_take_the_last_and_the_lowest_stage_of_each_fold():
    stages = pd.concat(
        [
            rows({"sLDLF": values}).assign(parameters=[{"stage": stage}] * 2)
            for stage, values in ((1, [0.5, 0.2]), (2, [0.3, 0.4]), (3, [0.4, 0.6]))
        ],
        ignore_index=True,
    )
    plain = rows({"StructRF": [0.1, 0.3]})
    joined = pd.concat([stages, plain])  # row numbers repeat, as in the notebook
    cells = ldlf.protocol_cells({"distinct_rows": joined})
    mean = cells.groupby(["method", "kept"])["kl_divergence"].mean()
    assert mean["sLDLF", "last"] == pytest.approx(0.5)
    assert mean["sLDLF", "lowest on test"] == pytest.approx(0.25)
    assert mean["StructRF", "last"] == mean["StructRF", "lowest on test"] == pytest.approx(0.2)
    table = ldlf.protocol_table(cells, "A", ["sLDLF", "StructRF"], printed=0.5)
    assert table.loc["sLDLF", "distinct rows, last"].endswith("← printed")
    assert table.loc["sLDLF", "drawn rows, last"] == "not run"


def test_grid_of_figure_4():
    names = ["sLDLF, 5 trees", "sNDF-LDL, 5 trees", "sLDLF, depth 9", "sNDF-LDL, each its own"]
    records = rows({name: [0.1] for name in names})
    records["parameters"] = [{}, {}, {}, {"stage": 20}]
    grid = ldlf.grid_of_figure_4(records)
    assert grid.strategy.tolist() == [
        "sLDLF",
        "sNDF-LDL",
        "sLDLF, one tree",
        "sNDF-LDL, each its own",
    ]
    np.testing.assert_array_equal(grid.trees, [5, 5, np.nan, 20])
    np.testing.assert_array_equal(grid.depth, [np.nan, np.nan, 9, np.nan])


def test_a_line_of_text_where_there_is_nothing_to_draw():
    assert nothing("no records").texts[0].get_text() == "no records"


def test_wins_count_cells_and_what_is_shown():
    one = rows({"a": [1.0, 1.1, 0.9, 1.05], "b": [2.0, 2.2, 1.9, 2.1]})
    two = rows({"a": [1.0, 3.0, 2.0, 2.0], "b": [1.5, 2.0, 2.5, 1.0]}, dataset="B")
    both = pd.concat([one, two])
    assert wins(both, [("a", "b")], ["kl_divergence"]) == (1, 2, 1, 0)
    assert wins(both, [("b", "a")], ["kl_divergence"]) == (1, 2, 0, 1)
    assert wins(one, [("a", "b")], ["kl_divergence"], level=0.0) == (1, 1, 0, 0)
    assert wins(one, [("a", "c")], ["kl_divergence"]) == (0, 0, 0, 0)
