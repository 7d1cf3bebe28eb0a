import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from sklearn.base import clone
from sklearn.linear_model import Lasso
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from ldlrepro import DBPNN, ECC, MLFE, LabelFrequencies, RAkEL, datasets
from ldlrepro.kernels.mlfe import box_quadratic, sparse_codes
from ldlrepro.metrics import hamming_loss, macro_auc, ranking_loss
from ldlrepro.models.multilabel._averaged_folds import AveragedFolds
from ldlrepro.models.multilabel._cut import CUTS, CutAtCardinality, threshold
from ldlrepro.models.multilabel._dbpnn import forward, loss_and_gradients
from ldlrepro.models.multilabel._unscaled_dbpnn import UnscaledDBPNN

EXACT = {"tol": 1e-8, "max_iter": 20000}
SMALL = [
    ECC(5, random_state=0),
    RAkEL(random_state=0),
    DBPNN((4, 3), rbm_epochs=20, random_state=0),
    DBPNN((4, 3), fine_tune=True, rbm_epochs=20, epochs=5, random_state=0),
    MLFE(),
]
ids = ["ECC", "RAkEL", "DBPNN", "DBPNN-fine-tuned", "MLFE"]


@pytest.fixture(scope="module")
def data():
    """60 rows, 5 features, 4 labels that hang on the features linearly, with noise."""
    rng = np.random.RandomState(0)
    X = rng.rand(60, 5)
    Y = ((X - 0.5) @ rng.normal(size=(5, 4)) + 0.2 * rng.normal(size=(60, 4)) > 0).astype(float)
    return X, Y


def scaled(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def svc():
    return LinearSVC(loss="hinge", tol=1e-8, max_iter=100000, random_state=0)


@pytest.mark.parametrize("share", [0.0, 0.9])
def test_a_chain_is_that_of_scikit_learn(data, share):
    """With dense features and with sparse ones."""
    X, Y = data
    X = np.where(np.random.RandomState(1).rand(*X.shape) < share, 0.0, X)
    ecc = ECC(1, bootstrap=False, voting="hard", random_state=3, **EXACT).fit(X, Y)
    assert ecc._features.sparse == (share > 0) and ecc.n_unconverged_ == 0
    Z = scaled(X)
    chain = ClassifierChain(svc(), order=ecc.orders_[0]).fit(Z, Y)
    for position, model in enumerate(chain.estimators_):
        coef = ecc.coef_[0, position]
        theirs = np.r_[model.coef_[0], model.intercept_]
        mine = np.r_[coef[: 5 + position], coef[-1]]
        np.testing.assert_allclose(mine, theirs, atol=1e-4)
        assert not coef[5 + position : -1].any()
    np.testing.assert_array_equal(ecc.predict(X), chain.predict(Z))


def test_a_chain_drawn_with_replacement_counts_rows_as_often_as_drawn(data):
    """A row drawn twice costs twice: the same as fitting LinearSVC on the repeated rows."""
    X, Y = data
    ecc = ECC(1, random_state=5, **EXACT).fit(X, Y)
    rng = np.random.RandomState(5)
    for _ in range(8):
        rng.permutation(60)  # the orders of the rows in the first SVMs
    rng.permutation(4)
    drawn = rng.randint(60, size=60)
    label = ecc.orders_[0, 0]
    model = svc().fit(scaled(X)[drawn], Y[drawn, label])
    np.testing.assert_allclose(ecc.coef_[0, 0, :5], model.coef_[0], atol=1e-3)


def test_labelsets_of_one_label_are_one_against_the_rest(data):
    X, Y = data
    rakel = RAkEL(1, voting="hard", random_state=0, **EXACT).fit(X, Y)
    assert rakel.labelsets_.tolist() == [[0], [1], [2], [3]]
    Z = scaled(X)
    np.testing.assert_array_equal(rakel.predict(X), OneVsRestClassifier(svc()).fit(Z, Y).predict(Z))


@pytest.mark.interpreted
def test_labelsets_differ_and_an_uncovered_label_scores_its_share():
    rng = np.random.RandomState(0)
    X, Y = rng.rand(40, 3), (rng.rand(40, 9) < 0.4).astype(float)
    rakel = RAkEL(2, 3, random_state=0).fit(X, Y)
    assert rakel.labelsets_.shape == (3, 2) and len(np.unique(rakel.labelsets_, axis=0)) == 3
    free = np.setdiff1d(np.arange(9), rakel.labelsets_)
    assert len(free) >= 3
    np.testing.assert_allclose(
        rakel.predict_proba(X)[:, free], Y[:, free].mean(axis=0) + 0 * X[:, :1]
    )
    assert RAkEL(3, random_state=0).fit(X, Y[:, :4]).labelsets_.shape == (4, 3)
    assert RAkEL(3, random_state=0).fit(X, Y).labelsets_.shape == (18, 3)


def test_dependence_of_labels_is_used():
    """The third label is the exclusive or of the others: a powerset of SVMs tells it, one cannot.

    With x along a line, the labels are "above 1/3", "above 2/3" and "one of them": two thresholds
    of x that linear SVMs know, and a band between, which is no half line.
    """
    rng = np.random.RandomState(0)
    x = rng.rand(400)
    X = np.column_stack([x, rng.rand(400)])
    first, second = x > 1 / 3, x > 2 / 3
    Y = np.column_stack([first, second, first ^ second]).astype(float)
    train, test = slice(0, 200), slice(200, 400)
    alone = OneVsRestClassifier(svc()).fit(X[train], Y[train]).predict(X[test])
    independent = hamming_loss(Y[test], alone)
    assert independent > 0.08
    chains = ECC(20, C=100.0, random_state=0, max_iter=2000).fit(X[train], Y[train])
    assert hamming_loss(Y[test], chains.predict(X[test])) < 0.8 * independent
    # One set of all three labels: a point predicts none but the combinations that occur.
    sets = RAkEL(3, C=100.0, voting="hard", random_state=0, max_iter=2000).fit(X[train], Y[train])
    seen = {tuple(row) for row in Y[train]}
    assert {tuple(row) for row in sets.predict(X[test])} <= seen
    assert {tuple(row) for row in alone} - seen


@pytest.mark.parametrize("estimator", [ECC(20, random_state=0), RAkEL(random_state=0)], ids=str)
def test_squashed_values_rank_better_than_votes(estimator):
    """Rare labels: votes are 0 for all, and ties count as wrong."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(200, 6))
    Y = (X @ rng.normal(size=(6, 5)) + rng.normal(size=(200, 5)) > 3).astype(float)
    soft = estimator.set_params(voting="soft").fit(X[:100], Y[:100]).predict_proba(X[100:])
    hard = estimator.set_params(voting="hard").fit(X[:100], Y[:100]).predict_proba(X[100:])
    assert ranking_loss(Y[100:], soft) < ranking_loss(Y[100:], hard) - 0.05


@pytest.mark.interpreted
@pytest.mark.parametrize("estimator", SMALL, ids=ids)
def test_labels_with_one_class_get_a_score_on_their_side(estimator, data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(60), np.ones(60)])
    scores = estimator.fit(X, Y).predict_proba(X)
    assert scores.shape == (60, 6) and np.isfinite(scores).all()
    assert (scores[:, 4] < 0.5).all() and (scores[:, 5] > 0.5).all()
    if isinstance(estimator, ECC):
        np.testing.assert_allclose(np.ptp(scores[:, 4:], axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("estimator", SMALL, ids=ids)
def test_same_seed_same_scores(estimator, data):
    X, Y = data
    first = estimator.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(estimator.fit(X, Y).predict_proba(X), first)
    if "random_state" in estimator.get_params():
        other = estimator.set_params(random_state=1).fit(X, Y).predict_proba(X)
        estimator.set_params(random_state=0)
        assert np.abs(other - first).max() > 1e-6


def test_back_propagation_is_the_gradient():
    rng = np.random.RandomState(0)
    X, Y = rng.rand(5, 3), (rng.rand(5, 2) > 0.5).astype(float)
    shapes = [(4, 4), (5, 3), (4, 2)]
    cuts = np.cumsum([a * b for a, b in shapes])

    def weights(flat):
        parts = np.split(flat, cuts[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def gradient(flat):
        return np.concatenate([g.ravel() for g in loss_and_gradients(X, Y, weights(flat))[1]])

    start = rng.normal(size=cuts[-1])
    assert check_grad(lambda f: loss_and_gradients(X, Y, weights(f))[0], gradient, start) < 1e-6


def test_scores_are_those_of_logistic_regressions_on_the_hidden_units(data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(60), np.ones(60)])
    net = DBPNN((8, 6), rbm_epochs=300, random_state=0).fit(X, Y)
    units = forward(scaled(X), net.coefs_[:2])[-1]
    units = (units - units.mean(axis=0)) / units.std(axis=0)
    S = net.predict_proba(X)
    for j in range(4):

        def loss(v, y=Y[:, j]):
            z = units @ v[1:] + v[0]
            return np.sum(np.logaddexp(0, z) - y * z)

        p = np.clip(S[:, j], 1e-300, 1)
        mine = -np.sum(np.log(np.where(Y[:, j] > 0, p, 1 - p)))
        best = minimize(loss, np.zeros(7), options={"gtol": 1e-9, "maxiter": 5000}).fun
        assert mine == pytest.approx(best, rel=1e-3, abs=2e-3)  # 0 where a plane parts the rows
    np.testing.assert_array_equal(S[:, 4:], np.tile([0.0, 1.0], (60, 1)))
    assert not hasattr(net, "loss_curve_")


def test_machines_learn_to_reconstruct_and_the_network_to_predict(data):
    X, Y = data
    net = DBPNN((8, 6), fine_tune=True, rbm_epochs=300, epochs=200, random_state=0).fit(X, Y)
    for errors in net.rbm_errors_:
        assert errors[-1] < 0.9 * errors[0]
    assert net.loss_curve_[-1] < 0.8 * net.loss_curve_[0]
    assert hamming_loss(Y, net.predict(X)) < 0.6 * min(Y.mean(), 1 - Y.mean())


@pytest.mark.interpreted
@pytest.mark.parametrize("fine_tune", [False, True])
def test_unscaled_nets_are_those_of_scaled_features(fine_tune):
    data = datasets.make_standin("scene", 60, random_state=1)
    X = MinMaxScaler().fit_transform(data.X)
    settings = {"fine_tune": fine_tune, "rbm_epochs": 10, "epochs": 2, "random_state": 0}
    scaled = DBPNN((4, 3), **settings).fit(data.X, data.Y)
    plain = UnscaledDBPNN((4, 3), **settings)
    np.testing.assert_allclose(
        plain.fit(X, data.Y).predict_proba(X), scaled.predict_proba(data.X), rtol=1e-10
    )
    far = 100 * data.X
    assert not np.allclose(plain.fit(far, data.Y).predict_proba(far), scaled.predict_proba(data.X))


def test_codes_are_lasso_solutions():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(12, 5))
    codes = np.empty((12, 12))
    assert sparse_codes(X, 0.1, 1e-8, 1, codes) == 12
    assert sparse_codes(X, 0.1, 1e-8, 10000, codes) == 0
    for i in range(12):
        others = np.delete(X, i, axis=0)
        penalty = 0.1 * np.abs(others @ X[i]).max()
        lasso = Lasso(penalty / 5, fit_intercept=False, tol=1e-12, max_iter=100000)
        theirs = np.insert(lasso.fit(others.T, X[i]).coef_, i, 0.0)
        assert codes[i, i] == 0
        np.testing.assert_allclose(codes[i] @ X, theirs @ X, atol=1e-5)
        assert np.abs(codes[i]).sum() == pytest.approx(np.abs(theirs).sum(), abs=1e-4)


@pytest.mark.interpreted
def test_numerical_labels_solve_the_quadratic_program(data):
    X, Y = data
    mlfe = MLFE().fit(X, Y)
    sign = np.where(Y[:, 0] > 0, 1.0, -1.0)
    low, high = np.sort([sign, 2 * sign], axis=0)
    rest = np.eye(60) - mlfe.codes_
    M, u = rest.T @ rest, sign.copy()
    assert box_quadratic(M, low, high, 1e-10, 10000, u) < 10000
    found = minimize(
        lambda v: v @ M @ v,
        sign,
        jac=lambda v: 2 * M @ v,
        bounds=list(zip(low, high, strict=True)),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    assert u @ M @ u == pytest.approx(found.fun, rel=1e-6)
    size = np.abs(mlfe.numerical_)
    assert size.min() >= 1 and size.max() <= 2
    assert (np.sign(mlfe.numerical_) == np.where(Y > 0, 1, -1)).all()


@pytest.mark.parametrize("betas", [(1.0, 15.0), (10.0, 1.0), (2.0, 0.0)])
def test_the_objective_of_mlfe_never_rises_and_ends_at_its_minimum(data, betas):
    X, Y = data
    mlfe = MLFE(*betas, epsilon=0.3, tol=1e-12, max_iter=5000).fit(X, Y)
    drops = -np.diff(mlfe.objectives_)
    assert drops.min() > -1e-9 * mlfe.objectives_[0]
    signs = np.where(Y > 0, 1.0, -1.0)
    squared = ((mlfe._rows[:, None] - mlfe._rows) ** 2).sum(axis=2)
    K = np.exp(-mlfe.gamma_ * squared)

    def objective(flat):
        A, b = flat[:-4].reshape(60, 4), flat[-4:]
        F = K @ A + b
        size = np.linalg.norm(mlfe.numerical_ - F, axis=1)
        regression = (np.maximum(size - 0.3, 0) ** 2).sum()
        wrong = (np.minimum(signs * F, 0) ** 2).sum()
        return 0.5 * np.sum(A * (K @ A)) + betas[0] * regression + betas[1] * wrong

    flat = np.r_[mlfe.dual_coef_.ravel(), mlfe.intercept_]
    best = objective(flat)
    assert best == pytest.approx(mlfe.objectives_[-1], rel=1e-9)
    rng = np.random.RandomState(0)
    for scale in (1e-3, 1e-1):
        for _ in range(20):
            assert objective(flat + scale * rng.normal(size=len(flat))) > best


def test_label_frequencies_are_the_score_of_every_row(data):
    X, Y = data
    Y = np.column_stack([Y[:, :2], np.zeros(60), np.ones(60), np.arange(60) < 45])
    scores = LabelFrequencies().fit(X, Y).predict_proba(100 * X[:7])
    expected = [Y[:, 0].sum() / 60, Y[:, 1].sum() / 60, 0, 1, 0.75]
    assert scores.shape == (7, 5)
    for row in scores:
        np.testing.assert_allclose(row, expected, rtol=1e-12)
    np.testing.assert_array_equal(
        LabelFrequencies().fit(X, Y).predict(X[:7]), np.tile(np.greater(expected, 0.5), (7, 1))
    )
    assert macro_auc(Y, LabelFrequencies().fit(X, Y).predict_proba(X)) == 0.5


@pytest.mark.interpreted
def test_cut_gives_the_cardinality_of_the_training_rows_and_keeps_the_order(data):
    X, Y = data
    plain = ECC(5, random_state=2).fit(X[:40], Y[:40])
    cut = CutAtCardinality(ECC(5), random_state=2).fit(X[:40], Y[:40])
    stages = dict(cut.staged_predict(X[40:]))
    assert tuple(stages) == CUTS
    np.testing.assert_array_equal(stages["0.5"], plain.predict_proba(X[40:]))
    moved = stages["cardinality"]
    np.testing.assert_array_equal(moved, cut.predict_proba(X[40:]))
    assert (moved > 0.5).sum() == round(20 * Y[:40].sum(axis=1).mean())
    np.testing.assert_allclose(np.ptp(moved - stages["0.5"]), 0, atol=1e-15)


@pytest.mark.parametrize(
    ("cardinality", "cut"), [(0.0, 0.85), (0.5, 0.85), (1.5, 0.4), (9.0, 0.05)]
)
def test_threshold_lies_between_the_scores_that_it_parts(cardinality, cut):
    P = np.array([[0.9, 0.1, 0.0], [0.8, 0.5, 0.3]])
    assert threshold(P, cardinality) == pytest.approx(cut)


def test_averaged_folds_leave_out_one_fold_each(data):
    X, Y = data
    seen = []

    class Noting(LabelFrequencies):
        def _fit(self, X, Y):
            seen.append({tuple(x) for x in X})
            super()._fit(X, Y)

    model = AveragedFolds(Noting(), n_folds=4, random_state=0).fit(X, Y)
    everything = {tuple(x) for x in X}
    left = [everything - rows for rows in seen]
    assert [len(rows) for rows in left] == [15] * 4
    assert set.union(*left) == everything
    expected = np.mean([e.frequencies_ for e in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X[:3]), np.tile(expected, (3, 1)))
    one, other = (
        AveragedFolds(RAkEL(), 3, random_state=seed).fit(X, Y).predict_proba(X) for seed in (0, 0)
    )
    np.testing.assert_array_equal(one, other)
    for bad in (1, 61):
        with pytest.raises(ValueError, match=f"n_folds={bad}"):
            AveragedFolds(ECC(), bad).fit(X, Y)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (ECC(0), "n_estimators=0"),
        (ECC(C=0.0), "C=0.0"),
        (ECC(voting="loud"), "'loud'"),
        (RAkEL(0), "k=0"),
        (RAkEL(n_estimators=0), "n_estimators=0"),
        (RAkEL(tol=-1.0), "tol=-1.0"),
        (DBPNN(()), "hidden"),
        (DBPNN(epochs=-1), "epochs=-1"),
        (DBPNN(momentum=1.0), "momentum=1.0"),
        (MLFE(beta1=0.0), "beta1=0.0"),
        (MLFE(beta2=-1.0), "beta2=-1.0"),
        (MLFE(c1=3.0), "c1=3.0"),
        (MLFE(share=1.0), "share=1.0"),
    ],
)
def test_bad_parameters_are_named(estimator, message, data):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*data)


@pytest.mark.parametrize("model", [ECC(3, max_iter=7), RAkEL(max_iter=7), MLFE(max_iter=7)])
def test_n_iter_counts_up_to_max_iter(model, data):
    """Beside every ``max_iter`` there is an ``n_iter_``, as scikit-learn's searches expect."""
    X, Y = data
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    assert clone(model).set_params(max_iter=1).fit(X, Y).n_iter_ == 1
    free = clone(model).set_params(max_iter=1000).fit(X, Y).n_iter_
    assert 1 < free < 1000
    assert model.fit(X, Y).n_iter_ == min(free, 7)
