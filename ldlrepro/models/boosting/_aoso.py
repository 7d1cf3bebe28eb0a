"""Logistic boosting of label distributions with vector-valued trees (AOSO-LDLogitBoost)."""

from ldlrepro.kernels import boosting as kernel
from ldlrepro.models.boosting._rounds import Booster


class AOSOLDLogitBoost(Booster):
    r"""Adaptive one-versus-one boosting (Xing, Geng, Xue 2016 [1]_: AOSO-LDLogitBoost).

    The model and the loss are those of ``LDLogitBoost``; a round adds one tree whose leaves hold
    vectors, as in AOSO-LogitBoost (Sun, Reid, Zhou 2012 [2]_), with degrees d in the place of
    the 0/1 class indicators. Each node picks a pair of labels (r, s) and moves the scores along
    :math:`e_r - e_s`, so that they keep the sum 0. Along this direction a row has the gradient and
    the curvature

    .. math::

       g = -(d_r - p_r) + (d_s - p_s), \qquad h = p_r (1 - p_r) + p_s (1 - p_s) + 2 p_r p_s;

    a node's gain is :math:`(\sum g)^2 / \sum h` and a leaf's step :math:`-\sum g / \sum h`.

    The pair: r has the largest sum of d - p over the node's rows; s, given r, the largest gain.
    A node's own pair serves the search for its split, gain(left) + gain(right) - gain(node); its
    children then pick theirs, with which they are split or, as leaves, updated (Fig. 1 there).

    Parameters
    ----------
    n_estimators : int
        Rounds at most; a round has one tree.
    learning_rate, max_leaf_nodes, max_depth, min_samples_leaf, validation_fraction : as for
        `LDLogitBoost`.
    n_iter_no_change, random_state
        As for `LDLogitBoost`, but by default it waits longer.

    Attributes
    ----------
    n_estimators_, train_loss_, validation_loss_
        As for `LDLogitBoost`.

    See Also
    --------
    LDLogitBoost : A tree for each label in a round.

    Notes
    -----
    Departures from the papers, and what they leave open: the shrinkage, the size of the trees and
    the choice of the round are this project's, found on validation rows. A row's curvature is at
    least 1e-6 and a leaf's step, before shrinkage, at most 4. A feature of more than 256 values
    is binned by quantiles. The paper of 2016 trains for each measure separately; here the loss is
    always K-L. The model is not fitted again on the held-out rows.

    References
    ----------
    .. [1] Xing, Geng, Xue, "Logistic boosting regression for label distribution learning", CVPR
       2016.
    .. [2] Sun, Reid, Zhou, "AOSO-LogitBoost: adaptive one-vs-one LogitBoost for multi-class
       problem", ICML 2012.

    Examples
    --------
    >>> from ldlrepro import AOSOLDLogitBoost, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> boosted = AOSOLDLogitBoost(20, n_iter_no_change=None).fit(toy.X, toy.D)
    >>> len(list(boosted.staged_predict(toy.X_test)))
    20
    """

    def __init__(
        self,
        n_estimators=2000,
        *,
        learning_rate=0.1,
        max_leaf_nodes=20,
        max_depth=None,
        min_samples_leaf=20,
        validation_fraction=0.1,
        n_iter_no_change: int | None = 100,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            learning_rate=learning_rate,
            max_leaf_nodes=max_leaf_nodes,
            max_depth=max_depth,
            min_samples_leaf=min_samples_leaf,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            random_state=random_state,
        )

    def _grow_round(self, D, P, columns):
        return [kernel.grow(D, P, -1, self._tree_size(len(D)), *columns)]
