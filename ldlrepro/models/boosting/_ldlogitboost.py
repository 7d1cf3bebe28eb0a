"""Logistic boosting of label distributions with a tree for each label (LDLogitBoost)."""

from ldlrepro.kernels import boosting as kernel
from ldlrepro.models.boosting._rounds import Booster


class LDLogitBoost(Booster):
    r"""Logistic boosting with regression trees (Xing, Geng, Xue 2016 [1]_: LDLogitBoost).

    The model is :math:`p_j(x) = \exp f_j(x) / \sum_k \exp f_k(x)`, the loss the K-L divergence. A
    round fits, for each label j, a regression tree :math:`t_j` to the working responses

    .. math:: z_{ij} = (d_{ij} - p_{ij}) / w_{ij}, \qquad w_{ij} = p_{ij} (1 - p_{ij}),

    by least squares with the weights :math:`w_{ij}`, and adds :math:`\frac{c - 1}{c} (t_j -
    \frac1c \sum_k t_k)` to :math:`f_j`: LogitBoost of J classes (Friedman, Hastie, Tibshirani 2000
    [2]_, Algorithm 6) with the degrees :math:`d_{ij}` in the place of the 0/1 class indicators.

    Parameters
    ----------
    n_estimators : int
        Rounds at most; a round has c trees.
    learning_rate : float > 0
        Shrinkage of a round.
    max_leaf_nodes : int
        Leaves of a tree at most; the leaf with the largest gain is split first.
    max_depth : int >= 1 or None
        Depth of a leaf at most (the root has depth 0).
    min_samples_leaf : int
        Rows in a leaf at least.
    validation_fraction : float in (0, 1)
        Part of the rows held out to choose the round.
    n_iter_no_change : int or None
        Stop after so many rounds without a lower validation loss; None: all rounds on all rows,
        nothing held out.
    random_state : int, RandomState or None
        Draws the held-out rows; nothing else is random.

    Attributes
    ----------
    n_estimators_ : int
        Rounds kept: those up to the lowest validation loss.
    train_loss_ : (rounds run,) floats
        K-L divergence of the fitted rows after each round.
    validation_loss_ : (rounds run,) floats
        That of the held-out rows; None without any.

    See Also
    --------
    AOSOLDLogitBoost : One tree a round, whose leaves move two labels.
    SABFGS : Scores that are linear in the features.

    Notes
    -----
    Departures from the papers, and what they leave open: the shrinkage, the size of the trees and
    the choice of the round are this project's, found on validation rows. A weight is at least
    1e-6. The bound on the responses, 4 as in Friedman et al., is on the mean response of a leaf:
    a bound on each row's would pull the fit away from the mean distribution where p is small. A
    feature of more than 256 values is binned by quantiles. Means in the centring run over the
    labels of a row; over rows they would make a prediction depend on the others of its batch. The
    paper trains for each measure separately; here the loss is always K-L. The model is not
    fitted again on the held-out rows.

    References
    ----------
    .. [1] Xing, Geng, Xue, "Logistic boosting regression for label distribution learning", CVPR
       2016.
    .. [2] Friedman, Hastie, Tibshirani, "Additive logistic regression: a statistical view of
       boosting", The Annals of Statistics 28(2), 2000.

    Examples
    --------
    >>> from ldlrepro import LDLogitBoost, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> LDLogitBoost(random_state=0).fit(toy.X, toy.D).predict(toy.X_test).shape
    (2601, 3)
    """

    def _grow_round(self, D, P, columns):
        size = self._tree_size(len(D))
        return [kernel.grow(D, P, label, size, *columns) for label in range(D.shape[1])]

    def _step(self, S):
        c = S.shape[1]
        return self.learning_rate * (c - 1) / c * (S - S.mean(axis=1, keepdims=True))
