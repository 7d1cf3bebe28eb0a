"""sNDF-LDL: differentiable trees for label distributions, each learned by itself."""

from ldlrepro.entrance import public
from ldlrepro.models.trees._differentiable import DifferentiableForest


class NDFLDL(DifferentiableForest):
    """LDLForest's trees with the ensemble strategy of dNDFs (LDLF paper [1]_, sections 2 and 4.4).

    Deep neural decision forests (Kontschieder et al. 2015 [2]_) have, other than LDLFs, no loss of
    the forest, only of a tree; no output is shared by trees; and trees take turns: a mini-batch
    trains one of them. Predictions are averaged.

    Parameters
    ----------
    n_estimators : int >= 1
        Trees (LDLF paper, Figure 4: 1 to 100).
    shared_budget : bool
        Whether ``max_iter`` mini-batches are shared by the trees, each getting max_iter //
        n_estimators of them, as taking turns implies; or each tree gets ``max_iter``.
    depth : int >= 2
        As for `LDLForest`.
    n_outputs : int
        Outputs of each tree.
    max_iter, optimizer, learning_rate, momentum, batch_size, leaf_iter, leaf_batches
        As for `LDLForest`.
    scale, validation_fraction, n_iter_no_change, dtype, memory_limit, random_state
        As for `LDLForest`; the same rows are held out for each tree.

    Attributes
    ----------
    trees_ : list of trees
    best_iter_ : list of int
        The step of each that is kept.
    loss_curves_ : list of (steps,) arrays
        Mean cross-entropy of a tree on its mini-batches.
    n_iter_ : int
        Mini-batches of all trees.

    Raises
    ------
    ValueError
        At ``fit``: as LDLForest, and if there are fewer mini-batches than trees.

    Warns
    -----
    ConvergenceWarning
        As LDLForest; the iteration is that of the tree.

    See Also
    --------
    LDLForest : One loss for the forest, and shared outputs.

    Notes
    -----
    With linear features, trees that share no output share nothing: they are learned one after the
    other, which is the same as by turns. Departures: dNDFs draw the tree of a mini-batch at random.
    The LDLF paper keeps the number of outputs fixed as trees are added, and does not say whether
    trees share them; here each tree has ``n_outputs`` of its own.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017.
    .. [2] Kontschieder, Fiterau, Criminisi, Rota Bulo, "Deep neural decision forests", ICCV 2015.

    Examples
    --------
    >>> from ldlrepro import NDFLDL, datasets
    >>> toy = datasets.make_toy(random_state=0)
    >>> model = NDFLDL(2, max_iter=100, random_state=0).fit(toy.X, toy.D)
    >>> len(model.trees_)
    2
    """

    path = ()

    def __init__(
        self,
        n_estimators=5,
        *,
        shared_budget=True,
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
        dtype="float32",
        memory_limit=8.0,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.shared_budget = shared_budget
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
        self.dtype = dtype
        self.memory_limit = memory_limit
        self.random_state = random_state

    def _fit(self, X, D):
        rng, features, *rows = self._prepare(X, 1)
        steps = self.max_iter // self.n_estimators if self.shared_budget else self.max_iter
        if steps < 1:
            raise ValueError(
                f"max_iter={self.max_iter} mini-batches for n_estimators={self.n_estimators} trees "
                "leave none for some: raise max_iter, or use shared_budget=False."
            )
        runs = [self._learn(rng, features, D, *rows, 1, steps) for _ in range(self.n_estimators)]
        self.trees_ = [run.trees for run in runs]
        self.best_iter_ = [run.best for run in runs]
        self.loss_curves_ = [run.losses for run in runs]
        self.n_iter_ = sum(len(run.losses) for run in runs)

    @public
    def staged_predict(self, X):
        """Yield (number of trees, predicted distributions (n, c)) for 1, 2, .. trees."""
        yield from self._stages(self._check_new(X))

    def _stages(self, X):
        features, total = self._features(X), 0
        for number, trees in enumerate(self.trees_, 1):
            total = total + trees.predict(features)
            yield number, total / number

    def _predict(self, X):
        *_, (_, P) = self._stages(X)
        return P
