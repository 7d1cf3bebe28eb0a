"""RAkEL: label powersets of random small sets of labels."""

from itertools import combinations
from math import comb

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn.utils import check_random_state

from ldlrepro.models.multilabel._svm import ScaledRows, SVMEnsemble, fit_svm, orders


class RAkEL(SVMEnsemble):
    """Random k-labelsets (Tsoumakas and Vlahavas 2007 [1]_) with linear SVMs.

    Each model takes k labels and predicts which of their combinations (classes, as seen in
    training) a row has, by one SVM a class against the rest. A label's score is the mean over the
    models that hold it. Features are scaled to [0, 1] inside.

    Parameters
    ----------
    k : int >= 1
        Labels in a set; at most c are taken (the MLDF paper: 3).
    n_estimators : int >= 1
        Sets, all different; None for 2 c (the MLDF paper). With fewer sets than that to be had, all
        are taken.
    C : float > 0
        Cost of the hinge loss in each SVM.
    voting : {"soft", "hard"}
        "soft": a model gives a label the share that its classes with the label have in the sum of
        squashed decision values, 1 / (1 + exp(-value)); or "hard", 1 if the best class has the
        label, else 0, as Tsoumakas and Vlahavas vote.
    tol : float > 0
        Largest spread of the projected gradients at which an SVM stops.
    max_iter : int >= 1
        Largest number of passes over the rows in one SVM.
    random_state : int, RandomState or None
        Seeds the sets and the SVMs.

    Attributes
    ----------
    labelsets_ : (m, k) int
        Labels of each set in increasing order.
    combinations_ : list of m (classes, k) 0/1 arrays
    coef_ : list of m (classes, q + 1)
        The last column is the bias.
    n_iter_ : int
        Most passes over the rows in one SVM.
    n_svms_, n_unconverged_ : int
        SVMs fitted, and those stopped by max_iter.

    Raises
    ------
    ValueError
        At ``fit``: k or n_estimators below 1, C, tol or max_iter not positive, an unknown
        voting.

    See Also
    --------
    ECC : Chains of labels in place of sets.

    Notes
    -----
    The sets are drawn at random without a set twice, so that a label can be in none (seldom with
    2 c sets of 3): its score is its share of the training rows. A model that saw one combination
    only always predicts it. A label that no training row has gets the score 0, one that all have 1.

    Departures: one SVM against the rest for each class, in liblinear's form (penalised bias, hinge
    loss), to a loose tolerance; ``voting="soft"``, since votes of about six models tie often.

    References
    ----------
    .. [1] Tsoumakas, Vlahavas, "Random k-labelsets: an ensemble method for multilabel
       classification", ECML 2007.

    Examples
    --------
    >>> from ldlrepro import RAkEL, datasets
    >>> data = datasets.make_standin("yeast", 60, random_state=0)  # synthetic
    >>> model = RAkEL(k=3, random_state=0).fit(data.X, data.Y)
    >>> model.labelsets_.shape  # 2 c sets of 3 labels
    (28, 3)
    """

    def __init__(
        self,
        k=3,
        n_estimators=None,
        *,
        C=1.0,
        voting="soft",
        tol=0.1,
        max_iter=200,
        random_state=None,
    ):
        super().__init__(n_estimators, C, voting, tol, max_iter, random_state)
        self.k = k

    def _fit(self, X, Y):
        if self.k < 1 or (self.n_estimators is not None and self.n_estimators < 1):
            raise ValueError(f"k={self.k} and n_estimators={self.n_estimators} must be 1 or more.")
        self._check()
        rng = check_random_state(self.random_state)
        n, c = Y.shape
        self._features = ScaledRows(X)
        self.share_ = Y.mean(axis=0)
        size = min(self.k, c)
        self.labelsets_ = _draw(c, size, self.n_estimators or 2 * c, rng)
        rows = self._features.with_labels()
        upper, visits = np.full(n, float(self.C)), orders(n, rng)
        self.combinations_, self.coef_ = [], []
        self.n_iter_ = self.n_svms_ = self.n_unconverged_ = 0
        for labels in self.labelsets_:
            classes, of_row = np.unique(Y[:, labels], axis=0, return_inverse=True)
            coef = np.zeros((len(classes), X.shape[1] + 1))
            for number, w in enumerate(coef):
                passes = fit_svm(
                    rows,
                    rows[-1],
                    of_row.ravel() == number,
                    upper,
                    np.zeros(n),
                    visits,
                    w,
                    self.tol,
                    self.max_iter,
                )
                self.n_iter_ = max(self.n_iter_, passes)
                self.n_unconverged_ += passes == self.max_iter
            self.n_svms_ += len(classes)
            self.combinations_.append(classes)
            self.coef_.append(coef)

    def _predict_proba(self, X):
        Z = self._features.transform(X)
        total, models = np.zeros((len(X), self.n_labels_)), np.zeros(self.n_labels_)
        for labels, classes, coef in zip(
            self.labelsets_, self.combinations_, self.coef_, strict=True
        ):
            values = Z @ coef[:, :-1].T + coef[:, -1]
            if self.voting == "hard":
                total[:, labels] += classes[values.argmax(axis=1)]
            else:
                weights = expit(values)
                far = ~weights.any(axis=1)  # all squashed to 0: relative to the largest
                weights[far] = softmax(log_expit(values[far]), axis=1)
                total[:, labels] += weights @ classes / weights.sum(axis=1, keepdims=True)
            models[labels] += 1
        return np.where(models > 0, total / np.maximum(models, 1), self.share_)


def _draw(c, k, m, rng):
    """(m, k) different sets of k of c labels; every one where there are no more than m."""
    if comb(c, k) <= m:
        return np.array(list(combinations(range(c), k)))
    found = {}  # a dict keeps the order of the draws
    while len(found) < m:
        found[tuple(sorted(rng.choice(c, size=k, replace=False).tolist()))] = None
    return np.array(list(found))
