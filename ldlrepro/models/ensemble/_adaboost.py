"""Adaboost-LDL: rows with a high SortLoss are drawn more often for the next learner."""

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.entrance import public
from ldlrepro.errors import outside
from ldlrepro.metrics import sort_loss
from ldlrepro.models.maxent._sabfgs import SABFGS


class AdaBoostLDL(LDLEstimator):
    r"""Adaboost-LDL (Shen, Xu, Yu, Jia 2020 [1]_, Table 1): boosting by resampling of any learner.

    Round i draws n rows with probabilities :math:`P_i`, with replacement, fits a learner to them,
    and takes its SortLoss on every training row r:

    .. math:: P_{i+1}(r) \propto P_i(r) + \alpha\, \ell_i(r) \Big/ \sum_{r'} \ell_i(r')

    (line 8; :math:`\ell_i` is the SortLoss). The prediction is the mean of the learners' with
    weights inverse to their total SortLoss on the training rows (lines 10 to 13). The book explains
    each step, with the algorithm in plain NumPy: :ref:`The method <ada-method>`.

    Parameters
    ----------
    estimator : LDL estimator, cloned; None for SABFGS. Whatever has ``fit(X, D)`` and
        ``predict(X)`` will do.
    n_estimators : int >= 1
        Rounds (section 3.4: 5).
    alpha : float >= 0
        Share of the newest SortLoss in P (section 3.4: 1); 0 draws uniformly.
    warm_start : bool
        Start each learner from the coefficients of the one before.
    random_state : int, RandomState or None
        Seeds the draws; learners with a random_state get seeds from it.

    Attributes
    ----------
    estimators_ : list of estimators
        Fitted learners, T of them.
    estimator_weights_ : (T,)
        Sum 1.
    sort_losses_ : (T,)
        Total SortLoss of each on the training rows.
    rounds_ : (T,) int
        Round of each, from 1; some are missing where a learner failed.

    Raises
    ------
    TypeError
        At ``fit``: the estimator has no fit or no predict.
    ValueError
        At ``fit``: n_estimators below 1, a negative alpha.
    RuntimeError
        At ``fit``: no learner could be fitted.

    Warns
    -----
    RuntimeWarning
        A learner failed, or predicted NaN; the warning names the round. The others are kept, and
        P stays as it was.

    See Also
    --------
    BaggingLDL : The plain mean over bootstrap samples.
    ldlrepro.metrics.sort_loss : What rows and learners are weighted by.

    Notes
    -----
    Warm start (section 2.2: for learners that take starting coefficients) is used where a learner
    has a parameter ``init`` and, once fitted, ``coef_``: SABFGS, SAIIS, LCLDL, LDLLCLR, LDLSF.
    SABFGS stops after so many steps and has no penalty, so that later learners are fitted further.

    What the paper leaves open. P of line 8 sums to 1 + alpha: it is normalised before the next
    draw. A round draws as many rows as there are. Both are as in a package on GitHub that runs the
    paper's experiment (DreamWalker1412/LDL_Package), whose CPNN and PT-Bayes start anew too; where
    that takes the SortLoss of LDL-LS on the training rows from a softmax of its output, this takes
    it from the learner's predictions. A learner with total SortLoss 0 would have infinite weight:
    where there are some, they share all the weight equally. P is left as it is by a SortLoss of 0
    on every row.

    By default K-L is above 1.05 of the training mean's on SCUT-FBP, of the 16 sets of the
    book's page on defaults.

    References
    ----------
    .. [1] Shen, Xu, Yu, Jia, "Label distribution ensemble learning" (in Chinese), Journal of
       Nanjing University of Science and Technology 44(6), 2020.

    Examples
    --------
    >>> from ldlrepro import AAKNN, AdaBoostLDL, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = AdaBoostLDL(AAKNN(5), random_state=0).fit(toy.X, toy.D)
    >>> len(model.estimators_), model.estimator_weights_.shape
    (5, (5,))
    """

    def __init__(
        self, estimator=None, n_estimators=5, *, alpha=1.0, warm_start=True, random_state=None
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.alpha = alpha
        self.warm_start = warm_start
        self.random_state = random_state

    def _fit(self, X, D):
        if self.n_estimators < 1 or self.alpha < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be 1 or more, alpha={self.alpha} 0 or more."
            )
        base = checked_learner(self.estimator)
        rng = check_random_state(self.random_state)
        P = np.full(len(X), 1 / len(X))
        self.estimators_, losses, self.rounds_ = [], [], []
        error = None
        for number in range(1, self.n_estimators + 1):
            learner, rows = clone(base, safe=False), rng.choice(len(X), size=len(X), p=P)
            self._prepare(learner, rng)
            try:
                loss = sort_loss(D, learner.fit(X[rows], D[rows]).predict(X), per_row=True)
            except Exception as caught:  # whatever a learner may raise
                error = caught
                warnings.warn(
                    f"round {number} of {self.n_estimators} is left out: "
                    f"{type(learner).__name__} failed ({type(caught).__name__}: {caught})",
                    RuntimeWarning,
                    stacklevel=outside(),
                )
                continue
            self.estimators_.append(learner)
            self.rounds_.append(number)
            losses.append(loss.sum())
            if losses[-1] > 0:
                P = P + self.alpha * loss / losses[-1]
                P /= P.sum()
        if not self.estimators_:
            raise RuntimeError(
                f"all {self.n_estimators} rounds failed; the last error was "
                f"{type(error).__name__}: {error}"
            ) from error
        self.sort_losses_ = np.array(losses)
        self.estimator_weights_ = inverse_weights(self.sort_losses_)

    def _prepare(self, learner, rng):
        """Hand on a seed and, where it can use them, the last learner's coefficients."""
        known = learner.get_params(deep=False) if hasattr(learner, "get_params") else {}
        if "random_state" in known:
            learner.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        last = self.estimators_[-1] if self.estimators_ else None
        if self.warm_start and "init" in known and hasattr(last, "coef_"):
            learner.set_params(init=last.coef_)

    @public
    def staged_predict(self, X):
        """Yield predicted distributions (n, c) after 1, 2, ... T learners, weights anew each time.

        Learners that failed have no stage.
        """
        X = self._check_new(X)
        predictions = []
        for learner in self.estimators_:
            predictions.append(learner.predict(X))
            weights = inverse_weights(self.sort_losses_[: len(predictions)])
            yield np.tensordot(weights, predictions, axes=1)

    def _predict(self, X):
        predictions = [learner.predict(X) for learner in self.estimators_]
        return np.tensordot(self.estimator_weights_, predictions, axes=1)


def checked_learner(estimator):
    """The estimator, SABFGS() for None; TypeError where it cannot fit and predict."""
    if estimator is None:
        return SABFGS()
    missing = [n for n in ("fit", "predict") if not callable(getattr(estimator, n, None))]
    if missing or isinstance(estimator, type):
        what = f"no {' and no '.join(missing)}" if missing else "is a class: give an instance"
        raise TypeError(
            f"estimator={estimator!r} {'has ' if missing else ''}{what}; a learner needs "
            "fit(X, D) and predict(X)."
        )
    return estimator


def inverse_weights(losses):
    """Weights proportional to 1 / loss, sum 1, (T,); losses of 0 share all of it equally."""
    zero = losses == 0
    weights = zero.astype(float) if zero.any() else losses.min() / losses
    return weights / weights.sum()
