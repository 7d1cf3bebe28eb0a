"""Ages: persons of FG-Net, folds of persons, measures, the methods' formulas, the report."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.io
from scipy.optimize import minimize
from scipy.stats import t as student_t

from ldlrepro import AAKNN, AAS, D2LDL, IISALDL, LARR, SAIIS, metrics, published
from ldlrepro.datasets import files, load, make_standin, make_toy, registry
from ldlrepro.datasets.readers import persons, read
from ldlrepro.declare import Experiment, Method
from ldlrepro.errors import DataCorruptError, DataUnavailableError
from ldlrepro.metrics import AGE, kl_divergence
from ldlrepro.models.age._aas import _quadratic
from ldlrepro.models.age._ages import ages_of, normal, width_of
from ldlrepro.models.age._d2ldl import rebuilding_weights
from ldlrepro.models.age._iisaldl import WIDTHS, best_width
from ldlrepro.models.age._larr import knockout
from ldlrepro.papers.ldlf import experiments as ldlf
from ldlrepro.papers.ldlf.age import experiments as declared
from ldlrepro.papers.ldlf.age import tables as report
from ldlrepro.papers.ldlf.studies import widths
from ldlrepro.protocols import job
from ldlrepro.protocols.fingerprint import of_method
from ldlrepro.protocols.split import by_groups


def faces(n=60, c=30, q=5, seed=0):
    """Features that know the age, with normal distributions about it."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, c, n)
    X = np.column_stack([age / c, (age / c) ** 2, rng.normal(size=(n, q - 2))])
    return X + 0.05 * rng.normal(size=X.shape), normal(age, 3.0, c), age


# --- persons -------------------------------------------------------------------------------------


def test_a_person_starts_where_the_age_falls_but_for_one_row():
    first = [5, 8, 10, 14, 16, 18, 19, 22, 28, 29, 33, 40, 43, 43]
    age = np.array([*first, 2, 3, 4, 5, 0, 0, 7])
    np.testing.assert_array_equal(persons(age), [0] * 15 + [1] * 3 + [2] * 3)


@pytest.fixture(scope="module")
def fg_net():
    if files.locate(registry.parts("FG-Net")[0]) is None:
        pytest.skip("FG-Net is not at hand")
    return load("FG-Net")


def test_fg_net_has_the_public_numbers_of_persons_and_images(fg_net):
    counts = np.bincount(fg_net.person)
    assert fg_net.X.shape == (1002, 251) and fg_net.D.shape == (1002, 70)
    assert len(counts) == 82 and counts.min() == 6 and counts.max() == 18
    first = [2, 5, 8, 10, 14, 16, 18, 19, 22, 28, 29, 33, 40, 43, 43]
    assert sorted(fg_net.age[fg_net.person == 0]) == first
    assert fg_net.age[fg_net.person == 1][:5].tolist() == [3, 4, 5, 7, 12]
    assert (fg_net.D.argmax(axis=1) == fg_net.age).all()
    np.testing.assert_allclose(fg_net.D, normal(fg_net.age, 3.0, 70), atol=1e-6)


def test_a_file_of_the_form_of_morph_is_read_and_another_file_is_told(tmp_path, monkeypatch):
    """Form and loader on a synthetic file; the genuine one is told by its digest."""
    X, D, age = faces()
    (entry,) = registry.parts("MOR-PH")
    path = tmp_path / entry.file
    path.parent.mkdir()
    scipy.io.savemat(path, {"features": X, "labels": D, "age": age[:, None]})
    arrays = read(path, entry)
    np.testing.assert_array_equal(arrays["X"], X)
    np.testing.assert_array_equal(arrays["D"], D)
    np.testing.assert_array_equal(arrays["age"], age)
    assert entry.expected[0] == "git blob id" and len(entry.expected[1]) == 40
    monkeypatch.setenv("LDLREPRO_DATA", str(tmp_path))
    with pytest.raises(DataCorruptError, match=entry.expected[1]):
        load("MOR-PH")
    digest = files.digests(path)["git blob id"]
    monkeypatch.setattr(registry, "entries", lambda: [replace(entry, git_blob_sha1=digest)])
    np.testing.assert_array_equal(load("MOR-PH").age, age)
    with pytest.raises(DataUnavailableError, match="no stand-in"):
        make_standin("MOR-PH")


def test_morph_that_is_not_at_hand_is_told_with_its_place(monkeypatch):
    monkeypatch.setattr(files, "reachable", lambda url: False)
    with pytest.raises(DataUnavailableError) as caught:
        load("MOR-PH")
    told = str(caught.value)
    assert "ldl/MOR-PH.mat" in told and "git blob id" in told
    assert "stand-in" not in told  # there is none


# --- folds of persons ----------------------------------------------------------------------------

GROUPS = np.repeat([f"p{i:02}" for i in range(20)], [3, 5] * 10)
BY_PERSON = Experiment("e", (), (), groups="person")


@pytest.mark.parametrize(
    ("experiment", "folds"),
    [(BY_PERSON, 20), (BY_PERSON, 4), (replace(BY_PERSON, test_share=(0.6, 0.5)), 5)],
)
def test_no_person_is_in_two_parts(experiment, folds):
    parts = by_groups(experiment, GROUPS, folds)
    assert len(parts) == folds
    for fold in parts:
        names = [set(GROUPS[rows]) for rows in fold]
        assert all(names) and not (names[0] & names[1] or names[2] & (names[0] | names[1]))
        np.testing.assert_array_equal(np.sort(np.concatenate(fold)), np.arange(len(GROUPS)))


def test_as_many_folds_as_persons_leave_one_out_each():
    tests = [set(GROUPS[test]) for _, _, test in by_groups(BY_PERSON, GROUPS, 20)]
    assert tests == [{f"p{i:02}"} for i in range(20)]
    few = [test for _, _, test in by_groups(BY_PERSON, GROUPS, 4)]
    np.testing.assert_array_equal(np.sort(np.concatenate(few)), np.arange(len(GROUPS)))
    one, other = (by_groups(replace(BY_PERSON, seed=s), GROUPS, 4)[0][2].tolist() for s in (0, 1))
    assert one != other


def test_shares_are_of_persons_and_taken_in_turn():
    parts = by_groups(replace(BY_PERSON, test_share=(0.8, 0.5)), GROUPS, 4)
    assert [len(set(GROUPS[test])) for _, _, test in parts] == [16, 10, 16, 10]
    assert parts[0][2].tolist() != parts[2][2].tolist()


def test_too_few_persons_are_an_error():
    with pytest.raises(ValueError, match="20 groups cannot be split into 21 folds"):
        by_groups(BY_PERSON, GROUPS, 21)
    with pytest.raises(ValueError, match="2 groups"):
        by_groups(BY_PERSON, ["a", "a", "b"], 2)


def test_a_job_keeps_persons_apart():
    data = make_standin("SJAFFE", n_samples=60)
    assert np.bincount(data.person).tolist() == [4] * 15
    method = Method("kNN", AAKNN(1), {"n_neighbors": [1, 3]})
    experiment = replace(BY_PERSON, methods=(method,), measures=("mae_argmax",))
    (record,) = job.compute(experiment, method, data, 15, 2)
    assert (record["n_train"], record["n_test"]) == (56, 4)
    train, validation, test = by_groups(experiment, data.person, 15)[2]
    fitted, k = np.concatenate([train, validation]), record["parameters"]["n_neighbors"]
    P = AAKNN(k).fit(data.X[fitted], data.D[fitted]).predict(data.X[test])
    assert record["mae_argmax"] == metrics.mae_argmax(data.D[test], P)


def test_the_grouping_is_in_the_mark_of_experiments_that_have_one():
    method, plain = Method("kNN", AAKNN()), Experiment("e", (), ())
    experiments = (
        plain,
        replace(plain, groups="person"),
        replace(plain, groups="place"),
        replace(plain, groups="person", test_share=0.5),
        replace(plain, test_share=0.5),
        replace(plain, groups="person", test_share=(0.5, 0.6)),
    )
    assert len({of_method(method, 10, e) for e in experiments}) == len(experiments)


def test_what_is_declared_on_ages():
    apart, shares = declared.PERSONS, declared.SHARES
    assert apart.folds == 82 and apart.groups == shares.groups == "person"
    assert declared.ROWS.groups is None and declared.ROWS.folds == 10
    assert np.allclose(1 - np.array(shares.test_share), [0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    assert shares.folds % len(shares.test_share) == 0
    assert {"2", "3", "FG-Net"} <= set(ldlf.PAPER.tables)


# --- measures ------------------------------------------------------------------------------------


def test_measures_of_ages_by_hand():
    D, P = np.zeros((3, 12)), np.zeros((3, 12))
    D[[0, 1, 2], [2, 5, 11]] = 1
    P[0, [2, 4]] = 0.5  # the first of equals: 2; mean 3
    P[1, [5, 9]] = 0.25, 0.75  # 9, and 8
    P[2, 0] = 1
    assert metrics.mae_argmax(D, P, per_row=True).tolist() == [0, 4, 11]
    assert metrics.mae_expectation(D, P, per_row=True).tolist() == [1, 3, 11]
    assert metrics.mae_argmax(D, P) == 5 and metrics.mae_expectation(D, P) == 5
    curve = [metrics.measure(f"cs_{k}")(D, P) for k in range(11)]
    np.testing.assert_allclose(curve, [1 / 3] * 4 + [2 / 3] * 7)
    assert set(AGE) == {"mae_argmax", "mae_expectation", *(f"cs_{k}" for k in range(11))}
    ages, predicted = D.argmax(axis=1), P.argmax(axis=1)
    assert metrics.cs_5(D, P) == metrics.cumulative_score(ages, predicted)
    assert metrics.mae(ages, predicted) == 5


def test_densities_of_ages():
    P = normal([0.0, 3.4], [1.0, 2.0], 8)
    slow = np.array(
        [
            [np.exp(-((y - a) ** 2) / (2 * s**2)) for y in range(8)]
            for a, s in ((0.0, 1.0), (3.4, 2.0))
        ]
    )
    np.testing.assert_allclose(P, slow / slow.sum(axis=1, keepdims=True))
    assert ages_of(P).tolist() == [0, 3]
    assert width_of(normal([20, 30], 3.0, 60)) == pytest.approx(3, abs=0.01)
    assert width_of(np.eye(5)) == 0.3


# --- methods -------------------------------------------------------------------------------------


def test_aas_is_ridge_regression_on_squares_in_a_cluster_and_then_in_a_range():
    X, D, age = faces(120)
    model = AAS(1, ranges=(10, 20), alpha=0.5, scale=None).fit(X, D)

    def ridge(rows, x):
        B = _quadratic(X[rows])
        centre, level = B.mean(axis=0), age[rows].mean()
        B = B - centre
        w = np.linalg.solve(B.T @ B + 0.5 * np.eye(B.shape[1]), B.T @ (age[rows] - level))
        return level + (_quadratic(x[None])[0] - centre) @ w

    for i in range(0, 120, 7):
        first = ridge(np.arange(120), X[i])
        low, high = next((a, b) for a, b in ((-99, 10), (10, 20), (20, 99)) if a <= first < b)
        rows = np.flatnonzero((age >= low) & (age < high))
        expected = np.clip(ridge(rows, X[i]), max(low, 0), min(high, 30) - 1)
        assert model.ages(X[i : i + 1])[0] == pytest.approx(expected)
    np.testing.assert_allclose(model.predict(X), normal(model.ages(X), model.sigma_, 30))
    two = AAS(2, alpha=0.01, scale=None).fit(X, D)
    assert len(two.functions_) == 2 and np.abs(two.ages(X) - age).mean() < 3


def slow_knockout(near, better):
    if len(near) == 1:
        return near[0]
    rest = [better(a, b) for a, b in zip(near[::2], near[1::2], strict=False)]
    return slow_knockout(rest + near[-1:] if len(near) % 2 else rest, better)


def test_the_knockout_of_larr():
    rng = np.random.default_rng(0)
    for k in (2, 3, 5, 8):
        pairs = {(i, j): rng.normal() for i in range(k) for j in range(i + 1, k)}
        values = np.array(list(pairs.values()))
        for first in range(k):
            near = list(range(first, k))
            better = lambda a, b, pairs=pairs: a if pairs[a, b] > 0 else b  # noqa: E731
            assert knockout(near, values, k) == slow_knockout(near, better)


@pytest.mark.parametrize("c", [2, 6])
def test_the_classifiers_of_larr_tell_ages_apart(c):
    """The signs of the decisions: with all ages within reach they alone decide."""
    rng = np.random.default_rng(0)
    age = rng.integers(0, c, 200)
    X = np.eye(c)[age] + 0.05 * rng.normal(size=(200, c))
    model = LARR(c, C=1e-3, local_C=10.0).fit(X, np.eye(c)[age])
    np.testing.assert_array_equal(model.ages(X), age)
    assert np.abs(LARR(0, C=1e-3).fit(X, np.eye(c)[age]).ages(X) - age).mean() > 0.1


def test_the_width_of_an_age_has_the_least_divergence():
    P = normal([9.0, 10.5, 11.0], [2.0, 4.0, 3.0], 30)
    losses = [np.mean([kl_divergence(normal([10], [s], 30), p[None]) for p in P]) for s in WIDTHS]
    assert best_width(10, P) == WIDTHS[int(np.argmin(losses))]
    assert best_width(10, normal([10], [2.5], 30)) == pytest.approx(2.5)


def test_iisaldl_begins_as_saiis_and_changes_the_widths_of_reliable_ages():
    X, D, age = faces(200)
    one = IISALDL(1, max_iter=15, sigma=3.0).fit(X, D)
    plain = SAIIS(15).fit(X, normal(age, 3.0, 30))
    np.testing.assert_allclose(one.predict(X), plain.predict(X))
    assert one.n_rounds_ == 1 and (one.sigmas_ == 3).all()
    more = IISALDL(3, max_iter=15, sigma=3.0, tol=-1.0).fit(X, D)
    error = np.abs(plain.predict(X).argmax(axis=1) - age)
    unreliable = set(range(30)) - set(age[error <= error.mean()])
    assert more.n_rounds_ == 3 and more.n_iter_ == 45 and len(more.errors_) == 3
    assert (more.sigmas_ != 3).any() and all(
        more.sigmas_[a] == 3 for a in set(range(30)) - set(age)
    )
    second = IISALDL(2, max_iter=15, sigma=3.0, tol=-1.0).fit(X, D)
    assert all(second.sigmas_[a] == 3 for a in unreliable)


def test_rebuilding_weights_rebuild_best():
    X, _, age = faces(40, q=6)
    S = rebuilding_weights(X, age, 4, 5)
    np.testing.assert_allclose(S.sum(axis=1), 1)
    for i in range(0, 40, 5):
        near = np.flatnonzero(S[i])
        assert i not in near or len(near) == 1
        assert (np.abs(age[near] - age[i]) <= 5).all() and len(near) <= 4
        if i in near:
            continue
        others = [j for j in range(40) if j != i and abs(age[j] - age[i]) <= 5]
        nearest = sorted(others, key=lambda j: np.linalg.norm(X[j] - X[i]))[:4]
        assert set(near) == set(nearest)
        away = X[near] - X[i]
        raised = 1e-3 * (away**2).sum()

        def loss(w, away=away, raised=raised):
            return ((w @ away) ** 2).sum() + raised * (w @ w)

        for k in range(len(near) - 1):  # no step that keeps the sum lowers it
            step = np.zeros(len(near))
            step[[k, k + 1]] = 1e-3, -1e-3
            w = S[i, near]
            assert loss(w) <= min(loss(w + step), loss(w - step))


def test_d2ldl_solves_its_joint_problem():
    X, D, age = faces(25, c=6)
    model = D2LDL(3, context=2.0, weight=0.7, penalty=0.5, scale=None).fit(X, D)
    S, A = rebuilding_weights(X, age, 3, 5), np.eye(6)[age]

    def loss(v):
        F, W, b = v[:150].reshape(25, 6), v[150:180].reshape(5, 6), v[180:]
        return (
            ((F - A) ** 2).sum()
            + 2.0 * ((F - S @ F) ** 2).sum()
            + 0.7 * (((X @ W + b - F) ** 2).sum() + 0.5 * ((W) ** 2).sum())
        )

    best = minimize(loss, np.zeros(186), method="L-BFGS-B", options={"maxfun": 10**6}).x
    F, W, b = best[:150].reshape(25, 6), best[150:180].reshape(5, 6), best[180:]
    raw = np.maximum(X @ W + b, 0)
    np.testing.assert_allclose(model.predict(X), raw / raw.sum(axis=1, keepdims=True), atol=2e-3)
    own = np.maximum(F, 0)
    np.testing.assert_allclose(
        model.distributions_, own / own.sum(axis=1, keepdims=True), atol=2e-3
    )


@pytest.mark.parametrize(
    "model",
    [AAS(0), AAS(alpha=0), LARR(-1), IISALDL(0), D2LDL(0), D2LDL(penalty=0), D2LDL(context=-1)],
    ids=str,
)
def test_parameters_out_of_range_are_named(model):
    toy = make_toy(n_train=40, random_state=0)
    with pytest.raises(ValueError, match="must be|choose"):
        model.fit(toy.X, toy.D)


# --- report --------------------------------------------------------------------------------------


def records(rows):
    """Records of (method, fold, n_train, n_test, error)."""
    frame = pd.DataFrame(rows, columns=["method", "fold", "n_train", "n_test", "mae_argmax"])
    frame = frame.assign(mae_expectation=frame.mae_argmax + 1, kl_divergence=0.5)
    return frame.assign(**{f"cs_{k}": k / 10 for k in range(11)})


def test_means_are_over_rows_and_spreads_over_persons():
    own = records([("a", 0, 90, 10, 2.0), ("a", 1, 70, 30, 6.0), ("b", 0, 90, 10, 1.0)])
    table = report.over_persons(own)
    assert table.index.tolist() == ["b", "a"] and table.persons.tolist() == [1, 2]
    assert table.loc["a", "MAE, arg-max"] == 5.0
    assert table.loc["a", "between persons, arg-max"] == pytest.approx(np.std([2, 6], ddof=1))
    assert table.loc["a", "MAE, expectation"] == 6.0
    assert report.best(own)["mean"].tolist() == [1.0, 2.0]
    assert table.loc["a", "within 5 years"] == 0.5


def test_persons_apart_beside_rows_at_random():
    apart = records([("a", 0, 9, 1, 4.0), ("b", 0, 9, 1, 3.0), ("c", 0, 9, 1, 1.0)])
    table = report.apart_and_not(apart, records([("a", 0, 9, 1, 3.0), ("b", 0, 9, 1, 3.0)]))
    assert table.index.tolist() == ["b", "a"] and table.difference.tolist() == [0.0, 1.0]


def test_the_first_beside_the_others_person_by_person():
    rng = np.random.RandomState(0)
    errors = rng.rand(12) * 10
    rows = [("a", fold, 88, 8, error) for fold, error in enumerate(errors)]
    rows += [("b", fold, 88, 8, error + 3 + rng.rand()) for fold, error in enumerate(errors)]
    rows += [("c", fold, 88, 8, error + 20 * (fold == 3)) for fold, error in enumerate(errors)]
    table = report.against_first(records(rows))
    assert table.index.tolist() == ["c", "b"]  # by the size of the difference
    assert table["on persons"].tolist() == ["1 of 12", "12 of 12"]
    assert table.loc["c", "a lower by"] == pytest.approx(20 / 12)
    assert table.loc["c", "deviation"] == pytest.approx(np.std([20] + [0] * 11, ddof=1))
    # One person alone is no evidence; with 1/12 + 8/88 for 1/12 the test says so by its formula.
    lower = np.r_[20, np.zeros(11)]
    t = lower.mean() / (lower.std(ddof=1) * np.sqrt(1 / 12 + 8 / 88))
    p = 2 * student_t(11).sf(t)
    assert table.p.tolist() == [f"{p:.3f}", "< 0.001"]
    assert table.Holm.tolist() == [f"{p:.3f}", "< 0.001"] and p > 0.05
    twice = [("d", fold, 88, 8, error + 20 * (fold == 3)) for fold, error in enumerate(errors)]
    table = report.against_first(records(rows + twice))
    assert table.Holm.tolist() == [f"{min(2 * p, 1):.3f}"] * 2 + ["< 0.001"]


SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4)


def test_shares_of_persons():
    own = records([("a", 0, 11, 89, 8.0), ("a", 6, 9, 91, 6.0), ("a", 5, 58, 42, 3.0)])
    table = report.by_share(own, SHARES)
    assert table.columns.tolist() == [10, 60]
    assert table.loc["a", 10] == pytest.approx((89 * 8 + 91 * 6) / 180) and table.loc["a", 60] == 3


def test_printed_tables_are_as_printed_and_morph_was_not_run():
    table = report.printed_shares()
    assert table.loc["dLDLF", "10%"] == "3.8495" and table.loc["AAS", "60%"] == "4.4061"
    assert table.shape == (5, 7) and set(table.ours) == {"MORPH: not run"}
    two = report.printed_morph()
    assert two.loc["IIS-LDL", "MAE, printed"] == "5.67±0.15" and len(two) == 5


def test_known_figures_have_sources_and_stand_beside_ours():
    rows = published.load("fgnet")
    assert (rows.measure == "mae").all() and rows.note.str.contains(r"\d{4}").all()
    own = records([("SA-IIS", 0, 9, 1, 5.5), ("sLDLF", 0, 9, 1, 5.0)])
    table = report.known_figures(own)
    assert table.loc["IIS-LLD", ["ours is", "ours"]].tolist() == ["SA-IIS", 5.5]
    assert table.loc["IIS-LLD", "difference"] == pytest.approx(5.5 - 5.77)
    assert pd.isna(table.loc["AGES", "ours"])


def test_pictures():
    own = records([("a", 0, 11, 89, 8.0), ("b", 5, 58, 42, 3.0), ("a", 5, 58, 42, 3.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (curves,) = report.score_curves(own).axes
        (shares,) = report.share_curves(report.by_share(own, SHARES)).axes
        (bars,) = report.figure_1a(make_standin("FG-Net", n_samples=5)).axes
    np.testing.assert_allclose(curves.lines[0].get_ydata(), np.arange(11) / 10)
    assert len(shares.lines) == 2 and len(bars.patches) == 70
    assert "synthetic" in bars.get_title()


def test_widths_of_labels():
    """Means over faces, and in each fold the width of the lowest error on other persons."""
    rows = [
        ("A", 0, 1.0, 9.0, 4.0, 3.0, 1),
        ("A", 0, 3.0, 5.0, 6.0, 5.0, 1),
        ("A", 1, 1.0, 2.0, 1.0, 2.0, 3),
        ("A", 1, 3.0, 2.0, 8.0, 9.0, 3),
    ]
    columns = ["method", "fold", "width", "validation", "argmax", "expectation", "n_test"]
    table = report.by_width(pd.DataFrame(rows, columns=columns))
    assert table.index.tolist() == ["1", "3", "chosen"]
    np.testing.assert_allclose(table["A, arg-max"], [1.75, 7.5, (6 + 3) / 4])
    np.testing.assert_allclose(table["A, expectation"], [2.25, 8.0, (5 + 6) / 4])
    assert table["A takes it"].tolist() == ["1", "1", ""]
    more = np.array([-2.0, -7.0])  # width 1 less width 3; two faces tested, two fitted
    t = more.mean() / (more.std(ddof=1) * np.sqrt(1 / 2 + 2 / 2))
    assert table["A, p"].tolist()[:2] == [f"{2 * student_t(1).sf(abs(t)):.3f}", ""]


def test_no_two_lines_look_alike():
    names = [f"m{i:02}" for i in range(19)]
    styles = report._styles(names)
    assert len({tuple(style.values()) for style in styles.values()}) == len(names)
    assert report._styles(reversed(names)) == styles


def test_study_of_widths_learns_from_other_labels():
    table = widths.run(quick=True)["age_widths"]
    assert set(table.width) == set(widths.WIDTHS) and table.fold.nunique() == 3
    assert (table.groupby("fold").expectation.nunique() > 1).all()
