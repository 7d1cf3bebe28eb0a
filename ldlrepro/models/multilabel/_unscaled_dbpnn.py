"""DBPNN on features as they are: what a printed row of the MLDF paper may have been made with."""

import numpy as np
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_random_state

from ldlrepro.models.multilabel._dbpnn import DBPNN, _start, forward, logistic_weights


class UnscaledDBPNN(DBPNN):
    """`DBPNN` without the scaling of features, as Meka has it: parameters and attributes alike.

    Features far from 0 and 1 saturate the units, so that predictions hardly depend on the row.
    """

    def _fit(self, X, Y):
        self._check()
        rng = check_random_state(self.random_state)
        self._scaler, units = FunctionTransformer().fit(X), X
        self.coefs_, self.rbm_errors_ = [], []
        for size in self.hidden:
            weights, errors = self._train_rbm(units, size, rng)
            self.coefs_.append(weights)
            self.rbm_errors_.append(errors)
            units = forward(units, [weights])[-1]
        if self.fine_tune:
            self.coefs_.append(_start(units.shape[1], Y.shape[1], rng))
            self._back_propagate(X, Y, rng)
        else:
            self.coefs_.append(np.column_stack([logistic_weights(units, y) for y in Y.T]))
