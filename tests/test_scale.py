"""Memory of fits, refusals of what does not fit, and how methods grow with their data."""

import growth
import numpy as np
import pandas as pd
import pytest

import ldlrepro
from ldlrepro import memory
from ldlrepro.errors import TooLargeError, UnknownNameError
from ldlrepro.report import speed

SQUARE = ["LDSVR", "PTSVM", "PCA", "LPP", "NPE", "CCA", "MLFE", "D2LDL"]


@pytest.mark.parametrize("name", SQUARE)
def test_what_does_not_fit_is_refused_before_it_is_begun(name, monkeypatch):
    task = "multilabel" if name == "MLFE" else "ldl"
    X, T = growth.synthetic(task, 40, 6, 4)
    if name == "D2LDL":
        T = _ages(40)
    model = getattr(ldlrepro, name)()
    if name in ("PCA", "LPP", "NPE", "CCA"):
        model.set_params(kernel="rbf")
    monkeypatch.setattr(memory, "free", lambda: 20_000)
    with pytest.raises(TooLargeError) as refused:
        model.fit(X, T)
    assert isinstance(refused.value, MemoryError)
    assert name in str(refused.value) and "40 rows" in str(refused.value)
    monkeypatch.undo()
    assert memory.free() > 10**6
    model.fit(X, T)


def _ages(n):
    ages = np.arange(n)[:, None] % 5
    D = np.exp(-0.5 * (np.arange(5) - ages) ** 2)
    return D / D.sum(axis=1, keepdims=True)


def test_the_rows_that_would_fit_do(monkeypatch):
    monkeypatch.setattr(memory, "free", lambda: 8 * 3 * 100**2)
    memory.check_square("a model", 100, 3)
    with pytest.raises(TooLargeError, match="at most 100 rows"):
        memory.check_square("a model", 101, 3)


def test_peak_is_that_of_the_process_alone():
    here = np.ones(30_000_000)  # 240 MB, which the child does not have
    code = "import numpy as np; a = np.ones(int(sys.argv[1])); report(sum=a.sum(), held=held())"
    values, small = memory.peak(code, "1000")
    assert values["sum"] == "1000.0" and here.nbytes > small >= float(values["held"])
    _, large = memory.peak(code, "20_000_000")
    assert 170e6 > large - small > 150e6


@pytest.mark.slow
def test_sizes_grow_until_the_limit(tmp_path):
    told, out = [], tmp_path / "scale.csv"
    sizes = {"n": (1000, 2000, 10**12), "q": (30,), "c": (10,)}
    table = growth.run(["MeanPredictor"], limit=60.0, sizes=sizes, tell=told.append, out=out)
    assert table.n.tolist() == [1000, 2000] or table.n.tolist() == [1000, 2000, 10**12]
    assert table.outcome[:2].tolist() == [growth.FITTED] * 2 and len(told) == len(table)
    assert (table.peak[:2] >= table.held[:2]).all() and (table.seconds[:2] > 0).all()
    if len(table) == 3:  # told, not passed over: no machine has a terabyte of rows
        assert table.outcome[2].startswith(growth.FAILED)
    told.clear()
    again = growth.run(["MeanPredictor"], sizes=sizes, tell=told.append, out=out)
    assert not told and len(again) == len(table)


def test_a_method_that_does_not_exist_is_named():
    with pytest.raises(UnknownNameError, match="StructTF.*StructRF"):
        growth.run(["StructTF"])


def test_slopes_are_those_of_the_logarithms():
    base = {"task": "ldl", "method": "M", "q": 30, "c": 10, "outcome": "fitted", "held": 0.0}
    rows = [base | {"n": n, "seconds": n**2 / 1e6, "peak": 1e4 * n} for n in (1000, 10**4, 10**5)]
    rows += [base | {"n": 1000, "q": q, "seconds": q / 30, "peak": 1e6} for q in (100, 300)]
    stopped = {"n": 10**6, "seconds": np.nan, "peak": np.nan, "outcome": "over the limit"}
    rows.append(base | stopped)
    table = speed.growth(pd.DataFrame(rows)).set_index("size")
    assert table.time["n"] == pytest.approx(2) and table.memory["n"] == pytest.approx(1)
    assert table.largest["n"] == 10**5 and table.time["q"] == pytest.approx(1)
    assert np.isnan(table.memory["q"]) and np.isnan(table.time["c"])
    text = speed.advice(pd.DataFrame(rows))
    assert "Time to fit linear in the rows**, as far as run (slope below 1.35): none" in text
    assert "100,000 rows fitted" in text and table.fits["n"] == 3
    linear = pd.DataFrame([row | {"predict_seconds": 2.0} for row in rows[:2]])
    text = speed.advice(linear.assign(seconds=linear.n / 1000))
    assert "(slope below 1.35): M. Of these, two sizes alone took long enough to tell: M." in text
    assert "M searches when it predicts: a thousand rows take 2.0 seconds." in text


def test_where_ours_reached_less_is_told(monkeypatch):
    one = {"dataset": "d", "method": "A", "peer": "p", "ratio": 0.5, "kl": 1.0, "peer_kl": 1.2}
    rows = [one, one | {"method": "B", "objective": 3.0, "peer_objective": 2.0}]
    rows.append(one | {"method": "C", "average_precision": 0.5, "peer_average_precision": 0.6})
    rows.append(one | {"method": "D", "kl": np.nan})
    monkeypatch.setattr(speed, "ratios", lambda: pd.DataFrame(rows))
    assert "in 2 of the 3 rows that have both: B on d; C on d." in speed.reached_less()
    assert speed._reached(rows[1], "") == "objective 3.00, K-L 1.0000"
