"""What the solvers share that follow one smooth objective by quasi-Newton steps."""

import numpy as np

from ldlrepro.base import RowWeights
from ldlrepro.models.maxent._lbfgs import minimise
from ldlrepro.models.maxent._objective import MaxEnt


class QuasiNewton(RowWeights, MaxEnt):
    """A maximum-entropy model fitted by limited-memory BFGS: SABFGS and LCLDL."""

    def _descend(self, loss):
        """Minimise a loss by quasi-Newton steps from ``init``: sets coef_, n_iter_ and path_.

        Returns the loss at the end.
        """
        start = self._start(loss.shape)
        self.path_ = {}
        self._note(0, start)
        w, value, self.n_iter_ = minimise(
            loss,
            start.ravel(),
            self.max_iter,
            self.memory,
            self.tol,
            lambda step, w: self._note(step, w.reshape(loss.shape)),
        )
        if not np.isfinite(value):
            raise ValueError(
                f"{type(self).__name__} diverged: scale the features to about [-1, 1]."
            )
        self.coef_ = w.reshape(loss.shape)
        self._close_path(self.coef_)
        return value
