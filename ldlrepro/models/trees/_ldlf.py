"""sLDLF: a forest of differentiable trees learned jointly on shared linear features."""

from ldlrepro.entrance import public
from ldlrepro.models.trees._differentiable import DifferentiableForest


class LDLForest(DifferentiableForest):
    r"""Shallow label distribution learning forest, sLDLF (Shen, Zhao, Guo, Yuille 2017 [1]_).

    Linear features :math:`f = \Theta^\top x` have tau outputs. In each of K trees the split node n
    sends a row to the left with probability :math:`\sigma(f_{\varphi(n)}(x))`, where phi, drawn
    once a tree, picks an output for each of its split nodes (section 3.1). A row reaches leaf l
    with the product along the path (Eq. 1) and gets the mixture of the leaves' distributions q
    (Eq. 2), averaged over the trees:

    .. math:: p(x) = \frac1K \sum_{k=1}^K \sum_l \Pr\nolimits_k(l \mid x)\, q_{kl}.

    The cross-entropy (Eq. 3), averaged over the trees, is lowered by turns (Algorithm 1): steps of
    Theta on mini-batches (Eqs. 5, 6, 13), and after every ``leaf_batches`` of them updates of the
    leaves on these mini-batches (Eq. 12), which never raise it.

    The chapter on LDLF derives these equations and shows them as forty lines of NumPy:
    :ref:`The method <ldlf-method>`.

    Parameters
    ----------
    n_estimators : int >= 1
        Trees K (section 4: 5; the released script: 10).
    depth : int >= 2
        Depth h: 2^(h-1) - 1 split nodes and 2^(h-1) leaves a tree (7; script: 5).
    n_outputs : int >= 2^(h-1) - 1
        Outputs tau (64; script: 512). Within a tree none is used twice.
    max_iter : int >= 1
        Mini-batches for Theta (25000; script: 3000, on Movie 2000).
    optimizer : {"sgd", "adam"}
        "sgd" has momentum (the script's choice).
    learning_rate : float > 0
        For the gradient of the mean loss over rows and trees. (The script's 100 is for sums over
        trees, which one of its layers divides by rows and outputs, the other by rows alone: 1.95 or
        1000 here).
    momentum : float in [0, 1)
        Of "sgd" (script: 0.9).
    batch_size : int >= 1
        Rows of a mini-batch, drawn without repetition (script: 1000); the whole training part where
        that is not larger.
    leaf_iter : int >= 1
        Times that Eq. 12 is applied in an update of the leaves (20).
    leaf_batches : int >= 1
        Mini-batches n_B between updates of the leaves (100).
    scale : {"standard", None}
        Features with mean 0 and variance 1, or as they are (paper).
    validation_fraction : float in [0, 1)
        Share of the rows on which the K-L divergence is watched after each update of the leaves;
        the best trees are kept. With 0 (paper), the last ones are: on the data sets of this package
        that has overfitted.
    n_iter_no_change : int >= 1
        Updates of the leaves without a better one at which to stop early.
    path : tuple of int
        Iterations whose trees are kept for ``staged_predict``; 0 is the start. Multiples of
        ``leaf_batches`` are taken after the update of the leaves.
    dtype : {"float32", "float64"}
        Of the fit. Predictions are always computed in float64.
    memory_limit : float
        GiB that the large arrays of a fit may take.
    random_state : int, RandomState or None
        Seeds phi, the start of Theta, the mini-batches and the validation rows.

    Attributes
    ----------
    n_iter_ : int
        Steps of Theta taken.
    best_iter_ : int
        The step whose trees are kept.
    loss_curve_ : (``n_iter_``,)
        Mean cross-entropy of a tree (Eq. 3) on each mini-batch before its step.
    validation_curve_ : list of pairs
        Iteration, and K-L divergence of the forest.
    path_ : dict
        The trees at each iteration of ``path``.
    trees_
        The trees that are kept: ``theta`` (q, t) of the outputs in use, ``phi`` (K, splits) into
        its columns, ``leaves`` (K, splits + 1, c).

    Raises
    ------
    ValueError
        At ``fit``: a parameter out of range; fewer outputs than a tree has split nodes; more memory
        than the limit.

    Warns
    -----
    ConvergenceWarning
        The run diverged, with the iteration: the root mean square of the outputs f is above 100 or
        not finite; all splits are hard then, and nothing is learned any more. The trees of the last
        update of the leaves before (or the best on the validation part) are kept.

    See Also
    --------
    NDFLDL : The same trees, each learned by itself.
    StructRF : A forest of hard splits.

    Notes
    -----
    As Theta starts with outputs of about 1 (normal; the paper says "randomly") and the leaves start
    uniform, Eq. 6 is zero until their first update. That update comes first here, on n_B
    mini-batches, which are not counted as iterations.

    Mini-batches of one update of the leaves share rows. Each row is taken once, weighted by their
    number, with Theta as it is then: the same sums as over all of them.

    Zeros: a label with degree 0 adds nothing to loss and gradient. Mixtures are raised to 2.2e-16
    in logarithms and denominators, as in the K-L divergence. A leaf that no row reaches keeps its
    distribution. Outputs that no split node uses are left out.

    Features of which less than a tenth is non-zero are kept as compressed rows, also if scaled.

    A rate of about 1 suits scaled features and rows with lengths of 1 to 10 (Movie as it is);
    histograms with much smaller variance (SJAFFE), not scaled, need rates above 100.

    Memory grows as 2^(h-1) (q (5 or 6) + rows of the mini-batches between two updates of the
    leaves). Measured on Movie, one tree with tau = 2^(h-1), float32: below 1 GiB up to h = 14; at
    h = 18, mini-batches of 200 and leaf_batches=2, 4 GiB and several seconds a step.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017.

    Examples
    --------
    >>> from ldlrepro import LDLForest, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> forest = LDLForest(max_iter=100, random_state=0).fit(toy.X, toy.D)
    >>> forest.predict(toy.X_test).shape
    (2601, 3)
    """

    def __init__(
        self,
        n_estimators=5,
        *,
        depth=7,
        n_outputs=64,
        max_iter=3000,
        optimizer="sgd",
        learning_rate=1.0,
        momentum=0.9,
        batch_size=1000,
        leaf_iter=20,
        leaf_batches=100,
        scale="standard",
        validation_fraction=0.1,
        n_iter_no_change=5,
        path=(),
        dtype="float32",
        memory_limit=8.0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.depth = depth
        self.n_outputs = n_outputs
        self.max_iter = max_iter
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.batch_size = batch_size
        self.leaf_iter = leaf_iter
        self.leaf_batches = leaf_batches
        self.scale = scale
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.path = path
        self.dtype = dtype
        self.memory_limit = memory_limit
        self.random_state = random_state

    def _fit(self, X, D):
        rng, features, train, validation = self._prepare(X, self.n_estimators)
        history = self._learn(rng, features, D, train, validation, self.n_estimators, self.max_iter)
        self.trees_, self.best_iter_ = history.trees, history.best
        self.loss_curve_, self.validation_curve_ = history.losses, history.validation
        self.n_iter_ = len(history.losses)
        self.path_ = history.path

    @public
    def staged_predict(self, X):
        """Yield (iteration, predicted distributions (n, c)) for each in ``path``."""
        features = self._features(self._check_new(X))
        for iteration, trees in sorted(self.path_.items()):
            yield iteration, trees.predict(features)

    def _predict(self, X):
        return self.trees_.predict(self._features(X))
