"""LARR: support vector regression, adjusted by classifiers of the ages nearby."""

import numpy as np
from sklearn.svm import SVC, SVR

from ldlrepro.base import LDLEstimator
from ldlrepro.models.age._ages import ages_of, normal, seen, width_of
from ldlrepro.models.maxent._objective import scaler


class LARR(LDLEstimator):
    """Locally adjusted robust regression (Guo, Fu, Dyer, Huang 2008 [1]_).

    A support vector regressor with a radial kernel gives an age for all; the ages at most ``reach``
    years from it then meet in a knockout of linear support vector classifiers, one for each pair of
    ages, and the winner is the answer.

    Parameters
    ----------
    reach : int >= 0
        Years on either side of the regressor's age among which it is adjusted; 0 leaves it (a plain
        robust regressor).
    C : float > 0
        Of the regressor.
    local_C : float > 0
        Of the classifiers.
    epsilon : float >= 0
        Years of error that cost the regressor nothing.
    scale : {"standard", None}
        Features with mean 0 and variance 1, or as they are.
    sigma : float > 0
        Width of the predicted normal density; None takes that of the rows of D.

    Attributes
    ----------
    sigma_ : float
    regressor_ : fitted SVR
    classifier_ : fitted SVC or None
        None where there is one age or no reach.

    Raises
    ------
    ValueError
        At ``fit``: a parameter out of range.

    See Also
    --------
    AAS : Functions of ranges of ages in place of pairs of ages.

    Notes
    -----
    Ages come from D: the label of each row's largest degree. What is predicted is a normal density
    about the estimated age, cut at the first and last label.

    Departures: the paper's features come from learning an age manifold; here any are taken. The
    order of the knockout is not described: neighbours in age meet first, an age left over goes on
    to the next round. Where no training age is within reach, the regressor's stays.

    References
    ----------
    .. [1] Guo, Fu, Dyer, Huang, "Image-based human age estimation by manifold learning and locally
       adjusted robust regression", IEEE Transactions on Image Processing 17(7), 2008.

    Examples
    --------
    >>> from ldlrepro import LARR, datasets
    >>> faces = datasets.make_standin("FG-Net", 90, random_state=0)  # synthetic
    >>> model = LARR(reach=2).fit(faces.X, faces.D)
    >>> model.predict(faces.X[:2]).shape
    (2, 70)
    """

    def __init__(self, reach=4, *, C=10.0, local_C=0.01, epsilon=1.0, scale="standard", sigma=None):
        self.reach = reach
        self.C = C
        self.local_C = local_C
        self.epsilon = epsilon
        self.scale = scale
        self.sigma = sigma

    def _fit(self, X, D):
        if self.reach < 0:
            raise ValueError(f"reach={self.reach}: choose a number of years of 0 or more.")
        self.sigma_ = width_of(D) if self.sigma is None else self.sigma
        age = ages_of(D)
        self.scaler_ = scaler(self.scale, X)
        Z = seen(self.scaler_, X)
        self.regressor_ = SVR(C=self.C, epsilon=self.epsilon).fit(Z, age)
        self.classifier_ = None
        if self.reach and age.min() < age.max():
            classifier = SVC(kernel="linear", C=self.local_C, decision_function_shape="ovo")
            self.classifier_ = classifier.fit(Z, age)

    def ages(self, X):
        """Estimated age of each row of X (n, q), (n,)."""
        return self._ages(self._check_new(X))

    def _ages(self, X):
        Z = seen(self.scaler_, X)
        age = np.clip(self.regressor_.predict(Z), 0, self.n_labels_ - 1)
        if self.classifier_ is None:
            return age
        known = self.classifier_.classes_
        decisions = self.classifier_.decision_function(Z).reshape(len(Z), -1)
        if len(known) == 2:
            decisions = -decisions  # of two classes alone a positive value means the second
        for i, values in enumerate(decisions):
            near = np.flatnonzero(np.abs(known - age[i]) <= self.reach)
            if len(near):
                age[i] = known[knockout(near, values, len(known))]
        return age

    def _predict(self, X):
        return normal(self._ages(X), self.sigma_, self.n_labels_)


def knockout(near, values, k):
    """Winner among the classes ``near`` (increasing), neighbours meeting first.

    values : (k (k - 1) / 2,) decisions of all pairs (i, j), i < j, in the order (0, 1), (0, 2) ...;
        above 0 i wins
    """
    near = list(near)
    while len(near) > 1:
        pairs = zip(near[::2], near[1::2], strict=False)
        winners = [i if values[i * k - i * (i + 1) // 2 + j - i - 1] > 0 else j for i, j in pairs]
        near = winners + near[len(near) & ~1 :]
    return near[0]
