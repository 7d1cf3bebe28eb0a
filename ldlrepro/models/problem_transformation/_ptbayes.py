"""PT-Bayes: a Bayes classifier with Gaussian densities on rows weighted by their degrees."""

import numpy as np
from scipy.special import softmax

from ldlrepro.base import LDLEstimator, RowWeights, total_of, weigh


class PTBayes(RowWeights, LDLEstimator):
    r"""PT-Bayes (Geng 2016 [1]_, section 3.1): posterior probabilities of the labels.

    Each training row counts for label j with weight :math:`d_{ij}`; label j has the prior
    :math:`\sum_i d_{ij} / n` and a Gaussian density with the weighted mean and variances of the
    features.

    Parameters
    ----------
    variance_floor : float > 0
        Added to every variance, as a share of the largest variance of a feature. No paper gives
        one, and the results hang on it: with many features a small floor makes nearly all
        predictions one-hot. The default, chosen on halves of the papers' data sets, keeps them near
        the prior: a density in many features that are taken as independent is too sure of itself.

    Attributes
    ----------
    prior_ : (c,)
    mean_ : (c, q)
    variance_ : (c, q)

    Raises
    ------
    ValueError
        At ``fit``, when ``variance_floor`` is not positive.

    See Also
    --------
    PTSVM : Support vector machines on rows of one label.

    Notes
    -----
    Departures: rows are weighted, where the paper draws c n rows by the weights (the expectation of
    the draw); the features are taken as independent given the label, since full covariances are
    singular where there are fewer rows than features; ``variance_floor`` is ours. The MATLAB
    package that came with the paper draws rows, has full covariances, and raises posteriors that
    are below 1e-9 or no number to 1e-9: where all densities fail it predicts the uniform
    distribution.

    By default K-L is above 1.05 of the training mean's on SCUT-FBP, of the 16 sets of the
    book's page on defaults. The 300 features of that set nearly move as one, and count as 300.

    References
    ----------
    .. [1] Geng, "Label distribution learning", TKDE 2016.

    Examples
    --------
    >>> from ldlrepro import PTBayes, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = PTBayes().fit(toy.X, toy.D)
    >>> model.prior_.shape, model.mean_.shape
    ((3,), (3, 3))
    """

    def __init__(self, variance_floor=10.0):
        self.variance_floor = variance_floor

    def _fit(self, X, D, weight):
        if not 0 < self.variance_floor < np.inf:
            raise ValueError(f"variance_floor={self.variance_floor}: choose a number above 0.")
        D = weigh(D, weight)
        given = D.sum(axis=0)
        self.prior_ = given / total_of(weight, X)
        share = D / np.where(given > 0, given, 1.0)  # a label without any degree has prior 0
        centre = np.average(X, axis=0, weights=weight)
        from_centre = X - centre  # squares of small numbers: no digits are lost
        shift = share.T @ from_centre
        self.mean_ = centre + shift
        largest = np.average(np.square(from_centre), axis=0, weights=weight).max()
        if largest <= (1e-14 * np.abs(X).max()) ** 2:  # equal rows: nothing but rounding
            largest = 1.0
        spread = np.maximum(share.T @ np.square(from_centre) - shift**2, 0.0)
        self.variance_ = spread + self.variance_floor * largest

    def _predict(self, X):
        with np.errstate(divide="ignore"):
            log_joint = np.tile(np.log(self.prior_), (len(X), 1))
        for j, (mean, variance) in enumerate(zip(self.mean_, self.variance_, strict=True)):
            log_joint[:, j] -= 0.5 * np.log(variance).sum()
            log_joint[:, j] -= 0.5 * ((X - mean) ** 2 / variance).sum(axis=1)
        return softmax(log_joint, axis=1)
