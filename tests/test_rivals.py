"""A user's method beside stored records."""

import re

import numpy as np
import pandas as pd
import pytest
from own_methods import Mean

from ldlrepro import datasets, stats
from ldlrepro.declare import Experiment, Method
from ldlrepro.errors import DataUnavailableError
from ldlrepro.papers.comparison import experiments as comparison
from ldlrepro.papers.comparison import matrix
from ldlrepro.protocols import state
from ldlrepro.user import compare as comparing
from ldlrepro.user.compare import CompareError, compare


def test_stored_rivals_stand_beside_a_new_method(here):
    try:
        datasets.load("s-JAFFE")
    except DataUnavailableError as error:
        pytest.skip(str(error))
    found = compare({"mean": Mean()}, datasets=["s-JAFFE"])
    stored = found.records[found.records.method == "MeanPredictor"].sort_values("fold")
    mine = found.records[found.records.method == "mean"].sort_values("fold")
    # The same folds and the same rows: the two are one method.
    assert mine.kl_divergence.to_numpy() == pytest.approx(stored.kl_divergence.to_numpy(), 1e-9)
    table = found.against()
    assert {"StructRF", "MSLP", "SA-BFGS", "sLDLF"} <= set(table.against)
    assert (table["rival's loss removed"].diff().dropna() >= 0).all()
    assert re.fullmatch(r"\d of 1", table["better on"][0]) and "(" not in str(table["better on"])
    page = found._repr_html_()
    assert "s-JAFFE" in page and "Holm" in page


def test_stale_records_are_no_rivals(here, monkeypatch):
    """Records of a method, or of all, whose marks are not those of the code that runs."""
    try:
        datasets.load("s-JAFFE")
    except DataUnavailableError as error:
        pytest.skip(str(error))
    of_method = state.of_method

    def changed(method, *rest):
        other = type(method.estimator).__name__ == "StructRF"
        return "0" * 12 if other else of_method(method, *rest)

    monkeypatch.setattr(state, "of_method", changed)
    monkeypatch.setattr(state, "lenders", lenders_with(of_method))
    found = compare({"mean": Mean()}, datasets=["s-JAFFE"])
    assert "StructRF" not in set(found.records.method) and "MSLP" in set(found.records.method)
    assert "StructRF: left out on SJAFFE, since other code" in " ".join(found.said())
    monkeypatch.setattr(state, "of_method", lambda *_: "0" * 12)
    Mean.fits = 0
    with pytest.raises(CompareError, match="Other code .* made the stored records of SJAFFE"):
        compare({"mean": Mean()}, datasets=["s-JAFFE"])
    assert Mean.fits == 0


def lenders_with(of_method):
    """`state.lenders`, found with the marks of the code as it is."""
    lenders = state.lenders

    def found(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(state, "of_method", of_method)
            return lenders(*arguments)

    return found


def test_what_others_hold_is_not_run_again():
    lent = state.lenders(comparison.PAPER, comparison.TABLES)
    names = {(mine.name, paper.name, there.name) for mine, paper, there, _ in lent}
    assert ("MSLP", "mslp", "tables") in names and ("SA-BFGS", "structrf", "tables") in names
    assert ("SA-BFGS", "mslp", "tables") in names  # there under the name BFGS-LDL
    assert not any(there.borrows or there.test_share for _, _, there, _ in lent)
    records = state.read(comparison.PAPER, comparison.TABLES, datasets=["SJAFFE"])
    assert not records.duplicated(["method", "fold"]).any()
    borrowed = records[records.method == "SA-BFGS"]
    assert len(set(borrowed.paper)) == 1 and len(borrowed) == 10  # of one that holds it


def test_a_pair_that_is_left_out_is_not_declared():
    methods = Method("a", Mean()), Method("b", Mean())
    experiment = Experiment("e", methods, ("x", "y"), without=(("b", "y", "slow"),))
    assert [m.name for m in experiment.methods_on("y")] == ["a"]
    assert len(experiment.methods_on("x")) == 2


def test_a_set_with_few_records_is_not_taken_by_itself(monkeypatch):
    records = state.read(comparison.PAPER, comparison.TABLES, datasets=["SJAFFE", "Movie"])
    few = (records.dataset == "SJAFFE") | records.method.isin(["StructRF", "MeanPredictor"])
    monkeypatch.setattr(comparing, "read", lambda *_, **__: records[few])
    assert comparing._compared(None) == ["SJAFFE"]


def test_all_rivals_of_a_table_are_one_family():
    """A p of .01 among twenty is shown by itself, not after Holm's adjustment."""
    rng = np.random.default_rng(0)
    noise = {f"rival {i}": rng.normal(scale=0.02, size=10) for i in range(20)}
    noise["rival 0"] += 0.02
    parts = [pd.DataFrame({"method": m, "kl_divergence": 0.3 + e}) for m, e in noise.items()]
    parts.append(pd.DataFrame({"method": "mine", "kl_divergence": np.full(10, 0.3)}))
    records = pd.concat([p.assign(fold=range(10)) for p in parts], ignore_index=True)
    records = records.assign(dataset="own", n_train=90, n_test=10)
    table = matrix.against(records, "mine", "kl_divergence").set_index("against")
    shown = table["significantly better"]["rival 0"]
    pair = [records[records.method == m].kl_divergence.to_numpy() for m in ("rival 0", "mine")]
    p = stats.corrected_t(*pair, 90, 10)
    assert 0.05 / 20 < p < 0.05 and tuple(shown)[:2] == (1, 0)


def test_an_empty_folder_of_stored_records_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LDLREPRO_RESULTS", str(tmp_path))
    with pytest.raises(CompareError, match=f"No records of SJAFFE are in .*{tmp_path.name}"):
        compare(["AAKNN"], datasets=["s-JAFFE"])
