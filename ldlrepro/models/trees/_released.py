"""sLDLF as the script that its authors released for their Table 1 trains it."""

import numpy as np
from sklearn.utils import check_random_state

from ldlrepro.base import LDLEstimator
from ldlrepro.kernels import ldlf as kernel
from ldlrepro.models.trees._differentiable import SplitFeatures, Trees, index_functions, split

_NUMBER = np.float32  # what the script computes in
_FLOOR = np.finfo(_NUMBER).tiny  # of mixtures, as there
_LAYERS = ("gpu", "cpu")


class ReleasedLDLForest(LDLEstimator):
    """sLDLF (Shen, Zhao, Guo, Yuille, NIPS 2017) as the released script trains it.

    The trees are those of `LDLForest`. The training loop is another: the linear layer has a bias
    and a start that is uniform in +-sqrt(3 / q); mini-batches are drawn with replacement; leaves
    are updated after every ``leaf_every`` iterations on the last mini-batches alone, as many as
    would hold all training rows, and with the split probabilities that these rows had when they
    were drawn; Theta is not moved before iteration ``leaf_every``; nothing is scaled or stopped.

    The script has two layers with different steps. Both take the gradient summed over rows and
    trees. The one for graphics cards divides it by the rows times the outputs of the linear layer,
    the one for CPUs by the rows. For the gradient of the mean over rows and trees, which is that
    of `LDLForest`, the script's rate of 100 is 100 * 10 / 512 = 1.95 or 100 * 10 = 1000.

    Parameters
    ----------
    layer : {"gpu", "cpu"}
    max_iter : int >= 1
        (script: 3000, on Movie 2000).
    n_estimators, depth, n_outputs, learning_rate, momentum, batch_size, leaf_iter : as for
        `LDLForest`, with the script's numbers.
    leaf_every : int >= 1
        Iterations between updates of the leaves.
    path : tuple of int
        Iterations whose trees are kept for ``staged_predict``.
    random_state : int, RandomState or None
        Seeds the index functions, the start of Theta and the mini-batches.

    Attributes
    ----------
    trees_
        The last trees, as for `LDLForest`; the last row of ``theta`` is the bias.
    path_ : dict
        The trees at each iteration of ``path``.

    Raises
    ------
    ValueError
        At ``fit``: a layer of another name.

    Notes
    -----
    Departures: a leaf that no row reaches keeps its distribution, where the script's would have
    degrees of 0 from then on; predictions are computed in float64.

    Settings and steps as in github.com/zeakey/LDLForests (experiments/ldl/run.py) and the layers
    that it runs on.
    """

    def __init__(
        self,
        layer="gpu",
        *,
        max_iter=3000,
        n_estimators=10,
        depth=5,
        n_outputs=512,
        learning_rate=100.0,
        momentum=0.9,
        batch_size=1000,
        leaf_iter=20,
        leaf_every=50,
        path=(),
        random_state=None,
    ):
        self.layer = layer
        self.max_iter = max_iter
        self.n_estimators = n_estimators
        self.depth = depth
        self.n_outputs = n_outputs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.batch_size = batch_size
        self.leaf_iter = leaf_iter
        self.leaf_every = leaf_every
        self.path = path
        self.random_state = random_state

    def _fit(self, X, D):
        if self.layer not in _LAYERS:
            raise ValueError(f"layer must be one of {_LAYERS}, got {self.layer!r}.")
        rng, features = check_random_state(self.random_state), _with_ones(X, _NUMBER)
        phi = index_functions(rng, self.n_estimators, self.depth, self.n_outputs)
        used, phi = np.unique(phi, return_inverse=True)  # other outputs would get no gradient
        phi = phi.reshape(self.n_estimators, -1)
        reach = np.sqrt(3 / X.shape[1])
        theta = np.zeros((X.shape[1] + 1, len(used)), _NUMBER)
        theta[:-1] = rng.uniform(-reach, reach, (X.shape[1], len(used)))
        shape = self.n_estimators, phi.shape[1] + 1, D.shape[1]
        trees = Trees(theta, phi, np.full(shape, 1 / D.shape[1], _NUMBER))
        DT, velocity = np.ascontiguousarray(D.T.astype(_NUMBER)), np.zeros_like(theta)
        rate, momentum = _NUMBER(self.learning_rate), _NUMBER(self.momentum)
        last = [None] * -(-len(X) // self.batch_size)
        self.path_ = {}
        for iteration in range(1, self.max_iter + 1):
            rows = rng.choice(len(X), self.batch_size)
            S, target = split(features.outputs(theta, rows)), DT[:, rows]
            last[iteration % len(last)] = S, target
            if iteration >= self.leaf_every:
                slope = features.back(self._slope(S, trees, target), rows)
                kernel.momentum_step(theta, slope, velocity, rate, momentum)
            if iteration % self.leaf_every == 0:
                seen = [part for part in last if part is not None]
                S, target = (np.concatenate(parts, axis=1) for parts in zip(*seen, strict=True))
                kernel.update_leaves(S, phi, trees.leaves, target, _FLOOR, self.leaf_iter)
            if iteration in self.path:
                self.path_[iteration] = trees.copy()
        self.trees_ = trees

    def _slope(self, S, trees, target):
        """Gradient of the loss in the outputs f, (t, rows), as the layer divides it."""
        mixtures, G = np.empty((self.n_estimators, *target.shape), S.dtype), np.empty_like(S)
        kernel.gradient(S, trees.phi, trees.leaves, target, _FLOOR, mixtures, G)
        return G / _NUMBER(S.shape[1] * (self.n_outputs if self.layer == "gpu" else 1))

    def staged_predict(self, X):
        """Yield (iteration, predicted distributions (n, c)) for each in ``path``."""
        features = _with_ones(self._check_new(X), np.float64)
        for iteration, trees in sorted(self.path_.items()):
            yield iteration, trees.predict(features)

    def _predict(self, X):
        return self.trees_.predict(_with_ones(X, np.float64))


def _with_ones(X, dtype):
    """Features with a constant one, of which Theta makes the bias."""
    X = np.hstack([X, np.ones((len(X), 1))])
    return SplitFeatures(X, np.zeros(X.shape[1]), np.ones(X.shape[1]), dtype)
