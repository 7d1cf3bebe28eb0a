"""ECC: an ensemble of classifier chains."""

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from ldlrepro.models.multilabel._svm import ScaledRows, SVMEnsemble, fit_svm, orders


class ECC(SVMEnsemble):
    """Ensemble of classifier chains (Read, Pfahringer, Holmes, Frank 2011 [1]_) of linear SVMs.

    A chain goes through the labels in a random order; the SVM of a label sees the features and the
    labels before it, true ones in training, its own predictions after. Each chain has its own order
    and its own rows, drawn with replacement. Features are scaled to [0, 1] inside.

    Parameters
    ----------
    n_estimators : int >= 1
        Chains (the MLDF paper: 100).
    C : float > 0
        Cost of the hinge loss in each SVM.
    voting : {"soft", "hard"}
        "soft": scores are the mean over chains of 1 / (1 + exp(-decision value)); or "hard", the
        share of chains that predict the label, as Read et al. vote.
    bootstrap : bool
        Draw n rows with replacement for each chain; False uses them all.
    tol : float > 0
        Largest spread of the projected gradients at which an SVM stops.
    max_iter : int >= 1
        Passes over the rows in one SVM.
    random_state : int, RandomState or None
        Seeds the orders, the draws and the SVMs.

    Attributes
    ----------
    orders_ : (n_estimators, c) int
        Labels in the order of each chain.
    coef_ : (n_estimators, c, q + c + 1)
        By position in the chain: weights of the scaled features, of the labels before it by their
        positions, and of the constant.
    n_iter_ : int
        Most passes over the rows in one of these SVMs.
    n_unconverged_ : int
        SVMs that max_iter stopped.

    Raises
    ------
    ValueError
        At ``fit``: n_estimators below 1, C, tol or max_iter not positive, an unknown voting.

    See Also
    --------
    RAkEL : Sets of labels in place of chains.
    MLFE : Labels made numerical first.

    Notes
    -----
    Votes tie: a rare label is predicted by no chain at all, and all such labels share the score 0.
    The means of squashed decision values order them too, and are above 0.5 nearly where most
    chains are. A label that all or none of a chain's rows have gets the decision value 1 or -1
    there; one that no training row has thus the score 1 / (1 + e), 0.27 ("hard": 0), one that all
    have 0.73 ("hard": 1).

    Departures: the SVMs minimise ||w||^2 / 2 + C sum(hinge) to a loose tolerance, the bias as one
    more, penalised weight (liblinear's form, LinearSVC with loss "hinge"); each starts from the
    dual variables of the label's SVM on the features alone. The draw with replacement is one of
    the forms in use of the paper's random subset of the rows.

    References
    ----------
    .. [1] Read, Pfahringer, Holmes, Frank, "Classifier chains for multi-label classification",
       Machine Learning 85(3), 2011.

    Examples
    --------
    >>> from ldlrepro import ECC, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = ECC(5, random_state=0).fit(data.X, data.Y)
    >>> model.orders_.shape  # chains, labels
    (5, 14)
    """

    def __init__(
        self,
        n_estimators=100,
        *,
        C=1.0,
        voting="soft",
        bootstrap=True,
        tol=0.1,
        max_iter=200,
        random_state=None,
    ):
        super().__init__(n_estimators, C, voting, tol, max_iter, random_state)
        self.bootstrap = bootstrap

    def _fit(self, X, Y):
        if self.n_estimators < 1:
            raise ValueError(f"n_estimators={self.n_estimators} must be 1 or more.")
        self._check()
        rng = check_random_state(self.random_state)
        n, c = Y.shape
        q = X.shape[1]
        self._features = ScaledRows(X)
        starts = self._starts(Y, rng)
        self.orders_ = np.array([rng.permutation(c) for _ in range(self.n_estimators)])
        self.coef_ = np.zeros((self.n_estimators, c, q + c + 1))
        self.n_iter_ = self.n_unconverged_ = 0
        for order, coef in zip(self.orders_, self.coef_, strict=True):
            times = np.bincount(rng.randint(n, size=n), minlength=n) if self.bootstrap else 1
            upper = np.broadcast_to(self.C * np.asarray(times, float), n).copy()
            rows = self._features.with_labels(Y[:, order])
            visits = orders(n, rng)
            for position, label in enumerate(order):
                limit = rows[-1] + position
                alpha = starts[label] * times
                positive = Y[:, label] > 0
                passes = fit_svm(
                    rows, limit, positive, upper, alpha, visits, coef[position], *self._stop
                )
                self.n_iter_ = max(self.n_iter_, passes)
                self.n_unconverged_ += passes == self.max_iter

    @property
    def _stop(self):
        return self.tol, self.max_iter

    def _starts(self, Y, rng):
        """Dual variables (c, n) of each label's SVM on the features alone."""
        rows = self._features.with_labels()
        n, c = Y.shape
        upper, visits = np.full(n, float(self.C)), orders(n, rng)
        alphas, w = np.zeros((c, n)), np.empty(rows[0].shape[1] + rows[-1] + 1)
        for label in range(c):
            fit_svm(rows, rows[-1], Y[:, label] > 0, upper, alphas[label], visits, w, *self._stop)
        return alphas

    def _predict_proba(self, X):
        Z = self._features.transform(X)
        q, c = X.shape[1], self.n_labels_
        total = np.zeros((len(X), c))
        for order, coef in zip(self.orders_, self.coef_, strict=True):
            values = np.asfortranarray(Z @ coef[:, :q].T + coef[:, -1])
            chosen = np.zeros((len(X), c), order="F")
            for position in range(c):
                values[:, position] += chosen[:, :position] @ coef[position, q : q + position]
                chosen[:, position] = values[:, position] > 0
            total[:, order] += expit(values) if self.voting == "soft" else chosen
        return total / self.n_estimators
