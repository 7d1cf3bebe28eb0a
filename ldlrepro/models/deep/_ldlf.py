"""dLDLF: a forest of differentiable trees learned jointly on a convolutional network."""

import numpy as np

from ldlrepro.models.deep._estimator import DeepTrees
from ldlrepro.models.trees._differentiable import index_functions


class DeepLDLForest(DeepTrees):
    """Deep label distribution learning forest, dLDLF (Shen, Zhao, Guo, Yuille 2017 [1]_).

    LDLForest with a network in the place of the linear features: the outputs f of the last layer
    are the splits' (section 3.1), phi draws for each tree which output is for which of its split
    nodes, and the gradient of the trees' mean cross-entropy (Eqs. 3, 6, 13) is carried back into
    the network. By turns with these steps the leaves are updated by Eq. 12 on the mini-batches kept
    since the last update (Algorithm 1); the trees have one loss and share outputs (section 3.3).

    Parameters
    ----------
    n_estimators : int >= 1
        Trees K.
    depth : int >= 2
        Depth h: 2^(h-1) - 1 split nodes and 2^(h-1) leaves a tree.
    n_outputs : int >= 2^(h-1) - 1
        Outputs tau. Within a tree none is used twice.
    leaf_iter : int >= 1
        Times that Eq. 12 is applied in an update of the leaves.
    leaf_batches : int >= 1
        Mini-batches between updates of the leaves.
    refresh : bool
        Whether the leaves are updated on outputs of the network as it is then, each row taken once
        and weighted by the number of the mini-batches that hold it (a forward pass more), or on the
        outputs that these mini-batches had.
    trunk : {"small", "alexnet", "vgg16", None}
        The network under the head. "small" has nine convolutions, for images of 64 to 128 pixels;
        the others are the paper's kinds, slow on a CPU; AlexNet in one column, as torchvision has
        it. None: rows of features are passed, not images.
    weights : path or None
        A file with the weights of the trunk that ``torch.save`` wrote of a dictionary
        of tensors; for AlexNet and VGG-16 with torchvision's names, and for images scaled as
        torchvision does, by the channels' means and deviations over ImageNet. It is read with
        ``weights_only=True``, so that it cannot run code. None: random weights, and images scaled
        by the channels of the training rows.
    size : int
        Side in pixels to which images are brought.
    epochs : int >= 1
        Passes over the training rows at most.
    batch_size : int >= 1
        Rows of a mini-batch at most; none has a single row.
    optimizer : {"adam", "sgd"}
        Adam with decoupled decay of weights, or steps with momentum.
    learning_rate : float > 0
        Step size of the optimizer.
    momentum : float in [0, 1)
        Of "sgd".
    weight_decay : float >= 0
        Share by which a step shrinks the weights.
    schedule : {"cosine", None}
        Whether the rate falls to 0 along half a cosine over all epochs.
    augment : bool
        Whether training images are mirrored and shifted at random.
    validation_fraction : float in [0, 1)
        Share of the rows on which the K-L divergence is watched after each epoch; the best weights
        are kept. With 0, the last ones are.
    n_iter_no_change : int >= 1
        Epochs without a better one after which to stop.
    checkpoint : path or None
        A file written after each epoch. A fit that finds it goes on from there, on
        the same machine with the same bits as without the interruption.
    device : {"auto", "cpu", "cuda"}
        "auto" takes CUDA where there is one. The two round otherwise, which training amplifies.
    n_threads : int >= 1
        Threads of torch during a fit; numbers may depend on it.
    progress : bool
        Whether a bar on standard error counts the epochs.
    random_state : int, RandomState or None
        Seeds phi, the weights at the start, the mini-batches and the validation rows.

    Attributes
    ----------
    network_
        The trained torch module, on the CPU.
    n_iter_ : int
        Epochs run.
    best_iter_ : int
        The epoch whose weights are kept.
    loss_curve_ : (``n_iter_``,)
        Mean loss of the mini-batches of each epoch.
    validation_curve_ : (``n_iter_``,)
        K-L divergence of the held-out rows after each epoch, (0,) without such rows.

    Raises
    ------
    MissingPackageError
        At ``fit``: torch is not installed; the command is in the message.
    ValueError
        At ``fit``: a parameter out of range; see there for data.

    Warns
    -----
    ConvergenceWarning
        The loss is no finite number any more, with the epoch; the best weights before are kept.

    See Also
    --------
    LDLForest : The shallow form.
    DeepNDFLDL : The same trees with outputs of their own, each by itself.
    DLDL : A softmax in place of the trees.

    Notes
    -----
    As in LDLForest the last layer starts with outputs of about 1, and as Eq. 6 is zero while the
    leaves are uniform, an update of the leaves comes first, on a pass over the training rows.

    With ``trunk=None``, ``optimizer="sgd"``, ``schedule=None``, ``weight_decay=0`` and
    ``refresh=True`` this is LDLForest on features as they are (``scale=None``) up to the draws of
    the mini-batches: the layer has no bias then.

    Departures: the paper goes on from a network trained on faces (VGG-Face, section 4.2); here
    weights are random unless a file is named, and the default trunk is a small one. Adam with a
    falling rate, moved images and early stopping on held-out rows in place of plain steps, 25,000
    of them; leaves are updated every 33 mini-batches in place of 100 (section 4), of 50 rows.
    Mini-batches cut a random order of the rows, where Algorithm 1 draws them at random; the outputs
    have a bias. Without ``refresh`` the leaves see outputs of moved images, normalised within their
    mini-batch.

    References
    ----------
    .. [1] Shen, Zhao, Guo, Yuille, "Label distribution learning forests", NIPS 2017.

    Examples
    --------
    >>> from ldlrepro import DeepLDLForest, datasets
    >>> data = datasets.make_scenes(20, random_state=0)  # synthetic
    >>> model = DeepLDLForest(2, depth=3, size=32, epochs=1, random_state=0)
    >>> model = model.fit(data.X, data.D)
    >>> model.predict(data.X[:2]).shape
    (2, 4)
    """

    def __init__(
        self,
        n_estimators=5,
        *,
        depth=7,
        n_outputs=64,
        leaf_iter=20,
        leaf_batches=33,
        refresh=False,
        trunk="small",
        weights=None,
        size=64,
        epochs=30,
        batch_size=50,
        optimizer="adam",
        learning_rate=0.001,
        momentum=0.9,
        weight_decay=0.01,
        schedule="cosine",
        augment=True,
        validation_fraction=0.1,
        n_iter_no_change=10,
        checkpoint=None,
        device="auto",
        n_threads=1,
        progress=False,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.depth = depth
        self.n_outputs = n_outputs
        self.leaf_iter = leaf_iter
        self.leaf_batches = leaf_batches
        self.refresh = refresh
        self.trunk = trunk
        self.weights = weights
        self.size = size
        self.epochs = epochs
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.augment = augment
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.checkpoint = checkpoint
        self.device = device
        self.n_threads = n_threads
        self.progress = progress
        self.random_state = random_state

    def index_functions(self, rng):
        """phi (K, splits) into the outputs that are used: others would get no gradient."""
        phi = index_functions(rng, self.n_estimators, self.depth, self.n_outputs)
        return np.unique(phi, return_inverse=True)[1].reshape(phi.shape)

    def _check(self):
        super()._check()
        splits = 2 ** (self.depth - 1) - 1
        if splits > self.n_outputs:
            raise ValueError(
                f"depth={self.depth} has 2^(depth-1) - 1 = {splits} split nodes, and phi gives "
                f"each an output of its own: n_outputs={self.n_outputs} must be {splits} or more, "
                "or depth smaller."
            )
