"""Linear support vector machines for the multi-label learners made of many of them."""

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler

from ldlrepro.kernels.svm import hinge_dual
from ldlrepro.models.multilabel._base import MultiLabelEstimator

#: Features with a smaller share of non-zero entries are kept sparse.
SPARSE_SVM_BELOW = 0.2
_ORDERS = 8  # orders of the rows that an SVM takes in turn


class ScaledRows:
    """Rows scaled to [0, 1] by the training rows' ranges, held dense or sparse.

    Parameters
    ----------
    X : (n, q)
        Training features; a constant feature becomes 0.
    """

    def __init__(self, X):
        self.scaler = MinMaxScaler().fit(X)
        scaled = self.scaler.transform(X)
        self.sparse = np.count_nonzero(scaled) < SPARSE_SVM_BELOW * scaled.size
        self.rows = sparse.csr_matrix(scaled) if self.sparse else scaled

    def transform(self, X):
        """Scale new rows (m, q) with the training rows' ranges."""
        scaled = self.scaler.transform(X)
        return sparse.csr_matrix(scaled) if self.sparse else scaled

    def with_labels(self, Y=None):
        """The training rows followed by the columns Y (n, m), as `hinge_dual` wants them.

        Returns X (n, q or 0), indptr, indices and values of the sparse columns, and their number
        before those of Y.
        """
        n = self.rows.shape[0]
        dense = np.zeros((n, 0)) if self.sparse else self.rows
        extra = sparse.csr_matrix((n, 0)) if Y is None else sparse.csr_matrix(Y)
        before = 0
        if self.sparse:
            before = self.rows.shape[1]
            extra = sparse.hstack([self.rows, extra], format="csr")
        extra.sort_indices()
        parts = extra.indptr.astype(np.int64), extra.indices.astype(np.int64), extra.data
        return dense, *parts, before


def orders(n, rng):
    """(k, n) random orders of the rows, for `fit_svm`."""
    return np.array([rng.permutation(n) for _ in range(_ORDERS)])


def fit_svm(rows, limit, positive, upper, start, orders, w, tol, max_epochs):
    """Coefficients of one linear SVM with hinge loss, into w; the bias last, and penalised.

    rows : `ScaledRows.with_labels`, of which the sparse columns below `limit` are used. positive :
    (n,) bool. upper : (n,), cost of each row. start : (n,), dual variables to start from, which
    become the answer's. Where the rows with a cost have one class, w is 0 and the bias -1 or 1.
    Returns the passes over the rows: max_epochs where it did not converge.
    """
    used = upper > 0
    share = positive[used].mean()
    if share in (0.0, 1.0):
        w[:] = 0.0
        w[-1] = 2.0 * share - 1.0
        return 0
    X, indptr, indices, values, _ = rows
    y = np.where(positive, 1.0, -1.0)
    return hinge_dual(
        X, indptr, indices, values, limit, y, upper, start, w, orders, tol, max_epochs
    )


class SVMEnsemble(MultiLabelEstimator):
    """Votes of many linear SVMs: ECC and RAkEL."""

    def __init__(self, n_estimators, C, voting, tol, max_iter, random_state):
        self.n_estimators = n_estimators
        self.C = C
        self.voting = voting
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check(self):
        """ValueError where C, tol, max_iter or voting is out of range, naming the one."""
        for name in ("C", "tol", "max_iter"):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name}={value} must be larger than 0.")
        if self.voting not in ("soft", "hard"):
            raise ValueError(f"voting={self.voting!r}: must be 'soft' or 'hard'.")
