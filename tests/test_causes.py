"""What was tried for printed rows that miss, and the box of settings and departures."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import ldlrepro
from ldlrepro import SABFGS, SAIIS, AdaBoostLDL, datasets
from ldlrepro.declare import Experiment, Method
from ldlrepro.papers.adaboost_ldl import experiments as adaboost_ldl
from ldlrepro.papers.adaboost_ldl.studies import starts, warm_start
from ldlrepro.papers.comparison import defaults
from ldlrepro.papers.ldlf import figures as ldlf_figures
from ldlrepro.papers.ldlf import tables as ldlf
from ldlrepro.papers.ldlf.experiments import PAPER as ldlf_paper
from ldlrepro.papers.ldlf.experiments import SCRIPT as SCRIPT_OF_LDLF
from ldlrepro.papers.ldlf.studies import leaf_updates
from ldlrepro.papers.mslp import experiments as mslp
from ldlrepro.papers.mslp import tables as mslp_tables
from ldlrepro.papers.mslp.studies import embedding, faces, features
from ldlrepro.papers.structrf import experiments as structrf
from ldlrepro.protocols.split import hold_out
from ldlrepro.report import causes, departures

MEASURES = ("kl_divergence", "chebyshev")


def records(values, **more):
    """Records of K-L and Chebyshev alike: (method, settings, stage) -> a value on each data set."""
    return pd.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "fold": fold,
            "source": "real",
            "settings": settings,
            "parameters": {} if stage is None else {"stage": stage},
            **dict.fromkeys(MEASURES, value),
        }
        | more
        for (method, settings, stage), by_set in values
        for dataset, value in by_set.items()
        for fold in range(2)
    )


def printed(**rows):
    """Two sets on which A prints 1.0±0.1, and the mean predictor has 2."""
    return pd.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "measure": measure,
            "mean": value,
            "std": 0.1,
            "null": 2.0,
        }
        for method, value in rows.items()
        for dataset in ("x", "y")
        for measure in MEASURES
    )


def chapter(tables, looked, said):
    experiments = (
        Experiment("tables", (), ("x", "y")),
        Experiment("looked", (), ("x", "y"), why="steps"),
        Experiment("asked", (), ("x", "y")),
    )
    return SimpleNamespace(
        paper=SimpleNamespace(experiments=experiments),
        tables=tables,
        records={"tables": tables, "looked": looked, "asked": looked},
        printed=said,
        excluded_datasets=(),
    )


SCRIPT = [("gpu", 1, 0.8), ("gpu", 2, 0.7), ("gpu", 3, 0.9)]
OPEN = records([(("A", {"learner": "A"}, None), {"x": 1.5, "y": 1.5})])


def test_the_setting_with_the_most_cells_is_found():
    tried = records(
        [
            (("A", {"learner": "A"}, 10), {"x": 1.0, "y": 1.5}),
            (("A", {"learner": "A"}, 20), {"x": 1.0, "y": 1.05}),
            (("A, bagged", {"learner": "A", "form": "bagged"}, None), {"x": 1.0, "y": 1.0}),
        ]
    )
    here = chapter(OPEN, tried, printed(A=1.0))
    table = causes.causes(here)
    (row,) = table.to_dict("records")  # one experiment looked for a cause, one printed row
    assert (row["cause"], row["setting"], row["tried"]) == ("steps", "A, 20 steps", 2)
    assert (row["found"].agree, row["found"].tell, row["declared"].agree) == (4, 4, 0)
    (state,) = causes.states(here, table).to_dict("records")
    assert state["state"] == "explained" and state["by"] == "steps: A, 20 steps"


@pytest.mark.parametrize(
    ("mine", "best", "state"),
    [(1.0, 1.5, "matches"), (1.5, 1.0, "nearer"), (1.5, 1.7, "unexplained")],
)
def test_states_of_a_printed_row(mine, best, state):
    tables = records([(("A", {"learner": "A"}, None), {"x": mine, "y": mine})])
    tried = records([(("A", {"learner": "A"}, 1), {"x": best, "y": 1.5})])
    here = chapter(tables, tried, printed(A=1.0))
    (row,) = causes.states(here, causes.causes(here)).to_dict("records")
    assert row["state"] == state


def test_a_row_matches_only_with_its_uninformative_numbers():
    """On y the mean predictor matches the printed 1.0, and ours does not."""
    tables = records([(("A", {"learner": "A"}, None), {"x": 1.0, "y": 1.5})])
    said = printed(A=1.0).assign(null=[2.0, 2.0, 1.0, 1.0])
    for better, state in ((1.6, "unexplained"), (1.0, "explained")):
        tried = records([(("A", {"learner": "A"}, 1), {"x": 1.0, "y": better})])
        here = chapter(tables, tried, said)
        (row,) = causes.states(here, causes.causes(here)).to_dict("records")
        assert str(row["tables"]) == "2 of 2 (+2, 2 off)" and row["tables"].outside == 2
        assert row["state"] == state


def test_settings_are_ranked_by_all_cells_and_narrow_only_with_those_that_tell():
    """Only the K-L of x can tell: in the other cells the mean predictor is within the tolerance."""
    said = printed(A=1.0).assign(null=[2.0, 1.0, 1.0, 1.0])
    tables = records([(("A", {"learner": "A"}, None), {"x": 1.5, "y": 1.5})])
    tried = records(
        [
            (("A", {"learner": "A"}, 10), {"x": 1.0, "y": 1.5}),
            (("A", {"learner": "A"}, 20), {"x": 1.0, "y": 1.0}),
        ]
    )
    at_20 = np.array([p["stage"] == 20 for p in tried.parameters])
    flat = at_20 & (tried.dataset == "x")
    tried.loc[flat, "kl_divergence"] = 1.5
    here = chapter(tables, tried, said)
    (row,) = causes.causes(here).to_dict("records")
    assert row["setting"] == "A, 20 steps" and row["found"] == (0, 1, 3, 3)
    (state,) = causes.states(here, causes.causes(here)).to_dict("records")
    assert state["state"] == "unexplained"  # it is near the mean predictor, and nothing else
    here = chapter(tables, tried[tried.method.eq("A") & ~flat & (tried.dataset == "x")], said)
    (state,) = causes.states(here, causes.causes(here)).to_dict("records")
    assert state["state"] == "nearer" and state["found"] == (1, 1, 1, 1)


def test_boosted_settings_explain_boosted_rows_and_synthetic_ones_nothing():
    tried = records(
        [(("A, boosted", {"learner": "A", "form": "boosted"}, None), {"x": 1.0, "y": 1.0})]
    )
    here = chapter(OPEN, tried, printed(**{"A": 1.0, "A, boosted": 1.0}))
    assert causes.causes(here).printed.tolist() == ["A, boosted"]
    here.records["looked"] = tried.assign(source="synthetic")
    assert causes.causes(here).empty


def test_settings_are_those_declared():
    table = departures.settings_of(structrf.TABLES).set_index("method")
    assert table.estimator["SA-BFGS"] == "SABFGS(penalty=0, scale=None)"
    assert "max_iter=300" in table["defaults kept"]["SA-BFGS"]
    assert table.chosen["StructRF"] == "min_samples_split: 2, 5, 10, 20"
    boosted = Method("b", AdaBoostLDL(SABFGS(7)))
    (row,) = departures.settings_of(Experiment("e", (boosted,), ())).to_dict("records")
    assert row["estimator"] == "AdaBoostLDL(estimator=SABFGS(max_iter=7))"


@pytest.mark.parametrize("paper", [structrf.PAPER, mslp.PAPER, adaboost_ldl.PAPER])
def test_the_box_has_every_method_every_note_and_what_was_chosen_after_seeing(paper):
    box = departures.show_departures(SimpleNamespace(paper=paper)).data
    assert all(f">{m.name}</td>" in box for m in paper.experiment("tables").methods)
    assert all(e.why in box for e in paper.experiments)
    assert "Departures: limited-memory BFGS" in box and "]_" not in box


def test_records_of_the_released_script_stand_with_their_kind_of_rows():
    mine = records([(("sLDLF", {"learner": "sLDLF"}, None), {"x": 1.0})])
    of = {"distinct_rows": mine, "drawn_rows": mine, "tables": mine}
    for experiment in SCRIPT_OF_LDLF:
        kind = experiment.name.split("_")[-1]
        of[experiment.name] = mine.assign(method=f"script, {kind}")
    found = ldlf.protocol_records(of)
    for kind in ("drawn", "distinct"):
        names = set(found[f"{kind}_rows"].method)
        assert (
            f"script, {kind}" in names and len(names & {"script, drawn", "script, distinct"}) == 1
        )


def test_the_released_script_on_movie_by_its_layers():
    mine = [(("s", {"learner": "sLDLF", "layer": n}, k), {"Movie": v}) for n, k, v in SCRIPT]
    other = [(("o", {"learner": "sLDLF"}, 1), {"Movie": 0.1})]
    cells = ldlf.protocol_cells({"drawn_rows": records(mine + other), "distinct_rows": OPEN})
    assert ldlf.script_on_movie(cells).to_dict() == {"gpu": pytest.approx(0.7)}


def test_a_printed_row_stands_beside_ours():
    said = printed(A=1.0)
    here = SimpleNamespace(printed=said, measures=MEASURES)
    ours = records([(("b", {}, None), {"x": 0.25, "y": 9.0})])
    table = mslp_tables.beside_printed(here, "A", ours, "x")
    assert table.index.tolist() == ["A, printed", "b"]
    assert table.iloc[:, 0].tolist() == [1.0, 0.25] and table.shape == (2, 2)


def test_updates_of_the_leaves_are_counted():
    losses = {0: [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.5], 1: [1.0, 0.5, 0.6, 0.5, 0.5, 0.5, 0.5]}
    study = pd.DataFrame(
        {"dataset": "x", "fold": 0, "update": update, "step": step, "loss": loss}
        for update, line in losses.items()
        for step, loss in enumerate(line)
    )
    (row,) = ldlf.leaf_updates(study).to_dict("records")
    assert (row["updates"], row["steps"], row["steps that raise the loss"]) == (2, 12, 1)
    np.testing.assert_allclose(
        [row["share of the fall: first step"], row["first five steps"]], [0.6, 1.0]
    )


def test_losses_of_an_update_are_those_of_the_formulas():
    """One tree of one split: Eqs. 2, 3 and 12 written out."""
    rng = np.random.default_rng(0)
    X, D = rng.normal(size=(7, 2)), rng.dirichlet(np.ones(3), 7)
    theta, q = rng.normal(size=(2, 1)), rng.dirichlet(np.ones(3), 2)
    trees = SimpleNamespace(theta=theta, phi=np.array([[0]]), leaves=q[None])
    steps = dict(leaf_updates.losses_of_update(trees, X, D))
    s = 1 / (1 + np.exp(-X @ theta))
    p = np.hstack([s, 1 - s])
    for step in range(3):
        g = p @ q
        np.testing.assert_allclose(steps[step], -(D * np.log(g)).sum() / 7)
        q = q * np.einsum("il,ic->lc", p, D / g)
        q /= q.sum(axis=1, keepdims=True)
    assert list(steps) == list(range(leaf_updates.TIMES + 1))


def test_numbers_of_section_4_4_stand_under_their_strategy():
    grid = pd.DataFrame(
        [
            ("sLDLF", 20, np.nan, 0.5),
            ("sLDLF, rate chosen, duplicated rows", 100, np.nan, 0.4),
            ("sLDLF, one tree", np.nan, 9, 0.3),
            ("sLDLF, one tree, one hold-out", np.nan, 18, 0.2),
        ],
        columns=["strategy", "trees", "depth", "kl_divergence"],
    )
    table = ldlf.section_4_4(grid).set_index("K-L of")
    assert table.printed.tolist() == [0.071, 0.070, 0.0831, 0.1162]
    found = table.drop(columns="printed").stack().dropna()
    assert [v.mean for v in found] == [0.5, 0.4, 0.3, 0.2]


def test_the_grid_joins_every_experiment_on_figure_4():
    one = pd.DataFrame(
        {"settings": [{"strategy": "s", "trees": 5}], "parameters": [{}], "kl_divergence": [1.0]}
    )
    names = ("figure_4", "figure_4_rates", "figure_4_rates_drawn", "figure_4_deep")
    grid = ldlf_figures.grid_of(dict.fromkeys(names, one))
    assert grid.strategy.tolist() == ["s", "s", "s, duplicated rows", "s, one hold-out"]


def test_groups_of_faces():
    D = np.array([[0.8, 0.1, 0.1], [0.34, 0.33, 0.33], [0.1, 0.2, 0.7], [0.2, 0.6, 0.2]])
    assert faces.groups(D, neutral=1).tolist() == [0, 3, 2, 1]


def test_the_embeddings_are_of_all_rows_and_of_halves():
    (number, fitted, parts), *halves = embedding.samples(7, 2)
    assert number == 0 and fitted.tolist() == parts["all"].tolist() == list(range(7))
    for _, half, there in halves:
        assert half is there["fitted"]
        assert sorted([*there["fitted"], *there["new"]]) == list(range(7))


def test_points_without_a_penalty_are_of_the_papers_grid():
    grid = mslp.TABLES.methods[[m.name for m in mslp.TABLES.methods].index("MSLP")].grid
    for settings in embedding.UNPENALISED.values():
        assert all(value in grid[name] for name, value in settings.items())


def test_measures_by_which_the_mean_beats_every_printed_method():
    cells = [("kl_divergence", 0.3), ("kl_divergence", 0.4), ("cosine", 0.8), ("cosine", 0.95)]
    said = pd.DataFrame(cells, columns=["measure", "mean"])
    said = said.assign(dataset="x", null=said.measure.map({"kl_divergence": 0.2, "cosine": 0.9}))
    assert mslp_tables.beaten_by_mean(SimpleNamespace(printed=said), "x") == (1, 2)


def test_seconds_of_the_warm_start_are_taken_in_turn():
    seconds = warm_start.run(quick=True)["seconds"]
    assert seconds.learner.tolist() == list(warm_start.LEARNERS)
    assert (seconds[["with_start", "without_start"]] > 0).all(axis=None)


def test_learners_of_the_warm_start_have_the_settings_of_the_tables():
    for name, learner in warm_start.LEARNERS.items():
        assert repr(learner) == repr(adaboost_ldl.LEARNERS[name])


def test_other_starts_of_sa_iis_begin_where_they_say():
    found = starts.run(quick=True)
    assert set(found["starts"].start) == set(starts.STARTS)
    assert all(tuple(mine) == starts.STEPS for _, mine in found["starts"].groupby("start").steps)
    draws = {n: f(np.random.default_rng(0), (200, 50)) for n, f in starts.STARTS.items()}
    deviations = {n: W.std() for n, W in draws.items()}
    expected = dict(zip(starts.STARTS, (1 / np.sqrt(3), 1, 0.5), strict=True))
    assert deviations == pytest.approx(expected, rel=0.02)
    assert all(abs(W.mean()) < 0.05 for W in draws.values())


def test_public_stop_looks_at_the_loss_summed_over_rows(monkeypatch):
    bunch = datasets.make_standin("Yeast_spoem", n_samples=60)
    train, validation, _ = hold_out(60, starts.SHARE, (0, 0))
    X, D = (part[[*train, *validation]] for part in (bunch.X, bunch.D))
    model = SAIIS(5, scale=None, init="identity", tol=0.0, path=range(6)).fit(X, D)
    falls = -np.diff([-(D * np.log(P)).sum() for _, P in model.staged_predict(X)])
    assert (np.diff(falls) < 0).all()
    monkeypatch.setattr(starts, "PUBLIC_STOP", falls[2:4].mean())
    assert starts.run(quick=True)["stop"].steps.tolist() == [4]


def test_what_features_can_say_of_the_degrees():
    found = features.run(quick=True)["features"].iloc[0]
    assert 0 < found["first"] < found["ten"] < 1
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    line, noise = X @ rng.normal(size=(3, 2)), rng.normal(size=(400, 2))
    assert features.explained(LinearRegression(), X, line) == pytest.approx(1)
    assert abs(features.explained(LinearRegression(), X, noise)) < 0.05
    assert features.explained(LinearRegression(), X, line + line.std(0) * noise) == pytest.approx(
        0.5, abs=0.1
    )


def test_docstrings_name_the_sets_on_which_a_default_fails():
    table = defaults.ratios(defaults.records())
    names = datasets.list().drop_duplicates("name").set_index("name").display
    for method, row in (table > defaults.NO_WORSE).iterrows():
        if method in ("UniformPredictor", "SingleLabelRF"):  # they do not look, or take one label
            continue
        text = " ".join(getattr(ldlrepro, method).__doc__.split())
        said = re.search(r"By default K-L is above 1.05 of the training mean's on (.*?), of", text)
        said = set(said[1].split(" and ")) if said else set()
        assert said == {names[d] for d in row.index[row]}, method


def test_rows_of_a_study_stand_for_a_printed_row():
    table = pd.DataFrame({"dataset": "Movie", "source": "real", "fold": 0, "steps": [1, 5]})
    mine = causes.of_study(table, "SA-IIS", ["start a", "start a"], "steps")
    assert mine.method.unique() == ["SA-IIS, start a"]
    assert [p["stage"] for p in mine.parameters] == [1, 5]
    assert all(s == {"learner": "SA-IIS"} for s in mine.settings)
    assert causes.of_study(table, "a", ["b", "c"]).parameters.tolist() == [{}, {}]


def test_every_grid_of_a_paper_is_told():
    others = departures.other_grids(ldlf_paper)
    told = set(zip(others.method, others.chosen, strict=True))
    settings = departures.settings_of(ldlf_paper.experiment("tables"))
    told |= set(zip(settings.method, settings.chosen, strict=True))
    for experiment in ldlf_paper.experiments:
        for row in departures.settings_of(experiment).itertuples():
            assert not row.chosen or (row.method, row.chosen) in told
    rates = others[others.method == "sLDLF, 5 trees, rate chosen"].iloc[0]
    assert rates.chosen == "learning_rate: 1, 3, 10, 30, 100"
    assert rates.experiments == "figure_4_rates, figure_4_rates_drawn"


def test_ratios_to_the_mean_predictor():
    frame = pd.DataFrame(
        {"dataset": d, "method": m, "kl_divergence": v}
        for m, values in {"MeanPredictor": (2, 4), "a": (1, 2), "b": (3, 2)}.items()
        for d, v in zip(("Movie", "SJAFFE"), values, strict=True)
    )
    table = defaults.ratios(frame)
    assert table.index.tolist() == ["a", "b"] and table.columns.tolist() == ["SJAFFE", "Movie"]
    np.testing.assert_allclose(table, [[0.5, 0.5], [0.5, 1.5]])
    assert defaults.worse(table).tolist() == [0, 1]
    by_design = pd.DataFrame(9.0, index=list(defaults.BY_DESIGN), columns=table.columns)
    names = defaults.names(frame.assign(source=["real", "realigned"] * 3))
    assert sorted(names.values()) == ["Movie", "s-JAFFE (re-aligned)"]
    words = defaults.worse_in_words(pd.concat([table, by_design]), names)
    assert "Of the other 4 ratios 3 are below one, 3 of them by more than a twentieth" in words
    assert "Of the 2 defaults 1 are worse on some data set" in words
    assert "b is worse on 1 of 2 data sets. More than half of the defaults are worse on no" in words
    assert "1 are worse, each on at most 1 data sets" in words
    more = table.assign(Yeast_cold=[0.9, 0.99])
    words = defaults.worse_in_words(more, names | {"Yeast_cold": "Yeast-cold"})
    assert "twentieth: 1 of 2 on Yeast and 3 of 4 on the other sets." in words
