"""What rounding does: the table of the chapters, and differences that are none."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import rounding as producer

from ldlrepro import DLDL
from ldlrepro.protocols import rounding
from ldlrepro.report import compare, show_rounding
from ldlrepro.report import rounding as shown


def row(method, fold, variant, value, dataset="SJAFFE"):
    return {
        "paper": "p", "experiment": "tables", "dataset": dataset, "method": method,
        "estimator": method, "fold": str(fold), "variant": variant,
        "measures": json.dumps({"kl_divergence": value}), "fingerprint": "a.b",
    }  # fmt: skip


@pytest.fixture
def stated(tmp_path, monkeypatch):
    """BFGS moves by 4% on s-JAFFE, by a hair on Movie; kNN and the mean do not."""
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))
    producer._keep(
        [
            row("BFGS", 0, rounding.FIXED, 0.050),
            row("BFGS", 0, "SkylakeX", 0.051),
            row("BFGS", 0, "row order 1", 0.0505),
            row("BFGS", 1, rounding.FIXED, 0.050),
            row("BFGS", 1, "SkylakeX", 0.049),
            row("BFGS", 1, "row order 1", 0.052),
            row("BFGS", 0, rounding.FIXED, 0.1, "Movie"),
            row("BFGS", 0, "SkylakeX", 0.1 + 1e-9, "Movie"),
            row("kNN", 0, rounding.FIXED, 0.07),
            row("kNN", 0, "row order 1", 0.07 * (1 + 1e-12)),
            row("forest", 0, rounding.FIXED, 0.06),
            row("forest", 0, rounding.SEED, 0.065),
            row("forest", 0, "row order 1", 0.063),
        ]
    )
    compare._stated.cache_clear()
    yield
    compare._stated.cache_clear()


def records(**means):
    """Ten folds of each method on s-JAFFE, around a mean, with the same noise."""
    noise = np.random.default_rng(0).normal(scale=1e-3, size=10)
    frames = [
        pd.DataFrame(
            {
                "paper": "p",
                "dataset": "SJAFFE",
                "method": method,
                "fold": range(10),
                "kl_divergence": mean + noise * (1 + 0.01 * i),
                "n_train": 190,
                "n_test": 20,
                "source": "real",
            }
        )  # fmt: skip
        for i, (method, mean) in enumerate(means.items())
    ]
    return pd.concat(frames, ignore_index=True)


def test_methods_that_amplify_rounding(stated):
    frame = records(BFGS=0.05, kNN=0.07, forest=0.06)
    names = {"SJAFFE": "s-JAFFE", "Movie": "Movie"}
    spreads = shown.stated(frame, names)
    table = shown.amplified(spreads, frame, ["kl_divergence"])
    (found,) = table.itertuples()
    assert (found.method, found.dataset, found.measure) == ("BFGS", "SJAFFE", "kl_divergence")
    assert found.kernels == pytest.approx(0.02) and found.orders == pytest.approx(0.04)
    values = frame.kl_divergence[frame.method == "BFGS"]
    assert found.folds == pytest.approx(values.std() / values.mean())
    assert found.sets == (1, 2)
    assert shown.unmoved(spreads, frame, table) == ["kNN", "forest"]


def test_a_method_that_has_another_name_in_a_chapter(stated):
    """Records of another paper: the spread is stated under the name that they have there."""
    frame = records(BFGS=0.05, kNN=0.07)
    renamed = frame.assign(declared=frame.method).replace({"method": {"BFGS": "BFGS-LDL"}})
    spreads = shown.stated(renamed, {"SJAFFE": "s-JAFFE"})
    (found,) = shown.amplified(spreads, renamed, ["kl_divergence"]).itertuples()
    assert found.method == "BFGS-LDL" and found.kernels == pytest.approx(0.02)
    pair = next(compare.pairs_of(renamed, "BFGS-LDL", "kNN", "kl_divergence"))
    assert pair.dataset == "SJAFFE" and pair.floor == pytest.approx(0.04 * pair.first.mean())


def test_the_table_of_a_chapter(stated):
    frame = records(BFGS=0.05, kNN=0.07)
    chapter = SimpleNamespace(
        tables=frame, names={"SJAFFE": "s-JAFFE"}, measures=("kl_divergence",)
    )
    table, line = show_rounding(chapter)
    for text in ("BFGS", "s-JAFFE", "K-L", "2.00%", "4.00%", "1 of 1"):
        assert text in table.data
    assert "kNN" in line.data and "BFGS" not in line.data
    nothing = SimpleNamespace(
        tables=frame.assign(paper="q"), names=chapter.names, measures=chapter.measures
    )
    (line,) = show_rounding(nothing)
    assert "Not measured" in line.data


def test_a_difference_that_rounding_makes_is_none(stated):
    """The same gap: 2% of K-L, shown between methods that do not move, not shown for BFGS."""
    frame = records(BFGS=0.0500, kNN=0.0510, other=0.0500)
    table = compare.tally(frame, [("other", "kNN"), ("BFGS", "kNN")], ["kl_divergence"])
    assert table["first better"].tolist() == [1, 0]
    assert [shown.corrected for shown in table["first better, significant"]] == [1, 0]
    assert table["second better, significant"].map(lambda shown: shown.paired).tolist() == [0, 0]
    wide = records(BFGS=0.0500, kNN=0.0600)
    table = compare.tally(wide, [("BFGS", "kNN")], ["kl_divergence"])
    assert [shown.corrected for shown in table["first better, significant"]] == [1]


@pytest.mark.parametrize(
    "fixable, wider, names",
    [
        (False, "AVX512F", []),
        (True, "", ["Sandybridge, AVX2"]),
        (True, "AVX512F", ["Sandybridge, AVX2", "Haswell, AVX-512", "SkylakeX, AVX-512"]),
    ],
)
def test_kernels_are_those_that_the_processor_can_run(fixable, wider, names, monkeypatch):
    monkeypatch.delenv("NPY_DISABLE_CPU_FEATURES", raising=False)
    monkeypatch.setattr(producer.environment, "fixable", lambda: fixable)
    monkeypatch.setattr(producer.environment, "wider_features", lambda: wider)
    sets = producer.kernel_sets()
    assert list(sets) == [*names, *(producer.COMPILED if fixable and wider else ())]
    for name, variables in sets.items():
        if name in producer.COMPILED:
            assert set(variables) <= {"NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"}
        else:
            blas, vectors = name.split(", ")
            off = wider if vectors == "AVX2" else ""
            assert variables == {"OPENBLAS_CORETYPE": blas, "NPY_DISABLE_CPU_FEATURES": off}
    wide = {"torch, AVX-512": "AVX512_CORE"} if wider else {}
    sets = producer.torch_sets()
    bounds = {name: variables["ONEDNN_MAX_CPU_ISA"] for name, variables in sets.items()}
    assert bounds == ({"torch, products of MKL's choice": "AVX2"} | wide if fixable else {})
    assert all(v != producer.environment.TORCH_KERNELS for v in sets.values())


def test_photographs_are_run_under_kernels_of_torch(monkeypatch):
    monkeypatch.setattr(producer, "torch_sets", lambda: {"t": {}})
    variants = [v for _, v, *_ in producer._variants(DLDL(), photographs=True)]
    assert variants == [rounding.FIXED, "t", rounding.SEED]
