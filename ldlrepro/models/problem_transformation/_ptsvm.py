"""PT-SVM: support vector machines on rows made single-label, coupled pair by pair."""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.kernels.kernel_svm import kernel_dual
from ldlrepro.memory import check_square
from ldlrepro.models._rbf import kernel_width, rbf

_TOL = 1e-3  # of a machine's optimality conditions, as in LIBSVM
_STEPS = 1000  # of a machine for each row; a few are usual, hundreds with C above 1000
_SHARE_FLOOR = 1e-7  # of pairwise probabilities: Wu's system needs 0 < r < 1


class PTSVM(LDLEstimator):
    """PT-SVM (Geng 2016 [1]_, section 3.1): pairwise coupled class probabilities of an rbf SVM.

    Every training row stands once for each label, weighted by its degree; or it gets labels drawn
    by its degrees, as in the original. One machine learns each pair of labels; a sigmoid fitted to
    held-out decision values turns them into probabilities (Platt 1999 [2]_), and the pairs are
    coupled by the second method of Wu, Lin and Weng (2004 [3]_).

    Parameters
    ----------
    C : float > 0
        Price of an error.
    draws : None, "labels" or int >= 1
        Labels drawn for a training row; "labels" for as many as there are labels, so that there are
        c n rows as in the original. None draws nothing: the weights of a row are c times its
        degrees, what c draws give on average.
    width : float > 0 or None
        Of the kernel ``exp(-|x - y|^2 / (2 width^2))``; None for the average distance between
        training rows (MSLP paper, section 3.1).
    folds : int >= 2
        Parts of the rows for the held-out decision values.
    random_state : int, RandomState or None
        Seeds what is drawn.

    Attributes
    ----------
    width_ : float
    pairs_ : list of pairs of labels
    n_unconverged_ : int
        Machines that were stopped after 1000 steps for each row.

    See Also
    --------
    PTBayes : Gaussian densities on weighted rows.
    LDSVR : One regression of all degrees.

    Notes
    -----
    Departures: degrees as weights by default; drawn labels are as many for every row, where the
    original draws from all rows together. Not in the papers: a row is held out with all its labels,
    and a pair of which one label stands in fewer than ``folds`` rows has the constant probability
    of its weights. Probabilities stand in the order of the labels; LIBSVM gives them in the order
    in which labels first appear among the drawn rows, and the MATLAB package that came with the
    paper leaves them so. Pairwise probabilities are kept at least 1e-7 from 0 and 1.

    Where labels are nearly equally likely in every row, as on the Yeast sets, what is learned from
    drawn labels is mostly the draws: with ``draws="labels"`` K-L has been up to 1.1 times the
    training mean's there. Degrees as weights have no such noise; a fit takes up to two and a half
    times as long, for every row takes part in every pair of labels that it has.

    A fit takes ``folds`` + 1 machines for each of c (c - 1) / 2 pairs.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.
    .. [2] Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
       likelihood methods", Advances in Large Margin Classifiers, 1999.
    .. [3] Wu, Lin, Weng, "Probability estimates for multi-class classification by pairwise
       coupling", Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from ldlrepro import PTSVM, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = PTSVM(draws=1, random_state=0).fit(toy.X, toy.D)
    >>> model.pairs_
    [(0, 1), (0, 2), (1, 2)]
    """

    def __init__(self, C=1.0, *, draws=None, width=None, folds=3, random_state=None):
        self.C = C
        self.draws = draws
        self.width = width
        self.folds = folds
        self.random_state = random_state

    def _fit(self, X, D):
        c = D.shape[1]
        draws = c if self.draws == "labels" else self.draws
        if isinstance(draws, str) or not (draws is None or draws >= 1):
            raise ValueError(f'draws={draws!r} must be None, "labels" or an int, at least 1.')
        if self.folds < 2 or not self.C > 0:
            raise ValueError(f"C={self.C} must be above 0 and folds={self.folds} at least 2.")
        rng = check_random_state(self.random_state)
        count = c * D if draws is None else _draw(D, draws, rng)
        part = rng.permutation(len(X)) % self.folds
        check_square(self, len(X), 2)
        self.width_ = kernel_width(self.width, X)
        self.X_ = X
        K = rbf(X, X, self.width_)
        self.pairs_ = list(combinations(range(c), 2))
        self.n_unconverged_ = 0
        self.machines_ = [self._learn_pair(K, count[:, pair], part) for pair in self.pairs_]

    def _learn_pair(self, K, count, part):
        """Machine of a pair of labels from the weights (n, 2) that each row has in them.

        Returns (rows, coefficients, offset, slope, shift): the first label has the probability
        expit(slope * decision + shift).
        """
        if (count > 0).sum(axis=0).min() < self.folds:
            totals = count.sum(axis=0)
            odds = np.log((totals[0] + 1) / (totals[1] + 1))
            return np.empty(0, int), np.empty(0), 0.0, 0.0, odds
        weights = self.C * count
        inside = weights[:, 0] - weights[:, 1]  # every row inside the margin
        learned, _, offset = self._machine(K, weights, inside)
        held_out = np.zeros(len(K))
        for fold in range(self.folds):
            rest = weights * (part != fold)[:, None]
            if rest.any(axis=0).all():
                _, decisions, _ = self._machine(K, rest, learned)
                held_out[part == fold] = decisions[part == fold]
        copies, label = np.nonzero(count)
        slope, shift = platt(held_out[copies], label == 0, count[copies, label])
        rows = np.flatnonzero(learned)
        return rows, learned[rows], offset, slope, shift

    def _machine(self, K, weights, start):
        *machine, converged = kernel_dual(K, weights, start, _TOL, _STEPS * len(K))
        self.n_unconverged_ += not converged
        return machine

    def _predict(self, X):
        K = rbf(X, self.X_, self.width_)
        share = np.full((len(X), self.n_labels_, self.n_labels_), 0.5)
        for (a, b), (rows, coefficients, offset, slope, shift) in zip(
            self.pairs_, self.machines_, strict=True
        ):
            r = expit(slope * (K[:, rows] @ coefficients + offset) + shift)
            share[:, a, b] = np.clip(r, _SHARE_FLOOR, 1 - _SHARE_FLOOR)
            share[:, b, a] = 1 - share[:, a, b]
        return couple(share)


def _draw(D, draws, rng):
    """Times (n, c) that each label was drawn for each row, by its degrees."""
    steps = D.cumsum(axis=1)
    steps[:, -1] = 1.0
    drawn = (rng.random((draws, len(D)))[:, :, None] >= steps).sum(axis=2)
    return np.stack([(drawn == j).sum(axis=0) for j in range(D.shape[1])], axis=1).astype(float)


def platt(decision, positive, weight):
    """Slope and shift of the sigmoid of most likelihood, with Platt's smoothed targets.

    Parameters
    ----------
    decision : (m,) float
        Decision values.
    positive : (m,) bool
        Whether the row is of the first label.
    weight : (m,) float
        Weights of the rows.
    """
    up, down = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))

    def loss(w):
        z = w[0] * decision + w[1]
        residual = weight * (expit(z) - target)
        loss = weight @ (np.logaddexp(0, z) - target * z)
        return loss, [residual @ decision, residual.sum()]

    return minimize(loss, [0.0, np.log((up + 1) / (down + 1))], jac=True, method="BFGS").x


def couple(share):
    """Distributions from pairwise probabilities (Wu, Lin, Weng 2004, second method).

    Parameters
    ----------
    share : (n, c, c)
        The entry share[:, a, b] is P(a | a or b) in (0, 1); share[:, b, a] is 1 - share[:, a, b].

    Returns
    -------
    (n, c)
        The minimum of sum_ab (share[b, a] p_a - share[a, b] p_b)^2 over the simplex.
    """
    n, c, _ = share.shape
    Q = -share.transpose(0, 2, 1) * share
    diagonal = np.square(share.transpose(0, 2, 1)).sum(axis=2) - 0.25  # without a = b
    Q[:, range(c), range(c)] = diagonal
    system = np.ones((n, c + 1, c + 1))
    system[:, :c, :c] = Q
    system[:, c, c] = 0
    right = np.zeros((n, c + 1, 1))
    right[:, c] = 1
    P = np.maximum(np.linalg.solve(system, right)[:, :c, 0], 0)  # below 0 by rounding only
    return P / P.sum(axis=1, keepdims=True)
