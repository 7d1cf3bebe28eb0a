"""Another estimator's scores, shifted so that 0.5 gives the training rows' number of labels."""

import numpy as np

from ldlrepro.base import seeded
from ldlrepro.entrance import public
from ldlrepro.models.multilabel._base import MultiLabelEstimator

#: Stages of `CutAtCardinality.staged_predict`.
CUTS = ("0.5", "cardinality")


class CutAtCardinality(MultiLabelEstimator):
    """Scores of an estimator with the threshold that Meka takes unless told otherwise.

    For experiments: hamming loss depends on where scores are cut, and papers rarely say where
    theirs were. The threshold is put where the rows that are predicted get as many labels on
    average as the training rows have (Read et al. 2011, section 5.2), which needs those rows
    together: predictions of a row depend on the others beside it.

    Parameters
    ----------
    estimator : multi-label estimator
        Cloned.
    random_state : int, RandomState or None
        Handed on to an estimator that has one; None leaves it what it has.

    Attributes
    ----------
    estimator_
        The fitted estimator.
    cardinality_ : float
        Mean number of labels of a training row.
    """

    def __init__(self, estimator, *, random_state=None):
        self.estimator = estimator
        self.random_state = random_state

    def _fit(self, X, Y):
        self.estimator_ = seeded(self.estimator, self.random_state).fit(X, Y)
        self.cardinality_ = Y.sum(axis=1).mean()

    @public
    def staged_predict(self, X):
        """Yield (cut, scores (n, c)) for each of `CUTS`."""
        X = self._check_new(X)
        P = self.estimator_.predict_proba(X)
        yield CUTS[0], P
        yield CUTS[1], shifted(P, threshold(P, self.cardinality_))

    def _predict_proba(self, X):
        P = self.estimator_.predict_proba(X)
        return shifted(P, threshold(P, self.cardinality_))


def threshold(P, cardinality):
    """The threshold above which the rows of P (n, c) have ``cardinality`` labels on average.

    Half-way between the two scores that it parts; tied scores stay together.
    """
    ordered = np.sort(P, axis=None)
    wanted = min(max(int(round(cardinality * len(P))), 1), len(ordered) - 1)
    return 0.5 * (ordered[-wanted] + ordered[-wanted - 1])


def shifted(P, cut):
    """P moved so that ``cut`` comes to 0.5; the order of scores is kept."""
    return P + (0.5 - cut)
