"""What stands before everything that users call: settings, names of arguments, kinds of tables."""

import datetime
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from inspect import isgeneratorfunction, signature

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA as LinearPCA
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ldlrepro
from ldlrepro import (
    AAKNN,
    CCA,
    LPP,
    RFPCT,
    SABFGS,
    SAIIS,
    BaggingLDL,
    EmbeddingKNN,
    MeanPredictor,
    compare,
    metrics,
)
from ldlrepro.datasets import make_toy
from ldlrepro.discovery import all_estimators
from ldlrepro.errors import NormalisationWarning, RowNamesWarning
from ldlrepro.metrics import get_scorer
from ldlrepro.models.multilabel import MultiLabelEstimator

toy = make_toy(n_train=40, random_state=0)
Y = (toy.D > 0.34).astype(int)
FEW = {
    "n_estimators": 2,
    "more_estimators": 0,
    "max_layers": 1,
    "rbm_epochs": 2,
    "epochs": 2,
    "max_iter": 5,
    "max_rounds": 1,
    "trunk": None,
}
EVERY = dict(all_estimators())
EMBEDS = [name for name, cls in EVERY.items() if hasattr(cls, "transform")]
STAGED = [
    name
    for name, cls in EVERY.items()
    if any(hasattr(cls, f"staged_{one}") for one in ("predict", "predict_proba"))
]


def small(name, **more):
    """An estimator that is fitted in a moment."""
    model = EVERY[name]()
    known = model.get_params()
    return model.set_params(**{k: v for k, v in (FEW | more).items() if k in known})


def targets(model):
    return Y if isinstance(model, MultiLabelEstimator) else toy.D


def scores(model):
    predict = getattr(model, "predict_proba", getattr(model, "predict", None))
    return np.asarray(predict(toy.X) if predict else model.transform(toy.X))


# --- scikit-learn's settings ----------------------------------------------------------------------

SETTINGS = {
    "transform_output": "pandas",
    "assume_finite": True,
    "enable_cython_pairwise_dist": False,
    "pairwise_dist_chunk_size": 4,
    "skip_parameter_validation": True,
    "working_memory": 1,
}


@pytest.mark.parametrize("name", EVERY)
def test_no_setting_of_the_user_reaches_inside(name):
    if "trunk" in EVERY[name]().get_params():
        pytest.importorskip("torch")
    expected = scores(small(name, random_state=0).fit(toy.X, targets(small(name))))
    with sklearn.config_context(**SETTINGS):
        model = small(name, random_state=0).fit(toy.X, targets(small(name)))
        np.testing.assert_array_equal(scores(model), expected)
        assert sklearn.get_config()["transform_output"] == "pandas"
    assert sklearn.get_config()["transform_output"] == "default"


@pytest.mark.parametrize("name", EMBEDS)
def test_embeddings_follow_what_the_user_set(name):
    frame = pd.DataFrame(toy.X, columns=["u", "v", "w"], index=range(5, 45))
    model = small(name).fit(frame, toy.D)
    plain = model.transform(frame)
    assert isinstance(plain, np.ndarray)
    names = [f"{name.lower()}{j}" for j in range(plain.shape[1])]
    assert list(model.get_feature_names_out()) == names
    with sklearn.config_context(transform_output="pandas"):
        found = model.transform(frame)
    for table in (found, clone(model).set_output(transform="pandas").fit_transform(frame, toy.D)):
        assert list(table.columns) == names and table.index.equals(frame.index)
        np.testing.assert_array_equal(table.to_numpy(), plain)
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(model.set_output(transform="default").transform(frame), np.ndarray)


def test_an_embedding_that_gives_frames_is_taken_inside():
    plain = EmbeddingKNN(LPP(ratio=0.6)).fit(toy.X, toy.D).predict(toy.X)
    for transformer in (LPP(ratio=0.6), make_pipeline(StandardScaler(), LinearPCA())):
        transformer.set_output(transform="pandas")
        found = EmbeddingKNN(transformer).fit(toy.X, toy.D).predict(toy.X)
        assert isinstance(found, np.ndarray)
    with sklearn.config_context(transform_output="pandas"):
        found = EmbeddingKNN(LPP(ratio=0.6)).fit(toy.X, toy.D).predict(toy.X)
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("name", STAGED)
def test_between_two_stages_the_user_has_his_settings(name):
    if "trunk" in EVERY[name]().get_params():
        pytest.importorskip("torch")
    model = small(name, random_state=0, path=(0, 1)).fit(toy.X, targets(small(name)))
    staged = getattr(model, "staged_predict", getattr(model, "staged_predict_proba", None))
    with sklearn.config_context(transform_output="pandas"):
        for _ in staged(toy.X):
            assert sklearn.get_config()["transform_output"] == "pandas"
    assert sklearn.get_config()["transform_output"] == "default"


def test_a_grid_is_predicted_without_the_users_settings():
    with sklearn.config_context(transform_output="pandas"):
        grid = {"transformer__ratio": [0.3, 0.6], "n_neighbors": [3]}
        found = list(EmbeddingKNN(LPP()).predict_grid(toy.X, toy.D, toy.X_test[:5], grid))
    for parameters, P in found:
        model = EmbeddingKNN(LPP()).set_params(**parameters).fit(toy.X, toy.D)
        np.testing.assert_array_equal(P, model.predict(toy.X_test[:5]))


def test_settings_are_given_back_after_an_error_and_hold_in_threads():
    with sklearn.config_context(transform_output="pandas"):
        with pytest.raises(ValueError, match="n_neighbors"):
            AAKNN(n_neighbors=99).fit(toy.X, toy.D)
        assert sklearn.get_config()["transform_output"] == "pandas"

    def work(i):
        with sklearn.config_context(transform_output="pandas"):
            SAIIS(max_iter=i).fit(toy.X, toy.D)
            return sklearn.get_config()["transform_output"]

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(1, 9))) == {"pandas"}
    with sklearn.config_context(transform_output="pandas"):
        jobs = GridSearchCV(LPP_KNN, {"n_neighbors": [3, 5]}, cv=2, n_jobs=2).fit(toy.X, toy.D)
        assert set(jobs.best_params_) == {"n_neighbors"}


LPP_KNN = EmbeddingKNN(LPP(ratio=0.6))


def test_routing_of_metadata_stays_the_users():
    weight = np.arange(1.0, 41)
    with sklearn.config_context(enable_metadata_routing=True):
        model = SAIIS(max_iter=5).set_fit_request(sample_weight=True)
        model = model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"scale": ["standard"]}, cv=2)
        search.fit(toy.X, toy.D, sample_weight=weight)
        bag = BaggingLDL(MeanPredictor(), n_estimators=2, random_state=0).fit(toy.X, toy.D)
    direct = SAIIS(max_iter=5).fit(toy.X, toy.D, sample_weight=weight)
    np.testing.assert_array_equal(search.best_estimator_.coef_, direct.coef_)
    assert len(bag.estimators_) == 2


class Theirs:
    """A method of the user's that counts on what he has set."""

    def fit(self, X, D):
        scaled = StandardScaler().fit(X).transform(X)
        self.columns_ = list(scaled.columns)
        SABFGS(max_iter=2).fit(X, D)  # ours inside his: without his settings
        assert sklearn.get_config()["transform_output"] == "pandas"
        return self

    def predict(self, X):
        assert len(self.columns_) == X.shape[1]
        return np.full((len(X), 3), 1 / 3)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_method_of_the_users_has_his_settings(n_jobs):
    with sklearn.config_context(transform_output="pandas"):
        found = compare({"mine": Theirs()}, toy.X, toy.D, folds=2, n_jobs=n_jobs)
    assert set(found.skill().index) == {"mine", "MeanPredictor"}


# --- names of arguments ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_targets_are_taken_by_the_name_of_y(name):
    if "trunk" in EVERY[name]().get_params():
        pytest.importorskip("torch")
    model = small(name, random_state=0)
    target = targets(model)
    expected = scores(model.fit(toy.X, target))
    np.testing.assert_array_equal(scores(clone(model).fit(toy.X, y=target)), expected)
    own = next(n for n in signature(type(model).fit).parameters if n in ("D", "Y"))
    clone(model).fit(toy.X, **{own: target})
    if hasattr(model, "score"):
        assert model.score(toy.X, y=target) == model.score(toy.X, target)
    with pytest.raises(TypeError, match=rf"fit\(\) got {own} and y, two names of one argument"):
        clone(model).fit(toy.X, target, y=target)
    with pytest.raises(TypeError, match="nothing"):
        clone(model).fit(toy.X, target, nothing=1)


def test_what_users_call_keeps_its_name_and_signature():
    assert list(signature(SABFGS.fit).parameters) == ["self", "X", "D", "sample_weight"]
    assert SABFGS.fit.__qualname__ == "RowWeights.fit" and "Learn from" in SABFGS.fit.__doc__
    assert pickle.loads(pickle.dumps(metrics.kl_divergence)) is metrics.kl_divergence
    assert isgeneratorfunction(BaggingLDL.staged_predict)


def test_warnings_name_the_line_of_the_user():
    for call in (
        lambda: AAKNN().fit(toy.X, 2 * toy.D),
        lambda: AAKNN().fit(toy.X, toy.D).score(toy.X, 2 * toy.D),
        lambda: ldlrepro.user.data.bunch(toy.X, 2 * toy.D),
    ):
        with pytest.warns(NormalisationWarning) as caught:
            call()
        assert {w.filename for w in caught} == {__file__}


# --- kinds of tables ------------------------------------------------------------------------------


class Date:
    """A type of polars: a class without a kind, told by its name."""

    kind = property()

    def __str__(self):
        return type(self).__name__

    def __getattribute__(self, name):
        if name == "kind":
            raise AttributeError(name)
        return super().__getattribute__(name)


class Duration(Date):
    """Another one."""


class Frame:
    """As polars: columns, their types, and numbers for everything that is asked."""

    def __init__(self, types):
        self.columns = [f"c{j}" for j in range(3)]
        self.dtypes = [types.get(j, np.dtype(float)) for j in range(3)]

    def __array__(self, dtype=None, copy=None):
        return np.array(toy.X, dtype=dtype)

    def __len__(self):
        return len(toy.X)


@pytest.mark.parametrize("kind", [Date(), Duration()])
def test_dates_of_other_frames_are_refused(kind):
    AAKNN().fit(Frame({}), toy.D)
    with pytest.raises(ValueError, match=r"Dates or times not supported: X column 1 \('c1'\)"):
        AAKNN().fit(Frame({1: kind}), toy.D)
    with pytest.raises(ValueError, match="Dates or times not supported: D column 2"):
        metrics.kl_divergence(Frame({2: kind}), toy.D)


@pytest.mark.parametrize("model", [AAKNN(), RFPCT(n_estimators=2, random_state=0), CCA()])
def test_dates_of_polars_are_refused(model):
    polars = pytest.importorskip("polars")
    days = [datetime.date(2020, 1, 1 + i % 9) for i in range(40)]
    X = polars.DataFrame({"a": toy.X[:, 0], "b": days})
    for column in (X["b"], X["b"].cast(polars.Datetime), X["b"] - X["b"].shift(1)):
        with pytest.raises(ValueError, match=r"Dates or times.*X column 1 \('b'\)"):
            model.fit(X.with_columns(column.alias("b")), targets(model))
    plain = model.fit(toy.X, targets(model))
    frame = polars.DataFrame(toy.X, schema=["u", "v", "w"])
    np.testing.assert_array_equal(scores(clone(model).fit(frame, targets(model))), scores(plain))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([datetime.date(2020, 1, 1)] * 40),
        pd.Series(pd.period_range("2020-01", periods=40, freq="D")),
        pd.Series(pd.date_range("2020-01-01", periods=40)),
        pd.Series(pd.date_range("2020-01-01", periods=40, tz="UTC")),
    ],
)
def test_dates_of_pandas_are_refused_with_their_column(column):
    X = pd.DataFrame(toy.X, columns=["u", "v", "w"]).assign(v=column)
    with pytest.raises((TypeError, ValueError), match="column 1"):
        AAKNN().fit(X, toy.D)


def frames(index_X, index_D):
    X = pd.DataFrame(toy.X, index=index_X, columns=["u", "v", "w"])
    return X, pd.DataFrame(toy.D, index=index_D, columns=["r", "g", "b"])


ORDER = np.random.default_rng(0).permutation(40)
NAMES = [f"row {i}" for i in range(40)]


@pytest.mark.parametrize(
    ("of_X", "of_D"), [(ORDER, ORDER[::-1]), (NAMES, NAMES[::-1]), (range(1, 41), range(2, 42))]
)
def test_rows_with_other_names_are_refused(of_X, of_D):
    X, D = frames(of_X, of_D)
    message = r"Row 0 is .* in X and .* in D: their rows belong together only where"
    for call in (
        lambda: AAKNN().fit(X, D),
        lambda: AAKNN().fit(X, toy.D).score(X, D),
        lambda: CCA().fit(X, D),
        lambda: AAKNN().fit(X, y=D),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    if set(of_X) == set(of_D):
        message = "D has the names of the rows of X in another order. Give D.loc"
    for call in (
        lambda: ldlrepro.user.data.bunch(X, D),
        lambda: compare({"knn": AAKNN()}, X, D, folds=2),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match="in X and .* in Y"):
        RFPCT(n_estimators=2).fit(X, pd.DataFrame(Y, index=of_D))
    with pytest.raises(ValueError, match="in X and .* in sample_weight"):
        SABFGS(max_iter=2).fit(X, toy.D, sample_weight=pd.Series(1.0, index=of_D))
    with pytest.raises(ValueError, match="in D and .* in P"):
        metrics.kl_divergence(D, pd.DataFrame(toy.D, index=of_X, columns=D.columns))
    AAKNN().fit(X, D.loc[X.index] if set(of_X) == set(of_D) else D.to_numpy())


def test_rows_that_are_only_counted_are_paired_with_a_word():
    X, D = frames(ORDER, None)
    later = frames(ORDER + 100, None)
    for call in (lambda: AAKNN().fit(X, D), lambda: ldlrepro.user.data.bunch(*later)):
        with pytest.warns(RowNamesWarning, match="rows are paired by position") as caught:
            call()
        assert caught[0].filename == __file__
    # Of a table of a user's, the numbers of the rows in another order are names.
    with pytest.raises(ValueError, match="D has the names of the rows of X in another order"):
        ldlrepro.user.data.bunch(X, D)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X, D in (frames(None, None), frames(NAMES, NAMES), frames(ORDER, list(ORDER))):
            AAKNN().fit(X, D)
        scaled = make_pipeline(StandardScaler(), AAKNN()).set_output(transform="pandas")
        cross_val_predict(scaled, *frames(NAMES, NAMES), cv=2)


TEXT = pd.DataFrame(toy.X, columns=["u", "v", "w"]).assign(v=["1.5"] * 7 + ["red"] * 33)


@pytest.mark.parametrize("X", [TEXT, TEXT.astype({"v": "category"}), TEXT.astype({"v": "string"})])
def test_texts_are_named_by_their_column(X):
    place = r"X row 7, column 1 \('v'\) is the text 'red': encode texts as numbers"
    with pytest.raises(ValueError, match=place):
        AAKNN().fit(X, toy.D)
    with pytest.raises(ValueError, match=place):
        AAKNN().fit(toy.X, toy.D).predict(X.set_axis(["u", "v", "w"], axis=1))
    with pytest.raises(ValueError, match=place.replace("X", "D", 1)):
        metrics.spearman(X, X)
    with pytest.raises(ValueError, match="X row 7, column 1 is the text 'red'"):
        AAKNN().fit(X.to_numpy().tolist(), toy.D)


@pytest.mark.parametrize("X", ["abc", {"a": 1}, (row for row in toy.X)])
def test_what_is_no_table_is_told(X):
    with pytest.raises((TypeError, ValueError), match="X is no table of numbers, but of the type"):
        AAKNN().fit(X, toy.D)


def test_rows_off_the_simplex_are_told():
    with pytest.raises(ValueError, match=r"P row 0 has the sum .* over 2 labels"):
        metrics.score(toy.D, toy.D[:, :2])
    with pytest.raises(ValueError, match="P row 4 has NaN or infinity: remove the row"):
        metrics.score(toy.D, np.where(np.arange(120).reshape(40, 3) == 13, np.nan, toy.D))


def test_missing_values_of_pandas_are_named():
    D = pd.DataFrame(toy.D, columns=["r", "g", "b"]).astype("Float64")
    metrics.kl_divergence(D, D)
    D.iloc[3, 1] = pd.NA
    with pytest.raises(ValueError, match="row 3, column 1"):
        AAKNN().fit(toy.X, D)
    with pytest.raises(ValueError, match="row 3, column 1"):
        AAKNN().fit(D, toy.D)
    with pytest.raises((TypeError, ValueError), match="D row 3, column 1"):
        metrics.kl_divergence(D, toy.D)
    with pytest.raises((TypeError, ValueError), match="Y row 3, column 1"):
        metrics.hamming_loss(D.round().astype("Int64"), toy.D)
    with pytest.raises((TypeError, ValueError), match="D row 3, column 1"):
        AAKNN().fit(toy.X, toy.D).score(toy.X, D)
    age = pd.Series([1, None, 3], dtype="Int64")
    with pytest.raises((TypeError, ValueError), match="age row 1|age contains NaN at row 1"):
        metrics.mae(age, [1, 2, 3])


MEASURES = [metrics.measure(name) for name in metrics.MEASURES]


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.coo_array, sparse.lil_matrix])
def test_sparse_matrices_are_refused_in_words(make):
    S = make(Y.astype(float))
    for measure in (*MEASURES, metrics.score, metrics.score_labels):
        first, second = list(signature(measure).parameters)[:2]
        with pytest.raises(TypeError, match=rf"{first} is a sparse matrix.*{first}.toarray\(\)"):
            measure(S, Y)
        with pytest.raises(TypeError, match=rf"{second} is a sparse matrix"):
            measure(Y, S)
    with pytest.raises(TypeError, match="X is a sparse matrix"):
        AAKNN().fit(make(toy.X), toy.D)
    with pytest.raises(TypeError, match="Y is a sparse matrix"):
        RFPCT(n_estimators=2).fit(toy.X, S)
    with pytest.raises(TypeError, match="D is a sparse matrix"):
        AAKNN().fit(toy.X, toy.D).score(toy.X, make(toy.D))


def test_every_measure_and_public_method_has_the_same_entrance():
    for measure in MEASURES:  # those of ages ask mae_argmax
        assert hasattr(measure, "__wrapped__") or measure.__name__.startswith("cs_")
    for name, cls in EVERY.items():
        for method in ("fit", "predict", "predict_proba", "score"):
            if hasattr(cls, method) and getattr(cls, method).__module__.startswith("ldlrepro"):
                inner = getattr(cls, method)
                derived = cls.__mro__ and inner.__qualname__ == "MultiLabelEstimator.predict"
                assert hasattr(inner, "__wrapped__") or derived, (name, method)


# --- cells, weights and shapes --------------------------------------------------------------------

DATE, LENGTH = np.datetime64("2020-01-01"), np.timedelta64(1, "D")


def objects(value):
    return pd.DataFrame(toy.X, columns=["u", "v", "w"]).assign(
        v=pd.Series([0.5] * 39 + [value], dtype=object)
    )


@pytest.mark.parametrize("value", [DATE, LENGTH, 1j, np.complex64(1), pd.Timestamp(0), pd.NaT])
def test_dates_and_complex_numbers_among_objects_are_refused(value):
    frame = objects(value)
    for table, column in ((frame, r"1 \('v'\)"), (frame.to_numpy(), "1")):
        message = f"(Dates or times|Complex data) not supported: {{}} column {column}, row 39"
        with pytest.raises(ValueError, match=message.format("X")):
            AAKNN().fit(table, toy.D)
        with pytest.raises(ValueError, match=message.format("X")):
            AAKNN().fit(toy.X, toy.D).predict(table)
        with pytest.raises(ValueError, match=message.format("D")):
            AAKNN().fit(toy.X, table)
        with pytest.raises(ValueError, match=message.format("P")):
            metrics.kl_divergence(toy.D, table)
    with pytest.raises(ValueError, match="sample_weight"):
        SABFGS().fit(toy.X, toy.D, sample_weight=frame["v"])


WEIGHT = np.ones(40)
NO_WEIGHTS = {
    "dates": pd.date_range("2020-01-01", periods=40),
    "durations": WEIGHT.astype("timedelta64[s]"),
    "complex": WEIGHT + 1j,
    "masked": np.ma.masked_array(WEIGHT, WEIGHT > 0),
    "text": ["a"] * 40,
    "text of numbers": ["1"] * 40,
    "huge": WEIGHT * 1e300,
    "huge int": [10**400] * 40,
    "ragged": [[1], [1, 2]] * 20,
    "a dict": {"a": 1},
    "two dimensions": WEIGHT[:, None],
}


@pytest.mark.parametrize("kind", NO_WEIGHTS)
def test_weights_that_are_no_numbers_are_named(kind):
    for model, target in ((SABFGS(max_iter=2), toy.D), (RFPCT(n_estimators=2), Y)):
        calls = [model.fit(toy.X, target).score]
        calls += [model.fit] if isinstance(model, SABFGS) else []
        for call in calls:
            with pytest.raises(ValueError, match="sample_weight"):
                call(toy.X, target, sample_weight=NO_WEIGHTS[kind])


@pytest.mark.parametrize(
    ("X", "D", "message"),
    [
        ([[1, 2], [1]], toy.D[:2], "X row 1 is of length 1, and row 0 is of length 2"),
        ([[1, 2], 1], toy.D[:2], "X row 1 is no list, and row 0 is of length 2"),
        ([np.ma.masked_equal([1, 2], 1)] * 40, toy.D, "X row 0 is a masked array"),
        (objects([1, 2]), toy.D, r"X row 39, column 1 \('v'\) is no number, but \[1, 2\] \(list\)"),
        (objects({}), toy.D, r"X row 39, column 1 \('v'\) is no number, but {} \(dict\)"),
        (objects(10**400), toy.D, r"X row 39, column 1 \('v'\) is too large"),
        ([[10**400, 1.0]] * 40, toy.D, "X row 0, column 0 is too large"),
        (toy.X, objects(10**400), r"D row 39, column 1 \('v'\) is too large"),
        (objects(1).to_records(), toy.D, "X is an array of records with the fields index, u, v, w"),
        (objects(1).astype("Sparse[float]"), toy.D, r"give X.sparse.to_dense\(\)"),
        (toy.X, objects(1).astype("Sparse[float]"), r"give D.sparse.to_dense\(\)"),
        (objects(1).set_axis(["a", "a", "b"], axis=1), toy.D, "Expected unique|X has two columns"),
        (toy.X, toy.D[:, :0], r"D has shape \(40, 0\), no label"),
        (toy.X, toy.D[:, :, None], r"D has shape \(40, 3, 1\): expected a row for each"),
        (toy.X[:, 0], toy.D, r"X has shape \(40,\)"),
        (toy.X, toy.D[:30], r"X has shape \(40, 3\), D has shape \(30, 3\)"),
    ],
)
def test_what_is_no_table_is_named(X, D, message):
    with pytest.raises((TypeError, ValueError), match=message):
        AAKNN().fit(X, D)


def test_lazy_and_nested_columns_of_polars_are_named():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(toy.X, schema=["u", "v", "w"])
    with pytest.raises(TypeError, match=r"X is a LazyFrame.*give X.collect\(\)"):
        AAKNN().fit(frame.lazy(), toy.D)
    for column in (polars.Series([[1.0]] * 40), polars.Series([{"a": 1}] * 40)):
        with pytest.raises(ValueError, match=r"X column 1 \('v'\) has lists or records"):
            AAKNN().fit(frame.with_columns(column.alias("v")), toy.D)


class Silent(ValueError):
    """An error without a text."""

    def __str__(self):
        raise RuntimeError("no text of me")


class RaisesSilent(AAKNN):
    def _fit(self, X, D):
        raise Silent


def test_an_error_that_cannot_be_printed_stays_the_users():
    with pytest.raises(Silent):
        RaisesSilent().fit(toy.X, toy.D)


def test_a_wrong_call_names_the_class_of_the_user():
    with pytest.raises(TypeError, match=r"^SABFGS.fit\(\) missing 1 required .*'D'"):
        SABFGS().fit(toy.X)
    with pytest.raises(TypeError, match=r"^AAKNN.fit\(\) got an unexpected .*'sample_weight'"):
        AAKNN().fit(toy.X, toy.D, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="Row 0 is 1 in X and 2 in D"):
        AAKNN().fit(*frames(np.arange(1, 41), np.arange(2, 42)))
    with pytest.raises(ValueError, match=r"Y row 3, column 0 is 1.000000000001: labels"):
        RFPCT().fit(toy.X, np.where(np.arange(40)[:, None] == 3, 1 + 1e-12, Y))
    with pytest.raises(ldlrepro.errors.UnknownNameError, match="No measure 'kld'; there are: cheb"):
        metrics.measure("kld")
    with pytest.raises(ValueError, match="within='2'"):
        metrics.cumulative_score([1.0], [2.0], "2")


@pytest.mark.parametrize("name", EVERY)
def test_a_refused_fit_leaves_a_fitted_model_as_it_was(name):
    if "trunk" in EVERY[name]().get_params():
        pytest.importorskip("torch")
    model = small(name, random_state=0)
    before = scores(model.fit(toy.X, targets(model)))
    for X, target in (
        (toy.X[:, :2], targets(model)[:30]),
        (toy.X[:, :2], np.full((40, 5), np.nan)),
    ):
        if model.__sklearn_tags__().target_tags.required:
            with pytest.raises(ValueError):
                model.fit(X, target)
    np.testing.assert_array_equal(scores(model), before)


def test_predictions_for_an_array_are_paired_by_position_without_a_word():
    """A pipeline hands an array on, and what is predicted for it has no names of rows."""
    X = pd.DataFrame(toy.X, columns=["a", "b", "c"])
    D = pd.DataFrame(toy.D, columns=["r", "g", "b"])
    model = make_pipeline(StandardScaler(), ldlrepro.AAKNN())
    with warnings.catch_warnings():
        warnings.simplefilter("error", RowNamesWarning)
        values = cross_val_score(model, X, D, cv=3, scoring=get_scorer("neg_kl_divergence"))
    assert np.isfinite(values).all()
